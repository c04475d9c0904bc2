package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// gfxInName is how files and folders for one GPU are called.
var gfxInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`gfx[0-9][0-9a-f]{2,4}`) })

// partsForOthers knows files that are made one for each GPU, told apart by its name
// alone. Where the one for this GPU is there, the others are not needed.
func partsForOthers(items []Item, gpus []rocm.TargetID) {
	parts := map[string][]int{}
	for n, i := range items {
		if whole := gfxInName().ReplaceAllString(i.Path, "gfx*"); i.role == holdsCode && whole != i.Path {
			parts[whole] = append(parts[whole], n)
		}
	}
	for _, gpu := range gpus {
		for _, members := range parts {
			passOver(items, members, gpu)
		}
		spare(items, gpu)
	}
}

// passOver lets the other parts pass where one of them is for a GPU.
func passOver(items []Item, members []int, gpu rocm.TargetID) {
	name := gpu.String()
	there := slices.IndexFunc(members, func(n int) bool { return items[n].Verdicts[name].Result.Runs() })
	if there < 0 {
		return
	}
	for _, n := range members {
		if !items[n].Verdicts[name].Result.Runs() {
			items[n].Verdicts[name] = Verdict{NotNeeded, "It is the part for another GPU; that for " + gpu.Processor + " is " + path.Base(items[members[there]].Path) + "."}
		}
	}
}

// spare lets a library pass that is one of several ways to compute, or that compiles
// what it does not hold.
func spare(items []Item, gpu rocm.TargetID) {
	for n, i := range items {
		v := i.Verdicts[gpu.String()]
		switch {
		case v.Result != None && v.Result != Override:
			continue
		case i.library.Spare:
			v.Why = strings.TrimSuffix(v.Why, ".") + "; without it, another way to compute is taken."
		case i.library.Compiles:
			v.Why = "It holds code for some GPUs, and none for " + gpu.Processor + ": it compiles its kernels when they are first used."
		default:
			continue
		}
		items[n].Verdicts[gpu.String()] = Verdict{NotNeeded, v.Why}
	}
}

// makeInName is how the libraries of a package for one make of GPUs are called:
// libbitsandbytes_cuda128.so beside libbitsandbytes_rocm71.so.
var makeInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(cuda|rocm|hip|migraphx).*`) })

// withoutTwins drops files for CUDA that have a twin with AMD's code: the package
// chooses between them when it is loaded.
func withoutTwins(items []Item) []Item {
	amd := map[string]bool{}
	both := func(i Item) string {
		return path.Dir(i.Path) + "/" + makeInName().ReplaceAllString(path.Base(i.Path), "")
	}
	for _, i := range items {
		amd[both(i)] = amd[both(i)] || i.role == holdsCode
	}
	return slices.DeleteFunc(items, func(i Item) bool { return i.role == forCUDA && amd[both(i)] })
}

// splitOff is the verdict on a library without any of its archives.
func (i *Item) splitOff(gpu rocm.TargetID) Verdict {
	return Verdict{None, "Its GPU code lies in archives of its own (" + strings.Join(i.kpack.Paths, ", ") + "), and none with code for " + gpu.Processor +
		` is there: programs stop with "device kernel image is invalid".`}
}
