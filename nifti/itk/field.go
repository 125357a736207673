package itk

import (
	"errors"
	"fmt"
	"math"

	"prgnn/nifti"
	"prgnn/nifti/hdf5"
)

// field is a displacement field: vectors in mm at the nodes of a grid, which stay in the file.
type field struct {
	size    [3]int
	inverse nifti.Affine // RAS mm to indices of nodes
	vectors *hdf5.Vector // LPS mm: component fastest, then x, y, z
}

// mostNodes bounds a slice of a field, of which two are held. The template's of 1 mm has
// 193 × 229.
const mostNodes = 1 << 20

// fieldOf is the field of ITK's parameters. The fixed ones are size, origin, spacing and
// direction, whose columns are the axes, row by row.
func fieldOf(vectors *hdf5.Vector, fixed []float64) (*field, error) {
	if len(fixed) != 18 {
		return nil, fmt.Errorf("%d fixed parameters, want 18: size, origin, spacing, direction", len(fixed))
	}
	for i, name := range []string{"size", "origin", "spacing", "direction", "direction", "direction"} {
		for _, v := range fixed[3*i : 3*i+3] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the %s of the field has the value %v", name, v)
			}
		}
	}
	f := &field{vectors: vectors}
	a := nifti.Identity
	for axis := range 3 {
		n, spacing := fixed[axis], fixed[6+axis]
		if !(n >= 1 && n <= mostNodes) || n != math.Trunc(n) {
			return nil, fmt.Errorf("the field has %v nodes along axis %d", n, axis)
		}
		f.size[axis] = int(n)
		if !(spacing > 0) {
			return nil, fmt.Errorf("the field has a spacing of %v mm along axis %d", spacing, axis)
		}
		for row := range 3 {
			a[row][axis] = flip[row] * fixed[9+3*row+axis] * spacing
		}
		a[axis][3] = flip[axis] * fixed[3+axis]
	}
	if f.size[0]*f.size[1] > mostNodes || vectors.Len%3 != 0 || vectors.Len/3/f.size[2] != f.size[0]*f.size[1] ||
		vectors.Len/3%f.size[2] != 0 {
		return nil, fmt.Errorf("%d parameters of a field of %d×%d×%d nodes, want 3 a node (and at most %d nodes a slice)", vectors.Len, f.size[0], f.size[1], f.size[2], mostNodes)
	}
	var ok bool
	if f.inverse, ok = a.Inverse(); !ok || !f.inverse.Usable() {
		return nil, errors.New("the field's direction cannot be inverted")
	}
	return f, nil
}

// index is the continuous index of a point on the grid of nodes, and the slice below it; ok is
// false outside, that is, half a spacing beyond the first or the last node. There is no
// displacement there (itk::ImageFunction::IsInsideBuffer, DisplacementFieldTransform).
func (f *field) index(p Point) (u [3]float64, slice int, ok bool) {
	u[0], u[1], u[2] = f.inverse.Apply(p[0], p[1], p[2])
	for a := range u {
		n := float64(f.size[a])
		if !(u[a] >= -0.5 && u[a] < n-0.5) {
			return u, 0, false
		}
		u[a] = min(max(u[a], 0), n-1)
	}
	return u, int(min(u[2], float64(max(f.size[2]-2, 0)))), true
}

// apply moves points, slice by slice as the field goes by.
func (f *field) apply(points []Point, told *Extent) error {
	// The points between slices k and k+1 are order[begin[k]:begin[k+1]].
	begin := make([]int, f.size[2]+2)
	for i, p := range points {
		if _, k, ok := f.index(p); ok {
			begin[k+2]++
		} else {
			told.Outside = append(told.Outside, int32(i))
		}
	}
	for k := 2; k < len(begin); k++ {
		begin[k] += begin[k-1]
	}
	order := make([]int32, begin[len(begin)-1])
	for i, p := range points {
		if _, k, ok := f.index(p); ok {
			order[begin[k+1]] = int32(i)
			begin[k+1]++
		}
	}

	length := 3 * f.size[0] * f.size[1]
	below, above := make([]float64, length), make([]float64, 0, length)
	slice, longest, seen := 0, 0.0, 0
	err := f.vectors.Each(func(v []float64) error {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("value %d of the field is %v", seen, x)
			}
			seen++
		}
		for len(v) > 0 {
			n := min(len(v), length-len(above))
			above = append(above, v[:n]...)
			if v = v[n:]; len(above) < length {
				return nil
			}
			longest = max(longest, longestOf(above))
			if f.size[2] == 1 {
				f.between(above, above, 0, points, order)
			} else if slice > 0 {
				f.between(below, above, slice-1, points, order[begin[slice-1]:begin[slice]])
			}
			slice++
			below, above = above, below[:0]
		}
		return nil
	})
	told.Displacement = max(told.Displacement, math.Sqrt(longest))
	return err
}

// longestOf is the square of the length of the longest vector.
func longestOf(v []float64) (most float64) {
	for ; len(v) >= 3; v = v[3:] {
		most = max(most, float64(v[0]*v[0])+float64(v[1]*v[1])+float64(v[2]*v[2]))
	}
	return most
}

// between moves the points between slices k and k+1 by linear interpolation.
func (f *field) between(below, above []float64, k int, points []Point, which []int32) {
	nx, ny := f.size[0], f.size[1]
	for _, at := range which {
		u, _, _ := f.index(points[at])
		i, j := int(u[0]), int(u[1])
		x, y, z := u[0]-float64(i), u[1]-float64(j), u[2]-float64(k)
		a := 3 * (i + nx*j)
		right, back := 3, 3*nx
		if i == nx-1 {
			right = 0
		}
		if j == ny-1 {
			back = 0
		}
		for c := range 3 {
			plane := func(s []float64) float64 {
				near := s[a+c] + float64(x*(s[a+right+c]-s[a+c]))
				far := s[a+back+c] + float64(x*(s[a+back+right+c]-s[a+back+c]))
				return near + float64(y*(far-near))
			}
			low := plane(below)
			points[at][c] += float64(flip[c] * (low + float64(z*(plane(above)-low))))
		}
	}
}
