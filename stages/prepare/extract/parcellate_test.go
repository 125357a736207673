package extract

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/stagetest"
)

// goldenScan is a file of the golden set of package nifti, as an input.
func goldenScan(t testing.TB, name string) dag.Input {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "nifti", "testdata", "nilearn", name))
	need.NoError(t, err)
	in := dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b})
	in.Name = name
	return in
}

// imageInput encodes an image as an input.
func imageInput(t testing.TB, name string, img *nifti.Image) dag.Input {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, img))
	in := dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})
	in.Name = name
	return in
}

// goldenIDs are the labels of the golden set, out of their order.
var goldenIDs = []int32{2035, 8, 10, 17, 47, 54, 58, 1001, 1035, 2001}

func labelsOf(t testing.TB, v artifacts.Value) *nifti.Labels {
	t.Helper()
	r := need.Value(nifti.NewReader(bytes.NewReader(v.(artifacts.Bytes).Data), "output"))(t)
	l := need.Value(nifti.ReadLabels(r))(t)
	return l
}

// The golden labels: nilearn's voxels under our numbers, and a row for the label
// that vanishes on the way.
func TestParcellateGolden(t *testing.T) {
	out, err := stagetest.RunWith(stagetest.NewStage[*Parcellate](t, "parcellate"), map[string]dag.Input{
		"bold": goldenScan(t, "bold.nii.gz"), "labels": goldenScan(t, "labels_2mm.nii.gz"),
		"nodes": stagetest.Nodes(goldenIDs...),
	})
	need.NoError(t, err)
	want := labelsOf(t, artifacts.Bytes{Data: stagetest.Sure(goldenScan(t, "labels_resampled_expected.nii.gz").Bytes())})
	got := labelsOf(t, out["parcels"])
	if !got.Grid.Same(want.Grid) {
		t.Errorf("grid %v, want %v", got.Grid, want.Grid)
	}
	voxels := make([]int64, len(goldenIDs))
	for i, v := range want.Voxels {
		n := slices.Index(goldenIDs, v) + 1
		if int32(n) != got.Voxels[i] {
			t.Fatalf("voxel %d is of node %d, want %d", i, got.Voxels[i], n)
		}
		if n > 0 {
			voxels[n-1]++
		}
	}
	c := out["coverage"].(*encoding.Table)
	if c.Rows() != len(goldenIDs) {
		t.Fatalf("%d rows, want %d", c.Rows(), len(goldenIDs))
	}
	if v := stagetest.Sure(c.Ints("voxels")); !slices.Equal(v, voxels) {
		t.Errorf("voxels %v, want %v", v, voxels)
	}
	if v := stagetest.Sure(c.Bools("kept")); slices.Index(v, false) != 5 || !v[6] { // 54 is gone, 58 has one voxel
		t.Errorf("kept %v", v)
	}
	if v := stagetest.Sure(c.Ints("label_voxels")); v[5] != 1 || v[6] != 1 {
		t.Errorf("label voxels %v", v)
	}
	if c.Meta["labels"] != "id" || c.Meta["other_labels"] != "none" || c.Meta["resampling"] != "nearest neighbor" {
		t.Errorf("metadata %v", c.Meta)
	}
}

// cube is a label image of n³ voxels of 1 mm, the first at (origin, origin, origin).
func cube(n int, origin float64, value func(i, j, k int) int32) *nifti.Image {
	img := &nifti.Image{Shape: []int{n, n, n}, Affine: nifti.Identity, Code: 1}
	for r := range 3 {
		img.Affine[r][3] = origin
	}
	data := make([]int32, 0, n*n*n)
	for k := range n {
		for j := range n {
			for i := range n {
				data = append(data, value(i, j, k))
			}
		}
	}
	img.Data = data
	return img
}

func background(i, j, k int) int32 { return 0 }

// boldCube is a scan of n³ voxels.
func boldCube(t testing.TB, n int, origin float64, volumes int) dag.Input {
	img := cube(n, origin, background)
	img.Shape = append(img.Shape, volumes)
	data := make([]int16, n*n*n*volumes)
	for i := range data {
		data[i] = int16(i * 7919 % 1009)
	}
	img.Data, img.TR = data, 2
	return imageInput(t, "sub-01_bold.nii.gz", img)
}

// hugeBold is a scan whose header promises 32767³ voxels.
func hugeBold(t testing.TB) dag.Input {
	z, err := gzip.NewReader(bytes.NewReader(stagetest.Sure(boldCube(t, 4, 0, 2).Bytes())))
	need.NoError(t, err)
	b := stagetest.Sure(io.ReadAll(z))[:480]
	for axis := range 3 {
		b[42+2*axis], b[43+2*axis] = 0xff, 0x7f
	}
	in := dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b})
	in.Name = "sub-01_bold.nii.gz"
	return in
}

// Of node 1 the scan sees three voxels of sixteen, of node 2 one of four, and
// node 3 is not in the label image at all.
func TestParcellateCoverage(t *testing.T) {
	labels := imageInput(t, "dseg.nii.gz", cube(8, -4, func(i, j, k int) int32 {
		switch {
		case i >= 2 && i < 6 && j < 4 && k == 5:
			return 11
		case i < 4 && j == 5 && k == 5:
			return 22
		case k == 7:
			return 99
		}
		return 0
	}))
	s := &Parcellate{Labels: "auto", Missing: "keep", MinCoverage: 0.5}
	in := map[string]dag.Input{"bold": boldCube(t, 5, -1, 3), "labels": labels, "nodes": stagetest.Nodes(11, 22, 33)}
	out, err := stagetest.RunWith(s, in)
	need.NoError(t, err)
	c := out["coverage"].(*encoding.Table)
	if v := stagetest.Sure(c.Floats("coverage")); !slices.Equal(v, []float64{3.0 / 16, 1.0 / 4, 0}) {
		t.Errorf("coverage %v", v)
	}
	if v := stagetest.Sure(c.Bools("kept")); !slices.Equal(v, []bool{false, false, false}) {
		t.Errorf("kept %v", v)
	}
	if c.Meta["other_labels"] != "99" {
		t.Errorf("metadata %v", c.Meta)
	}
	s.MinCoverage = 0.25
	if out, err = stagetest.RunWith(s, in); err != nil {
		t.Fatal(err)
	}
	c = out["coverage"].(*encoding.Table)
	if v := stagetest.Sure(c.Bools("kept")); !slices.Equal(v, []bool{false, true, false}) {
		t.Errorf("kept %v", v)
	}
	if n := labelsOf(t, out["parcels"]).Counts(); len(n) != 1 || n[2] != 1 {
		t.Errorf("parcels %v, want one voxel of node 2", n)
	}
	if v := stagetest.Sure(c.Ints("voxels")); !slices.Equal(v, []int64{3, 1, 0}) {
		t.Errorf("voxels %v", v)
	}
}

// Labels that are node numbers, among them some that are ids of other nodes.
func TestParcellateNumbers(t *testing.T) {
	row := imageInput(t, "dseg.nii.gz", cube(4, 0, func(i, j, k int) int32 { return int32(i) }))
	in := map[string]dag.Input{"bold": boldCube(t, 4, 0, 2), "labels": row, "nodes": stagetest.Nodes(1001, 3, 2)}
	for _, c := range []struct{ labels, want, wrong string }{
		{"auto", "index", ""},
		{"index", "index", ""},
		{"id", "", "dseg.nii.gz: 1 of the 3 nodes is missing: 1001 n1001 (missing: keep continues with their rows empty)"},
	} {
		out, err := stagetest.RunWith(&Parcellate{Labels: c.labels, Missing: "fail"}, in)
		if c.wrong != "" {
			if err == nil || err.Error() != c.wrong {
				t.Errorf("%s: error %v, want %s", c.labels, err, c.wrong)
			}
			continue
		}
		need.NoError(t, err)
		need.Equal(t, out["coverage"].(*encoding.Table).Meta["labels"], c.want, c.labels)
		if l := labelsOf(t, out["parcels"]); !slices.Equal(l.Voxels[:4], []int32{0, 1, 2, 3}) {
			t.Errorf("%s: parcels %v", c.labels, l.Voxels[:4])
		}
	}
}

// A node list that counts from another number than the image is refused with what to do, also where its numbers could
// be taken for node numbers.
func TestParcellateShifted(t *testing.T) {
	row := imageInput(t, "dseg.nii.gz", cube(4, 0, func(i, j, k int) int32 { return int32(i) })) // 1, 2, 3
	for _, c := range []struct {
		ids  []int32
		want string
	}{
		{[]int32{2, 3, 4}, "1 of the 3 nodes is missing: 4 n4; the list counts from 2 and the image from 1: subtract 1 from the values of the list"},
		{[]int32{1, 2, 3, 4}, "1 of the 4 nodes is missing: 4 n4; if the image counts from 0, its first region is taken for the background: add 1 to the labels of the image"},
		{[]int32{1, 2, 7}, "1 of the 3 nodes is missing: 7 n7 (missing: keep"},
	} {
		in := map[string]dag.Input{"bold": boldCube(t, 4, 0, 2), "labels": row, "nodes": stagetest.Nodes(c.ids...)}
		_, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"}, in)
		need.Error(t, err, c.want)
	}
}

// Each participant's labels lie on the sides that the names of the node list have; the list is not to be corrected for
// one image of many.
func TestParcellateSidesOfNames(t *testing.T) {
	row := imageInput(t, "dseg.nii.gz", cube(4, 0, func(i, j, k int) int32 { return int32(i) })) // 3 is right of 1
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"ctx-lh-insula", "Brain-Stem", "ctx-rh-insula"}, ""},
		{[]string{"insula", "Brain-Stem", "cuneus"}, ""},
		{[]string{"ctx-rh-insula", "Brain-Stem", "ctx-lh-insula"},
			"if all label images are refused, left and right may be exchanged in the names"},
	} {
		nodes := dag.InputOf(encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2, 3}},
			encoding.Column{Name: "id", Values: []int32{1, 2, 3}}, encoding.Column{Name: "name", Values: c.names}))
		in := map[string]dag.Input{"bold": boldCube(t, 4, 0, 2), "labels": row, "nodes": nodes}
		_, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"}, in)
		if c.want == "" {
			need.NoError(t, err, c.names)
		} else {
			need.Error(t, err, c.want, c.names)
		}
	}
}

// Labels in a space of their own, with the transform from it.
func TestParcellateTransform(t *testing.T) {
	in := map[string]dag.Input{
		"bold": boldCube(t, 8, 0, 2), "nodes": stagetest.Nodes(1, 2, 3),
		"labels": imageInput(t, "aparc+aseg.mgz", cube(4, 0, func(i, j, k int) int32 { return int32(i) })),
	}
	// A point of the scan's space at x lies at x − 3 in the labels'; ITK's x points left.
	transform := dag.InputOf(artifacts.Bytes{Kind: "itk", Data: []byte("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 3 0 0\nFixedParameters: 0 0 0\n")})
	in["transform"] = transform
	out := need.Value(stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"}, in))(t)
	if l := labelsOf(t, out["parcels"]); !slices.Equal(l.Voxels[:8], []int32{0, 0, 0, 0, 1, 2, 3, 0}) {
		t.Errorf("parcels %v", l.Voxels[:8])
	}
	if m := out["coverage"].(*encoding.Table).Meta; m["transform"] != "applied" {
		t.Errorf("metadata %v", m)
	}
}

// Where labels could be both, they are ids.
func TestParcellateBoth(t *testing.T) {
	row := imageInput(t, "dseg.nii.gz", cube(4, 0, func(i, j, k int) int32 { return int32(i) }))
	out, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"},
		map[string]dag.Input{"bold": boldCube(t, 4, 0, 2), "labels": row, "nodes": stagetest.Nodes(3, 1, 2)})
	need.NoError(t, err)
	if l := labelsOf(t, out["parcels"]); !slices.Equal(l.Voxels[:4], []int32{0, 2, 3, 1}) {
		t.Errorf("parcels %v", l.Voxels[:4])
	}
}

func TestParcellateRefuses(t *testing.T) {
	desikan := []int32{1001, 1002, 1032, 1033, 2001, 2032, 2033}
	bold := boldCube(t, 4, 0, 2)
	image := func(origin float64, value func(i, j, k int) int32) dag.Input {
		return imageInput(t, "dseg.nii.gz", cube(4, origin, value))
	}
	full := func(i, j, k int) int32 { return 1002 }
	for _, c := range []struct {
		name                string
		bold, labels, nodes dag.Input
		want                string
	}{
		{"DKT", bold, image(0, full), stagetest.Nodes(desikan...), "dseg.nii.gz: 6 of the 7 nodes are missing: 1001 n1001, 1032 n1032, 1033 n1033, 2001 n2001, 2032 n2032, 2033 n2033; the DKT atlas lacks these: use aparc+aseg, not aparc.DKTatlas+aseg (missing: keep continues with their rows empty)"},
		{"other atlas", bold, image(0, full), stagetest.Nodes(7, 8), "dseg.nii.gz: none of the 2 nodes is in the image: its 1 labels run from 1002 to 1002, the node list's from 7; use the labels of this atlas, or the node list of these labels"},
		{"empty", bold, image(0, background), stagetest.Nodes(7), "dseg.nii.gz: every voxel is 0, so there are no labels"},
		{"elsewhere", bold, imageInput(t, "dseg.nii.gz", cube(5, 100, full)), stagetest.Nodes(1002), "dseg.nii.gz over sub-01_bold.nii.gz: the labels do not overlap the scan: the labels are on 5×5×5 voxels of 1×1×1 mm, x 99.5…104.5, y 99.5…104.5, z 99.5…104.5 mm, the scan on 4×4×4 voxels of 1×1×1 mm, x -0.5…3.5, y -0.5…3.5, z -0.5…3.5 mm; are both in the same space (T1w, MNI…)?"},
		{"of the scan's shape", bold, image(100, full), stagetest.Nodes(1002), "dseg.nii.gz over sub-01_bold.nii.gz: the labels have the shape of the scan, but another affine, which puts a corner of them 173 mm beside the scan: 4×4×4 voxels of 1×1×1 mm, x 99.5…103.5, y 99.5…103.5, z 99.5…103.5 mm, the scan 4×4×4 voxels of 1×1×1 mm, x -0.5…3.5, y -0.5…3.5, z -0.5…3.5 mm; one of the headers is wrong"},
		{"nearly elsewhere", bold,
			imageInput(t, "dseg.nii.gz", cube(5, 3, func(i, j, k int) int32 { return int32(1001 + min(i, 1)) })),
			stagetest.Nodes(1001, 1002), "dseg.nii.gz over sub-01_bold.nii.gz: 1 of the 2 nodes lies outside the scan, or with less than 0 of their label inside (min_coverage): n1002: the labels are on 5×5×5 voxels of 1×1×1 mm, x 2.5…7.5, y 2.5…7.5, z 2.5…7.5 mm, the scan on 4×4×4 voxels of 1×1×1 mm, x -0.5…3.5, y -0.5…3.5, z -0.5…3.5 mm; either they are in different spaces (T1w, MNI…) or the scan does not cover the brain (missing: keep continues with their rows empty)"},
		{"one volume", image(0, full), image(0, full), stagetest.Nodes(1002), "dseg.nii.gz: shape [4 4 4] has one volume, but a BOLD scan needs several"},
		{"huge", hugeBold(t), image(0, full), stagetest.Nodes(1002), "sub-01_bold.nii.gz: header: dim: a volume of shape [32767 32767 32767] takes 67102720 MiB, the limit is 1024 MiB; if it is correct, resample the image to larger voxels; if not, export the image again from the program that wrote it"},
		{"a series as labels", bold, bold, stagetest.Nodes(1002), "sub-01_bold.nii.gz: a probabilistic atlas of 2 volumes, but the node list has 1 regions: one volume is one region, in the order of the ids 1, 2, 3 …"},
		{"twice an id", bold, image(0, full), stagetest.Nodes(1002, 1002), "cohort.nodes: nodes 1 and 2 share the id 1002"},
		{"no nodes", bold, image(0, full), stagetest.Nodes(), "cohort.nodes: 0 nodes, want 1 to 32767"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"},
				map[string]dag.Input{"bold": c.bold, "labels": c.labels, "nodes": c.nodes})
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v\nwant %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
		})
	}
}
