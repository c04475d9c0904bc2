//go:build !((linux || darwin || windows) && (amd64 || arm64))

package device

import "errors"

// system has no row in libraries.yaml.
const system = "other"

var errUnsupported = errors.New("rocsmith-probe cannot load libraries on this system")

// supported says why libraries cannot be loaded here, if so.
func supported() error { return errUnsupported }

func dlopen(string) (uintptr, error) { return 0, errUnsupported }

func dlsym(uintptr, string) (uintptr, error) { return 0, errUnsupported }

func register(any, uintptr) {}

func loadedFrom(_, _ uintptr, otherwise string) string { return otherwise }
