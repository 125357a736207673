package methods

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/participants"
)

// What differs between universes is stated for each option, also a parameter without a sentence, but not one without an
// effect; what is the same is stated once, and nothing as if it were done in all universes.
func TestUniverses(t *testing.T) {
	clean := with("denoise", "detrend", "1; 2", "fd", "0; 0.5", "filter", "none; cosine", "high_pass", "0; 0.01",
		"low_pass", "0", "standardize", "zscore", "draws", "0", "regress", "24P; 6P", "margin", "0; 3",
		"min_segment", "0; 4", "bridge", "linear; nilearn")
	clean.Stage = "clean"
	set := func(parameter, value string) column.OptionSet {
		return column.OptionSet{Stage: "clean", Parameter: parameter, Value: []string{value}}
	}
	option := func(name, regress, fd, filter, high string) column.Option {
		return column.Option{Name: name, Sets: []column.OptionSet{set("regress", regress), set("fd", fd),
			set("filter", filter), set("high_pass", high), set("min_segment",
				map[string]string{"0": "3", "0.5": "4"}[fd]),
			set("bridge", map[string]string{"0": "linear", "0.5": "nilearn"}[fd])}}
	}
	of := func(margin, detrend string) []column.OptionSet {
		return []column.OptionSet{set("margin", margin), set("detrend", detrend)}
	}
	a := authorOf(clean)
	a.Run.Table = encoding.NewTable()
	a.Run.Decisions = column.Decisions{Decisions: []column.Decision{
		{Name: "motion", Options: []column.Option{option("24P", "24P", "0", "none", "0"),
			option("cut", "6P", "0.5", "cosine", "0.01")}},
		{Name: "trend", Options: []column.Option{{Name: "linear", Sets: of("0", "1")},
			{Name: "square", Sets: of("3", "2")}}},
	}, Universes: [][]int32{{0, 0}, {0, 1}, {1, 0}}}
	for _, motion := range []string{"24P", "cut"} {
		r := column.CleaningRow{Strategy: map[string]string{"24P": "24P", "cut": "6P"}[motion], TEff: 90, Volumes: 148,
			Kept: 148}
		a.Scans = append(a.Scans, quality.Scan{Who: "sub-1", CleaningRow: r,
			Coords: []dag.Coord{{Axis: "motion", Value: motion}, {Axis: "subject", Value: "sub-1"}}})
	}
	a.Write()
	need.NoError(t, a.Err())
	texts := ""
	for _, b := range a.Section.Blocks {
		texts += strings.TrimPrefix(b.Text+"\n", "\n")
	}
	need.Equal(t, texts, `All scans had 148 volumes.
In denoising, 90 degrees of freedom remained; each series was standardized.
Analyses differed in trend. With trend=linear: In denoising, a linear trend was removed. `+
		`With trend=square: In denoising, linear and quadratic trends were removed.
Analyses differed in motion. With motion=24P: In denoising, 24 motion parameters were regressed out [1]. `+
		`With motion=cut: In denoising, 6 motion parameters were regressed out [1]; volumes with a framewise displacement `+
		`above 0.5 mm were censored [2]; a cosine filter retained frequencies above 0.01 Hz.
All computations were performed with PR-GNN Pipeline 1.0.0 [3].
Analyses differed in trend. With trend=linear: In the stage clean, margin was 0. `+
		`With trend=square: In the stage clean, margin was 3.
Analyses differed in motion. `+
		`With motion=24P, the steps of the other options were omitted. `+
		`With motion=cut: In the stage clean, min segment was 4.
`)
	need.Equal(t, len(a.Run.Stages[0].Values["fd"]), 2) // as before
}

// What holds in all universes is stated once, also where it begins a paragraph in some of them only.
func TestInAll(t *testing.T) {
	joint := func(begins bool) statement { return statement{code: "b", text: "B.", begins: begins} }
	a := statement{code: "a", text: "A."}
	said := [][]statement{{a, joint(false)}, {joint(true)}, {a, joint(false)}}
	need.Equal(t, slices.Equal(inAll(said), []statement{joint(false)}), true)
}

// The degrees of freedom are those of each setting of an axis whose scans the page has; a text for a paper has nothing
// on what is not connected.
func TestFreedomOfSettings(t *testing.T) {
	for want, settings := range map[string][]string{
		"with fd=0, 90 degrees of freedom remained; with fd=0.5, 60 degrees of freedom remained": {"0", "0.5"},
		"were regressed out [1]; with fd=0.5, 60 degrees of freedom remained.":                   {"0.5"},
		"were regressed out [1].": nil,
	} {
		clean := with("denoise", "detrend", "1", "fd", "0; 0.5", "filter", "none", "standardize", "none", "draws", "0",
			"regress", "24P", "subject", "a; b")
		a := authorOf(clean)
		for _, fd := range settings {
			r := column.CleaningRow{Strategy: "24P", TEff: map[string]float64{"0": 90, "0.5": 60}[fd], Volumes: 148,
				Kept: 148}
			a.Scans = append(a.Scans, quality.Scan{Who: "a", CleaningRow: r,
				Coords: []dag.Coord{{Axis: "fd", Value: fd}, {Axis: "subject", Value: "a"}}})
		}
		if settings == nil { // it has those of another universe
			a.Scans = []quality.Scan{{Who: "a", Coords: []dag.Coord{{Axis: "motion", Value: "other"}}}}
			a.Run.Decisions = column.Decisions{Decisions: []column.Decision{{Name: "motion",
				Options: []column.Option{{Name: "own"}}}}}
			a.universe = []int32{0}
		}
		a.denoising(&clean)
		need.NoError(t, a.Err())
		if _, text := written(t, a); !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
}

// A text that two decisions change together is stated for their combinations.
func TestDependsOn(t *testing.T) {
	views := [][]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}}
	for _, c := range []struct {
		texts string
		want  []int
	}{{"aaaaaaaa", nil}, {"aaaabbbb", []int{0}}, {"abababab", []int{2}}, {"ababbaba", []int{0, 2}}} {
		need.Equal(t, fmt.Sprint(dependsOn(views, strings.Split(c.texts, ""))), fmt.Sprint(c.want))
	}
}

// Which combinations were excluded, and why, and how many were drawn, is stated beside the joint test.
func TestUniversesLeftOut(t *testing.T) {
	a := authorOf(with("multiverse", "joint", "median", "headline", "denoising=36P"))
	a.Run.Table = encoding.NewTable()
	const headline = " The headline is always one of them."
	for _, c := range []struct {
		of   column.Decisions
		want string
	}{
		{column.Decisions{All: 12, Left: 4, Seed: "7", Not: []column.Not{
			{Of: []column.NotOptions{{Decision: "denoising", Options: []string{"36P"}},
				{Decision: "estimator", Options: []string{"oas", "glasso"}}}, Because: "too few volumes", Number: 2}}},
			"Of 12 combinations of the options, 2 were excluded: denoising 36P with estimator oas or glasso (too few volumes). " +
				"Of the others, 6 were drawn at random (seed 7)." + headline},
		{column.Decisions{All: 12, Left: 4, Seed: "7"}, "8 of 12 combinations of the options were drawn at random (seed 7)." + headline},
	} {
		a.Run.Decisions = c.of
		need.Equal(t, a.Text("methods.multiverse-space", a.space()), c.want)
	}
}

// A page of many universes reads each table once, and writes its sentences once for equal parameters and the same
// scans, also where no sentence states a parameter: with three decisions of three options, 27 times for the scans of
// each option of the one that scans depend on.
func TestUniversesAreReadOnce(t *testing.T) {
	clean := with("denoise", "margin", "0; 1; 2", "min_dof", "8; 9; 10", "min_volumes", "6; 7; 8", "filter", "none",
		"standardize", "none", "draws", "0", "detrend", "-1")
	clean.Stage = "clean"
	a := authorOf(clean)
	a.Run.Table = encoding.NewTable()
	for i, name := range []string{"margin", "min_dof", "min_volumes"} {
		d := column.Decision{Name: name}
		for _, value := range clean.Values[name] {
			d.Options = append(d.Options, column.Option{Name: value[0],
				Sets: []column.OptionSet{{Stage: "clean", Parameter: name, Value: value}}})
			if i == 0 {
				a.Scans = append(a.Scans, quality.Scan{Who: "sub-1", CleaningRow: column.CleaningRow{Strategy: "24P"},
					Coords: []dag.Coord{{Axis: "subject", Value: "sub-1"}, {Axis: name, Value: value[0]}}})
			}
		}
		a.Run.Decisions.Decisions = append(a.Run.Decisions.Decisions, d)
	}
	for i := range int32(27) {
		a.Run.Universes = append(a.Run.Universes, []int32{i / 9, i / 3 % 3, i % 3})
	}
	opened := map[string]int{}
	var tables []dag.Input
	for _, margin := range []string{"0", "1", "2"} {
		in := dag.InputOf(column.Table([]silentRow{{Missing: 1}}), dag.Coord{Axis: "subject", Value: "sub-1"},
			dag.Coord{Axis: "margin", Value: margin})
		read := in.Reader
		in.Reader = func() (io.ReadCloser, error) { opened[margin]++; return read() }
		tables = append(tables, in)
	}
	a.T = dag.NewTask(map[string][]dag.Input{"connectivity": tables})
	a.Write()
	need.NoError(t, a.Err())
	need.Equal(t, fmt.Sprint(opened), "map[0:1 1:1 2:1]", "how often each table was opened")
	k := a.sketches()
	for d := range 3 {
		need.Equal(t, a.isStated(d, 0, k), false)
	}
	need.Equal(t, len(k.known), 3*27, "sketches")
}

// Of a decision about the node list, the regions and labels of each option are stated, and no atlas of all; a stage
// that has the list of parcellate needs no sentence of its own. The cohort's atlas is stated only of as many regions.
func TestAtlases(t *testing.T) {
	coverage := func(atlas string, n int) dag.Input {
		regions := encoding.NewTable(encoding.Column{Name: "name", Values: make([]string, n)})
		return dag.InputOf(regions, dag.Coord{Axis: "subject", Value: "sub-1"}, dag.Coord{Axis: "atlas", Value: atlas})
	}
	parcellated := func(atlas string) string {
		return "Each scan was parcellated on its own grid with a label image" + atlas + "; a region was treated as " +
			"missing if less than half of its label was on this grid."
	}
	const dk = "Desikan–Killiany atlas with subcortical structures, 84 regions"
	for _, c := range []struct {
		name     string
		lists    bool   // the decision chooses node lists
		labels   string // of the option two; "": no decision chooses them
		dk84     bool
		coverage []dag.Input
		want     string
	}{
		{"two lists", true, "", true, []dag.Input{coverage("own", 84), coverage("two", 68)}, parcellated("") +
			" The labels were from A.\nAnalyses differed in atlas. With atlas=own: The regions were those of the " +
			dk + " [1]. With atlas=two: The 68 regions were those of the node list two.tsv."},
		{"another list of the cohort's", true, "two.nii", false, []dag.Input{coverage("own", 1), coverage("two", 68)},
			parcellated("") + "\nAnalyses differed in atlas. With atlas=own: The 1 region was that of the node list of " +
				"the cohort. The labels were from A. With atlas=two: The 68 regions were those of the node list two.tsv. " +
				"The labels were from two.nii."},
		{"without coverage", true, "", false, nil, parcellated("") + " The labels were from A.\nAnalyses differed in " +
			"atlas. With atlas=own: The regions were those of the node list of the cohort. With atlas=two: The regions " +
			"were those of the node list two.tsv."},
		{"labels alone", false, "two.nii", true, nil, parcellated(" ("+dk+") [1]") + "\nAnalyses differed in atlas. " +
			"With atlas=own: The labels were from A. With atlas=two: The labels were from two.nii."},
		{"another list of all", false, "", true, []dag.Input{coverage("own", 68)}, parcellated("") +
			" Each scan was divided into 68 regions. The labels were from A."},
	} {
		cohort := with("table")
		cohort.Stage = "cohort"
		a := authorOf(cohort, with("parcellate", "min_coverage", "0.5", "resampling", "auto"), with("mine"))
		a.Run.Table = encoding.NewTable()
		a.About = column.Scans{DK84: c.dk84, Labels: map[string]int{"from A": 1}}
		a.T = dag.NewTask(map[string][]dag.Input{"coverage": c.coverage})
		option := func(name, list, labels string) column.Option {
			o := column.Option{Name: name}
			set := func(stage, parameter, value string) {
				o.Sets = append(o.Sets, column.OptionSet{Stage: stage, Parameter: parameter, Value: []string{value}})
			}
			if c.lists {
				set("parcellate", "in.nodes", list)
				set("mine", "in.nodes", list)
			}
			if c.labels != "" {
				set("parcellate", "in.labels", labels)
			}
			return o
		}
		if c.lists || c.labels != "" {
			a.Run.Decisions = column.Decisions{Decisions: []column.Decision{{Name: "atlas", Options: []column.Option{
				option("own", "cohort.nodes", "cohort.labels"), option("two", "two.tsv", c.labels)}}},
				Universes: [][]int32{{0}, {1}}}
		}
		a.Write()
		need.NoError(t, a.Err())
		var texts []string
		for _, b := range a.Section.Blocks {
			if b.Text != "" && !strings.HasPrefix(b.Text, "All computations were performed") {
				texts = append(texts, b.Text)
			}
		}
		need.Equal(t, strings.Join(texts, "\n"), c.want, c.name)
	}
}

// A decision may choose between two stages that label voxels, each with its scans and list. A page with the scans of
// one option states their resampling for all, unless the labels are decided.
func TestAtlasesOfTwoStages(t *testing.T) {
	coord := func(axis, value string) dag.Coord { return dag.Coord{Axis: axis, Value: value} }
	labeled := func(how string, coords ...dag.Coord) participants.LabeledScan {
		return participants.LabeledScan{Coords: coords, ParcelRow: column.ParcelRow{Resampling: how}}
	}
	option := func(name string, sets ...string) column.Option {
		o := column.Option{Name: name}
		for i := 0; i < len(sets); i += 2 {
			stage, parameter, _ := strings.Cut(sets[i], ".")
			o.Sets = append(o.Sets, column.OptionSet{Stage: stage, Parameter: parameter, Value: []string{sets[i+1]}})
		}
		return o
	}
	const where = "; a region was treated as missing if less than half of its label was on this grid."
	const dk = "The regions were those of the Desikan–Killiany atlas with subcortical structures, 84 regions [1]."
	regions := dag.InputOf(encoding.NewTable(encoding.Column{Name: "name", Values: make([]string, 68)}),
		coord("stage", "two"))
	for _, c := range []struct {
		name     string
		labeled  []participants.LabeledScan
		own, two column.Option
		want     string
	}{
		{"two stages", []participants.LabeledScan{labeled(column.LabelsOnGrid, coord("stage", "one")),
			labeled(column.LabelsNearest, coord("stage", "two"))},
			option("own", "mine.in.parcels", "one.parcels", "mine.in.nodes", "cohort.nodes"),
			option("cortex", "mine.in.parcels", "two.parcels", "mine.in.nodes", "two.tsv"),
			"Analyses differed in atlas. With atlas=own: Each scan was parcellated on its own grid with a label image on " +
				"that grid, without resampling" + where + " " + dk + " With atlas=cortex: Each scan was parcellated on its own " +
				"grid with nearest-neighbor resampling of a label image" + where + " The 68 regions were those of the node " +
				"list two.tsv."},
		{"scans of one option", []participants.LabeledScan{labeled(column.LabelsOnGrid, coord("atlas", "own"))},
			option("own", "one.in.nodes", "cohort.nodes"), option("cortex", "one.in.nodes", "two.tsv"),
			"Each scan was parcellated on its own grid with a label image on that grid, without resampling" + where +
				"\nAnalyses differed in atlas. With atlas=own: " + dk + " With atlas=cortex: The regions were those of the " +
				"node list two.tsv."},
		{"scans of one option, with other labels", []participants.LabeledScan{labeled(column.LabelsOnGrid,
			coord("atlas", "own"))}, option("own", "one.in.nodes", "cohort.nodes", "one.in.labels", "cohort.labels"),
			option("cortex", "one.in.nodes", "two.tsv", "one.in.labels", "two.nii"),
			"Analyses differed in atlas. With atlas=own: Each scan was parcellated on its own grid with a label image on " +
				"that grid, without resampling" + where + " " + dk + " With atlas=cortex: Each scan was parcellated on its own " +
				"grid with a label image" + where + " The regions were those of the node list two.tsv. The labels were from " +
				"two.nii."},
	} {
		one := with("parcellate", "min_coverage", "0.5", "resampling", "auto")
		two := with("parcellate", "min_coverage", "0.5", "resampling", "auto")
		one.Stage, two.Stage = "one", "two"
		a := authorOf(one, two, with("mine"))
		a.Run.Table = encoding.NewTable()
		a.About, a.Labeled = column.Scans{DK84: true}, c.labeled
		a.T = dag.NewTask(map[string][]dag.Input{"coverage": {regions}})
		a.Run.Decisions = column.Decisions{Decisions: []column.Decision{{Name: "atlas",
			Options: []column.Option{c.own, c.two}}}, Universes: [][]int32{{0}, {1}}}
		a.Write()
		need.NoError(t, a.Err())
		var texts []string
		for _, b := range a.Section.Blocks {
			if b.Text != "" && !strings.HasPrefix(b.Text, "All computations were performed") {
				texts = append(texts, b.Text)
			}
		}
		need.Equal(t, strings.Join(texts, "\n"), c.want, c.name)
	}
}
