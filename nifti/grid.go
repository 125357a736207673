package nifti

import (
	"fmt"
	"math"
)

// A Grid is where the voxels of an image lie in the world.
type Grid struct {
	Shape    [3]int
	Affine   Affine
	Oriented bool // false: the file does not say where it lies (sform and qform codes 0)
}

// Voxels is the number of voxels of the grid.
func (g Grid) Voxels() int { return g.Shape[0] * g.Shape[1] * g.Shape[2] }

// Same reports whether two grids are one, as nilearn judges it (check_same_fov):
// equal shape, and affines equal within numpy's allclose (rtol 1e-5, atol 1e-8).
// Grids of files that do not say where they lie are the same when their shapes
// are; such a file never lies on the grid of one that does say.
func (g Grid) Same(other Grid) bool {
	if g.Shape != other.Shape || g.Oriented != other.Oriented {
		return false
	}
	if !g.Oriented {
		return true
	}
	for r := range 4 {
		for c := range 4 {
			a, b := g.Affine[r][c], other.Affine[r][c]
			if !(math.Abs(a-b) <= 1e-8+float64(1e-5*math.Abs(b))) {
				return false
			}
		}
	}
	return true
}

// box is the space that the grid fills, mm: from lo to hi along x, y and z.
func (g Grid) box() (lo, hi [3]float64) {
	for corner := range 8 {
		var v [3]float64
		for a := range 3 {
			v[a] = -0.5
			if corner>>a&1 == 1 {
				v[a] += float64(g.Shape[a])
			}
		}
		x, y, z := g.Affine.Apply(v[0], v[1], v[2])
		for a, p := range [3]float64{x, y, z} {
			if corner == 0 {
				lo[a], hi[a] = p, p
			}
			lo[a], hi[a] = min(lo[a], p), max(hi[a], p)
		}
	}
	return lo, hi
}

// String describes the grid for a person: its shape, voxel size and place.
func (g Grid) String() string {
	s := g.Affine.VoxelSize()
	lo, hi := g.box()
	text := fmt.Sprintf("%d×%d×%d voxels of %.3g×%.3g×%.3g mm", g.Shape[0], g.Shape[1], g.Shape[2], s[0], s[1], s[2])
	if !g.Oriented {
		return text + ", position unknown (sform and qform codes are 0)"
	}
	return text + fmt.Sprintf(", x %.4g…%.4g, y %.4g…%.4g, z %.4g…%.4g mm", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2])
}
