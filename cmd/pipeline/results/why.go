package results

import (
	"fmt"
	"strings"
	"time"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag/engine"
	"prgnn/dag/why"
	"prgnn/internal/words"
)

const noEarlier = "; no earlier run had other inputs, parameters or code"

func nameOf(run string, started time.Time) string {
	return fmt.Sprintf("run %s of %s", run, started.Local().Format("2006-01-02 15:04:05"))
}

// PrintCauses says why tasks would run, a line for each cause, and what becomes of them. Where all are up to date, the
// causes are those of when they last ran, and stand below that.
func PrintCauses(a *console.Console, sum *why.Summary) {
	all := 0
	for _, n := range sum.States {
		all += n
	}
	if sum.States[engine.Cached] == all {
		upToDate := "up to date: " + words.Count(all, "task")
		if len(sum.Causes) == 0 {
			fmt.Fprintln(a.Out, upToDate+noEarlier)
			return
		}
		since := "What had changed when they last ran:"
		if sum.Later != nil {
			upToDate += noEarlier
			since = fmt.Sprintf("They differ from the later %s:", nameOf(sum.Later.ID, sum.Later.Started))
		}
		fmt.Fprintln(a.Out, upToDate+". "+since)
		printCauses(a, sum, true)
		return
	}
	printCauses(a, sum, true)
	if len(sum.Follow) > 0 {
		fmt.Fprintf(a.Out, "and what follows: %s\n", words.Some(sum.Follow, 3))
	}
	text := words.Count(all, "task") + ": "
	for _, s := range []struct {
		state engine.State
		text  string
	}{{engine.Cached, "cached"}, {engine.Stale, "stale"}, {engine.Unknown, "unknown until upstream tasks have run"}, {engine.Failed, "cannot run"}} {
		if n := sum.States[s.state]; n > 0 {
			text += fmt.Sprintf("%d %s, ", n, s.text)
		}
	}
	fmt.Fprintln(a.Out, strings.TrimSuffix(text, ", "))
}

func printCauses(a *console.Console, sum *why.Summary, count bool) {
	causes := sum.Causes
	if !a.Verbose {
		causes = joined(causes)
	}
	a.Few(a.Out, len(causes), 10, func(i int) {
		c, tasks := causes[i], ""
		if count || len(c.Tasks) > 1 {
			tasks = words.Count(len(c.Tasks), "task")
		}
		if c.Change.What == "value" && strings.Contains(c.Tasks[0], "[") { // which rows, or participants
			tasks = strings.TrimPrefix(tasks+": ", ": ") + words.Some(c.Tasks, 3)
		}
		if tasks != "" {
			tasks = a.Page.Faint("  (" + tasks + ")")
		}
		fmt.Fprintln(a.Out, a.Page.Bold(c.Text)+tasks)
	})
}

// joined has one cause for the members that were added to the inputs of the same tasks, or removed from them.
func joined(causes []why.Cause) (all []why.Cause) {
	type same struct {
		added bool
		tasks string
	}
	at, members := map[same]int{}, map[int][]string{}
	for _, c := range causes {
		member := c.Change.Member()
		k := same{c.Change.Old == "", strings.Join(c.Tasks, "\n")}
		i, seen := at[k]
		if member == "" || !seen {
			i, all = len(all), append(all, c)
		}
		if member != "" {
			at[k], members[i] = i, append(members[i], member)
		}
	}
	for i, names := range members {
		if len(names) > 1 {
			text := strings.TrimSuffix(all[i].Text, names[0])
			if axis, _, _ := strings.Cut(names[0], "="); !strings.Contains(names[0], ",") { // once
				for j := range names[1:] {
					names[j+1] = strings.TrimPrefix(names[j+1], axis+"=")
				}
			}
			all[i].Text = text + words.Some(names, 3)
		}
	}
	return all
}

// PrintWhy gives the causes of a task, and compares its recipe with that of its last result.
func PrintWhy(a *console.Console, sum *why.Summary, e *why.Explanation) {
	id := a.Page.Bold(e.Node.ID())
	then := ""
	if e.Run != "" {
		then = nameOf(e.Run, e.When)
	}
	if e.State != engine.Cached {
		printCauses(a, sum, false)
	}
	switch {
	case e.State == engine.Cached && e.Run == "":
		fmt.Fprintf(a.Out, "%s is up to date; there is no earlier result to compare with\n", id)
	case e.State == engine.Cached && e.Later:
		fmt.Fprintf(a.Out, "%s is up to date%s. It differs from the later %s:\n", id, noEarlier, then)
		printCauses(a, sum, false)
	case e.State == engine.Cached:
		fmt.Fprintf(a.Out, "%s is up to date. What had changed when it last ran, since %s:\n", id, then)
		printCauses(a, sum, false)
	case e.State == engine.Unknown:
		fmt.Fprintf(a.Out, "%s is unknown until upstream tasks have run (%d): %s\n", id, len(e.WaitsFor), words.Some(e.WaitsFor, 6))
		if len(e.Differences) > 0 {
			fmt.Fprintf(a.Out, "it runs in any case; its differences from %s:\n", then)
		}
	case e.State == engine.Failed:
		fmt.Fprintf(a.Out, "%s cannot run: %s\n", id, e.Reason)
	case e.Run == "" || len(e.Differences) == 0:
		fmt.Fprintf(a.Out, "%s is stale: %s\n", id, e.Reason)
	default:
		fmt.Fprintf(a.Out, "%s is stale; its differences from %s:\n", id, then)
	}
	printDifferences(a, e.Differences)
	if a.Verbose && e.Recipe != "" {
		fmt.Fprintf(a.Out, "\nits recipe\n  %s\n", strings.ReplaceAll(strings.TrimRight(e.Recipe, "\n"), "\n", "\n  "))
	}
}

// manyInputs is how many inputs of a port are shown one by one.
const manyInputs = 3

// printDifferences gives the many inputs of a gathering port one line; -v shows each.
func printDifferences(a *console.Console, ds []why.Difference) {
	port := func(d why.Difference) string {
		if name, _, gathered := strings.Cut(d.Name, "["); d.What == "input" && gathered && !a.Verbose {
			return name
		}
		return ""
	}
	n := map[string]int{}
	for _, d := range ds {
		n[port(d)]++
	}
	for _, d := range ds {
		switch in := port(d); {
		case in == "" || n[in] > 0 && n[in] <= manyInputs:
			PrintFact(a, d, "  ")
		case n[in] > 0:
			fmt.Fprintf(a.Out, "  input %s: %d members differ (-v lists them)\n", in, n[in])
			n[in] = 0
		}
	}
}

// PrintFact shows one fact then and now, the way diffs are read.
func PrintFact(a *console.Console, d why.Difference, indent string) {
	if d.What == "code" && d.Name != "" {
		fmt.Fprintln(a.Out, indent+d.String())
		return
	}
	name := strings.TrimSpace(d.What + " " + d.Name)
	from := ""
	if d.From != "" {
		from = a.Page.Faint("   from " + d.From)
	}
	if d.Old != "" {
		fmt.Fprintln(a.Out, a.Page.Red(indent+"- "+name+": "+d.Old))
	}
	if d.New != "" {
		fmt.Fprintln(a.Out, a.Page.Green(indent+"+ "+name+": "+d.New)+from)
	}
	if d.Old == "" && d.New == "" {
		fmt.Fprintln(a.Out, indent+name+" has changed")
	}
}
