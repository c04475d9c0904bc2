package linkage

import (
	"errors"
	"reflect"
	"testing"
)

func TestAbsentSymbols(t *testing.T) {
	t.Parallel()
	hip := elfRecipe{soname: "libhip.so.6", offers: []string{"libhip.so.6", "hip_4.2"}, defines: []string{"hipInit@hip_4.2", "hipMalloc@hip_4.2"}}
	module := elfRecipe{
		runpath: "/r", needs: []string{"libhip.so.6", "libplain.so"}, wants: map[string][]string{"libhip.so.6": {"hip_4.2", "hip_6.0"}},
		undefined: []string{"hipInit@hip_4.2", "hipNew@hip_4.2", "hipMalloc@hip_6.0", "plain", "gone", "PyErr_Clear", "_Py_Dealloc"},
	}
	files := map[string]any{"/m.so": module, "/r/libhip.so.6": hip, "/r/libplain.so": elfRecipe{soname: "libplain.so", defines: []string{"plain"}}}
	absent := func() ([]string, error) {
		l := NewLoader(tree(files), Settings{})
		got, err := l.Load("/m.so")
		if err != nil {
			t.Fatal(err)
		}
		list, err := l.AbsentSymbols(got)
		var out []string
		for _, s := range list {
			out = append(out, s.String())
		}
		return out, err
	}
	versioned := []string{"/m.so: undefined symbol: hipNew, version hip_4.2", "/m.so: undefined symbol: hipMalloc, version hip_6.0"}
	if got, err := absent(); err != nil || !reflect.DeepEqual(got, append(versioned, "/m.so: undefined symbol: gone")) {
		t.Errorf("got %q, %v", got, err)
	}
	// Where not all definitions are known, only those of a library that was read
	// can be said to be absent.
	files["/r/libplain.so"] = elfRecipe{soname: "libplain.so", defines: []string{"other"}, names: maxSymbolBytes}
	if got, err := absent(); !errors.Is(err, ErrTooMuch) || !reflect.DeepEqual(got, versioned) {
		t.Errorf("with a big library: %q, %v", got, err)
	}
	delete(files, "/r/libplain.so")
	if got, err := absent(); err == nil || !reflect.DeepEqual(got, versioned) {
		t.Errorf("with a missing library: %q, %v", got, err)
	}
}

func TestAbsentBetween(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"/r/libhip.so.7": elfRecipe{
			soname: "libhip.so.7", runpath: "/r", needs: []string{"libhsa.so.1", "libgone.so"}, wants: map[string][]string{"libhsa.so.1": {"ROCR_1"}},
			undefined: []string{"hsa_init@ROCR_1", "hsa_amd_enable_logging@ROCR_1", "gone"},
		},
		"/r/libhsa.so.1": elfRecipe{soname: "libhsa.so.1", offers: []string{"libhsa.so.1", "ROCR_1"}, defines: []string{"hsa_init@ROCR_1"}},
	})
	l := NewLoader(files, Settings{})
	got, err := l.Load("/r/libhip.so.7")
	if err != nil {
		t.Fatal(err)
	}
	absent, err := l.AbsentBetween(got, 0, 1)
	if err != nil || len(absent) != 1 || absent[0].String() != "/r/libhip.so.7: undefined symbol: hsa_amd_enable_logging, version ROCR_1" {
		t.Errorf("got %v, %v", absent, err)
	}
}
