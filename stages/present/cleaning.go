package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// A cleanedScan is a row of denoise's quality, with its participant (and run).
type cleanedScan struct {
	who string
	column.CleaningRow
}

// cleanedScans reads what is connected to the port cleaning, in its order. A table that is not denoise's is left out.
func cleanedScans(t *dag.Task) ([]cleanedScan, error) {
	var scans []cleanedScan
	for _, in := range t.All("cleaning") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		if _, ok := table.Column("strategy"); !ok {
			continue
		}
		rows, err := column.Read[column.CleaningRow](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			scans = append(scans, cleanedScan{cmp.Or(in.Coord("subject"), memberText(in.Coords)), r})
		}
	}
	return scans, nil
}

// nuisanceWords are the regressors of each strategy, for people.
var nuisanceWords = map[string]string{
	"simple":    "24 motion parameters, white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"scrubbing": "24 motion parameters, white matter and CSF with derivatives and squares, and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"compcor":   "24 motion parameters, the components of aCompCor (combined mask) and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"ica_aroma": "white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz), from scans denoised by ICA-AROMA",
	"6P":        "6 motion parameters",
	"24P":       "24 motion parameters",
	"27P":       "24 motion parameters, white matter, CSF and global signal",
	"36P":       "24 motion parameters, and white matter, CSF and global signal with derivatives and squares",
	"acompcor":  "12 motion parameters, components of aCompCor of white matter and of CSF, and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"aroma":     "12 motion parameters, white matter, CSF and the motion components of ICA-AROMA",
}

// nuisance says what was regressed out of a scan.
func (s cleanedScan) nuisance() string {
	what := nuisanceWords[s.Strategy]
	switch {
	case s.Why != "":
		return "no nuisance regression (" + s.Why + ")"
	case what == "":
		return "columns of the confounds that the pipeline names"
	}
	return "strategy " + s.Strategy + ": " + what
}

// cleaning says what was regressed out, and warns of scans that were not cleaned, or differ from the others.
func (a *author) cleaning() {
	groups := map[string][]string{}
	var order []string
	for _, s := range a.scans {
		text := s.nuisance()
		if groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], s.who)
	}
	for i, text := range order {
		if len(order) > 1 {
			order[i] += ": " + words.Some(groups[text], 6)
		}
	}
	switch text := strings.Join(order, "; "); {
	case strings.HasPrefix(text, "no nuisance regression"):
		a.say("%s.", upperFirst(text))
	case text != "":
		a.say("Nuisance regression: %s.", text)
	}
	for _, why := range [2]string{column.AskedForNone, column.NoConfounds} {
		text := "no nuisance regression (" + why + ")"
		if whom := groups[text]; len(whom) == len(a.scans) && whom != nil {
			a.caution("%s: motion and physiological noise remain in the correlations", upperFirst(text))
		} else if whom != nil {
			a.caution("%s for %s, while others were cleaned", upperFirst(text), words.Some(whom, 6))
		}
	}
	a.taskRegression()
	a.cautionScans()
}

// taskOf is the model of the responses to a task that was regressed out of a scan, and the conditions. The model is ""
// for a scan without events.
func (s cleanedScan) taskOf() (model, conditions string) {
	model, conditions, _ = strings.Cut(s.Task, ": ")
	return model, conditions
}

// taskConditions are the conditions of each model, sorted, and whose scans they are of.
func taskConditions(scans []cleanedScan) (conditions, whom map[string][]string) {
	conditions, whom = map[string][]string{}, map[string][]string{}
	for _, s := range scans {
		model, names := s.taskOf()
		conditions[model] = append(conditions[model], strings.Split(names, ", ")...)
		whom[model] = append(whom[model], s.who)
	}
	for model, names := range conditions {
		slices.Sort(names)
		conditions[model] = slices.Compact(names)
	}
	return conditions, whom
}

// taskRegression says which responses were regressed out, and warns of those that were left in.
func (a *author) taskRegression() {
	conditions, whom := taskConditions(a.scans)
	for _, model := range []string{"spm", "glover", "fir"} {
		if names := conditions[model]; names != nil {
			a.say("Task regression: responses to %s (%s) were regressed out of %s.", strings.Join(names, ", "), responseWords[model], words.Count(len(whom[model]), "scan"))
		}
	}
	if names := conditions["none"]; names != nil {
		a.caution("Events of a task were not regressed out (task: none in denoise) of %s: the correlations hold common responses to %s", words.Count(len(whom["none"]), "scan"), strings.Join(names, ", "))
	}
	if without := whom[""]; len(without) > 0 && len(without) < len(a.scans) {
		a.caution("Scans without events, while others have some: %s", words.Some(without, 6))
	}
}

// responseWords are the models of the response to an event.
var responseWords = map[string]string{
	"spm":    "SPM's canonical response",
	"glover": "Glover's canonical response",
	"fir":    "finite impulse responses",
}

// cautionScans names participants whose scans differ from the others or lack something.
func (a *author) cautionScans() {
	scans := a.scans
	list := func(format string, text func(cleanedScan) string) {
		var named []string
		for _, s := range scans {
			if what := text(s); what != "" {
				named = append(named, s.who+" ("+what+")")
			}
		}
		switch {
		case nobodyStandsOut(len(named), len(scans)):
			a.caution(format, fmt.Sprintf("%d of %d scans", len(named), len(scans)))
		case named != nil:
			a.caution(format, words.Some(named, 6))
		}
	}
	counted := func(n int32, what string) string {
		if n == 0 {
			return ""
		}
		return words.Count(int(n), what)
	}
	if length, ok := usual(scans, func(s cleanedScan) float64 { return float64(s.Volumes) }); ok {
		list(fmt.Sprintf("Scans of unusual length (most have %g volumes): %%s", length), func(s cleanedScan) string {
			return map[bool]string{true: counted(s.Volumes, "volume")}[float64(s.Volumes) != length]
		})
	}
	if tr, ok := usual(scans, func(s cleanedScan) float64 { return s.TR }); ok {
		list(fmt.Sprintf("Scans with an unusual repetition time (most have %g s): %%s", tr), func(s cleanedScan) string {
			return map[bool]string{true: fmt.Sprintf("%g s", s.TR)}[s.TR != tr && !math.IsNaN(s.TR)]
		})
	}
	list(upperFirst(a.element())+"s with NaN or infinity, excluded from their regions: %s", func(s cleanedScan) string { return counted(s.NonFinite, a.element()) })
	a.cautionLost()
	list("Regions without a usable series ("+strings.ReplaceAll(noSeries(a.element(), a.leastValid), "%", "%%")+"): %s", func(s cleanedScan) string {
		return counted(s.Missing+s.Constant, "region")
	})
	list("More than half of the volumes censored for motion: %s", func(s cleanedScan) string {
		return map[bool]string{true: fmt.Sprintf("%d of %d", s.Censored, s.Volumes)}[2*s.Censored > s.Volumes]
	})
	list(fmt.Sprintf("Strong motion and no volume censored (mean FD above %g mm, or more than half of the volumes; exclude, or censor with fd of denoise): %%s", column.StrongMotion), func(s cleanedScan) string {
		if s.Censored > 0 || !(s.MeanFD > column.StrongMotion) && 2*s.HighFD <= s.Volumes {
			return ""
		}
		return fmt.Sprintf("mean FD %.2f mm, %d of %d volumes above %g mm", s.MeanFD, s.HighFD, s.Volumes, column.StrongMotion)
	})
	if slices.ContainsFunc(scans, func(s cleanedScan) bool { return s.Strategy == "ica_aroma" }) &&
		a.about.Description != "smoothAROMAnonaggr" {
		a.caution("The strategy ica_aroma does not regress out motion: it needs scans that ICA-AROMA has denoised (desc-smoothAROMAnonaggr), and these are not known to be")
	}
}

// mostFrequent writes counts, "name in 7", the largest first.
func mostFrequent(count map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(count),
		func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s in %d", name, count[name])
	}
	return names
}

// nobodyStandsOut reports whether so many scans share something that they are counted and not named.
func nobodyStandsOut(n, all int) bool { return n > max(6, all/2) }

// usual is the value that most scans have; not ok where no value is that of more than half, or all have it.
func usual(scans []cleanedScan, of func(cleanedScan) float64) (value float64, ok bool) {
	count := map[float64]int{}
	for _, s := range scans {
		if x := of(s); !math.IsNaN(x) {
			count[x]++
		}
	}
	for x, n := range count {
		if 2*n > len(scans) {
			return x, len(count) > 1
		}
	}
	return 0, false
}

// methodsOfTask says which responses to a task were regressed out, for the methods.
func methodsOfTask(m *methodsText, scans []cleanedScan, d *stageSettings) (parts []string) {
	conditions, _ := taskConditions(scans)
	for _, model := range []string{"none", "spm", "glover", "fir"} {
		names := conditions[model]
		if names == nil {
			continue
		}
		list := strings.Join(names, ", ")
		switch model {
		case "none":
			parts = append(parts, "responses to the task ("+list+") were not regressed out")
		case "fir":
			parts = append(parts, fmt.Sprintf("responses to the task (%s) were regressed out in the same model, with a regressor for each volume from the onset of an event to %s s after the end of the longest (finite impulse responses %s)",
				list, d.value["after"], m.cite("cole")))
		default:
			parts = append(parts, fmt.Sprintf("responses to the task (%s) were regressed out in the same model, as boxcars convolved with %s", list, responseWords[model]))
		}
	}
	return parts
}

// methodsOfNuisance says what was regressed out, for the methods; d are denoise's parameters.
func methodsOfNuisance(m *methodsText, scans []cleanedScan, d *stageSettings) (parts []string) {
	var said []string
	for _, s := range scans {
		if slices.Contains(said, s.nuisance()) {
			continue
		}
		said = append(said, s.nuisance())
		if s.Why != "" {
			parts = append(parts, s.nuisance()+" was done")
			continue
		}
		text := s.nuisance()
		if what := nuisanceWords[s.Strategy]; what != "" {
			text = what
		}
		works := []string{"friston"}
		if strings.HasSuffix(s.Strategy, "compcor") {
			works = append(works, "behzadi")
		}
		parts = append(parts, text+" were regressed out "+m.cite(works...))
	}
	parts = append(parts, methodsOfTask(m, scans, d)...)
	if slices.ContainsFunc(scans, func(s cleanedScan) bool { return s.NonSteady > 0 }) {
		parts = append(parts, "non-steady-state volumes were removed")
	}
	if slices.ContainsFunc(scans, func(s cleanedScan) bool { return s.Strategy == "scrubbing" }) &&
		d.number("fd") == 0 {
		parts = append(parts, "volumes with a framewise displacement above 0.5 mm or a standardized DVARS above 1.5, and segments of fewer than five volumes between them, were censored "+m.cite("power"))
	}
	if scans != nil {
		var left []float64
		for _, s := range scans {
			left = append(left, s.TEff)
		}
		parts = append(parts, fmt.Sprintf("%s degrees of freedom were left", spread(left)))
	}
	return parts
}
