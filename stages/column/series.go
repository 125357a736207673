package column

import "strings"

// seriesOrder are the classifiers whose color is fixed: with their number they have the same one in every figure.
var seriesOrder = []string{PrGNN, "linear-svm", "ridge", "svm", "logistic", "forest", "mlp", "brainnetcnn", "li2019"}

// Series numbers classifiers by their names: a known one by its place, a further setting of the same or an unknown one
// by the next number that is free. The majority classifier takes no number (−1).
func Series(names []string) []int {
	numbers, taken := make([]int, len(names)), map[int]bool{}
	for i, name := range names {
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
	for i, n := range numbers {
		if n == -2 {
			numbers[i] = next
			next++
		}
	}
	return numbers
}
