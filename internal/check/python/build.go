package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runBuild(in check.Input) []check.Finding {
	envs, nothing := environments(in.Machine)
	if nothing != nil {
		return nothing
	}
	var found gathered
	for _, e := range envs {
		for _, p := range e.Watched {
			if f, judged := judgeBuild(in.Machine, e, p); judged {
				found.add(fmt.Sprint(p.Name, p.Version, f.Cause), f)
			}
		}
	}
	return forgotten(found.findings("no package that computes on GPUs was found"), envs)
}

// forgotten leaves environments alone that nobody works in, where the active one
// has the right torch.
func forgotten(findings []check.Finding, envs []machine.PythonEnvironment) []check.Finding {
	good := slices.ContainsFunc(envs, func(e machine.PythonEnvironment) bool {
		torch, has := e.Has("torch")
		return e.Active && has && torch.Build.Value.Kind == rocm.BuildROCm && torch.Build.Value.Mixed == ""
	})
	for i, f := range findings {
		active := slices.ContainsFunc(envs, func(e machine.PythonEnvironment) bool { return e.Active && strings.HasPrefix(f.Subject, e.Prefix+": ") })
		if good && !active && f.Verdict == check.Warn {
			findings[i] = check.NotHere(f.Subject, "nobody works there, and the active environment has a torch for ROCm: "+f.Headline())
		}
	}
	return findings
}

// judgeBuild leaves companions to python/mixed: they follow their torch.
func judgeBuild(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage) (check.Finding, bool) {
	f, judged := buildFinding(m, e, p)
	if f.Verdict.Worse(check.OK) && p.Package == "torch" && len(p.Shadows) > 0 {
		f.Message += " It hides another torch of this environment."
		f.Remedies = unhide(m, e, p)
	}
	return f, judged
}

func buildFinding(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage) (check.Finding, bool) {
	row, _, _ := rocm.PythonPackageOf(p.Name)
	if row.Companion != "" || row.Watch || p.Package == "triton" {
		return check.Finding{}, false
	}
	subject := e.Prefix + ": " + p.Name
	f := check.Finding{Subject: subject, Evidence: append([]machine.Evidence{installed(p.PythonDistribution)}, p.Build.Value.Evidence...)}
	if p.Origin != "" {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(p.Path + "/direct_url.json"), Text: "installed from " + p.Origin})
	}
	if !p.Build.Known() {
		f = check.CannotTell(subject, fmt.Sprintf("which GPUs %s %s is built for", p.Name, p.Version), p.Build.From, p.Build.Why)
		if !e.Active || p.Package != "torch" || p.Origin != "" {
			f.Verdict = check.Skipped // nobody works there, or its own program will tell
		}
		return f, true
	}
	if _, plugin := companionBuild(e, p); plugin {
		return check.Finding{}, false
	}
	switch build := p.Build.Value; {
	case build.Mixed != "":
		f = mixedBuild(m, e, p, f)
	case build.Kind == rocm.BuildROCm:
		if p.Package == "bitsandbytes" {
			return judgeBitsandbytes(m, e, p, f), true
		}
		f.Verdict, f.Message = check.OK, fmt.Sprintf("%s %s is a build for ROCm%s", p.Name, p.Version, space(p.Build.Value.ROCm))
	case build.Kind == rocm.BuildCUDA:
		f = wrongBuild(m, e, p, f)
	default:
		f = cpuBuild(m, e, p, f)
	}
	return f, true
}

// companionBuild finds another distribution of the same package that is built for
// ROCm: jax itself computes through its plugin.
func companionBuild(e machine.PythonEnvironment, p machine.PythonPackage) (machine.PythonPackage, bool) {
	i := slices.IndexFunc(e.Watched, func(o machine.PythonPackage) bool {
		return o.Package == p.Package && o.Name != p.Name && o.Build.Value.Kind == rocm.BuildROCm && p.Package != "onnxruntime"
	})
	if i < 0 || p.Build.Value.Kind == rocm.BuildROCm {
		return machine.PythonPackage{}, false
	}
	return e.Watched[i], true
}

// mixedBuild: what is imported is neither the one nor the other.
func mixedBuild(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage, f check.Finding) check.Finding {
	f.Verdict, f.Cause = weigh(m, e), "wrong-torch-build-cuda"
	if p.Build.Value.Kind == rocm.BuildCPU {
		f.Cause = "wrong-torch-build-cpu"
	}
	f.Message = fmt.Sprintf("%s %s is a mixture of two builds: one was written over another. %s. Installations that were interrupted, or into a folder that another package had left, end like this.", p.Name, p.Version, p.Build.Value.Mixed)
	f.Remedies = cure.Torch(m, e, p.Version)
	return f
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func wrongBuild(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage, f check.Finding) check.Finding {
	if nvidia := m.NVIDIAGPUs(); len(nvidia) > 0 {
		f.Verdict = check.OK
		f.Message = fmt.Sprintf("%s %s is a build for CUDA: it computes on the %s and leaves the AMD GPU idle. To use the AMD GPU, install a build for ROCm in an environment of its own; one process cannot use both.", p.Name, p.Version, nvidia[0].Label())
		return f
	}
	f.Verdict = check.Warn
	switch p.Package {
	case "torch":
		f.Verdict, f.Cause = weigh(m, e), "wrong-torch-build-cuda"
		f.Message = fmt.Sprintf("torch %s is a build for CUDA, and this GPU is made by AMD. torch.cuda.is_available() is False with it, whatever else is installed: it holds no code for AMD GPUs.%s", p.Version, replaced(e, &f))
		f.Remedies = cure.Torch(m, e, p.Version)
	case "ctranslate2":
		f.Cause = "ctranslate2-no-rocm"
		f.Message = fmt.Sprintf("ctranslate2 %s is a build for CUDA, which computes on the processor here. The wheels on PyPI are for CUDA and CPU; device=\"cuda\" fails with them on an AMD GPU.", p.Version)
		f.Remedies = []remedy.Remedy{cure.For(m, "ctranslate2-rocm", cure.ForPython(e))}
	case "onnxruntime":
		f.Cause = "onnxruntime-ep-missing"
		f.Message = fmt.Sprintf("%s %s has the provider for CUDA and none for AMD GPUs. It falls back to the processor without an error.", p.Name, p.Version)
		f.Remedies = []remedy.Remedy{cure.For(m, "onnxruntime-migraphx", cure.ForPython(e))}
	case "flash-attn":
		f.Cause = "flash-attention-arch"
		f.Message = fmt.Sprintf("flash-attn %s was built for CUDA. It cannot be imported, or finds no code, on an AMD GPU.", p.Version)
	case "bitsandbytes":
		f.Cause = "bitsandbytes-no-hip"
		f.Message = fmt.Sprintf("bitsandbytes %s holds libraries for CUDA only. From 0.47 on its wheels hold some for ROCm.", p.Version)
		f.Remedies = []remedy.Remedy{cure.For(m, "bitsandbytes-for-hip", withHIP(e, "of the installed torch"))}
	default:
		f.Message = fmt.Sprintf("%s %s is a build for CUDA, which finds no AMD GPU. It computes on the processor, or stops; builds for ROCm are published apart from it.", p.Name, p.Version)
	}
	return f
}

// cpuBuild: many a package, onnxruntime among them, is installed for the
// processor on purpose; torch on a machine with a GPU hardly ever is.
func cpuBuild(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage, f check.Finding) check.Finding {
	if p.Package != "torch" {
		return check.NotHere(f.Subject, fmt.Sprintf("%s %s computes on the processor, as it is built to", p.Name, p.Version))
	}
	f.Verdict, f.Cause = weigh(m, e), "wrong-torch-build-cpu"
	f.Message = fmt.Sprintf("torch %s computes on the processor only. This build holds no code for any GPU of AMD's, so torch.cuda.is_available() is False with it.%s", p.Version, replaced(e, &f))
	if p.Build.Value.Kind == rocm.BuildXPU {
		f.Message = fmt.Sprintf("torch %s is a build for Intel's GPUs. It holds no code for any GPU of AMD's, so torch.cuda.is_available() is False with it.", p.Version)
	}
	f.Remedies = cure.Torch(m, e, p.Version)
	return f
}

// replaced says so where parts of a ROCm build are left, and shows them.
func replaced(e machine.PythonEnvironment, f *check.Finding) string {
	var left []string
	for _, p := range e.Watched {
		if p.Build.Value.Kind == rocm.BuildROCm && ofTorch(p.Name) {
			left = append(left, p.Name+" "+p.Version)
			f.Evidence = append(f.Evidence, installed(p.PythonDistribution))
		}
	}
	for _, d := range e.Vendor {
		if strings.HasPrefix(d.Name, "rocm-sdk-") || strings.HasPrefix(d.Name, "amd-torch-device-") {
			left = append(left, d.Name+" "+d.Version)
			f.Evidence = append(f.Evidence, installed(d.PythonDistribution))
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf(" A build for ROCm was here before and was replaced; this is left of it: %s. That happens when pip installs a package that asks for another torch.", shorten(left))
}

// judgeBitsandbytes: its library carries the version of HIP in its name, and the
// one of torch's HIP is loaded.
func judgeBitsandbytes(m *machine.Machine, e machine.PythonEnvironment, p machine.PythonPackage, f check.Finding) check.Finding {
	torch, _ := e.Has("torch")
	hip := torch.Build.Value.HIP
	parts := strings.SplitN(hip, ".", 3)
	if len(parts) < 2 {
		f.Verdict, f.Message = check.OK, fmt.Sprintf("bitsandbytes %s holds libraries for ROCm", p.Version)
		return f
	}
	want := "libbitsandbytes_rocm" + parts[0] + parts[1]
	for _, lib := range p.Libraries {
		if name, _, _ := strings.Cut(lib, "."); name == want {
			f.Verdict, f.Message = check.OK, fmt.Sprintf("bitsandbytes %s holds %s, which torch's HIP %s asks for", p.Version, want, hip)
			return f
		}
	}
	short := parts[0] + "." + parts[1]
	f.Verdict, f.Cause = check.Warn, "bitsandbytes-no-hip"
	f.Message = fmt.Sprintf("bitsandbytes %s holds no library for HIP %s. It loads the one whose name has the version of torch's HIP, %s, and holds %s.", p.Version, short, want, shorten(p.Libraries))
	f.Evidence = append(f.Evidence, torch.Build.Value.Evidence...)
	f.Remedies = []remedy.Remedy{cure.For(m, "bitsandbytes-for-hip", withHIP(e, short))}
	return f
}
