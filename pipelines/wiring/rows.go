package wiring

import "slices"

// Combos are the include and exclude lists of a matrix, one value an axis;
// −1 in exclude stands for any.
type Combos struct {
	Include, Exclude [][]int32
}

// Rows lists the combinations of a matrix, the last axis running fastest; one empty one when there is no axis. sizes
// are how many values each axis has. Where projected is not nil, it has the combinations of the axes that are
// decisions,
// and −1 for the others.
func Rows(sizes []int, c Combos, projected [][]int32) [][]int32 {
	if projected == nil {
		projected = [][]int32{slices.Repeat([]int32{-1}, len(sizes))}
	} else {
		sizes = slices.Clone(sizes)
		for i := range sizes {
			if len(projected) > 0 && projected[0][i] >= 0 {
				sizes[i] = 1
			}
		}
	}
	n := len(projected)
	for _, size := range sizes {
		n *= size
	}
	excluded := newSets(c.Exclude)
	flat := make([]int32, 0, n*len(sizes))
	rows := make([][]int32, 0, n+len(c.Include))
	row, all := make([]int32, len(sizes)), make([]int32, len(sizes))
	for range n / max(len(projected), 1) {
		for _, chosen := range projected {
			for i, at := range chosen {
				if all[i] = row[i]; at >= 0 {
					all[i] = at
				}
			}
			if !excluded.match(all) {
				from := len(flat)
				flat = append(flat, all...)
				rows = append(rows, flat[from:len(flat):len(flat)])
			}
		}
		for i := len(sizes) - 1; i >= 0; i-- {
			if row[i]++; int(row[i]) < sizes[i] {
				break
			}
			row[i] = 0
		}
	}
	if len(projected) > 1 {
		slices.SortFunc(rows, slices.Compare)
	}
	if len(c.Include) > 0 {
		there := newSets(rows)
		for _, row := range c.Include {
			if !there.match(row) {
				rows = append(rows, row)
				there.add(row)
			}
		}
	}
	return rows
}

// sets finds combinations in one step for each set of axes that they
// state, however many there are.
type sets map[string]map[string]bool // which axes → which values

func newSets(all [][]int32) sets {
	of := sets{}
	for _, c := range all {
		of.add(c)
	}
	return of
}

func (s sets) add(c []int32) {
	which := make([]byte, len(c))
	for i, v := range c {
		if v >= 0 {
			which[i] = 1
		}
	}
	if s[string(which)] == nil {
		s[string(which)] = map[string]bool{}
	}
	s[string(which)][comboKey(c, string(which))] = true
}

func (s sets) match(row []int32) bool {
	for which, set := range s {
		if set[comboKey(row, which)] {
			return true
		}
	}
	return false
}

func comboKey(c []int32, which string) string {
	b := make([]byte, 0, 4*len(c))
	for i, v := range c {
		if which[i] == 1 {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return string(b)
}
