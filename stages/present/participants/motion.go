package participants

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// fewForMotion is how many participants QC-FC needs to mean anything: below, the null's median |r| is above 0.16.
const fewForMotion = 20

// Motion writes QC-FC, the head motion that remains in connectivity, and names participants whose connectivity is
// unlike the others'.
func (a *Cohort) Motion() error {
	var rows []column.MotionRow
	for _, in := range a.T.All("qcfc") {
		of, err := column.Read[column.MotionRow](in)
		if err != nil {
			return err
		}
		for i := range of {
			of[i].Coords = append(slices.Clone(in.Coords), of[i].Coords...)
		}
		rows = append(rows, of...)
	}
	unknown := len(rows)
	for _, r := range rows {
		if !math.IsNaN(r.Median) {
			unknown--
		}
	}
	switch {
	case len(rows) > 0 && unknown == len(rows):
		a.Say("QC-FC: not computed. Neither confounds nor a column mean_fd of the participants give the framewise displacement of enough participants.")
	case len(rows) > 0:
		a.motionTable(rows)
		if err := a.motionFigure(); err != nil {
			return err
		}
	}
	return a.typicality()
}

// shownStrategies is how many strategies of cleaning the figure of QC-FC has.
const shownStrategies = 8

func (a *Cohort) motionFigure() error {
	if !a.Pictures {
		return nil
	}
	c, err := figure.DrawHeadMotion(a.T.All("qcfc"), a.T.All("qcfc_edges"), shownStrategies)
	if err != nil {
		return err
	}
	return a.Figures("QC-FC over the edges", c)
}

func (a *Cohort) motionTable(rows []column.MotionRow) {
	share := func(v float64) string {
		if math.IsNaN(v) {
			return "n/a"
		}
		return fmt.Sprintf("%.1f %%", 100*v)
	}
	type row = column.MotionRow
	t := section.TableOf("QC-FC: connectivity and head motion over the participants", 1, rows,
		section.Text("strategy", "named set of nuisance regressors", func(m row) string { return m.Strategy }),
		section.Number("n", "participants with a mean framewise displacement", func(m row) string { return fmt.Sprint(m.Participants) }),
		section.Number("median |r|", "over the edges, of the correlation of mean framewise displacement with Fisher z", func(m row) string { return report.Share(m.Median) }),
		section.Number("expected by chance", "0.674/√(N − 3 − covariates)", func(m row) string { return report.Share(m.Null) }),
		section.Number("p < 0.05", "share of edges, uncorrected; 5 % under the null hypothesis", func(m row) string { return share(m.Share) }),
		section.Number("q < 0.05", "share of edges after FDR (Benjamini and Hochberg)", func(m row) string { return share(m.ShareFDR) }),
		section.Number("distance ρ", "Spearman's correlation, over the edges, of r with the distance of the centroids", func(m row) string { return report.Share(m.Distance) }),
		section.Number("dof lost", "degrees of freedom lost to removed volumes, regressors, filter and trend, mean over the participants", func(m row) string { return report.Short(m.Lost) }),
		section.Number("dof left", "degrees of freedom left, mean over the participants", func(m row) string { return report.Short(m.Remaining) }))
	if rows[0].Covariates != "" {
		t.Note = "Partial correlations, without " + rows[0].Covariates + ". "
	}
	if UpperBound(a.Scans) {
		t.Note += "What cleaning before this program cost is not known: dof lost is a lower bound, dof left an upper one."
	}
	t.Note = strings.TrimSpace(t.Note)
	a.Table(t, "gives QC-FC: how strongly connectivity correlates with head motion after denoising (Ciric et al. 2017; Parkes et al. 2018).")
	for _, m := range rows {
		if m.MissingEdges > 0 {
			a.Say("QC-FC (strategy %s) leaves out %d of %d edges, which more than half of the participants lack or which are constant.",
				m.Strategy, m.MissingEdges, m.Edges+m.MissingEdges)
		}
		if m.Participants < fewForMotion {
			a.Say("QC-FC of %s is unreliable.", words.Count(int(m.Participants), "participant"))
		}
		if m.ShareFDR > 0 {
			a.Caution("Head motion remains in connectivity (strategy %s): %s of edges correlate with mean framewise displacement at q < 0.05, median |r| %.3f (%.3f expected by chance)", m.Strategy, share(m.ShareFDR), m.Median, m.Null)
		}
	}
}

// typicality names participants whose connectivity, motion or degrees of freedom are unlike those of the others.
func (a *Cohort) typicality() error {
	var v []float64
	var measures []string
	outliers := map[string][]string{} // by the measures in which they are outliers
	for _, in := range a.T.All("typicality") {
		rows, err := column.Read[column.TypicalityRow](in)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !math.IsNaN(r.Typicality) {
				v = append(v, r.Typicality)
			}
			m := outlierWords.Replace(r.Outlier)
			if m == "" || slices.Contains(outliers[m], r.Participant) { // of several strategies
				continue
			}
			if outliers[m] == nil {
				measures = append(measures, m)
			}
			outliers[m] = append(outliers[m], r.Participant)
		}
	}
	if v != nil {
		a.Say("Typicality, the correlation of a participant's connectivity with the mean of the others, has a median of %.2f (range %.2f to %.2f).", inference.Median(v), slices.Min(v), slices.Max(v))
	}
	for i, m := range measures {
		measures[i] = m + ": " + words.Some(outliers[m], 8)
	}
	if measures != nil {
		a.Say("Outliers (more than 3.5 robust SD from the median) in %s.", strings.Join(measures, "; in "))
	}
	return nil
}
