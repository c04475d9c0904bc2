package job

import (
	"time"

	"github.com/rocsmith/rocsmith/internal/cdi"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// GenerateCDI writes the specification of a machine's GPUs, in the language that
// the file's name asks for.
func GenerateCDI(r host.Reader, w cdi.Wish, file string) ([]byte, error) {
	spec, err := cdi.Generate(survey.Take(r), w)
	if err != nil {
		return nil, err
	}
	return cdi.Encode(spec, file)
}

// PlanFile plans a file that somebody asked for by its name.
func (s Surgeon) PlanFile(title, file string, content []byte) (fix.Plan, error) {
	m := survey.Take(s.Host)
	return fix.Write(title, file, string(content), s.person(m), s.world(m, false))
}

// CheckCDI judges the specifications in some files and folders of a machine.
func CheckCDI(r host.Reader, version string, places []string, now func() time.Time) report.Diagnosis {
	start := now()
	m := survey.Take(r)
	files := host.Files(r)
	findings := cdi.Judge(m, files, cdi.Find(files, r.OS(), places))
	return report.Diagnosis{
		Version: version, Machine: m, Findings: findings, Areas: []check.Area{cdi.Area},
		Again: "rocsmith cdi check", Took: now().Sub(start),
	}
}
