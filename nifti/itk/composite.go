package itk

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/words"
	"prgnn/nifti/hdf5"
)

const group = "TransformGroup"

// mostParts bounds a composite; those of fMRIPrep have two.
const mostParts = 64

// readComposite reads a transform that ITK keeps in HDF5: under TransformGroup a group for
// each part, with its type and its parameters. The part with the highest number is applied
// first (itk::CompositeTransform).
func readComposite(r io.ReaderAt, size int64) (*Transform, error) {
	h, err := hdf5.Open(r, size)
	if err != nil {
		return nil, err
	}
	n, err := countParts(h)
	if err != nil {
		return nil, err
	}
	t := &Transform{}
	for i := range n {
		path := fmt.Sprintf("%s/%d/", group, i)
		kind, err := h.Text(path + "TransformType")
		if err != nil {
			return nil, err
		}
		base, _, _ := strings.Cut(kind, "_")
		switch {
		case !strings.HasSuffix(kind, "_3_3"):
			return nil, fmt.Errorf("part %d is %q, expected a three-dimensional transform", i, kind)
		case base == "CompositeTransform" && i == 0 && n > 1:
			continue // it has no parameters
		case i == 1 && len(t.steps) == 1:
			return nil, fmt.Errorf("%d transforms in one file that are not a composite", n)
		}
		s, err := readPart(h, path, base)
		if err != nil {
			return nil, fmt.Errorf("part %d (%s): %w", i, kind, err)
		}
		t.steps = append(t.steps, s)
	}
	slices.Reverse(t.steps)
	return t, nil
}

// countParts checks that the parts are numbered 0, 1, 2 …
func countParts(h *hdf5.File) (int, error) {
	if !h.Has(group) {
		return 0, errors.New("an HDF5 file without a TransformGroup: not an ITK transform")
	}
	names, err := h.Names(group)
	if err != nil {
		return 0, err
	}
	if len(names) == 0 || len(names) > mostParts {
		return 0, fmt.Errorf("%d parts in the TransformGroup, want 1 to %d", len(names), mostParts)
	}
	for i := range names {
		if !slices.Contains(names, strconv.Itoa(i)) {
			return 0, fmt.Errorf("the parts in the TransformGroup are not numbered from 0 to %d: %s", len(names)-1, words.Some(names, 10))
		}
	}
	return len(names), nil
}

func readPart(h *hdf5.File, path, kind string) (step, error) {
	fixed, err := vector(h, path, "FixedParameters")
	if err != nil {
		return nil, err
	}
	center, err := fixed.All(18)
	if err != nil {
		return nil, err
	}
	parameters, err := vector(h, path, "Parameters")
	if err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(affines, kind):
		p, err := parameters.All(12)
		if err != nil {
			return nil, err
		}
		return affineOf(p, center)
	case kind == "DisplacementFieldTransform":
		return fieldOf(parameters, center)
	}
	return nil, errors.New("only affine transforms and displacement fields are read; write one with antsApplyTransforms -o [composite.h5,1]")
}

// vector opens parameters. ITK 4 wrote the name without an s.
func vector(h *hdf5.File, path, name string) (*hdf5.Vector, error) {
	misspelt, right := path+"Tranform"+name, path+"Transform"+name
	switch {
	case !h.Has(misspelt):
		return h.Vector(right)
	case h.Has(right):
		return nil, fmt.Errorf("it has both /%s and /%s: remove one of them", misspelt, right)
	}
	return h.Vector(misspelt)
}
