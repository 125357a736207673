package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// TestMotionInReport: strategies stand side by side, what motion leaves is a caution, and data without motion say so.
func TestMotionInReport(t *testing.T) {
	row := func(strategy string, median, fdr float64) column.MotionRow {
		return column.MotionRow{Coords: []dag.Coord{{Axis: "regress", Value: strategy}}, Strategy: []string{strategy},
			Participants: 40, Edges: 100, MissingEdges: map[string]int32{"24P": 20}[strategy],
			Median: median, Null: 0.111, Share: 0.3, ShareFDR: fdr, Distance: -0.25, MeanFD: 0.2, Lost: 30,
			Remaining: 110}
	}
	in := map[string][]dag.Input{
		"qcfc": {dag.InputOf(column.Table([]column.MotionRow{row("24P", 0.31, 0.12), row("36P", 0.12, 0)},
			"regress"))},
		"typicality": {dag.InputOf(column.Table([]column.TypicalityRow{{Participant: "sub-1", Typicality: 0.7},
			{Participant: "sub-2", Typicality: 0.1, Outlier: []string{"typicality"}},
			{Participant: "sub-3", Typicality: 0.4, Outlier: []string{"typicality", "mean_fd"}},
			{Participant: "sub-4", Typicality: 0.4, Outlier: []string{"typicality"}}}))},
	}
	text := string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"24P 40 0.310 0.111 30.0% 12.0% −0.250 30 110", "36P 40 0.120 0.111 30.0% 0.0% −0.250 30 110",
		"Head motion remains in connectivity (strategy 24P): 12 of 100 edges (12.0%) correlate with mean framewise displacement at q < 0.05, median |r| 0.310 (0.111 expected by chance)",
		"QC-FC (strategy 24P) excludes 20 of 120 edges, which are constant or missing in more than half of the participants.",
		"has a median of 0.40 (range 0.10 to 0.70).", "There are outliers (more than 3.5 robust SDs from the median) in typicality: sub-2 and sub-4; in typicality, mean framewise displacement: sub-3.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "(strategy 36P)") {
		t.Error("a strategy that leaves nothing is cautioned against")
	}
	settings := []column.MotionRow{row("24P", 0.31, 0.12), row("24P", 0.12, 0)}
	settings[0].Coords, settings[1].Coords = []dag.Coord{{Axis: "detrend", Value: "0"}},
		[]dag.Coord{{Axis: "detrend", Value: "2"}}
	in["qcfc"] = []dag.Input{dag.InputOf(column.Table(settings, "detrend"))}
	text = string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"(strategy detrend 0): 12 of 100 edges (12.0%)", "(strategy detrend 0) excludes",
		"(strategy detrend 2) excludes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary of two settings lacks %q:\n%s", want, text)
		}
	}
	in["qcfc"] = []dag.Input{dag.InputOf(column.Table([]column.MotionRow{row("none", math.NaN(), math.NaN())},
		"regress"))}
	text = string(stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes).Data)
	if !strings.Contains(text, "QC-FC was not computed") || strings.Contains(text, "Head motion remains") {
		t.Errorf("without motion:\n%s", text)
	}
}
