package pipelines

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// recipes are the tasks of a graph without the order in which they stand: what
// each does, and with what.
func recipes(p *Pipeline) []string {
	var all []string
	for _, s := range p.Graph.Stages() {
		for _, n := range s.Tasks() {
			all = append(all, n.Stage().Kind().Name+" "+task(n))
		}
	}
	slices.Sort(all)
	return all
}

// TestOrder: the order of keys in the file changes no task. (Of the axes it
// changes the names of tasks, and so what describe says of them; that is tested
// in TestAxisOrder.)
func TestOrder(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(chain), "\n")
	top, entries := lines[:4], append([]string(nil), lines[5:9]...)
	entries = append(entries, strings.Join(lines[9:13], "\n"), lines[13])
	want := recipes(mustBuild(t, chain))
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		shuffled := lists.At(entries, r.Perm(len(entries)))
		stages := "stages:\n" + strings.Join(shuffled, "\n")
		parts := append(append([]string(nil), top...), stages)
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		p := mustBuild(t, "# shuffled\n"+strings.Join(parts, "\n")+"\n")
		if got := recipes(p); !slices.Equal(got, want) {
			t.Fatalf("order %d gives\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		before := map[*dag.Node]bool{}
		for _, s := range p.Graph.Stages() {
			for _, n := range s.Tasks() {
				for _, in := range n.Inputs() {
					for _, src := range in.Sources {
						if src.Node != nil && !before[src.Node] {
							t.Fatalf("order %d: %s stands before %s, which it needs", seed, n.ID(), src.Node.ID())
						}
					}
				}
				before[n] = true
			}
		}
	}
}

// TestAxisOrder: however the axes of a matrix are ordered, a gather takes the
// same members, in the same order, under the same coordinates.
func TestAxisOrder(t *testing.T) {
	gathered := func(matrix string) string {
		p := mustBuild(t, `
stages:
  a: { use: t-free, matrix: `+matrix+`, with: { outputs: [x], command: ["${b}", "${c}"] } }
  g: { use: echo, in: { inputs: "a[*]" } }
`)
		var b strings.Builder
		for _, s := range p.Graph.Stages()[1].Tasks()[0].Inputs()[0].Sources {
			fmt.Fprintln(&b, s.Coords, param.Values(s.Node.Instance()))
		}
		return b.String()
	}
	one, other := gathered("{ b: [1, 10, 2], c: [y, x] }"), gathered("{ c: [x, y], b: [10, 1, 2] }")
	if one != other || !strings.HasPrefix(one, `[{b 1} {c x}]`) {
		t.Errorf("%s\nother order:\n%s", one, other)
	}
}

// TestManyTasks: what a large fan-out costs is counted, not timed: allocations
// grow with the number of tasks.
func TestManyTasks(t *testing.T) {
	allocations := func(n int) float64 {
		text := []byte(fmt.Sprintf("stages:\n  a: { use: echo, matrix: { value: [1..%d] } }\n  b: { use: echo, matrix: { value: [1..%d] }, in: { input: a } }\n  c: { use: echo, in: { inputs: \"b[*]\" } }\n", n, n))
		return testing.AllocsPerRun(1, func() {
			p := need.Value(build("x.yaml", text, ".", nil, maxTasks))(t)
			if got := len(p.Graph.Stages()[2].Tasks()[0].Inputs()[0].Sources); got != n {
				t.Fatalf("%d gathered, want %d", got, n)
			}
		})
	}
	small, large := allocations(1000), allocations(10000)
	if large > 11*small {
		t.Errorf("%g allocations for 1000 tasks, %g for 10000", small, large)
	}
}
