package column

import (
	"slices"
	"strings"
)

// seriesOrder are the classifiers whose color is fixed: with their number they have the same one in every figure.
var seriesOrder = []string{PrGNN, "linear-svm", "ridge", "svm", "logistic", "forest", "mlp", "brainnetcnn", "li2019",
	"kernel-ridge", "meanmlp", "bnt", "braingnn"}

// Series numbers classifiers by their names: a known one by its place, a further setting of the same or an unknown one
// by the next number that is free, in the order of the names, however the figure sorts them. The majority classifier
// takes no number (−1).
func Series(names []string) []int {
	numbers, taken := make([]int, len(names)), map[int]bool{}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	for _, i := range order {
		name := names[i]
		numbers[i] = -2
		for k, model := range append([]string{"majority"}, seriesOrder...) {
			word := Classifiers[model]
			if name != word && !strings.HasPrefix(name, word+", ") && !strings.HasPrefix(name, word+" (") {
				continue
			}
			if at := k - 1; at < 0 || !taken[at] {
				numbers[i] = at
				taken[at] = true
			}
			break
		}
	}
	next := len(seriesOrder)
	if len(names) == 1 {
		next = 0
	}
	for _, i := range order {
		if numbers[i] == -2 {
			numbers[i] = next
			next++
		}
	}
	return numbers
}
