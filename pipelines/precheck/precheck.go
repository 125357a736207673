// Package precheck asks the stages of a graph, before anything runs, which of their tasks would fail.
package precheck

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/numeric/dense"
	"prgnn/pipelines/design"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Parameters are mistakes in the parameters of a stage for the scans that the cohort takes, and the ports that are
// connected for some of its tasks.
func Parameters(r *cohort.Roster, s *dag.StageNode) []error {
	description := ""
	if r != nil {
		description = r.Description
	}
	for n, work := range role.With[role.Cleaner](s) {
		if errs := work.ValidateFor(description, connected(n)); errs != nil {
			return errs
		}
	}
	return nil
}

// A Refusal is why a stage would refuse a participant, in words and as a category (cohort.LeftOut.Category).
type Refusal struct {
	Why, Category string
	OtherUnit     bool // which other participants may have too: to leave this one out is no remedy
}

// refused is the refusal by a stage that cleans scans, or joins what is left of them.
func refused(where string, err error) Refusal {
	category := listed.NotDenoised
	if errors.As(err, new(column.CensoredError)) {
		category = listed.MuchMotion
	}
	return Refusal{where + ": " + err.Error(), category, errors.As(err, new(column.UnitError))}
}

// refusals are by participant; the first one counts.
type refusals map[string]Refusal

func (why refusals) has(id string) bool { return why[id] != Refusal{} }

func (why refusals) add(id string, r Refusal) {
	if !why.has(id) {
		why[id] = r
	}
}

// Refused are the participants that a stage of the graph would refuse.
func Refused(r *cohort.Roster, g *dag.Graph) map[string]Refusal {
	if r == nil {
		return nil
	}
	why := refusals{}
	why.lacking(r, g)
	why.byHeaders(g)
	if r.Scan != nil {
		why.joined(g, why.cleaned(r, g))
	}
	return why
}

// lacking adds the participants without a value that a stage needs.
func (why refusals) lacking(r *cohort.Roster, g *dag.Graph) {
	if r.Participants == nil || r.Axis != "" {
		return
	}
	read := map[string]bool{} // the same columns in each fold
	for n, work := range role.With[role.Fitter](g.Stages()...) {
		if columns := n.Stage().Name() + fmt.Sprint(work.ReadsParticipants()); !read[columns] {
			read[columns] = true
			for id, lacks := range work.Lacks(r.Participants) {
				why[id] = Refusal{Why: lacks}
			}
		}
	}
	for n := range role.With[role.Reader](g.Stages()...) {
		for _, by := range role.Readings(n.Instance()) {
			if key := "within " + by.Name; by.Permutes && design.OfCohort(n) && !read[key] {
				read[key] = true
				for _, id := range column.Unplaced(r.Participants, by.Name) {
					why.add(id, Refusal{Why: "no value of " + by.Name})
				}
			}
		}
	}
}

// byHeaders adds the participants whose files a stage would refuse by their headers.
func (why refusals) byHeaders(g *dag.Graph) {
	type question struct {
		id, stage string
		ask       func() error
		err       error
	}
	var all []*question
	for n, work := range role.With[role.ScanReader](g.Stages()...) {
		id := column.ValueOn(n.Coords(), "subject")
		files, known := inputFiles(n, func(string) bool { return true })
		if !known || n.Problem() != nil || id == "" || why.has(id) {
			continue
		}
		all = append(all, &question{id, n.Stage().Name(), func() error { return work.RefusesHeaders(files) }, nil})
	}
	dense.Each(runtime.GOMAXPROCS(0), len(all), func(i int) { all[i].err = all[i].ask() })
	for _, q := range all {
		if q.err != nil && !machine.Caused(q.err) { // that the run reports
			why.add(q.id, Refusal{Why: q.stage + ": " + q.err.Error(), Category: listed.UnusableData})
		}
	}
}

// cleaned adds the participants of whose scans too little would be left, and whose repetition time is unknown. It
// returns what is left of the scans of the others.
func (why refusals) cleaned(r *cohort.Roster, g *dag.Graph) map[*dag.Node]column.CleaningRow {
	left := map[*dag.Node]column.CleaningRow{}
	_, series := r.Files["series"] // of unknown length
	for n := range g.Tasks() {
		work, cleans := n.Instance().(role.Cleaner)
		timeless := sourceOfTime(n) == "header"
		if !cleans && !timeless || n.Problem() != nil {
			continue
		}
		id, part, where := column.ValueOn(n.Coords(), "subject"), "", n.Stage().Name()
		for _, axis := range []string{"run", "session"} {
			if v := column.ValueOn(n.Coords(), axis); v != "" {
				part, where = v, fmt.Sprintf("%s, %s %s", n.Stage().Name(), axis, v)
			}
		}
		volumes, tr := r.Scan(id, part)
		if timeless && volumes > 0 && tr == 0 {
			why.add(id, refused(where, errors.New("no repetition time: no sidecar gives the RepetitionTime, and the header of the scan gives none, two, or one that cannot be in s; set tr, in s")))
		}
		if !cleans {
			continue
		}
		tr = cmp.Or(tr, givenTime(n))
		if needs := work.NeedsTime(); series && tr == 0 && needs != "" {
			why.add(id, refused(where, column.TimeUnknown(needs)))
		}
		files, known := inputFiles(n, work.FollowsFromScan)
		if volumes == 0 || !known || why.has(id) {
			continue
		}
		row, err := work.Refuses(volumes, tr, files)
		if err != nil {
			why.add(id, refused(where, err))
		} else {
			left[n] = row
		}
	}
	return left
}

// joined adds the participants of whom too little would be left in all runs together.
func (why refusals) joined(g *dag.Graph, left map[*dag.Node]column.CleaningRow) {
	for n, work := range role.With[role.Joiner](g.Stages()...) {
		var runs []column.CleaningRow
		id, known := column.ValueOn(n.Coords(), "subject"), true
		for _, src := range design.Sources(n, "quality") {
			run, cleaned := left[src.Node]
			runs, known = append(runs, run), known && cleaned
		}
		if len(runs) == 0 || !known || why.has(id) {
			continue
		}
		if err := work.RefusesJoined(runs); err != nil {
			why.add(id, refused(n.Stage().Name(), err))
		}
	}
}

// Unusable are the participants, or rows, for whom a task of the graph fails, as far as their table, their files'
// headers, sizes and tables show: what the command cohort counts, and a run finds. Files that no task reads do not
// count, unless no task reads any.
func Unusable(r *cohort.Roster, g *dag.Graph) map[string]error {
	read := map[string]bool{}
	for _, s := range g.Stages() {
		for _, n := range s.Tasks() {
			for _, b := range n.Inputs() {
				for _, src := range b.Sources {
					if src.File != "" {
						read[src.File] = true
					}
				}
			}
		}
	}
	unusable, refused := map[string]error{}, Refused(r, g)
	for _, s := range r.Subjects {
		if err := r.Unreadable(s, func(path string) bool { return len(read) == 0 || read[path] }); s.Problem != nil {
			unusable[s.ID] = s.Problem
		} else if err != nil {
			if !machine.Caused(err) {
				err = r.Without(s.ID, err)
			}
			unusable[s.ID] = err
		} else if refusal, ok := refused[s.ID]; ok {
			err := fmt.Errorf("%s %s: %s", r.Noun(), s.ID, refusal.Why)
			switch {
			case refusal.OtherUnit:
				err = column.UnitError{Err: err}
			case len(refused) < len(r.Subjects): // else nobody would be left
				err = r.Without(s.ID, err)
			}
			unusable[s.ID] = err
		}
	}
	return unusable
}

// inputFiles are the files of a task's inputs. They are not known where another stage makes confounds or events.
func inputFiles(n *dag.Node, follows func(port string) bool) (files map[string]dag.Input, known bool) {
	files = map[string]dag.Input{}
	for _, b := range n.Inputs() {
		if known, ok := knownInput(b.Sources); ok {
			files[b.Port] = known
			continue
		}
		if len(b.Sources) != 1 || b.Sources[0].File == "" {
			if !follows(b.Port) {
				return nil, false
			}
			continue
		}
		input, err := fileInput(b.Sources[0])
		if err != nil {
			return nil, false
		}
		files[b.Port] = input
	}
	return files, true
}
