package phantom

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti"
)

// The average brain beside real ones in MNI space: Dice coefficients of the outline with a brain, and of the regions
// with a volume of the same 84 regions, at 2 mm.
func TestShapeIsThatOfABrain(t *testing.T) {
	read := func(name string) func(p [3]float64) float64 {
		r := need.Value(nifti.Open(need.Shared(t, "data", "atlas", name)))(t)
		defer r.Close()
		g := r.Header.Grid()
		voxels := make([]float64, g.Voxels())
		need.NoError(t, r.Next(voxels))
		back, _ := g.Affine.Inverse()
		return func(p [3]float64) float64 {
			x, y, z := back.Apply(p[0], p[1], p[2])
			i, j, k := int(math.Round(x)), int(math.Round(y)), int(math.Round(z))
			if i < 0 || j < 0 || k < 0 || i >= g.Shape[0] || j >= g.Shape[1] || k >= g.Shape[2] {
				return 0
			}
			return voxels[(k*g.Shape[1]+j)*g.Shape[0]+i]
		}
	}
	head, regions := read("mricron_ch2bet.nii.gz"), read("dk84_mni_1mm_fsid.nii.gz")
	var in, real, both float64
	type overlap struct{ ours, real, both float64 }
	of := map[int]*overlap{}
	for _, n := range nodes {
		of[n.ID] = &overlap{}
	}
	var seeds []seed
	for _, n := range nodes {
		at := [3]float64{n.X, n.Y, n.Z}
		seeds = append(seeds, seed{int16(n.Index), n.Hemisphere == "L", at, n.Volume, metricOf(n)})
	}
	b := need.Value(fill(2, [3]float64{1, 1, 1}, seeds))(t)
	for d := range 3 { // the grid holds the outline
		for v, tissue := range b.tissue {
			at := [3]int{v % b.shape[0], v / b.shape[0] % b.shape[1], v / (b.shape[0] * b.shape[1])}[d]
			if tissue != air && (at == 0 || at == b.shape[d]-1) {
				t.Fatalf("the grid cuts the brain off along axis %d", d)
			}
		}
	}
	for v, tissue := range b.tissue {
		p := b.position(v)
		mask, label := head(p) > 0, int(regions(p))
		if tissue != air {
			in++
		}
		if mask {
			real++
		}
		if mask && tissue != air {
			both++
		}
		if tissue > 0 {
			o := of[nodes[tissue-1].ID]
			o.ours++
			if label == nodes[tissue-1].ID {
				o.both++
			}
		}
		if o := of[label]; o != nil {
			o.real++
		}
	}
	if dice := 2 * both / (in + real); dice < 0.93 {
		t.Errorf("the outline has a Dice coefficient of %.3f with the brain", dice)
	} else {
		t.Logf("outline: Dice %.3f", dice)
	}
	mean := 0.0
	for _, o := range of {
		mean += 2 * o.both / (o.ours + o.real) / float64(len(of))
	}
	if mean < 0.5 {
		t.Errorf("the regions have a mean Dice coefficient of %.3f with real ones", mean)
	} else {
		t.Logf("regions: mean Dice %.3f", mean)
	}
}
