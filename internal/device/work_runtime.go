package device

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/rocsmith/rocsmith/internal/operation"
)

var runtimeWork = map[string]func(*bench) error{
	"init":     func(*bench) error { return nil }, // counting and choosing is all
	"identity": tellIdentity,
	"copy":     copyAround,
}

func tellIdentity(b *bench) error {
	id, err := b.run.identity(b.device)
	b.fact("name", id.name)
	b.fact("gfx", id.target)
	b.fact("bus", id.bus)
	b.fact("runtime", id.runtime)
	b.fact("driver", id.driver)
	if err != nil {
		return err
	}
	b.fact("memory", strconv.FormatUint(id.total, 10))
	b.number("memory_free", float64(id.free))
	b.number("memory_total", float64(id.total))
	if id.total == 0 {
		return fmt.Errorf("the runtime says that this GPU has no memory")
	}
	return nil
}

const copyBytes = 64 << 20

// copyAround fills memory, and sends random bytes to the GPU, from one place
// there to another, and back.
func copyAround(b *bench) error {
	first, err := b.room(copyBytes)
	if err != nil {
		return err
	}
	second, err := b.room(copyBytes)
	if err != nil {
		return err
	}
	back := make([]byte, copyBytes)
	if err := b.filled(second, back); err != nil {
		return err
	}
	sent := randomBytes(copyBytes)
	start := time.Now()
	if err := b.run.toDevice(first, sent); err != nil {
		return err
	}
	b.speed("gb_per_s_to_device", start)
	start = time.Now()
	if err := b.run.within(second, first, copyBytes); err != nil {
		return err
	}
	if err := b.run.wait(); err != nil {
		return err
	}
	b.speed("gb_per_s_on_device", start)
	start = time.Now()
	if err := b.run.toHost(back, second); err != nil {
		return err
	}
	b.speed("gb_per_s", start)
	return sameBytes("copied", back, sent)
}

// filled looks at what fill has written.
func (b *bench) filled(p pointer, back []byte) error {
	if err := b.run.fill(p, 0xa5, len(back)); err != nil {
		return err
	}
	if err := b.run.wait(); err != nil {
		return err
	}
	if err := b.run.toHost(back, p); err != nil {
		return err
	}
	return sameBytes("filled", back, bytes.Repeat([]byte{0xa5}, len(back)))
}

func (b *bench) speed(name string, start time.Time) {
	if seconds := time.Since(start).Seconds(); seconds > 0 {
		b.number(name, copyBytes/seconds/1e9)
	}
}

func sameBytes(how string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	wrong, first := 0, -1
	for i := range got {
		if got[i] != want[i] {
			if wrong++; first < 0 {
				first = i
			}
		}
	}
	return refuse(operation.WrongResult, "%d of %d bytes that were %s came back wrong, the first at %d: 0x%02x instead of 0x%02x",
		wrong, len(got), how, first, got[first], want[first])
}

func randomBytes(n int) []byte {
	data := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(data) // never fails
	return data
}
