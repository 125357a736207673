package present

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/stages/column"
)

// noHeadline says that nobody has named one of several settings.
func noHeadline(settings int) string {
	return fmt.Sprintf("%d settings, no headline: name one before the results are seen (headline: [pool=topk, …]), or choose inside each fold (choose)", settings)
}

// headlineOf finds the row over participants that a page puts first: the one that is
// named, or the only one of the model that the pipeline is about. Nothing is chosen by
// accuracy: −1 where there are several, of which count is the number.
func headlineOf(rows []accuracyRow, own []bool, named []string) (at, count int, err error) {
	var fit []int
	for i, row := range rows {
		if row.level == "participant" && (named == nil && own[i] || named != nil && row.is(named)) {
			fit = append(fit, i)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], 1, nil
	case named == nil:
		return -1, len(fit), nil
	}
	var names []string
	for _, row := range rows {
		if row.level == "participant" {
			names = append(names, row.setting)
		}
	}
	if fit == nil {
		return 0, 0, fmt.Errorf("headline: no setting is %s; there are %s", strings.Join(named, ", "), strings.Join(names, "; "))
	}
	return 0, 0, fmt.Errorf("headline: %d settings are %s: name more of the coordinates", len(fit), strings.Join(named, ", "))
}

// is reports whether a setting has all of some coordinates, written AXIS=VALUE.
func (r *accuracyRow) is(coords []string) bool {
	var own []string
	for _, m := range column.Coordinate.FindAllStringSubmatch(r.setting, -1) {
		own = append(own, m[1]+"="+strings.ReplaceAll(m[2], " ", ""))
	}
	for _, want := range coords {
		if !slices.Contains(own, strings.ReplaceAll(want, " ", "")) {
			return false
		}
	}
	return true
}

// ownByName marks the rows of PR-GNN, and not those of classifiers to compare it with;
// where there is none of PR-GNN, all but the majority class.
func ownByName(rows []accuracyRow) []bool {
	own := make([]bool, len(rows))
	for i, r := range rows {
		own[i] = len(ownRows([]accuracyRow{r})) > 0
	}
	if !slices.Contains(own, true) {
		for i, r := range rows {
			own[i] = !strings.HasPrefix(r.name, column.Classifiers["majority"])
		}
	}
	return own
}
