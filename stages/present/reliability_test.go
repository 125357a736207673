package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// TestReliability: page and summary have the sentences, the tables and, the page, the figure.
func TestReliability(t *testing.T) {
	tested := "group"
	of := func(row column.ReliabilityRow) map[string][]dag.Input {
		edge := func(source, target int32, icc float64) column.EdgeReliabilityRow {
			return column.EdgeReliabilityRow{Source: source, Target: target, ICC: icc}
		}
		return map[string][]dag.Input{
			"participants": {dag.InputOf(stagetest.SomeParticipants(30, "A", "B"))},
			"nodes":        {dag.InputOf(stagetest.NodesOf("left", "right", "middle"))},
			"reliability":  {dag.InputOf(column.Table([]column.ReliabilityRow{row}))},
			"reliability_pairs": {dag.InputOf(column.Table([]column.SessionPairRow{{First: "01", Second: "02",
				Participants: 12, Forward: 0.75, Back: 1, Identified: 0.875, P: 0.01, Differential: 21.4,
				MotionFirst: 0.1, MotionSecond: 0.2}}))},
			"reliability_edges": {dag.InputOf(column.Table([]column.EdgeReliabilityRow{edge(1, 2, 0.5), edge(1, 3, 0.2),
				edge(2, 3, 0.1)}))},
			"replication": {dag.InputOf(column.Table([]column.ReplicationRow{{Of: "edges", Statistic: "t",
				Tested:       tested,
				Participants: 30, Halves: 50, Values: 3, K: 1, Spearman: 0.25,
				SpearmanLow: 0.1, SpearmanHigh: 0.4, Full: 0.4, Dice: 0.5,
				Chance: 1. / 3}}))},
			"stability": {dag.InputOf(column.Table([]column.WeightStabilityRow{{Setting: "ridge regression",
				Of: "pattern", Trainings: 5, Regions: 3, ICC: 0.61, Low: 0.5, High: 0.7,
				Spearman: 0.6, K: 1, Dice: 0.4}}))},
		}
	}
	row := column.ReliabilityRow{Participants: 12, Sessions: []string{"01", "02"}, ICC: "agreement", Edges: 3,
		Median: 0.2, Fair: 1. / 3, Regions: 0.3, Identified: 0.875, P: 0.01, Permutations: 99, Differential: 21.4}
	in := of(row)
	page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
	need.Equal(t, strings.Count(page, "<figure"), 1)
	delete(in, "reliability_edges")
	text := func(in map[string][]dag.Input) string {
		out := stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"]
		return strings.Join(strings.Fields(string(out.(artifacts.Bytes).Data)), " ")
	}
	got := text(in)
	for _, want := range []string{"sessions 01 and 02 of 12 participants, the median ICC(2,1) of 3 edges is 0.20; 33%",
		"In 87.5% of 24 searches for a participant in another session, the most similar connectivity is the participant's own " +
			"(12 participants, in both directions; p ≤ 0.01)", "identifiability is 21.4",
		"Two random halves of the 30 participants share 50% of their top 1 edge by |t| between the groups, in the means over the sessions 01 and 02, out of 3 edges that all participants have (33% expected",
		"correlation over all these edges is 0.25", "Head motion differs between the sessions 01 and 02",
		"0.250 (0.100–0.400)", "ridge regression pattern 5 0.610 (0.500–0.700)"} {
		if !strings.Contains(got, want) {
			t.Errorf("summary lacks %q: %s", want, got)
		}
	}
	// The test of three groups and of three sessions states its pairs.
	three := of(row)
	delete(three, "reliability_edges")
	rows := need.Value(column.Read[column.ReplicationRow](three["replication"][0]))(t)
	rows[0].Groups = 3
	three["replication"] = []dag.Input{dag.InputOf(column.Table(rows))}
	pairs := need.Value(column.Read[column.SessionPairRow](three["reliability_pairs"][0]))(t)
	three["reliability_pairs"] = []dag.Input{dag.InputOf(column.Table(append(pairs, pairs[0], pairs[0])))}
	for _, want := range []string{"by the largest |t| between two of the 3 groups (each edge, in each half), in the means over the sessions 01 and 02, out of 3 edges",
		"Replication between random halves of the participants: the largest |t| between two of the 3 groups",
		"In 87.5% of the searches for a participant in another session, the most similar connectivity is the participant's own " +
			"(mean over 3 pairs of sessions, in both directions; largest p of a pair: p ≤ 0.01)", "identifiability is 21.4 (mean over the pairs)"} {
		if all := text(three); !strings.Contains(all, want) {
			t.Errorf("summary of three groups lacks %q: %s", want, all)
		}
	}
	tested = "sex"
	got, tested = text(of(row)), "group"
	need.Equal(t, strings.Contains(got, "of their top 1 edge by |t| between the categories of sex, in the means over the sessions 01 and 02, out of 3"), true, got)
	need.Equal(t, strings.Contains(got, "between the groups"), false, got)
	row.Participants, row.Edges, row.Median, row.Left = 4, 0, math.NaN(), []string{"sub-001"}
	few := of(row)
	delete(few, "reliability_edges")
	if got := text(few); !strings.Contains(got, "ICC of edges is not computed, because only 4 participants have all") ||
		strings.Contains(got, "median ICC") {
		t.Errorf("few participants: %s", got)
	}
}
