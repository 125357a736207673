// Package reasons joins the reasons of many tasks to a few lines for a person: why they failed, and why they would run.
package reasons

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/progress"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
)

// Print prints what went wrong in a run: each cause once, with the tasks that it struck, then what that means for the
// rest. isApp is for a run of the BIDS App.
func Print(a *console.Console, p *pipelines.Pipeline, r *engine.Result, o engine.Options, isApp bool) {
	if r.Failed == 0 {
		return
	}
	fmt.Fprintln(a.Stderr, a.Term.Red(words.Count(r.Failed, "task")+" failed:"))
	causes := groupCauses(r.Errors, a.Verbose)
	a.Few(a.Stderr, len(causes), 10, func(i int) {
		c, at := causes[i], ""
		if c.first.Pos != (dag.Pos{}) {
			at = c.first.Pos.String() + ": "
		}
		a.Warn("  %s%s: %s", at, words.Some(c.tasks, 6),
			Indented(p.Roster.CompleteExclude(brief(a, c.text)))+logOf(a, p, c.first))
	})
	for _, remedy := range machineRemedies(r) {
		a.Warn("The machine failed, not the data: %s", remedy)
	}
	if unit := otherUnit(r); unit != nil {
		fmt.Fprintf(a.Stderr, "The inputs of %s are in another unit or of another scan, and those of the other %ss may be too, "+
			"although no number shows it: state the unit of all files, or correct them, instead of excluding these\n",
			words.Some(unit, 6), p.Roster.Noun())
	}
	if shares := byGroup(p, r, o); shares != nil {
		fmt.Fprintf(a.Stderr, "Failures are associated with the group (%s). Excluding these %ss, or a setting that accepts them, "+
			"changes the groups in different ways, and a classifier may learn this difference; correct the cause in all of them\n",
			words.Some(lists.Map(shares, func(s quality.Share) string {
				return fmt.Sprintf("%d of %d %s", s.N, s.Of, s.Name)
			}), 6), p.Roster.Noun())
	}
	out := faulty(p, r, o)
	if group := p.Roster.WholeGroup(out); out != nil && group != "" {
		fmt.Fprintf(a.Stderr, "All participants of group %s failed: correct the cause that they share\n", group)
	} else if out != nil {
		where := "under cohort"
		what := p.Roster.CompleteExclude("exclude: [" + strings.Join(lists.Map(out, listed.Item), ", ") + "]")
		if isApp { // who calls that has no file to write into
			where, what = "at the group level", "--set 'cohort."+strings.Replace(what, ": ", "=", 1)+"' --change-settings"
		}
		fmt.Fprintf(a.Stderr, "To continue without the %ss that failed, %s:\n    %s\n", p.Roster.Noun(), where, what)
	}
	if r.Skipped > 0 {
		fmt.Fprintf(a.Stderr, "%s skipped: upstream tasks failed. ", words.Count(r.Skipped, "task"))
	}
	if !slices.ContainsFunc(r.Errors, func(e *engine.Error) bool { return !errors.Is(e, engine.ErrOnly) }) {
		a.Warn("Run the upstream tasks too: %s", a.Again("--only", "--until"))
		return
	}
	a.Warn("%s kept. After fixing the cause, continue with: %s", words.Count(r.Ran+r.Cached, "result")+words.Verb(r.Ran+r.Cached, " is", " are"), a.Again())
}

// machineRemedies say what to do about tasks that failed by a fault of the machine.
func machineRemedies(r *engine.Result) (remedies []string) {
	for _, e := range r.Errors {
		remedy := machine.Remedy(e.Err)
		if remedy != "" && len(remedies) < 3 && !slices.Contains(remedies, remedy) { // of many directories, a few do
			remedies = append(remedies, remedy)
		}
	}
	return remedies
}

// otherUnit are the tasks whose data are in another unit.
func otherUnit(r *engine.Result) (tasks []string) {
	for _, e := range r.Errors {
		if errors.As(e.Err, new(column.UnitError)) {
			tasks = append(tasks, e.Task)
		}
	}
	return tasks
}

// faulty lists the participants whose tasks failed, but for faults of the machine. It is nil where nobody failed alone:
// with all participants, or all of several that the run was for and one cause, something else is wrong, as with data in
// another unit.
func faulty(p *pipelines.Pipeline, r *engine.Result, o engine.Options) []string {
	if otherUnit(r) != nil {
		return nil
	}
	all, here, out := members(p, r, o)
	common := len(out) > 1 && len(out) == len(here) && len(groupCauses(r.Errors, false)) == 1
	if len(out) == 0 || len(out) == len(all) || common {
		return nil
	}
	return slices.SortedFunc(maps.Keys(out), dag.CompareValues)
}

// byGroup are the shares of the participants of each group whose tasks failed, where they differ; nil otherwise.
func byGroup(p *pipelines.Pipeline, r *engine.Result, o engine.Options) []quality.Share {
	all, here, out := members(p, r, o)
	if len(here) == 0 { // the run was for all
		here = all
	}
	if len(out) == 0 || p.Roster.Participants == nil || p.Roster.Axis != "" {
		return nil
	}
	_, group, err := column.ByParticipant(p.Roster.Participants, "group")
	if err != nil { // a number is predicted
		return nil
	}
	return quality.SharesOf(group, slices.Collect(maps.Keys(here)), slices.Collect(maps.Keys(out)))
}

// members are all participants, those that the run was for (none if it was for all), and those whose tasks failed, but
// for faults of the machine.
func members(p *pipelines.Pipeline, r *engine.Result, o engine.Options) (all, here, out map[string]bool) {
	if p.Roster == nil {
		return nil, nil, nil
	}
	failed := map[string]bool{}
	for _, e := range r.Errors {
		failed[e.Task] = !machine.Caused(e.Err) && !errors.Is(e.Err, engine.ErrOnly) && !errors.Is(e.Err,
			engine.ErrLost)
	}
	selected := progress.Selected(p.Graph, o)
	all, here, out = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for n := range p.Graph.Tasks() {
		for _, c := range n.Coords() {
			if c.Axis == p.Roster.AxisName() {
				all[c.Value] = true
				if selected[n] {
					here[c.Value] = true
				}
				if failed[n.ID()] {
					out[c.Value] = true
				}
			}
		}
	}
	return all, here, out
}

// A failureCause is one message and the tasks that ended in it.
type failureCause struct {
	first *engine.Error
	text  string // of several tasks: of the first, with […] and sub-… for what names the member
	tasks []string
}

// numbers are those in which the messages of one cause may differ.
var numbers = pattern.New(`\d+(\.\d+)?`)

// groupCauses joins failures of a stage whose messages are the same but for the names of the members, the files named
// after them, and numbers, in the order of the graph; if each, it joins none. A machine's failure strikes any stage.
func groupCauses(errs []*engine.Error, each bool) []failureCause {
	var causes []failureCause
	common := map[string]string{} // by stage and message without numbers: the message, "" where numbers differ
	at := map[string]int{}
	for _, e := range errs {
		text := withoutMember(e.Task, e.Err.Error())
		for _, value := range memberValues(e.Task) {
			if strings.HasPrefix(value, "sub-") {
				text = strings.ReplaceAll(text, value, "sub-…")
			}
		}
		key := numbers.ReplaceAllString(text, "#")
		if fault := (*machine.Fault)(nil); !errors.As(e.Err, &fault) || fault.OfStage {
			key = dag.StageOf(e.Task) + "\x00" + key
		}
		i, seen := at[key]
		if !seen || each {
			at[key], common[key] = len(causes), text
			causes = append(causes, failureCause{e, e.Err.Error(), []string{e.Task}})
			continue
		}
		if common[key] != text {
			common[key] = ""
		}
		c := &causes[i]
		c.tasks = append(c.tasks, e.Task)
		if c.text = common[key]; c.text == "" {
			c.text = c.first.Err.Error() + " (of " + c.first.Task + "; the others differ in numbers, -v shows each)"
		}
	}
	return causes
}

// memberValues are the values of the coordinates in the name of a task: sub-001 and 2 of train[subject=sub-001,fold=2].
func memberValues(task string) []string {
	var values []string
	for part := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(task, dag.StageOf(task)), "[]"), ",") {
		_, value, named := strings.Cut(part, "=")
		if !named {
			value = part
		}
		values = append(values, value)
	}
	return values
}

// brief cuts the stack of a panic, which is for -v.
func brief(a *console.Console, text string) string {
	message, _, panicked := strings.Cut(text, "\ngoroutine ")
	if a.Verbose || !panicked {
		return text
	}
	return message + "; this is a bug in the program: -v shows the stack"
}

// Indented is a text of several lines below the first one.
func Indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// logOf is the end of a failed task's log, for a person, with where to find the rest; "" where that only lists the
// participants that were read before it failed.
func logOf(a *console.Console, p *pipelines.Pipeline, e *engine.Error) string {
	ids := map[string]bool{}
	if p.Roster != nil {
		ids = p.Roster.IDs()
	}
	if !slices.ContainsFunc(strings.Fields(e.Log), func(word string) bool { return !ids[word] }) {
		return ""
	}
	return fmt.Sprintf("\n    its log ends\n      %s\n    all of it: %s", strings.ReplaceAll(e.Log, "\n", "\n      "), a.Command("log", p.Graph.File(), e.Task))
}
