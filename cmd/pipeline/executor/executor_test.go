package executor

import (
	"fmt"
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
