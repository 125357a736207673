package precheck

import (
	"context"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/cohort"
	"prgnn/stages/role"
)

// A reading Stage counts how often it reads the participants.
type reading struct {
	role.Fitter // the methods that are not called
	column      string
	reads       *int
}

func (*reading) Ports() dag.Ports                                    { return dag.Ports{} }
func (*reading) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }
func (s *reading) ReadsParticipants() []role.Reading                 { return []role.Reading{{Name: s.column}} }
func (s *reading) Lacks(*encoding.Table) map[string]string {
	*s.reads++
	return map[string]string{"sub-" + s.column: "no value of " + s.column}
}

// TestLackingReadsOnce: the folds of a stage read the same columns, which are read once; others are read too.
func TestLackingReadsOnce(t *testing.T) {
	reads, b := 0, dag.NewGraph("test")
	s := b.Stage("combat", &dag.Kind{Name: "combat"})
	for _, column := range []string{"site", "site", "scanner", "site"} {
		b.Task(s, &reading{column: column, reads: &reads})
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"sub-1"}})
	why := Refused(&cohort.Roster{Participants: people}, b.Draft())
	need.Equal(t, len(why), 2, "participants who lack something")
	need.Equal(t, reads, 2, "readings")
}
