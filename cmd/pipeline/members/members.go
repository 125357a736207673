// Package members is the table that the command cohort shows: who takes part, with which files and
// scans, and why anybody is excluded.
package members

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/precheck"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

// An Event is one member of the cohort: a participant, or a row.
type Event struct {
	Participant string            `json:"participant,omitempty"`
	Row         string            `json:"row,omitempty"`
	State       string            `json:"state"` // included, unusable or excluded
	Group       string            `json:"group,omitempty"`
	Target      *float64          `json:"target,omitempty"` // the number to predict
	Files       map[string]string `json:"files,omitempty"`  // by port
	Runs        []cohort.Run      `json:"runs,omitempty"`   // with their files, where the cohort takes all
	Scans       []Scan            `json:"scans,omitempty"`  // of a BIDS dataset
	Reason      string            `json:"reason,omitempty"`

	// unusable because the machine failed or data are in another unit: to leave the participant out is no remedy
	fault bool
}

// A Scan tells of a scan of a BIDS dataset.
type Scan struct {
	Run     string   `json:"run,omitempty"`
	Space   string   `json:"space"`
	Voxel   string   `json:"voxel_mm,omitempty"` // "2×2×2"
	Volumes int32    `json:"volumes,omitempty"`
	TR      float64  `json:"tr,omitempty"` // s; the sidecar's, or else the header's
	MeanFD  *float64 `json:"mean_fd,omitempty"`
	Labels  string   `json:"labels,omitempty"` // where they come from
}

// Of lists the members of the roster, then those who take no part.
func Of(p *pipelines.Pipeline) []Event {
	r := p.Roster
	var groups map[string]string
	numbers := map[string]float64{}
	if r.Axis == "" {
		_, groups, _ = column.ByParticipant(r.Participants, "group") // nil without a column of groups
		if targets, err := column.Rows[column.TargetRow](r.Participants); err == nil {
			for _, r := range targets {
				numbers[r.ID] = r.Target
			}
		}
	}
	var people []Event
	found, _ := r.Inventory()
	unusable := precheck.Unusable(r, p.Graph)
	for _, s := range r.Subjects {
		e := member(r, s.ID, "included")
		e.Group, e.Files, e.Runs, e.Scans = groups[s.ID], s.Files, s.Runs, scans(found[s.ID])
		if v, ok := numbers[s.ID]; ok {
			e.Target = &v
		}
		if err := unusable[s.ID]; err != nil {
			e.fault = machine.Caused(err) || errors.As(err, new(column.UnitError))
			if of := (listed.Fault{}); len(unusable) == len(r.Subjects) && errors.As(err, &of) {
				err = of.Err // nobody would be left
			}
			e.State, e.Reason = "unusable", err.Error()
		}
		people = append(people, e)
	}
	for _, l := range r.Left {
		e := member(r, l.ID, "excluded")
		e.Group, e.Reason = l.Group, l.Why
		people = append(people, e)
	}
	return people
}

// Notes are those for a person who runs these members (all that take part, if nil), and how many cannot be used,
// counted as the command cohort does. Where nobody lacks a file they are not counted: the run finds them.
func Notes(p *pipelines.Pipeline, ids map[string]bool) []string {
	if p.Roster == nil {
		return p.Notes
	}
	if ids == nil {
		ids = p.Roster.IDs()
	}
	notes := p.NotesFor(ids)
	if !slices.ContainsFunc(p.Roster.Subjects, func(s cohort.Subject) bool { return s.Problem != nil && ids[s.ID] }) {
		return notes
	}
	failing, first := 0, ""
	for _, e := range Of(p) {
		if e.State == "unusable" && ids[e.Participant+e.Row] {
			if failing++; failing == 1 {
				first = e.Reason
			}
		}
	}
	note := fmt.Sprintf("%d of %s cannot be used as they are", failing, words.Count(len(ids), p.Roster.Noun()))
	if 2*failing > len(ids) { // the run can hardly go on
		note += ", such as " + first
	}
	return append(notes, note)
}

// member begins the event of one member of the cohort.
func member(r *cohort.Roster, id, state string) Event {
	if r.Axis != "" {
		return Event{Row: id, State: state}
	}
	return Event{Participant: id, State: state}
}

// scans are what was found of a participant's scans.
func scans(rows []cohort.InventoryRow) (events []Scan) {
	for _, r := range rows {
		if r.Space == nil {
			continue
		}
		e := Scan{Space: *r.Space, TR: r.TR}
		if math.IsNaN(e.TR) {
			if e.TR = r.HeaderTR; math.IsNaN(e.TR) {
				e.TR = 0
			}
		}
		if r.Run != nil {
			e.Run = *r.Run
		}
		if r.Volumes != nil {
			e.Volumes, e.Voxel = *r.Volumes, *r.Voxel
		}
		if r.Labels != nil {
			e.Labels = *r.Labels
		}
		if !math.IsNaN(r.MeanFD) {
			e.MeanFD = &r.MeanFD
		}
		events = append(events, e)
	}
	return events
}

// scanColumns are the columns of scans, and scanCells what a participant has in them; values
// that all its runs share stand once.
var scanColumns = []string{"space", "voxel (mm)", "volumes", "TR (s)", "mean FD (mm)"}

func scanCells(events []Scan) []string {
	cells := make([][]string, len(scanColumns))
	number := func(x float64) string {
		if x == 0 {
			return "–"
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	for _, e := range events {
		fd := "–"
		if e.MeanFD != nil {
			fd = strconv.FormatFloat(*e.MeanFD, 'f', 3, 64)
		}
		for i, text := range []string{e.Space, cmp.Or(e.Voxel, "–"), number(float64(e.Volumes)), number(e.TR), fd} {
			cells[i] = append(cells[i], text)
		}
	}
	row := make([]string, len(scanColumns))
	for i, texts := range cells {
		row[i] = strings.Join(slices.Compact(texts), " ")
	}
	return row
}

// Print writes the table, a line for each reason that several share, the notes, and the numbers. With -v it lists the
// files.
func Print(a *console.Console, p *pipelines.Pipeline, people []Event) {
	w, verbose := a.Out, a.Verbose
	ports := slices.Sorted(maps.Keys(p.Roster.Files))
	g := console.Grid{Wide: a.Wide()}
	head, target := []string{"participant", "group"}, p.Roster.Participants.Meta[column.Target]
	if p.Roster.Axis != "" {
		head = []string{p.Roster.Axis}
	} else if target != "" {
		head[1] = target
	}
	_, found := p.Roster.Inventory()
	if found {
		head = append(head, scanColumns...)
	}
	g.Add(append(append(head, ports...), "")...)
	numbers, groups, excluded := map[string]int{}, map[string]int{}, map[string]int{}
	var unusable []string
	given := 0
	var values []float64 // of the target, of those included
	shared := sharedReasons(p.Roster, people)
	for _, e := range people {
		numbers[e.State]++
		switch e.State {
		case "included":
			if groups[e.Group]++; e.Target != nil {
				values = append(values, *e.Target)
			}
		case "excluded":
			excluded[e.Group]++
		case "unusable":
			if !e.fault {
				unusable = append(unusable, e.Participant+e.Row)
			}
		}
		row := []string{e.Participant, e.Group}
		switch {
		case p.Roster.Axis != "":
			row = []string{e.Row}
		case e.Target != nil:
			row[1] = strconv.FormatFloat(*e.Target, 'g', -1, 64)
		}
		if found {
			row = append(row, scanCells(e.Scans)...)
		}
		for _, port := range ports {
			row = append(row, fileCell(p.Roster, e, port, verbose))
		}
		if e.State != "included" {
			why := e.State
			if given++; given <= mostReasons || verbose {
				why += ": " + shared.cell(p.Roster, e)
			}
			row = append(row, why)
		}
		g.Add(row...)
	}
	g.Print(w)
	fmt.Fprintln(w)
	if more := given - mostReasons; more > 0 && !verbose {
		fmt.Fprintf(w, "and %s, which -v lists\n", words.Count(more, "more reason"))
	}
	shared.print(w, p.Roster)
	for _, n := range slices.Concat(p.Here, p.Notes) {
		fmt.Fprintln(w, n)
	}
	fmt.Fprintf(w, "%s: %d included, %d unusable, %d excluded\n", words.Count(len(people), p.Roster.Noun()),
		numbers["included"], numbers["unusable"], numbers["excluded"])
	if len(values) > 0 {
		fmt.Fprintf(w, "  %s: %.4g to %.4g\n", console.Visible(target), slices.Min(values), slices.Max(values))
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if name != "" && target == "" {
			text := fmt.Sprintf("  %s: %d", console.Visible(name), groups[name])
			if n := excluded[name]; n > 0 {
				text += fmt.Sprintf(" included, %d excluded", n)
			}
			fmt.Fprintln(w, text)
		}
	}
	switch _, images := p.Roster.Files["bold"]; {
	case images:
		fmt.Fprintln(w, "Voxels of scans and labels were read only where the size of a file does not match its header: a run may still find participants whose data are damaged, or one scan under two ids.")
	case p.Roster.Axis != "":
		fmt.Fprintln(w, "A run may still find rows whose files are damaged.")
	case p.Roster.Make == nil:
		fmt.Fprintln(w, "A run may still find participants whose data are damaged, or one scan under two ids.")
	}
	if group := p.Roster.WholeGroup(unusable); group != "" && target == "" && numbers["included"] > 0 {
		fmt.Fprintf(w, "Group %s has no usable participant: correct the cause that they share\n", console.Visible(group))
	} else if len(unusable) > 1 && numbers["included"] > 0 && (len(unusable) <= 10*mostReasons || verbose) {
		fmt.Fprintln(w, p.Roster.CompleteExclude(fmt.Sprintf("To continue without those that are unusable, under cohort:\n    exclude: [%s]", strings.Join(lists.Map(unusable, listed.Item), ", "))))
	}
}

// mostReasons is how many members have their reason in the table, unless it is verbose.
const mostReasons = 100

// fewToRepeat members may have one reason before it is written once, below the table.
const fewToRepeat = 2

// anyMember stands for the name of a member in a reason that several share.
const anyMember = "sub-…"

// reasons are those that stand below the table, with the members that share each.
type reasons struct {
	order   []string
	members map[string][]string
}

// sharedReasons finds the reasons of more than fewToRepeat members.
func sharedReasons(r *cohort.Roster, people []Event) *reasons {
	all := &reasons{members: map[string][]string{}}
	for _, e := range people {
		if e.State == "unusable" {
			reason := commonReason(r, e)
			if all.members[reason] = append(all.members[reason],
				e.Participant+e.Row); len(all.members[reason]) == fewToRepeat+1 {
				all.order = append(all.order, reason)
			}
		}
	}
	return all
}

// commonReason is a reason without the name of its member.
func commonReason(r *cohort.Roster, e Event) string {
	reason := strings.TrimPrefix(e.Reason, r.Noun()+" "+e.Participant+e.Row+": ")
	if strings.HasPrefix(e.Participant, "sub-") {
		reason = strings.ReplaceAll(reason, e.Participant, anyMember)
	}
	return reason
}

// cell is the reason, or the number of the line below the table that gives it.
func (s *reasons) cell(r *cohort.Roster, e Event) string {
	if i := slices.Index(s.order, commonReason(r, e)); i >= 0 {
		return fmt.Sprintf("[%d]", i+1)
	}
	return r.CompleteExclude(e.Reason)
}

// print writes a line for each shared reason.
func (s *reasons) print(w io.Writer, r *cohort.Roster) {
	for i, reason := range s.order {
		members := s.members[reason]
		reason = strings.ReplaceAll(reason, "["+anyMember+"]", "["+strings.Join(members, ", ")+"]")
		fmt.Fprintf(w, "[%d] %s: %s\n", i+1, words.Count(len(members), r.Noun()), r.CompleteExclude(reason))
	}
}

// fileCell says whether a participant has the file of a port; if verbose, which.
func fileCell(r *cohort.Roster, e Event, port string, verbose bool) string {
	switch path, ok := e.Files[port]; {
	case e.State == "excluded":
		return ""
	case r.Make != nil:
		return "made"
	case r.PerRun:
		var names []string
		for _, run := range e.Runs {
			if path, ok := run.Files[port]; ok && verbose {
				names = append(names, filepath.Base(path))
			} else if ok {
				names = append(names, run.Name)
			}
		}
		return strings.Join(names, " ")
	case !ok:
		return "–"
	case verbose:
		return filepath.Base(path)
	}
	return "yes"
}
