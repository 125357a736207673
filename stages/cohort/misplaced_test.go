package cohort

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/numeric/random"
	"prgnn/stages/atlas"
	"prgnn/stages/phantom"
	"prgnn/stages/region"
)

// image writes an image.
func image(t *testing.T, path string, i *nifti.Image) {
	t.Helper()
	var b bytes.Buffer
	err := nifti.Encode(&b, i)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	need.NoError(t, err)
}

// painted is a label image of 84 cubes of 6 mm: the label of region i lies where place gives it, mm.
func painted(code int, label func(i int) int, place func(i int) [3]float64) *nifti.Image {
	origin, voxels := [3]float64{-100, -140, -90}, make([]int16, 100*120*100)
	for n := range 84 {
		p := place(n)
		var at [3]int
		for a := range 3 {
			at[a] = int(math.Round((p[a] - origin[a]) / 2))
		}
		for v := range 27 {
			voxels[(at[0]+v%3-1)+100*(at[1]+v/3%3-1+120*(at[2]+v/9-1))] = int16(label(n))
		}
	}
	return &nifti.Image{Shape: []int{100, 120, 100}, Code: code, Data: voxels,
		Affine: nifti.Affine{{2, 0, 0, -100}, {0, 2, 0, -140}, {0, 0, 2, -90}, {0, 0, 0, 1}}}
}

// Numbers 1 … 84, or FreeSurfer's ids, are the regions of dk84 only where they lie as its centroids do: in MNI space to
// some millimeters, in native space after an affine alignment that neither mirrors nor turns the head.
func TestMisplacedLabels(t *testing.T) {
	nodes := atlas.DK84()
	where := func(n atlas.Node) [3]float64 { return [3]float64{n.X, n.Y, n.Z} }
	as := func(list []atlas.Node) func(int) [3]float64 {
		return func(i int) [3]float64 { return where(list[i]) }
	}
	shuffled := slices.Clone(nodes)
	random.New(1, "shuffle").Shuffle(84, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	var left, right, alternating []atlas.Node // left and right take turns, as in AAL
	for _, n := range nodes {
		if n.Hemisphere == "L" {
			left = append(left, n)
		} else {
			right = append(right, n)
		}
	}
	for i := range left {
		alternating = append(alternating, left[i], right[i])
	}
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b atlas.Node) int { return strings.Compare(a.Name, b.Name) })
	// The right side in the order of the left: 34 cortical regions first.
	mirrored := slices.Concat(nodes[:49], nodes[56:83], nodes[83:], nodes[49:56])
	number := func(i int) int { return i + 1 }
	id := func(i int) int { return nodes[i].ID }
	moved := func(x, y, z float64) func(int) [3]float64 {
		return func(i int) [3]float64 {
			p := where(nodes[i])
			return [3]float64{p[0] + x, p[1] + y, p[2] + z}
		}
	}
	flipped := func(signs ...float64) func(int) [3]float64 { // with a head that lies elsewhere, as in native space
		return func(i int) [3]float64 {
			p := where(nodes[i])
			return [3]float64{signs[0]*p[0] + 5, signs[1]*p[1] - 25, signs[2] * p[2]}
		}
	}
	exchange := func(structures ...string) func(int) [3]float64 { // of the left with those of the right
		return func(i int) [3]float64 {
			p := where(nodes[i])
			for _, s := range structures {
				if strings.HasSuffix(nodes[i].Name, s) {
					p[0] = -p[0]
				}
			}
			return p
		}
	}
	nodding := func(degrees float64) func(int) [3]float64 { // about the ears
		s, co := math.Sincos(degrees * math.Pi / 180)
		return func(i int) [3]float64 {
			p := where(nodes[i])
			y, z := p[1]+20, p[2]-15
			return [3]float64{p[0], co*y - s*z - 20, s*y + co*z + 15}
		}
	}
	tilted := func(i int) [3]float64 {
		p, s, co := where(nodes[i]), math.Sin(0.4), math.Cos(0.4)
		return [3]float64{0.85*p[0] + 6, 0.85*(co*p[1]-s*p[2]) + 20, 0.85*(s*p[1]+co*p[2]) - 10}
	}
	const (
		renamed   = "set nodes to the list of the regions of this image, a TSV with the columns index and name"
		elsewhere = "if scans and labels are in the participants' own space, set space: native in the cohort"
		numbers   = "its labels are not the regions of the node list: "
		sides     = "left and right are exchanged between its labels and the node list: "
	)
	for _, c := range []struct {
		name   string
		space  string
		code   int
		place  func(int) [3]float64
		want   string
		remedy string
	}{
		{"as published", "auto", 4, as(nodes), "", ""},
		{"8 mm off", "auto", 4, moved(0, 8, 0), "", ""},
		{"30 mm off", "auto", 4, moved(0, 0, 30), "its regions lie 30 mm from those of the node list on average, and all together (0, 0, 30) mm off: label ", elsewhere},
		{"30 mm off, in a template's space", "MNI152NLin6Asym", 4, moved(-30, 0, 0), "its regions lie 30 mm from those of the node list on average, and all together (-30, 0, 0) mm off: ", "or it is not in the space MNI152NLin6Asym: give labels in the space of the scans"},
		{"30 mm off, in native space", "native", 1, moved(0, 0, 30), "", ""},
		{"a tilted, smaller head elsewhere", "native", 1, tilted, "", ""},
		{"a tilted, smaller head elsewhere, as MNI", "auto", 1, tilted, "its regions lie 30 mm from those", elsewhere},
		{"nodding by 15°", "auto", 4, nodding(15), "its regions lie 1", elsewhere},
		{"nodding by 5°", "auto", 4, nodding(5), "", ""},
		{"nodding by 15°, in native space", "native", 1, nodding(15), "", ""},
		{"shuffled", "auto", 4, as(shuffled), numbers, renamed},
		{"alternating sides", "auto", 4, as(alternating), numbers, renamed},
		{"by name", "auto", 4, as(sorted), numbers, renamed},
		{"the right side in the order of the left", "auto", 4, as(mirrored), numbers, renamed},
		{"shuffled, without an orientation", "auto", 0, as(shuffled), numbers, renamed},
		{"left for right", "auto", 4, flipped(-1, 1, 1), sides, renamed},
		{"left for right in native space", "native", 4, flipped(-1, 1, 1), sides, renamed},
		{"front for back in native space", "native", 4, flipped(1, -1, 1), "front and back are exchanged between its labels", renamed},
		{"top for bottom in native space", "native", 4, flipped(1, 1, -1), "top and bottom are exchanged between its labels", renamed},
		{"turned about z in native space", "native", 4, flipped(-1, -1, 1), sides, renamed},
		{"turned about x in native space", "native", 4, flipped(1, -1, -1), "front and back, top and bottom are exchanged", renamed},
		{"on its side in native space", "native", 4, func(i int) [3]float64 {
			p := where(nodes[i])
			return [3]float64{p[0], p[2], -p[1]}
		}, "the head lies turned by 90° in it", renamed},
		{"two regions for each other", "native", 4, exchange("Hippocampus", "-precuneus"), "4 of 84 regions lie on the other side of the brain: ", renamed},
		{"a medial region for the other", "native", 4, exchange("caudalanteriorcingulate"), "2 of 84 regions lie on the other side of the brain: ", renamed},
	} {
		for _, ids := range []struct {
			name  string
			label func(int) int
		}{{"numbers", number}, {"ids", id}} {
			t.Run(c.name+"/"+ids.name, func(t *testing.T) {
				dir := study(t)
				file := filepath.Join(dir, "atlas.nii")
				image(t, file, painted(c.code, ids.label, c.place))
				r, err := table(func(t *TableCohort) { t.Space = c.space }).Load(dir)
				if c.want == "" {
					need.NoError(t, err)
					if s := r.Scans(); s.Labels["from atlas.nii, given to the pipeline"] != 4 ||
						c.space == "native" != (s.Space == "native") || s.Aligned != (c.space == "native") {
						t.Errorf("the methods take %+v", s)
					}
					return
				}
				remedy := c.remedy
				if remedy == renamed && ids.name == "ids" && c.want != numbers {
					remedy = "correct " // the list is right
				}
				if err == nil || !strings.HasPrefix(err.Error(), "labels: "+file+": "+c.want) ||
					!strings.Contains(err.Error(), remedy) || strings.HasPrefix(c.name, "left") &&
					!strings.Contains(err.Error(), "exchanged in the names of the node list: correct it; otherwise the image was mirrored") {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// Real and simulated images of these regions are taken.
func TestLabelsInPlace(t *testing.T) {
	t.Run("MNI at 10 mm", func(t *testing.T) {
		file := need.Shared(t, "data", "atlas", "dk84_coinstac10mm_node_majority.nii.gz")
		if _, err := table(func(c *TableCohort) { c.Labels = file }).Load(study(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("MNI at 1 mm, ids", func(t *testing.T) {
		file := need.Shared(t, "data", "atlas", "dk84_mni_1mm_fsid.nii.gz")
		if _, err := table(func(c *TableCohort) { c.Labels = file }).Load(study(t)); err != nil {
			t.Error(err)
		}
	})
	nodes, _ := atlas.Named("dk84-index")
	for _, grid := range []float64{4, 12} {
		scan, err := phantom.Make(phantom.Settings{Seed: 1, Grid: grid, Volumes: 8, TR: 2}, nodes)
		need.NoError(t, err)
		o := scan.Origin
		dir := study(t)
		image(t, filepath.Join(dir, "atlas.nii"), &nifti.Image{Shape: scan.Shape[:3], Code: 1, Data: scan.Labels,
			Affine: nifti.Affine{{grid, 0, 0, o[0]}, {0, grid, 0, o[1]}, {0, 0, grid, o[2]}, {0, 0, 0, 1}}})
		if _, err := table(nil).Load(dir); err != nil {
			t.Errorf("simulated at %g mm: %v", grid, err)
		}
	}
}

// A node list of some of the labels of the participants' images is accepted, and the labels left out are counted.
func TestLabelsLeftOut(t *testing.T) {
	nodes := []region.Node{{Index: 1, Id: 5, Name: "a"}, {Index: 2, Id: 7, Name: "b"}}
	by := func(n region.Node) int32 { return n.Id }
	for _, c := range []struct {
		values []int32
		want   []string
	}{
		{[]int32{5, 7}, nil},
		{[]int32{5, 6, 7, 9}, []string{"2 of the 4 labels of a.nii have no row in the node list and belong to no region: 6, 9"}},
		{[]int32{1, 2}, nil}, // parcellate refuses it
	} {
		r := &Roster{}
		r.noteLeftOut(nodes, by, c.values, "a.nii")
		if !slices.Equal(wording.NoteTexts(r.Notes), c.want) {
			t.Errorf("labels %v: notes %q, want %q", c.values, wording.NoteTexts(r.Notes), c.want)
		}
	}
}

// The names of a node list without coordinates have to be of the side on which the labels lie.
func TestNamesOfTheOtherSide(t *testing.T) {
	all := atlas.DK84()
	path := filepath.Join(t.TempDir(), "labels.nii")
	image(t, path, painted(4, func(i int) int { return i + 1 },
		func(i int) [3]float64 { return [3]float64{all[i].X, all[i].Y, all[i].Z} }))
	labels := need.Value(nifti.OpenLabels(path))(t)
	swap := strings.NewReplacer("lh", "rh", "rh", "lh", "Left", "Right", "Right", "Left")
	for swapped, want := range map[int]string{0: "", 2: "", 30: "regions lie on the other side", 84: "left and right are exchanged"} {
		list, frame := make([]region.Node, 84), region.Frame{Places: make([]region.Place, 84)}
		for i, n := range all {
			if i%42 < swapped/2 {
				n.Name = swap.Replace(n.Name)
			}
			list[i] = region.Node{Index: int32(i + 1), Id: int32(i + 1), Name: n.Name}
			frame.Places[i] = region.Place{X: math.NaN(), Y: math.NaN(), Z: math.NaN(), Hemisphere: atlas.Side(n.Name)}
		}
		err := region.Misplaced(list, frame, func(n region.Node) int32 { return n.Index }, labels)
		if want == "" {
			need.NoError(t, err, swapped)
		} else {
			need.Error(t, err, want, swapped)
		}
	}
}
