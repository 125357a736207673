package region

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/nifti"
)

// Of fewer regions than an affine transform needs, the distances are compared as they are, without hemispheres too.
func TestFewMisplaced(t *testing.T) {
	for _, n := range []int{3, 8, 11} {
		var nodes []Node
		var frame Frame
		labels := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{120, 1, 1}, Oriented: true,
			Affine: nifti.Affine{{1, 0, 0, -60}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}, Voxels: make([]int32, 120)}
		for i := range n {
			x := 30 + 2*i
			nodes = append(nodes, Node{Index: int32(i + 1), Name: fmt.Sprint("r", i)})
			frame.Places = append(frame.Places, Place{X: float64(x)})
			labels.Voxels[60+x] = int32(i + 1)
		}
		by := func(n Node) int32 { return n.Index }
		if err := Misplaced(nodes, frame, by, labels); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		labels.Affine[0] = [4]float64{-1, 0, 0, 60} // mirrored
		if err := Misplaced(nodes, frame, by, labels); err == nil || !strings.Contains(err.Error(), "on average") {
			t.Errorf("%d mirrored: %v", n, err)
		}
	}
}

// A node list that contradicts itself, or is in another unit, is refused, whatever reads it; without an image the
// midline counts, too.
func TestImplausible(t *testing.T) {
	nan := math.NaN()
	type row struct {
		name, hemisphere string
		x, y, z          float64
	}
	sound := []row{{"L_Thal", "L", -12, -18, 8}, {"R_Thal", "R", 12, -18, 8}, {"L_Caud", "", -13, 9, 9},
		{"R_Caud", "", 13, 9, 9}, {"Vermis", "", 1, -60, -20}}
	change := func(of func(*row)) []row {
		rows := slices.Clone(sound)
		for i := range rows {
			of(&rows[i])
		}
		return rows
	}
	for name, c := range map[string]struct {
		rows        []row
		image, bare string // with an image, and without
	}{
		"sound":          {rows: sound},
		"without places": {rows: change(func(r *row) { r.x = nan })},
		"a side missing": {rows: sound[:1]},
		"other column": {change(func(r *row) { r.hemisphere = strings.Trim("LR", r.name[:1]) }),
			"contradicts the names of 4 of 5 regions: 1 L_Thal (R)", ""},
		"flipped": {change(func(r *row) { r.x = -r.x }),
			"left and right are exchanged", ""},
		"flipped, column": {change(func(r *row) { r.x, r.hemisphere, r.name = -r.x, r.name[:1], r.name[1:] }),
			"left and right are exchanged", ""},
		"code": {change(func(r *row) { r.z = -999 }),
			"are no places in a brain, in mm: 1 L_Thal (-12, -18, -999)", ""},
		"micrometers": {change(func(r *row) { r.x, r.y, r.z = 1000*r.x, 1000*r.y, 1000*r.z }),
			"of 5 regions are no places in a brain", ""},
		"meters": {change(func(r *row) { r.x, r.y, r.z = r.x/1000, r.y/1000, r.z/1000 }),
			"not in mm", ""},
		"voxels": {change(func(r *row) { r.x, r.y, r.z = 45+r.x/2, 63+r.y/2, 36+r.z/2 }),
			"", "x is on the other side of the brain than the hemisphere in 2 regions: 1 L_Thal (x = 39 mm)"},
		"one pair exchanged": {change(func(r *row) {
			if strings.HasSuffix(r.name, "Caud") {
				r.x = -r.x
			}
		}), "", "x is on the other side"},
	} {
		var nodes []Node
		var places []Place
		var named []string
		for i, r := range c.rows {
			nodes = append(nodes, Node{Index: int32(i + 1), Id: int32(i + 1), Name: r.name})
			places = append(places, Place{r.x, r.y, r.z, strings.Trim(r.hemisphere, "V")})
			named = append(named, map[string]string{"L_": "L", "R_": "R"}[r.name[:2]])
		}
		for _, image := range []bool{true, false} {
			err, want := Implausible(nodes, places, named, ColumnHemisphere, image), c.image
			if !image && want == "" {
				want = c.bare
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s (image %v): %v, want %q", name, image, err, want)
			}
		}
	}
}
