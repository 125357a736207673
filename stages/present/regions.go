package present

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/finding/ranking"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// regions is the section of the salient regions: in the brain, in tables, and how far the
// ranking can be trusted.
func (a *author) regions() {
	rows := figure.RankingRows(section.Rows[column.RankingRow](a.Writer, "ranking"))
	if len(rows) == 0 || a.top == 0 {
		return
	}
	reading, err := figure.ReadReading(a.T.In("ranking"))
	a.Fail(err)
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
	if models := a.Unproven(setting, a.StagesBehind("ranking", "scores")); models != nil {
		a.Put("regions.not-above-chance", values{"Models": models})
	}
	holds, err := figure.FirstMapOf(a.T, rows, reading)
	if a.Fail(err); holds.Why != "" && holds.Why != "untested" {
		a.Put("regions.holds", values{"Why": holds.Why, "By": criterion(holds.Contrast)})
	}
	if a.Pictures {
		a.Fail(a.regionFigures(setting, rows, reading))
	}
	a.rankingTables(rows, reading.Contrast, shown)
	a.FindOf([][]dag.Coord{setting}, ranking.Ties(first, criterion(reading.Contrast), a.topOf(setting), shown)...)
	if f, tested := ranking.Contrasted(first); tested {
		a.Put(f.Code, f.Numbers)
	}
	a.agreement(setting)
	a.references(len(first), shown)
	a.null(setting)
	a.fidelity()
	a.individuality()
}

// criterion is what regions are ranked by.
func criterion(contrast bool) string {
	if contrast {
		return "contrast"
	}
	return "score"
}

// topOf is how many regions count as the first in a setting: as many as were compared, else those that are listed.
func (a *author) topOf(setting []dag.Coord) int {
	for _, r := range section.Rows[column.ConsistencyRow](a.Writer, "consistency") {
		if slices.Equal(r.Coords, setting) {
			return int(r.K)
		}
	}
	return a.top
}

// otherThan is 1 for a region of another setting.
func otherThan(setting []dag.Coord, r column.RankingRow) int {
	if slices.Equal(r.Coords, setting) {
		return 0
	}
	return 1
}

// regionFigures shows the regions on the cortex and in space, and with their scores.
func (a *author) regionFigures(setting []dag.Coord, rows figure.RankingRows, reading figure.Reading) error {
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
		a.Figures(c)
	}
	if parcels != nil {
		if err := a.inSpace(parcels, under, readings); err != nil {
			return err
		}
	}
	a.Figures(figure.DrawRanking(rows, 20), figure.DrawContrast(rows, 20))
	if !a.T.Has("individual") || !a.T.Has("nodes") || !shown {
		return nil
	}
	if a.TableOf(a.T.In("individual")).Rows() > 0 {
		a.Figure((&figure.Individuals{People: 4}).Draw(a.T.In("individual"), setting, a.Names, atlas))
	}
	return nil
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
	if a.T.Has("nodes") {
		if p.Subcortical, err = region.Subcortical(a.TableOf(a.T.In("nodes"))); err != nil {
			return nil, nil, err
		}
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
	slices := figure.DrawSlices(p, under, readings[0], a.top)
	if who := a.T.All("parcels")[0].Coord("subject"); who != "" && len(a.T.All("parcels")) > 1 {
		slices.Caption += " " + a.Text("regions.parcellation", values{"Participant": who})
	}
	still, err := slices.InReport(a.Page.Simulated)
	if err != nil {
		return err
	}
	viewer, err := figure.Viewer(p, under, readings, a.top, a.Names)
	if err != nil {
		return err
	}
	viewer.Static = &still
	a.place = p.Middle // the space that is shown need not be that of the node list
	a.Count.Figure(&still)
	a.Add(report.Block{Viewer: viewer})
	for _, other := range readings[1:] {
		if other.Contrast != readings[0].Contrast {
			none, err := other.Unmapped(a.top)
			if none != "" {
				a.Add(report.Block{Text: none})
			} else {
				a.Figures(figure.DrawSlices(p, under, other, a.top))
			}
			return err
		}
	}
	return nil
}

// rankingTables lists the first regions of the first setting in the text, and all regions of all settings in a
// supplement.
func (a *author) rankingTables(rows figure.RankingRows, byContrast bool, shown finding.Shown) {
	type row = column.RankingRow
	columns := "setting! rank region | short score interval? by-model? kept?"
	if !slices.ContainsFunc(rows, func(r row) bool { return r.Abbreviation != r.Name }) {
		columns = strings.Replace(columns, "short ", "", 1)
	}
	contrast := func(r row) bool { return !math.IsNaN(r.Contrast) }
	if a.Pictures && slices.ContainsFunc(rows, contrast) { // too wide for a text
		columns += " contrast q"
	}
	if rows.Planted() {
		columns += " planted"
	}
	top := slices.DeleteFunc(rows.First(), func(r row) bool { return int(r.Rank) > a.top })
	of := values{"All": false, "Shown": shown, "By": criterion(byContrast),
		"Many": a.many(), "N": len(top)}
	table := func(rows []row) *report.Table {
		t := section.Lay(a.Writer, "regions.ranking", of, rows, columns)
		for i, r := range rows {
			if p, ok := a.place[int(r.Index)]; ok {
				t.Rows[i][t.Keys-1].Place = &p
			}
		}
		return t
	}
	a.Table(table(top))
	if len(top) < len(rows) {
		of["All"] = true
		a.Supplement(table(rows))
	}
}

// agreement is how far rankings agree.
func (a *author) agreement(setting []dag.Coord) {
	type row = column.ConsistencyRow
	rows := section.Rows[row](a.Writer, "consistency")
	for i, r := range rows {
		if r.Over == "draws" {
			rows[i].Over = a.GraphsAre()
		}
		if r.Over == "models" && slices.Equal(r.Coords, setting) {
			a.Put("ranking.agreement", r)
			a.FindOf([][]dag.Coord{setting}, ranking.Agreement(r)...)
		}
	}
	if a.Pictures && len(rows) > 0 {
		a.LongTable(section.Lay(a.Writer, "ranking.consistency", nil, rows,
			"setting! over | number k two all jaccard kuncheva spearman p"), 20)
	}
}

// null is which regions exceed models retrained on permuted labels.
func (a *author) null(setting []dag.Coord) {
	f, tested := ranking.BeyondNull(section.Rows[column.NullRow](a.Writer, "null"), setting)
	if !tested {
		return
	}
	a.Put(f.Code, f.Numbers)
	if a.Pictures {
		t := a.WholeTable(a.TableOf(a.T.In("null")), 400, "index", "id")
		t.Caption = a.Text("null.table", nil)
		a.Supplement(t)
	}
}

// fidelity is whether the predictions depend on the salient regions.
func (a *author) fidelity() {
	type row = column.FidelityRow
	rows := section.Rows[row](a.Writer, "fidelity")
	if len(rows) == 0 {
		return
	}
	a.FindOf(lists.Map(rows, func(r row) []dag.Coord { return r.Coords }), a.Masking(rows)...)
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
	of := values{"Graphs": rows[0].Graphs, "Choices": rows[0].Choices, "Rows": len(rows), "Several": len(rows) > 1,
		"Decimals": decimals, "Few": int(rows[0].Choices) < inference.LeastPermutations}
	a.Table(section.Lay(a.Writer, "masking.effect", of, rows,
		"model! action k | drop random p changed random-changed accuracy whole", section.Num("random", random)))
}

// individuality is how much of the scores differs between participants, as λ2 grows.
func (a *author) individuality() {
	rows := section.Rows[column.IndividualityRow](a.Writer, "individuality")
	if len(rows) == 0 {
		return
	}
	a.Figure(figure.DrawIndividuality(a.T.In("individuality")))
	a.Table(section.Lay(a.Writer, "individuality.shares", nil, rows,
		"setting | lambda2 between interval k jaccard jaccard-interval chance"))
}
