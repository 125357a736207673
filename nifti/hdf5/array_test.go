package hdf5

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// The arrays of testdata/arrays/arrays.py, as a whole and by every range of their first index, behind a userblock.
func TestArrays(t *testing.T) {
	f := need.Value(open(t, filepath.Join("testdata", "arrays", "arrays.h5")))(t)
	root := need.Value(f.Root())(t)
	_, at, err := root.Links()
	need.NoError(t, err)
	cube := func(i int) float64 { return 1.5*float64(i) - 20 }
	plain := func(i int) float64 { return float64(i) }
	for name, c := range map[string]struct {
		dims  []int
		class string
		value func(i int) float64
	}{
		"contiguous": {[]int{5, 7, 3}, "xfloat64", cube},
		"chunks":     {[]int{5, 7, 3}, "xfloat64", cube},
		"shuffled":   {[]int{5, 7, 3}, "xfloat32", cube},
		"bytes":      {[]int{200}, "xuint8", plain},
		"shorts":     {[]int{6, 3}, "xint16", func(i int) float64 { return float64(i - 9) }},
		"compact":    {[]int{2, 2}, "", func(i int) float64 { return float64(i + 1) }},
	} {
		a := need.Value(f.At(at[name]))(t)
		if !slices.Equal(a.Dims, c.dims) {
			t.Fatalf("%s: dimensions %v, want %v", name, a.Dims, c.dims)
		}
		_, class, _ := a.Attribute("MATLAB_class")
		need.Equal(t, class, c.class, name)
		if n, _, ok := a.Attribute("count"); ok {
			need.Equal(t, int(n), a.Count(), name)
		}
		row := product(c.dims[1:])
		for from := range c.dims[0] {
			for to := from; to <= c.dims[0]; to++ {
				x, err := a.Numbers(from, to)
				need.NoError(t, err, name)
				need.Equal(t, len(x), (to-from)*row, name)
				for i, v := range x {
					need.Equal(t, v, c.value(from*row+i), name, from, to, i)
				}
			}
		}
	}
	longs := need.Value(f.At(at["longs"]))(t)
	x := need.Value(longs.Numbers(0, 1))(t)
	need.Equal(t, x[0], -math.Pow(2, 40))
	_, err = longs.Numbers(0, 2)
	need.Error(t, err, "it holds 9007199254740993, which double precision cannot hold exactly")
	cell := need.Value(f.At(at["cell"]))(t)
	references := need.Value(cell.References())(t)
	if !slices.Equal(references, []uint64{at["compact"], at["bytes"]}) {
		t.Errorf("references %v, want %v and %v", references, at["compact"], at["bytes"])
	}
}
