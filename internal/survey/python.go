package survey

import (
	"cmp"
	"errors"
	"io/fs"
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

	closed map[string]bool // sites that may not be listed
}

// python finds the environments in reach. Nothing is started: what a package is
// stands in its files.
func python(r host.Reader, extra []string) machine.Fact[[]machine.PythonEnvironment] {
	s := pythonSurvey{r: r, files: files{r}, sites: map[string]*pydist.Site{}, full: map[string]bool{}, closed: map[string]bool{}}
	found := []machine.PythonEnvironment{}
	for _, e := range pydist.Find(host.Files(r), reach(r, extra)) {
		found = append(found, s.environment(e))
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		prefix, set, _ := r.Getenv(name)
		known := slices.ContainsFunc(found, func(e machine.PythonEnvironment) bool { return e.Why == name })
		if set && prefix != "" && !known && !slices.ContainsFunc(found, func(e machine.PythonEnvironment) bool { return e.Prefix == prefix }) {
			found = append(found, nowhere(name, prefix))
		}
	}
	return machine.Know(found, "Python environments")
}

// nowhere is what a variable points to that holds no environment.
func nowhere(variable, prefix string) machine.PythonEnvironment {
	return machine.PythonEnvironment{
		Prefix: prefix, Kind: "none", Why: variable, Read: true,
		Faults: []machine.PythonFault{{Path: prefix, What: "holds no Python environment, and " + variable + " points to it"}},
	}
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
		s.sites[dir] = site
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.closed[dir] = true
		}
	}
	if full && !s.full[dir] {
		s.full[dir] = true
		site.ReadMetadata(host.Files(s.r))
	}
	return site
}

// environment says what one environment holds. It reads the metadata of all
// packages only where one of them computes on GPUs, or where somebody works:
// that is hundreds of files.
func (s *pythonSurvey) environment(e pydist.Environment) machine.PythonEnvironment {
	out := machine.PythonEnvironment{
		Prefix: s.path(e.Prefix), Kind: string(e.Kind), Why: e.Why, Active: e.Active, Python: e.Python,
	}
	if e.ByUV {
		out.Installer = "uv"
	}
	out.Read = e.Active && e.Kind != pydist.System || slices.ContainsFunc(e.Sites, s.concerns)
	var dists []pydist.Distribution
	for _, dir := range e.Sites {
		site := s.site(dir, out.Read)
		dists = append(dists, site.Distributions...)
		if s.closed[dir] {
			out.Closed = append(out.Closed, s.path(dir))
		}
		if out.Read {
			s.faults(&out, site.Faults)
		}
	}
	out.Packages = len(dists)
	if out.Read {
		s.resolve(&out, dists, pydist.MarkersFor(e, s.r.OS(), processor(s.r)))
	}
	return out
}

// concerns reports a folder with a package that computes on GPUs.
func (s *pythonSurvey) concerns(dir string) bool {
	return slices.ContainsFunc(s.site(dir, false).Distributions, func(d pydist.Distribution) bool {
		_, _, watched := rocm.PythonPackageOf(d.Name)
		return watched
	})
}

// resolve keeps what packages miss. A requirement of triton is met by
// pytorch-triton-rocm, which is another name for it.
func (s *pythonSurvey) resolve(e *machine.PythonEnvironment, dists []pydist.Distribution, markers pydist.Markers) {
	resolved := pydist.Resolve(dists, markers)
	for _, d := range dists {
		if d.Origin.Editable {
			e.Apart = append(e.Apart, machine.PythonFault{Path: s.path(d.Path), What: "is an editable install: its code lies in a folder that somebody works in"})
		}
	}
	s.packages(e, dists)
	for i, v := range e.Vendor {
		for _, chain := range resolved.Chains(v.Name) {
			e.Vendor[i].NeededBy = append(e.Vendor[i].NeededBy, chain[len(chain)-1].Name)
		}
	}
	for _, u := range resolved.Unmet {
		if _, standsIn := e.Has(u.Requirement.Name); u.Kind != pydist.Missing || !standsIn {
			e.Unmet = append(e.Unmet, s.unmet(u))
		}
	}
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

// faults keeps what a person should know: a version that nobody can compare harms
// nothing by itself, an egg that was never unpacked lies apart, and what may not
// be read is not broken.
func (s *pythonSurvey) faults(e *machine.PythonEnvironment, list []pydist.Fault) {
	for _, f := range list {
		switch f.Kind {
		case pydist.BadVersion:
		case pydist.ZippedEgg:
			e.Apart = append(e.Apart, machine.PythonFault{Path: s.path(f.Path), What: f.What})
		case pydist.Unreadable:
			e.Closed = append(e.Closed, s.path(f.Path))
		default:
			e.Faults = append(e.Faults, machine.PythonFault{Path: s.path(f.Path), What: f.What})
		}
	}
}

// unmet keeps a requirement as it is written, but for its marker and the address
// of one that has it: that may hold a login.
func (s *pythonSurvey) unmet(u pydist.Unmet) machine.UnmetRequirement {
	r := u.Requirement
	out := machine.UnmetRequirement{By: s.distribution(*u.By), Name: r.Name, Found: u.Found, Address: r.URL != ""}
	r.URL, r.Marker = "", pydist.Marker{}
	out.Requirement = r.String()
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
			e.Vendor = append(e.Vendor, machine.VendorPackage{PythonDistribution: s.distribution(d)})
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
	b := buildReader{r: s.r, files: s.files, site: s.path(path.Dir(d.Path)), dist: d, row: row, named: kind, listed: map[string][]string{}}
	p.Build = b.read()
	p.Libraries = b.libraries
	if p.Build.Value.Kind == rocm.BuildROCm && row.Name != "bitsandbytes" { // its libraries are for several releases
		p.Code = b.code()
	}
	return p, b.faults
}
