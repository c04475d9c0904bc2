package explain

import "testing"

// A harmless warning makes a log harmless only where nothing else in it says that something failed.
func TestHarmlessBesideUnknown(t *testing.T) {
	t.Parallel()
	c := written(t)
	const warning = "UserWarning: expandable_segments not supported on this platform\n"
	const optional = "comfy-aimdo failed to load: Could not find module 'D:\\ui\\aimdo.dll' (or one of its dependencies).\n" // it decides elsewhere
	for text, want := range map[string]Verdict{
		optional: Benign,
		optional + "OSError: [WinError 126] The specified module could not be found.\n": Failure,
		warning:                        Benign,
		warning + "step 12 loss 0.3\n": Benign,
		warning + "ValueError: what nobody has seen before\n":              Unknown,
		warning + "Segmentation fault (core dumped)\n":                     Unknown,
		"epoch 1 of 3\n0 errors, 0 warnings\n":                             Unknown,
		warning + "RuntimeError: Found no NVIDIA driver on your system.\n": Failure,
		"A matching Triton is not available, some optimizations will not be enabled\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'triton'\n": Benign,
	} {
		if e := explained(t, c, text, Surroundings{}); e.Verdict != want {
			t.Errorf("%q is %s, want %s", text, e.Verdict, want)
		}
	}
}
