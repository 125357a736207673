package export

import (
	"cmp"
	"path/filepath"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
)

// Options are what is asked for; pipeline export --help says more.
type Options struct {
	What        string  // STAGE, STAGE.OUTPUT, or a task
	Path        string  // a file, a directory, or - for stdout
	Format      string  // "" for that of the path's ending
	Labels      string  // label image of the regions, for CIFTI
	Column      string  // the value of a region; "" is score, else value
	Draw        int     // the draw, for formats that hold one
	TR          float64 // s; 0 for that of the scan
	Names       bool    // the regions' names in tables
	Partial     bool    // leave out members without a result
	CSVSafe     bool    // no text of a csv is a formula
	Draws       bool    // BIDS: the bootstrap draws too
	Task, Atlas string  // BIDS: names
	App         *App    // BIDS: of the BIDS App
}

// An App is what the BIDS App asks of a dataset. It may be there already, and other jobs may
// write it at the same time.
type App struct {
	Participants []string          // whose files are written; those of all others stay
	Container    map[string]string // GeneratedBy's Container; nil outside of one
	Files        map[string]string // further files, by name in the dataset
	Ignore       []string          // further lines of .bidsignore
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
	brief bool // a line a stage, not a line a file
}

// partialHint ends the message about missing results.
const partialHint = "; --partial exports the others"
