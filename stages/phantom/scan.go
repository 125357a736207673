package phantom

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/atlas"
)

// Settings say which scan to make.
type Settings struct {
	Seed     uint64
	Subject  string
	Affected bool    // of the group whose planted edges are changed
	Strength float64 // of the planted change; 0 for none
	// share of the circuit's regions that a participant does not have changed, each its own; 0 … 1
	Heterogeneity   float64
	Volumes         int
	TR              float64 // s
	Grid            float64 // mm, of a voxel in every direction
	Motion          float64 // amount of head motion; 1 is that of a person who tries to lie still
	Noise           float64 // standard deviation of a voxel's own noise, in units of that of its region's signal
	Autocorrelation float64 // φ of the AR(1) processes, from a volume to the next
	Site            int     // scanner, from 1; 0 for a single one without a character of its own
	SiteEffect      float64 // weight of what the scanner adds to the signals, at sites from 1
	Missing         []int   // nodes (by index) that have no voxel
}

// A Scan is a simulated, preprocessed scan.
type Scan struct {
	Shape     [4]int      // x, y, z, t
	Grid      float64     // mm
	Origin    [3]float64  // center of the first voxel, mm, RAS+
	BOLD      []int16     // x fastest, then y, z, t
	Labels    []int16     // the ids of the nodes, 0 elsewhere; x fastest, then y, z
	Confounds []Column    // each of t values
	Signals   [][]float64 // node × t: what was put into the regions
}

// signalPercent is the standard deviation of a region's signal in percent of its
// baseline: resting BOLD at 3 T varies by about one percent.
const signalPercent = 1.0

// A material is what a voxel is made of.
type material struct {
	baseline   float64 // in the units of a scanner
	physiology float64 // how strongly it shows pulse and breath
	confound   string  // the confound signal that it belongs to, besides the global one
}

func materialOf(tissue int16) material {
	switch tissue {
	case csf:
		return material{1300, 3, "csf"}
	case white:
		return material{900, 0.7, "white_matter"}
	}
	return material{1000, 1, ""}
}

// Make makes one scan.
func Make(s Settings, nodes []atlas.Node) (*Scan, error) {
	if err := s.check(nodes); err != nil {
		return nil, err
	}
	b, err := grow(s, nodes)
	if err != nil {
		return nil, err
	}
	m := move(s)
	scan := &Scan{
		Shape:   [4]int{b.shape[0], b.shape[1], b.shape[2], s.Volumes},
		Grid:    s.Grid,
		Origin:  b.origin,
		BOLD:    make([]int16, len(b.tissue)*s.Volumes),
		Labels:  make([]int16, len(b.tissue)),
		Signals: signals(s, nodes),
	}
	for v, tissue := range b.tissue {
		if tissue > 0 {
			scan.Labels[v] = int16(nodes[tissue-1].ID)
		}
	}
	n := newNuisance(b, s.Volumes)
	scan.Confounds = append(confounds(m, scan.fill(s, b, m, n)), n.columns(s.TR)...)
	return scan, nil
}

func (s Settings) check(nodes []atlas.Node) error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if s.Volumes < 2 || s.Volumes > 100_000 {
		bad("volumes is %d; it must be from 2 to 100000", s.Volumes)
	}
	if !(s.Grid >= 1 && s.Grid <= 30) {
		bad("grid is %g mm; it may be from 1 to 30", s.Grid)
	}
	if !(s.TR > 0 && s.TR <= 60) {
		bad("tr is %g s; it may be up to 60", s.TR)
	}
	if !(s.Autocorrelation >= 0 && s.Autocorrelation < 1) {
		bad("autocorrelation is %g; it may be from 0 to less than 1", s.Autocorrelation)
	}
	if !(s.SiteEffect >= 0 && s.SiteEffect <= 100) {
		bad("site effect is %g; it may be from 0 to 100", s.SiteEffect)
	}
	if !(s.Noise >= 0 && s.Noise <= 100) || !(s.Motion >= 0 && s.Motion <= 100) ||
		!(s.Strength >= 0 && s.Strength <= 100) {
		bad("noise is %g, motion %g, strength %g; each may be from 0 to 100", s.Noise, s.Motion, s.Strength)
	}
	if !(s.Heterogeneity >= 0 && s.Heterogeneity <= 1) {
		bad("heterogeneity is %g; it may be from 0 to 1", s.Heterogeneity)
	}
	for _, n := range nodes {
		if n.ID > math.MaxInt16 || math.IsNaN(n.X+n.Y+n.Z+n.Volume) {
			bad("node %d (%s) has an id above %d, or no position or volume", n.Index, n.Name, math.MaxInt16)
		}
	}
	return errors.Join(problems...)
}

// signals are those of the nodes: N×T, each of unit variance.
func signals(s Settings, nodes []atlas.Node) [][]float64 {
	r := random.New(s.Seed, "simulate", s.Subject, "network")
	m := mixing(nodes, s, r)
	sources := make([][]float64, len(m[0]))
	r = random.New(s.Seed, "simulate", s.Subject, "sources")
	for k := range sources {
		sources[k] = make([]float64, s.Volumes)
		ar1(sources[k], s.Autocorrelation, r)
	}
	x := make([][]float64, len(m))
	for i, row := range m {
		x[i] = make([]float64, s.Volumes)
		for k, w := range row {
			if w == 0 {
				continue
			}
			for t, u := range sources[k] {
				x[i][t] += float64(w * u)
			}
		}
	}
	return x
}

// ar1 fills x with a stationary AR(1) process of unit variance.
func ar1(x []float64, phi float64, r *random.Stream) {
	p := processOf(phi)
	r.Normals(x)
	for t := 1; t < len(x); t++ {
		x[t] = p.next(x[t-1], x[t])
	}
}

// A process is an AR(1) process of unit variance.
type process struct{ phi, innovation float64 }

func processOf(phi float64) process { return process{phi, math.Sqrt(1 - float64(phi*phi))} }

// next is the value that follows another, given a number from the standard normal distribution.
func (p process) next(x, normal float64) float64 {
	return float64(p.phi*x) + float64(p.innovation*normal)
}

// fill writes the BOLD values and returns the confound signals: the means over
// the brain, the white matter and the cerebrospinal fluid.
func (scan *Scan) fill(s Settings, b *brain, m motion, n *nuisance) map[string][]float64 {
	T, nx := s.Volumes, b.shape[0]
	w := newWaves(T, m)
	r := random.New(s.Seed, "simulate", s.Subject, "physiology")
	w.breath = rhythm(T, s.TR, 0.28, r) // Hz
	w.pulse = rhythm(T, s.TR, 1.10, r)
	noise := s.Noise * signalPercent
	if s.Site > 0 { // some scanners are noisier than others
		noise *= 1 + math.Abs(float64(0.15*random.New(s.Seed, "simulate", "site", s.Site).Normal()))
	}

	names := []string{"global_signal", "csf", "white_matter"}
	total := map[string][]int64{} // sums of integers: exact
	for _, name := range names {
		total[name] = make([]int64, T+1) // the last one counts voxels
	}
	own, none := make([]float64, T), make([]float64, T)
	p := processOf(s.Autocorrelation)
	row := make([]int16, nx*T) // a row of voxels, t fastest: BOLD itself is too wide to be written voxel by voxel
	r = random.New(s.Seed, "simulate", s.Subject, "voxels")
	for first := 0; first < len(b.tissue); first += nx {
		clear(row)
		empty := true
		for x, tissue := range b.tissue[first : first+nx] {
			if tissue == air {
				continue
			}
			empty = false
			made := materialOf(tissue)
			baseline := made.baseline * (1 + float64(0.08*r.Normal()))
			r.Normals(own)
			gain, shared := 0.0, none
			if tissue > 0 { // what it shares with its region, more or less of it
				gain, shared = signalPercent*(1+float64(0.25*r.Normal())), scan.Signals[tissue-1]
			}
			series := row[x*T:][:T]
			w.voxel(series, baseline, p, noise, own, gain, shared, w.measures(made.physiology, r))
			sums := [2][]int64{total["global_signal"], total[made.confound]}
			n.add(series, tissue)
			for _, sum := range sums {
				if sum == nil {
					continue
				}
				for t, v := range series {
					sum[t] += int64(v)
				}
				sum[T]++
			}
		}
		if empty {
			continue
		}
		for t := range T {
			out := scan.BOLD[t*len(b.tissue)+first:][:nx]
			for x := range out {
				out[x] = row[x*T+t]
			}
		}
	}
	means := map[string][]float64{}
	for _, name := range names {
		means[name] = make([]float64, T)
		for t := range T {
			means[name][t] = float64(total[name][t]) / float64(max(1, total[name][T]))
		}
	}
	return means
}

// waves are the disturbances that all voxels of a scan share, each in its measure; T of each.
type waves struct {
	line, arch    []float64 // drifts: −1 … 1 over the scan, and its square less a third
	breath, pulse []float64 // of amplitude 1
	motion        motion
	moved         []float64 // framewise displacement, 0 at first
}

func newWaves(volumes int, m motion) waves {
	w := waves{line: make([]float64, volumes), arch: make([]float64, volumes), motion: m, moved: slices.Clone(m.fd)}
	for t := range w.line {
		u := float64(2*t)/float64(volumes-1) - 1
		w.line[t], w.arch[t] = u, float64(u*u)-1.0/3
	}
	w.moved[0] = 0
	return w
}

// measures are in which measure a voxel has each of them, in percent of its baseline.
type measures struct {
	slope, bend   float64 // slow drift, up to a few percent over the scan
	breath, pulse float64
	shift         [6]float64 // a mm, and a mm at the surface of the head
	drop          float64    // a mm of framewise displacement
}

func (w *waves) measures(physiology float64, r *random.Stream) (m measures) {
	m.slope, m.bend = 1.5*r.Normal(), r.Normal()
	m.breath, m.pulse = 0.4*physiology*r.Float64(), 0.4*physiology*r.Float64()
	for k := range m.shift {
		m.shift[k] = r.Normal()
		if k >= 3 {
			m.shift[k] *= headRadius
		}
	}
	m.drop = 0.8 * r.Float64()
	return m
}

// voxel makes the series of a voxel: its own process of these normal numbers, what it shares with its region, and what
// is not brain activity, in percent of the baseline. It does so in one pass: each step of the process waits for the
// one before, and meanwhile the rest is computed.
func (w *waves) voxel(series []int16, baseline float64, p process, noise float64, normal []float64,
	gain float64, shared []float64, m measures) {
	n, q := len(series), &w.motion.parameters
	normal, shared = normal[:n], shared[:n]
	line, arch, breaths, pulses, moved := w.line[:n], w.arch[:n], w.breath[:n], w.pulse[:n], w.moved[:n]
	q0, q1, q2, q3, q4, q5 := q[0][:n], q[1][:n], q[2][:n], q[3][:n], q[4][:n], q[5][:n]
	own := 0.0
	for t := range series {
		if own = p.next(own, normal[t]); t == 0 {
			own = normal[0]
		}
		v := float64(own*noise) + float64(gain*shared[t])
		v += float64(m.slope*line[t]) + float64(m.bend*arch[t]) + float64(m.breath*breaths[t]) +
			float64(m.pulse*pulses[t])
		v += float64(m.shift[0] * q0[t])
		v += float64(m.shift[1] * q1[t])
		v += float64(m.shift[2] * q2[t])
		v += float64(m.shift[3] * q3[t])
		v += float64(m.shift[4] * q4[t])
		v += float64(m.shift[5] * q5[t])
		v -= float64(m.drop * moved[t])
		v = math.RoundToEven(baseline * (1 + float64(v/100)))
		series[t] = int16(max(1, min(math.MaxInt16, int64(v))))
	}
}

// rhythm is a wave of about f Hz seen once a TR, so that what is faster than
// half the sampling rate appears as a slow one; its phase wanders.
func rhythm(volumes int, tr, f float64, r *random.Stream) []float64 {
	x := make([]float64, volumes)
	f *= 1 + float64(0.1*r.Normal())
	phase := r.Float64() // in turns
	for t := range x {
		phase += float64(f*tr) + float64(0.05*r.Normal())
		phase -= math.Floor(phase)
		x[t], _ = exact.Sincos(2 * math.Pi * phase)
	}
	return x
}
