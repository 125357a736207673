package present

import (
	"cmp"
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
func (r *accuracyRow) is(coords []string) bool { return column.HasCoords(coordsOf(r.setting), coords) }

// coordsOf takes the name of a setting apart.
func coordsOf(setting string) (coords []string) {
	for _, m := range column.Coordinate.FindAllStringSubmatch(setting, -1) {
		coords = append(coords, m[1]+"="+m[2])
	}
	return coords
}

// headlineSetting is the setting of a ranking that is the headline: the one that is named,
// or without a name the first. A ranking of one stage does not name it. found is false
// where the ranking has no such setting.
func headlineSetting(settings, named []string) (setting string, found bool) {
	for _, s := range settings {
		own := coordsOf(s)
		want := named
		if !slices.ContainsFunc(own, isStage) {
			want = slices.DeleteFunc(slices.Clone(named), isStage)
		}
		if column.HasCoords(own, want) {
			return s, true
		}
	}
	return settings[0], false
}

// regionsOf is the setting whose regions are named, and how to say so after a title: ""
// where there is no other.
func (p *page) regionsOf(settings []string) (setting, said string) {
	var distinct []string
	for _, s := range settings {
		if !slices.Contains(distinct, s) {
			distinct = append(distinct, s)
		}
	}
	setting, found := headlineSetting(distinct, p.headline)
	name := column.ShownSetting(setting)
	switch {
	case p.headline != nil && !found:
		return setting, fmt.Sprintf(" of %s, not of the headline", cmp.Or(name, "another setting"))
	case len(distinct) == 1:
		return setting, ""
	case p.headline != nil:
		return setting, fmt.Sprintf(" of the headline (%s)", name)
	}
	return setting, fmt.Sprintf(" of the first of %d settings (%s)", len(distinct), name)
}

// settingsOfRows are those of a ranking's rows.
func settingsOfRows(rows []salientRow) []string {
	settings := make([]string, len(rows))
	for i, r := range rows {
		settings[i] = r.setting
	}
	return settings
}

func isStage(coord string) bool { return strings.HasPrefix(coord, "stage=") }

// NamedHeadline is the setting that the file names: of those whose predictions evaluate gathers.
func (s *Report) NamedHeadline() (input, gathered string, coords []string) {
	return "evaluation", "predictions", s.Headline
}

// NamedHeadline is the setting that the file names: of those whose predictions evaluate gathers.
func (s *Summary) NamedHeadline() (input, gathered string, coords []string) {
	return "evaluation", "predictions", s.Headline
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
