package runtime

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// FittingSDK is the SDK whose programs run on this machine: the one that HIP_PATH
// names where no other is better, else the best one. It is false where the display
// driver brings a runtime for none of them.
func FittingSDK(m *machine.Machine) (machine.Installation, bool) {
	all := fits(m)
	if len(all) == 0 || !all[0].runs {
		return machine.Installation{}, false
	}
	set, _ := hipPathOf(m)
	i := slices.IndexFunc(all, func(o fit) bool { return machine.SamePath(o.sdk.Path, set.value) })
	if i >= 0 && all[i].runs && !slices.ContainsFunc(all, func(o fit) bool { return o.better(all[i]) }) {
		return all[i].sdk, true
	}
	return all[0].sdk, true
}
