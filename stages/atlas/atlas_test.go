package atlas

import (
	"encoding/csv"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// The order of MRtrix3's fs_default.txt, stated by its rule: left cortex, left
// cerebellum, left subcortex, right subcortex, right cortex, right cerebellum.
func TestDK84Order(t *testing.T) {
	var want []int
	for id := 1001; id <= 1035; id++ {
		if id != 1004 { // the corpus callosum
			want = append(want, id)
		}
	}
	want = append(want, 8, 10, 11, 12, 13, 17, 18, 26, 49, 50, 51, 52, 53, 54, 58)
	for id := 2001; id <= 2035; id++ {
		if id != 2004 {
			want = append(want, id)
		}
	}
	want = append(want, 47)
	nodes := DK84()
	if len(nodes) != 84 || len(want) != 84 {
		t.Fatalf("%d nodes, want 84 (%d)", len(nodes), len(want))
	}
	for i, n := range nodes {
		if n.Index != i+1 || n.ID != want[i] {
			t.Errorf("node %d: index %d, id %d, want id %d", i+1, n.Index, n.ID, want[i])
		}
		if (n.X < 0) != (n.Hemisphere == "L") || n.Volume <= 0 || n.Color == "" ||
			!strings.HasPrefix(n.Abbreviation, n.Hemisphere+".") {
			t.Errorf("node %d is not whole: %+v", i+1, n)
		}
	}
	numbered, _ := Named("dk84-index")
	for i, n := range numbered {
		if n.ID != i+1 || n.Name != nodes[i].Name {
			t.Errorf("dk84-index: node %d has id %d, name %s", i+1, n.ID, n.Name)
		}
	}
	if _, ok := Named("aal"); ok {
		t.Error("Named knows a list that there is not")
	}
}

// The embedded list holds what the outside sources say.
func TestDK84AgainstItsSources(t *testing.T) {
	nodes := DK84()
	byID := map[string]Node{}
	for _, n := range nodes {
		byID[strconv.Itoa(n.ID)] = n
	}
	for _, source := range []struct {
		path, id  string
		separator rune
		columns   map[string]func(Node) string
	}{
		{"science/dk84.tsv", "fs_id", '\t', map[string]func(Node) string{
			"index":        func(n Node) string { return strconv.Itoa(n.Index) },
			"name":         func(n Node) string { return n.Name },
			"abbreviation": func(n Node) string { return n.Abbreviation },
			"color":        func(n Node) string { return n.Color },
		}},
		{"data/atlas/dk84.csv", "id", ',', map[string]func(Node) string{
			"node":       func(n Node) string { return strconv.Itoa(n.Index) },
			"hemisphere": func(n Node) string { return n.Hemisphere },
			"structure":  func(n Node) string { return n.Structure },
			"x_mni":      func(n Node) string { return strconv.FormatFloat(n.X, 'f', 1, 64) },
			"y_mni":      func(n Node) string { return strconv.FormatFloat(n.Y, 'f', 1, 64) },
			"z_mni":      func(n Node) string { return strconv.FormatFloat(n.Z, 'f', 1, 64) },
			"volume_mm3": func(n Node) string { return strconv.FormatFloat(n.Volume, 'f', -1, 64) },
		}},
	} {
		t.Run(filepath.Base(source.path), func(t *testing.T) {
			f := need.Value(os.Open(need.Shared(t, source.path)))(t)
			defer f.Close()
			r := csv.NewReader(f)
			r.Comma = source.separator
			rows := need.Value(r.ReadAll())(t)
			if len(rows) != 85 {
				t.Fatalf("%d rows, want 84 and a header", len(rows))
			}
			at := lists.Places(rows[0])
			for _, row := range rows[1:] {
				n, ok := byID[row[at[source.id]]]
				if !ok {
					t.Errorf("id %s is not in the list", row[at[source.id]])
					continue
				}
				for column, of := range source.columns {
					need.Equal(t, of(n), row[at[column]], "id", n.ID, column, "the source says")
				}
			}
		})
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Node // Index, ID, Name, Color, X are compared
	}{
		{"BIDS", "index\tname\n0\tbackground\n17\tLeft-Hippocampus\n4\tLeft-Ventricle\n",
			[]Node{{Index: 1, ID: 17, Name: "Left-Hippocampus", X: nan},
				{Index: 2, ID: 4, Name: "Left-Ventricle", X: nan}}},
		{"ours", "index,id,name,x,color\n1,10,a,-3.5,#00FF00\n2,11,b,n/a,n/a\n",
			[]Node{{Index: 1, ID: 10, Name: "a", X: -3.5, Color: "#00FF00"}, {Index: 2, ID: 11, Name: "b", X: nan}}},
		{"Excel", "\ufeffIndex;Name\r\n3;\"x, y\"\r\n\r\n", []Node{{Index: 1, ID: 3, Name: "x, y", X: nan}}},
		{"pandas", "index,name\n1.0,a\n20.0,b\n", []Node{{Index: 1, ID: 1, Name: "a", X: nan}, {Index: 2, ID: 20, Name: "b", X: nan}}},
		{"DiFuMo of TemplateFlow", "Component\tDifumo_names\tYeo_networks7\tGM\n1\tCuneus\tVisCent\t0.4\n", []Node{{Index: 1, ID: 1, Name: "Cuneus", X: nan}}},
		{"plain names", "left\nright\n", []Node{{Index: 1, ID: 1, Name: "left", X: nan},
			{Index: 2, ID: 2, Name: "right", X: nan}}},
		{"plain names below a comment", "# my regions\nleft\nright\n", []Node{{Index: 1, ID: 1, Name: "left", X: nan},
			{Index: 2, ID: 2, Name: "right", X: nan}}},
		{"plain numbers", "101\n7\n", []Node{{Index: 1, ID: 101, Name: "101", X: nan},
			{Index: 2, ID: 7, Name: "7", X: nan}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := need.Value(Read(strings.NewReader(c.text), "nodes.tsv"))(t)
			if len(got) != len(c.want) {
				t.Fatalf("%d nodes, want %d: %+v", len(got), len(c.want), got)
			}
			for i, w := range c.want {
				g := got[i]
				same := g.X == w.X || math.IsNaN(g.X) && math.IsNaN(w.X)
				if g.Index != w.Index || g.ID != w.ID || g.Name != w.Name || g.Color != w.Color || !same {
					t.Errorf("node %d: %+v, want %+v", i, g, w)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	const separate = "but in a plain list of names the first line is region 1: separate the number and the name of each " +
		"line by a tab, and write index and name, with a tab between them, above"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "n.tsv: empty, but a list of regions was expected"},
		{"no name", "index,label\n1,a\n", `n.tsv:1: no column "name"; the columns are index, label`},
		{"no value", "name,label\na,1\n", `n.tsv:1: no column "index" (or "id") with the value of each region in the label image; the columns are name, label`},
		{"header only", "index,name\n", "n.tsv: the list has no regions: add one line per region"},
		{"two columns", "name,index,name\n", `n.tsv:1: two columns are named "name": rename or remove one of them`},
		{"all at once", "index\tname\tcolor\tx\n1\ta\tred\t0\n1\ta\t#000000\tleft\nx\tb\t\t\n2\n3\t\t\t\n",
			`n.tsv:2: color is "red"; write colors as #rrggbb
n.tsv:3: x is "left", which is not a number
n.tsv:4: index is "x"; values of a label image are integers from 0 to 2147483647
n.tsv:5: 1 values, but the first line has 4
n.tsv:3: the name "a" was used before (n.tsv:2): rename one of the two
n.tsv:3: the value 1 was used before (n.tsv:2): correct one of the two
n.tsv:6: the region has no name: fill it in`},
		{"the background is counted", "index,name\n2,a\n1,Background\n", `n.tsv:3: the value 1 is named "Background", but the background of a label image is the value 0: if the list counts from 1 and the image from 0, subtract 1 from every value; if 1 is a region of the image, give it another name`},
		{"a workbook", "\xd0\xcf\x11\xe0\xa1\xb1", "n.tsv: it is an old Office file (.xls); export the table as CSV or TSV"},
		{"a transform", "#Insight Transform File V1.0\n", "n.tsv: " + foreign.Name([]byte("#Insight Transform File"))},
		{"latin-1", "index,name\n1,Gehirnh\xe4lfte\n", "n.tsv:2: not UTF-8 text: save the file as UTF-8"},
		{"utf-16", "\xff\xfei\x00n\x00d\x00e\x00x\x00,\x00n\x00a\x00m\x00e\x00\n\x001\x00,\x00a\x00\n\x00",
			"n.tsv: it is text in UTF-16: save it as UTF-8"},
		{"utf-16 without a mark", "\x00i\x00n\x00d\x00e\x00x\x00,\x00n\x00a\x00m\x00e\x00\n\x001\x00,\x00a\x00\n",
			"n.tsv: it is text in UTF-16: save it as UTF-8"},
		{"bytes", "index,name\n1,a\x00\n", "n.tsv: not a text file; save the list of regions as TSV or CSV, in UTF-8"},
		{"plain twice, with an accent", "ü\nu\u0308\n", "n.tsv: node 2: the name \"u\u0308\" was used before (node 1): rename one of the two"},
		{"two orders", "index,id,name\n1,1,a\n2,3,b\n3,2,c\n",
			"n.tsv:3: the columns id and index have the same numbers in different orders: 2 is c by id, and b by index; remove the wrong column"},
		{"many twice", "a\na\nb\nb\nc\nc\nd\nd\ne\ne\n", `n.tsv: node 2: the name "a" was used before (node 1), node 4: the name "b" was used before (node 3), node 6: the name "c" was used before (node 5) and 2 more: rename one of the two`},
		{"numbers in another order", "2 b\n1 a\n", `n.tsv:1: the line is "2 b", ` + separate},
		{"numbers of labels", "10 a\n11 b\n", `n.tsv:1: the line is "10 a", ` + separate},
		{"a color table", "1 a 25 5 25 0\n2 b 1 2 3 0\n", `n.tsv:1: the line is "1 a 25 5 25 0", ` + separate +
			"; leave the colors out"},
		{"plain twice", "a\na\n", `n.tsv: node 2: the name "a" was used before (node 1): rename one of the two`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text), "n.tsv")
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// A name of the background is that of a region where 0 has a row, and where it is on a side, as in FreeSurfer's table.
func TestBackgroundCounted(t *testing.T) {
	for text, regions := range map[string]int{
		"index,name\n0,Background\n1,Unknown\n2,a\n": 2, "index,name\n1,Left-Cerebral-Exterior\n2,a\n": 2,
		"index,name\n1,a\n42,Medial_wall\n": 2, "index,name\n1,Unknown\n": 1,
	} {
		nodes, err := Read(strings.NewReader(text), "n.tsv")
		if err != nil || len(nodes) != regions {
			t.Errorf("%q: %d regions, %v", text, len(nodes), err)
		}
	}
	_, err := ReadLUT(strings.NewReader("1 Unknown 0 0 0 0\n2 a 1 2 3 0\n"), "l.txt")
	if err == nil || !strings.Contains(err.Error(), `l.txt:1: the value 1 is named "Unknown"`) {
		t.Errorf("a color table: %v", err)
	}
}

// Column names of C-PAC's 1D files carry "#".
func TestPlain(t *testing.T) {
	nodes, err := Plain([]string{"#10", "#2001"})
	if err != nil || nodes[1].ID != 2001 || nodes[1].Name != "2001" {
		t.Errorf("%+v, %v", nodes, err)
	}
	nodes, err = Plain([]string{"0", "1"}) // 0 is the background, so these cannot be values of a label image
	if err != nil || nodes[0].ID != 1 || nodes[0].Name != "0" {
		t.Errorf("%+v, %v", nodes, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("index\tname\n1\ta\n")
	f.Add("a\nb\n")
	f.Add("id;name;x\n5;q;1e3\n")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := Read(strings.NewReader(text), "f")
		if err == nil && len(nodes) == 0 {
			t.Error("an empty list without an error")
		}
		for i, n := range nodes {
			if err == nil && (n.Index != i+1 || n.ID < 1 || n.Name == "") {
				t.Errorf("node %d: %+v", i, n)
			}
		}
	})
}

// A row of value 0 is the background, or the table counts from 0; its name decides, in every kind of table.
func TestZero(t *testing.T) {
	tsv := func(name string) error {
		_, err := Read(strings.NewReader("index\tname\n0\t"+name+"\n1\tb\n"), "t.tsv")
		return err
	}
	lut := func(name string) error {
		_, err := ReadLUT(strings.NewReader("# a LUT\n0 "+strings.ReplaceAll(name, " ", "_")+" 0 0 0 0\n1 b 1 2 3 0\n"), "t.txt")
		return err
	}
	fsl := func(name string) error {
		var a fslAtlas
		text := `<atlas><data><label index="0">` + name + `</label><label index="1">b</label></data></atlas>`
		need.NoError(t, xml.Unmarshal([]byte(text), &a))
		_, err := a.nodes("t.xml", 0)
		return err
	}
	for name, read := range map[string]func(string) error{"TSV": tsv, "LUT": lut, "FSL": fsl} {
		for _, zero := range []string{"Background", "Unknown", "ctx-lh-unknown", "???", "NONE", "*.*.*.*",
			"Medial wall",
			"Clear Label", "Unclassified", "not labeled"} {
			if err := read(zero); err != nil {
				t.Errorf("%s: %s: %v", name, zero, err)
			}
		}
		for _, zero := range []string{"Frontal Pole", "Left-Thalamus", "R1", "none of them"} {
			if err := read(zero); err == nil || !strings.Contains(err.Error(), "add 1 to every value; if 0 is the background, name it Background") {
				t.Errorf("%s: %s: error %v", name, zero, err)
			}
		}
	}
	if err := tsv("n/a"); err == nil {
		t.Error("a row 0 without a name is taken for the background")
	}
	_, err := Read(strings.NewReader("Background\na\nb\n"), "names.txt")
	need.Error(t, err, `names.txt:1: the first name is "Background"`)
	headed, err := Read(strings.NewReader("ROI name\na\nb\n"), "names.txt")
	if err != nil || len(headed) != 2 || headed[0].Name != "a" {
		t.Errorf("below a heading: %v, error %v", headed, err)
	}
	nodes, err := Read(strings.NewReader("index,name\n1.0,a\n7.00,b\n"), "pandas.csv")
	if err != nil || nodes[0].ID != 1 || nodes[1].ID != 7 {
		t.Errorf("%v, error %v", nodes, err)
	}
	if _, err := Read(strings.NewReader("index,name\n1.5,a\n"), "t.csv"); err == nil {
		t.Error("a value of 1.5 is read")
	}
}

// A list of megabytes of wrong lines is refused in a few lines of text.
func TestBoundedMistakes(t *testing.T) {
	wrong := strings.Repeat("x\n", 2<<20)
	for name, c := range map[string]struct{ text, want string }{
		"lines":    {"name\tid\n" + wrong, "the list has more lines than the limit of 20000 regions"},
		"mistakes": {"name\tid\n" + wrong[:2000], "f:21: 1 values, but the first line has 2\nand 980 more"},
		"a line":   {"name\tid\n" + strings.Repeat("x", 1<<17), "f:2: the line has more than 65536 bytes"},
		"a text":   {"name\tid\na\t" + strings.Repeat("x", 1<<15), "id is "},
		"a header": {strings.Repeat("c\t", 1000) + "d", `two columns are named "c"`},
	} {
		_, err := Read(strings.NewReader(c.text), "f")
		need.Error(t, err, c.want, name)
		if n := len(err.Error()); n > 4000 {
			t.Errorf("%s: an error of %d bytes", name, n)
		}
	}
	_, err := ReadLUT(strings.NewReader(strings.Repeat("1 a 0 0 0 0\n", 1<<20)), "f")
	need.Error(t, err, "f: the table has more than 20000 regions")
}
