package region

import (
	"maps"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/stages/bids"
	"prgnn/stages/column"
)

// individualSpaces are spaces in which each participant's scans lie for themselves (BIDS, coordinate systems), in lower
// case.
var individualSpaces = []string{bids.Native, "t1w", "t2w", "fsnative", "orig", "individual", "anat", "func", "bold",
	"boldref", "scanner", "subject", bids.Minimal}

// Individual reports whether each participant's scans lie in a space of their own there.
func Individual(space string) bool { return slices.Contains(individualSpaces, strings.ToLower(space)) }

// A Laid is a scan of a participant, or of a run of it, and its label image: paths, "" for none.
type Laid struct{ ID, Run, Scan, Labels string }

// Headers are those of images that were opened, by path; nil of one that cannot be read, and of CIFTI.
type Headers map[string]*nifti.Header

func (h Headers) of(path string) *nifti.Header {
	if found, known := h[path]; known || path == "" {
		return found
	}
	h[path] = nil
	if r, err := nifti.Open(path); err == nil {
		if r.Close(); !r.Header.CIFTI() {
			h[path] = r.Header
		}
	}
	return h[path]
}

// Opposed notes the scans and label images whose sform and qform are opposite.
func (h Headers) Opposed(all []Laid) (notes []column.Note) {
	who := map[string][]string{}
	for _, l := range all {
		for path, what := range map[string]string{l.Scan: "scan", l.Labels: "label image"} {
			header := h.of(path)
			if header == nil || header.Opposed() == "" {
				continue
			}
			key := what + " are opposite in " + header.Opposed()
			if name := strings.TrimSpace(l.ID + " " + l.Run); !slices.Contains(who[key], name) {
				who[key] = append(who[key], name)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(who)) {
		notes = append(notes, column.Notef("sform and qform of the %s for %s: the sform is used; check which is right, and "+
			"write the image with it as both", key, words.Some(who[key], 6)))
	}
	return notes
}
