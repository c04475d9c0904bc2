package all

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// Page writes docs/rules.md from the rules themselves.
func Page(rules []lint.Rule) string {
	var b strings.Builder
	b.WriteString("# Rules\n\n")
	b.WriteString("Made from the code by `go test ./internal/lint/all -update`; a test fails when this page is stale, when an example\n")
	b.WriteString("does not break its rule, or when what a mend makes of it is not the good one.\n\n")
	fmt.Fprintf(&b, "%d rules, asked by `rocsmith lint`. The examples are for a machine whose `/dev/kfd` and render nodes belong to\n", len(rules))
	b.WriteString("gid 110, with Docker, unless they say otherwise. Those with a mend are mended by `rocsmith lint --fix`.\n\n")
	b.WriteString("A finding can be suppressed by a comment in its line or above it, or for whole files in `.rocsmith-ignore`:\n\n")
	b.WriteString("```\n# rocsmith-ignore: compose/group-name until 2027-01-31: REASON\n```\n```\nPATH compose/group-name until 2027-01-31: REASON\n```\n\n")
	b.WriteString("| rule | the good state | |\n|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.ID, strings.ReplaceAll(r.ID, "/", ""), r.Title, notes(r))
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n", r.ID, r.Title, r.Why)
		example(&b, "Bad", r.Bad)
		example(&b, "Good", r.Good)
	}
	return b.String()
}

// notes say what is special about a rule.
func notes(r lint.Rule) string {
	var out []string
	if mends(r) {
		out = append(out, "mended")
	}
	if r.Strict {
		out = append(out, "with `--strict`")
	}
	return strings.Join(out, ", ")
}

// mends tells whether a rule offers a mend for its own example.
func mends(r lint.Rule) bool {
	s, _ := lint.OnExample(r.Bad.On)
	s.Strict = r.Strict
	found := lint.Run(r.Bad.Project(false), s, []lint.Rule{r}).Found
	return slices.ContainsFunc(found, func(f lint.Found) bool { return f.Mend != nil })
}

func example(b *strings.Builder, title string, e lint.Example) {
	where := ""
	if e.On != "" {
		where = fmt.Sprintf(", on the machine `%s`", e.On)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		fmt.Fprintf(b, "\n%s, `%s`%s:\n\n```%s\n%s\n```\n", title, name, where, language(name), strings.TrimRight(e.Files[name], "\n"))
		title = "with"
	}
}

// language colours an example on sites that know how.
func language(name string) string {
	switch path.Ext(name) {
	case ".yml", ".yaml":
		return "yaml"
	case ".json":
		return "jsonc"
	case ".toml":
		return "toml"
	case ".sh":
		return "sh"
	case ".container":
		return "ini"
	}
	if kind, _ := lint.KindOf(name); kind == lint.Dockerfile {
		return "dockerfile"
	}
	return ""
}
