package dag

import (
	"testing"

	"prgnn/internal/need"
)

// What a kind needs for each participant counts for the scheduler, and what the file says counts before it.
func TestMemoryOfParticipants(t *testing.T) {
	k := &Kind{Name: "gather", Memory: 100, Each: 10}
	all := &StageNode{Kind: k, Participants: 7}
	need.Equal(t, (&Graph{Stages: []*StageNode{{Kind: k}, all}}).Largest().Memory, 170, "100 and 7 times 10")
	all.Needs.Memory = 50
	need.Equal(t, (&Graph{Stages: []*StageNode{all}}).Largest().Memory, 50, "what the file says")
}
