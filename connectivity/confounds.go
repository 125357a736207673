package connectivity

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Confounds are a table T×K with a name for each column, NaN where it has no
// value (n/a); the names are those of fMRIPrep.
type Confounds struct {
	Names  []string
	Values Matrix
}

// FirstRow is what takes the place of a value that the first volume cannot have: a
// derivative, a displacement.
type FirstRow string

// Rules for the first row: the value of the second volume (nilearn), 0 (XCP-D), or
// the mean of the column.
const (
	FirstNext FirstRow = "next"
	FirstZero FirstRow = "zero"
	FirstMean FirstRow = "mean"
)

var motionNames = []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"}

// Presets are the sets of regressors that have a name in the literature: 6P, the
// motion parameters; 24P, with derivatives and squares of both (Friston et al. 1996,
// Magn Reson Med 35:346); 36P, with those of the signals of white matter, CSF and the
// whole brain besides (Ciric et al. 2017, NeuroImage 154:174); acompcor, 12 motion
// parameters, the first components of aCompCor (Behzadi et al. 2007, NeuroImage
// 37:90), and the cosines that fMRIPrep took out before it computed them.
var Presets = []string{"none", "6P", "24P", "36P", "acompcor"}

// presetNames lists the columns of a preset; a name that ends in * stands for all
// columns that begin so, and there must be one.
func presetNames(preset string, components int) []string {
	var names []string
	expand := func(bases []string, suffixes ...string) {
		for _, b := range bases {
			for _, s := range suffixes {
				names = append(names, b+s)
			}
		}
	}
	all := []string{"", "_derivative1", "_power2", "_derivative1_power2"}
	switch preset {
	case "6P":
		expand(motionNames, "")
	case "24P":
		expand(motionNames, all...)
	case "36P":
		expand(append(slices.Clone(motionNames), "csf", "white_matter", "global_signal"), all...)
	case "acompcor":
		expand(motionNames, all[:2]...)
		for k := range components {
			names = append(names, fmt.Sprintf("a_comp_cor_%02d", k))
		}
		names = append(names, "cosine*")
	}
	return names
}

// Select makes the regressors of a preset and of further columns, which are names
// or patterns (csf, a_comp_cor_0?). Derivatives (name_derivative1) and squares
// (name_power2) that the table lacks are computed from their column. It returns the
// names with the regressors, and names all columns that it cannot find.
func (c Confounds) Select(preset string, components int, columns []string, first FirstRow) (Matrix, []string, error) {
	if !slices.Contains(Presets, preset) {
		return Matrix{}, nil, fmt.Errorf("there is no preset %q of regressors: choose one of %s", preset, strings.Join(Presets, ", "))
	}
	var names, absent []string
	for _, want := range slices.Concat(presetNames(preset, components), columns) {
		found := []string{want}
		if strings.ContainsAny(want, "*?[") {
			found = nil
			for _, have := range c.Names {
				ok, err := path.Match(want, have)
				if err != nil {
					return Matrix{}, nil, fmt.Errorf("%q is no pattern of column names: %w", want, err)
				}
				if ok {
					found = append(found, have)
				}
			}
		}
		if len(found) == 0 {
			absent = append(absent, want)
		}
		for _, f := range found {
			if _, ok := c.column(f); !ok {
				absent = append(absent, f)
			} else if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	if absent != nil {
		return Matrix{}, nil, fmt.Errorf("the confounds have no column %s; they have %s", strings.Join(absent, ", "), strings.Join(c.Names, ", "))
	}
	out := NewMatrix(c.Values.Rows, len(names))
	var errs []error
	for j, name := range names {
		v, _ := c.column(name)
		if err := fillFirst(v, first); err != nil {
			errs = append(errs, fmt.Errorf("column %s of the confounds %w", name, err))
		}
		out.setColumn(j, v)
	}
	return out, names, errors.Join(errs...)
}

// column finds or computes a column; n/a is NaN.
func (c Confounds) column(name string) ([]float64, bool) {
	if j := slices.Index(c.Names, name); j >= 0 {
		return c.Values.column(nil, j), true
	}
	if base, ok := strings.CutSuffix(name, "_power2"); ok {
		v, ok := c.column(base)
		for t := range v {
			v[t] *= v[t]
		}
		return v, ok
	}
	if base, ok := strings.CutSuffix(name, "_derivative1"); ok {
		v, ok := c.column(base)
		for t := len(v) - 1; t > 0; t-- {
			v[t] -= v[t-1]
		}
		if len(v) > 0 {
			v[0] = math.NaN()
		}
		return v, ok
	}
	return nil, false
}

// Motion finds framewise displacement and standardised DVARS, each with NaN where
// it has no value, and nil when the table has none. Displacement is computed from
// the motion parameters where it is not given.
func (c Confounds) Motion() (fd, dvars []float64) {
	fd, _ = c.column("framewise_displacement")
	dvars, _ = c.column("std_dvars")
	if fd != nil {
		return fd, dvars
	}
	motion := NewMatrix(c.Values.Rows, len(motionNames))
	for j, name := range motionNames {
		v, ok := c.column(name)
		if !ok {
			return nil, dvars
		}
		motion.setColumn(j, v)
	}
	return FramewiseDisplacement(motion), dvars
}

// fillFirst gives the first row a value when it has none.
func fillFirst(v []float64, rule FirstRow) error {
	for t := 1; t < len(v); t++ {
		if !finite(v[t]) {
			return fmt.Errorf("has no number in volume %d; only the first volume may lack one", t+1)
		}
	}
	if len(v) == 0 || finite(v[0]) {
		return nil
	}
	if len(v) == 1 {
		return errors.New("has no number at all")
	}
	switch rule {
	case FirstNext, "":
		v[0] = v[1]
	case FirstZero:
		v[0] = 0
	case FirstMean:
		s := 0.0
		for _, x := range v[1:] {
			s += x
		}
		v[0] = s / float64(len(v)-1)
	default:
		return fmt.Errorf("lacks its first value, and there is no rule %q for that", rule)
	}
	return nil
}
