package export

import (
	"cmp"
	"path/filepath"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
)

// Options are what is asked for; see pipeline export --help.
type Options struct {
	What, Path, Format string
	Labels, Column     string
	Draw               int
	TR                 float64
	Names, Draws       bool
	Task, Atlas        string
	Partial, CSVSafe   bool
}

// FileFormat is the format that is asked for, by --format or by the end of the path.
func (o *Options) FileFormat() string {
	return cmp.Or(o.Format, extensions[strings.ToLower(filepath.Ext(o.Path))])
}

// A job is one export: where it says things, which results there are, what is asked for.
type job struct {
	*console.Console
	*results.Current
	Options
}

// partialHint ends the message about missing results.
const partialHint = "; --partial exports the others"
