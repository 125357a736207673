// Package motion reads what tables of confounds have of the motion of heads, and notes what no head does.
package motion

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/numeric/exact"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// A Head is what a table of confounds has of the motion of the head.
type Head struct {
	Rows    int
	Mean    float64  // framewise displacement, mm, over the volumes that have one (the first has not)
	Has     bool     // a framewise displacement
	codes   []string // numbers that may stand for missing values in it
	degrees []turn   // rotations that are not in rad
	// how the displacement was made, and whether the motion parameters show it
	displacement connectivity.Displacement
	checked      bool
}

// A Scan is the motion in the scan of a participant.
type Scan struct {
	Who string
	Head
}

// mostDisplaced is a framewise displacement that no head has, mm.
const mostDisplaced = 1e6

// Read reads a table of confounds.
func Read(path string) (m Head, err error) {
	file, err := userfile.Open(path)
	if err != nil {
		return m, err
	}
	defer file.Close()
	s, err := sheet.Read(file, path)
	if err != nil {
		return m, userfile.Place(err, path)
	}
	m.Rows = len(s.Lines)
	values, ok := s.Column("framewise_displacement")
	numbers, notAt := sheet.Numbers(values)
	m.displacement = confounds(s).Displacement()
	m.degrees = inDegrees(s, m.displacement)
	if !ok || numbers == nil && notAt < 0 { // nothing but n/a
		return m, nil
	}
	if numbers == nil {
		return m, userfile.Place(fmt.Errorf("%s:%d: framewise_displacement is %q, which is not a number", path, s.Lines[notAt], values[notAt]), path)
	}
	if at := slices.IndexFunc(numbers, func(v float64) bool { return v < 0 }); at >= 0 {
		return m, userfile.Place(fmt.Errorf("%s:%d: framewise_displacement is %s, but cannot be negative: write n/a for a missing value",
			path, s.Lines[at], values[at]), path)
	}
	if at := slices.IndexFunc(numbers, func(v float64) bool { return v > mostDisplaced }); at >= 0 {
		return m, userfile.Place(fmt.Errorf("%s:%d: framewise_displacement is %s mm, more than a kilometer: write n/a for a missing value",
			path, s.Lines[at], values[at]), path)
	}
	m.checked = len(confounds(s).Names) > len(parameters)
	m.codes = slices.Sorted(maps.Keys(sheet.Codes(values)))
	n, sum := 0, 0.0
	for _, v := range numbers {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	m.Mean, m.Has = sum/float64(max(n, 1)), n > 0
	return m, nil
}

// A turn is the largest value of a column of rotations that no coil permits; without a column, the framewise
// displacement shows all.
type turn struct {
	Column string
	Most   float64
}

// mostTurned is a rotation of the head that no coil permits, rad (29°).
const mostTurned = 0.5

// inDegrees are the rotations of a table of confounds that are not in rad: they exceed what a coil permits, or the
// framewise displacement is that of the rotations as degrees.
func inDegrees(s *sheet.Sheet, d connectivity.Displacement) (columns []turn) {
	for _, name := range parameters[3:] {
		values, _ := s.Column(name)
		numbers, _ := sheet.Numbers(values)
		most := 0.0
		for _, v := range numbers {
			if math.Abs(v) > most {
				most = math.Abs(v)
			}
		}
		if most > mostTurned {
			columns = append(columns, turn{name, most})
		}
	}
	if columns == nil && d.Degrees {
		return []turn{{}}
	}
	return columns
}

// parameters are the columns of the motion parameters: mm, then rad.
var parameters = []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"}

// confounds are the displacement and the motion parameters of a table, those that are numbers.
func confounds(s *sheet.Sheet) (c connectivity.Confounds) {
	var columns [][]float64
	for _, name := range append([]string{"framewise_displacement"}, parameters...) {
		values, _ := s.Column(name)
		if numbers, _ := sheet.Numbers(values); numbers != nil {
			c.Names, columns = append(c.Names, name), append(columns, numbers)
		}
	}
	c.Values = connectivity.NewMatrix(len(s.Lines), len(columns))
	for k, v := range columns {
		for t, x := range v {
			c.Values.Data[t*len(columns)+k] = x
		}
	}
	return c
}

// Scans whose displacement is a tenth of that in others are looked for from so many scans on, and among those with a
// mean below mostOfTenths, mm.
const (
	fewestOfScans = 6
	mostOfTenths  = 0.05
)

// leastOfScans is a mean framewise displacement above which most scans of a cohort are, mm: in centimeters, usual means
// (0.1 to 0.2 mm) are below it.
const leastOfScans = 0.03

// tenths are scans whose displacement is a tenth of that of the others, where the motion parameters do not show its
// unit: of two clusters of logarithms of the means, one decade apart, with the least spread within them.
func tenths(scans []Scan) (who []column.Values) {
	scans = slices.DeleteFunc(slices.Clone(scans), func(s Scan) bool {
		return !(s.Has && s.Mean > 0) || s.displacement.Constant || s.displacement.Ratio > 0
	})
	slices.SortStableFunc(scans, func(a, b Scan) int { return cmp.Compare(a.Mean, b.Mean) })
	decade := func(s Scan) float64 { return exact.Log(s.Mean) / math.Ln10 }
	spread := func(part []Scan) (mean, squares float64) {
		for _, s := range part {
			mean += decade(s) / float64(len(part))
		}
		for _, s := range part {
			squares += float64((decade(s) - mean) * (decade(s) - mean))
		}
		return mean, squares
	}
	n, least, at, apart := len(scans), math.Inf(1), 0, 0.0
	for k := 1; k < n; k++ {
		low, a := spread(scans[:k])
		high, b := spread(scans[k:])
		if a+b < least {
			least, at, apart = a+b, k, high-low
		}
	}
	if n < fewestOfScans || scans[at-1].Mean > mostOfTenths || math.Abs(apart-1) > 0.3 ||
		apart < 3*math.Sqrt(least/float64(n-2)) {
		return nil
	}
	for _, s := range scans[:at] {
		if !s.checked {
			who = append(who, s.with(s.Mean))
		}
	}
	return who
}

// Notes note scans whose framewise displacement holds codes for missing values, which are in its mean, or
// is not in mm, and whose rotations are not in rad.
func Notes(scans []Scan) (notes []column.Note) {
	var coded, still, constant, flat, other, apart, turned, units []column.Values
	var means []float64
	common := slices.ContainsFunc(scans, func(s Scan) bool { return math.Abs(s.displacement.Multiple-1) < 0.01 })
	for _, s := range scans {
		if s.codes != nil {
			coded = append(coded, s.with(s.codes))
		}
		switch d := s.displacement; {
		case d.Flat:
			flat = append(flat, s.with(s.Mean))
		case d.Constant && s.Mean > 0:
			constant = append(constant, s.with(s.Mean))
		case s.Has && (s.Mean < column.LeastMotion || s.Mean > column.MostMotion && s.codes == nil):
			still = append(still, s.with(s.Mean))
		case d.Unit != "":
			units = append(units, s.with(d.Unit))
		case d.Apart != 0:
			apart = append(apart, s.with(d.Apart))
		case common && d.Multiple != 0 && math.Abs(d.Multiple-1) > 0.05:
			other = append(other, s.with(d.Multiple))
		case d.Ratio > 0:
			other = append(other, s.with(d.Ratio))
		}
		if s.degrees != nil {
			turned = append(turned, s.with(s.degrees))
		}
		if s.Has {
			means = append(means, s.Mean)
		}
	}
	// What the quality of cleaned scans shows too has the first doubt.
	doubt := column.DoubtCodes
	note := func(who []column.Values, code string) {
		if len(who) > 0 {
			notes = append(notes, column.Doubtful(doubt, code, of("", who)))
		}
	}
	note(coded, "noted.displacement-codes")
	note(still, "noted.displacement-range")
	doubt = column.DoubtUnits
	note(flat, "noted.motion-constant")
	note(constant, "noted.displacement-constant")
	note(other, "noted.displacement-multiple")
	note(apart, "noted.displacement-of-another-scan")
	note(units, "noted.translations-unit")
	note(tenths(scans), "noted.displacement-tenths")
	note(turned, "noted.rotations-unit")
	if still == nil && other == nil {
		notes = append(notes, inCentimeters("", means)...)
	}
	return notes
}

// with is a scan and what is noted of it.
func (s Scan) with(x any) column.Values { return column.Values{"Who": s.Who, "X": x} }

// of are the values of a note on the displacement of some scans, in a column of the participants table or, without one,
// in the confounds.
func of(name string, scans []column.Values) column.Values {
	return column.Values{"Column": name, "Scans": scans, "Least": column.LeastMotion, "Most": column.MostMotion,
		"MostOfTenths": mostOfTenths, "MostTurned": mostTurned}
}

// inCentimeters notes that most means, mm, are of centimeters.
func inCentimeters(name string, means []float64) []column.Note {
	slices.SortFunc(means, cmp.Compare)
	if n := len(means); n >= 3 && means[n/2] < leastOfScans {
		return []column.Note{column.Doubtful(column.DoubtUnits, "noted.displacement-centimeters",
			column.Values{"Column": name, "Least": leastOfScans, "N": n, "Median": means[n/2]})}
	}
	return nil
}

// TableNotes note means of the framewise displacement in a column of the participants table that are not in mm, NaN
// where one is missing: those that no scan has, those that are a tenth of the others, and those of most below what is
// usual.
func TableNotes(name string, ids []string, means []float64) (notes []column.Note) {
	var scans []Scan
	var known []float64
	var still []column.Values
	for i, m := range means {
		if math.IsNaN(m) {
			continue
		}
		known = append(known, m)
		s := Scan{ids[i], Head{Mean: m, Has: true}}
		scans = append(scans, s)
		if m < column.LeastMotion || m > column.MostMotion {
			still = append(still, s.with(m))
		}
	}
	if still != nil {
		return []column.Note{column.Doubtful(column.DoubtUnits, "noted.displacement-range", of(name, still))}
	}
	if who := tenths(scans); who != nil {
		notes = append(notes, column.Doubtful(column.DoubtUnits, "noted.displacement-tenths", of(name, who)))
	}
	return append(notes, inCentimeters(name, known)...)
}

// measured are columns of confounds that no two scans share, as they do cosines and non-steady-state volumes.
var measured = []string{"framewise_displacement", "std_dvars", "dvars", "trans_x", "trans_y", "trans_z", "rot_x",
	"rot_y", "rot_z", "csf", "white_matter", "global_signal", "a_comp_cor_00"}

// open reads a table of confounds; nil where it cannot be read, which the stage that reads it reports.
func open(path string) *sheet.Sheet {
	file, err := userfile.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	s, err := sheet.Read(file, path)
	if err != nil {
		return nil
	}
	return s
}

// IsMeasured reports whether a table of confounds has columns that no two scans share.
func IsMeasured(path string) bool {
	s := open(path)
	return s != nil && slices.ContainsFunc(s.Columns, func(name string) bool {
		return slices.Contains(measured, name)
	})
}
