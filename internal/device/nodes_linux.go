package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// HIP says "no device" of a missing node, a dead one and one that it may not
// open alike, so the nodes are opened once more, by us, to tell them apart.
const (
	kfdNode     = "/dev/kfd"
	renderNodes = "/dev/dri/renderD*"
)

// nodesSay adds to the runtime's "no device" why that is.
func nodesSay(said error) error {
	why, v := examineNodes(kfdNode, renderNodes)
	if v == operation.NoDevice {
		if hidden := hiddenBy(os.Environ()); hidden != "" {
			why += "; " + hidden + " chooses which GPUs are seen"
		}
	}
	return refuse(v, "%v; %s", said, why)
}

// examineNodes opens the nodes as the runtime does and says what stands in the
// way.
func examineNodes(kfd, render string) (string, operation.Verdict) {
	if err := tryOpen(kfd); err != nil {
		return nodeRefused(err)
	}
	nodes, err := filepath.Glob(render)
	if err != nil || len(nodes) == 0 {
		return fmt.Sprintf("%s opens, but there is no %s", kfd, render), operation.NoDevice
	}
	for _, node := range nodes {
		if err = tryOpen(node); err == nil {
			return fmt.Sprintf("%s and %s open", kfd, node), operation.NoDevice
		}
	}
	return nodeRefused(err)
}

func nodeRefused(err error) (string, operation.Verdict) {
	if errors.Is(err, os.ErrPermission) {
		return err.Error(), operation.NoPermission
	}
	return err.Error(), operation.NoDevice
}

// tryOpen does not wait where the node is a pipe that somebody left there.
func tryOpen(node string) error {
	f, err := os.OpenFile(node, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// hiddenBy finds the variables that choose GPUs.
func hiddenBy(environment []string) string {
	var set []string
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasSuffix(name, "_VISIBLE_DEVICES") || name == "GPU_DEVICE_ORDINAL" {
			set = append(set, v)
		}
	}
	return strings.Join(set, " ")
}
