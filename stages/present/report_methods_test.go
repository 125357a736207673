package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/version"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/participants"
	"prgnn/stages/stagetest"
)

// The report of a cohort that was measured says in its methods how many were left out and why, how
// many regions there are, and how those without a series enter; a table has them by participant.
func TestReportTellsScansAndSilentRegions(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	in["settings"] = []dag.Input{dag.InputOf(settingsTable(
		finding.Parameter{Stage: "cohort", Kind: "timeseries", Parameter: "series"},
		finding.Parameter{Stage: "train", Kind: "train", Parameter: "regions", Value: []string{"shared"}}))}
	delete(in, "notes")
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf("a", "b", "c"))}
	in["excluded"] = []dag.Input{dag.InputOf(column.Table([]participants.ExcludedRow{
		{Participant: "sub-08", Reason: "sub-08_bold.nii.gz: truncated; copy it again", Category: "missing or unusable data"},
		{Participant: "sub-09", Reason: "rated fail", Category: "rated fail"},
		{Participant: "sub-10", Reason: "no scan", Category: "missing or unusable data"}}))}
	cleaned := dag.InputOf(column.Table([]column.CleaningRow{{Volumes: 176, TR: 2}}))
	cleaned.Coords = []dag.Coord{{Axis: "subject", Value: "sub-01"}}
	in["cleaning"] = []dag.Input{cleaned}
	in["graphs"] = nil
	for id, silent := range map[string]int32{"sub-01": 0, "sub-02": 3} {
		one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1}},
			encoding.Column{Name: "edges", Values: []int32{348, 348}},
			encoding.Column{Name: "silent", Values: []int32{0, silent}}))
		one.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		in["graphs"] = append(in["graphs"], one)
	}
	page := reportText(t, in)
	for _, want := range []string{
		"1 HC); 3 of 6 were excluded (Table 2).",
		"3 participants (2 ASD, 1 HC) were included. All scans had 176 volumes at a repetition time of 2 s. Of 6 participants, 3 were excluded (missing or unusable data, <span class=\"whole\">n = 2</span>; rated fail, <span class=\"whole\">n = 1</span>). The analysis included 3 regions.",
		"Regions without a nonzero correlation (in 1 of 2 participants, at most 3) were nodes without edges. A region that some participants lacked was excluded for all participants in every model; graphs were reduced after their construction, so their density and the shrinkage of the partial correlations were based on all regions that each participant had.",
		"Reconnected, no series, no partial correlation and most components: in the graph with the largest number.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	at := strings.Index(page, "Quality of each participant")
	if at < 0 || !strings.Contains(page[at:], ">no series<") {
		t.Error("the table of each participant has no column of regions without a series")
	}
	// A study without graphs knows them from its matrices.
	in["graphs"] = nil
	for id, missing := range map[string]int32{"sub-01": 0, "sub-02": 2} {
		one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0}},
			encoding.Column{Name: "missing", Values: []int32{missing}},
			encoding.Column{Name: "constant", Values: []int32{missing / 2}}))
		one.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		in["connectivity"] = append(in["connectivity"], one)
	}
	delete(in, "graphs")
	want := "Regions without a usable series (in 1 of 2 participants, at most 3) were excluded from the estimate; their correlations were set to 0."
	if page := reportText(t, in); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	// What the models left out is listed.
	var found finding.List
	found.Add(finding.RegionsLeftOut([]*column.RegionsLeftOut{{Regions: []int{1, 2}, Names: []string{"1 (a)", "2 (b)"},
		All: 3, Lacking: 1, Participants: 3}})...)
	evaluation := need.Value(in["evaluation"][0].Table())(t)
	evaluation.Meta = map[string]string{finding.Meta: finding.Written(found)}
	in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
	page = unbroken.Replace(reportText(t, in))
	for _, want := range []string{"The analysis included 1 of 3 regions.", "The regions 1 (a) and 2 (b), which some " +
		"participants lacked, were excluded for all participants in every model",
		"2 of 3 regions (1 (a) and 2 (b)), with 100% of the edges, were excluded for all participants in every model, " +
			"because 1 of 3 participants has no usable series for at least one of them"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not state %q", want)
		}
	}
}

// Graphs without edges are a caution. Their regions have series where connectivity has counted none without.
func TestReportOfGraphsWithoutEdges(t *testing.T) {
	const caution = " have graphs without edges"
	for _, c := range []struct {
		edges     []int32 // of each participant
		missing   int32   // regions, of the first participant
		shrinkage float64 // of the partial correlations
		want      string  // caution
		methods   string
	}{
		{[]int32{20, 20, 20}, 0, 0.5, "", ""},
		{[]int32{0, 20, 0}, 0, 1, "2 of 3 participants have graphs without edges (2 of 3 graphs); the median " +
			"shrinkage or penalty of their partial correlations was 1. A graph", ""},
		{[]int32{0, 0, 0}, 0, 0.25, "All 3 participants have graphs without edges (3 of 3 graphs); the median " +
			"shrinkage or penalty of their partial correlations was 0.25. A graph", ""},
		{[]int32{0, 0, 0}, 0, math.NaN(), "All 3 participants have graphs without edges (3 of 3 graphs). A graph", ""},
		{[]int32{0, 0, 0}, 2, 1, "All 3 participants have graphs", "Regions without a usable series (in 1 of 3 " +
			"participants, at most 2) were excluded from the estimate; their correlations were set to 0, and they " +
			"were nodes without edges."},
	} {
		in := stagetest.ReportInputs("sub-01", "ASD", "HC")
		in["connectivity"], in["graphs"] = nil, nil
		for i, edges := range c.edges {
			member := func(of ...encoding.Column) dag.Input {
				one := dag.InputOf(encoding.NewTable(append(of, encoding.Column{Name: "draw", Values: []int32{0}})...))
				one.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprint("sub-0", i+1)}}
				return one
			}
			silent := int32(0)
			if edges == 0 {
				silent = 24
			}
			in["graphs"] = append(in["graphs"], member(encoding.Column{Name: "edges", Values: []int32{edges}},
				encoding.Column{Name: "silent", Values: []int32{0}},
				encoding.Column{Name: "unconnected", Values: []int32{silent}}))
			missing := int32(0)
			if i == 0 {
				missing = c.missing
			}
			in["connectivity"] = append(in["connectivity"], member(
				encoding.Column{Name: "missing", Values: []int32{missing}},
				encoding.Column{Name: "constant", Values: []int32{0}},
				encoding.Column{Name: "shrinkage", Values: []float64{c.shrinkage}}))
		}
		page := unbroken.Replace(reportText(t, in))
		if strings.Contains(page, caution) != (c.want != "") || !strings.Contains(page, c.want) {
			t.Errorf("%v: the page lacks %q, or has a caution without need", c.edges, c.want)
		}
		series := strings.Contains(page, "Regions without a usable series")
		if series != (c.methods != "") || !strings.Contains(page, c.methods) {
			t.Errorf("%v, %d missing: the methods lack %q, or count regions without need", c.edges, c.missing,
				c.methods)
		}
	}
}

// Participants with another number of graphs than most are a caution, also where matrices take the place of graphs.
func TestReportOfUnequalGraphs(t *testing.T) {
	for _, port := range []string{"graphs", "connectivity"} {
		in := stagetest.ReportInputs("sub-01", "ASD", "HC")
		in["connectivity"], in["graphs"] = nil, nil
		for i, n := range []int{1, 3, 3} {
			one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: make([]int32, n)},
				encoding.Column{Name: "missing", Values: make([]int32, n)}, encoding.Column{Name: "constant",
					Values: make([]int32, n)}, encoding.Column{Name: "edges", Values: slices.Repeat([]int32{5}, n)}))
			one.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprint("sub-0", i+1)}}
			in[port] = append(in[port], one)
		}
		for zero, want := range map[string]string{"": "have 2", "false": "have 2", "true": "have 3"} { // beside draw 0
			delete(in, "settings")
			if zero != "" {
				in["settings"] = withSettings([4]string{"ridge", "baseline", "draw_zero", zero},
					[4]string{"ridge", "baseline", "draws", "0"})["settings"]
			}
			want = "1 of 3 participants (sub-01) has 1 graph, and the others " + want
			if page := reportText(t, in); !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks the caution %s", port, want)
			}
		}
	}
}

// The methods list the readings of the paper that are in force, and the page states the version of the program in its
// methods, its references and its last line.
func TestReadingsOfThePaper(t *testing.T) {
	train := func(value ...string) map[string][]dag.Input {
		rows := [][4]string{{"evaluate", "evaluate", "permutations", "99"}}
		for i := 0; i < len(value); i += 2 {
			rows = append(rows, [4]string{"train", "train", value[i], value[i+1]})
		}
		return withSettings(rows...)
	}
	page := reportText(t, train("variant", "paper", "self_weight", "1", "gate", "true", "glc", "squared", "distance",
		"mmd", "kernel", "gauss"))
	const before = "Where that paper leaves a choice open or its formulas cannot hold, the following was used: "
	for _, want := range []string{before + "the edge of a region to itself had weight 1; kept features were multiplied by their score; the kernel of the maximum mean discrepancy was exp(−d²/σ); the consistency loss used squared distances; no activation followed a convolution.",
		"</span> Pipeline " + version.Number + " [", "</span> Pipeline. Version " + version.Number + ", 2026.",
		"Made by PR-GNN Pipeline " + version.Number + "."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	page = reportText(t, train("variant", "paper", "self_weight", "0", "gate", "false", "glc", "norm",
		"distance", "bce"))
	if !strings.Contains(page, before+"kept features were not multiplied by their score; the consistency loss used distances that were not squared; "+
		"no activation followed a convolution.") {
		t.Errorf("readings that are not in force are listed")
	}
	if strings.Contains(reportText(t, train("variant", "authors-code")), before) {
		t.Errorf("the authors' program has readings of the paper")
	}
}
