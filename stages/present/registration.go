package present

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// registrationPort takes parcellate's tables of quality.
func registrationPort() dag.Port {
	return dag.Port{Name: "registration", Type: column.Type[column.ParcelRow](), Gather: true, Optional: true, Doc: "parcellate's quality for each participant: how well its labels fit the scan"}
}

// A labeledScan is a row of parcellate's quality, with its participant (and run).
type labeledScan struct {
	who string
	column.ParcelRow
}

// labeledScans reads what is connected to the port registration, in its order.
func labeledScans(t *dag.Task) ([]labeledScan, error) {
	var scans []labeledScan
	for _, in := range t.All("registration") {
		rows, err := column.Read[column.ParcelRow](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			scans = append(scans, labeledScan{cmp.Or(in.Coord("subject"), memberText(in.Coords)), r})
		}
	}
	return scans, nil
}

// registration says how voxels got their labels, and names the participants whose
// registration is doubtful.
func (a *author) registration() {
	var how, doubts []string
	for _, s := range a.labeled {
		if !slices.Contains(how, s.Resampling) {
			how = append(how, s.Resampling)
		}
		if s.Caution != "" {
			doubts = append(doubts, s.who+" ("+s.Caution+")")
		}
	}
	how = slices.DeleteFunc(how, func(h string) bool { return strings.HasPrefix(h, "none") })
	if slices.Sort(how); len(how) > 0 {
		a.say("Labels resampled by %s.", strings.Join(how, ", "))
	}
	if doubts != nil {
		a.caution("Labels that may not fit the scan: %s", words.Some(doubts, 6))
	}
}

// gray tells whether the regions are of grayordinates.
func (s labeledScan) gray() bool { return strings.HasPrefix(s.Resampling, "none: grayordinates") }

// element is what regions consist of.
func (a *author) element() string {
	if slices.ContainsFunc(a.labeled, labeledScan.gray) {
		return "grayordinate"
	}
	return "voxel"
}

// methodsOfLabels says how voxels got their labels, for the methods; p are parcellate's parameters.
func methodsOfLabels(scans []labeledScan, p *stageSettings) string {
	count := map[string]int{}
	for _, s := range scans {
		count[labelingWords(s.Resampling)]++
	}
	switch {
	case len(count) == 0 && p.is("resampling", "nearest"):
		count[labelingWords("nearest neighbor")]++
	case len(count) == 0 && p.is("resampling", "majority"):
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
