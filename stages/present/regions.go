package present

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
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
	setting := shown.Setting
	a.Find(shown.Findings()...)
	slices.SortStableFunc(rows, func(x, y column.RankingRow) int { // figures and tables show the first setting
		return otherThan(setting, x) - otherThan(setting, y)
	})
	first := rows.First()
	if a.Text("regions.of", shown) != "" {
		a.Put("regions.shown", shown)
	}
	if a.IsUnproven(setting, a.StagesBehind("ranking", "scores")) {
		a.Put("regions.not-above-chance", nil)
	}
	if a.Pictures {
		if err := a.regionFigures(rows, reading); err != nil {
			return err
		}
	}
	a.rankingTables(rows, reading.Contrast, shown)
	if f, tested := finding.Contrasted(first); tested {
		a.Put(f.Code, f.Numbers)
	}
	for _, part := range []func() error{
		func() error { return a.agreement(setting) },
		func() error { return a.references(len(first), shown) },
		func() error { return a.null(setting) },
		a.fidelity, a.individuality,
	} {
		if err := part(); err != nil {
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
	first, err := figure.FirstMapOf(a.T, rows, reading)
	if err != nil {
		return err
	}
	readings := figure.ByFirst(first, figure.Readings(rows, reading))
	atlas := chart.Atlas{At: a.at}
	var parcels *figure.Parcels
	var under *figure.Anatomy
	if len(a.T.All("parcels")) > 0 {
		parcels, under, err = a.space()
		switch {
		case err == nil && !parcels.Known:
			parcels = nil
			a.Put("regions.no-node-list", nil)
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
		c, err := (&figure.BrainMap{Top: min(a.top, 10), Colored: a.top}).Draw(readings, rows, atlas, first.Why)
		if err != nil {
			return fmt.Errorf("%s: %w", a.T.In("ranking").Name, err)
		}
		if err := a.Figures(a.Text("regions.figures.map", nil), c); err != nil {
			return err
		}
	}
	if parcels != nil {
		if err := a.inSpace(parcels, under, readings); err != nil {
			return err
		}
	}
	if err := a.Figures(a.Text("regions.figures.scores", nil), figure.DrawRanking(rows, 25), figure.DrawContrast(rows, 25)); err != nil {
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
	return a.Figures(a.Text("regions.figures.individuals", nil), c)
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
		slices.Caption += " " + a.Text("regions.parcellation", values{"Participant": who})
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
	a.Add(report.Block{Lead: a.Count.Figure(&still) + " " + a.Text("regions.slices.lead", nil)})
	a.Add(report.Block{Viewer: viewer})
	for _, other := range readings[1:] {
		if other.Contrast != readings[0].Contrast {
			none, err := other.Unmapped(a.top)
			if err != nil {
				return err
			}
			if none != "" {
				a.Add(report.Block{Text: none})
				return nil
			}
			return a.Figures(a.Text("regions.figures.other", other.Reading), figure.DrawSlices(p, under, other, a.top))
		}
	}
	return nil
}

// rankingTables lists the first regions of the first setting in the text, and all regions of all settings in a
// supplement.
func (a *author) rankingTables(rows figure.RankingRows, byContrast bool, shown finding.Shown) {
	some := func(value func(column.RankingRow) float64) bool {
		return slices.ContainsFunc(rows, func(r column.RankingRow) bool { return !math.IsNaN(value(r)) })
	}
	type row = column.RankingRow
	columns := []section.Column[row]{
		section.Num("rank", func(r row) string { return fmt.Sprint(r.Rank) }),
		section.Words("region", func(r row) string { return r.Name }),
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Abbreviation != r.Name }) {
		columns = append(columns, section.Words("short", func(r row) string { return r.Abbreviation }))
	}
	columns = append(columns, section.Num("score", func(r row) string { return report.Share(r.Score) }))
	if some(func(r row) float64 { return r.Low }) {
		columns = append(columns, section.Num("interval", func(r row) string { return report.Range(r.Low, r.High) }))
	}
	if rows[0].Best > 0 {
		columns = append(columns,
			section.Num("by-model", func(r row) string { return fmt.Sprintf("%d–%d", r.Best, r.Worst) }))
	}
	if some(func(r row) float64 { return r.Frequency }) {
		columns = append(columns, section.Num("kept", func(r row) string { return report.Percent(r.Frequency) }))
	}
	if a.Pictures && some(func(r row) float64 { return r.Contrast }) { // too wide for a text
		columns = append(columns,
			section.Num("contrast", func(r row) string { return report.Fixed(r.Contrast, 2) }),
			section.Num("q", func(r row) string { return report.Probability(r.Q) }))
	}
	if rows.Planted() {
		yes := a.Text("regions.yes", nil)
		columns = append(columns, section.Words("planted", func(r row) string {
			return map[bool]string{true: yes}[r.Planted != nil && *r.Planted]
		}))
	}
	top := slices.DeleteFunc(rows.First(), func(r row) bool { return int(r.Rank) > a.top })
	of := values{"All": false, "Shown": shown, "By": map[bool]string{false: "score", true: "contrast"}[byContrast],
		"Many": a.many(), "N": len(top)}
	table := func(rows []row) *report.Table {
		keyed := section.Keyed(section.Words("setting", settingOf), rows, slices.Clone(columns)...)
		region := 1 + len(keyed) - len(columns)
		t := section.Lay(a.Writer, "regions.ranking", of, region+1, rows, keyed...)
		for i, r := range rows {
			if p, ok := a.place[int(r.Index)]; ok {
				t.Rows[i][region].Place = &p
			}
		}
		return t
	}
	a.Table(table(top), a.Text("regions.ranking.lead", of))
	if len(top) < len(rows) {
		of["All"] = true
		a.Supplement(table(rows))
	}
}

// settingOf is the setting of a row in a table.
func settingOf(r column.RankingRow) string { return column.ShownSetting(r.Coords) }

// agreement is how far rankings agree.
func (a *author) agreement(setting []dag.Coord) error {
	type row = column.ConsistencyRow
	rows, err := column.ReadPort[row](a.T, "consistency")
	if err != nil || len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		if r.Over == "models" && slices.Equal(r.Coords, setting) {
			a.Put("ranking.agreement", r)
			a.Find(finding.Agreement(r)...)
		}
	}
	if !a.Pictures {
		return nil
	}
	columns := section.Keyed(section.Words("setting",
		func(r row) string { return column.ShownSetting(r.Coords) }), rows,
		section.Words("over", func(r row) string { return r.Over }),
		section.Num("number", func(r row) string { return fmt.Sprint(r.Rankings) }),
		section.Num("k", func(r row) string { return fmt.Sprint(r.K) }),
		section.Num("two", func(r row) string { return besideChance(r.Common, r.CommonChance, 1) }),
		section.Num("all", func(r row) string { return besideChance(float64(r.Every), r.EveryChance, 0) }),
		section.Num("jaccard", func(r row) string { return besideChance(r.Jaccard, r.JaccardChance, 2) }),
		section.Num("kuncheva", func(r row) string { return report.Fixed(r.Kuncheva, 2) }),
		section.Num("spearman", func(r row) string { return report.Fixed(r.Spearman, 2) }),
		section.Num("p", func(r row) string { return report.Probability(r.P) }))
	t := section.Lay(a.Writer, "ranking.consistency", nil, len(columns)-8, rows, columns...)
	a.LongTable(t, 20, a.Text("ranking.consistency.lead", nil))
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

// null is which regions exceed models retrained on permuted labels.
func (a *author) null(setting []dag.Coord) error {
	rows, err := column.ReadPort[column.NullRow](a.T, "null")
	if err != nil {
		return err
	}
	f, tested := finding.BeyondNull(rows, setting)
	if !tested {
		return nil
	}
	a.Put(f.Code, f.Numbers)
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
	t.Caption = a.Text("null.table", nil)
	a.Supplement(t)
	return nil
}

// fidelity is whether the predictions depend on the salient regions.
func (a *author) fidelity() error {
	type row = column.FidelityRow
	rows, err := column.ReadPort[row](a.T, "fidelity")
	if err != nil || len(rows) == 0 {
		return err
	}
	a.Find(a.Masking(rows)...)
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
	columns := section.Keyed(section.Words("model", func(r row) string { return column.ShownSetting(r.Coords) }), rows,
		section.Words("action", func(r row) string { return a.Text("masking.action", r) }),
		section.Num("k", func(r row) string { return fmt.Sprint(r.K) }),
		section.Num("drop", func(r row) string { return report.Fixed(r.Drop, decimals) }),
		section.Num("random", random),
		section.Num("p", func(r row) string { return report.DrawnP(r.P, r.Choices) }),
		section.Num("changed", func(r row) string { return report.Percent(r.Changed) }),
		section.Num("random-changed", func(r row) string { return report.Percent(r.RandomChanged) }),
		section.Num("accuracy", func(r row) string { return report.Share(r.Accuracy) }),
		section.Num("whole", func(r row) string { return report.Share(r.WholeAccuracy) }))
	of := values{"Graphs": rows[0].Graphs, "Choices": rows[0].Choices, "Rows": len(rows), "Several": len(rows) > 1}
	a.Table(section.Lay(a.Writer, "masking.effect", of, len(columns)-7, rows, columns...),
		a.Text("masking.effect.lead", nil))
	return nil
}

// individuality is how much of the scores differs between participants, as λ2 grows.
func (a *author) individuality() error {
	type row = column.IndividualityRow
	rows, err := column.ReadPort[row](a.T, "individuality")
	if err != nil || len(rows) == 0 {
		return err
	}
	c, err := figure.DrawIndividuality(a.T.In("individuality"))
	if err != nil {
		return err
	}
	if err := a.Figures(a.Text("individuality.figure", nil), c); err != nil {
		return err
	}
	a.Table(section.Lay(a.Writer, "individuality.shares", nil, 1, rows,
		section.Words("setting", func(r row) string { return r.Setting }),
		section.Num("lambda2", func(r row) string { return report.Short(r.Lambda2) }),
		section.Num("between", func(r row) string { return report.Share(r.Individual) }),
		section.Num("interval", func(r row) string { return report.Range(r.IndividualLow, r.IndividualHigh) }),
		section.Num("k", func(r row) string { return fmt.Sprint(r.K) }),
		section.Num("jaccard", func(r row) string { return report.Share(r.Jaccard) }),
		section.Num("jaccard-interval", func(r row) string { return report.Range(r.JaccardLow, r.JaccardHigh) }),
		section.Num("chance", func(r row) string { return report.Share(r.JaccardChance) })),
		a.Text("individuality.shares.lead", nil))
	return nil
}
