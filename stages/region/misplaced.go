package region

import (
	"fmt"
	"slices"

	"prgnn/nifti"
)

// What is beyond belief in the places of labels. On the images that the tests hold against dk84 (MNI at 10 mm,
// simulated heads at 4 and 12 mm) no centroid is more than 12 mm from that of the list; of other numberings (shuffled,
// alternating sides, sorted, another order of structures) at least a quarter is more than 30 mm away.
const (
	farOff      = 30.0 // mm
	mostFarOff  = 0.1  // share of the compared labels
	leastPlaces = 12   // labels that have a place: with fewer an affine transform fits anything
)

// Misplaced compares where the labels of an image lie with where the node list says that they lie: by distance, after
// the affine transform (least squares) that takes the centroids of the one to those of the other, so that the space of
// the image, its template and the size of the head do not matter. places are those of nodes, by gives the label of a
// node. Without places (NaN) nothing is compared; of an image that does not say where it lies, left and right are not.
// Only labels that count 1 … N are compared: such numbers are those of any atlas, while FreeSurfer's ids are its own.
func Misplaced(nodes []Node, places []Place, by func(Node) int32, labels *nifti.Labels) error {
	type pair struct {
		node     Node
		at, want nifti.Point
	}
	if slices.ContainsFunc(nodes, func(n Node) bool { return by(n) != n.Index }) {
		return nil
	}
	centroids := labels.Centroids()
	var pairs []pair
	for i, n := range nodes {
		p := places[i]
		if c, there := centroids[by(n)]; there && p.X-p.X == 0 && p.Y-p.Y == 0 && p.Z-p.Z == 0 {
			pairs = append(pairs, pair{n, c, nifti.Point{p.X, p.Y, p.Z}})
		}
	}
	if len(pairs) < leastPlaces {
		return nil
	}
	var middle, wanted nifti.Point
	for _, p := range pairs {
		for a := range 3 {
			middle[a] += p.at[a] / float64(len(pairs))
			wanted[a] += p.want[a] / float64(len(pairs))
		}
	}
	square, cross := nifti.Identity, nifti.Identity // XᵀX and (XᵀY)ᵀ of the centered places
	for a := range 3 {
		for b := range 3 {
			square[a][b], cross[a][b] = 0, 0
			for _, p := range pairs {
				square[a][b] += float64((p.at[a] - middle[a]) * (p.at[b] - middle[b]))
				cross[a][b] += float64((p.want[a] - wanted[a]) * (p.at[b] - middle[b]))
			}
		}
	}
	inverse, ok := square.Inverse()
	if !ok { // all in one plane
		return nil
	}
	fit := cross.Mul(&inverse)
	var far []pair
	for _, p := range pairs {
		var d nifti.Point
		d[0], d[1], d[2] = fit.Apply(p.at[0]-middle[0], p.at[1]-middle[1], p.at[2]-middle[2])
		distance := 0.0
		for a := range 3 {
			off := d[a] - (p.want[a] - wanted[a])
			distance += float64(off * off)
		}
		if distance > farOff*farOff {
			far = append(far, p)
		}
	}
	const remedy = "set nodes to the list of the regions of this image, a TSV with the columns index and name"
	if float64(len(far)) > mostFarOff*float64(len(pairs)) {
		p := far[0]
		return fmt.Errorf("its labels are not the regions of the node list: %d of %d lie more than %g mm from the region of their number, also after alignment; label %d is centered at (%.0f, %.0f, %.0f) mm, but %s at (%.0f, %.0f, %.0f); %s",
			len(far), len(pairs), farOff, by(p.node), p.at[0], p.at[1], p.at[2], p.node.Name, p.want[0], p.want[1],
			p.want[2], remedy)
	}
	if labels.Oriented && fit.Determinant() < 0 {
		p := pairs[0]
		return fmt.Errorf("left and right are exchanged between its labels and the node list: label %d is centered at x = %.0f mm, but %s at %.0f; correct the orientation in its header, or %s",
			by(p.node), p.at[0], p.node.Name, p.want[0], remedy)
	}
	return nil
}
