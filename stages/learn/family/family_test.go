package family

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// TestBalance: whole units go into the folds of scikit-learn's StratifiedGroupKFold (testdata/together.py).
func TestBalance(t *testing.T) {
	var oracle struct {
		Cases []struct {
			Folds int
			Units [][]int // members of each class
			Fold  []int
		}
	}
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile("testdata/together.json"))(t), &oracle))
	need.Equal(t, len(oracle.Cases), 40)
	for i, c := range oracle.Cases {
		sizes := make([]int, len(c.Units[0]))
		shares := make([][]Share, len(c.Units))
		for u, counts := range c.Units {
			for class, n := range counts {
				if sizes[class] += n; n > 0 {
					shares[u] = append(shares[u], Share{class, n})
				}
			}
		}
		if got := Balance(shares, sizes, c.Folds, nil); !slices.Equal(got, c.Fold) {
			t.Errorf("case %d, %d folds of %v:\n%v, want\n%v", i, c.Folds, c.Units, got, c.Fold)
		}
	}
}
