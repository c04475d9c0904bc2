package rocm

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the tables for the program from those for people")

// compile turns a table from the form for people into the form for the program: the citation of each row is resolved,
// and checked.
func compile(text []byte) ([]byte, error) {
	var table map[string]any
	if err := yaml.Unmarshal(text, &table); err != nil {
		return nil, err
	}
	sources, _ := table["sources"].(map[string]any)
	delete(table, "sources")
	used := map[string]bool{}
	if err := cite(table, sources, used); err != nil {
		return nil, err
	}
	for key := range sources {
		if !used[key] {
			return nil, fmt.Errorf("nothing cites the source %q", key)
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(table)
	return out.Bytes(), err
}

// cite resolves the citations below a value. Every mapping in a list of the table is a row, and must have one.
func cite(value any, sources map[string]any, used map[string]bool) error {
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			if err := cite(item, sources, used); err != nil {
				return fmt.Errorf("row %d: %w", i+1, err)
			}
		}
	case map[string]any:
		if _, isRow := v["src"]; isRow || v["conf"] != nil {
			return citeRow(v, sources, used)
		}
		for key, item := range v {
			if err := cite(item, sources, used); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}

func citeRow(row, sources map[string]any, used map[string]bool) error {
	var keys []any
	switch src := row["src"].(type) {
	case string:
		keys = []any{src}
	case []any:
		keys = src
	}
	if len(keys) == 0 {
		return errors.New("no source")
	}
	var texts []string
	for _, key := range keys {
		name := fmt.Sprint(key)
		text, ok := sources[name].(string)
		if !ok {
			return fmt.Errorf("source %q is not in the list of sources", name)
		}
		used[name] = true
		texts = append(texts, text)
	}
	grade := Confidence(fmt.Sprint(row["conf"]))
	if !slices.Contains([]Confidence{Documented, SourceCode, Community}, grade) {
		return fmt.Errorf("confidence %q is none of ours", grade)
	}
	row["Source"], row["Confidence"] = strings.Join(texts, "; "), grade
	if verified, ok := row["verified"].(bool); ok && !verified {
		row["Unverified"] = true
	}
	delete(row, "src")
	delete(row, "conf")
	delete(row, "verified")
	return nil
}

// files are the tables with the type that each is read into.
func files() map[string]any {
	return map[string]any{
		"gpus": new(productFile), "targets": new(targetFile), "linux": new(linuxFile),
		"releases": new(releaseFile), "env": new(variableFile), "wheels": new(wheelFile), "torch": new(torchFile),
		"env_names": new(nameFile), "env_rules": new(settingFile), "sonames": new(sonameFile),
		"python": new(pythonFile), "package_targets": new(packageTargetFile), "windows": new(windowsFile), "code": new(codeFile), "amd_builds": new(amdBuildFile),
		"images": new(imageFile), "requires": new(requiresFile),
	}
}

// compileAll compiles every table and reads it back. A key that nobody knows would
// be a fact silently lost, and a number where text belongs a panic at the user's.
// What it returns are the files for the program, by name.
func compileAll() (map[string][]byte, error) {
	compiled, within := map[string][]byte{}, map[string]any{}
	var errs []error
	for name, into := range files() {
		text, err := compileTable(name, into)
		if err != nil {
			errs = append(errs, fmt.Errorf("data/%s.yaml: %w (ids and versions are text: quote them)", name, err))
		}
		if variable, ok := compiledIn()[name]; ok {
			within[variable] = into
		} else {
			compiled["data/"+name+".json"] = text
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var errIndex, errLiterals error
	compiled["data/env_index.json"], errIndex = variableIndex(compiled["data/env.json"])
	compiled["tables.go"], errLiterals = literals(within)
	return compiled, errors.Join(errIndex, errLiterals)
}

func compileTable(name string, into any) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join("data", name+".yaml"))
	if err != nil {
		return nil, err
	}
	compiled, err := compile(text)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(compiled))
	dec.DisallowUnknownFields()
	return compiled, dec.Decode(into)
}

// variableIndex takes the names out of the table of variables.
func variableIndex(env []byte) ([]byte, error) {
	var file variableFile
	if err := json.Unmarshal(env, &file); err != nil {
		return nil, err
	}
	var index struct {
		Names []string `json:"names"`
	}
	for _, row := range file.Variables {
		index.Names = append(index.Names, row.Names...)
	}
	text, err := json.Marshal(index)
	return append(text, '\n'), err
}

// TestMain writes the tables before any test reads them, and only if all are good.
func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		compiled, err := compileAll()
		for name, text := range compiled {
			if err == nil {
				err = os.WriteFile(filepath.FromSlash(name), text, 0o644)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("wrote the tables; now run go test ./internal/rocm")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTablesAreFresh(t *testing.T) {
	t.Parallel()
	compiled, err := compileAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range compiled {
		got, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale (%v); run go test ./internal/rocm -update", name, err)
		}
	}
	written, err := filepath.Glob("data/*.yaml")
	if err != nil || len(written) != len(files()) {
		t.Errorf("%d tables are written and %d are read (%v)", len(written), len(files()), err)
	}
	embedded, err := filepath.Glob("data/*.json")
	if err != nil || len(embedded)+1 != len(compiled) { // one file holds those that are Go
		t.Errorf("%d tables are embedded and %d are made (%v)", len(embedded), len(compiled)-1, err)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an unknown source":  "sources: {a: A}\nrows: [{x: 1, src: b, conf: documented}]",
		"no source":          "sources: {a: A}\nrows: [{x: 1, conf: documented}]",
		"an unknown grade":   "sources: {a: A}\nrows: [{x: 1, src: a, conf: hearsay}]",
		"no grade":           "sources: {a: A}\nrows: [{x: 1, src: a}]",
		"an uncited source":  "sources: {a: A, b: B}\nrows: [{x: 1, src: a, conf: documented}]",
		"what is not a list": "- 1",
	} {
		if _, err := compile([]byte(text)); err == nil {
			t.Errorf("%s passed", name)
		}
	}
	got, err := compile([]byte("sources: {a: A, b: B}\nrows: [{x: 1, src: [a, b], conf: community, verified: false}]"))
	if want := `{"rows":[{"Confidence":"community","Source":"A; B","Unverified":true,"x":1}]}` + "\n"; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
}
