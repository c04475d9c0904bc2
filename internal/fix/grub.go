package fix

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// GRUB's settings. Debian and its kin read the folder after the file, and of two
// lines for one setting the later one holds: images of Ubuntu for the cloud have the
// kernel's words there.
const (
	grubFile   = "/etc/default/grub"
	grubFolder = "/etc/default/grub.d"
)

func ofGrub(p string) bool {
	return p == grubFile || path.Dir(p) == grubFolder && strings.HasSuffix(p, ".cfg")
}

// grub is the command that writes GRUB's menu anew; nil where GRUB is not used.
func (b *builder) grub() ([]string, error) {
	_, image, err := b.world.Look(grubFile, false)
	if err != nil || image.Absent {
		return nil, err
	}
	for _, c := range []struct {
		argv []string
		menu string // that must be there
	}{
		{[]string{"update-grub"}, ""},
		{[]string{"grub2-mkconfig", "-o", "/boot/grub2/grub.cfg"}, "/boot/grub2"},
		{[]string{"grub-mkconfig", "-o", "/boot/grub/grub.cfg"}, "/boot/grub"},
	} {
		_, there := b.world.Program(c.argv[0])
		if there && (c.menu == "" || b.isFolder(c.menu)) {
			return c.argv, nil
		}
	}
	return nil, errors.New("GRUB's settings are here, and no tool that writes its menu")
}

func (b *builder) isFolder(dir string) bool {
	_, image, err := b.world.Look(dir, false)
	return err == nil && image.Folder
}

// grubSettings opens GRUB's files in the order in which they are read.
func (b *builder) grubSettings() ([]*file, error) {
	names, err := b.world.List(grubFolder)
	if err != nil {
		return nil, err
	}
	places := []string{grubFile}
	for _, n := range slices.Sorted(slices.Values(names)) {
		if p := path.Join(grubFolder, n); ofGrub(p) {
			places = append(places, p)
		}
	}
	var out []*file
	for _, p := range places {
		f, err := b.open(p)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// grubWord changes a word wherever it stands in GRUB's settings; a new one goes into
// the file that has the last say.
func (b *builder) grubWord(s remedy.Step, tool []string) error {
	files, err := b.grubSettings()
	if err != nil {
		return err
	}
	s.Kind = remedy.EditFile
	var changed []string
	why := errors.New("GRUB has no settings")
	for _, f := range slices.Backward(files) {
		if err := f.grubWord(s.Old, s.New); err != nil {
			why = err
			continue
		}
		f.asked(s, "")
		changed = append(changed, f.path)
		if s.Old == "" {
			break
		}
	}
	if len(changed) == 0 {
		return fmt.Errorf("%s: %w", grubFile, why)
	}
	b.rescue("GRUB", s, "press e in its menu (hold Shift or Esc at the start to see it), and %s in the line that begins with linux; Ctrl-X starts it once so. Then take the edit of "+
		strings.Join(changed, " and ")+" back and run "+typed(tool, true))
	const menu = "write the boot menu anew, which holds a copy"
	return b.run(remedy.Step{Kind: remedy.Command, Text: menu, Command: strings.Join(tool, " "), Root: true}, command{argv: tool, why: menu, refresh: true, boot: true})
}

// grubWord changes the kernel's words in a file of GRUB's settings.
func (f *file) grubWord(old, fresh string) error {
	if old == "" {
		return f.addGrubWord(fresh)
	}
	word := regexp.MustCompile(`(["'\s])` + regexp.QuoteMeta(old) + `(["'\s])`)
	blanks := regexp.MustCompile(` {2,}`)
	found := false
	for i := range f.lines {
		line := f.inForce(i)
		if !strings.HasPrefix(line, "GRUB_CMDLINE_LINUX") || !word.MatchString(line) {
			continue
		}
		found = true
		line = word.ReplaceAllString(line, "${1}"+strings.ReplaceAll(fresh, "$", "$$")+"${2}")
		// People paste a word twice, and the kernel would go by the one that is left.
		if once := word.ReplaceAllString(line, "${1}${2}"); once != line || fresh == "" {
			line = strings.NewReplacer(`=" `, `="`, ` "`, `"`).Replace(blanks.ReplaceAllString(once, " "))
		}
		f.instead(i, line)
	}
	if !found {
		return fmt.Errorf("%q does not stand there: something else passes it to the kernel", old)
	}
	return nil
}

// addGrubWord adds a word for every start of the kernel.
func (f *file) addGrubWord(fresh string) error {
	setting := regexp.MustCompile(`^(GRUB_CMDLINE_LINUX=)(["'])(.*)(["'])\s*$`)
	for i := range slices.Backward(f.lines) {
		line := f.inForce(i)
		m := setting.FindStringSubmatch(line)
		switch {
		case m == nil || m[2] != m[4]:
			continue
		case slices.Contains(strings.Fields(m[3]), fresh):
			return nil
		}
		f.instead(i, m[1]+m[2]+strings.TrimSpace(m[3]+" "+fresh)+m[4])
		return nil
	}
	return errors.New("it has no line GRUB_CMDLINE_LINUX to add a word to")
}
