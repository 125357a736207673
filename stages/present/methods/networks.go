package methods

import (
	"fmt"
	"prgnn/stages/finding"
	"slices"
	"strings"
)

// methodsOfNetworks tells how wide each network to compare with is, and how it was trained.
func (a *Author) methodsOfNetworks(m *Text) {
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		model := a.models(s)
		last := "weights are those of the last epoch"
		switch s.Kind {
		case "bnt":
			m.say("%s has %s attention heads and full layers of width %s; Adam ran for %s epochs with batches of %s matrices and a learning rate that falls from %s to %s along a cosine, weight decay of %s, dropout of %s%s; %s.",
				model, s.Value["heads"], s.Value["feed_forward"], s.Value["epochs"], s.Value["batch"],
				s.Value["learning_rate"], s.Value["final_rate"], s.Value["weight_decay"], s.Value["dropout"],
				map[bool]string{true: ", on mixtures of two participants"}[s.Is("mixup", "true")], last)
		case "braingnn":
			if s.Is("select", "validation") {
				last = fmt.Sprintf("weights are those of the epoch, after the fifth, with the smallest loss in one of %s parts of the training participants, which was held out", s.Value["validation"])
			}
			m.say("%s, %s, has convolutions of widths %s, each followed by a pooling layer that keeps %s of the regions, and an MLP with a second layer of width %s; Adam ran for %s epochs with batches of %s graphs and a learning rate of %s%s, weight decay of %s, dropout of %s; %s.",
				model, map[bool]string{true: "as in the released program", false: "as in the paper, in our reading"}[s.Is("variant", "authors-code")],
				s.Value["widths"], percentText(s.Value["ratio"]), s.Value["hidden"], s.Value["epochs"],
				s.Value["batch"],
				s.Value["learning_rate"], halved(s), s.Value["weight_decay"], s.Value["dropout"], last)
		case "meanmlp":
			m.say("%s has a hidden width of %s and %s residual blocks; Adam ran for at most %s epochs with batches of %s graphs and a learning rate of %s, dropout of %s, and stopped after %s epochs without a smaller loss in one of %s parts of the training participants, which was held out; weights are those of the epoch with the smallest.",
				model, s.Value["hidden"], s.Value["layers"], s.Value["epochs"], s.Value["batch"],
				s.Value["learning_rate"], s.Value["dropout"], s.Value["patience"], s.Value["validation"])
		case "baseline":
			models := strings.Split(s.Value["model"], "; ")
			which := a.which(s)
			if which != "" {
				which = " (" + which + ")"
			}
			if slices.Contains(models, "brainnetcnn") {
				m.say("BrainNetCNN%s has layers of %s channels and full layers of widths %s; gradient descent with momentum ran for %s with batches of %s matrices and a learning rate of %s, dropout of %s.",
					which, s.Value["channels"], s.Value["full_widths"],
					map[bool]string{true: "700 steps, and at least 10 epochs,", false: s.Value["epochs"] + " epochs"}[s.Is("epochs", "0")],
					orDefault(s.Value["batch"], "14"), orDefault(s.Value["learning_rate"], "0.01"), s.Value["dropout"])
			}
			if slices.Contains(models, "li2019") {
				m.say("The model of Li et al. 2019%s has blocks of widths %s, each of which keeps %s of the regions, and an MLP of hidden widths %s; Adam ran for %s epochs with batches of %s graphs and a learning rate of %s, halved every 20 epochs.",
					which, s.Value["widths"], percentText(s.Value["ratio"]), s.Value["graph_hidden"],
					orDefault(s.Value["epochs"], "100"), orDefault(s.Value["batch"], "100"),
					orDefault(s.Value["learning_rate"], "0.001"))
			}
		}
	}
}

// halved says how the learning rate of a stage falls.
func halved(s *finding.StageSettings) string {
	if s.Number("halve") > 0 {
		return ", halved every " + s.Value["halve"] + " epochs"
	}
	return ""
}

// sameFolds reports whether a stage has the folds of the first division, which the methods describe.
func (a *Author) sameFolds(s *finding.StageSettings) bool {
	folds := a.Run.Sources(s, "folds")
	return folds == nil || slices.Contains(folds, a.Run.Of("split"))
}
