package host

import (
	"path"
	"slices"
	"strings"
)

// Files that shells read at login hold settings of ROCm beside people's keys and
// tokens. What is kept of them is decided here, once: the survey takes no other
// line, and a snapshot holds no other line.

// An Assignment is a variable that a line of a shell's file sets.
type Assignment struct{ Name, Value string }

// unevaluated stands for what only running a command would tell.
const unevaluated = "$(…)"

// maxShellLine bounds the lines that are looked at; a longer one is data.
const maxShellLine = 4096

// stackNames begin the names of variables that ROCm and what stands on it read.
var stackNames = []string{
	"HSA_", "HSAKMT_", "ROCR_", "HIP_", "HIPRTC_", "MIOPEN_", "ROCBLAS_", "HIPBLAS_", "HIPBLASLT_", "TENSILE_", "RCCL_", "NCCL_",
	"ROCFFT_", "ROCSOLVER_", "ROCSPARSE_", "ROCM_", "ROC_", "HCC_", "AMDGPU_", "AMD_LOG_", "AMD_SERIALIZE_", "AMD_DIRECT_DISPATCH",
	"AMD_COMGR_", "GPU_", "PYTORCH_", "TORCH_", "TORCHINDUCTOR_", "FLASH_ATTENTION_", "BNB_ROCM_VERSION", "CUDA_VISIBLE_DEVICES",
}

// IsStackVariable says whether a variable belongs to ROCm by its name, and may
// be shown to others.
func IsStackVariable(name string) bool {
	ours := slices.ContainsFunc(stackNames, func(p string) bool { return strings.HasPrefix(name, p) })
	return ours && !isSecretVariable(name)
}

// StackAssignments returns the variables of ROCm that a line of a shell's file
// sets: export NAME=value, NAME=value, fish's set -gx NAME value, or systemd's
// Environment="NAME=value". Nothing is evaluated: a reference to another variable stays as it is written, and a
// command is only marked.
func StackAssignments(line string) []Assignment {
	if len(line) > maxShellLine {
		return nil
	}
	var found []Assignment
	for rest := line; rest != ""; {
		var words []string
		words, rest = shellStatement(rest)
		for _, a := range assigned(words) {
			if IsStackVariable(a.Name) {
				found = append(found, a)
			}
		}
	}
	return found
}

// assigned returns what a statement sets. An assignment before a command counts
// for that command only.
func assigned(words []string) []Assignment {
	for len(words) > 0 && slices.Contains([]string{"then", "else", "do", "{"}, words[0]) {
		words = words[1:] // whether a condition holds takes a shell to tell; the line is shown
	}
	if len(words) == 0 {
		return nil
	}
	// A unit of systemd sets several behind one key.
	if first, unit := strings.CutPrefix(words[0], "Environment="); unit {
		words = append([]string{"export", first}, words[1:]...)
	}
	switch words[0] {
	case "set":
		return fishAssigned(words[1:])
	case "export", "declare", "typeset":
		var found []Assignment
		for _, w := range words[1:] {
			if a, ok := assignment(w); ok {
				found = append(found, a)
			}
		}
		return found
	}
	found := make([]Assignment, 0, len(words))
	for _, w := range words {
		a, ok := assignment(w)
		if !ok {
			return nil
		}
		found = append(found, a)
	}
	return found
}

// fishAssigned wants a flag that exports: -x, -gx, -Ux, --export.
func fishAssigned(words []string) []Assignment {
	exports := false
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		short := !strings.HasPrefix(words[0], "--") && strings.Contains(words[0], "x")
		exports = exports || short || words[0] == "--export"
		words = words[1:]
	}
	if !exports || len(words) == 0 || !isVariableName(words[0]) {
		return nil
	}
	return []Assignment{{Name: words[0], Value: strings.Join(words[1:], " ")}}
}

func assignment(word string) (Assignment, bool) {
	name, value, found := strings.Cut(word, "=")
	return Assignment{Name: name, Value: value}, found && isVariableName(name)
}

func isVariableName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// shellStatement splits the first statement off a line, as words without their
// quotes. After a command in a value nothing more of the line is read: where it
// ends takes a shell to tell.
func shellStatement(s string) (words []string, rest string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" || s[0] == '#' {
			return words, ""
		}
		if strings.IndexByte(";&|()<>{}", s[0]) >= 0 {
			return words, s[1:]
		}
		word, after, ok := shellWord(s)
		words = append(words, word)
		if !ok {
			return words, ""
		}
		s = after
	}
}

// shellWord reads one word; ok is false where it holds a command or a quote that
// does not end.
func shellWord(s string) (word, rest string, ok bool) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == 0 && strings.IndexByte(" \t\r\n;&|()<>{}", c) >= 0 && !braced(s, i):
			return b.String(), s[i:], true
		case quote != '\'' && (c == '`' || strings.HasPrefix(s[i:], "$(")):
			b.WriteString(unevaluated)
			return b.String(), "", false
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", quote == 0
}

// braced tells the braces of ${NAME} from those of a group.
func braced(s string, i int) bool {
	return s[i] == '{' && i > 0 && s[i-1] == '$' || s[i] == '}' && strings.Contains(s[:i], "${")
}

// line writes an assignment so that StackAssignments reads the same again.
func (a Assignment) line() string {
	return "export " + a.Name + "='" + strings.ReplaceAll(a.Value, "'", `'\''`) + "'"
}

// isShellFile says that a shell, or what prepares its environment, reads a file.
func isShellFile(p string) bool {
	switch path.Base(p) {
	case ".bashrc", ".profile", ".bash_profile", ".zshrc", ".zshenv", ".zprofile", "bash.bashrc", "config.fish", ".env":
		return true
	}
	if strings.HasSuffix(p, ".service") || strings.HasSuffix(path.Dir(p), ".service.d") {
		return true
	}
	return p == "/etc/environment" || p == "/etc/profile" || path.Dir(p) == "/etc/profile.d" || path.Base(path.Dir(p)) == "environment.d"
}

// shellFile keeps the settings of ROCm in a shell's file, each on its line, and
// nothing else: these files hold people's keys.
func (a *aliases) shellFile(body []byte) []byte {
	return []byte(eachLine(string(body), func(line string) string {
		var kept []string
		for _, x := range StackAssignments(line) {
			kept = append(kept, Assignment{Name: x.Name, Value: a.variable(x.Name, x.Value)}.line())
		}
		return strings.Join(kept, "; ")
	}))
}
