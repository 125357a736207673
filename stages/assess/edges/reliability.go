package edges

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var reliabilityKind = dag.Kind{
	Name: "reliability",
	Doc: "how reliable connectivity and its group difference are: test-retest, identification, split halves\n" +
		"With matrices of several sessions: the intraclass correlation of each edge and region over the sessions (Shrout and Fleiss 1979; McGraw and Wong 1996), and the share of participants who are identified in another session by their connectivity (Finn et al. 2015), with the differential identifiability (Amico and Goñi 2018). With two groups or more, or a number: how far the maps of its association with the edges, and the ranking of the regions by them, agree between two random halves of the participants. With weights: how far the weights of regions agree between trainings. Halves of one cohort share sites and scanners, so their agreement is no replication in another sample.",
	New: func() dag.Stage {
		return &Reliability{ICC: agreement, Within: "site", Share: 0.1, Halves: 50, Permutations: 999,
			Transform: "fisher"}
	},
	MemoryFor: column.Memory{Base: 64 << 20, Each: 150e3}.For,
}

var (
	_ role.PortUser = (*Reliability)(nil)
	_ role.Tester   = (*Reliability)(nil)
	_ role.Reader   = (*Reliability)(nil)
)

// The intraclass correlations of the parameter icc.
const (
	agreement   = "agreement"
	consistency = "consistency"
)

// Reliability measures how well connectivity is measured.
type Reliability struct {
	Sessions     []string `param:"sessions" doc:"sessions to compare; by default all"`
	ICC          string   `param:"icc" doc:"agreement, ICC(2,1), for which a change of the mean counts as error; or consistency, ICC(3,1)" choices:"agreement|consistency"`
	Test         string   `param:"test" doc:"column of the participants whose association with the edges is compared between halves: groups, or a number; by default what the study predicts"`
	Within       string   `param:"within" doc:"identities are permuted within the values of this column, and halves are balanced in it, if it exists"`
	Family       string   `param:"family" doc:"column of families, which are kept in one half"`
	Share        float64  `param:"share" doc:"share of the edges, and of the regions, that are compared as the top ones" min:"0.001" max:"0.5"`
	Halves       int      `param:"halves" doc:"how many times the participants are divided into halves" min:"20" max:"10000"`
	Permutations int      `param:"permutations" doc:"of identities" min:"99" max:"100000"`
	Transform    string   `param:"transform" doc:"of the matrices: fisher, z = atanh r (|r| at most 0.9999999); none, if they are z already, or are not correlations" choices:"fisher|none"`
	Seed         uint64   `param:"seed" doc:"of permutations and halves"`
}

// UsesPorts are the inputs that take one setting of each participant, and the checks, as in edges.
func (*Reliability) UsesPorts() []role.PortUse {
	return fold.AfterChecks(role.OneSettingOf("matrices", "cleaning")...)
}

func (*Reliability) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's matrices, of each session"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their groups or the number, sites and families"},
			{Name: "nodes", Type: dag.Arrow("index"), Optional: true, Doc: "the node list, for the names of the regions"},
			{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for the same: head motion in each session"},
			{Name: "weights", Type: dag.Arrow("index", "weight"), Gather: true, Optional: true, Doc: "baseline's regions: the weight of each region in each training"},
			fold.LeakagePort(),
		},
		Out: []dag.Port{
			{Name: "summary", Type: column.Type[column.ReliabilityRow](), Doc: "one row: reliability over sessions; none without sessions"},
			{Name: "pairs", Type: column.Type[column.SessionPairRow](), Doc: "one row per pair of sessions: identification"},
			{Name: "components", Type: column.Type[column.SessionComponentsRow](), Doc: "a row per pair of sessions and number of principal components: identification of scans that are reconstructed from these components; no rows for more than 500 participants"},
			{Name: "edges", Type: column.Type[column.EdgeReliabilityRow](), Doc: "one row per edge"},
			{Name: "regions", Type: column.Type[column.RegionReliabilityRow](), Doc: "one row per region"},
			{Name: "replication", Type: column.Type[column.ReplicationRow](), Doc: "agreement of halves: one row for edges, and one for regions; none without groups or a number"},
			{Name: "trainings", Type: column.Type[column.WeightStabilityRow](), Doc: "stability of the weights: a row per setting; none without weights"},
			{Name: "icc", Type: dag.NPY("<f8", "roi", "roi"), Doc: "ICC of each edge; NaN where it is missing"},
		},
	}
}

func (s *Reliability) Validate() (wrong []error) {
	if len(s.Sessions) == 1 {
		wrong = append(wrong, errors.New("sessions: name two sessions or more, or none for all"))
	}
	return wrong
}

// TestFold is none: the result is of all participants. So whatever is made of it tests nobody.
func (*Reliability) TestFold() (repeat, fold int) { return 0, 0 }

// ReadsParticipants are the columns that its parameters name.
func (s *Reliability) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "test", Name: s.Test, Needed: true},
		{Parameter: "within", Name: s.Within, Categories: true},
		{Parameter: "family", Name: s.Family, Needed: true}}
}

// minRetested is how many participants an ICC needs.
const minRetested = 10

func (s *Reliability) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	scans, err := s.read(t)
	if err != nil {
		return nil, err
	}
	r := &reliable{Reliability: s, scans: scans, task: t}
	if r.names, err = column.NodeNames(t); err != nil {
		return nil, err
	}
	if r.names != nil && len(r.names) != scans.regions {
		return nil, fmt.Errorf("%s: %d nodes, but matrices of %d regions", t.In("nodes").Name, len(r.names), scans.regions)
	}
	if err := r.participants(); err != nil {
		return nil, err
	}
	r.edges, r.regions = r.emptyRows()
	summary, pairs, components, err := r.retest(ctx)
	if err != nil {
		return nil, err
	}
	replication, err := r.replicate(ctx)
	if err != nil {
		return nil, err
	}
	trainings, axes, err := s.trainings(t.All("weights"))
	if err != nil {
		return nil, err
	}
	if summary == nil && replication == nil && trainings == nil {
		return nil, errors.New("there is nothing to compare: the matrices are of one session, and there are no groups of four participants or more, and no number; connect the matrices of each session, such as connectivity[*].pearson, and not their mean")
	}
	retested := column.Table(summary)
	if alike := r.oneScan(); summary != nil && alike != nil {
		retested = column.WithMeta(retested, map[string]string{column.OneScan: column.JSON(alike)})
	}
	return dag.Outputs{"summary": retested, "pairs": column.Table(pairs),
		"components": column.Table(components), "edges": column.Table(r.edges),
		"regions": column.Table(r.regions), "replication": column.Table(replication),
		"trainings": column.Table(trainings, axes...), "icc": r.matrix()}, nil
}

// sessionScans are the edges of each participant in each session.
type sessionScans struct {
	sessions []string
	regions  int
	ids      []string
	values   []map[string][]float64 // by session: the mean over the runs
	motion   []map[string]float64   // likewise
	freedom  []map[string]float64   // degrees of freedom of all runs, at most; none where it is not known
}

// read reads the matrices of each session.
func (s *Reliability) read(t *dag.Task) (*sessionScans, error) {
	d := &sessionScans{sessions: s.Sessions}
	all := t.All("matrices")
	if d.sessions == nil {
		for _, in := range all {
			if v := in.Coord(session); !slices.Contains(d.sessions, v) {
				d.sessions = append(d.sessions, v)
			}
		}
	}
	one := &Edges{Transform: s.Transform}
	for _, name := range d.sessions {
		if name != "" {
			one.Sessions = []string{name}
		}
		known := slices.DeleteFunc(slices.Clone(all), func(in dag.Input) bool { return one.session(in) < 0 })
		if len(known) == 0 {
			return nil, fmt.Errorf("sessions: no matrices of %s are connected, but of %s", name,
				words.Some(lists.Map(all, func(in dag.Input) string { return in.Coord(session) }), 8))
		}
		read, err := one.read(t, known)
		if err != nil {
			return nil, err
		}
		if d.regions != 0 && read.regions != d.regions {
			return nil, fmt.Errorf("session %s has %d regions, but another one %d: use the same atlas for all", name, read.regions, d.regions)
		}
		d.regions = read.regions
		d.values, d.motion = append(d.values, read.values), append(d.motion, read.motion)
		freedom, err := one.freedom(t.All("cleaning"))
		if err != nil {
			return nil, err
		}
		d.freedom = append(d.freedom, freedom)
		for _, in := range known {
			if id := in.Coord(column.Subject); !slices.Contains(d.ids, id) {
				d.ids = append(d.ids, id)
			}
		}
	}
	return d, nil
}

// A reliable is a measurement of reliability under way.
type reliable struct {
	*Reliability
	scans   *sessionScans
	task    *dag.Task
	names   []string
	place   map[string]int // of a participant in the table
	block   []string       // value of within of each participant of the table; nil without
	tested  column.CovariateColumn
	units   [][]int
	of      string // the column that is tested
	edges   []column.EdgeReliabilityRow
	regions []column.RegionReliabilityRow
}

// participants reads what is known of them.
func (r *reliable) participants() error {
	in := r.task.In("participants")
	table, err := in.Table()
	if err != nil {
		return err
	}
	r.of = r.Test
	if r.of == "" {
		r.of = column.LabelOf(table)
	}
	table = column.AsCategories(table, "site", r.Within, r.Family)
	ids, err := table.Strings("participant_id")
	if err != nil {
		return err
	}
	r.place = lists.Places(ids)
	for _, id := range r.scans.ids {
		if _, ok := r.place[id]; !ok {
			return fmt.Errorf("%s: %s is not among the participants", in.Name, id)
		}
	}
	if _, there := table.Column(r.of); there || r.Test != "" {
		if r.tested, err = column.ReadCovariate(table, r.of); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	if within := (&Edges{Within: r.Within}).blockedBy(r.of, table); within != "" {
		if r.block, err = table.Strings(within); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	if r.units, err = familiesOf(ids, table, r.Family); err != nil {
		return fmt.Errorf("%s: family: %w", in.Name, err)
	}
	return nil
}

// strata are the values of within, and of a label if there is one, as numbers.
func (r *reliable) strata(ids []string, label func(place int) string) []int {
	level, _ := column.Numbered(lists.Map(ids, func(id string) string {
		i, text := r.place[id], ""
		if r.block != nil {
			text = r.block[i]
		}
		if label != nil {
			text += "\t" + label(i)
		}
		return text
	}))
	return level
}

func (r *reliable) emptyRows() (edges []column.EdgeReliabilityRow, regions []column.RegionReliabilityRow) {
	none := math.NaN()
	name := func(i int) string {
		if r.names == nil {
			return ""
		}
		return r.names[i]
	}
	for i := range r.scans.regions {
		regions = append(regions, column.RegionReliabilityRow{Index: int32(i + 1), Name: name(i), ICC: none, Low: none,
			High: none, Edges: none, Replicated: none})
		for j := i + 1; j < r.scans.regions; j++ {
			edges = append(edges, column.EdgeReliabilityRow{Source: int32(i + 1), Target: int32(j + 1),
				SourceName: name(i), TargetName: name(j), ICC: none, Low: none, High: none, Replicated: none})
		}
	}
	return edges, regions
}

// byRegion is the mean over the edges of each region, of those that are known.
func byRegion(edges []float64, regions int) []float64 {
	sum, n := make([]float64, regions), make([]float64, regions)
	e := 0
	for i := range regions {
		for j := i + 1; j < regions; j++ {
			if v := edges[e]; !math.IsNaN(v) {
				sum[i], sum[j], n[i], n[j] = sum[i]+v, sum[j]+v, n[i]+1, n[j]+1
			}
			e++
		}
	}
	for i := range sum {
		sum[i] /= n[i]
	}
	return sum
}

// retest compares the sessions.
func (r *reliable) retest(ctx context.Context) (rows []column.ReliabilityRow, pairs []column.SessionPairRow,
	components []column.SessionComponentsRow, err error) {
	d := r.scans
	if len(d.sessions) < 2 {
		return nil, nil, nil, nil
	}
	none := math.NaN()
	row := column.ReliabilityRow{Sessions: d.sessions, ICC: r.ICC, Permutations: int32(r.Permutations), Median: none,
		Fair: none, Regions: none, Identified: none, P: none, Differential: none}
	var retested []string
	for _, id := range d.ids {
		if slices.ContainsFunc(d.values, func(of map[string][]float64) bool { return of[id] == nil }) {
			row.Left = append(row.Left, id)
		} else {
			retested = append(retested, id)
		}
	}
	row.Participants = int32(len(retested))
	if r.block != nil {
		row.Within = r.Within
	}
	r.intraclass(retested, &row)
	row.Identified, row.Differential = 0, 0
	for a := range d.sessions {
		for b := a + 1; b < len(d.sessions); b++ {
			if err := ctx.Err(); err != nil {
				return nil, nil, nil, err
			}
			pair, covariance := r.identify(a, b)
			if pair.Participants < 2 {
				continue
			}
			of, err := reconstructed(pair, covariance)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("sessions %s and %s: %w", pair.First, pair.Second, err)
			}
			pairs, components = append(pairs, pair), append(components, of...)
			row.Identified, row.Differential = row.Identified+pair.Identified, row.Differential+pair.Differential
			if !(row.P >= pair.P) {
				row.P = pair.P
			}
		}
	}
	if pairs == nil {
		fmt.Fprintf(r.task.Log(), "no two participants have the same two of the sessions %s: sessions are not compared\n",
			words.Some(d.sessions, 8))
		return nil, nil, nil, nil
	}
	row.Identified, row.Differential = row.Identified/float64(len(pairs)), row.Differential/float64(len(pairs))
	return []column.ReliabilityRow{row}, pairs, components, nil
}

// The numbers of components by which scans are reconstructed, about, and of participants up to which they are: the time
// grows with the cube.
const curvePoints, mostReconstructed = 30, 500

// reconstructed is the identification by principal components of a pair of sessions.
func reconstructed(pair column.SessionPairRow, covariance []float64) (rows []column.SessionComponentsRow, err error) {
	if pair.Participants > mostReconstructed {
		return nil, nil
	}
	of, err := inference.Reconstruct(covariance, int(pair.Participants), curvePoints)
	for _, c := range of {
		rows = append(rows, column.SessionComponentsRow{First: pair.First, Second: pair.Second,
			Components: int32(c.Components), Explained: c.Explained, Identified: c.Mean, Self: c.Self, Others: c.Others,
			Differential: c.Differential})
	}
	return rows, err
}

// freedom are the degrees of freedom of each participant's scans of the session.
func (s *Edges) freedom(cleaning []dag.Input) (map[string]float64, error) {
	of := map[string]float64{}
	for _, in := range cleaning {
		row, err := column.One[struct {
			TEff float64 `column:"t_eff,optional"`
		}](in)
		if err != nil {
			return nil, err
		}
		if s.session(in) >= 0 && row.TEff > 0 {
			of[in.Coord(column.Subject)] += row.TEff
		}
	}
	return of, nil
}

// Two scans of one person differ at least by the sampling error of their correlations, a variance of 1/ν of Fisher's z
// with ν degrees of freedom. Where their mean squared difference is less than a tenth of that of both, they are one
// scan, or most of one; where scans of different participants differ by less than expected, too, the matrices are
// shrunk, and nothing is known.
const onePart, unshrunk = 0.1, 0.7

// oneScan lists the participants of whom two sessions are one scan: "sub-01 (01 and 02)".
func (r *reliable) oneScan() (found []string) {
	d := r.scans
	if r.Transform != "fisher" {
		return nil
	}
	for a := range d.sessions {
		for b := a + 1; b < len(d.sessions); b++ {
			ids := slices.DeleteFunc(slices.Clone(d.ids), func(id string) bool {
				lacks := func(k int) bool { return d.values[k][id] == nil || d.freedom[k][id] == 0 }
				return lacks(a) || lacks(b)
			})
			apart := func(i, j int) float64 { // mean squared difference, as a share of the expected one
				x, y := d.values[a][ids[i]], d.values[b][ids[j]]
				var squares []float64
				for e := range x {
					if v := x[e] - y[e]; !math.IsNaN(v) {
						squares = append(squares, float64(v*v))
					}
				}
				mean, _ := column.MeanSD(squares)
				return mean / (1/d.freedom[a][ids[i]] + 1/d.freedom[b][ids[j]])
			}
			var others []float64
			for i := range ids {
				others = append(others, apart(i, (i+1)%len(ids)))
			}
			if len(ids) < 2 || !(inference.Median(others) >= unshrunk) {
				continue
			}
			for i, id := range ids {
				if apart(i, i) < onePart {
					found = append(found, fmt.Sprintf("%s (%s and %s)", id, d.sessions[a], d.sessions[b]))
				}
			}
		}
	}
	return found
}

// intraclass fills in the ICC of edges and regions over the sessions of these participants.
func (r *reliable) intraclass(ids []string, row *column.ReliabilityRow) {
	d := r.scans
	if len(ids) < minRetested {
		return
	}
	layout := inference.NewLayout(len(ids), len(d.sessions))
	of := func(at func(session int, id string) float64) inference.ICC {
		return layout.Intraclass(lists.Map(ids, func(id string) []float64 {
			v := make([]float64, len(d.sessions))
			for k := range v {
				v[k] = at(k, id)
			}
			return v
		}))
	}
	value := func(c inference.ICC) float64 {
		if r.ICC == consistency {
			return c.Consistency
		}
		return c.Agreement
	}
	fair := 0
	var known []float64
	near := make([][]float64, d.regions)
	for e := range r.edges {
		one := &r.edges[e]
		c := of(func(k int, id string) float64 { return d.values[k][id][e] })
		if one.ICC = value(c); math.IsNaN(one.ICC) {
			continue
		}
		if r.ICC == agreement {
			one.Low, one.High = c.Low, c.High
		}
		known = append(known, one.ICC)
		if one.ICC > 0.4 {
			fair++
		}
		for _, i := range []int32{one.Source - 1, one.Target - 1} {
			near[i] = append(near[i], one.ICC)
		}
	}
	if row.Edges = int32(len(known)); known == nil {
		return
	}
	row.Median, row.Fair = inference.Median(known), float64(fair)/float64(len(known))
	means := make([]map[string][]float64, len(d.sessions))
	for k := range means {
		means[k] = map[string][]float64{}
		for _, id := range ids {
			means[k][id] = byRegion(d.values[k][id], d.regions)
		}
	}
	known = nil
	for i := range r.regions {
		one := &r.regions[i]
		c := of(func(k int, id string) float64 { return means[k][id][i] })
		if one.ICC = value(c); math.IsNaN(one.ICC) {
			continue
		}
		if r.ICC == agreement {
			one.Low, one.High = c.Low, c.High
		}
		if near[i] != nil {
			one.Edges = inference.Median(near[i])
		}
		known = append(known, one.ICC)
	}
	if known != nil {
		row.Regions = inference.Median(known)
	}
}

// identify compares the scans of two sessions.
func (r *reliable) identify(a, b int) (row column.SessionPairRow, covariance []float64) {
	d := r.scans
	ids := slices.DeleteFunc(slices.Clone(d.ids), func(id string) bool {
		return d.values[a][id] == nil || d.values[b][id] == nil
	})
	n := len(ids)
	row = column.SessionPairRow{First: d.sessions[a], Second: d.sessions[b], Participants: int32(n)}
	if n < 2 {
		return row, nil
	}
	row.MotionFirst, row.MotionSecond = meanOver(d.motion[a], ids), meanOver(d.motion[b], ids)
	var known []int
	for e := range r.edges {
		if !slices.ContainsFunc(ids, func(id string) bool {
			return math.IsNaN(d.values[a][id][e]) || math.IsNaN(d.values[b][id][e])
		}) {
			known = append(known, e)
		}
	}
	scans := make([]float64, 0, 2*n*len(known)) // each with mean 0 and length 1
	var lengths []float64
	for _, k := range []int{a, b} {
		for _, id := range ids {
			v := lists.Map(known, func(e int) float64 { return d.values[k][id][e] })
			mean, _ := column.MeanSD(v)
			for i := range v {
				v[i] -= mean
			}
			length := math.Sqrt(dense.SumSquares(v))
			lengths = append(lengths, length)
			for _, x := range v {
				scans = append(scans, x/length)
			}
		}
	}
	all := make([]float64, 4*n*n)
	dense.Gram(all, dense.Rows(scans, len(known)), 2*n, len(known), r.task.Threads)
	similarity := make([]float64, 0, n*n)
	for i := range n {
		similarity = append(similarity, all[i*2*n+n:][:n]...)
	}
	strata := inference.ByStratum(r.strata(ids, nil))
	row.Chance = float64(len(strata)) / float64(n)
	id := inference.Identify(similarity, n, r.Permutations, func(p int) []int {
		of := lists.UpTo(n)
		inference.Permute(of, strata, random.New(r.Seed, "reliability", "identities", p))
		return of
	})
	row.Forward, row.Back, row.Identified, row.P = id.Forward, id.Back, id.Mean, id.P
	row.Self, row.Others, row.Differential = id.Self, id.Others, id.Differential
	for i, x := range lengths {
		for j, y := range lengths {
			all[i*2*n+j] *= float64(x * y)
		}
	}
	return row, all
}

// meanOver is the mean of the known values of these participants; NaN of none.
func meanOver(of map[string]float64, ids []string) float64 {
	var v []float64
	for _, id := range ids {
		if x, ok := of[id]; ok && !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	mean, _ := column.MeanSD(v)
	return mean
}

// matrix is the ICC of each edge.
func (r *reliable) matrix() *encoding.Array {
	n := r.scans.regions
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = math.NaN()
	}
	for _, row := range r.edges {
		i, j := int(row.Source-1), int(row.Target-1)
		v[i*n+j], v[j*n+i] = row.ICC, row.ICC
	}
	return encoding.NewArray(v, n, n)
}
