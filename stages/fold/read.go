package fold

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// ReadSettings reads gathered predictions. The coordinates of a training, other than
// fold and repeat, name its setting.
func ReadSettings(ins []dag.Input) (*Settings, error) { return readSettings(ins, ReadTested) }

// ReadNumbers does the same with predicted numbers; there are no groups.
func ReadNumbers(ins []dag.Input) (*Settings, error) { return readSettings(ins, readNumbers) }

func readSettings(ins []dag.Input, read func(*encoding.Table) ([]Tested, []string, error)) (*Settings, error) {
	all := &Settings{}
	var folds []Tested
	var lefts []*column.RegionsLeftOut
	for _, in := range ins {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		f, names, err := read(table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if all.Groups == nil {
			all.Groups = names
		}
		if !slices.Equal(all.Groups, names) {
			return nil, fmt.Errorf("%s: its groups are %s, but others have %s", in.Name, strings.Join(names, ", "), strings.Join(all.Groups, ", "))
		}
		leaks, err := column.LeaksOf(table.Meta)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if leaks != nil {
			all.Found.Add(finding.Finding{Code: "training.leakage", Weight: finding.Overturns,
				Numbers: map[string]any{"Leaks": leaks}})
		}
		left, err := column.MetaOf[*column.RegionsLeftOut](table.Meta, column.LeftOutMeta)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		lefts = append(lefts, left)
		var setting []string
		for _, c := range in.Coords {
			if c.Axis == "fold" || c.Axis == "repeat" {
				continue
			}
			setting = append(setting, c.Axis+"="+c.Value)
			for i := range f {
				f[i].Coords = append(f[i].Coords, c)
			}
			all.Axes = lists.Add(all.Axes, c.Axis)
		}
		for i := range f {
			f[i].setting, f[i].Model = strings.Join(setting, "\x00"), table.Meta["model"]
			f[i].Inputs = table.Meta["inputs"]
		}
		folds = append(folds, f...)
	}
	if len(folds) == 0 {
		return nil, fmt.Errorf("no predictions to evaluate: connect them to a train stage")
	}
	all.Found.Add(finding.RegionsLeftOut(lefts)...)
	all.Settings = bySetting(folds)
	all.name()
	for _, fs := range all.Settings {
		if err := OnlyOnce(fs); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A place is a participant in one fold of one repeat.
type place struct {
	id           string
	repeat, fold int32
}

// oneSide refuses predictions that train on a participant whom they test: no accuracy is
// made of them, whether a leakage stage looks at them or not.
func oneSide(rows []graphRow) error {
	tested := map[place]bool{}
	for _, r := range rows {
		if r.set == "test" {
			tested[r.place] = true
		}
	}
	for _, r := range rows {
		if r.set != "test" && tested[r.place] {
			return fmt.Errorf("leakage: %s is in the training and the test set in fold %d of repeat %d; no accuracy is computed from these predictions", r.id, r.fold, r.repeat)
		}
	}
	return nil
}

// TestRows are the test rows of predictions, counted from 1, by what they are of.
type TestRows map[testRow]int

type testRow struct {
	id                 string
	repeat, fold, draw int64
}

// Again adds a test row. It says so where an earlier one is of the same draw of the participant in the same fold: it
// would count twice at graph level.
func (r TestRows) Again(id string, repeat, fold, draw int64, row int) string {
	of := testRow{id, repeat, fold, draw}
	if first := r[of]; first > 0 {
		return fmt.Sprintf("%s is tested twice with draw %d, in rows %d and %d: write one test row for each participant and draw", id, draw, first, row)
	}
	r[of] = row
	return ""
}

// oneRow refuses predictions that test a draw of a participant twice.
func oneRow(rows []graphRow) error {
	tested := TestRows{}
	for i, r := range rows {
		if r.set != "test" {
			continue
		}
		if again := tested.Again(r.id, int64(r.repeat), int64(r.fold), int64(r.draw), i+1); again != "" {
			return fmt.Errorf("%s; no accuracy is computed from these predictions", again)
		}
	}
	return nil
}
