// Command rocsmith finds out why an AMD GPU cannot be used, and what to do about it.
package main

import (
	"os"
	"time"

	"github.com/rocsmith/rocsmith/internal/cli"
	"github.com/rocsmith/rocsmith/internal/host"
)

// version is set by the linker in released binaries.
var version = "devel"

func main() {
	app := cli.App{
		Version: version,
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ,
		Columns: cli.Columns(os.Stdout),
		Host:    host.Live(),
		Now:     time.Now,
	}
	os.Exit(app.Run(os.Args[1:]))
}
