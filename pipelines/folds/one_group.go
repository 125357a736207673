package folds

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

// OneGroup says which folds of a division test participants of one group only.
func (p *Plans) OneGroup(tasks []dag.Node) (doubts []string) {
	for i := range tasks {
		work, ok := tasks[i].Work.(role.Divider)
		if !ok || work.Divides() == column.Target || work.OuterFold() > 0 {
			continue
		}
		if role.Within(tasks[i].Work) != "" {
			continue
		}
		planned := p.of(&tasks[i]).folds
		if planned == nil {
			continue
		}
		members, err := column.Rows[fold.LabeledMember](planned)
		if err != nil {
			continue
		}
		var left map[string]string // what each participant's fold leaves out
		if by := work.LeavesOut(); by != "" {
			_, left, _ = column.ByParticipant(p.Participants, by)
		}
		tested, name, all := map[int32]map[string]bool{}, map[int32]string{}, map[string]bool{}
		for _, m := range members {
			if tested[m.Fold] == nil {
				tested[m.Fold] = map[string]bool{}
			}
			tested[m.Fold][m.Group], all[m.Group], name[m.Fold] = true, true, left[m.ID]
		}
		few := slices.DeleteFunc(slices.Sorted(maps.Keys(tested)), func(f int32) bool { return len(tested[f]) > 1 })
		if len(few) == 0 || len(all) < 2 {
			continue
		}
		texts := lists.Map(few, func(f int32) string {
			if name[f] == "" {
				return fmt.Sprint(f)
			}
			return fmt.Sprintf("%d (%s)", f, name[f])
		})
		which := "fold " + texts[0]
		if len(few) > 1 {
			which = "each of the folds " + words.Some(texts, 6)
		}
		doubts = append(doubts, which+" has participants of one group only: it has no AUC, and its balanced accuracy is the share of correct predictions in that group, so means over the folds compare with no chance level")
	}
	return doubts
}
