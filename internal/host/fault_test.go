package host

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestFaultKeepsIdentity(t *testing.T) {
	t.Parallel()
	for _, want := range []error{
		ErrTooLong, ErrTooBig, ErrNotRegular, ErrOtherSystem, ErrAnotherRoot, EACCES, ENOENT, Errno("EREMOTEIO"), ExitStatus(2),
	} {
		wrapped := &fs.PathError{Op: "read", Path: "/x", Err: fmt.Errorf("again: %w", want)}
		f, err := parseFault(string(faultOf(wrapped)))
		if err != nil || !errors.Is(f.err(), want) {
			t.Errorf("%v became %q, %v, %v", want, f, f.err(), err)
		}
	}
	text := faultOf(&fs.PathError{Op: "read", Path: "/secret", Err: errors.New("no \"luck\"\n")})
	if text != `"no \"luck\"\n"` || text.err().Error() != "no \"luck\"\n" {
		t.Errorf("text became %s", text)
	}
	if faultOf(nil) != "" || fault("").err() != nil {
		t.Error("no error became one")
	}
}

func TestParseFaultRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "E", "enoent", "EACCES?", `"open`, "exit-", "exit--1", "exit-99999999999"} {
		if f, err := parseFault(s); err == nil {
			t.Errorf("%q was read as %q", s, f)
		}
	}
}
