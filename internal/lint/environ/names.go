package environ

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// takeOut advises to remove a setting.
func takeOut(p *lint.Pass, s setting) []remedy.Remedy {
	text := fmt.Sprintf("Take %s out of %s", s.name, p.Name(s.file))
	if strings.HasPrefix(s.name, rocm.OverrideVariable) && !s.local() {
		text += "; where one machine needs it, set it in that machine's .env or shell"
	}
	return advice("env-take-out", "Take it out", text)
}

func unread(p *lint.Pass) {
	for _, s := range allSettings(p) {
		f := lint.Finding{File: s.file, Line: s.line, Verdict: check.Warn, Advice: takeOut(p, s)}
		if strings.HasPrefix(s.name, "MIOPEN_") {
			f.Cause = "miopen-variable"
		}
		if i, ok := rocm.Invented(s.name); ok {
			what := "No component reads %s, so it changes nothing. %s"
			if i.Build {
				what = "%s is a build option and not a variable, so it changes nothing. %s"
			}
			f.Message = fmt.Sprintf(what, s.name, i.Why)
			f.Evidence = []machine.Evidence{provenance(i.Provenance)}
			p.Report(f)
			continue
		}
		near, ok := rocm.NearestName(s.name)
		if !ok || rocm.Concerns(s.name) || !s.concerns(p) {
			continue
		}
		readers, _ := rocm.ReadBy(near)
		f.Message = fmt.Sprintf("%s is not a name we know, and %s is probably meant. That one is read by %s; a name that nothing reads is passed over in silence.",
			s.name, near, strings.Join(readers, " and "))
		f.Advice = advice("env-rename", "Write the name that is read", fmt.Sprintf("Write %s for %s in %s", near, s.name, p.Name(s.file)))
		p.Report(f)
	}
}

func values(p *lint.Pass) {
	for _, s := range settings(p) {
		if f, wrong := judgeVisible(p, s); wrong && s.concerns(p) {
			f.File, f.Line = s.file, s.line
			p.Report(f)
			continue
		}
		rule, wrong := rocm.JudgeSetting(s.name, s.value)
		if !wrong || rule.Unverified || !s.concerns(p) || s.forBuild(p, rule) {
			continue
		}
		subject := s.text()
		switch {
		case rule.AnyValue():
			subject = s.name
		case s.value == "":
			subject = s.name + ", which is set to nothing,"
		}
		f := lint.Finding{
			File: s.file, Line: s.line, Verdict: check.Warn,
			Message:  subject + " " + rule.Says + ". " + rule.Why,
			Evidence: []machine.Evidence{provenance(rule.Provenance)},
			Advice:   takeOut(p, s),
		}
		if rule.Word == rocm.SettingThrows {
			f.Verdict = check.Fail
		}
		if strings.HasPrefix(s.name, "MIOPEN_") {
			f.Cause = "miopen-variable"
		}
		if rule.Better != "" {
			f.Advice = append(advice("env-set", "Set what is meant", fmt.Sprintf("Write %s=%s in %s", s.name, rule.Better, p.Name(s.file))), f.Advice...)
		}
		p.Report(f)
	}
}

// forBuild tells a setting that is right where software is built, which
// Dockerfiles and scripts do and services seldom.
func (s setting) forBuild(p *lint.Pass, rule rocm.SettingRule) bool {
	if rule.Word != rocm.SettingBuildTime && s.name != "TORCH_CUDA_ARCH_LIST" {
		return false
	}
	builds := s.file.Kind == lint.Dockerfile || s.file.Kind == lint.Script || s.file.Kind == lint.EnvFile
	return builds || slices.ContainsFunc(allSettings(p), func(o setting) bool { return o.file == s.file && o.rebuilds() })
}

// rebuilds tells the variables by which a service is told to build itself when it
// starts, as LocalAI is (its documentation, "GPU acceleration").
func (s setting) rebuilds() bool {
	return s.name == "REBUILD" && s.value != "false" && s.value != "0" || s.name == "BUILD_TYPE" && s.value != ""
}

func paths(p *lint.Pass) {
	for _, s := range allSettings(p) {
		rule, ok := rocm.PathRuleFor(s.name)
		if !ok || rule.Is != "directory" || !looksLikeFile(s.value) {
			continue
		}
		p.Report(lint.Finding{
			File: s.file, Line: s.line, Verdict: check.Warn, Cause: "miopen-variable",
			Message:  fmt.Sprintf("%s names %s, which is named like a file, and a folder is wanted. %s", s.name, path.Base(s.value), rule.Why),
			Evidence: []machine.Evidence{provenance(rule.Provenance)},
			Mend:     folderOnly(s),
			Advice:   advice("env-own-folder", "Name the folder", fmt.Sprintf("Write %s=%s", s.name, path.Dir(s.value))),
		})
	}
}

// looksLikeFile knows the names that MIOpen's own files end with.
func looksLikeFile(p string) bool {
	return slices.Contains([]string{".db", ".txt", ".udb", ".ukdb", ".kdb", ".ufdb", ".sqlite"}, path.Ext(p)) && strings.Count(p, "/") > 0
}

// folderOnly takes the file's name off the end of the value, where it stands
// there as it is: a quote in it may be the one that ends what is before it.
func folderOnly(s setting) *lint.Mend {
	name := "/" + path.Base(s.value)
	if s.end <= s.start || s.end > len(s.file.Data) || s.node != nil && s.node.Shared() || path.Dir(s.value) == "/" {
		return nil
	}
	text := string(s.file.Data[s.start:s.end])
	i := strings.LastIndex(text, name)
	if i < 0 || strings.ContainsAny(name, `"'`) || strings.Trim(text[i+len(name):], `"' `) != "" {
		return nil
	}
	at := s.start + i
	return &lint.Mend{
		Title: "Name the folder " + path.Dir(s.value),
		Edits: []lint.Edit{{File: s.file, Start: at, End: at + len(name)}},
	}
}
