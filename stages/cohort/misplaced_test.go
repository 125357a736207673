package cohort

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
	"prgnn/nifti"
	"prgnn/stages/atlas"
	"prgnn/stages/phantom"
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

// painted is a label image of 84 cubes of 6 mm: number i+1 lies where place gives it, mm.
func painted(code int, place func(i int) [3]float64) *nifti.Image {
	origin, voxels := [3]float64{-100, -140, -90}, make([]int16, 100*120*100)
	for n := range 84 {
		p := place(n)
		var at [3]int
		for a := range 3 {
			at[a] = int(math.Round((p[a] - origin[a]) / 2))
		}
		for v := range 27 {
			voxels[(at[0]+v%3-1)+100*(at[1]+v/3%3-1+120*(at[2]+v/9-1))] = int16(n + 1)
		}
	}
	return &nifti.Image{Shape: []int{100, 120, 100}, Code: code, Data: voxels,
		Affine: nifti.Affine{{2, 0, 0, -100}, {0, 2, 0, -140}, {0, 0, 2, -90}, {0, 0, 0, 1}}}
}

// Numbers 1 … 84 are the regions of dk84 only where they lie as its centroids do, in whatever space.
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
	for _, c := range []struct {
		name  string
		code  int
		place func(int) [3]float64
		want  string
	}{
		{"as published", 4, as(nodes), ""},
		{"a tilted, smaller head elsewhere", 1, func(i int) [3]float64 {
			p, s, co := where(nodes[i]), math.Sin(0.4), math.Cos(0.4)
			return [3]float64{0.85*p[0] + 6, 0.85*(co*p[1]-s*p[2]) + 20, 0.85*(s*p[1]+co*p[2]) - 10}
		}, ""},
		{"shuffled", 4, as(shuffled), "its labels are not the regions of the node list: "},
		{"alternating sides", 4, as(alternating), "its labels are not the regions of the node list: "},
		{"by name", 4, as(sorted), "its labels are not the regions of the node list: "},
		{"the right side in the order of the left", 4, as(mirrored), "its labels are not the regions of the node list: "},
		{"shuffled, without an orientation", 0, as(shuffled), "its labels are not the regions of the node list: "},
		{"left for right", 4, func(i int) [3]float64 {
			p := where(nodes[i])
			return [3]float64{-p[0], p[1], p[2]}
		}, "left and right are exchanged between its labels and the node list: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := study(t)
			file := filepath.Join(dir, "atlas.nii")
			image(t, file, painted(c.code, c.place))
			r, err := table(nil).Load(dir)
			if c.want == "" {
				need.NoError(t, err)
				if s := r.Scans(); s.Labels["from atlas.nii, given to the pipeline"] != 4 {
					t.Errorf("the methods take the labels %v", s.Labels)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "labels: "+file+": "+c.want) ||
				!strings.HasSuffix(err.Error(), "set nodes to the list of the regions of this image, a TSV with the columns index and name") {
				t.Errorf("%v", err)
			}
		})
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
