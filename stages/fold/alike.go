package fold

import (
	"math"

	"prgnn/dag"
	"prgnn/numeric/dense"
	"prgnn/stages/inference"
)

// Connectivity tells persons apart (Finn et al. 2015, Nature Neuroscience 18:1664). Two scans may be of one person when
// each participant's connectivity is the most similar to the other's, similarCenter robust SD above the median of all
// pairs, and stands out from both second best by similarLead of the way from that median. Of 20 scans of ABIDE's site
// OLIN cut in two halves 10 pairs are found, by Pearson matrices; of NYU's 175 participants none.
const (
	similarCenter = 5
	similarLead   = 0.4
	fewestSimilar = 20   // with fewer participants, chance does it too
	mostSimilar   = 2000 // the time grows with their square
)

// Similar are pairs of participants whose connectivity is as similar as that of two scans of one person. Features are
// those that Duplicates compares, of symmetric matrices only, without their mean over participants.
func Similar(ins []dag.Input, threads int) ([]Duplicate, error) {
	var who []string
	var rows []float64
	seen := map[string]bool{}
	values := 0
	for _, in := range ins {
		id := in.Coord("subject")
		if seen[id] { // another scan of theirs
			continue
		}
		seen[id] = true
		a, err := in.SharedArray()
		if err != nil {
			return nil, err
		}
		f := FeaturesOf(a)
		if !f.matrix || who != nil && len(f.values) != values {
			return nil, nil
		}
		who, rows, values = append(who, id), append(rows, f.values...), len(f.values)
	}
	n := len(who)
	if n < fewestSimilar || n > mostSimilar || values < mostValues/4 {
		return nil, nil
	}
	center(rows, n, values)
	r := make([]float64, n*n)
	dense.Gram(r, dense.Rows(rows, values), n, values, threads)
	var all []float64
	for i := range n {
		all = append(all, r[i*n+i+1:][:n-i-1]...)
	}
	middle := inference.Median(all)
	for i := range all {
		all[i] -= middle
	}
	sd := inference.MedianAbs(all) / 0.6744897501960817
	best := make([]int, n)
	second := make([]float64, n)
	for i := range n {
		best[i], second[i] = -1, math.Inf(-1)
		for j := range n {
			switch x := r[i*n+j]; {
			case i == j:
			case best[i] < 0 || x > r[i*n+best[i]]:
				if best[i] >= 0 {
					second[i] = r[i*n+best[i]]
				}
				best[i] = j
			case x > second[i]:
				second[i] = x
			}
		}
	}
	var out []Duplicate
	for i, j := range best {
		x := r[i*n+j]
		if i < j && best[j] == i && x-middle >= similarCenter*sd && sd > 0 &&
			x-max(second[i], second[j]) >= similarLead*(x-middle) {
			out = append(out, Duplicate{First: who[i], Later: who[j], How: "have similar connectivity"})
		}
	}
	return out, nil
}

// center takes the mean over participants out of each value, and makes each participant's values a vector of length 1
// about its mean; a missing value is the mean.
func center(rows []float64, n, values int) {
	for k := range values {
		sum, there := 0.0, 0.0
		for i := range n {
			if x := rows[i*values+k]; !math.IsNaN(x) {
				sum, there = sum+x, there+1
			}
		}
		for i := range n {
			if x := &rows[i*values+k]; math.IsNaN(*x) {
				*x = 0
			} else {
				*x -= sum / there
			}
		}
	}
	for i := range n {
		row, sum := rows[i*values:][:values], 0.0
		for _, x := range row {
			sum += x
		}
		for k := range row {
			row[k] -= sum / float64(values)
		}
		if length := math.Sqrt(dense.Dot(row, row)); length > 0 {
			for k := range row {
				row[k] /= length
			}
		}
	}
}
