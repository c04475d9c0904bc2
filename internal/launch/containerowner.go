package launch

import (
	"context"
	"strconv"
	"strings"
)

// An Owner is the rocsmith that a container belongs to: nothing else may remove
// it while that one lives.
type Owner struct {
	UID       int
	Boot      string // of the kernel: numbers of processes begin anew with it
	Namespace string // that the number is one of
	PID       int
	Start     string // of the process, in ticks: a number may be used again
}

// String writes an owner as a label. ParseOwner reads it.
func (o Owner) String() string {
	return strings.Join([]string{strconv.Itoa(o.UID), o.Boot, o.Namespace, strconv.Itoa(o.PID), o.Start}, "/")
}

// ParseOwner reads the label of a container.
func ParseOwner(label string) (Owner, bool) {
	parts := strings.Split(label, "/")
	if len(parts) != 5 || parts[1] == "" || parts[2] == "" || parts[4] == "" {
		return Owner{}, false
	}
	uid, err := strconv.Atoi(parts[0])
	if err != nil || uid < 0 {
		return Owner{}, false
	}
	pid, err := strconv.Atoi(parts[3])
	if err != nil || pid <= 0 {
		return Owner{}, false
	}
	return Owner{UID: uid, Boot: parts[1], Namespace: parts[2], PID: pid, Start: parts[4]}, true
}

// Abandoned tells whether an owner is gone for certain, and was of the same user
// as the one who asks. start is when a process began, "" where there is none.
func (o Owner) Abandoned(by Owner, start func(pid int) string) bool {
	switch {
	case o.UID != by.UID: // somebody else's, whose processes may be hidden
		return false
	case o.Boot != by.Boot:
		return true
	case o.Namespace != by.Namespace: // its number means nothing here
		return false
	}
	return start(o.PID) != o.Start
}

// Sweep removes containers that a rocsmith left behind which was killed, and
// returns how many.
func (e Engine) Sweep(ctx context.Context, by Owner) int {
	ids, err := e.ask(ctx, "ps", "--all", "--quiet", "--no-trunc", "--filter", "label="+ownerLabel)
	if err != nil {
		return 0 // the next run finds them too
	}
	swept := 0
	for _, id := range strings.Fields(string(ids)) {
		label, err := e.ask(ctx, "inspect", "--format", `{{index .Config.Labels "`+ownerLabel+`"}}`, id)
		if err != nil {
			continue
		}
		owner, ok := ParseOwner(strings.TrimSpace(string(label)))
		if !ok || !owner.Abandoned(by, processStart) {
			continue
		}
		if e.remove(ctx, id) == nil {
			swept++
		}
	}
	return swept
}

// remove removes a container of ours, whatever it does: podman would ask it to end
// and wait for ten seconds.
func (e Engine) remove(ctx context.Context, id string) error {
	_, _ = e.ask(ctx, "kill", id) // it may have ended
	_, err := e.ask(ctx, "rm", "--force", "--volumes", id)
	return err
}
