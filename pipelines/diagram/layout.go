package diagram

import (
	"cmp"
	"slices"
)

// A layout places boxes in centered layers from top to bottom, every arrow pointing down: layer by longest path, bends
// for arrows that pass layers, order within a layer by the mean place of the neighbors.
type layout struct {
	layers [][]*spot
	spots  map[*box]*spot
	paths  map[arrow][]*spot // an arrow's way: its box, the bends, its other box
}

// A spot is a box, or a bend of an arrow that passes a layer.
type spot struct {
	box      *box // nil for a bend
	layer    int
	w        float64
	x        float64 // of the middle
	up, down []*spot
}

const bendWidth = 14

// place makes the layout. width tells how wide a box is, gap what lies between.
func place(d Diagram, width func(*box) float64, gap float64) *layout {
	l := &layout{spots: map[*box]*spot{}, paths: map[arrow][]*spot{}}
	for _, b := range d.boxes {
		l.spots[b] = &spot{box: b, w: width(b)}
	}
	// Arrows may come in any order; a graph of n boxes without a circle needs at most n rounds.
	for range d.boxes {
		for _, e := range d.arrows {
			from, to := l.spots[e.from], l.spots[e.to]
			to.layer = max(to.layer, from.layer+1)
		}
	}
	for _, b := range d.boxes {
		l.add(l.spots[b], l.spots[b].layer)
	}
	for _, e := range d.arrows {
		l.route(e)
	}
	l.center(gap)
	for range 4 {
		for i := len(l.layers) - 1; i >= 0; i-- {
			l.order(l.layers[i], func(s *spot) []*spot { return s.down }, gap)
		}
		for _, layer := range l.layers {
			l.order(layer, func(s *spot) []*spot { return s.up }, gap)
		}
	}
	return l
}

func (l *layout) add(s *spot, layer int) {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	s.layer = layer
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

// order sorts a layer by the mean place of neighbors.
func (l *layout) order(layer []*spot, neighbors func(*spot) []*spot, gap float64) {
	mean := map[*spot]float64{}
	for _, s := range layer {
		if mean[s] = s.x; len(neighbors(s)) > 0 {
			mean[s] = 0
		}
		for _, other := range neighbors(s) {
			mean[s] += other.x / float64(len(neighbors(s)))
		}
	}
	slices.SortStableFunc(layer, func(a, b *spot) int { return cmp.Compare(mean[a], mean[b]) })
	l.center(gap)
}

// center places the spots of each layer side by side, in the middle of the widest layer.
func (l *layout) center(gap float64) {
	widest, wide := 0.0, make([]float64, len(l.layers))
	for i, layer := range l.layers {
		for _, s := range layer {
			wide[i] += s.w + gap
		}
		widest = max(widest, wide[i])
	}
	for i, layer := range l.layers {
		x := (widest - wide[i]) / 2
		for _, s := range layer {
			s.x = x + s.w/2
			x += s.w + gap
		}
	}
}
