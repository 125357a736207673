package chart

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// Individuals is a row of brains: what the models of one setting keep of each participant.
type Individuals struct {
	Title  string
	Brains []Regions // one a participant
}

// ByParticipant draws brains, a row a setting and a column a participant, as Figure 4 of the paper: four views of the
// cortex and slices, or discs from above and from the left.
func (a Atlas) ByParticipant(names []string, rows []Individuals, scale Colorbar) ours.Figure {
	const top, foot, gap = 18, 18, 10
	side := vg.Length(8)
	if slices.ContainsFunc(rows, func(r Individuals) bool { return r.Title != "" }) {
		side = 66
	}
	cell := (Page - side - mapBar) / vg.Length(max(len(names), 4))
	var lines [][]view // lateral, medial, slices
	if s := a.Surfaces; len(s) == 5 {
		lines = [][]view{{s[0], s[4]}, {s[1], s[3]}}
	}
	if n := len(a.Cuts); n > 1 {
		lines = append(lines, []view{a.Cuts[n/2-1], a.Cuts[n/2]})
	}
	flat := lines == nil
	if flat {
		lines = [][]view{{a.discs(Above)}, {a.discs(Left)}}
	}
	of := lay(lines, cell-10, 2, 4)
	each := of.height() + gap
	f := ours.Figure{Width: Page, Height: top + foot + each*vg.Length(len(rows))}
	f.Paint = func(c draw.Canvas) {
		middle := func(j int) vg.Length { return c.Min.X + side + cell*(vg.Length(j)+0.5) }
		title := ours.Style(ours.TextSize, true)
		for j, name := range names {
			ours.Text(c, vg.Point{X: middle(j), Y: c.Max.Y - 5}, name, title, draw.XCenter, draw.YTop)
		}
		ring := false
		for i, row := range rows {
			y := c.Max.Y - top - each*vg.Length(i)
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: y - each/2}, row.Title, title, draw.XLeft, draw.YCenter)
			for j, brain := range row.Brains {
				of.paint(c, vg.Point{X: c.Min.X + side + cell*vg.Length(j) + 5, Y: y}, RegionMap{Regions: brain}, flat)
				for _, shared := range brain.Ring {
					ring = ring || shared
				}
			}
		}
		ours.Bar(part(c, c.Max.X-mapBar+10, c.Max.Y-top-min(each, 120), c.Max.X, c.Max.Y-top), heat, scale.Low,
			scale.High, scale.Label, false)
		var key []sign
		if ring {
			key = []sign{{word: wording.Label("chart.kept-in-all", wording.Values{"N": len(names)}),
				draw: stroke(Style{Color: sharedColor, Width: 2})}}
		}
		if flat {
			key = append(key, sign{word: wording.Label("chart.not-kept", nil),
				draw: dot(hint, 1.4, draw.CircleGlyph{})})
		}
		drawSigns(c, vg.Point{X: c.Min.X + side, Y: c.Min.Y + 9}, Page, key)
	}
	return f
}

// heat is the darker part of the sequential scale, whose pale end is lost on gray.
var heat = ours.Sequential[2:]
