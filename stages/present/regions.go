package present

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// regions is the section of the salient regions: in the brain, in tables, and how far the
// ranking can be trusted.
func (a *author) regions() error {
	if !a.t.Has("ranking") || a.top == 0 {
		return nil
	}
	in := a.t.In("ranking")
	rows, err := figure.ReadRanking(in)
	if err != nil || len(rows) == 0 {
		return err
	}
	reading, err := figure.ReadReading(in)
	if err != nil {
		return err
	}
	settings := make([]string, len(rows))
	for i, r := range rows {
		settings[i] = column.CoordText(r.Coords)
	}
	setting, said := a.regionsOf(settings)
	slices.SortStableFunc(rows, func(x, y column.RankingRow) int { // figures and tables show the first setting
		return otherThan(setting, x) - otherThan(setting, y)
	})
	first := rows.First()
	if said != "" {
		a.say("Figures and tables show the regions%s; supplementary tables have all settings.", said)
	}
	if a.isUnproven(setting) {
		a.say("The models are not shown to classify above chance: the regions say nothing about the groups.")
	}
	if a.pictures {
		if err := a.regionFigures(rows, reading); err != nil {
			return err
		}
	}
	if err := a.rankingTables(rows, reading.Contrast, said); err != nil {
		return err
	}
	a.contrasts(first)
	recovered := func(first []column.RankingRow) error { return a.recovered(first, said) }
	for _, part := range []func([]column.RankingRow) error{a.agreement, recovered, a.null,
		a.fidelity, a.individuality} {
		if err := part(first); err != nil {
			return err
		}
	}
	return nil
}

// otherThan is 1 for a region of another setting.
func otherThan(setting string, r column.RankingRow) int {
	if column.CoordText(r.Coords) == setting {
		return 0
	}
	return 1
}

// regionFigures shows the regions on the cortex and in space, and with their scores.
func (a *author) regionFigures(rows figure.RankingRows, reading figure.Reading) error {
	standing, err := figure.StandingOf(a.t, rows, reading)
	if err != nil {
		return err
	}
	readings := standing.First(figure.Readings(rows, reading))
	atlas := chart.Atlas{At: a.at}
	var parcels *figure.Parcels
	var under *figure.Anatomy
	if len(a.t.All("parcels")) > 0 {
		parcels, under, err = a.space()
		switch {
		case err == nil:
			if atlas = parcels.Atlas(under); len(atlas.Surfaces)+len(atlas.Cuts) == 0 {
				atlas.At = a.at
			}
		case !errors.Is(err, figure.ErrGrayordinates):
			return err
		}
	}
	shown := atlas.At != nil || len(atlas.Surfaces)+len(atlas.Cuts) > 0
	if shown {
		c, err := (&figure.BrainMap{Top: min(a.top, 10), Colored: a.top}).Draw(readings, rows, atlas, standing.Why)
		if err != nil {
			return fmt.Errorf("%s: %w", a.t.In("ranking").Name, err)
		}
		if err := a.figures("the regions on the cortex and in slices", c); err != nil {
			return err
		}
	}
	if parcels != nil {
		if err := a.inSpace(parcels, under, readings); err != nil {
			return err
		}
	}
	if err := a.figures("scores and contrasts of the top regions", figure.DrawRanking(rows, 25), figure.DrawContrast(rows, 25)); err != nil {
		return err
	}
	if !a.t.Has("individual") || !a.t.Has("nodes") || !shown {
		return nil
	}
	if table, err := a.t.In("individual").Table(); err != nil || table.Rows() == 0 {
		return err
	}
	names, err := figure.ReadNames(a.t.In("nodes"))
	if err != nil {
		return err
	}
	c, err := (&figure.Individuals{People: 4}).Draw(a.t.In("individual"), names, atlas)
	if err != nil {
		return err
	}
	return a.figures("the regions of single participants", c)
}

// space reads the label image, and the image that lies under it; nil for none.
func (a *author) space() (p *figure.Parcels, under *figure.Anatomy, err error) {
	in := a.t.All("parcels")[0]
	var nodes []region.Node
	if a.t.Has("nodes") {
		if nodes, err = region.ReadNodes(a.t.In("nodes")); err != nil {
			return nil, nil, err
		}
	}
	if p, err = figure.ReadParcels(in, nodes); err != nil {
		return nil, nil, err
	}
	if len(p.Middle) == 0 {
		return nil, nil, fmt.Errorf("%s: it holds no region of the node list", in.Name)
	}
	if a.t.Has("anatomy") {
		if under, err = figure.ReadAnatomy(a.t.In("anatomy")); err != nil {
			return nil, nil, err
		}
		if !under.Covers(p) {
			return nil, nil, fmt.Errorf("%s: it shows another part of space than the regions of %s: both have to be in one space", a.t.In("anatomy").Name, in.Name)
		}
	}
	return p, under, nil
}

// inSpace shows the first regions in slices, and in the viewer.
func (a *author) inSpace(p *figure.Parcels, under *figure.Anatomy, readings []figure.Ranked) error {
	in := a.t.All("parcels")[0]
	names := map[int][2]string{}
	if a.t.Has("nodes") {
		var err error
		if names, err = figure.ReadNames(a.t.In("nodes")); err != nil {
			return err
		}
	}
	slices := figure.DrawSlices(p, under, readings[0], a.top)
	if who := in.Coord("subject"); who != "" && len(a.t.All("parcels")) > 1 {
		slices.Caption += " Parcellation of " + who + "."
	}
	still, err := slices.InReport()
	if err != nil {
		return err
	}
	viewer, err := figure.Viewer(p, under, readings, a.top, names)
	if err != nil {
		return err
	}
	viewer.Static = &still
	a.place = p.Middle // the space that is shown need not be that of the node list
	a.add(report.Block{Lead: a.count.Figure(&still) + " shows the regions in slices."})
	a.add(report.Block{Viewer: viewer})
	for _, other := range readings[1:] {
		if other.Contrast != readings[0].Contrast {
			by := map[bool]string{false: "the mean pooling scores", true: "how differently the regions are scored in the groups"}
			return a.figures(by[other.Contrast], figure.DrawSlices(p, under, other, a.top))
		}
	}
	return nil
}

// rankingTables lists the first regions of the first setting in the text, and all regions of
// all settings in a supplement. said names the setting.
func (a *author) rankingTables(rows figure.RankingRows, byContrast bool, said string) error {
	some := func(value func(column.RankingRow) float64) bool {
		return slices.ContainsFunc(rows, func(r column.RankingRow) bool { return !math.IsNaN(value(r)) })
	}
	type row = column.RankingRow
	by := "mean pooling score"
	if byContrast {
		by = "contrast of the groups"
	}
	columns := []shownColumn[row]{
		number("rank", "", func(r row) string { return fmt.Sprint(r.Rank) }),
		text("region", "", func(r row) string { return r.Name }),
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Abbreviation != r.Name }) {
		columns = append(columns, text("short", "", func(r row) string { return r.Abbreviation }))
	}
	columns = append(columns, number("score", by, func(r row) string { return report.Share(r.Score) }))
	if some(func(r row) float64 { return r.Low }) {
		columns = append(columns, number("95 % CI", "of the score, over participants; models held fixed", func(r row) string { return report.Range(r.Low, r.High) }))
	}
	if rows[0].Best > 0 {
		columns = append(columns, number("rank by model", "best and worst rank in a single model (fold, repeat)",
			func(r row) string { return fmt.Sprintf("%d–%d", r.Best, r.Worst) }))
	}
	if some(func(r row) float64 { return r.Frequency }) {
		columns = append(columns, number("kept", "share of a participant's test graphs in which the layer keeps the region", func(r row) string { return report.Percent(r.Frequency) }))
	}
	if a.pictures && some(func(r row) float64 { return r.Contrast }) { // too wide for a text
		columns = append(columns,
			number("contrast", "difference of the groups' mean scores in within-group SDs, in test participants", func(r row) string { return report.Fixed(r.Contrast, 2) }),
			number("q", "of the contrast: false discovery rate over all regions", func(r row) string { return report.Probability(r.Q) }))
	}
	if rows.Planted() {
		columns = append(columns, text("planted", "simulated group difference", func(r row) string {
			return map[bool]string{true: "yes"}[r.Planted != nil && *r.Planted]
		}))
	}
	table := func(caption string, rows []row) *report.Table {
		columns := keyed("setting", func(r row) string { return settingName(r.Coords) }, rows, slices.Clone(columns)...)
		of := slices.IndexFunc(columns, func(c shownColumn[row]) bool { return c.Head.Text == "region" })
		t := tableOf(caption, of+1, rows, columns...)
		for i, r := range rows {
			if p, ok := a.place[int(r.Index)]; ok {
				t.Rows[i][of].Place = &p
			}
		}
		return t
	}
	shown := slices.DeleteFunc(rows.First(), func(r row) bool { return int(r.Rank) > a.top })
	a.table(table("The most salient regions"+said+", by "+by, shown), "lists "+words.The(len(shown), "region")+" with the highest score.")
	if len(shown) < len(rows) {
		a.supplement(table("All regions", rows))
	}
	return nil
}

// contrasts names the regions that the models score differently in the groups.
func (a *author) contrasts(rows []column.RankingRow) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r column.RankingRow) bool { return math.IsNaN(r.Q) })
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(x, y column.RankingRow) int { return cmp.Compare(y.Contrast, x.Contrast) })
	least := math.Inf(1)
	var names []string
	for _, r := range rows {
		least = min(least, r.Q)
		if r.Q < 0.05 {
			names = append(names, fmt.Sprintf("%s %.2f", cmp.Or(r.Abbreviation, r.Name), r.Contrast))
		}
	}
	if names == nil {
		a.say("No region is scored differently in the groups (contrast in test participants, smallest q %.2f).", least)
		return
	}
	a.say("Scored differently in the groups (contrast in test participants, q < 0.05): %s: %s.", words.Count(len(names), "region"), words.Some(names, 10))
}

// agreement says how far rankings agree.
func (a *author) agreement(first []column.RankingRow) error {
	type row = column.ConsistencyRow
	rows, err := read[row](a.t, "consistency")
	if err != nil || len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		if r.Over != "models" || !slices.Equal(r.Coords, first[0].Coords) {
			continue
		}
		a.say("%s rank the regions: two of them share %.1f of the top %d (%.1f by chance, %s), all share %d (%.1f by chance); rank correlation %.2f.",
			words.Count(int(r.Rankings), "model"), r.Common, r.K, r.CommonChance, report.P(r.P), r.Every,
			r.EveryChance, r.Spearman)
		if r.Kuncheva < 0.5 {
			a.caution("Only %.1f of the top %d regions agree between two models on average: the ranking depends on the training split", r.Common, r.K)
		}
	}
	if !a.pictures {
		return nil
	}
	columns := keyed("setting", func(r row) string { return settingName(r.Coords) }, rows,
		text("rankings by", "", func(r row) string { return r.Over }),
		number("number", "", func(r row) string { return fmt.Sprint(r.Rankings) }),
		number("k", "top regions that are compared", func(r row) string { return fmt.Sprint(r.K) }),
		number("two share", "of the top k regions of two rankings, mean over pairs", func(r row) string { return besideChance(r.Common, r.CommonChance, 1) }),
		number("all share", "of the top k regions of all rankings", func(r row) string { return besideChance(float64(r.Every), r.EveryChance, 0) }),
		number("Jaccard", "shared regions over those in either", func(r row) string { return besideChance(r.Jaccard, r.JaccardChance, 2) }),
		number("Kuncheva", "shared regions beyond chance; 0 by chance, 1 for the same regions", func(r row) string { return report.Fixed(r.Kuncheva, 2) }),
		number("Spearman", "rank correlation of all regions; 0 by chance", func(r row) string { return report.Fixed(r.Spearman, 2) }),
		number("p", "random rankings share as many", func(r row) string { return report.Probability(r.P) }))
	t := tableOf("Agreement of rankings", len(columns)-8, rows, columns...)
	t.Note = "In brackets: rankings in random order. Models may also agree because all brains are alike, whatever the groups."
	if len(rows) > 20 {
		a.supplement(t)
		return nil
	}
	a.table(t, "gives the agreement of rankings.")
	return nil
}

// besideChance writes a value, and that of chance in brackets.
func besideChance(x, chance float64, digits int) string {
	if math.IsNaN(chance) {
		return report.Fixed(x, digits)
	}
	// Of a count, chance is no whole number.
	return report.Fixed(x, digits) + " (" + report.Fixed(chance, max(digits, 1)) + ")"
}

// null says which regions stand out from models with permuted labels.
func (a *author) null(first []column.RankingRow) error {
	rows, err := read[column.NullRow](a.t, "null")
	if err != nil || len(rows) == 0 {
		return err
	}
	of, said := first[0].Coords, ""
	if !slices.ContainsFunc(rows, func(r column.NullRow) bool { return slices.Equal(r.Coords, of) }) {
		of = rows[0].Coords
		if name := settingName(of); name != "" {
			said = " (" + name + ")"
		}
	}
	least := 1.0
	var names []string
	for _, r := range rows {
		if !slices.Equal(r.Coords, of) {
			continue
		}
		least = min(least, r.PAny)
		if r.Q < 0.05 {
			names = append(names, cmp.Or(r.Abbreviation, r.Name))
		}
	}
	models := words.Count(int(rows[0].Permutations), "label shuffle")
	few := report.TooFewDraws(rows[0].Permutations, "label shuffle")
	switch {
	case few != "":
		a.say("No region can stand out from models retrained on permuted labels%s: %s.", said, few)
	case names == nil:
		a.say("No region stands out from models retrained on %s%s (smallest family-wise %s).", models, said, report.DrawnPText(least, rows[0].Permutations))
	default:
		a.say("Beyond models retrained on %s%s (q < 0.05): %s: %s.", models, said, words.Count(len(names), "region"), words.Some(names, 10))
	}
	if !a.pictures {
		return nil
	}
	table, err := a.t.In("null").Table()
	if err != nil {
		return err
	}
	t, err := wholeTable(table, 400, "index", "id")
	if err != nil {
		return err
	}
	t.Caption = "Regions against models with permuted labels"
	a.supplement(t)
	return nil
}

// fidelity says whether the predictions depend on the salient regions.
func (a *author) fidelity([]column.RankingRow) error {
	type row = column.FidelityRow
	rows, err := read[row](a.t, "fidelity")
	if err != nil || len(rows) == 0 {
		return err
	}
	a.cautionMasking(rows)
	decimals := 3
	for _, r := range rows {
		for decimals < 6 && r.RandomSD > 0 && r.RandomSD < math.Pow10(-decimals) {
			decimals++
		}
	}
	random := func(r row) string {
		sd := report.Fixed(r.RandomSD, decimals)
		if least := math.Pow10(-decimals); r.RandomSD > 0 && r.RandomSD < least {
			sd = "< " + report.Fixed(least, decimals)
		}
		return report.Fixed(r.RandomDrop, decimals) + " ± " + sd
	}
	actions := map[string]string{"remove": "removed", "keep": "kept alone"}
	columns := keyed("model", func(r row) string { return settingName(r.Coords) }, rows,
		text("top k regions", "by the models' scores", func(r row) string { return orItself(actions, r.Action) }),
		number("k", "", func(r row) string { return fmt.Sprint(r.K) }),
		number("drop", "of the probability of the predicted group", func(r row) string { return report.Fixed(r.Drop, decimals) }),
		number("k at random", "mean ± SD over random choices", random),
		number("p", "share of random choices that lower it as much (removed), or as little (kept alone)", func(r row) string { return report.DrawnP(r.P, r.Choices) }),
		number("changed", "predictions that change", func(r row) string { return report.Percent(r.Changed) }),
		number("at random", "", func(r row) string { return report.Percent(r.RandomChanged) }),
		number("accuracy", "of the masked graphs, per participant", func(r row) string { return report.Share(r.Accuracy) }),
		number("whole graphs", "", func(r row) string { return report.Share(r.WholeAccuracy) }))
	t := tableOf("Effect of masking the top regions", len(columns)-7, rows, columns...)
	t.Note = "In test participants"
	if graphs := rows[0].Graphs; graphs != "" {
		t.Note += "; masked: " + graphs + " of each"
	}
	t.Note += ". A removed region loses its edges and its row and column of features."
	if len(rows) > 1 {
		t.Note += fmt.Sprintf(" p is not corrected for the %d rows.", len(rows))
	}
	a.table(t, "gives the effect of masking the top regions of each graph on the predictions.")
	return nil
}

// cautionMasking warns of masking models that do not classify.
func (a *author) cautionMasking(rows []column.FidelityRow) {
	if slices.ContainsFunc(rows, func(r column.FidelityRow) bool { return a.isUnproven(column.CoordText(r.Coords)) }) {
		a.caution("The models are not shown to classify above chance: masking their top regions says little about the groups")
	}
	if !slices.ContainsFunc(rows, func(r column.FidelityRow) bool { return r.Changed > 0 || r.RandomChanged > 0 }) {
		a.caution("Masking changes no prediction, neither of the top regions nor of random ones: the drops and their p are of the probability only")
	}
}

// isUnproven reports whether the accuracy of a setting is not above chance.
func (a *author) isUnproven(setting string) bool {
	return slices.ContainsFunc(a.unproven, func(s string) bool { return unstaged(s) == unstaged(setting) })
}

// individuality says how much of the scores differs between participants, as λ2 grows.
func (a *author) individuality([]column.RankingRow) error {
	type row = column.IndividualityRow
	rows, err := read[row](a.t, "individuality")
	if err != nil || len(rows) == 0 {
		return err
	}
	c, err := figure.DrawIndividuality(a.t.In("individuality"))
	if err != nil {
		return err
	}
	if err := a.figures("individual or group level, as λ2 grows", c); err != nil {
		return err
	}
	t := tableOf("Individual or group level", 1, rows,
		text("setting", "", func(r row) string { return r.Setting }),
		number("λ2", "weight of the group-level consistency", func(r row) string { return report.Short(r.Lambda2) }),
		number("between participants", "share of the variance of scores between participants of a group", func(r row) string { return report.Share(r.Individual) }),
		number("95 % CI", "over participants",
			func(r row) string { return report.Range(r.IndividualLow, r.IndividualHigh) }),
		number("k", "top regions that are compared", func(r row) string { return fmt.Sprint(r.K) }),
		number("Jaccard", "top regions that two participants of a group share, of those in either", func(r row) string { return report.Share(r.Jaccard) }),
		number("95 % CI", "", func(r row) string { return report.Range(r.JaccardLow, r.JaccardHigh) }),
		number("by chance", "rankings in random order", func(r row) string { return report.Share(r.JaccardChance) }))
	t.Note = "In test participants, by each model alone."
	a.table(t, "gives the share of the variance of scores between participants.")
	return nil
}
