package cohort

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A Loader reads a cohort: the block under `cohort:` in a pipeline file. It is a pointer to a struct of
// parameters, tagged like those of a Stage.
type Loader interface {
	// Load finds the participants. dir is the directory of the pipeline file, against which relative paths are read.
	// Mistakes in the parameters or in the participants table as a whole are errors (all of them, joined); what is
	// wrong with one participant only stands in its Subject.Problem.
	Load(dir string) (*Roster, error)
}

// A Roster is a cohort that has been loaded.
type Roster struct {
	// Participants has one row a subject, sorted: participant_id (text; of rows, the axis), group
	// (text, when known), then covariates under the names of their source.
	Participants *encoding.Table
	// Nodes is the node list: index (1…N), id (the label's value), name,
	// abbreviation, hemisphere, structure, x, y, z (mm, MNI), color.
	Nodes *encoding.Table
	// Extra are further values of the cohort as a whole, by output name (the truth of a simulated one).
	Extra map[string]artifacts.Value

	Subjects []Subject           // sorted by ID
	Axis     string              // that the members span, of a roster of rows; "" is subject
	Files    map[string]dag.Type // the per-participant ports that Subject.Files fills: bold, labels, confounds, series
	Values   map[string]dag.Type // the per-participant ports that Subject.Values fills
	PerRun   bool                // Subject.Runs fills them: stages with each: run read them
	// with PerRun: each of Subject.Runs is a session, and stages with each: session read them
	Sessions bool
	// Make, when set, is the stage that makes the per-participant ports (a
	// simulated cohort): one task a subject, with the parameter "subject".
	Make func(subject string) dag.Stage
	// MakeKind is the registered kind of what Make returns.
	MakeKind string
	Left     []listed.LeftOut // who stands in the table and takes no part, sorted by ID
	// who was left out and why, that it is simulated …: they stand in reports, so they name no place of this machine
	// (see NameIn)
	Notes []column.Note
	// OfRuns are columns of the table that differ between the runs or sessions of a participant, and are no covariates.
	OfRuns []listed.Differing
	// About, when set, notes what was found of the scans of some participants. timesApart is the one of these notes
	// that says which headers and sidecars give different repetition times, "" for none: which counts depends on the
	// stages.
	About func(ids map[string]bool) (notes, timesApart []column.Note)
	Time  string // which repetition time is right where they differ: sidecar or header; auto is not said
	// fail or skip: what becomes of participants that cannot be used; "" for kinds without a choice
	Incomplete  string
	Description string         // the desc- entity of the scans; "" where it is not known
	MadeBy      string         // the program that preprocessed the scans, "fMRIPrep 25.2.0"; "" when it is not known
	Atlas       []AtlasSetting // of an atlas by its name; nil for labels as given
	Space       string         // of the scans; "" where it is not known
	labels      string         // where the labels come from, of a cohort without an inventory
	moved       bool           // one label image of all is transformed to the space of each
	segmented   bool           // the label images are of each participant's own anatomy, in whatever space
	Here        []string       // for the person at this machine alone: where the data were found
	// unreadable, when set, says which files of a participant would fail when they are read (see Unreadable).
	unreadable func(id string, read func(path string) bool) []error
	// Scan, when set, gives volumes and repetition time (s; 0 where they are not known) of a participant's scan, by the
	// name of its run or session: so stages can refuse a scan before anything runs.
	Scan    func(id, part string) (volumes int, tr float64)
	volumes map[string]int               // of files that were read, by path
	headers map[string]map[string]string // of scans whose headers were read, by path: their properties
	// names of the regions that files of variables list, by port and path; nil of one that lists none
	heads   map[string][]string
	located []*located.Source // where the files of the table's rows are
	// names of the participants as the table has them, by id; nil where they have no others
	Sources map[string]string
	Table   string         // the table of the participants or rows, absolute; "" where there is none
	Lines   map[string]int // of the participants in it, the first one of each
	Root    string         // the directory from which results name the participants' files (see NameIn)
	// the parameters that choose among entities of which all files must have one value, by entity; "" for none
	one map[string]string
}

// AxisName is the axis that the members span.
func (r *Roster) AxisName() string { return cmp.Or(r.Axis, "subject") }

// PartAxis is the axis of the parts of a participant, of a roster PerRun.
func (r *Roster) PartAxis() string { return listed.PartName(r.Sessions) }

// Noun is what a member is called in a sentence.
func (r *Roster) Noun() string {
	if r.Axis != "" {
		return "row"
	}
	return "participant"
}

// WholeGroup is a group all of whose members are listed, who share a cause that exclude does not remove; "" for none.
func (r *Roster) WholeGroup(ids []string) string {
	if r == nil || r.Participants == nil || r.Axis != "" {
		return ""
	}
	_, group, err := column.ByParticipant(r.Participants, "group")
	if err != nil { // a number is predicted
		return ""
	}
	left := map[string]bool{}
	for id, g := range group {
		if !slices.Contains(ids, id) {
			left[g] = true
		}
	}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if g := group[id]; g != "" && !left[g] {
			return g
		}
	}
	return ""
}

// Line is where a participant stands in its table, "participants.tsv:12"; "" where there is none. It names no place of
// this machine.
func (r *Roster) Line(id string) string {
	if r.Lines[id] == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(r.Table), r.Lines[id])
}

// IDs are the members that take part.
func (r *Roster) IDs() map[string]bool {
	ids := lists.SetOf(r.Subjects, func(s Subject) string { return s.ID })
	return ids
}

// Without is the fault of a member of this roster.
func (r *Roster) Without(id string, err error) error {
	remedy := "exclude: [" + listed.Item(id) + "]"
	if r.Incomplete != "" {
		remedy = "incomplete: skip, or " + remedy
	}
	return listed.Fault{Err: err, Remedy: remedy}
}

// scanHeader reads volumes and repetition time from the header of a member's scan.
func (r *Roster) scanHeader(id, part string) (volumes int, tr float64) {
	i, ok := slices.BinarySearchFunc(r.Subjects, id,
		func(s Subject, id string) int { return strings.Compare(s.ID, id) })
	if !ok {
		return 0, 0
	}
	f := bidsFiles{bold: r.Subjects[i].Files["bold"]}
	for _, run := range r.Subjects[i].Runs {
		if run.Name == part {
			f.bold = run.Files["bold"]
		}
	}
	f.times()
	r.notesHeader(&f)
	return f.volumes, bids.Believed(f.headerTR)
}

// addSessions adds the covariate of which sessions each participant has, where files are found by their names and not
// all participants have the same ones. It is unknown of one with a problem.
func (r *Roster) addSessions() {
	of, kinds := map[string]string{}, map[string]bool{}
	for _, s := range r.Subjects {
		if r.Sessions && s.Problem == nil {
			of[s.ID] = strings.Join(s.RunNames(), " and ")
			kinds[of[s.ID]] = true
		}
	}
	ids, err := r.Participants.Strings(r.IDColumn())
	if len(kinds) < 2 || err != nil {
		return
	}
	name := "session"
	for _, taken := r.Participants.Column(name); taken; _, taken = r.Participants.Column(name) {
		name += "_in_table"
	}
	r.Participants.Columns = append(r.Participants.Columns, encoding.Column{Name: name,
		Values: lists.Map(ids, func(id string) string { return cmp.Or(of[id], "n/a") }), Doc: "the sessions that the participant has"})
}

// IDColumn is the column of the members' names in Participants.
func (r *Roster) IDColumn() string { return cmp.Or(r.Axis, "participant_id") }

// A Subject is one participant, or one row.
type Subject struct {
	ID      string            // "sub-003"
	Files   map[string]string // port → absolute path
	Values  map[string]artifacts.Value
	Runs    []Run // in the order of time, where the roster is PerRun; sessions, where it says so
	Problem error // why nothing can be done for this one; names the file, the place and the remedy
	layouts region.Layouts
	fault   error // of the file from which the names of the regions would be read
}

// A Run is one run of a participant.
type Run struct {
	Name  string            `json:"run"`   // "1", "ses-a_run-2"
	Files map[string]string `json:"files"` // port → absolute path
}

// RunNames are the names of the participant's runs; "1" for a participant without a list of runs.
func (s Subject) RunNames() []string {
	if len(s.Runs) == 0 {
		return []string{"1"}
	}
	names := lists.Map(s.Runs, func(r Run) string { return r.Name })
	return names
}

// first is a file of the participant, or of its first run.
func (s Subject) first(port string) (path string, ok bool) {
	if len(s.Runs) > 0 {
		s.Files = s.Runs[0].Files
	}
	path, ok = s.Files[port]
	return path, ok
}

// Excluded are the participants that exclude leaves out, by name or by a table of ratings.
func (r *Roster) Excluded() []string {
	var ids []string
	for _, left := range r.Left {
		if left.Why == listed.ExcludedByName || left.Why == listed.RatedFail {
			ids = append(ids, left.ID)
		}
	}
	return ids
}

// Finder finds the members of the roster by their names, with those who are left out already: to
// leave out somebody twice is no mistake.
func (r *Roster) Finder() func(name string) (id string, err error) {
	ids := lists.Map(r.Subjects, func(s Subject) string { return s.ID })
	ids = append(ids, lists.Map(r.Left, func(left listed.LeftOut) string { return left.ID })...)
	if r.Axis == "" {
		names := listed.Names{}
		for _, id := range ids {
			names[id] = r.Sources[id]
		}
		return names.Find
	}
	return func(name string) (string, error) {
		if !slices.Contains(ids, name) {
			return "", fmt.Errorf("there is no row %q%s", name, words.OrAll(name, ids))
		}
		return name, nil
	}
}

var excludeList = pattern.New(`exclude: \[([^\[\]]*)\]`)

var excludeItem = pattern.New(`"([^"\\]|\\.)*"|[^, "][^,]*`)

// CompleteExclude adds the participants that are excluded already to every `exclude: [sub-003]` of a message, so that
// the line can replace the one that is there. Every message that a person reads goes through it; without a roster it
// stays as it is.
func (r *Roster) CompleteExclude(message string) string {
	if r == nil {
		return message
	}
	there := r.Excluded()
	if len(there) == 0 {
		return message
	}
	return excludeList.ReplaceAllStringFunc(message, func(line string) string {
		ids := excludeItem.FindAllString(excludeList.FindStringSubmatch(line)[1], -1)
		ids = append(ids, lists.Map(there, listed.Item)...)
		slices.SortFunc(ids, dag.CompareValues)
		return "exclude: [" + strings.Join(slices.Compact(ids), ", ") + "]"
	})
}

// A Source is a registered cohort kind.
type Source struct {
	Name string
	Doc  string
	New  func() Loader
	// Write, when set, writes the members of a loaded cohort into a new directory as files for other programs, and
	// calls done after each (pipeline simulate).
	Write func(ctx context.Context, r *Roster, dir string, workers int, done func()) error
}

// Sources are the cohort kinds of participants: what stands under `cohort:` in a pipeline file. Every program has rows.
var Sources = []Source{
	bidsCohortKind,
	matricesCohortKind,
	tableCohortKind,
	timeseriesCohortKind,
}

// Unreadable says which of a participant's files would fail when they are read: scans that break off, and what the
// cohort itself can compare. It reads headers, sizes and tables, and no voxels of a scan whose size is right. read
// reports whether a file is read at all.
func (r *Roster) Unreadable(s Subject, read func(path string) bool) error {
	var problems []error
	if r.unreadable != nil {
		problems = r.unreadable(s.ID, read)
	} else {
		runs := s.Runs
		if len(runs) == 0 {
			runs = []Run{{Files: s.Files}}
		}
		for _, run := range runs {
			for _, port := range slices.Sorted(maps.Keys(run.Files)) {
				if r.Files[port].Format != "nifti" || !read(run.Files[port]) {
					continue
				}
				if err := nifti.CheckWhole(run.Files[port]); err != nil {
					problems = append(problems, err)
				}
			}
		}
	}
	if problems == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", r.Noun(), s.ID, userfile.OneLine(problems))
}

var registered = []Source{rowsCohortKind}

// Register adds cohort kinds to those of the program. A second kind of one name is a bug and panics.
func Register(kinds ...Source) {
	for _, c := range kinds {
		if slices.ContainsFunc(registered, func(o Source) bool { return o.Name == c.Name }) {
			panic("cohort: the kind " + c.Name + " is registered twice")
		}
		if err := param.Declared(c.New()); err != nil {
			panic(fmt.Sprintf("cohort: the kind %s: %v", c.Name, err))
		}
		registered = append(registered, c)
	}
}

// Kinds are all registered cohort kinds, by name.
func Kinds() []Source {
	return slices.SortedFunc(slices.Values(registered), func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
}
