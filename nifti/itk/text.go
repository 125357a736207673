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

	"prgnn/internal/lists"
	"prgnn/nifti"
)

// affines are the transforms that are a 3×3 matrix and a translation.
var affines = []string{"MatrixOffsetTransformBase", "AffineTransform"}

// readText reads an affine transform in ITK's text format, such as fMRIPrep's
// from-fsnative_to-T1w_mode-image_xfm.txt, in RAS+ mm.
func readText(r io.Reader) (affine, error) {
	const most = 1 << 16 // such a file has a few hundred bytes
	all, err := readBlocks(r, most, 1)
	if err != nil {
		return affine{}, err
	}
	return all[0], nil
}

// mostVolumes bounds the transforms of a series, of which each has some 400 bytes.
const mostVolumes = 1 << 16

// ReadSeries reads the affine transforms of a series of volumes in ITK's text format, one block #Transform a volume,
// such as fMRIPrep's from-orig_to-boldref_mode-image_desc-hmc_xfm.txt. They take points of the reference to points of
// each volume, RAS+, mm.
func ReadSeries(r io.Reader) ([]nifti.Affine, error) {
	all, err := readBlocks(r, mostVolumes<<9, mostVolumes)
	if err != nil {
		return nil, err
	}
	series := lists.Map(all, func(a affine) nifti.Affine { return nifti.Affine(a) })
	return series, nil
}

// A block is one transform of a text file.
type block struct {
	kind               string
	parameters, center []float64
}

func (b block) affine() (affine, error) {
	base, _, _ := strings.Cut(b.kind, "_")
	if !slices.Contains(affines, base) || !strings.HasSuffix(b.kind, "_3_3") {
		return affine{}, fmt.Errorf("the transform is %.80q, expected a three-dimensional affine transform", b.kind)
	}
	return affineOf(b.parameters, b.center)
}

// readBlocks reads at least one and at most so many transforms, from so many bytes.
func readBlocks(r io.Reader, bytes int64, most int) (all []affine, err error) {
	lines := bufio.NewScanner(io.LimitReader(r, bytes))
	lines.Buffer(nil, 1<<16+1)
	var own block
	finish := func() error {
		a, err := own.affine()
		if err != nil && most > 1 {
			err = fmt.Errorf("transform %d: %w", len(all), err)
		}
		all, own = append(all, a), block{}
		return err
	}
	n, numbered := 0, false
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if n++; n == 1 && !strings.HasPrefix(key, "#Insight Transform File") {
			return nil, errors.New("not a transform in ITK's text format: its first line is not #Insight Transform File")
		}
		// A series is numbered from 0: a block that is missing would move all later volumes.
		if text, begins := strings.CutPrefix(key, "#Transform "); begins && most > 1 {
			if numbered {
				if err := finish(); err != nil {
					return nil, err
				}
			}
			if number := strings.TrimSpace(text); number != strconv.Itoa(len(all)) || own.kind != "" {
				return nil, fmt.Errorf("line %d: transform %.20s follows %d transforms, but numbers start at 0; is a block missing?", n, number, len(all))
			}
			numbered = true
		}
		switch key {
		case "Transform":
			if own.kind != "" && most == 1 {
				return nil, errors.New("several transforms in one file; only one affine transform is read")
			} else if own.kind != "" || most > 1 && !numbered {
				return nil, fmt.Errorf("line %d: a transform has no line #Transform", n)
			}
			own.kind = strings.TrimSpace(value)
		case "Parameters", "FixedParameters":
			into := &own.parameters
			if key == "FixedParameters" {
				into = &own.center
			}
			if *into != nil {
				return nil, fmt.Errorf("line %d: %s appears twice in one transform", n, key)
			}
			*into, err = numbers(value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(all) >= most {
			return nil, fmt.Errorf("more than %d transforms in one file", most)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return all, finish()
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
