package methods

import (
	"cmp"
	"fmt"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// methodsOfWindows tells of connectivity in sliding windows and of its states.
func (a *Author) methodsOfWindows(m *Text) {
	w := a.Run.Of("windows")
	if w == nil {
		return
	}
	m.say("Connectivity in sliding windows of %s s, %s s apart, was estimated as %s, as Fisher's z.", w.Value["width"], w.Value["step"], windowEstimate(m, w))
	s := a.Run.Of("states")
	if s == nil {
		return
	}
	exemplars := m.cite("allen")
	clustered := "were clustered"
	if s.Is("windows", "all") {
		clustered = "were clustered, and then all windows from these centers"
	}
	metric := "Manhattan distance, centers are medians"
	if s.Is("distance", "l2") {
		metric = "Euclidean distance, centers are means"
	}
	m.say("Exemplars, the windows at local maxima of the variance over the pairs of regions %s, %s into %s states by k-means (%s; the best of %s starts of k-means++ %s, seed %s).", exemplars, clustered, s.Value["states"], metric, s.Value["starts"], m.cite("arthur"), s.Value["seed"])
	a.statesFitted(m)
	m.say("Each window belongs to the nearest state; the fraction of time, the mean duration of visits (dwell time) and the transitions were counted for each participant.")
}

// windowEstimate says how the connectivity of a window is estimated.
func windowEstimate(m *Text, w *finding.StageSettings) string {
	taper := map[string]string{"rectangular": "", "hamming": " with the weights of a Hamming window",
		"gaussian": fmt.Sprintf(" with the weights of a rectangle convolved with a Gaussian (σ %s s)", w.Value["sigma"])}[w.Value["taper"]]
	if taper != "" {
		taper += " " + m.cite("pozzi")
	}
	if w.Is("of", "partial") {
		return "partial correlation" + taper + " after Ledoit–Wolf shrinkage " + m.cite("ledoit")
	}
	return "Pearson's correlation" + taper
}

// statesFitted says whose windows the states were fitted to, and which classifiers take them.
func (a *Author) statesFitted(m *Text) {
	for i := range a.Run.Stages {
		switch s := &a.Run.Stages[i]; {
		case s.Kind == "states" && s.Inputs["folds"] != nil:
			m.say("In the stage %s the states were fitted in each fold to the windows of its training participants.", s.Stage)
		case s.Kind == "states":
			m.say("In the stage %s the states were fitted to the windows of all participants, and serve description only.", s.Stage)
		}
	}
}

// inputsOfWindows says which classifiers take states or variability in place of correlations.
func (a *Author) inputsOfWindows(m *Text) {
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		if s.Kind != "baseline" && s.Kind != "regression" {
			continue
		}
		what := ""
		switch {
		case s.Inputs["states"] != nil:
			what = "each participant's features of the connectivity states (the fraction of time in each, and transitions)"
		case a.Run.KindOf(s, "pearson") == "windows":
			what = "the standard deviation of connectivity over the sliding windows, of all pairs of regions"
		default:
			continue
		}
		m.say("The inputs of %s are %s, not the correlations of the whole scan.", a.models(s), what)
	}
}

// called are the models of a stage, in words.
func (a *Author) called(s *finding.StageSettings) []string {
	return lists.Map(strings.Split(cmp.Or(s.Value["model"], modelOf(s)), "; "), func(model string) string {
		return section.OrItself(column.Classifiers, model)
	})
}
