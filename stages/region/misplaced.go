package region

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/stages/atlas"
	"prgnn/stages/column"
)

// What is beyond belief in the places of labels. On the images that the tests hold against dk84 (MNI at 1 and 10 mm,
// simulated heads at 4 and 12 mm) no centroid is more than 12 mm from that of the list, and their mean less than 3 mm;
// of other numberings (shuffled, alternating sides, sorted, another order of structures) at least a quarter is more
// than 30 mm away.
const (
	farOff      = 30.0 // mm
	mostFarOff  = 0.1  // share of the compared labels
	mostApart   = 10.0 // mm, mean over all regions, in the space of the list; a head turned by 15° has 12 mm
	overMidline = 5.0  // mm; a region may reach over the midline, but its centroid hardly
	mostOver    = 2    // regions without a place, beside a fifth of them: a head may lie turned
	leastCosine = 0.5  // of an axis of the head and that of the image: 60°
	leastPlaces = 12   // labels that have a place: with fewer an affine transform fits anything
)

// A Frame is what is known of the places of labels before an image is read.
type Frame struct {
	Places []Place // of the nodes
	Space  string  // of the image; "" where it is not known, which counts as MNI
}

// SpaceKey is the metadata of a node list that names the space of the scans; "" where it is not known.
const SpaceKey = "space"

// Sided are the places of nodes, whose names give the hemispheres that the places do not have.
func Sided(places []Place, nodes []Node) []Place {
	for i := range places {
		places[i].Hemisphere = cmp.Or(places[i].Hemisphere, atlas.Side(nodes[i].Name))
	}
	return places
}

// FrameOf reads the places of a node list.
func FrameOf(in dag.Input, nodes []Node) (f Frame, err error) {
	var t *encoding.Table
	if t, err = in.Table(); err == nil {
		f.Space = t.Meta[SpaceKey]
		f.Places, err = column.Read[Place](in)
	}
	f.Places = Sided(f.Places, nodes)
	return f, err
}

// Native reports whether the space is another than that of the published centroids: the participant's own, or that of
// a template of another size or origin.
func (f *Frame) Native() bool {
	for _, same := range []string{"MNI152", "MNI305", "MNIColin27", "fsaverage"} {
		if strings.HasPrefix(f.Space, same) {
			return false
		}
	}
	return f.Space != ""
}

// A placed is a node whose label lies in an image; mm.
type placed struct {
	node     Node
	label    int32
	at, want nifti.Point
	aligned  nifti.Point // at, taken to the places of the node list
}

func (p *placed) where() string {
	return fmt.Sprintf("label %d (%s) is centered at (%.0f, %.0f, %.0f) mm, expected (%.0f, %.0f, %.0f)",
		p.label, p.node.Name, p.at[0], p.at[1], p.at[2], p.want[0], p.want[1], p.want[2])
}

const (
	renamed  = "set nodes to the list of the regions of this image, a TSV with the columns index and name"
	mirrored = "the image was mirrored, or its affine is wrong: write it again with the correct affine"
	// of one image among others, the list would be wrong for the others
	crossed = "if all label images are refused, left and right may be exchanged in the names of the node list: correct it; otherwise " + mirrored
)

// Misplaced compares where the labels of an image lie with where the node list says that they lie; by gives the label
// of a node. An affine transform (least squares) takes the centroids of the image to those of the list. After it, each
// region has to lie near its place and on its side, so that the space of the image and the size of the head do not
// matter; the transform must not mirror or turn the head. In the space of the list each region also has to lie near its
// place as it is. Of an image that does not say where it lies only the order of the regions is compared.
func Misplaced(nodes []Node, f Frame, by func(Node) int32, labels *nifti.Labels) error {
	centroids, or := labels.Centroids(), ""
	if !slices.ContainsFunc(nodes, func(n Node) bool { return by(n) != n.Index }) { // any atlas has such numbers
		or = ", or " + renamed
	}
	if err := exchanged(nodes, f.Places, by, centroids, or); err != nil && labels.Oriented {
		return err
	}
	var all []placed
	for i, n := range nodes {
		p := f.Places[i]
		if c, there := centroids[by(n)]; there && !math.IsNaN(p.X+p.Y+p.Z) {
			all = append(all, placed{node: n, label: by(n), at: c, want: nifti.Point{p.X, p.Y, p.Z}})
		}
	}
	if fit, ok := align(all); ok {
		if far := farther(all, func(p *placed) nifti.Point { return p.aligned }); far != nil {
			return fmt.Errorf("its labels are not the regions of the node list: %d of %d lie more than %g mm from the region of their number, also after alignment: %s; %s",
				len(far), len(all), farOff, far[0].where(), renamed)
		}
		if !labels.Oriented {
			return nil
		}
		if err := turned(fit, all, or); err != nil {
			return err
		}
		if err := swapped(all, or); err != nil {
			return err
		}
	}
	if !labels.Oriented || f.Native() {
		return nil
	}
	return shifted(all, f.Space)
}

// align takes the places of regions to those of the node list; not ok where an affine transform would fit anything.
func align(all []placed) (fit nifti.Affine, ok bool) {
	if len(all) < leastPlaces {
		return fit, false
	}
	middle, wanted := middles(all)
	square, cross := nifti.Identity, nifti.Identity // XᵀX and (XᵀY)ᵀ of the centered places
	for a := range 3 {
		for b := range 3 {
			square[a][b], cross[a][b] = 0, 0
			for _, p := range all {
				square[a][b] += float64((p.at[a] - middle[a]) * (p.at[b] - middle[b]))
				cross[a][b] += float64((p.want[a] - wanted[a]) * (p.at[b] - middle[b]))
			}
		}
	}
	inverse, ok := square.Inverse()
	if !ok { // all in one plane
		return fit, false
	}
	fit = cross.Mul(&inverse)
	for i := range all {
		p := &all[i]
		p.aligned[0], p.aligned[1], p.aligned[2] =
			fit.Apply(p.at[0]-middle[0], p.at[1]-middle[1], p.at[2]-middle[2])
		for a := range 3 {
			p.aligned[a] += wanted[a]
		}
	}
	return fit, true
}

// middles are the means of the places of regions, in the image and in the node list.
func middles(all []placed) (at, want nifti.Point) {
	for _, p := range all {
		for a := range 3 {
			at[a] += p.at[a] / float64(len(all))
			want[a] += p.want[a] / float64(len(all))
		}
	}
	return at, want
}

// farther are the regions far from their places, if they are more than a lesion or a small region explains.
func farther(all []placed, of func(*placed) nifti.Point) []placed {
	far := slices.DeleteFunc(slices.Clone(all), func(p placed) bool { return of(&p).Distance(p.want) <= farOff })
	if float64(len(far)) <= mostFarOff*float64(len(all)) {
		return nil
	}
	return far
}

// sides are the mean x of the left and of the right regions, by the hemispheres of the node list; ok where both have
// some, and first is the first left one.
func sides(nodes []Node, places []Place, by func(Node) int32, centroids map[int32]nifti.Point) (left, right float64,
	first *Node, ok bool) {
	var x, count [2]float64
	for i, n := range nodes {
		c, there := centroids[by(n)]
		side := slices.Index([]string{"L", "R"}, places[i].Hemisphere)
		if !there || side < 0 {
			continue
		}
		x[side], count[side] = x[side]+c[0], count[side]+1
		if side == 0 && first == nil {
			first = &nodes[i]
		}
	}
	return x[0] / count[0], x[1] / count[1], first, count[0] > 0 && count[1] > 0
}

// exchanged refuses an image whose left regions lie to the right of the right ones, by the hemispheres of the node
// list alone: so it holds for an atlas whose places were taken from this very image.
func exchanged(nodes []Node, places []Place, by func(Node) int32, centroids map[int32]nifti.Point,
	or string) error {
	left, right, first, ok := sides(nodes, places, by, centroids)
	if !ok {
		return nil
	}
	if left < right {
		var wrong []string
		unplaced := 0 // without a place in the node list, by which swapped compares the others
		for i, n := range nodes {
			p := places[i]
			if c, there := centroids[by(n)]; there && p.Hemisphere != "" && math.IsNaN(p.X+p.Y+p.Z) {
				unplaced++
				if off := c[0] - (left+right)/2; p.Hemisphere == "L" && off > overMidline ||
					p.Hemisphere == "R" && off < -overMidline {
					wrong = append(wrong, fmt.Sprintf("%d %s (x = %.0f mm)", by(n), n.Name, c[0]))
				}
			}
		}
		if len(wrong) <= max(mostOver, unplaced/5) {
			return nil
		}
		return fmt.Errorf("%d of %d regions lie on the other side of the brain than the node list states: %s; correct the node list, or the labels",
			len(wrong), unplaced, words.Some(wrong, 6))
	}
	return fmt.Errorf("left and right are exchanged between its labels and the node list: the left regions lie at x = %.0f mm on average, the right ones at %.0f: label %d (%s) is centered at x = %.0f mm; %s%s",
		left, right, by(*first), first.Name, centroids[by(*first)][0], crossed, or)
}

// mostPlace is a coordinate that no region has, mm: the head of the MNI template ends at 110 mm, and a field of view
// that begins in a corner at 256.
const mostPlace = 300.0

// ColumnHemisphere is what gives the hemispheres of a node list.
const ColumnHemisphere = "the column hemisphere"

// Implausible refuses regions that contradict themselves: a hemisphere, which by gives, that is not that of the name
// (named has these, L, R or ""), left regions to the right of the right ones, or coordinates that are no mm. Without an
// image whose labels show where regions lie, the coordinates are MNI, so no left region has an x beyond the midline.
func Implausible(nodes []Node, places []Place, named []string, by string, image bool) error {
	var sided, far, over []string
	centroids := map[int32]nifti.Point{}
	most, held := 0.0, make([]Place, len(nodes))
	for i, n := range nodes {
		p := places[i]
		if p.Hemisphere != "" && named[i] != "" && p.Hemisphere != named[i] {
			sided = append(sided, fmt.Sprintf("%d %s (%s)", n.Index, n.Name, p.Hemisphere))
		}
		p.Hemisphere = cmp.Or(p.Hemisphere, named[i])
		held[i] = p
		if math.IsNaN(p.X + p.Y + p.Z) {
			continue
		}
		farthest := max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))
		if most = max(most, farthest); farthest > mostPlace {
			far = append(far, fmt.Sprintf("%d %s (%g, %g, %g)", n.Index, n.Name, p.X, p.Y, p.Z))
			continue
		}
		if centroids[n.Index] = (nifti.Point{p.X, p.Y, p.Z}); p.Hemisphere == "L" && p.X > overMidline ||
			p.Hemisphere == "R" && p.X < -overMidline {
			over = append(over, fmt.Sprintf("%d %s (x = %g mm)", n.Index, n.Name, p.X))
		}
	}
	left, right, _, ok := sides(nodes, held, func(n Node) int32 { return n.Index }, centroids)
	switch {
	case sided != nil:
		return fmt.Errorf("%s contradicts the names of %d of %d regions: %s; correct %s, or the names",
			by, len(sided), len(nodes), words.Some(sided, 6), by)
	case far != nil:
		return fmt.Errorf("x, y and z of %d of %d regions are no places in a brain, in mm: %s; give the coordinates in mm (MNI), and write n/a for a missing value",
			len(far), len(nodes), words.Some(far, 6))
	case len(centroids) > 1 && most <= 1:
		return fmt.Errorf("no coordinate of %d regions is beyond ±1 (largest %g), so x, y and z are not in mm: give them in mm (MNI), or remove the columns",
			len(centroids), most)
	case ok && left-right > overMidline:
		return fmt.Errorf("left and right are exchanged between the names or %s and x: the left regions lie at x = %.0f mm on average, the right ones at %.0f; x grows to the right in MNI: correct x, or the names",
			by, left, right)
	case !image && over != nil:
		return fmt.Errorf("x is on the other side of the brain than the hemisphere in %d regions: %s; x, y and z must be in mm of MNI (x grows to the right, 0 is the midline), and not voxel indices: correct them, or remove the columns",
			len(over), words.Some(over, 6))
	}
	return nil
}

// turned refuses an image whose axes are not those of a head.
func turned(fit nifti.Affine, all []placed, or string) error {
	var wrong []string
	angle := 0.0
	for a, ends := range []string{"left and right", "front and back", "top and bottom"} {
		length := math.Sqrt(float64(fit[0][a]*fit[0][a]) + float64(fit[1][a]*fit[1][a]) + float64(fit[2][a]*fit[2][a]))
		cosine := fit[a][a] / length
		if cosine < -leastCosine {
			wrong = append(wrong, ends)
		}
		if cosine < leastCosine {
			angle = max(angle, math.Acos(cosine)*180/math.Pi)
		}
	}
	switch {
	case wrong == nil && angle > 0 && fit.Determinant() >= 0:
		return fmt.Errorf("the head lies turned by %.0f° in it, against the axes of its affine: %s; %s%s",
			angle, all[0].where(), mirrored, or)
	case wrong == nil && fit.Determinant() >= 0:
		return nil
	}
	return fmt.Errorf("%s are exchanged between its labels and the node list: %s; %s%s",
		cmp.Or(strings.Join(wrong, ", "), "left and right"), all[0].where(), mirrored, or)
}

// swapped refuses an image in which single regions lie on the other side of the brain, or to the other side of their
// counterpart.
func swapped(all []placed, or string) error {
	var names []string
	for i := range all {
		p := &all[i]
		over := p.want[0] <= -overMidline && p.aligned[0] > overMidline ||
			p.want[0] >= overMidline && p.aligned[0] < -overMidline
		opposite := nifti.Point{-p.want[0], p.want[1], p.want[2]}
		for j := range all {
			q := &all[j]
			if math.Abs(p.want[0]) >= 1 && q.want.Distance(opposite) < overMidline &&
				(p.want[0] < q.want[0]) != (p.aligned[0] < q.aligned[0]) {
				over = true
			}
		}
		if over {
			names = append(names, fmt.Sprintf("%d %s (x = %.0f mm, expected %.0f)", p.label, p.node.Name, p.at[0], p.want[0]))
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%d of %d regions lie on the other side of the brain: %s: left and right labels are exchanged; correct the labels%s",
		len(names), len(all), words.Some(names, 6), or)
}

// shifted refuses an image that is in another space than the node list.
func shifted(all []placed, space string) error {
	remedy := "its affine is wrong, or it is not in the space " + space + ": give labels in the space of the scans"
	if space == "" {
		remedy = "its affine is wrong, or it is not in MNI space: give labels in the space of the scans; if scans and labels are in the participants' own space, set space: native in the cohort"
	}
	if len(all) < 3 {
		return nil // no graph
	}
	apart, most := 0.0, mostApart
	for i := range all {
		apart += all[i].at.Distance(all[i].want) / float64(len(all))
	}
	if len(all) < leastPlaces { // places of single regions may be given as peaks, and not as centroids
		most = farOff
	}
	if apart > most {
		at, want := middles(all)
		return fmt.Errorf("its regions lie %.0f mm from those of the node list on average, and all together (%.0f, %.0f, %.0f) mm off: %s; %s",
			apart, at[0]-want[0], at[1]-want[1], at[2]-want[2], all[0].where(), remedy)
	}
	if far := farther(all, func(p *placed) nifti.Point { return p.at }); far != nil && len(all) >= leastPlaces {
		return fmt.Errorf("%d of its %d regions lie more than %g mm from those of the node list: %s; %s",
			len(far), len(all), farOff, far[0].where(), remedy)
	}
	return nil
}
