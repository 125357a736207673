package region

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/nifti/cifti"
)

// Columns without names follow the rows of the node list, unless its ids 1…N are in another order: there, they could
// be in either.
func TestPlaceUnnamedColumns(t *testing.T) {
	for _, c := range []struct {
		ids   []int32
		names []string
		want  []int
		err   string
	}{
		{[]int32{1, 2, 3}, nil, []int{0, 1, 2}, ""},
		{[]int32{1, 2, 3}, []string{"0", "1", "2"}, []int{0, 1, 2}, ""},
		{[]int32{1001, 10, 11}, nil, []int{0, 1, 2}, ""},
		{[]int32{10, 20, 30}, nil, []int{0, 1, 2}, ""},
		{[]int32{30, 10, 20}, nil, nil, "column 1 is row 1 of the node list (a) or the region with index 10, and the list is not sorted by index"},
		{[]int32{1, 4, 3}, nil, nil, "column 2 is row 2 of the node list (b) or the region with index 3"},
		{[]int32{1, 9, 4}, nil, []int{0, 1, 2}, ""},
		{[]int32{2, 3, 4}, nil, []int{0, 1, 2}, ""},
		{[]int32{1, 3, 2}, []string{"1", "2", "3"}, []int{0, 2, 1}, ""},
		{[]int32{1, 3, 2}, []string{"c", "a", "b"}, []int{2, 0, 1}, ""},
		{[]int32{1, 3, 2}, nil, nil, "3 columns without names: column 2 is row 2 of the node list (b) or the region with index 2, and the list is not sorted by index; name the columns"},
		{[]int32{1, 2, 3}, []string{"a", "motion_outlier00", "c"}, nil, "confounds, indices or a background among the regions: motion_outlier00 (column 2); remove them"},
		{[]int32{3, 2, 1}, []string{"0", "1", "2"}, nil, "3 columns that are numbered from 0: column 1 is row 1 of the node list (a) or the region with index 1"},
	} {
		place, err := PlaceColumns(c.names, 3, encoding.NewTable(encoding.Column{Name: "id", Values: c.ids},
			encoding.Column{Name: "abbreviation", Values: []string{"", "", ""}},
			encoding.Column{Name: "name", Values: []string{"a", "b", "c"}}))
		if c.err != "" {
			need.Error(t, err, c.err, c.ids)
			continue
		}
		need.NoError(t, err)
		if !slices.Equal(place, c.want) {
			t.Errorf("ids %v, columns %v: the nodes %v, want %v", c.ids, c.names, place, c.want)
		}
	}
}

// The numbers of an edge list are those of the node list, or count its rows: where both fit, they are refused.
func TestNumberedEdges(t *testing.T) {
	one, zero := 1, 0
	lines := func(numbers ...int) (text string) { // the value of the pair a, b is a.b
		for k, a := range numbers {
			for _, b := range numbers[k+1:] {
				text += fmt.Sprintf("%d\t%d\t%g\n", a, b, float64(a)/100+float64(b)/1e4)
			}
		}
		return text
	}
	list := func(ids ...int32) *encoding.Table {
		names := make([]string, len(ids))
		for k := range names {
			names[k] = string(rune('a' + k))
		}
		return encoding.NewTable(encoding.Column{Name: "id", Values: ids}, encoding.Column{Name: "name", Values: names})
	}
	gaps := list(1, 2, 4, 5)
	numbered := func(ids []int32, names ...string) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "id", Values: ids}, encoding.Column{Name: "name", Values: names})
	}
	crossed := numbered([]int32{21, 22, 23}, "22", "21", "23")
	shifted := numbered([]int32{1, 2, 3}, "11", "13", "12")
	for about, c := range map[string]struct {
		text   string
		layout Layout
		at     []int // the node, from 0, of each number; nil where they are refused
	}{
		"ids":                      {lines(1, 2, 4, 5), Layout{Nodes: gaps}, []int{0, 1, 2, 3}},
		"ids of some":              {lines(1, 2, 5), Layout{Nodes: gaps}, []int{0, 1, 3}},
		"ids beyond the rows":      {lines(11, 12, 13, 14), Layout{Nodes: list(12, 11, 13, 14)}, []int{1, 0, 2, 3}},
		"ids or rows":              {lines(1, 2, 4), Layout{Nodes: gaps}, nil},
		"ids or rows, base":        {lines(1, 2, 4), Layout{Nodes: gaps, Base: &one}, nil},
		"ids or rows from 0":       {lines(1, 2), Layout{Nodes: list(2, 1, 4, 5), Base: &zero}, nil},
		"stated ids":               {lines(1, 2, 4), Layout{Nodes: gaps, Numbers: "ids"}, []int{0, 1, 2}},
		"stated rows":              {lines(1, 2, 4), Layout{Nodes: gaps, Numbers: "rows", Base: &one}, []int{0, 1, 3}},
		"ids in another order":     {lines(1, 2, 3), Layout{Nodes: list(3, 1, 2)}, nil},
		"stated in another order":  {lines(1, 2, 3), Layout{Nodes: list(3, 1, 2), Numbers: "ids"}, []int{1, 2, 0}},
		"rows in another order":    {lines(1, 2, 3), Layout{Nodes: list(3, 1, 2), Numbers: "rows"}, []int{0, 1, 2}},
		"rows":                     {lines(1, 2, 3, 4), Layout{Nodes: gaps}, []int{0, 1, 2, 3}},
		"rows from 0":              {lines(0, 1, 2), Layout{Nodes: gaps}, []int{0, 1, 2}},
		"neither":                  {lines(1, 2, 4, 6), Layout{Nodes: gaps}, nil},
		"no id":                    {lines(1, 2, 3), Layout{Nodes: gaps, Numbers: "ids"}, nil},
		"ids without a list":       {lines(1, 2, 3), Layout{Numbers: "ids"}, nil},
		"a list that counts":       {lines(1, 2, 4), Layout{Nodes: list(1, 2, 3, 4)}, []int{0, 1, 3}},
		"a list that counts, some": {lines(1, 2, 3), Layout{Nodes: list(1, 2, 3, 4)}, nil},
		"index or names":           {lines(21, 22, 23), Layout{Nodes: crossed}, nil},
		"stated index":             {lines(21, 22, 23), Layout{Nodes: crossed, Numbers: "ids"}, []int{0, 1, 2}},
		"stated names":             {lines(21, 22, 23), Layout{Nodes: crossed, Numbers: "names"}, []int{1, 0, 2}},
		"index alone":              {lines(1, 2, 3), Layout{Nodes: shifted}, []int{0, 1, 2}},
		"names alone":              {lines(11, 12, 13), Layout{Nodes: shifted}, []int{0, 2, 1}},
		"index that counts, names": {lines(1, 2, 3), Layout{Nodes: numbered([]int32{1, 2, 3}, "2", "1", "3")}, nil},
		"no name":                  {lines(1, 2, 3), Layout{Nodes: shifted, Numbers: "names"}, nil},
		"names without a list":     {lines(1, 2, 3), Layout{Numbers: "names"}, nil},
		"the base":                 {lines(1, 2, 3), Layout{Nodes: list(1, 2, 3, 4), Base: &zero}, []int{1, 2, 3}},
	} {
		c.layout.Absent = "n/a"
		found, err := ReadSquares(strings.NewReader(c.text), c.layout)
		if c.at == nil {
			if err == nil {
				t.Errorf("%s: it is read", about)
			}
			continue
		}
		need.NoError(t, err, about)
		x := found.Draws[0]
		place, err := PlaceColumns(found.Names, x.Cols, c.layout.Nodes)
		need.NoError(t, err, about)
		y := connectivity.NewMatrix(x.Rows, x.Cols)
		for i, a := range place {
			for j, b := range place {
				y.Row(a)[b] = x.At(i, j)
			}
		}
		numbers := strings.Split(c.text, "\n")
		for _, line := range numbers[:len(numbers)-1] {
			var a, b int
			var value float64
			fmt.Sscan(line, &a, &b, &value)
			var of []int
			for _, k := range []int{a, b} {
				all := slices.Sorted(slices.Values(distinct(c.text)))
				of = append(of, c.at[slices.Index(all, k)])
			}
			need.Equal(t, y.At(of[0], of[1]), value, about, line)
		}
	}
}

// Decimal commas, and numbers of regions with decimals, are those of an edge list.
func TestFormsOfEdges(t *testing.T) {
	for about, text := range map[string]string{
		"names":      "i;j;r\n1,0;2,0;0,5\n1,0;3,0;0,25\n1,0;4,0;0,5\n2,0;3,0;0,5\n2,0;4,0;-0,5\n3,0;4,0;0,5\n",
		"quoted":     "i,j,r\n\"a, b\",b,0.5\n\"a, b\",c,.25\n\"a, b\",d,0.5\nb,c,0.5\nb,d,-0.5\nc,d,0.5\n",
		"semicolons": "i;j;r\n1;2;0,5\n1;3;0,25\n1;4;0,5\n2;3;0,5\n2;4;-0,5\n3;4;0,5\n",
		"tabs":       "1\t2\t0,5\n1\t3\t0,25\n1\t4\t0,5\n2\t3\t0,5\n2\t4\t-0,5\n3\t4\t0,5\n",
		"decimals":   "1.0 2.0 0.5\n1.0 3.0 0.25\n1.0 4.0 0.5\n2.0 3.0 0.5\n2.0 4.0 -0.5\n3.0 4.0 0.5\n",
		"MATLAB": "  1.0000000e+00   2.0000000e+00   5.0e-01\n 1.0e+00 3.0e+00 2.5e-01\n1.0e+00 4.0e+00 5.0e-01\n" +
			"2.0e+00 3.0e+00 5.0e-01\n2.0e+00 4.0e+00 -5.0e-01\n3.0e+00 4.0e+00 5.0e-01\n",
	} {
		found, err := ReadSquares(strings.NewReader(text), Layout{})
		need.NoError(t, err, about)
		x := found.Draws[0]
		need.Equal(t, fmt.Sprint(x.Rows, x.At(0, 2), x.At(3, 1)), "4 0.25 -0.5", about)
	}
}

// The heading of the values of an edge list states what they are, and a surplus column is named.
func TestHeadingsOfEdges(t *testing.T) {
	rows := "1 2 0.5\n1 3 0.25\n1 4 0.5\n2 3 0.5\n2 4 -0.5\n3 4 0.5\n"
	for heading, z := range map[string]bool{"i j r": false, "i j weight": false, "i j z": true, "i j Fisher_Z": true,
		"# i j z": true, "roi1 roi2 r_to_z": true, "# pearson": false} {
		found, err := ReadSquares(strings.NewReader(heading+"\n"+rows), Layout{})
		need.NoError(t, err, heading)
		need.Equal(t, found.FisherZ, z, heading)
	}
	for _, value := range []string{"p", "P", "p_value", "p-val", "p.adj", "q", "p(FDR)", "pfdr", "distance", "SE"} {
		for _, heading := range []string{"i j ", "# i j "} {
			_, err := ReadSquares(strings.NewReader(heading+value+"\n"+rows), Layout{})
			need.Error(t, err, "the values of its edge list are headed "+value+", which is not a correlation")
		}
	}
	for heading, want := range map[string]string{
		"index,i,j,r":           "with 4 columns, but it has three: two for the regions, and their correlation. The others are index: remove index from",
		",source,target,weight": "are the column without a heading: remove the column without a heading",
		"i,j,p,r":               "are p: remove p",
		"ROI_1,ROI_2,z,r":       "are z, r: remove all of these but the correlation",
		"node_a,node_b,n,t":     "are n, t: remove all of these but the correlation",
	} {
		text := heading + "\n"
		for line := range strings.Lines(rows) {
			text += "0," + strings.ReplaceAll(line, " ", ",")
		}
		_, err := ReadSquares(strings.NewReader(text), Layout{})
		need.Error(t, err, want, heading)
	}
	for about, want := range map[string]string{" 0.01": "an edge list with 4 columns and no known headings", " 3 0.01": "with 5 columns"} {
		for _, names := range []bool{false, true} {
			text := ""
			for line := range strings.Lines(rows) {
				if names {
					line = strings.NewReplacer("1 ", "a ", "2 ", "b ", "3 ", "c ", "4 ", "d ").Replace(line)
				}
				text += strings.TrimSpace(line) + about + "\n"
			}
			_, err := ReadSquares(strings.NewReader(text), Layout{})
			need.Error(t, err, want, "keep columns 1 and 2")
			_, err = ReadSquares(strings.NewReader(strings.ReplaceAll(text, " ", "\t")), Layout{})
			need.Error(t, err, want)
			_, err = ReadSquares(strings.NewReader(strings.NewReplacer(" ", ";", ".", ",").Replace(text)), Layout{})
			need.Error(t, err, want)
		}
	}
	for format, want := range map[string]string{
		"%.4[3]f %[1]d %[2]d\n":       "an edge list of 3 columns, with the regions of each pair in columns 2 and 3, but they are the first two",
		"%[4]d %[1]d %[2]d %.4[3]f\n": "of 4 columns, with the regions of each pair in columns 2 and 3, but it has three: keep these two",
		"%[1]d %[2]d %.60[3]f 0.01\n": "an edge list with 4 columns and no known headings", // longer than what is read at once
	} {
		text := ""
		for a := range 16 {
			for b := range a {
				text += fmt.Sprintf(format, b+1, a+1, math.Sin(float64(a*a+b)), 16*a+b)
			}
		}
		_, err := ReadSquares(strings.NewReader(text), Layout{})
		need.Error(t, err, want)
		_, err = ReadSeries(strings.NewReader(text), Layout{})
		need.Error(t, err, ", not time series: read it as a matrix (pearson of a cohort of matrices)")
	}
	for _, text := range []string{"0 0 0.5 1\n", "a 1 0.5 0.5\n", "0 1 1 0\n", "0.5 1 0.5 0.5\n"} {
		_, err := ReadSquares(strings.NewReader(strings.Repeat(text, 3)), Layout{})
		need.Error(t, err, "columns")
		need.Equal(t, strings.Contains(err.Error(), "edge list"), false, text)
	}
	_, err := ReadSquares(strings.NewReader("a,b,c,d\n0,1,2,3\n"), Layout{})
	need.Error(t, err, "1 rows and 4 columns")

	// As many edges as columns are square.
	const list = "an edge list of 4 columns, with the regions of each pair in columns 1 and 2, but it has three: keep these two"
	for text, want := range map[string]string{
		"i\tj\tr\tp\n1\t2\t0.5\t0.01\n1\t3\t0.25\t0.1\n2\t3\t-0.5\t0.02\n2\t4\t0.5\t0.03\n": "The others are p: remove p from all files",
		"a\tb\tr\tp\n1\t2\t0.5\t0.01\n1\t3\t0.25\t0.1\n2\t3\t-0.5\t0.02\n2\t4\t0.5\t0.03\n": "an edge list with 4 columns and no known headings",
		"1 2 0.5 0.01\n1 3 0.25 0.1\n2 3 -0.5 0.02\n2 4 0.5 0.03\n":                         list,
		"1 2 0.5 0.5\n2 1 0.25 0.1\n0.5 0.25 1 0\n0.5 0.1 0 1\n":                            "", // symmetric
		"1 0.2 0.5 0.5\n0.3 1 0.25 0.1\n0.5 0.25 1 0\n0.5 0.1 0 1\n":                        "", // no pairs
	} {
		_, err := ReadSquares(strings.NewReader(text), Layout{})
		if want == "" {
			need.NoError(t, err, text)
			continue
		}
		need.Error(t, err, want, text)
	}
	var npy bytes.Buffer
	edges := []float64{1, 2, .5, .01, 1, 3, .25, .1, 2, 3, -.5, .02, 2, 4, .5, .03}
	need.NoError(t, encoding.NewArray(edges, 4, 4).Encode(&npy))
	_, err = ReadSquares(&npy, Layout{})
	need.Error(t, err, list)
}

// The columns of a wide table are headed by the pattern that takes them.
func TestHeadingsOfWideColumns(t *testing.T) {
	for of, z := range map[string]bool{"z_*": true, "Fisher_Z_*": true, "r_*": false, "fc_*": false, "*": false} {
		columns := []string{"age"}
		for _, pair := range []string{"1_2", "1_3", "1_4", "2_3", "2_4", "3_4"} {
			columns = append(columns, strings.ReplaceAll(of, "*", pair))
		}
		w, err := WideOf(columns[1:], of, nil, Layout{})
		need.NoError(t, err, of)
		c, err := w.Matrix([]float64{0.5, 0.25, 0.5, 0.5, 0.5, 0.5}, 2)
		need.NoError(t, err, of)
		again, err := ReadSquares(bytes.NewReader(c.Text()), Layout{})
		need.NoError(t, err, of)
		need.Equal(t, again.FisherZ, z, of)
		need.Equal(t, again.Draws[0].At(0, 2), 0.25, of)
	}
	for _, of := range []string{"p_*", "pval_*", "*_p", "q_*", "dist_*"} {
		_, err := WideOf([]string{strings.ReplaceAll(of, "*", "1_2")}, of, nil, Layout{})
		need.Error(t, err, "the columns "+of+" are headed", "which is not a correlation")
	}
}

// Headings that are names of some nodes and ids of others are refused; where one reading alone fits, it is taken.
func TestContradictedHeadings(t *testing.T) {
	list := func(names ...string) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "id", Values: []int32{1, 2, 3}},
			encoding.Column{Name: "name", Values: names})
	}
	_, err := PlaceColumns([]string{"1", "2", "3"}, 3, list("2", "1", "3"))
	need.Error(t, err, "may be names or the index of the node list: 1 is row 2 (index 2, name 1) by name, and row 1 (index 1, name 2) by index", "remove the index from the node list")
	_, err = PlaceColumns([]string{"1", "2", "3"}, 3, list("2", "1", "c"))
	need.Error(t, err, "1 is row 2 (index 2, name 1) by name, and row 1 (index 1, name 2) by index")
	for _, c := range []struct {
		names []string
		nodes *encoding.Table
		want  string
	}{
		{[]string{"3", "1", "2"}, list("1", "2", "3"), "[2 0 1]"},
		{[]string{"2", "1", "3"}, list("2", "1", "3"), "[0 1 2]"},
		{[]string{"11", "12", "1"}, list("12", "11", "1"), "[1 0 2]"},
	} {
		place, err := PlaceColumns(c.names, 3, c.nodes)
		need.NoError(t, err)
		need.Equal(t, fmt.Sprint(place), c.want)
	}
}

// distinct are the numbers of the regions of an edge list.
func distinct(text string) (numbers []int) {
	for line := range strings.Lines(text) {
		var a, b int
		fmt.Sscan(line, &a, &b)
		for _, k := range []int{a, b} {
			numbers = lists.Add(numbers, k)
		}
	}
	return numbers
}

// A letter and its accent as one character or as two are one name: of columns, and of the labels of a file.
func TestComposedNames(t *testing.T) {
	nodes := encoding.NewTable(encoding.Column{Name: "id", Values: []int32{1, 2, 3}},
		encoding.Column{Name: "abbreviation", Values: []string{"", "ö", ""}},
		encoding.Column{Name: "name", Values: []string{"Broca-Areal für Sprache", "o", "u\u0308"}})
	for _, names := range [][]string{{"ü", "o\u0308", "Broca-Areal fu\u0308r Sprache"}, {"u\u0308", "ö", "Broca-Areal für Sprache"}} {
		place, err := PlaceColumns(names, 3, nodes)
		need.NoError(t, err)
		need.Equal(t, fmt.Sprint(place), "[2 1 0]")
	}
	_, err := PlaceColumns([]string{"ü", "u\u0308", "o"}, 3, nodes)
	need.Error(t, err, "there is one node for")
	by := func(n Node) int32 { return n.Id }
	err = Contradiction([]Node{{Id: 4, Name: "ü"}}, by, []cifti.Label{{Key: 5, Name: "u\u0308"}})
	need.Error(t, err, "the node list gives 1 of 1 regions another value")
}

// A node list of which no name is in the label table of the file is noted.
func TestOtherNames(t *testing.T) {
	by := func(n Node) int32 { return n.Id }
	notes := func(first string, table ...cifti.Label) string {
		return strings.Join(wording.NoteTexts(OtherNames([]Node{{Id: 1, Name: first}, {Id: 2, Name: "Q_2"}}, by, table,
			"a.dlabel.nii")), "")
	}
	table := []cifti.Label{{Key: 0, Name: "???"}, {Key: 1, Name: "NET01"}, {Key: 2, Name: "NET02"}}
	need.Equal(t, notes("Q_1", table...), "none of the 2 names of the node list is in the label table of a.dlabel.nii (1 is Q_1, and NET01 in the file): check that the list is that of this atlas, or use the table of the file (nodes: auto)")
	need.Equal(t, notes("net01", table...), "")
	need.Equal(t, notes("Q_1"), "")
}

func TestConfoundNames(t *testing.T) {
	for _, name := range strings.Fields("framewise_displacement global_signal csf white_matter_derivative1_power2 trans_x " +
		"rot_z_power2 a_comp_cor_00 t_comp_cor_01 cosine00 motion_outlier12 dvars std_dvars rmsd aroma_motion_01 csf_wm " +
		"framewise_displacement_filtered non_steady_state_outlier00 edge_comp_03 w_comp_cor_2 " +
		"GlobalSignal Global_Signal WhiteMatter White_Matter FramewiseDisplacement non-stdDVARS RotX aCompCor00 Cosine01 " +
		"Background background Grey_Matter Index TIME fd FD mean_fd fd_power run Run run_id session ses volume vol Frame timepoint time subject participant_id trial_type") {
		need.Error(t, RefuseConfounds([]string{"R1", name}), name+" (column 2)")
	}
	need.NoError(t, RefuseConfounds(strings.Fields("CSF Cerebral_White_Matter cosine lh_trans_x global R01 10 rot csf_left "+
		"Sub TR fd_left runner time_l lh_run")))
	for name, may := range map[string]bool{"CSF": true, "WM": true, "TR": true, "tr": true, "csf": false, "Sub": false,
		"lh_CSF": false} {
		need.Equal(t, MayBeConfound(name), may, name)
	}
}

// Series with as many volumes as regions and without names are refused where they persist along their rows, unless
// transpose states what these are. Series down the columns, noise, neighbors that are alike, and columns with names
// are read as they are.
func TestSquareSeries(t *testing.T) {
	const n = 24
	series := func(keep, near float64) connectivity.Matrix { // of an earlier volume, of a neighbor
		stream := rand.New(rand.NewPCG(1, 2))
		x := connectivity.NewMatrix(n, n)
		for v := range n {
			row := x.Row(v)
			for k := range row {
				if row[k] = stream.NormFloat64(); v > 0 {
					row[k] += keep * (x.At(v-1, k) - 1000 - float64(k*k%7))
				}
				if k > 0 {
					row[k] += near * (row[k-1] - 1000 - float64((k-1)*(k-1)%7))
				}
				row[k] += 1000 + float64(k*k%7) // levels of the regions
			}
		}
		return x
	}
	names := make([]string, n)
	for k := range names {
		names[k] = fmt.Sprintf("R%d", k)
	}
	for about, c := range map[string]struct {
		x       connectivity.Matrix
		names   []string
		layout  Layout
		refused bool
	}{
		"down the columns": {x: series(0.6, 0)},
		"along the rows":   {x: transposed(series(0.6, 0)), refused: true},
		"stated":           {x: transposed(series(0.6, 0)), layout: Layout{Transpose: true}},
		"with names":       {x: transposed(series(0.6, 0)), names: names},
		"noise":            {x: series(0, 0)},
		"near regions":     {x: series(0.6, 0.4)},
	} {
		err := c.layout.arrangeSeries(&Contents{Names: c.names, Draws: []connectivity.Matrix{c.x}})
		if c.refused {
			need.Error(t, err, "as many rows as columns (24), which have no names", "set transpose: true")
		} else if err != nil {
			t.Errorf("%s: %v", about, err)
		}
	}
}

// A file with the series or the matrix of one is not that of several, whatever member is.
func TestMembersOfFilesOfOne(t *testing.T) {
	series, square := "a\tb\n1\t2\n2\t1\n1\t3\n5\t4\n", "a\tb\tc\n1\t.2\t.3\n.2\t1\t.4\n.3\t.4\t1\n"
	for text, read := range map[string]func(l Layout) (*Contents, error){
		"time series": func(l Layout) (*Contents, error) { return ReadSeries(strings.NewReader(series), l) },
		"matrix":      func(l Layout) (*Contents, error) { return ReadSquares(strings.NewReader(square), l) },
		"participant's matrix": func(l Layout) (*Contents, error) {
			l.Order = "upper_rows"
			return ReadSquares(strings.NewReader(".2\t.3\t.4\n"), l)
		},
	} {
		for member := range 3 {
			_, err := read(Layout{Member: member})
			if member < 2 {
				need.NoError(t, err, text)
			} else {
				need.Error(t, err, "member is 2, but the file has one participant's", text)
				need.Error(t, err, text+": write a file for each participant, and remove member")
			}
		}
	}
}

// Pairs that lack because a region is written in two ways are no threshold.
func TestRegionsInTwoSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\tr\nlh_a\tlh_b\t.2\nLH_A\tlh_c\t.3\nlh_b\tlh_c\t.4\n":   `an edge list with "lh_a" (line 2) and "LH_A" (line 3): if they are one region, write it in one way in all lines`,
		"a\tb\tr\nlh_a\tlh_b\t.2\nlh_a\tlh_c\t.3\n":                   "2 of the 3 pairs of 3 regions: state what the absent ones are",
		"a\tb\tr\nlh_a\tLH_A\t.2\nlh_a\tlh_c\t.3\nLH_A\tlh_c\t.4\n":   "", // each pair is there
		"a\tb\tr\nlh_a\tlh_b\t.2\nlh_a\tlh_c\t.3\nlh_b\tlh_c\t0.40\n": "",
	} {
		if _, err := ReadSquares(strings.NewReader(text), Layout{}); want == "" {
			need.NoError(t, err, text)
		} else {
			need.Error(t, err, want, text)
		}
	}
}
