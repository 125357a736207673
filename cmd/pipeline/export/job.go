package export

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Options are the flags of pipeline export.
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

// flagFormats are the formats that a flag is for; --draw is for all forms.
var flagFormats = map[string][]string{
	"column":   {"node", "pscalar", "all"},
	"labels":   {"pconn", "ptseries", "pscalar", "all"},
	"tr":       {"ptseries", "all"},
	"names":    {"arrow", "arrow-zstd", "parquet", "csv", "tsv", "all"},
	"csv-safe": {"csv", "tsv", "all"},
	"draws":    {"bids", "pyg"},
	"task":     {"bids"},
	"atlas":    {"bids", "model"},
}

// Refuses gives the formats that a flag is for, where that of the export is none of them; nil where the flag has a
// meaning. The format of a directory is that of each result.
func (o *Options) Refuses(flag string) []string {
	asked := []string{o.FileFormat()}
	for _, f := range forms {
		if o.Format == "" && strings.HasSuffix(strings.ToLower(o.Path), f.Ending) {
			asked = append(asked, f.Name)
		}
	}
	takes := flagFormats[flag]
	if flag == "draw" {
		takes = append(formNames(), "all")
	}
	if takes == nil || slices.ContainsFunc(asked, func(format string) bool { return slices.Contains(takes, format) }) {
		return nil
	}
	return takes
}

// A job is one export: where it says things, which results there are, what is asked for.
type job struct {
	*console.Console
	*results.Current
	Options
	brief  bool // a line a stage, not a line a file
	lost   []lost
	output string            // STAGE.OUTPUT that is written
	record *record           // see made
	tasks  map[string]string // BIDS: by participant, see taskOf
	batch  *batch            // of a directory: see together
}

// A lost says why formats cannot hold some results of an output.
type lost struct {
	output, why string
	forms       []string
	members     []string // the results
}

// lose notes that a format cannot hold a result.
func (x *job) lose(n *dag.Node, port dag.Port, form string, why error) {
	output := n.Stage().Name() + "." + port.Name
	at := slices.IndexFunc(x.lost, func(l lost) bool { return l.output == output && l.why == why.Error() })
	if at < 0 {
		at, x.lost = len(x.lost), append(x.lost, lost{output: output, why: why.Error()})
	}
	l := &x.lost[at]
	l.forms = lists.Add(l.forms, form)
	if member := n.ID() + "." + port.Name; len(l.members) == 0 || l.members[len(l.members)-1] != member {
		l.members = append(l.members, member)
	}
}

// detail is what differs between reasons that say the same: numbers, examples, and the columns of a table.
var detail = pattern.New(`\([^)]*\)|\d+|: the columns are .*`)

// noteLost names the results that are not written in some formats, those with the same reason together.
func (x *job) noteLost() {
	var reasons []string
	outputs, why := map[string][]string{}, map[string]string{}
	for _, l := range x.lost {
		what := l.members[0]
		if n := len(l.members); n > 1 {
			what = fmt.Sprintf("%s (%s)", l.output, words.Count(n, "member"))
		}
		forms := strings.Join(l.forms, ", ")
		reason := forms + ": " + detail.ReplaceAllString(l.why, "")
		if outputs[reason] == nil {
			reasons = append(reasons, reason)
			why[reason] = forms + ": " + l.why
		}
		outputs[reason] = append(outputs[reason], what)
	}
	for _, reason := range reasons {
		if len(outputs[reason]) > 1 { // each has its own
			why[reason], _, _ = strings.Cut(why[reason], ": the columns are ")
		}
		x.Note("left out: %s as %s", strings.Join(outputs[reason], ", "), why[reason])
	}
}

// partialHint ends the message about missing results.
const partialHint = "; --partial exports the others"
