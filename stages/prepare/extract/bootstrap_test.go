package extract

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/numeric/random"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

// goldenBootstrap runs the stage on the golden set's scan.
func goldenBootstrap(t testing.TB, s *Bootstrap) dag.Outputs {
	t.Helper()
	in := map[string]dag.Input{
		"bold": goldenScan(t, "bold.nii.gz"), "labels": goldenScan(t, "labels_2mm.nii.gz"),
		"nodes": stagetest.Nodes(goldenIDs...),
	}
	out, err := stagetest.RunWith(stagetest.NewStage[*Parcellate](t, "parcellate"), in)
	need.NoError(t, err)
	in["parcels"] = dag.InputOf(out["parcels"])
	delete(in, "labels")
	if out, err = stagetest.RunWith(s, in); err != nil {
		t.Fatal(err)
	}
	return out
}

// Draw 0 is nilearn's mean, to the precision of its float32 sums.
func TestBootstrapGolden(t *testing.T) {
	out := goldenBootstrap(t, stagetest.NewStage[*Bootstrap](t, "bootstrap"))
	a := out["series"].(*encoding.Array)
	if !slices.Equal(a.Shape, []int{11, 60, len(goldenIDs)}) {
		t.Fatalf("shape %v", a.Shape)
	}
	series := a.Float64s()
	f, err := os.Open(filepath.Join("..", "..", "..", "nifti", "testdata", "nilearn", "ts_raw.tsv"))
	need.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows := stagetest.Sure(r.ReadAll())
	for v, row := range rows[1:] {
		for c, text := range row {
			id := stagetest.Sure(strconv.Atoi(rows[0][c]))
			want := stagetest.Sure(strconv.ParseFloat(text, 64))
			if got := series[v*len(goldenIDs)+slices.Index(goldenIDs,
				int32(id))]; math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("volume %d, label %d: %v, want %v", v, id, got, want)
			}
		}
		if !math.IsNaN(series[v*len(goldenIDs)+slices.Index(goldenIDs, 54)]) {
			t.Errorf("volume %d: the node without voxels has a value", v)
		}
	}
	voxels := out["voxels"].(*encoding.Table)
	if v := stagetest.Sure(voxels.Ints("used")); v[6] != 1 || v[5] != 0 || v[0] != 100 {
		t.Errorf("used %v", v)
	}
	if v := stagetest.Sure(voxels.Ints("drawn")); v[6] != 1 || v[5] != 0 || v[0] != 34 { // ⌈100/3⌉
		t.Errorf("drawn %v", v)
	}
	if v := stagetest.Sure(voxels.Ints("distinct")); v[6] != 1 || v[5] != 0 || v[0] != 10 {
		t.Errorf("distinct %v", v)
	}
	scan := out["scan"].(*encoding.Table)
	if scan.Rows() != 1 || stagetest.Sure(scan.Floats("tr"))[0] != 2 || stagetest.Sure(scan.Ints("volumes"))[0] != 60 ||
		stagetest.Sure(scan.Floats("dz"))[0] != 3.5 {
		t.Errorf("scan %v", scan.Columns)
	}
}

// Each draw is the mean of the voxels that its stream names.
func TestBootstrapDraws(t *testing.T) {
	s := &Bootstrap{Draws: 3, Fraction: 0.5, MinValid: 0.5, Seed: 2020, Subject: "sub-01"}
	for _, s.Replacement = range []bool{false, true} {
		bold := boldCube(t, 4, 0, 5)
		parcels := cube(4, 0, func(i, j, k int) int32 { return int32(1 + i%2) })
		out, err := stagetest.RunWith(s, map[string]dag.Input{"bold": bold,
			"parcels": imageInput(t, "parcels", parcels), "nodes": stagetest.Nodes(1001, 17)})
		need.NoError(t, err)
		got := out["series"].(*encoding.Array).Float64s()
		volumes := make([][]float64, 5)
		r := stagetest.Sure(nifti.NewReader(bytes.NewReader(stagetest.Sure(bold.Bytes())), "bold"))
		for v := range volumes {
			volumes[v] = make([]float64, 64)
			need.NoError(t, r.Next(volumes[v]))
		}
		for n, id := range []int{1001, 17} {
			for d := 1; d <= 3; d++ {
				list := s.draw(random.New(2020, "bootstrap", "sub-01", id, d), 32)
				for v := range volumes {
					sum := 0.0
					for _, place := range list {
						sum += volumes[v][2*int(place)+n] // node n has every second voxel
					}
					if want := sum / 16; got[(d*5+v)*2+n] != want {
						t.Fatalf("draw %d, volume %d, node %d: %v, want %v", d, v, id, got[(d*5+v)*2+n], want)
					}
				}
			}
		}
	}
}

func TestBootstrapDraw(t *testing.T) {
	third := &Bootstrap{Fraction: 1.0 / 3}
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 6: 2, 7: 3, 3000: 1000, 3001: 1001} {
		need.Equal(t, third.size(n), want, "a third of", n)
	}
	if got := (&Bootstrap{Fraction: 0.07}).size(100); got != 7 { // 0.07·100 is 7.000000000000001
		t.Errorf("0.07 of 100 is %d, want 7", got)
	}
	if got := (&Bootstrap{Fraction: 0}).size(30); got != 1 {
		t.Errorf("nothing of 30 is %d, want 1", got)
	}
	// Without replacement: ascending, no voxel twice, and every voxel as often as
	// any other (3000 draws of a third of 9: 1000 ± 26 each, and within 5 sd).
	count := make([]int, 9)
	for d := range 3000 {
		list := third.draw(random.New(1, "test", d), 9)
		if len(list) != 3 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != 3 {
			t.Fatalf("draw %v", list)
		}
		for _, v := range list {
			count[v]++
		}
	}
	for v, n := range count {
		if n < 870 || n > 1130 {
			t.Errorf("voxel %d was drawn %d times of 3000, want about 1000", v, n)
		}
	}
}

// A node's draws depend on seed, participant, run and node alone: not on its number in
// the list, other nodes, or the number of draws.
func TestBootstrapStreams(t *testing.T) {
	bold := boldCube(t, 4, 0, 5)
	column := func(s *Bootstrap, node int, nodes dag.Input, value func(i, j, k int) int32) []float64 {
		out, err := stagetest.RunWith(s,
			map[string]dag.Input{"bold": bold, "parcels": imageInput(t, "parcels", cube(4, 0, value)), "nodes": nodes})
		need.NoError(t, err)
		a := out["series"].(*encoding.Array)
		var c []float64
		for d := range 3 {
			for v := range 5 {
				c = append(c, a.Float64s()[(d*5+v)*a.Shape[2]+node])
			}
		}
		return c
	}
	base := Bootstrap{Draws: 2, Fraction: 1.0 / 3, Seed: 1, Subject: "sub-01"}
	one := column(&base, 0, stagetest.Nodes(1001), func(i, j, k int) int32 { return int32(i / 2) })
	more := base
	more.Draws = 4
	two := column(&more, 1, stagetest.Nodes(17, 1001), func(i, j, k int) int32 { return int32(1 + i/2) })
	if !slices.Equal(one, two) {
		t.Error("another node and more draws changed a node's draws")
	}
	for name, change := range map[string]func(*Bootstrap){"seed": func(b *Bootstrap) { b.Seed = 2 },
		"subject": func(b *Bootstrap) { b.Subject = "sub-02" }, "run": func(b *Bootstrap) { b.ScanRun = "2" }} {
		other := base
		change(&other)
		c := column(&other, 0, stagetest.Nodes(1001), func(i, j, k int) int32 { return int32(i / 2) })
		if !slices.Equal(c[:5], one[:5]) || slices.Equal(c[5:], one[5:]) {
			t.Errorf("another %s: draw 0 must stay, the others change", name)
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	parcels := imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 }))
	nodes := stagetest.Nodes(1001)
	still := cube(4, 0, background)
	still.Shape, still.Data, still.TR = []int{4, 4, 4, 3}, make([]int16, 64*3), 2
	holed := cube(4, 0, background)
	floats := make([]float32, 64*3)
	for i := range floats {
		floats[i] = float32(i * i)
		if i/64 == 1 {
			floats[i] = float32(math.NaN())
		}
	}
	holed.Shape, holed.Data, holed.TR = []int{4, 4, 4, 3}, floats, 2
	timeless := cube(4, 0, background)
	timeless.Shape, timeless.Data = []int{4, 4, 4, 3}, make([]int16, 64*3)
	for _, c := range []struct {
		name                 string
		bold, parcels, nodes dag.Input
		want                 string
	}{
		{"another grid", boldCube(t, 5, 0, 3), parcels, nodes, "sub-01_bold.nii.gz: its grid (5×5×5 voxels of 1×1×1 mm, x -0.5…4.5, y -0.5…4.5, z -0.5…4.5 mm) is not that of the parcels (4×4×4 voxels of 1×1×1 mm, x -0.5…3.5, y -0.5…3.5, z -0.5…3.5 mm); make the parcels from this scan"},
		{"no TR", imageInput(t, "x.nii.gz", timeless), parcels, nodes, "x.nii.gz: the header gives no repetition time (pixdim[4] is 0); set the parameter tr, in s"},
		{"still", imageInput(t, "x.nii.gz", still), parcels, nodes, "x.nii.gz: no node has enough voxels that are finite and vary over time: of the nodes' 64 voxels, 0 hold NaN or infinity and 64 are constant; is the scan masked or empty, or do the labels not overlap it?"},
		{"a volume of NaN", imageInput(t, "x.nii.gz", holed), parcels, nodes, "x.nii.gz: no node has enough voxels that are finite and vary over time: of the nodes' 64 voxels, 64 hold NaN or infinity and 0 are constant; volume 2 of 3 (counted from 1) holds them: correct or cut the scan"},
		{"too high a number", boldCube(t, 4, 0, 3),
			imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return int32(i) })), stagetest.Nodes(5, 6), "parcels: holds node number 3, but the node list has nodes 1 to 2"},
	} {
		_, err := stagetest.RunWith(stagetest.NewStage[*Bootstrap](t, "bootstrap"), map[string]dag.Input{"bold": c.bold,
			"parcels": c.parcels, "nodes": c.nodes})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
}

// The repetition time: a parameter, or else the sidecar, or else the header.
func TestBootstrapTR(t *testing.T) {
	in := map[string]dag.Input{
		"bold": boldCube(t, 4, 0, 5), "nodes": stagetest.Nodes(1001), // its header says 2 s
		"parcels": imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 })),
	}
	sidecar := func(text string) *dag.Input {
		i := dag.InputOf(artifacts.Bytes{Kind: "json", Data: []byte(text)})
		i.Name = "x.json"
		return &i
	}
	for _, c := range []struct {
		tr      float64
		sidecar *dag.Input
		want    float64
		from    string
		wrong   string
	}{
		{0, nil, 2, "header", ""},
		{2.0004, nil, 2.0004, "parameter", ""},
		{1.5, nil, 0, "", "sub-01_bold.nii.gz: the repetition time in its header is 2 s, but the parameter tr is 1.5 s: remove tr (tr: 0) if the header is right; if tr is, give it as RepetitionTime in a sidecar (in: { sidecar: { file: FILE.json } })"},
		{0, sidecar(`{"RepetitionTime": 0.8, "TaskName": "rest"}`), 0.8, "sidecar", ""},
		{0.8, sidecar(`{"RepetitionTime": 0.8}`), 0.8, "parameter", ""},
		{1.5, sidecar(`{"RepetitionTime": 800}`), 1.5, "parameter", ""},
		{1.5, sidecar(`{"RepetitionTime": 0.8}`), 0, "", "x.json: its repetition time is 0.8 s, but the parameter tr is 1.5 s: remove tr (tr: 0) if the file is right; if tr is, correct RepetitionTime in a copy and connect that (in: { sidecar: { file: FILE.json } })"},
		{0, sidecar(`{"TaskName": "rest"}`), 2, "header", ""},
		{0, sidecar(`{"RepetitionTime": 800}`), 0, "", "x.json: a RepetitionTime of 800; the unit must be s; correct it, or set the parameter tr"},
		{0, sidecar(`{"RepetitionTime": 0.002}`), 0, "", "x.json: a RepetitionTime of 0.002; the unit must be s; correct it, or set the parameter tr"},
		{0, sidecar(`{`), 0, "", "x.json: unexpected end of JSON input"},
	} {
		delete(in, "sidecar")
		if c.sidecar != nil {
			in["sidecar"] = *c.sidecar
		}
		out, err := stagetest.RunWith(&Bootstrap{TR: c.tr}, in)
		if c.wrong != "" {
			if err == nil || err.Error() != c.wrong {
				t.Errorf("error %v, want %s", err, c.wrong)
			}
			continue
		}
		need.NoError(t, err)
		scan := out["scan"].(*encoding.Table)
		if tr, from := stagetest.Sure(scan.Floats("tr"))[0], stagetest.Sure(scan.Strings("tr_from"))[0]; tr != c.want ||
			from != c.from {
			t.Errorf("TR %v from %s, want %v from %s", tr, from, c.want, c.from)
		}
	}
}

// Where a stage makes the scans, no header refuses them before.
func TestBootstrapRefusesNoScanToCome(t *testing.T) {
	need.NoError(t, (&Bootstrap{}).RefusesHeaders(nil))
	need.NoError(t, (&Bootstrap{TR: 2}).RefusesHeaders(nil))
	need.NoError(t, (&Timeseries{TR: 2}).RefusesHeaders(nil))
}

// A node of which too few voxels vary has no series, and keeps its row.
func TestBootstrapMinValid(t *testing.T) {
	img := cube(4, 0, background)
	img.Shape, img.TR = []int{4, 4, 4, 20}, 2
	data := make([]int16, 64*20)
	for i := range data {
		if voxel := i % 64; voxel%4 != 0 || voxel == 0 { // of the voxels with i = 0 one varies
			data[i] = int16(i * 7919 % 1009)
		}
	}
	img.Data = data
	in := map[string]dag.Input{
		"bold": imageInput(t, "x.nii.gz", img), "nodes": stagetest.Nodes(7, 8),
		"parcels": imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return int32(min(i, 1) + 1) })),
	}
	for _, c := range []struct {
		share float64
		nan   bool
	}{{0, false}, {1.0 / 16, false}, {0.07, true}} {
		out, err := stagetest.RunWith(&Bootstrap{Draws: 1, Fraction: 1, MinValid: c.share}, in)
		need.NoError(t, err)
		a := out["series"].(*encoding.Array).Float64s()
		for i, v := range a {
			if math.IsNaN(v) != (c.nan && i%2 == 0) {
				t.Fatalf("share %v: value %d is %v", c.share, i, v)
			}
		}
		v := out["voxels"].(*encoding.Table)
		if used, constant := stagetest.Sure(v.Ints("used")), stagetest.Sure(v.Ints("constant")); used[0] != 1 ||
			constant[0] != 15 || used[1] != 48 || constant[1] != 0 {
			t.Errorf("used %v, constant %v", used, constant)
		}
		scan := out["scan"].(*encoding.Table)
		if shares := stagetest.Sure(encoding.ListsOf[float64](scan, "reduced_shares")); !slices.Equal(shares[0],
			[]float64{15.0 / 16}) {
			t.Errorf("shares of lost voxels %v", shares)
		}
		quality := stagetest.MustRun(t, &prepare.Denoise{Regress: "none", Task: "none"}, map[string][]dag.Input{
			"series": {dag.InputOf(out["series"])}, "scan": {dag.InputOf(scan)}})["quality"].(*encoding.Table)
		if shares := stagetest.Sure(encoding.ListsOf[float64](quality,
			"reduced_shares")); !slices.Equal(shares[0], []float64{15.0 / 16}) {
			t.Errorf("after denoise, shares of lost voxels %v", shares)
		}
	}
}

// Real scans: big-endian, flipped, without a repetition time, with an atlas of node
// numbers on their grid. Draw 0 is the definition.
func TestBootstrapReal(t *testing.T) {
	scans, err := filepath.Glob(filepath.Join(need.Shared(t, "data", "bold", "coinstac_rest40_mni10mm"), "rtswa_1*.nii.gz"))
	if err != nil || len(scans) < 3 {
		t.Fatalf("%d scans (%v)", len(scans), err)
	}
	atlas := need.Shared(t, "data", "atlas", "dk84_coinstac10mm_node_majority.nii.gz")
	ids := make([]int32, 84)
	for i := range ids {
		ids[i] = int32(1000 + i)
	}
	for _, path := range scans[:3] {
		in := map[string]dag.Input{"bold": stagetest.FileInput(path), "labels": stagetest.FileInput(atlas),
			"nodes": stagetest.Nodes(ids...)}
		out, err := stagetest.RunWith(stagetest.NewStage[*Parcellate](t, "parcellate"), in)
		need.NoError(t, err)
		if m := out["coverage"].(*encoding.Table).Meta; m["labels"] != "index" || m["resampling"] != "none: the label image is on the scan's grid" {
			t.Errorf("metadata %v", m)
		}
		labels := labelsOf(t, out["parcels"])
		in["parcels"] = dag.InputOf(out["parcels"])
		s := stagetest.NewStage[*Bootstrap](t, "bootstrap")
		if _, err := stagetest.RunWith(s, in); err == nil || err.Error() != path+": the header gives no repetition time (pixdim[4] is 0); set the parameter tr, in s" {
			t.Errorf("error %v", err)
		}
		s.TR = 2
		if out, err = stagetest.RunWith(s, in); err != nil {
			t.Fatal(err)
		}
		a := out["series"].(*encoding.Array)
		if !slices.Equal(a.Shape, []int{11, 148, 84}) {
			t.Fatalf("shape %v", a.Shape)
		}
		r, err := nifti.Open(path)
		need.NoError(t, err)
		volumes := make([][]float64, 148)
		varies := make([]bool, labels.Grid.Voxels())
		for v := range volumes {
			volumes[v] = make([]float64, len(varies))
			need.NoError(t, r.Next(volumes[v]))
			for i, x := range volumes[v] {
				varies[i] = varies[i] || x != volumes[0][i]
			}
		}
		for v := range volumes {
			var sum, n [85]float64
			for i, l := range labels.Voxels {
				if varies[i] {
					sum[l] += volumes[v][i]
					n[l]++
				}
			}
			for node := range 84 {
				if got, want := a.Float64s()[v*84+node],
					sum[node+1]/n[node+1]; math.Abs(got-want) > 1e-12*math.Abs(want) {
					t.Fatalf("volume %d, node %d: %v, want %v", v, node+1, got, want)
				}
			}
		}
		r.Close()
	}
}

// XCP-D writes its strategy into the sidecar of a denoised scan; voxels that are left out are counted.
func TestBootstrapTellsOfTheScan(t *testing.T) {
	for text, want := range map[string]string{
		`{"RepetitionTime": 2}`: "", `{"nuisance parameters": "36P"}`: column.CleanedScan, `{"NuisanceParameters": "none"}`: "", `{"nuisance parameters": null}`: "",
	} {
		in := map[string]dag.Input{
			"bold": boldCube(t, 4, 0, 5), "nodes": stagetest.Nodes(1001),
			"parcels": imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 })),
			"sidecar": dag.InputOf(artifacts.Bytes{Kind: "json", Data: []byte(text)}),
		}
		out := need.Value(stagetest.RunWith(&Bootstrap{}, in))(t)
		need.Equal(t, out["scan"].(*encoding.Table).Meta[column.CleanedBefore], want, text)
	}
}

// Voxels of regions whose unscaled 16-bit numbers begin again at the other end of their range are counted.
func TestBootstrapCountsOverflows(t *testing.T) {
	bold := func(slope float32, value func(voxel, volume int) float64, dtype nifti.DataType) dag.Input {
		img := cube(4, 0, background)
		data := make([]int16, 64*12)
		for i := range data {
			data[i] = int16(int(value(i%64, i/64)))
		}
		img.Shape, img.TR, img.Data = append(img.Shape, 12), 2, data
		z := need.Value(gzip.NewReader(bytes.NewReader(need.Value(imageInput(t, "x.nii.gz", img).Bytes())(t))))(t)
		b := need.Value(io.ReadAll(z))(t)
		binary.LittleEndian.PutUint16(b[70:], uint16(dtype))
		binary.LittleEndian.PutUint32(b[112:], math.Float32bits(slope))
		in := dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b})
		in.Name = "sub-01_bold.nii"
		return in
	}
	around := func(level float64) func(voxel, volume int) float64 {
		return func(voxel, volume int) float64 {
			if voxel > 9 {
				return float64(500 + volume%5)
			}
			return level + 300*math.Sin(float64(volume+voxel))
		}
	}
	for name, c := range map[string]struct {
		bold dag.Input
		want string
	}{
		"within":         {bold(0, around(32000), nifti.Int16), ""},
		"over":           {bold(0, around(32768), nifti.Int16), "10"},
		"unsigned":       {bold(1, around(65536), nifti.Uint16), "10"},
		"scaled":         {bold(0.5, around(32768), nifti.Int16), ""},
		"unsigned below": {bold(1, around(32768), nifti.Uint16), ""},
	} {
		in := map[string]dag.Input{"bold": c.bold, "nodes": stagetest.Nodes(1001),
			"parcels": imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 }))}
		out := need.Value(stagetest.RunWith(&Bootstrap{}, in))(t)
		need.Equal(t, out["scan"].(*encoding.Table).Meta[column.Wrapped], c.want, name)
	}
}

// Whatever a sidecar says, a repetition time that is taken from it is one, in s.
func FuzzSidecarTime(f *testing.F) {
	for _, text := range []string{`{"RepetitionTime": 0.8}`, `{"RepetitionTime": -2}`, `{"SamplingFrequency": 0.5}`, `{"SamplingFrequency": 1e-320}`, `{"VolumeTiming": [0, 2, 4]}`, `{"VolumeTiming": [0, 2, 9]}`, `{"RepetitionTime": 1e400}`, `{"repetitiontime": 60.1}`,
		`{"RepetitionTime": "2"}`, `{"Nuisance parameters": "36P"}`, `{"NuisanceParameters": null}`, `[`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in := dag.InputOf(artifacts.Bytes{Kind: "json", Data: text})
		in.Name = "x.json"
		tr, err := sidecarTR(in, 0)
		if tr != 0 && !bids.IsTime(tr) || err != nil && (tr != 0 || !strings.HasPrefix(err.Error(), "x.json: ")) {
			t.Errorf("%q: %v, %v", text, tr, err)
		}
		if cleaned, err := denoised(in); err != nil && cleaned != "" {
			t.Errorf("%q: cleaned, and %v", text, err)
		}
	})
}
