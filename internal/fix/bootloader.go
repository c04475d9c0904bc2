package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// The folders in which systemd-boot keeps its entries, as bootctl(1) looks for
// the partition.
var entryFolders = []string{"/efi/loader/entries", "/boot/efi/loader/entries", "/boot/loader/entries"}

// kernelCommandLine is where kernel-install and the tools for unified images read
// the words of new entries from.
const kernelCommandLine = "/etc/kernel/cmdline"

// kernelWord changes a word of the kernel's command line where the boot loader of
// this machine keeps it: GRUB's settings, or the entries of systemd-boot. GRUB's may
// be left over from another time: a word that does not stand there is looked for in
// the entries.
func (b *builder) kernelWord(s remedy.Step) error {
	if err := b.byNixOS(kernelCommandLine); err != nil {
		return err
	}
	grub, err := b.grub()
	switch {
	case err == nil && grub == nil:
		return b.entryWord(s)
	case err == nil:
		err = b.grubWord(s, grub)
	}
	if err == nil || s.Old == "" {
		return err
	}
	if other := b.entryWord(s); errors.Is(other, fs.ErrPermission) {
		return fmt.Errorf("%w; %w", err, other)
	} else if other != nil {
		return err
	}
	return nil
}

// entryWord changes every entry that has the word; a new word goes into all.
func (b *builder) entryWord(s remedy.Step) error {
	var entries []string
	for _, dir := range entryFolders {
		names, err := b.world.List(dir)
		if err != nil {
			return fmt.Errorf("%w; as root, sudo rocsmith fix can", err)
		}
		for _, n := range names {
			if strings.HasSuffix(n, ".conf") {
				entries = append(entries, path.Join(dir, n))
			}
		}
	}
	if _, image, err := b.world.Look(kernelCommandLine, true); err == nil && !image.Absent {
		entries = append(entries, kernelCommandLine) // for the entries of later kernels
	}
	changed := 0
	for _, file := range entries {
		f, err := b.open(file)
		if err != nil {
			return err
		}
		if !f.entryWord(s.Old, s.New) {
			continue
		}
		changed++
		one := s
		one.Kind, one.Path = remedy.EditFile, file
		byHand := ""
		if file == kernelCommandLine {
			byHand = fmt.Sprintf("in %s, %s", file, opposite(s))
		}
		f.asked(one, byHand)
	}
	switch {
	case len(entries) == 0:
		return errors.New("the boot loader of this machine is none whose files are known")
	case changed == 0:
		return fmt.Errorf("%q stands in no entry of the boot loader: something else passes it to the kernel", s.Old)
	}
	b.rescue("systemd-boot", s, "press e on the entry in its menu (hold Space at the start to see it), and %s; Enter starts it once so. Then take the edits of the entries back")
	if slices.Equal(entries, []string{kernelCommandLine}) {
		return b.fromCommandLine()
	}
	return nil
}

// fromCommandLine brings the words to where the machine starts from, which holds a
// copy of them: Proxmox keeps its entries where nothing is mounted, and others have
// the kernel and its words in one image.
func (b *builder) fromCommandLine() error {
	refresh := []string{"proxmox-boot-tool", "refresh"}
	if _, there := b.world.Program(refresh[0]); there {
		const why = "copy the words to the boot partitions"
		return b.run(remedy.Step{Kind: remedy.Command, Text: why, Command: strings.Join(refresh, " "), Root: true}, command{argv: refresh, why: why, refresh: true, boot: true})
	}
	b.after("make what the machine starts from anew, which holds a copy of " + kernelCommandLine + ", with the tool that made it: sudo mkinitcpio -P, sudo dracut --force or sudo kernel-install add-all")
	return nil
}

// entryWord edits an entry of systemd-boot, or a list of words.
func (f *file) entryWord(old, fresh string) bool {
	changed := false
	for i := range f.lines {
		line := f.inForce(i)
		words := strings.Fields(line)
		options := len(words) > 0 && (words[0] == "options" || f.path == kernelCommandLine && !strings.HasPrefix(words[0], "#"))
		if !options || changed && old == "" {
			continue
		}
		edited, ok := exchange(words, old, fresh)
		switch {
		case !ok:
			continue
		case f.path == kernelCommandLine: // not every tool that reads it knows comments
			f.lines[i] = strings.Join(edited, " ") + "\n"
		default:
			f.instead(i, strings.Join(edited, " "))
		}
		changed = true
	}
	return changed
}

// exchange puts one word in the place of another, wherever that stands: people paste
// a word twice, and the kernel would go by the one that is left. Without an old one
// it is added, without a new one it is taken out.
func exchange(words []string, old, fresh string) ([]string, bool) {
	if old == "" {
		if slices.Contains(words, fresh) {
			return nil, false
		}
		return append(slices.Clone(words), fresh), true
	}
	at := slices.Index(words, old)
	if at < 0 {
		return nil, false
	}
	out := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == old })
	if fresh != "" {
		out = slices.Insert(out, at, fresh)
	}
	return out, true
}

// rescue notes how a machine is started once without a change that was made to its
// boot loader.
func (b *builder) rescue(loader string, s remedy.Step, how string) {
	b.rescued(loader + ": " + fmt.Sprintf(how, opposite(s)))
}

// opposite says how a word is taken back.
func opposite(s remedy.Step) string {
	switch {
	case s.Old == "":
		return fmt.Sprintf("take out %q", s.New)
	case s.New == "":
		return fmt.Sprintf("write %q again", s.Old)
	}
	return fmt.Sprintf("write %q in place of %q", s.Old, s.New)
}

func (b *builder) rescued(text string) {
	if !slices.Contains(b.ways, text) {
		b.ways = append(b.ways, text)
	}
}

// tools are the boot loaders' own, and how each starts without a change.
var tools = map[string]string{
	"grubby":     "GRUB: press e in its menu, change the words back in the line that begins with linux; Ctrl-X starts it once so. Then run the command above that takes it back",
	"rpm-ostree": "choose the second entry in the boot menu: it is the system as it was before; rpm-ostree rollback keeps it",
	"kernelstub": "hold Space at the start, and choose the old kernel in the menu, or press e and change the words back; then run the command above that takes it back",
}
