// Package cifti reads and writes CIFTI-2 files: series of grayordinates (dtseries, read),
// their labels and maps (dlabel, dscalar), and of parcels connectivity matrices (pconn), series
// (ptseries) and maps (pscalar), as Connectome Workbench and nibabel read and write them.
//
// A CIFTI-2 file is a NIfTI-2 file whose matrix lies along axes 5 and 6, with an XML
// extension (code 32) that says what rows and columns are (Glasser et al. 2013,
// NeuroImage 80:105; the format: nitrc.org/projects/cifti, "CIFTI-2 Main FINAL"). Parcels
// that are written are of voxels, without surfaces: the regions of a label image, or balls
// around points where there is no image. Values are float32, as Workbench writes them;
// a missing one is NaN.
//
// Equal input gives equal bytes.
package cifti

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/nifti"
)

// Parcels are regions of voxels on one grid. No voxel belongs to two.
type Parcels struct {
	Names  []string // unique
	Grid   nifti.Grid
	Voxels [][][3]int // of each parcel: i, j, k from 0
}

// FromLabels takes the parcels from a label image: parcel p is where it holds ids[p].
// Every id must occur.
func FromLabels(l *nifti.Labels, ids []int32, names []string) (*Parcels, error) {
	p := &Parcels{Names: names, Grid: l.Grid, Voxels: make([][][3]int, len(ids))}
	of := lists.Places(ids)
	at := 0
	for k := range l.Shape[2] {
		for j := range l.Shape[1] {
			for i := range l.Shape[0] {
				if n, ok := of[l.Voxels[at]]; ok && l.Voxels[at] != 0 {
					p.Voxels[n] = append(p.Voxels[n], [3]int{i, j, k})
				}
				at++
			}
		}
	}
	for n, v := range p.Voxels {
		if v == nil {
			return nil, fmt.Errorf("the label image has no voxel of %s (%d)", names[n], ids[n])
		}
	}
	return p, p.check()
}

// mni is the grid of the 2 mm template MNI152NLin6Asym, which FSL and Workbench use.
var mni = nifti.Grid{Shape: [3]int{91, 109, 91}, Affine: nifti.Affine{{-2, 0, 0, 90}, {0, 2, 0, -126}, {0, 0, 2, -72},
	{0, 0, 0, 1}}, Oriented: true}

// Balls takes as parcel p the voxels of the 2 mm MNI grid whose middle is within radius
// (mm) of point p (x, y, z in MNI mm), and nearer to it than to other points. The voxel
// of the point itself always belongs to it.
func Balls(points [][3]float64, radius float64, names []string) (*Parcels, error) {
	p := &Parcels{Names: names, Grid: mni, Voxels: make([][][3]int, len(points))}
	inv, _ := mni.Affine.Inverse()
	type claim struct {
		parcel int
		d2     float64
	}
	claims := map[[3]int]claim{}
	reach := int(math.Ceil(radius / 2))
	for n, at := range points {
		x, y, z := inv.Apply(at[0], at[1], at[2])
		var home [3]int
		for a, v := range [3]float64{x, y, z} {
			if !(v > -0.5 && v < float64(mni.Shape[a])-0.5) {
				return nil, fmt.Errorf("%s is at %.4v mm, outside MNI space", names[n], at)
			}
			home[a] = int(math.Round(v))
		}
		if c, taken := claims[home]; taken && c.d2 < 0 {
			return nil, fmt.Errorf("%s and %s are in the same 2 mm voxel", names[c.parcel], names[n])
		}
		claims[home] = claim{n, -1}
		for i := home[0] - reach; i <= home[0]+reach; i++ {
			for j := home[1] - reach; j <= home[1]+reach; j++ {
				for k := home[2] - reach; k <= home[2]+reach; k++ {
					v := [3]int{i, j, k}
					if min(i, j, k) < 0 || i >= mni.Shape[0] || j >= mni.Shape[1] || k >= mni.Shape[2] {
						continue
					}
					px, py, pz := mni.Affine.Apply(float64(i), float64(j), float64(k))
					dx, dy, dz := px-at[0], py-at[1], pz-at[2]
					d2 := float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
					if c, taken := claims[v]; d2 <= float64(radius*radius) && (!taken || d2 < c.d2) {
						claims[v] = claim{n, d2}
					}
				}
			}
		}
	}
	inGrid := func(a, b [3]int) int { return cmp.Or(a[2]-b[2], a[1]-b[1], a[0]-b[0]) } // not in the order of the map
	for _, v := range slices.SortedFunc(maps.Keys(claims), inGrid) {
		p.Voxels[claims[v].parcel] = append(p.Voxels[claims[v].parcel], v)
	}
	return p, p.check()
}

// check refuses what Workbench would: parcels without a name or of one name.
func (p *Parcels) check() error {
	seen := map[string]bool{}
	for i, name := range p.Names {
		if name == "" || seen[name] {
			return fmt.Errorf("parcel %d: the name %q is empty or used twice", i+1, name)
		}
		seen[name] = true
	}
	return nil
}
