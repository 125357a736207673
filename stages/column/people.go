package column

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// Target is the column of the number that a study predicts in place of groups; in the metadata of the participants'
// table it is what the number is called: "age".
const Target = "target"

// Predicts is the metadata of a table of folds that has the column to predict, as the study's own table calls it: "iq".
// Without it, this is LabelOf.
const Predicts = "predicts"

// NameOf is what the study's own table calls a column of the participants' table: that of the groups, or of the number
// to predict, may have another name there.
func NameOf(people *encoding.Table, label string) string { return cmp.Or(people.Meta[label], label) }

// Subject is the axis of participants. Its values stand alone in the names of tasks: train[sub-003,fold=2].
const Subject = "subject"

// Output is the axis on which several outputs of one stage differ that an input gathers.
const Output = "output"

// LabelOf is the column of what a table of participants or predictions has to predict: groups, or a number.
func LabelOf(t *encoding.Table) string {
	if _, ok := t.Column(Target); ok {
		return Target
	}
	return "group"
}

// A TargetRow is a participant with the number to predict.
type TargetRow struct {
	ID     string  `column:"participant_id"`
	Target float64 `column:"target"`
}

// People are the participants by id, in the order of their table.
type People struct {
	Ids       []string
	Group     map[string]string
	Simulated bool // at least one of them is simulated
	// of a study that predicts a number, which has no groups: what it is called, and that of each participant
	Target  string
	Numbers map[string]float64
}

// ReadPeople reads the table of participants.
func ReadPeople(in dag.Input) (*People, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	p := &People{Simulated: HasSimulated(t)}
	if _, ok := t.Column(Target); ok && t.Meta[Target] != "" {
		p.Target, p.Group, p.Numbers = t.Meta[Target], map[string]string{}, map[string]float64{}
		rows, err := Read[TargetRow](in)
		for _, r := range rows {
			p.Ids, p.Group[r.ID], p.Numbers[r.ID] = append(p.Ids, r.ID), "", r.Target
		}
		return p, err
	}
	if p.Ids, p.Group, err = ByParticipant(t, "group"); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return p, nil
}

// HasSimulated reports whether the column of that name marks anybody: as the simulated cohort does, or as
// text, which it is after `pipeline simulate` has written a table that bids reads. It is no typed row, for a cohort's
// own column may have any type.
func HasSimulated(t *encoding.Table) bool {
	if marks, err := t.Bools("simulated"); err == nil {
		return slices.Contains(marks, true)
	}
	marks, err := t.Strings("simulated")
	return err == nil && slices.Contains(marks, "true")
}

// ByParticipant reads a column as text: the ids in the order of the table, and the value of each.
func ByParticipant(t *encoding.Table, name string) (ids []string, value map[string]string, err error) {
	ids, err1 := t.Strings("participant_id")
	values, err2 := t.Strings(name)
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, err
	}
	value = make(map[string]string, len(ids))
	for i, id := range ids {
		value[id] = values[i]
	}
	return ids, value, nil
}

// NormalID is an id without what programs change in ids: sub-, upper case, leading zeros of numbers, and the way in
// which accents are written.
func NormalID(id string) string {
	id = strings.TrimPrefix(strings.ToLower(Composed(strings.TrimSpace(id))), "sub-")
	var b strings.Builder
	digit := false // the last one was a digit other than a leading 0
	for i := range len(id) {
		c := id[i]
		if c == '0' && !digit && i+1 < len(id) && '0' <= id[i+1] && id[i+1] <= '9' {
			continue
		}
		digit = '0' <= c && c <= '9'
		b.WriteByte(c)
	}
	return b.String()
}
