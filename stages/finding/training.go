package finding

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
)

// stuckSkill is the least skill of a training that has learned something: the share of the way from the majority
// rate to 1 that its training accuracy goes, (accuracy − majority)/(1 − majority). As a chance-corrected
// agreement, values to 0.2 are called slight (Landis and Koch, Biometrics 33 (1977), 159). With a majority of 0.636
// the threshold is an accuracy of 0.709.
const stuckSkill = 0.2

// mostOverfit is how much larger the accuracy on training graphs may be than that on test graphs.
const mostOverfit = 0.15

// A Training is the end of the training of one network.
type Training struct {
	Model    string // of column.Classifiers; "" where the history has none
	Coords   []dag.Coord
	Accuracy float64
	Majority float64 // rate; NaN where the history has none
	Mixed    bool    // the accuracy is of mixed graphs, which is lower than that of the graphs
	Limit    float64 // of one that did not learn: the accuracy from which it would have
}

// unknown reports whether it is not known if the graphs were learned.
func (t Training) unknown() bool { return t.Mixed || math.IsNaN(t.Majority) }

// of reports whether the training may be of the setting of a row: they agree on the axes that both have.
func (t Training) of(r Row) bool {
	return cmp.Or(t.Model, column.PrGNN) == modelOf(r) && !slices.ContainsFunc(r.Coords, func(c dag.Coord) bool {
		own := column.ValueOn(t.Coords, c.Axis)
		return own != "" && own != c.Value
	})
}

// An EpochRow is one epoch of a training (train's history).
type EpochRow struct {
	Accuracy float64 `column:"train_accuracy"`
	Majority float64 `column:"majority,optional"`
}

// ReadTrainings reads the last epochs of all networks; a history without rows is of a classifier that has no epochs.
// The coordinates are those that tell the trainings of a model apart.
func ReadTrainings(t *dag.Task) (all []Training, err error) {
	stages := map[string][]string{} // by model
	for _, in := range t.All("training") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		rows, err := column.Read[EpochRow](in)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			continue
		}
		model := table.Meta["model"]
		if _, ok := table.Column("glc"); ok { // the group-level loss is PR-GNN's own
			model = column.PrGNN
		}
		end := rows[len(rows)-1]
		all = append(all, Training{model, in.Coords, end.Accuracy, end.Majority,
			table.Meta[column.MixedTraining] != "", 0})
		if stage := in.Coord("stage"); !slices.Contains(stages[model], stage) {
			stages[model] = append(stages[model], stage)
		}
	}
	for i, of := range all {
		all[i].Coords = slices.DeleteFunc(slices.Clone(of.Coords), func(c dag.Coord) bool {
			return of.Model != "" && (c.Axis == "stage" && len(stages[of.Model]) == 1 || c.Axis == "model")
		})
	}
	return all, nil
}

// Learning is what trainings achieved on their own graphs.
type Learning struct {
	Unknown []Training // it is not known whether they learned the graphs
	Stuck   []Training // they did not
	Judged  int        // trainings of which it is known
	Least   float64    // the limits of these: the smallest
	Most    float64    // and the largest, since the majority-class rates of the folds differ
	Compare []Compared
}

// Compared is the mean accuracy of the models that the page is about, on training and on test graphs, over the settings
// of the trainings.
type Compared struct {
	Model          string // of column.Classifiers
	Named          bool   // the page has other classifiers
	Training, Test float64
	Models         int
}

// Learned judges trainings; rows are the accuracies on test participants.
func Learned(all []Training, rows []Row) Learning {
	l := Learning{Least: 1}
	for _, t := range all {
		if t.unknown() {
			l.Unknown = append(l.Unknown, t)
			continue
		}
		l.Judged++
		if threshold := t.Majority + float64(stuckSkill*(1-t.Majority)); t.Accuracy < threshold {
			t.Limit = threshold
			l.Stuck, l.Least, l.Most = append(l.Stuck, t), min(l.Least, threshold), max(l.Most, threshold)
		}
	}
	tested, trained := map[string][]float64{}, map[string][]float64{} // by model
	named, mixed := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		if r.Own && r.Level == "graph" && slices.ContainsFunc(all, func(t Training) bool { return t.of(r) }) {
			model := modelOf(r)
			tested[model] = append(tested[model], r.Accuracy)
			named[model] = named[model] || r.Title != ""
		}
	}
	for _, t := range all {
		if !slices.ContainsFunc(rows, t.of) {
			continue
		}
		model := cmp.Or(t.Model, column.PrGNN)
		trained[model] = append(trained[model], t.Accuracy)
		mixed[model] = mixed[model] || t.Mixed
	}
	for _, model := range slices.Sorted(maps.Keys(tested)) {
		if trained[model] == nil || mixed[model] {
			continue
		}
		of, _ := column.MeanSD(trained[model])
		on, _ := column.MeanSD(tested[model])
		l.Compare = append(l.Compare, Compared{model, named[model], of, on, len(trained[model])})
	}
	return l
}

// Findings are about networks that did not learn, and about those that learned by heart.
func (l Learning) Findings() (all List) {
	if l.Stuck != nil {
		all.Study("training.stuck", Overturns, values{"Stuck": l.Stuck, "N": len(l.Stuck),
			"Of": l.Judged, "Least": l.Least, "Most": l.Most})
	}
	for _, c := range l.Compare {
		stuck := slices.ContainsFunc(l.Stuck, func(t Training) bool { return cmp.Or(t.Model, column.PrGNN) == c.Model })
		if c.Training-c.Test > mostOverfit && !stuck {
			all.Study("training.overfit", Notes, c)
		}
	}
	return all
}

// RegionsLeftOut is the finding about regions that models excluded for all participants; of has what each predictions
// table states, nil for none.
func RegionsLeftOut(of []*column.RegionsLeftOut) (all List) {
	var each []*column.RegionsLeftOut // that differ
	for _, left := range of {
		if left == nil {
			continue
		}
		at := slices.IndexFunc(each, func(e *column.RegionsLeftOut) bool {
			return slices.Equal(e.Regions, left.Regions)
		})
		if at < 0 {
			each = append(each, left)
		} else if left.Lacking > each[at].Lacking {
			each[at] = left
		}
	}
	for _, left := range each {
		n, kept := float64(left.All), float64(left.All-len(left.Regions))
		all.Study("regions.left-out", Limits, values{"N": len(left.Regions), "All": left.All, "Regions": left.Names,
			"Share": 1 - kept*(kept-1)/(n*(n-1)), "Lacking": left.Lacking, "Participants": left.Participants,
			"Every": !slices.Contains(of, nil) && len(each) == 1})
	}
	return all
}
