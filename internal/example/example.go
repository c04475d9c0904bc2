// Package example holds embedded machines, a log and a file of GPU code, so that rocsmith can be tried where there is nothing to diagnose.
package example

import (
	"embed"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
)

//go:embed machines/*.snapshot
var machines embed.FS

// Log is what a training run left that ended in an error, written for the demo.
//
//go:embed logs/training.log
var Log string

// Code holds kernels.hsaco, a small file of kernels that was compiled for six GPUs.
//
//go:embed code/kernels.hsaco
var Code embed.FS

// stories are the examples in the order in which they are shown, each with a
// sentence.
var stories = []struct{ name, story string }{
	{"whisper-container", "A speech recogniser in a docker container sees no GPU."},
	{"miopen-readonly", "Convolutions fail with \"attempt to write a readonly database\"."},
	{"rdna1-override", "Every convolution ends in a memory fault on an RX 5600 XT."},
	{"wrong-wheel", "torch.cuda.is_available() is False since pip installed something else."},
	{"strix-halo", "A Ryzen AI Max workstation with 96 GiB given to the GPU."},
	{"windows-gfx1010", "An RX 5700 XT on Windows with two HIP SDKs, and no program finds it."},
	{"dual-gpu", "A Radeon card beside the small GPU inside the processor."},
	{"healthy", "A Radeon RX 7900 XTX with nothing to complain about."},
}

// Names returns the names of the examples.
func Names() []string {
	names := make([]string, len(stories))
	for i, s := range stories {
		names[i] = s.name
	}
	return names
}

// Story returns a sentence about an example.
func Story(name string) string {
	for _, s := range stories {
		if s.name == name {
			return s.story
		}
	}
	return ""
}

// Open returns an example as a machine to look at.
func Open(name string) (host.Reader, error) {
	if Story(name) == "" {
		return nil, fmt.Errorf("there is no example %q; there are %s", name, strings.Join(Names(), ", "))
	}
	data, err := machines.ReadFile("machines/" + name + ".snapshot")
	if err != nil {
		return nil, fmt.Errorf("open the example %s: %w", name, err)
	}
	s, err := host.ParseSnapshot(data)
	if err != nil {
		return nil, fmt.Errorf("read the example %s: %w", name, err)
	}
	return s, nil
}
