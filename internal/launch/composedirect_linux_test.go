package launch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/launch"
)

// defined is what the service app of a project says.
func defined(t *testing.T, text string) (launch.Project, *composefile.Service, launch.Definition) {
	t.Helper()
	p, err := projectIn(t, "proj", text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Named("app")
	if err != nil {
		t.Fatal(err)
	}
	d, err := launch.Define(s, p)
	if err != nil {
		t.Fatal(err)
	}
	return p, s, d
}

// serviceLine is what an engine is asked for a service.
func serviceLine(t *testing.T, text string) (launch.Definition, string) {
	t.Helper()
	p, s, d := defined(t, text)
	r := runOf(t, p, "app")
	args, err := r.Composer.Engine.Arguments(d.Without(r.Container, s))
	if err != nil {
		t.Fatal(err)
	}
	return d, strings.Join(args, " ")
}

func TestDefineVolumes(t *testing.T) {
	t.Parallel()
	d, line := serviceLine(t, `
services:
  app:
    image: x
    volumes: ["own:/a", "plain:/b", "named:/c", "shared:/d", "old:/e", "both:/f", "far:/g"]
volumes:
  own:
  plain: {driver: local}
  named: {name: models}
  shared: {external: true}
  old: {external: {name: legacy}}
  both: {external: true, name: data}
  far: {driver_opts: {type: nfs}, external: false}
`)
	for _, want := range []string{"proj_own:/a", "proj_plain:/b", " models:/c", " shared:/d", " legacy:/e", " data:/f", "proj_far:/g"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s lacks %s", line, want)
		}
	}
	if !slices.Equal(d.External, []string{"shared", "legacy", "data"}) || !slices.Equal(d.Ignored, []string{"volumes.far.driver_opts"}) {
		t.Errorf("external %q, ignored %q", d.External, d.Ignored)
	}
}

func TestHasVolumes(t *testing.T) {
	t.Parallel()
	env, _ := engines(t, map[string]string{"podman": podmanSays + `"volume inspect here") ;; "volume inspect"*) echo "Error: no such volume" >&2; exit 125;;`})
	e, err := launch.FindEngine(t.Context(), env, "podman", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.HasVolumes(t.Context(), []string{"here"}); err != nil {
		t.Error(err)
	}
	if err := e.HasVolumes(t.Context(), []string{"here", "gone"}); err == nil || !strings.Contains(err.Error(), "the volume gone is external") {
		t.Error(err)
	}
}

func TestDefineEntrypoint(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                      " x python3 x",
		"entrypoint: null":      " x python3 x",
		"entrypoint: []":        " --entrypoint  x python3 x",
		`entrypoint: ""`:        " --entrypoint  x python3 x",
		"entrypoint: [/go, a]":  " --entrypoint /go x a python3 x",
		"entrypoint: /go a":     " --entrypoint /go x a python3 x",
		"entrypoint: sh -c 'a'": " x python3 x",
	} {
		_, line := serviceLine(t, "services:\n  app:\n    image: x\n    "+said+"\n")
		if !strings.HasSuffix(line, want) || strings.Contains(line, "--entrypoint") != strings.Contains(want, "--entrypoint") {
			t.Errorf("%s: %s, want %s", said, line, want)
		}
	}
}
