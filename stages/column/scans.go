package column

import (
	"maps"
	"slices"
)

// Scans is what a cohort knows of how its scans were made. pipeline.notes has it as metadata, for the methods of a
// report.
type Scans struct {
	MadeBy      string         `json:"made_by,omitempty"`     // "fMRIPrep 25.2.0"; "" when the dataset names no program
	Space       string         `json:"space,omitempty"`       // "MNI152NLin2009cAsym res-2"; "native" for the scan's own
	Labels      map[string]int `json:"labels,omitempty"`      // where labels come from → participants
	DK84        bool           `json:"dk84,omitempty"`        // the regions are the 84 of the Desikan-Killiany set
	Aligned     bool           `json:"aligned,omitempty"`     // labels were compared with the node list after an alignment
	Description string         `json:"description,omitempty"` // the desc- entity of the scans, where it is not preproc
}

// ScansKey is the key of Scans in the metadata of pipeline.notes.
const ScansKey = "scans"

// Meta is the metadata; nil where nothing is known.
func (s Scans) Meta() map[string]string {
	text := JSON(s)
	if text == "{}" {
		return nil
	}
	return map[string]string{ScansKey: text}
}

// ShortScans are the scans with less than half of the median number of volumes, by their names: copies that broke off,
// or scans that were stopped. A length of three scans or more is that of a protocol. Of fewer than three scans nothing
// is known.
func ShortScans(volumes map[string]int) (median int, short map[string]bool) {
	all, count := slices.Sorted(maps.Values(volumes)), map[int]int{}
	if len(all) < 3 {
		return 0, nil
	}
	for _, n := range all {
		count[n]++
	}
	median, short = all[len(all)/2], map[string]bool{}
	for who, n := range volumes {
		if 2*n < median && count[n] < 3 {
			short[who] = true
		}
	}
	return median, short
}
