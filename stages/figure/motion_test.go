package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// TestHeadMotion: each strategy by its name and numbers; one without QC-FC is left out, and edges of another stage are
// refused.
func TestHeadMotion(t *testing.T) {
	coords := func(s string) []dag.Coord { return []dag.Coord{{Axis: "regress", Value: s}} }
	var summary []column.MotionRow
	var edges []column.MotionEdgeRow
	for i, name := range []string{"24P", "36P", "none"} {
		row := column.MotionRow{Coords: coords(name), Strategy: []string{name}, Participants: int32(30 + i),
			Median: 0.1 * float64(i+1), Null: 0.6744897501960817 / math.Sqrt(27), Share: 0.25, Distance: -0.5, Lost: 20,
			Remaining: 80}
		if name == "none" {
			row.Median = math.NaN()
		}
		summary = append(summary, row)
		for e := range 6 {
			edges = append(edges, column.MotionEdgeRow{Coords: coords(name), Source: 1, Target: int32(e + 2),
				R: 0.1 * float64(e-2), P: 0.5, Q: 0.5, Distance: 10 * float64(e)})
		}
	}
	in := func() map[string][]dag.Input {
		return map[string][]dag.Input{"summary": {dag.InputOf(column.Table(summary, "regress"))},
			"edges": {dag.InputOf(column.Table(edges, "regress"))}}
	}
	c := need.Value(DrawHeadMotion(in()["summary"], in()["edges"], 8))(t)
	for _, want := range []string{"over 30 to 31 participants", "Spearman"} {
		if !strings.Contains(c.Caption, want) {
			t.Errorf("the caption lacks %q: %s", want, c.Caption)
		}
	}
	svg := stagetest.MustRun(t, stagetest.Fresh("figure-qcfc"), in())["picture"].(artifacts.Bytes).Data
	for text, want := range map[string]bool{">24P<": true, ">36P<": true, ">none<": false, "median |r| 0.200 (chance 0.130)": true,
		"p &lt; 0.05: 25.0% of edges": true, "ρ = −0.50": true, "80 left, 20 lost": true} {
		if bytes.Contains(svg, []byte(text)) != want {
			t.Errorf("the picture says %q: %v, want %v", text, !want, want)
		}
	}
	edges[0].Coords = coords("simple")
	if _, err := DrawHeadMotion(in()["summary"], in()["edges"], 8); err == nil || !strings.Contains(err.Error(), "connect both outputs of the same stage") {
		t.Errorf("edges of another stage: %v", err)
	}
	summary = summary[2:]
	edges = edges[12:]
	if _, err := stagetest.RunStage(t, stagetest.Fresh("figure-qcfc"), in()); err == nil ||
		!strings.Contains(err.Error(), "no QC-FC to draw") {
		t.Errorf("without motion: %v", err)
	}
}
