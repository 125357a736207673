package figure

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/random"
)

// drawMap runs a brainmap over a made-up ranking of n nodes; edit changes the ranking.
func drawMap(t *testing.T, n int, edit func(*encoding.Table)) string {
	t.Helper()
	r := random.New(1, "brainmap test")
	var at [3][]float64
	rank, index, label, score, planted := make([]int32, n), make([]int32, n), make([]string, n), make([]float64, n), make([]bool, n)
	for i := range n {
		for k := range at {
			at[k] = append(at[k], 60*r.Normal())
		}
		rank[i], index[i], label[i], score[i], planted[i] = int32(i+1), int32(n-i), "R", 1/float64(i+1), i == 1
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i + 1)
	}
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: all},
		encoding.Column{Name: "x", Values: at[0]}, encoding.Column{Name: "y", Values: at[1]}, encoding.Column{Name: "z", Values: at[2]})
	ranking := encoding.NewTable(encoding.Column{Name: "rank", Values: rank}, encoding.Column{Name: "index", Values: index},
		encoding.Column{Name: "abbreviation", Values: label}, encoding.Column{Name: "score", Values: score}, encoding.Column{Name: "planted", Values: planted})
	if edit != nil {
		edit(ranking)
	}
	out, err := (&BrainMap{Top: 3}).Run(context.Background(), dag.NewTask(map[string][]dag.Input{
		"nodes": {dag.InputOf(nodes)}, "ranking": {dag.InputOf(ranking)},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := out["picture"].Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBrainMapShowsEveryRegionThreeTimes(t *testing.T) {
	svg := drawMap(t, 20, nil)
	// The first three regions are the last three nodes; from the left, those of
	// the left half are named, from above all three, from behind none.
	left := 0
	for i, r := 0, random.New(1, "brainmap test"); i < 20; i++ {
		x := r.Normal()
		r.Normal()
		r.Normal()
		if i >= 17 && x < 0 {
			left++
		}
	}
	count := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "stroke" && a.Value == "#1a9850" {
					count["ring"]++
				}
			}
		}
	}
	for name, want := range map[string]int{"circle": 60, "text": 1 + 3 + 3 + left + 4 + 2, "ring": 3, "path": 3} {
		if count[name] != want {
			t.Errorf("%d of %s, want %d", count[name], name, want)
		}
	}
	if !strings.Contains(svg, "simulated data") {
		t.Error("planted regions are shown, and nothing says that the data are simulated")
	}
}

// Names stand beside their discs and not on each other, as long as there is room.
func TestLabelsKeepApart(t *testing.T) {
	var taken []rectangle
	for i := range 6 {
		x := 100 + 6*float64(i)
		taken = append(taken, rectangle{x - spotRadius, 100 - spotRadius, x + spotRadius, 100 + spotRadius})
	}
	for i := range 6 {
		at := labelPlace(100+6*float64(i), 100, "L.SFG", taken)
		for _, other := range taken {
			if at.overlap(other) > 0 && i < 4 {
				t.Errorf("name %d lies over %v", i, other)
			}
		}
		taken = append(taken, at)
	}
}

func TestBrainMapEscapesNames(t *testing.T) {
	svg := drawMap(t, 5, func(r *encoding.Table) {
		c, _ := r.Column("abbreviation")
		c.Values.([]string)[0] = `<script>"&`
	})
	if strings.Contains(svg, "<script>") || !strings.Contains(svg, "&lt;script&gt;") {
		t.Error("a region's name is not escaped")
	}
}

// The hull's definition: a corner of it is a point that does not lie inside any
// triangle of other points; every other point lies on the inner side of every side.
func TestHullHoldsEveryPoint(t *testing.T) {
	r := random.New(2, "hull")
	for range 50 {
		var p [][2]float64
		for range 3 + r.IntN(30) {
			p = append(p, [2]float64{r.Normal(), r.Normal()})
		}
		h := hull(p)
		for i, a := range h {
			b := h[(i+1)%len(h)]
			for _, c := range p {
				if (b[0]-a[0])*(c[1]-a[1])-(b[1]-a[1])*(c[0]-a[0]) < -1e-12 {
					t.Fatalf("%v lies outside the side from %v to %v", c, a, b)
				}
			}
		}
	}
}

func TestHeatRunsFromPaleToRed(t *testing.T) {
	for x, want := range map[float64]string{0: "#fff7c8", 0.5: "#fd8d3c", 1: "#800026"} {
		if got := heat(x); got != want {
			t.Errorf("heat(%v) = %s, want %s", x, got, want)
		}
	}
	if heat(math.NaN()) != "#c8ccd2" {
		t.Error("a region without a score is not grey")
	}
}
