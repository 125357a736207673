package region

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/need"
	"prgnn/stages/mat5"
)

// One rule finds the names of regions among the variables of a file.
func TestNamesAmongVariables(t *testing.T) {
	ts := mat5.Matrix("ts", make([]float64, 8), 4, 2)
	wide := mat5.Matrix("wide", make([]float64, 12), 4, 3)
	r := mat5.Matrix("r", make([]float64, 12), 2, 2, 3)
	texts := mat5.Texts
	numbers := func(name string, v ...float64) mat5.Variable { return mat5.Matrix(name, v, 1, len(v)) }
	in := func(name string, fields ...mat5.Variable) mat5.Variable {
		v := mat5.Variable{Name: name, Shape: []int{1, 1}, Class: "struct", Cells: fields}
		for _, f := range fields {
			v.Fields = append(v.Fields, f.Name)
		}
		return v
	}
	array := func(name, field string, values ...string) mat5.Variable {
		v := mat5.Variable{Name: name, Shape: []int{1, len(values)}, Class: "struct", Fields: []string{field}}
		for _, value := range values {
			v.Cells = append(v.Cells, mat5.Variable{Class: "char", Shape: []int{1, 1}, Texts: []string{value}})
		}
		return v
	}
	ab, pq := []string{"a", "b"}, []string{"p", "q"}
	for _, c := range []struct {
		what     string
		all      []mat5.Variable
		variable string
		names    string // of the layout
		want     string // names or an error
	}{
		{"texts under any name", []mat5.Variable{ts, texts("where", []string{"a ", "b"})}, "ts", "", "[a b]"},
		{"none", []mat5.Variable{ts}, "ts", "", "[]"},
		{"numbers under a usual name", []mat5.Variable{ts, numbers("ROI_labels", 7, 3)}, "ts", "", "[7 3]"},
		{"numbers under another name", []mat5.Variable{ts, numbers("voxels", 7, 3)}, "ts", "", "[]"},
		{"areas are no numbers of regions", []mat5.Variable{ts, numbers("labels", 7.5, 3)}, "ts", "", "[]"},
		{"nor are networks", []mat5.Variable{ts, numbers("labels", 7, 7)}, "ts", "", "[]"},
		{"texts before numbers", []mat5.Variable{ts, numbers("labels", 7, 3), texts("roi", ab)}, "ts", "", "[a b]"},
		{"two lists", []mat5.Variable{ts, texts("roi", ab), texts("net", pq)}, "ts", "",
			"several lists could name the regions: roi (2 texts), net (2 texts); name one (names: roi), or none (names: none)"},
		{"two equal lists", []mat5.Variable{ts, texts("roi", ab), texts("net", ab)}, "ts", "", "[a b]"},
		{"the one that is named", []mat5.Variable{ts, texts("roi", ab), texts("net", pq)}, "ts", "net", "[p q]"},
		{"numbers that are named", []mat5.Variable{ts, numbers("voxels", 7, 3)}, "ts", "voxels", "[7 3]"},
		{"none, as it is stated", []mat5.Variable{ts, texts("roi", ab), texts("net", pq)}, "ts", "none", "[]"},
		{"networks in texts", []mat5.Variable{ts, texts("roi", ab), texts("net", []string{"x", "x"})}, "ts", "",
			"[a b]"},
		{"one more, as with the background", []mat5.Variable{ts, texts("where", []string{"bg", "a", "b"})}, "ts", "",
			"no list names the 2 regions, but where (3 texts) does not fit"},
		{"a usual name of another length", []mat5.Variable{ts, numbers("labels", 1, 2, 3, 4, 5, 6)}, "ts", "",
			"labels (6 numbers) does not fit"},
		{"another length, as it is stated", []mat5.Variable{ts, numbers("labels", 1, 2, 3, 4, 5, 6)}, "ts", "none", "[]"},
		{"texts of something else", []mat5.Variable{ts, texts("history", make([]string, 9))}, "ts", "", "[]"},
		{"names that cannot be read", []mat5.Variable{ts, {Name: "names", Class: "string", Shape: []int{1, 1},
			Problem: errors.New("an object")}}, "ts", "", "names cannot be read (an object)"},
		{"beside the variable", []mat5.Variable{in("out", ts, texts("roi", ab)), texts("roi", pq)}, "out.ts", "", "[a b]"},
		{"in the file", []mat5.Variable{in("out", ts), texts("roi", pq)}, "out.ts", "", "[p q]"},
		{"in another struct", []mat5.Variable{ts, in("atlas", texts("labels", ab))}, "ts", "", "[a b]"},
		{"of rows", []mat5.Variable{ts, texts("roi", []string{"a", "b", "c", "d"})}, "ts", "", "[a b c d]"},
		{"ids of participants", []mat5.Variable{r, texts("who", []string{"x", "y", "z"}), texts("roi", ab)}, "r", "", "[a b]"},
		{"ids in a struct", []mat5.Variable{r, in("info", texts("who_else", ab), texts("id", []string{"x", "y", "z"})),
			texts("roi", ab)}, "r", "", "[a b]"},
		{"ids in a struct array", []mat5.Variable{r, array("subjects", "name", "x", "y", "z"), texts("roi", ab)}, "r", "", "[a b]"},
		{"names in a struct array", []mat5.Variable{ts, array("roi", "name", "b", "a")}, "ts", "", "[b a]"},
		{"ids of regions in a struct array", []mat5.Variable{ts, array("roi", "id", "b", "a")}, "ts", "", "[b a]"},
		{"a struct array beside the variable", []mat5.Variable{in("out", ts, array("roi", "label", "b", "a"))}, "out.ts", "",
			"[b a]"},
		{"the field that is named", []mat5.Variable{ts, array("roi", "name", "b", "a"), texts("net", pq)}, "ts", "roi.name",
			"[b a]"},
		{"one text, a line each", []mat5.Variable{ts, texts("names", []string{"b\r\na\n"})}, "ts", "", "[b a]"},
		{"one text with commas", []mat5.Variable{ts, texts("where", []string{"b, a"})}, "ts", "", "[b a]"},
		{"one text with blanks", []mat5.Variable{ts, texts("labels", []string{"b a"})}, "ts", "", "[b a]"},
		{"one text of another number", []mat5.Variable{ts, texts("labels", []string{"a,b,c"})}, "ts", "",
			"labels (3 texts) does not fit"},
		{"one text of something else", []mat5.Variable{ts, texts("label", []string{"the left side"}),
			texts("history", []string{"a,b,c"})}, "ts", "", "[]"},
		{"JSON", []mat5.Variable{ts, texts("meta", []string{`{"tr": 2, "names": ["b", "a"]}`})}, "ts", "", "[b a]"},
		{"a list of JSON", []mat5.Variable{ts, texts("meta", []string{`["b", "a"]`})}, "ts", "", "[b a]"},
		{"in JSON, as it is named", []mat5.Variable{ts, texts("meta", []string{`{"where": {"names": ["b", "a"]}}`}),
			texts("net", pq)}, "ts", "meta.where.names", "[b a]"},
		{"an order", []mat5.Variable{wide, numbers("index", 1, 0, 2)}, "wide", "", "index may be the order of the 3 regions"},
		{"an order that is named", []mat5.Variable{wide, numbers("index", 1, 0, 2)}, "wide", "index", "[1 0 2]"},
		{"an order that is none", []mat5.Variable{wide, numbers("index", 1, 0, 2)}, "wide", "none", "[]"},
		{"an order beside names", []mat5.Variable{wide, numbers("index", 1, 0, 2), texts("roi", []string{"a", "b", "c"})}, "wide",
			"", "[a b c]"},
		{"sorted names", []mat5.Variable{ts, texts("labels_sorted", ab)}, "ts", "", "labels_sorted may be the order of the 2 regions"},
		{"sorted names beside names", []mat5.Variable{ts, texts("labels_sorted", ab), texts("roi", pq)}, "ts", "", "[p q]"},
		{"the same order", []mat5.Variable{wide, numbers("index", 0, 1, 2)}, "wide", "", "[]"},
		{"an order in a table", []mat5.Variable{wide, mat5.Matrix("xyz", []float64{2, .5, 1, .5, 3, .5}, 3, 2)}, "wide", "",
			"xyz(:,1) may be the order of the 3 regions"},
		{"a mixed cell", []mat5.Variable{ts, {Name: "labels", Class: "cell", Shape: []int{1, 2},
			Cells: []mat5.Variable{numbers("", 4), texts("", []string{"b"})}}}, "ts", "", "[4 b]"},
	} {
		v, err := mat5.Find(c.all, c.variable)
		need.NoError(t, err)
		counts, members := []int{4, 2}, 0
		if c.variable == "r" {
			counts, members = []int{2}, 3
		}
		if c.variable == "wide" {
			counts = []int{4, 3}
		}
		file := &Contents{}
		names, err := Layout{Names: c.names}.namesIn(c.all, v, file, members, counts...)
		got := fmt.Sprint(names)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		if noted := c.what == "numbers under another name" || c.what == "the same order"; noted != (len(file.Notes) > 0) {
			t.Errorf("%s: notes %q", c.what, file.Notes)
		}
		if members > 0 && (len(file.Members) != 1 || !slices.Contains([]string{"who", "info.id", "subjects.name"},
			file.Members[0].Name)) {
			t.Errorf("%s: lists of the participants %v", c.what, file.Members)
		}
	}
}

// Lines propose the list that may name the regions, and no list of participants or groups; of two, none.
func TestProposedNames(t *testing.T) {
	r := mat5.Variable{Name: "r", Shape: []int{3, 3, 3}, Class: "double", Numbers: make([]float64, 27)}
	texts := func(name string, of ...string) mat5.Variable { return mat5.Texts(name, of) }
	subjects, group, who := texts("subjects", "x", "y", "z"), texts("group", "a", "b", "a"),
		texts("who", "sub-01", "sub-2", "subj_A3")
	roi, net := texts("roi", "A", "B", "C"), texts("net", "P", "Q", "R")
	for _, c := range []struct {
		lists []mat5.Variable
		want  string
	}{
		{[]mat5.Variable{subjects, group, who}, ""},
		{[]mat5.Variable{subjects, roi, group}, "  names: roi\n"},
		{[]mat5.Variable{subjects, roi, net}, "  names: VARIABLE   # the one that lists the regions: roi or net\n"},
	} {
		lines := Lines("all.mat", append(c.lists, r))
		need.Equal(t, strings.Join(lines, ""), "matrices:\n  pearson: all.mat\n  variable: r\n"+c.want+
			"  member: COLUMN   # of the table: the number of the participant in the file, from 1\n", c.want)
	}
}

// npzOf is an npz file of arrays: type, shape and bytes of each.
func npzOf(t *testing.T, arrays ...[4]string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, a := range arrays {
		w := need.Value(z.Create(a[0] + ".npy"))(t)
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a[1], a[2])
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s%s", len(head), head, a[3])
	}
	need.NoError(t, z.Close())
	return bytes.NewReader(b.Bytes())
}

// Texts of numpy are those of letters (U) and of bytes (S); objects that should name regions are refused.
func TestNamesOfNumpy(t *testing.T) {
	ts := [4]string{"ts", "<f8", "3, 2", strings.Repeat("\x00", 48)}
	for _, c := range []struct {
		names [4]string
		want  string
	}{
		{[4]string{"rois", "|S3", "2,", "ab\x00cde"}, "[ab cde]"},
		{[4]string{"rois", "<U1", "2,", "a\x00\x00\x00b\x00\x00\x00"}, "[a b]"},
		{[4]string{"labels", "<i8", "2,", "\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"}, "[2 1]"},
		{[4]string{"rois", "|S1", "2,", "\xff\xfe"}, "its texts are bytes, but not UTF-8"},
		{[4]string{"rois", "|O", "2,", "pickle"}, "it holds Python objects"},
	} {
		x, err := ReadSeries(npzOf(t, ts, c.names), Layout{})
		if err != nil {
			need.Error(t, err, c.want)
		} else if got := fmt.Sprint(x.Names); got != c.want {
			t.Errorf("%v: %s, want %s", c.names, got, c.want)
		}
	}
}

// Numbers of the participants are measures, and codes of groups, too, if they repeat or are truth values, under the
// name of groups.
func TestGroupsOfNumpy(t *testing.T) {
	four := "\x01\x00\x01\x01"
	for _, c := range []struct {
		list [4]string
		want string
	}{
		{[4]string{"group", "|b1", "4,", four}, "[{group [1 0 1 1] false false false false true false false} " +
			"{group [1 0 1 1] false false false true false false false}]"},
		{[4]string{"DX_GROUP", "|u1", "4,", four}, "[{DX_GROUP [1 0 1 1] false false false false true " +
			"false false} {DX_GROUP [1 0 1 1] false false false true false false false}]"},
		{[4]string{"sex", "|u1", "4,", four},
			"[{sex [1 0 1 1] false false false false true false false}]"},
		{[4]string{"group", "|b1", "2, 2", four}, "[]"},
	} {
		x := need.Value(ReadSquares(npzOf(t, [4]string{"r", "<f8", "4, 2, 2", strings.Repeat("\x00", 128)}, c.list),
			Layout{Variable: "r", Member: 1}))(t)
		need.Equal(t, fmt.Sprint(x.Members), c.want, c.list[0])
	}
}

// A file without variables has none that names the regions.
func TestNamesOfOtherFiles(t *testing.T) {
	_, err := ReadSeries(strings.NewReader("a\tb\n1\t2\n3\t5\n"), Layout{Names: "out.roi"})
	need.Error(t, err, "names is out.roi, a variable of a .mat or npz file, but this file is neither; set names to a file of labels")
	c, err := ReadSeries(strings.NewReader("a\tb\n1\t2\n3\t5\n"), Layout{Names: NoNames})
	need.NoError(t, err)
	need.Equal(t, c.Names == nil, true, "names: none")
}

// The targets of CONN's Z are those of names2, in any order.
func TestTargetsOfCONN(t *testing.T) {
	z := mat5.Variable{Name: "Z", Class: "double", Shape: []int{3, 3}, // columns c, a, b
		Numbers: []float64{.2, .3, 0, 0, .1, .2, .1, 0, .3}}
	all := []mat5.Variable{z, mat5.Texts("names", []string{"a", "b", "c"}), mat5.Texts("names2", []string{"c",
		"a", "b"})}
	l := Layout{Program: conn, Variable: "Z", Names: "names", FisherZ: true}
	c := &Contents{}
	need.NoError(t, l.matSquares(all, c))
	need.Equal(t, fmt.Sprint(c.Draws[0].Data), "[0 0.1 0.2 0.1 0 0.3 0.2 0.3 0]", "Z in the order of names")
	for _, twisted := range [][]string{{"c", "a", "a"}, {"c", "a", "x"}, {"c", "a"}} {
		all[2] = mat5.Texts("names2", twisted)
		need.Error(t, l.matSquares(all, &Contents{}), "names2")
	}
}

// An order key gives the labels in the order of the columns.
func TestOrderKey(t *testing.T) {
	for _, c := range []struct{ key, want, err string }{
		{"Order\tLabel in Mask\tROI Definition\n1\t7\tC:\\x\\aal.nii\n2\t5\t/x/aal.nii\n", "[7 5]", ""},
		{"Order\tLabel in Mask\n2\t7\n1\t5\n", "[5 7]", ""},
		{"Label in Mask\n7\n5\n", "[7 5]", ""},
		{"7\n5\n", "[7 5]", ""},
		{"label\n7\n5\n", "[7 5]", ""},
		{"ROI name\nPCC\n\nIPL\n", "[PCC IPL]", ""},
		{"Order\tLabel in Mask\n2\t7\n2\t5\n", "", `row 2 of the order key has the Order "2"`},
		{"Order\tLabel in Mask\n0\t7\n1\t5\n", "", `row 1 of the order key has the Order "0"`},
		{"Order\tLabel in Mask\n1\t7\n3\t5\n", "", "has 2 rows, but one has the Order 3"},
		{"Order\tLabel\n1\t7\n", "[7]", ""},
		{"index,name\n1,PCC\n2,IPL\n", "[PCC IPL]", ""},
		{"roi_id;network;roi_name\r\n1;DMN;\"PCC; left\"\r\n2;DMN;IPL\r\n", "[PCC; left IPL]", ""},
		{"PCC, left\nPCC, right\n", "[PCC, left PCC, right]", ""},
		{"PCC,left\nIPL\n", "[PCC,left IPL]", ""},
		{"name\tx\nPCC\t3\nIPL\t4\n", "[PCC IPL]", ""},
		{"1,PCC\n2,IPL\n", "", "the names may be those of column 1 (1, 2) or of column 2 (PCC, IPL)"},
		{"region,label\nPCC,7\nIPL,5\n", "", "several headings are those of names"},
		{"index,name\n2,PCC\n1,IPL\n3,SMA\n", "", "column index numbers the rows in a different order"},
		{"4 PCC\n2 IPL\n3 SMA\n", "", "may be PCC, the first line, or IPL, the lowest of the numbers"},
		{"names\n4 PCC\n2 IPL\n", "", "may be PCC"},
		{"label\n", "", "it lists no region"},
	} {
		labels, atlas, err := keyLabels([]byte(c.key))
		if c.err != "" {
			need.Error(t, err, c.err)
			continue
		}
		need.NoError(t, err)
		need.Equal(t, fmt.Sprint(labels), c.want, c.key)
		if strings.Contains(c.key, "aal") {
			need.Equal(t, atlas["7"]+atlas["5"], `C:\x\aal.nii/x/aal.nii`, "images")
		}
	}
}

// Columns that by name and values label the rows are no regions.
func TestColumnsThatLabelRows(t *testing.T) {
	for heading, refused := range map[string]bool{"id": true, "Sub": true, "TR": true, "eid": true, "group": true,
		"L_Hip": false} {
		text := heading + ",A,B\n7,1,2\n7,3,1\n7,2,5\n"
		_, err := SeriesNames(strings.NewReader(text), Layout{})
		if refused {
			need.Error(t, err, "the column "+heading+" is not a region, but what its rows belong to or their number (constant)")
		} else {
			need.NoError(t, err, heading)
		}
	}
	_, err := SeriesNames(strings.NewReader("Sub,A\n7,1\n8,3\n8,2\n"), Layout{})
	need.NoError(t, err)
	_, err = SeriesNames(strings.NewReader("id,A\n7,1\n8,3\n9,2\n"), Layout{})
	need.Error(t, err, "(counts the rows)")
	_, err = SeriesNames(strings.NewReader("id,A,B\n7,1,3\n7,3,2\n7,2,2\n"), Layout{Regions: []string{"A", "B"}})
	need.NoError(t, err)
}

// Columns that count, also again from the start, are no regions; signals are.
func TestColumnsThatCount(t *testing.T) {
	f := need.Value(os.Open(need.Shared(t, "fixtures/doors/mat") + "/truth_series.tsv"))(t)
	defer f.Close()
	_, x, err := connectivity.ReadText(f)
	need.NoError(t, err)
	for j := range x.Cols {
		need.Equal(t, counts(x.Data[j:], x.Rows, x.Cols), false, "a signal")
	}
	of := func(f func(i int) float64) (x []float64) {
		for i := range 60 {
			x = append(x, f(i))
		}
		return x
	}
	for what, x := range map[string][]float64{
		"volumes":                of(func(i int) float64 { return float64(i) }),
		"volumes of two runs":    of(func(i int) float64 { return float64(i % 30) }),
		"seconds of two runs":    of(func(i int) float64 { return .72 * float64(i%30) }),
		"every second, again":    of(func(i int) float64 { return float64(2 * i % 60) }),
		"some volumes, two runs": of(func(i int) float64 { k := i % 30; return float64(k + k*k/7) }),
		"backwards":              of(func(i int) float64 { return float64(-i) }),
	} {
		need.Equal(t, counts(x, len(x), 1), true, what)
	}
	for what, x := range map[string][]float64{
		"a constant": of(func(int) float64 { return 3 }),
		"a triangle": of(func(i int) float64 { return float64(max(i%20, 20-i%20)) }),
		"a wave":     of(func(i int) float64 { return float64(i * i % 17) }),
	} {
		need.Equal(t, counts(x, len(x), 1), false, what)
	}
}

// Columns of a wide table in an order of their own, whose names have numbers, ascend.
func TestWideColumnsAscend(t *testing.T) {
	for _, c := range []struct {
		columns []string
		order   string
		wrong   string
	}{
		{[]string{"id", "fc_0", "fc_1", "fc_2"}, upperRows, ""},
		{[]string{"fc_1", "fc_10", "fc_2"}, upperRows, "fc_2 comes after fc_10"},
		{[]string{"fc_1_2", "fc_1_3", "fc_2_3"}, upperRows, ""},
		{[]string{"fc_2_3", "fc_1_3", "fc_1_2"}, "", ""},
	} {
		_, err := WideOf(c.columns, "fc_*", nil, Layout{Order: c.order})
		if c.wrong == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.wrong)
		}
	}
}

// Points that may separate thousands are refused.
func TestPointsOfThousands(t *testing.T) {
	for text, wrong := range map[string]bool{
		"a\tb\n5.012\t540\n540\t4.001\n1.000\t2.000\n": true,
		"a\tb\n5.012\t540\n541\t4.001\n1.5\t2.000\n":   false,
		"1\t512.345\n2\t512.346\n3\t1.000\n":           false, // a column that counts
		"0.123\t1\n1\t0.123\n1\t.5\n":                  false,
		"5.012\n540.000\n1.000\n":                      false,
	} {
		_, _, err := connectivity.ReadText(strings.NewReader(text))
		need.Equal(t, err != nil && strings.Contains(err.Error(), "thousands"), wrong, text)
	}
}

// Errors and lists have the shapes of an npz file as numpy has them, which are the reverse of MATLAB's for three
// dimensions.
func TestShapesOfNPZ(t *testing.T) {
	cube := [4]string{"ts", "<f8", "4, 3, 2", strings.Repeat("\x00", 192)}
	_, err := ReadSeries(npzOf(t, cube), Layout{Variable: "ts"})
	need.Error(t, err, "ts (4×3×2 f8) is no matrix of volumes × regions: if it holds several participants, write a file for each; the file has ts (4×3×2 f8)")
	_, err = ReadSquares(npzOf(t, cube), Layout{Variable: "ts"})
	need.Error(t, err, "variable ts is [4 3 2], expected regions × regions, or draws in front")
	path := filepath.Join(t.TempDir(), "a.npz")
	need.NoError(t, os.WriteFile(path, need.Value(io.ReadAll(npzOf(t, cube)))(t), 0o666))
	f := need.Value(os.Open(path))(t)
	defer f.Close()
	all, _, err := Variables(f)
	need.NoError(t, err)
	need.Equal(t, Dimensions(all[0]), "4×3×2")
	need.Equal(t, fmt.Sprint(all[0].Shape), "[2 3 4]")
}
