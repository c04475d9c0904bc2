package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

const aclName = "system.posix_acl_access"

// accessList is a list in the kernel's form (linux/posix_acl_xattr.h): the owner
// writes, uid 1234 reads, the mask lets nobody else do more.
func accessList() []byte {
	out := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{0x01, 6, ^uint32(0)}, {0x02, 4, 1234}, {0x04, 4, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		out = binary.LittleEndian.AppendUint16(out, e.tag)
		out = binary.LittleEndian.AppendUint16(out, e.perm)
		out = binary.LittleEndian.AppendUint32(out, e.id)
	}
	return out
}

// TestAccessListsStay: the new file has the list of the old one, and so has the
// one that undo brings back.
func TestAccessListsStay(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	file := p.file(".bashrc")
	if err := unix.Setxattr(file, aclName, accessList(), 0); errors.Is(err, unix.ENOTSUP) {
		t.Skip("this file system has no access lists")
	} else if err != nil {
		t.Fatal(err)
	}
	before := p.tree(t)
	holds := func(when string) {
		t.Helper()
		got := make([]byte, 256)
		n, err := unix.Getxattr(file, aclName, got)
		if err != nil || !bytes.Equal(got[:n], accessList()) {
			t.Errorf("%s the list is %x (%v)", when, got[:max(n, 0)], err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s the mode is %v (%v)", when, info.Mode(), err)
		}
	}
	holds("before")
	must(t, p.perform(t, &trap{}))
	holds("after fix")
	must(t, p.takeBackLast(t, &trap{}))
	holds("after undo")
	sameTree(t, "after undo", p.tree(t), before)
}

// TestSumsOfTheKernel: what the kernel noted of the old content does not go to the new
// one, and is there again with the old.
func TestSumsOfTheKernel(t *testing.T) {
	t.Parallel()
	p := newPlot(t)
	file, sum := p.file(".bashrc"), []byte("\x04\x04a sum")
	if err := unix.Setxattr(file, "security.ima", sum, 0); err != nil {
		t.Skipf("this process may not set it: %v", err)
	}
	before := p.tree(t)
	must(t, p.perform(t, &trap{}))
	got := make([]byte, 64)
	if n, err := unix.Getxattr(file, "security.ima", got); err == nil && bytes.Equal(got[:n], sum) {
		t.Error("the new content has the sum of the old one")
	}
	must(t, p.takeBackLast(t, &trap{}))
	if n, err := unix.Getxattr(file, "security.ima", got); err != nil || !bytes.Equal(got[:n], sum) {
		t.Errorf("after undo the sum is %q, %v", got[:max(n, 0)], err)
	}
	sameTree(t, "after undo", p.tree(t), before)
}
