package column

import (
	"math"
	"slices"

	"prgnn/artifacts/encoding"
)

// A NodeRow is one region of a node list, as every cohort gives it.
type NodeRow struct {
	Index        int32   `column:"index" doc:"node number, from 1"`
	ID           int32   `column:"id" doc:"value in the label image"`
	Name         string  `column:"name" doc:"name"`
	Abbreviation string  `column:"abbreviation" doc:"short name; by default the name"`
	Hemisphere   string  `column:"hemisphere,missing" doc:"L or R"`
	Structure    string  `column:"structure,missing" doc:"structure or network: cortex, subcortex, cerebellum, or a network"`
	X            float64 `column:"x,missing" unit:"mm" doc:"centroid, MNI, right is positive"`
	Y            float64 `column:"y,missing" unit:"mm" doc:"centroid, MNI, anterior is positive"`
	Z            float64 `column:"z,missing" unit:"mm" doc:"centroid, MNI, superior is positive"`
	Color        string  `column:"color,missing" doc:"#rrggbb"`
}

// NodePlaces are the centroids of a node list: x, y and z of each node, in mm; nil
// when it does not say where every region is.
func NodePlaces(nodes *encoding.Table) (*[3][]float64, error) {
	var at [3][]float64
	for i, c := range []string{"x", "y", "z"} {
		if _, ok := nodes.Column(c); !ok {
			return nil, nil
		}
		v, err := nodes.Floats(c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(v, math.IsNaN) {
			return nil, nil
		}
		at[i] = v
	}
	return &at, nil
}
