package survey

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A pythonSurvey reads each folder of packages once: environments share them.
type pythonSurvey struct {
	r     host.Reader
	files files
	sites map[string]*pydist.Site
	full  map[string]bool // sites whose metadata was read
}

// python finds the environments in reach. Nothing is started: what a package is
// stands in its files.
func python(r host.Reader, extra []string) machine.Fact[[]machine.PythonEnvironment] {
	s := pythonSurvey{r: r, files: files{r}, sites: map[string]*pydist.Site{}, full: map[string]bool{}}
	found := []machine.PythonEnvironment{}
	for _, e := range pydist.Find(host.Files(r), reach(r, extra)) {
		found = append(found, s.environment(e))
	}
	return machine.Know(found, "Python environments")
}

func reach(r host.Reader, extra []string) pydist.Reach {
	get := func(name string) string {
		value, _, _ := r.Getenv(name)
		return value
	}
	out := pydist.Reach{OS: r.OS(), Home: get("HOME"), WorkDir: get("PWD"), Getenv: get, Extra: extra}
	separator := ":"
	if r.OS() == "windows" {
		separator, out.Home = ";", get("USERPROFILE")
	}
	out.Path = strings.Split(get("PATH"), separator)
	return out
}

// site lists a folder of packages; full also reads what each says of itself.
func (s *pythonSurvey) site(dir string, full bool) *pydist.Site {
	site, known := s.sites[dir]
	if !known {
		listed, err := pydist.List(host.Files(s.r), dir)
		site = &listed
		if err != nil {
			site = &pydist.Site{Path: dir}
		}
		s.sites[dir] = site
	}
	if full && !s.full[dir] {
		s.full[dir] = true
		site.ReadMetadata(host.Files(s.r))
	}
	return site
}

// environment says what one environment holds. A requirement of triton is met by
// pytorch-triton-rocm, which is another name for it. It reads the metadata of all packages only where one of them
// computes on GPUs, or where somebody works: that is hundreds of files.
func (s *pythonSurvey) environment(e pydist.Environment) machine.PythonEnvironment {
	out := machine.PythonEnvironment{
		Prefix: s.path(e.Prefix), Kind: string(e.Kind), Why: e.Why, Active: e.Active, Python: e.Python,
	}
	full := e.Active && e.Kind != pydist.System || slices.ContainsFunc(e.Sites, func(dir string) bool {
		return slices.ContainsFunc(s.site(dir, false).Distributions, func(d pydist.Distribution) bool {
			_, _, watched := rocm.PythonPackageOf(d.Name)
			return watched
		})
	})
	var dists []pydist.Distribution
	for _, dir := range e.Sites {
		site := s.site(dir, full)
		dists = append(dists, site.Distributions...)
		if full {
			out.Faults = append(out.Faults, s.faults(site.Faults)...)
		}
	}
	out.Packages = len(dists)
	if !full {
		return out
	}
	s.packages(&out, dists)
	for _, u := range pydist.Resolve(dists, pydist.MarkersFor(e, s.r.OS(), processor(s.r))).Unmet {
		if _, standsIn := out.Has(u.Requirement.Name); u.Kind != pydist.Missing || !standsIn {
			out.Unmet = append(out.Unmet, s.unmet(u))
		}
	}
	return out
}

// processor is told by the loader that the system has.
func processor(r host.Reader) string {
	if r.OS() != "windows" && exists(r, "/lib/ld-linux-aarch64.so.1").Known() {
		return "aarch64"
	}
	return "x86_64"
}

func (s *pythonSurvey) path(name string) string { return host.PathOf(s.r.OS(), name) }

func (s *pythonSurvey) distribution(d pydist.Distribution) machine.PythonDistribution {
	return machine.PythonDistribution{Name: d.Name, Version: d.Version, Path: s.path(d.Path)}
}

// faults are what a person should know: an egg that was never unpacked, or a
// version that nobody can compare, harms nothing by itself.
func (s *pythonSurvey) faults(list []pydist.Fault) []machine.PythonFault {
	var out []machine.PythonFault
	for _, f := range list {
		if f.Kind != pydist.ZippedEgg && f.Kind != pydist.BadVersion {
			out = append(out, machine.PythonFault{Path: s.path(f.Path), What: f.What})
		}
	}
	return out
}

func (s *pythonSurvey) unmet(u pydist.Unmet) machine.UnmetRequirement {
	out := machine.UnmetRequirement{
		By: s.distribution(*u.By), Name: u.Requirement.Name, Found: u.Found,
		Requirement: u.Requirement.Name + u.Requirement.Specifier.String(),
	}
	if u.FoundPath != "" {
		out.FoundPath = s.path(u.FoundPath)
	}
	return out
}

// vendorNames begin the names of packages that hold a vendor's own libraries.
var vendorNames = []string{"nvidia-", "rocm-sdk-", "amd-torch-device-"}

// packages keeps those that concern GPUs. Of two with one name Python finds the
// first.
func (s *pythonSurvey) packages(e *machine.PythonEnvironment, dists []pydist.Distribution) {
	first := map[string]int{}
	for _, d := range dists {
		i, known := first[d.Name]
		if known && i >= 0 && path.Dir(e.Watched[i].Path) != path.Dir(s.path(d.Path)) {
			e.Watched[i].Shadows = append(e.Watched[i].Shadows, s.path(d.Path))
		}
		if known {
			continue
		}
		first[d.Name] = -1
		if hasPrefix(vendorNames, d.Name) {
			e.Vendor = append(e.Vendor, s.distribution(d))
		}
		if row, kind, watched := rocm.PythonPackageOf(d.Name); watched {
			first[d.Name] = len(e.Watched)
			d.ReadOrigin(host.Files(s.r))
			e.Installer = cmp.Or(e.Installer, installer(d.Installer))
			p, faults := s.watched(d, row, kind)
			e.Watched = append(e.Watched, p)
			e.Faults = append(e.Faults, faults...)
		}
	}
}

// installer keeps the names of programs that are known to install packages.
func installer(name string) string {
	if slices.Contains([]string{"pip", "uv", "conda", "poetry", "debian"}, name) {
		return name
	}
	return ""
}

// origin says where a distribution came from, without a login in its address.
func origin(o pydist.Origin) string {
	from := strings.ToValidUTF8(o.URL, "")
	if scheme, rest, ok := strings.Cut(from, "://"); ok {
		server, file, _ := strings.Cut(rest, "/")
		from = scheme + "://" + server[strings.LastIndex(server, "@")+1:] + "/" + file
	}
	switch {
	case !readable(from) || len(from) > maxOrigin:
		return ""
	case o.Editable:
		return strings.TrimSpace("editable " + from)
	case o.Commit != "" && readable(o.Commit):
		return from + " at " + o.Commit[:min(len(o.Commit), 12)]
	}
	return from
}

const maxOrigin = 500

func (s *pythonSurvey) watched(d pydist.Distribution, row rocm.PythonPackage, kind rocm.BuildKind) (machine.PythonPackage, []machine.PythonFault) {
	p := machine.PythonPackage{Package: row.Name, PythonDistribution: s.distribution(d), Origin: origin(d.Origin)}
	for _, extra := range d.Provides {
		if gpu, ok := strings.CutPrefix(extra, "device-"); ok {
			p.DeviceExtras = append(p.DeviceExtras, gpu)
		}
	}
	if row.Watch {
		p.Build = machine.Missing[machine.PythonBuild](machine.Source(p.Path))
		return p, nil
	}
	b := buildReader{r: s.r, files: s.files, site: s.path(path.Dir(d.Path)), dist: d, row: row, named: kind}
	p.Build = b.read()
	p.Libraries = b.libraries
	return p, b.faults
}
