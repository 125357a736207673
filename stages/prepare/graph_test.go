package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// matricesOf estimates the connectivity of some series.
func matricesOf(t *testing.T, draws, regions int) map[string]dag.Input {
	t.Helper()
	out, err := stagetest.RunWith(stagetest.NewStage[*Connectivity](t, "connectivity"),
		map[string]dag.Input{"series": dag.InputOf(stagetest.Series(draws, 120, regions))})
	need.NoError(t, err)
	return map[string]dag.Input{"pearson": stagetest.Named("c.pearson", out["pearson"]),
		"partial": stagetest.Named("c.partial", out["partial"])}
}

func TestGraphTables(t *testing.T) {
	in := matricesOf(t, 3, 20)
	out, err := stagetest.RunWith(stagetest.NewStage[*Graph](t, "graph"), in)
	need.NoError(t, err)
	partial, err := in["partial"].Array()
	need.NoError(t, err)
	edges := out["edges"].(*encoding.Table)
	draw, source, target, weight := stagetest.FloatsOf(t, edges, "draw"), stagetest.FloatsOf(t, edges, "source"),
		stagetest.FloatsOf(t, edges, "target"), stagetest.FloatsOf(t, edges, "weight")
	count := map[float64]float64{}
	for i := range draw {
		count[draw[i]]++
		at := int(draw[i])*400 + int(source[i]-1)*20 + int(target[i]-1)
		if source[i] >= target[i] || weight[i] != partial.Float64s()[at] {
			t.Fatalf("row %d: %v–%v of draw %v with %v, and the matrix has %v", i, source[i], target[i], draw[i], weight[i], partial.Float64s()[at])
		}
		if i > 0 && (draw[i] < draw[i-1] || draw[i] == draw[i-1] &&
			(source[i] < source[i-1] || source[i] == source[i-1] && target[i] <= target[i-1])) {
			t.Fatalf("row %d is out of order", i)
		}
	}
	for d, n := range stagetest.FloatsOf(t, out["quality"], "edges") {
		if count[float64(d)] != n || stagetest.FloatsOf(t, out["quality"], "chosen")[d] != 19 {
			t.Errorf("draw %d has %v edges, its quality tells %v", d, count[float64(d)], n)
		}
	}
	pearson, err := in["pearson"].Array()
	need.NoError(t, err)
	if f := out["features"].(*encoding.Array); !slices.Equal(f.Shape, []int{3, 20, 20}) ||
		!slices.Equal(f.Float64s(), pearson.Float64s()) {
		t.Errorf("the features (%v) are not the rows of the correlation matrix", f.Shape)
	}
	s := stagetest.NewStage[*Graph](t, "graph")
	s.Features = "degree-profile"
	if out, err = stagetest.RunWith(s, in); err != nil {
		t.Fatal(err)
	}
	f := out["features"].(*encoding.Array)
	if !slices.Equal(f.Shape, []int{3, 20, 5}) {
		t.Fatalf("shape %v", f.Shape)
	}
	sum := 0.0
	for i := range 20 {
		sum += f.Float64s()[i*5]
	}
	need.Equal(t, sum, 2*count[0], "the degrees of draw 0 add up to", "twice its edges are")
}

// A region whose partial correlations all are 0 has a series where its correlations are not; none of the two has edges.
func TestGraphTellsNoSeriesFromNoEdges(t *testing.T) {
	nan := math.NaN()
	pearson := []float64{1, .5, .4, 0, .5, 1, .3, nan, .4, .3, 1, 0, 0, nan, 0, 0}
	partial := []float64{1, .5, 0, 0, .5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	out := need.Value(stagetest.RunWith(stagetest.NewStage[*Graph](t, "graph"), map[string]dag.Input{
		"pearson": dag.InputOf(encoding.NewArray(pearson, 1, 4, 4)),
		"partial": dag.InputOf(encoding.NewArray(partial, 1, 4, 4))}))(t)
	for name, want := range map[string]float64{"nodes": 4, "silent": 1, "unconnected": 1, "isolated": 0} {
		need.Equal(t, stagetest.ColumnOf(t, out["quality"], name), want, name)
	}
}

func TestGraphReadings(t *testing.T) {
	in := matricesOf(t, 1, 20)
	for _, c := range []struct {
		change func(*Graph)
		chosen float64
	}{
		{func(s *Graph) {}, 19},
		{func(s *Graph) { s.Density = 0.2 }, 38},
		// 40 of 400 entries, 20 of them the diagonal
		{func(s *Graph) { s.Rule, s.Percentile = "authors-code", 90 }, 10},
	} {
		s := stagetest.NewStage[*Graph](t, "graph")
		c.change(s)
		out := need.Value(stagetest.RunWith(s, in))(t)
		need.Equal(t, stagetest.ColumnOf(t, out["quality"], "chosen"), c.chosen, s, "chooses", "edges")
	}
}

func TestGraphRefuses(t *testing.T) {
	in := matricesOf(t, 2, 6)
	other := matricesOf(t, 1, 6)
	if _, err := stagetest.RunWith(stagetest.NewStage[*Graph](t, "graph"),
		map[string]dag.Input{"pearson": in["pearson"], "partial": other["partial"]}); err == nil ||
		err.Error() != "c.partial is 1×6×6 and c.pearson is 2×6×6: connect matrices of one connectivity stage" {
		t.Errorf("error %v", err)
	}
	broken := encoding.NewArray([]float64{1, 0.5, 0.5, 0.25, 1, 0.5, 0.5, 0.5, 1}, 1, 3, 3)
	if _, err := stagetest.RunWith(stagetest.NewStage[*Graph](t, "graph"),
		map[string]dag.Input{"pearson": stagetest.Named("p", broken),
			"partial": stagetest.Named("q", broken)}); err == nil ||
		err.Error() != "q: draw 0: the matrix is not symmetric: nodes 1 and 2 have 0.5 in one direction and 0.25 in the other" {
		t.Errorf("error %v", err)
	}
	flat := encoding.NewArray([]float64{1, 2}, 2)
	if _, err := stagetest.RunWith(stagetest.NewStage[*Graph](t, "graph"),
		map[string]dag.Input{"pearson": stagetest.Named("p", flat),
			"partial": stagetest.Named("q", flat)}); err == nil ||
		err.Error() != "q: an array of shape [2], want draw, roi, roi" {
		t.Errorf("error %v", err)
	}
}

// Every choice of a parameter is one that the science knows.
func TestChoicesOfConnectivityAndGraph(t *testing.T) {
	in := matricesOf(t, 1, 6)
	for _, kind := range []string{"connectivity", "graph", "denoise"} {
		k, _ := stagetest.Lookup(kind)
		for _, p := range param.Of(k.New()) {
			for _, choice := range p.Choices {
				s := k.New()
				need.NoError(t, param.Set(s, p.Name, choice))
				from := in
				if kind != "graph" {
					from = map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 100, 6))}
				}
				if d, ok := s.(*Denoise); ok {
					if d.Filter != "none" {
						d.TR, d.LowPass = 2, 0.2
					}
					if d.Task != "none" {
						d.TR, from["events"] = 2, dag.InputOf(tsv(goAndStop))
					}
					from["confounds"] = dag.InputOf(everyConfound(100))
					if strings.HasPrefix(choice, "tedana") || strings.HasPrefix(choice, "aroma_") {
						text := "aroma_orth_motion_01\ttedana_rejected_00\ttedana_accepted_01"
						for i, v := range stagetest.Series(1, 100, 3).Float64s() {
							text += fmt.Sprintf("%c%.6f", "\n\t\t"[i%3], v-1000)
						}
						from["components"] = dag.InputOf(tsv(text + "\n"))
					}
				}
				if _, err := stagetest.RunWith(s, from); err != nil {
					t.Errorf("%s with %s: %s: %v", kind, p.Name, choice, err)
				}
			}
		}
	}
}

// everyConfound is a table that all strategies find their columns in.
func everyConfound(volumes int) artifacts.Bytes {
	names := []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "csf",
		"white_matter", "global_signal",
		"a_comp_cor_00", "c_comp_cor_00", "w_comp_cor_00", "w_comp_cor_01", "aroma_motion_01", "cosine00"}
	text := strings.Join(names, "\t") + "\tframewise_displacement\tstd_dvars"
	for i, v := range stagetest.Series(1, volumes, len(names)).Float64s() {
		if i > 0 && i%len(names) == 0 {
			text += fmt.Sprintf("\t0.%d\t1", 1+i%2)
		}
		text += fmt.Sprintf("%c%.6f", "\n\t"[min(i%len(names), 1)], v-1000)
	}
	return artifacts.Bytes{Kind: "tsv", Data: []byte(text + "\t0.1\t1\n")}
}
