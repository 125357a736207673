package extract

import (
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/numeric/exact"
	"prgnn/stages/region"
)

// referenceR is the likeness of the mean of a realigned scan to the reference of its transforms, over the voxels of the
// nodes.
func referenceR(in dag.Input, m *nifti.Means, rois nifti.ROIs) (float64, error) {
	r, err := region.OpenImage(in)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	grid := m.Header.Grid()
	if n := r.Volumes(); n != 1 {
		return 0, fmt.Errorf("%s has %d volumes, but a reference has one", in.Name, n)
	}
	if own := r.Header.Grid(); !sameGrid(own, grid) {
		return 0, fmt.Errorf("%s: its grid (%v) is not that of the parcels (%v); connect the same reference to parcellate", in.Name, own, grid)
	}
	reference := make([]float64, grid.Voxels())
	if err := r.Next(reference); err != nil {
		return 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	return likeness(m.Mean, reference, slices.Concat(rois.Voxels...), grid.Shape), nil
}

// fewestCompared is the number of voxels below which two images are not compared.
const fewestCompared = 200

// likeness is the correlation over voxels of the logarithms of two images, both without a quadratic function of the
// place: the scale of an image, the sensitivity of the coils and its correction, which fMRIPrep applies to some
// references, leave what remains, the anatomy. Voxels that are dark in an image, such as those outside its field of
// view, are not compared. NaN is unknown.
func likeness(a, b []float64, all []int32, shape [3]int) float64 {
	leastA, leastB := dark(a, all), dark(b, all)
	var at []int32
	var x, y []float64
	for _, v := range all {
		if a[v] > leastA && b[v] > leastB {
			at, x, y = append(at, v), append(x, exact.Log(a[v])), append(y, exact.Log(b[v]))
		}
	}
	if len(at) < fewestCompared {
		return math.NaN()
	}
	var basis [][]float64 // orthonormal
	for _, u := range quadratic(at, shape) {
		length := math.Sqrt(inner(u, u))
		for _, v := range basis {
			remove(u, v)
		}
		rest := math.Sqrt(inner(u, u))
		if !(rest > 1e-9*length) {
			continue // a plane of voxels
		}
		for i := range u {
			u[i] /= rest
		}
		basis = append(basis, u)
		remove(x, u)
		remove(y, u)
	}
	return inner(x, y) / math.Sqrt(float64(inner(x, x)*inner(y, y)))
}

// dark is a tenth of the median of some voxels.
func dark(image []float64, at []int32) float64 {
	sorted := slices.Sorted(func(yield func(float64) bool) {
		for _, v := range at {
			if !yield(image[v]) {
				return
			}
		}
	})
	if len(sorted) == 0 {
		return math.Inf(1)
	}
	return max(0, sorted[len(sorted)/2]/10)
}

// quadratic are the monomials of the place up to the second degree, from −1 to 1 along each axis.
func quadratic(at []int32, shape [3]int) [][]float64 {
	all := make([][]float64, 10)
	for k := range all {
		all[k] = make([]float64, len(at))
	}
	for i, v := range at {
		n := int(v)
		var c [3]float64
		for a, place := range [3]int{n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])} {
			if shape[a] > 1 {
				c[a] = float64(2*place)/float64(shape[a]-1) - 1
			}
		}
		for k, x := range [10]float64{1, c[0], c[1], c[2], c[0] * c[0], c[1] * c[1], c[2] * c[2], c[0] * c[1],
			c[0] * c[2], c[1] * c[2]} {
			all[k][i] = x
		}
	}
	return all
}

// remove takes the part along a vector of length 1 out of another.
func remove(from, along []float64) {
	share := inner(from, along)
	for i, v := range along {
		from[i] -= float64(share * v)
	}
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
