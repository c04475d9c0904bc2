package report

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/grant"
)

func languages() map[Shell]language {
	posix := language{
		comment: "# ",
		posix:   true,
		set:     func(name, value string) (string, bool) { return "export " + name + "=" + quotePOSIX(value), true },
		unset:   func(name string) string { return "unset " + name },
		prepend: func(name, value, _ string) (string, bool) {
			return fmt.Sprintf(`export %s=%s"${%s:+:$%s}"`, name, quotePOSIX(value), name, name), true
		},
	}
	return map[Shell]language{
		Bash: posix, Zsh: posix,
		Fish:       fish(),
		PowerShell: powerShell(),
		Cmd:        batch(),
		Dotenv: {
			comment: "# ",
			set:     dotenv,
		},
		Docker: {
			comment: "# ",
			set:     literal,
			needs:   dockerNeeds,
		},
		Systemd: {
			comment: "# ",
			before:  "[Service]\n",
			set:     func(name, value string) (string, bool) { return "Environment=" + quoteSystemd(name+"="+value), true },
			unset:   func(name string) string { return "UnsetEnvironment=" + name },
			needs:   systemdNeeds,
		},
	}
}

// quotePOSIX leaves plain words as they are; in single quotes nothing has a
// meaning but the quote itself.
func quotePOSIX(value string) string {
	if value != "" && !strings.ContainsFunc(value, unplain) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// unplain finds what some shell takes for more than a letter.
func unplain(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./,", r)
}

// fish keeps a backslash in single quotes unless it stands before a quote or
// another one.
func fish() language {
	quote := func(value string) string {
		if value != "" && !strings.ContainsFunc(value, unplain) {
			return value
		}
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
	}
	return language{
		comment: "# ",
		posix:   true, // "&&" is known since fish 3.0
		set:     func(name, value string) (string, bool) { return "set -gx " + name + " " + quote(value), true },
		unset:   fishUnset,
		prepend: func(name, value, _ string) (string, bool) {
			return fmt.Sprintf("set -gx --path %s %s $%s", name, quote(value), name), true
		},
	}
}

// fishUnset leaves a universal variable alone: erased, it would be gone from every shell
// for good, and fish has no way to hide it from one.
func fishUnset(name string) string {
	return fmt.Sprintf(`set -eg %s; if set -qU %s; echo "%s is a universal variable of fish, and stays; set -eU %s removes it for good" >&2; end`, name, name, name, name)
}

// powerShell takes typographic quotes for quotes too (about_Quoting_Rules), so
// they are doubled as well.
func powerShell() language {
	quote := func(value string) string {
		var b strings.Builder
		for _, r := range value {
			if strings.ContainsRune("'‘’‚‛", r) {
				b.WriteRune(r)
			}
			b.WriteRune(r)
		}
		return "'" + b.String() + "'"
	}
	return language{
		comment: "# ",
		set:     func(name, value string) (string, bool) { return "$env:" + name + " = " + quote(value), true },
		unset:   func(name string) string { return "Remove-Item Env:" + name + " -ErrorAction SilentlyContinue" },
		prepend: func(name, value, system string) (string, bool) {
			return fmt.Sprintf("$env:%s = %s + $env:%s", name, quote(value+listSeparator(system)), name), true
		},
	}
}

func listSeparator(system string) string {
	if system == "windows" {
		return ";"
	}
	return ":"
}

// batch is for a file that is called: %% is a percent sign there. A batch file has
// no way to write a line end or a sign that ends the quotes for good.
func batch() language {
	say := func(name, value, rest string) (string, bool) {
		if strings.ContainsAny(value, "\r\n\x00") {
			return "", false
		}
		return `set "` + name + "=" + escapeBatch(value) + rest + `"`, true
	}
	return language{
		comment: "rem ",
		set:     func(name, value string) (string, bool) { return say(name, value, "") },
		unset:   func(name string) string { return `set "` + name + `="` },
		prepend: func(name, value, system string) (string, bool) {
			return say(name, value, listSeparator(system)+"%"+name+"%")
		},
	}
}

// escapeBatch escapes what cmd would obey. Signs like & have no meaning within
// quotes, and a quote in the value ends and begins them.
func escapeBatch(value string) string {
	var b strings.Builder
	quoted := true
	for _, r := range value {
		switch {
		case r == '%':
			b.WriteString("%%")
			continue
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune("&|<>^()", r):
			b.WriteByte('^')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// dotenv says what compose and python-dotenv read alike: nothing is expanded in
// single quotes, and a backslash escapes in double ones. There compose wants \$ and
// python-dotenv does not, so that $ beside a single quote or a backslash cannot be
// said to both.
func dotenv(name, value string) (string, bool) {
	switch {
	case value != "" && !strings.ContainsFunc(value, unplain):
		return name + "=" + value, true
	case !strings.ContainsAny(value, `'\`):
		return name + "='" + value + "'", true
	}
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(value) + `"`, !strings.Contains(value, "$")
}

// literal is a line of docker's --env-file, which knows no quotes.
func literal(name, value string) (string, bool) {
	return name + "=" + value, !strings.ContainsAny(value, "\r\n")
}

// quoteSystemd quotes for Environment=: C escapes in double quotes, and % begins a
// specifier (systemd.syntax(7), systemd.unit(5)).
func quoteSystemd(assignment string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%").Replace(assignment) + `"`
}

// dockerNeeds names what no variable can give.
func dockerNeeds(n grant.Needs) string {
	if len(n.Nodes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# a container also needs:")
	a := n.Through(grant.Engine{Kind: grant.Docker})
	for _, d := range a.Devices {
		b.WriteString(" --device " + harmless(d))
	}
	for _, g := range a.Groups {
		b.WriteString(" --group-add " + g)
	}
	return b.String() + "\n"
}

func systemdNeeds(n grant.Needs) string {
	var b strings.Builder
	for _, g := range n.Groups {
		fmt.Fprintf(&b, "# unless its user is in the group already: SupplementaryGroups=%d (for %s)\n", g.GID, harmless(strings.Join(g.Nodes, ", ")))
	}
	return b.String()
}
