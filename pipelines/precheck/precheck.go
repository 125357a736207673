// Package precheck asks the stages of a graph, before anything runs, which of their tasks would fail.
package precheck

import (
	"cmp"
	"errors"
	"fmt"

	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/pipelines/design"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Description refuses a stage whose strategy is made for other scans than those of the cohort.
func Description(r *cohort.Roster, s *dag.StageNode) error {
	if r.Description == "" {
		return nil
	}
	for _, n := range s.Tasks() {
		work, ok := n.Instance().(role.Cleaner)
		if !ok {
			return nil
		}
		if want := work.NeedsDescription(); want != "" && want != r.Description {
			return fmt.Errorf("stage %s: regress: ica_aroma does not remove motion by itself; it needs scans denoised by ICA-AROMA, but the cohort takes desc-%s: set description: %s in the cohort, or choose another strategy", s.Name(), r.Description, want)
		}
	}
	return nil
}

// Connected are mistakes in the parameters of a stage, by the ports that are connected for some of its tasks.
func Connected(s *dag.StageNode) []error {
	for _, n := range s.Tasks() {
		work, ok := n.Instance().(role.Cleaner)
		if !ok {
			return nil
		}
		if errs := work.ValidateConnected(connected(n)); errs != nil {
			return errs
		}
	}
	return nil
}

// A Refusal is why a stage would refuse a participant, in words and as a category (cohort.LeftOut.Category).
type Refusal struct{ Why, Category string }

// refused is the refusal by a stage that cleans scans, or joins what is left of them.
func refused(where string, err error) Refusal {
	category := listed.NotDenoised
	if errors.As(err, new(column.CensoredError)) {
		category = listed.MuchMotion
	}
	return Refusal{where + ": " + err.Error(), category}
}

// Refused are the participants that a stage of the graph would refuse.
func Refused(r *cohort.Roster, g *dag.Graph) map[string]Refusal {
	why := map[string]Refusal{}
	if r == nil {
		return nil
	}
	lacking(r, g, why)
	byHeaders(g, why)
	if r.Scan == nil {
		return why
	}
	left := map[*dag.Node]column.CleaningRow{}
	for _, s := range g.Stages() {
		for _, n := range s.Tasks() {
			work, ok := n.Instance().(role.Cleaner)
			timeless := sourceOfTime(n) == "header"
			if !ok && !timeless || n.Problem() != nil {
				continue
			}
			id, part, where := "", "", ""
			for _, c := range n.Coords() {
				switch c.Axis {
				case "subject":
					id = c.Value
				case "run", "session":
					part, where = c.Value, fmt.Sprintf(", %s %s", c.Axis, c.Value)
				}
			}
			volumes, tr := r.Scan(id, part)
			if timeless && volumes > 0 && tr == 0 && why[id] == (Refusal{}) {
				why[id] = refused(s.Name()+where, errors.New("no repetition time: no sidecar gives the RepetitionTime, and the header of the scan gives none, or one that cannot be in s; set tr, in s"))
			}
			if !ok {
				continue
			}
			tr = cmp.Or(tr, givenTime(n))
			_, series := r.Files["series"] // of unknown length
			if series && tr == 0 && work.NeedsTime() != "" && why[id] == (Refusal{}) {
				why[id] = refused(s.Name()+where, column.TimeUnknown(work.NeedsTime()))
			}
			files, known := inputFiles(n, work.FollowsFromScan)
			if volumes == 0 || !known || why[id] != (Refusal{}) {
				continue
			}
			row, err := work.Refuses(volumes, tr, files)
			if err != nil {
				why[id] = refused(s.Name()+where, err)
				continue
			}
			left[n] = row
		}
	}
	joined(g, left, why)
	return why
}

// byHeaders adds the participants whose files a stage would refuse by their headers.
func byHeaders(g *dag.Graph, why map[string]Refusal) {
	for _, s := range g.Stages() {
		for _, n := range s.Tasks() {
			work, ok := n.Instance().(role.ScanReader)
			if !ok {
				break
			}
			files, known := inputFiles(n, func(string) bool { return true })
			if id := design.Coord(n.Coords(), "subject"); known && n.Problem() == nil && id != "" &&
				why[id] == (Refusal{}) {
				if err := work.RefusesHeaders(files); err != nil && !machine.Caused(err) { // that the run reports
					why[id] = Refusal{s.Name() + ": " + err.Error(), listed.UnusableData}
				}
			}
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
			without := r.Without(s.ID)
			if machine.Caused(err) {
				without = ""
			}
			unusable[s.ID] = fmt.Errorf("%w%s", err, without)
		} else if refusal, ok := refused[s.ID]; ok {
			without := r.Without(s.ID)
			if len(refused) == len(r.Subjects) { // nobody would be left
				without = ""
			}
			unusable[s.ID] = fmt.Errorf("%s %s: %s%s", r.Noun(), s.ID, refusal.Why, without)
		}
	}
	return unusable
}

// joined adds the participants of whom too little would be left in all runs together.
func joined(g *dag.Graph, left map[*dag.Node]column.CleaningRow, why map[string]Refusal) {
	for _, s := range g.Stages() {
		for _, n := range s.Tasks() {
			work, ok := n.Instance().(role.Joiner)
			if !ok {
				break
			}
			var runs []column.CleaningRow
			id, known := design.Coord(n.Coords(), "subject"), true
			for _, b := range n.Inputs() {
				for _, src := range b.Sources {
					if b.Port == "quality" {
						run, cleaned := left[src.Node]
						runs, known = append(runs, run), known && cleaned
					}
				}
			}
			if len(runs) == 0 || !known || why[id] != (Refusal{}) {
				continue
			}
			if err := work.RefusesJoined(runs); err != nil {
				why[id] = refused(s.Name(), err)
			}
		}
	}
}

// lacking adds the participants without a value that a stage needs.
func lacking(r *cohort.Roster, g *dag.Graph, why map[string]Refusal) {
	if r.Participants == nil || r.Axis != "" {
		return
	}
	for _, s := range g.Stages() {
		read := map[string]bool{} // the same columns in each fold
		for _, n := range s.Tasks() {
			work, ok := n.Instance().(role.Fitter)
			if !ok {
				break
			}
			if columns := fmt.Sprint(work.ReadsParticipants()); !read[columns] {
				read[columns] = true
				for id, lacks := range work.Lacks(r.Participants) {
					why[id] = Refusal{Why: lacks}
				}
			}
		}
	}
}

// inputFiles are the files of a task's inputs. They are not known where another stage makes confounds or events.
func inputFiles(n *dag.Node, follows func(port string) bool) (files map[string]dag.Input, known bool) {
	files = map[string]dag.Input{}
	for _, b := range n.Inputs() {
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
