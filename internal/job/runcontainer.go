package job

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A Container is a place to run a command in: a new container of an image.
type Container struct {
	Image  string
	Engine string   // docker or podman; "" is the one that answers and has the image
	Mounts []string // SOURCE[:TARGET][:ro]
	Given  []string // variables: NAME or NAME=VALUE
	Shown  bool     // to a person, who starts it: nothing is fetched or removed
}

// Strict because a container that gets no GPU dies late, and of something else.
func (Container) Strict() bool { return true }

// concerns tells what of a machine stands in a container's way: not the software
// of the machine, because the image brings its own, nor the caller's groups,
// because an engine of root gives its containers any.
func (Container) concerns(f check.Finding) bool {
	area, _, _ := strings.Cut(f.Check, "/")
	return slices.Contains([]string{"access", "driver", "gpu"}, area) && f.Cause != missingGroup
}

// missingGroup is the cause of a process that would need another group.
const missingGroup = "device-permission-group"

// ownGroups says what a container lacks that is given the caller's groups alone.
func ownGroups(access grant.Access, found []check.Finding) error {
	i := slices.IndexFunc(found, func(f check.Finding) bool { return f.Verdict == check.Fail && f.Cause == missingGroup })
	if i < 0 || !slices.Contains(access.Groups, grant.KeepGroups) {
		return nil
	}
	return fmt.Errorf("rootless podman gives a container your own groups, and they do not suffice: %s (rocsmith doctor shows the cure)", found[i].Headline())
}

// Command is the engine's command that starts the container.
func (c Container) Command(q RunQuestion, d report.Diagnosis, settings []launch.Setting) (launch.Command, error) {
	ctx := context.Background()
	self, err := launch.Self()
	if err != nil {
		return launch.Command{}, err
	}
	told, err := translate(q, c.Mounts)
	if err != nil {
		return launch.Command{}, err
	}
	given, err := givenVariables(c.Given, q.Environ)
	if err != nil {
		return launch.Command{}, err
	}
	needs := grant.For(d.Machine)
	engine, err := launch.FindEngine(ctx, q.Environ, c.Engine, c.Image)
	var apptainer *launch.ApptainerError
	switch {
	case c.Shown && errors.As(err, &apptainer):
		return launch.Command{Argv: launch.ApptainerArgv(apptainer.Program, c.Image, told)}, nil
	case err != nil:
		return launch.Command{}, withoutEngine(err, needs, c.Image, told)
	}
	image, err := c.image(ctx, q, engine, self)
	if err != nil {
		return launch.Command{}, err
	}
	if c.Shown {
		self = launch.Owner{}
	}
	kept, err := launch.Keep(needs.Caches, image.Version(), q.Environ)
	if err != nil {
		return launch.Command{}, err
	}
	access := needs.Through(engine.Engine)
	if err := ownGroups(access, d.Findings); err != nil {
		return launch.Command{}, err
	}
	q.sayAll(told.Notes)
	q.sayIf(len(access.Devices) == 0 && !d.NoAMDGPU(), "no GPU is handed to the container: "+strings.Join(needs.Unknown, ", "))
	q.sayIf(access.Labels, "SELinux would deny the GPU and your files to a container, so this one is not confined by it (label=disable)")
	terminal := isTerminal(q)
	q.sayIf(terminal && !engine.Init, fmt.Sprintf("%s has no first process for containers here (catatonit or docker-init), so Ctrl-C ends only a program that handles it", engine.Kind))
	uid, gid := launch.Caller()
	command, err := engine.Command(launch.Container{
		Image: image.Reference, Command: told.Args, Access: access, UID: uid, GID: gid,
		Mounts: slices.Concat(told.Mounts, kept.Mounts, shared(settings)), Dir: told.Dir,
		Variables: slices.Concat(kept.Variables, passedOn(d.Machine, needs, settings), terminalVariables(terminal)), Given: given,
		Interactive: true, Terminal: terminal, Owner: self, Name: launch.NewName(),
	})
	command.Ended = q.remindAfter(command.Ended, image, told)
	return command, err
}

// image asks for the image, and removes what an earlier rocsmith left meanwhile.
func (c Container) image(ctx context.Context, q RunQuestion, engine launch.Engine, self launch.Owner) (launch.Image, error) {
	if c.Shown {
		return engine.Known(ctx, c.Image)
	}
	swept := make(chan int, 1)
	go func() { swept <- engine.Sweep(ctx, self) }()
	image, err := engine.Image(ctx, c.Image, q.Streams.Stderr)
	q.sayIf(<-swept > 0, "containers of an earlier rocsmith that was killed were removed")
	return image, err
}

// Show is the command that would start a container, for a shell.
func (r Runner) Show(q RunQuestion, c Container) (string, error) {
	d, err := Diagnose(r.Host, r.Version, Question{}, r.Now)
	if err != nil {
		return "", err
	}
	c.Shown = true
	env, err := environment(r.Host, d, r.Now)
	if err != nil {
		return "", err
	}
	command, err := c.Command(q, d, env.Settings)
	return remedy.Paste(command.Argv...), err
}

// translate reads the command and the mounts as they were given here.
func translate(q RunQuestion, mounts []string) (launch.Translation, error) {
	w, err := launch.Here(q.Environ)
	if err != nil {
		return launch.Translation{}, err
	}
	given, err := givenMounts(mounts, w)
	if err != nil {
		return launch.Translation{}, err
	}
	return launch.Translate(q.Argv, w, given)
}

// withoutEngine says what a container would need, to somebody who has to start it
// in another way.
func withoutEngine(err error, needs grant.Needs, image string, told launch.Translation) error {
	var apptainer *launch.ApptainerError
	if errors.As(err, &apptainer) {
		return fmt.Errorf("%w; this starts it:\n  %s", err, remedy.Paste(launch.ApptainerArgv(apptainer.Program, image, told)...))
	}
	if !errors.Is(err, launch.ErrNoEngine) {
		return err
	}
	var flags []string
	access := needs.Through(grant.Engine{Kind: grant.Docker})
	for _, node := range access.Devices {
		flags = append(flags, "--device "+node)
	}
	for _, group := range access.Groups {
		flags = append(flags, "--group-add "+group)
	}
	if len(flags) == 0 {
		return fmt.Errorf("%w; rocsmith env prints what a program needs without one", err)
	}
	return fmt.Errorf("%w; a container would need %s, and rocsmith env prints what a program needs without one", err, strings.Join(flags, " "))
}

// takes tells of settings that hold in a container too: not the folders of this
// machine.
func (Container) takes(s launch.Setting) bool {
	return s.Shared != "" || !s.Prepend && s.Folder == "" && !namesFolder(s.Value)
}

// shared are the folders of settings that a container needs for them.
func shared(settings []launch.Setting) []launch.Mount {
	var out []launch.Mount
	for _, s := range settings {
		if m := (launch.Mount{Source: s.Shared, Target: s.Shared}); s.Shared != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

func namesFolder(value string) bool { return path.IsAbs(value) || strings.Contains(value, ":/") }

// passedOn are the variables of the GPU that a container is given besides its
// caches: what this machine needs, and what the caller has set.
func passedOn(m *machine.Machine, needs grant.Needs, settings []launch.Setting) []string {
	decided := make(map[string]bool)
	for _, c := range needs.Caches {
		decided[c.Variable] = true
	}
	var out []string
	for _, s := range taken(Container{}, settings) {
		if !s.Unset && !decided[s.Name] {
			out = append(out, s.Name+"="+s.Value)
		}
		decided[s.Name] = true
	}
	for _, v := range m.Variables.Value {
		if !decided[v.Name] && !namesFolder(v.Value) {
			out = append(out, v.Name)
		}
	}
	return out
}

// isTerminal tells whether a person sits at all three streams. A container that
// has a terminal has one stream for output and errors, so both must go there.
func isTerminal(q RunQuestion) bool {
	s := q.Streams
	return term.IsTerminal(s.Stdin.Fd()) && term.IsTerminal(s.Stdout.Fd()) && term.IsTerminal(s.Stderr.Fd())
}

func terminalVariables(terminal bool) []string {
	if terminal {
		return []string{"TERM"}
	}
	return nil
}

// remindAfter adds to a failure what differs from a run without a container, and
// is easily forgotten.
func (q RunQuestion) remindAfter(ended func(launch.End) (launch.End, error), image launch.Image, told launch.Translation) func(launch.End) (launch.End, error) {
	return func(end launch.End) (launch.End, error) {
		end, err := ended(end)
		if end.Code == 0 || end.Interrupted {
			return end, err
		}
		q.sayIf(len(told.Image) > 0, fmt.Sprintf("%s was left to the image, although it is here too; --mount gives the container this machine's", strings.Join(told.Image, ", ")))
		q.sayIf(len(image.Entrypoint) > 0, fmt.Sprintf("the entrypoint of the image (%s) was not run: the command is the container's whole command", strings.Join(image.Entrypoint, " ")))
		return end, err
	}
}

func (q RunQuestion) sayIf(really bool, line string) {
	if really && q.Say != nil {
		q.Say(line)
	}
}

func (q RunQuestion) sayAll(lines []string) {
	for _, line := range lines {
		q.sayIf(true, line)
	}
}
