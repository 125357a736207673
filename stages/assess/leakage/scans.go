package leakage

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/dense"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// lookAtScans finds one scan under two ids among those who take part: by the volumes of
// the scans, which do not depend on labels and cleaning, by the signals of series, and by the features.
func (s *Leakage) lookAtScans(t *dag.Task, b *foldBook) ([]*leakCheck, error) {
	if !t.Has("features") && !t.Has("scans") && !t.Has("partial") {
		return nil, nil
	}
	taking := map[string][]dag.Input{}
	for _, port := range []string{"scans", "features", "partial"} {
		for _, in := range t.All(port) {
			id := in.Coord("subject")
			if id == "" {
				return nil, fmt.Errorf("%s does not belong to a single participant: connect a stage that fans out over subject", in.Name)
			}
			if b.takesPart(id) && !(port != "scans" && fold.MadeInFold(in)) {
				taking[port] = append(taking[port], in)
			}
		}
	}
	var with map[string]string
	if b != nil {
		with = b.with
	}
	found, err := s.Compare(taking["scans"], taking["features"], with, t.Threads)
	if err != nil {
		return nil, err
	}
	same, err := fold.Duplicates(taking["partial"])
	if err != nil {
		return nil, err
	}
	for _, d := range same {
		if d.How = strings.Replace(d.How, "features", "partial correlations", 1); !slices.ContainsFunc(found.Twins, d.SamePair) {
			found.Twins = append(found.Twins, d)
		}
	}
	var checks []*leakCheck
	for _, c := range []leakCheck{{name: fold.ScansCompared, of: len(taking["scans"])},
		found.signals, {name: fold.FeaturesCompared, of: len(taking["features"])},
		{name: fold.PartialCompared, of: len(taking["partial"])}, found.copies} {
		if c.of > 0 || c.copies.Scans > 0 {
			checks = append(checks, &c)
		}
	}
	if found.Twins != nil {
		checks[0].fail("%s", fold.DuplicateText(found.Twins)) // one list, with one line to paste
		fold.LogDuplicates(t.Log(), found.Twins)
		checks[0].together = len(found.Twins) - 1
	}
	if n := fold.InParts(taking["scans"]); n > 0 {
		c := &leakCheck{name: "no participant has one scan as two runs or sessions", of: n}
		for _, d := range found.Repeated {
			c.fail("%s and %s %s: one scan counts as two; take one of them out, or name the right file", d.First, d.Later, d.How)
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// Found is one scan under two ids, and what else a comparison of scans showed.
type Found struct {
	Twins    []fold.Duplicate // one scan under two ids, by any comparison
	Repeated []fold.Duplicate // one scan as two runs or sessions
	Copies   quality.Copies

	signals, copies leakCheck
}

// Compare compares scans and series (draw, time, region), and features, of the participants in their coordinate
// subject. with is the same for relatives.
func (s *Leakage) Compare(scans, features []dag.Input, with map[string]string, threads int) (f Found, err error) {
	if f.Twins, f.Repeated, err = sharedScans(scans, threads); err != nil {
		return f, err
	}
	none := func(*encoding.Array) *trace { return nil }
	means, filtered := none, none
	if s.Correlation > 0 && s.Correlation < 1 {
		means = meanTrace
	}
	if s.Filtered > 0 && s.Filtered < 1 {
		filtered = filteredTrace
	}
	traces, regions, having, err := readTraces(scans, threads, means, filtered)
	if err != nil {
		return f, err
	}
	same, err := fold.Duplicates(features)
	if err != nil {
		return f, err
	}
	heard, chance, err := s.sameTraces(traces, scans, threads)
	if err != nil {
		return f, err
	}
	copies, alike, err := s.copiesAmong(scans, features, with, traces, regions, threads)
	if err != nil {
		return f, err
	}
	f.copies, f.Copies = copies, copies.copies
	for _, d := range slices.Concat(heard, same, alike) {
		if !slices.ContainsFunc(f.Twins, d.SamePair) { // found by volumes, or by another trace
			f.Twins = append(f.Twins, d)
		}
	}
	for i := range f.Copies.Pairs {
		p := &f.Copies.Pairs[i]
		p.Same = slices.ContainsFunc(f.Twins, fold.Duplicate{First: p.First, Later: p.Later}.SamePair)
	}
	series := 0
	for _, n := range regions {
		series += min(n, 1)
	}
	// A comparison that leaves out a series does not count as made: a copy of that series would go unnoticed.
	f.signals = leakCheck{name: fold.SignalsCompared, of: series, byChance: chance.text(s)}
	if having[1] < series {
		f.signals.name = fold.MeanSignalsCompared
	}
	if having[0] < series {
		f.signals.of = 0
	}
	for _, p := range sameParts(traces, scans) {
		if !slices.ContainsFunc(f.Repeated, p.SamePair) { // found by volumes
			f.Repeated = append(f.Repeated, p)
		}
	}
	return f, nil
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
func sharedScans(ins []dag.Input, threads int) (twins, repeated []fold.Duplicate, err error) {
	read, blocks, errs := make([][]fold.Print, len(ins)), make([][]uint64, len(ins)), make([]error, len(ins))
	dense.Each(threads, len(ins), func(i int) {
		if read[i], errs[i] = timePoints(ins[i]); errs[i] == nil {
			blocks[i], errs[i] = blocksOf(ins[i])
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, nil, err
	}
	points := fold.NewPrintIndex(rescaled)
	var owner []int // of each point: the first input that has it
	told := map[[2]string]bool{}
	for i, in := range ins {
		own := read[i]
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
				twins = append(twins, fold.Twins(ins[other], in, fmt.Sprintf("share volumes of a scan (%s and %s)",
					filepath.Base(ins[other].Name), filepath.Base(in.Name))))
			}
		}
	}
	for _, d := range sharedBlocks(ins, blocks) {
		if !slices.ContainsFunc(twins, d.SamePair) {
			twins = append(twins, d)
		}
	}
	return twins, repeated, nil
}

// A block is so many time points one after the other, with so many values, or more: numbers of few digits may agree by
// chance in fewer. Two scans share none.
const sharedBlock, sharedValues = 10, 32

// blocksOf are the hashes of the blocks of a series, draw 0; nil for another file, and for a series without blocks.
func blocksOf(in dag.Input) ([]uint64, error) {
	if in.Ref.Format != "npy" {
		return nil, nil
	}
	a, err := in.Array()
	if err != nil || len(a.Shape) != 3 || a.Len() == 0 {
		return nil, err
	}
	n, nodes, v := a.Shape[1], a.Shape[2], a.Float64s()
	long := max(sharedBlock, (sharedValues+nodes-1)/nodes)
	points := make([]uint64, n)
	for i := range points {
		h := uint64(fnvOffset)
		for _, x := range v[i*nodes:][:nodes] {
			h = (h ^ math.Float64bits(x)) * fnvPrime
			h ^= h >> 32
		}
		points[i] = h
	}
	var blocks []uint64
	for i := 0; i+long <= n; i++ {
		h, same := uint64(fnvOffset), true // all points of a padded end are one
		for _, p := range points[i : i+long] {
			h = (h ^ p) * fnvPrime
			h ^= h >> 32
			same = same && p == points[i]
		}
		if !same {
			blocks = append(blocks, h)
		}
	}
	return blocks, nil
}

// FNV-1a, by words of 64 bits.
const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

// sharedBlocks finds series of two participants that have a block of time points in common, wherever it lies.
func sharedBlocks(ins []dag.Input, blocks [][]uint64) (twins []fold.Duplicate) {
	owner := map[uint64]int{}
	told := map[[2]string]bool{}
	for i, in := range ins {
		for _, b := range blocks[i] {
			first, there := owner[b]
			if !there {
				owner[b] = i
				continue
			}
			pair := [2]string{ins[first].Coord("subject"), in.Coord("subject")}
			if pair[0] == pair[1] || told[pair] {
				continue
			}
			told[pair] = true
			twins = append(twins, fold.Twins(ins[first], in, fmt.Sprintf("share volumes of a scan (%s and %s)",
				filepath.Base(ins[first].Name), filepath.Base(in.Name))))
		}
	}
	return twins
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
