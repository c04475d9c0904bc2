package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// An inbox holds the signals that rocsmith is sent while a command runs. Whether one
// of them asked for the end is kept before it is passed on, which an engine may take
// long for: a command may end at once, and then it must be known why it did.
type inbox struct {
	asked *asked
	out   chan os.Signal // what is to be passed on
	in    chan os.Signal
	noted chan struct{} // closed when everything that came in was looked at
}

// collect begins. What rocsmith was told to ignore, as nohup does, the command
// ignores too.
func collect(wanted []os.Signal) *inbox {
	const held = 16 // more than people send before the first is passed on
	i := &inbox{asked: newAsked(), out: make(chan os.Signal, held), in: make(chan os.Signal, held), noted: make(chan struct{})}
	for _, sig := range wanted {
		if !signal.Ignored(sig) {
			signal.Notify(i.in, sig)
		}
	}
	go i.note()
	return i
}

func (i *inbox) note() {
	defer close(i.noted)
	defer close(i.out)
	for sig := range i.in {
		switch sig {
		case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP:
			i.asked.now()
		}
		select {
		case i.out <- sig:
		default: // nobody takes them: so the system loses signals, too
		}
	}
}

// stop ends the collecting. What had come until then is in asked afterwards.
func (i *inbox) stop() {
	signal.Stop(i.in)
	close(i.in)
	<-i.noted
}
