package present

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/present/section"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// regions is the section of the salient regions: in the brain, in tables, and how far the
// ranking can be trusted.
func (a *author) regions() error {
	if !a.T.Has("ranking") || a.top == 0 {
		return nil
	}
	in := a.T.In("ranking")
	rows, err := figure.ReadRanking(in)
	if err != nil || len(rows) == 0 {
		return err
	}
	reading, err := figure.ReadReading(in)
	if err != nil {
		return err
	}
	settings := lists.Map(rows, func(r column.RankingRow) []dag.Coord { return r.Coords })
	shown := a.RegionsOf(settings, reading.Chosen)
	setting, said := shown.Setting, a.Text("regions.of", shown)
	a.Find(shown.Findings()...)
	slices.SortStableFunc(rows, func(x, y column.RankingRow) int { // figures and tables show the first setting
		return otherThan(setting, x) - otherThan(setting, y)
	})
	first := rows.First()
	switch {
	case reading.Chosen != "":
		a.Say("Figures and tables show the regions%s.", said)
	case said != "":
		a.Say("Figures and tables show the regions%s; supplementary tables have all settings.", said)
	}
	if a.IsUnproven(setting, a.StagesBehind("ranking", "scores")) {
		a.Say("The accuracy of the models is not shown to be above chance: the ranking alone is no evidence of a group difference.")
	}
	if a.Pictures {
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
func otherThan(setting []dag.Coord, r column.RankingRow) int {
	if slices.Equal(r.Coords, setting) {
		return 0
	}
	return 1
}

// regionFigures shows the regions on the cortex and in space, and with their scores.
func (a *author) regionFigures(rows figure.RankingRows, reading figure.Reading) error {
	standing, err := figure.StandingOf(a.T, rows, reading)
	if err != nil {
		return err
	}
	readings := standing.First(figure.Readings(rows, reading))
	atlas := chart.Atlas{At: a.at}
	var parcels *figure.Parcels
	var under *figure.Anatomy
	if len(a.T.All("parcels")) > 0 {
		parcels, under, err = a.space()
		switch {
		case err == nil && !parcels.Known:
			parcels = nil
			a.Say("The regions are not shown in space: without the node list (input nodes of the report), it is unknown which label of the image (input parcels) is which region.")
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
			return fmt.Errorf("%s: %w", a.T.In("ranking").Name, err)
		}
		if err := a.Figures("the regions on the cortex and in slices", c); err != nil {
			return err
		}
	}
	if parcels != nil {
		if err := a.inSpace(parcels, under, readings); err != nil {
			return err
		}
	}
	if err := a.Figures("scores and contrasts of the top regions", figure.DrawRanking(rows, 25), figure.DrawContrast(rows, 25)); err != nil {
		return err
	}
	if !a.T.Has("individual") || !a.T.Has("nodes") || !shown {
		return nil
	}
	if table, err := a.T.In("individual").Table(); err != nil || table.Rows() == 0 {
		return err
	}
	names, err := figure.ReadNames(a.T.In("nodes"))
	if err != nil {
		return err
	}
	c, err := (&figure.Individuals{People: 4}).Draw(a.T.In("individual"), names, atlas)
	if err != nil {
		return err
	}
	return a.Figures("the regions of single participants", c)
}

// space reads the label image, and the image that lies under it; nil for none.
func (a *author) space() (p *figure.Parcels, under *figure.Anatomy, err error) {
	in := a.T.All("parcels")[0]
	var nodes []region.Node
	if a.T.Has("nodes") {
		if nodes, err = region.ReadNodes(a.T.In("nodes")); err != nil {
			return nil, nil, err
		}
	}
	if p, err = figure.ReadParcels(in, nodes); err != nil {
		return nil, nil, err
	}
	if len(p.Middle) == 0 {
		return nil, nil, fmt.Errorf("%s: it holds no region of the node list", in.Name)
	}
	if a.T.Has("anatomy") {
		if under, err = figure.ReadAnatomy(a.T.In("anatomy")); err != nil {
			return nil, nil, err
		}
		if !under.Covers(p) {
			return nil, nil, fmt.Errorf("%s: it shows another part of space than the regions of %s: both have to be in one space", a.T.In("anatomy").Name, in.Name)
		}
	}
	return p, under, nil
}

// inSpace shows the first regions in slices, and in the viewer.
func (a *author) inSpace(p *figure.Parcels, under *figure.Anatomy, readings []figure.Ranked) error {
	in := a.T.All("parcels")[0]
	names := map[int][2]string{}
	if a.T.Has("nodes") {
		var err error
		if names, err = figure.ReadNames(a.T.In("nodes")); err != nil {
			return err
		}
	}
	slices := figure.DrawSlices(p, under, readings[0], a.top)
	if who := in.Coord("subject"); who != "" && len(a.T.All("parcels")) > 1 {
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
	a.Add(report.Block{Lead: a.Count.Figure(&still) + " shows the regions in slices."})
	a.Add(report.Block{Viewer: viewer})
	for _, other := range readings[1:] {
		if other.Contrast != readings[0].Contrast {
			none, err := other.Unmapped(a.top)
			if err != nil {
				return err
			}
			if none != "" {
				a.Say("%s", none)
				return nil
			}
			by := map[bool]string{false: "the mean pooling scores", true: "the contrast between the groups"}
			return a.Figures(by[other.Contrast], figure.DrawSlices(p, under, other, a.top))
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
		by = "contrast between the groups"
	}
	columns := []section.Column[row]{
		section.Number("rank", "", func(r row) string { return fmt.Sprint(r.Rank) }),
		section.Text("region", "", func(r row) string { return r.Name }),
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Abbreviation != r.Name }) {
		columns = append(columns, section.Text("short", "", func(r row) string { return r.Abbreviation }))
	}
	columns = append(columns, section.Number("score", by, func(r row) string { return report.Share(r.Score) }))
	if some(func(r row) float64 { return r.Low }) {
		columns = append(columns, section.Number("95 % CI", "of the score, over participants; models held fixed",
			func(r row) string { return report.Range(r.Low, r.High) }))
	}
	if rows[0].Best > 0 {
		columns = append(columns, section.Number("rank by model", "best and worst rank in a single model (fold, repeat)",
			func(r row) string { return fmt.Sprintf("%d–%d", r.Best, r.Worst) }))
	}
	if some(func(r row) float64 { return r.Frequency }) {
		columns = append(columns, section.Number("kept", "share of a participant's test graphs in which the layer keeps the region", func(r row) string { return report.Percent(r.Frequency) }))
	}
	if a.Pictures && some(func(r row) float64 { return r.Contrast }) { // too wide for a text
		columns = append(columns,
			section.Number("contrast", a.Difference()+" mean scores in within-group SDs, in test participants", func(r row) string { return report.Fixed(r.Contrast, 2) }),
			section.Number("q", "of the contrast: false discovery rate over all regions; test labels permuted in each fold, models not retrained", func(r row) string { return report.Probability(r.Q) }))
	}
	if rows.Planted() {
		columns = append(columns, section.Text("planted", "simulated group difference", func(r row) string {
			return map[bool]string{true: "yes"}[r.Planted != nil && *r.Planted]
		}))
	}
	table := func(caption string, rows []row) *report.Table {
		columns := section.Keyed("setting", func(r row) string { return section.SettingName(r.Coords) }, rows,
			slices.Clone(columns)...)
		of := slices.IndexFunc(columns, func(c section.Column[row]) bool { return c.Head.Text == "region" })
		t := section.TableOf(caption, of+1, rows, columns...)
		for i, r := range rows {
			if p, ok := a.place[int(r.Index)]; ok {
				t.Rows[i][of].Place = &p
			}
		}
		return t
	}
	shown := slices.DeleteFunc(rows.First(), func(r row) bool { return int(r.Rank) > a.top })
	a.Table(table("The most salient regions"+said+", by "+by, shown), "lists "+words.The(len(shown), "region")+" with the highest "+by+".")
	if len(shown) < len(rows) {
		a.Supplement(table("All regions", rows))
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
	least, possible := math.Inf(1), math.Inf(1)
	var names []string
	for _, r := range rows {
		least = min(least, r.Q)
		if !(r.Least >= possible) { // NaN: a table of before, or of others
			possible = r.Least
		}
		if r.Q < 0.05 {
			names = append(names, fmt.Sprintf("%s %.2f", cmp.Or(r.Abbreviation, r.Name), r.Contrast))
		}
	}
	if names == nil {
		if possible >= 0.05 {
			a.Say("No region's score can differ significantly between the groups: p of the contrast, fold by fold with models not retrained, cannot be below %s, since few permutations of the labels of a fold differ. Models retrained on permuted labels (permuted) test more regions (docs/statistics.md).", report.Probability(possible))
			return
		}
		a.Say("No region's score differs significantly between the groups (contrast in test participants, fold by fold, models not retrained; smallest q %.2f).", least)
		return
	}
	a.Say("Regions whose scores differ between the groups (contrast in test participants, fold by fold, models not retrained; q < 0.05): %s: %s.", words.Count(len(names), "region"), words.Some(names, 10))
}

// agreement says how far rankings agree.
func (a *author) agreement(first []column.RankingRow) error {
	type row = column.ConsistencyRow
	rows, err := section.Read[row](a.T, "consistency")
	if err != nil || len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		if r.Over != "models" || !slices.Equal(r.Coords, first[0].Coords) {
			continue
		}
		a.Say("%s rank the regions: on average, two of them share %.1f of the top %d (%.1f by chance, %s); all share %d (%.1f by chance); rank correlation %s.",
			words.Count(int(r.Rankings), "model"), r.Common, r.K, r.CommonChance, report.P(r.P), r.Every,
			r.EveryChance, report.Fixed(r.Spearman, 2))
		if r.Kuncheva < 0.5 {
			a.Caution("Only %.1f of the top %d regions agree between two models on average: the ranking depends on the training split", r.Common, r.K)
		}
	}
	if !a.Pictures {
		return nil
	}
	columns := section.Keyed("setting", func(r row) string { return section.SettingName(r.Coords) }, rows,
		section.Text("rankings by", "", func(r row) string { return r.Over }),
		section.Number("number", "", func(r row) string { return fmt.Sprint(r.Rankings) }),
		section.Number("k", "top regions that are compared", func(r row) string { return fmt.Sprint(r.K) }),
		section.Number("two share", "of the top k regions of two rankings, mean over pairs", func(r row) string { return besideChance(r.Common, r.CommonChance, 1) }),
		section.Number("all share", "of the top k regions of all rankings", func(r row) string { return besideChance(float64(r.Every), r.EveryChance, 0) }),
		section.Number("Jaccard", "shared regions over those in either", func(r row) string { return besideChance(r.Jaccard, r.JaccardChance, 2) }),
		section.Number("Kuncheva", "shared regions beyond chance; 0 by chance, 1 for the same regions", func(r row) string { return report.Fixed(r.Kuncheva, 2) }),
		section.Number("Spearman", "rank correlation of all regions; 0 by chance", func(r row) string { return report.Fixed(r.Spearman, 2) }),
		section.Number("p", "probability that random rankings share at least as many", func(r row) string { return report.Probability(r.P) }))
	t := section.TableOf("Agreement of rankings", len(columns)-8, rows, columns...)
	t.Note = "In parentheses: expected for random rankings. Models may also agree because brains are similar, regardless of group."
	if len(rows) > 20 {
		a.Supplement(t)
		return nil
	}
	a.Table(t, "gives the agreement of rankings.")
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
	rows, err := section.Read[column.NullRow](a.T, "null")
	if err != nil || len(rows) == 0 {
		return err
	}
	of, said := first[0].Coords, ""
	if !slices.ContainsFunc(rows, func(r column.NullRow) bool { return slices.Equal(r.Coords, of) }) {
		of = rows[0].Coords
		if name := section.SettingName(of); name != "" {
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
		a.Say("No region can stand out from models retrained on permuted labels%s: %s.", said, few)
	case names == nil:
		a.Say("No region stands out from models retrained on %s%s (smallest family-wise %s).", models, said, report.DrawnPText(least, rows[0].Permutations))
	default:
		a.Say("Beyond models retrained on %s%s (q < 0.05): %s: %s.", models, said, words.Count(len(names), "region"), words.Some(names, 10))
	}
	if !a.Pictures {
		return nil
	}
	table, err := a.T.In("null").Table()
	if err != nil {
		return err
	}
	t, err := section.WholeTable(table, 400, "index", "id")
	if err != nil {
		return err
	}
	t.Caption = "Regions against models with permuted labels"
	a.Supplement(t)
	return nil
}

// fidelity says whether the predictions depend on the salient regions.
func (a *author) fidelity([]column.RankingRow) error {
	type row = column.FidelityRow
	rows, err := section.Read[row](a.T, "fidelity")
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
	columns := section.Keyed("model", func(r row) string { return section.SettingName(r.Coords) }, rows,
		section.Text("top k regions", "by the models' scores", func(r row) string { return section.OrItself(actions, r.Action) }),
		section.Number("k", "", func(r row) string { return fmt.Sprint(r.K) }),
		section.Number("drop", "of the probability of the predicted group", func(r row) string { return report.Fixed(r.Drop, decimals) }),
		section.Number("k at random", "mean ± SD over random choices", random),
		section.Number("p", "share of random choices that lower it as much (removed), or as little (kept alone)", func(r row) string { return report.DrawnP(r.P, r.Choices) }),
		section.Number("changed", "predictions that change", func(r row) string { return report.Percent(r.Changed) }),
		section.Number("at random", "", func(r row) string { return report.Percent(r.RandomChanged) }),
		section.Number("accuracy", "of the masked graphs, per participant", func(r row) string { return report.Share(r.Accuracy) }),
		section.Number("whole graphs", "", func(r row) string { return report.Share(r.WholeAccuracy) }))
	t := section.TableOf("Effect of masking the top regions", len(columns)-7, rows, columns...)
	t.Note = "In test participants"
	if graphs := rows[0].Graphs; graphs != "" {
		t.Note += "; masked: " + graphs + " of each"
	}
	t.Note += ". A removed region loses its edges and its row and column of features. Accuracies are means over the models, not pooled."
	t.Note += fmt.Sprintf(" p of %s.", words.Count(int(rows[0].Choices), "random choice"))
	if len(rows) > 1 {
		t.Note += fmt.Sprintf(" p is not corrected for the %d rows.", len(rows))
	}
	a.Table(t, "gives the effect of masking the top regions of each graph on the predictions.")
	return nil
}

// cautionMasking warns of masking models that do not classify.
func (a *author) cautionMasking(rows []column.FidelityRow) {
	masked := a.StagesBehind("fidelity", "model")
	if slices.ContainsFunc(rows, func(r column.FidelityRow) bool {
		return a.IsUnproven(r.Coords, masked)
	}) {
		a.Caution("The accuracy of the models is not shown to be above chance: masking their top regions says little about the groups")
	}
	if !slices.ContainsFunc(rows, func(r column.FidelityRow) bool { return r.Changed > 0 || r.RandomChanged > 0 }) {
		a.Weighed(section.Notes, "Masking changes no prediction, neither of the top regions nor of random ones: the drops and their p are of the probability only")
	}
}

// individuality says how much of the scores differs between participants, as λ2 grows.
func (a *author) individuality([]column.RankingRow) error {
	type row = column.IndividualityRow
	rows, err := section.Read[row](a.T, "individuality")
	if err != nil || len(rows) == 0 {
		return err
	}
	c, err := figure.DrawIndividuality(a.T.In("individuality"))
	if err != nil {
		return err
	}
	if err := a.Figures("individual or group level, as λ2 grows", c); err != nil {
		return err
	}
	t := section.TableOf("Individual or group level", 1, rows,
		section.Text("setting", "", func(r row) string { return r.Setting }),
		section.Number("λ2", "weight of the group-level consistency", func(r row) string { return report.Short(r.Lambda2) }),
		section.Number("between participants", "share of the variance of scores between participants of a group", func(r row) string { return report.Share(r.Individual) }),
		section.Number("95 % CI", "over participants",
			func(r row) string { return report.Range(r.IndividualLow, r.IndividualHigh) }),
		section.Number("k", "top regions that are compared", func(r row) string { return fmt.Sprint(r.K) }),
		section.Number("Jaccard", "top regions that two participants of a group share, of those in either", func(r row) string { return report.Share(r.Jaccard) }),
		section.Number("95 % CI", "", func(r row) string { return report.Range(r.JaccardLow, r.JaccardHigh) }),
		section.Number("by chance", "rankings in random order", func(r row) string { return report.Share(r.JaccardChance) }))
	t.Note = "In test participants, by each model alone."
	a.Table(t, "gives the share of the variance of scores between participants.")
	return nil
}
