package fold

import (
	"fmt"

	"prgnn/artifacts/encoding"
)

// TogetherColumn is the column of a table of folds whose values are in one fold each: whole families.
func TogetherColumn(values []string) encoding.Column {
	return encoding.Column{Name: "together", Values: values,
		Doc: "the first of those who stay in one fold with the participant, such as relatives"}
}

// KeptTogether is the check of Separated.
const KeptTogether = "participants who are kept together are in one fold of each repeat"

// Separated compares the folds of those who are kept together: how many participants, and who is in two folds.
func Separated(members []LabeledMember) (compared int, apart []string) {
	type unit struct {
		repeat int32
		name   string
	}
	first := map[unit]LabeledMember{}
	for _, m := range members {
		if m.Together == "" {
			continue
		}
		compared++
		of := unit{m.Repeat, m.Together}
		switch other, there := first[of]; {
		case !there:
			first[of] = m
		case other.Fold != m.Fold:
			apart = append(apart, fmt.Sprintf("%s and %s are kept together, but in fold %d and fold %d of repeat %d", other.ID,
				m.ID, other.Fold, m.Fold, m.Repeat))
		}
	}
	return compared, apart
}
