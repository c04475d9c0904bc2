package operation

import "time"

// A Task is one piece of real work that a probe does on a GPU to show that an operation works. The list of tasks is
// Tasks; parent and child of a probe both know it.
type Task struct {
	ID        string        `yaml:"id"`        // "gemm/fp32"
	Operation string        `yaml:"operation"` // that it shows: an id of this package
	Library   string        `yaml:"library"`   // that does the work, as a person calls it: "rocBLAS". Tasks of one library share a child
	Title     string        `yaml:"title"`     // what is done and compared: "A×I = A, exact"
	Needs     []string      `yaml:"needs"`     // tasks without which this one says nothing
	Limit     time.Duration `yaml:"limit"`     // after which a child that is idle hangs
}

// A Question is what the parent writes to the child, a line of JSON each.
type Question struct {
	Task   string `json:"task"`
	Device int    `json:"device"`
}

// An Answer is what the child writes, a line of JSON each: first one with the state "started", then one with a verdict.
// A child that dies or hangs gives no verdict; the parent does.
type Answer struct {
	Task    string             `json:"task"`
	Verdict Verdict            `json:"verdict"`
	Why     string             `json:"why,omitempty"`     // a sentence; the library's own words where it has some
	Library string             `json:"library,omitempty"` // the file that was loaded, with its version where it tells one
	Ms      float64            `json:"ms"`
	Numbers map[string]float64 `json:"numbers,omitempty"` // max_abs_diff, correlation, threshold, gb_per_s, devices, …
	Facts   map[string]string  `json:"facts,omitempty"`   // gfx, name, runtime, …
}

// Verdict is what came of a task.
type Verdict string

// The verdicts.
const (
	Started      Verdict = "started" // no verdict yet
	Pass         Verdict = "pass"
	WrongResult  Verdict = "wrong-result"
	NoKernel     Verdict = "no-kernel"     // the library holds no code for this GPU
	NoLibrary    Verdict = "no-library"    // it is not here, or does not load
	NoDevice     Verdict = "no-device"     // the runtime sees no GPU
	NoPermission Verdict = "no-permission" // the node cannot be opened
	NoMemory     Verdict = "no-memory"
	GPUFault     Verdict = "gpu-fault" // the GPU reported a fault
	Failed       Verdict = "failed"    // the library said no, in a way that is none of these
	Crash        Verdict = "crash"     // the child died of a signal
	Hang         Verdict = "hang"      // it was idle and was ended
	Slow         Verdict = "slow"      // it was still busy compiling or tuning when its time was over
	CannotStart  Verdict = "cannot-start"
	Skipped      Verdict = "skipped" // what it needs did not pass
)
