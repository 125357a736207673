package chart

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/interp"
)

// A Side is a direction from which a brain is drawn.
type Side int

// From above and from behind the left is at the left; from the left the front is at the left.
const (
	Above Side = iota
	Left
	Behind
)

// A Curve is a line of a Silhouette in mm, to the right and upwards; a closed one ends
// where it begins.
type Curve [][2]float64

// A Silhouette is the outline of a brain, drawn by hand to the measures of the MNI space
// (to the right, to the front, upwards, from the anterior commissure): Parts are filled,
// the last ones in front, Folds are the fissures that tell where one is.
type Silhouette struct {
	Parts, Folds []Curve
}

// Flat is a place in mm as the side sees it: to the right and upwards.
func (s Side) Flat(x, y, z float64) (right, up float64) {
	switch s {
	case Left:
		return -y, z
	case Behind:
		return x, z
	}
	return x, y
}

// Extent is the space of the silhouette, mm: from left to right, from below to above.
func (s Side) Extent() (left, right, low, high float64) {
	switch s {
	case Left:
		return -77, 110, -72, 84
	case Behind:
		return -75, 75, -64, 84
	}
	return -75, 75, -109, 76
}

// Silhouette is the outline from a side.
func (s Side) Silhouette() Silhouette {
	switch s {
	case Left:
		cerebrum := Curve{{-73, 2}, {-69, 18}, {-62, 36}, {-50, 52}, {-32, 66}, {-12, 75}, {10, 79}, {32, 78}, {52, 72},
			{72, 60}, {88, 43}, {99, 22}, {104, 4}, {101, -9}, {90, -16}, {74, -17},
			{58, -19}, {44, -26}, {28, -34}, {12, -40}, {-4, -42}, {-17, -37}, {-22, -28}, {-21, -19}, {-29, -19},
			{-42, -25}, {-56, -24}, {-67, -13}}
		stem := Curve{{18, -28}, {22, -44}, {26, -58}, {32, -68}, {42, -66}, {44, -50}, {42, -28}}
		cerebellum := Curve{{44, -22}, {58, -16}, {76, -15}, {91, -22}, {95, -36}, {86, -49}, {68, -56},
			{51, -54}, {42, -44}}
		sylvian := Curve{{-21, -19}, {-10, -9}, {8, -1}, {24, 6}, {38, 15}, {46, 26}}
		central := Curve{{22, 78}, {20, 64}, {12, 48}, {8, 32}, {0, 18}, {-2, 6}}
		return Silhouette{Parts: []Curve{smooth(stem), smooth(cerebellum), smooth(cerebrum)},
			Folds: []Curve{open(sylvian), open(central)}}
	case Behind:
		half := Curve{{0, 75}, {10, 79}, {24, 75}, {40, 66}, {53, 52}, {62, 36}, {68, 16}, {69, -2}, {66, -18},
			{58, -32}, {44, -38}, {28, -32}, {0, -24}}
		cerebellum := Curve{{0, -14}, {22, -14}, {42, -20}, {53, -32}, {50, -46}, {36, -56}, {18, -60},
			{4, -55}, {0, -54}}
		return Silhouette{Parts: []Curve{smooth(mirrored(half)), smooth(mirrored(cerebellum))},
			Folds: []Curve{{{0, 76}, {0, -20}}, {{0, -20}, {0, -54}}}}
	}
	half := Curve{{0, 66}, {7, 71}, {20, 69}, {36, 59}, {49, 44}, {58, 25}, {65, 3}, {68, -18}, {67, -40}, {61, -62},
		{50, -80}, {35, -95}, {17, -104}, {6, -103}, {0, -98}}
	return Silhouette{Parts: []Curve{smooth(mirrored(half))}, Folds: []Curve{{{0, 66}, {0, -98}}}}
}

// mirrored adds the left half, from the end of the right one back to its beginning;
// points on the midline are not doubled.
func mirrored(half Curve) Curve {
	all := append(Curve{}, half...)
	for i := len(half) - 1; i >= 0; i-- {
		if half[i][0] != 0 {
			all = append(all, [2]float64{-half[i][0], half[i][1]})
		}
	}
	return all
}

// smooth draws a closed curve through the points, open one from the first to the last, six steps each.
func smooth(p Curve) Curve {
	n := len(p)
	return spline(slices.Concat(p[n-3:], p, p[:4]))[6*3 : 6*(n+3)+1]
}

func open(p Curve) Curve { return spline(p) }

// spline is that of Akima (1970), of each coordinate over the number of the point.
func spline(p Curve) (out Curve) {
	const steps = 6
	at, of := make([]float64, len(p)), [2][]float64{}
	for i, one := range p {
		at[i] = float64(i)
		of[0], of[1] = append(of[0], one[0]), append(of[1], one[1])
	}
	var x, y interp.AkimaSpline
	if err := errors.Join(x.Fit(at, of[0]), y.Fit(at, of[1])); err != nil {
		panic(err) // the points stand in this file
	}
	for k := range steps*(len(p)-1) + 1 {
		out = append(out, [2]float64{x.Predict(float64(k) / steps), y.Predict(float64(k) / steps)})
	}
	return out
}

// Holds reports whether places in mm fit the silhouettes: nearly all lie inside, within a centimeter, as in
// a node list in MNI space.
func Holds(x, y, z []float64) bool {
	outside := 0
	for i := range x {
		for _, s := range []Side{Above, Left, Behind} {
			right, up := s.Flat(x[i], y[i], z[i])
			if a, b, c, d := s.Extent(); right < a-5 || right > b+5 || up < c-5 || up > d+5 || math.IsNaN(right+up) {
				outside++
				break
			}
		}
	}
	return outside*20 <= len(x)
}
