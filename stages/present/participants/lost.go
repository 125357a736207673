package participants

import (
	"fmt"
	"strconv"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/lost"
)

// cautionLost names the regions that lost voxels.
func (a *Cohort) cautionLost() {
	var struck []lost.Scan
	for _, s := range a.Scans {
		if s.Reduced > 0 {
			struck = append(struck, lost.Scan{Who: s.who, Count: int(s.Reduced), Regions: s.Lost, Shares: s.LostShares})
		}
	}
	if text := lost.Text(struck, len(a.Scans), nobodyStandsOut(len(struck), len(a.Scans))); text != "" {
		a.Caution("Regions that lost more than a tenth of their %ss (constant or not finite): %s", a.Element(), text)
	}
}

// leastValid is the share of a region's voxels that bootstrap needs for a series; "" where no voxels were averaged.
func leastValid(t *dag.Task) (string, error) {
	for _, in := range t.All("cleaning") {
		table, err := in.Table()
		if err != nil {
			return "", err
		}
		if least := column.MadeLines(table.Meta["made"])["bootstrap.min_valid"]; least != "" {
			return least, nil
		}
	}
	return "", nil
}

// noSeries says why a region has no usable series.
func noSeries(element, least string) string {
	if x, err := strconv.ParseFloat(least, 64); err == nil && x > 0 {
		return fmt.Sprintf("no signal, or less than %g %% of their %ss valid", 100*x, element)
	}
	return "no signal"
}
