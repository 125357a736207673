package performance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/stages/column"
)

// headlineOf finds the row over participants that a page puts first: the one that is
// named, or the only one of the model that the pipeline is about. Nothing is chosen by
// accuracy: −1 where there are several or none.
func headlineOf(rows []Row, named []string) (at int, err error) {
	var fit []int
	var names []string
	for i, r := range rows {
		if r.Level != "participant" {
			continue
		}
		names = append(names, r.Setting)
		if named == nil && r.Own || named != nil && r.is(named) {
			fit = append(fit, i)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case named == nil:
		return -1, nil
	case fit == nil:
		return -1, fmt.Errorf("headline: no setting matches %s; available: %s", strings.Join(named, ", "), strings.Join(names, "; "))
	}
	return -1, fmt.Errorf("headline: %d settings match %s: name more of the coordinates", len(fit), strings.Join(named, ", "))
}

// is reports whether a setting has all of some coordinates, written AXIS=VALUE.
func (r Row) is(coords []string) bool { return column.HasCoords(coordsOf(r.Setting), coords) }

// coordsOf takes the name of a setting apart.
func coordsOf(setting string) (coords []string) {
	for _, m := range column.Coordinate.FindAllStringSubmatch(setting, -1) {
		coords = append(coords, m[1]+"="+m[2])
	}
	return coords
}

// headlineSetting is the setting of a ranking that is the headline: the one that is named,
// or without a name the first. found is false where the ranking has no such setting.
func headlineSetting(settings, named []string) (setting string, found bool) {
	for _, s := range settings {
		if own := coordsOf(s); column.HasCoords(own, told(named, own)) {
			return s, true
		}
	}
	return settings[0], false
}

func isStage(coord string) bool { return strings.HasPrefix(coord, "stage=") }

// isPooled is the coordinate over which a ranking pools models, besides fold and repeat.
func isPooled(coord string) bool { return strings.HasPrefix(coord, "seed=") }

// told are those of some coordinates that the setting of a ranking can tell: a ranking of one stage does not name it,
// and none names the seeds that it pools.
func told(coords, ranking []string) []string {
	for _, of := range []func(string) bool{isStage, isPooled} {
		if !slices.ContainsFunc(ranking, of) {
			coords = slices.DeleteFunc(slices.Clone(coords), of)
		}
	}
	return coords
}

// unstaged are the coordinates of a setting but for its stage: evaluate takes the trainings of several stages, the
// ranking is of one.
func unstaged(setting string) []string { return slices.DeleteFunc(coordsOf(setting), isStage) }

// sameSetting reports whether an accuracy is of the setting of a ranking, but for the stage, as far as that tells.
func sameSetting(accuracy, ranking string) bool {
	own := unstaged(ranking)
	return slices.Equal(told(coordsOf(accuracy), own), own)
}

// stageOf is the stage of a setting; "" where it names none.
func stageOf(setting string) string {
	for _, c := range coordsOf(setting) {
		if isStage(c) {
			return strings.TrimPrefix(c, "stage=")
		}
	}
	return ""
}

// StagesBehind are the stages whose models a result of the page is of: port is the page's, through that of the stage
// that made the result. Nil where the connections are not known.
func (a *Results) StagesBehind(port, through string) (names []string) {
	for i := range a.Run.Stages {
		page := &a.Run.Stages[i]
		if page.Kind != "report" && page.Kind != "summary" {
			continue
		}
		for _, made := range a.Run.Sources(page, port) {
			for _, of := range a.Run.Sources(made, through) {
				if !slices.Contains(names, of.Stage) {
					names = append(names, of.Stage)
				}
			}
		}
	}
	return names
}

// ofAnother is the classifier that a ranking is of, where it names no stage and the headline is of another stage.
func (a *Results) ofAnother(setting string) (name string, another bool) {
	stages := a.StagesBehind("ranking", "scores")
	if a.First == nil || stageOf(setting) != "" || stages == nil {
		return "", false
	}
	if stage := stageOf(a.First.Setting); stage == "" || slices.Contains(stages, stage) {
		return "", false
	}
	for _, r := range a.PerParticipant() {
		if slices.Contains(stages, stageOf(r.Setting)) && sameSetting(r.Setting, setting) {
			return r.unseeded(setting), true
		}
	}
	return "", true
}

// unseeded is the title of a row without the seed, where a ranking pools those.
func (r Row) unseeded(ranking string) string {
	own := coordsOf(ranking)
	for _, c := range coordsOf(r.Setting) {
		if isPooled(c) && !slices.ContainsFunc(own, isPooled) {
			return strings.Replace(r.Title, ", seed "+strings.TrimPrefix(c, "seed="), "", 1)
		}
	}
	return r.Title
}

// overSeeds says that a ranking of the headline pools the seeds of its training; "" where there are no several.
func (a *Results) overSeeds(setting string) string {
	if a.First == nil || slices.ContainsFunc(coordsOf(setting), isPooled) {
		return ""
	}
	n, of := 0, told(coordsOf(a.First.Setting), []string{"stage="})
	for _, r := range a.PerParticipant() {
		if slices.Equal(told(coordsOf(r.Setting), []string{"stage="}), of) {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", over its %d seeds", n)
}

// RegionsOf is the setting whose regions are named, and how to say so after a title: ""
// where there is no other. chosen are the settings that were chosen inside the folds, if the regions are theirs.
func (a *Results) RegionsOf(settings []string, chosen string) (setting, said string) {
	var distinct []string
	for _, s := range settings {
		if !slices.Contains(distinct, s) {
			distinct = append(distinct, s)
		}
	}
	setting, found := headlineSetting(distinct, a.Headline)
	name := column.ShownSetting(setting)
	if of, another := a.ofAnother(setting); another {
		found, name = false, cmp.Or(of, name)
	}
	switch nested := a.First == nil && a.Headline == nil && a.T.Has("nested"); {
	case chosen != "" && nested:
		return setting, fmt.Sprintf(" of the settings chosen inside each fold (%s)", chosen)
	case chosen != "":
		return setting, fmt.Sprintf(" of the settings chosen inside each fold (%s; not of the headline)", chosen)
	case nested:
		said = " of " + name
		beside := said + " (not of the settings chosen inside each fold)"
		if len(distinct) > 1 {
			said = fmt.Sprintf(" of the first of %d settings (%s)", len(distinct), name)
			beside = strings.TrimSuffix(said, ")") + "; not of the settings chosen inside each fold)"
		}
		a.Caution("The headline accuracy is that of the settings chosen inside each fold, but figures and tables show the regions%s: connect choice of the stage choose to biomarkers and fidelity", said)
		return setting, beside
	case a.Headline != nil && !found:
		return setting, fmt.Sprintf(" of %s (not of the headline)", cmp.Or(name, "another setting"))
	case len(distinct) == 1 && a.overSeeds(setting) != "":
		return setting, " of the headline" + a.overSeeds(setting)
	case len(distinct) == 1:
		return setting, ""
	case a.Headline != nil:
		return setting, fmt.Sprintf(" of the headline (%s)%s", name, a.overSeeds(setting))
	}
	return setting, fmt.Sprintf(" of the first of %d settings (%s)", len(distinct), name)
}
