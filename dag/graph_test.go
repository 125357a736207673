package dag

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

// What a kind needs for each participant counts for the scheduler, and what the file says counts before it.
func TestMemoryOfParticipants(t *testing.T) {
	k := &Kind{Name: "gather", Memory: 100, Each: 10}
	all := &StageNode{kind: k, Participants: 7}
	two := &Graph{stages: []*StageNode{{kind: k}, all}}
	need.Equal(t, two.Largest(math.MaxInt64).Memory, 170, "100 and 7 times 10")
	bounded := &StageNode{kind: &Kind{Name: "bounded", Memory: 100, Each: 10, Ceiling: 120}, Participants: 7}
	need.Equal(t, bounded.Memory(), 120, "at most")
	bounded.Participants = 1
	need.Equal(t, bounded.Memory(), 110, "and else as many as they are")
	all.asked.Memory = 50
	need.Equal(t, (&Graph{stages: []*StageNode{all}}).Largest(math.MaxInt64).Memory, 50, "what the file says")
	for few, want := range []int64{50, 50, 170} { // large tasks among 10 to 12
		large := &StageNode{kind: k, Participants: 7, tasks: make([]*Node, few)}
		all.tasks = make([]*Node, 10)
		g := &Graph{stages: []*StageNode{large, all}}
		need.Equal(t, g.UsualMemory(), want, few, "large tasks")
		need.Equal(t, g.Largest(169).Memory, 50, "but for those that need 170")
	}
}
