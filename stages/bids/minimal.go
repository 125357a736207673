package bids

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// headMotion are the transforms that fMRIPrep (23.2 and later) writes for each run, with --level minimal too.
var headMotion = Want{Suffixes: []string{"xfm"}, Extensions: []string{".txt"},
	Entities: map[string]string{"from": "orig", "to": "boldref", "desc": "hmc"}}

// HeadMotion are the transforms of head motion among a participant's files, one a run.
func HeadMotion(files []File) []File { return Pick(files, "func", headMotion) }

// A MinimalRun is one run of derivatives of --level minimal: paths of what takes the raw scan to labels.
type MinimalRun struct {
	Raw                         File
	Root                        string // the raw dataset
	Realignment                 string // points of the reference → of each volume
	Reference                   string // desc-coreg_boldref
	Registration                string // points of the T1w image → of the reference
	Fieldmap, FieldmapTransform string // "" where fMRIPrep corrected no distortion
}

// FindMinimal finds the files of a run by its transforms of head motion. The raw scan lies in the first of the datasets
// that has it. What is missing or has several candidates is an error.
func FindMinimal(files []File, motion File, raw []string) (run MinimalRun, problems []error) {
	run.Realignment = motion.Path
	bad := func(format string, a ...any) { problems = append(problems, fmt.Errorf(format, a...)) }
	of := func(what, suffix, extension string, entities map[string]string) []File {
		found := Pick(files, "func", Want{[]string{suffix}, strings.Split(extension, "|"), SameRun(motion, entities)})
		if len(found) > 1 {
			bad("%d files match %s; they differ in %s", len(found), what, Differences(found, nil))
			return nil
		}
		return found
	}
	for _, f := range []struct {
		into              *string
		what, suffix, ext string
		entities          map[string]string
	}{
		{&run.Reference, "desc-coreg_boldref.nii.gz, the reference of the run", "boldref", ".nii.gz|.nii", map[string]string{"desc": "coreg"}},
		{&run.Registration, "from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt, its registration", "xfm", ".txt", map[string]string{"from": "boldref", "to": "T1w", "desc": "coreg"}},
	} {
		before := len(problems)
		if found := of(f.what, f.suffix, f.ext, f.entities); found != nil {
			*f.into = found[0].Path
		} else if len(problems) == before {
			bad("it has no …_%s", f.what)
		}
	}
	if to := of("from-boldref_to-…_desc-fmap_xfm.txt, the registration to a field map", "xfm", ".txt", map[string]string{"from": "boldref", "desc": "fmap"}); to != nil {
		run.FieldmapTransform = to[0].Path
		var err error
		if run.Fieldmap, err = fieldmap(to[0]); err != nil {
			problems = append(problems, err)
		}
	}
	if err := run.findRaw(motion, raw); err != nil {
		problems = append(problems, err)
	}
	return run, problems
}

// fieldmap is the map in Hz to which a transform registers, beside the directory of the transform, or of the
// participant.
func fieldmap(to File) (string, error) {
	id, session := to.Get("to"), filepath.Dir(filepath.Dir(to.Path))
	want := Want{[]string{"fieldmap"}, Images, map[string]string{"fmapid": id, "desc": "preproc"}}
	for _, dir := range []string{filepath.Join(session, "fmap"), filepath.Join(filepath.Dir(session), "fmap")} {
		entries, err := os.ReadDir(dir)
		if Unlisted(err) {
			return "", err
		}
		var found []string
		for _, e := range entries {
			if n, ok := Parse(e.Name()); ok && want.Fits(n) && n.Get("sub") == to.Get("sub") {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%d field maps match fmapid-%s: %s", len(found), id, words.Some(lists.Map(found, filepath.Base), 3))
		}
	}
	return "", fmt.Errorf("it has no fmap/…_fmapid-%s_desc-preproc_fieldmap.nii.gz, to which %s registers", id, filepath.Base(to.Path))
}

// findRaw finds the raw scan of the run.
func (r *MinimalRun) findRaw(motion File, raw []string) error {
	want := Want{[]string{"bold"}, Images, SameRun(motion, map[string]string{"desc": "", "space": ""})}
	for _, root := range raw {
		files, err := Files(root, "sub-"+motion.Get("sub"))
		if Unlisted(err) {
			return err
		}
		found := Pick(files, "func", want)
		switch {
		case len(found) == 0:
			continue
		case slices.ContainsFunc(found, func(f File) bool { return f.Get("echo") != "" }):
			return fmt.Errorf("%s is one of several echoes: raw multi-echo scans cannot be resampled, because combining them needs T2*; run fMRIPrep with --level full", filepath.Base(found[0].Path))
		case len(found) > 1:
			return fmt.Errorf("%d raw scans match %s; they differ in %s", len(found), filepath.Base(motion.Path), Differences(found, nil))
		}
		r.Raw, r.Root = found[0], root
		return nil
	}
	return fmt.Errorf("its raw scan (func/%s) is in none of %s; set raw to the dataset that fMRIPrep processed", rawName(motion), words.Some(raw, 4))
}

// rawName is the name of the raw scan of a run.
func rawName(motion File) string {
	n := motion.Only(append([]string{"sub"}, RunEntities...)...)
	n.Suffix, n.Extension = "bold", ".nii.gz"
	return n.String()
}
