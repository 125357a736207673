package methods

import (
	"fmt"

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
	m.say("Each window belongs to the nearest state; the fraction of time, the mean duration of visits (dwell time) and the transitions were counted for each participant.")
}

// windowEstimate says how the connectivity of a window is estimated.
func windowEstimate(m *Text, w *section.StageSettings) string {
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
