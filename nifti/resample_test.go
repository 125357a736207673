package nifti

import (
	"slices"
	"testing"

	"prgnn/internal/need"
)

func TestDistance(t *testing.T) {
	need.Equal(t, Point{1, 2, 3}.Distance(Point{3, -1, 9}), 7) // 2² + 3² + 6² = 7²
}

// The label at the voxel's center, against the definition on a grid of halves, and the majority
// of 27 samples, against counting on a finer grid.
func TestResampled(t *testing.T) {
	l := &Labels{Grid{[3]int{6, 1, 1}, Identity, true}, []int32{5, 5, 7, 7, 7, 3}}
	stay := func([]Point) error { return nil }
	coarse := Identity
	coarse[0][0], coarse[0][3] = 3, 0.5 // voxels of 3 mm: [-1, 2), [2, 5), [5, 8) …
	for _, c := range []struct {
		samples int
		want    []int32
	}{
		// Centers at 0.5, 3.5 and 6.5: voxels 1 (a tie goes up), 4, and none.
		{1, []int32{5, 7, 0}},
		// Samples at -0.5, 0.5, 1.5 | 2.5, 3.5, 4.5 | 5.5, 6.5, 7.5.
		{3, []int32{5, 7, 0}}, // of the third voxel none is inside
	} {
		g := Grid{[3]int{3, 1, 1}, coarse, true}
		got, err := l.Resampled(g, g.Box(), c.samples, stay)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d samples: %v, want %v; error %v", c.samples, got, c.want, err)
		}
	}
	// Where the center is in a thin region, most of the voxel decides.
	thin := &Labels{Grid{[3]int{3, 1, 1}, Identity, true}, []int32{4, 9, 4}}
	wide := Identity
	wide[0][0], wide[0][3] = 3, 1
	one := Grid{[3]int{1, 1, 1}, wide, true}
	for samples, want := range map[int]int32{1: 9, 3: 4} {
		if got, err := thin.Resampled(one, one.Box(), samples, stay); err != nil || got[0] != want {
			t.Errorf("%d samples: %v, want %d; error %v", samples, got, want, err)
		}
	}
	// The points are moved before they are looked up.
	shifted, err := l.Resampled(l.Grid, Box{[3]int{-2, 0, 0}, [3]int{6, 1, 1}}, 1, func(p []Point) error {
		for i := range p {
			p[i][0] += 2
		}
		return nil
	})
	if want := []int32{5, 5, 7, 7, 7, 3, 0, 0}; err != nil || !slices.Equal(shifted, want) {
		t.Errorf("%v, want %v; error %v", shifted, want, err)
	}
}

// The most frequent label wins; of two as frequent the center's, else the smaller. A third of
// the samples must have one.
func TestMajority(t *testing.T) {
	for _, c := range []struct {
		labels []int32
		want   int32
	}{
		{[]int32{3}, 3},
		{[]int32{1, 2, 2}, 2},
		{[]int32{1, 1, 2, 2, 2}, 2},
		{[]int32{9, 9, 2, 2, 5}, 2},
		{[]int32{2, 2, 9, 9, 5}, 9},
		{[]int32{0, 0, 9, 0, 5}, 9},
		{[]int32{0, 0, 9, 5, 0, 5}, 5},
		{[]int32{0, 0, 0, 7, 0, 0}, 0},
		{[]int32{0, 0, 0, 7, 0, 7}, 7},
		{[]int32{0}, 0},
	} {
		need.Equal(t, majority(slices.Clone(c.labels)), c.want, c.labels)
	}
}

// A grid is continued to hold the labels beyond it with the margin, and not without end.
func TestAround(t *testing.T) {
	l := &Labels{Grid{[3]int{20, 1, 1}, Identity, true}, make([]int32, 20)}
	l.Voxels[2], l.Voxels[12] = 1, 2 // from 1.5 to 12.5 mm
	wide := Identity
	wide[0][0], wide[0][3] = 2, 5 // indices −1.75 to 3.75
	for _, c := range []struct {
		n      int
		margin float64
		lo, hi int
	}{
		{8, 0, -2, 8}, {8, 1, -3, 8}, {2, 0, -2, 4}, {3, 0, -2, 5}, {2, 100, -2, 4},
	} {
		box, err := l.Around(Grid{[3]int{c.n, 1, 1}, wide, true}, c.margin)
		if err != nil || box.Lo[0] != c.lo || box.Hi[0] != c.hi {
			t.Errorf("%+v: %v, error %v", c, box, err)
		}
	}
}
