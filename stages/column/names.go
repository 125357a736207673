package column

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
)

// SettingText names a setting in a message: " of pool=topk".
func SettingText(coords []dag.Coord) string {
	if len(coords) == 0 {
		return ""
	}
	return " of " + CoordText(coords)
}

// CoordText names a setting: "stage=train pool=topk".
func CoordText(coords []dag.Coord) string { return strings.Join(CoordTexts(coords), " ") }

// ValueOn is the value of a setting on an axis; "" for none.
func ValueOn(coords []dag.Coord, axis string) string {
	for _, c := range coords {
		if c.Axis == axis {
			return c.Value
		}
	}
	return ""
}

// Without are the coordinates but for those on some axes.
func Without(coords []dag.Coord, axes ...string) []dag.Coord {
	return slices.DeleteFunc(slices.Clone(coords), func(c dag.Coord) bool { return slices.Contains(axes, c.Axis) })
}

// NameDoc is the doc of a column with a setting in words, by which a report finds it.
const NameDoc = "display name of the classifier"

// SettingCoords are the coordinates of a training that identify its setting: all but fold, repeat and seed.
func SettingCoords(coords []dag.Coord) []dag.Coord { return Without(coords, "fold", "repeat", "seed") }

// SettingName names a setting by its coordinates, for people: "TopK, BCE, λ 0.1, 0".
func SettingName(coords []dag.Coord) string {
	own := SettingCoords(coords)
	words := map[string]string{"pool=topk": "TopK", "pool=sage": "SAGE", "distance=bce": "BCE", "distance=mmd": "MMD"}
	order := []string{"stage", "model", "pool", "distance", "lambda"}
	rank := func(axis string) int {
		if i := slices.Index(order, axis); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(own, func(a, b dag.Coord) int { return rank(a.Axis) - rank(b.Axis) })
	var parts []string
	for _, c := range own {
		switch word := words[c.Axis+"="+c.Value]; {
		case word != "":
			parts = append(parts, word)
		case c.Axis == "stage" || c.Axis == "model":
			parts = append(parts, c.Value)
		case c.Axis == "lambda":
			parts = append(parts, "λ "+strings.Trim(c.Value, "[]"))
		default:
			parts = append(parts, c.Axis+" "+c.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// PrGNN is how predictions of the kind train say what made them.
const PrGNN = "pr-gnn"

// MixedTraining is the metadata by which a history says that its training accuracy is of mixed graphs (mixup): it is
// lower than that of the graphs themselves.
const MixedTraining = "mixed"

// Classifiers are the models of the kinds train, baseline and regression, in words. What the
// metadata of predictions say of their model is one of these.
var Classifiers = map[string]string{
	PrGNN: "PR-GNN", "majority": "majority classifier", "svm": "SVM (RBF)", "linear-svm": "linear SVM",
	"ridge": "ridge regression", "logistic": "logistic regression",
	"kernel-ridge": "kernel ridge regression", "forest": "random forest", "mlp": "MLP",
	"mean": "mean of the training participants", "svr": "linear SVR", "rbf-svr": "SVR (RBF)",
	"brainnetcnn": "BrainNetCNN", "meanmlp": "meanMLP", "bnt": "Brain Network Transformer", "braingnn": "BrainGNN",
	"li2019": "Li et al. 2019",
}

// ClassifierOf is the model of a setting: what its predictions state, if it is one of Classifiers, else its coordinate,
// which a decision may call otherwise; "" for neither.
func ClassifierOf(setting []dag.Coord, stated string) string {
	if Classifiers[stated] != "" {
		return stated
	}
	return cmp.Or(ValueOn(setting, "model"), stated)
}

// NameClassifiers names settings for people: by their model, then by what else tells
// them apart, then by the stage where others would have the same name. Such a stage is
// stated with all of its models, since their data differ, too, except for the one stage
// that also has the classifier that needs no data: the usual one.
// models are what the predictions say of themselves, "" where they say nothing.
func NameClassifiers(settings [][]dag.Coord, models []string) []string {
	names, stages, count := make([]string, len(settings)), make([]string, len(settings)), map[string]int{}
	usual := map[string]bool{} // stages with a model that needs no data
	for i, coords := range settings {
		model, seed := ClassifierOf(coords, models[i]), ""
		var rest []dag.Coord
		for _, c := range coords {
			switch c.Axis {
			case "stage":
				stages[i] = c.Value
			case "model":
				if c.Value != model { // an option of a decision
					rest = append(rest, c)
				}
			case "seed": // settingName is of all seeds
				seed = "seed " + c.Value
			default:
				rest = append(rest, c)
			}
		}
		if model == "majority" || model == "mean" {
			usual[stages[i]] = true
		}
		model = cmp.Or(Classifiers[model], model)
		if model == "" { // of somebody else's program
			model, stages[i] = stages[i], ""
		}
		names[i] = joinTexts(model, SettingName(rest), seed)
		count[names[i]]++
	}
	apart := map[string]bool{} // stages that share a model with another
	for i, name := range names {
		apart[stages[i]] = apart[stages[i]] || count[name] > 1
	}
	for i := range names {
		others := apart[stages[i]] && !(len(usual) == 1 && usual[stages[i]])
		if stages[i] != "" && (count[names[i]] > 1 || others) {
			names[i] += " (" + strings.ReplaceAll(stages[i], "_", " ") + ")"
		}
	}
	return names
}

// joinTexts joins the texts that are not empty by commas.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), ", ")
}

// CompareClassifiers puts PR-GNN first, then the others, and the majority classifier and the mean last.
func CompareClassifiers(a, b string) int {
	place := map[string]int{PrGNN: -1, "majority": 1, "mean": 1}
	return cmp.Compare(place[a], place[b])
}

// ShownSetting is a setting's name for people: the model's own, where it has one, and not the stage's.
func ShownSetting(setting []dag.Coord) string {
	coords := slices.Clone(setting)
	for i, c := range coords {
		if word := Classifiers[c.Value]; c.Axis == "model" && word != "" {
			coords[i].Value = word
		}
	}
	if ValueOn(coords, "model") != "" {
		coords = Without(coords, "stage")
	}
	return SettingName(coords)
}

// Lambdas reads λ1-λ2 as an axis writes it: 0.1-0.5.
func Lambdas(text string) (a, b float64, err error) {
	for i := range text {
		if text[i] != '-' || i == 0 {
			continue
		}
		a, errA := strconv.ParseFloat(text[:i], 64)
		b, errB := strconv.ParseFloat(text[i+1:], 64)
		if errA == nil && errB == nil {
			return a, b, nil
		}
	}
	return 0, 0, fmt.Errorf("lambda %q is not two numbers such as 0.1-0.5", text)
}

// IsSeed reports whether a coordinate is a seed.
func IsSeed(c dag.Coord) bool { return strings.Contains(strings.ToLower(c.Axis), "seed") }

// HasSeed reports whether a setting has a seed.
func HasSeed(setting []dag.Coord) bool { return slices.ContainsFunc(setting, IsSeed) }

// WithoutSeed are the coordinates of a setting but for its seed.
func WithoutSeed(setting []dag.Coord) []dag.Coord {
	return slices.DeleteFunc(slices.Clone(setting), IsSeed)
}
