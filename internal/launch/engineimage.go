package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// An Image is what an engine says of an image.
type Image struct {
	Reference  string
	ID         string
	Env        []string
	Entrypoint []string
}

// Version names the software of an image, for folders that another version must
// not find: the ROCm that it says it holds, else the image itself.
func (i Image) Version() string {
	if v := value(i.Env, "ROCM_VERSION"); v != "" && !strings.ContainsFunc(v, func(r rune) bool { return !strings.ContainsRune("0123456789.", r) }) && !strings.HasPrefix(v, ".") {
		return "rocm-" + v
	}
	const enough = 12 // digits, as engines show them
	id := strings.TrimPrefix(i.ID, "sha256:")
	return "image-" + id[:min(enough, len(id))]
}

// Image asks for an image, and fetches it where it is not here. What the engine
// says of its progress goes to w.
func (e Engine) Image(ctx context.Context, reference string, w io.Writer) (Image, error) {
	image, err := e.Known(ctx, reference)
	if !isMissing(err) {
		return image, err
	}
	if err := e.fetch(ctx, reference, w); err != nil {
		return Image{}, err
	}
	return e.Known(ctx, reference)
}

// Known asks for an image that is here.
func (e Engine) Known(ctx context.Context, reference string) (Image, error) {
	if reference == "" || strings.HasPrefix(reference, "-") || strings.ContainsAny(reference, " \t\n\x00") {
		return Image{}, fmt.Errorf("%q is no name of an image", reference)
	}
	text, err := e.ask(ctx, "image", "inspect", "--format", "{{json .}}", reference)
	if err != nil {
		return Image{}, fmt.Errorf("look at the image %s: %w", reference, err)
	}
	image, err := ParseImage(text)
	if err != nil {
		return Image{}, fmt.Errorf("look at the image %s: %w", reference, err)
	}
	image.Reference = reference
	return image, nil
}

// isMissing tells that an engine does not have an image.
func isMissing(err error) bool {
	var said *engineError
	if !errors.As(err, &said) {
		return false
	}
	text := strings.ToLower(said.words)
	return strings.Contains(text, "no such image") || strings.Contains(text, "image not known") || strings.Contains(text, "no such object")
}

// ParseImage reads what an engine says of one image: Docker answers with it,
// podman with a list that holds it.
func ParseImage(text []byte) (Image, error) {
	var one struct {
		ID     string `json:"Id"`
		Config struct{ Env, Entrypoint []string }
	}
	target := any(&one)
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		list := []any{&one}
		target = &list
	}
	if err := json.Unmarshal(text, target); err != nil {
		return Image{}, fmt.Errorf("the answer is no JSON of an image: %w", err)
	}
	if one.ID == "" || strings.ContainsFunc(strings.TrimPrefix(one.ID, "sha256:"), func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return Image{}, errors.New("the answer names no image")
	}
	return Image{ID: one.ID, Env: one.Config.Env, Entrypoint: one.Config.Entrypoint}, nil
}

// fetch pulls an image. It may take as long as it takes, and is ended with
// rocsmith.
func (e Engine) fetch(ctx context.Context, reference string, w io.Writer) error {
	defer keepThread()()
	words := limited{left: 1 << 20}
	cmd := exec.CommandContext(ctx, e.Program, "pull", reference) //nolint:gosec // an engine that the user has installed
	cmd.Env, cmd.SysProcAttr = e.Env, attributes()
	shown := &inTurn{w: w}
	cmd.Stdout, cmd.Stderr = shown, io.MultiWriter(shown, &words)
	if err := cmd.Run(); err != nil {
		return notFetched(filepath.Base(e.Program), reference, engineWords(words.String()), err)
	}
	return nil
}

// inTurn lets two streams of a command be shown in one place. What nobody reads is no
// reason to end the command.
type inTurn struct {
	mu sync.Mutex
	w  io.Writer
}

func (t *inTurn) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.w.Write(p)
	return len(p), nil
}

// notFetched says in one sentence why an image could not be had.
func notFetched(engine, reference, words string, err error) error {
	if words == "" {
		words = err.Error()
	}
	text := strings.ToLower(words)
	has := func(marks ...string) bool {
		for _, s := range marks {
			if strings.Contains(text, s) {
				return true
			}
		}
		return false
	}
	switch {
	case has("no space left"):
		return fmt.Errorf("there is no room on the disk for the image %s (%s); %s system df shows what takes it", reference, words, engine)
	case has("no such host", "dial tcp", "network is unreachable", "i/o timeout", "connection refused", "name resolution", "tls handshake"):
		return fmt.Errorf("the image %s is not here, and its registry cannot be reached (%s); load it from a file with %s load", reference, words, engine)
	case has("unauthorized", "denied", "manifest unknown", "not found", "short-name", "no such image", "did not resolve", "does not exist"):
		return fmt.Errorf("the image %s is not here, and no registry gives it out under that name (%s)", reference, words)
	}
	return fmt.Errorf("fetch the image %s: %s", reference, words)
}
