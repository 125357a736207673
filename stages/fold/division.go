package fold

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Params select the test fold and the draws; every cross-validated kind has them.
type Params struct {
	Fold     int    `param:"fold" doc:"the test fold" min:"1"`
	Repeat   int    `param:"repeat" doc:"the assignment to folds" min:"1"`
	DrawZero bool   `param:"draw_zero" doc:"use draw 0, which is not resampled, beside the random draws; without draws it is used anyway"`
	Draws    int    `param:"draws" doc:"use only the first so many random draws of each participant" zero:"all of them" min:"0"`
	Regions  string `param:"regions" doc:"shared: a region that is missing or constant in a participant, in any draw, is excluded for all participants: graphs have no node and rankings no entry for it, and matrices and series have zeros in its place (more than a tenth of the regions are refused), so that its absence cannot separate the groups; all: it is zero in participants who lack it. Graphs are reduced after they are made; features other than pearson do not show the missing region" choices:"shared|all"`
	role.Informed
}

// Numbers lists the draws that are used, of n with draw 0: the random ones, and draw 0
// when it is asked for or alone.
func (s Params) Numbers(n int, name string) ([]int, error) {
	if s.Draws > n-1 && n > 1 {
		return nil, fmt.Errorf("%s: draws is %d, but there are %d random draws", name, s.Draws, n-1)
	}
	var draws []int
	for d := range n {
		if n == 1 || d == 0 && s.DrawZero || d > 0 && (s.Draws == 0 || d <= s.Draws) {
			draws = append(draws, d)
		}
	}
	return draws, nil
}

// Graphs is how many graphs of each participant are used, of so many draws with draw 0; where that is not known (0), at
// least.
func (s Params) Graphs(draws int, name string) (int, error) {
	if draws == 0 {
		return max(1, s.Draws), nil
	}
	used, err := s.Numbers(draws, name)
	return len(used), err
}

// GraphsText names graphs of a participant, by their draws of n: "graphs 1 to 3 of 10". Draws are random or of
// sessions; draw 0 has all data.
func GraphsText(draws []int, n int) string {
	var parts []string
	if len(draws) > 0 && draws[0] == 0 {
		parts, draws = append(parts, "the graph of all data"), draws[1:]
	}
	switch {
	case len(draws) == 0:
	case len(draws) == 1:
		parts = append(parts, fmt.Sprintf("graph %d of %d", draws[0], n-1))
	case len(draws) == n-1:
		parts = append(parts, "all graphs")
	default:
		parts = append(parts, fmt.Sprintf("graphs %d to %d of %d", draws[0], draws[len(draws)-1], n-1))
	}
	return strings.Join(parts, ", ")
}

// TestFold is the repeat and the fold that is tested, from 1.
func (s Params) TestFold() (repeat, fold int) { return s.Repeat, s.Fold }

// What a training is unless it has a method of its own.

func (Params) RefusesFolds(*encoding.Table, int) error { return nil }
func (Params) InEpochs() bool                          { return false }
func (Params) PredictsLargest() bool                   { return false }
func (Params) Retrains(int) int                        { return 0 }
func (Params) Leaks() string                           { return "" }

// Stream names the random numbers of a training. Each fold starts from weights of its own: how lucky they are evens
// out.
func (s Params) Stream(of ...any) []any { return append(of, "repeat", s.Repeat, "fold", s.Fold) }

// First is the first fold of the first repeat.
func First() Params { return Params{Fold: 1, Repeat: 1, Regions: "shared"} }

// Apart is the side of participants in fold 0, which are neither in training nor in test data.
const Apart = -1

// A Member is the fold of one participant in one repeat: a row of the table of the folds.
type Member struct {
	ID     string `column:"participant_id"`
	Group  string `column:"group"`
	Repeat int32  `column:"repeat" doc:"repeat, from 1"`
	Fold   int32  `column:"fold" doc:"the fold in which the participant is tested, from 1"`
}

// A NumberMember is a Member of a study that predicts a number in place of groups.
type NumberMember struct {
	ID     string  `column:"participant_id"`
	Target float64 `column:"target" doc:"the number to predict"`
	Repeat int32   `column:"repeat" doc:"repeat, from 1"`
	Fold   int32   `column:"fold" doc:"the fold in which the participant is tested, from 1"`
}

// A LabeledMember is a Member or a NumberMember.
type LabeledMember struct {
	ID     string  `column:"participant_id"`
	Group  string  `column:"group,optional"`
	Target float64 `column:"target,missing,optional"` // NaN where groups are predicted
	Repeat int32   `column:"repeat"`
	Fold   int32   `column:"fold"`
	// The first of those who stay in one fold with this participant; "" where the folds keep nobody together.
	Together string `column:"together,optional"`
	LeftOut  string `column:"left_out,optional"` // the value that the fold leaves out
}

// Label is the label as a text: the group, or the number.
func (m LabeledMember) Label() string {
	if math.IsNaN(m.Target) {
		return m.Group
	}
	return encoding.FormatFloat(m.Target, 64)
}

// Folds is the type of a port that takes the folds of groups and those of a number.
func Folds() dag.Type { return dag.Arrow("participant_id", "repeat", "fold") }

// A Division tells the label and the side of each participant in one fold.
type Division struct {
	Params
	Name   string   // of the table
	Groups []string // sorted; their places are the labels
	group  map[string]string
	target map[string]float64
	Side   map[string]int
	left   string // the value that the test fold leaves out
}

// Divide reads the table of the folds.
func (s Params) Divide(in dag.Input) (*Division, error) {
	members, err := column.Read[LabeledMember](in)
	if err != nil {
		return nil, err
	}
	d := &Division{Params: s, Name: in.Name, group: map[string]string{}, target: map[string]float64{}}
	if d.Side, err = s.sides(members, in.Name); err != nil {
		return nil, err
	}
	for _, m := range members {
		if int(m.Repeat) == s.Repeat {
			d.group[m.ID], d.target[m.ID] = m.Group, m.Target
			if int(m.Fold) == s.Fold {
				d.left = m.LeftOut
			}
		}
	}
	seen := map[string]bool{}
	for _, g := range d.group {
		if !seen[g] {
			seen[g] = true
			d.Groups = append(d.Groups, g)
		}
	}
	slices.Sort(d.Groups)
	return d, nil
}

// Untaught is why no model can be trained outside the test fold: a group has no training participants, or all have the
// same number to predict.
func (d *Division) Untaught() error {
	taught, labels, number := map[string]bool{}, map[string]bool{}, false
	for id, side := range d.Side {
		label := LabeledMember{Group: d.group[id], Target: d.target[id]}.Label()
		number = number || !math.IsNaN(d.target[id])
		if labels[label] = true; side == 0 {
			taught[label] = true
		}
	}
	tests, remedy := fmt.Sprintf("fold %d", d.Fold), "use fewer folds, or stratify them (stratify: true)"
	if d.left != "" {
		tests += fmt.Sprintf(" (%s, left out)", d.left)
		remedy = "leave out another column, or leave the participants of this fold out of the cohort"
	}
	if number {
		if len(taught) == 1 {
			return fmt.Errorf("%s: all participants outside %s have the same number to predict, %s: %s", d.Name, tests,
				slices.Collect(maps.Keys(taught))[0], remedy)
		}
		return nil
	}
	lost := slices.DeleteFunc(slices.Sorted(maps.Keys(labels)), func(g string) bool { return taught[g] })
	if len(lost) == 0 || len(taught) == 0 {
		return nil
	}
	return fmt.Errorf("%s: outside %s there are no participants of group %s, so no model can be trained: %s", d.Name, tests,
		strings.Join(lists.Map(lost, strconv.Quote), ", "), remedy)
}

// Row finds the participant that an input is of.
func (d *Division) Row(in dag.Input) (Row, error) {
	id := in.Coord("subject")
	if id == "" {
		return Row{}, fmt.Errorf("%s is not of one participant: connect a stage that fans out over subject", in.Name)
	}
	// Two sessions of a participant would be two rows under one name, or worse, one for the other.
	for _, part := range []string{"session", "run"} {
		if in.Coord(part) != "" {
			return Row{}, fmt.Errorf("%s belongs to one %s of a participant: first combine the %[2]ss by the kind %[3]s", in.Name, part, map[string]string{"session": "sessions", "run": "join"}[part])
		}
	}
	group, ok := d.group[id]
	if !ok {
		return Row{}, fmt.Errorf("%s: participant %s is in no fold of %s", in.Name, id, d.Name)
	}
	// What was fitted for another fold has seen whom this one tests.
	for axis, own := range map[string]int{"fold": d.Fold, "repeat": d.Repeat} {
		if of := in.Coord(axis); of != "" && of != fmt.Sprint(own) {
			return Row{}, fmt.Errorf("%s belongs to %s %s, but %s %d is tested here: fan both stages out over the same axis, and gather with [*]", in.Name, axis, of, axis, own)
		}
	}
	label, _ := slices.BinarySearch(d.Groups, group)
	return Row{Id: id, Label: label, Target: d.target[id], Side: d.Side[id]}, nil
}

// sides tells the side of each participant. All draws of a
// participant follow it, so none can be on both.
func (s Params) sides(members []LabeledMember, name string) (map[string]int, error) {
	side := map[string]int{}
	largest := 0
	for _, m := range members {
		if int(m.Repeat) != s.Repeat {
			continue
		}
		if _, twice := side[m.ID]; twice {
			return nil, fmt.Errorf("%s: participant %s appears twice in repeat %d: it could be in the training and the test set", name, m.ID, s.Repeat)
		}
		largest = max(largest, int(m.Fold))
		side[m.ID] = 0
		switch int(m.Fold) {
		case s.Fold:
			side[m.ID] = 1
		case 0:
			side[m.ID] = Apart
		}
	}
	if len(side) == 0 {
		return nil, fmt.Errorf("%s has no repeat %d: set repeats in the split stage", name, s.Repeat)
	}
	if s.Fold > largest {
		return nil, fmt.Errorf("%s has the folds 1 to %d, not %d: use the same number in the fold axis and in folds of the split stage", name, largest, s.Fold)
	}
	return side, nil
}

// SideNames are the sides of a split.
var SideNames = [2]string{"train", "test"}

// RefuseFit refuses what was fitted for another fold, and what a test participant was used for.
func (d *Division) RefuseFit(in dag.Input, repeat, test int) error {
	if test != d.Fold || repeat != d.Repeat {
		return fmt.Errorf("%s was fitted for fold %d, repeat %d, and fold %d, repeat %d is tested here: fan both stages out over the same axes", in.Name, test, repeat, d.Fold, d.Repeat)
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	var ids []string
	if err := json.Unmarshal([]byte(table.Meta["participants"]), &ids); err != nil || len(ids) == 0 {
		return fmt.Errorf("%s: its metadata do not name the participants that it was fitted to", in.Name)
	}
	for _, id := range ids {
		if side, known := d.Side[id]; !known || side != 0 {
			return fmt.Errorf("leakage: %s was fitted to %s, who is not a training participant of fold %d", in.Name, id, d.Fold)
		}
	}
	return nil
}
