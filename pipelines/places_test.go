package pipelines

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// What a lock keeps of a file and of --set: all but where data lie.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"data/people.csv", "data/x.txt", "data/tools/x.txt", "x.txt"} {
		testdir.Write(t, filepath.Join(dir, name), "participant_id,group,series\nsub-1,a,x.txt\nsub-2,b,x.txt\n")
	}
	testdir.Write(t, filepath.Join(dir, "data/atlas-X_space-S_dseg.nii.gz"), "no image")
	testdir.Write(t, filepath.Join(dir, "data/atlas-X_dseg.tsv"), "index\tname\n1\ta\n2\tb\n")
	const atlas = "cohort: { table: { file: data/people.csv, bold: series, labels: { atlas: X, space: S, dir: DIR } } }\nstages: { s: { use: echo, in: { input: cohort.participants }, with: { value: w } } }\n"
	columns := strings.Repeat(" ", 100) // so that the numbers of both columns have three digits
	abs := func(name string) string { return filepath.Join(dir, name) }
	const cohort = "cohort: { timeseries: { file: \"${data}/people.csv\", series: \"${series}\", nodes: dk84 } }\n"
	const vars = "vars: { data: data, series: series, tr: 2, word: w }\n"
	const stages = "stages: { s: { use: echo, in: { input: { file: \"${data}/x.txt\" } }, with: { value: \"${word}\" } } }\n"
	for _, c := range []struct {
		name, text string
		sets       []string
		want       string   // the text; "" as it is
		kept       []string // of the sets
		wrong      string   // the mistake, or why nothing can be shared
	}{
		{"nothing is set", vars + cohort + stages, nil, "", nil, ""},
		{"a relative place", vars + cohort + stages, []string{"data=./data", "word=x"}, "", []string{"word=x"}, ""},
		{"an absolute place, twice", vars + cohort + stages, []string{"vars.data=" + abs("nowhere"), "data=" + abs("data")}, "", nil, ""},
		{"a column stays", vars + cohort + stages, []string{"series=series"}, "", []string{"series=series"}, ""},
		{"a pattern stays", vars + cohort + stages, []string{`series="tools/{series}"`}, "", []string{`series="tools/{series}"`}, ""},
		{"a pattern elsewhere does not", vars + cohort + stages, []string{`series="` + abs("data") + `/{series}"`}, "", nil, ""},
		{"the cohort's own parameter", vars + cohort + stages, []string{"cohort.file=" + abs("data/people.csv"),
			"cohort.group=group"}, "", []string{"cohort.group=group"}, ""},
		{"what is of no use", vars + cohort + stages, []string{"tr=" + abs("data")}, "", nil, ""},
		{"in the file, a variable", strings.Replace(vars, "data: data", "data: "+abs("data"), 1) + cohort + stages, nil,
			strings.Replace(vars, "data: data", `data: ""`, 1) + cohort + stages, nil, ""},
		{"in the file, in quotes", vars + strings.Replace(cohort, "${data}", abs("data"), 1) + strings.Replace(stages,
			`"${data}/x.txt"`, "'"+abs("x.txt")+"'", 1), nil,
			vars + strings.Replace(cohort, `"${data}/people.csv"`, `""`, 1) + strings.Replace(stages, `"${data}/x.txt"`, `""`, 1), nil, ""},
		{"an atlas's directory", strings.Replace(atlas, "DIR", abs("data"), 1), nil, strings.Replace(atlas, "DIR", `""`, 1), nil, ""},
		{"two in a line", strings.NewReplacer("DIR", abs("data"), "data/people.csv",
			columns+"'"+abs("data/people.csv")+"'").Replace(atlas), nil,
			strings.NewReplacer("DIR", `""`, "data/people.csv", columns+`""`).Replace(atlas), nil, ""},
		{"an atlas's directory, relative", strings.Replace(atlas, "DIR", "data", 1), nil, "", nil, ""},
		{"in a comment", vars + cohort + stages + "# in " + abs("data") + "\n", []string{"data=" + abs("data")}, "",
			nil, "the lock would contain a path of this machine, " + dir},
		{"among other things", vars + cohort + stages, []string{"stages.s.in={input: {file: " + abs("x.txt") + "}}"}, "", nil, "a path to data among other values"},
		{"in a parameter", vars + cohort + strings.Replace(stages, "${word}", "${data}/y", 1), []string{"data=" +
			abs("data")}, "", nil, `the variable "data" is a path to data, and results must not depend on paths`},
		{"in a parameter, relative", vars + cohort + strings.Replace(stages, "${word}", "${data}/y", 1),
			[]string{"data=data"}, "", []string{"data=data"}, ""},
		{"a place within a parameter", vars + cohort + stages, []string{"word=" + abs("bin/tool")}, "",
			[]string{"word=" + abs("bin/tool")}, "the lock would contain a path of this machine, " + dir},
		{"another's name that begins alike", vars + cohort + stages, []string{"word=" + dir + "2/tool"}, "", []string{"word=" + dir + "2/tool"}, ""},
	} {
		file := filepath.Join(dir, "p.yaml")
		testdir.Write(t, file, c.text)
		p, err := Load(file, c.sets)
		if err == nil {
			err = p.Shared.Check("the lock", strings.Join(append(slices.Clone(p.Shared.Sets), p.Shared.Text), "\n"))
		}
		if c.wrong != "" {
			need.Error(t, err, c.wrong, c.name)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want == "" {
			c.want = c.text
		}
		if p.Shared.Text != c.want {
			t.Errorf("%s: the text is\n%s\nwant\n%s", c.name, p.Shared.Text, c.want)
		}
		if !slices.Equal(p.Shared.Sets, c.kept) {
			t.Errorf("%s: sets %q, want %q", c.name, p.Shared.Sets, c.kept)
		}
	}
}

// A file is called the same wherever it lies and however its path is written.
func TestFileNames(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for _, at := range []string{filepath.Join(dir, "tools"), home} {
		testdir.Write(t, filepath.Join(at, "sub", "x.txt"), "x")
	}
	testdir.Write(t, filepath.Join(dir, "x.txt"), "x")
	const text = "vars: { tools: tools, one: tools/sub/x.txt }\nstages: { s: { use: echo, in: { input: { file: %s } } } }\n"
	for _, c := range []struct{ file, set, want string }{
		{`"${tools}/sub/x.txt"`, "", "sub/x.txt"},
		{`"${tools}/sub/x.txt"`, "tools=" + home, "sub/x.txt"},
		{`"${tools}/sub/x.txt"`, "tools=./tools/", "sub/x.txt"},
		{`"${one}"`, "", "x.txt"},
		{`"${one}"`, "one=" + filepath.Join(home, "sub", "x.txt"), "x.txt"},
		{"tools/sub/x.txt", "", "tools/sub/x.txt"},
		{"./x.txt", "", "x.txt"},
		{filepath.Join(home, "sub", "x.txt"), "", "x.txt"},
		{filepath.Join("..", filepath.Base(dir), "x.txt"), "", "x.txt"},
	} {
		testdir.Write(t, filepath.Join(dir, "p.yaml"), strings.Replace(text, "%s", c.file, 1))
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		p, err := Load(filepath.Join(dir, "p.yaml"), sets)
		if err != nil {
			t.Errorf("%s %s: %v", c.file, c.set, err)
			continue
		}
		need.Equal(t, p.Graph.Stages()[0].Tasks()[0].Inputs()[0].Sources[0].Name, c.want, c.file, c.set)
	}
}
