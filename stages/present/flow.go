package present

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
)

// describeParticipants writes the section on the participants, which begins with their flow.
func (a *author) describeParticipants() {
	if a.Pictures && a.Who != nil && a.T.Has("excluded") {
		a.Figure(figure.DrawFlow(a.flow()), nil)
		a.Has("figure.flow")
	}
	a.Cohort.Describe()
}

// flow counts the participants from the table to the analysis.
func (a *author) flow() figure.Flow {
	f := figure.Flow{Simulated: a.Who.Simulated, Reasons: a.NotIncluded(), Included: len(a.Who.Ids),
		Groups: nonempty(a.Groups()), Scans: quality.CountScans(a.Scans), Sessions: quality.SessionsOf(a.Scans) != nil,
		Duplicates: len(a.Duplicates), Lacking: a.Lacking}
	all, err := a.Predictions()
	if a.Fail(err); all == nil {
		a.storedModels(&f)
		return f
	}
	tested := map[string]bool{}
	for _, folds := range all.Settings {
		for id := range fold.Distinct(folds) {
			tested[id] = true
		}
		repeats := map[int64]int{}
		for _, of := range folds {
			repeats[of.Repeat]++
		}
		f.Repeats.Hold(len(repeats))
		for _, n := range repeats {
			f.Folds.Hold(n)
		}
		v := fold.Validation(folds)
		for i := range folds {
			if !math.IsNaN(v.Train[i]) {
				f.Train.Hold(int(v.Train[i]))
				f.Test.Hold(int(v.Test[i]))
			}
		}
	}
	of := slices.DeleteFunc(slices.Clone(a.Who.Ids), func(id string) bool { return !tested[id] })
	f.Tested = len(of)
	f.TestedGroups = nonempty(quality.Tally(lists.Map(of, func(id string) string { return a.Who.Group[id] })))
	return f
}

// storedModels counts who was tested by models of another study.
func (a *author) storedModels(f *figure.Flow) {
	for _, s := range section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary") {
		f.Tested, f.Stored, f.TestedGroups = int(s.Participants), int(s.Models), nil
		for i, g := range s.Groups {
			f.TestedGroups = append(f.TestedGroups, quality.Counted{Name: g, N: int(s.Counts[i])})
		}
	}
}

// nonempty are groups that have a name: of a number that is predicted, all participants are one without.
func nonempty(groups []quality.Counted) []quality.Counted {
	return slices.DeleteFunc(groups, func(g quality.Counted) bool { return g.Name == "" })
}
