package connectivity

import (
	"fmt"
	"math"
	"strings"

	"prgnn/internal/words"
)

// A Scrub says which volumes are censored for motion (Power et al. 2012, NeuroImage
// 59:2142). A zero threshold censors nothing.
type Scrub struct {
	FD         float64 // framewise displacement above which a volume is censored, mm
	DVARS      float64 // standardized DVARS above which a volume is censored
	MinSegment int     // runs of kept volumes shorter than this are censored too
}

// Keep tells which volumes are kept. fd and dvars have one value a volume. The first volume may have NaN, as it has no
// displacement, and is kept then; another one without a value is an error.
func (s Scrub) Keep(fd, dvars []float64, volumes int) ([]bool, error) {
	keep := make([]bool, volumes)
	for t := range keep {
		keep[t] = true
	}
	var errs []string
	for _, c := range []struct {
		name   string
		values []float64
		limit  float64
	}{{"framewise displacement", fd, s.FD}, {"standardized DVARS", dvars, s.DVARS}} {
		if c.limit == 0 {
			continue
		}
		if len(c.values) != volumes {
			return nil, fmt.Errorf("%s has %d values for %d volumes", c.name, len(c.values), volumes)
		}
		unknown, first := 0, 0
		for t, v := range c.values {
			if math.IsNaN(v) && t > 0 {
				if unknown++; first == 0 {
					first = t
				}
			}
			if v > c.limit {
				keep[t] = false
			}
		}
		switch {
		case unknown == volumes-1 && unknown > 0:
			errs = append(errs, c.name+" has no values (n/a throughout)")
		case unknown > 0:
			errs = append(errs, fmt.Sprintf("%s has no value in %s, the first of them volume %d", c.name, words.Count(unknown, "volume"), first+1))
		}
	}
	if errs != nil {
		return nil, fmt.Errorf("%s: whether to censor these volumes is not known; only the first volume may lack a value", strings.Join(errs, "; "))
	}
	for t := 0; t < volumes; {
		end := t
		for end < volumes && keep[end] {
			end++
		}
		if end-t < s.MinSegment {
			for ; t < end; t++ {
				keep[t] = false
			}
		}
		t = end + 1
	}
	return keep, nil
}

// headRadius turns rotations into displacements on a sphere (Power et al. 2012).
const headRadius = 50 // mm

// FramewiseDisplacement is the sum of the absolute changes of the six motion
// parameters since the volume before, rotations as arcs on a sphere of 50 mm
// (Power et al. 2012, eq. in §"Framewise displacement"). motion is T×6: three
// translations (mm), three rotations (rad). The first value is NaN.
func FramewiseDisplacement(motion Matrix) []float64 {
	fd := make([]float64, motion.Rows)
	for t := range fd {
		if t == 0 {
			fd[t] = math.NaN()
			continue
		}
		for k, v := range motion.Row(t) {
			d := math.Abs(v - motion.At(t-1, k))
			if k >= 3 {
				d = float64(d * headRadius)
			}
			fd[t] += d
		}
	}
	return fd
}
