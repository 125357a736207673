package region

import (
	"fmt"
	"maps"
	"path/filepath"
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
	"boldref", "scanner", "subject"}

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

// Shared is why one label image cannot be laid over these scans, each in the space of its participant, without a
// transform: it can only where all have its grid, as those of phantoms do, which note says. A scan on which no image
// with this grid can lie by their headers has a wrong header rather than a space: that concerns its participant alone.
func (h Headers) Shared(space, labels string, scans []Laid) (why, note string) {
	image := h.of(labels)
	ids := map[string]bool{}
	for _, s := range scans {
		ids[s.ID] = true
	}
	if image == nil || len(ids) < 2 || !slices.Contains(individualSpaces, strings.ToLower(space)) {
		return "", ""
	}
	grid, read, all := image.Grid(), 0, 0
	what := fmt.Sprintf("labels: %s is one image for %s", filepath.Base(labels), words.Count(len(ids), "participant"))
	for _, s := range scans {
		scan := h.of(s.Scan)
		if scan == nil {
			continue
		}
		if all++; grid.Over(scan.Grid()) != nil {
			continue
		}
		if read++; !scan.Grid().Same(grid) {
			return fmt.Sprintf("%s, but the scans are in the space of each participant (space: %s), and brains differ: the scan "+
				"of %s has %v, the image %v; use scans in the space of the image (such as space: MNI152NLin2009cAsym), or the "+
				"labels of each participant (labels: freesurfer, or a path with {participant_id}), or connect the input "+
				"transform or warp of parcellate", what, space, s.ID, scan.Grid(), grid), ""
		}
	}
	if read == 0 {
		return "", ""
	}
	which := "all scans"
	if read < all {
		which = fmt.Sprintf("%d of %d scans", read, all)
	}
	return "", fmt.Sprintf("%s in space: %s; %s have its grid, and are taken to be aligned with it", what, space, which)
}
