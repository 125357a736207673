package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// The regions that carry the difference: taking them out undoes the answers more than
// any others do, and keeping them alone keeps the answers.
func TestFidelityOfTheTruth(t *testing.T) {
	in := stagetest.PlantedInputs(t, 40, 3, 12, 1.5)
	out := stagetest.MustRun(t, trainer(1), in)
	byDefault := stagetest.MustRun(t, &Fidelity{Order: "individual", Random: 1}, map[string][]dag.Input{
		"model": {dag.InputOf(out["model"], dag.Coord{Axis: "fold", Value: "1"})}, "edges": in["edges"],
		"features":     in["features"],
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "HC", "ASD"))}})["fidelity"].(*encoding.Table)
	if graphs, _ := encoding.ListsOf[string](byDefault, "graphs"); !slices.Equal(graphs[0],
		[]string{"all graphs"}) {
		t.Errorf("masked: %q", graphs)
	}
	if k, _ := byDefault.Ints("k"); !slices.Equal(k, []int64{1, 1, 3, 3, 6, 6}) {
		t.Errorf("by default %v of 12 regions", k)
	}
	ask := func(order []int32) *encoding.Table {
		rank := make([]int32, len(order))
		for i := range rank {
			rank[i] = int32(i + 1)
		}
		ranking := encoding.NewTable(encoding.Column{Name: "rank", Values: rank},
			encoding.Column{Name: "index", Values: order})
		return stagetest.MustRun(t, &Fidelity{Order: "group", K: []int{4}, Random: 19, Seed: 1}, map[string][]dag.Input{
			"model": {dag.InputOf(out["model"], dag.Coord{Axis: "fold", Value: "1"})}, "edges": in["edges"],
			"features":     in["features"],
			"participants": {dag.InputOf(stagetest.SomeParticipants(40, "HC", "ASD"))},
			"ranking":      {dag.InputOf(ranking)}})["fidelity"].(*encoding.Table)
	}
	first := ask([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	last := ask([]int32{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1})
	if people := stagetest.FloatsOf(t, first, "participants"); !stagetest.Near(people, []float64{8, 8}) {
		t.Errorf("asked about %v participants", people)
	}
	a, b := stagetest.FloatsOf(t, first, "drop"), stagetest.FloatsOf(t, last, "drop")
	if !(a[0] > 0.4 && math.Abs(a[1]) < 0.05 && math.Abs(b[0]) < 0.05 && b[1] > 0.4) {
		t.Errorf("probability lost by removing and keeping the regions that differ %v, and others %v", a, b)
	}
	if right := stagetest.FloatsOf(t, first, "accuracy"); right[0] != 0.5 || right[1] != 1 {
		t.Errorf("accuracy without and with them alone: %v", right)
	}
	if actions, _ := first.Strings("action"); !slices.Equal(actions, []string{"remove", "keep"}) {
		t.Errorf("actions %v", actions)
	}
	// The random choices do not depend on the order.
	if x, y := stagetest.FloatsOf(t, first, "random_drop"),
		stagetest.FloatsOf(t, last, "random_drop"); !stagetest.Near(x, y) {
		t.Errorf("the controls differ: %v, %v", x, y)
	}
	for _, c := range []struct {
		stage *Fidelity
		want  string
	}{
		{&Fidelity{Order: "group", K: []int{4}, Random: 1}, "order is group, but no ranking is connected (in: { ranking: biomarkers.ranking })"},
		{&Fidelity{Order: "individual", K: []int{12}, Random: 1}, "k is 12, but there are 12 regions"},
	} {
		_, err := stagetest.RunStage(t, c.stage, map[string][]dag.Input{"model": {dag.InputOf(out["model"])},
			"edges": in["edges"], "features": in["features"],
			"participants": {dag.InputOf(stagetest.SomeParticipants(40, "HC", "ASD"))}})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Two graphs that share two of their first four regions share two in each random choice, too: otherwise the effects of
// random choices, summed over graphs, would vary less than those of rankings, and p would be too small.
func TestFidelityChoicesAreOfAllGraphs(t *testing.T) {
	scored := func(top ...int) gnn.Prediction {
		layer := gnn.Scores{Score: make([]float64, 12)}
		for i := range 12 {
			layer.Node = append(layer.Node, int32(i))
		}
		for i, node := range top {
			layer.Score[node] = float64(10 - i)
		}
		return gnn.Prediction{Layers: []gnn.Scores{layer}}
	}
	s, differ := &Fidelity{Order: "individual", Seed: 1}, 0
	analyzed := scored().Layers[0].Node
	for r := range 20 {
		a := need.Value(s.first(&maskSetting{}, 4, r, scored(1, 3, 5, 7), analyzed, 12))(t)
		b := need.Value(s.first(&maskSetting{}, 4, r, scored(5, 1, 0, 2), analyzed, 12))(t)
		both, each := 0, 0
		for i := range a {
			if a[i] && b[i] {
				both++
			}
			if a[i] {
				each++
			}
		}
		need.Equal(t, both, 2, r)
		need.Equal(t, each, 4, r)
		if !a[1] || !a[3] || !a[5] || !a[7] {
			differ++
		}
	}
	if differ < 15 {
		t.Errorf("%d of 19 random choices differ from the ranking", differ)
	}
}

// A region that the models do not analyze is in no choice, random ones included, and not counted.
func TestFidelityOfAnalyzedRegions(t *testing.T) {
	analyzed := []int32{0, 2, 3, 5}
	whole := gnn.Prediction{Layers: []gnn.Scores{{Node: analyzed, Score: []float64{1, 4, 2, 3}}}}
	for _, of := range []*maskSetting{{}, {order: []int{2, 5, 3, 0}}} {
		s := &Fidelity{Order: "individual", Seed: 1}
		for r := range 20 {
			in := need.Value(s.first(of, 3, r, whole, analyzed, 6))(t)
			need.Equal(t, in[1] || in[4], false, r)
			if r == 0 {
				need.Equal(t, fmt.Sprint(in), "[false false true true false true]")
			}
		}
		_, err := s.first(of, 4, 0, whole, analyzed, 6)
		need.Error(t, err, "k is 4, but there are 4 regions")
	}
	need.Equal(t, fmt.Sprint((&Fidelity{}).sizes(18)), "[2 4 9]")
}

// A participant is classified by the mean probability over its graphs, not by most of them.
func TestFidelityDecidesByMeanProbability(t *testing.T) {
	of := func(p ...float64) (graphs []gnn.Prediction) {
		for _, x := range p {
			graphs = append(graphs, gnn.Prediction{Probability: []float64{x, 1 - x}})
		}
		return graphs
	}
	need.Equal(t, isCorrect(of(0.9, 0.4, 0.45), 0), true)
	need.Equal(t, isCorrect(of(0.9, 0.4, 0.45), 1), false)
	need.Equal(t, isCorrect(of(0.5), 0), true) // the first among equals
}

// Equal scores have no order: which of them are among the first does not depend on their numbers, is the same in all
// graphs, and leaves what has another score where it is.
func TestFidelityOfEqualScores(t *testing.T) {
	const nodes, k, seeds = 12, 4, 400
	var analyzed []int32
	score, other := make([]float64, nodes), make([]float64, nodes)
	for i := range nodes {
		analyzed, score[i], other[i] = append(analyzed, int32(i)), 0.5, 0.5
	}
	score[11], score[2], other[11], other[7] = 0.9, 0.1, 0.8, 0.2
	graph := func(score []float64) gnn.Prediction {
		return gnn.Prediction{Layers: []gnn.Scores{{Node: analyzed, Score: score}}}
	}
	individual, group := make([]int, nodes), make([]int, nodes)
	for seed := range uint64(seeds) {
		s := &Fidelity{Order: "individual", Seed: seed}
		one := need.Value(s.first(&maskSetting{}, k, 0, graph(score), analyzed, nodes))(t)
		same := need.Value(s.first(&maskSetting{}, k, 0, graph(other), analyzed, nodes))(t)
		of := &maskSetting{order: s.untied([]int{11, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 2},
			[]float64{0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1})}
		ranked := need.Value(s.first(of, k, 0, gnn.Prediction{}, analyzed, nodes))(t)
		differ := 0
		for i := range nodes {
			if one[i] {
				individual[i]++
			}
			if ranked[i] {
				group[i]++
			}
			if one[i] != same[i] {
				differ++
			}
		}
		if differ > 2 { // region 2 in place of region 7, at most
			t.Fatalf("seed %d: %v and %v", seed, one, same)
		}
	}
	for _, times := range [][]int{individual, group} {
		for i, n := range times {
			switch {
			case i == 11:
				need.Equal(t, n, seeds)
			case i == 2:
				need.Equal(t, n, 0)
			case n < seeds*3/10-40 || n > seeds*3/10+40: // 3 of the 10 equals; 40 is 4.4 SD
				t.Errorf("region %d is among the first %d in %d of %d orders", i+1, k, n, seeds)
			}
		}
	}
}

// A ranking that has no scores keeps its order, and one whose equal scores stand in another order gives the same.
func TestFidelityOfRankingsWithTies(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 12, 1.5)
	out := stagetest.MustRun(t, trainer(1), in)
	index := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	backward := slices.Clone(index)
	slices.Reverse(backward)
	ask := func(order []int32, score ...float64) []float64 {
		columns := []encoding.Column{{Name: "rank", Values: index}, {Name: "index", Values: order}}
		if score != nil {
			columns = append(columns, encoding.Column{Name: "score", Values: score})
		}
		return stagetest.FloatsOf(t, stagetest.MustRun(t, &Fidelity{Order: "group", K: []int{4}, Random: 1, Seed: 1},
			map[string][]dag.Input{"model": {dag.InputOf(out["model"], dag.Coord{Axis: "fold", Value: "1"})},
				"edges": in["edges"], "features": in["features"],
				"participants": {dag.InputOf(stagetest.SomeParticipants(20, "HC", "ASD"))},
				"ranking":      {dag.InputOf(encoding.NewTable(columns...))}})["fidelity"].(*encoding.Table), "drop")
	}
	equal := make([]float64, 12)
	need.Equal(t, fmt.Sprint(ask(index, equal...)), fmt.Sprint(ask(backward, equal...)))
	if slices.Equal(ask(index), ask(backward)) {
		t.Error("rankings without scores have no order")
	}
}
