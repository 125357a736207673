package present

import (
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// references compares the ranking of so many regions with references that involve no network training.
func (a *author) references(regions int, shown finding.Shown) error {
	type row = column.RecoveryRow
	rows, err := column.ReadPort[row](a.T, "recovery")
	if err != nil || len(rows) == 0 {
		return err
	}
	setting := slices.DeleteFunc(slices.Clone(rows),
		func(r row) bool { return !slices.Equal(r.Coords, shown.Setting) })
	comparisons, found := finding.Comparisons(setting, regions, shown)
	for _, c := range comparisons {
		a.Put("ranking.comparison", c)
	}
	a.Find(found...)
	if len(setting) == 0 {
		setting = rows
	}
	a.Find(finding.HeldOutEffects(setting)...)
	first := setting[0]
	leading := map[string]string{} // criterion of the first ranking of each setting
	for _, r := range rows {
		if name := column.CoordText(r.Coords); leading[name] == "" {
			leading[name] = r.By
		}
	}
	columns := []section.Column[row]{section.Words("ranking", func(r row) string { return a.Text("ranking.name", r) })}
	known := func(r row) bool { return r.Planted != nil && *r.Planted > 0 }
	if slices.ContainsFunc(rows, known) { // not of real data
		columns = append(columns,
			section.Num("planted", func(r row) string {
				if !known(r) {
					return "n/a"
				}
				return a.Text("ranking.found", values{"Found": *r.Found, "Top": r.Top})
			}),
			section.Num("auroc", func(r row) string { return report.Fixed(r.AUROC, 2) }))
	}
	columns = append(columns,
		section.Num("agreement", func(r row) string { return report.Fixed(r.Agreement, 2) }),
		section.Num("shared", func(r row) string {
			return report.Fixed(r.Shared(leading[column.CoordText(r.Coords)]), 0)
		}),
		section.Num("held-out", func(r row) string { return report.Fixed(r.HeldOut, 2) }))
	keys := 1
	if keyed := section.Keyed(section.Words("setting",
		func(r row) string { return column.ShownSetting(r.Coords) }), rows,
		columns...); len(keyed) > len(columns) {
		columns, keys = keyed, 2
	}
	of := values{"Top": first.Top, "Regions": regions, "Planted": 0, "Chance": 0.0, "Many": a.many(),
		"Inverted": slices.ContainsFunc(setting, finding.Inverted), "HeldOutAll": first.All}
	if known(first) {
		of["Planted"], of["Chance"] = int(*first.Planted), finding.FoundByChance(first, regions)
	}
	a.Table(section.Lay(a.Writer, "ranking.recovery", of, keys, rows, columns...), a.Text("ranking.recovery.lead", nil))
	return nil
}
