// Package motion reads what tables of confounds have of the motion of heads, and notes what no head does.
package motion

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
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
	degrees []string // rotations that are not in rad, with what shows it
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
	m.degrees = inDegrees(s, numbers)
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

// mostTurned is a rotation of the head that no coil permits, rad (29°).
const mostTurned = 0.5

// inDegrees are the rotations of a table of confounds that are not in rad: they exceed what a coil permits, or the
// framewise displacement fd (mm; nil for none) is that of the rotations as degrees.
func inDegrees(s *sheet.Sheet, fd []float64) (columns []string) {
	var axes [6][]float64
	for i, name := range []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"} {
		values, _ := s.Column(name)
		axes[i], _ = sheet.Numbers(values)
		most := 0.0
		for _, v := range axes[i] {
			if math.Abs(v) > most {
				most = math.Abs(v)
			}
		}
		if i >= 3 && most > mostTurned {
			columns = append(columns, fmt.Sprintf("%s up to %.3g", name, most))
		}
	}
	if columns != nil || fd == nil || slices.ContainsFunc(axes[:], func(a []float64) bool { return a == nil }) {
		return columns
	}
	var is, asRad, asDegrees float64 // sums over the volumes
	for v := 1; v < len(fd); v++ {
		shift, turn := 0.0, 0.0
		for i, a := range axes {
			if d := math.Abs(a[v] - a[v-1]); i < 3 {
				shift += d
			} else {
				turn += float64(50 * d) // on a sphere of 50 mm (Power et al. 2012)
			}
		}
		if all := fd[v] + shift + turn; !math.IsNaN(all) {
			is, asRad, asDegrees = is+fd[v], asRad+shift+turn, asDegrees+shift+float64(turn*math.Pi/180)
		}
	}
	if math.Abs(asDegrees-is) < 0.05*is && asRad > 2*is {
		return []string{"rot_x, rot_y and rot_z as degrees give framewise_displacement"}
	}
	return nil
}

// leastOfScans is a mean framewise displacement above which most scans of a cohort are, mm: in centimeters, usual means
// (0.1 to 0.2 mm) are below it.
const leastOfScans = 0.03

// Notes note scans whose framewise displacement holds codes for missing values, which are in its mean, or
// is not in mm, and whose rotations are not in rad.
func Notes(scans []Scan) (notes []column.Note) {
	var coded, still, turned []string
	var means []float64
	for _, s := range scans {
		if s.codes != nil {
			coded = append(coded, s.Who+" ("+strings.Join(s.codes, ", ")+")")
		}
		if s.Has && (s.Mean < column.LeastMotion || s.Mean > column.MostMotion && s.codes == nil) {
			still = append(still, fmt.Sprintf("%s (%.4g mm)", s.Who, s.Mean))
		}
		if s.degrees != nil {
			turned = append(turned, s.Who+" ("+strings.Join(s.degrees, ", ")+")")
		}
		if s.Has {
			means = append(means, s.Mean)
		}
	}
	note := func(who []string, format string, args ...any) {
		if len(who) > 0 {
			notes = append(notes, column.Doubtf(column.DoubtCodes, format, append(args, words.Some(who, 6))...))
		}
	}
	note(coded, "framewise_displacement of the confounds holds numbers that may stand for missing values, and that mean_fd counts: %s; write n/a in their place")
	note(still, "framewise_displacement of the confounds was not measured, or is not in mm (mean below %g mm or above %g mm): %s; give it in mm, or write n/a",
		column.LeastMotion, column.MostMotion)
	note(turned, "rotations of the confounds are not in rad (more than %g rad, or framewise_displacement shows it): %s; give them in rad, since a framewise displacement that is computed from them is too large",
		mostTurned)
	slices.SortFunc(means, cmp.Compare)
	if n := len(means); still == nil && n >= 3 && means[n/2] < leastOfScans {
		notes = append(notes, column.Doubtf(column.DoubtCodes, "framewise_displacement of the confounds may be in cm: its mean is below %g mm in most of the %d scans (median %.2g mm); give it in mm",
			leastOfScans, n, means[n/2]))
	}
	return notes
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
