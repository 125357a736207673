package split

import (
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Permuted is the number of label permutations; those of permuted labels and of inner folds are never used.
func (s *Split) Permuted(participants int) int {
	switch {
	case s.Permutation > 0 || s.Outer > 0:
		return 0
	case s.Permutations > 0:
		return s.Permutations
	case participants > 5000:
		return 199
	}
	return 999
}

// permuted are the label permutations of the first repeat. They keep the labels of each fold, and so does everything
// that the folds were dealt by: given the folds, all labelings that they make are equally likely under the null
// hypothesis, and the models of each are trained on the same participants.
func (s *Split) permuted(members []member, folds *encoding.Table, table *encoding.Table, name string) (*encoding.Array,
	error) {
	of, err := column.Rows[fold.LabeledMember](folds)
	if err != nil {
		return nil, err
	}
	n := len(members)
	all := s.Permuted(n)
	var site map[string]string
	if _, there := table.Column(s.within()); there {
		if _, site, err = column.ByParticipant(table, s.within()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, id := range column.Unplaced(table, s.within()) {
		site[id] = "\x00" + id // keeps its label; a pipeline that uses these permutations is refused
	}
	block := make([]string, n)
	for i, m := range members {
		block[i] = fmt.Sprint(of[i].Fold, "\x00", site[m.id], "\x00", m.within)
	}
	from := make([]int32, 0, (all+1)*n)
	for i := range n {
		from = append(from, int32(i))
	}
	for b := 1; b <= all; b++ {
		stream := random.New(s.Seed, "permuted", b)
		for _, i := range s.exchange(members, func(i int) string { return block[i] }, stream) {
			from = append(from, int32(i))
		}
	}
	return encoding.NewArray(from, all+1, n), nil
}
