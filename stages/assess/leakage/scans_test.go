package leakage

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

const voxelsOfScan = 2 * 3 * 4

// scanOf is a scan of some volumes of a random one, as an input of a participant's run.
func scanOf(t *testing.T, seed int64, from, to int, subject, run string) dag.Input {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	data := make([]float32, voxelsOfScan*to)
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	return volumes(t, data[from*voxelsOfScan:], subject, run)
}

func volumes(t *testing.T, data []float32, subject, run string) dag.Input {
	t.Helper()
	var b bytes.Buffer
	affine := nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}
	image := &nifti.Image{Shape: []int{2, 3, 4, len(data) / voxelsOfScan}, Affine: affine, TR: 2, Data: data}
	need.NoError(t, nifti.Encode(&b, image))
	in := dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}, dag.Coord{Axis: "subject", Value: subject},
		dag.Coord{Axis: "run", Value: run})
	in.Name = subject + "_run-" + run
	return in
}

// altered is that scan with every value changed.
func altered(t *testing.T, seed int64, to int, subject string, change func(i int, x float32) float32) dag.Input {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	data := make([]float32, voxelsOfScan*to)
	for i := range data {
		data[i] = change(i, float32(r.NormFloat64()))
	}
	return volumes(t, data, subject, "1")
}

// seriesOf is what a stage reads from a scan: draw 0 and a random draw, named by the id.
func seriesOf(t *testing.T, seed int64, from, to int, subject string) dag.Input {
	t.Helper()
	const nodes = 3
	r := rand.New(rand.NewSource(seed))
	v := make([]float64, nodes*to)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	v = v[from*nodes:]
	for range len(v) {
		v = append(v, rand.Float64())
	}
	in := dag.InputOf(encoding.NewArray(v, 2, to-from, nodes), dag.Coord{Axis: "subject", Value: subject})
	in.Name = "series[" + subject + "]"
	return in
}

// One scan as two runs or sessions of a participant is found by its volumes, whatever its factor, and by its signal
// where there are too few regions. Other runs, other settings of one run, and a run and what it is joined to are none.
func TestOneScanAsTwoRuns(t *testing.T) {
	const nodes, volumes = 12, 60
	series := func(seed int64, nodes int, factor float64, coords ...dag.Coord) dag.Input {
		r := rand.New(rand.NewSource(seed))
		v := make([]float64, nodes*volumes)
		for i := range v {
			v[i] = r.NormFloat64() * factor
		}
		return dag.InputOf(encoding.NewArray(v, 1, volumes, nodes), coords...)
	}
	at := func(axes ...string) (coords []dag.Coord) {
		for _, c := range axes {
			axis, value, _ := strings.Cut(c, "=")
			coords = append(coords, dag.Coord{Axis: axis, Value: value})
		}
		return coords
	}
	one, other := at("run=1", "subject=sub-001"), at("run=2", "subject=sub-001")
	for _, c := range []struct {
		name, want string
		of         int32
		in         []dag.Input
	}{
		{"its volumes", "sub-001, run 1 and sub-001, run 2 share volumes of a scan", 0, []dag.Input{series(1, 20, 1, one...), series(1, 20, 3, other...)}},
		{"a scan", "sub-001, run 1 and sub-001, run 2 share volumes of a scan", 0, []dag.Input{scanOf(t, 1, 0, 12, "sub-001", "1"), scanOf(t, 1, 0, 10, "sub-001", "2")}},
		{"its signal", "sub-001, run 1 and sub-001, run 2 have mean signals that correlate -1.000", 0, []dag.Input{series(1, nodes, 1, one...), series(1, nodes, -3, other...)}},
		{"sessions", "sub-001, session x and sub-001, session y share volumes of a scan", 0,
			[]dag.Input{series(1, nodes, 1, at("session=x", "subject=sub-001")...),
				series(1, nodes, 1, at("session=y", "subject=sub-001")...)}},
		{"of two people", "", 4, []dag.Input{series(1, nodes, 1, one...), series(2, nodes, 1, other...),
			series(3, nodes, 1, at("run=1", "subject=sub-002")...),
			series(4, nodes, 1, at("run=2", "subject=sub-002")...)}},
		{"another setting", "", 0, []dag.Input{
			series(1, nodes, 1, at("draw=1", "run=1", "subject=sub-001")...),
			series(1, nodes, 1, at("draw=2", "run=1", "subject=sub-001")...)}},
		{"the joined series", "", 0, []dag.Input{series(1, nodes, 1, one...),
			series(1, nodes, 1, at("subject=sub-001")...)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := map[string][]dag.Input{"folds": stagetest.PlantedInputs(t, 20, 3, 9, 1)["folds"], "scans": c.in}
			out, err := stagetest.RunStage(t, &Leakage{Correlation: 0.8, Filtered: 0.65}, in)
			if c.want != "" {
				need.Error(t, err, c.want)
				need.Error(t, err, "one scan counts as two")
				return
			}
			need.NoError(t, err)
			rows := need.Value(column.Rows[fold.CheckRow](out["checks"].(*encoding.Table)))(t)
			at := slices.IndexFunc(rows, func(r fold.CheckRow) bool {
				return r.Check == "no participant has one scan as two runs or sessions"
			})
			need.Equal(t, at >= 0, c.of > 0, "the check is made")
			if at >= 0 {
				need.Equal(t, rows[at].Of, c.of, "comparisons")
			}
		})
	}
}

// One scan under two ids is found whatever labels and cleaning make of it, in any run, and
// when it was cut short; scans that differ, and empty volumes, are not taken for one.
func TestLeakageOfScans(t *testing.T) {
	empty := make([]float32, 6*voxelsOfScan)
	half := func(seed int64) []float32 { // empty volumes, then a scan
		r := rand.New(rand.NewSource(seed))
		v := slices.Clone(empty)
		for range empty {
			v = append(v, float32(r.NormFloat64()))
		}
		return v
	}
	text := artifacts.Bytes{Kind: "tsv", Data: []byte("1\t2\n")}
	for _, c := range []struct {
		name  string
		scans []dag.Input
		want  string // "" when all is well
	}{
		{"other scans", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 2, 0, 20, "sub-002", "1"),
			scanOf(t, 3, 0, 20, "sub-003", "1")}, ""},
		{"the same scan", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 2, 0, 20, "sub-002", "1"),
			scanOf(t, 1, 0, 20, "sub-003", "1")},
			"sub-001 and sub-003 share volumes of a scan (sub-001_run-1 and sub-003_run-1): one scan under two ids\n  exclude both, or keep the one whose scan it is; under cohort:\n    exclude: [sub-001, sub-003]"},
		{"two pairs", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 2, 0, 20, "sub-002", "1"),
			scanOf(t, 1, 0, 20, "sub-003", "1"), scanOf(t, 2, 0, 20, "sub-004", "1")}, "leakage: 2 violations"},
		{"one of two runs", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 2, 0, 20, "sub-001", "2"),
			scanOf(t, 3, 0, 20, "sub-002", "1"), scanOf(t, 2, 0, 20, "sub-002", "2")},
			"(sub-001_run-2 and sub-002_run-2)"},
		{"cut at its end", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 1, 0, 12, "sub-002", "1")},
			"exclude: [sub-001, sub-002]"},
		{"cut to three volumes", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 1, 0, 3, "sub-002", "1")},
			"exclude: [sub-001, sub-002]"},
		{"rescaled", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"),
			altered(t, 1, 20, "sub-002", func(_ int, x float32) float32 { return 1.37 * x })}, "exclude: [sub-001, sub-002]"},
		{"with a negative factor", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"),
			altered(t, 1, 20, "sub-002", func(_ int, x float32) float32 { return 5 - 1.37*x })}, "exclude: [sub-001, sub-002]"},
		{"with an offset", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"),
			altered(t, 1, 20, "sub-002", func(_ int, x float32) float32 { return x + 100 })}, "exclude: [sub-001, sub-002]"},
		{"one anatomy with little noise", []dag.Input{
			altered(t, 1, 20, "sub-001",
				func(i int, x float32) float32 { return float32(1000*(i%voxelsOfScan%2)) + x }),
			altered(t, 2, 20, "sub-002",
				func(i int, x float32) float32 { return float32(1000*(i%voxelsOfScan%2)) + x })}, ""},
		{"one run twice in one participant", []dag.Input{scanOf(t, 1, 0, 20, "sub-001", "1"), scanOf(t, 1, 0, 20, "sub-001", "2")},
			"sub-001, run 1 and sub-001, run 2 share volumes of a scan (sub-001_run-1 and sub-001_run-2): one scan counts as two"},
		{"empty volumes", []dag.Input{volumes(t, half(1), "sub-001", "1"), volumes(t, half(2), "sub-002", "1")}, ""},
		{"empty scans", []dag.Input{volumes(t, empty, "sub-001", "1"), volumes(t, empty, "sub-002", "1")}, ""},
		{"other series", []dag.Input{seriesOf(t, 1, 0, 30, "sub-001"), seriesOf(t, 2, 0, 30, "sub-002")}, ""},
		{"series cut at the end", []dag.Input{seriesOf(t, 1, 0, 30, "sub-001"), seriesOf(t, 1, 0, 25, "sub-002")}, "(series[sub-001] and series[sub-002])"},
		{"series cut at the beginning", []dag.Input{seriesOf(t, 1, 0, 30, "sub-001"), seriesOf(t, 1, 4, 30, "sub-002")}, "exclude: [sub-001, sub-002]"},
		{"the same file", []dag.Input{dag.InputOf(text, dag.Coord{Axis: "subject", Value: "sub-001"}),
			dag.InputOf(text, dag.Coord{Axis: "subject", Value: "sub-002"})}, "exclude: [sub-001, sub-002]"},
		{"of nobody", []dag.Input{dag.InputOf(text)}, "does not belong to a single participant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := map[string][]dag.Input{"folds": stagetest.PlantedInputs(t, 20, 3, 9, 1)["folds"], "scans": c.scans}
			out, err := stagetest.RunStage(t, &Leakage{}, in)
			switch {
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want …%s", err, c.want)
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "":
				if of := stagetest.FloatsOf(t, out["checks"], "of"); !stagetest.Near(of,
					[]float64{20, float64(len(c.scans))}) {
					t.Errorf("%v comparisons", of)
				}
			}
		})
	}
}

// A pair that scans and features give away is told once.
func TestLeakageTellsAPairOnce(t *testing.T) {
	in := leakInputs(t)
	features := slices.Clone(in["features"])
	features[3] = dag.InputOf(redrawn(t, features[7]), features[3].Coords...)
	scans := []dag.Input{scanOf(t, 1, 0, 9, "sub-004", "1"), scanOf(t, 1, 0, 9, "sub-008", "1")}
	_, err := stagetest.RunStage(t, &Leakage{}, map[string][]dag.Input{"folds": in["folds"],
		"features": features, "scans": scans})
	if err == nil || strings.Count(err.Error(), "one scan under two ids") != 1 {
		t.Error(err)
	}
}

// No two of 40 people share volumes, and one of them who comes again rescaled is found.
func TestScansOfPeople(t *testing.T) {
	dir := need.Shared(t, "data", "bold", "coinstac_rest40_mni10mm")
	files, err := filepath.Glob(filepath.Join(dir, "rtswa_*.nii.gz"))
	if err != nil || len(files) != 40 {
		t.Fatalf("%d scans, want 40; %v", len(files), err)
	}
	var ins []dag.Input
	for i, file := range files {
		data := need.Value(os.ReadFile(file))(t)
		ins = append(ins, dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: data},
			dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}))
	}
	twins, _, err := sharedScans(ins, 2)
	if err != nil || len(twins) > 0 {
		t.Errorf("%v, %v", twins, err)
	}
	r, err := nifti.Open(files[6])
	need.NoError(t, err)
	defer r.Close()
	img := &nifti.Image{Affine: r.Header.Affine(), TR: 2}
	var data []float32
	volume := make([]float64, r.Header.Grid().Voxels())
	for range 12 {
		need.NoError(t, r.Next(volume))
		for _, x := range volume {
			data = append(data, float32(1.37*x+100))
		}
	}
	for _, n := range r.Header.Shape()[:3] {
		img.Shape = append(img.Shape, int(n))
	}
	img.Shape, img.Data = append(img.Shape, 12), data
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, img))
	ins = append(ins, dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()},
		dag.Coord{Axis: "subject", Value: "sub-041"}))
	twins, _, err = sharedScans(ins, 2)
	if err != nil || len(twins) != 1 || twins[0].First != "sub-007" || twins[0].Later != "sub-041" {
		t.Errorf("rescaled: %v, %v", twins, err)
	}
}

// A part of a scan within that of another participant is found wherever it lies; zeros at the end of two scans, and
// fewer volumes than a block, are none.
func TestSharedBlocks(t *testing.T) {
	noise := func(seed uint64, volumes, regions int) []float64 {
		r, v := rand.New(rand.NewSource(int64(seed))), make([]float64, volumes*regions)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	for _, c := range []struct {
		regions, from, to int // of the volumes of one scan that are volumes 40 to … of the other
		zeros             bool
		want              int
	}{{8, 20, 60, false, 1}, {8, 30, 40, false, 1}, {8, 30, 39, false, 0}, {1, 20, 60, false, 1}, {1, 20, 51, false, 0},
		{8, 30, 30, true, 0}} {
		a, b := noise(1, 120, c.regions), noise(2, 120, c.regions)
		copy(b[40*c.regions:], a[c.from*c.regions:c.to*c.regions])
		if c.zeros {
			clear(a[60*c.regions:])
			clear(b[60*c.regions:])
		}
		var in []dag.Input
		for i, v := range [][]float64{a, b} {
			in = append(in, dag.InputOf(encoding.NewArray(v, 1, 120, c.regions),
				dag.Coord{Axis: "subject", Value: fmt.Sprint("sub-", i+1)}))
		}
		twins, _, err := sharedScans(in, 1)
		need.NoError(t, err)
		need.Equal(t, len(twins), c.want, c)
	}
}
