package edges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/inference/edgewise"
	"prgnn/stages/role"
)

var edgesKind = dag.Kind{
	Name: "edges",
	Doc: "which edges differ: a linear model of each edge, with permutation tests\n" +
		"Tests each pair of regions over all participants: two groups (t), several groups (F), a number, or the change between two sessions, adjusted for covariates. Permutations of the residuals (Freedman and Lane 1983; Winkler et al. 2014), within sites, which the model adjusts for, and by whole families if the file states them, give p corrected over the edges: by the largest statistic (max-t), of components of edges (nbs; Zalesky et al. 2010) and threshold-free (tfnbs; Baggio et al. 2018); bh is the false discovery rate. A participant counts once: draw 0, the mean over runs. The result is of all participants, so no classifier of the same participants may use it: such a connection is refused.",
	New: func() dag.Stage {
		return &Edges{Missing: "refuse", Within: "site", Variance: unequal, Correction: "max-t", Size: "edges",
			Tail: string(edgewise.Both), Transform: "fisher", Exponent: edgewise.Usual.E,
			Height: edgewise.Usual.H, Step: edgewise.Usual.Step, Permutations: 4999}
	},

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 64 << 20, Each: 150e3}.For,
}

var (
	_ role.PortUser = (*Edges)(nil)
	_ role.Tester   = (*Edges)(nil)
	_ role.Reader   = (*Edges)(nil)
)

// Edges tests edges over participants.
type Edges struct {
	Test         string    `param:"test" doc:"column of the participants to test: groups, or a number; session: the change between two sessions; by default what the study predicts"`
	Positive     string    `param:"positive" doc:"of two groups, the one whose larger edges have t above 0; by default the one that evaluate has by default, so set it in both"`
	Sessions     []string  `param:"sessions" doc:"two sessions: edges are the change from the first to the second"`
	Covariates   []string  `param:"covariates" doc:"columns of the participants to adjust for, such as [age, sex, site, mean_fd]: numbers linearly, texts as categories. mean_fd comes from cleaning where it is connected and the table has no such column; with sessions it is the change of mean_fd, always from cleaning."`
	Missing      string    `param:"missing" doc:"a participant without a covariate: refuse, or skip the participant" choices:"refuse|skip"`
	Within       string    `param:"within" doc:"permute within the values of this column, if it exists and is not tested, and adjust for them: participants of different sites are not exchangeable. The change between two sessions is tested by its sign, within each participant"`
	Family       string    `param:"family" doc:"column of families, which are exchanged as wholes with families of the same size, and whose members are exchanged"`
	Variance     string    `param:"variance" doc:"of the residuals: unequal, each group has its own (Welch's t; of several groups Johansen's F), and with a number each participant (White's score test); equal, all have one (Student's t, F), as in NBS and by default in PALM" choices:"unequal|equal"`
	Correction   string    `param:"correction" doc:"the test, chosen in advance: max-t, family-wise error of each edge; bh or bh-permutation, false discovery rate of the parametric p or of the permutation p; nbs, family-wise error of components, without a claim about an edge; tfnbs. The tables have all of them" choices:"max-t|bh|bh-permutation|nbs|tfnbs"`
	Threshold    []float64 `param:"threshold" doc:"nbs: statistic above which edges form components; of several, the first is the test and the others are descriptive; by default that of two-sided p = 0.001" min:"0"`
	Size         string    `param:"size" doc:"nbs: size of a component, its number of edges or its intensity, the sum of the statistic above the threshold" choices:"edges|intensity"`
	Tail         string    `param:"tail" doc:"nbs: components of edges with |t|, t (right) or −t (left) above the threshold" choices:"both|right|left"`
	Exponent     float64   `param:"tfnbs_e" doc:"tfnbs: exponent of the size" min:"0" max:"10"`
	Height       float64   `param:"tfnbs_h" doc:"tfnbs: exponent of the height" min:"0" max:"10"`
	Step         float64   `param:"tfnbs_step" doc:"tfnbs: distance between heights" min:"0.01" max:"10"`
	Transform    string    `param:"transform" doc:"of the matrices: fisher, z = atanh r (|r| at most 0.9999999); none, if they are z already, or are not correlations" choices:"fisher|none"`
	Permutations int       `param:"permutations" doc:"number of permutations" min:"99" max:"1000000"`
	Seed         uint64    `param:"seed" doc:"of the permutations"`
}

// UsesPorts are the inputs that take one setting of each participant, and the checks: a test over participants assumes
// that no two of them are one.
func (*Edges) UsesPorts() []role.PortUse {
	return fold.AfterChecks(role.OneSettingOf("matrices", "cleaning")...)
}

func (*Edges) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's matrices, of several runs or sessions too"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "what is tested, and the covariates"},
			{Name: "nodes", Type: dag.Arrow("index"), Optional: true, Doc: "the node list, for the names of the regions"},
			{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for the same: mean_fd as a covariate"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "edges", Type: column.Type[column.EdgeTestRow](), Doc: "one row per edge"},
			{Name: "components", Type: column.Type[column.ComponentRow](), Doc: "one row per component of edges above a threshold"},
			{Name: "null", Type: column.Type[column.EdgeNullRow](), Doc: "one row per permutation"},
			{Name: "summary", Type: column.Type[column.EdgeSummaryRow](), Doc: "one row: the test and its result"},
			{Name: "statistic", Type: dag.NPY("<f8", "roi", "roi"), Doc: "t or F of each edge; NaN where it is not tested"},
			{Name: "significant", Type: dag.NPY("<f8", "roi", "roi"), Doc: "the same for significant edges, and 0 for all others: the connectome for other programs"},
			{Name: "regions", Type: column.Type[column.RegionTestRow](), Doc: "one row per region, by rank: its edges combined; saliency makes an image of it"},
		},
	}
}

// session is the value of the parameter test for a change between two sessions, and unequal that of variance for one
// of each group, or of each participant.
const session, unequal = "session", "unequal"

func (s *Edges) Validate() (wrong []error) {
	if len(s.Sessions) != 0 && (len(s.Sessions) != 2 || s.Sessions[0] == s.Sessions[1]) {
		wrong = append(wrong, fmt.Errorf("sessions: name two sessions, the earlier one first; there are %d", len(s.Sessions)))
	}
	if s.Test == session && len(s.Sessions) == 0 {
		wrong = append(wrong, errors.New("test: session tests the change between two sessions: name them by sessions: [01, 02]"))
	}
	for i, name := range s.Covariates {
		switch {
		case name == s.Test || name == "participant_id":
			wrong = append(wrong, fmt.Errorf("covariates: %s is not a covariate of this test", name))
		case slices.Contains(s.Covariates[:i], name):
			wrong = append(wrong, fmt.Errorf("covariates: %s is listed twice", name))
		}
	}
	if s.Family != "" && s.Correction == "bh" {
		wrong = append(wrong, errors.New("correction: bh is of the parametric p, which counts relatives as independent "+
			"participants: with family, set correction: bh-permutation or max-t"))
	}
	for i, x := range s.Threshold {
		if x == 0 || slices.Contains(s.Threshold[:i], x) {
			wrong = append(wrong, fmt.Errorf("threshold: %v is no threshold, or is listed twice", x))
		}
	}
	return wrong
}

// TestFold is none: the result is of all participants. So whatever is made of it tests nobody.
func (*Edges) TestFold() (repeat, fold int) { return 0, 0 }

// ReadsParticipants are the columns that its parameters name.
func (s *Edges) ReadsParticipants() (read []role.Reading) {
	if s.Test != session {
		read = append(read, role.Reading{Parameter: "test", Name: s.Test, Needed: true},
			role.Reading{Parameter: "within", Name: s.Within, Categories: true, Permutes: s.Missing != "skip"})
	}
	read = append(read, role.Reading{Parameter: "family", Name: s.Family, Needed: true})
	if s.Test == "" {
		read = append(read, role.Reading{Parameter: "positive", Name: s.Positive, Group: true})
	}
	for _, name := range s.Covariates {
		read = append(read, role.Reading{Parameter: "covariates", Name: name, Needed: name != meanFD,
			Motion: name == meanFD, OfChange: name == meanFD && len(s.Sessions) > 0})
	}
	return read
}

func (s *Edges) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	data, err := s.read(t, t.All("matrices"))
	if err != nil {
		return nil, err
	}
	study, err := s.study(t, data)
	if err != nil {
		return nil, err
	}
	model, err := edgewise.NewModel(study.design, len(study.ids))
	if errors.Is(err, edgewise.ErrNotEstimable) && study.within != "" && len(s.Covariates) == 0 {
		return study.untested(), nil // the stage is in built-in files for any cohort
	}
	if err != nil {
		return nil, study.refuse(err)
	}
	study.influence(model)
	draw, err := study.permutations(s)
	if err != nil {
		return nil, err
	}
	net, places := study.edges(data)
	if len(places) == 0 {
		return nil, errors.New("no edge varies and is there in all participants: are these connectivity matrices?")
	}
	fit := model.Fit(study.values, len(places), t.Threads)
	study.values = nil // they are the residuals now
	o := edgewise.Options{Permutations: s.Permutations, Draw: draw, Tail: edgewise.Tail(s.Tail), Threads: t.Threads,
		Thresholds: s.Threshold, Free: edgewise.ThresholdFree{E: s.Exponent, H: s.Height, Step: s.Step}}
	if model.Tested > 1 {
		o.Tail = edgewise.Right
	}
	if len(o.Thresholds) == 0 {
		o.Thresholds = []float64{inference.StudentT(0.001, model.Degrees)}
		if model.Tested > 1 {
			o.Thresholds[0] = inference.VarianceRatio(0.001, model.Tested, model.Degrees)
		}
	}
	o.Done = func(n int) { t.Progress(n, s.Permutations, "permutations") }
	o.Stop = ctx.Err
	null, err := fit.Permute(net, o)
	if err != nil {
		return nil, err
	}
	result := edgeResult{s, study, fit, net, null, o, places}
	rows, components := result.rows()
	names, err := nameEdges(t, rows, data.regions)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"edges":      column.Table(rows),
		"components": column.Table(components),
		"null":       column.Table(result.nullRows()),
		"summary":    result.summary(rows, components),
		"statistic":  result.matrix(rows, math.NaN(), func(r column.EdgeTestRow) float64 { return r.Statistic }),
		"significant": result.matrix(rows, 0, func(r column.EdgeTestRow) float64 {
			if r.Significant {
				return r.Statistic
			}
			return 0
		}),
		"regions": column.Table(result.regions(rows, names)),
	}, nil
}

// nameEdges gives the regions their names, where the node list is connected.
func nameEdges(t *dag.Task, rows []column.EdgeTestRow, regions int) ([]string, error) {
	names, err := column.NodeNames(t)
	if err != nil || names == nil {
		return nil, err
	}
	if len(names) != regions {
		return nil, fmt.Errorf("%s: %d nodes, but matrices of %d regions", t.In("nodes").Name, len(names), regions)
	}
	for i := range rows {
		rows[i].SourceName, rows[i].TargetName = names[rows[i].Source-1], names[rows[i].Target-1]
	}
	return names, nil
}

// An edgeResult is a test and what came out.
type edgeResult struct {
	*Edges
	study  *edgeStudy
	fit    *edgewise.Fit
	net    *edgewise.Network
	null   *edgewise.Null
	o      edgewise.Options
	places []int // of the edges that were tested, among all pairs
}

// rows are those of all pairs of regions, and of the components.
func (r *edgeResult) rows() (rows []column.EdgeTestRow, components []column.ComponentRow) {
	f := r.fit
	n := r.study.regions
	none := math.NaN()
	for i := range n {
		for j := i + 1; j < n; j++ {
			rows = append(rows, column.EdgeTestRow{Source: int32(i + 1), Target: int32(j + 1), Statistic: none,
				Estimate: none, EstimateLow: none, EstimateHigh: none, Effect: none, EffectLow: none, EffectHigh: none,
				P: none, Q: none, PPermutation: none, QPermutation: none, PMax: none, TFNBS: none, PTFNBS: none})
		}
	}
	q, byPermutation := inference.FDR(f.P), r.null.Uncorrected(f.Statistic)
	qByPermutation := inference.FDR(byPermutation)
	largest := edgewise.Corrected(f.Statistic, r.null.Largest)
	free := r.net.Enhanced(f.Heights(f.Statistic), r.o.Free)
	pFree := edgewise.Corrected(free, r.null.Free)
	components, of := r.components()
	for k, at := range r.places {
		row := &rows[at]
		if math.IsNaN(f.Statistic[k]) {
			continue
		}
		row.Statistic, row.P, row.Q = f.Statistic[k], f.P[k], q[k]
		row.PPermutation, row.QPermutation, row.PMax = byPermutation[k], qByPermutation[k], largest[k]
		row.TFNBS, row.PTFNBS, row.Component = free[k], pFree[k], of[k]
		row.Estimate = f.Beta[k]
		row.EstimateLow, row.EstimateHigh = f.Beta[k]-f.Half[k], f.Beta[k]+f.Half[k]
		row.Effect, row.EffectLow, row.EffectHigh = r.effect(k)
		p := r.corrected(row)
		if r.Correction == "nbs" {
			row.Significant = row.Component > 0 && slices.ContainsFunc(components, func(c column.ComponentRow) bool {
				return c.Significant && c.Component == row.Component
			})
		} else {
			row.Significant = inference.Significant(p)
		}
	}
	return rows, components
}

// corrected is p or q of an edge by the correction of the file; NaN of nbs, which is of components.
func (r *edgeResult) corrected(row *column.EdgeTestRow) float64 {
	switch r.Correction {
	case "bh":
		return row.Q
	case "bh-permutation":
		return row.QPermutation
	case "tfnbs":
		return row.PTFNBS
	case "nbs":
		return math.NaN()
	}
	return row.PMax
}

// effect is the standardized effect size of a tested edge with its 95% interval: Cohen's d, the estimate over the SD
// of the residuals, with the large-sample variance of Hedges and Olkin (1985, section 5.E), in which the variance of
// the estimate over that of the residuals stands for 1/n₁ + 1/n₂; partial r with that of Fisher's z; or partial η².
func (r *edgeResult) effect(k int) (v, low, high float64) {
	const z = 1.959963984540054
	f, df := r.fit, float64(r.fit.Degrees)
	t := f.Statistic[k]
	switch r.study.kind {
	case severalGroups:
		ratio := float64(float64(f.Tested) * f.Usual[k])
		low, high = inference.ExplainedInterval(f.Usual[k], f.Tested, f.Degrees)
		return ratio / (ratio + df), low, high
	case number:
		v = math.Copysign(math.Sqrt(f.Usual[k]/(f.Usual[k]+df)), t)
		if f.Degrees < 2 {
			return v, math.NaN(), math.NaN()
		}
		center, half := exact.Atanh(v), z/math.Sqrt(df-1)
		if f.Beta[k] != 0 { // the standard error over that of one variance
			half *= f.SE[k] * math.Sqrt(f.Usual[k]) / math.Abs(f.Beta[k])
		}
		return v, exact.Tanh(center - half), exact.Tanh(center + half)
	}
	v = f.Beta[k] / f.SD[k]
	se := f.SE[k] / f.SD[k]
	half := float64(z * math.Sqrt(float64(se*se)+float64(v*v)/(2*df)))
	return v, v - half, v + half
}

// components are those of all thresholds, and that of each edge at the first one.
func (r *edgeResult) components() (rows []column.ComponentRow, of []int32) {
	for i, threshold := range r.o.Thresholds {
		all, member := r.net.Components(r.fit.Statistic, threshold, r.o.Tail)
		if i == 0 {
			of = member
		}
		for k, c := range all {
			row := column.ComponentRow{Threshold: threshold, Tested: i == 0, Component: int32(k + 1),
				Edges: int32(c.Extent), Intensity: c.Intensity,
				P:          edgewise.Corrected([]float64{c.Extent}, r.null.Extent[i])[0],
				PIntensity: edgewise.Corrected([]float64{c.Intensity}, r.null.Intensity[i])[0]}
			for _, region := range c.Regions {
				row.Nodes = append(row.Nodes, region+1)
			}
			row.Significant = row.Tested && inference.Significant(r.ofComponent(row))
			rows = append(rows, row)
		}
	}
	return rows, of
}

// ofComponent is p of the measure of the file.
func (s *Edges) ofComponent(c column.ComponentRow) float64 {
	if s.Size == "intensity" {
		return c.PIntensity
	}
	return c.P
}

func (r *edgeResult) nullRows() []column.EdgeNullRow {
	rows := make([]column.EdgeNullRow, len(r.null.Largest))
	for b := range rows {
		rows[b] = column.EdgeNullRow{Permutation: int32(b + 1), Largest: r.null.Largest[b],
			Edges: int32(r.null.Extent[0][b]), Intensity: r.null.Intensity[0][b], TFNBS: r.null.Free[b],
			Region: r.null.Region[b]}
	}
	return rows
}

// matrix has a value of each edge, and another on its diagonal.
func (r *edgeResult) matrix(rows []column.EdgeTestRow, diagonal float64, value func(column.EdgeTestRow) float64,
) *encoding.Array {
	n := r.study.regions
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = diagonal
	}
	for _, row := range rows {
		i, j := int(row.Source-1), int(row.Target-1)
		x := value(row)
		v[i*n+j], v[j*n+i] = x, x
	}
	return encoding.NewArray(v, n, n)
}

// regions are the tests of the edges of each region together, by rank.
func (r *edgeResult) regions(edges []column.EdgeTestRow, names []string) []column.RegionTestRow {
	rows := make([]column.RegionTestRow, r.study.regions)
	scores := r.fit.Regions(r.net)
	p := edgewise.Corrected(scores, r.null.Region)
	for i := range rows {
		rows[i] = column.RegionTestRow{Index: int32(i + 1), Score: scores[i], PMax: p[i]}
		if names != nil {
			rows[i].Name = names[i]
		}
	}
	for _, e := range edges {
		for _, i := range []int32{e.Source - 1, e.Target - 1} {
			if !math.IsNaN(e.Statistic) {
				rows[i].Edges++
			}
			if e.Significant {
				rows[i].Significant++
			}
		}
	}
	for i := range rows {
		if rows[i].Edges == 0 {
			rows[i].Score, rows[i].PMax = math.NaN(), math.NaN()
		}
	}
	slices.SortStableFunc(rows, func(a, b column.RegionTestRow) int { return cmp.Compare(b.Score, a.Score) })
	for i := range rows {
		rows[i].Rank = int32(i + 1)
	}
	return rows
}

func (r *edgeResult) summary(rows []column.EdgeTestRow, components []column.ComponentRow) *encoding.Table {
	st, f := r.study, r.fit
	row := column.EdgeSummaryRow{Test: st.test, Design: st.kind, Statistic: "t", Effect: "d", Groups: st.groups,
		Counts: st.counts, Sessions: r.Sessions, Covariates: st.covariates, Participants: int32(len(st.ids)),
		Left: st.left, Degrees: int32(f.Degrees), MissingEdges: int32(st.missing), ConstantEdges: int32(st.constant),
		LackedRegions: st.lacked, Within: st.within, Family: r.Family, VarianceRatio: st.varianceRatio(f),
		Permutations: int32(r.Permutations), Correction: r.Correction, Size: r.Size, Tail: string(r.o.Tail),
		Threshold: r.o.Thresholds[0], Thresholds: r.o.Thresholds, LeastP: math.NaN()}
	switch st.kind {
	case severalGroups:
		row.Statistic, row.Effect = "F", "partial eta squared"
	case number:
		row.Effect = "partial r"
	}
	for _, i := range f.Dropped {
		row.Dropped = append(row.Dropped, st.terms[i])
	}
	least := func(p float64) {
		if !(row.LeastP <= p) && !math.IsNaN(p) {
			row.LeastP = p
		}
	}
	for i := range rows {
		if e := &rows[i]; !math.IsNaN(e.Statistic) {
			row.Edges++
			least(r.corrected(e))
			if e.Significant {
				row.Significant++
			}
		}
	}
	row.ConstantEdges += int32(len(r.places)) - row.Edges // what the covariates explain
	for _, c := range components {
		if c.Significant {
			row.Components++
		}
		if c.Tested && r.Correction == "nbs" {
			least(r.ofComponent(c))
		}
	}
	st.unequalGroups(f)
	table := column.Table([]column.EdgeSummaryRow{row})
	if found := finding.Written(st.found); found != "" {
		table.Meta = map[string]string{finding.Meta: found}
	}
	return table
}

// untested are tables without rows, and the reason: the blocks determine what is tested, as sites with one group each.
func (st *edgeStudy) untested() dag.Outputs {
	st.found.Study("edges.untested", finding.Limits, struct{ Within, Test string }{st.within, labelName(st.test)})
	summary := column.Table([]column.EdgeSummaryRow(nil))
	summary.Meta = map[string]string{finding.Meta: finding.Written(st.found)}
	none := encoding.NewArray(slices.Repeat([]float64{math.NaN()}, st.regions*st.regions), st.regions, st.regions)
	return dag.Outputs{"summary": summary, "edges": column.Table([]column.EdgeTestRow(nil)),
		"components": column.Table([]column.ComponentRow(nil)), "null": column.Table([]column.EdgeNullRow(nil)),
		"statistic": none, "significant": none, "regions": column.Table([]column.RegionTestRow(nil))}
}

// determined reports whether all participants of each block have one value of what is tested.
func (st *edgeStudy) determined() bool {
	first := map[string]int{}
	for i, block := range st.block {
		at, known := first[block]
		if !known {
			first[block], at = i, i
		}
		if slices.ContainsFunc(st.design.Tested, func(x []float64) bool { return x[i] != x[at] }) {
			return false
		}
	}
	return len(st.block) > 0
}

// refuse is the error of a design that cannot be fitted.
func (st *edgeStudy) refuse(err error) error {
	terms := words.Some(st.terms, 8)
	switch {
	case errors.Is(err, edgewise.ErrNotEstimable) && st.determined():
		return fmt.Errorf("the effect of %s cannot be estimated: each %s has one value of it, so %[2]s stands for %[1]s whatever the covariates are: include values of %[2]s with several of %[1]s%[3]s", st.test, st.within, st.unblocked())
	case errors.Is(err, edgewise.ErrNotEstimable):
		return fmt.Errorf("the effect of %s cannot be estimated: it is a linear combination of the other terms (%s); leave out the covariate that stands for it%s", st.test, terms, st.unblocked())
	case errors.Is(err, edgewise.ErrVariance) && st.kind == number:
		return fmt.Errorf("the effect of %s cannot be tested: beside %s, one participant alone determines it; leave out covariates, or set variance: equal%s", st.test, terms, st.unblocked())
	case errors.Is(err, edgewise.ErrVariance):
		return fmt.Errorf("the variance of a group of %s cannot be estimated: %s leave less than one degree of freedom to it; leave out covariates, or set variance: equal%s", st.test, terms, st.unblocked())
	case errors.Is(err, edgewise.ErrSaturated):
		return fmt.Errorf("%s for a model of %s beside %s: no degrees of freedom are left; leave out covariates%s", words.Count(len(st.ids), "participant"), terms, st.test, st.unblocked())
	}
	return err
}

// unblocked is how to test without the terms of blocks; "" without blocks.
func (st *edgeStudy) unblocked() string {
	if st.within == "" {
		return ""
	}
	return fmt.Sprintf(", or set within: \"\" for a test that is not adjusted for %s", st.within)
}
