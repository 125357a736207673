package stages

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
)

// prGNN is how predictions of the kind train say what made them.
const prGNN = "pr-gnn"

// classifiers are the models of the kinds train and baseline, in words. What the
// metadata of predictions say of their model is one of these.
var classifiers = map[string]string{
	prGNN: "PR-GNN", "majority": "majority class", "svm": "SVM (RBF)", "linear-svm": "linear SVM", "ridge": "ridge regression", "logistic": "logistic regression",
	"forest": "random forest", "mlp": "MLP", "brainnetcnn": "BrainNetCNN", "li2019": "Li et al. 2019",
}

// nameClassifiers names settings for people: by their model, then by what else tells
// them apart; the stage is told only of those that would have one name otherwise.
// models are what the predictions say of themselves, "" where they say nothing.
func nameClassifiers(settings [][]dag.Coord, models []string) []string {
	names, stages, count := make([]string, len(settings)), make([]string, len(settings)), map[string]int{}
	for i, coords := range settings {
		model, seed := models[i], ""
		var rest []dag.Coord
		for _, c := range coords {
			switch c.Axis {
			case "stage":
				stages[i] = c.Value
			case "model":
				model = c.Value
			case "seed": // settingName is of all seeds
				seed = "seed " + c.Value
			default:
				rest = append(rest, c)
			}
		}
		if word := classifiers[model]; word != "" {
			model = word
		}
		if model == "" { // of somebody else's program
			model, stages[i] = stages[i], ""
		}
		names[i] = joinTexts(", ", model, settingName(rest), seed)
		count[names[i]]++
	}
	for i := range names {
		if count[names[i]] > 1 && stages[i] != "" {
			names[i] += " (" + stages[i] + ")"
		}
	}
	return names
}

// joinTexts joins the texts that are not empty.
func joinTexts(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), by)
}

// namesOf names the rows of a table for people: by its own column of names, or, in
// a table that has none, by the columns that settingsOf reads.
func namesOf(t *artifacts.Table, own ...string) ([]string, error) {
	if _, ok := t.Column("name"); ok {
		return t.Strings("name")
	}
	settings, err := settingsOf(t, own...)
	for i, s := range settings {
		settings[i] = shownSetting(s)
	}
	return settings, err
}

// compareNamed puts PR-GNN first, then the others, the most accurate before, and the
// majority class, which has learnt nothing, last.
func compareNamed(a, b string, accuracyA, accuracyB float64) int {
	place := func(name string) int {
		switch {
		case strings.HasPrefix(name, classifiers[prGNN]):
			return 0
		case strings.HasPrefix(name, classifiers["majority"]):
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(accuracyB, accuracyA))
}
