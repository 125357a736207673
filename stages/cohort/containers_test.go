package cohort

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/mat5"
	"prgnn/stages/stagetest"
)

// squaresOf is a .mat file with the matrices of some participants, and further variables.
func squaresOf(t *testing.T, participants int, more ...mat5.Variable) string {
	return matricesOf(t, 2, participants, more...)
}

func matricesOf(t *testing.T, regions, participants int, more ...mat5.Variable) string {
	v := mat5.Variable{Name: "r", Shape: []int{regions, regions, participants}, Class: "double"}
	for i := range participants {
		for at := range regions * regions {
			x := 1.0
			if at%regions != at/regions {
				x = .1 + float64(i)/100
			}
			v.Numbers = append(v.Numbers, x)
		}
	}
	return string(stagetest.Mat(t, append([]mat5.Variable{v}, more...)...))
}

// Series that are transposed, because the rows are the regions of the list, have no note on transpose as well.
func TestTransposedSeriesHaveOneNote(t *testing.T) {
	file := string(stagetest.Mat(t, mat5.Matrix("ts", []float64{1, 2, 4, 3, 5, 7}, 2, 3)))
	dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\n1\ta\n2\tb\n", "1.mat": file, "2.mat": file,
		"nodes.tsv": "index\tname\n1\tx\n2\ty\n"})
	c := timeseriesCohortKind.New().(*TimeseriesCohort)
	c.File, c.Group, c.Series, c.Nodes = "p.tsv", "group", "{participant_id}.mat", "nodes.tsv"
	notes := strings.Join(wording.NoteTexts(need.Value(c.Load(dir))(t).Notes), "; ")
	need.Equal(t, strings.Contains(notes, "2 regions in the list: the rows are regions, and were transposed"), true, notes)
	need.Equal(t, strings.Contains(notes, "set transpose"), false, notes)
}

// Numbers in a file of all participants are compared with the column of the same name, and codes of groups with the
// groups: where they agree no better than by chance, and would in another order, all are refused.
func TestValuesOfMembers(t *testing.T) {
	const n = 20
	ages, groups, sexes := make([]float64, n), make([]float64, n), make([]float64, n)
	table := "participant_id\tgroup\tAge\tsex\trow\n"
	for i := range n {
		ages[i], groups[i], sexes[i] = 10+float64(i*7%n)/4, 1+float64(i%2), 1+float64(i/2%2)
		table += fmt.Sprintf("%d\t%s\t%g\t%s\t%d\n", i+1, []string{"a", "b"}[i%2], ages[i], []string{"F", "M"}[i/2%2], i+1)
	}
	as := func(name string, values []float64, change func(i int, v float64) float64) mat5.Variable {
		v := make([]float64, n)
		for i := range v {
			v[i] = change(i, values[i])
		}
		return mat5.Matrix(name, v, n)
	}
	same := func(_ int, v float64) float64 { return v }
	shifted := func(values []float64, by int) func(int, float64) float64 {
		return func(i int, _ float64) float64 { return values[(i+by)%n] }
	}
	swapped := func(values []float64, a, b int) func(int, float64) float64 {
		return func(i int, v float64) float64 {
			return map[int]float64{a: values[b], b: values[a]}[i] + map[bool]float64{true: v}[i != a && i != b]
		}
	}
	for what, c := range map[string]struct {
		with       mat5.Variable
		err, doubt string
	}{
		"the ages":    {as("age", ages, same), "", ""},
		"whole years": {as("age", ages, func(_ int, v float64) float64 { return math.Floor(v) }), "", ""},
		"rounded": {as("age", ages, func(_ int, v float64) float64 {
			return math.Round(v*10) / 10
		}), "", ""},
		"months":               {as("age", ages, func(_ int, v float64) float64 { return 12*v + 3 }), "", ""},
		"another order":        {as("age", ages, shifted(ages, 3)), `by column "row" of `, ""},
		"years, another order": {as("age", ages, func(i int, _ float64) float64 { return math.Floor(ages[(i+5)%n]) }), "20 could agree", ""},
		"two exchanged":        {as("age", ages, swapped(ages, 2, 5)), "", "differ in 2 of 20 participants (sub-3: "},
		"of something else": {as("age", ages, func(i int, _ float64) float64 {
			return float64(i * i * 13 % 17)
		}), "", "are not correlated"},
		"another name":          {as("iq", ages, shifted(ages, 3)), "", ""},
		"codes of sex":          {as("sex", sexes, same), "", ""},
		"codes, another order":  {as("sex", sexes, shifted(sexes, 1)), "10 of 20 participants have another sex than most", ""},
		"groups":                {as("dx", groups, func(_ int, v float64) float64 { return 3 - v }), "", ""},
		"groups, another order": {as("dx", groups, func(i int, _ float64) float64 { return sexes[i] }), "10 of 20 participants have another group than most", ""},
		"two groups exchanged":  {as("dx", groups, swapped(groups, 2, 5)), "", "2 of 20 participants are in a different group than most"},
		"one group differs": {as("dx", groups, func(i int, v float64) float64 {
			return v + map[int]float64{4: 1}[i]
		}), "", "1 of 20 participants is in a different group than most"},
	} {
		dir := testdir.Files(t, map[string]string{"p.tsv": table, "all.mat": squaresOf(t, n, c.with)})
		m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "all.mat", Within: container.Within{Member: "row"}}
		m.File = "p.tsv"
		r, err := m.Load(dir)
		if c.err != "" {
			need.Error(t, err, c.err, what)
			continue
		}
		need.NoError(t, err, what)
		notes := strings.Join(wording.NoteTexts(r.Notes), "; ")
		if c.doubt == "" && strings.Contains(notes, "all.mat") || !strings.Contains(notes, c.doubt) {
			t.Errorf("%s: %s", what, notes)
		}
	}
}

// A column of members that is not that of the file is refused as a whole, whoever takes part: without one participant,
// all others would have the matrices of their neighbors.
func TestMembersOfAFile(t *testing.T) {
	ids := func(names ...string) mat5.Variable { return mat5.Texts("subjects", names) }
	table := func(numbers ...string) string {
		b := "participant_id\tgroup\tage\trow\n"
		for i, n := range numbers {
			b += fmt.Sprintf("%d\t%s\t%d\t%s\n", i+1, "ab"[i%2:i%2+1], 20+i, n)
		}
		return b
	}
	for _, c := range []struct {
		what, table, file string
		change            func(c *MatricesCohort)
		want              string // "" for none
	}{
		{"from 1", table("1", "2", "3"), squaresOf(t, 3), nil, ""},
		{"some of the file", table("1", "4", "3"), squaresOf(t, 4), nil, ""},
		{"from 0", table("0", "1", "2"), squaresOf(t, 3), nil, `p.tsv:2: column "row" has a 0, so it counts from 0`},
		{"0.0", table("2.0", "1.0", "0.0"), squaresOf(t, 3), nil, `p.tsv:4: column "row" has a 0`},
		{"0 is excluded", table("0", "1", "2"), squaresOf(t, 3), func(c *MatricesCohort) { c.Exclude = []string{"1"} },
			"counts from 0"},
		{"0 is not selected", table("0", "1", "2"), squaresOf(t, 3), func(c *MatricesCohort) { c.Select = "age > 20" },
			"counts from 0"},
		{"from 2", table("2", "3", "4"), squaresOf(t, 3), nil, "is 4, but the file of all participants has 3"},
		{"4 is excluded", table("2", "3", "4"), squaresOf(t, 3), func(c *MatricesCohort) { c.Exclude = []string{"3"} },
			"is 4, but the file of all participants has 3"},
		{"the order of the ids", table("1", "2", "3"), squaresOf(t, 3, ids("sub-1", "2", "sub-3")), nil, ""},
		{"another order", table("1", "2", "3"), squaresOf(t, 3, ids("sub-1", "sub-3", "sub-2")), nil,
			"2 of 3 participants are others than by subjects of all.mat: sub-2 (2, which is sub-3)"},
		{"one is excluded", table("1", "3", "2"), squaresOf(t, 3, ids("sub-3", "sub-1", "sub-2")),
			func(c *MatricesCohort) { c.Exclude = []string{"1"} }, "1 of 2 participants are others"},
		{"other ids", table("1", "2", "3"), squaresOf(t, 3, ids("x", "y", "z")), nil,
			"the ids in subjects of all.mat, such as x, y, z, are not those of"},
		{"ids of a column", strings.NewReplacer("age", "subject_id", "20", "x", "21", "y", "22", "z").Replace(
			table("1", "2", "3")), squaresOf(t, 3, ids("x", "y", "z")), nil, ""},
		{"the order of a column", strings.NewReplacer("age", "subject_id", "20", "x", "21", "y", "22", "z").Replace(
			table("1", "2", "3")), squaresOf(t, 3, ids("x", "z", "y")), nil, "2 of 3 participants are others"},
		{"one id more", table("1", "2", "3"), squaresOf(t, 3, ids("1", "2", "3", "4")), nil,
			"subjects of all.mat has 4 entries, but there are 3 participants"},
		{"leading zeros", table("1", "2", "3"), squaresOf(t, 3, ids("0002", "0001", "0003")), nil, "2 of 3"},
		{"in order", table("1", "2", "3"), squaresOf(t, 3, ids("0001", "0002", "0003")), nil, ""},
		{"a site in front", table("1", "2", "3"), squaresOf(t, 3, ids("NYU_02", "NYU_01", "NYU_03")), nil, "2 of 3"},
		{"sites in order", table("1", "2", "3"), squaresOf(t, 3, ids("NYU_01", "KKI_02", "NYU_03")), nil, ""},
		{"sessions", table("1", "2", "3"), squaresOf(t, 3, ids("sub-2_ses-1", "sub-1_ses-1", "sub-3_ses-1")),
			nil, "2 of 3"},
		{"paths", table("1", "2", "3"), squaresOf(t, 3, mat5.Texts("files",
			[]string{`D:\x\S2_task-rest.nii.gz`, "/d3/S1_bold.nii", "S3.mat"})), nil, "2 of 3 participants are others than by files"},
		{"paths in order", table("1", "2", "3"), squaresOf(t, 3, mat5.Texts("files",
			[]string{"/9/S1_task-2.nii.gz", "/8/S2_ses-7_bold.nii", "S3.mat"})), nil, ""},
		{"paths of something else", table("1", "2", "3"), squaresOf(t, 3, mat5.Texts("files",
			[]string{"a.nii", "b.nii", "c.nii"})), nil, ""},
		{"a table of numbers", table("1", "2", "3"), squaresOf(t, 3, mat5.Matrix("phenotype",
			[]float64{2, 30, 1, 30, 3, 31}, 3, 2)), nil, "2 of 3 participants are others than by phenotype(:,1)"},
		{"groups", table("1", "2", "3"), squaresOf(t, 3, mat5.Texts("dx", []string{"a", "a", "b"})), nil,
			"2 of 3 participants are others than by dx"},
		{"groups in order", table("1", "2", "3"), squaresOf(t, 3, mat5.Texts("dx", []string{"a", "b", "a"})), nil, ""},
		{"one number twice", table("1", "1", "2"), squaresOf(t, 3), nil,
			`p.tsv:3: column "row" is 1 for sub-2 and for sub-1 (line 2)`},
		{"twice, and one is excluded", table("1", "1", "2"), squaresOf(t, 3), func(c *MatricesCohort) { c.Exclude = []string{"1"} },
			`p.tsv:3: column "row" is 1 for sub-2 and for sub-1`},
		{"twice in files of their own", table("1", "1", "1"), squaresOf(t, 1), func(c *MatricesCohort) { c.Pearson = "{age}.mat" }, ""},
		{"no number", table("1", "n/a", "3"), squaresOf(t, 3), nil, `p.tsv:3: column "row" has no number of sub-2`},
		{"no number of one who is not in the file", table("1", "n/a", "3"), squaresOf(t, 3),
			func(c *MatricesCohort) { c.Exclude = []string{"2"} }, ""},
		{"numbers", table("2", "1", "3"), squaresOf(t, 3, mat5.Matrix("ids", []float64{2, 1, 3}, 3)), nil, ""},
		{"numbers in another order", table("1", "2", "3"), squaresOf(t, 3, mat5.Matrix("ids", []float64{2, 1, 3}, 3)), nil,
			"2 of 3 participants are others than by ids of all.mat"},
	} {
		dir := testdir.Files(t, map[string]string{"p.tsv": c.table, "all.mat": c.file, "20.mat": c.file,
			"21.mat": c.file, "22.mat": c.file})
		m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "all.mat", Within: container.Within{Member: "row"}}
		m.File = "p.tsv"
		if c.change != nil {
			c.change(m)
		}
		r, err := m.Load(dir)
		if c.want != "" {
			need.Error(t, err, c.want)
			if strings.Contains(err.Error(), "exclude: [") {
				t.Errorf("%s: the error proposes to exclude one participant: %v", c.what, err)
			}
			continue
		}
		need.NoError(t, err, c.what)
		for _, s := range r.Subjects {
			need.NoError(t, s.Problem, c.what)
		}
	}
}

// Groups in a file by numbers: those of the table, or what levels names them, contradict it; others that divide the
// participants otherwise are doubted.
func TestCodesOfGroupsInAFile(t *testing.T) {
	const words, codes = "1\ta\t1\n2\tb\t2\n3\ta\t3\n4\tb\t4\n", "1\t0\t1\n2\t1\t2\n3\t0\t3\n4\t1\t4\n"
	levels := []string{"0=a", "1=b"}
	numbers := func(name string, x ...float64) mat5.Variable { return mat5.Matrix(name, x, 4, 1) }
	for _, c := range []struct {
		what, table string
		levels      []string
		list        mat5.Variable
		refused     bool
		doubt       string
	}{
		{"in order", codes, nil, numbers("group", 0, 1, 0, 1), false, ""},
		{"in order, with levels", codes, levels, numbers("dx", 0, 1, 0, 1), false, ""},
		{"another order", codes, nil, numbers("y", 0, 0, 1, 1), true, ""},
		{"another order, with levels", codes, levels, numbers("DX_GROUP", 0, 0, 1, 1), true, ""},
		{"with decimals in the table", strings.NewReplacer("\t0\t", "\t0.0\t", "\t1\t", "\t1.0\t").Replace(codes), nil,
			numbers("group", 0, 1, 0, 1), false, ""},
		{"texts, with levels", codes, levels, mat5.Texts("group", []string{"0", "1", "0", "1"}), false, ""},
		{"texts in another order", codes, levels, mat5.Texts("group", []string{"0", "0", "1", "1"}), true, ""},
		{"the names in levels", codes, levels, mat5.Texts("group", []string{"a", "b", "a", "b"}), false, ""},
		{"these in another order", codes, levels, mat5.Texts("group", []string{"a", "a", "b", "b"}), true, ""},
		{"other codes", words, nil, numbers("label", 2, 1, 2, 1), false, ""},
		{"other codes in another order", words, nil, numbers("labels", 2, 2, 2, 1), false,
			"labels of all.mat has the codes 1, 2, and the table has the groups a, b; 1 of 4 participants is in a different group"},
		{"of more than the groups", words, nil, numbers("group", 1, 2, 3, 3), false, ""},
		{"of two of four networks", codes, nil, numbers("labels", 0, 1, 2, 2), false, ""},
		{"of something else", words, nil, numbers("sex", 2, 2, 1, 1), false, ""},
	} {
		for _, regions := range []int{2, 4} { // also as many as participants
			if regions == 2 && c.what == "of two of four networks" {
				continue
			}
			dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\trow\n" + c.table,
				"all.mat": matricesOf(t, regions, 4, c.list)})
			m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "all.mat",
				Within: container.Within{Member: "row"}}
			m.File, m.Levels = "p.tsv", c.levels
			r, err := m.Load(dir)
			if c.refused {
				need.Error(t, err, "2 of 4 participants are others than by "+c.list.Name, c.what)
				continue
			}
			need.NoError(t, err, c.what)
			doubts := ""
			for _, n := range wording.Notes(r.Notes) {
				if n.Doubt != "" {
					doubts += n.Text
				}
			}
			if (c.doubt == "") != (doubts == "") || !strings.Contains(doubts, c.doubt) {
				t.Errorf("%s: %q, want %q", c.what, doubts, c.doubt)
			}
		}
	}
}

// A list of participants is not that of as many regions, whether names states it or no other list is there; beside the
// list that names states, it is compared.
func TestNamesThatAreParticipants(t *testing.T) {
	ids := func(name string, of ...string) mat5.Variable { return mat5.Texts(name, of) }
	roi := ids("roi", "x", "y", "z")
	for _, c := range []struct {
		what, names string
		lists       []mat5.Variable
		want        string // names, or an error
	}{
		{"stated", "subjects", []mat5.Variable{ids("subjects", "sub-1", "sub-2", "sub-3"), roi},
			"the names of the regions, such as sub-1, sub-2, sub-3, are the ids of the participants in p.tsv"},
		{"numbers, stated", "subjects", []mat5.Variable{ids("subjects", "1", "2", "3"), roi},
			"the names of the regions, such as 1, 2, 3, are the ids of the participants in p.tsv"},
		{"the only list", "", []mat5.Variable{ids("who", "sub-1", "sub-2", "sub-3")}, "are the ids of the participants in p.tsv"},
		{"numbers of regions", "", []mat5.Variable{mat5.Matrix("labels", []float64{1, 2, 3}, 3)}, "[1 2 3]"},
		{"that repeats", "group", []mat5.Variable{ids("group", "a", "b", "a"), roi}, "names: group has entries that repeat"},
		{"another, in order", "roi", []mat5.Variable{ids("who", "sub-1", "sub-2", "sub-3"), roi}, "[x y z]"},
		{"another, in another order", "roi", []mat5.Variable{ids("who", "sub-1", "sub-3", "sub-2"), roi},
			"2 of 3 participants are others than by who of all.mat"},
		{"another, of networks", "roi", []mat5.Variable{ids("net", "p", "q", "p"), roi}, "[x y z]"},
		{"another, of regions", "roi", []mat5.Variable{ids("abbreviation", "p", "q", "r"), roi}, "[x y z]"},
	} {
		m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "all.mat",
			Within: container.Within{Member: "row", Names: c.names}}
		m.File = "p.tsv"
		r, err := m.Load(testdir.Files(t, map[string]string{"all.mat": matricesOf(t, 3, 3, c.lists...),
			"p.tsv": "participant_id\tgroup\trow\n1\ta\t1\n2\tb\t2\n3\ta\t3\n"}))
		if c.want[0] != '[' {
			need.Error(t, err, c.want, c.what)
			continue
		}
		need.NoError(t, err, c.what)
		need.Equal(t, fmt.Sprint(names(r)), c.want, c.what)
	}
}

// A file that states by itself that it is another participant's is refused for its participant; ids of a different kind
// are not compared.
func TestFilesOfOtherParticipants(t *testing.T) {
	for what, c := range map[string]struct {
		persons []mat5.Variable
		wrong   string // participants
	}{
		"none":           {[]mat5.Variable{{}, {}, {}, {}}, ""},
		"own":            {[]mat5.Variable{mat5.Texts("subject", []string{"sub-1"}), {}, {}, {}}, ""},
		"another's":      {[]mat5.Variable{mat5.Texts("subject", []string{"sub-2"}), {}, {}, {}}, "1"},
		"one of all":     {[]mat5.Variable{number(1), number(2), number(4), number(4)}, "3"},
		"of a different": {[]mat5.Variable{mat5.Texts("id", []string{"2"}), {}, {}, {}}, ""},
		"other ids": {[]mat5.Variable{mat5.Texts("subject_id", []string{"NDAR7"}),
			mat5.Texts("subject_id", []string{"NDAR9"}), {}, {}}, ""},
		"an excluded one's": {[]mat5.Variable{mat5.Texts("subject", []string{"sub-9"}), {}, {}, {}}, "1"},
		"paths": {[]mat5.Variable{mat5.Texts("sub", []string{"/d/sub-01_bold.nii"}),
			mat5.Texts("sub", []string{"/d/sub-03_bold.nii"}),
			mat5.Texts("sub", []string{"/d/sub-03_bold.nii"}), {}}, "2"},
	} {
		for _, series := range []bool{false, true} {
			files := map[string]string{"p.tsv": "participant_id\tgroup\n1\ta\n2\tb\n3\ta\n4\tb\n9\tb\n"}
			for i, v := range c.persons {
				x := mat5.Matrix("x", []float64{1, float64(i+1) / 10, float64(i+1) / 10, 1}, 2, 2)
				if series {
					x = mat5.Matrix("x", []float64{1, 2, 5, 4, 1, 7, 2, 2, 9, float64(i)}, 5, 2)
				}
				all := []mat5.Variable{x}
				if v.Name != "" {
					all = append(all, v)
				}
				files[fmt.Sprintf("%d.mat", i+1)] = string(stagetest.Mat(t, all...))
			}
			dir := testdir.Files(t, files)
			p := listed.Defaults()
			p.File, p.Exclude = "p.tsv", []string{"9"}
			var r *Roster
			if series {
				r = need.Value((&TimeseriesCohort{Parameters: p, Series: "{participant_id}.mat"}).Load(dir))(t)
			} else {
				r = need.Value((&MatricesCohort{Parameters: p, Pearson: "{participant_id}.mat"}).Load(dir))(t)
			}
			wrong := ""
			for _, s := range r.Subjects {
				if s.Problem != nil {
					need.Error(t, s.Problem, "it is the scan of another participant", what)
					wrong += strings.TrimPrefix(s.ID, "sub-")
				}
			}
			need.Equal(t, wrong, c.wrong, what)
		}
	}
}

// number is a variable with the number of a participant.
func number(n float64) mat5.Variable { return mat5.Matrix("subject", []float64{n}, 1, 1) }

// Columns that are taken by their place are of files of one width.
func TestColumnsRangeOfOneWidth(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"1\t2\n3\t5\n4\t4\n", "1\t2\n3\t5\n5\t6\n", ""},
		{"1\t2\n3\t5\n4\t4\n", "9\t1\t2\n8\t3\t5\n8\t4\t4\n", "different widths and no names: 2 columns (1 file), 3 columns (1 file)"},
		{"a\tb\n3\t5\n4\t4\n5\t6\n", "a\tb\tc\n8\t3\t5\n8\t4\t4\n1\t2\t7\n", ""},
	} {
		dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\n1\ta\n2\tb\n", "1.tsv": c.first,
			"2.tsv": c.second})
		m := &TimeseriesCohort{Parameters: listed.Defaults(), Series: "{participant_id}.tsv",
			Within: container.Within{Range: []int{1, 2}}}
		m.File = "p.tsv"
		r, err := m.Load(dir)
		if err == nil {
			err = r.Subjects[1].Problem
		}
		if c.want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.want)
		}
	}
}

// The order keys of DPABI are of all files or of none, and of one atlas.
func TestOrderKeys(t *testing.T) {
	const head = "Order\tLabel in Mask\tROI Definition\n"
	key := func(image string) string {
		return head + "1\t7\tC:\\m\\" + image + "\n2\t5\tC:\\m\\" + image + "\n"
	}
	base := map[string]string{"p.tsv": "participant_id\tgroup\n1\ta\n2\tb\n3\ta\n"}
	for i, r := range []string{".1", ".2", ".3"} {
		base[fmt.Sprintf("ROICorrelation_%d.txt", i+1)] = "1 " + r + "\n" + r + " 1\n"
	}
	for _, c := range []struct {
		what    string
		keys    [3]string
		wrong   string // the participants with a problem
		problem string
	}{
		{"one name of two images", [3]string{key("aal.nii"), head + "1\t1\tC:\\l\\roi.nii\n2\t1\tC:\\r\\roi.nii\n",
			key("aal.nii")}, "2", "label 1 of the order key occurs in two images"},
		{"in two directories", [3]string{key("aal.nii"), key("old\\aal.nii"), key("aal.nii")}, "", ""},
		{"in those of each", [3]string{key("m_1\\aal.nii"), key("m_2\\aal.nii"), key("m_3\\aal.nii")}, "", ""},
		{"all", [3]string{key("aal.nii"), key("aal.nii"), key("aal.nii")}, "", ""},
		{"none", [3]string{}, "", ""},
		{"some", [3]string{key("aal.nii"), "", key("aal.nii")}, "2",
			"ROI_OrderKey_2.tsv, with the names of its columns, is missing, but 2 other files have their names, such as ROI_OrderKey_3.tsv"},
		{"few", [3]string{key("aal.nii"), "", ""}, "23", "1 other file has their names"},
		{"another atlas", [3]string{key("aal.nii"), key("cc.nii"), key("aal.nii")}, "2",
			"label 5 is of several images: aal.nii (2 files), cc.nii (1 file)"},
		{"masks of each", [3]string{key("1_aal.nii"), key("2_aal.nii"), key("3_aal.nii")}, "", ""},
	} {
		files := maps.Clone(base)
		for i, k := range c.keys {
			if k != "" {
				files[fmt.Sprintf("ROI_OrderKey_%d.tsv", i+1)] = k
			}
		}
		m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "ROICorrelation_{participant_id}.txt"}
		m.File = "p.tsv"
		r, err := m.Load(testdir.Files(t, files))
		need.NoError(t, err, c.what)
		doubted := slices.ContainsFunc(r.Notes, func(n column.Note) bool { return n.Doubt == column.DoubtAlike })
		need.Equal(t, doubted, c.what == "in two directories", c.what)
		for i, s := range r.Subjects {
			if strings.Contains(c.wrong, fmt.Sprint(i+1)) {
				need.Error(t, s.Problem, c.problem, s.ID)
			} else {
				need.NoError(t, s.Problem, c.what)
			}
		}
	}
}

// The names of the regions in files are used in all of them, or those without are refused.
func TestNamesInFiles(t *testing.T) {
	roi := func(names ...string) mat5.Variable { return mat5.Texts("roi", names) }
	one := func(more ...mat5.Variable) string { return squaresOf(t, 1, more...) }
	for _, c := range []struct {
		what           string
		first, second  string
		ending, listed string
		names          string
		want           string // names, or a problem of the second or of all
	}{
		{"orders of their own", one(roi("a", "b")), one(roi("b", "a")), "mat", "", "", "[a b]"},
		{"none", one(), one(), "mat", "", "", "[1 2]"},
		{"one without", one(roi("a", "b")), one(), "mat", "", "", "have no names"},
		{"others", one(roi("a", "b")), one(roi("a", "c")), "mat", "", "", "[a b]"},
		{"two lists", one(roi("a", "b"), mat5.Texts("net", []string{"x", "y"})), one(), "mat", "", "", "several lists"},
		{"numbers from 0", "0\t1\n1\t.5\n.5\t1\n", "0\t1\n1\t.4\n.4\t1\n", "tsv", "", "", "[0 1]"},
		{"edges from 0", "0\t1\t.5\n", "0\t1\t.4\n", "tsv", "", "", "[0 1]"},
		{"edges from 1", "1\t2\t.5\n", "1\t2\t.4\n", "tsv", "", "", "[1 2]"},
		{"numbers from 0 in two orders", one(mat5.Matrix("labels", []float64{1, 0}, 2)),
			one(mat5.Matrix("labels", []float64{0, 1}, 2)), "mat", "", "", "[1 0]"},
		{"a heading", one(), one(), "mat", "label\nx\ny\n", "names.txt", "[x y]"},
		{"a name too few", one(), one(), "mat", "label\nx\n", "names.txt", "2 columns, but 1 labels"},
		{"a name too many", one(), one(), "mat", "label\nx\ny\nz\n", "names.txt", "2 columns, but 3 labels"},
		{"replaced", one(roi("a", "b")), one(roi("a", "b")), "mat", "x\ny\n", "names.txt", "[x y]"},
		{"replaced by another order", one(roi("a", "b")), one(roi("a", "b")), "mat", "b\na\n", "names.txt",
			"names has the same names as the columns of the file, in another order"},
		{"replaced in two orders", one(roi("a", "b")), one(roi("b", "a")), "mat", "x\ny\n", "names.txt",
			"the columns of the files have different names or orders"},
	} {
		dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\n1\ta\n2\tb\n", "names.txt": c.listed,
			"1." + c.ending: c.first, "2." + c.ending: c.second})
		m := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "{participant_id}." + c.ending,
			Within: container.Within{Names: c.names}}
		m.File = "p.tsv"
		r, err := m.Load(dir)
		got := ""
		if err == nil {
			for _, s := range r.Subjects {
				if s.Problem != nil {
					err = s.Problem
				}
			}
			got = fmt.Sprint(names(r))
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// The volumes of a file of CONN are those with a weight in its condition, which is that of most files.
func TestConditionsOfCONN(t *testing.T) {
	file := func(condition string, weights ...float64) string {
		cell := mat5.Variable{Name: "data", Shape: []int{1, 3}, Class: "cell"}
		for i := range 3 {
			cell.Cells = append(cell.Cells, mat5.Matrix("", []float64{1, float64(i), 7, 2, float64(i * i)}, 5, 1))
		}
		all := []mat5.Variable{cell, mat5.Texts("names", []string{"Grey Matter", "atlas.A", "atlas.B"}),
			mat5.Texts("conditionname", []string{condition})}
		if weights != nil {
			all = append(all, mat5.Variable{Name: "conditionweights", Shape: []int{1, 1}, Class: "cell",
				Cells: []mat5.Variable{mat5.Matrix("", weights, len(weights), 1)}})
		}
		return string(stagetest.Mat(t, all...))
	}
	rest, block := file("rest", 1, 1, 1, 1, 1), file("rest", 0, 1, 1, 1, math.NaN())
	for name, c := range map[string]struct {
		files    []string
		dropped  bool
		problems string // of the second participant
		err      string
		rows     int
		notes    string
	}{
		"rest":       {[]string{rest, rest, rest}, false, "", "", 5, ""},
		"no weights": {[]string{file("rest"), rest, rest}, false, "", "", 5, ""},
		"a block": {[]string{rest, block, rest}, false, "2 of 5 volumes do not belong to the condition rest: their weights (conditionweights{1}) are 0 or NaN; set drop_zero_weights: true", "",
			5, ""},
		"blocks":  {[]string{block, block, block}, true, "", "", 3, "2 of 5 volumes left out, whose weight in the condition rest is 0 or NaN"},
		"unequal": {[]string{rest, file("rest", 1, 1, .5, 1, 1), rest}, false, "", "", 5, "the volumes have unequal weights in the condition rest (conditionweights{1}), which CONN applies to correlations, but are all counted equally here (sub-2)"},
		"nothing": {[]string{rest, file("rest", 0, 0, 0, 0, 0), rest}, true, "no volume has a weight in the condition rest", "", 5, ""},
		"short":   {[]string{rest, file("rest", 1, 1), rest}, false, "conditionweights{1} has 2 rows, and the series have 5", "", 5, ""},
		"another": {[]string{rest, file("nback", 1, 1, 1, 1, 1), rest}, false, "the files are of different conditions of the task: nback (1 file: sub-2), rest (2 files: sub-1, sub-3); use files of one condition",
			"", 5, ""},
		"half": {[]string{rest, file("nback", 1, 1, 1, 1, 1)}, false, "", "the files are of different conditions of the task: nback (1 file: sub-2), rest (1 file: sub-1)", 0, ""},
	} {
		files, table := map[string]string{}, "participant_id\tgroup\n"
		for i, text := range c.files {
			table += fmt.Sprintf("sub-%d\t%s\n", i+1, "ab"[i%2:i%2+1])
			files[fmt.Sprintf("sub-%d/ROI_Subject%03d_Condition001.mat", i+1, i+1)] = text
		}
		files["p.tsv"] = table
		kind := &TimeseriesCohort{Parameters: listed.Defaults(), Series: "{participant_id}/ROI_*.mat", Weighted: c.dropped}
		kind.File = "p.tsv"
		r, err := kind.Load(testdir.Files(t, files))
		if c.err != "" {
			need.Error(t, err, c.err, name)
			continue
		}
		need.NoError(t, err, name)
		if c.problems == "" {
			need.NoError(t, r.Subjects[1].Problem, name)
		} else {
			need.Error(t, r.Subjects[1].Problem, c.problems, name)
		}
		need.NoError(t, r.Subjects[0].Problem, name)
		need.Equal(t, r.volumesOf(r.Subjects[0].Files["series"]), c.rows, name)
		if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, c.notes) ||
			c.notes == "" && strings.Contains(notes, "weight") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.notes)
		}
		x, _, err := door{}.read(t, r, "sub-1", false)
		need.NoError(t, err, name)
		need.Equal(t, x.Rows, c.rows, name)
	}
	// Matrices do not state their condition, but their files have its number.
	dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\tk\nsub-1\ta\t1\nsub-2\tb\t2\n"})
	b := need.Value(os.ReadFile(need.Shared(t, "fixtures/doors/mat/conn/resultsROI_Condition001.mat")))(t)
	for _, n := range []string{"1", "2"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, "resultsROI_Condition00"+n+".mat"), b, 0o644))
	}
	c := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "resultsROI_Condition00{k}.mat", Within: container.Within{Member: "k"}}
	c.File = "p.tsv"
	_, err := c.Load(dir)
	need.Error(t, err, "different conditions of the task: Condition001 (1 file: sub-1), Condition002 (1 file: sub-2)")
}
