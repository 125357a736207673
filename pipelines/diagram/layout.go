package diagram

import (
	"cmp"
	"slices"

	"prgnn/internal/lists"
)

// A layout places boxes in layers from top to bottom, every arrow pointing down
// (Sugiyama, Tagawa & Toda 1981): layer by longest path, bends for arrows that
// pass layers, order within a layer by the medians of the neighbors, then
// places that keep the order.
type layout struct {
	layers [][]*spot
	spots  map[*box]*spot
	paths  map[arrow][]*spot // an arrow's way: its box, the bends, its other box
}

// A spot is a box, or a bend of an arrow that passes a layer.
type spot struct {
	box        *box // nil for a bend
	layer, pos int  // pos: place in the layer
	w          float64
	x          float64 // of the middle
	up, down   []*spot
}

const bendWidth = 14

// place makes the layout. width tells how wide a box is, gap what lies between.
func place(d Diagram, width func(*box) float64, gap float64) *layout {
	l := &layout{spots: map[*box]*spot{}, paths: map[arrow][]*spot{}}
	for _, b := range d.boxes {
		l.spots[b] = &spot{box: b, w: width(b)}
	}
	l.assignLayers(d)
	for _, b := range d.boxes {
		s := l.spots[b]
		l.add(s, s.layer)
	}
	for _, e := range d.arrows {
		l.route(e)
	}
	l.order()
	l.coordinates(gap)
	return l
}

// assignLayers puts every box one layer below the lowest that it needs. Arrows
// may come in any order, so it is done until nothing moves; a graph of n boxes
// without a circle needs at most n rounds.
func (l *layout) assignLayers(d Diagram) {
	for range d.boxes {
		moved := false
		for _, e := range d.arrows {
			from, to := l.spots[e.from], l.spots[e.to]
			if to.layer <= from.layer {
				to.layer = from.layer + 1
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	// A box that needs nothing stands just above the first that needs it.
	for _, b := range d.boxes {
		s, lowest := l.spots[b], -1
		for _, e := range d.arrows {
			if e.to == b {
				lowest = -1
				break
			}
			if to := l.spots[e.to].layer - 1; e.from == b && (lowest < 0 || to < lowest) {
				lowest = to
			}
		}
		if lowest > s.layer {
			s.layer = lowest
		}
	}
}

func (l *layout) add(s *spot, layer int) {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	s.layer, s.pos = layer, len(l.layers[layer])
	l.layers[layer] = append(l.layers[layer], s)
}

// route gives an arrow a bend in every layer that it passes.
func (l *layout) route(e arrow) {
	from, to := l.spots[e.from], l.spots[e.to]
	path := []*spot{from}
	for layer := from.layer + 1; layer < to.layer; layer++ {
		bend := &spot{w: bendWidth}
		l.add(bend, layer)
		path = append(path, bend)
	}
	path = append(path, to)
	for i := 1; i < len(path); i++ {
		path[i-1].down = append(path[i-1].down, path[i])
		path[i].up = append(path[i].up, path[i-1])
	}
	l.paths[e] = path
}

// order sweeps down and up, sorting each layer by the medians of the positions
// of its neighbors, and keeps the order with the fewest crossings.
func (l *layout) order() {
	best, fewest := l.save(), l.crossings()
	for sweep := 0; sweep < 12 && fewest > 0; sweep++ {
		down := sweep%2 == 0
		for i := range l.layers {
			layer := l.layers[i]
			if !down {
				layer = l.layers[len(l.layers)-1-i]
			}
			medians := map[*spot]float64{}
			for _, s := range layer {
				next := s.up
				if !down {
					next = s.down
				}
				medians[s] = median(next, float64(s.pos))
			}
			slices.SortStableFunc(layer, func(a, b *spot) int { return cmp.Compare(medians[a], medians[b]) })
			for pos, s := range layer {
				s.pos = pos
			}
		}
		if c := l.crossings(); c < fewest {
			best, fewest = l.save(), c
		}
	}
	for i, layer := range best {
		l.layers[i] = layer
		for pos, s := range layer {
			s.pos = pos
		}
	}
}

func (l *layout) save() [][]*spot {
	all := lists.Map(l.layers, slices.Clone[[]*spot])
	return all
}

func median(spots []*spot, otherwise float64) float64 {
	if len(spots) == 0 {
		return otherwise
	}
	at := lists.Map(spots, func(s *spot) float64 { return float64(s.pos) })
	slices.Sort(at)
	if n := len(at); n%2 == 0 {
		return (at[n/2-1] + at[n/2]) / 2
	}
	return at[len(at)/2]
}

// crossings counts pairs of arrows that cross between two layers.
func (l *layout) crossings() int {
	n := 0
	for _, layer := range l.layers {
		for i, a := range layer {
			for _, b := range layer[i+1:] {
				for _, x := range a.down {
					for _, y := range b.down {
						if x.pos > y.pos {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// coordinates moves spots toward the middle of their neighbors as far as the
// order and the gaps allow, sweeping down and up.
func (l *layout) coordinates(gap float64) {
	for _, layer := range l.layers {
		total := -gap
		for _, s := range layer {
			total += s.w + gap
		}
		x := -total / 2
		for _, s := range layer {
			s.x = x + s.w/2
			x += s.w + gap
		}
	}
	for sweep := range 8 {
		for i := range l.layers {
			layer := l.layers[i]
			if sweep%2 == 1 {
				layer = l.layers[len(l.layers)-1-i]
			}
			settle(layer, gap)
		}
	}
	left := 0.0
	for i, layer := range l.layers {
		for j, s := range layer {
			if edge := s.x - s.w/2; i == 0 && j == 0 || edge < left {
				left = edge
			}
		}
	}
	for _, layer := range l.layers {
		for _, s := range layer {
			s.x -= left
		}
	}
}

// settle gives each spot of a layer the mean place of its neighbors, then mends
// overlaps: groups that touch move together to the mean of what they want
// (pooling of adjacent violators, the least-squares answer).
func settle(layer []*spot, gap float64) {
	type group struct {
		first, n int
		x        float64 // wanted left end, mean over the group
		width    float64
	}
	var groups []group
	for i, s := range layer {
		want, n := 0.0, 0
		for _, other := range slices.Concat(s.up, s.down) {
			want += other.x
			n++
		}
		if n == 0 {
			want, n = s.x, 1
		}
		g := group{i, 1, want/float64(n) - s.w/2, s.w + gap}
		for len(groups) > 0 {
			last := groups[len(groups)-1]
			if last.x+last.width <= g.x {
				break
			}
			// What each wants for the left end of the joined group.
			joined := (last.x*float64(last.n) + (g.x-last.width)*float64(g.n)) / float64(last.n+g.n)
			g = group{last.first, last.n + g.n, joined, last.width + g.width}
			groups = groups[:len(groups)-1]
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		x := g.x
		for _, s := range layer[g.first : g.first+g.n] {
			s.x = x + s.w/2
			x += s.w + gap
		}
	}
}
