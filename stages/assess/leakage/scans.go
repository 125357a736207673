package leakage

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// lookAtScans finds one scan under two ids among those who take part: by the volumes of
// the scans, which do not depend on labels and cleaning, by the signals of series, and by the features.
func (s *Leakage) lookAtScans(t *dag.Task, b *foldBook) ([]*leakCheck, error) {
	if !t.Has("features") && !t.Has("scans") {
		return nil, nil
	}
	taking := map[string][]dag.Input{}
	for _, port := range []string{"scans", "features"} {
		for _, in := range t.All(port) {
			id := in.Coord("subject")
			if id == "" {
				return nil, fmt.Errorf("%s does not belong to a single participant: connect a stage that fans out over subject", in.Name)
			}
			if b.takesPart(id) {
				taking[port] = append(taking[port], in)
			}
		}
	}
	twins, repeated, err := sharedScans(taking["scans"])
	if err != nil {
		return nil, err
	}
	none := func(*encoding.Array) *trace { return nil }
	means, filtered := none, none
	if s.Correlation > 0 && s.Correlation < 1 {
		means = meanTrace
	}
	if s.Filtered > 0 && s.Filtered < 1 {
		filtered = filteredTrace
	}
	traces, regions, having, err := readTraces(taking["scans"], means, filtered)
	if err != nil {
		return nil, err
	}
	same, err := fold.Duplicates(taking["features"])
	if err != nil {
		return nil, err
	}
	heard, chance, err := s.sameTraces(traces, taking["scans"], t.Threads)
	if err != nil {
		return nil, err
	}
	copies, alike, err := s.copiesAmong(taking, b, traces, regions, t.Threads)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(heard, same, alike) {
		if !slices.ContainsFunc(twins, d.SamePair) { // found by volumes, or by another trace
			twins = append(twins, d)
		}
	}
	series := 0
	for _, n := range regions {
		series += min(n, 1)
	}
	// A comparison that leaves out a series does not count as made: a copy of that series would go unnoticed.
	signals := leakCheck{name: fold.SignalsCompared, of: series, byChance: chance.text(s)}
	if having[1] < series {
		signals.name = fold.MeanSignalsCompared
	}
	if having[0] < series {
		signals.of = 0
	}
	var checks []*leakCheck
	for _, c := range []leakCheck{{name: fold.ScansCompared, of: len(taking["scans"])},
		signals, {name: fold.FeaturesCompared, of: len(taking["features"])}, copies} {
		if c.of > 0 || c.copies.Scans > 0 {
			checks = append(checks, &c)
		}
	}
	if twins != nil {
		checks[0].fail("%s", fold.DuplicateText(twins)) // one list, with one line to paste
		checks[0].together = len(twins) - 1
	}
	for _, p := range sameParts(traces, taking["scans"]) {
		if !slices.ContainsFunc(repeated, p.SamePair) { // found by volumes
			repeated = append(repeated, p)
		}
	}
	if n := fold.InParts(taking["scans"]); n > 0 {
		c := &leakCheck{name: "no participant has one scan as two runs or sessions", of: n}
		for _, d := range repeated {
			c.fail("%s and %s %s: one scan counts as two; take one of them out, or name the right file", d.First, d.Later, d.How)
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// A scan is recognized by its first and last time points, as far as they are read: two
// inputs that share sharedPoints of them are one scan, or parts of one. Two time points are
// shared when their files are the same bytes or, with 16 values and more, when their correlation
// over voxels or regions is above 1 − rescaled, or below −(1 − rescaled): multiplied by a number of either sign, or
// with one added, a volume is still the same. Fewer values must be the same.
const (
	endPoints    = 10
	sharedPoints = 5
	rescaled     = 1e-8
)

// sharedScans finds scans that two participants share, each reported with the first participant that has it, and scans
// that are two runs or sessions of one participant.
func sharedScans(ins []dag.Input) (twins, repeated []fold.Duplicate, err error) {
	points := fold.NewPrintIndex(rescaled)
	var owner []int // of each point: the first input that has it
	told := map[[2]string]bool{}
	for i, in := range ins {
		own, err := timePoints(in)
		if err != nil {
			return nil, nil, err
		}
		shared := map[int]int{} // earlier input → time points that it has, too
		for _, p := range own {
			if at := points.Find(p); at >= 0 {
				shared[owner[at]]++
			} else {
				points.Add(p)
				owner = append(owner, i)
			}
		}
		for _, other := range slices.Sorted(maps.Keys(shared)) {
			pair := [2]string{ins[other].Coord("subject"), in.Coord("subject")}
			if shared[other] < min(sharedPoints, len(own)) {
				continue
			}
			if fold.Parts(ins[other], in) {
				repeated = append(repeated, fold.Repeat(ins[other], in, "share volumes of a scan"))
			}
			if pair[0] != pair[1] && !told[pair] {
				told[pair] = true
				twins = append(twins, fold.Duplicate{First: pair[0], Later: pair[1],
					How: fmt.Sprintf("share volumes of a scan (%s and %s)", filepath.Base(ins[other].Name), filepath.Base(in.Name))})
			}
		}
	}
	return twins, repeated, nil
}

// onePart is from which correlation on the mean signals of two runs of a participant are of one scan. It is far above
// that of two scans during one task or film, which is no doubt between participants alone.
const onePart = 0.99

// sameParts finds series of two runs or sessions of a participant that are of one scan by their mean signals.
func sameParts(all []*trace, ins []dag.Input) (repeated []fold.Duplicate) {
	of := map[string][]*trace{} // of each participant
	for _, y := range all {
		b := ins[y.input]
		id := b.Coord("subject")
		if y.regions != 0 || fold.PartOf(b) == "" {
			continue
		}
		for _, x := range of[id] {
			a := ins[x.input]
			if !fold.Parts(a, b) {
				continue
			}
			if m := x.meet(y); math.Abs(m.r) >= onePart {
				repeated = append(repeated, fold.Repeat(a, b, fmt.Sprintf("have mean signals that correlate %.3f", m.r)))
			}
		}
		of[id] = append(of[id], y)
	}
	return repeated
}

// timePoints are an input's time points: of a scan the first ones; of an
// array (draw, time, node) the first and last ones of draw 0; any other file is one.
// A time point whose values are all equal (an empty volume) does not count, and a repeated one counts once.
func timePoints(in dag.Input) ([]fold.Print, error) {
	var points []fold.Print
	add := func(v []float64) {
		if !slices.ContainsFunc(v, func(x float64) bool { return math.Float64bits(x) != math.Float64bits(v[0]) }) {
			return
		}
		p := fold.PrintOf(v)
		if !slices.ContainsFunc(points, func(q fold.Print) bool { return p.Same(q, rescaled) }) {
			points = append(points, p)
		}
	}
	switch in.Ref.Format {
	case "nifti":
		r, err := region.OpenImage(in)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		if err := r.CheckSize(in.Ref.Size); err != nil {
			return nil, err
		}
		volume := make([]float64, r.Header.Grid().Voxels())
		for range min(endPoints, r.Volumes()) {
			if err := r.Next(volume); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			add(volume)
		}
	case "npy":
		a, err := in.Array()
		if err != nil {
			return nil, err
		}
		if len(a.Shape) != 3 || a.Len() == 0 {
			return nil, fmt.Errorf("%s: series of shape %v, want draw, time, node", in.Name, a.Shape)
		}
		n, nodes, v := a.Shape[1], a.Shape[2], a.Float64s()
		for i := range n {
			if i < endPoints || i >= n-endPoints {
				add(v[i*nodes:][:nodes])
			}
		}
	default:
		points = append(points, fold.PrintOfDigest(in.Ref.Digest))
	}
	return points, nil
}
