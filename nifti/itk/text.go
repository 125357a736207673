package itk

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

// affines are the transforms that are a 3×3 matrix and a translation.
var affines = []string{"MatrixOffsetTransformBase", "AffineTransform"}

// readText reads an affine transform in ITK's text format, such as fMRIPrep's
// from-fsnative_to-T1w_mode-image_xfm.txt, in RAS+ mm.
func readText(r io.Reader) (a affine, err error) {
	const most = 1 << 16 // such a file has a few hundred bytes
	lines := bufio.NewScanner(io.LimitReader(r, most))
	lines.Buffer(nil, most+1)
	var parameters, center []float64
	kind, n := "", 0
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if n++; n == 1 && !strings.HasPrefix(key, "#Insight Transform File") {
			return a, errors.New("not a transform in ITK's text format: its first line is not #Insight Transform File")
		}
		switch key {
		case "Transform":
			if kind != "" {
				return a, errors.New("several transforms in one file; only one affine transform is read")
			}
			kind = strings.TrimSpace(value)
		case "Parameters":
			parameters, err = numbers(value)
		case "FixedParameters":
			center, err = numbers(value)
		}
		if err != nil {
			return a, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return a, err
	}
	base, _, _ := strings.Cut(kind, "_")
	if !slices.Contains(affines, base) || !strings.HasSuffix(kind, "_3_3") {
		return a, fmt.Errorf("the transform is %.80q, expected a three-dimensional affine transform", kind)
	}
	return affineOf(parameters, center)
}

func numbers(text string) ([]float64, error) {
	var v []float64
	for _, f := range strings.Fields(text) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%.40q is not a number", f)
		}
		v = append(v, x)
	}
	return v, nil
}
