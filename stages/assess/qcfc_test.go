package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// motionStudy are series of 4 regions of 24 participants by two strategies; in the first, motion makes regions 1 and 2
// alike. Region 4 of sub-003 is constant, and nobody knows the motion of sub-005.
func motionStudy() map[string][]dag.Input {
	const people, volumes, regions = 24, 30, 4
	in := map[string][]dag.Input{}
	var ids, sex []string
	var age []float64
	for p := range people {
		r := random.New(11, "motion", p)
		id := fmt.Sprintf("sub-%03d", p+1)
		ids, age, sex = append(ids, id), append(age, 8+30*r.Float64()), append(sex, []string{"F", "M"}[p%2])
		fd := 0.05 + 0.3*r.Float64()
		x := make([]float64, volumes*regions)
		for i := range x {
			x[i] = r.Normal()
		}
		if p == 4 {
			fd = math.NaN()
		}
		for k, strategy := range []string{"24P", "36P"} {
			y := slices.Clone(x)
			for v := range volumes {
				if k == 0 && p != 4 {
					y[v*regions+1] += 6 * fd * y[v*regions]
				}
				if p == 2 {
					y[v*regions+3] = 0
				}
			}
			coords := []dag.Coord{{Axis: "regress", Value: strategy}, {Axis: "subject", Value: id}}
			row := column.CleaningRow{Volumes: 40, Kept: 30, Regressors: int32(24 + 12*k), TEff: float64(15 - 12*k),
				MeanFD: fd, Strategy: strategy}
			in["series"] = append(in["series"], dag.InputOf(encoding.NewArray(y, 1, volumes, regions), coords...))
			in["cleaning"] = append(in["cleaning"], dag.InputOf(column.Table([]column.CleaningRow{row}), coords...))
		}
	}
	nodes := stagetest.NodesOf("a", "b", "c", "d")
	for i, c := range nodes.Columns {
		if c.Name == "x" {
			nodes.Columns[i].Values = []float64{0, 1, 4, 13} // all six distances differ
		}
	}
	in["nodes"] = []dag.Input{dag.InputOf(nodes)}
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "sex", Values: sex}))}
	return in
}

// slowR is Pearson's correlation by its definition.
func slowR(x, y []float64) float64 {
	mx, sx := column.MeanSD(x)
	my, sy := column.MeanSD(y)
	sum := 0.0
	for i := range x {
		sum += (x[i] - mx) / sx * (y[i] - my) / sy
	}
	return sum / float64(len(x)-1)
}

func TestQCFC(t *testing.T) {
	in := motionStudy()
	out := stagetest.MustRun(t, stagetest.Fresh("qcfc"), in)
	summary, edges := out["summary"].(*encoding.Table), out["edges"].(*encoding.Table)

	// By the definition: for each edge the correlation over the participants whose motion is known and who have both
	// regions; participant 3 has no region 4.
	var want []float64
	for k := range 2 {
		for a := range 4 {
			for b := a + 1; b < 4; b++ {
				var fd, z []float64
				for p := range 24 {
					row := need.Value(column.Read[column.CleaningRow](in["cleaning"][2*p+k]))(t)
					series, _ := in["series"][2*p+k].Array()
					var x, y []float64
					for v := range 30 {
						x, y = append(x, series.Float64s()[4*v+a]), append(y, series.Float64s()[4*v+b])
					}
					if p != 4 && !(p == 2 && b == 3) {
						fd, z = append(fd, row[0].MeanFD), append(z, math.Atanh(slowR(x, y)))
					}
				}
				want = append(want, slowR(fd, z))
			}
		}
	}
	if r := stagetest.FloatsOf(t, edges, "r"); !stagetest.Near(r, want) {
		t.Errorf("r\n%v, want\n%v", r, want)
	}
	// Three edges have 23 participants, three 22.
	halfNull := 0.6744897501960817 * (1/math.Sqrt(20) + 1/math.Sqrt(19)) / 2
	for name, want := range map[string][]float64{
		"participants": {23, 23}, "left_out": {1, 1}, "edges": {6, 6}, "missing_edges": {0, 0}, "dof_lost": {25, 37},
		"dof_left":          {15, 3},
		"null_median_abs_r": {halfNull, halfNull},
		"median_abs_r":      {middleOfSix(want[:6]), middleOfSix(want[6:])},
	} {
		if got := stagetest.FloatsOf(t, summary, name); !stagetest.Near(got, want) {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	if share := stagetest.FloatsOf(t, summary, "share_p05"); !(share[0] >= 1./3-1e-12) || share[1] != 0 {
		t.Errorf("shares of edges %v: motion is in the first strategy alone", share)
	}
	// Distances 1, 4 and 3 of the edges (1, 2), (1, 3) and (2, 3).
	if d := stagetest.FloatsOf(t, edges, "distance")[:6]; !slices.Equal(d, []float64{1, 4, 13, 3, 12, 9}) {
		t.Errorf("distances %v", d)
	}
	names, _ := encoding.ListsOf[string](summary, "strategy")
	axis, _ := summary.Strings("regress")
	if !slices.Equal(slices.Concat(names...), []string{"24P", "36P"}) || !slices.Equal(axis, []string{"24P", "36P"}) {
		t.Errorf("strategies %q %q", names, axis)
	}
	need.Equal(t, out["typicality"].(*encoding.Table).Rows(), 48, "typicality of")
}

func middleOfSix(v []float64) float64 {
	v = lists.Map(v, math.Abs)
	slices.Sort(v)
	return (v[2] + v[3]) / 2
}

// TestQCFCPartial: covariates are partialled out, by the textbook formula of one; a participant without a value is left
// out.
func TestQCFCPartial(t *testing.T) {
	in := motionStudy()
	all := stagetest.FloatsOf(t, stagetest.MustRun(t, stagetest.Fresh("qcfc"), in)["edges"], "r")
	out := stagetest.MustRun(t, stagetest.Fresh("qcfc", "covariates", []any{"sex"}), in)
	partial := stagetest.FloatsOf(t, out["edges"], "r")
	var fd, sex, z []float64
	for p := range 24 {
		if p == 4 {
			continue
		}
		row, _ := column.Read[column.CleaningRow](in["cleaning"][2*p])
		series, _ := in["series"][2*p].Array()
		var x, y []float64
		for v := range 30 {
			x, y = append(x, series.Float64s()[4*v]), append(y, series.Float64s()[4*v+1])
		}
		fd, sex, z = append(fd, row[0].MeanFD), append(sex, float64(p%2)), append(z, math.Atanh(slowR(x, y)))
	}
	ab, ac, bc := slowR(fd, z), slowR(fd, sex), slowR(z, sex)
	if want := (ab - ac*bc) / math.Sqrt((1-ac*ac)*(1-bc*bc)); math.Abs(partial[0]-want) > 1e-12 ||
		partial[0] == all[0] {
		t.Errorf("partial r %v, want %v (r %v)", partial[0], want, all[0])
	}
	if null := stagetest.FloatsOf(t, out["summary"],
		"null_median_abs_r"); math.Abs(null[0]-0.6744897501960817*(1/math.Sqrt(19)+1/math.Sqrt(18))/2) > 1e-15 {
		t.Errorf("null %v", null)
	}
	for _, c := range []struct {
		stage dag.Stage
		want  string
	}{
		{stagetest.Fresh("qcfc", "covariates", []any{"height"}), "height"},
	} {
		if _, err := stagetest.RunStage(t, c.stage, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	in["cleaning"] = in["cleaning"][:3]
	if _, err := stagetest.RunStage(t, stagetest.Fresh("qcfc"), in); err == nil || !strings.Contains(err.Error(), "cleaning has no table for regress=") {
		t.Errorf("without the tables of some: %v", err)
	}
}

// TestTypicality: by the definition, and an outlier in motion is named.
func TestTypicality(t *testing.T) {
	var people []connectome
	r := random.New(8, "typicality")
	for p := range 12 {
		c := connectome{id: fmt.Sprintf("sub-%02d", p),
			clean: column.CleaningRow{MeanFD: 0.1 + 0.01*r.Float64(), TEff: 100}}
		for e := range 30 {
			c.z = append(c.z, math.Sin(float64(e))+0.3*r.Normal())
		}
		people = append(people, c)
	}
	people[7].clean.MeanFD = 0.9
	people[2].z[5] = math.NaN() // counts for the others
	for p := range 7 {
		people[p].z[8] = math.NaN() // more than half lack it: it counts for nobody
	}
	for e := range people[9].z {
		people[9].z[e] = -people[9].z[e]
	}
	for i, row := range typicality(people) {
		var own, others []float64
		for e := range people[i].z {
			mean, n := 0.0, 0.0
			for j, p := range people {
				if j != i && !math.IsNaN(p.z[e]) {
					mean, n = mean+p.z[e], n+1
				}
			}
			mean /= n
			if e != 8 && !(e == 5 && i == 2) {
				own, others = append(own, people[i].z[e]), append(others, mean)
			}
		}
		if want := slowR(own, others); math.Abs(row.Typicality-want) > 1e-12 {
			t.Errorf("typicality of %s %v, want %v", row.Participant, row.Typicality, want)
		}
		size := slices.DeleteFunc(slices.Clone(people[i].z), math.IsNaN)
		for e, z := range size {
			size[e] = math.Abs(math.Tanh(z))
		}
		slices.Sort(size)
		if want := (size[(len(size)-1)/2] + size[len(size)/2]) / 2; math.Abs(row.MedianR-want) > 0.02 {
			t.Errorf("median |r| of %s %v, want %v", row.Participant, row.MedianR, want)
		}
		need.Equal(t, strings.Join(row.Outlier, " "), map[int]string{7: "mean_fd", 9: "typicality"}[i], row.Participant)
	}
}

// TestQCFCListedMotion: where no confounds give the motion, mean_fd of the participants does; the two are not mixed.
func TestQCFCListedMotion(t *testing.T) {
	in := motionStudy()
	want := stagetest.FloatsOf(t, stagetest.MustRun(t, stagetest.Fresh("qcfc"), in)["edges"], "r")
	listed := make([]float64, 24)
	for i, table := range in["cleaning"] {
		row := need.Value(column.One[column.CleaningRow](table))(t)
		listed[i/2], row.MeanFD = row.MeanFD, math.NaN()
		in["cleaning"][i] = dag.InputOf(column.Table([]column.CleaningRow{row}), table.Coords...)
	}
	people, _ := in["participants"][0].Table()
	people.Columns = append(people.Columns, encoding.Column{Name: "mean_fd", Values: listed})
	in["participants"] = []dag.Input{dag.InputOf(people)}
	out := stagetest.MustRun(t, stagetest.Fresh("qcfc"), in)
	if r := stagetest.FloatsOf(t, out["edges"], "r"); !stagetest.Near(r, want) {
		t.Errorf("r\n%v, want\n%v", r, want)
	}

	row, _ := column.One[column.CleaningRow](in["cleaning"][0])
	row.MeanFD = 0.2
	in["cleaning"][0] = dag.InputOf(column.Table([]column.CleaningRow{row}), in["cleaning"][0].Coords...)
	out = stagetest.MustRun(t, stagetest.Fresh("qcfc"), in)
	if n := stagetest.FloatsOf(t, out["summary"], "participants"); !slices.Equal(n, []float64{1, 0}) {
		t.Errorf("participants %v: motion of two sources was mixed", n)
	}
}
