// Command rocsmith-probe loads the libraries of a GPU and does the work that rocsmith asks it for. It may crash: that is
// why it is a program of its own.
package main

import (
	"fmt"
	"os"

	"github.com/rocsmith/rocsmith/internal/device"
)

func main() {
	answers, err := device.OwnOutput()
	if err != nil {
		fmt.Fprintln(os.Stderr, "rocsmith-probe:", err)
		os.Exit(2)
	}
	os.Exit(device.Serve(os.Args[1:], os.Stdin, answers, os.Stderr))
}
