package present

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// learning writes how performance depends on the number of participants.
func (a *author) learning() {
	rows := section.Rows[column.LearningRow](a.Writer, "learning")
	if len(rows) == 0 {
		return
	}
	points := section.Rows[column.CurvePointRow](a.Writer, "learning_points")
	curve := section.Rows[column.CurveRow](a.Writer, "learning_curve")
	for i, r := range rows {
		rows[i].Name = a.NameOf(column.CoordText(r.Coords), r.Name)
	}
	for i, r := range points {
		points[i].Name = a.NameOf(column.CoordText(r.Coords), r.Name)
	}
	for i, r := range curve {
		curve[i].Name = a.NameOf(column.CoordText(r.Coords), r.Name)
	}
	first := max(0, slices.IndexFunc(rows, func(r column.LearningRow) bool {
		return a.First != nil && column.Holds(a.First.Coords, r.Coords)
	}))
	a.Put("learning.result", rows[first])
	a.Find(finding.LearningCurves(rows)...)
	if a.Pictures {
		page := lists.Map(a.PerParticipant(), func(r finding.Row) string { return r.Title })
		a.Figures(figure.DrawLearning(rows, points, curve, page))
	}
	columns := "classifier | n least rise value at-n? at-2n? needed? limit?"
	if !a.Pictures { // too wide for a text
		columns = "classifier | n value at-2n? needed?"
	}
	of := values{"Measure": rows[0].Measure, "Target": rows[0].Target}
	a.Table(section.Lay(a.Writer, "learning.curves", of, rows, columns))
	if a.Pictures && len(points) > 0 {
		a.Supplement(section.Lay(a.Writer, "learning.points", of, points, "classifier share | n value"))
	}
}
