package figure

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/numeric/random"
	"prgnn/stages/chart"
)

// drawMap runs a brainmap over a made-up ranking of n nodes, whose first regions are the last nodes; edit changes the
// ranking.
func drawMap(t *testing.T, n int, parcels []dag.Input, edit func(*encoding.Table)) string {
	t.Helper()
	r := random.New(1, "brainmap test")
	var at [3][]float64
	rank, index, label, score, planted := make([]int32, n), make([]int32, n), make([]string, n),
		make([]float64, n), make([]bool, n)
	for i := range n {
		for k := range at {
			at[k] = append(at[k], 60*r.Normal())
		}
		rank[i], index[i], label[i], score[i], planted[i] = int32(i+1), int32(n-i), "R"+string(rune('a'+i)),
			0.5+0.4/float64(i+1), i == 1
	}
	all := make([]int32, n)
	names := make([]string, n)
	for i := range all {
		all[i] = int32(i + 1)
		names[i] = "node"
	}
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: all}, encoding.Column{Name: "id", Values: all},
		encoding.Column{Name: "name", Values: names},
		encoding.Column{Name: "x", Values: at[0]}, encoding.Column{Name: "y", Values: at[1]},
		encoding.Column{Name: "z", Values: at[2]})
	ranking := encoding.NewTable(encoding.Column{Name: "rank", Values: rank},
		encoding.Column{Name: "index", Values: index},
		encoding.Column{Name: "abbreviation", Values: label}, encoding.Column{Name: "score", Values: score},
		encoding.Column{Name: "planted", Values: planted})
	if edit != nil {
		edit(ranking)
	}
	out, err := (&BrainMap{Top: 3, Colored: 4}).Run(context.Background(), dag.NewTask(map[string][]dag.Input{
		"nodes": {dag.InputOf(nodes)}, "ranking": {dag.InputOf(ranking)}, "parcels": parcels,
	}))
	need.NoError(t, err)
	var b bytes.Buffer
	need.NoError(t, out["picture"].Encode(&b))
	return b.String()
}

// elements counts the elements of a picture, and joins its texts.
func elements(t *testing.T, svg string) (count map[string]int, text string) {
	t.Helper()
	count = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	inText := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return count, text
		}
		need.NoError(t, err, "not XML")
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
			inText = e.Name.Local == "text"
		case xml.CharData:
			if inText {
				text += string(e) + "|"
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// boxes is a label image of 20 × 20 × 20 voxels of 6 mm about the origin: the left half is node 1, the right half is
// node 2 but for
// node 3 at its lateral side in front, and node 4 is a small box in the middle of the left half.
func boxes(t *testing.T) dag.Input {
	t.Helper()
	const n = 20
	voxels := make([]int32, n*n*n)
	for i := range voxels {
		x, y, z := i%n, i/n%n, i/(n*n)
		switch {
		case x < 2 || x >= n-2 || y < 2 || y >= n-2 || z < 2 || z >= n-2:
		case x >= 4 && x < 7 && y >= 8 && y < 12 && z >= 8 && z < 12:
			voxels[i] = 4
		case x < n/2:
			voxels[i] = 1
		case x >= n-4 && y >= n/2:
			voxels[i] = 3
		default:
			voxels[i] = 2
		}
	}
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{n, n, n},
		Affine: nifti.Affine{{6, 0, 0, -57}, {0, 6, 0, -57}, {0, 0, 6, -57}, {0, 0, 0, 1}}, Data: voxels}))
	return dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})
}

func TestBrainMap(t *testing.T) {
	for name, c := range map[string]struct {
		parcels []dag.Input
		images  int
		says    []string
	}{
		"discs": {nil, 1, []string{"from the left|", "from above|", "1 Ra|", "3 Rc|"}},
		"parcels": {[]dag.Input{boxes(t)}, 5 + 6 + 1, []string{"left, lateral|", "right, medial|", "z = ", "1 Ra|",
			"2 Rb|", "3 Rc|", "4 Rd|", "0.9|", "0.6|"}},
	} {
		svg := drawMap(t, 4, c.parcels, nil)
		count, text := elements(t, svg)
		need.Equal(t, count["image"], c.images, name, "images")
		for _, want := range append(c.says, "planted group difference (simulated data)|", "score|") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %q", name, want, text)
			}
		}
		hostile := drawMap(t, 4, c.parcels, func(r *encoding.Table) {
			c, _ := r.Column("abbreviation")
			c.Values.([]string)[0] = `<script>"&`
		})
		if _, text := elements(t, hostile); strings.Contains(hostile, "<script>") ||
			!strings.Contains(text, `1 <script>"&|`) {
			t.Errorf("%s: a region's name is not escaped: %q", name, text)
		}
	}
}

// Regions on surfaces have no place: the picture says so.
func TestBrainMapOfGrayordinates(t *testing.T) {
	m := &cifti.Models{N: 2, List: []cifti.Model{{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 5, Vertices: []int32{1, 4}}}}
	var b bytes.Buffer
	need.NoError(t, m.WriteDense(&b, []string{"parcels"}, [][]float64{{1, 2}}))
	ranking := encoding.NewTable(encoding.Column{Name: "rank", Values: []int32{1}},
		encoding.Column{Name: "index", Values: []int32{1}},
		encoding.Column{Name: "abbreviation", Values: []string{"a"}}, encoding.Column{Name: "score",
			Values: []float64{0.5}}, encoding.Column{Name: "planted", Values: []bool{false}})
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2}},
		encoding.Column{Name: "id", Values: []int32{1, 2}}, encoding.Column{Name: "name", Values: []string{"a", "b"}})
	in := map[string][]dag.Input{"nodes": {dag.InputOf(nodes)}, "ranking": {dag.InputOf(ranking)},
		"parcels": {dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})}}
	out, err := (&BrainMap{Top: 3, Colored: 4}).Run(context.Background(), dag.NewTask(in))
	need.NoError(t, err)
	if _, text := elements(t, string(out["picture"].(artifacts.Bytes).Data)); !strings.Contains(text, "No figure, because regions on surfaces have no coordinates without their meshes.|") {
		t.Errorf("it says %q", text)
	}
	delete(in, "parcels")
	if _, err := (&BrainMap{Top: 3, Colored: 4}).Run(context.Background(), dag.NewTask(in)); err == nil {
		t.Error("a list of nodes without places, and nothing else, is accepted")
	}
}

// The projections of boxes: which region each side sees where, how far it is, and that nothing of the other hemisphere
// is seen.
func TestSurfaces(t *testing.T) {
	p := need.Value(ReadParcels(boxes(t), nil))(t)
	views := p.surfaces()
	if len(views) != 5 || views[2].Name != "dorsal" {
		t.Fatalf("%d views", len(views))
	}
	above := map[int]int{}
	for i, n := range views[2].Region { // the left is left, and the front above
		if n != 0 && (n == 1) != (i%102 < 51) || n == 3 && i/102 >= 51 {
			t.Fatalf("region %d at %d, %d", n, i%102, i/102)
		}
		above[n]++
	}
	need.Equal(t, above[1] > 0 && above[2] > 0 && above[3] > 0 && above[4] == 0, true)
	views = slices.Delete(views, 2, 3)
	// The boxes fill −48 … 48 mm; the extent has a margin of a voxel around the centers of the outer ones: −51 … 51.
	for i, c := range []struct {
		name        string
		front, back int // the region seen 20 mm before and behind the middle
	}{{"left, lateral", 1, 1}, {"left, medial", 1, 1}, {"right, medial", 2, 2}, {"right, lateral", 3, 2}} {
		v := views[i]
		if v.Name != c.name || v.Width != 102 || v.Height != 102 {
			t.Fatalf("%s: %d × %d, want %s: 102 × 102", v.Name, v.Width, v.Height, c.name)
		}
		at := func(y, z int) int { // mm
			x := y + 51
			if v.Left == "front" {
				x = 50 - y
			}
			return (50-z)*v.Width + x
		}
		if got := [2]int{v.Region[at(20, 0)], v.Region[at(-20, 0)]}; got != [2]int{c.front, c.back} {
			t.Errorf("%s: front and back are %v, want %d and %d", v.Name, got, c.front, c.back)
		}
		seen := map[int]int{}
		for _, n := range v.Region {
			seen[n]++
		}
		if inside := len(v.Region) - seen[0]; inside < 95*95 || inside > 98*98 { // an edge of a little less than half
			t.Errorf("%s: %d pixels are seen, want 96 × 96", v.Name, inside)
		}
		if seen[4] > 0 || i < 2 && seen[2]+seen[3] > 0 || i >= 2 && seen[1] > 0 || i == 2 && seen[3] > 0 {
			t.Errorf("%s shows what lies inside or beyond: %v", v.Name, seen)
		}
		if flat := v.Light[at(20, 10)]; flat != v.Light[at(30, -20)] || flat < 200 {
			t.Errorf("%s: a plane has the brightness %d and %d", v.Name, flat, v.Light[at(30, -20)])
		}
	}
	// A place halfway between two voxels belongs to the region of the smaller number, whatever the processor.
	if got, weight, _ := p.weigh(0, 0, 0); got != 1 || weight != whole {
		t.Errorf("on the border: region %d with weight %d", got, weight)
	}
	if got, weight, _ := p.weigh(-48, 0, 0); got != 1 || weight != whole/2 {
		t.Errorf("on the surface: region %d with weight %d of %d", got, weight, whole)
	}
}

// The subcortical regions alone, which the cortex hides: from below the left is right. Without any on both sides there
// are none.
func TestInner(t *testing.T) {
	p := need.Value(ReadParcels(boxes(t), nil))(t)
	need.Equal(t, len(p.inner()), 0, "unknown")
	p.Subcortical = map[int]bool{4: true}
	need.Equal(t, len(p.inner()), 0, "of one side")
	p.Subcortical[3] = true
	views := p.inner()
	need.Equal(t, len(views), 2)
	for i, v := range views {
		need.Equal(t, v.Left, []string{"L", "R"}[i])
		seen := map[int]int{}
		for at, n := range v.Region {
			if seen[n]++; n != 0 && (n == 4) != ((at%v.Width < v.Width/2) == (i == 0)) {
				t.Fatalf("%s: region %d at %d of %d", v.Name, n, at%v.Width, v.Width)
			}
		}
		need.Equal(t, seen[3] > 0 && seen[4] > 0 && seen[1]+seen[2] == 0, true, v.Name, seen)
	}
}

// The ends of a color scale are round, and apart: scores of 0.517 to 0.520 do not run from yellow to dark red.
func TestColorScaleEnds(t *testing.T) {
	for _, c := range []struct {
		ranked    Ranked
		low, high float64
	}{
		{Ranked{score: map[int]float64{1: 0.517, 2: 0.52}}, 0.5, 0.55},
		{Ranked{score: map[int]float64{1: 0.643, 2: 0.694}}, 0.6, 0.7}, // what is shown, from yellow to dark red
		{Ranked{score: map[int]float64{1: 0.3, 2: 0.871}}, 0.85, 0.9},
		{Ranked{score: map[int]float64{1: 0.3, 2: 0.41}}, 0.5, 0.55},
		{Ranked{Reading: Reading{Contrast: true}, chance: 0.4, score: map[int]float64{1: 0.45}}, 0.4, 0.7},
		{Ranked{Reading: Reading{Contrast: true}, score: map[int]float64{1: 2.21}}, 2, 2.3},
	} {
		c.ranked.rank = map[int]int{}
		for n := range c.ranked.score {
			c.ranked.rank[n] = n
		}
		if low, high := c.ranked.ends(0); low != c.low || high < c.high-1e-9 || high > c.high+1e-9 {
			t.Errorf("%v: %v … %v, want %v … %v", c.ranked.score, low, high, c.low, c.high)
		}
	}
}

// A view of a hemisphere shows no region of the other one on any grid; a region on both sides is in both.
func TestViewsOfHemisphere(t *testing.T) {
	const n = 14
	for _, first := range []float64{-62, -68, -65, -63.5} { // mm; with −62, the columns beside the midline are −2 and 8
		voxels := make([]int32, n*n*n)
		for i := range voxels {
			x, y, z := i%n, i/n%n, i/(n*n)
			switch {
			case x < 2 || x >= n-2 || y < 2 || y >= n-2 || z < 2 || z >= n-2:
			case z < 5 && x > 4 && x < n-4:
				voxels[i] = 3
			case x < n/2:
				voxels[i] = 1
			default:
				voxels[i] = 2
			}
		}
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{n, n, n},
			Affine: nifti.Affine{{10, 0, 0, first}, {0, 10, 0, -65}, {0, 0, 10, -65}, {0, 0, 0, 1}}, Data: voxels}))
		p := need.Value(ReadParcels(dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()}), nil))(t)
		for _, view := range p.surfaces() {
			var seen [4]int
			for _, region := range view.Region {
				seen[region]++
			}
			side, _, ofOne := strings.Cut(view.Name, ", ")
			if !ofOne { // dorsal
				continue
			}
			own, other := 1, 2
			if side == "right" {
				own, other = 2, 1
			}
			if seen[other] > 0 || seen[own] < 6000 || (seen[3] > 0) != strings.HasSuffix(view.Name, "medial") {
				t.Errorf("columns from %g mm: %s has pixels of the regions 1, 2 and 3: %d", first, view.Name, seen[1:])
			}
		}
	}
}

// A figure of simulated data states it in the picture, below what it draws.
func TestSimulatedInPicture(t *testing.T) {
	c := &Chart{Figure: chart.Plot{Rows: [][]chart.Panel{{{}}}, Width: chart.Column,
		Height: []vg.Length{chart.Column}}.Figure()}
	for _, simulated := range []bool{false, true} {
		f := need.Value(c.InReport(simulated))(t)
		need.Equal(t, strings.Contains(string(f.Data), ">Simulated data<"), simulated)
	}
}
