package fix

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// groupFiles are what the tools of shadow(5) write, with the copies they leave.
var groupFiles = []string{"/etc/group", "/etc/gshadow", "/etc/group-", "/etc/gshadow-"}

// join adds a user to a group with the system's own tool, which keeps the lock.
func (b *builder) join(s remedy.Step) error {
	user := s.User
	if user == "$USER" {
		user = b.who.Name
	}
	if user == "" {
		return errors.New("the name of this user is not known")
	}
	s.User = user
	return b.run(s, command{argv: []string{"usermod", "-aG", s.Group, user}, back: []string{"gpasswd", "-d", user, s.Group}, touches: groupFiles})
}

// A command is one that rocsmith runs itself, with its way back.
type command struct {
	argv, back []string
	touches    []string
	why        string // to people
	refresh    bool   // it makes something from files, and is its own way back
	boot       bool
}

// command runs a line of a cure, if every part of it is of the closed list. Of several
// commands in it, the first one says what they are for.
func (b *builder) command(s remedy.Step) error {
	why := s.Text
	for line := range strings.SplitSeq(s.Command, " && ") {
		part := s
		part.Command = line
		runs, err := b.commandPart(part, why)
		if err != nil {
			return err
		}
		if runs {
			why = ""
		}
	}
	return nil
}

// commandPart adds one command. It does not run where what it does is done otherwise.
func (b *builder) commandPart(s remedy.Step, why string) (runs bool, err error) {
	words, err := split(s.Command)
	if err != nil {
		return false, err
	}
	words = withoutSudo(words)
	switch {
	case len(words) == 0:
		return false, fmt.Errorf("%q is for you to run", s.Command)
	case (len(words) == 3 || len(words) == 4) && words[0] == "mkdir" && words[1] == "-p":
		for _, dir := range words[2:] {
			if err := b.folders(b.home(dir), s); err != nil {
				return false, err
			}
		}
		return false, nil
	case len(words) == 3 && words[0] == "chmod" && words[1] == "700" && b.makes(b.home(words[2])):
		return false, nil // folders are made so
	case len(words) == 4 && words[0] == "groupadd" && words[1] == "--force" && b.world.HasGroup(words[3]):
		return false, nil
	}
	c, ok := known(b.imageMaker(words))
	if !ok {
		return false, fmt.Errorf("%q is for you to run", s.Command)
	}
	c.why, c.touches = why, append(c.touches, b.database(words)...)
	return true, b.run(s, c)
}

// database is the file of a database, where undo can bring it back to the last byte:
// it is small, and nothing that was written stands in its log. For others the
// command that takes it back has to do.
func (b *builder) database(words []string) []string {
	if words[0] != "sqlite3" {
		return nil
	}
	file := words[1]
	place, image, err := b.world.Look(file, false)
	_, log, logErr := b.world.Look(file+"-wal", false)
	if err != nil || logErr != nil || place != file || image.Absent || image.Size > state.MaxImage || log.Size > 0 {
		return nil
	}
	return []string{file}
}

func (b *builder) makes(dir string) bool {
	return slices.ContainsFunc(b.others, func(o Step) bool {
		return o.Act.Kind == state.MakeDir && (o.Act.Path == dir || strings.HasPrefix(dir, o.Act.Path+"/"))
	})
}

func withoutSudo(words []string) []string {
	if len(words) > 0 && words[0] == "sudo" {
		return words[1:]
	}
	return words
}

// refreshers are commands that make something anew from files.
var refreshers = map[string]bool{ // the value: the machine starts with it
	"update-initramfs -u": true, "dracut --force": true, "mkinitcpio -P": true, "update-grub": true, "proxmox-boot-tool refresh": true,
	"grub2-mkconfig -o /boot/grub2/grub.cfg": true, "grub-mkconfig -o /boot/grub/grub.cfg": true,
	"ldconfig": false, "udevadm control --reload": false,
	"udevadm trigger --subsystem-match=kfd --subsystem-match=drm": false,
	"systemctl daemon-reload":                                     false, "systemctl --user daemon-reload": false,
}

// imageMaker is dracut where somebody chose it on a Debian, in place of the tools
// that come with it; there it writes the same file. Elsewhere, as on Arch, it writes
// one that nothing starts with.
func (b *builder) imageMaker(words []string) []string {
	if _, there := b.world.Program(words[0]); there || words[0] != "update-initramfs" {
		return words
	}
	if _, dracut := b.world.Program("dracut"); dracut {
		return []string{"dracut", "--force"}
	}
	return words
}

// known looks a command up in the closed list.
func known(words []string) (command, bool) {
	line := strings.Join(words, " ")
	if boot, ok := refreshers[line]; ok {
		return command{argv: words, refresh: true, boot: boot}, true
	}
	switch words[0] {
	case "systemctl":
		n := len(words)
		plain := n == 3 && words[1] == "restart" || n == 4 && words[1] == "--user" && words[2] == "restart"
		return command{argv: words, refresh: true}, plain && strings.HasSuffix(words[n-1], ".service")
	case "groupadd":
		name := words[len(words)-1]
		return command{argv: words, back: []string{"groupdel", name}, touches: groupFiles}, len(words) >= 4
	case "sqlite3":
		if len(words) != 3 || words[2] != "PRAGMA journal_mode=delete;" {
			return command{}, false
		}
		return command{argv: words, back: []string{"sqlite3", words[1], "PRAGMA journal_mode=wal;"}}, true
	case "grubby", "rpm-ostree", "kernelstub":
		return bootLoader(words)
	}
	return command{}, false
}

// bootLoader knows the tools that keep the kernel's words, and how each takes
// one back.
func bootLoader(words []string) (command, bool) {
	opposite := map[string]string{
		"--remove-args": "--args", "--args": "--remove-args",
		"--delete-if-present": "--append-if-missing", "--append-if-missing": "--delete-if-present",
	}
	c := command{argv: words, back: []string{words[0]}, boot: true}
	if words[0] == "kernelstub" {
		stub := map[string]string{"--delete-options": "--add-options", "--add-options": "--delete-options"}
		ok := len(words) == 3 && stub[words[1]] != ""
		if ok {
			c.back = append(c.back, stub[words[1]], words[2])
		}
		return c, ok
	}
	if len(words) < 3 || words[0] == "grubby" && words[1] != "--update-kernel=ALL" || words[0] == "rpm-ostree" && words[1] != "kargs" {
		return c, false
	}
	c.back = append(c.back, words[1])
	for _, w := range words[2:] {
		flag, value, found := strings.Cut(w, "=")
		other, ok := opposite[flag]
		if !ok || !found || value == "" {
			return c, false
		}
		c.back = append(c.back, other+"="+value)
	}
	return c, true
}

func (b *builder) run(s remedy.Step, c command) error {
	step := Step{Title: "run " + strings.Join(c.argv, " "), Why: c.why, Detail: typed(c.argv, s.Root), Boot: c.boot, Source: []remedy.Step{s}, Root: s.Root && b.who.UID != 0}
	if s.Kind == remedy.JoinGroup {
		step.Title = fmt.Sprintf("add %q to group %s", s.User, s.Group)
	}
	back := c.back
	if c.refresh {
		back = c.argv
	}
	step.ByHand = typed(back, s.Root)
	step.Act = state.Act{Kind: state.Run, Touches: c.touches, Refresh: c.refresh}
	var err error
	if step.Act.Argv, err = b.full(c.argv); err != nil {
		return err
	}
	if len(c.back) > 0 {
		if step.Act.Back, err = b.full(c.back); err != nil {
			return err
		}
	}
	if way := tools[c.argv[0]]; way != "" {
		b.rescued(way)
	}
	list := &b.runs
	if c.refresh {
		list = &b.last
	}
	if !slices.ContainsFunc(*list, func(o Step) bool { return slices.Equal(o.Act.Argv, step.Act.Argv) }) {
		*list = append(withoutParts(*list, step), step)
	}
	return nil
}

// withoutParts leaves commands of a boot loader out that another one includes, and
// so would be undone twice.
func withoutParts(list []Step, whole Step) []Step {
	if tools[path.Base(whole.Act.Argv[0])] == "" {
		return list
	}
	includes := func(o Step) bool {
		return o.Act.Argv[0] == whole.Act.Argv[0] && !slices.ContainsFunc(o.Act.Argv, func(w string) bool { return !slices.Contains(whole.Act.Argv, w) })
	}
	return slices.DeleteFunc(slices.Clone(list), includes)
}

// full names the program by its path.
func (b *builder) full(argv []string) ([]string, error) {
	file, ok := b.world.Program(argv[0])
	if !ok {
		return nil, fmt.Errorf("%s is not installed", argv[0])
	}
	return append([]string{file}, argv[1:]...), nil
}

// typed writes a command as a person would.
func typed(argv []string, root bool) string {
	if root {
		argv = append([]string{"sudo"}, argv...)
	}
	return remedy.Paste(argv...)
}

// split reads the words of a command line that a shell would take literally, and
// refuses every other line.
func split(line string) ([]string, error) {
	word := regexp.MustCompile(`^(?:'([^'\n]*)'|([A-Za-z0-9._/:=,+@%$-]+))(?:\s+|$)`)
	var words []string
	for rest := strings.TrimSpace(line); rest != ""; {
		m := word.FindStringSubmatch(rest)
		if m == nil || strings.Contains(m[2], "$(") {
			return nil, fmt.Errorf("%q is for you to run", line)
		}
		words, rest = append(words, m[1]+m[2]), rest[len(m[0]):]
	}
	if len(words) == 0 {
		return nil, errors.New("an empty command")
	}
	return words, nil
}
