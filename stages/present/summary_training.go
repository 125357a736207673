package present

import (
	"fmt"
	"strings"

	"prgnn/dag"
)

// stuckSkill is the least skill of a training that has learned something: the share of the way from the majority
// rate to 1 that its training accuracy goes, (accuracy − majority)/(1 − majority). As a chance-corrected
// agreement, values to 0.2 are called slight (Landis and Koch, Biometrics 33 (1977), 159). With a majority of 0.636
// the threshold is an accuracy of 0.709.
const stuckSkill = 0.2

// cautionStuck names the models whose training did not leave the majority rate: they rank regions, and
// predict, by their starting weights.
func cautionStuck(t *dag.Task, p *page) error {
	var stuck []string
	trained, least := 0, 1.0
	for _, in := range t.All("training") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		if _, ok := table.Column("majority"); !ok || table.Rows() == 0 {
			continue
		}
		accuracy, err := table.Floats("train_accuracy")
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		majority, err := table.Floats("majority")
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		trained++
		last := len(accuracy) - 1
		if threshold := majority[last] + float64(stuckSkill*(1-majority[last])); accuracy[last] < threshold {
			stuck, least = append(stuck, fmt.Sprintf("%s (%.3f)", modelName(in.Coords), accuracy[last])), min(least, threshold)
		}
	}
	if stuck == nil {
		return nil
	}
	const most = 8 // named
	names := strings.Join(stuck[:min(most, len(stuck))], ", ")
	if len(stuck) > most {
		names += fmt.Sprintf(" and %d more", len(stuck)-most)
	}
	p.caution("%d of %d models did not learn their training graphs: %s; training accuracy below %.3f, a fifth of the way from the majority rate to 1. Their predictions and regions owe little to training", len(stuck), trained, names, least)
	return nil
}

// modelName names a model by its coordinates: "fold 3", "pool sage, fold 3".
func modelName(coords []dag.Coord) string {
	var parts []string
	for _, c := range coords {
		parts = append(parts, c.Axis+" "+c.Value)
	}
	if parts == nil {
		return "the model"
	}
	return strings.Join(parts, ", ")
}
