package nifti

import (
	"slices"
	"testing"
)

// The label at the voxel's centre, against the definition on a grid of halves, and the majority
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
		// Centres at 0.5, 3.5 and 6.5: voxels 1 (a tie goes up), 4, and none.
		{1, []int32{5, 7, 0}},
		// Samples at -0.5, 0.5, 1.5 | 2.5, 3.5, 4.5 | 5.5, 6.5, 7.5.
		{3, []int32{5, 7, 0}},
	} {
		got, err := l.Resampled(Grid{[3]int{3, 1, 1}, coarse, true}, c.samples, stay)
		if err != nil || !slices.Equal(got.Voxels, c.want) {
			t.Errorf("%d samples: %v, want %v; error %v", c.samples, got.Voxels, c.want, err)
		}
	}
	// Where the centre is in a thin region, most of the voxel decides.
	thin := &Labels{Grid{[3]int{3, 1, 1}, Identity, true}, []int32{4, 9, 4}}
	wide := Identity
	wide[0][0], wide[0][3] = 3, 1
	one := Grid{[3]int{1, 1, 1}, wide, true}
	for samples, want := range map[int]int32{1: 9, 3: 4} {
		if got, err := thin.Resampled(one, samples, stay); err != nil || got.Voxels[0] != want {
			t.Errorf("%d samples: %v, want %d; error %v", samples, got.Voxels, want, err)
		}
	}
	// The points are moved before they are looked up.
	shifted, err := l.Resampled(l.Grid, 1, func(p []Point) error {
		for i := range p {
			p[i][0] += 2
		}
		return nil
	})
	if want := []int32{7, 7, 7, 3, 0, 0}; err != nil || !slices.Equal(shifted.Voxels, want) {
		t.Errorf("%v, want %v; error %v", shifted.Voxels, want, err)
	}
}

// The most frequent label wins; of two as frequent the centre's, else the smaller.
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
		{[]int32{0, 0, 9, 0, 5}, 0},
	} {
		if got := majority(slices.Clone(c.labels)); got != c.want {
			t.Errorf("%v: %d, want %d", c.labels, got, c.want)
		}
	}
}
