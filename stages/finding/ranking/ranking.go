// Package ranking judges rankings of regions: beside references, by their ties, and by how models agree.
package ranking

import (
	"cmp"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// What a ranking of regions is worth is measured by its planted regions where they are known, else by the held-out
// effect of its first regions.
const (
	ByPlanted = "planted"
	ByHeldOut = "held-out"
)

// A Ranking is one ranking of the regions, by the trained models or a reference.
type Ranking struct {
	Method   string  // see column.RecoveryRow
	By       string  // score, contrast or statistic
	Measure  string  // ByPlanted or ByHeldOut
	Top      int     // how many regions are the first ones
	Found    int     // planted regions among them
	AUROC    float64 // of the planted regions; NaN where they are not known
	Reversed float64 // 1 − AUROC of a ranking by untrained scores that is inverted, else NaN
	HeldOut  float64
	P        float64 // of the trained models' lead (see Compare); NaN where it does not vary between the models
	Equal    bool    // a significant lead that the digits on a page do not show
}

// A Comparison is the trained models' ranking beside references that involve no network training.
type Comparison struct {
	Ranking                           // of the trained models
	Shown               finding.Shown // their setting
	Planted             int           // regions; 0 where they are not known
	Chance              float64       // planted regions among the first ones of a random ranking
	BeyondChance        bool          // more of them
	Beaten, Even, Ahead []Ranking     // references, by the test of the lead over each
	Below               []Ranking     // those that it would beat, were it better than chance itself
	Tested              bool          // some lead has a p, which takes several models
	References          int           // how many
	Corrected           bool          // p is corrected for their number
	Inverted            bool          // a ranking that is ahead is inverted
}

// Compare compares the ranking by a criterion with those of the untrained models by the same criterion and of the
// references without a network: in AUROC where the truth is known, else in the held-out effect, over the models with
// p < 0.05. p is corrected for the number of references (Holm), unless each single test shows that the ranking leads:
// the claim that it beats every reference needs no correction (intersection-union test, Berger 1982). A lead that the
// printed digits do not show is none, and a ranking that is no better than chance beats nothing. It is false where
// nothing can be compared. rows are those of one setting.
func Compare(rows []column.RecoveryRow, by string, regions int, shown finding.Shown) (c Comparison, ok bool) {
	var trained *column.RecoveryRow
	var references []column.RecoveryRow
	for i, r := range rows {
		switch {
		case r.Method == column.TrainedModels && r.By == by:
			trained = &rows[i]
		case r.Method == column.UntrainedModels && r.By == by, r.By == "statistic":
			references = append(references, r)
		}
	}
	if trained == nil || references == nil {
		return c, false
	}
	measure := ""
	switch {
	case trained.Planted != nil && *trained.Planted > 0:
		measure = ByPlanted
	case !math.IsNaN(trained.HeldOut):
		measure = ByHeldOut
	default:
		return c, false
	}
	c = Comparison{Ranking: rankingOf(*trained, measure), Shown: shown, References: len(references)}
	if measure == ByPlanted {
		c.Planted = int(*trained.Planted)
		c.Chance = FoundByChance(*trained, regions)
		c.BeyondChance = float64(c.Found) > c.Chance
	}
	p := lists.Map(references, func(r column.RecoveryRow) float64 {
		lead, p := r.Lead(by)
		c.Corrected = c.Corrected || !inference.Significant(p) || lead <= 0
		return p
	})
	if c.Corrected {
		p = inference.Holm(p)
	}
	c.Corrected = c.Corrected && len(column.Known(p)) > 1
	for i, row := range references {
		lead, _ := row.Lead(by)
		p, r := p[i], rankingOf(row, measure)
		r.P, r.Equal = p, inference.Significant(p) && r.prints(c.Ranking)
		c.Tested = c.Tested || !math.IsNaN(p)
		switch {
		case !inference.Significant(p) || r.Equal:
			c.Even = append(c.Even, r)
		case lead < 0:
			c.Ahead = append(c.Ahead, r)
			c.Inverted = c.Inverted || !math.IsNaN(r.Reversed)
		case measure == ByHeldOut && c.HeldOut <= 0, measure == ByPlanted && !c.BeyondChance:
			c.Below = append(c.Below, r)
		default:
			c.Beaten = append(c.Beaten, r)
		}
	}
	return c, true
}

// FoundByChance is how many planted regions are among the first ones of a random ranking of so many regions.
func FoundByChance(r column.RecoveryRow, regions int) float64 {
	return float64(int(r.Top)*int(*r.Planted)) / float64(regions)
}

func rankingOf(r column.RecoveryRow, measure string) Ranking {
	of := Ranking{Method: r.Method, By: r.By, Measure: measure, Top: int(r.Top), AUROC: r.AUROC, Reversed: math.NaN(),
		HeldOut: r.HeldOut, P: math.NaN()}
	if r.Found != nil {
		of.Found = int(*r.Found)
	}
	if Inverted(r) {
		of.Reversed = 1 - r.AUROC
	}
	return of
}

// Inverted reports whether a ranking by untrained scores has the planted regions at its end: before training nothing
// ties the sign of a score to the groups.
func Inverted(r column.RecoveryRow) bool {
	return r.Method == column.UntrainedModels && r.By == "score" && r.AUROC < 0.5
}

// prints reports whether a page prints the same for two rankings: AUROC and held-out effect in hundredths.
func (r Ranking) prints(other Ranking) bool {
	if r.Measure == ByHeldOut {
		return hundredths(r.HeldOut) == hundredths(other.HeldOut)
	}
	return r.Found == other.Found && math.IsNaN(r.Reversed) && hundredths(r.AUROC) == hundredths(other.AUROC)
}

// hundredths is a number in hundredths, rounded as it is printed: by its exact value, a tie to even.
func hundredths(x float64) float64 {
	scaled := float64(x * 100)
	if math.Abs(scaled-math.Trunc(scaled)) == 0.5 { // a tie, perhaps by the rounding of the product alone
		switch rest := math.FMA(x, 100, -scaled); {
		case rest > 0:
			return math.Ceil(scaled)
		case rest < 0:
			return math.Floor(scaled)
		}
	}
	return math.RoundToEven(scaled)
}

// Findings are what limits a ranking that does not beat every reference. One that is worse than a reference, or has no
// more planted regions among the first than a random one, is no result about regions.
func (c Comparison) Findings() (all finding.List) {
	if c.Measure == ByPlanted && !c.BeyondChance {
		all.Study("ranking.no-more-than-random", finding.Overturns, c)
	}
	if c.Ahead != nil {
		all.Study("ranking.worse-than-reference", finding.Overturns, c)
	}
	if c.Below != nil && c.Measure == ByHeldOut {
		all.Study("ranking.no-better-than-chance", finding.Limits, c)
	}
	if c.Even != nil {
		all.Study("ranking.not-better", finding.Limits, c)
	}
	return all
}

// Comparisons are those of one setting, by the criterion of the ranking and then by the other one; the findings are
// about the first.
func Comparisons(rows []column.RecoveryRow, regions int, shown finding.Shown) (all []Comparison, found finding.List) {
	if len(rows) == 0 {
		return nil, nil
	}
	for i, by := range slices.Compact([]string{rows[0].By, rows[min(1, len(rows)-1)].By}) {
		if c, ok := Compare(rows, by, regions, shown); ok {
			all = append(all, c)
			if i == 0 {
				found = c.Findings()
			}
		}
	}
	return all, found
}

// fewHeldOut is how many participants of each group a fold should test at least: of two, the difference of the
// groups' means has a standard error of 0.7 SD or more.
const fewHeldOut = 3

// HeldOutEffects are the findings about held-out effects of few participants. rows are those of one setting.
func HeldOutEffects(rows []column.RecoveryRow) (all finding.List) {
	if len(rows) == 0 || rows[0].TestedLeast <= 0 || rows[0].TestedLeast >= fewHeldOut {
		return nil
	}
	numbers := map[string]any{"N": int(rows[0].TestedLeast)}
	switch {
	case !math.IsNaN(rows[0].HeldOut):
		all.Study("ranking.held-out-noisy", finding.Limits, numbers)
	case slices.ContainsFunc(rows, func(r column.RecoveryRow) bool { return r.By == "statistic" }): // with features
		all.Study("ranking.no-held-out", finding.Notes, numbers)
	}
	return all
}

// A TiedTop is a ranking whose top is decided by the order of equal scores.
type TiedTop struct {
	By      string
	Top     int // regions that count as the first
	Above   int // have a higher score than those at the border
	Equal   int // have the score at the border
	Regions int
	Shown   finding.Shown
}

// Ties is the finding about equal scores at the border of the first regions: which of these are among them is
// arbitrary.
// rows are those of one setting, in the order of their ranks.
func Ties(rows []column.RankingRow, by string, top int, shown finding.Shown) (all finding.List) {
	if top <= 0 || top >= len(rows) || rows[top-1].Score != rows[top].Score {
		return nil
	}
	of := TiedTop{By: by, Top: top, Regions: len(rows), Shown: shown}
	for _, r := range rows {
		switch {
		case r.Score > rows[top].Score:
			of.Above++
		case r.Score == rows[top].Score:
			of.Equal++
		}
	}
	if of.Above == 0 {
		all.Study("ranking.no-order", finding.Overturns, of)
	} else {
		all.Study("ranking.tied", finding.Limits, of)
	}
	return all
}

// lowAgreement is Kuncheva's index halfway from chance to the same regions.
const lowAgreement = 0.5

// Agreement is the finding about single models that rank different regions first.
func Agreement(r column.ConsistencyRow) (all finding.List) {
	if r.Over == "models" && r.Kuncheva < lowAgreement {
		all.Study("ranking.models-disagree", finding.Limits, r)
	}
	return all
}

// A Contrast is a region whose scores differ between the groups.
type Contrast struct {
	Region   string
	Contrast float64
}

// Contrasts are the tests of the contrasts of one setting.
type Contrasts struct {
	Regions []Contrast // with q < 0.05, the largest contrast first
	Q       float64    // the smallest
	Least   float64    // the smallest p that the permutations can give; NaN where it is not known
}

// Contrasted is the result of the tests of contrasts; false where there are none. rows are those of one setting.
func Contrasted(rows []column.RankingRow) (f finding.Finding, tested bool) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r column.RankingRow) bool { return math.IsNaN(r.Q) })
	if len(rows) == 0 {
		return f, false
	}
	slices.SortStableFunc(rows, func(x, y column.RankingRow) int { return cmp.Compare(y.Contrast, x.Contrast) })
	all := Contrasts{Q: math.Inf(1), Least: math.Inf(1)}
	for _, r := range rows {
		all.Q, all.Least = min(all.Q, r.Q), min(all.Least, r.Least)
		if inference.Significant(r.Q) {
			all.Regions = append(all.Regions, Contrast{cmp.Or(r.Abbreviation, r.Name), r.Contrast})
		}
	}
	switch {
	case all.Regions != nil:
		return finding.Finding{Code: "contrast.significant", Weight: finding.Notes, Numbers: all}, true
	case inference.Powerless(all.Least):
		return finding.Finding{Code: "contrast.powerless", Weight: finding.Notes, Numbers: all}, true
	}
	return finding.Finding{Code: "contrast.none", Weight: finding.Notes, Numbers: all}, true
}

// NullTests are the tests of the regions of one setting against models retrained on permuted labels.
type NullTests struct {
	Setting string   // where it is not the one that figures and tables show
	Regions []string // with q < 0.05
	Least   float64  // the smallest family-wise p
	Draws   int32    // label permutations
}

// BeyondNull is the result of the tests against permuted labels: of the setting that is shown, else of the first.
// False where there are none.
func BeyondNull(rows []column.NullRow, shown []dag.Coord) (f finding.Finding, tested bool) {
	if len(rows) == 0 {
		return f, false
	}
	all := NullTests{Least: 1, Draws: rows[0].Permutations}
	if !slices.ContainsFunc(rows, func(r column.NullRow) bool { return slices.Equal(r.Coords, shown) }) {
		shown = rows[0].Coords
		all.Setting = column.ShownSetting(shown)
	}
	for _, r := range rows {
		if !slices.Equal(r.Coords, shown) {
			continue
		}
		all.Least = min(all.Least, r.PAny)
		if inference.Significant(r.Q) {
			all.Regions = append(all.Regions, cmp.Or(r.Abbreviation, r.Name))
		}
	}
	switch {
	case inference.Powerless(1 / float64(all.Draws+1)):
		return finding.Finding{Code: "null.powerless", Weight: finding.Notes, Numbers: all}, true
	case all.Regions == nil:
		return finding.Finding{Code: "null.none", Weight: finding.Notes, Numbers: all}, true
	}
	return finding.Finding{Code: "null.regions", Weight: finding.Notes, Numbers: all}, true
}

// A FirstMap is the criterion, mean score or contrast, by which the first map shows the regions.
type FirstMap struct {
	Contrast bool
	Why      string // lead: it alone beats its references; both and neither do; untested; "" without references
}

// FirstMapOf chooses the criterion by a rule that is fixed beforehand: the one that beats its references (the untrained
// models by the same criterion, and the rankings without a network), in the held-out effect, with p < 0.05 against
// each; where both or neither do, that of the pipeline. Planted regions have no part in it: nobody knows them in a
// study. rows are those of the ranking that is drawn, and may be nil.
func FirstMapOf(rows []column.RecoveryRow, contrast bool) FirstMap {
	beats, compared := map[string]bool{}, 0
	for _, by := range []string{"score", "contrast"} {
		references := slices.DeleteFunc(slices.Clone(rows), func(r column.RecoveryRow) bool {
			return r.By != "statistic" && !(r.Method == column.UntrainedModels && r.By == by)
		})
		beats[by] = len(references) > 0
		for _, r := range references {
			lead, p := r.HeldOutLead(by)
			if !math.IsNaN(p) {
				compared++
			}
			beats[by] = beats[by] && lead > 0 && inference.Significant(p)
		}
	}
	switch {
	case len(rows) == 0:
		return FirstMap{contrast, ""}
	case compared == 0:
		return FirstMap{contrast, "untested"}
	case beats["score"] && beats["contrast"]:
		return FirstMap{contrast, "both"}
	case !beats["score"] && !beats["contrast"]:
		return FirstMap{contrast, "neither"}
	}
	return FirstMap{beats["contrast"], "lead"}
}
