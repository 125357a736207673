package executor

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/dag"
	"prgnn/dag/cluster"
	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

// A few stages that need much more memory than others make no pilot larger where jobs of their own run them.
func TestSizeOfPilots(t *testing.T) {
	b := dag.NewGraph("test")
	stage := func(tasks int, memory int64) {
		s := b.Stage(fmt.Sprint(memory), &dag.Kind{}, "i")
		b.Require(s, dag.Needs{Memory: memory << 30})
		for i := range tasks {
			b.Task(s, nil, fmt.Sprint(i))
		}
	}
	stage(40, 1)
	stage(3, 4)
	stage(1, 11)
	g := b.Draft()
	for largest, x := range map[int64]*cluster.Executor{4: {}, 11: nil} {
		need.Equal(t, (&Executor{}).pool(g, nil, x, nil).Needs.Memory>>30, largest)
	}
	stage(40, 6) // no few
	need.Equal(t, (&Executor{}).pool(g, nil, &cluster.Executor{}, nil).Needs.Memory>>30, 11)
}

// What a kind needs for data of some size counts for the scheduler, and what the file states counts before it.
func TestMemoryForSizes(t *testing.T) {
	k := &dag.Kind{Name: "gather", MemoryFor: func(s dag.Sizes) int64 { return int64(100 + 10*s["rows"]) }}
	for few, want := range []int64{50, 50, 170} { // large tasks among 10 to 12
		b := dag.NewGraph("test")
		large, all := b.Stage("large", k, "i"), b.Stage("all", k, "i")
		b.Measure(large, dag.Sizes{"rows": 7})
		b.Require(all, dag.Needs{Memory: 50})
		for i := range few {
			b.Task(large, nil, fmt.Sprint(i))
		}
		for i := range 10 {
			b.Task(all, nil, fmt.Sprint(i))
		}
		g := b.Draft()
		need.Equal(t, usualMemory(g), want, few, "large tasks")
		need.Equal(t, largest(g, math.MaxInt64).Memory, 170, "100 and 7 times 10")
		need.Equal(t, largest(g, 169).Memory, 50, "but for those that need 170")
	}
}

// --slurm-args is a line of words, quoted as in a shell.
func TestShellWords(t *testing.T) {
	for text, want := range map[string][]string{
		"--partition=long  --nice=5":     {"--partition=long", "--nice=5"},
		`--comment="two words" -p 'a b'`: {"--comment=two words", "-p", "a b"},
		`--comment=it"'"s ''`:            {"--comment=it's", ""},
		" ":                              nil,
	} {
		if got, err := shellWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if _, err := shellWords(`--comment="two`); err == nil {
		t.Error("an open quote is taken")
	}
}
