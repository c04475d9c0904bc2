package launch

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
)

// dependencyLabel marks the containers that compose starts because the service
// that rocsmith runs depends on them, and says for whom. It is another one than
// ownerLabel, because a second run in the project may use them too: they go with
// the last of the runs.
const dependencyLabel = "io.github.rocsmith.dependency"

// A part is a container of a compose project.
type part struct {
	id, service string
	oneOff      bool   // compose run made it, and not compose up
	run         string // its ownerLabel
	dependency  string // its dependencyLabel
}

const projectFilter = "label=com.docker.compose.project="

// partsOf are the containers of a project.
func (c Composer) partsOf(ctx context.Context, project string) ([]part, error) {
	form := "{{.ID}}"
	for _, label := range []string{"com.docker.compose.service", "com.docker.compose.oneoff", ownerLabel, dependencyLabel} {
		form += `|{{.Label "` + label + `"}}`
	}
	text, err := c.ask(ctx, "ps", "--all", "--no-trunc", "--filter", projectFilter+project, "--format", form)
	if err != nil {
		return nil, err
	}
	var out []part
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 5 && f[0] != "" {
			out = append(out, part{f[0], f[1], f[2] == "True", f[3], f[4]})
		}
	}
	return out, nil
}

func (c Composer) networksOf(ctx context.Context, project string) ([]string, error) {
	text, err := c.ask(ctx, "network", "ls", "--quiet", "--no-trunc", "--filter", projectFilter+project)
	return strings.Fields(string(text)), err
}

// marks are the owners that the services which a service depends on are marked
// with. One that has a container keeps the mark that it has, or has none: compose
// would replace a container whose labels are to be others.
func (r ServiceRun) marks(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	r.Project.addNeeded(out, r.Service, r.Owner.String())
	delete(out, r.Service.Name)
	if len(out) == 0 {
		return nil, nil
	}
	parts, err := r.Composer.partsOf(ctx, r.Project.Name)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if _, needed := out[p.service]; needed && !p.oneOff {
			out[p.service] = p.dependency
		}
	}
	maps.DeleteFunc(out, func(_, owner string) bool { return owner == "" })
	return out, nil
}

// addNeeded adds the services that compose starts for one, with those that they
// need in turn.
func (p Project) addNeeded(to map[string]string, s *composefile.Service, owner string) {
	for _, name := range needed(s) {
		next := p.Service(name)
		if _, seen := to[name]; next == nil || seen {
			continue
		}
		to[name] = owner
		p.addNeeded(to, next, owner)
	}
}

// needed are the services that a service names in keys which make compose start
// them (compose-spec, 05-services.md: depends_on, links, volumes_from and the
// namespaces of another service).
func needed(s *composefile.Service) []string {
	out := slices.Clone(s.Get("depends_on").Keys())
	for _, key := range []string{"depends_on", "links", "volumes_from"} {
		for _, v := range s.List(key) {
			name, _, _ := strings.Cut(v.String(), ":")
			out = append(out, name)
		}
	}
	for _, key := range []string{"network_mode", "ipc", "pid"} {
		if name, ok := strings.CutPrefix(s.Get(key).String(), "service:"); ok {
			out = append(out, name)
		}
	}
	return out
}

// leave removes what a run left of itself in a project, and its file. Where
// another run is in the project, the file stays for the one that ends last.
func (c Composer) leave(ctx context.Context, o overlay) {
	if !isFile(o.path) {
		return // compose was not started
	}
	if c.removeOurs(ctx, o, o.owner) {
		o.remove()
	}
	c.SweepProjects(ctx, o.owner)
}

// removeOurs removes what a run added to a project: its container, the services
// that were started for it, and networks. What carries no mark of rocsmith's is
// somebody else's, whenever it came. It reports whether nothing of the run is
// left to remove.
func (c Composer) removeOurs(ctx context.Context, o overlay, by Owner) bool {
	parts, err := c.partsOf(ctx, o.project)
	if err != nil {
		return false
	}
	gone := func(label string) bool {
		owner, ok := ParseOwner(label)
		return ok && (owner == o.owner || owner.Abandoned(by, processStart))
	}
	for _, p := range parts {
		if p.oneOff && gone(p.run) {
			_ = c.remove(ctx, p.id) // the next run finds it too
		}
	}
	if c.inUse(o, by, parts) {
		return false
	}
	for _, p := range parts {
		if !p.oneOff && gone(p.dependency) {
			_, _ = c.ask(ctx, "kill", p.id) // it may have ended
			_, _ = c.ask(ctx, "rm", "--force", p.id)
		}
	}
	c.removeNetworks(ctx, o)
	return true
}

// inUse tells whether another run lives in the project of one that ended.
func (c Composer) inUse(o overlay, by Owner, parts []part) bool {
	lives := func(owner Owner) bool { return owner != o.owner && !owner.Abandoned(by, processStart) }
	for _, p := range parts {
		if owner, ok := ParseOwner(p.run); ok && p.oneOff && lives(owner) {
			return true
		}
	}
	return slices.ContainsFunc(c.overlays(), func(other overlay) bool { return other.project == o.project && lives(other.owner) })
}

// removeNetworks removes the networks that a project did not have before a run
// and that no container has joined, be it a stopped one.
func (c Composer) removeNetworks(ctx context.Context, o overlay) {
	networks, err := c.networksOf(ctx, o.project)
	if err != nil {
		return
	}
	for _, id := range networks {
		if slices.Contains(o.networks, id) {
			continue
		}
		joined, err := c.ask(ctx, "ps", "--all", "--quiet", "--filter", "network="+id)
		if err == nil && len(strings.Fields(string(joined))) == 0 {
			_, _ = c.ask(ctx, "network", "rm", id)
		}
	}
}

// SweepProjects removes what a rocsmith left of compose projects that was
// killed.
func (c Composer) SweepProjects(ctx context.Context, by Owner) {
	for _, o := range c.overlays() {
		if o.owner.Abandoned(by, processStart) && c.removeOurs(ctx, o, by) {
			o.remove()
		}
	}
}

// overlays are the files of the runs that have not ended, or that were killed.
func (c Composer) overlays() []overlay {
	base, err := cacheBase(c.Env)
	if err != nil {
		return nil
	}
	var out []overlay
	files, _ := filepath.Glob(filepath.Join(escapeGlob(base), "compose", "*.yaml"))
	for _, file := range files {
		text, err := readProjectFile(file)
		if err != nil {
			continue
		}
		if o, ok := parseOverlay(string(text)); ok {
			o.path = file
			out = append(out, o)
		}
	}
	return out
}
