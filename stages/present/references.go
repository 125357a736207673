package present

import (
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/ranking"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// references compares the ranking of so many regions with references that involve no network training.
func (a *author) references(regions int, shown finding.Shown) {
	type row = column.RecoveryRow
	rows := section.Rows[row](a.Writer, "recovery")
	if len(rows) == 0 {
		return
	}
	setting := slices.DeleteFunc(slices.Clone(rows),
		func(r row) bool { return !slices.Equal(r.Coords, shown.Setting) })
	comparisons, found := ranking.Comparisons(setting, regions, shown)
	for _, c := range comparisons {
		a.Put("ranking.comparison", c)
	}
	a.FindOf([][]dag.Coord{shown.Setting}, found...)
	if len(setting) == 0 {
		setting = rows
	}
	a.FindOf(lists.Map(setting, func(r row) []dag.Coord { return r.Coords }), ranking.HeldOutEffects(setting)...)
	first := setting[0]
	leading := map[string]string{} // criterion of the first ranking of each setting
	for _, r := range rows {
		if name := column.CoordText(r.Coords); leading[name] == "" {
			leading[name] = r.By
		}
	}
	planted := ""
	known := func(r row) bool { return r.Planted != nil && *r.Planted > 0 }
	if slices.ContainsFunc(rows, known) { // not of real data
		planted = "planted auroc"
	}
	untrained := func(r row) bool { return r.Method == column.UntrainedModels }
	fitted := func(r row) bool { return r.By == "statistic" }
	of := values{"Untrained": slices.ContainsFunc(rows, untrained), "Fitted": slices.ContainsFunc(rows, fitted),
		"Top": first.Top, "Regions": regions, "Planted": 0, "Chance": 0.0, "Many": a.many(),
		"Inverted": slices.ContainsFunc(setting, ranking.Inverted), "HeldOutAll": first.All}
	if known(first) {
		of["Planted"], of["Chance"] = int(*first.Planted), ranking.FoundByChance(first, regions)
	}
	a.Table(section.Lay(a.Writer, "ranking.recovery", of, rows, "setting! ranking | "+planted+" agreement shared held-out",
		section.Num("shared", func(r row) string {
			return report.Fixed(r.Shared(leading[column.CoordText(r.Coords)]), 0)
		})))
}
