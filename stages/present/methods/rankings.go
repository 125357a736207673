package methods

import (
	"fmt"
	"strings"

	"prgnn/stages/column"
	"prgnn/stages/present/section"
)

// methodsOfRankings tells how regions were ranked: those that the page shows, then those of every other stage.
func (a *Author) methodsOfRankings(m *Text) {
	shown := a.Run.Shown("biomarkers", "ranking")
	if shown == nil {
		return
	}
	m.say("Regions are ranked by %s.", a.rankedBy(m, shown))
	m.say("Group differences in region scores were tested by permutation and corrected by the false discovery rate %s.", m.cite("benjamini"))
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == "biomarkers" && s != shown {
			m.say("In the stage %s they are ranked by %s.", s.Stage, a.rankedBy(m, s))
		}
	}
}

// rankedBy says what a stage of the kind biomarkers ranks by: the scores of a layer of the models that it takes.
func (a *Author) rankedBy(m *Text, b *section.StageSettings) string {
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
		how = "the difference between the groups' means of %s, over the standard deviation within the groups, in the test participants of each model %s"
	}
	return fmt.Sprintf(how, scored+of, m.cite(cited))
}

// models names what stages train, and the stages: "PR-GNN in the stage train".
func (a *Author) models(stages ...*section.StageSettings) string {
	var parts []string
	for _, s := range stages {
		parts = append(parts, fmt.Sprintf("%s in the stage %s", strings.Join(a.called(s), ", "), s.Stage))
	}
	return join(parts)
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
func modelOf(s *section.StageSettings) string {
	switch s.Kind {
	case "train", "train-regression":
		return column.PrGNN
	}
	return s.Kind
}
