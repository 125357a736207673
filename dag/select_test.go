package dag

import (
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// fanned is a graph with the fan-outs that pipelines have.
func fanned() *Graph {
	g := &Graph{bare: "subject"}
	add := func(name string, coords ...[]Coord) {
		s := &StageNode{name: name}
		for _, c := range coords {
			s.tasks = append(s.tasks, &Node{id: TaskID(name, c, "subject"), stage: s, coords: c})
		}
		g.stages = append(g.stages, s)
	}
	add("folds", nil)
	add("connectivity", []Coord{{"subject", "sub-001"}}, []Coord{{"subject", "sub-002"}},
		[]Coord{{"subject", "sub-010"}})
	var train [][]Coord
	for _, pool := range []string{"topk", "sage"} {
		for _, fold := range []string{"1", "2"} {
			train = append(train, []Coord{{"pool", pool}, {"lambda", "[0.1, 0.1]"}, {"fold", fold}})
		}
	}
	add("train", train...)
	add("mixed", []Coord{{"fold", "2"}, {"subject", "sub-003"}})
	add("odd", []Coord{{"subject", "a,b]"}})
	add("echo", []Coord{{"value", "1"}}, []Coord{{"value", "12"}})
	var quoted [][]Coord
	for _, v := range []string{"", "a,b", " a", "*", "?", "a]", "[a", "a=b", "[a,b]", "a b/c", "-n", "/a",
		`q"q`, "a\nb", `a\b`} {
		quoted = append(quoted, []Coord{{"value", v}})
	}
	add("quoted", quoted...)
	add("rows", []Coord{{"subject", "a=b"}}, []Coord{{"subject", "a:b"}}, []Coord{{"subject", "*"}})
	add("pairs", []Coord{{"value", "a,b"}, {"subject", "x=y"}})
	return g
}

func TestSelect(t *testing.T) {
	for _, tt := range []struct{ patterns, want string }{
		{"folds", "folds"},
		{"train", "train[pool=topk,lambda=[0.1, 0.1],fold=1] train[pool=topk,lambda=[0.1, 0.1],fold=2] train[pool=sage,lambda=[0.1, 0.1],fold=1] train[pool=sage,lambda=[0.1, 0.1],fold=2]"},
		{"train[fold=2]", "train[pool=topk,lambda=[0.1, 0.1],fold=2] train[pool=sage,lambda=[0.1, 0.1],fold=2]"},
		{"train[fold=2, pool=topk]", "train[pool=topk,lambda=[0.1, 0.1],fold=2]"},
		{"train[pool=topk,lambda=[0.1, 0.1],fold=2]", "train[pool=topk,lambda=[0.1, 0.1],fold=2]"},
		{"connectivity[sub-001]", "connectivity[sub-001]"},
		{"connectivity[subject=sub-001]", "connectivity[sub-001]"},
		{"connectivity[sub-00*]", "connectivity[sub-001] connectivity[sub-002]"},
		{"connectivity[sub-0?0]", "connectivity[sub-010]"},
		{"conn*", "connectivity[sub-001] connectivity[sub-002] connectivity[sub-010]"},
		{"mixed[*]", "mixed[sub-003,fold=2]"},
		{"echo[*]", "echo[value=1] echo[value=12]"},
		{"train[*]", "train[pool=topk,lambda=[0.1, 0.1],fold=1] train[pool=topk,lambda=[0.1, 0.1],fold=2] train[pool=sage,lambda=[0.1, 0.1],fold=1] train[pool=sage,lambda=[0.1, 0.1],fold=2]"},
		{"*[sub-003]", "mixed[sub-003,fold=2]"},
		{"mixed[sub-003,fold=2]", "mixed[sub-003,fold=2]"},
		{`odd["a,b]"]`, `odd["a,b]"]`},
		{`quoted["*"]`, `quoted[value="*"]`},
		{`quoted["a=b"]`, `quoted[value=a=b]`},
		{"echo[1]", "echo[value=1]"},
		{"echo[1*]", "echo[value=1] echo[value=12]"},
		{"train[universe=pool=t*]", "train[pool=topk,lambda=[0.1, 0.1],fold=1] train[pool=topk,lambda=[0.1, 0.1],fold=2]"},
		{"folds connectivity[sub-010] folds", "folds connectivity[sub-010]"},
	} {
		sep := " "
		if strings.Contains(tt.patterns, ", ") {
			sep = "\x00"
		}
		nodes, err := fanned().Select(strings.Split(tt.patterns, sep)...)
		if err != nil {
			t.Errorf("%s: %v", tt.patterns, err)
			continue
		}
		ids := lists.Map(nodes, func(n *Node) string { return n.id })
		need.Equal(t, strings.Join(ids, " "), tt.want, tt.patterns)
	}
	for pattern, want := range map[string]string{
		"trian":                           `there is no stage "trian" (did you mean "train"?)`,
		"trian[fold=2]":                   `there is no stage "trian[fold=2]" (did you mean "train"?)`,
		"nothing":                         `there is no stage "nothing"; available: folds, connectivity, train, mixed, odd, echo, quoted, rows, pairs`,
		"connectivity[sub-0O1]":           `there is no task "connectivity[sub-0O1]" (did you mean "connectivity[sub-001]"?)`,
		"train[fold=7]":                   `there is no task "train[fold=7]"`,
		"train[fold=2":                    `task "train[fold=2": the bracket is not closed`,
		`odd["a]`:                         `task "odd[\"a]": "a is not quoted`,
		"folds[1]":                        `there is no task "folds[1]": folds is one task, without [ ]`,
		"connectivity[fold=1]":            `there is no task "connectivity[fold=1]": connectivity does not depend on fold, so the same tasks are part of all of its options: write connectivity (axes: subject)`,
		"folds[universe=pool=topk]":       `there is no task "folds[universe=pool=topk]": folds does not depend on pool, so the same tasks are part of all of its options: write folds`,
		"connectivity[sub-001,pool=topk]": `there is no task "connectivity[sub-001,pool=topk]": connectivity does not depend on pool, so the same tasks are part of all of its options: write connectivity[sub-001] (axes: subject)`,
		"mixed[universe=pool=topk]":       `there is no task "mixed[universe=pool=topk]": mixed does not depend on pool, so the same tasks are part of all of its options: write mixed (axes: fold, subject)`,
		"o*[universe=pool=topk]":          `there is no task "o*[universe=pool=topk]": odd does not depend on pool, so the same tasks are part of all of its options: write o* (axes: subject)`,
		"train[topk]":                     `there is no task "train[topk]"`,
		"folds[*]":                        `there is no task "folds[*]": folds is one task, without [ ]`,
		"quoted[value=a,b]":               `there is no task "quoted[value=a,b]" (did you mean 'quoted[value="a,b"]'?)`,
		"quoted[a,b]":                     `there is no task "quoted[a,b]" (did you mean 'quoted[value="a,b"]'?)`,
		"quoted[value= a]":                `there is no task "quoted[value= a]" (did you mean 'quoted[value=" a"]'?)`,
		"rows[a=b]":                       `there is no task "rows[a=b]" (did you mean 'rows["a=b"]'?)`,
		"mixed[universe=fold=2 pool=tpk]": `there is no task "mixed[universe=fold=2 pool=tpk]": no task has pool=tpk`,
		"mixed[universe=fold=2 pol=topk]": `there is no task "mixed[universe=fold=2 pol=topk]": no task has pol=topk`,
		"pairs[x=y,value=a,b]":            `there is no task "pairs[x=y,value=a,b]" (did you mean 'pairs["x=y",value="a,b"]'?)`,
	} {
		if _, err := fanned().Select(pattern); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// TestEveryIDSelectsItself is what lets a person paste a task's name back.
func TestEveryIDSelectsItself(t *testing.T) {
	g := fanned()
	for _, s := range g.stages {
		for _, n := range s.tasks {
			nodes, err := g.Select(n.id)
			if err != nil || len(nodes) != 1 || nodes[0] != n {
				t.Errorf("%s selects %v, %v", n.id, nodes, err)
			}
		}
	}
}

func TestCompareCoords(t *testing.T) {
	want := []string{"-1", "0.5", "1", "1.0", "2", "10", "a", "sub-002", "sub-010", "sub-2"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		return CompareCoords([]Coord{{"x", "same"}, {"y", a}}, []Coord{{"x", "same"}, {"y", b}})
	})
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
