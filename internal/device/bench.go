package device

import (
	"fmt"
	"maps"
	"time"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// A bench is where one task is done: a GPU that is in use, and what lies on it.
type bench struct {
	backend backend
	run     runtimeAPI
	device  int
	held    []pointer
	answer  *operation.Answer
}

// poison is what results are filled with beforehand: fp32, fp16 and bf16 read it
// as no number, so that a value which was never written shows.
const poison = 0xff

// place copies data to the GPU, each to a place of its own.
func (b *bench) place(data ...[]byte) ([]pointer, error) {
	places := make([]pointer, len(data))
	for i, d := range data {
		p, err := b.room(len(d))
		if err != nil {
			return nil, err
		}
		if err := b.run.toDevice(p, d); err != nil {
			return nil, err
		}
		places[i] = p
	}
	return places, nil
}

// room makes a poisoned place on the GPU.
func (b *bench) room(bytes int) (pointer, error) {
	p, err := b.run.alloc(bytes)
	if err != nil {
		return 0, err
	}
	b.held = append(b.held, p)
	return p, b.run.fill(p, poison, bytes)
}

// fetch waits for the GPU and copies a result back.
func (b *bench) fetch(from pointer, count int, kind element) ([]float32, error) {
	if err := b.run.wait(); err != nil {
		return nil, err
	}
	data := make([]byte, count*kind.size())
	if err := b.run.toHost(data, from); err != nil {
		return nil, err
	}
	return kind.decode(data), nil
}

func (b *bench) clear() {
	for _, p := range b.held {
		b.run.free(p)
	}
	b.held = nil
}

// with notes which file does the work.
func with[T namer](b *bench, open func() (T, error)) (T, error) {
	lib, err := open()
	if err == nil {
		b.answer.Library = lib.name()
	}
	return lib, err
}

func (b *bench) number(name string, value float64) {
	if b.answer.Numbers == nil {
		b.answer.Numbers = map[string]float64{}
	}
	b.answer.Numbers[name] = value
}

func (b *bench) fact(name, value string) {
	if value == "" {
		return
	}
	if b.answer.Facts == nil {
		b.answer.Facts = map[string]string{}
	}
	b.answer.Facts[name] = value
}

// report keeps the numbers of a comparison and says what is wrong with it.
func (b *bench) report(c comparison) error {
	for name, value := range c.numbers() {
		b.number(name, value)
	}
	return c.judge()
}

// answerTo does a task. Whatever goes wrong within Go becomes a verdict; what
// goes wrong within a library may end the process, which the parent sees.
func answerTo(back backend, q operation.Question) (answer operation.Answer) {
	answer = operation.Answer{Task: q.Task, Verdict: operation.Pass}
	start := time.Now()
	b := &bench{backend: back, device: q.Device, answer: &answer}
	defer func() {
		if r := recover(); r != nil {
			answer.Verdict, answer.Why = operation.Failed, fmt.Sprintf("rocsmith-probe failed: %v", r)
		}
		answer.Ms = float64(time.Since(start).Microseconds()) / 1000
	}()
	err := b.do(q)
	if err != nil {
		answer.Verdict, answer.Why = verdict(err), err.Error()
	}
	return answer
}

func (b *bench) do(q operation.Question) error {
	if err := supported(); err != nil {
		return refuse(operation.CannotStart, "%v", err)
	}
	task, ok := work[q.Task]
	if !ok {
		return fmt.Errorf("there is no task %q", q.Task)
	}
	run, err := with(b, b.backend.runtime)
	if err != nil {
		return err
	}
	b.run = run
	if err := b.choose(); err != nil {
		return err
	}
	defer b.clear()
	if err := task(b); err != nil {
		return err
	}
	return b.run.wait()
}

// choose starts the runtime and the GPU that is asked for.
func (b *bench) choose() error {
	count, err := b.run.count()
	if err != nil {
		return err
	}
	b.number("devices", float64(count))
	if b.device < 0 || b.device >= count {
		return refuse(operation.NoDevice, "there is no GPU number %d: the runtime counts %d, from 0 on", b.device, count)
	}
	return b.run.use(b.device)
}

// work holds what is done for each task of the operation room.
var work = func() map[string]func(*bench) error {
	all := map[string]func(*bench) error{}
	for _, some := range []map[string]func(*bench) error{runtimeWork, kernelWork, productWork, layerWork} {
		maps.Copy(all, some)
	}
	return all
}()
