// Package itk reads the spatial transforms that ITK and ANTs write, as text and as HDF5, and
// takes points through them: affine transforms, displacement fields, and composites of these.
//
// A transform that resamples an image from A to B takes points of B to points of A: fMRIPrep's
// from-T1w_to-MNI152NLin2009cAsym takes a point of the template to the T1w image. Only Inverse
// inverts, affine transforms alone. ITK counts toward left and posterior (LPS); points here are
// RAS+, mm.
//
// # Invariants
//
//   - A displacement field is never held as a whole: its slices go by once in each Map.
//   - Numbers are finite, or there is an error. Other kinds of transforms are refused by name.
//   - Results agree with SimpleITK's to rounding.
package itk

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"prgnn/nifti"
	"prgnn/nifti/hdf5"
)

// A Point is a place in a space, RAS+, mm.
type Point = nifti.Point

// A Transform takes points of one space to points of another.
type Transform struct {
	steps []step // in the order in which they are applied
}

// A step is a part of a composite.
type step interface {
	apply(points []Point, told *Extent) error
}

// An Extent measures how far a transform moved points. The caller judges whether that is plausible for a
// brain.
type Extent struct {
	Displacement float64 // length of the longest vector of its fields, mm
	Outside      []int32 // the points that lay outside of a field, which leaves them where they are
}

// Read reads a transform of this many bytes. The first bytes tell the format.
func Read(r io.ReaderAt, size int64) (*Transform, error) {
	first := make([]byte, 8)
	if n, err := r.ReadAt(first, 0); err != nil && err != io.EOF {
		return nil, err
	} else if hdf5.Is(first[:n]) {
		return readComposite(r, size)
	}
	a, err := readText(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	return &Transform{[]step{affine(a)}}, nil
}

// Check reads the transform of a file, but for the values of a displacement field.
func Check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		_, err = Read(f, info.Size())
	}
	return err
}

// Map takes points through the transform, in place.
func (t *Transform) Map(points []Point) (Extent, error) {
	var told Extent
	for _, s := range t.steps {
		if err := s.apply(points, &told); err != nil {
			return told, err
		}
	}
	for _, p := range points {
		if s := p[0] + p[1] + p[2]; math.IsNaN(s) || math.IsInf(s, 0) {
			return told, errors.New("the transform maps a point to infinity")
		}
	}
	return told, nil
}

// Linear is the product of the affine parts; whole is false when there are fields too.
func (t *Transform) Linear() (a nifti.Affine, whole bool) {
	a, whole = nifti.Identity, true
	for _, s := range t.steps {
		if part, linear := s.(affine); linear {
			m := nifti.Affine(part)
			a = m.Mul(&a)
		} else {
			whole = false
		}
	}
	return a, whole
}

// Inverse takes points back; ok is false for a transform with a displacement field, whose inverse another file has.
func (t *Transform) Inverse() (inverse *Transform, ok bool) {
	a, whole := t.Linear()
	if !whole {
		return nil, false
	}
	if a, ok = a.Inverse(); !ok {
		return nil, false
	}
	return &Transform{[]step{affine(a)}}, true
}

// affine is an affine part, RAS+.
type affine nifti.Affine

func (a affine) apply(points []Point, _ *Extent) error {
	m := nifti.Affine(a)
	for i, p := range points {
		points[i][0], points[i][1], points[i][2] = m.Apply(p[0], p[1], p[2])
	}
	return nil
}

// flip changes LPS to RAS and back.
var flip = [3]float64{-1, -1, 1}

// affineOf is the affine transform of ITK's parameters: a matrix M row by row and a
// translation t; and of the fixed ones, a center c. With F = diag(−1, −1, 1) they mean
//
//	x ↦ F·(M·(F·x − c) + t + c)
func affineOf(parameters, center []float64) (affine, error) {
	a := nifti.Identity
	if len(parameters) != 12 || len(center) != 3 {
		return affine{}, fmt.Errorf("%d parameters and %d fixed ones, want 12 and 3; is the file complete?", len(parameters), len(center))
	}
	for row := range 3 {
		shift := parameters[9+row] + center[row]
		for col := range 3 {
			m := parameters[3*row+col]
			a[row][col] = flip[row] * m * flip[col]
			shift -= float64(m * center[col])
		}
		a[row][3] = flip[row] * shift
	}
	for _, row := range a {
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return affine{}, errors.New("an affine part has values that are not finite")
			}
		}
	}
	if inverse, ok := a.Inverse(); !ok || !inverse.Usable() {
		return affine{}, errors.New("the transform cannot be inverted")
	}
	if d := a.Determinant(); d < 0 {
		return affine{}, fmt.Errorf("the transform swaps left and right (determinant %.3g)", d)
	}
	return affine(a), nil
}
