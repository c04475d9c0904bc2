package launch

import (
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A stressTarget is a target that was opened.
type stressTarget struct {
	target
	file *os.File // for the command
	from *os.File // where its reader reads; nil where it is a file, which is read at the end
	path string
}

func openTarget(t *testing.T, g target, path string) stressTarget {
	t.Helper()
	o := stressTarget{target: g}
	switch g.kind {
	case "pipe", "pipe that does not block":
		var p [2]int
		must(t, unix.Pipe2(p[:], unix.O_CLOEXEC))
		o.from, o.file = os.NewFile(uintptr(p[0]), "from"), os.NewFile(uintptr(p[1]), "to")
	case "socket", "socket that does not block":
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		must(t, err)
		o.from, o.file = os.NewFile(uintptr(p[0]), "from"), os.NewFile(uintptr(p[1]), "to")
	case "network":
		o.from, o.file = connection(t)
	case "fifo":
		o.from, o.file = openFIFO(t, path)
	case "terminal":
		o.from, o.file = rawTerminal(t)
	case "device":
		o.file = openFile(t, os.DevNull, os.O_WRONLY)
	default:
		flags := os.O_CREATE | os.O_WRONLY
		if g.kind == "file to append to" {
			flags |= os.O_APPEND
		}
		o.path = path
		o.file = openFile(t, o.path, flags)
	}
	if g.kind == "pipe that does not block" || g.kind == "socket that does not block" {
		must(t, unix.SetNonblock(int(o.file.Fd()), true))
	}
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openFile(t *testing.T, path string, flags int) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, flags, 0o600)
	must(t, err)
	return f
}

// connection is one over the network, to this machine itself.
func connection(t *testing.T) (from, to *os.File) {
	t.Helper()
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer func() { _ = unix.Close(listener) }()
	must(t, unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	must(t, unix.Listen(listener, 1))
	address, err := unix.Getsockname(listener)
	must(t, err)
	client, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	must(t, unix.Connect(client, address))
	server, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	must(t, err)
	return os.NewFile(uintptr(server), "from"), os.NewFile(uintptr(client), "to")
}

func openFIFO(t *testing.T, path string) (from, to *os.File) {
	t.Helper()
	must(t, unix.Mkfifo(path, 0o600))
	r, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	must(t, err)
	w, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	must(t, unix.SetNonblock(r, false))
	return os.NewFile(uintptr(r), "from"), os.NewFile(uintptr(w), "to")
}

// rawTerminal is one that changes no byte.
func rawTerminal(t *testing.T) (from, to *os.File) {
	t.Helper()
	term := openTerminal(t)
	settings := term.settings()
	settings.Oflag &^= unix.OPOST
	term.control(func(fd int) { must(t, unix.IoctlSetTermios(fd, unix.TCSETS, &settings)) })
	return term.master, term.slave
}

// read reads as the reader of the target does, and hands over what it got.
func (o stressTarget) read(all int, ended <-chan struct{}) <-chan []byte {
	got := make(chan []byte, 1)
	go func() {
		if o.path != "" {
			<-ended
			text, _ := os.ReadFile(o.path)
			got <- text
			return
		}
		if o.from == nil {
			got <- nil
			return
		}
		got <- o.listen(all)
		_ = o.from.Close()
	}()
	return got
}

func (o stressTarget) listen(all int) []byte {
	const late = 1200 * time.Millisecond // twice what inspect allows
	first, piece := 0, 1<<20
	switch o.reader {
	case "slowly":
		piece = max(all/100, 1000)
	case "in two halves", "goes":
		first = all / 2
	}
	if o.reader == "late" {
		time.Sleep(late)
	}
	text, err := io.ReadAll(io.LimitReader(o.from, int64(first)))
	if err != nil || o.reader == "goes" {
		return text
	}
	if first > 0 {
		time.Sleep(late)
	}
	buffer := make([]byte, piece)
	for err == nil { // the master of a terminal that is closed answers EIO
		var n int
		n, err = o.from.Read(buffer)
		text = append(text, buffer[:n]...)
		if o.reader == "slowly" {
			time.Sleep(time.Millisecond)
		}
	}
	return text
}
