package nifti

import (
	"fmt"
	"math"
	"slices"
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

// Over refuses a label image on this grid for a scan, by what the two headers state alone: it cannot be resampled to
// the scan, or was made for it and lies elsewhere.
func (labels Grid) Over(scan Grid) error {
	if err := elsewhere(labels, scan); err != nil || labels.Same(scan) {
		return err
	}
	return labels.Resamples(scan)
}

// Fills reports whether two grids have equally many voxels in the same place, in whatever order and direction of their
// axes: no corner lies half a voxel from the nearest one of the other. A grid without a place fills any.
func (g Grid) Fills(other Grid) bool {
	shape, as := g.Shape, other.Shape
	slices.Sort(shape[:])
	slices.Sort(as[:])
	if shape != as {
		return false
	}
	if !g.Oriented || !other.Oriented {
		return true
	}
	size := other.Affine.VoxelSize()
	return cornersApart(g, other) < min(size[0], size[1], size[2])/2
}

// cornersApart is how far a corner of a grid lies from the nearest one of another, mm, at most.
func cornersApart(g, other Grid) (most float64) {
	for _, p := range corners(g) {
		least := math.Inf(1)
		for _, q := range corners(other) {
			least = min(least, p.Distance(q))
		}
		most = max(most, least)
	}
	return most
}

// mostElsewhere is how far a corner of labels with the shape of the scan may lie from the scan's nearest one, mm.
const mostElsewhere = 5

// elsewhere refuses labels with the shape of the scan that do not lie on it, in whatever order of its axes: they were
// made for it, and one of the headers is wrong.
func elsewhere(labels, scan Grid) error {
	shape, other := labels.Shape, scan.Shape
	slices.Sort(shape[:])
	slices.Sort(other[:])
	if shape != other || !labels.Oriented || !scan.Oriented {
		return nil
	}
	if most := cornersApart(labels, scan); most > mostElsewhere {
		return fmt.Errorf("the labels have the shape of the scan, but another affine, which puts a corner of them %.0f mm beside the scan: %v, the scan %v; one of the headers is wrong",
			most, labels, scan)
	}
	return nil
}

// corners are the centers of the voxels at the corners of a grid, mm.
func corners(g Grid) (all [8]Point) {
	for i := range all {
		var at [3]float64
		for a := range 3 {
			if i>>a&1 == 1 {
				at[a] = float64(g.Shape[a] - 1)
			}
		}
		all[i][0], all[i][1], all[i][2] = g.Affine.Apply(at[0], at[1], at[2])
	}
	return all
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
