package leakage

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// Copies are found by the similarity of connectivity in the cohort itself: no fixed limit fits all atlases. What the
// rule finds of ABIDE: docs/leakage.md#copies-by-the-similarities-of-the-cohort.
//
// Similarity: C are the correlations of a scan, g = C1. C − gg′/Σg, again as correlations, has no global signal; where
// Σg ≤ 0, C stays. The mean over the cohort is subtracted from each edge. r is Pearson's correlation of two scans over
// common edges, z = atanh r.
//
// Different people: the z of the P pairs of n scans (never two of one participant) are sorted downwards, from rank 0.
// With r₂ = ⌊n/2⌋, r₁ = min(10n, ⌊P/5⌋) and σ = (z[r₂] − z[r₁])/ln(r₁/r₂), the threshold is t₁ = z[r₂] + σ ln(r₂/α): an
// exponential tail (Pickands 1975, shape 0) has α pairs of different people above t₁ in the whole cohort. Up to n/2
// copies do not change it.
//
// Two scans of one person: the halves of the volumes of scan i agree by hᵢ, so a second scan as long agrees by
// sᵢ = 2hᵢ/(1 + hᵢ) at most (Spearman 1910, Brown 1910). The limit is √(sᵢsⱼ) plus a margin in z: with
// eᵢ = atanh hᵢ − atanh √(s(q₁,q₂)·s(q₃,q₄)), the error of the prediction of halves from quarters, it is
// max(median e, 0) + 3.1·1.4826·MAD(e): for normal e, 0.001 per pair.
const (
	fewestScans     = 20
	fewestEdges     = 190  // that two scans have in common: those of leastRegions
	leastVolumes    = 40   // of which a quarter has correlations
	matricesLimit   = 0.90 // of scans without series; halves of ABIDE's scans reach less, projected to full length
	leastHalf       = 0.01
	marginSD        = 3.1 // of a normal distribution 0.001 lie above
	largestR        = 0.9999999
	mostBytes       = 4 << 30 // of the edges of all scans
	rowsAtOnce      = 256
	madOfNormal     = 1.4826
	pairsOfTail     = 10 // a scan
	shareOfTail     = 5  // a fifth of all pairs at most
	smallestPresent = 1e-9
)

// A comparedScan is one scan among those of a cohort.
type comparedScan struct{ id, family, name string }

// A comparison is of the scans of a cohort.
type comparison struct {
	scans    []comparedScan
	regions  int
	series   bool    // matrices are correlations of series
	expected float64 // pairs of different people above the threshold
	// matrices yields those of a scan, region × region: of the whole, then, for series, of its halves and quarters.
	// Each may be changed, until the next one.
	matrices func(i int, yield func(m []float64)) error
}

// connections are the upper triangles by rows of a scan's matrices, without the global signal.
type connections struct {
	parts [][]float64
	kept  bool // the global signal of the whole cannot be removed
	plain bool // no correlations
}

// clipped is Fisher's z, finite for the same scan.
func clipped(r float64) float64 { return exact.Atanh(max(-largestR, min(largestR, r))) }

// spearmanBrown is the agreement of two whole scans, by that of halves.
func spearmanBrown(half float64) float64 {
	half = max(half, leastHalf)
	return 2 * half / (1 + half)
}

// of reads the connections of a scan; plain keeps values as they are.
func (c *comparison) of(i int, plain bool) (out connections, err error) {
	err = c.matrices(i, func(m []float64) {
		n := int(math.Sqrt(float64(len(m))))
		if !c.series {
			out.plain = !correlations(m, n)
		}
		v, removed := triangle(m, n, !plain && !out.plain)
		out.kept = out.kept || !removed && !plain && !out.plain && out.parts == nil
		out.parts = append(out.parts, v)
	})
	return out, err
}

// ofSeries yields the matrices of series (draw, time, region), draw 0.
func ofSeries(a *encoding.Array, yield func(m []float64)) {
	rows, cols, v := a.Shape[1], a.Shape[2], a.Float64s()
	windows := [][2]int{{0, rows}}
	if rows >= leastVolumes {
		windows = append(windows, [2]int{0, rows / 2}, [2]int{rows / 2, rows})
		for q := range 4 {
			windows = append(windows, [2]int{rows * q / 4, rows * (q + 1) / 4})
		}
	}
	m, z := make([]float64, cols*cols), make([]float64, rows*cols)
	for _, w := range windows {
		correlationsOf(m, z, v[w[0]*cols:w[1]*cols], w[1]-w[0], cols)
		yield(m)
	}
}

// correlationsOf sets m to Pearson's between the columns of series, NaN for a region that does not vary; z is for as
// many numbers as the series has.
func correlationsOf(m, z, v []float64, rows, cols int) {
	const block = 16 // columns at a time: of one line of the cache
	absent := make([]bool, cols)
	for from := 0; from < cols; from += block {
		to := min(cols, from+block)
		for i := range rows {
			for j := from; j < to; j++ {
				z[j*rows+i] = v[i*cols+j]
			}
		}
		for j := from; j < to; j++ {
			y := z[j*rows:][:rows]
			if absent[j] = !standardize(y); absent[j] {
				clear(y)
			}
		}
	}
	dense.Gram(m, dense.Rows(z, rows), cols, rows, 1)
	for i := range cols {
		m[i*cols+i] = 1
		if absent[i] {
			for j := range cols {
				m[i*cols+j], m[j*cols+i] = math.NaN(), math.NaN()
			}
		}
	}
}

// correlations makes the diagonal of a matrix 1, and NaN of regions without a signal, and reports whether all other
// values are correlations.
func correlations(m []float64, n int) (are bool) {
	are = true
	present := make([]bool, n)
	for i := range n {
		for j := range n {
			x := m[i*n+j]
			if i != j && !math.IsNaN(x) && x != 0 {
				present[i] = true
				are = are && math.Abs(x) <= 1+1e-9
			}
		}
	}
	for i := range n {
		for j := range n {
			switch x := &m[i*n+j]; {
			case !present[i] || !present[j] || math.IsInf(*x, 0):
				*x = math.NaN()
			case i == j:
				*x = 1
			}
		}
	}
	return are
}

// triangle is the upper triangle of correlations C by rows, without the diagonal and, with remove, without the global
// signal: C − gg'/Σg with g = C1, as correlations again, is what the regression of the mean of the z-scored series
// leaves. removed reports whether Σg is above 0; otherwise C stays.
func triangle(m []float64, n int, remove bool) (out []float64, removed bool) {
	out = make([]float64, 0, n*(n-1)/2)
	g, scale, total := make([]float64, n), make([]float64, n), 0.0
	for i := 0; remove && i < n; i++ {
		for _, x := range m[i*n:][:n] {
			if x == x {
				g[i] += x
			}
		}
		total += g[i]
	}
	if !(total > 0) {
		for i := range n {
			out = append(out, m[i*n+i+1:(i+1)*n]...)
		}
		return out, false
	}
	for i := range n {
		left := m[i*n+i] - float64(g[i]*g[i])/total
		scale[i] = math.NaN()
		if left > smallestPresent { // else the region is the global signal
			scale[i] = 1 / math.Sqrt(left)
		}
	}
	for i := range n {
		of := g[i] / total
		for j := i + 1; j < n; j++ {
			out = append(out, (m[i*n+j]-float64(of*g[j]))*float64(scale[i]*scale[j]))
		}
	}
	return out, true
}

// A meanOf is the mean over scans, edge by edge, of those that have the edge.
type meanOf struct{ sum, there []float64 }

func (m *meanOf) add(v []float64) {
	if m.sum == nil {
		m.sum, m.there = make([]float64, len(v)), make([]float64, len(v))
	}
	for k, x := range v {
		if !math.IsNaN(x) {
			m.sum[k] += x
			m.there[k]++
		}
	}
}

func (m *meanOf) from(v []float64) {
	for k := range v {
		v[k] -= m.sum[k] / m.there[k]
	}
}

// agreement is Pearson's correlation over the edges that both have; NaN for too few.
func agreement(a, b []float64) float64 {
	var n, sa, sb float64
	for k, x := range a {
		if y := b[k]; x == x && y == y {
			n, sa, sb = n+1, sa+x, sb+y
		}
	}
	if n < fewestEdges {
		return math.NaN()
	}
	sa, sb = sa/n, sb/n
	var aa, bb, ab float64
	for k, x := range a {
		if y := b[k]; x == x && y == y {
			x, y := x-sa, y-sb
			aa, bb, ab = aa+float64(x*x), bb+float64(y*y), ab+float64(x*y)
		}
	}
	return ab / math.Sqrt(float64(aa*bb)) // NaN where nothing varies
}

// A scanPair is two scans, the earlier one first, and their similarity.
type scanPair struct {
	r    float64
	i, j int
}

// compare finds the pairs of scans of different ids that are more similar than different people.
func (c *comparison) compare(threads int) (out quality.Copies, pairs []scanPair, err error) {
	out = quality.Copies{Scans: len(c.scans), Expected: c.expected, Threshold: math.NaN(), Margin: math.NaN()}
	ids := lists.SetOf(c.scans, func(s comparedScan) string { return s.id })
	out.Participants = len(ids)
	if len(c.scans) == 0 {
		return out, nil, nil
	}
	out.Regions = c.regions
	edges := out.Regions * (out.Regions - 1) / 2
	switch {
	case out.Participants < fewestScans:
		out.Fixed = quality.FixedParticipants
	case out.Regions < leastRegions:
		out.Fixed = quality.FixedRegions
	case len(c.scans) > mostBytes/8/edges:
		out.Fixed = quality.FixedMemory
	}
	if out.Fixed != "" {
		return out, nil, nil
	}
	s := similarities{comparison: c, edges: edges, threads: threads}
	if err := s.read(&out); err != nil {
		return out, nil, err
	}
	top, own, compared := s.pairs()
	out.Apart = compared.apart
	n := len(c.scans)
	r2 := n / 2
	r1 := min(pairsOfTail*n, compared.n/shareOfTail)
	if r1 <= r2 {
		out.Fixed = quality.FixedEdges
		return out, nil, nil
	}
	z2, z1 := clipped(top[r2].r), clipped(top[r1].r)
	sigma := (z2 - z1) / exact.Log(float64(r1)/float64(r2))
	if !(sigma > 0) {
		out.Fixed, out.MostAlike = quality.FixedAlike, top[r2].r >= matricesLimit
		return out, nil, nil
	}
	out.Tail = quality.Tail{Counts: compared.z, From: z1, Scale: sigma, Pairs: r1}
	t1 := z2 + float64(sigma*exact.Log(float64(r2)/c.expected))
	out.Threshold = exact.Tanh(t1)
	// By construction at most half as many pairs as scans are above t₁. Where more exceed what scans of one person can
	// reach, the tail is itself of copies.
	out.MostAlike = top[r2].r > s.limit(top[r2], out.Uncorrelated)
	for _, p := range slices.Concat(top, own) {
		limit := s.limit(p, out.Uncorrelated)
		if !(clipped(p.r) > t1 || out.MostAlike && p.r > limit) {
			continue
		}
		a, b := c.scans[p.i], c.scans[p.j]
		pair := quality.CopyPair{First: a.id, Later: b.id, FirstInput: a.name, LaterInput: b.name, Similarity: p.r,
			Limit: limit, Related: a.family != "" && a.family == b.family}
		if a.id == b.id {
			out.Sessions = append(out.Sessions, pair)
			continue
		}
		pairs, out.Pairs = append(pairs, p), append(out.Pairs, pair)
	}
	return out, pairs, nil
}

// similarities are those of all pairs of scans.
type similarities struct {
	*comparison
	edges, threads int
	rows           []float64 // scan × edge: of length 1 about 0 where all edges are there; else NaN where one is not
	whole          []bool    // all edges are there
	whose          []float64 // what a second scan of the person would agree by, from the halves; NaN without series
	margin         float64   // in z
}

// read makes the rows, and the limits of scans with series.
func (s *similarities) read(out *quality.Copies) error {
	n := len(s.scans)
	plain := false
	if !s.series { // one that is no correlation leaves all as they are
		for i := range n {
			one, err := s.of(i, true)
			if err != nil {
				return err
			}
			plain = plain || one.plain
		}
		out.Uncorrelated = plain
	}
	var mean, meanHalf, meanQuarter meanOf
	s.rows = make([]float64, n*s.edges)
	err := s.inOrder(func(i int) (connections, error) { return s.of(i, plain) }, func(i int, one connections) error {
		if len(one.parts[0]) != s.edges {
			return fmt.Errorf("%s: %d edges between regions, but %s has %d: scans with other regions cannot be compared", s.scans[i].name, len(one.parts[0]), s.scans[0].name, s.edges)
		}
		copy(s.rows[i*s.edges:], one.parts[0])
		mean.add(one.parts[0])
		if one.kept {
			out.Kept++
		}
		if len(one.parts) == 1 {
			out.Matrices++
			return nil
		}
		for k, part := range one.parts[1:] {
			if k < 2 {
				meanHalf.add(part)
			} else {
				meanQuarter.add(part)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.whole, s.whose = make([]bool, n), make([]float64, n)
	residual := make([]float64, n)
	errs := make([]error, n)
	dense.Each(s.threads, n, func(i int) {
		row := s.rows[i*s.edges:][:s.edges]
		mean.from(row)
		s.whole[i] = !slices.ContainsFunc(row, math.IsNaN) && standardize(row)
		s.whose[i], residual[i] = math.NaN(), math.NaN()
		if !s.series {
			return
		}
		one, err := s.of(i, plain)
		if errs[i] = err; err != nil || len(one.parts) == 1 {
			return
		}
		for k, part := range one.parts[1:] {
			if k < 2 {
				meanHalf.from(part)
			} else {
				meanQuarter.from(part)
			}
		}
		p := one.parts
		half := agreement(p[1], p[2])
		predicted := math.Sqrt(float64(spearmanBrown(agreement(p[3], p[4])) * spearmanBrown(agreement(p[5], p[6]))))
		s.whose[i], residual[i] = spearmanBrown(half), clipped(half)-clipped(predicted)
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	known := slices.DeleteFunc(residual, math.IsNaN)
	if len(known) < fewestScans {
		for i := range s.whose {
			s.whose[i] = math.NaN()
		}
		out.Matrices = n
		return nil
	}
	middle := inference.Median(known)
	for i := range known {
		known[i] -= middle
	}
	s.margin = max(middle, 0) + float64(marginSD*madOfNormal*inference.MedianAbs(known))
	out.Margin = s.margin
	return nil
}

// inOrder makes something of each scan, many at a time, and takes it in the order of the scans.
func (s *similarities) inOrder(of func(i int) (connections, error), take func(i int, one connections) error) error {
	size := 4 * max(1, s.threads)
	made, errs := make([]connections, size), make([]error, size)
	for from := 0; from < len(s.scans); from += size {
		n := min(size, len(s.scans)-from)
		dense.Each(s.threads, n, func(k int) { made[k], errs[k] = of(from + k) })
		for k := range n {
			if err := errs[k]; err != nil {
				return err
			}
			if err := take(from+k, made[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// limit is what two scans of one person reach at most; NaN where it is not known.
func (s *similarities) limit(p scanPair, uncorrelated bool) float64 {
	switch both := float64(s.whose[p.i] * s.whose[p.j]); {
	case !math.IsNaN(both):
		return exact.Tanh(clipped(math.Sqrt(both)) + s.margin)
	case uncorrelated:
		return math.NaN()
	}
	return matricesLimit
}

// counted are numbers of pairs of different ids.
type counted struct {
	n     int   // compared
	apart int   // with too few edges in common
	z     []int // finding.Tail
}

// pairs are the most similar pairs, as many as the tail has at most and one more, the most similar first; own are all
// those of one participant each.
func (s *similarities) pairs() (top, own []scanPair, of counted) {
	n, keep := len(s.scans), pairsOfTail*len(s.scans)+1
	least := math.Inf(-1)
	cut := func() {
		slices.SortFunc(top, func(a, b scanPair) int {
			return cmp.Or(cmp.Compare(b.r, a.r), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
		})
		if len(top) >= keep {
			top = top[:keep]
			least = top[keep-1].r
		}
	}
	of.z = make([]int, int(math.Round((quality.TailEnd-quality.TailLow)/quality.TailStep)))
	r := make([]float64, rowsAtOnce*n)
	row := func(i int) []float64 { return s.rows[i*s.edges:][:s.edges] }
	for from := 0; from < n; from += rowsAtOnce {
		to := min(n, from+rowsAtOnce)
		dense.Multiply(r, to, dense.Rows(s.rows[from*s.edges:], s.edges), dense.Rows(s.rows, s.edges).T(),
			to-from, s.edges, to,
			false, s.threads)
		dense.Each(s.threads, to-from, func(k int) {
			for j := range from + k {
				if !s.whole[from+k] || !s.whole[j] {
					r[k*to+j] = agreement(row(from+k), row(j))
				}
			}
		})
		for i := from; i < to; i++ {
			for j := range i {
				switch x := r[(i-from)*to+j]; {
				case s.scans[i].id == s.scans[j].id:
					own = append(own, scanPair{x, j, i})
				case math.IsNaN(x):
					of.apart++
				default:
					of.n++
					bin := int(math.Floor((clipped(x) - quality.TailLow) / quality.TailStep))
					of.z[max(0, min(bin, len(of.z)-1))]++
					if x >= least {
						top = append(top, scanPair{x, j, i})
					}
				}
			}
			if len(top) > 2*keep {
				cut()
			}
		}
	}
	cut()
	return top, own, of
}

// copiesAmong finds copies by similarity: of series where all participants have one, else of matrices among their
// features. regions are those of each scan, 0 for one without series.
func (s *Leakage) copiesAmong(scans, features []dag.Input, family map[string]string, traces []*trace, regions []int,
	threads int) (check leakCheck, same []fold.Duplicate, err error) {
	if s.Unrelated == 0 {
		return check, nil, nil
	}
	with := map[string]bool{}
	for i, in := range scans {
		with[in.Coord("subject")] = with[in.Coord("subject")] || regions[i] > 0
	}
	c := comparison{series: true, expected: s.Unrelated}
	ins := scans
	if len(with) == 0 || slices.ContainsFunc(slices.Concat(scans, features), func(in dag.Input) bool {
		return !with[in.Coord("subject")]
	}) {
		ins, c.series = features, false
		if regions, err = matrixSizes(ins); err != nil {
			return check, nil, err
		}
	}
	regions = inOneSetting(ins, regions)
	most, others := mostFrequent(regions)
	if most == 0 {
		return check, nil, nil
	}
	var at []int // of each scan: its input
	for i, in := range ins {
		if regions[i] == most {
			at = append(at, i)
			id := in.Coord("subject")
			c.scans = append(c.scans, comparedScan{id, family[id], filepath.Base(in.Name)})
		}
	}
	c.regions, c.matrices = most, func(i int, yield func(m []float64)) error {
		a, err := ins[at[i]].Array()
		switch {
		case err != nil:
		case c.series:
			ofSeries(a, yield)
		default:
			m, _ := fold.Matrix(a)
			yield(slices.Clone(m))
		}
		return err
	}
	found, pairs, err := c.compare(threads)
	if err != nil {
		return check, nil, err
	}
	found.Others = others
	if c.series && found.Fixed != "" && len(features) == 0 { // whose matrices are compared as features
		for i := range c.scans {
			in := ins[at[i]]
			in.Ref.Digest = artifacts.DigestOf([]byte("correlations of " + in.Ref.Digest.String()))
			in.Reader = func() (io.ReadCloser, error) {
				a, err := ins[at[i]].Array()
				if err != nil {
					return nil, err
				}
				rows, n := a.Shape[1], a.Shape[2]
				var b bytes.Buffer
				m := make([]float64, n*n)
				correlationsOf(m, make([]float64, rows*n), a.Float64s(), rows, n)
				err = encoding.NewArray(m, 1, n, n).Encode(&b)
				return io.NopCloser(&b), err
			}
			features = append(features, in)
		}
		if same, err = fold.Duplicates(features); err != nil {
			return check, nil, err
		}
	}
	if c.series {
		if err := lock(found.Pairs, lists.Map(pairs, func(p scanPair) [2]int {
			return [2]int{at[p.i],
				at[p.j]}
		}), traces); err != nil {
			return check, nil, err
		}
	}
	check = leakCheck{name: fold.CopiesCompared, of: len(c.scans), copies: found}
	if found.Fixed != "" {
		check.name = ""
	}
	if found.MostAlike {
		check.fail("most of the %d scans are alike: more pairs of them than half their number agree as well as copies of one scan, so the cohort has no similarity of different people; check which files were read", len(c.scans))
	}
	for _, p := range found.With(quality.Violation) {
		how := fmt.Sprintf("have connectivity that correlates %.3f, where two scans of one person agree by %.3f at most", p.Similarity, p.Limit)
		if p.Locked {
			how = fmt.Sprintf("have connectivity that correlates %.3f, where different people reach %.3f, and signals with one course of time", p.Similarity, found.Threshold)
		}
		same = append(same, fold.Duplicate{First: p.First, Later: p.Later,
			How:       fmt.Sprintf("%s (%s and %s)", how, p.FirstInput, p.LaterInput),
			FirstFile: p.FirstInput, LaterFile: p.LaterInput})
	}
	return check, same, nil
}

// inOneSetting are regions, with 0 for a scan that another input has in the setting of most scans: decisions process a
// scan in several ways, maybe with other regions.
func inOneSetting(ins []dag.Input, regions []int) []int {
	type group struct {
		name           string
		scans, regions int
	}
	groups, has := map[string]*group{}, map[[2]string]bool{}
	setting, scan := make([]string, len(ins)), make([]string, len(ins))
	for i, in := range ins {
		if regions[i] == 0 {
			continue
		}
		axes := []string{column.Subject, "run", "session", "stage"}
		setting[i] = column.CoordText(column.Without(in.Coords, axes...))
		scan[i] = column.CoordText(slices.DeleteFunc(slices.Clone(in.Coords), func(c dag.Coord) bool {
			return !slices.Contains(axes, c.Axis)
		}))
		of := groups[setting[i]]
		if of == nil {
			of = &group{name: setting[i]}
			groups[of.name] = of
		}
		of.scans, of.regions = of.scans+1, max(of.regions, regions[i])
		has[[2]string{setting[i], scan[i]}] = true
	}
	if len(groups) < 2 {
		return regions
	}
	most := slices.MinFunc(slices.Collect(maps.Values(groups)), func(a, b *group) int {
		return cmp.Or(b.scans-a.scans, b.regions-a.regions, strings.Compare(a.name, b.name))
	}).name
	regions = slices.Clone(regions)
	for i := range ins {
		if setting[i] != most && has[[2]string{most, scan[i]}] {
			regions[i] = 0
		}
	}
	return regions
}

// mostFrequent is the most frequent number of regions but 0, of equally frequent ones the largest, and how many scans
// have others.
func mostFrequent(regions []int) (most, others int) {
	count := map[int]int{}
	for _, n := range regions {
		if n > 0 {
			count[n]++
			others++
		}
	}
	for n, times := range count {
		if times > count[most] || times == count[most] && n > most {
			most = n
		}
	}
	return most, others - count[most]
}

// matrixSizes are the regions of features that are symmetric matrices; 0 of others.
func matrixSizes(ins []dag.Input) ([]int, error) {
	sizes := make([]int, len(ins))
	for i, in := range ins {
		a, err := in.SharedArray()
		if err != nil {
			return nil, err
		}
		_, sizes[i] = fold.Matrix(a)
	}
	return sizes, nil
}

// lock looks for one course of time in the signals of pairs of inputs. They are few, so that chanceOfAny allows a
// lower correlation than among all pairs.
func lock(pairs []quality.CopyPair, inputs [][2]int, traces []*trace) error {
	of := map[[2]int]*trace{} // input, kind
	for _, x := range traces {
		of[[2]int{x.input, x.kind()}] = x
	}
	for kind := range 2 {
		both := func(k int) (x, y *trace, lags int) {
			x, y = of[[2]int{inputs[k][0], kind}], of[[2]int{inputs[k][1], kind}]
			if x == nil || y == nil {
				return nil, nil, 0
			}
			low, high := x.lags(y)
			return x, y, max(0, high-low+1)
		}
		comparisons := 0
		for k := range pairs {
			_, _, lags := both(k)
			comparisons += lags
		}
		for k := range pairs {
			x, y, lags := both(k)
			if lags == 0 {
				continue
			}
			m, least := x.meet(y), exact.Log(chanceOfAny/float64(comparisons))
			if m.r == 0 {
				continue
			}
			p, err := x.chance(y, m.lag, least)
			if err != nil {
				return fmt.Errorf("signals of %s and %s cannot be compared: %w", pairs[k].FirstInput, pairs[k].LaterInput, err)
			}
			pairs[k].Locked = pairs[k].Locked || p <= least
		}
	}
	return nil
}
