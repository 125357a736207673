package cohort

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/stages/bids"
	"prgnn/stages/sheet"
)

// Where labels come from, for the inventory.
const (
	labelsOnGrid     = "fMRIPrep's aparcaseg on the scan's grid"
	labelsOnT1w      = "fMRIPrep's aparcaseg on the T1w grid"
	labelsFreeSurfer = "FreeSurfer's aparc+aseg.mgz, with its transform"
	labelsGiven      = "as given"
)

// find looks for a participant's files.
func (c *BIDSCohort) find(l *list, sidecars *bids.Sidecars, row listedRow, labels *fileSource) *bidsFiles {
	f, root := &bidsFiles{}, sidecars.Root
	bad := func(err error) { f.problems = append(f.problems, err) }
	files, err := bids.Files(root, row.id)
	if err != nil {
		bad(absent(root, row.id))
		return f
	}
	scans, names, err := c.scans(files)
	if err != nil {
		bad(err)
		return f
	}
	if !c.all() {
		return c.findRun(l, sidecars, row, labels, files, scans[0])
	}
	sum, n := 0.0, 0
	for i, bold := range scans {
		run := c.findRun(l, sidecars, row, labels, files, bold)
		run.name = names[i]
		f.runs = append(f.runs, run)
		for _, err := range run.problems {
			bad(fmt.Errorf("run %s: %w", names[i], err))
		}
		if run.hasFD {
			f.hasFD = true
			sum += float64(run.meanFD * float64(max(run.volumes, 1)))
			n += max(run.volumes, 1)
		}
	}
	f.bold, f.labelsFrom = f.runs[0].bold, f.runs[0].labelsFrom
	f.meanFD = sum / float64(max(n, 1))
	return f
}

// findRun looks for the files that belong to a scan.
func (c *BIDSCohort) findRun(l *list, sidecars *bids.Sidecars, row listedRow, labels *fileSource, files []bids.File, bold bids.File) *bidsFiles {
	f := &bidsFiles{bold: bold.Path}
	bad := func(err error) { f.problems = append(f.problems, err) }
	var err error
	f.sidecar = sidecars.Of(bold, "RepetitionTime")
	f.times()
	if labels != nil {
		f.labelsFrom = labelsGiven
		if f.labels, err = labels.of(l, row); err != nil {
			bad(err)
		}
	} else if err := c.findLabels(f, sidecars.Root, row, files, bold); err != nil {
		bad(err)
	}
	if c.Confounds {
		// desc-confounds_regressors until 20.1, _timeseries since.
		tables := pick(files, "func", bids.Want{
			Suffixes: []string{"timeseries", "regressors"}, Extensions: []string{".tsv"},
			Entities: sameRun(bold, map[string]string{"desc": "confounds"}),
		})
		if len(tables) == 0 {
			bad(errors.New("it has no table of confounds (desc-confounds_timeseries.tsv) for this scan; confounds: false does without"))
		} else {
			f.confounds = tables[0].Path
			if about := strings.TrimSuffix(f.confounds, ".tsv") + ".json"; isFile(about) {
				f.confoundsSidecar = about
			}
			if f.meanFD, f.hasFD, err = meanFD(f.confounds); err != nil {
				bad(err)
			}
		}
	}
	for _, path := range []string{f.bold, f.labels, f.transform} {
		if _, err := os.Stat(path); path != "" && err != nil {
			bad(plainError(path, err))
		}
	}
	return f
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sameRun adds to what is wanted that it is of a scan's run.
func sameRun(bold bids.File, want map[string]string) map[string]string {
	for _, key := range runEntities {
		want[key] = bold.Get(key)
	}
	return want
}

// absent says that a participant has no directory.
func absent(root, id string) error {
	path := filepath.Join(root, id)
	return placed{fmt.Errorf("%s is not there%s", path, lostZeros(root, id)), path}
}

// lostZeros tells of a participant whose name differs by zeros that a spreadsheet
// takes for needless.
func lostZeros(root, id string) string {
	short := func(id string) string { return strings.TrimLeft(strings.TrimPrefix(id, "sub-"), "0") }
	subjects, _ := bids.Subjects(root) // which Find has read
	for _, s := range subjects {
		if short(s) == short(id) {
			return fmt.Sprintf(", but %s is: has the table lost its zeros in a spreadsheet?", s)
		}
	}
	return ""
}

// anatomy picks anatomical files in the T1w space of a scan. Sessions that were
// processed each for itself have a T1w space each, so where the scan's session has
// a T1w image of its own, only its files will do; where it has none, there is one
// anatomy for all sessions.
func anatomy(files []bids.File, session string, want bids.Want) []bids.File {
	own := slices.ContainsFunc(files, func(f bids.File) bool {
		return f.Dir == "anat" && session != "" && f.Get("ses") == session && f.Suffix == "T1w" && f.Get("desc") == "preproc" && f.Get("space") == ""
	})
	return slices.DeleteFunc(pick(files, "anat", want), func(f bids.File) bool { return own && f.Get("ses") != session })
}

// pick are the files of a data type that are wanted.
func pick(files []bids.File, dir string, want bids.Want) []bids.File {
	var picked []bids.File
	for _, f := range files {
		if f.Dir == dir && want.Fits(f.Name) {
			picked = append(picked, f)
		}
	}
	return picked
}

// scans finds the scan that is meant, or all runs with their names.
func (c *BIDSCohort) scans(files []bids.File) ([]bids.File, []string, error) {
	want := bids.Want{
		Suffixes: []string{"bold"}, Extensions: []string{".nii.gz", ".nii"},
		Entities: map[string]string{"desc": "preproc", "echo": ""},
	}
	every := pick(files, "func", want)
	if c.Space == "native" {
		want.Entities["space"] = ""
	} else {
		want.Entities["space"] = c.Space
	}
	c.into(want.Entities)
	scans := pick(files, "func", want)
	if len(scans) > 0 && c.all() {
		names, err := sortRuns(scans, nil)
		return scans, names, err
	}
	if len(scans) == 1 {
		return scans, nil, nil
	}
	if len(scans) > 1 {
		return nil, nil, fmt.Errorf("%d scans fit, which differ in %s; runs: all takes them all, to be joined when each is cleaned", len(scans), differences(scans, nil))
	}
	if len(every) == 0 {
		return nil, nil, errors.New("it has no preprocessed scan (desc-preproc_bold.nii.gz)")
	}
	var have []string
	for _, f := range every {
		have = append(have, filepath.Base(f.Path))
	}
	return nil, nil, fmt.Errorf("none of its scans is in space-%s%s; it has %s", c.Space, c.text(), strings.Join(have, ", "))
}

// findLabels finds the labels in the three regimes of fMRIPrep's versions.
func (c *BIDSCohort) findLabels(f *bidsFiles, root string, row listedRow, files []bids.File, bold bids.File) error {
	aparcaseg := bids.Want{Suffixes: []string{"dseg"}, Extensions: []string{".nii.gz", ".nii"}, Entities: map[string]string{"desc": "aparcaseg"}}
	mgz := c.surfer(root, row.id, bold.Get("ses"))
	if c.Labels == "freesurfer" {
		if mgz == "" {
			return errors.New("FreeSurfer's mri/aparc+aseg.mgz is neither in the dataset's sourcedata/freesurfer nor beside it; set the parameter freesurfer")
		}
		transforms := anatomy(files, bold.Get("ses"), bids.Want{Suffixes: []string{"xfm"}, Extensions: []string{".txt"}, Entities: map[string]string{"from": "fsnative", "to": "T1w"}})
		if len(transforms) == 0 {
			return errors.New("it has no anat/…from-fsnative_to-T1w_mode-image_xfm.txt, without which FreeSurfer's labels cannot be laid over the scan")
		}
		if len(transforms) > 1 {
			return fmt.Errorf("%d transforms from fsnative to T1w fit, which differ in %s", len(transforms), differences(transforms, nil))
		}
		f.labels, f.transform, f.labelsFrom = mgz, transforms[0].Path, labelsFreeSurfer
		return nil
	}
	onGrid := bids.Want{Suffixes: aparcaseg.Suffixes, Extensions: aparcaseg.Extensions, Entities: sameRun(bold, map[string]string{
		"desc": "aparcaseg", "space": bold.Get("space"), "res": bold.Get("res"),
	})}
	if found := pick(files, "func", onGrid); len(found) > 0 {
		f.labels, f.labelsFrom = found[0].Path, labelsOnGrid
		return nil
	}
	if c.template() {
		return fmt.Errorf("it has no labels (func/…_space-%s_desc-aparcaseg_dseg.nii.gz) on the scan's grid, which fMRIPrep wrote up to 23.1; those of the T1w image do not fit: set space: T1w, or labels: to an image in space-%s", c.Space, c.Space)
	}
	if c.Space == "T1w" {
		aparcaseg.Entities["space"] = ""
		if found := anatomy(files, bold.Get("ses"), aparcaseg); len(found) == 1 {
			f.labels, f.labelsFrom = found[0].Path, labelsOnT1w
			return nil
		} else if len(found) > 1 {
			return fmt.Errorf("%d label images fit, which differ in %s", len(found), differences(found, nil))
		}
	}
	hint, at := "; make them, or give an image with the parameter labels", ""
	if mgz != "" && c.Space == "T1w" {
		at = mgz
		hint = "; FreeSurfer's are in " + mgz + ": set labels: freesurfer, and connect transform: cohort.transform to the stage that parcellates"
	}
	return placed{fmt.Errorf("it has no labels (desc-aparcaseg_dseg.nii.gz) for space-%s; fMRIPrep 23.2 to 25.1 writes none%s", c.Space, hint), at}
}

// surfer finds a participant's aparc+aseg.mgz, or "".
func (c *BIDSCohort) surfer(root, subject, session string) string {
	dirs := []string{filepath.Join(root, "sourcedata", "freesurfer"), filepath.Join(filepath.Dir(root), "freesurfer"), filepath.Join(filepath.Dir(root), "sourcedata", "freesurfer")}
	if c.FreeSurfer != "" {
		dirs = []string{within(root, c.FreeSurfer)}
	}
	names := []string{subject}
	if session != "" { // processed for itself
		names = []string{subject + "_ses-" + session, subject}
	}
	for _, d := range dirs {
		for _, n := range names {
			p := filepath.Join(d, n, "mri", "aparc+aseg.mgz")
			if _, err := os.Stat(p); err == nil {
				return p
			}
		}
	}
	return ""
}

// meanFD is the mean framewise displacement of a table of confounds, mm, over the
// volumes that have one (the first has not); ok is false where there is no such
// column.
func meanFD(path string) (mean float64, ok bool, err error) {
	file, err := openFile(path)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	s, err := sheet.Read(file, path)
	if err != nil {
		return 0, false, placed{err, path}
	}
	values, ok := s.Column("framewise_displacement")
	if !ok {
		return 0, false, nil
	}
	numbers, notAt := sheet.Numbers(values)
	if numbers == nil && notAt < 0 {
		return 0, false, nil // nothing but n/a
	}
	if numbers == nil {
		return 0, false, placed{fmt.Errorf("%s:%d: framewise_displacement is %q, and a number is wanted", path, s.Lines[notAt], values[notAt]), path}
	}
	n := 0
	for _, v := range numbers {
		if !math.IsNaN(v) {
			mean += v
			n++
		}
	}
	return mean / float64(max(n, 1)), n > 0, nil
}

// addMotion puts mean_fd among the columns, unless the table has one of its own.
func (l *list) addMotion(found map[string]*bidsFiles) {
	has := slices.ContainsFunc(l.rows, func(r listedRow) bool { return found[r.id].hasFD })
	if !has || slices.Contains(l.sheet.Columns, "mean_fd") {
		return
	}
	l.sheet.Columns = append(l.sheet.Columns, "mean_fd")
	for _, r := range l.rows {
		r.cells["mean_fd"] = ""
		if f := found[r.id]; f.hasFD {
			r.cells["mean_fd"] = strconv.FormatFloat(f.meanFD, 'g', 6, 64)
		}
	}
}
