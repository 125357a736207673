package stages

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/nifti"
)

// goldenBootstrap runs the stage on the golden set's scan.
func goldenBootstrap(t testing.TB, s *Bootstrap) dag.Outputs {
	t.Helper()
	in := map[string]dag.Input{
		"bold": goldenScan(t, "bold.nii.gz"), "labels": goldenScan(t, "labels_2mm.nii.gz"), "nodes": nodesInput(goldenIDs...),
	}
	out, err := runWith(newStage[*Parcellate](t, "parcellate"), in)
	if err != nil {
		t.Fatal(err)
	}
	in["parcels"] = dag.InputOf(out["parcels"])
	delete(in, "labels")
	if out, err = runWith(s, in); err != nil {
		t.Fatal(err)
	}
	return out
}

// Draw 0 is nilearn's mean, to the precision of its float32 sums.
func TestBootstrapGolden(t *testing.T) {
	out := goldenBootstrap(t, newStage[*Bootstrap](t, "bootstrap"))
	a := out["series"].(*artifacts.Array)
	if !slices.Equal(a.Shape, []int{11, 60, len(goldenIDs)}) {
		t.Fatalf("shape %v", a.Shape)
	}
	series := a.Float64s()
	f, err := os.Open(filepath.Join("..", "nifti", "testdata", "nilearn", "ts_raw.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows := sure(r.ReadAll())
	for v, row := range rows[1:] {
		for c, text := range row {
			id := sure(strconv.Atoi(rows[0][c]))
			want := sure(strconv.ParseFloat(text, 64))
			if got := series[v*len(goldenIDs)+slices.Index(goldenIDs, int32(id))]; math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("volume %d, label %d: %v, want %v", v, id, got, want)
			}
		}
		if !math.IsNaN(series[v*len(goldenIDs)+slices.Index(goldenIDs, 54)]) {
			t.Errorf("volume %d: the node without voxels has a value", v)
		}
	}
	voxels := out["voxels"].(*artifacts.Table)
	if v := sure(voxels.Ints("used")); v[6] != 1 || v[5] != 0 || v[0] != 100 {
		t.Errorf("used %v", v)
	}
	if v := sure(voxels.Ints("drawn")); v[6] != 1 || v[5] != 0 || v[0] != 34 { // ⌈100/3⌉
		t.Errorf("drawn %v", v)
	}
	if v := sure(voxels.Ints("distinct")); v[6] != 1 || v[5] != 0 || v[0] != 10 {
		t.Errorf("distinct %v", v)
	}
	scan := out["scan"].(*artifacts.Table)
	if scan.Rows() != 1 || sure(scan.Floats("tr"))[0] != 2 || sure(scan.Ints("volumes"))[0] != 60 || sure(scan.Floats("dz"))[0] != 3.5 {
		t.Errorf("scan %v", scan.Columns)
	}
}

// Each draw is the mean of the voxels that its stream names.
func TestBootstrapDraws(t *testing.T) {
	s := &Bootstrap{Draws: 3, Fraction: 0.5, MinValid: 0.5, Seed: 2020, Subject: "sub-01"}
	for _, s.Replacement = range []bool{false, true} {
		bold := boldCube(t, 4, 0, 5)
		parcels := cube(4, 0, func(i, j, k int) int32 { return int32(1 + i%2) })
		out, err := runWith(s, map[string]dag.Input{"bold": bold, "parcels": imageInput(t, "parcels", parcels), "nodes": nodesInput(1001, 17)})
		if err != nil {
			t.Fatal(err)
		}
		got := out["series"].(*artifacts.Array).Float64s()
		volumes := make([][]float64, 5)
		r := sure(nifti.NewReader(bytes.NewReader(sure(bold.Bytes())), "bold"))
		for v := range volumes {
			volumes[v] = make([]float64, 64)
			if err := r.Next(volumes[v]); err != nil {
				t.Fatal(err)
			}
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
		if got := third.size(n); got != want {
			t.Errorf("a third of %d is %d, want %d", n, got, want)
		}
	}
	if got := (&Bootstrap{Fraction: 0.1}).size(30); got != 3 {
		t.Errorf("a tenth of 30 is %d, want 3", got)
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

// A node's draws depend on seed, participant and node alone: not on its number in
// the list, other nodes, or the number of draws.
func TestBootstrapStreams(t *testing.T) {
	bold := boldCube(t, 4, 0, 5)
	column := func(s *Bootstrap, node int, nodes dag.Input, value func(i, j, k int) int32) []float64 {
		out, err := runWith(s, map[string]dag.Input{"bold": bold, "parcels": imageInput(t, "parcels", cube(4, 0, value)), "nodes": nodes})
		if err != nil {
			t.Fatal(err)
		}
		a := out["series"].(*artifacts.Array)
		var c []float64
		for d := range 3 {
			for v := range 5 {
				c = append(c, a.Float64s()[(d*5+v)*a.Shape[2]+node])
			}
		}
		return c
	}
	base := Bootstrap{Draws: 2, Fraction: 1.0 / 3, Seed: 1, Subject: "sub-01"}
	one := column(&base, 0, nodesInput(1001), func(i, j, k int) int32 { return int32(i / 2) })
	more := base
	more.Draws = 4
	two := column(&more, 1, nodesInput(17, 1001), func(i, j, k int) int32 { return int32(1 + i/2) })
	if !slices.Equal(one, two) {
		t.Error("another node and more draws changed a node's draws")
	}
	for name, change := range map[string]func(*Bootstrap){"seed": func(b *Bootstrap) { b.Seed = 2 }, "subject": func(b *Bootstrap) { b.Subject = "sub-02" }} {
		other := base
		change(&other)
		c := column(&other, 0, nodesInput(1001), func(i, j, k int) int32 { return int32(i / 2) })
		if !slices.Equal(c[:5], one[:5]) || slices.Equal(c[5:], one[5:]) {
			t.Errorf("another %s: draw 0 must stay, the others change", name)
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	parcels := imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 }))
	nodes := nodesInput(1001)
	still := cube(4, 0, background)
	still.Shape, still.Data, still.TR = []int{4, 4, 4, 3}, make([]int16, 64*3), 2
	timeless := cube(4, 0, background)
	timeless.Shape, timeless.Data = []int{4, 4, 4, 3}, make([]int16, 64*3)
	for _, c := range []struct {
		name                 string
		bold, parcels, nodes dag.Input
		want                 string
	}{
		{"another grid", boldCube(t, 5, 0, 3), parcels, nodes, "sub-01_bold.nii.gz: its grid (5×5×5 voxels of 1×1×1 mm, x -0.5…4.5, y -0.5…4.5, z -0.5…4.5 mm) is not that of the parcels (4×4×4 voxels of 1×1×1 mm, x -0.5…3.5, y -0.5…3.5, z -0.5…3.5 mm); make the parcels from this scan"},
		{"no TR", imageInput(t, "x.nii.gz", timeless), parcels, nodes, "x.nii.gz: the header gives no repetition time (pixdim[4] is 0); set the parameter tr, in s"},
		{"still", imageInput(t, "x.nii.gz", still), parcels, nodes, "x.nii.gz: no node has enough voxels that are finite and vary over time; is it a masked or an empty scan, or are the labels elsewhere?"},
		{"too high a number", boldCube(t, 4, 0, 3), imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return int32(i) })), nodesInput(5, 6), "parcels: holds the node number 3, and the node list goes from 1 to 2"},
	} {
		_, err := runWith(newStage[*Bootstrap](t, "bootstrap"), map[string]dag.Input{"bold": c.bold, "parcels": c.parcels, "nodes": c.nodes})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
}
