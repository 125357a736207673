package reasons

import (
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/stages/column"
)

// A Line is tasks of one stage with one state and one reason.
type Line struct {
	State  engine.State
	Reason string
	stage  *dag.StageNode
	tasks  []*dag.Node
}

// Name is the task, or the stage with how many of its tasks these are.
func (g Line) Name() string {
	if len(g.tasks) == 1 {
		return g.tasks[0].ID()
	}
	if len(g.tasks) == len(g.stage.Tasks()) {
		return fmt.Sprintf("%s (all %d)", g.stage.Name(), len(g.tasks))
	}
	return fmt.Sprintf("%s (%d of %d: %s …)", g.stage.Name(), len(g.tasks), len(g.stage.Tasks()), g.tasks[0].ID())
}

// mostReasons is how many reasons of the tasks of one stage are listed.
const mostReasons = 100

// Group joins steps; if each, it joins none.
func Group(steps []engine.Step, each bool) []Line {
	type same struct {
		stage  *dag.StageNode
		state  engine.State
		reason string
	}
	at := map[same]int{}
	reasons := map[same]int{} // of a stage and a state
	var groups []Line
	for _, s := range steps {
		k := same{s.Node.Stage(), s.State, reasonOf(s)}
		i, seen := at[k]
		if of := (same{k.stage, k.state, ""}); !seen && !each {
			if reasons[of]++; reasons[of] > mostReasons {
				k.reason = "for further reasons; -v lists them"
				i, seen = at[k]
			}
		}
		if !seen || each {
			i = len(groups)
			at[k] = i
			groups = append(groups, Line{s.State, s.Reason, s.Node.Stage(), nil})
		}
		groups[i].tasks = append(groups[i].tasks, s.Node)
		if len(groups[i].tasks) > 1 {
			groups[i].Reason = k.reason
		}
	}
	return groups
}

// withoutMember is a message about a task with […] for the task's own coordinates:
// "needs clean[…]" is one reason for all participants.
func withoutMember(task, message string) string {
	if member := strings.TrimPrefix(task, dag.StageOf(task)); member != "" {
		return strings.ReplaceAll(message, member, "[…]")
	}
	return message
}

// reasonOf is the reason of a step with the coordinates of its task left out.
func reasonOf(s engine.Step) string {
	reason := withoutMember(s.Node.ID(), s.Reason)
	for _, c := range s.Node.Coords() { // the other stage may have fewer axes, or more
		one := strings.Trim(dag.TaskID("", []dag.Coord{c}, column.Subject), "[]")
		reason = strings.NewReplacer("["+one+"]", "[…]", "["+one+",", "[…,", ","+one+"]", ",…]", ","+one+",", ",…,",
			" "+c.Value+": ", " …: ").Replace(reason)
		if strings.HasPrefix(c.Value, "sub-") { // in the names of its files
			reason = strings.ReplaceAll(reason, c.Value, "…")
		}
	}
	return reason
}
