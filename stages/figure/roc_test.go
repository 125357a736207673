package figure

import (
	"regexp"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/chart"
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

// Of many classifiers four have a color and a name in the key, others are gray.
func TestROCOfManyClassifiers(t *testing.T) {
	all := &fold.Settings{Groups: []string{"ASD", "CON"}}
	for i := range mostBands + 3 {
		all.Settings = append(all.Settings, []fold.Tested{{Name: string(rune('a' + i)), Participants: []fold.Case{
			{Label: 1, Probability: []float64{0.1, 0.9}}, {Label: 0, Probability: []float64{0.9, 0.1}}}}})
	}
	c := need.Value(DrawROC(all, "CON"))(t)
	svg := string(need.Value(c.SVG())(t))
	for name, want := range map[string]bool{">d: AUC": true, ">e: AUC": false, ">3 others<": true} {
		need.Equal(t, strings.Contains(svg, name), want, name)
	}
	need.Equal(t, strings.Contains(c.Caption, "Gray: the 3 others. Dashed gray: chance."), true, c.Caption)
}

// In one figure no two of the first classifiers have one color, however many the page has.
func TestColorsApart(t *testing.T) {
	need.Equal(t, apart([]int{0}, 7), 1)
	need.Equal(t, apart([]int{0, 1}, 7), 2)
	need.Equal(t, apart([]int{0}, 4), 4)
	need.Equal(t, apart([]int{0, 1, 2, 3, 4, 5, 6}, 9), 9)
	var all fold.Settings
	all.Groups = []string{"ASD", "CON"}
	for _, name := range []string{"PR-GNN", "BrainNetCNN", "random forest", "Li et al. 2019",
		"logistic regression", "MLP", "linear SVM", "ridge regression",
		"SVM (RBF)", "logistic regression, C = 2", "linear SVM, C = 2"} {
		all.Settings = append(all.Settings, []fold.Tested{{Name: name, Participants: []fold.Case{
			{Label: 1, Probability: []float64{0.1, 0.9}}, {Label: 0, Probability: []float64{0.9, 0.1}}}}})
	}
	numbers := seriesOf(&all)
	need.Equal(t, chart.Color(numbers[0]), chart.Color(numbers[1])) // of the page
	svg := string(need.Value(need.Value(DrawCalibration(&all, "CON", 5))(t).SVG())(t))
	colors := map[string]bool{}
	for _, m := range regexp.MustCompile(`stroke:(#[0-9A-Fa-f]{6})[^"]*stroke-width:1[.]5`).FindAllStringSubmatch(svg, -1) {
		colors[m[1]] = true
	}
	need.Equal(t, len(colors), 2, colors)
}

// A classifier has one color on a page, also in a figure that lacks others.
func TestSeriesAmong(t *testing.T) {
	page := []string{"LDA", "PR-GNN, λ 0", "PR-GNN, λ 1", "QDA"}
	whole := column.Series(page)
	got := seriesAmong([]string{"QDA", "PR-GNN, λ 1"}, page)
	need.Equal(t, [2]int(got), [2]int{whole[3], whole[2]})
	need.Equal(t, seriesAmong(page[3:], nil)[0], 0)
}
