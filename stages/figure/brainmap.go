package figure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/markup"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

var kindBrainMap = dag.Kind{
	Name: "brainmap",
	Doc: "a picture of the ranked regions at their places in the brain\n" +
		"An SVG with a row a setting: from the left, from above and from behind (MNI coordinates of the node list). Yellow to red is the score, the first regions are named, planted ones are ringed in green.",
	New: func() dag.Stage { return &BrainMap{Top: 10} },
}

// BrainMap draws a ranking.
type BrainMap struct {
	Top int `param:"top" doc:"how many of the first regions are named" min:"0" max:"1000"`
}

// Ports are the stage's inputs and outputs.
func (*BrainMap) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "ranking", Type: dag.Arrow("rank", "index", "abbreviation", "score", "planted"), Doc: "the ranked regions"},
			{Name: "nodes", Type: dag.Arrow("index", "x", "y", "z"), Doc: "the node list, with the regions' centroids in mm"},
		},
		Out: []dag.Port{{Name: "picture", Type: dag.Format("svg"), Doc: "the regions at their places"}},
	}
}

// A spot is a region in the picture.
type spot struct {
	at      [3]float64 // mm
	label   string
	score   float64
	rank    int
	planted bool
}

// A brainView is a side to look from, and what lies in front there.
type brainView struct {
	name  string
	side  chart.Side
	depth int             // the axis that tells what is near
	near  float64         // sign of what is near the eye
	names func(spot) bool // whether there is room to name it
}

var brainViews = []brainView{
	{"from the left", chart.Left, 0, -1, func(s spot) bool { return s.at[0] < 0 }},
	{"from above", chart.Above, 2, 1, func(spot) bool { return true }},
	{"from behind", chart.Behind, 1, -1, func(spot) bool { return false }},
}

// Sizes in the picture, in its own unit, which is a millimetre of the brain.
const (
	panelWidth, panelHeight = 215.0, 200.0
	headHeight              = 26.0
	spotRadius              = 5.5
	outline                 = 26.0 // how far the outline reaches beyond the centroids, doubled
)

// Run draws.
func (b *BrainMap) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	at, err := placesToDraw(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	ranking, err := ReadRanking(t.In("ranking"))
	if err != nil {
		return nil, err
	}
	f, err := b.Draw(ranking, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("ranking").Name, err)
	}
	return dag.Outputs{"picture": artifacts.Bytes{Kind: f.Format, Data: f.Data}}, nil
}

// placesToDraw are the centroids of a node list that has to have them.
func placesToDraw(in dag.Input) (*[3][]float64, error) {
	nodes, err := in.Table()
	if err != nil {
		return nil, err
	}
	at, err := NodePlaces(nodes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if at == nil {
		return nil, fmt.Errorf("%s: the node list does not say where every region is: a picture needs the centroids in mm, in the columns x, y and z", in.Name)
	}
	return at, nil
}

// NodePlaces are the centroids of a node list: x, y and z of each node, in mm; nil
// when it does not say where every region is.
func NodePlaces(nodes *encoding.Table) (*[3][]float64, error) {
	places, err := column.Rows[region.Place](nodes)
	if err != nil {
		return nil, err
	}
	var at [3][]float64
	for _, p := range places {
		if math.IsNaN(p.X + p.Y + p.Z) {
			return nil, nil
		}
		at[0], at[1], at[2] = append(at[0], p.X), append(at[1], p.Y), append(at[2], p.Z)
	}
	return &at, nil
}

// Draw draws a ranking at the centroids of the nodes (mm).
func (b *BrainMap) Draw(ranking RankingRows, at *[3][]float64) (f report.Figure, err error) {
	titles, settings, err := spots(ranking, at)
	if err != nil {
		return f, err
	}
	var w strings.Builder
	height := float64(len(settings)) * (panelHeight + headHeight)
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" font-family="'Liberation Sans', Arial, Helvetica, sans-serif" font-size="8">`+"\n", mm(3*panelWidth), mm(height))
	fmt.Fprintf(&w, `<rect width="%s" height="%s" fill="#fff"/>`+"\n", mm(3*panelWidth), mm(height))
	for i, s := range settings {
		y := float64(i) * (panelHeight + headHeight)
		fmt.Fprintf(&w, `<text x="10" y="%s" font-size="11" font-weight="bold">%s</text>`+"\n", mm(y+15), markup.Text(titles[i]))
		low, high := math.Inf(1), math.Inf(-1)
		for _, one := range s {
			if !math.IsNaN(one.score) {
				low, high = min(low, one.score), max(high, one.score)
			}
		}
		if low < high {
			scaleBar(&w, 3*panelWidth-135, y+8, low, high)
		}
		for j, v := range brainViews {
			v.draw(&w, s, (float64(j)+0.5)*panelWidth, y+headHeight+0.5*panelHeight, b.Top, low, high)
		}
	}
	w.WriteString("</svg>\n")
	f = report.Figure{Title: "Salient regions at their places", Format: "svg", Data: []byte(w.String()), Wide: true,
		Alt:     "The brain from the left, from above and from behind; a disc at each region, colored by its score" + b.named(ranking, "; %s named"),
		Caption: "Yellow to red: mean pooling score." + b.named(ranking, " Named: %s.") + settingsCaption(ranking)}
	if ranking.Planted() {
		f.Caption += " Green rings: regions with a planted group difference."
	}
	return f, nil
}

// named says in a sentence how many regions of a setting are named; "" where none is.
func (b *BrainMap) named(ranking RankingRows, sentence string) string {
	n := 0
	for _, r := range ranking.First() {
		if int(r.Rank) <= b.Top {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(sentence, words.The(n, "region")+" with the highest score")
}

// spots are the regions to draw, and a title, of each setting.
func spots(ranking RankingRows, at *[3][]float64) (titles []string, settings [][]spot, err error) {
	for i, r := range ranking {
		var parts []string
		for _, c := range r.Coords {
			parts = append(parts, c.Axis+" "+c.Value)
		}
		title := strings.Join(parts, ", ")
		of := slices.Index(titles, title)
		if of < 0 {
			of = len(titles)
			titles, settings = append(titles, title), append(settings, nil)
		}
		if r.Index < 1 || int(r.Index) > len(at[0]) {
			return nil, nil, fmt.Errorf("row %d has the node %d, but the node list goes from 1 to %d", i+1, r.Index, len(at[0]))
		}
		n := r.Index - 1
		settings[of] = append(settings[of], spot{[3]float64{at[0][n], at[1][n], at[2][n]}, r.Abbreviation, r.Score, int(r.Rank), planted(r)})
	}
	for i, s := range settings {
		if titles[i] == "" {
			titles[i] = "Salient regions"
		}
		if slices.ContainsFunc(s, func(s spot) bool { return s.planted }) {
			titles[i] += " · simulated data, planted regions ringed"
		}
	}
	return titles, settings, nil
}

// draw draws one view around the point (cx, cy).
func (v brainView) draw(w *strings.Builder, all []spot, cx, cy float64, top int, low, high float64) {
	left, right, below, above := v.side.Extent()
	flat := func(x, y float64) (float64, float64) { return cx + x - (left+right)/2, cy - y + (below+above)/2 - 4 }
	place := func(s spot) (x, y float64) { return flat(v.side.Flat(s.at[0], s.at[1], s.at[2])) }
	var points [][2]float64
	var at [3][]float64
	for _, s := range all {
		x, y := place(s)
		points = append(points, [2]float64{x, y})
		for k := range at {
			at[k] = append(at[k], s.at[k])
		}
	}
	way := func(line [][2]float64) string {
		var d strings.Builder
		for i, p := range line {
			fmt.Fprintf(&d, "%s%s %s", map[bool]string{true: "M", false: " L"}[i == 0], mm(p[0]), mm(p[1]))
		}
		return d.String()
	}
	if chart.Holds(at[0], at[1], at[2]) {
		brain := v.side.Silhouette()
		for i, lines := range [][]chart.Line{brain.Parts, brain.Folds} {
			for _, line := range lines {
				for k, p := range line {
					line[k][0], line[k][1] = flat(p[0], p[1])
				}
				look := []string{`fill="#eef0f3" stroke="#aab1ba" stroke-width="0.7"`, `fill="none" stroke="#c6cbd2" stroke-width="1.2"`}[i]
				fmt.Fprintf(w, `<path d="%s" %s stroke-linejoin="round"/>`+"\n", way(line), look)
			}
		}
	} else {
		fmt.Fprintf(w, `<path d="%s Z" fill="#eef0f3" stroke="#eef0f3" stroke-width="%s" stroke-linejoin="round"/>`+"\n", way(hull(points)), mm(outline))
	}
	fmt.Fprintf(w, `<text x="%s" y="%s" text-anchor="middle" fill="#56606b">%s</text>`+"\n", mm(cx), mm(cy+0.5*panelHeight-3), v.name)
	if v.side != chart.Left {
		x, y := flat(left+4, above-24)
		far, _ := flat(right-4, 0)
		fmt.Fprintf(w, `<text x="%s" y="%s" text-anchor="middle" fill="#56606b">L</text><text x="%s" y="%s" text-anchor="middle" fill="#56606b">R</text>`+"\n", mm(x), mm(y), mm(far), mm(y))
	}
	far := slices.Clone(all)
	slices.SortStableFunc(far, func(a, b spot) int {
		// Far ones first; the named ones over all others.
		if named := b.rank <= top; named != (a.rank <= top) {
			if named {
				return -1
			}
			return 1
		}
		switch depth := v.near * (a.at[v.depth] - b.at[v.depth]); {
		case depth < 0:
			return -1
		case depth > 0:
			return 1
		}
		return 0
	})
	var taken []rectangle
	for _, s := range far {
		x, y := place(s)
		radius, ring := spotRadius, `stroke="#fff" stroke-width="0.8"`
		if s.rank > top {
			radius = 0.7 * spotRadius
		} else {
			taken = append(taken, rectangle{x - radius, y - radius, x + radius, y + radius})
		}
		if s.planted {
			ring = `stroke="#1a9850" stroke-width="2"`
		}
		fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s" fill="%s" %s><title>%d %s %s</title></circle>`+"\n",
			mm(x), mm(y), mm(radius), heat((s.score-low)/(high-low)), ring, s.rank, markup.Text(s.label), strconv.FormatFloat(s.score, 'f', 3, 64))
	}
	slices.SortStableFunc(far, func(a, b spot) int { return cmp.Compare(a.rank, b.rank) })
	for _, s := range far {
		if s.rank <= top && v.names(s) {
			x, y := place(s)
			at := labelPlace(x, y, s.label, taken)
			taken = append(taken, at)
			fmt.Fprintf(w, `<text x="%s" y="%s" fill="#1c2126" stroke="#fff" stroke-width="2" stroke-linejoin="round" paint-order="stroke">%s</text>`+"\n", mm(at.left), mm(at.bottom-2), markup.Text(s.label))
		}
	}
}

// A rectangle of the picture, y downwards.
type rectangle struct{ left, top, right, bottom float64 }

// overlap is the area that two rectangles share.
func (a rectangle) overlap(b rectangle) float64 {
	return max(min(a.right, b.right)-max(a.left, b.left), 0) * max(min(a.bottom, b.bottom)-max(a.top, b.top), 0)
}

// labelPlace finds a place beside a disc where its name hides least of what is there: the
// eight sides in turn, nearer ones first.
func labelPlace(x, y float64, label string, taken []rectangle) rectangle {
	wide, tall := 4.7*float64(utf8.RuneCountInString(label)), 9.0 // 8 px of a common sans-serif
	var best rectangle
	least := math.Inf(1)
	for _, away := range []float64{1, 8, 15} {
		d := spotRadius + away
		for i, corner := range [][2]float64{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {0.7, -0.7}, {-0.7, -0.7}, {0.7, 0.7}, {-0.7, 0.7}} {
			px, py := x+d*corner[0], y+d*corner[1]
			var r rectangle
			switch {
			case corner[0] > 0:
				r = rectangle{px, py - tall/2, px + wide, py + tall/2}
			case corner[0] < 0:
				r = rectangle{px - wide, py - tall/2, px, py + tall/2}
			default:
				r = rectangle{px - wide/2, py - tall/2, px + wide/2, py + tall/2}
			}
			cost := 0.01*float64(i) + away
			for _, t := range taken {
				cost += 4 * r.overlap(t)
			}
			if cost < least {
				best, least = r, cost
			}
		}
	}
	return best
}

// scaleBar explains the colours.
func scaleBar(w *strings.Builder, x, y, low, high float64) {
	const wide, steps = 90.0, 30
	for i := range steps {
		fmt.Fprintf(w, `<rect x="%s" y="%s" width="%s" height="6" fill="%s"/>`+"\n", mm(x+wide*float64(i)/steps), mm(y), mm(wide/steps+0.3), heat((float64(i)+0.5)/steps))
	}
	fmt.Fprintf(w, `<text x="%s" y="%s" text-anchor="end">score %s</text><text x="%s" y="%s">%s</text>`+"\n", mm(x-4), mm(y+6), strconv.FormatFloat(low, 'f', 3, 64), mm(x+wide+4), mm(y+6), strconv.FormatFloat(high, 'f', 3, 64))
}

// hull is the convex hull of the points, counter-clockwise (Andrew's monotone chain).
func hull(points [][2]float64) [][2]float64 {
	p := slices.Clone(points)
	slices.SortFunc(p, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	var h [][2]float64
	chain := func(p [][2]float64) {
		from := len(h)
		for _, c := range p {
			for len(h)-from >= 2 {
				a, b := h[len(h)-2], h[len(h)-1]
				if float64((b[0]-a[0])*(c[1]-a[1]))-float64((b[1]-a[1])*(c[0]-a[0])) > 0 {
					break
				}
				h = h[:len(h)-1]
			}
			h = append(h, c)
		}
		h = h[:len(h)-1]
	}
	chain(p)
	slices.Reverse(p)
	chain(p)
	return h
}

// heat is a colour from pale (0) over yellow to dark red (1); grey for what has no score.
func heat(x float64) string {
	if math.IsNaN(x) {
		return "#c8ccd2"
	}
	stops := [][3]float64{{255, 247, 200}, {254, 217, 118}, {253, 141, 60}, {227, 26, 28}, {128, 0, 38}}
	x = min(max(x, 0), 1) * float64(len(stops)-1)
	i := min(int(x), len(stops)-2)
	f := x - float64(i)
	var c [3]int
	for k := range c {
		c[k] = int(math.Round(stops[i][k] + float64(f*(stops[i+1][k]-stops[i][k]))))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// mm writes a length.
func mm(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
