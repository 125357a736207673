package connectivity

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
	"prgnn/numeric/dense"
)

// Confounds are a table T×K with a name for each column, NaN where it has no
// value (n/a); the names are those of fMRIPrep.
type Confounds struct {
	Names  []string
	Values Matrix
	About  map[string]AboutColumn // of the JSON file beside the table; nil without one
	// cosine columns that fMRIPrep writes for a scan of this length; less than 0 when that is not known
	Cosines int
	NoNoise string // how the names of joined components begin of which none is noise; "" where some are
}

// Join adds the columns of another table of the same volumes.
func (c *Confounds) Join(names []string, x Matrix) error {
	for _, name := range names {
		if slices.Contains(c.Names, name) {
			return fmt.Errorf("the column %s is in the table of confounds, too: rename one of them", name)
		}
	}
	both := NewMatrix(x.Rows, c.Values.Cols+x.Cols)
	for t := range x.Rows {
		copy(both.Row(t), c.Values.Row(t))
		copy(both.Row(t)[c.Values.Cols:], x.Row(t))
	}
	c.Names, c.Values = slices.Concat(c.Names, names), both
	return nil
}

// Signal are the columns that a strategy fits and leaves in; the zero Matrix where there are none.
func (c Confounds) Signal(s Strategy) Matrix {
	if s.Signal == "" {
		return Matrix{}
	}
	names := c.beginning(s.Signal)
	x := NewMatrix(c.Values.Rows, len(names))
	for j, name := range names {
		v, _ := c.column(name)
		x.setColumn(j, v)
	}
	return x
}

// AboutColumn is what fMRIPrep's JSON file says of a component.
type AboutColumn struct {
	Mask     string // combined, CSF, WM
	Retained *bool
}

// FMRIPrepCosines is how many cosine columns fMRIPrep writes (half waves below 1/128 Hz, without the constant) for a
// scan with this many volumes in steady state; tr in s.
func FMRIPrepCosines(volumes int, tr float64) int {
	return max(int(2*float64(volumes)*tr/128)-1, 0)
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

// Select makes the regressors of a strategy and of further columns, which are names
// or patterns (csf, a_comp_cor_0?). Derivatives (name_derivative1) and squares
// (name_power2) that the table lacks are computed from their column. n bounds the
// components of aCompCor that the strategy takes of each tissue. It returns the
// names with the regressors, and names all columns that it cannot find.
func (c Confounds) Select(s Strategy, n int, columns []string, first FirstRow) (Matrix, []string, error) {
	if slices.ContainsFunc(c.Names, camelCase) && (s.Name != "none" || len(columns) > 0) {
		return Matrix{}, nil, errors.New("the columns have the names of fMRIPrep before 1.2 (FramewiseDisplacement, aCompCor00), which no strategy supports: preprocess again with a newer version")
	}
	wanted, lacking := c.columns(s, n)
	var names, labels []string
	for _, want := range append(wanted, columns...) {
		found := []string{want}
		if strings.ContainsAny(want, "*?[") {
			found = nil
			for _, have := range c.Names {
				ok, err := path.Match(want, have)
				if err != nil {
					return Matrix{}, nil, fmt.Errorf("%q is not a pattern of column names: %w", want, err)
				}
				if ok {
					found = append(found, have)
				}
			}
		}
		if len(found) == 0 {
			lacking = append(lacking, want)
		}
		for _, f := range found {
			v, _ := c.column(f)
			if how := LabelsRows(f, v); how != "" && (how == RowsAlike || f != want) {
				labels = append(labels, f+" ("+how+")")
			}
			if _, ok := c.column(f); !ok {
				lacking = append(lacking, f)
			} else if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	if lacking != nil {
		return Matrix{}, nil, fmt.Errorf("strategy %s%s: the table lacks %s; it has %s", s.Name, columnsText(columns), some(lacking, 6), some(c.Names, 12))
	}
	if labels != nil {
		return Matrix{}, nil, fmt.Errorf("strategy %s%s: %s: by name and values no confound, but what a row belongs to or its number; remove it from the tables, or from columns", s.Name, columnsText(columns), some(labels, 6))
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "cosine") }) {
		if gap := gapOf(c.beginning("cosine")); gap != "" {
			return Matrix{}, nil, fmt.Errorf("strategy %s%s: the table lacks %s, which is part of a high-pass filter with %s: restore the whole table", s.Name, columnsText(columns), gap, some(c.beginning("cosine"), 6))
		}
	}
	if err := c.needsCosines(names); err != nil {
		return Matrix{}, nil, fmt.Errorf("strategy %s%s: %w", s.Name, columnsText(columns), err)
	}
	out := NewMatrix(c.Values.Rows, len(names))
	var wrong []string // what is wrong with columns, each once
	whose := map[string][]string{}
	for j, name := range names {
		v, _ := c.column(name)
		err := fillFirst(v, first)
		if err == nil {
			err = beyond(v)
		}
		if err != nil {
			what := err.Error()
			if whose[what] == nil {
				wrong = append(wrong, what)
			}
			whose[what] = append(whose[what], name)
		}
		out.setColumn(j, v)
	}
	for i, what := range wrong {
		columns := "column " + whose[what][0]
		if len(whose[what]) > 1 {
			columns = "each of the columns " + some(whose[what], 6)
		}
		wrong[i] = columns + " " + what
	}
	if wrong != nil {
		return Matrix{}, nil, fmt.Errorf("strategy %s: %s", s.Name, strings.Join(wrong, "; "))
	}
	return out, names, nil
}

// rowLabel is the name of a column with what a row belongs to, or with its number.
var rowLabel = pattern.New(`(?i)^((sub(j(ect)?)?|participant|person|patient|session|ses|run|scan|site|visit|group|sex|age|` +
	`id|[eprsu]id|tr|repetition_?time|volume|vol|frame|index|row|time_?point|time|t|block|trial|unnamed)` +
	`([_: ]*(id|index|idx|no|nr|num|number|label|key|name|[0-9]+))?|)$`)

// How the values of a column that labels rows follow each other.
const (
	RowsAlike   = "constant"
	RowsCounted = "counts the rows"
)

// LabelsRows reports how the values of a column follow each other that by its name and by them has what a row belongs
// to (sub, run, TR) or its number; "" for any other column.
func LabelsRows(name string, v []float64) string {
	if len(v) < 2 || !rowLabel.MatchString(strings.TrimSpace(name)) {
		return ""
	}
	alike, counted := true, true
	for t, x := range v {
		alike = alike && x == v[0]
		counted = counted && x == v[0]+float64(t)
	}
	switch {
	case alike:
		return RowsAlike
	case counted:
		return RowsCounted
	}
	return ""
}

// needsCosines refuses components of CompCor without fMRIPrep's cosines: components were computed after that high-pass
// filter, and without it they would bring slow drifts back (fMRIPrep's documentation, "Confounds and carpetplot").
func (c Confounds) needsCosines(chosen []string) error {
	i := slices.IndexFunc(chosen, func(name string) bool { return strings.Contains(name, "_comp_cor_") })
	if i < 0 {
		return nil
	}
	for _, cosine := range c.beginning("cosine") {
		if !slices.Contains(chosen, cosine) {
			return fmt.Errorf("%s was computed after fMRIPrep's high-pass filter, but %s of that filter is not among the regressors: add cosine* to columns", chosen[i], cosine)
		}
	}
	return nil
}

// gapOf is the first column that is missing among cosines, "" for none: part of a high-pass filter leaves drifts in.
func gapOf(cosines []string) string {
	have, width := map[int]bool{}, 0
	for _, name := range cosines {
		digits := strings.TrimPrefix(name, "cosine")
		if k, err := strconv.Atoi(digits); err == nil && k >= 0 {
			have[k], width = true, max(width, len(digits))
		}
	}
	first := 0 // fMRIPrep counts from 00
	if width == 1 && !have[0] {
		first = 1
	}
	for k := first; k < first+len(have); k++ {
		if !have[k] {
			return fmt.Sprintf("cosine%0*d", width, k)
		}
	}
	return ""
}

func columnsText(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return " with columns " + strings.Join(columns, ", ")
}

// some lists the first n names, and how many there are.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … (%d columns)", strings.Join(names[:n], ", "), len(names))
}

// camelCase tells names of fMRIPrep 1.0 and 1.1.
func camelCase(name string) bool {
	return name == "FramewiseDisplacement" || name == "GlobalSignal" || strings.HasPrefix(name, "aCompCor") ||
		strings.HasPrefix(name, "tCompCor")
}

// NonSteady tells which volumes fMRIPrep marks as not in steady state, and how many there are.
func (c Confounds) NonSteady() (marked []bool, n int, err error) {
	marked = make([]bool, c.Values.Rows)
	for j, name := range c.Names {
		if !strings.HasPrefix(name, "non_steady_state") {
			continue
		}
		for t := range marked {
			v := c.Values.At(t, j)
			if !finite(v) {
				return nil, 0, fmt.Errorf("column %s has no value in volume %d", name, t+1)
			}
			if v != 0 && !marked[t] {
				marked[t] = true
				n++
			}
		}
	}
	return marked, n, nil
}

// column finds or computes a column; n/a is NaN.
func (c Confounds) column(name string) ([]float64, bool) {
	if j := slices.Index(c.Names, name); j >= 0 {
		return c.Values.column(j), true
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

// Motion finds framewise displacement and standardized DVARS, each with NaN where
// it has no value, and nil when the table has none. Displacement is computed from
// the motion parameters where it is not given.
func (c Confounds) Motion() (fd, dvars []float64) {
	fd, _ = c.column("framewise_displacement")
	dvars, _ = c.column("std_dvars")
	if fd == nil {
		if motion, ok := c.motionParameters(); ok {
			fd = FramewiseDisplacement(motion)
		}
	}
	return fd, dvars
}

// motionParameters are T×6; ok is false where the table lacks one.
func (c Confounds) motionParameters() (motion Matrix, ok bool) {
	motion = NewMatrix(c.Values.Rows, len(motionNames))
	for j, name := range motionNames {
		v, ok := c.column(name)
		if !ok {
			return motion, false
		}
		motion.setColumn(j, v)
	}
	return motion, true
}

// A Displacement is what shows how the framewise displacement of a table was made.
type Displacement struct {
	Constant bool // one value in all volumes: it was not measured
	Flat     bool // it varies or is above 0, but each of the motion parameters has one value in all volumes
	Degrees  bool // it is computed from the motion parameters with the rotations read as degrees
	// Unit is "cm" or "m" where it is computed from the motion parameters with the translations read in this unit.
	Unit string
	// Ratio is its mean, divided by that of the displacement from motion parameters, if both have the same time course
	// and the unit differs under every definition; else NaN.
	Ratio float64
	// Multiple is the same where both are one definition, but for a factor; else 0.
	Multiple float64
	// Apart is their correlation where they are of two scans; else 0.
	Apart float64
}

// Other definitions of the framewise displacement (Jenkinson et al. 2002; of translations alone) give 0.4 to 1 times
// that of Power et al. 2012.
const (
	leastRatio, mostRatio = 0.2, 5
	oneCourse             = 0.9 // Pearson's r from which two displacements have one course
	fewestDisplaced       = 10  // volumes
	oneDefinition         = 0.9999
	// Displacements of two scans correlate less, and those of one scan, by whatever definition, 0.9 and more in
	// general.
	twoScans         = 0.3
	fewestOfTwoScans = 20 // volumes
	// Parameters whose displacement is more on average, mm, are in another unit, and show no course.
	mostOfParameters = 5
)

// Displacement compares the framewise displacement that a table has with that of its motion parameters, in mm and rad.
func (c Confounds) Displacement() (d Displacement) {
	d.Ratio = math.NaN()
	fd, _ := c.column("framewise_displacement")
	known := slices.DeleteFunc(slices.Clone(fd), math.IsNaN)
	d.Constant = len(known) >= fewestDisplaced && slices.Max(known) == slices.Min(known)
	motion, ok := c.motionParameters()
	d.Flat = ok && len(known) >= fewestDisplaced && slices.Max(known) > 0 &&
		len(IdleColumns(motion)) == motion.Cols
	if fd == nil || !ok || d.Constant || d.Flat {
		return d
	}
	byRad := FramewiseDisplacement(motion)
	if d.Unit = translations(motion, fd, byRad); d.Unit != "" {
		return d
	}
	for t := range motion.Rows {
		for k := 3; k < len(motionNames); k++ {
			motion.Data[t*len(motionNames)+k] *= math.Pi / 180
		}
	}
	byDegrees := FramewiseDisplacement(motion)
	n, sum, radSum, degreeSum := 0.0, 0.0, 0.0, 0.0
	for t, v := range fd {
		if !math.IsNaN(v + byRad[t]) {
			n, sum, radSum, degreeSum = n+1, sum+v, radSum+byRad[t], degreeSum+byDegrees[t]
		}
	}
	d.Degrees = math.Abs(degreeSum-sum) < 0.05*sum && radSum > 2*sum
	if d.Degrees || n < fewestDisplaced {
		return d
	}
	ratio, r := sum/radSum, Correlation(fd, byRad)
	switch outside := ratio < leastRatio || ratio > mostRatio; {
	case outside && r >= oneCourse:
		d.Ratio = ratio
	case n >= fewestOfTwoScans && radSum/n <= mostOfParameters && r < twoScans &&
		Correlation(fd, byDegrees) < twoScans: // false of NaN
		d.Apart = r
	}
	if r >= oneDefinition {
		d.Multiple = ratio
	}
	return d
}

// IdleColumns are the columns of a table, T×K, that regress out nothing: with one value in all volumes, or with the
// values of a column before them.
func IdleColumns(x Matrix) (which []int) {
	for j := range x.Cols {
		v := x.column(j)
		same := !slices.ContainsFunc(v, func(y float64) bool { return y != v[0] })
		for i := 0; i < j && !same; i++ {
			same = slices.Equal(x.column(i), v)
		}
		if x.Rows > 1 && same {
			which = append(which, j)
		}
	}
	return which
}

// Moves reports whether a column is a motion parameter, or made of one.
func Moves(name string) bool {
	return slices.ContainsFunc(motionNames, func(of string) bool {
		return name == of || strings.HasPrefix(name, of+"_")
	})
}

// translations is the unit of the translations, cm or m, by which a displacement in mm is that of Power et al. 2012, as
// it is not by mm; "" for none.
func translations(motion Matrix, fd, byMM []float64) string {
	differ := func(by []float64) (share float64, n int) { // of the displacement
		var off, sum float64
		for t, v := range fd {
			if !math.IsNaN(v + by[t]) {
				off, sum, n = off+math.Abs(v-by[t]), sum+v, n+1
			}
		}
		return off / sum, n
	}
	if share, n := differ(byMM); n < fewestDisplaced || share < 0.05 {
		return ""
	}
	for _, unit := range []struct {
		name string
		mm   float64
	}{{"cm", 10}, {"m", 1000}} {
		scaled := NewMatrix(motion.Rows, motion.Cols)
		for t := range motion.Rows {
			for k, v := range motion.Row(t) {
				if k < 3 {
					v *= unit.mm
				}
				scaled.Row(t)[k] = v
			}
		}
		if share, _ := differ(FramewiseDisplacement(scaled)); share < 0.02 {
			return unit.name
		}
	}
	return ""
}

// Correlation is Pearson's r where both have values; NaN of constant ones.
func Correlation(a, b []float64) float64 {
	var n, aSum, bSum, aa, bb, ab float64
	for t, v := range a {
		if !math.IsNaN(v + b[t]) {
			n, aSum, bSum = n+1, aSum+v, bSum+b[t]
		}
	}
	for t, v := range a { // about the means
		if x, y := v-aSum/n, b[t]-bSum/n; !math.IsNaN(x + y) {
			aa, bb, ab = aa+float64(x*x), bb+float64(y*y), ab+float64(x*y)
		}
	}
	return ab / math.Sqrt(float64(aa*bb))
}

// Impossible refuses motion that no scan has: a displacement, or DVARS, below 0 or beyond LargestConfound.
func (c Confounds) Impossible() error {
	for _, name := range []string{"framewise_displacement", "std_dvars"} {
		v, _ := c.column(name)
		if t := slices.IndexFunc(v, func(x float64) bool { return x < 0 }); t >= 0 {
			return fmt.Errorf("%s is %g in volume %d (line %d), but cannot be negative: write n/a for a missing value",
				name, v[t], t+1, t+2)
		}
		if t := slices.IndexFunc(v, func(x float64) bool { return x > LargestConfound }); t >= 0 {
			return fmt.Errorf("%s is %g in volume %d (line %d), beyond ±%g: write n/a for a missing value",
				name, v[t], t+1, t+2, LargestConfound)
		}
	}
	return nil
}

// LargestConfound is the largest absolute value of a confound, and its inverse the smallest: the squares of others may
// overflow or underflow, and the column would not be regressed out.
const LargestConfound = 1e100

// beyond refuses a column with a value beyond LargestConfound, or with none that reaches its inverse but for 0. The
// columns are checked after their squares are computed.
func beyond(v []float64) error {
	least := 0.0
	for t, x := range v {
		if x = math.Abs(x); x > LargestConfound {
			return fmt.Errorf("is %g in volume %d (line %d), beyond ±%g: correct it", v[t], t+1, t+2, LargestConfound)
		}
		least = max(least, x)
	}
	if least > 0 && least < 1/LargestConfound {
		return fmt.Errorf("has no value beyond ±%g but 0: give it in another unit", least)
	}
	return nil
}

// fillFirst gives the first row a value when it has none.
func fillFirst(v []float64, rule FirstRow) error {
	if !slices.ContainsFunc(v, finite) {
		return errors.New("has no values (n/a throughout: fMRIPrep could not compute it)")
	}
	for t := 1; t < len(v); t++ {
		if !finite(v[t]) {
			return fmt.Errorf("has no value in volume %d; only the first volume may lack one", t+1)
		}
	}
	if len(v) == 0 || finite(v[0]) {
		return nil
	}
	switch rule {
	case FirstNext, "":
		v[0] = v[1]
	case FirstZero:
		v[0] = 0
	case FirstMean:
		s := dense.Sum(v[1:])
		v[0] = s / float64(len(v)-1)
	default:
		return fmt.Errorf("lacks its first value, and the rule %q for it is unknown", rule)
	}
	return nil
}
