package fold

import (
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// leftOut is the column of a table of folds, and of one of scores, that names what a fold leaves out: the
// site of all whom it tests.
const leftOut = "left_out"

const leftOutDoc = "what the fold leaves out: the value that all tested participants share, such as their site"

// LeftOutColumn is the column of a table of folds, by the value of each participant.
func LeftOutColumn(rows []Member, value map[string]string) encoding.Column {
	names := lists.Map(rows, func(r Member) string { return value[r.ID] })
	return encoding.Column{Name: leftOut, Values: names, Doc: leftOutDoc}
}

// A leftOutRow is a member with what its fold leaves out; nothing in other tables of folds.
type leftOutRow struct {
	ID      string `column:"participant_id"`
	Repeat  int32  `column:"repeat"`
	Fold    int32  `column:"fold"`
	LeftOut string `column:"left_out,optional"`
}

// NameLeftOut adds to a table of scores, with the columns repeat and fold, what each fold leaves out, where the
// table of the folds says it. The folds must be those of the predictions.
func NameLeftOut(scores *encoding.Table, folds dag.Input, settings [][]Tested) error {
	rows, err := column.Read[leftOutRow](folds)
	if err != nil {
		return err
	}
	type at struct{ repeat, fold int64 }
	name, where := map[at]string{}, map[string]map[at]bool{}
	for _, r := range rows {
		a := at{int64(r.Repeat), int64(r.Fold)}
		name[a] = r.LeftOut
		if where[r.ID] == nil {
			where[r.ID] = map[at]bool{}
		}
		where[r.ID][a] = true
	}
	for _, fs := range settings {
		for _, f := range fs {
			for _, p := range f.Participants {
				if !where[p.Id][at{f.Repeat, f.Fold}] {
					return fmt.Errorf("%s: %s tests %s in fold %d of repeat %d, where these folds do not have them: connect the folds that the models were trained with",
						folds.Name, f.Name, p.Id, f.Fold, f.Repeat)
				}
			}
		}
	}
	scored, err := column.Rows[struct {
		Repeat int64 `column:"repeat"`
		Fold   int64 `column:"fold"`
	}](scores)
	if err != nil {
		return err
	}
	names, any := make([]string, len(scored)), false
	for i, s := range scored {
		names[i] = name[at{s.Repeat, s.Fold}]
		any = any || names[i] != ""
	}
	if any {
		scores.Columns = append(scores.Columns, encoding.Column{Name: leftOut, Values: names, Doc: leftOutDoc})
	}
	return nil
}
