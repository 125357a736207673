package participants

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding/quality"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
)

// Motion writes QC-FC, the head motion that remains in connectivity, and the participants whose connectivity is unlike
// the others'.
func (a *Cohort) Motion() {
	var rows []column.MotionRow
	for in, of := range section.Members[column.MotionRow](a.Writer, "qcfc") {
		for i := range of {
			of[i].Coords = append(slices.Clone(in.Coords), of[i].Coords...)
		}
		rows = append(rows, of...)
	}
	names := lists.Map(rows, func(r column.MotionRow) []string { return r.StrategyAmong(rows) })
	for i, name := range names {
		rows[i].Strategy = name
	}
	unknown := func(r column.MotionRow) bool { return math.IsNaN(r.Median) }
	switch {
	case len(rows) == 0:
	case !slices.ContainsFunc(rows, func(r column.MotionRow) bool { return !unknown(r) }):
		a.Put("motion.unknown", nil)
	default:
		a.motionTable(rows)
		if a.Pictures {
			a.Figure(figure.DrawHeadMotion(a.T.All("qcfc"), a.T.All("qcfc_edges"), shownStrategies))
		}
	}
	a.typicality()
}

// shownStrategies is how many strategies of cleaning the figure of QC-FC has.
const shownStrategies = 8

func (a *Cohort) motionTable(rows []column.MotionRow) {
	of := values{"Covariates": rows[0].Covariates, "Bound": quality.UpperBound(a.Scans)}
	a.Table(section.Lay(a.Writer, "motion.qcfc", of, rows,
		"strategy | n median null p05 q05 distance lost left"))
	for _, m := range rows {
		if m.MissingEdges > 0 {
			a.Put("motion.edges", values{"Strategy": m.Strategy, "N": m.MissingEdges, "Of": m.Edges + m.MissingEdges})
		}
		if quality.UnreliableMotion(m) {
			a.Put("motion.unreliable", values{"N": m.Participants})
		}
	}
	a.Find(quality.HeadMotion(rows)...)
}

// An outlier has the participants who are outliers in the same measures.
type outlier struct {
	Measures     []string // of typicality, by their columns
	Participants []string
}

// typicality writes how alike the participants' connectivity is, and lists those whose connectivity, motion or degrees
// of freedom are unlike those of the others.
func (a *Cohort) typicality() {
	var v []float64
	var outliers []outlier
	var all []column.TypicalityRow
	for _, rows := range section.Members[column.TypicalityRow](a.Writer, "typicality") {
		all = append(all, rows...)
		for _, r := range rows {
			if !math.IsNaN(r.Typicality) {
				v = append(v, r.Typicality)
			}
			if len(r.Outlier) == 0 {
				continue
			}
			at := slices.IndexFunc(outliers, func(o outlier) bool { return slices.Equal(o.Measures, r.Outlier) })
			if at < 0 {
				at = len(outliers)
				outliers = append(outliers, outlier{Measures: r.Outlier})
			}
			if of := &outliers[at]; !slices.Contains(of.Participants, r.Participant) { // of several strategies
				of.Participants = append(of.Participants, r.Participant)
			}
		}
	}
	if v != nil {
		a.Put("typicality.range", values{"Median": inference.Median(v), "Least": slices.Min(v), "Most": slices.Max(v)})
	}
	if outliers != nil {
		a.Put("typicality.outliers", values{"Outliers": outliers})
	}
	a.FindOf(a.At("typicality"), quality.NearOne(all, a.GroupOf())...)
	a.FindOf(a.At("typicality"), quality.Unlike(all, a.GroupOf())...)
}
