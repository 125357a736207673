package figure

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Each of up to mostBands classifiers has a band; of more the first alone, whose name is in the caption.
func TestROCBands(t *testing.T) {
	person := func(label int, p float64) fold.Case { return fold.Case{Label: label, Probability: []float64{1 - p, p}} }
	folds := func(name string) []fold.Tested {
		return []fold.Tested{{Name: name, Participants: []fold.Case{person(1, 0.9), person(0, 0.1)}},
			{Name: name, Fold: 1, Participants: []fold.Case{person(1, 0.1), person(0, 0.9)}}}
	}
	for n, want := range map[int]int{1: 1, mostBands: mostBands, mostBands + 1: 1} {
		all := &fold.Settings{Groups: []string{"ASD", "CON"}}
		for i := range n {
			all.Settings = append(all.Settings, folds(string(rune('a'+i))))
		}
		c := need.Value(DrawROC(all, "CON"))(t)
		svg := need.Value(c.SVG())(t)
		if got := strings.Count(string(svg), "fill-opacity"); got != want {
			t.Errorf("%d classifiers have %d bands, want %d", n, got, want)
		}
		need.Equal(t, strings.Contains(c.Caption, "Band (a):"), n > mostBands, n)
	}
}

// A classifier has one color on a page, also in a figure that lacks others.
func TestSeriesAmong(t *testing.T) {
	page := []string{"LDA", "PR-GNN, λ 0", "PR-GNN, λ 1", "QDA"}
	whole := column.Series(page)
	got := seriesAmong([]string{"QDA", "PR-GNN, λ 1"}, page)
	need.Equal(t, [2]int(got), [2]int{whole[3], whole[2]})
	need.Equal(t, seriesAmong(page[3:], nil)[0], 0)
}
