package methods

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/participants"
)

// methodsOfLabels says how voxels got their labels, for the methods; p are parcellate's parameters.
func methodsOfLabels(scans []participants.LabeledScan, p *finding.StageSettings) string {
	count := map[string]int{}
	for _, s := range scans {
		count[labelingWords(s.Resampling)]++
	}
	switch {
	case len(count) == 0 && p.Is("resampling", "nearest"):
		count[labelingWords("nearest neighbor")]++
	case len(count) == 0 && p.Is("resampling", "majority"):
		count[labelingWords("majority of 27 samples a voxel")]++
	case len(count) == 0:
		return "Each scan was parcellated on its own grid by a label image"
	}
	ways := slices.SortedFunc(maps.Keys(count),
		func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	if len(ways) == 1 {
		return "Each scan was parcellated on its own grid by " + ways[0]
	}
	for i, w := range ways {
		ways[i] = fmt.Sprintf("%s (%s)", w, words.Count(count[w], "scan"))
	}
	return "Each scan was parcellated on its own grid by " + strings.Join(ways, ", or ")
}

// labelingWords says in a sentence what stands in the column resampling.
func labelingWords(resampling string) string {
	switch {
	case strings.HasPrefix(resampling, "none: grayordinates"):
		return "a CIFTI label file, matched by structure, vertex and voxel"
	case strings.HasPrefix(resampling, "none"):
		return "a label image on that grid, without resampling"
	case resampling == "nearest neighbor":
		return "nearest-neighbor resampling of a label image"
	case strings.HasPrefix(resampling, "majority of "):
		return "majority resampling of a label image, " + strings.TrimPrefix(resampling, "majority of ")
	}
	return "a label image (" + resampling + ")"
}

// methodsOfTask says which responses to a task were regressed out, for the methods.
func methodsOfTask(m *Text, scans []participants.CleanedScan, d *finding.StageSettings) (parts []string) {
	conditions, _ := participants.TaskConditions(scans)
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
				list, d.Value["after"], m.cite("cole")))
		default:
			parts = append(parts, fmt.Sprintf("responses to the task (%s) were regressed out in the same model, as boxcars convolved with %s", list, participants.ResponseWords[model]))
		}
	}
	return parts
}

// methodsOfNuisance says what was regressed out, for the methods; d are denoise's parameters. The scans are joined
// series or not.
func methodsOfNuisance(m *Text, scans []participants.CleanedScan, d *finding.StageSettings,
	joined bool) (parts []string) {
	var said []string
	for _, s := range scans {
		if slices.Contains(said, s.Nuisance()) {
			continue
		}
		said = append(said, s.Nuisance())
		if s.Why == column.SeriesGiven {
			parts = append(parts, "the time series were used as given; how they were cleaned and how many degrees of freedom that cost is not known to this program")
			continue
		}
		if s.Given() {
			parts = append(parts, "the "+strings.Replace(s.Why, " used", " were used", 1)+"; how many degrees of freedom that cost is not known to this program")
			continue
		}
		if s.Why != "" {
			parts = append(parts, s.Nuisance()+" was done")
			continue
		}
		text := s.Nuisance()
		if what := participants.NuisanceWords[s.Strategy]; what != "" {
			text = what
		}
		works := []string{"friston"}
		if strings.HasSuffix(s.Strategy, "compcor") {
			works = append(works, "behzadi")
		}
		parts = append(parts, text+" were regressed out "+m.cite(works...))
	}
	parts = append(parts, methodsOfTask(m, scans, d)...)
	if slices.ContainsFunc(scans, func(s participants.CleanedScan) bool { return s.NonSteady > 0 }) {
		parts = append(parts, "non-steady-state volumes were removed")
	}
	if slices.ContainsFunc(scans, func(s participants.CleanedScan) bool { return s.Strategy == "scrubbing" }) &&
		d.Number("fd") == 0 {
		parts = append(parts, "volumes with a framewise displacement above 0.5 mm or a standardized DVARS above 1.5, and segments of fewer than five volumes between them, were censored "+m.cite("power"))
	}
	if scans != nil {
		var left, kept []float64
		removed := false
		for _, s := range scans {
			left, kept = append(left, s.TEff), append(kept, float64(s.Kept))
			removed = removed || s.Kept < s.Volumes
		}
		if removed {
			parts = append(parts, participants.MedianRange(kept)+" volumes were kept")
		}
		in, most := "", ""
		if participants.UpperBound(scans) {
			most = "at most "
		}
		if joined {
			in = " in the joined series"
		}
		parts = append(parts, fmt.Sprintf("%s%s degrees of freedom were left%s", most, participants.MedianRange(left), in))
	}
	return parts
}

// methodsOfBlocks tells of draws of volumes, for the methods; d are denoise's parameters.
func methodsOfBlocks(m *Text, scans []participants.CleanedScan, d *finding.StageSettings) {
	if draws := d.Value["draws"]; draws == "" || draws == "0" {
		return
	}
	bootstrap, length := m.cite("politis1992"), d.Value["block"]
	if length == "0" {
		var used []float64
		for _, s := range scans {
			used = append(used, float64(s.Block))
		}
		if length = "of the optimal length for the series"; used != nil {
			length = "of " + participants.MedianRange(used) + " volumes, the optimal length for the series"
		}
		length += " " + m.cite("politis2004", "patton") + ", the mean over the regions"
	} else {
		length = "of " + length + " volumes"
	}
	m.say("%s random draws were made of the volumes of each scan by a circular block bootstrap %s with blocks %s, the same volumes for all regions; each draw gives one graph. Blocks do not cross censored volumes or runs.", d.Value["draws"], bootstrap, length)
}
