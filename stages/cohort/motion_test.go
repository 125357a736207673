package cohort

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
)

// confoundsWith are confounds of a head that drifts, shaken by so many mm and rad, its rotations multiplied by turn and
// its framewise displacement by scale; a scale of 0 leaves the displacement out.
func confoundsWith(shake, turn, scale float64) string {
	b := "framewise_displacement\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\n"
	if scale == 0 {
		b = strings.TrimPrefix(b, "framewise_displacement\t")
	}
	rotation := func(v int) float64 { return shake / 100 * math.Sin(float64(v)) }
	for v := range 40 {
		if scale != 0 {
			fd := "n/a"
			if v > 0 {
				fd = fmt.Sprint(scale * (shake + 50*math.Abs(rotation(v)-rotation(v-1))))
			}
			b += fd + "\t"
		}
		b += fmt.Sprintf("%g\t0\t0\t%g\t0\t0\n", shake*float64(v), turn*rotation(v))
	}
	return b
}

// Displacements in another unit, and rotations in degrees, are notes of tables as of BIDS datasets.
func TestUnitsOfMotion(t *testing.T) {
	const degree = 180 / math.Pi

	for name, c := range map[string]struct {
		confounds [4]string // of 003, 001, 002 and A4
		want      string
	}{
		"mm and rad": {[4]string{confoundsWith(0.1, 1, 1), confoundsWith(0.2, 1, 1), confoundsWith(0.05, 1, 1),
			confoundsWith(1, 1, 0)}, ""},
		"meters and micrometers": {[4]string{confoundsWith(0.1, 1, 1), confoundsWith(0.2, 1, 1),
			confoundsWith(0.3, 1, 0.001), confoundsWith(0.1, 1, 1000)},
			"framewise_displacement of the confounds was not measured, or is not in mm (mean below 0.01 mm or above 5 mm): " +
				"sub-002 (0.0003927 mm), sub-A4 (130.9 mm); give it in mm, or write n/a"},
		"centimeters": {[4]string{confoundsWith(0.1, 1, 0.1), confoundsWith(0.2, 1, 0.1), confoundsWith(0.15, 1, 0.1),
			confoundsWith(0.1, 1, 0.1)},
			"framewise_displacement of the confounds is not in mm, or the motion parameters are not in mm and rad, because it is " +
				"a multiple of that of trans and rot: sub-001 (0.1 times), sub-002 (0.1 times), sub-003 (0.1 times), sub-A4 " +
				"(0.1 times); give it in mm, or remove the column: it is then computed from the motion parameters"},
		"degrees": {[4]string{confoundsWith(0.1, degree, 1), confoundsWith(1, degree, 1), confoundsWith(1, degree, 0),
			confoundsWith(0.1, 1, 1)},
			"rotations of the confounds are not in rad (more than 0.5 rad, or framewise_displacement shows it): " +
				"sub-001 (rot_x up to 0.573), sub-002 (rot_x up to 0.573), sub-003 (rot_x, rot_y and rot_z as degrees " +
				"give framewise_displacement); give them in rad; otherwise a framewise displacement computed from " +
				"them is too large"},
	} {
		dir := study(t)
		for i, file := range []string{"c.tsv", "a.tsv", "b.tsv", "d.tsv"} {
			need.NoError(t, os.WriteFile(filepath.Join(dir, "study", file), []byte(c.confounds[i]), 0o666))
		}
		r := need.Value(table(func(c *TableCohort) { c.Confounds = "conf" }).Load(dir))(t)
		notes, _ := r.About(r.IDs())
		need.Equal(t, strings.Join(wording.NoteTexts(notes), "\n"), c.want, name)
	}
}
