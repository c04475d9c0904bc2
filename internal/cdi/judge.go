package cdi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// The checks of a specification.
const (
	CheckPresent  = "cdi/present"  // engines find one for these GPUs
	CheckReadable = "cdi/readable" // and can read it
	CheckNodes    = "cdi/nodes"    // its nodes are there, with the numbers it says
	CheckRights   = "cdi/rights"   // and have the rights it says
	CheckGPUs     = "cdi/gpus"     // every GPU is in it
	CheckOrder    = "cdi/order"    // under the name that is its own
	CheckUnique   = "cdi/unique"   // and no two files fight over a name
)

// Area is how findings on specifications are grouped.
var Area = check.Area{Name: "cdi", Voices: []string{CheckGPUs, CheckRights, CheckNodes}}

// Judge holds specifications to the machine they are on. The files are asked for
// nodes that a survey does not look at.
func Judge(m *machine.Machine, files fs.FS, found []File) []check.Finding {
	j := judge{m: m, files: files}
	ours := 0
	for _, f := range found {
		switch {
		case f.Err != nil:
			j.unreadable(f)
		case f.Spec.Kind == Kind:
			ours++
			j.file(f)
		case f.Ours:
			j.add(f, CheckReadable, check.Unknown, "", fmt.Sprintf("Not judged: %s is about %s, not about %s.", f.Path, f.Spec.Kind, Kind),
				machine.Evidence{From: machine.Source(f.Path), Text: "kind: " + f.Spec.Kind})
		}
	}
	if ours == 0 && len(j.out) == 0 {
		j.none()
	}
	j.doubles(found)
	return j.out
}

// A judge collects what is found.
type judge struct {
	m     *machine.Machine
	files fs.FS
	out   []check.Finding
}

func (j *judge) add(f File, id string, v check.Verdict, about, message string, evidence ...machine.Evidence) {
	finding := check.Finding{Check: id, Subject: strings.TrimSpace(f.Path + " " + about), Verdict: v, Message: message, Evidence: evidence}
	if v == check.Fail || v == check.Warn {
		finding.Remedies = []remedy.Remedy{anew(f.Path, id)}
	}
	if v == check.Fail {
		finding.Cause = "container-device-not-mapped"
	}
	j.out = append(j.out, finding)
}

// anew is the cure of everything that is stale. A file that rocsmith could not
// have written under this name is replaced by one that it can.
func anew(file, id string) remedy.Remedy {
	return remedy.Remedy{
		ID: "cdi-generate", Title: "Write the specification from this machine", Risk: remedy.Safe, Proof: []string{id},
		Steps: []remedy.Step{{
			Kind: remedy.Command, Text: "it is shown before it is written, and rocsmith undo takes it back", Root: true,
			Command: remedy.Paste("sudo", "rocsmith", "cdi", "generate", "-o", cmp.Or(file, DefaultFile)),
		}},
	}
}

func (j *judge) none() {
	if j.m.GPUs.Known() && len(j.m.AMDGPUs()) == 0 {
		f := check.NotHere("", "there is no AMD GPU here that a specification could describe")
		f.Check = CheckPresent
		j.out = append(j.out, f)
		return
	}
	j.add(File{}, CheckPresent, check.Fail, "", fmt.Sprintf("No specification names the GPUs of this machine. An engine that is asked for %s=0 says that the device cannot be resolved.", Kind),
		machine.Evidence{From: machine.Source(strings.Join(Dirs, ", ")), Text: "no file about " + Kind})
}

func (j *judge) unreadable(f File) {
	e := machine.Evidence{From: machine.Source(f.Path), Text: f.Err.Error()}
	var where *fs.PathError
	if errors.As(f.Err, &where) {
		e.Text = where.Err.Error()
	}
	switch {
	case !f.Broken:
		j.add(f, CheckReadable, check.Unknown, "", fmt.Sprintf("Not judged: %s could not be read.", f.Path), e)
	case f.Ours:
		j.add(f, CheckReadable, check.Fail, "", fmt.Sprintf("%s is no specification that engines read. They pass over it, and the devices in it do not exist for them.", f.Path), e)
	default:
		j.add(f, CheckReadable, check.Warn, "", fmt.Sprintf("%s is no specification that engines read. They pass over it; it does not seem to be about AMD.", f.Path), e)
		j.out[len(j.out)-1].Remedies = nil // it is somebody else's
	}
}

func (j *judge) file(f File) {
	j.nodes(f)
	j.gpus(f)
	j.order(f)
}

// doubles finds devices that two files of one folder name: engines then hand out
// neither.
func (j *judge) doubles(found []File) {
	first := map[string]string{}
	for _, f := range found {
		if f.Err != nil || f.Spec.Kind != Kind {
			continue
		}
		for _, d := range f.Spec.Devices {
			key := path.Dir(f.Path) + " " + d.Name
			other, taken := first[key]
			if !taken {
				first[key] = f.Path
				continue
			}
			j.add(f, CheckUnique, check.Fail, d.Name, fmt.Sprintf("%s and %s both name the device %s. Two files of one folder that do are in conflict, and engines then resolve it in neither.", other, f.Path, d.Name),
				machine.Evidence{From: machine.Source(other), Text: "name: " + d.Name}, machine.Evidence{From: machine.Source(f.Path), Text: "name: " + d.Name})
			j.out[len(j.out)-1].Remedies = []remedy.Remedy{{
				ID: "cdi-one-file", Title: "Keep one of the two files", Risk: remedy.Safe, Proof: []string{CheckUnique},
				Steps: []remedy.Step{{Kind: remedy.Manual, Text: fmt.Sprintf("move %s or %s out of the folder", other, f.Path)}},
			}}
			break // one double tells it
		}
	}
}

// stat is what the machine says of a node: the survey's word, else that of the
// file itself.
func (j *judge) stat(file string) machine.Fact[machine.NodeStat] {
	if file == j.m.KFD.Path {
		return j.m.KFD.Stat
	}
	for _, list := range [][]machine.Node{j.m.RenderNodes.Value, j.m.Cards.Value} {
		for _, n := range list {
			if n.Path == file {
				return n.Stat
			}
		}
	}
	info, err := fs.Stat(j.files, host.FileName(j.m.OS, path.Clean(file)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return machine.Missing[machine.NodeStat](machine.Source(file))
	case err != nil:
		return machine.Unknown[machine.NodeStat](machine.Source(file), err.Error())
	}
	st, ok := info.Sys().(host.Stat)
	if !ok {
		return machine.Unknown[machine.NodeStat](machine.Source(file), "the system does not tell its numbers")
	}
	return machine.Know(machine.NodeStat{Mode: st.Mode, UID: st.UID, GID: st.GID, Major: st.Major, Minor: st.Minor}, machine.Source(file))
}

// onHost is where a node is on the host.
func onHost(n *specs.DeviceNode) string { return cmp.Or(n.HostPath, n.Path) }
