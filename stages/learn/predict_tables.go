package learn

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn/modelfile"
)

// predicted gathers the answers of the models, participant by participant.
type predicted struct {
	groups  []string
	applied finding.Applied
	lacked  []int // regions without a series in some participant that all had in training

	participants []predictedPerson
	graphs       []predictedGraph
	each         [][]float64 // graph × group: probability
	scores       []predictedScore
}

// A predictedPerson is what all models say of one participant.
type predictedPerson struct {
	ID          string  `column:"participant_id"`
	Graphs      int32   `column:"graphs" doc:"draws"`
	Models      int32   `column:"models"`
	Trained     int32   `column:"trained" doc:"models with this id in their training, unless their digests show other data"`
	Same        string  `column:"same_data" doc:"number, in the list of a model file, of a training participant of another id with the same data in draw 0, or, with the word rounded, data that are the same after rounding; empty: none"`
	Predicted   string  `column:"predicted"`
	Probability float64 `column:"probability" doc:"of the predicted group, mean over graphs and models"`
}

// A predictedGraph is what one model says of one graph.
type predictedGraph struct {
	ID          string  `column:"participant_id"`
	Draw        int32   `column:"draw"`
	Model       int32   `column:"model" doc:"from 1, in the order of the trainings"`
	Predicted   string  `column:"predicted"`
	Probability float64 `column:"probability" doc:"of the predicted group"`
}

// A predictedScore is the pooling score that one model gives to one node of one graph in one layer.
type predictedScore struct {
	ID    string `column:"participant_id"`
	Draw  int32  `column:"draw"`
	Model int32  `column:"model" doc:"from 1, in the order of the trainings"`
	column.NodeScore[float64]
}

func newPredicted(models []*applier, participants int, allow []string) *predicted {
	p := &predicted{groups: models[0].Groups}
	if models[0].Target != nil {
		p.groups = []string{column.Target}
	}
	p.applied = finding.Applied{Participants: participants, Allow: allow}
	for _, m := range models {
		p.applied.AddModel(m.Participants, m.Scans != nil)
	}
	return p
}

// start begins a participant.
func (p *predicted) start(n newcomer, models []*applier) {
	one := predictedPerson{ID: n.id, Graphs: int32(len(n.draws)), Models: int32(len(models))}
	one.Trained, one.Same = p.known(n, models)
	p.participants = append(p.participants, one)
}

// known notes whether the id or scan of a participant is in the training of some models. Of data that were made in the
// same way, the digests decide whether one of an id in the training is that participant's scan.
func (p *predicted) known(n newcomer, models []*applier) (trained int32, same string) {
	equal, own := false, false
	for _, m := range models {
		candidates := n.asTrained[m]
		if candidates == nil {
			candidates = []modelfile.Data{m.data(n)}
		}
		at, scan, rounded := m.Participant(n.id), -1, false
		for _, data := range candidates {
			if scan < 0 {
				scan, rounded = m.Scan(data, m.rounded)
			}
		}
		if at >= 0 {
			decided := m.Scans != nil && m.Scans[at] != "" && candidates[0].Digest != "" && n.made != "" &&
				n.made == m.made
			if decided && scan != at {
				equal = true
			} else {
				trained++
			}
		}
		own = own || scan >= 0 && scan == at
		if scan >= 0 && scan != at {
			same = fmt.Sprintf("number %d of %s%s", scan+1, m.name, map[bool]string{true: ", rounded"}[rounded])
		}
	}
	if own {
		p.applied.Own = append(p.applied.Own, n.id)
	}
	p.applied.AddParticipant(n.id, trained > 0, equal, same)
	return trained, same
}

func (p *predicted) add(id string, draws []int, model int, answers []gnn.Prediction) {
	for i, a := range answers {
		draw, number := int32(draws[i]), int32(model+1)
		p.graphs = append(p.graphs, predictedGraph{id, draw, number, p.groups[a.Class], a.Probability[a.Class]})
		p.each = append(p.each, a.Probability)
		for l, s := range a.Layers {
			for j, node := range s.Node {
				p.scores = append(p.scores,
					predictedScore{id, draw, number, column.NodeScore[float64]{Layer: int32(l + 1), Index: node + 1,
						Score: s.Score[j], Kept: s.Kept[j]}})
			}
		}
	}
}

func (p *predicted) tables(accepted column.Differences, names []string, models []*applier) dag.Outputs {
	cases := make([]fold.Case, len(p.graphs))
	for i, g := range p.graphs {
		cases[i] = fold.Case{Id: g.ID, Probability: p.each[i]}
	}
	var means [][]float64 // participant × group
	for i, of := range fold.OverDraws(cases) {
		one := &p.participants[i]
		one.Predicted, one.Probability = p.groups[of.Predicted], of.Probability[of.Predicted]
		means = append(means, of.Probability)
	}
	if p.applied.Accept(accepted, len(p.participants)+p.applied.Aside); p.applied.Zeros != nil {
		p.applied.Regions = regionTexts(p.lacked, names)
	}
	p.describe(models)
	p.applied.LeftOut = lists.Map(leftOut(models), func(r int) string { return fold.NumberAndName(r-1, names) })
	return dag.Outputs{
		"participants": column.WithMeta(encoding.NewTable(append(column.Columns(p.participants),
			groupColumns(p.groups, means)...)...), p.applied.Meta()),
		"predictions": encoding.NewTable(append(column.Columns(p.graphs), groupColumns(p.groups, p.each)...)...),
		"scores":      column.Table(p.scores),
	}
}

// leftOut are the regions, from 1, that no model takes.
func leftOut(models []*applier) []int {
	of := func(m *applier) []int {
		if m.graphs != nil {
			return m.graphs.Graphs.LeftOut
		}
		return m.matrices.Matrices.LeftOut
	}
	return slices.DeleteFunc(slices.Clone(of(models[0])), func(r int) bool {
		return slices.ContainsFunc(models, func(m *applier) bool { return !slices.Contains(of(m), r) })
	})
}

// describe states what the models are, and how far the inputs of their training are from those of the participants.
func (p *predicted) describe(models []*applier) {
	a := &p.applied
	a.Groups, a.Calibrated, a.Counts = p.groups, true, map[string]int{}
	a.Model, a.Inputs, a.Removed = models[0].Model, "graphs", removedFrom(models[0])
	if a.Column = models[0].Column; slices.ContainsFunc(models, func(m *applier) bool { return m.Column == "" }) {
		a.Column = ""
	}
	p.describeInputs(models)
	origin := func(m *applier) *modelfile.Origin { return m.Origin }
	a.Parameters, a.Differing = modelfile.Settings(lists.Map(models, origin))
	for _, group := range p.groups {
		of := finding.GroupRange{Group: group, Least: models[0].Counts[group]}
		for _, m := range models {
			of.Least, of.Most = min(of.Least, m.Counts[group]), max(of.Most, m.Counts[group])
		}
		if of.Most > 0 {
			a.Sizes = append(a.Sizes, of)
		}
	}
	shift := finding.Shift{}
	share := 1 / float64(len(models))
	var pooled, sds []float64 // of each input: the difference of the means, weighted over the models, and the SD
	weight := 0.0
	for _, m := range models {
		for _, name := range m.covariates() {
			a.Deconfounded = lists.Add(a.Deconfounded, name)
		}
		if m.matrices != nil && m.matrices.Removed != nil && m.matrices.Removed.Controls != "" {
			a.FittedTo = m.matrices.Removed.Controls
		}
		if m.Study != nil {
			a.Question(m.Study.Questioned)
		}
		a.Calibrated = a.Calibrated && m.Calibrated
		if m.Content == "" {
			a.Undigested++
		}
		if m.names == nil {
			a.Unnamed++
		}
		if m.Target != nil {
			a.Mean += float64(share * m.Target[0])
		}
		if m.Threshold > 0 && !slices.Contains(a.Thresholds, m.Threshold) {
			a.Thresholds = append(a.Thresholds, m.Threshold)
		}
		for group, n := range m.Counts {
			a.Counts[group] += n
		}
		if m.matrices == nil {
			continue
		}
		if m.made == "" {
			a.Unknown++
		}
		if m.shift.N > 1 {
			all, sd := m.matrices.Shift(&m.shift)
			pooled = append(pooled, make([]float64, max(0, len(all)-len(pooled)))...)
			n := float64(len(m.Participants))
			weight, sds = weight+n, sd
			for j, d := range all {
				pooled[j] += float64(n * d)
				all[j] = math.Abs(d / sd[j])
			}
			slices.Sort(all)
			if len(all) > 0 {
				shift.Inputs = len(all)
				shift.Median += float64(share * inference.Quantile(all, 0.5))
				shift.High += float64(share * inference.Quantile(all, 0.95))
				shift.Most += float64(share * all[len(all)-1])
			}
		}
	}
	if shift.Inputs > 0 {
		a.Shift = &shift
		a.SameMeans = len(sds) == len(pooled) && inference.SameMeans(pooled, sds, weight, a.Participants, a.Trained)
	}
}

// describeInputs states what the models take.
func (p *predicted) describeInputs(models []*applier) {
	a := &p.applied
	for _, of := range lists.By(lists.Map(models, takes), func(t finding.Takes) finding.Takes { return t }) {
		of.Key.Models = len(of.All)
		a.Takes = append(a.Takes, of.Key)
	}
	one := a.Takes[0]
	if a.Inputs, a.Holds, a.ZScored = one.Inputs, one.Holds, one.ZScored; len(a.Takes) == 1 {
		a.Takes = nil
	}
}

// takes are the inputs of a model.
func takes(m *applier) finding.Takes {
	if m.matrices == nil {
		return finding.Takes{Inputs: "graphs"}
	}
	of := &m.matrices.Matrices
	return finding.Takes{Inputs: map[bool]string{true: "fisher", false: of.Port}[of.Fisher],
		Holds: of.Data().String(), ZScored: m.matrices.Standardized()}
}
