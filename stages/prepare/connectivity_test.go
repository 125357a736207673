package prepare

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/finding"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func TestConnectivityGivesEachDraw(t *testing.T) {
	series := stagetest.Series(3, 90, 6)
	s := stagetest.NewStage[*Connectivity](t, "connectivity")
	out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(series)})
	need.NoError(t, err)
	for d := range 3 {
		x := connectivity.Matrix{Rows: 90, Cols: 6, Data: series.Float64s()[d*540:][:540]}
		want, err := connectivity.Estimate([]connectivity.Matrix{x}, connectivity.Options{})
		need.NoError(t, err)
		for port, v := range map[string][]float64{"pearson": want.Pearson, "partial": want.Partial} {
			a := out[port].(*encoding.Array)
			if !slices.Equal(a.Shape, []int{3, 6, 6}) || !slices.Equal(a.Float64s()[d*36:][:36], v) {
				t.Errorf("%s of draw %d is not that of its series (shape %v)", port, d, a.Shape)
			}
		}
		need.Equal(t, stagetest.FloatsOf(t, out["quality"], "shrinkage")[d], want.Quality[0].Shrinkage,
			"shrinkage of draw", d)
	}
	if draws := stagetest.FloatsOf(t, out["quality"], "draw"); !slices.Equal(draws, []float64{0, 1, 2}) {
		t.Errorf("draws %v", draws)
	}
	if v := stagetest.FloatsOf(t, out["quality"], "pearson_shrinkage")[0]; !math.IsNaN(v) {
		t.Errorf("the empirical correlation has the shrinkage %v", v)
	}
	ports := func(s dag.Stage) (names []string) {
		for _, p := range s.Ports().Out {
			names = append(names, p.Name)
		}
		return names
	}
	if _, there := out["covariance"]; there || slices.Contains(ports(s), "covariance") {
		t.Error("a covariance that nobody asked for")
	}
	s.Covariance = true
	if out, err = stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(series)}); err != nil {
		t.Fatal(err)
	}
	for _, p := range ports(s) {
		if out[p] == nil {
			t.Errorf("port %s has no output", p)
		}
	}
}

// Eight threads give the bytes of one.
func TestConnectivityThreads(t *testing.T) {
	var want []byte
	for _, threads := range []int{1, 8} {
		task := dag.NewTask(map[string][]dag.Input{"series": {dag.InputOf(stagetest.Series(7, 60, 9))}})
		task.Threads = threads
		out, err := stagetest.NewStage[*Connectivity](t, "connectivity").Run(t.Context(), task)
		need.NoError(t, err)
		var b bytes.Buffer
		for _, port := range []string{"pearson", "partial", "quality"} {
			need.NoError(t, out[port].Encode(&b))
		}
		if want == nil {
			want = b.Bytes()
		} else if !bytes.Equal(want, b.Bytes()) {
			t.Error("other bytes with eight threads")
		}
	}
}

// The band of the field leaves too little for an inverse: refused, or a warning.
func TestConnectivityCatchesTheBandPass(t *testing.T) {
	d := stagetest.NewStage[*Denoise](t, "denoise")
	d.Filter, d.HighPass, d.LowPass, d.TR = "butterworth", 0.01, 0.1, 2
	clean, err := stagetest.RunWith(d, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 146, 84))})
	need.NoError(t, err)
	in := map[string]dag.Input{"series": stagetest.Named("clean[sub-1].series", clean["series"]), "quality": dag.InputOf(clean["quality"])}
	s := stagetest.NewStage[*Connectivity](t, "connectivity")
	out, err := stagetest.RunWith(s, in)
	need.NoError(t, err)
	warning, err := out["quality"].(*encoding.Table).Strings("warning")
	need.NoError(t, err)
	if w := finding.Warned(warning[0]); len(w) != 1 || w[0].Code != "connectivity.undetermined" || w[0].Values()["Regions"] != 84.0 ||
		w[0].Values()["Band"] != true || math.Abs(w[0].Values()["TEff"].(float64)-52.56) > 1e-9 {
		t.Errorf("warning %q", warning)
	}
	s.Partial = "empirical"
	const want = "clean[sub-1].series: draw 0: the empirical partial correlation of 84 regions needs at least 94 degrees of freedom, but these time series have 52.56 (of 146 volumes): the estimate would be mostly noise; use partial: ledoit-wolf or ridge; a wider band leaves more degrees of freedom"
	if _, err := stagetest.RunWith(s, in); err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

func TestConnectivityValidates(t *testing.T) {
	s := stagetest.NewStage[*Connectivity](t, "connectivity")
	if errs := s.Validate(); errs != nil {
		t.Errorf("the defaults do not hold: %v", errs)
	}
	s.Partial, s.Rho = "ridge", 0
	if errs := s.Validate(); len(errs) != 1 {
		t.Errorf("a ridge of 0: %v", errs)
	}
	s.Partial, s.Alpha = "glasso", 0
	if errs := s.Validate(); len(errs) != 1 {
		t.Errorf("a penalty of 0: %v", errs)
	}
}

// Averaged over 40 real scans, the correlation of the 68 cortical regions is that of
// the group connectivity of the Human Connectome Project (ENIGMA toolbox), as far as
// scans of 10 mm can tell: r = 0.78, found by an independent check.
func TestConnectivityOfRealScans(t *testing.T) {
	dir := need.Shared(t, "data", "bold", "coinstac_rest40_mni10mm")
	atlas := need.Shared(t, "data", "atlas", "dk84_coinstac10mm_node_majority.nii.gz")
	group := need.Shared(t, "data", "enigma_hcp_group_dk", "funcMatrix_ctx.csv")
	if testing.Short() {
		t.Skip("40 scans")
	}
	scans, err := filepath.Glob(filepath.Join(dir, "rtswa_*.nii.gz"))
	if err != nil || len(scans) != 40 {
		t.Fatalf("%d scans (%v)", len(scans), err)
	}
	ids := make([]int32, 84)
	for i := range ids {
		ids[i] = int32(i + 1)
	}
	nodes := stagetest.Nodes(ids...)
	bootstrap := stagetest.NewStage[*extract.Bootstrap](t, "bootstrap")
	bootstrap.TR, bootstrap.Draws = 2, 0
	denoise := stagetest.NewStage[*Denoise](t, "denoise")
	denoise.Detrend = 2
	mean := make([]float64, 84*84)
	for _, path := range scans {
		bold := stagetest.FileInput(path)
		chain := func(s dag.Stage, in map[string]dag.Input) dag.Outputs {
			out := need.Value(stagetest.RunWith(s, in))(t)
			return out
		}
		parcels := chain(stagetest.NewStage[*extract.Parcellate](t, "parcellate"),
			map[string]dag.Input{"bold": bold, "labels": stagetest.FileInput(atlas), "nodes": nodes})
		series := chain(bootstrap, map[string]dag.Input{"bold": bold,
			"parcels": dag.InputOf(parcels["parcels"]), "nodes": nodes})
		clean := chain(denoise, map[string]dag.Input{"series": dag.InputOf(series["series"]),
			"scan": dag.InputOf(series["scan"])})
		c := chain(stagetest.NewStage[*Connectivity](t, "connectivity"),
			map[string]dag.Input{"series": dag.InputOf(clean["series"]), "quality": dag.InputOf(clean["quality"])})
		for i, v := range c["pearson"].(*encoding.Array).Float64s() {
			mean[i] += v / 40
		}
	}
	b, err := os.ReadFile(group)
	need.NoError(t, err)
	_, hcp, err := connectivity.ReadText(bytes.NewReader(b))
	need.NoError(t, err)
	place := func(i int) int { // the cortex: nodes 1–34 and 50–83
		if i >= 34 {
			return i + 15
		}
		return i
	}
	pairs := connectivity.NewMatrix(68*67/2, 2)
	k := 0
	for i := range 68 {
		for j := range i {
			copy(pairs.Row(k), []float64{mean[place(i)*84+place(j)], hcp.At(i, j)})
			k++
		}
	}
	r, err := connectivity.Estimate([]connectivity.Matrix{pairs}, connectivity.Options{})
	need.NoError(t, err)
	t.Logf("r = %.4f", r.Pearson[1])
	if math.Abs(r.Pearson[1]-0.78) > 0.015 {
		t.Errorf("r = %v, want about 0.78", r.Pearson[1])
	}
}
