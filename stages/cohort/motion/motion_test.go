package motion

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/connectivity"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Displacements in cm in some scans are found from the means alone where no motion parameters show the unit. A group
// that moves much more than the other, scans of one unit and scans whose unit is shown are not in doubt.
func TestTenths(t *testing.T) {
	scans := func(checked bool, means ...float64) (all []Scan) {
		for i, m := range means {
			all = append(all, Scan{fmt.Sprintf("sub-%d", i+1), Head{Mean: m, Has: true, checked: checked}})
		}
		return all
	}
	for name, c := range map[string]struct {
		scans []Scan
		want  string
	}{
		"cm": {scans(false, 0.12, 0.012, 0.2, 0.31, 0.019, 0.15, 0.24, 0.034),
			"sub-2 (0.012 mm), sub-5 (0.019 mm), sub-8 (0.034 mm)"},
		"shown by the motion parameters": {scans(true, 0.12, 0.012, 0.2, 0.31, 0.019, 0.15, 0.24, 0.034), ""},
		"two who move much":              {scans(false, 0.12, 0.09, 0.2, 0.11, 0.14, 0.15, 1.8, 2.1), ""},
		"one unit":                       {scans(false, 0.04, 0.05, 0.07, 0.09, 0.12, 0.2, 0.35, 0.6), ""},
		"few scans":                      {scans(false, 0.012, 0.2, 0.21), ""},
	} {
		var texts []string
		for _, n := range wording.NoteTexts(Notes(c.scans)) {
			if _, text, found := strings.Cut(n, "a tenth of that in the others, and below 0.05 mm: "); found {
				texts = append(texts, strings.TrimSuffix(text, "; give it in mm"))
			}
		}
		need.Equal(t, strings.Join(texts, "\n"), c.want, name)
	}
	need.Equal(t, strings.Join(wording.NoteTexts(Notes(scans(false, 0.012, 0.02, 0.021))), "\n"),
		"framewise_displacement of the confounds may be in cm: its mean is below 0.03 mm in most of the 3 scans (median "+
			"0.02 mm); give it in mm")
	other := scans(true, 0.02, 0.2)
	other[0].displacement.Ratio = 0.1
	other[1].displacement = connectivity.Displacement{Constant: true}
	need.Equal(t, strings.Join(wording.NoteTexts(Notes(other)), "\n"),
		"framewise_displacement of the confounds is one number in all volumes, so it was not measured: sub-2 (0.2 mm); "+
			"remove the column, or write n/a\n"+
			"framewise_displacement of the confounds is not in mm, or the motion parameters are not in mm and rad, because it is "+
			"a multiple of that of trans and rot: sub-1 (0.1 times); give it in mm, or remove the column: it is then computed "+
			"from the motion parameters")
}

// Displacements of another scan, and those multiplied in some scans of a cohort, are noted; a factor in all scans is a
// definition.
func TestOtherDisplacements(t *testing.T) {
	scans := func(of ...connectivity.Displacement) (all []Scan) {
		for i, d := range of {
			all = append(all, Scan{fmt.Sprintf("sub-%d", i+1), Head{Mean: 0.2, Has: true, checked: true,
				displacement: d}})
		}
		return all
	}
	power, third := connectivity.Displacement{Multiple: 1}, connectivity.Displacement{Multiple: 0.3}
	for name, c := range map[string]struct {
		scans []Scan
		want  string
	}{
		"two scans":          {scans(power, connectivity.Displacement{Apart: -0.04}), "so they belong to two scans: sub-2 (−0.04)"},
		"multiplied":         {scans(power, third, power), "a multiple of that of trans and rot: sub-2 (0.3 times)"},
		"multiplied in all":  {scans(third, third), ""},
		"another definition": {scans(power, connectivity.Displacement{}), ""},
		"translations": {scans(power, connectivity.Displacement{Unit: "cm"}, connectivity.Displacement{Unit: "m"}),
			"only if trans is in a different unit: sub-2 (cm), sub-3 (m)"},
		"constant parameters":  {scans(power, connectivity.Displacement{Flat: true}), "so one of the two does not belong to the scan: sub-2 (0.2 mm); give trans_x"},
		"one, as it should be": {scans(power), ""},
	} {
		texts := wording.NoteTexts(Notes(c.scans))
		if c.want == "" && len(texts) > 0 || c.want != "" && (len(texts) != 1 || !strings.Contains(texts[0], c.want)) {
			t.Errorf("%s: notes %q", name, texts)
		}
		for _, n := range Notes(c.scans) { // the quality of cleaned scans does not show these
			need.Equal(t, n.Doubt, column.DoubtUnits, name)
		}
	}
}

// Means of the participants table are held against the same bounds.
func TestTableNotes(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		means []float64
		want  string
	}{
		"mm":              {[]float64{0.12, 0.2, nan, 0.31, 0.15, 0.24}, ""},
		"µm":              {[]float64{177.4, 104, 226}, "(below 0.01 mm or above 5 mm): sub-1 (177.4 mm), sub-2 (104 mm), sub-3 (226 mm)"},
		"µm in one":       {[]float64{0.12, 104, 0.2}, "above 5 mm): sub-2 (104 mm); give it in mm"},
		"cm":              {[]float64{0.012, 0.02, 0.021}, "column mean_fd of the participants table may be in cm: its mean"},
		"cm in some":      {[]float64{0.12, 0.012, 0.2, 0.31, 0.019, 0.15, 0.24, 0.034}, "may be in cm in some scans, because its mean is a tenth"},
		"without numbers": {[]float64{nan, nan}, ""},
	} {
		var ids []string
		for i := range c.means {
			ids = append(ids, fmt.Sprintf("sub-%d", i+1))
		}
		text := strings.Join(wording.NoteTexts(TableNotes("mean_fd", ids, c.means)), "; ")
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}
