package chart

import ours "prgnn/stages/draw"

// TestedMatrix draws a symmetric matrix above the diagonal and those of its entries that are significant below it;
// regions
// are in blocks by their group, as in Matrices.
func TestedMatrix(p MatrixPanel, significant []bool, groups []string) ours.Figure {
	n := len(groups)
	order, _ := arrange(groups)
	values := make([]float64, n*n)
	for i, from := range order {
		for j, to := range order {
			if v := p.Values[from*n+to]; i < j || significant[from*n+to] || v != v {
				values[from*n+to] = v
			}
		}
	}
	p.Values = values
	return Matrices([]MatrixPanel{p}, groups)
}
