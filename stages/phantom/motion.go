package phantom

import (
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// headRadius turns rotations into millimetres at the surface of the head, as in
// framewise displacement after Power et al., NeuroImage 59 (2012), 2142.
const headRadius = 50.0 // mm

// A motion is how a head moved: six parameters a volume (three translations in
// mm, three rotations in rad), and the framewise displacement in mm, NaN in the
// first volume.
type motion struct {
	parameters [6][]float64
	fd         []float64
}

var motionNames = [6]string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"}

// move draws a slow wander with now and then a jerk. Most people lie still; a
// few do not: the amount is spread like exp(0.5 z).
func move(s Settings) motion {
	r := random.New(s.Seed, "simulate", s.Subject, "motion")
	amount := s.Motion * exact.Exp(0.5*r.Normal())
	var m motion
	m.fd = make([]float64, s.Volumes)
	jerk := make([]bool, s.Volumes)
	for t := range jerk {
		jerk[t] = r.Float64() < 0.03
	}
	for k := range m.parameters {
		unit := amount // mm
		if k >= 3 {
			unit /= headRadius // rad
		}
		x := make([]float64, s.Volumes)
		at := 0.0
		for t := range x {
			at = float64(0.98*at) + float64(0.03*unit*r.Normal())
			// drawn in every volume, so that jerks move no other draw
			if step := float64(0.25 * unit * r.Normal()); jerk[t] {
				at += step
			}
			x[t] = at
		}
		m.parameters[k] = x
	}
	m.fd[0] = math.NaN()
	for t := 1; t < s.Volumes; t++ {
		for k, x := range m.parameters {
			d := math.Abs(x[t] - x[t-1])
			if k >= 3 {
				d *= headRadius
			}
			m.fd[t] += float64(d)
		}
	}
	return m
}

// A Column of the confounds table; NaN where there is no value.
type Column struct {
	Name   string
	Values []float64
}

// confounds are the columns that fMRIPrep would give: the 36 parameters of
// Satterthwaite et al., NeuroImage 64 (2013), 240 (nine signals, their
// differences, and the squares of both), and framewise displacement.
func confounds(m motion, tissues map[string][]float64) []Column {
	var columns []Column
	expand := func(name string, x []float64) {
		d := make([]float64, len(x))
		d[0] = math.NaN()
		for t := 1; t < len(x); t++ {
			d[t] = x[t] - x[t-1]
		}
		columns = append(columns, Column{name, x}, Column{name + "_derivative1", d},
			Column{name + "_power2", square(x)}, Column{name + "_derivative1_power2", square(d)})
	}
	for _, name := range [3]string{"global_signal", "csf", "white_matter"} {
		expand(name, tissues[name])
	}
	for k, name := range motionNames {
		expand(name, m.parameters[k])
	}
	return append(columns, Column{"framewise_displacement", m.fd})
}

func square(x []float64) []float64 {
	y := lists.Map(x, func(v float64) float64 { return v * v })
	return y
}
