package gnn

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestNewGraphRefuses(t *testing.T) {
	o := Paper(2)
	x := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		features []float64
		edges    []Edge
		want     string
	}{
		{x[:5], nil, "5 features cannot be divided into nodes of 2 features each"},
		{nil, nil, "0 features cannot be divided into nodes of 2 features each"},
		{[]float64{1, 2, 3, math.NaN()}, nil, "feature 2 of node 2 is NaN: a number is needed"},
		{x, []Edge{{0, 3, 1}}, "edge 1–4 is outside a graph of 3 nodes"},
		{x, []Edge{{-1, 2, 1}}, "edge 0–3 is outside a graph of 3 nodes"},
		{x, []Edge{{1, 1, 1}}, "edge 2–2 is a self-loop"},
		{x, []Edge{{0, 1, math.Inf(1)}}, "edge 1–2 has weight +Inf: a number is needed"},
		{x, []Edge{{0, 1, 1}, {1, 2, 1}, {1, 0, 2}}, "edge 1–2 appears twice"},
	} {
		if _, err := NewGraph[float32](o, 0, c.features, c.edges); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	if _, err := NewGraph[float32](o, 0, []float64{1, 1e300}, nil); err == nil || !strings.HasSuffix(err.Error(), "feature 2 of node 1 is 1e+300: too large for single precision") {
		t.Errorf("a value beyond float32: %v", err)
	}
}

// entriesOf lists the rows of an adjacency as maps from neighbor to weight.
func entriesOf(t *testing.T, a *adjacency[float64]) []map[int]float64 {
	t.Helper()
	rows := make([]map[int]float64, a.n)
	for i := range rows {
		rows[i] = map[int]float64{}
		for k := range int(a.degree[i]) {
			e := a.entry(i, k)
			j := int(a.col[e])
			rows[i][j] = a.weight[e]
			back := int(a.reverse[e])
			if int(a.col[back]) != i || int(a.reverse[back]) != e || a.weight[back] != a.weight[e] {
				t.Errorf("entry (%d, %d) has a wrong reverse", i, j)
			}
		}
		if a.col[a.entry(i, 0)] != int32(i) || len(rows[i]) != int(a.degree[i]) {
			t.Errorf("row %d does not begin with itself, or names a node twice", i)
		}
	}
	return rows
}

// The adjacency among kept nodes is E[idx, idx], and augment is the off-diagonal
// of (E+I)²: both against the plain matrix.
func TestInduceAndAugment(t *testing.T) {
	o := Paper(1)
	const n = 19
	edges := randomEdges(1, n, 45)
	g := need.Value(NewGraph[float64](o, 0, make([]float64, n), edges))(t)
	var e [n][n]float64
	for i := range n {
		e[i][i] = 1
	}
	for _, x := range edges {
		e[x.Source][x.Target], e[x.Target][x.Source] = x.Weight, x.Weight
	}
	compare := func(what string, a *adjacency[float64], want func(i, j int) float64) {
		t.Helper()
		rows := entriesOf(t, a)
		for i := range a.n {
			for j := range a.n {
				if math.Abs(rows[i][j]-want(i, j)) > 1e-15 {
					t.Errorf("%s: (%d, %d) is %v, want %v", what, i, j, rows[i][j], want(i, j))
				}
			}
		}
	}
	compare("graph", &g.adjacency, func(i, j int) float64 { return e[i][j] })

	kept := []int32{17, 3, 8, 0, 12, 4, 18, 9, 5, 1, 2}
	rank := make([]int32, n)
	for i := range rank {
		rank[i] = n - 1
	}
	for p, i := range kept {
		rank[i] = int32(p)
	}
	var sub adjacency[float64]
	sub.induce(kernels64, &g.adjacency, rank, len(kept))
	at := func(i, j int) float64 { return e[kept[i]][kept[j]] }
	compare("induced", &sub, at)

	sub.augment(portable[float64](), true)
	compare("augmented", &sub, func(i, j int) float64 {
		if i == j {
			return 1
		}
		sum := 0.0
		for k := range kept {
			sum += at(i, k) * at(k, j)
		}
		return sum
	})
}

// entry is where neighbor t of node i is in col, reverse and weight.
func (a *adjacency[T]) entry(i, t int) int { return int(a.first[i]) + lanes*t }
