package cohort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
)

// Where labels come from, for the inventory.
const (
	labelsOnGrid     = "fMRIPrep's aparcaseg in the scan's space"
	labelsOnT1w      = "fMRIPrep's aparcaseg on the T1w grid"
	labelsFreeSurfer = "FreeSurfer's aparc+aseg.mgz, through the transform fsnative → T1w"
	labelsThrough    = "FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → %s"
	labelsGiven      = "from %s, given to the pipeline"
)

// labelImages are the names of fMRIPrep's label images with these further entities.
func labelImages(entities map[string]string) bids.Want {
	entities["desc"] = "aparcaseg"
	return bids.Want{Suffixes: []string{"dseg"}, Extensions: bids.Images, Entities: entities}
}

// findLabels finds the labels of a scan: fMRIPrep's on its grid, or in T1w space that of the T1w
// image, or FreeSurfer's with what takes them to the scan.
func (c *BIDSCohort) findLabels(f *bidsFiles, root string, row listed.Row, files []bids.File, bold bids.File) error {
	session := bold.Get("ses")
	if c.Labels == "auto" {
		onGrid := labelImages(bids.SameRun(bold, map[string]string{"space": bold.Get("space"), "res": bold.Get("res")}))
		if found := bids.Pick(files, "func", onGrid); len(found) > 0 {
			f.labels, f.labelsFrom = found[0].Path, labelsOnGrid
			return nil
		}
		if c.Space == "T1w" || c.Space == bids.Minimal {
			if found := anatomy(files, session, labelImages(map[string]string{"space": ""})); len(found) == 1 {
				f.labels, f.labelsFrom = found[0].Path, labelsOnT1w
				return nil
			} else if len(found) > 1 {
				return fmt.Errorf("%d label images match; they differ in %s", len(found), bids.Differences(found, nil))
			}
		}
		if c.Space == bids.Native {
			return errors.New("it has no labels (desc-aparcaseg_dseg.nii.gz) on the scan's grid; set the parameter labels to an image")
		}
		if err := c.surferLabels(f, root, row, files, bold); err != nil {
			return fmt.Errorf("it has no labels (desc-aparcaseg_dseg.nii.gz) for space-%s, and FreeSurfer's cannot be used: %w; or set labels to an image in that space, or to { atlas: NAME }", c.Space, err)
		}
		return nil
	}
	return c.surferLabels(f, root, row, files, bold)
}

// surferLabels finds FreeSurfer's labels and the transforms to the scan's space.
func (c *BIDSCohort) surferLabels(f *bidsFiles, root string, row listed.Row, files []bids.File, bold bids.File) error {
	session := bold.Get("ses")
	mgz := c.surfer(root, row.ID, session)
	if mgz == "" {
		return errors.New("its mri/aparc+aseg.mgz is neither in the dataset's sourcedata/freesurfer nor beside the dataset; set the parameter freesurfer")
	}
	var err error
	if f.transform, err = transform(files, session, ".txt", "fsnative", "T1w"); err != nil {
		return err
	}
	f.labelsFrom = labelsFreeSurfer
	if c.template() {
		// A cohort of a template stands in the name of the space (MNIPediatricAsym+1).
		to := []string{bold.Get("space")}
		if cohort := bold.Get("cohort"); cohort != "" {
			to = []string{to[0] + "+" + cohort, to[0] + "Cohort" + cohort}
		}
		if f.warp, err = transform(files, session, ".h5", "T1w", to...); err != nil {
			return err
		}
		f.labelsFrom = fmt.Sprintf(labelsThrough, c.Space)
	}
	f.labels = mgz
	return nil
}

// transform finds the file that resamples images from a space to another, and so takes points the other way.
func transform(files []bids.File, session, ext, from string, to ...string) (string, error) {
	found := anatomy(files, session, bids.Want{Suffixes: []string{"xfm"}, Extensions: []string{ext},
		Entities: map[string]string{"from": from}})
	found = slices.DeleteFunc(found, func(f bids.File) bool { return !slices.Contains(to, f.Get("to")) })
	switch len(found) {
	case 0:
		return "", fmt.Errorf("it has no anat/…from-%s_to-%s_mode-image_xfm%s, the transform from FreeSurfer's labels to the scan", from, to[0], ext)
	case 1:
		return found[0].Path, nil
	}
	return "", fmt.Errorf("%d transforms from %s to %s match; they differ in %s", len(found), from, to[0], bids.Differences(found, nil))
}

// anatomy picks anatomical files that belong to a scan: those of its session, where it has a T1w
// image of its own or such files, else those of the participant; never another session's.
func anatomy(files []bids.File, session string, want bids.Want) []bids.File {
	picked := bids.Pick(files, "anat", want)
	of := func(ses string) []bids.File {
		return slices.DeleteFunc(slices.Clone(picked), func(f bids.File) bool { return f.Get("ses") != ses })
	}
	own := session != "" && slices.ContainsFunc(files, func(f bids.File) bool {
		return f.Dir == "anat" && f.Get("ses") == session && f.Suffix == "T1w" && f.Get("desc") == "preproc" &&
			f.Get("space") == ""
	})
	if found := of(session); own || len(found) > 0 {
		return found
	}
	return of("")
}

// surfer finds a participant's aparc+aseg.mgz, or "".
func (c *BIDSCohort) surfer(root, subject, session string) string {
	var dirs []string
	around := func(root string) {
		above := filepath.Dir(root)
		dirs = append(dirs, filepath.Join(root, "sourcedata", "freesurfer"), filepath.Join(above, "freesurfer"),
			filepath.Join(above, "sourcedata", "freesurfer"))
	}
	around(root)
	if real, err := filepath.EvalSymlinks(root); err == nil && real != filepath.Clean(root) {
		around(real)
	}
	if c.FreeSurfer != "" {
		dirs = []string{userfile.Within(root, c.FreeSurfer)}
	}
	names := []string{subject}
	if session != "" { // processed for itself
		names = []string{subject + "_ses-" + session, subject}
	}
	for _, d := range dirs {
		for _, n := range names {
			p := filepath.Join(d, n, "mri", "aparc+aseg.mgz")
			if _, err := os.Lstat(p); err == nil { // a link whose content is missing is said to be one
				return p
			}
		}
	}
	return ""
}
