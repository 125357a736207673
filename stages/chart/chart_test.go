package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	ours "prgnn/stages/draw"
)

// An entry of a key that is wider than the figure has several lines, and the next one begins a line.
func TestLongKeys(t *testing.T) {
	const long = "ridge regression, band all, estimator empirical, trend linear: AUC 0.689"
	lines := broken([]sign{{word: "a"}, {word: long}, {word: "b"}, {word: "c"}}, 120)
	var words []string
	sty := ours.Style(ours.TextSize, false)
	for _, s := range lines {
		words = append(words, s.word)
		need.Equal(t, sty.Width(s.word) <= 120, true, s.word)
	}
	need.Equal(t, strings.Join(words, " "), "a "+long+" b c")
	places, n := signPlaces(lines, 120)
	need.Equal(t, n, len(lines)-1) // c is beside b
	for i, at := range places[:len(places)-1] {
		need.Equal(t, at, vg.Point{Y: -11 * vg.Length(i)}, words[i])
	}
}

// Values beyond the ends of a color scale are stated at the ends, and where there are none, the ends are values.
func TestClippedScale(t *testing.T) {
	texts := func(largest float64) string {
		const n = 30 // 870 values off the diagonal: 8 are more than the 99th percentile
		v := make([]float64, n*n)
		for i := range v {
			v[i] = float64(i%2*4 - 2) // ±2
		}
		v[1], v[n], v[0] = largest, largest, 99 // the diagonal has no color
		svg := string(need.Value(Matrices([]MatrixPanel{{Values: v, Label: "t"}}, make([]string, n)).SVG())(t))
		var all []string
		for _, part := range strings.Split(svg, "</text>") {
			all = append(all, part[strings.LastIndex(part, ">")+1:])
		}
		return strings.Join(all, "|")
	}
	need.Equal(t, strings.TrimSpace(texts(4.77)), "≥ 2|≤ −2|−1|0|1|t|")
	need.Equal(t, strings.TrimSpace(texts(2)), "−2|−1|0|1|2|t|")
}

// A number lies on its region in the first row of views where it covers at most a third of it, and apart from a region
// that is small in all of them.
func TestNumbersOfSmallRegions(t *testing.T) {
	of := func(large, small int) Raster { // squares of two regions, in mm
		r := Raster{Width: 100, Height: 100, Step: 1, Region: make([]int, 100*100)}
		for i := range r.Region {
			x, y := i%100, i/100
			switch {
			case x < large && y < large:
				r.Region[i] = 1
			case x >= 100-small && y >= 100-small:
				r.Region[i] = 2
			}
		}
		return r
	}
	const room = 3 * math.Pi * numberRadius * numberRadius
	for small, want := range map[int]string{4: "apart in row 1", 11: "apart in row 1", 16: "in row 1", 40: "in row 0"} {
		v := of(40, small)
		l := lay([][]view{{v, v}, {v}}, 106, 6, 0) // 0.47 and 1 points a mm
		var got string
		for place, marks := range l.marks([]Named{{1, 1, "a"}, {2, 2, "b"}}) {
			for _, m := range marks {
				if m.number == 1 {
					need.Equal(t, place == [2]int{0, 0} && !m.apart, true)
					continue
				}
				got = fmt.Sprintf("in row %d", place[0])
				if m.apart {
					got = "apart " + got
				}
				need.Equal(t, m.apart, m.area < room)
			}
		}
		need.Equal(t, got, want, small)
	}
	in := rect(0, 0, 100, 100)
	places := around(vg.Point{X: 90, Y: 50}, in)
	need.Equal(t, places[0], vg.Point{X: 104, Y: 50}) // away from the middle
	need.Equal(t, places[7], vg.Point{X: 76, Y: 50})
}

// A number beside a small region at the lower border does not cover the name of the view below it, nor a letter.
func TestNumbersLeaveNamesFree(t *testing.T) {
	for _, c := range []struct{ x, y int }{{50, 98}, {2, 2}, {98, 98}} {
		v := Raster{Name: "z = 0 mm", Left: "L", Right: "R", Width: 100, Height: 100, Step: 1, Region: make([]int, 1e4),
			Ground: make([]color.NRGBA, 1e4), Light: make([]uint8, 1e4)}
		for i := range v.Region {
			if x, y := i%100-c.x, i/100-c.y; x*x+y*y < 4 {
				v.Region[i] = 1
			}
		}
		var rec recorder.Canvas
		l := lay([][]view{{v}}, 306, 6, 15)
		l.paint(draw.NewCanvas(&rec, 306, 330), vg.Point{Y: 326}, RegionMap{Named: []Named{{1, 7, "a"}}}, true)
		at := map[string]vg.Point{}
		for _, a := range rec.Actions {
			if s, ok := a.(*recorder.FillString); ok {
				at[s.String] = s.Point
			}
		}
		n, seen := at["7"]
		if !seen || n.Y < 326-300 || n.Sub(at["L"]).X < 9 && n.Y > at["L"].Y-8 {
			t.Errorf("region at %d, %d: the number is at %v, the name below at %v, L at %v", c.x, c.y, n, at["z = 0 mm"], at["L"])
		}
	}
}

// Green and blue outlines have white lines on both sides: they are seen on a color of the same darkness, also without
// seeing hues.
func TestOutlinesAreCased(t *testing.T) {
	for step, want := range map[float64]string{1: "ggwoowffff", 1.5: "gggwowffff"} {
		r := Raster{Width: 20, Height: 20, Step: step, Region: make([]int, 400), Ground: make([]color.NRGBA, 400),
			Light: bytes.Repeat([]byte{255}, 400)}
		for i := range r.Region {
			r.Ground[i] = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
			if x, y := i%20, i/20; x >= 3 && y >= 3 && x < 17 && y < 17 {
				r.Region[i] = 1
			}
		}
		if step > 1 { // the same region, an outline of one pixel
			for i := range r.Region {
				if i%20 == 3 {
					r.Region[i] = 0
				}
			}
		}
		img := r.image(Regions{Value: map[int]float64{1: 1}, Ring: map[int]bool{1: true}})
		var got strings.Builder
		for x := range 10 {
			switch img.NRGBAAt(x, 10) {
			case color.NRGBA{0xff, 0xff, 0xff, 0xff}:
				got.WriteByte('w')
			case ringColor:
				got.WriteByte('o')
			case r.Ground[0]:
				got.WriteByte('g')
			case heat.At(1):
				got.WriteByte('f')
			}
		}
		need.Equal(t, got.String(), want, step)
	}
}

const hostile = `<script>alert(1)</script>"'&`

func figures(name string) map[string]ours.Figure {
	none := math.NaN()
	some := []float64{0, 1, 4, 9, 4, 1, 0}
	d := Distribution{Title: name, Epochs: []int{1, 2, 3}, Kept: [][]float64{some, some, some},
		Dropped: [][]float64{some, some, some}}
	x, y, blue := []float64{0, 1, 2}, []float64{0.2, none, 0.6}, ours.Categories[0]
	marks := Panel{Title: name, X: Axis{Label: name}, Y: Axis{Label: name, Zero: true}, Marks: []Mark{
		Shades(x[:1], x[1:2], ours.Faint), Band(x, y, y, Faded(blue, 0x40)), Line(x, y, Series(1, 1)).Called(name),
		Discs(x, y, 2, blue).Called("discs"), Circles(x, y, 4, blue), Whiskers(x, y, y, Chance, true),
		Ticks(x, y, 2, Chance), Bars(x, y[:2], 1, blue), Steps(x, Group(1, 1)), Across(0.5, Chance), Upright(1,
			Chance)}}
	discs := Atlas{At: &[3][]float64{{-20, 20, 0}, {10, 10, 0}, {0, 0, 30}}}
	few := Regions{Value: map[int]float64{1: 0.2, 3: 1}, Ring: map[int]bool{3: true}}
	view := Raster{Name: name, Left: "L", Width: 3, Height: 2, Step: 20, Region: []int{1, 1, 3, 0, 2, 3},
		Ground: make([]color.NRGBA, 6), Light: []uint8{255, 200, 99, 0, 255, 255}}
	atlas := Atlas{Surfaces: []Raster{view, view, view, view, view}, Inner: []Raster{view, view},
		Cuts: []Raster{view, view, view, view}}
	regions := []RegionMap{{name, few, []Named{{1, 1, name}, {3, 2, "c"}, {2, 14, "b"}}}}
	return map[string]ours.Figure{
		"ridges": Ridges([][]Distribution{{d, d}, {d}}),
		"marks": Plot{Rows: [][]Panel{{marks, {X: Unit("a")}}, {marks}}, Width: Page,
			Height: []vg.Length{150, 90}}.Figure(),
		"confusion": Confusion([]string{name, "b"}, [][]float64{{3, 0}, {0.5, 0}}),
		"ranking": Dots{Axis: name, Rows: []Row{{name, 0.5, 0.4, 0.6, 0.1, false, true, 0},
			{"b", 0.2, none, none, none, true, false, 1}, {"c", none, none, none, none, false, false, 20}},
			Interval: "interval", Ring: "ring", Filled: "sure", Mark: 0.3, MarkName: "mark"}.Figure(),
		"matrices": Matrices([]MatrixPanel{{name, []float64{1, 0.5, math.NaN(), 0.5, 1, -0.2, math.NaN(), -0.2, 1},
			name}, {name, make([]float64, 9), "r"}}, []string{name, "b", name}),
		"trends": Trends([]string{name, "b"}, name, []Trend{{name, []float64{0.2, none}, []float64{0.1, none},
			[]float64{0.3, none}, 0.1}, {"b", []float64{0.5, 0.6}, []float64{none, 0.5}, []float64{none, 0.7}, none}}),
		"states": States([]MatrixPanel{{name, []float64{1, 0.5, 0.5, 1}, "r"}, {"2", make([]float64, 4), "r"},
			{"3", make([]float64, 4), "r"}, {"4", make([]float64, 4), "r"}, {"5", make([]float64, 4), "r"}},
			[]string{name, "b"}, []string{"1", "2", "3", "4", "5"},
			[]StateMeasure{{name, []Trend{{name, []float64{0.2, none, 0.1, 0.1, 0.6}, []float64{0, none, 0, 0, 0.2},
				[]float64{0.3, none, 0.2, 0.2, 0.9}, none}}}}),
		"brains":    atlas.ByParticipant([]string{name}, []Individuals{{name, []Regions{few}}}, Colorbar{0.5, 1, name}),
		"discs":     discs.ByParticipant([]string{name}, []Individuals{{name, []Regions{few}}}, Colorbar{0.5, 1, name}),
		"maps":      atlas.RegionMaps(regions, Colorbar{0.5, 1, name}, name),
		"disc maps": discs.RegionMaps(regions, Colorbar{0.5, 1, name}, name),
	}
}

// Every figure is well-formed, the same twice, not blank, and takes names as texts.
func TestFigures(t *testing.T) {
	again := figures(hostile)
	for kind, f := range figures(hostile) {
		svg, err := f.SVG()
		need.NoError(t, err, kind)
		if twice, _ := again[kind].SVG(); !bytes.Equal(svg, twice) {
			t.Errorf("%s: a second drawing gives other bytes", kind)
		}
		text := ""
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s is not XML: %v", kind, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				if token.Name.Local == "script" {
					t.Errorf("%s: a name became an element", kind)
				}
			case xml.CharData:
				text += string(token)
			}
		}
		if !bytes.Contains([]byte(text), []byte("<script>")) {
			t.Errorf("%s does not show the name", kind)
		}
		b, err := f.PNG()
		need.NoError(t, err, kind)
		img, err := png.Decode(bytes.NewReader(b))
		need.NoError(t, err, kind)
		dark, r := 0, img.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if c, _, _, _ := img.At(x, y).RGBA(); c < 0xc000 {
					dark++
				}
			}
		}
		if dark < 500 {
			t.Errorf("%s is nearly blank: %d dark points of %d", kind, dark, r.Dx()*r.Dy())
		}
	}
}

// The area under the curve is the chance that a positive one has the higher score, ties
// counting half (Mann and Whitney 1947).
func TestArea(t *testing.T) {
	r := random.New(1, "roc test")
	for range 100 {
		var cases []Case
		for i := range 4 + r.IntN(30) {
			cases = append(cases, Case{Score: float64(r.IntN(6)), Positive: i == 0 || i > 1 && r.IntN(2) == 0})
		}
		wins, pairs := 0.0, 0.0
		for _, a := range cases {
			for _, b := range cases {
				if a.Positive && !b.Positive {
					pairs++
					if a.Score > b.Score {
						wins++
					} else if a.Score == b.Score {
						wins += 0.5
					}
				}
			}
		}
		rates := Rates(cases)
		if got := area(rates); math.Abs(got-wins/pairs) > 1e-12 {
			t.Fatalf("area %v, want %v", got, wins/pairs)
		}
		if last := rates[len(rates)-1]; rates[0] != (Rate{}) || last != (Rate{1, 1}) {
			t.Fatalf("the curve goes from %v to %v", rates[0], last)
		}
	}
	if Rates([]Case{{1, true}}) != nil {
		t.Error("a curve without negatives")
	}
}

// The mean curve is that of the folds at each false positive rate, read off their step
// curves on a fine grid, and its area is the mean of theirs: 0.75 and 0 by hand, where
// pooling the scores of both folds would give 10/16.
func TestMeanRates(t *testing.T) {
	folds := [][]Case{{{0.9, true}, {0.8, false}, {0.7, true}, {0.1, false}}, {{0.2, false}, {0.1, true}}}
	if got := area(meanOf(folds)); got != (0.75+0)/2 {
		t.Errorf("area %v, want %v", got, 0.375)
	}
	if got := area(Rates(slices.Concat(folds...))); got == 0.375 {
		t.Error("the pooled area does not differ: the test cannot fail")
	}
	r := random.New(2, "roc test")
	for range 100 {
		folds = folds[:0]
		areas, curves := 0.0, [][]Rate{}
		for range 3 {
			var of []Case
			for i := range 4 + r.IntN(12) {
				of = append(of, Case{Score: float64(r.IntN(6)), Positive: i == 0 || i > 1 &&
					r.IntN(2) == 0})
			}
			folds, curves = append(folds, of), append(curves, Rates(of))
			areas += area(Rates(of)) / 3
		}
		mean := meanOf(append(folds, []Case{{}})) // a fold of one group has no curve
		if got := area(mean); math.Abs(got-areas) > 1e-12 {
			t.Fatalf("area %v, the folds' mean is %v", got, areas)
		}
		height := func(rates []Rate, x float64) float64 {
			for i := 1; ; i++ {
				if a, b := rates[i-1], rates[i]; b.False > x {
					return a.True + (b.True-a.True)*(x-a.False)/(b.False-a.False)
				}
			}
		}
		for i := range 100 {
			x := (float64(i) + 0.503) / 100
			want := (height(curves[0], x) + height(curves[1], x) + height(curves[2], x)) / 3
			if got := height(mean, x); math.Abs(got-want) > 1e-12 {
				t.Fatalf("at %v: %v, want %v", x, got, want)
			}
		}
	}
	if meanOf([][]Case{{{1, true}}, {{1, false}}}) != nil {
		t.Error("a mean of no curves")
	}
}

// The epochs of the paper, or those nearest to them.
func TestChosen(t *testing.T) {
	all := make([]int, 100)
	for i := range all {
		all[i] = i + 1
	}
	for _, c := range []struct{ epochs, want []int }{
		{all, []int{1, 25, 50, 75, 100}}, {all[:60], []int{1, 15, 30, 45, 60}},
		{[]int{1, 10, 20, 30}, []int{1, 10, 20, 30}}, {[]int{1, 2}, []int{1, 2}}, {[]int{7}, []int{7}}, {nil, nil},
	} {
		got := lists.Map(chosen(c.epochs), func(at int) int { return c.epochs[at] })
		if !slices.Equal(got, c.want) {
			t.Errorf("of %v: %v, want %v", c.epochs, got, c.want)
		}
	}
}

// Regions of a group stand together, in their order; the colors end where 99 of 100
// magnitudes off the diagonal do.
func TestArrange(t *testing.T) {
	order, blocks := arrange([]string{"L", "R", "L", "", "R"})
	if !slices.Equal(order, []int{0, 2, 1, 4, 3}) ||
		!slices.Equal(blocks, []block{{"L", 0, 2}, {"R", 2, 4}, {"", 4, 5}}) {
		t.Errorf("%v %v", order, blocks)
	}
	v := make([]float64, 400)
	for i := range v {
		v[i] = float64(i%20) / 100
	}
	v[1], v[0] = 9, 77 // one of 380, and the diagonal
	if got := limit(v, 20); math.Abs(got-0.19) > 1e-12 {
		t.Errorf("the limit is %v, want 0.19", got)
	}
	if got := limit(make([]float64, 4), 2); got != 1 {
		t.Errorf("the limit of zeros is %v, want 1", got)
	}
}

// area is that under a ROC curve, by trapezoids; ties count half.
func area(rates []Rate) float64 {
	a := 0.0
	for i := 1; i < len(rates); i++ {
		a += float64((rates[i].False - rates[i-1].False) * (rates[i].True + rates[i-1].True) / 2)
	}
	return a
}

func meanOf(folds [][]Case) []Rate {
	mean, _, _ := MeanRates(folds)
	return mean
}

// The band of two folds, one perfect and one reversed: at 1 − specificity between 0 and 1 the mean sensitivity is 0.5,
// and its SD 1/√2, which reaches beyond 0 and 1.
func TestBandOverFolds(t *testing.T) {
	perfect := []Case{{2, true}, {1, false}}
	mean, low, high := MeanRates([][]Case{perfect, {{1, true}, {2, false}}})
	for i, m := range mean[1 : len(mean)-1] {
		if m.True != 0.5 || low[i+1].True != 0 || high[i+1].True != 1 || low[i+1].False != m.False {
			t.Errorf("at %v: %v, %v … %v", m.False, m.True, low[i+1].True, high[i+1].True)
		}
	}
	mean, low, high = MeanRates([][]Case{perfect})
	if !slices.Equal(mean, low) || !slices.Equal(mean, high) {
		t.Errorf("the band of one fold: %v, %v … %v", mean, low, high)
	}
	// Thirds: three folds of four participants, whose curves pass (0, 0), (0, 0.5) and (0, 1): SD 0.5.
	var three [][]Case
	for _, scores := range [][4]float64{{1, 1, 4, 4}, {4, 1, 3, 3}, {4, 4, 1, 1}} {
		var of []Case
		for i, v := range scores {
			of = append(of, Case{v, i < 2})
		}
		three = append(three, of)
	}
	mean, low, high = MeanRates(three)
	i := slices.IndexFunc(mean, func(r Rate) bool { return r == Rate{0, 0.5} })
	if i < 0 || low[i].True != 0 || high[i].True != 1 {
		t.Errorf("%v in %v … %v", mean, low, high)
	}
}

// TestCarpetLines: every line of a carpet is in one row, and no row has lines of two bands.
func TestCarpetLines(t *testing.T) {
	for _, sizes := range [][]int{{160}, {1, 1, 1}, {7, 250, 143}, {399, 1}, {1, 2000, 31, 2}} {
		var bands []block
		from := 0
		for _, n := range sizes {
			bands = append(bands, block{"", from, from + n})
			from += n
		}
		rows, next := carpetLines(bands), 0
		for _, r := range rows {
			inside := slices.ContainsFunc(bands, func(b block) bool { return b.from <= r.from && r.to <= b.to })
			if r.from != next || r.to <= r.from || !inside {
				t.Errorf("bands %v: row %v behind line %d", sizes, r, next)
			}
			next = r.to
		}
		if next != from || len(rows) > carpetRows+len(sizes) {
			t.Errorf("bands %v: %d rows of %d lines", sizes, len(rows), next)
		}
	}
}
