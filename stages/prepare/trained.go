package prepare

import (
	"fmt"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// trainedOn hands out draw 0 of the matrices of each training participant, N × N, and returns N. It refuses one scan
// under two ids, which the matrices after a removal no longer show.
func trainedOn(t *dag.Task, d *fold.Division, take func(fold.Row, connectivity.Matrix) error) (nodes int, err error) {
	if err := fold.RefuseDuplicates(t.All("matrices"), d); err != nil {
		return 0, err
	}
	tested, trained := 0, 0
	for i, in := range t.All("matrices") {
		r, err := d.Row(in)
		if err != nil {
			return 0, err
		}
		if r.Side == 1 {
			tested++
		}
		if r.Side != 0 {
			continue
		}
		draws, err := region.ReadDraws(in, "draw, roi, roi")
		if err != nil {
			return 0, err
		}
		m := draws[0]
		switch {
		case m.Rows != m.Cols || m.Rows < 3:
			return 0, fmt.Errorf("%s: %d × %d numbers, want a matrix of three regions or more", in.Name, m.Rows, m.Cols)
		case nodes == 0:
			nodes = m.Rows
		case nodes != m.Rows:
			return 0, fmt.Errorf("%s: %d regions, but other participants have %d: use the same atlas for all", in.Name, m.Rows, nodes)
		}
		if err := take(r, m); err != nil {
			return 0, fmt.Errorf("%s: %w", in.Name, err)
		}
		trained++
		t.Progress(i+1, len(t.All("matrices")), "reading")
	}
	if tested == 0 {
		return 0, fmt.Errorf("%s: no test participants in fold %d of repeat %d: a fit on all participants includes every test participant", d.Name, d.Fold, d.Repeat)
	}
	if trained == 0 {
		return 0, fmt.Errorf("%s: no training participants are left outside fold %d", d.Name, d.Fold)
	}
	return nodes, nil
}
