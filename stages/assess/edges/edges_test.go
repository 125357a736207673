package edges

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/role"
	"prgnn/stages/stagetest"
)

// An edgesOracle is the design of stages/inference/edgewise/testdata/oracle.py: 36 participants, 16 regions, Fisher z.
type edgesOracle struct {
	Edges, Design [][]float64
	Site, Family  []int
	T, Beta, P, Q []float64
	Interval      [][2]float64
	F             struct{ F, P []float64 }
	Flips         struct {
		Edges [][]float64
		T     []float64
	}
}

func readEdgesOracle(t *testing.T) (o edgesOracle) {
	t.Helper()
	b := need.Value(os.ReadFile("../../inference/edgewise/testdata/oracle.json"))(t)
	need.NoError(t, json.Unmarshal(b, &o))
	return o
}

// matrixOf is a matrix of 16 regions with these edges, in two draws of which the second is no data.
func matrixOf(z []float64, coords ...dag.Coord) dag.Input {
	const n = 16
	v := make([]float64, 2*n*n)
	e := 0
	for i := range n {
		v[i*n+i] = 1
		for j := i + 1; j < n; j++ {
			v[i*n+j], v[j*n+i] = z[e], z[e]
			e++
		}
	}
	for i := range n * n {
		v[n*n+i] = 99
	}
	return dag.InputOf(encoding.NewArray(v, 2, n, n), coords...)
}

func subject(i int) dag.Coord { return dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i)} }

// edgesInputs are those of the oracle.
func edgesInputs(o edgesOracle) map[string][]dag.Input {
	in := map[string][]dag.Input{}
	var ids, group, site, family []string
	for i, z := range o.Edges {
		in["matrices"] = append(in["matrices"], matrixOf(z, subject(i)))
		ids, group = append(ids, subject(i).Value), append(group, []string{"HC", "ASD"}[int(o.Design[0][i])])
		site, family = append(site, fmt.Sprint("site", o.Site[i])), append(family, fmt.Sprint("f", o.Family[i]))
	}
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "age", Values: o.Design[2]},
		encoding.Column{Name: "fd", Values: o.Design[3]}, encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "family", Values: family}))}
	return in
}

func edgesStage(more ...any) dag.Stage {
	return stagetest.Fresh("edges", append([]any{"transform", "none", "permutations", 199, "variance", "equal",
		"covariates", []any{"age", "fd", "site"}}, more...)...)
}

func edgeRows(t *testing.T, out dag.Outputs) ([]column.EdgeTestRow, column.EdgeSummaryRow) {
	t.Helper()
	rows := need.Value(column.Rows[column.EdgeTestRow](out["edges"].(*encoding.Table)))(t)
	return rows, need.Value(column.Rows[column.EdgeSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
}

func field(rows []column.EdgeTestRow, of func(column.EdgeTestRow) float64) (v []float64) {
	for _, r := range rows {
		v = append(v, of(r))
	}
	return v
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestEdges: groups with covariates equal statsmodels (oracle.py), within sites, with families and without.
func TestEdges(t *testing.T) {
	o := readEdgesOracle(t)
	for _, more := range [][]any{{"within", ""}, nil, {"within", "", "family", "family"}, {"family", "family"},
		{"covariates", []any{"age", "fd"}}} {
		out := stagetest.MustRun(t, edgesStage(more...), edgesInputs(o))
		rows, summary := edgeRows(t, out)
		near(t, "t", field(rows, func(r column.EdgeTestRow) float64 { return r.Statistic }), o.T)
		near(t, "estimate", field(rows, func(r column.EdgeTestRow) float64 { return r.Estimate }), o.Beta)
		near(t, "low", field(rows, func(r column.EdgeTestRow) float64 { return r.EstimateLow }),
			field(rows, func(r column.EdgeTestRow) float64 { return o.Interval[edgeAt(r)][0] }))
		near(t, "p", field(rows, func(r column.EdgeTestRow) float64 { return r.P }), o.P)
		near(t, "q", field(rows, func(r column.EdgeTestRow) float64 { return r.Q }), o.Q)
		if summary.Participants != 36 || summary.Degrees != 30 || summary.Edges != 120 ||
			!slices.Equal(summary.Groups, []string{"HC", "ASD"}) || !slices.Equal(summary.Counts, []int32{20, 16}) {
			t.Errorf("%v: summary %+v", more, summary)
		}
		if math.IsNaN(summary.VarianceRatio) != (len(more) > 0 && more[0] == "within") {
			t.Errorf("%v: ratio of variances %v", more, summary.VarianceRatio)
		}
		significant := 0
		for _, r := range rows {
			if r.PMax < r.PPermutation || r.Significant != (r.PMax < 0.05) {
				t.Errorf("%v: %+v", more, r)
			}
			if r.Significant {
				significant++
			}
		}
		connectome := out["significant"].(*encoding.Array).Float64s()
		regions := need.Value(column.Rows[column.RegionTestRow](out["regions"].(*encoding.Table)))(t)
		null := need.Value(column.Rows[column.EdgeNullRow](out["null"].(*encoding.Table)))(t)
		for k, r := range regions {
			mean, of, as := 0.0, int32(0), 1
			for _, e := range rows {
				if e.Source == r.Index || e.Target == r.Index {
					mean += math.Abs(e.Statistic) / 15
					if e.Significant {
						of++
						if v := connectome[(e.Source-1)*16+e.Target-1]; v != e.Statistic {
							t.Errorf("%v: %+v is %v in the connectome", more, e, v)
						}
					}
				}
			}
			for _, b := range null {
				if b.Region >= r.Score {
					as++
				}
			}
			if math.Abs(r.Score-mean) > 1e-12 || r.Significant != of || r.Edges != 15 || r.Rank != int32(k+1) ||
				k > 0 && r.Score > regions[k-1].Score || r.PMax != float64(as)/200 {
				t.Errorf("%v: region %+v, mean %v, %d significant", more, r, mean, of)
			}
		}
		if nonzero := len(connectome) - len(slices.DeleteFunc(slices.Clone(connectome), func(v float64) bool {
			return v != 0
		})); nonzero != 2*significant {
			t.Errorf("%v: %d entries of the connectome, %d significant edges", more, nonzero, significant)
		}
		if int(summary.Significant) != significant || significant < 3 {
			t.Errorf("%v: %d significant edges, the summary has %d", more, significant, summary.Significant)
		}
	}
}

// TestEdgesOfSites: a group that goes with the site is no effect on edges that depend on the site alone; the summary
// states the adjustment. A column that is tested, or has one value, is none.
func TestEdgesOfSites(t *testing.T) {
	o := readEdgesOracle(t)
	r := random.New(3, "edges of sites")
	for i := range o.Edges {
		o.Site[i], o.Design[0][i] = i%2, float64(i%2)
		if i%12 < 2 {
			o.Design[0][i] = 1 - o.Design[0][i]
		}
		for e := range o.Edges[i] {
			o.Edges[i][e] = 2*float64(o.Site[i]) + 0.3*r.Normal()
		}
	}
	in := edgesInputs(o)
	for _, c := range []struct {
		more []any
		want string
	}{
		{nil, "site [age fd site] false"},
		{[]any{"within", ""}, " [age fd] true"},
		{[]any{"test", "site"}, " [age fd] true"},
		{[]any{"within", "scanner"}, " [age fd] true"},
	} {
		_, summary := edgeRows(t, stagetest.MustRun(t, edgesStage(append([]any{"covariates", []any{"age", "fd"}},
			c.more...)...), in))
		need.Equal(t, fmt.Sprint(summary.Within, " ", summary.Covariates, " ", summary.Significant > 0), c.want, c.more)
	}
	for i := range o.Site {
		o.Site[i] = 0
	}
	_, summary := edgeRows(t, stagetest.MustRun(t, edgesStage("covariates", []any{"age"}), edgesInputs(o)))
	need.Equal(t, fmt.Sprint(summary.Within, summary.Covariates), "[age]", "one site")
}

func edgeAt(r column.EdgeTestRow) int {
	i, j := int(r.Source-1), int(r.Target-1)
	return i*(31-i)/2 + j - i - 1
}

// TestCohensD: without covariates, d is the difference of the means over the pooled SD, with the variance of Hedges and
// Olkin, and with that of each group.
func TestCohensD(t *testing.T) {
	o := readEdgesOracle(t)
	rows, summary := edgeRows(t, stagetest.MustRun(t, edgesStage("covariates", []any{}, "within", ""), edgesInputs(o)))
	by, _ := edgeRows(t, stagetest.MustRun(t, edgesStage("covariates", []any{}, "within", "", "variance", "unequal"),
		edgesInputs(o)))
	need.Equal(t, summary.Effect, "d")
	for e, r := range rows {
		var of [2][]float64
		for i, z := range o.Edges {
			g := int(o.Design[0][i])
			of[g] = append(of[g], z[e])
		}
		m0, s0 := column.MeanSD(of[0])
		m1, s1 := column.MeanSD(of[1])
		d := (m1 - m0) / math.Sqrt((19*s0*s0+15*s1*s1)/34)
		half := 1.959963984540054 * math.Sqrt(1.0/20+1.0/16+d*d/(2*34))
		near(t, "d", []float64{r.Effect, r.EffectLow, r.EffectHigh}, []float64{d, d - half, d + half})
		// Welch's: the variance of the difference is that of each mean.
		ratio := (s0*s0/20 + s1*s1/16) / ((19*s0*s0 + 15*s1*s1) / 34)
		half = 1.959963984540054 * math.Sqrt(ratio+d*d/(2*34))
		near(t, "d by group", []float64{by[e].Effect, by[e].EffectLow, by[e].EffectHigh},
			[]float64{d, d - half, d + half})
	}
}

// TestEdgesOfSeveralGroups: F of the sites.
func TestEdgesOfSeveralGroups(t *testing.T) {
	o := readEdgesOracle(t)
	out := stagetest.MustRun(t, edgesStage("test", "site", "covariates", []any{"age", "fd"}), edgesInputs(o))
	rows, summary := edgeRows(t, out)
	near(t, "F", field(rows, func(r column.EdgeTestRow) float64 { return r.Statistic }), o.F.F)
	near(t, "p", field(rows, func(r column.EdgeTestRow) float64 { return r.P }), o.F.P)
	for _, r := range rows {
		// Of an F far below its expectation both ends are 0 (Steiger 2004).
		if !(r.EffectLow <= r.Effect && (r.Effect <= r.EffectHigh || r.P > 0.975)) || !math.IsNaN(r.Estimate) {
			t.Errorf("%+v", r)
		}
	}
	need.Equal(t, summary.Statistic+" "+summary.Effect+" "+summary.Design, "F partial eta squared several groups")
}

// TestEdgesOfANumber: r of age is t of the model, and its interval that of Fisher's z.
func TestEdgesOfANumber(t *testing.T) {
	o := readEdgesOracle(t)
	rows, summary := edgeRows(t, stagetest.MustRun(t, edgesStage("test", "age", "covariates", []any{}, "within", ""),
		edgesInputs(o)))
	for e, r := range rows {
		y := lists.Map(o.Edges, func(z []float64) float64 { return z[e] })
		want := pearson(o.Design[2], y)
		near(t, "r", []float64{r.Effect, r.EffectLow, r.EffectHigh},
			[]float64{want, math.Tanh(math.Atanh(want) - 1.959963984540054/math.Sqrt(33)),
				math.Tanh(math.Atanh(want) + 1.959963984540054/math.Sqrt(33))})
	}
	need.Equal(t, summary.Effect, "partial r")
}

// pearson is the correlation by its definition.
func pearson(x, y []float64) float64 {
	mx, sx := column.MeanSD(x)
	my, sy := column.MeanSD(y)
	sum := 0.0
	for i := range x {
		sum += (x[i] - mx) / sx * (y[i] - my) / sy
	}
	return sum / float64(len(x)-1)
}

// TestEdgesOfSessions: the change between two sessions, each the mean of two runs, adjusted for the change of motion.
func TestEdgesOfSessions(t *testing.T) {
	o := readEdgesOracle(t)
	in := map[string][]dag.Input{"participants": edgesInputs(o)["participants"]}
	scan := func(i int, ses, run string, of int, less float64) {
		z := slices.Clone(o.Edges[of])
		for e := range z {
			z[e] += less
		}
		coords := []dag.Coord{subject(i), {Axis: "session", Value: ses}, {Axis: "run", Value: run}}
		in["matrices"] = append(in["matrices"], matrixOf(z, coords...))
		in["cleaning"] = append(in["cleaning"],
			dag.InputOf(column.Table([]column.CleaningRow{{MeanFD: o.Design[3][of]}}),
				coords...))
	}
	for i := range 18 {
		for _, run := range []string{"1", "2"} {
			less := map[string]float64{"1": -0.1, "2": 0.1}[run]
			scan(i, "01", run, i+18, less)
			scan(i, "02", run, i, less)
		}
	}
	scan(20, "01", "1", 20, 0) // has no second session
	scan(1, "03", "1", 5, 0)   // of no session that is asked for
	out := stagetest.MustRun(t, edgesStage("test", "session", "sessions", []any{"ses-01", "02"}, "covariates",
		[]any{"mean_fd"}), in)
	rows, summary := edgeRows(t, out)
	var want []float64 // the intercept over its standard error, by the normal equations: at no change of motion
	for e := range rows {
		var n, sx, sxx, sy, sxy, rss float64
		x := func(i int) float64 { return o.Design[3][i] - o.Design[3][i+18] }
		y := func(i int) float64 { return o.Edges[i][e] - o.Edges[i+18][e] }
		for i := range 18 {
			n, sx, sxx, sy, sxy = n+1, sx+x(i), sxx+x(i)*x(i), sy+y(i), sxy+x(i)*y(i)
		}
		det := n*sxx - sx*sx
		constant, slope := (sxx*sy-sx*sxy)/det, (n*sxy-sx*sy)/det
		for i := range 18 {
			r := y(i) - constant - slope*x(i)
			rss += r * r
		}
		want = append(want, constant/math.Sqrt(rss/16*sxx/det))
	}
	near(t, "t", field(rows, func(r column.EdgeTestRow) float64 { return r.Statistic }), want)
	// one mean_fd of a participant is no change
	mean := map[string][]dag.Input{"matrices": in["matrices"], "cleaning": in["cleaning"]}
	table := need.Value(in["participants"][0].Table())(t)
	mean["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(append(slices.Clip(table.Columns),
		encoding.Column{Name: "mean_fd", Values: slices.Repeat([]float64{0.1}, table.Rows())})...))}
	stage := func() dag.Stage {
		return edgesStage("test", "session", "sessions", []any{"ses-01", "02"}, "covariates", []any{"mean_fd"})
	}
	rows, _ = edgeRows(t, stagetest.MustRun(t, stage(), mean))
	near(t, "t", field(rows, func(r column.EdgeTestRow) float64 { return r.Statistic }), want)
	delete(mean, "cleaning")
	_, err := stagetest.RunStage(t, stage(), mean)
	need.Error(t, err, "one mean_fd for both sessions, but a change is adjusted for the change of mean_fd: connect cleaning")
	if !slices.Equal(summary.Left, []string{"sub-20"}) || summary.Participants != 18 {
		t.Errorf("summary %+v", summary)
	}
	size := map[string]int{} // of whom both sessions are tested, as one
	for i := range 18 {
		size[[]string{"HC", "ASD"}[int(o.Design[0][i])]]++
	}
	pooled := func(out dag.Outputs) (all []string) {
		for _, f := range need.Value(finding.Of(out["summary"].(*encoding.Table).Meta))(t) {
			if f.Code == finding.GroupsPooled {
				all = append(all, fmt.Sprint(f.Weight, f.Values()["Groups"]))
			}
		}
		return all
	}
	need.Equal(t, fmt.Sprint(pooled(out)), fmt.Sprintf("[limits [map[N:%d Name:ASD] map[N:%d Name:HC]]]", size["ASD"],
		size["HC"]))
	one := slices.Repeat([]string{"HC"}, table.Rows())
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id",
		Values: need.Value(table.Strings("participant_id"))(t)}, encoding.Column{Name: "group", Values: one}))}
	need.Equal(t, len(pooled(stagetest.MustRun(t, stage(), in))), 0)
	// group × session: the difference between the groups of the change
	in["participants"] = edgesInputs(o)["participants"]
	out = stagetest.MustRun(t, edgesStage("test", "group", "sessions", []any{"01", "02"}, "within", ""), in)
	_, summary = edgeRows(t, out)
	need.Equal(t, fmt.Sprint(pooled(out), summary.Design, summary.Sessions, summary.Counts),
		fmt.Sprintf("[]groups[01 02] [%d %d]", size["HC"], size["ASD"]))
}

// TestEdgesLeftOut: edges of a region that a participant lacks, and constant ones, are not tested and do not change the
// others.
func TestEdgesLeftOut(t *testing.T) {
	o := readEdgesOracle(t)
	for i := range o.Edges {
		o.Edges[i][0] = 0.5
	}
	for j := range 15 { // region 16 of sub-03
		o.Edges[3][edgeAt(column.EdgeTestRow{Source: int32(j + 1), Target: 16})] = 0
	}
	rows, summary := edgeRows(t, stagetest.MustRun(t, edgesStage(), edgesInputs(o)))
	if summary.MissingEdges != 15 || summary.ConstantEdges != 1 || summary.Edges != 104 ||
		!slices.Equal(summary.LackedRegions, []int32{16}) {
		t.Errorf("summary %+v", summary)
	}
	for e, r := range rows {
		if lacks := r.Target == 16 || e == 0; math.IsNaN(r.Statistic) != lacks || !lacks &&
			math.Abs(r.Statistic-o.T[e]) > 1e-9 {
			t.Errorf("%+v, t %v", r, o.T[e])
		}
	}
}

// A covariate that stands for the group is refused by the rule of deconfound, and one that is closely tied to it is a
// caution.
func TestEdgesOfACovariateThatStandsForTheGroup(t *testing.T) {
	o := readEdgesOracle(t)
	run := func(apart float64, more ...any) (dag.Outputs, error) {
		in := edgesInputs(o)
		table := need.Value(in["participants"][0].Table())(t)
		group := need.Value(table.Strings("group"))(t)
		dose := make([]float64, len(group))
		for i, g := range group {
			if dose[i] = float64(i * 7 % 36); g == "ASD" {
				dose[i] += apart
			}
		}
		table.Columns = append(slices.Clone(table.Columns), encoding.Column{Name: "dose", Values: dose})
		in["participants"] = []dag.Input{dag.InputOf(table)}
		return stagetest.RunStage(t, edgesStage(append([]any{"covariates", []any{"dose"}}, more...)...), in)
	}
	_, err := run(100)
	need.Error(t, err, "covariates: dose stands for the group (AUC 1.000, refused from 0.95)")
	_, err = run(100, "test", "fd")
	need.NoError(t, err)
	for apart, caution := range map[float64]bool{18: true, 0: false} {
		out, err := run(apart)
		need.NoError(t, err)
		found := need.Value(finding.Of(out["summary"].(*encoding.Table).Meta))(t)
		need.Equal(t, len(found) == 1 && found[0].Code == "edges.tied", caution, apart, found)
	}
}

// A participant who is alone in a category contributes nothing, two of a category decide its coefficient, and
// covariates can explain the groups together: each is a caution.
func TestEdgesOfInfluentialParticipants(t *testing.T) {
	o := readEdgesOracle(t)
	for _, c := range []struct {
		few  int
		code string
	}{{1, "edges.alone"}, {2, "edges.influential"}, {3, ""}} {
		in := edgesInputs(o)
		table := need.Value(in["participants"][0].Table())(t)
		ids := need.Value(table.Strings("participant_id"))(t)
		coil := slices.Repeat([]string{"32"}, len(ids))
		var names []string
		for i := range c.few {
			coil[2*i] = "64"
			names = append(names, ids[2*i])
		}
		table.Columns = append(slices.Clone(table.Columns), encoding.Column{Name: "coil", Values: coil})
		in["participants"] = []dag.Input{dag.InputOf(table)}
		out := stagetest.MustRun(t, edgesStage("covariates", []any{"coil"}), in)
		found := need.Value(finding.Of(out["summary"].(*encoding.Table).Meta))(t)
		if c.code == "" {
			need.Equal(t, len(found), 0, found)
			continue
		}
		need.Equal(t, len(found), 1, found)
		need.Equal(t, found[0].Code, c.code)
		need.Equal(t, fmt.Sprint(found[0].Subject.Participants), fmt.Sprint(names))
	}
	in := edgesInputs(o)
	table := need.Value(in["participants"][0].Table())(t)
	ids := need.Value(table.Strings("participant_id"))(t)
	score := make([]float64, len(ids)) // of which one participant has most of the sum of squares
	for i := range score {
		score[i] = float64(i % 5)
	}
	score[3] = 95
	table.Columns = append(slices.Clone(table.Columns), encoding.Column{Name: "score", Values: score})
	in["participants"] = []dag.Input{dag.InputOf(table)}
	summary := stagetest.MustRun(t, edgesStage("test", "score"), in)["summary"].(*encoding.Table)
	decided := need.Value(finding.Of(summary.Meta))(t)
	need.Equal(t, len(decided), 1, decided)
	need.Equal(t, fmt.Sprint(decided[0].Code, " ", decided[0].Weight, decided[0].Subject.Participants),
		"edges.decided overturns ["+ids[3]+"]")
	in = edgesInputs(o)
	table = need.Value(in["participants"][0].Table())(t)
	group := need.Value(table.Strings("group"))(t)
	first, second := make([]float64, len(group)), make([]float64, len(group))
	for i, g := range group { // their difference is the group, and noise hides it in each
		noise := float64(i * 7 % 36)
		if first[i], second[i] = noise, noise+float64(i%3)/10; g == "ASD" {
			second[i]++
		}
	}
	table.Columns = append(slices.Clone(table.Columns), encoding.Column{Name: "first", Values: first},
		encoding.Column{Name: "second", Values: second})
	in["participants"] = []dag.Input{dag.InputOf(table)}
	out := stagetest.MustRun(t, edgesStage("covariates", []any{"first", "second"}), in)
	found := need.Value(finding.Of(out["summary"].(*encoding.Table).Meta))(t)
	need.Equal(t, len(found) == 1 && found[0].Code == "edges.explained", true, found)
}

func TestEdgesRefuse(t *testing.T) {
	o := readEdgesOracle(t)
	with := func(change func(map[string][]dag.Input)) map[string][]dag.Input {
		in := edgesInputs(o)
		change(in)
		return in
	}
	participants := func(name string, values any) map[string][]dag.Input {
		return with(func(in map[string][]dag.Input) {
			table := need.Value(in["participants"][0].Table())(t)
			table.Columns = append(slices.DeleteFunc(slices.Clone(table.Columns), func(c encoding.Column) bool {
				return c.Name == name
			}), encoding.Column{Name: name, Values: values})
			in["participants"] = []dag.Input{dag.InputOf(table)}
		})
	}
	ages := slices.Clone(o.Design[2])
	ages[7] = math.NaN()
	of := func(a, b string) (v []string) {
		for _, s := range o.Site {
			v = append(v, map[bool]string{true: a, false: b}[s == 0])
		}
		return v
	}
	bySite := lists.Map(o.Site, func(s int) string { return fmt.Sprint("g", min(s, 1)) })
	for _, c := range []struct {
		name  string
		stage dag.Stage
		in    map[string][]dag.Input
		want  string
	}{
		{"a missing covariate", edgesStage(), participants("age", ages), "no value of age for sub-07"},
		{"a group within sites", edgesStage("within", "site", "covariates", []any{"age"}), participants("group", bySite),
			"site stands for group whatever the covariates are: include values of site with several of group, or set within: \"\""},
		{"a group that is a site", edgesStage(), participants("group", of("A", "B")), "site stands for the group"},
		{"one group", edgesStage(), participants("group", of("A", "A")), "nothing to compare"},
		{"Fisher's z twice", edgesStage("transform", "fisher"), with(func(in map[string][]dag.Input) {
			z := slices.Clone(o.Edges[2])
			z[4] = 1.5
			in["matrices"][2] = matrixOf(z, subject(2))
		}), "correlations are at most 1"},
		{"another atlas", edgesStage(), with(func(in map[string][]dag.Input) {
			in["matrices"][2] = dag.InputOf(encoding.NewArray(make([]float64, 9), 1, 3, 3), subject(2))
		}), "3 regions"},
		{"not finite", edgesStage(), with(func(in map[string][]dag.Input) {
			z := slices.Clone(o.Edges[2])
			z[4] = math.Inf(1)
			in["matrices"][2] = matrixOf(z, subject(2))
		}), "nodes 1 and 6"},
		{"two settings", edgesStage(), with(func(in map[string][]dag.Input) {
			for i := range in["matrices"] {
				in["matrices"][i] = matrixOf(o.Edges[i], subject(i), dag.Coord{Axis: "strategy",
					Value: fmt.Sprint(i % 2)})
			}
		}), "several settings"},
		{"an identifier", edgesStage("covariates", []any{"participant_key"}), participants("participant_key",
			slices.Collect(func(yield func(string) bool) {
				for i := range 36 {
					yield(fmt.Sprint("x", i))
				}
			})), "identifies participants"},
		{"sessions that are averaged", edgesStage("test", "session", "sessions", []any{"01", "02"}), edgesInputs(o),
			"leave out sessions"},
		{"one session alone", edgesStage("test", "session", "sessions", []any{"01", "02"}, "covariates", []any{"age"}),
			with(func(in map[string][]dag.Input) {
				for i := range in["matrices"] {
					at := dag.Coord{Axis: "session", Value: map[bool]string{true: "01", false: "02"}[i > 0]}
					in["matrices"][i] = matrixOf(o.Edges[i], subject(i), at)
				}
			}), "0 participants with matrices of the sessions 01 and 02, age: too few to test; only one of the sessions: sub-00,"},
		{"few values", edgesStage("missing", "skip"), participants("age", slices.Repeat([]float64{math.NaN()}, 36)),
			"0 participants with matrices, group, age, fd, site: too few to test; without a value: sub-00,"},
		{"a constant", edgesStage("test", "age", "covariates", []any{"fd"}),
			participants("age", slices.Repeat([]float64{30}, 36)), "all participants have age 30: nothing to compare"},
		{"a constant alone", edgesStage("test", "age", "covariates", []any{}),
			participants("age", slices.Repeat([]float64{30}, 36)), "all participants have age 30: nothing to compare"},
	} {
		_, err := stagetest.RunStage(t, c.stage, c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// Without covariates, sites that have one group each leave nothing to test, and a caution states why.
	untested := stagetest.MustRun(t, edgesStage("covariates", []any{}), participants("group", bySite))
	for name, value := range untested {
		if table, ok := value.(*encoding.Table); ok {
			need.Equal(t, table.Rows(), 0, name)
		} else {
			need.Equal(t, math.IsNaN(value.(*encoding.Array).Float64s()[1]), true, name)
		}
	}
	found := need.Value(finding.Of(untested["summary"].(*encoding.Table).Meta))(t)
	need.Equal(t, len(found) == 1 && found[0].Code == "edges.untested", true, found)
	out := stagetest.MustRun(t, edgesStage("missing", "skip"), participants("age", ages))
	if _, summary := edgeRows(t, out); !slices.Equal(summary.Left, []string{"sub-07"}) || summary.Participants != 35 {
		t.Errorf("missing: skip left out %v", summary.Left)
	}
}

// Tests over participants wait for the checks that no two of them are one, as accuracies do.
func TestTestsWaitForChecks(t *testing.T) {
	for _, name := range []string{"edges", "reliability"} {
		need.Equal(t, role.Port(stagetest.Fresh(name), role.Checks), fold.LeakagePort().Name, name)
	}
}
