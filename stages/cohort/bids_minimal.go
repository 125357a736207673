package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// minimalOnly is why derivatives of --level minimal have no scan to take, with the two ways on; nil where there are
// scans, or no transforms of head motion.
func (c *BIDSCohort) minimalOnly(l *listed.List, root string, files map[string][]bids.File, raw []string) error {
	runs, scans := 0, 0
	if c.Space == bids.Minimal {
		return nil
	}
	for _, row := range l.Rows {
		if len(c.preprocessed(files[row.ID])) > 0 || c.otherDescriptions(files[row.ID]) != "" {
			return nil
		}
		for _, motion := range bids.HeadMotion(files[row.ID]) {
			runs++
			if run, _ := bids.FindMinimal(files[row.ID], motion, raw); run.Raw.Path != "" {
				scans++
			}
		}
	}
	if runs == 0 {
		return nil
	}
	return fmt.Errorf("dir: %s has derivatives of fMRIPrep's --level minimal: %s with transforms of head motion, but no preprocessed scan; run fMRIPrep on them (fmriprep RAW OUT participant --derivatives fmriprep=DIR --level full), or set space: minimal and confounds: false to resample the raw scans (%d of %d found; raw: sets their dataset)",
		root, words.Count(runs, "run"), scans, runs)
}

// refuseMinimal refuses parameters that need what derivatives of --level minimal do not have.
func (c *BIDSCohort) refuseMinimal() error {
	switch {
	case c.Space != bids.Minimal:
		return nil
	case c.Confounds:
		return errors.New("space: minimal has no tables of confounds, because only fMRIPrep's --level full writes them: set confounds: false, and regress: none for denoise, which then only detrends and filters")
	case c.Components != "":
		return errors.New("components: components of preprocessed scans do not fit the raw scans of space: minimal; remove this line")
	case c.Description != "preproc":
		return fmt.Errorf("description: %s is for preprocessed scans, but space: minimal takes raw scans; remove one of the two", c.Description)
	case c.Time == "header":
		return errors.New("repetition_time: header ignores the sidecars, but space: minimal needs their PhaseEncodingDirection and TotalReadoutTime; remove it, or use sidecar")
	}
	return nil
}

// findMinimal looks for the raw scan of a run, and for what takes it and the labels to its reference.
func (c *BIDSCohort) findMinimal(l *listed.List, root string, row listed.Row, labels *labelSource, files []bids.File,
	motion bids.File) *bidsFiles {
	run, problems := bids.FindMinimal(files, motion, c.rawScans)
	f := &bidsFiles{bold: run.Raw.Path, grid: located.Grid{Space: bids.Minimal}, problems: problems,
		realignment: run.Realignment, reference: run.Reference, registration: run.Registration,
		fieldmap: run.Fieldmap, fieldmapTransform: run.FieldmapTransform}
	bad := func(err error) { f.problems = append(f.problems, err) }
	var err error
	if f.bold != "" {
		if f.sidecar, err = (&bids.Sidecars{Root: run.Root}).Of(run.Raw, bids.ScanTimes...); err != nil {
			bad(unread(filepath.Dir(f.bold), err))
		}
		f.times()
	}
	if labels == nil {
		err = c.findLabels(f, root, row, files, motion)
	} else {
		f.labelsFrom = labels.from
		if f.labels, err = labels.File(l, row); err == nil && labels.weights {
			err = errors.New("labels: a probabilistic atlas cannot be used in the participants' own space (space: minimal): use a label image")
		} else if err == nil {
			f.warp, err = labels.minimalWarp(files, motion.Get("ses"), f.labels)
		}
	}
	if err != nil {
		bad(err)
	}
	masks := bids.Pick(files, "func", bids.Want{Suffixes: []string{"mask"}, Extensions: bids.Images,
		Entities: bids.SameRun(motion, map[string]string{"desc": "brain", "space": "", "res": ""})})
	if len(masks) > 0 { // from 25.0, on the grid of the reference
		f.mask = masks[0].Path
		if f.warp != "" {
			f.within = f.mask
		}
	}
	for _, path := range []string{f.bold, f.labels, f.transform, f.warp, f.mask, f.realignment, f.reference,
		f.registration, f.fieldmap, f.fieldmapTransform} {
		if _, err := os.Stat(path); path != "" && err != nil {
			bad(userfile.Plain(path, err))
		}
	}
	return f
}

// minimalWarp takes points of the T1w image to a label image: "" for one in T1w space, by its name.
func (s *labelSource) minimalWarp(files []bids.File, session, image string) (string, error) {
	name, _ := bids.ParseName(filepath.Base(image))
	space := cmp.Or(name.Get("space"), name.Get("tpl"))
	if s.wanted != nil {
		space = s.wanted.Space
	}
	switch {
	case space == "T1w" || space == "" && name.Get("sub") != "":
		return "", nil
	case space == "":
		return "", fmt.Errorf("labels: the name of %s does not state its space (space-… or tpl-…), which space: minimal needs to transform it", filepath.Base(image))
	}
	return transform(files, session, ".h5", space, "T1w")
}

// slowSlices is the repetition time, s, from which slices of one volume are far apart in time.
const slowSlices = 1.5

// minimalNotes state what the scans of derivatives of --level minimal lack.
func minimalNotes(rows []listed.Row, found map[string]*bidsFiles) (notes []column.Note) {
	distorted, slow, all := 0, 0.0, 0
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			if all++; f.fieldmap == "" {
				distorted++
			}
			slow = max(slow, cmp.Or(f.tr, f.headerTR))
		}
	}
	notes = append(notes, column.Notef("raw scans resampled once with fMRIPrep's transforms (--level minimal): head motion, and distortion by field maps for %d of %s; no slice timing correction",
		all-distorted, words.Count(all, "run")))
	if slow > slowSlices {
		notes = append(notes, column.Doubtful(column.DoubtSliceTiming, "noted.slice-timing",
			column.Values{"Time": slow}))
	}
	return notes
}
