package cli

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/rocsmith/rocsmith/internal/report"
)

// style asks the environment what the reader's terminal can show. Colours only
// on a terminal, and never against NO_COLOR; signs beyond ASCII only where the
// locale knows them.
func (a *App) style() report.Style {
	return report.Style{
		Colour:  a.Columns > 0 && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb",
		Unicode: a.unicode(),
		Width:   a.Columns,
	}
}

func (a *App) unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(a.Getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return a.Getenv("WT_SESSION") != "" // Windows Terminal
}

// Columns returns the width of the terminal behind a file, and 0 where it is
// none.
func Columns(f *os.File) int {
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}
