package locked

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// A plan is read as it was written, refused where it was changed, and compared with the settings of a run: values,
// connections and universes. A stage that only one of both has is listed once.
func TestLockedPlan(t *testing.T) {
	settings := func(detrend, headline, from string, universes [][]int32, stages ...string) []Line {
		rows := []column.SettingRow{{Stage: "clean", Kind: "denoise", Parameter: "detrend", Value: []string{detrend}},
			{Stage: "clean", Kind: "denoise", Parameter: "fd", Value: []string{"0"}},
			{Stage: "clean", Kind: "denoise", Parameter: "fd", Value: []string{"0.3"}},
			{Stage: "multiverse", Kind: "multiverse", Parameter: "headline", Value: []string{headline, "model=b"}}}
		for _, s := range stages {
			rows = append(rows, column.SettingRow{Stage: s, Kind: "evaluate", Parameter: "permutations",
				Value: []string{"9"}})
		}
		at, _, _ := strings.Cut(from, "[")
		table := column.Table(rows)
		table.Meta = map[string]string{
			column.SettingLinks: column.JSON([]column.Link{{Stage: "multiverse", Port: "predictions",
				From: column.Results(at)[0], Of: from[len(at):]}}),
			column.SettingDecisions: column.JSON(column.Decisions{Decisions: []column.Decision{{Name: "motion",
				Options: []column.Option{{Name: "none"}, {Name: "cut"}}}}, Universes: universes}),
		}
		return need.Value(Of(table))(t)
	}
	written := (&Plan{Locked: "2026-01-02T03:04:05Z", Program: "1.0.0", Trained: 2,
		Lines: settings("1", "model=a", "a.predictions", [][]int32{{0}, {1}}, "measured")}).Text()
	p := need.Value(Read(written))(t)
	need.Equal(t, p.Locked+" "+p.Program, "2026-01-02T03:04:05Z 1.0.0")
	need.Equal(t, p.Trained, 2)
	// As git may check it out.
	crlf := need.Value(Read([]byte(strings.ReplaceAll(string(written), "\n", "\r\n"))))(t)
	need.Equal(t, crlf.Digest, p.Digest)
	for old, with := range map[string]string{"03:04:05": "01:04:05", "before: 2": "before: 0",
		`detrend = "1"`: `detrend = "2"`} {
		_, err := Read([]byte(strings.Replace(string(written), old, with, 1)))
		if err == nil || !strings.Contains(err.Error(), "was changed after it was locked") {
			t.Errorf("%s → %s: %v", old, with, err)
		}
	}
	for _, text := range []string{"", "stages: {}\n", planHead + "\n", planHead + "\n\n\n\n\n\n\n"} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	p.Differences = p.Compare(settings("1", "model=a", "a.predictions", [][]int32{{0}, {1}}, "measured"))
	need.Equal(t, len(p.Differences), 0)
	need.Equal(t, p.Keeps("multiverse", "headline"), true)
	// A selection among the results of a stage is a difference in the axes that it restricts.
	for _, c := range []struct{ was, is, want string }{
		{"a.p[band=all|low,fold=1|2]", "a.p[band=all,fold=1|2]", "a.p[band=all] instead of a.p[band=all|low]"},
		{"a.p[band=all|low]", "a.p[band=all]", "a.p[band=all] instead of a.p[band=all|low]"},
		{"a.p[band=all|low]", "b.p[band=all|low]", "b.p instead of a.p"},
		{"a.p", "a.p[band=all]", "a.p[band=all] instead of a.p"},
		{"a.p[b=1|2,m=x|y]", "a.p[b=1,m=y][b=1|2,m=x]", "a.p[b=1,m=y][b=1|2,m=x] instead of a.p[b=1|2,m=x|y]"},
		{"a.p[b=1|2]", "a.p[b=1,m=y][b=2,m=x][b=3,m=z]", "a.p[b=1,m=y][b=2,m=x][…] instead of a.p[b=1|2]"},
	} {
		locked := &Plan{Lines: settings("1", "model=a", c.was, [][]int32{{0}, {1}})}
		need.Equal(t, differ(locked.Compare(settings("1", "model=a", c.is, [][]int32{{0}, {1}}))),
			"changed multiverse.predictions "+c.want)
	}
	p.Differences = p.Compare(settings("2", "model=c", "b.predictions", [][]int32{{0}}, "other"))
	need.Equal(t, differ(p.Differences), strings.Join([]string{
		`missing . universe motion=cut instead of `,
		`changed clean.detrend "2" instead of "1"`,
		`changed multiverse.headline "model=c, model=b" instead of "model=a, model=b"`,
		`changed multiverse.predictions b.predictions instead of a.predictions`,
		`added other. evaluate instead of `,
		`missing measured. evaluate instead of `}, "\n"))
	// Options have no order; what not excludes comes first, and is always listed.
	options := func(not string, values ...string) []Line {
		table := column.Table(lists.Map(values, func(v string) column.SettingRow {
			return column.SettingRow{Stage: "clean", Kind: "denoise", Parameter: "detrend", Value: []string{v}}
		}))
		d := column.Decisions{Decisions: []column.Decision{{Name: "trend"}}}
		for i, v := range values {
			d.Decisions[0].Options = append(d.Decisions[0].Options, column.Option{Name: v, Sets: []column.OptionSet{
				{Stage: "clean", Parameter: "detrend", Value: []string{v}}}})
			d.Universes = append(d.Universes, []int32{int32(i)})
		}
		if not != "" {
			d.Not = []column.Not{{Of: []column.NotOptions{{Decision: "trend", Options: []string{not}}},
				Because: "slow"}}
		}
		table.Meta = map[string]string{column.SettingDecisions: column.JSON(d)}
		return need.Value(Of(table))(t)
	}
	need.Equal(t, fmt.Sprint(options("", "1", "2")), fmt.Sprint(options("", "2", "1")))
	earlier := &Plan{Lines: lists.Map(strings.Split("clean is a stage of the kind denoise\nclean.detrend = \"2\" | \"1\"\n"+
		"universe trend=2\nuniverse trend=1\nwith trend=2, clean.detrend = \"2\"\nwith trend=1, clean.detrend = \"1\"", "\n"), readLine)}
	need.Equal(t, differ(earlier.Compare(options("", "1", "2"))), "")
	earlier.Differences = earlier.Compare(options("9", "1", "2", "3", "4", "5", "6", "7", "8"))
	need.Equal(t, strings.Split(differ(earlier.Differences), "\n")[0], "added . excluded: trend=9, because: slow instead of ")
	need.Equal(t, earlier.Values()["Shown"], any(7))
	need.Equal(t, earlier.Values()["Others"], any(6))
	input := func(value string) Line { return Line{AboutInput, "", "m", "predictions", value} }
	universe := func(value string) Line { return Line{About: AboutUniverse, Value: universeOf + value} }
	locked := &Plan{Lines: []Line{input("a.p[x=1,y=1]"), universe("x=1 y=1")}}
	need.Equal(t, differ(locked.Compare([]Line{input("a.p[x=1,y=1][x=1|2,y=2]"), universe("x=1 y=1"),
		universe("x=1 y=2")})), "added . universe x=1 y=2 instead of ") // what the input selects follows from it
	// A headline is one universe. A decision with one option that only one of both has makes no universe another, and
	// one that both have stands in the name of each.
	head := func(stage, coords string, lines ...Line) []Line {
		return append(lines, Line{AboutParameter, "", stage, "headline", `"` + coords + `"`},
			Line{About: AboutStage, Stage: stage, Value: stage})
	}
	two := []Line{universe("m=a t=1"), universe("m=a t=2")}
	four := append(slices.Clone(two), universe("m=b t=1"), universe("m=b t=2"))
	for _, c := range []struct {
		was, is []Line
		want    string
	}{
		{head("multiverse", "m=a, t=1", four...), head("multiverse", "t=1, m=a", four...), ""},
		{head("multiverse", "t=1", two...), head("multiverse", "m=a, t=1", two...), ""},
		{head("report", "", head("multiverse", "m=a, t=1", four...)...),
			head("report", "t=1, m=a", head("multiverse", "", four...)...), ""},
		{head("multiverse", "m=a", four...), head("multiverse", "m=a, t=1", four...),
			`changed multiverse.headline "m=a, t=1" instead of "m=a"`},
		{four, two, "missing . universe m=b t=1 instead of \nmissing . universe m=b t=2 instead of "},
		{two, []Line{universe("t=1"), universe("t=2")}, ""},
		{[]Line{universe("t=1"), universe("t=2")}, append(slices.Clone(two),
			Line{AboutParameter, "m=a", "clean", "fd", `"1"`}), ""},
	} {
		need.Equal(t, differ((&Plan{Lines: c.was}).Compare(c.is)), c.want)
	}
	with := func(option, value string) Line { return Line{AboutParameter, option, "clean", "fd", value} }
	redefined := &Plan{Lines: append(four, with("t=1", `"1"`), with("t=2", `"2"`), with("", `"1" | "2"`))}
	for _, c := range []struct {
		one, two string
		want     bool
	}{{`"1"`, `"2"`, false}, {`"3"`, `"2"`, true}, {`"1"`, `"3"`, false}, {`"2"`, `"1"`, true}} {
		redefined.Differences = redefined.Compare(append(slices.Clone(four), with("t=1", c.one), with("t=2", c.two),
			with("", c.one+" | "+c.two)))
		need.Equal(t, redefined.Redefines([]string{"m=a", "t=1"}, func(string) bool { return false }), c.want)
	}
	need.Equal(t, p.Keeps("multiverse", "headline"), false)
	need.Equal(t, p.Keeps("multiverse", "joint"), true)
}

// differ writes differences, a line each.
func differ(all []Difference) string {
	return strings.Join(lists.Map(all, func(d Difference) string {
		return fmt.Sprintf("%s %s.%s %s instead of %s", d.How, d.Stage, d.Name, d.Is, d.Was)
	}), "\n")
}

// A line of a plan is read as it was written.
func TestPlannedLines(t *testing.T) {
	for _, p := range []Line{{AboutStage, "", "clean", "", "denoise"},
		{AboutParameter, "", "clean", "fd", `"0" | "0.3 = x"`},
		{AboutInput, "", "clean", "series", "a.p[b=1], c.d"},
		{AboutParameter, "motion=cut, hard", "clean", "fd", `"0.3"`},
		{About: AboutUniverse, Value: "universe a=b c = d"}, {Value: "excluded: a=b|c d=e"}, {Value: "sample: 3 of 9 universes not drawn, seed 1"},
	} {
		need.Equal(t, readLine(p.String()), p)
	}
}
