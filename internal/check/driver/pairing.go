package driver

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// aYear is how far AMD lets its driver package and ROCm be apart, with a month
// of grace for a rule that speaks of releases, not of days.
const aYear = 396 * 24 * time.Hour

func runPairing(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	driver, ok := driverRelease(m.Driver.Module.Value.Version)
	if !ok {
		return []check.Finding{check.NotHere("driver package", "the driver came with the kernel, or its package number is not in our table")}
	}
	var out []check.Finding
	for _, i := range m.ROCm.Value {
		if rel, known := rocm.LookupRelease(i.Version); known {
			out = append(out, judgePairing(m, driver, rel, i))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("driver package", "no ROCm release that we know is installed here")}
	}
	return out
}

func judgePairing(m *machine.Machine, driver driverAge, rel rocm.Release, i machine.Installation) check.Finding {
	f := check.Finding{
		Subject: "ROCm " + i.Version, Verdict: check.OK,
		Message:  fmt.Sprintf("driver package %s and ROCm %s are close enough", driver.number, i.Version),
		Evidence: []machine.Evidence{{From: m.Driver.Module.From + "/version", Text: m.Driver.Module.Value.Version}, {From: i.From, Text: i.Version}},
	}
	released, err := time.Parse(time.DateOnly, rel.Date)
	if err != nil || driver.date.Sub(released).Abs() <= aYear {
		return f
	}
	rule, from := rocm.DriverPairing()
	f.Verdict, f.Cause = check.Warn, "driver-runtime-mismatch"
	f.Message = fmt.Sprintf("AMD's driver package %s and ROCm %s are more than a year apart. AMD tests them up to a year apart; beyond that it may work or not.", driver.number, i.Version)
	f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(from.Grade()), Text: rule})
	f.Remedies = []remedy.Remedy{cure.For(m, "other-rocm", cure.Values{"want": fmt.Sprintf("bring driver and ROCm together: the driver %s was published with ROCm %s", driver.number, driver.rocm)})}
	return f
}

// A driverAge places a driver package in time, by the ROCm release that it was
// published with.
type driverAge struct {
	number, rocm string
	date         time.Time
}

// moduleVersion is what /sys/module/amdgpu/version says for AMD's package:
// "6.12.12" before the numbers were split, "7.1.3.31500000" for 31.50.
var moduleVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+\.\d+\.(\d{2})(\d{2})\d{4}$`) })

func driverRelease(version string) (driverAge, bool) {
	match := moduleVersion().FindStringSubmatch(version)
	if match == nil {
		return driverAge{}, false
	}
	number := match[1] + "." + match[2]
	for _, d := range rocm.DriverVersions() {
		if !strings.HasPrefix(d.Driver, number+".") {
			continue
		}
		// The column may name several releases ("7.13/7.14", "7.0.x"); the first counts.
		first, _, _ := strings.Cut(strings.Fields(d.ROCm)[0], "/")
		first = strings.Replace(first, "10.x", "10.0", 1)
		rel, ok := rocm.LookupRelease(strings.TrimSuffix(first, ".x"))
		if !ok {
			return driverAge{}, false
		}
		date, err := time.Parse(time.DateOnly, rel.Date)
		return driverAge{number, rel.Version, date}, err == nil
	}
	return driverAge{}, false
}
