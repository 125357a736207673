package participants

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// A CleanedScan is a row of denoise's quality, with its participant (and run).
type CleanedScan struct {
	who string
	column.CleaningRow
}

// readCleaned reads what is connected to the port cleaning, in its order: how each scan was cleaned, and the share of
// its voxels that bootstrap needed for a series. A table that is not denoise's says nothing of the cleaning.
func (a *Cohort) readCleaned() (err error) {
	a.Scans, err = scansOf(a.T, "cleaning", "strategy", func(who string, r column.CleaningRow) CleanedScan {
		return CleanedScan{who, r}
	}, func(who string, table *encoding.Table) {
		if codes := table.Meta[column.MissingCodes]; codes != "" {
			lines := lists.Map(strings.Split(codes, "\n"), a.Named)
			a.codes = append(a.codes, who+" ("+words.Some(lines, mostNamed)+")")
		}
		if a.leastValid == "" {
			a.leastValid = column.MadeLines(table.Meta["made"])["bootstrap.min_valid"]
		}
	})
	return err
}

// scansOf makes a list of the rows at a port, in its order, each with the name of its participant and session or run.
// Tables without the column has are of another kind, and left out. look sees every table, with that name.
func scansOf[R, S any](t *dag.Task, port, has string, scan func(who string, row R) S,
	look func(who string, table *encoding.Table)) (scans []S, err error) {
	for _, in := range t.All(port) {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		look(scanName(in), table)
		if _, ok := table.Column(has); !ok && has != "" {
			continue
		}
		rows, err := column.Rows[R](table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		column.Keep(rows)
		for _, r := range rows {
			scans = append(scans, scan(scanName(in), r))
		}
	}
	return scans, nil
}

// NuisanceWords are the regressors of each strategy, for people.
var NuisanceWords = map[string]string{
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

// Nuisance says what was regressed out of a scan.
func (s CleanedScan) Nuisance() string {
	what := NuisanceWords[s.Strategy]
	switch {
	case s.Why == column.SeriesGiven:
		return "no nuisance regression by this program (" + s.Why + "; how they were cleaned is not known to it)"
	case s.Given():
		return "no nuisance regression by this program (" + s.Why + ")"
	case s.Why != "":
		return "no nuisance regression (" + s.Why + ")"
	case what == "":
		return "columns of the confounds that the pipeline names"
	}
	return "strategy " + s.Strategy + ": " + what
}

// Given reports whether the series are not of this program, which cannot know what their cleaning cost.
func (s CleanedScan) Given() bool { return strings.HasPrefix(s.Why, column.SeriesGiven) }

// UpperBound reports whether degrees of freedom were lost before this program, which does not know how many: what it
// counts as left is then an upper bound, and a standard error a lower one.
func UpperBound(scans []CleanedScan) bool {
	return slices.ContainsFunc(scans, func(s CleanedScan) bool { return s.Given() || s.Why == column.CleanedScan })
}

// cautionGiven says what is not known of series that others made.
func (a *Cohort) cautionGiven() {
	var silent []string // of whom no sidecar says how they were cleaned
	still := 0          // whose motion is not known
	for _, s := range a.Scans {
		if s.Why == column.SeriesGiven {
			silent = append(silent, s.who)
		}
		if s.Given() && math.IsNaN(s.MeanFD) {
			still++
		}
	}
	if silent == nil {
		return
	}
	motion := ""
	if still > 0 && !a.motionGiven() {
		motion = "; their motion was not assessed"
	}
	a.Weighed(section.Notes, "Time series used as given of %d of %s: how they were cleaned is not known, and degrees of freedom are upper bounds%s",
		len(silent), words.Count(len(a.Scans), "scan"), motion)
}

// motionGiven reports whether a column of the participants gives the framewise displacement.
func (a *Cohort) motionGiven() bool {
	if !a.T.Has("participants") {
		return false
	}
	table, err := a.T.In("participants").Table()
	if err != nil {
		return false
	}
	_, there := table.Column("mean_fd")
	return there
}

// cleaning says what was regressed out, and warns of scans that were not cleaned, or differ from the others.
func (a *Cohort) cleaning() {
	groups := map[string][]string{}
	var order []string
	for _, s := range a.Scans {
		text := s.Nuisance()
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
		a.Say("%s.", section.UpperFirst(text))
	case text != "":
		a.Say("Nuisance regression: %s.", text)
	}
	for _, why := range [2]string{column.AskedForNone, column.NoConfounds} {
		text := "no nuisance regression (" + why + ")"
		if whom := groups[text]; len(whom) == len(a.Scans) && whom != nil {
			a.Caution("%s: motion and physiological noise remain in the correlations", section.UpperFirst(text))
		} else if whom != nil {
			a.Caution("%s for %s, while others were cleaned", section.UpperFirst(text), words.Some(whom, 6))
		}
	}
	a.cautionGiven()
	a.taskRegression()
	a.cautionScans()
}

// taskOf is the model of the responses to a task that was regressed out of a scan, and the conditions. The model is ""
// for a scan without events.
func (s CleanedScan) taskOf() (model, conditions string) {
	model, conditions, _ = strings.Cut(s.Task, ": ")
	return model, conditions
}

// TaskConditions are the sorted conditions of each response model, and the participants of its scans.
func TaskConditions(scans []CleanedScan) (conditions, whom map[string][]string) {
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
func (a *Cohort) taskRegression() {
	conditions, whom := TaskConditions(a.Scans)
	for _, model := range []string{"spm", "glover", "fir"} {
		if names := conditions[model]; names != nil {
			a.Say("Task regression: responses to %s (%s) were regressed out of %s.", strings.Join(names, ", "), ResponseWords[model], words.Count(len(whom[model]), "scan"))
		}
	}
	if names := conditions["none"]; names != nil {
		a.Caution("Events of a task were not regressed out (task: none in denoise) of %s: the correlations hold common responses to %s", words.Count(len(whom["none"]), "scan"), strings.Join(names, ", "))
	}
	if without := whom[""]; len(without) > 0 && len(without) < len(a.Scans) {
		a.Caution("Scans without events, while others have some: %s", words.Some(without, 6))
	}
}

// ResponseWords are the models of the response to an event.
var ResponseWords = map[string]string{
	"spm":    "SPM's canonical response",
	"glover": "Glover's canonical response",
	"fir":    "finite impulse responses",
}

// Beyond these, correlation matrices of 40 real scans agree by less than 0.98 on average with those filtered before
// censoring (docs/denoising.md): the volumes of a gap under a cubic spline, and the per cent of volumes, scattered in
// short gaps, under straight lines.
const mostCubic, mostLinear = 5, 25

// cautionScans names participants whose scans differ from the others or lack something, the worst first.
func (a *Cohort) cautionScans() {
	scans := a.Scans
	worst := func(severity func(CleanedScan) float64, format string, text func(CleanedScan) string) {
		found := slices.DeleteFunc(slices.Clone(scans), func(s CleanedScan) bool { return text(s) == "" })
		slices.SortStableFunc(found, func(x, y CleanedScan) int { return cmp.Compare(severity(y), severity(x)) })
		named := lists.Map(found, func(s CleanedScan) string { return s.who + " (" + text(s) + ")" })
		switch n := len(named); {
		case nobodyStandsOut(n, len(scans)) && severity(found[0]) > severity(found[n-1]):
			a.Caution(format, fmt.Sprintf("%d of %d scans, most in %s", n, len(scans), named[0]))
		case nobodyStandsOut(n, len(scans)):
			a.Caution(format, fmt.Sprintf("%d of %d scans", n, len(scans)))
		case n > 0:
			a.Caution(format, words.Some(named, 6))
		}
	}
	list := func(format string, text func(CleanedScan) string) {
		worst(func(CleanedScan) float64 { return 0 }, format, text)
	}
	counted := func(n int32, what string) string {
		if n == 0 {
			return ""
		}
		return words.Count(int(n), what)
	}
	what, volumes := "Scans", map[string]int{}
	if a.Joined() > 0 {
		what = "Joined series"
	}
	for _, s := range scans {
		volumes[s.who] = int(s.Volumes)
	}
	median, short := column.ShortScans(volumes)
	worst(func(s CleanedScan) float64 { return -float64(s.Volumes) },
		fmt.Sprintf("%s with less than half of the median number of volumes (%d); if a file was cut, copy it "+
			"again: %%s", what, median), func(s CleanedScan) string {
			return map[bool]string{true: counted(s.Volumes, "volume")}[short[s.who]]
		})
	if length, ok := usual(scans, func(s CleanedScan) float64 { return float64(s.Volumes) }); ok {
		alike := a.cautionSites(what, length)
		list(fmt.Sprintf("%s of unusual length (most have %g volumes): %%s", what, length), func(s CleanedScan) string {
			if float64(s.Volumes) == length || alike[s.who] || short[s.who] {
				return ""
			}
			return counted(s.Volumes, "volume")
		})
	}
	if tr, ok := usual(scans, func(s CleanedScan) float64 { return s.TR }); ok {
		list(fmt.Sprintf("Scans with an unusual repetition time (most have %g s): %%s", tr), func(s CleanedScan) string {
			return map[bool]string{true: fmt.Sprintf("%g s", s.TR)}[s.TR != tr && !math.IsNaN(s.TR)]
		})
	}
	worst(func(s CleanedScan) float64 { return float64(s.NonFinite) },
		section.UpperFirst(a.Element())+"s with NaN or infinity, excluded from their regions: %s", func(s CleanedScan) string { return counted(s.NonFinite, a.Element()) })
	if a.codes != nil {
		a.Caution("Numbers that may stand for missing values are analyzed as measured ones (write n/a in their place, or exclude the participants): %s",
			words.Some(a.codes, 6))
	}
	a.cautionLost()
	worst(func(s CleanedScan) float64 { return float64(s.Missing + s.Constant) },
		"Regions without a usable series ("+strings.ReplaceAll(noSeries(a.Element(), a.leastValid), "%", "%%")+"): %s", func(s CleanedScan) string {
			return counted(s.Missing+s.Constant, "region")
		})
	copied := func(s CleanedScan) int32 { return s.RepeatedVolumes }
	worst(func(s CleanedScan) float64 { return float64(s.RepeatedVolumes) / float64(s.Volumes) },
		"Volumes that equal the volume before them in all regions (zeros or copies; "+orExclude(scans, copied)+"): %s", func(s CleanedScan) string {
			if s.RepeatedVolumes == 0 {
				return ""
			}
			return fmt.Sprintf("%d of %s", s.RepeatedVolumes, words.Count(int(s.Volumes), "volume"))
		})
	copied = func(s CleanedScan) int32 { return s.RepeatedRegions }
	worst(func(s CleanedScan) float64 { return float64(s.RepeatedRegions) },
		"Regions with the same series as another region ("+orExclude(scans, copied)+"): %s", func(s CleanedScan) string {
			return counted(s.RepeatedRegions, "region")
		})
	worst(func(s CleanedScan) float64 { return float64(s.Censored) / float64(s.Volumes) },
		"More than half of the volumes censored for motion: %s", func(s CleanedScan) string {
			return map[bool]string{true: fmt.Sprintf("%d of %d", s.Censored, s.Volumes)}[2*s.Censored > s.Volumes]
		})
	worst(func(s CleanedScan) float64 { return float64(s.LongestGap) },
		fmt.Sprintf("Gaps of more than %d censored volumes bridged by a cubic spline, which overshoots and distorts the correlations (use bridge: linear of denoise): %%s", mostCubic), func(s CleanedScan) string {
			if s.Bridge != "nilearn" || s.LongestGap <= mostCubic {
				return ""
			}
			return fmt.Sprintf("a gap of %d volumes", s.LongestGap)
		})
	worst(func(s CleanedScan) float64 { return float64(s.Bridged) / float64(s.Kept+s.Bridged) },
		fmt.Sprintf("More than %d %%%% of the volumes bridged while the Butterworth filter ran, which changes the correlations (filter: cosine needs no bridge): %%s", mostLinear), func(s CleanedScan) string {
			if s.Bridge != "linear" || 100*s.Bridged <= mostLinear*(s.Kept+s.Bridged) {
				return ""
			}
			return fmt.Sprintf("%d of %d, longest gap %d volumes", s.Bridged, s.Kept+s.Bridged, s.LongestGap)
		})
	worst(func(s CleanedScan) float64 { return s.MeanFD },
		fmt.Sprintf("Strong motion and no volume censored (mean FD above %g mm, or more than half of the volumes; exclude, or censor with fd of denoise): %%s", column.StrongMotion), func(s CleanedScan) string {
			if s.Censored > 0 || !(s.MeanFD > column.StrongMotion) && 2*s.HighFD <= s.Volumes {
				return ""
			}
			return fmt.Sprintf("mean FD %.2f mm, %d of %d volumes above %g mm", s.MeanFD, s.HighFD, s.Volumes, column.StrongMotion)
		})
	if slices.ContainsFunc(scans, func(s CleanedScan) bool { return s.Strategy == "ica_aroma" }) &&
		a.About.Description != "smoothAROMAnonaggr" {
		a.Caution("The strategy ica_aroma does not regress out motion: it needs scans that ICA-AROMA has denoised (desc-smoothAROMAnonaggr), and these are not known to be")
	}
}

// cautionSites names sites all of whose scans have one length that is not the usual one. It returns these scans.
func (a *Cohort) cautionSites(what string, usual float64) (alike map[string]bool) {
	if !a.T.Has("participants") {
		return nil
	}
	table, err := a.T.In("participants").Table()
	if err != nil {
		return nil
	}
	_, site, err := column.ByParticipant(table, "site")
	if err != nil { // no sites
		return nil
	}
	of := map[string][]CleanedScan{}
	for _, s := range a.Scans {
		if at := site[s.participant()]; at != "" {
			of[at] = append(of[at], s)
		}
	}
	alike = map[string]bool{}
	var named []string
	for _, at := range slices.SortedFunc(maps.Keys(of), dag.CompareValues) {
		scans, length := of[at], of[at][0].Volumes
		if len(scans) < 2 || float64(length) == usual ||
			slices.ContainsFunc(scans, func(s CleanedScan) bool { return s.Volumes != length }) {
			continue
		}
		for _, s := range scans {
			alike[s.who] = true
		}
		named = append(named, fmt.Sprintf("%s (%d volumes in all %d)", at, length, len(scans)))
	}
	if named != nil {
		a.Caution("%s differ in length between sites (most have %g volumes): %s", what, usual, words.Some(named, 6))
	}
	return alike
}

// participant is whose scan it is.
func (s CleanedScan) participant() string {
	if id, _, _ := strings.Cut(s.who, " "); strings.HasPrefix(id, "sub-") {
		return id
	}
	return s.who[strings.LastIndex(s.who, " ")+1:]
}

// SessionsOf are how many scans each participant has, sorted, where they are of sessions; nil where they are not.
func SessionsOf(scans []CleanedScan) (of []int) {
	count := map[string]int{}
	for _, s := range scans {
		if strings.Contains(s.who, " session ") {
			count[s.participant()]++
		}
	}
	return slices.Sorted(maps.Values(count))
}

// Joined is of how many participants what the page knows of the cleaning is that of several runs or sessions, joined,
// and not of one scan. join counts each further run with the trend.
func (a *Cohort) Joined() (n int) {
	if !slices.ContainsFunc(a.Run.Stages, func(s finding.StageSettings) bool {
		return (s.Kind == "report" || s.Kind == "summary") && a.Run.KindOf(&s, "cleaning") == "join"
	}) {
		return 0
	}
	degree := math.NaN()
	if d := a.Run.Of("denoise"); d != nil {
		degree = max(d.Number("detrend"), 0)
	}
	for _, s := range a.Scans {
		if !(float64(s.Trend) <= degree) {
			n++
		}
	}
	return n
}

// orExclude is the remedy for scans with a fault that is counted, in a format: the line names all their participants.
// Of most scans the fault is one of the data.
func orExclude(scans []CleanedScan, fault func(CleanedScan) int32) string {
	var ids []string
	for _, s := range scans {
		if fault(s) > 0 {
			ids = append(ids, s.participant())
		}
	}
	if nobodyStandsOut(len(ids), len(scans)) {
		return "repair the data"
	}
	slices.Sort(ids) // several runs of one participant are one
	line := "repair the data, or under cohort: exclude: [" + strings.Join(slices.Compact(ids), ", ") + "]"
	return strings.ReplaceAll(line, "%", "%%")
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
func usual(scans []CleanedScan, of func(CleanedScan) float64) (value float64, ok bool) {
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
