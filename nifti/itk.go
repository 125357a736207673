package nifti

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReadITK reads an affine transform in ITK's text format, such as fMRIPrep's
// from-fsnative_to-T1w_mode-image_xfm.txt, and returns it in RAS+ mm.
//
// A transform that resamples an image from A to B takes points of B to points of A.
// ITK counts towards left and posterior, so with F = diag(−1, −1, 1) the matrix M,
// the translation t and the centre c of the file mean
//
//	x ↦ F·(M·(F·x − c) + t + c)
func ReadITK(r io.Reader, name string) (Affine, error) {
	a, err := readITK(r)
	if err != nil {
		return Affine{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// itkAffines are the transforms that are a 3×3 matrix and a translation.
var itkAffines = []string{"MatrixOffsetTransformBase", "AffineTransform"}

func readITK(r io.Reader) (a Affine, err error) {
	const most = 1 << 16 // such a file has a few hundred bytes
	lines := bufio.NewScanner(io.LimitReader(r, most))
	var parameters, centre []float64
	kind, n := "", 0
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if n++; n == 1 && !strings.HasPrefix(key, "#Insight Transform File") {
			return a, errors.New("no transform in ITK's text format: its first line is not #Insight Transform File")
		}
		switch key {
		case "Transform":
			if kind != "" {
				return a, errors.New("several transforms in one file; give one affine transform")
			}
			kind = strings.TrimSpace(value)
		case "Parameters":
			parameters, err = numbers(value)
		case "FixedParameters":
			centre, err = numbers(value)
		}
		if err != nil {
			return a, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return a, err
	}
	base, _, _ := strings.Cut(kind, "_")
	switch {
	case !slices.Contains(itkAffines, base) || !strings.HasSuffix(kind, "_3_3"):
		return a, fmt.Errorf("the transform is %q, want an affine one in three dimensions", kind)
	case len(parameters) != 12 || len(centre) != 3:
		return a, fmt.Errorf("%d parameters and %d fixed ones, want 12 and 3; is the file whole?", len(parameters), len(centre))
	}
	a = Identity
	flip := [3]float64{-1, -1, 1}
	for row := range 3 {
		shift := parameters[9+row] + centre[row]
		for col := range 3 {
			m := parameters[3*row+col]
			a[row][col] = flip[row] * m * flip[col]
			shift -= float64(m * centre[col])
		}
		a[row][3] = flip[row] * shift
	}
	if _, ok := a.Inverse(); !ok {
		return a, errors.New("the transform cannot be inverted")
	}
	return a, nil
}

func numbers(text string) ([]float64, error) {
	var v []float64
	for _, f := range strings.Fields(text) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%q is no number", f)
		}
		v = append(v, x)
	}
	return v, nil
}

// Moved is the label image in the space of another, to which it was resampled by
// the transform: t takes points of that space to points of the labels' own.
func (l *Labels) Moved(t Affine) (*Labels, error) {
	inv, ok := t.Inverse()
	if !ok {
		return nil, errors.New("the transform cannot be inverted")
	}
	m := *l
	m.Affine = inv.Mul(&l.Affine)
	return &m, nil
}
