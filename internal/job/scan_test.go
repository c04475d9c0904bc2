package job

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/scan"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// machineWith is a machine of the zoo with one more file on it.
func machineWith(t *testing.T, name, file string, data []byte) host.Reader {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/machines", name+".snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	before, end, found := strings.Cut(string(text), "-- end ")
	var records int
	if _, err := fmt.Sscanf(end, "%d", &records); err != nil || !found {
		t.Fatalf("%s has no last line: %v", name, err)
	}
	if file != "" {
		before += fmt.Sprintf("-- file %s base64 --\n%s\n", file, base64.StdEncoding.EncodeToString(data))
		records++
	}
	s, err := host.ParseSnapshot(fmt.Appendf(nil, "%s-- end %d --\n", before, records))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHostOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"runtime-two-hips":            {"libamdhip64.so.6", "libamdhip64.so.7"},
		"runtime-healthy":             {"libamdhip64.so.6", "libamdhip64.so.7"},
		"kernels-of-debian":           {"libamdhip64.so.6"},
		"target-gfx1201":              nil,
		"windows-sdk-fits":            {"amdhip64.dll", "amdhip64_6.dll", "amdhip64_7.dll"},
		"windows-hip-6-on-old-driver": {"amdhip64.dll"},
	} {
		h := hostOf(survey.Take(machineWith(t, name, "", nil)))
		var got []string
		for _, r := range h.Runtimes {
			got = append(got, r.Name)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) || h.NVIDIA != "" {
			t.Errorf("%s: %v %+v, want %v", name, got, h, want)
		}
	}
}

// Where no GPU is named, a scan is for this machine.
func TestScanHere(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("../codeobj/testdata/ccob3.so")
	if err != nil {
		t.Fatal(err)
	}
	const file = "/srv/x.so"
	for name, want := range map[string]struct {
		verdict scan.Overall
		gpus    int
		note    string
	}{
		"runtime-healthy":   {scan.Runs, 1, ""},
		"libraries-no-code": {scan.No, 1, ""},
		"nvidia-only":       {scan.No, 0, "This machine has no GPU of AMD's, only NVIDIA's"},
		"intel-laptop":      {scan.Runs, 0, ""}, // nothing to judge for
	} {
		r := Scan(machineWith(t, name, file, code), []ScanTarget{{Given: "x.so", Path: file}}, scan.Request{})
		if r.Overall() != want.verdict || len(r.GPUs) != want.gpus || len(r.Items) != 1 || r.Items[0].Path != "x.so" {
			t.Errorf("%s: %s for %v, %+v", name, r.Overall(), r.GPUs, r.Items)
		}
		if told := len(r.Notes) == 1 && strings.Contains(r.Notes[0].What, want.note); told != (want.note != "") {
			t.Errorf("%s: %+v", name, r.Notes)
		}
	}
}
