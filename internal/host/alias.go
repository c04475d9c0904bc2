package host

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Aliases replace what identifies a person or a machine, the same name by the
// same alias everywhere, so that what belonged together still does.
type aliases struct {
	windows bool

	people   map[string]int  // login names
	services map[string]bool // login names that are nobody's
	own      map[ownGroup]bool
	phrases  map[string][]phrase // names of several tokens, by the first
	hosts    map[string]string
	hostN    int

	ids   map[uint64]int // unique ids of GPUs and hives
	texts map[string]int // serial numbers, UUIDs, MAC addresses, container ids
	kinds map[string]int // how many of each kind of text there are
}

// An ownGroup is the primary group that carries a person's name.
type ownGroup struct {
	name string
	gid  uint64
}

// A phrase is a name that is more than one token, with its alias.
type phrase struct{ name, alias string }

func newAliases(system string) *aliases {
	return &aliases{
		windows:  system == "windows",
		people:   map[string]int{},
		services: map[string]bool{},
		own:      map[ownGroup]bool{},
		phrases:  map[string][]phrase{},
		hosts:    map[string]string{},
		ids:      map[uint64]int{},
		texts:    map[string]int{},
		kinds:    map[string]int{},
	}
}

// protected are words that mean something to a check. A user or host of that
// name keeps it in running text, so that the evidence survives; in a field that
// can only be a name it is replaced all the same.
var protected = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(protectedWords) {
		set[w] = true
	}
	return set
})

const protectedWords = `
	amd amdgpu amdkfd amdttm radeon kfd dri drm drm_kms_helper ttm render video root wheel sudo admin
	gpu cpu apu vram gtt iommu pci pcie vfio vfio-pci pcieport ring gfx sdma vcn psp smu mes
	torch pytorch tensorflow jax numpy onnxruntime ollama vllm llama comfyui
	rocm rocr hip hsa hsakmt miopen rocblas hipblaslt rccl opencl clr vulkan mesa
	kernel linux windows module modules driver firmware device dev bus host local localhost user users home
	docker podman containerd kubepods lxc overlay nvidia intel
	ubuntu debian fedora arch archlinux centos rocky almalinux rhel opensuse suse sles nixos gentoo mint pop manjaro steamos
	ro rw on off yes no true false none null unset error failed denied lib lib64 bin usr etc opt var tmp mnt
`

// person returns the alias of a login name and remembers it as a person's.
func (a *aliases) person(name string) string {
	n, ok := a.people[name]
	if !ok {
		n = len(a.people) + 1
		a.people[name] = n
		if strings.ContainsFunc(name, isSeparatorRune) {
			a.addPhrase(name, userAlias(n))
		}
	}
	return userAlias(n)
}

func userAlias(n int) string { return fmt.Sprintf("user%d", n) }

// addPhrase remembers a name of several tokens; the longest are tried first.
func (a *aliases) addPhrase(name, alias string) {
	first := firstToken(name)
	list := slices.Concat(a.phrases[first], []phrase{{name, alias}})
	slices.SortStableFunc(list, func(x, y phrase) int { return len(y.name) - len(x.name) })
	a.phrases[first] = list
}

// host returns the alias of a host name and remembers it with the other forms
// in which it appears.
func (a *aliases) host(name string) string {
	if alias, ok := a.hosts[name]; ok {
		return alias
	}
	a.hostN++
	alias := fmt.Sprintf("host%d", a.hostN)
	short, _, _ := strings.Cut(name, ".")
	for _, form := range []string{name, short} {
		for _, spelling := range []string{form, strings.ToLower(form), strings.ToUpper(form)} {
			if _, ok := a.hosts[spelling]; !ok && spelling != "" {
				a.hosts[spelling] = alias
			}
		}
	}
	for _, domain := range []string{".local", ".localdomain", ".lan"} {
		if _, ok := a.hosts[short+domain]; !ok {
			a.hosts[short+domain] = alias + domain
		}
	}
	return alias
}

// id returns the small number that stands for a unique id. Zero means that the
// GPU has none, and stays.
func (a *aliases) id(value uint64) uint64 {
	if value == 0 {
		return 0
	}
	n, ok := a.ids[value]
	if !ok {
		n = len(a.ids) + 1
		a.ids[value] = n
	}
	return uint64(n) //nolint:gosec // a count
}

// number numbers the texts of one kind in the order in which they are met.
func (a *aliases) number(kind, text string) int {
	key := kind + " " + strings.ToLower(text)
	n, ok := a.texts[key]
	if !ok {
		a.kinds[kind]++
		n = a.kinds[kind]
		a.texts[key] = n
	}
	return n
}
