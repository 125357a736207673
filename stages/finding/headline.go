package finding

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
)

// headlineOf finds the setting that a page puts first: the one that the file gives, or the only one of the model that
// the pipeline is about (own). Nothing is chosen by performance: −1 where there are several or none.
func headlineOf(settings [][]dag.Coord, own func(i int) bool, given []dag.Coord) (at int, err error) {
	var fit []int
	var names []string
	for i, coords := range settings {
		names = append(names, column.CoordText(coords))
		if given == nil && own(i) || given != nil && column.Holds(coords, given) {
			fit = append(fit, i)
		}
	}
	wanted := strings.Join(column.CoordTexts(given), ", ")
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case given == nil:
		return -1, nil
	case fit == nil:
		return -1, fmt.Errorf("headline: no setting matches %s; available: %s", wanted, strings.Join(names, "; "))
	}
	return -1, fmt.Errorf("headline: %d settings match %s: give more coordinates", len(fit), wanted)
}

// headlineOfUniverses is the universe that is the headline of a multiverse, where it is one of the settings of a page.
func headlineOfUniverses(t *dag.Task, settings []Row) ([]dag.Coord, error) {
	rows, err := column.ReadPort[column.UniverseRow](t, "universes")
	for _, u := range rows {
		fits := slices.DeleteFunc(slices.Clone(settings), func(r Row) bool { return !column.Holds(r.Coords, u.Coords) })
		if u.Headline && len(fits) == 1 {
			return u.Coords, err
		}
	}
	return nil, err
}

// IsChosen reports whether the headline is the procedure that chooses a setting inside each fold.
func (a *Results) IsChosen() bool { return a.First == nil && a.Nested != nil }

// IsCandidate reports whether the headline is a choice inside each fold, and a classifier is one that it chose from,
// which was trained inside the folds, too.
func (a *Results) IsCandidate(r Row) bool {
	of := a.StageBehind(r.Coords, "evaluation")
	for _, name := range a.StagesBehind("nested", "predictions") {
		if choice := a.Plan.Stage(name); of != nil && choice != nil {
			inside := a.Plan.Sources(choice, "inner")
			return a.IsChosen() && slices.Contains(a.Plan.Sources(choice, "outer"), of) && (len(inside) == 0 ||
				slices.ContainsFunc(inside, func(s *StageSettings) bool { return s.trains(r.Coords) }))
		}
	}
	return a.IsChosen() && r.Own
}

// trains reports whether a stage has the values of a setting, as far as it has the parameters.
func (s *StageSettings) trains(setting []dag.Coord) bool {
	return !slices.ContainsFunc(setting, func(c dag.Coord) bool {
		values := joined(s.Values[c.Axis], "-")
		return c.Axis != "stage" && values != nil && !slices.Contains(values, c.Value)
	})
}

// Candidates are those with a test of their accuracy, which is not one of the choice.
func (a *Results) Candidates() (tested []string) {
	for _, r := range a.PerParticipant() {
		if state, _ := a.uncorrected(r, "accuracy"); state < Untested && a.IsCandidate(r) && !r.IsMajority() {
			tested = append(tested, r.Called())
		}
	}
	return tested
}

// StageOf is the stage of a setting; "" where it has none.
func StageOf(setting []dag.Coord) string { return column.ValueOn(setting, "stage") }

// seedOf is the coordinate over which a ranking pools models, besides fold and repeat.
func seedOf(setting []dag.Coord) string { return column.ValueOn(setting, "seed") }

// comparable are those of some coordinates that a ranking can have: a ranking of one stage has no stage, and none has
// the seeds that it pools.
func comparable(coords, ranking []dag.Coord) []dag.Coord {
	for _, axis := range []string{"stage", "seed"} {
		if column.ValueOn(ranking, axis) == "" {
			coords = column.Without(coords, axis)
		}
	}
	return coords
}

// sameSetting reports whether an accuracy is of the setting of a ranking, but for the stage, as far as the ranking has
// coordinates: evaluate takes the trainings of several stages, a ranking is of one.
func sameSetting(accuracy, ranking []dag.Coord) bool {
	own := column.Without(ranking, "stage")
	return slices.Equal(comparable(accuracy, own), own)
}

// StagesBehind are the stages whose models a result of the page is of: port is the page's, through that of the stage
// that made the result. Nil where the connections are not known.
func (a *Results) StagesBehind(port, through string) (names []string) {
	for i := range a.Plan.Stages {
		page := &a.Plan.Stages[i]
		if page.Kind != "report" && page.Kind != "summary" {
			continue
		}
		for _, made := range a.Plan.Sources(page, port) {
			for _, of := range a.Plan.Sources(made, through) {
				if !slices.Contains(names, of.Stage) {
					names = append(names, of.Stage)
				}
			}
		}
	}
	return names
}

// ofAnother is the classifier that a ranking is of, where it has no stage and the headline is of another stage.
func (a *Results) ofAnother(setting []dag.Coord) (name string, another bool) {
	stages := a.StagesBehind("ranking", "scores")
	if a.First == nil || StageOf(setting) != "" || stages == nil {
		return "", false
	}
	if stage := StageOf(a.First.Coords); stage == "" || slices.Contains(stages, stage) {
		return "", false
	}
	for _, r := range a.PerParticipant() {
		if slices.Contains(stages, StageOf(r.Coords)) && sameSetting(r.Coords, setting) {
			return r.unseeded(setting), true
		}
	}
	return "", true
}

// unseeded is the title of a row without the seed, where a ranking pools those.
func (r Row) unseeded(ranking []dag.Coord) string {
	if seed := seedOf(r.Coords); seed != "" && seedOf(ranking) == "" {
		return strings.Replace(r.Title, ", seed "+seed, "", 1)
	}
	return r.Title
}

// pooledSeeds is how many trainings of the headline a ranking pools that differ in their seed; 0 for one.
func (a *Results) pooledSeeds(setting []dag.Coord) (n int) {
	if a.First == nil || seedOf(setting) != "" {
		return 0
	}
	of := column.Without(a.First.Coords, "seed")
	for _, r := range a.PerParticipant() {
		if slices.Equal(column.Without(r.Coords, "seed"), of) {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	return n
}

// Shown is the setting of a ranking whose regions figures and tables show, and how it relates to the headline.
type Shown struct {
	Setting  []dag.Coord
	Name     string // of the setting, for people
	Settings int    // of the ranking
	Chosen   string // the settings that were chosen inside the folds, if the regions are theirs
	Relation string // to the headline, see RegionsOf
	Seeds    int    // of the headline's training that the ranking pools; 0 for one
}

// How the regions of a page relate to its headline.
const (
	RegionsOfHeadline = "headline" // of several settings
	RegionsOfOnly     = "only"     // the ranking has one setting, and nothing else is the headline
	RegionsOfFirst    = "first"    // of several settings, without a headline
	RegionsOfOther    = "other"    // not of the headline
	RegionsOfChosen   = "chosen"   // of the settings chosen inside each fold, as the headline
	ChosenNotHeadline = "chosen, not the headline"
	NestedNotRegions  = "nested" // the headline is of the settings chosen inside each fold, the regions are not
)

// RegionsOf is the setting whose regions a page shows: that of the headline where the ranking has it, else the first.
// chosen are the settings that were chosen inside the folds, if the regions are theirs.
func (a *Results) RegionsOf(settings [][]dag.Coord, chosen string) Shown {
	var distinct [][]dag.Coord
	at := -1
	for _, s := range settings {
		if !slices.ContainsFunc(distinct, func(d []dag.Coord) bool { return slices.Equal(d, s) }) {
			distinct = append(distinct, s)
			if at < 0 && column.Holds(s, comparable(a.Headline, s)) {
				at = len(distinct) - 1
			}
		}
	}
	of := Shown{Setting: distinct[max(at, 0)], Settings: len(distinct), Chosen: chosen}
	of.Name = column.ShownSetting(of.Setting)
	found := at >= 0
	if name, another := a.ofAnother(of.Setting); another {
		found = false
		if name != "" {
			of.Name = name
		}
	}
	switch nested := a.IsChosen(); {
	case chosen != "" && nested:
		of.Relation = RegionsOfChosen
	case chosen != "":
		of.Relation = ChosenNotHeadline
	case nested:
		of.Relation = NestedNotRegions
	case a.Headline != nil && !found:
		of.Relation = RegionsOfOther
	case len(distinct) == 1:
		of.Relation = RegionsOfOnly
	case a.Headline != nil:
		of.Relation = RegionsOfHeadline
	default:
		of.Relation = RegionsOfFirst
	}
	if of.Relation == RegionsOfOnly || of.Relation == RegionsOfHeadline {
		of.Seeds = a.pooledSeeds(of.Setting)
	}
	return of
}

// Findings is that the headline is of the settings chosen inside each fold and the regions are not.
func (s Shown) Findings() (all List) {
	if s.Relation == NestedNotRegions {
		all.Study("regions.not-of-headline", Limits, s)
	}
	return all
}
