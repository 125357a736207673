package reasons

import (
	"fmt"
	"strconv"
	"testing"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// A reason that differs between members by their names alone is one reason, also where the other stage has more axes
// than this one, and where the error of a participant names it.
func TestReasonsAreGrouped(t *testing.T) {
	for _, c := range []struct{ reason, want string }{
		{"needs clean[%[1]s], which failed", "needs clean[…], which failed"},
		{"needs clean[%[1]s,run=1], which may not be up to date", "needs clean[…,run=1], which may not be up to date"},
		{"needs clean[run=1,%[1]s]", "needs clean[run=1,…]"},
		{"needs clean[run=1,%[1]s,draw=2]", "needs clean[run=1,…,draw=2]"},
		{"participant %[1]s: /data/%[1]s_bold.nii.gz has no labels", "participant …: /data/…_bold.nii.gz has no labels"},
	} {
		b := dag.NewGraph("test")
		b.BareAxis("subject")
		stage := b.Stage("joined", nil, "subject")
		var steps []engine.Step
		for _, subject := range []string{"sub-01", "sub-02"} {
			n := b.Task(stage, nil, subject)
			steps = append(steps, engine.Step{Node: n, State: engine.Unknown, Reason: fmt.Sprintf(c.reason, subject)})
		}
		groups := Group(steps, false)
		need.Equal(t, len(groups), 1)
		need.Equal(t, groups[0].Name()+" "+groups[0].Reason, "joined (all 2) "+c.want)
	}
	// Of very many reasons, some are listed, and -v lists all.
	b := dag.NewGraph("test")
	stage := b.Stage("joined", nil, "i")
	var steps []engine.Step
	for i := range 300 {
		n := b.Task(stage, nil, strconv.Itoa(i))
		steps = append(steps, engine.Step{Node: n, State: engine.Failed, Reason: fmt.Sprintf("line %d", i)})
	}
	groups := Group(steps, false)
	need.Equal(t, len(groups), mostReasons+1)
	need.Equal(t, len(groups[mostReasons].tasks), 200)
	need.Equal(t, groups[mostReasons].Reason, "for further reasons; -v lists them")
	need.Equal(t, len(Group(steps, true)), 300)
	// A number of one participant is not its name.
	one := b.Task(b.Stage("a", nil, "subject"), nil, "1")
	need.Equal(t, reasonOf(engine.Step{Node: one, Reason: "10 volumes"}), "10 volumes")
}
