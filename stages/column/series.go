package column

import (
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// seriesOrder are the classifiers whose color is fixed: with their number they have the same one in every figure.
var seriesOrder = []string{PrGNN, "linear-svm", "ridge", "svm", "logistic", "forest", "mlp", "brainnetcnn", "li2019",
	"kernel-ridge", "meanmlp", "bnt", "braingnn"}

// Series numbers classifiers by their names: a known one by its place; by the next number whose color is free a further
// setting of the same, an unknown one, and one whose color another has. It goes in the order of the names, however
// the figure sorts them. The majority classifier takes no number (−1).
func Series(names []string) []int {
	numbers, taken := make([]int, len(names)), map[int]bool{}
	order := lists.UpTo(len(names))
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
	again := func(i int) { // the next number whose color is free
		numbers[i] = 0
		for used(numbers[i], taken) {
			numbers[i]++
		}
		taken[numbers[i]] = true
	}
	for _, i := range order { // known ones behind the colors, where the color is that of another one
		n := numbers[i]
		if n < seriesColors {
			continue
		}
		delete(taken, n)
		if used(n%seriesColors, taken) {
			again(i)
		}
		taken[numbers[i]] = true
	}
	for _, i := range order {
		if numbers[i] == -2 {
			again(i)
		}
	}
	return numbers
}

// seriesColors is how many colors package chart has for the lines of classifiers; further ones differ by their dashes.
const seriesColors = 7

// used reports whether a number, or while colors are free its color, is taken.
func used(number int, taken map[int]bool) bool {
	if number >= seriesColors {
		return taken[number]
	}
	for of := range taken {
		if of%seriesColors == number {
			return true
		}
	}
	return false
}
