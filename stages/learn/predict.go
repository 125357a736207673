package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

var predictKind = dag.Kind{
	Name: "predict",
	Doc: "applies trained models to participants\n" +
		"The model comes from one training, or from several, whose probabilities are averaged; { file: model.npz } is an exported model. Models of graphs take edges and features, models of matrices take matrices, and models of time series take series. Data that differ in processing from those of the training are refused: another list of regions, estimator, denoising, density or kind of feature; so are those of participants without a series of a region that all had in training.",
	New:        func() dag.Stage { return &Predict{} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var (
	_ role.PortUser    = (*Predict)(nil)
	_ role.DataUser    = (*Predict)(nil)
	_ role.InputUser   = (*Predict)(nil)
	_ role.ModelReader = (*Predict)(nil)
)

// Predict applies trained models.
type Predict struct {
	role.Informed
	Allow    []string `param:"allow" doc:"parameters in which the new graphs may differ from the training graphs, such as denoise.fd; edges, features: the number of edges, the range of features; regions: regions without a series that no training participant lacks; names: models without names of regions, although the cohort has them; measure, denoised, estimator: inputs that differ from training in kind, denoising or estimator, as the connected outputs state"`
	DrawZero bool     `param:"draw_zero" doc:"use draw 0, which is not resampled, beside the random draws; without draws it is used anyway"`

	sites *newSites
}

func (*Predict) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "model", Type: dag.Format("npz"), Gather: true, Doc: "the model of one training, or of several"},
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Optional: true, Doc: "models of graphs: the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Optional: true, Doc: "models of graphs: their node features"},
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "models of matrices: each participant's correlation matrices, or, of a model of tangent matrices, the matrices that the stage tangent took"},
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Optional: true, Doc: "models of time series: each participant's denoised series"},
			{Name: "quality", Type: dag.Arrow("draw"), Gather: true, Optional: true, Doc: "models of matrices: the quality of the matrices, of the stage that made them"},
			{Name: "cleaning", Type: dag.Arrow("t_eff"), Gather: true, Optional: true, Doc: "models of time series: denoise's quality of the series"},
			{Name: "nodes", Type: dag.Arrow("name"), Optional: true, Doc: "the node list; needed if the training had one"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Optional: true, Doc: "models of residualize's matrices: the covariates whose effects the model file removes; mean_fd may come from cleaning"},
		},
		Out: []dag.Port{
			{Name: "participants", Type: column.Type[predictedPerson](),
				Doc: "one row per participant: predicted group, by the mean probability over graphs and models; trained counts the models with this id in their training, unless their digests show other data, and should be 0; same_data should be empty"},
			{Name: "predictions", Type: column.Type[predictedGraph](), Doc: "the same for every graph and model"},
			{Name: "scores", Type: column.Type[predictedScore](), Doc: "scores of the regions, as in training: of every node that reaches a pooling layer, or of every region; no rows for models without"},
		},
	}
}

// UsesPorts are the models: features fitted for other folds than theirs are refused.
func (*Predict) UsesPorts() []role.PortUse {
	return append(role.OneSettingOf("edges", "features", "matrices", "series", "quality", "cleaning"),
		role.PortUse{Port: "model", As: role.Models}, role.QualityOf("matrices"))
}

// RefusesInputs requires graphs, matrices or series.
func (*Predict) RefusesInputs(has func(port string) bool) error {
	if has("edges") != has("features") {
		return errors.New("edges and features belong together: connect both to the same stage")
	}
	count := lists.Count([]string{"edges", "matrices", "series"}, has)
	if count != 1 {
		return errors.New("connect edges and features to apply models of graphs, or matrices to apply models of matrices, or series to apply models of series: one of the three")
	}
	return nil
}

// RefusesModel refuses a file that is no model, was altered, or is of other inputs than those that are connected.
func (*Predict) RefusesModel(file []byte, has func(port string) bool) error {
	return modelfile.Refuses(file, has, false)
}

// RefusesParameters refuses models of several kinds, and names under allow in which no inputs can differ from those of
// the models.
func (s *Predict) RefusesParameters(files [][]byte, has, may func(name string) bool) []error {
	return append(modelfile.RefusesKinds(files),
		modelfile.NotMade(files, s.Allow, may, modelfile.Differences(has)...)...)
}

// RefusesNumber is RefusesModel for models of a number.
func (*Predict) RefusesNumber(file []byte, has func(port string) bool) error {
	return modelfile.Refuses(file, has, true)
}

// ofSeries reports whether the participants have series.
func ofSeries(t *dag.Task) bool { return t.Has("series") }

// gathered are the participants' data: their features, matrices or series.
func gathered(t *dag.Task) []dag.Input {
	return slices.Concat(t.All("features"), t.All("matrices"), t.All("series"))
}

// An applier is a model that is applied.
type applier struct {
	name string
	modelfile.Header
	modelfile.Training
	names    []string // of the regions
	made     string
	rounded  map[string]int   // the training participants by their rounded data
	graphs   *Trained         // or
	matrices *modelfile.Model // the one of the two that it is
	shift    modelfile.Moments
}

// readAppliers reads models of a number, or of the same groups, all of graphs or all of matrices.
func readAppliers(t *dag.Task, number bool) (all []*applier, err error) {
	first := map[string]string{} // file of each model
	for _, in := range t.All("model") {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		a := &applier{name: in.Name}
		if t.Has("edges") {
			var m *Trained
			if m, err = ReadModel(b); err == nil {
				a.Header, a.Training, a.names, a.made = m.Header, m.Training, m.Graphs.Names, m.Graphs.Made
				a.graphs = m
			}
		} else {
			var m *modelfile.Model
			if m, err = modelfile.Read(b); err == nil && m.Matrices.Series() != ofSeries(t) {
				err = fmt.Errorf("it takes %s: connect these", map[bool]string{true: "series", false: "matrices"}[m.Matrices.Series()])
			}
			if err == nil {
				a.Header, a.Training, a.names, a.made = m.Header, m.Training, m.Matrices.Names, m.Matrices.Made
				a.matrices = m
			}
		}
		if err == nil {
			err = a.Header.Expects(number)
		}
		if id := ""; err == nil {
			if id, err = modelfile.Identity(b); err == nil && first[id] != "" {
				err = fmt.Errorf("it is the same model as %s, and would count twice in the mean: connect each model once", first[id])
			}
			first[id] = in.Name
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		a.rounded = a.ByRounded()
		all = append(all, a)
	}
	return all, sameGroups(all)
}

// sameGroups refuses models of several kinds, of different groups or columns, and of a number and its residual.
func sameGroups(all []*applier) error {
	kinds := map[string][]string{}
	for _, m := range all {
		kinds[m.Model] = append(kinds[m.Model], m.name)
	}
	if err := modelfile.OneKind(kinds); err != nil {
		return err
	}
	for _, m := range all {
		if one := all[0]; !slices.Equal(m.Groups, one.Groups) {
			return fmt.Errorf("%s was trained on the groups %s, but %s on %s: connect models of the same groups", m.name,
				strings.Join(m.Groups, ", "), one.name, strings.Join(one.Groups, ", "))
		} else if m.Column != "" && one.Column != "" && !modelfile.SameVariable(m.Column, one.Column) {
			return fmt.Errorf("%s predicts the column %s, and %s the column %s: connect models of one column", m.name,
				m.Column, one.name, one.Column)
		} else if !slices.Equal(removedFrom(m), removedFrom(one)) {
			return fmt.Errorf("%s and %s predict a number from which the effects of different covariates were removed (%s; %s): connect models of one setting",
				m.name, one.name, cmp.Or(strings.Join(removedFrom(m), ", "), "none"),
				cmp.Or(strings.Join(removedFrom(one), ", "), "none"))
		}
	}
	return nil
}

// covariates are those whose effects were removed from the matrices of the training.
func (m *applier) covariates() (names []string) {
	if m.matrices != nil && m.matrices.Removed != nil {
		names, _ = m.matrices.Removed.Design.Covariates()
	}
	return names
}

// removedFrom are the covariates whose effects were removed from the number that a model predicts.
func removedFrom(m *applier) []string {
	if m.Residual == nil {
		return nil
	}
	return m.Residual.Covariates
}

// A newcomer is a participant to whom models are applied.
type newcomer struct {
	in       dag.Input
	id, made string
	draws    []int
	graphs   Participant
	matrices modelfile.Person
	// Without what covariates or its site explain, by the fit of each model that has one.
	without map[*applier]modelfile.Person

	asTrained map[*applier][]modelfile.Data // harmonized by each site of the training
}

// person has the matrices as a model takes them.
func (n newcomer) person(a *applier) modelfile.Person {
	if of, removed := n.without[a]; removed {
		return of
	}
	return n.matrices
}

// removals has the covariates by whose effects models with such a fit differ from the matrices that they are given.
func removals(t *dag.Task, models []*applier) (of map[*applier]*modelfile.Covariates, err error) {
	of = map[*applier]*modelfile.Covariates{}
	ids := lists.Map(gathered(t), func(in dag.Input) string { return in.Coord("subject") })
	for _, m := range models {
		if m.matrices == nil || m.matrices.Removed == nil {
			continue
		}
		names, _ := m.matrices.Removed.Design.Covariates()
		if !t.Has("participants") {
			return nil, fmt.Errorf("%s: in training, the effects of %s were removed from the matrices and must also be removed from those of the new participants: connect participants with these columns (cohort.participants)",
				m.name, strings.Join(names, ", "))
		}
		if of[m], err = modelfile.ReadCovariates(t, &m.matrices.Removed.Design, ids); err != nil {
			return nil, fmt.Errorf("%s: in training, the effects of %s were removed from the matrices and must also be removed from those of the new participants: %w; give the columns the names, values and units of the training, or use models of matrices from which nothing was removed",
				t.In("participants").Name, strings.Join(names, ", "), err)
		}
	}
	return of, nil
}

// remove removes what covariates explain by the fit of each model; lacking are the covariates that are unknown.
func (n *newcomer) remove(of map[*applier]*modelfile.Covariates) (lacking []string, err error) {
	if n.without == nil {
		n.without = map[*applier]modelfile.Person{}
	}
	for m, covariates := range of {
		if m.matrices.IsWithout(n.matrices) {
			continue
		}
		z, why := covariates.Row(n.id)
		if text := fmt.Sprintf("%s (%v)", n.id, why); why != nil && !slices.Contains(lacking, text) {
			lacking = append(lacking, text)
		}
		if why != nil {
			continue
		}
		if n.without[m], err = m.matrices.Without(n.matrices, z); err != nil {
			return nil, err
		}
	}
	slices.Sort(lacking)
	return lacking, nil
}

func (s *Predict) newcomer(t *dag.Task, i int) (n newcomer, err error) {
	draws := fold.Params{DrawZero: s.DrawZero}
	if t.Has("edges") {
		n.in = t.All("features")[i]
		n.graphs, err = ReadParticipant(t.All("edges")[i], n.in, draws)
		n.made, n.draws = n.graphs.Made, n.graphs.Draws
	} else {
		n.in = gathered(t)[i]
		var quality *dag.Input
		axes, port := "draw, roi, roi", "quality"
		if ofSeries(t) {
			axes, port = "draw, time, roi", "cleaning"
		}
		for _, q := range t.All(port) {
			if q.Coord("subject") == n.in.Coord("subject") {
				quality = &q
			}
		}
		n.matrices, err = modelfile.ReadPerson(n.in, axes, quality, draws)
		n.matrices.NewSite = s.sites != nil
		n.made, n.draws = n.matrices.Made, n.matrices.Draws
		n.matrices.Holds = s.Holds(map[bool]string{true: "series", false: "matrices"}[ofSeries(t)])
	}
	n.id = n.in.Coord("subject")
	return n, err
}

// data identify those of a participant, as the training saw them.
func (a *applier) data(n newcomer) modelfile.Data {
	if a.graphs != nil {
		return n.graphs.scan()
	}
	return a.matrices.DataOf(n.person(a))
}

// differs are the differences of a participant's data from those of the training.
func (a *applier) differs(n newcomer, names []string) (all []column.Difference, lacked []int, err error) {
	if a.graphs != nil {
		if lacked, err = a.graphs.Graphs.lacks(n.in); err == nil {
			all = a.graphs.Graphs.differs(n.graphs, lacked, names)
		}
		return all, lacked, err
	}
	of := &a.matrices.Matrices
	if all = a.matrices.Differs(n.matrices); n.matrices.Nodes() == of.Nodes {
		if lacked, err = fold.LackedRegions(n.in, of.Series(), of.LeftOut, of.Lacked); lacked != nil {
			all = append(all, lackedDifference(lacked, names))
		}
	}
	return all, lacked, err
}

// predict is what the model says of each draw.
func (a *applier) predict(n newcomer, threads int) (p []gnn.Prediction, err error) {
	if a.graphs != nil {
		p, err = a.graphs.Predict(n.graphs.Graphs, threads)
	} else {
		var rows []float64
		if p, rows, err = a.matrices.Apply(n.person(a), threads); rows != nil {
			a.shift.Add(rows, len(rows)/len(n.draws))
		}
		(&graphFacts{LeftOut: a.matrices.Matrices.LeftOut}).byRegion(p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.id, err)
	}
	for _, one := range p {
		if slices.ContainsFunc(one.Probability, func(x float64) bool { return x-x != 0 }) {
			return nil, fmt.Errorf("%s: %s computes %v, which are not finite: are its weights "+
				"and options damaged?", n.id, a.name, one.Probability)
		}
	}
	return p, nil
}

// Run predicts groups.
func (s *Predict) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	return s.Apply(ctx, t, false)
}

// Apply applies models of groups, or of a number; then the tables have the number in place of a probability.
func (s *Predict) Apply(ctx context.Context, t *dag.Task, number bool) (dag.Outputs, error) {
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	models, err := readAppliers(t, number)
	if err != nil {
		return nil, err
	}
	people := len(gathered(t))
	if n := len(t.All("edges")); n > 0 && n != people {
		return nil, fmt.Errorf("%d participants have edges and %d have features: connect both to the same stage", n, people)
	}
	names, err := column.NodeNames(t)
	if err != nil {
		return nil, err
	}
	var apart []error // all differences are listed at once
	for i, m := range models {
		if i > 0 && slices.Equal(m.names, models[0].names) {
			continue // the same error for each fold
		}
		err := modelfile.AcceptNodes(m.names, names)
		if m.names == nil && names != nil && !slices.Contains(s.Allow, modelfile.AllowUnnamed) {
			err = words.Refuse("the model file has no names of regions, so regions in a different order or of a different atlas would not be detected: connect nodes (cohort.nodes) to the stage that trains the model, and export it again; if the regions and their order are the same, %s",
				words.Setting{Parameter: "allow", Values: []string{modelfile.AllowUnnamed}})
		}
		if err != nil {
			apart = append(apart, words.Refuse("%s: %v", m.name, err))
		}
	}
	removed, err := removals(t, models)
	if err != nil {
		return nil, err
	}
	if err := s.estimate(t, models); err != nil {
		return nil, err
	}
	var lacking []string
	tested := people - s.sites.held()
	out := newPredicted(models, tested, s.Allow)
	out.applied.Named, out.applied.Aside = names != nil, s.sites.held()
	out.applied.NewSites = s.sites.describe(models)
	var refused, accepted column.Differences
	hint := words.Refuse("; to accept a difference, %s", words.Setting{Parameter: "allow", Lead: "list it under"})
	made := lists.Map(models, func(m *applier) string { return m.made })
	for i := range people {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := s.newcomer(t, i)
		if err != nil {
			return nil, err
		}
		made = append(made, n.made)
		for _, m := range models {
			differences, lacked, err := m.differs(n, names)
			if err != nil {
				return nil, err
			}
			for _, d := range differences {
				kind, fitted := strings.CutSuffix(d.Key, column.FittedSuffix)
				if fitted && column.Made(m.made)[d.Key] == nil {
					d.Text = fmt.Sprintf("%s changed the new data by a fit that the models do not have (%s)", kind, d.Key)
				} else if fitted {
					d.Text = fmt.Sprintf("%s changed the training data by a fit to the training participants (%s)", kind, d.Key)
				}
				to := &refused
				if d.Key != "" && slices.Contains(s.Allow, d.Key) {
					to = &accepted
				}
				to.Add(n.id, d.Key == "edges" || d.Key == "features", d)
			}
			if n.made == "" && m.made != "" || !madeBeforeGraphs(n.made) && madeBeforeGraphs(m.made) {
				hint = words.Refuse("; their processing is unknown: connect %s%s",
					map[bool]string{true: "cleaning, denoise's quality",
						false: "quality, of the stage that made their matrices"}[ofSeries(t)],
					map[bool]string{true: ", to the graph stage"}[m.graphs != nil])
			}
			out.lacked = append(out.lacked, lacked...)
		}
		if apart != nil || refused != nil {
			continue
		}
		if err := s.sites.harmonize(&n); err != nil {
			return nil, err
		}
		if s.sites.isControl(n.id) {
			out.known(n, models)
			continue
		}
		lacks, err := n.remove(removed)
		if err != nil {
			return nil, err
		}
		if lacking = append(lacking, lacks...); lacking != nil {
			continue
		}
		out.start(n, models)
		for at, m := range models {
			p, err := m.predict(n, t.Threads)
			if err != nil {
				return nil, err
			}
			out.add(n.id, n.draws, at, p)
		}
		t.Progress(i+1, people, n.id)
	}
	if lacking != nil {
		apart = append(apart, modelfile.RefuseLacking(t.In("participants"), "matrices", models[0].covariates(),
			lacking))
	}
	apart = append(apart, column.NotMade(s.Allow, made, modelfile.Differences(t.Has)...)...)
	if refused != nil {
		who, fits := map[string]bool{}, []string(nil)
		for _, d := range refused {
			if strings.HasSuffix(d.Key, column.FittedSuffix) {
				fits = append(fits, d.Key)
			}
			for _, id := range d.Who {
				who[id] = true
			}
			if d.Key == "regions" {
				hint = words.Refuse("; exclude: [%s], under cohort, or predict from zeros (allow: regions)%v",
					strings.Join(d.Who, ", "), hint)
			}
		}
		if fits != nil {
			if len(fits) == len(refused) {
				hint = words.Refuse("")
			}
			has := len(fits) == 1 && s.sites == nil && !slices.ContainsFunc(models, func(m *applier) bool {
				return m.matrices == nil || m.matrices.Harmonized == nil
			})
			if has {
				hint = words.Refuse("%v; the model files have this fit, and validate and validate-regression can use it to harmonize the sites of the new participants (harmonize: inputs, or harmonize: controls)", hint)
			} else {
				hint = words.Refuse("%v; the model files do not have this fit, so it cannot be applied to other participants: %suse models that were trained without it, or one cohort of both studies, each left out in turn (split with leave_out), or predict from matrices that still have these effects (%s)",
					hint, map[bool]string{true: "train the models with deconfound's fitted at the input removed, "}[slices.Contains(fits,
						"residualize"+column.FittedSuffix)], words.Setting{Parameter: "allow", Values: fits})
			}
		}
		inputs := "graphs"
		if !t.Has("edges") {
			inputs = map[bool]string{true: "series", false: "matrices"}[ofSeries(t)]
		}
		apart = append(apart, words.Refuse("the %s of %s differ from the training %s of %s: %s%v", inputs,
			words.Count(len(who), "participant"), inputs,
			words.Some(lists.Map(models, func(m *applier) string { return m.name }), 4),
			strings.Join(refused.Texts(people), "; "), hint))
	}
	if apart != nil {
		return nil, errors.Join(apart...)
	}
	return out.tables(accepted, names, models), nil
}

// differs are the differences of a participant's graphs from those of the training. lacked are regions without a series
// that all had in training: their features would be zeros, which no correlation is. A number of edges or features
// somewhat beyond what the training saw is no difference: new participants are not the old ones.
func (f *graphFacts) differs(of Participant, lacked []int, names []string) []column.Difference {
	all := column.MadeDiffers(of.Made, f.Made)
	add := func(key, format string, args ...any) {
		all = append(all, column.Difference{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	if lacked != nil {
		all = append(all, lackedDifference(lacked, names))
	}
	for _, g := range of.Graphs {
		if f.Regions > 0 && g.Nodes != f.Regions {
			add("", "%d nodes, not %d", g.Nodes, f.Regions)
			break
		}
		if g = f.reduced(g); g.Nodes != f.Nodes || len(g.Features) != f.Nodes*f.Features {
			add("", "%d nodes of %d features, not %d of %d", g.Nodes, len(g.Features)/g.Nodes, f.Nodes, f.Features)
			break
		}
		if n := float64(len(g.Edges)); n < 0.8*float64(f.Edges[0]) || n > 1.25*float64(f.Edges[1]) {
			add("edges", "%d edges, not %d to %d: does the density differ? (edges)", len(g.Edges), f.Edges[0], f.Edges[1])
		}
		span := max(math.Abs(f.Values[0]), math.Abs(f.Values[1]))
		if at := slices.IndexFunc(g.Features, func(x float64) bool { return math.Abs(x) > 2*span }); at >= 0 {
			add("features", "a feature of %v, in absolute value more than twice the largest of the training, %v (features)",
				g.Features[at], span)
		}
	}
	return all
}

func lackedDifference(lacked []int, names []string) column.Difference {
	return column.Difference{Key: "regions", Text: fmt.Sprintf("no usable series of %s, which all participants had in training",
		regionTexts(lacked, names))}
}

// regionTexts are regions with their names, where these are known.
func regionTexts(regions []int, names []string) string {
	texts := lists.Map(slices.Compact(slices.Sorted(slices.Values(regions))), func(r int) string {
		return fold.NumberAndName(r-1, names)
	})
	return map[bool]string{true: "region ", false: "regions "}[len(texts) == 1] + words.Some(texts, 10)
}

// madeBeforeGraphs reports whether it is known how matrices or series were made, and not only the graphs from them.
func madeBeforeGraphs(made string) bool {
	for name := range column.Made(made) {
		if !strings.HasPrefix(name, "graph.") {
			return true
		}
	}
	return false
}
