package methods

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// methodsOfRankings tells how regions were ranked: those that the page shows, then those of every other stage.
func (a *Author) methodsOfRankings(m *Text) {
	shown := a.Run.Shown("biomarkers", "ranking")
	if shown == nil {
		return
	}
	m.say("Regions are ranked by %s.", a.rankedBy(m, shown))
	m.say("Group differences in region scores were tested without retraining: in each fold, the labels of the test participants were permuted%s, of K folds K/k times the k-th smallest p value was taken, k being a majority %s, and the false discovery rate over the regions was controlled %s.", a.within("ranking"), m.cite("ruger"), m.cite("benjamini"))
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == "biomarkers" && s != shown {
			m.say("In another ranking (%s) they are ranked by %s.", section.PlainName(s.Stage), a.rankedBy(m, s))
		}
	}
}

// rankedBy says what a stage of the kind biomarkers ranks by: the scores of a layer of the models that it takes.
func (a *Author) rankedBy(m *Text, b *finding.StageSettings) string {
	from := a.Run.Sources(b, "scores")
	kind, of := "train", ""
	if len(from) > 0 {
		kind, of = from[0].Kind, " of "+a.models(from...)
	}
	var scored string
	switch layer := b.Value["layer"]; {
	case kind == "bnt" && layer == "3":
		scored = "gradient × input"
	case kind == "bnt":
		scored = "the attention received in block " + layer
	case kind == "meanmlp" && from[0].Is("attribution", "integrated"):
		scored = "integrated gradients"
	case kind == "meanmlp":
		scored = "gradient × input"
	default:
		scored = "the score in pooling layer " + layer
	}
	cited := "li2020"
	if work := works[kind]; work != "" {
		cited = work
	}
	how := "%s, averaged over the test graphs of each participant and then over participants %s"
	if b.Is("reading", "contrast") {
		how = "the " + a.Difference() + " means of %s, over the standard deviation within the groups, in the test participants of each model %s"
	}
	return fmt.Sprintf(how, scored+of, m.cite(cited))
}

// models names what stages train: "PR-GNN", "ridge regression (after combat)".
func (a *Author) models(stages ...*finding.StageSettings) string {
	var parts []string
	for _, s := range stages {
		if which := a.which(s); which != "" {
			parts = append(parts, join(a.called(s))+" ("+which+")")
		} else {
			parts = append(parts, a.called(s)...)
		}
	}
	return join(parts)
}

// which tells the models of a stage from those of the same names of other stages: the name of the stage, in words; ""
// where there are none, or where the stage is named as its kind.
func (a *Author) which(s *finding.StageSettings) string {
	if s.Stage == s.Kind {
		return ""
	}
	for i := range a.Run.Stages {
		other := &a.Run.Stages[i]
		if other.Stage == s.Stage || !slices.Contains(learners, other.Kind) {
			continue
		}
		if slices.ContainsFunc(a.called(other), func(name string) bool { return slices.Contains(a.called(s), name) }) {
			return section.PlainName(s.Stage)
		}
	}
	return ""
}

// join writes a list in a sentence: "a, b and c".
func join(parts []string) string {
	n := len(parts)
	if n < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
}

// works describe the classifiers.
var works = map[string]string{"svm": "cortes", "linear-svm": "cortes", "forest": "breiman", "kernel-ridge": "he2020",
	"brainnetcnn": "kawahara", "li2019": "li2019", "meanmlp": "popov", "bnt": "kan", "braingnn": "li2021"}

// modelOf is the model of a stage whose kind has one model.
func modelOf(s *finding.StageSettings) string {
	switch s.Kind {
	case "train", "train-regression":
		return column.PrGNN
	}
	return s.Kind
}
