package figure

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// TestScanQuality: tSNR is the mean over the SD of the kept volumes; inputs of another scan are refused; a region that
// is
// missing, and traces that nobody has, are left out.
func TestScanQuality(t *testing.T) {
	before := []float64{100, 3, math.NaN(), 102, -3, math.NaN(), 900, 0, math.NaN(), 104, 3, math.NaN()}
	after := []float64{-1, 1, math.NaN(), 0, -1, math.NaN(), 1, 1, math.NaN()}
	volumes := []column.VolumeRow{{Volume: 1, FD: math.NaN()}, {Volume: 2, FD: 0.1},
		{Volume: 3, FD: 2, LeftOut: "motion"}, {Volume: 4, FD: 0.1}}
	for i := range volumes {
		volumes[i].DVARS, volumes[i].Global = math.NaN(), math.NaN()
	}
	in := func() map[string][]dag.Input {
		return map[string][]dag.Input{
			"before":  {dag.InputOf(encoding.NewArray(before, 1, 4, 3), dag.Coord{Axis: "subject", Value: "sub-7"})},
			"after":   {dag.InputOf(encoding.NewArray(after, 1, 3, 3))},
			"volumes": {dag.InputOf(column.Table(volumes))},
			"quality": {dag.InputOf(column.Table([]column.CleaningRow{{Volumes: 4, Kept: 3, Censored: 1, MeanFD: 0.7,
				MaxFD: 2, Strategy: "24P", TEff: 12}}))},
			"matrix": {dag.InputOf(encoding.NewArray([]float64{1, 0.5, math.NaN(), 0.5, 1, math.NaN(), math.NaN(),
				math.NaN(), math.NaN()}, 1, 3, 3))}, "nodes": {dag.InputOf(stagetest.NodesOf("a", "b", "c"))},
		}
	}
	out := stagetest.MustRun(t, stagetest.Fresh("figure-qc"), in())
	// 100, 102, 104: mean 102, SD 2. 3, −3, 3: mean 1, SD √12.
	if got := stagetest.FloatsOf(t, out["regions"], "tsnr"); !stagetest.Near(got,
		[]float64{51, 1 / math.Sqrt(12), math.NaN()}) {
		t.Errorf("tSNR %v", got)
	}
	svg := out["picture"].(artifacts.Bytes).Data
	for text, want := range map[string]bool{"3 of 4 volumes kept (1 censored, 0 not in steady state), mean FD 0.70 mm, largest 2.00 mm; strategy 24P (0 regressors), 12 degrees of freedom left": true,
		"<title>sub-7</title>": true, ">FD<": true, ">DVARS<": false, ">global signal<": false} {
		if bytes.Contains(svg, []byte(text)) != want {
			t.Errorf("the picture says %q: %v, want %v", text, !want, want)
		}
	}
	image := func(nx int, values ...uint8) dag.Input {
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{nx, 1, 1}, Affine: nifti.Identity,
			Data: values}))
		return dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})
	}
	fitting := in()
	fitting["parcels"], fitting["mean"] = []dag.Input{image(3, 1, 2, 3)}, []dag.Input{image(3, 50, 90, 200)}
	out = stagetest.MustRun(t, stagetest.Fresh("figure-qc"), fitting)
	if svg := out["picture"].(artifacts.Bytes).Data; !bytes.Contains(svg,
		[]byte("regions over the mean of the scan")) || !bytes.Contains(svg, []byte("z = 0 mm")) {
		t.Error("the outlines of the regions are missing")
	}
	for want, mean := range map[string]dag.Input{"connect the mean of the same scan": image(2, 1, 2), "": image(3, 5, 9, 20)} {
		fitting["mean"] = []dag.Input{mean}
		if want == "" {
			fitting["parcels"], want = []dag.Input{image(3, 1, 2, 4)}, "holds the node number 4, and the series have 3 regions"
		} else {
			fitting["parcels"] = []dag.Input{image(3, 1, 2, 3)}
		}
		if _, err := stagetest.RunStage(t, stagetest.Fresh("figure-qc"), fitting); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	other := in()
	other["after"] = []dag.Input{dag.InputOf(encoding.NewArray(before, 1, 4, 3))}
	if _, err := stagetest.RunStage(t, stagetest.Fresh("figure-qc"), other); err == nil ||
		!strings.Contains(err.Error(), "4×3, want 3×3: connect the same scan everywhere") {
		t.Errorf("of another scan: %v", err)
	}
}

// TestScanQualityOfRuns: runs that were joined are standardized one by one, with the name of each above its volumes; of
// sampled voxels each band has as many rows as in the run with the fewest.
func TestScanQualityOfRuns(t *testing.T) {
	in := map[string][]dag.Input{
		"quality": {dag.InputOf(column.Table([]column.CleaningRow{{Volumes: 5, Kept: 4, Strategy: "24P", TEff: 2}}))},
		"matrix":  {dag.InputOf(encoding.NewArray([]float64{1, 0.5, 0.5, 1}, 1, 2, 2))},
		"nodes":   {dag.InputOf(stagetest.NodesOf("a", "b"))},
	}
	bands := [2][]string{{"cortex", "cortex", "CSF"}, {"cortex", "CSF", "CSF"}}
	for i, run := range []string{"1", "pm"} {
		at := []dag.Coord{{Axis: "subject", Value: "sub-7"}, {Axis: "run", Value: run}}
		put := func(port string, v artifacts.Value) { in[port] = append(in[port], dag.InputOf(v, at...)) }
		n := 3 - i // volumes; the first run leaves one out
		volumes, sample := make([]column.VolumeRow, n), []column.SampleRow(nil)
		for v := range volumes {
			volumes[v] = column.VolumeRow{Volume: int32(v + 1), FD: 0.1, DVARS: math.NaN(), Global: math.NaN()}
		}
		volumes[0].LeftOut = []string{"motion", ""}[i]
		for k, band := range bands[i] {
			sample = append(sample, column.SampleRow{Voxel: int32(k), Band: band})
		}
		carpet := make([]float32, 2*n*3)
		for k := range carpet {
			carpet[k] = float32(100*i + k)
		}
		level := float64(1000 * (1 + i))
		put("before", encoding.NewArray([]float64{level - 1, 2, level + 1, 4, level + 3, 9}[:2*n], 1, n, 2))
		put("after", encoding.NewArray([]float64{-1, 1, 1, -1}, 1, 2, 2))
		put("volumes", column.Table(volumes))
		put("sample", column.Table(sample))
		put("carpet", encoding.NewArray(carpet, 2, n, 3))
	}
	out := stagetest.MustRun(t, stagetest.Fresh("figure-qc"), in)
	svg := out["picture"].(artifacts.Bytes).Data
	for _, want := range []string{"<title>sub-7</title>", ">run 1<", ">run pm<", "before denoising: 2 voxels"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	// 1001 and 1003: mean 1002, SD √2; 1999 and 2001: mean 2000, SD √2.
	if got := stagetest.FloatsOf(t, out["regions"], "tsnr"); !stagetest.Near(got[:1],
		[]float64{(1002 + 2000) / math.Sqrt2 / 2}) {
		t.Errorf("tSNR %v", got)
	}
	scans, err := readScans(dag.NewTask(in), 2)
	need.NoError(t, err)
	rows, before, after := joinedCarpet(scans, nil)
	if !slices.Equal(rows, []string{"cortex", "CSF"}) {
		t.Errorf("rows %v", rows)
	}
	// Of two voxels of a band the second stands for it. Run 1 has 3 × 3 numbers before denoising, run 2 2 × 3.
	if want := []float64{1, 2, 4, 5, 7, 8, 100, 102, 103, 105}; !slices.Equal(before, want) {
		t.Errorf("before denoising %v, want %v", before, want)
	}
	if want := []float64{10, 11, 13, 14, 16, 17, 106, 108, 109, 111}; !slices.Equal(after, want) {
		t.Errorf("after denoising %v, want %v", after, want)
	}
	// Without the voxels of one run, regions: the step between the runs is not seen.
	delete(in, "carpet")
	if scans, err = readScans(dag.NewTask(in), 2); err != nil {
		t.Fatal(err)
	}
	z := 1 / math.Sqrt2
	if rows, before, _ = joinedCarpet(scans, []string{"L", "R"}); !slices.Equal(rows, []string{"L", "R"}) ||
		!stagetest.Near([]float64{before[2], before[4], before[6], before[8]}, []float64{-z, z, -z, z}) {
		t.Errorf("regions %v, before denoising %v", rows, before)
	}
	// A region that has no signal in one of the runs has no correlations: 0 would be taken for one.
	scans[1].after = []float64{1, math.NaN(), -1, math.NaN()}
	if got := withoutSilent([]float64{1, 0.5, 0.5, 1}, scans); got[0] != 1 || !math.IsNaN(got[1]) ||
		!math.IsNaN(got[2]) || !math.IsNaN(got[3]) {
		t.Errorf("matrix %v", got)
	}
	in["after"] = in["after"][:1]
	if _, err := stagetest.RunStage(t, stagetest.Fresh("figure-qc"), in); err == nil ||
		!strings.Contains(err.Error(), "before has 2 members, and after has 1: connect the same runs everywhere") {
		t.Errorf("one run too few: %v", err)
	}
}
