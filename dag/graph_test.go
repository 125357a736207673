package dag

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

// What a kind needs for data of some size counts for the scheduler, and what the file says counts before it.
func TestMemoryForSizes(t *testing.T) {
	k := &Kind{Name: "gather", MemoryFor: func(s Sizes) int64 { return int64(100 + 10*s["rows"]) }}
	seven := Sizes{"rows": 7}
	all := &StageNode{kind: k, sizes: seven}
	two := &Graph{stages: []*StageNode{{kind: k}, all}}
	need.Equal(t, two.Largest(math.MaxInt64).Memory, 170, "100 and 7 times 10")
	all.asked.Memory = 50
	need.Equal(t, (&Graph{stages: []*StageNode{all}}).Largest(math.MaxInt64).Memory, 50, "what the file says")
	for few, want := range []int64{50, 50, 170} { // large tasks among 10 to 12
		large := &StageNode{kind: k, sizes: seven, tasks: make([]*Node, few)}
		all.tasks = make([]*Node, 10)
		g := &Graph{stages: []*StageNode{large, all}}
		need.Equal(t, g.UsualMemory(), want, few, "large tasks")
		need.Equal(t, g.Largest(169).Memory, 50, "but for those that need 170")
	}
}
