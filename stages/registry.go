// Package stages holds the stage kinds: one file a kind, each turning artifacts
// into plain Go for the science packages and their answers back into artifacts.
package stages

//go:generate go run prgnn/dag/codeid .

import (
	"cmp"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
)

var kinds = map[string]*dag.Kind{}

// Register adds a stage kind; a second kind of one name is a bug and panics.
// The kind's code identity is filled in from the generated table.
func Register(k dag.Kind) {
	if _, twice := kinds[k.Name]; twice {
		panic("stages: kind " + k.Name + " registered twice")
	}
	if k.Code == "" {
		k.Code = codes[k.Name]
	}
	kinds[k.Name] = &k
}

// Lookup finds a stage kind.
func Lookup(name string) (*dag.Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}

// Kinds are all stage kinds by name.
func Kinds() []*dag.Kind {
	ks := make([]*dag.Kind, 0, len(kinds))
	for _, k := range kinds {
		ks = append(ks, k)
	}
	slices.SortFunc(ks, func(a, b *dag.Kind) int { return cmp.Compare(a.Name, b.Name) })
	return ks
}

// A CohortKind says who takes part: what stands under `cohort:` in a pipeline
// file. It is a pointer to a struct of parameters, tagged like a Stage's.
type CohortKind interface {
	// Load finds the participants. dir is the directory of the pipeline file,
	// against which relative paths are read. Mistakes in the parameters or in
	// the participants table as a whole are errors (all of them, joined); what
	// is wrong with one participant only stands in its Subject.Problem.
	Load(dir string) (*Roster, error)
}

// A Roster is a cohort that has been loaded.
type Roster struct {
	// Participants has one row a subject, sorted: participant_id (text), group
	// (text, when known), then covariates under the names of their source.
	Participants *artifacts.Table
	// Nodes is the node list: index (1…N), id (the label's value), name,
	// abbreviation, hemisphere, structure, x, y, z (mm, MNI), color.
	Nodes *artifacts.Table
	// Extra are further values of the cohort as a whole, by output name (the
	// truth of a simulated one).
	Extra map[string]artifacts.Value

	Subjects []Subject           // sorted by ID
	Files    map[string]dag.Type // the per-participant ports that Subject.Files fills: bold, labels, confounds, series
	PerRun   bool                // Subject.Runs fills them: stages with each: run read them
	// Make, when set, is the stage that makes the per-participant ports (a
	// simulated cohort): one task a subject, with the parameter "subject".
	Make func(subject string) dag.Stage
	// MakeKind is the registered kind of what Make returns.
	MakeKind string
	Left     []LeftOut // who stands in the table and takes no part, sorted by ID
	Notes    []string  // who was left out and why, that it is simulated …: they stand in reports, so they name no place of this machine (see NameIn)
	Here     []string  // for the person at this machine alone: where the data were found
	Root     string    // the directory from which results name the participants' files (see NameIn)
}

// A Subject is one participant.
type Subject struct {
	ID      string            // "sub-003"
	Files   map[string]string // port → absolute path
	Runs    []Run             // in the order of time, where the roster is PerRun
	Problem error             // why nothing can be done for this one; names the file, the place and the remedy
}

// A Run is one run of a participant.
type Run struct {
	Name  string            `json:"run"`   // "1", "ses-a_run-2"
	Files map[string]string `json:"files"` // port → absolute path
}

// RunNames are those of the participant's runs; of one who has no list of them, "1".
func (s Subject) RunNames() []string {
	if len(s.Runs) == 0 {
		return []string{"1"}
	}
	names := make([]string, len(s.Runs))
	for i, r := range s.Runs {
		names[i] = r.Name
	}
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

// A LeftOut is a participant of the table who takes no part.
type LeftOut struct {
	ID  string // "sub-004"
	Why string // "not selected: mean_fd < 0.3"
}

var cohorts = map[string]Cohort{}

// A Cohort is a registered cohort kind.
type Cohort struct {
	Name string
	Doc  string
	New  func() CohortKind
}

// RegisterCohort adds a cohort kind.
func RegisterCohort(c Cohort) {
	if _, twice := cohorts[c.Name]; twice {
		panic("stages: cohort " + c.Name + " registered twice")
	}
	cohorts[c.Name] = c
}

// Cohorts are all cohort kinds by name.
func Cohorts() []Cohort {
	cs := make([]Cohort, 0, len(cohorts))
	for _, c := range cohorts {
		cs = append(cs, c)
	}
	slices.SortFunc(cs, func(a, b Cohort) int { return cmp.Compare(a.Name, b.Name) })
	return cs
}
