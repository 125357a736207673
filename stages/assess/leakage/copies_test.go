package leakage

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

func fixture(t *testing.T, name string) *os.File {
	t.Helper()
	f := need.Value(os.Open(filepath.Join("testdata", "copies", name)))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// oracleScans is the comparison of the scans of testdata/copies/oracle.py, by so many matrices of each.
func oracleScans(t *testing.T, parts int) *comparison {
	t.Helper()
	z := need.Value(gzip.NewReader(fixture(t, "correlations.npy.gz")))(t)
	shape, v, err := encoding.ReadFloats(z, 1)
	need.NoError(t, err)
	const regions = 24
	edges := shape[2]
	c := &comparison{regions: regions, series: parts > 1, expected: 0.001}
	for i := range shape[0] {
		c.scans = append(c.scans, comparedScan{id: fmt.Sprint(i)})
	}
	c.matrices = func(i int, yield func(m []float64)) error {
		for k := range parts {
			of := v[(i*shape[1]+k)*edges:][:edges]
			m := make([]float64, regions*regions)
			for a := range regions {
				m[a*regions+a] = 1
				for b := a + 1; b < regions; b++ {
					m[a*regions+b], m[b*regions+a] = of[0]/1e7, of[0]/1e7
					of = of[1:]
				}
			}
			yield(m)
		}
		return nil
	}
	return c
}

func compared(t *testing.T, c *comparison, threads int) quality.Copies {
	t.Helper()
	got, _, err := c.compare(threads)
	need.NoError(t, err)
	return got
}

type oracleValues struct {
	Threshold float64 `json:"threshold_r"`
	Margin    float64 `json:"margin_z"`
	Half      []float64
	Residual  []float64
}

func oracle(t *testing.T) (values oracleValues, pairs [][]string) {
	t.Helper()
	need.NoError(t, json.NewDecoder(fixture(t, "values.json")).Decode(&values))
	pairs = need.Value(csv.NewReader(fixture(t, "pairs.csv")).ReadAll())(t)
	return values, pairs[1:]
}

// shown are the pairs as the oracle writes them.
func shown(c quality.Copies, limit bool) (rows []string) {
	for _, p := range c.Pairs {
		row := fmt.Sprintf("%s,%s,%.10f,%s", p.First, p.Later, p.Similarity, p.Verdict())
		if limit {
			row += fmt.Sprintf(",%.10f", p.Limit)
		}
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return rows
}

// Similarities, threshold, limits and verdicts are those of numpy, with series and with matrices alone.
func TestCopiesAreThoseOfNumpy(t *testing.T) {
	values, pairs := oracle(t)
	var halves, matrices []string
	for _, p := range pairs {
		halves = append(halves, fmt.Sprintf("%s,%s,%s,%s,%s", p[0], p[1], p[2], p[4], p[3]))
		matrices = append(matrices, fmt.Sprintf("%s,%s,%s,%s", p[0], p[1], p[2], p[5]))
	}
	slices.Sort(halves)
	slices.Sort(matrices)
	for _, threads := range []int{1, 3} {
		got, _, err := oracleScans(t, 7).compare(threads)
		need.NoError(t, err)
		if !slices.Equal(shown(got, true), halves) {
			t.Errorf("with halves %q, want %q", shown(got, true), halves)
		}
		if math.Abs(got.Threshold-values.Threshold) > 1e-10 || math.Abs(got.Margin-values.Margin) > 1e-10 {
			t.Errorf("threshold %v, margin %v, want %v, %v", got.Threshold, got.Margin, values.Threshold, values.Margin)
		}
		got, _, err = oracleScans(t, 1).compare(threads)
		need.NoError(t, err)
		if !slices.Equal(shown(got, false), matrices) || got.Matrices != 67 {
			t.Errorf("matrices alone: %q, want %q", shown(got, false), matrices)
		}
	}
	_, want, err := encoding.ReadFloats(fixture(t, "similarity.npy"), 1)
	need.NoError(t, err)
	slices.SortFunc(want, func(a, b float64) int { return cmp.Compare(b, a) })
	s := similarities{comparison: oracleScans(t, 7), edges: 276, threads: 2}
	need.NoError(t, s.read(&quality.Copies{}))
	top, _, of := s.pairs()
	need.Equal(t, of.n, len(want), "pairs")
	need.Equal(t, len(top), 671, "kept")
	for k, p := range top {
		if math.Abs(p.r-want[k]) > 1e-12 {
			t.Fatalf("similarity %d is %v, want %v", k, p.r, want[k])
		}
	}
	for i, h := range values.Half {
		if math.Abs(s.whose[i]-spearmanBrown(h)) > 1e-10 {
			t.Errorf("scan %d: %v, want %v", i, s.whose[i], spearmanBrown(h))
		}
	}
}

// Where scans lack regions, each pair is compared over the edges that both have.
func TestCopiesOverCommonEdges(t *testing.T) {
	c := oracleScans(t, 7)
	whole := c.matrices
	c.matrices = func(i int, yield func(m []float64)) error {
		return whole(i, func(m []float64) {
			for k := range m {
				if (i == 12 || i == 30) && (k%24 == i%5 || k/24 == i%5) {
					m[k] = math.NaN()
				}
			}
			yield(m)
		})
	}
	got, _, err := c.compare(2)
	need.NoError(t, err)
	need.Equal(t, len(got.With(quality.Violation)), 5)
	need.Equal(t, got.Apart, 0)
	s := similarities{comparison: c, edges: 276, threads: 2}
	need.NoError(t, s.read(&quality.Copies{}))
	for _, row := range [][]float64{s.rows[12*276:][:276], s.rows[30*276:][:276]} {
		missing := lists.Count(row, math.IsNaN)
		need.Equal(t, missing, 23)
	}
	// Pearson's correlation does not depend on the scale of the whole rows.
	a, b := s.rows[12*276:][:276], s.rows[62*276:][:276]
	var x, y []float64
	for k := range a {
		if !math.IsNaN(a[k]) {
			x, y = append(x, a[k]), append(y, b[k])
		}
	}
	standardize(x)
	standardize(y)
	want := 0.0
	for k := range x {
		want += x[k] * y[k]
	}
	top, _, _ := s.pairs()
	at := slices.IndexFunc(top, func(p scanPair) bool { return p.i == 12 && p.j == 62 })
	if at < 0 || math.Abs(top[at].r-want) > 1e-12 {
		t.Errorf("pair %d of %v, want %v", at, top[:6], want)
	}
	// Of few regions in common nothing is known.
	c.matrices = func(i int, yield func(m []float64)) error {
		return whole(i, func(m []float64) {
			for k := range m {
				if i == 7 && (k%24 < 5 || k/24 < 5) {
					m[k] = math.NaN()
				}
			}
			yield(m)
		})
	}
	got, _, err = c.compare(2)
	need.NoError(t, err)
	need.Equal(t, got.Apart, 66)
	need.Equal(t, len(got.With(quality.Violation)), 5)
}

// Where the cohort has no distribution, only a fixed limit holds; scans of one participant are no pair; relatives are
// known.
func TestCopiesWithoutADistribution(t *testing.T) {
	some := func(n int) *comparison {
		c := oracleScans(t, 1)
		c.scans = c.scans[:n]
		return c
	}
	few := compared(t, some(19), 1)
	need.Equal(t, few.Fixed, quality.FixedParticipants)
	one := some(67)
	for i := range one.scans {
		one.scans[i].id = fmt.Sprint(i % 19)
	}
	need.Equal(t, compared(t, one, 1).Fixed, quality.FixedParticipants)

	same := some(40)
	all := same.matrices
	same.matrices = func(i int, yield func(m []float64)) error { return all(i%2, yield) }
	alike := compared(t, same, 1)
	need.Equal(t, alike.Fixed, quality.FixedAlike)
	need.Equal(t, alike.MostAlike, true)

	thrice := some(60)
	thrice.matrices = func(i int, yield func(m []float64)) error { return all(i%20, yield) }
	most := compared(t, thrice, 1)
	need.Equal(t, most.MostAlike, true)
	need.Equal(t, len(most.With(quality.Violation)), 60)
	twice := some(60)
	twice.matrices = func(i int, yield func(m []float64)) error { return all(i%30, yield) }
	half := compared(t, twice, 1)
	need.Equal(t, half.MostAlike, false)
	need.Equal(t, len(half.With(quality.Violation)), 30)

	known := oracleScans(t, 7)
	known.scans[60].id = "4" // the second session
	known.scans[16].family, known.scans[66].family = "A", "A"
	related := compared(t, known, 1)
	pairs := related.Pairs
	need.Equal(t, len(related.Sessions), 1)
	need.Equal(t, related.Sessions[0].First+" "+related.Sessions[0].Later, "4 4")
	need.Equal(t, fmt.Sprint(lists.Map(pairs,
		func(p quality.CopyPair) string { return p.First + " " + p.Later + " " + p.Verdict() })),
		"[16 66 caution 12 62 violation 14 64 violation 15 65 violation 13 63 violation 9 61 caution]")

	values := some(67)
	values.matrices = func(i int, yield func(m []float64)) error {
		return all(i, func(m []float64) {
			for k, x := range m {
				m[k] = 3 * x
			}
			yield(m)
		})
	}
	plain := compared(t, values, 1)
	need.Equal(t, plain.Uncorrelated, true)
	need.Equal(t, len(plain.With(quality.Violation)), 0)
	for i, want := range []string{"4,60,0.8207993864,caution", "9,61,0.6728820620,caution", "13,63,0.6938965994,caution"} {
		if !slices.Contains(shown(plain, false), want) || !math.IsNaN(plain.Pairs[i].Limit) {
			t.Errorf("of values that are no correlations %v, want %s", plain.Pairs, want)
		}
	}
	need.Equal(t, len(plain.Pairs), 7)
}

// strangers are series of different people, with latent signals that all share in part.
func strangers(cohort, people, regions, volumes int) (*comparison, []*encoding.Array) {
	series := make([]*encoding.Array, people)
	c := &comparison{regions: regions, series: true, expected: 0.001}
	for p := range series {
		common := random.New(uint64(cohort), "common")
		own, noise := random.New(uint64(cohort), "own", p), random.New(uint64(cohort), "noise", p)
		loadings := make([]float64, regions*6)
		for k := range loadings {
			loadings[k] = float64(0.8*common.Normal()) + float64(0.45*own.Normal())
		}
		v := make([]float64, volumes*regions)
		for i := range volumes {
			var latent [6]float64
			for f := range latent {
				latent[f] = noise.Normal()
			}
			for j := range regions {
				x := noise.Normal()
				for f, l := range latent {
					x += float64(loadings[j*6+f] * l)
				}
				v[i*regions+j] = x
			}
		}
		series[p] = encoding.NewArray(v, 1, volumes, regions)
		c.scans = append(c.scans, comparedScan{id: fmt.Sprint(p)})
	}
	c.matrices = func(i int, yield func(m []float64)) error {
		ofSeries(series[i], yield)
		return nil
	}
	return c, series
}

// In cohorts without copies, 0.12 pairs are expected above the threshold.
func TestRateOfFalsePairs(t *testing.T) {
	for _, of := range []struct{ cohorts, people int }{{100, 20}, {20, 60}} {
		cautions, violations := 0, 0
		for k := range of.cohorts {
			c, _ := strangers(k, of.people, 24, 120)
			got := compared(t, c, 2)
			cautions, violations = cautions+len(got.With(quality.Caution)), violations+len(got.With(quality.Violation))
		}
		if cautions > 1 || violations > 0 {
			t.Errorf("%d cohorts of %d: %d cautions, %d violations", of.cohorts, of.people, cautions, violations)
		}
	}
}

// Series of unrelated people are no copies, and a copy with other volumes is one.
func TestCopiesOfSeries(t *testing.T) {
	const people, regions, volumes = 40, 24, 160
	c, series := strangers(1, people, regions, volumes)
	none := compared(t, c, 2)
	need.Equal(t, len(none.Pairs), 0)
	need.Equal(t, none.Kept, 0)
	shuffled := slices.Clone(series[3].Float64s())
	order := random.New(2, "order").Perm(volumes)
	for i, at := range order { // and a fifth of the volumes censored
		copy(shuffled[i*regions:][:regions], series[3].Float64s()[at*regions:][:regions])
	}
	series[9] = encoding.NewArray(shuffled[:volumes*4/5*regions], 1, volumes*4/5, regions)
	got := compared(t, c, 2)
	need.Equal(t, len(got.Pairs), 1)
	need.Equal(t, got.Pairs[0].First+" "+got.Pairs[0].Later+" "+got.Pairs[0].Verdict(), "3 9 violation")
	series[11] = encoding.NewArray(series[11].Float64s()[:39*regions], 1, 39, regions) // too short for quarters
	need.Equal(t, compared(t, c, 2).Matrices, 1)
}

// Scans of which decisions made several series are compared in one setting, whatever the numbers of regions of the
// others; a scan that this setting lacks is compared with them, or counted.
func TestCopiesInOneSetting(t *testing.T) {
	const people, regions, volumes = 24, 24, 160
	_, series := strangers(1, people, regions, volumes)
	for _, c := range []struct {
		name          string
		others        int               // regions of the other atlas
		lacks         map[string]string // participant → atlas
		scans, unlike int
	}{
		{"one atlas", 0, nil, people, 0},
		{"another with fewer regions", 20, nil, people, 0},
		{"another with as many", regions, nil, people, 0},
		{"a scan of the other only", 20, map[string]string{"sub-03": "own", "sub-04": "two", "sub-05": "two"},
			people - 1, 1},
		{"most scans of the other", 20, map[string]string{"sub-03": "own"}, people, 0},
	} {
		var ins []dag.Input
		for i, a := range series {
			id := dag.Coord{Axis: column.Subject, Value: fmt.Sprintf("sub-%02d", i)}
			if c.lacks[id.Value] != "own" {
				ins = append(ins, dag.InputOf(a, id, dag.Coord{Axis: "atlas", Value: "own"}))
			}
			if c.others > 0 && c.lacks[id.Value] != "two" {
				v := make([]float64, 0, volumes*c.others)
				for row := range volumes { // other regions: those of the own atlas backwards
					for j := range c.others {
						v = append(v, a.Float64s()[row*regions+regions-1-j])
					}
				}
				ins = append(ins, dag.InputOf(encoding.NewArray(v, 1, volumes, c.others), id,
					dag.Coord{Axis: "atlas", Value: "two"}))
			}
		}
		got := need.Value((&Leakage{Unrelated: 0.001}).Compare(ins, nil, nil, 2))(t).Copies
		need.Equal(t, got.Scans, c.scans, c.name, "scans")
		need.Equal(t, got.Others, c.unlike, c.name, "others")
		if c.lacks == nil {
			own, _ := strangers(1, people, regions, volumes)
			need.Equal(t, got.Threshold, compared(t, own, 2).Threshold, c.name, "threshold")
		}
	}
}

// A stage fails with a pair that agrees better than one person's scans; of less similar pairs it has a caution, and of
// known relatives a note.
func TestCopiesAreViolations(t *testing.T) {
	c := oracleScans(t, 1)
	inputs := func(change func(members []fold.Member, together []string)) map[string][]dag.Input {
		var features []dag.Input
		members, together := make([]fold.Member, len(c.scans)), make([]string, len(c.scans))
		for i := range c.scans {
			var correlations []float64
			need.NoError(t, c.matrices(i, func(m []float64) { correlations = m }))
			members[i] = fold.Member{ID: fmt.Sprintf("sub-%02d", i), Group: "AB"[i%2 : i%2+1], Repeat: 1,
				Fold: int32(i%3 + 1)}
			features = append(features, dag.InputOf(encoding.NewArray(correlations, 1, 24, 24),
				dag.Coord{Axis: "subject", Value: members[i].ID}))
		}
		if change != nil {
			change(members, together)
		}
		table := column.Table(members)
		table.Columns = append(table.Columns, fold.TogetherColumn(together))
		return map[string][]dag.Input{"folds": {dag.InputOf(table)}, "features": features}
	}
	stage := &Leakage{Correlation: 0.8, Filtered: 0.65, Unrelated: 0.001}
	_, err := stagetest.RunStage(t, stage, inputs(nil))
	need.Error(t, err, "sub-13 and sub-63 have connectivity that correlates 0.948, where two scans of one person agree by 0.900 at most")
	need.Error(t, err, "leakage: 5 violations")
	need.Error(t, err, "exclude: [sub-12, sub-62, sub-16, sub-66, sub-14, sub-64, sub-15, sub-65, sub-13, sub-63]")

	without := func(members []fold.Member) { // the originals
		for i := 12; i < 17; i++ {
			members[i].Fold = 0
		}
	}
	made := stagetest.MustRun(t, stage, inputs(func(m []fold.Member, _ []string) { without(m) }))
	table := made["checks"].(*encoding.Table)
	codes := func() (codes []string) {
		for _, f := range need.Value(finding.Of(table.Meta))(t) {
			codes = append(codes, f.Code)
		}
		return codes
	}
	need.Equal(t, fmt.Sprint(codes()), "[copies.caution copies.matrices]")
	need.Equal(t, table.Meta[column.SimilarScans], "2") // a second session and a twin
	names := need.Value(table.Strings("check"))(t)
	need.Equal(t, slices.Contains(names, fold.CopiesCompared), true)

	table = stagetest.MustRun(t, stage, inputs(func(m []fold.Member, together []string) {
		without(m)
		for of, with := range map[int]int{60: 4, 61: 9} {
			m[of].Fold = m[with].Fold
			together[of], together[with] = m[with].ID, m[with].ID
		}
	}))["checks"].(*encoding.Table)
	need.Equal(t, fmt.Sprint(codes()), "[copies.relatives copies.matrices]")
	need.Equal(t, table.Meta[column.SimilarScans], "")

	off := *stage
	off.Unrelated = 0
	_, err = stagetest.RunStage(t, &off, inputs(nil))
	need.Error(t, err, "leakage: 2 violations") // the same features
}

// Signals with one course of time decide where similarity leaves a doubt.
func TestTimeDecidesAboutCandidates(t *testing.T) {
	const volumes, regions = 160, 24
	noise := random.New(3, "noise")
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = noise.Normal()
		}
		return v
	}
	traced := func(input int, v []float64) *trace {
		x := meanTrace(encoding.NewArray(v, 1, volumes, regions))
		x.input = input
		return x
	}
	one := draw(volumes * regions)
	noisy := slices.Clone(one)
	for i, x := range draw(len(one)) { // below the limit among all pairs
		noisy[i] += x
	}
	pairs := make([]quality.CopyPair, 2)
	need.NoError(t, lock(pairs, [][2]int{{0, 1}, {0, 2}},
		[]*trace{traced(0, one), traced(1, noisy), traced(2, draw(len(one)))}))
	if m := traced(0, one).meet(traced(1, noisy)); m.r > 0.75 {
		t.Errorf("mean signals correlate %v, which all pairs are tested for", m.r)
	}
	need.Equal(t, fmt.Sprint(pairs[0].Locked, pairs[1].Locked), "true false")
}
