package split

import (
	"fmt"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/fold"
)

// The units of a part are the participants of each group, and families; a part has training participants alone.
func TestUnitsOfParts(t *testing.T) {
	var rows []fold.Row
	together := map[string]string{}
	for i := range 40 {
		r := fold.Row{Id: fmt.Sprintf("p%02d", i), Label: i % 2, Side: i / 30}
		rows = append(rows, r, r) // two graphs
		if i%10 < 2 {
			together[r.Id] = fmt.Sprintf("p%02d", i/10*10)
		}
	}
	strata, whole := curveUnits(rows, together)
	need.Equal(t, whole, 30)
	sizes := lists.Map(strata, func(units [][]string) int { return len(units) })
	need.Equal(t, fmt.Sprint(sizes), "[12 3 12]") // of group 0, families, of group 1
	need.Error(t, onlyTrained(map[string]bool{"p35": true}, rows), "leakage")
	need.Error(t, onlyTrained(map[string]bool{"p99": true}, rows), "leakage")
}
