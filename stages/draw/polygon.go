package draw

import (
	"math"

	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"

	"prgnn/numeric/exact"
)

// An affine map takes x, y to a·x + b·y + e, c·x + d·y + f.
type affine struct{ a, b, c, d, e, f float64 }

// Every product is rounded before it is added (float64(x*y)), so that no compiler fuses
// the two; see package numeric/exact.

func (m affine) of(p vg.Point) dot {
	x, y := p.X.Points(), p.Y.Points()
	return dot{float64(m.a*x) + float64(m.b*y) + m.e, float64(m.c*x) + float64(m.d*y) + m.f}
}

// after is the map that first does n.
func (m affine) after(n affine) affine {
	o := m.of(vg.Point{X: vg.Length(n.e), Y: vg.Length(n.f)})
	return affine{
		float64(m.a*n.a) + float64(m.b*n.c), float64(m.a*n.b) + float64(m.b*n.d),
		float64(m.c*n.a) + float64(m.d*n.c), float64(m.c*n.b) + float64(m.d*n.d),
		o.x, o.y,
	}
}

// scale is by how much lengths grow.
func (m affine) scale() float64 {
	return math.Sqrt(math.Abs(float64(m.a*m.d) - float64(m.b*m.c)))
}

// A dot is a place in pixels.
type dot struct{ x, y float64 }

func (p dot) fixed() fixed.Point26_6 {
	to := func(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Floor(min(max(v, -1e6), 1e6)*64 + 0.5)) }
	return fixed.Point26_6{X: to(p.x), Y: to(p.y)}
}

// to is the place at a share of the way to another one.
func (p dot) to(q dot, t float64) dot {
	return dot{p.x + float64(t*(q.x-p.x)), p.y + float64(t*(q.y-p.y))}
}

func (p dot) distance(q dot) float64 {
	dx, dy := q.x-p.x, q.y-p.y
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}

// A polygon is a path without curves.
type polygon struct {
	points []dot
	closed bool
}

// polygons are a path in pixels, its curves as chords that are less than a twentieth
// of a pixel off.
func polygons(p vg.Path, m affine) []polygon {
	var out []polygon
	var now polygon
	end := func() {
		if len(now.points) > 0 {
			out = append(out, now)
		}
		now = polygon{}
	}
	add := func(d dot) { now.points = append(now.points, d) }
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			end()
			add(m.of(c.Pos))
		case vg.LineComp:
			add(m.of(c.Pos))
		case vg.ArcComp:
			// A chord of angle φ is r(1 − cos φ/2) ≈ rφ²/8 off.
			n := chords(math.Abs(c.Angle) * math.Sqrt(c.Radius.Points()*m.scale()/8*20))
			for i := range n + 1 {
				sin, cos := exact.Sincos(c.Start + float64(c.Angle*float64(i)/float64(n)))
				r := c.Radius.Points()
				add(m.of(vg.Point{X: c.Pos.X + vg.Length(r*cos), Y: c.Pos.Y + vg.Length(r*sin)}))
			}
		case vg.CurveComp:
			control := []dot{now.points[len(now.points)-1]}
			for _, q := range c.Control {
				control = append(control, m.of(q))
			}
			control = append(control, m.of(c.Pos))
			n := chords(math.Sqrt(bend(control) / 8 * 20))
			for i := range n {
				add(casteljau(control, float64(i+1)/float64(n)))
			}
		case vg.CloseComp:
			now.closed = true
			end()
		}
	}
	end()
	return out
}

func chords(n float64) int { return int(min(max(math.Ceil(n), 2), 1000)) }

// bend is the greatest second derivative of a Bézier curve: a chord over 1/n of it is
// at most an eighth of that/n² off.
func bend(control []dot) float64 {
	most, degree := 0., len(control)-1
	for i := 2; i <= degree; i++ {
		a, b, c := control[i-2], control[i-1], control[i]
		most = max(most, a.to(c, 0.5).distance(b)*2)
	}
	return float64(degree*(degree-1)) * most
}

// casteljau is the point of a Bézier curve at t.
func casteljau(control []dot, t float64) dot {
	p := append([]dot(nil), control...)
	for k := len(p) - 1; k > 0; k-- {
		for i := range k {
			p[i] = p[i].to(p[i+1], t)
		}
	}
	return p[0]
}

// dashed are the strokes of a line under a pen's pattern, which is in points.
func (p polygon) dashed(by *pen) []polygon {
	total := 0.
	for _, l := range by.dash {
		total += l
	}
	if total <= 0 || len(p.points) < 2 {
		return []polygon{p}
	}
	points := p.points
	if p.closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	scale := by.place.scale()
	i, left := 0, math.Mod(by.offset, total)
	for left >= by.dash[i] {
		left -= by.dash[i]
		i = (i + 1) % len(by.dash)
	}
	left = float64((by.dash[i] - left) * scale) // of the dash or gap that is being drawn
	var out []polygon
	now := []dot{points[0]}
	for k := 1; k < len(points); k++ {
		from, to := points[k-1], points[k]
		length, gone := from.distance(to), 0.
		for length-gone > left {
			gone += left
			at := from.to(to, gone/length)
			if i%2 == 0 {
				out = append(out, polygon{points: append(now, at)})
			}
			now = []dot{at}
			i = (i + 1) % len(by.dash)
			left = float64(by.dash[i] * scale)
		}
		left -= length - gone
		now = append(now, to)
	}
	if i%2 == 0 {
		out = append(out, polygon{points: now})
	}
	return out
}
