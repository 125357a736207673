package assess

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var qcfcKind = dag.Kind{
	Name: "qcfc",
	Doc: "QC-FC: correlation of functional connectivity with head motion after denoising\n" +
		"Correlates mean framewise displacement with each edge over participants (Fisher z of the Pearson correlation of draw 0); an edge counts over the participants who have both of its regions, where they are at least half. Reports the median |r| and its null expectation, the share of edges at p < 0.05 (uncorrected) and after FDR, the distance dependence (Spearman), and the degrees of freedom lost to denoising (Satterthwaite 2012; Ciric 2017; Parkes 2018). Fan denoise out over regress to compare strategies. With fewer than 20 participants the numbers are unreliable. Also compares each participant's connectivity with the mean of the others, and lists outliers.",
	New: func() dag.Stage { return &QCFC{} },

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 30e3}.For,
}

var (
	_ role.Reader    = (*QCFC)(nil)
	_ role.InputUser = (*QCFC)(nil)
	_ role.Assumer   = (*QCFC)(nil)
)

// QCFC measures what motion has left in connectivity.
type QCFC struct {
	Covariates []string `param:"covariates" doc:"columns of the participants table to partial out of both, such as [age, sex]; participants who lack a value are excluded"`
}

// AssumesIndependent is for correlations over participants.
func (*QCFC) AssumesIndependent(func(port string) bool) (intervals bool, of []string) {
	return false, []string{"QC-FC"}
}

func (*QCFC) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "denoise's time series of each participant, for one or several strategies"},
			{Name: "cleaning", Type: column.Needs[column.CleaningRow](), Gather: true, Doc: "denoise's quality for the same: motion and degrees of freedom"},
			{Name: "nodes", Type: dag.Arrow("index"), Optional: true, Doc: "the node list; with centroids x, y, z the distance dependence is measured"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Optional: true, Doc: "the table with the covariates, and with mean_fd where there are no confounds"},
		},
		Out: []dag.Port{
			{Name: "summary", Type: column.Type[column.MotionRow](), Doc: "one row per strategy"},
			{Name: "edges", Type: column.Type[column.MotionEdgeRow](), Doc: "one row per edge"},
			{Name: "typicality", Type: column.Type[column.TypicalityRow](), Doc: "one row per participant"},
		},
	}
}

func (s *QCFC) Validate() []error {
	for i, c := range s.Covariates {
		if c == "participant_id" || slices.Contains(s.Covariates[:i], c) {
			return []error{fmt.Errorf("covariates: %s is not a covariate, or is listed twice", c)}
		}
	}
	return nil
}

// A connectome is one participant's edges, Fisher z, and how the scan was cleaned.
type connectome struct {
	id    string
	z     []float64 // of the pairs (1, 2), (1, 3) … (n−1, n); NaN for a missing one
	clean column.CleaningRow
}

// ReadsParticipants are the columns that its parameters name.
func (s *QCFC) ReadsParticipants() (read []role.Reading) {
	for _, name := range s.Covariates {
		read = append(read, role.Reading{Parameter: "covariates", Name: name, Needed: true})
	}
	return read
}

func (s *QCFC) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	cleaning := map[string]column.CleaningRow{}
	for _, in := range t.All("cleaning") {
		row, err := column.One[column.CleaningRow](in)
		if err != nil {
			return nil, err
		}
		cleaning[column.CoordText(in.Coords)] = row
	}
	motion, err := listedMotion(t, cleaning)
	if err != nil {
		return nil, err
	}
	coords, settings, regions, err := connectomes(t, cleaning, motion)
	if err != nil {
		return nil, err
	}
	distance, err := edgeDistances(t, regions)
	if err != nil {
		return nil, err
	}
	covariates, err := s.covariates(t)
	if err != nil {
		return nil, err
	}
	var summary []column.MotionRow
	var edges []column.MotionEdgeRow
	var typical []column.TypicalityRow
	for i, people := range settings {
		row, of := s.measure(people, distance, covariates)
		row.Coords = coords[i]
		summary = append(summary, row)
		k := 0
		for a := range regions {
			for b := a + 1; b < regions; b++ {
				edges = append(edges, column.MotionEdgeRow{Coords: coords[i], Source: int32(a + 1),
					Target: int32(b + 1), R: of.R[k], P: of.P[k], Q: of.Q[k], Distance: distance[k]})
				k++
			}
		}
		for _, r := range typicality(people) {
			r.Coords = coords[i]
			typical = append(typical, r)
		}
	}
	axes := lists.Map(coords[0], func(c dag.Coord) string { return c.Axis })
	return dag.Outputs{"summary": column.Table(summary, axes...), "edges": column.Table(edges, axes...),
		"typicality": column.Table(typical, axes...)}, nil
}

// connectomes reads the series of all participants, by setting: its coordinates and its participants. cleaning and
// motion, by coordinates and by participant, belong to them.
func connectomes(t *dag.Task, cleaning map[string]column.CleaningRow, motion map[string]float64) (
	coords [][]dag.Coord, settings [][]connectome, regions int, err error) {
	for _, in := range t.All("series") {
		clean, ok := cleaning[column.CoordText(in.Coords)]
		if !ok {
			return nil, nil, 0, fmt.Errorf("%s: cleaning has no table for %s: connect the output quality of the same stage", in.Name, column.CoordText(in.Coords))
		}
		draws, err := region.ReadDraws(in, "draw, time, roi")
		if err != nil {
			return nil, nil, 0, err
		}
		if regions == 0 {
			regions = draws[0].Cols
		}
		if draws[0].Cols != regions {
			return nil, nil, 0, fmt.Errorf("%s: %d regions, others have %d", in.Name, draws[0].Cols, regions)
		}
		own := column.Without(in.Coords, "subject")
		i := slices.IndexFunc(coords, func(c []dag.Coord) bool { return slices.Equal(c, own) })
		if i < 0 {
			i = len(coords)
			coords, settings = append(coords, own), append(settings, nil)
		}
		x := draws[0]
		if fd, ok := motion[in.Coord("subject")]; ok {
			clean.MeanFD = fd
		}
		settings[i] = append(settings[i],
			connectome{in.Coord("subject"), inference.FisherEdges(x.Data, x.Rows, x.Cols, t.Threads), clean})
	}
	if regions < 2 {
		return nil, nil, 0, errors.New("no edges: connect time series of two or more regions")
	}
	return coords, settings, regions, nil
}

// listedParticipants is the table at the port participants, and its ids.
func listedParticipants(t *dag.Task) (*encoding.Table, []string, error) {
	table, err := t.In("participants").Table()
	if err != nil {
		return nil, nil, err
	}
	ids, _, err := column.ByParticipant(table, "participant_id")
	return table, ids, err
}

// listedMotion is the column mean_fd of the participants (mm), where no table of confounds gives anybody's motion:
// cohorts of time series have none. The two are not mixed, because programs compute displacement differently.
func listedMotion(t *dag.Task, cleaning map[string]column.CleaningRow) (map[string]float64, error) {
	for _, row := range cleaning {
		if !math.IsNaN(row.MeanFD) {
			return nil, nil
		}
	}
	if !t.Has("participants") {
		return nil, nil
	}
	table, ids, err := listedParticipants(t)
	if err != nil {
		return nil, err
	}
	if _, ok := table.Column("mean_fd"); !ok { // a covariate of the user's own, of any type
		return nil, nil
	}
	c, err := column.ReadCovariate(table, "mean_fd")
	if err != nil || c.Text != nil {
		return nil, err // words are no millimeters
	}
	motion := map[string]float64{}
	for i, id := range ids {
		motion[id] = c.Number[i]
	}
	return motion, nil
}

// measure is QC-FC of one setting.
func (s *QCFC) measure(people []connectome, distance []float64, covariates map[string][]float64) (column.MotionRow,
	inference.Motion) {
	row := column.MotionRow{Covariates: s.Covariates}
	var fd []float64
	var who []connectome
	columns := make([][]float64, 0)
	for _, p := range people {
		row.Strategy = lists.Add(row.Strategy, p.clean.Strategy)
		row.Lost += (float64(p.clean.Volumes) - p.clean.TEff) / float64(len(people))
		row.Remaining += p.clean.TEff / float64(len(people))
		of, known := covariates[p.id]
		if math.IsNaN(p.clean.MeanFD) || covariates != nil && !known {
			row.Left++
			continue
		}
		who, fd = append(who, p), append(fd, p.clean.MeanFD)
		for k, v := range of {
			if len(columns) == k {
				columns = append(columns, nil)
			}
			columns[k] = append(columns[k], v)
		}
	}
	slices.Sort(row.Strategy)
	row.Participants = int32(len(who))
	row.MeanFD, _ = column.MeanSD(fd)
	m := inference.MotionOf(func(yield func([]float64) bool) {
		edge := make([]float64, len(who))
		for e := range distance {
			for i, p := range who {
				edge[i] = p.z[e]
			}
			yield(edge)
		}
	}, fd, columns)
	row.Median, row.Null = inference.MedianAbs(m.R), m.Null
	row.Share, row.ShareFDR, row.Distance = math.NaN(), math.NaN(), math.NaN()
	var r, d []float64
	below, belowFDR := 0, 0
	for e := range m.R {
		if math.IsNaN(m.R[e]) {
			row.MissingEdges++
			continue
		}
		row.Edges++
		if inference.Significant(m.P[e]) {
			below++
		}
		if inference.Significant(m.Q[e]) {
			belowFDR++
		}
		if !math.IsNaN(distance[e]) {
			r, d = append(r, m.R[e]), append(d, distance[e])
		}
	}
	if row.Edges > 0 {
		row.Share, row.ShareFDR = float64(below)/float64(row.Edges), float64(belowFDR)/float64(row.Edges)
	}
	if len(r) > 2 {
		row.Distance = inference.Spearman(r, d)
	}
	return row, m
}

// edgeDistances are the distances in mm between the centroids of the pairs; NaN where there are none.
func edgeDistances(t *dag.Task, regions int) ([]float64, error) {
	type place struct {
		X float64 `column:"x,optional"`
		Y float64 `column:"y,optional"`
		Z float64 `column:"z,optional"`
	}
	at := make([]place, regions)
	for i := range at {
		at[i].X = math.NaN()
	}
	if t.Has("nodes") {
		var err error
		if at, err = column.Read[place](t.In("nodes")); err != nil {
			return nil, err
		}
		if len(at) != regions {
			return nil, fmt.Errorf("%s: %d nodes, but time series of %d regions", t.In("nodes").Name, len(at), regions)
		}
	}
	var out []float64
	for i, a := range at {
		for _, b := range at[i+1:] {
			x, y, z := a.X-b.X, a.Y-b.Y, a.Z-b.Z
			out = append(out, math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)))
		}
	}
	return out, nil
}

// RefusesInputs requires the table of the covariates.
func (s *QCFC) RefusesInputs(has func(port string) bool) error {
	if len(s.Covariates) > 0 && !has("participants") {
		return errors.New("covariates are columns of the participants table: connect participants")
	}
	return nil
}

// covariates are the values of each participant who has all of them: numbers, and an indicator for each category but
// the first. nil without covariates.
func (s *QCFC) covariates(t *dag.Task) (map[string][]float64, error) {
	if len(s.Covariates) == 0 {
		return nil, nil
	}
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	table, ids, err := listedParticipants(t)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(ids))
	for _, name := range s.Covariates {
		if _, err := table.Strings(name); err != nil {
			return nil, fmt.Errorf("covariates: %w", err)
		}
		c, err := column.ReadCovariate(table, name)
		if err != nil {
			return nil, err
		}
		if c.Text == nil {
			for i, v := range c.Number {
				values[i] = append(values[i], v)
			}
			continue
		}
		_, names := column.Numbered(c.Text)
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
		for i, text := range c.Text {
			for _, other := range names[min(1, len(names)):] {
				v := 0.0
				if text == other {
					v = 1
				}
				if text == "" {
					v = math.NaN()
				}
				values[i] = append(values[i], v)
			}
		}
	}
	out := map[string][]float64{}
	for i, id := range ids {
		if !slices.ContainsFunc(values[i], math.IsNaN) {
			out[id] = values[i]
		}
	}
	return out, nil
}

// typicality compares each participant with the mean of the others.
func typicality(people []connectome) []column.TypicalityRow {
	rows := make([]column.TypicalityRow, len(people))
	sum, count := make([]float64, len(people[0].z)), make([]int, len(people[0].z)) // of those who have the edge
	for e := range sum {
		for _, p := range people {
			if !math.IsNaN(p.z[e]) {
				sum[e], count[e] = sum[e]+p.z[e], count[e]+1
			}
		}
	}
	typical, fd, teff := make([]float64, len(people)), make([]float64, len(people)), make([]float64, len(people))
	for i, p := range people {
		var own, others []float64
		for e, z := range p.z {
			if !math.IsNaN(z) && 2*count[e] >= len(people) {
				own, others = append(own, z), append(others, (sum[e]-z)/float64(count[e]-1))
			}
		}
		typical[i], fd[i], teff[i] = inference.Correlation(own, others), p.clean.MeanFD, p.clean.TEff
		rows[i] = column.TypicalityRow{Participant: p.id, Typicality: typical[i], MeanFD: fd[i], TEff: teff[i],
			MedianR: exact.Tanh(inference.MedianAbs(p.z))}
	}
	for _, m := range []struct {
		name string
		sign float64
		v    []float64
	}{{"typicality", -1, typical}, {"mean_fd", 1, fd}, {"t_eff", -1, teff}} {
		for i, z := range inference.RobustZ(m.v) {
			if m.sign*z > 3.5 {
				rows[i].Outlier = append(rows[i].Outlier, m.name)
			}
		}
	}
	return rows
}
