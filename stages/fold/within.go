package fold

import (
	"fmt"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// Sites are the places within which labels of the tested are permuted: participants of different sites are not
// exchangeable. The zero value has none.
type Sites struct {
	By   string         // the column that names them; "" where all participants have one, or none is known
	of   map[string]int // number of each participant's site, from 0
	most int            // the largest number
}

// ReadSites reads the column by of the participants, if they have it.
func ReadSites(in dag.Input, by string) (Sites, error) {
	table, err := in.Table()
	if err != nil {
		return Sites{}, err
	}
	if _, ok := table.Column(by); !ok {
		return Sites{}, nil
	}
	ids, site, err := column.ByParticipant(table, by)
	if err != nil {
		return Sites{}, fmt.Errorf("%s: %w", in.Name, err)
	}
	number, names := column.Numbered(lists.Map(ids, func(id string) string { return site[id] }))
	if len(names) < 2 {
		return Sites{}, nil
	}
	s := Sites{By: by, of: make(map[string]int, len(ids)), most: len(names) - 1}
	for i, id := range ids {
		s.of[id] = number[i]
	}
	return s, nil
}

// OneGroupEach reports whether all participants of each site are of one group: no permutation within sites changes one.
func OneGroupEach(group, site []int) bool {
	of := map[int]int{}
	for i, s := range site {
		if g, ok := of[s]; ok && g != group[i] {
			return false
		}
		of[s] = group[i]
	}
	return true
}

// Fixed is a caution where no permutation within folds and sites gives any tested participant another group.
func (s Sites) Fixed(settings [][]Tested) string {
	if s.By == "" {
		return ""
	}
	for _, folds := range settings {
		for _, f := range folds {
			label := lists.Map(f.Participants, func(c Case) int { return c.Label })
			if !OneGroupEach(label, lists.Map(f.Participants, func(c Case) int { return s.of[c.Id] })) {
				return ""
			}
		}
	}
	return fmt.Sprintf("No permutation of test labels within folds and values of %s changes a label: p is 1 whatever the predictions are, since differences between groups and between values of %[1]s cannot be told apart", s.By)
}

// Test finds whether the predictions of one setting have to do with the groups: labels of the tested are permuted
// within folds and sites.
func (s Sites) Test(folds []Tested, level string, groups, permutations int,
	stream *random.Stream) (inference.PredictionTest, error) {
	person := map[string]int{}
	var group, stratum []int
	var tested []inference.TestedFold
	for at, f := range folds {
		t := inference.TestedFold{}
		for _, c := range f.Participants {
			if _, ok := person[c.Id]; !ok {
				person[c.Id] = len(group)
				n, ok := s.of[c.Id]
				if s.By != "" && !ok {
					return inference.PredictionTest{}, fmt.Errorf("predictions: %q is not among the participants, and its %s is not known: connect the participants of the training", c.Id, s.By)
				}
				group, stratum = append(group, c.Label), append(stratum, at*(s.most+1)+n)
			}
			named := make([]float64, groups)
			if level == "participant" {
				named[c.Predicted] = 1
			}
			t.Person, t.Named, t.Score = append(t.Person, person[c.Id]), append(t.Named, named),
				append(t.Score, c.Probability)
		}
		if level == "graph" {
			at := map[string]int{}
			for i, c := range f.Participants {
				at[c.Id] = i
			}
			for _, c := range f.Graphs {
				t.Named[at[c.Id]][c.Predicted]++
			}
		}
		tested = append(tested, t)
	}
	return inference.TestPredictions(tested, group, groups, stratum, permutations, stream), nil
}
