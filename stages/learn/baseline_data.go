package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/region"
	"prgnn/stages/region/sitefit"
)

// A rowSet is the inputs of a study, a row a graph: those of the training side first.
type rowSet struct {
	*trainingSet
	all   baseline.Rows
	at    []int         // the row of each graph of the set
	label []int         // of each row
	train baseline.Rows // the training side
	mean  []float64     // of each input in training
	sd    []float64     // of each input in training, by which it is divided; nil: by nothing
	out   []bool        // regions that are left out; nil: none
	about modelfile.Matrices
	scans map[string]modelfile.Data // the data of each training participant

	absent map[string][]bool // of each participant of matrices: regions without a usable series
}

// readRows reads what a model is trained on. paired is for models that compare each training graph with each.
func readRows(t *dag.Task, p fold.Params, form modelfile.Form, standardize string, paired bool) (*rowSet, error) {
	r := &rowSet{scans: map[string]modelfile.Data{}, absent: map[string][]bool{}}
	if err := r.read(t, p, form, paired); err != nil {
		return nil, err
	}
	r.label = make([]int, r.all.N)
	taught := 0
	for i, row := range r.rows {
		r.label[r.at[i]] = row.Label
		taught += 1 - row.Side
	}
	r.train = r.all.First(taught)
	if standardize == "training" {
		r.mean, r.sd = baseline.Standardize(r.train, r.all)
	}
	return r, nil
}

// inSet gives what was made of the rows, as many values of each, in the order of the set.
func inSet[T any](r *rowSet, made []T) []T {
	each, out := len(made)/len(r.at), make([]T, 0, len(made))
	for _, i := range r.at {
		out = append(out, made[i*each:][:each]...)
	}
	return out
}

// read gives the inputs of each matrix as a row, and puts each participant on its side of the fold. It goes
// through the participants twice, so that the rows of each side lie together and nothing is held a second time.
func (r *rowSet) read(t *dag.Task, p fold.Params, form modelfile.Form, paired bool) error {
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return err
	}
	r.trainingSet = &trainingSet{groups: d.Groups}
	nodes := 0
	if form.Tangent() {
		facts, _, err := region.ReadReference(t.In("fitted"))
		if err == nil {
			nodes, err = facts.Nodes, d.RefuseFit(t.In("fitted"), facts.Repeat, facts.Fold)
		}
		if err != nil {
			return err
		}
	}
	if form.States() {
		facts, _, err := region.ReadStates(t.In("states_fitted"))
		if err == nil {
			err = d.RefuseFit(t.In("states_fitted"), facts.Repeat, facts.Fold)
		}
		if err != nil {
			return err
		}
	}
	inputs := t.All(form.Port)
	if !form.States() { // two participants may stay in the same states
		if err := fold.RefuseDuplicates(inputs, d); err != nil {
			return err
		}
		names, err := column.NodeNames(t)
		if err != nil {
			return err
		}
		if r.out, r.left, err = p.LeftOut(inputs, d, fold.AbsentRows, names); err != nil {
			return err
		}
		if r.left != nil && form.Tangent() { // whose matrices are without them already
			r.left.Lacking = 0
		}
	}
	taught := 0 // inputs
	for _, in := range inputs {
		of, err := d.Row(in)
		if err != nil {
			return err
		}
		if of.Side == 0 {
			taught++
		}
	}
	graphs := make([][]fold.Row, len(inputs))
	first := make([]int, len(inputs)) // the first row of each input
	for side := range 2 {
		for i, in := range inputs {
			of, err := d.Row(in)
			if err != nil {
				return err
			}
			if of.Side != side {
				continue
			}
			first[i] = r.all.N
			if graphs[i], err = r.add(of, in, len(inputs), p, form, &nodes); err != nil {
				return err
			}
			if r.all.N == len(graphs[i]) && paired { // the first
				if err := baseline.TooMany(taught * r.all.N); err != nil {
					return err
				}
			}
			t.Progress(side*len(inputs)+i+1, 2*len(inputs), "reading")
		}
	}
	r.about.Form, r.about.Nodes = form, nodes
	r.about.Holds = p.Holds(form.Port).Before().String()
	if err := r.describe(t, d, inputs, "quality"); err != nil {
		return err
	}
	for i, of := range graphs {
		for j, row := range of {
			r.rows, r.at = append(r.rows, row), append(r.at, first[i]+j)
		}
	}
	return r.check(d)
}

// add adds the matrices of one of count participants. nodes is how many regions the others have, 0 before the first.
func (r *rowSet) add(of fold.Row, in dag.Input, count int, p fold.Params, form modelfile.Form, nodes *int) ([]fold.Row,
	error) {
	m, err := readMatrices(in, form, p)
	switch {
	case err != nil:
		return nil, err
	case *nodes == 0:
		*nodes = m.nodes
	case m.nodes != *nodes:
		return nil, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, m.nodes, *nodes)
	}
	if r.all.X == nil {
		r.all.D = form.Width(m.nodes)
		r.all.X = make([]float64, 0, count*len(m.draws)*r.all.D)
	}
	if r.absent[of.Id] = m.absent; of.Side == 0 {
		r.scans[of.Id] = m.data
	}
	before := len(r.all.X)
	r.all.X = append(r.all.X, m.rows...)
	var graphs []fold.Row
	for i, draw := range m.draws {
		form.LeaveOut(r.all.X[before+i*r.all.D:][:r.all.D], r.out)
		of.Draw = draw
		graphs = append(graphs, of)
	}
	r.all.N += len(graphs)
	return graphs, nil
}

// matrices are those of one participant, as models of all folds read them.
type matrices struct {
	nodes  int
	draws  []int     // their numbers
	rows   []float64 // of each of them
	data   modelfile.Data
	absent []bool // regions without a usable series
}

func (m *matrices) Size() int64 { return int64(8*len(m.rows) + 1024) }

// A rowReader is what is read of matrices: tasks that read the same share it.
type rowReader struct {
	form modelfile.Form
	zero bool
	some int // draws
}

var rowReaders sync.Map // rowReader → *func(dag.Input) (*matrices, error)

// readMatrices reads the matrices of a participant once for all tasks of a run that see them in the same form.
func readMatrices(in dag.Input, form modelfile.Form, p fold.Params) (*matrices, error) {
	read := func(in dag.Input) (*matrices, error) {
		draws, err := region.ReadDraws(in, "draw, roi, roi")
		if err != nil {
			return nil, err
		}
		n := draws[0].Rows
		m := &matrices{nodes: n}
		if m.draws, err = p.Numbers(len(draws), in.Name); err != nil {
			return nil, err
		}
		switch {
		case form.States() && draws[0].Cols != n+2:
			return nil, fmt.Errorf("%s: %d × %d numbers, want features of the stage occupancy", in.Name, n, draws[0].Cols)
		case !form.States() && (n != draws[0].Cols || n < 2):
			return nil, fmt.Errorf("%s: %d × %d numbers, want a symmetric matrix", in.Name, n, draws[0].Cols)
		}
		m.data, m.absent = modelfile.DataOf(draws[0].Data), fold.AbsentRows(region.Stack(draws))
		m.rows = make([]float64, 0, len(m.draws)*form.Width(n))
		for _, draw := range m.draws {
			if m.rows, err = form.Row(m.rows, draws[draw].Data, n); err != nil {
				return nil, fmt.Errorf("%s, draw %d: %w", in.Name, draw, err)
			}
		}
		return m, nil
	}
	known, _ := rowReaders.LoadOrStore(rowReader{form, p.DrawZero, p.Draws}, &read)
	return dag.ReadOnce(in, known.(*func(dag.Input) (*matrices, error)))
}

// readMade is how matrices were made, by the table of their quality.
var readMade = func(quality dag.Input) (string, error) {
	t, err := quality.Table()
	if err != nil {
		return "", err
	}
	return t.Meta["made"], nil
}

// describe states how the matrices were made, as far as the stage is connected to what states it, the port quality.
func (r *rowSet) describe(t *dag.Task, d *fold.Division, inputs []dag.Input, quality string) (err error) {
	if r.about.Names, err = column.NodeNames(t); err != nil {
		return err
	}
	if n := r.about.Names; n != nil && len(n) != r.about.Nodes && !r.about.States() {
		return fmt.Errorf("%s lists %d nodes, but the data have %d", t.In("nodes").Name, len(n), r.about.Nodes)
	}
	for i, q := range t.All(quality) {
		made, err := dag.ReadOnce(q, &readMade)
		if err != nil {
			return err
		}
		if i == 0 {
			r.about.Made = made
		}
		if made != r.about.Made {
			return fmt.Errorf("%s: its data were processed differently from those of other participants: %s", q.Name,
				strings.Join(column.MadeApart(made, r.about.Made), "; "))
		}
	}
	if all := column.Made(r.about.Made); r.about.Tangent() && all["project.fitted"] != nil {
		delete(all, "project.fitted") // the file has the reference itself, and is applied to matrices before it
		r.about.Made = column.JSON(all)
	}
	for i, is := range r.out {
		if is {
			r.about.LeftOut = append(r.about.LeftOut, i+1)
			r.facts.LeftOut = r.about.LeftOut
		}
	}
	if r.about.States() {
		return nil
	}
	for _, in := range inputs {
		if d.Side[in.Coord("subject")] != 0 {
			continue
		}
		absent, known := r.absent[in.Coord("subject")]
		if !known {
			if absent, err = fold.Absent(in, r.about.Form.Series()); err != nil {
				return err
			}
		}
		r.about.Lacked = append(r.about.Lacked, fold.Lacked(absent, r.about.LeftOut, r.about.Lacked)...)
	}
	slices.Sort(r.about.Lacked)
	return nil
}

// removal adds what covariates explain of the matrices, where these are of residualize and the fit is connected.
func (r *rowSet) removal(t *dag.Task, a *modelfile.About, f *modelfile.Fits) error {
	if !t.Has("removed") || !modelfile.Removes(r.about.Made) {
		return nil
	}
	in := t.In("removed")
	facts, fit, design, err := fold.ReadEdgeFit(in)
	if err != nil {
		return err
	}
	digest := in.Ref.Digest.String()
	switch {
	case !modelfile.RemovedBy(r.about.Made, digest):
		return fmt.Errorf("%s is not the fit that residualize removed from the matrices: connect fitted of the same stage deconfound and fold, or leave removed out", in.Name)
	case facts.Nodes != r.about.Nodes:
		return fmt.Errorf("%s: the fit has %d regions, but the matrices have %d", in.Name, facts.Nodes, r.about.Nodes)
	case fit.Transform == "tangent" && !r.about.Tangent():
		return fmt.Errorf("%s: a fit to tangent matrices, but the model takes correlations: connect tangent", in.Name)
	case design == nil || r.about.States():
		return nil
	}
	a.Removed, f.Removal = &modelfile.Removed{Fit: digest, Design: *design, Controls: facts.Controls,
		EdgeFacts: facts.EdgeFacts}, &fit
	a.Matrices.Made = modelfile.BeforeRemoval(a.Matrices.Made)
	return nil
}

// harmonization adds ComBat's fit, where the matrices are of harmonize and the fit is connected.
func (r *rowSet) harmonization(t *dag.Task, p fold.Params, a *modelfile.About, f *modelfile.Fits) error {
	if !t.Has("harmonized") || !modelfile.Harmonizes(r.about.Made) {
		return nil
	}
	in := t.In("harmonized")
	facts, fit, err := sitefit.Read(in)
	if err != nil {
		return err
	}
	d, err := p.Divide(t.In("folds"))
	if err != nil {
		return err
	}
	digest := in.Ref.Digest.String()
	switch {
	case !modelfile.HarmonizedBy(r.about.Made, digest):
		return fmt.Errorf("%s is not the fit that harmonize applied to the matrices: connect fitted of the same combat stage and fold, or disconnect harmonized", in.Name)
	case modelfile.Removes(r.about.Made):
		return fmt.Errorf("%s: residualize also changed the matrices, and a model file has only one of the two fits: disconnect harmonized", in.Name)
	case r.about.Tangent() || r.about.States():
		return fmt.Errorf("%s: the model takes tangent matrices or states of harmonized matrices, but a new site can only be harmonized for models of correlation matrices: disconnect harmonized", in.Name)
	case facts.Nodes != r.about.Nodes:
		return fmt.Errorf("%s: the fit has %d regions, but the matrices have %d", in.Name, facts.Nodes, r.about.Nodes)
	}
	a.Harmonized, f.Sites = &modelfile.Harmonized{Fit: digest, Facts: *facts}, fit
	return d.RefuseFit(in, facts.Repeat, facts.Fold)
}

// file is the model file of a model of the rows.
func (r *rowSet) file(t *dag.Task, p fold.Params, h modelfile.Header, model baseline.Stored,
	net *modelfile.Network) (artifacts.Bytes, error) {
	a := modelfile.About{Header: h, Fitted: model, Network: net, Matrices: r.about, Fold: p.Fold, Repeat: p.Repeat}
	f := modelfile.Fits{Mean: r.mean, SD: r.sd}
	var err error
	if err = cmp.Or(r.removal(t, &a, &f), r.harmonization(t, p, &a, &f)); err != nil {
		return artifacts.Bytes{}, err
	}
	if r.about.Tangent() {
		if a.Tangent, f.Space, err = region.ReadReference(t.In("fitted")); err != nil {
			return artifacts.Bytes{}, err
		}
	}
	if r.about.States() { // two participants may stay in the same states
		clear(r.scans)
	}
	var ids []string
	var scans []modelfile.Data
	for i, row := range r.rows {
		if row.Side != 0 || i > 0 && r.rows[i-1].Id == row.Id { // the draws of a participant follow each other
			continue
		}
		last := i
		for last < len(r.rows) && r.rows[last].Id == row.Id {
			last++
		}
		d := r.all.D
		if d > 0 { // of series, there are none
			f.Training.Add(r.all.X[r.at[i]*d:(r.at[last-1]+1)*d], d)
		}
		ids, scans = append(ids, row.Id), append(scans, r.scans[row.Id])
	}
	if a.Training, err = modelfile.ListTraining(t, p.Repeat, ids, scans); err != nil {
		return artifacts.Bytes{}, err
	}
	return modelfile.Write(a, f)
}

// innerRows is the inner fold of each training row, from 0; nil where there is nothing to choose of the penalties.
func innerRows(set *trainingSet, p fold.Params, penalties []float64, count int, seed uint64,
	name string) ([]int, error) {
	if len(penalties) < 2 {
		return nil, nil
	}
	of, err := innerFolds(set, p, count, seed, "inner", name)
	if err != nil {
		return nil, err
	}
	var folds []int
	for _, r := range set.rows {
		if r.Side == 0 {
			folds = append(folds, of[r.Id])
		}
	}
	return folds, nil
}

// fewEnough tells from the planned folds whether a model that compares each training graph with each has too many, with
// so many graphs a participant.
func fewEnough(planned *encoding.Table, p fold.Params, model string, graphs int) error {
	members, err := column.Rows[fold.LabeledMember](planned)
	if err != nil {
		return err
	}
	taught := 0
	for _, m := range members {
		if int(m.Repeat) == p.Repeat && m.Fold != 0 && int(m.Fold) != p.Fold {
			taught++
		}
	}
	if err := baseline.TooMany(taught * graphs); err != nil {
		return fmt.Errorf("%s, fold %d: %w", model, p.Fold, err)
	}
	return nil
}
