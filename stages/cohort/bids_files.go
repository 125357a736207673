package cohort

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// find looks for a participant's files.
func (c *BIDSCohort) find(l *listed.List, sidecars *bids.Sidecars, row listed.Row, labels *labelSource,
	files []bids.File) *bidsFiles {
	f, root := &bidsFiles{}, sidecars.Root
	bad := func(err error) { f.problems = append(f.problems, err) }
	if files == nil {
		_, err := bids.Files(root, row.ID)
		bad(absent(root, row.ID, err))
		return f
	}
	scans, names, err := c.scans(files)
	if err != nil {
		bad(err)
		return f
	}
	if !c.All() && !c.longitudinal() {
		return c.findRun(l, sidecars, row, labels, files, scans[0])
	}
	sum, n := 0.0, 0
	for i, bold := range scans {
		run := c.findRun(l, sidecars, row, labels, files, bold)
		run.name = names[i]
		f.runs = append(f.runs, run)
		for _, err := range run.problems {
			bad(fmt.Errorf("%s %s: %w", c.part(), names[i], err))
		}
		if run.moved.Has {
			f.moved.Has = true
			sum += float64(run.moved.Mean * float64(max(run.volumes, 1)))
			n += max(run.volumes, 1)
		}
	}
	f.bold, f.labelsFrom = f.runs[0].bold, f.runs[0].labelsFrom
	f.moved.Mean = sum / float64(max(n, 1))
	return f
}

// undecided is the mistake of the cohort where half of the participants or more, and not one alone, have several files
// of which it chooses none: that is no fault of theirs. problems are those of a participant.
func undecided(rows []listed.Row, problems func(id string) []error) error {
	var first error
	n := 0
	for _, row := range rows {
		var choice bids.ChoiceError
		if errors.As(errors.Join(problems(row.ID)...), &choice) {
			if n++; first == nil {
				first = fmt.Errorf("%s: %w", row.ID, choice)
			}
		}
	}
	if n < 2 || 2*n < len(rows) {
		return nil
	}
	return fmt.Errorf("the cohort does not state which files are meant, for %d of %s: %w", n,
		words.Count(len(rows), "participant"), first)
}

// brokenSidecars reports sidecars that are no JSON, of the participants whose they are: as a problem of the
// participant, or as one mistake where several inherit it, which is no fault of theirs.
func brokenSidecars(whose map[string][]string, bad func(id string, err error)) error {
	var problems []error
	for _, path := range slices.Sorted(maps.Keys(whose)) {
		err, ids := bids.Broken(path), slices.Compact(whose[path])
		switch {
		case err == nil:
		case len(ids) == 1 || machine.Caused(err):
			for _, id := range ids {
				bad(id, err)
			}
		default:
			problems = append(problems, fmt.Errorf("%w; %s inherit it: %s", err, words.Count(len(ids), "participant"),
				words.Some(ids, 6)))
		}
	}
	others := located.OtherSources(whose)
	for _, id := range slices.Sorted(maps.Keys(others)) {
		bad(id, others[id])
	}
	return errors.Join(problems...)
}

// findRun looks for the files that belong to a scan.
func (c *BIDSCohort) findRun(l *listed.List, sidecars *bids.Sidecars, row listed.Row, labels *labelSource,
	files []bids.File, bold bids.File) *bidsFiles {
	if c.Space == bids.Minimal {
		return c.findMinimal(l, sidecars.Root, row, labels, files, bold)
	}
	f := &bidsFiles{bold: bold.Path, grid: located.Grid{Space: bold.Get("space"), Res: bold.Get("res")}}
	bad := func(err error) { f.problems = append(f.problems, err) }
	var err error
	if f.sidecar, err = sidecars.Of(bold, bids.ScanTimes...); err != nil {
		bad(unread(filepath.Dir(bold.Path), err))
	}
	f.times()
	if labels != nil {
		f.labelsFrom = labels.from
		if f.labels, err = labels.File(l, row); err != nil {
			bad(err)
		}
		if labels.weights {
			f.weights = f.labels
		}
	} else if err := c.findLabels(f, sidecars.Root, row, files, bold); err != nil {
		bad(err)
	}
	if c.withConfounds() {
		// desc-confounds_regressors until 20.1, _timeseries since.
		tables := bids.Pick(files, "func", bids.Want{
			Suffixes: []string{"timeseries", "regressors"}, Extensions: []string{".tsv"},
			Entities: bids.SameRun(bold, map[string]string{"desc": "confounds"}),
		})
		if len(tables) == 0 {
			bad(errors.New("it has no table of confounds (desc-confounds_timeseries.tsv) for this scan; set confounds: false to use none"))
		} else {
			f.confounds = tables[0].Path
			if about := strings.TrimSuffix(f.confounds, ".tsv") + ".json"; isFile(about) {
				f.confoundsSidecar = about
			}
			if f.moved, err = motion.Read(f.confounds); err != nil {
				bad(err)
			}
		}
	}
	if c.Components != "" {
		if err := c.findComponents(f, row, bold); err != nil {
			bad(err)
		}
	}
	masks := bids.Pick(files, "func", bids.Want{
		Suffixes: []string{"mask"}, Extensions: bids.Images,
		Entities: bids.SameRun(bold, map[string]string{"desc": "brain", "space": bold.Get("space"),
			"res": bold.Get("res")}),
	})
	if len(masks) > 0 {
		f.mask = masks[0].Path
		if labels != nil && labels.path != "" { // an atlas does not follow this participant's anatomy
			f.within = f.mask
		}
	}
	for _, path := range []string{f.bold, f.labels, f.transform, f.warp, f.mask} {
		if _, err := os.Stat(path); path != "" && err != nil {
			bad(userfile.Plain(path, err))
		}
	}
	return f
}

// findComponents looks for the time courses of the components of a scan.
func (c *BIDSCohort) findComponents(f *bidsFiles, row listed.Row, bold bids.File) error {
	files, err := bids.Files(c.components, row.ID)
	if err != nil {
		return fmt.Errorf("components: %w", absent(c.components, row.ID, err))
	}
	of := func(desc, suffix string) string {
		found := bids.Pick(files, "func", bids.Want{Suffixes: []string{suffix}, Extensions: []string{".tsv"},
			Entities: bids.SameRun(bold, map[string]string{"desc": desc})})
		if len(found) == 0 {
			return ""
		}
		return found[0].Path
	}
	if f.components = of("aroma", "timeseries"); f.components != "" {
		return nil
	}
	f.components, f.componentTable = of("ICA", "mixing"), of("tedana", "metrics")
	if f.components == "" || f.componentTable == "" {
		return fmt.Errorf("components: %s has no desc-aroma_timeseries.tsv of fMRIPost-AROMA for this scan, and not both tables of tedana (desc-ICA_mixing.tsv, desc-tedana_metrics.tsv)", filepath.Join(c.components, row.ID))
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// otherScans names the scans of this description that do not fit what was chosen.
func (c *BIDSCohort) otherScans(files []bids.File) string {
	var have []string
	for _, f := range bids.Pick(files, "func", bids.Want{Suffixes: []string{"bold"}, Extensions: bids.Images,
		Entities: map[string]string{"desc": c.Description, "echo": ""}}) {
		have = append(have, filepath.Base(f.Path))
	}
	if have == nil {
		return ""
	}
	return "; it has " + words.Some(have, 3)
}

// otherDescriptions says which other scans there are.
func (c *BIDSCohort) otherDescriptions(files []bids.File) string {
	var have []string
	for _, f := range bids.Pick(files, "func", bids.Want{Suffixes: []string{"bold"}, Extensions: bids.Images,
		Entities: map[string]string{"echo": ""}}) {
		if desc := f.Get("desc"); desc != "" && desc != c.Description && !slices.Contains(have, desc) {
			have = append(have, desc)
		}
	}
	if have == nil {
		return ""
	}
	return fmt.Sprintf("; it has desc-%s: set description", strings.Join(have, ", desc-"))
}

// absent is why a participant's directory has no files: it is not there, or cannot be read.
func absent(root, id string, err error) error {
	path := filepath.Join(root, id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unread(path, err)
	}
	subjects, _ := bids.Subjects(root) // which Find has read
	but := ""
	same := func(s string) bool { return s == id }
	if near := slices.DeleteFunc(listed.SameNumber(id, subjects), same); len(near) > 0 {
		but = fmt.Sprintf(", but %s does: did a spreadsheet remove leading zeros from the table, or change numbers?",
			strings.Join(near, " or "))
	}
	return userfile.Place(fmt.Errorf("%s does not exist%s", path, but), path)
}

// unread is the error of a directory within path that cannot be listed.
func unread(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		path = at.Path
	}
	return userfile.Plain(path, err)
}

// scans finds the scan that is meant, or all runs with their names.
func (c *BIDSCohort) scans(files []bids.File) ([]bids.File, []string, error) {
	every := c.preprocessed(files)
	scans := slices.DeleteFunc(slices.Clone(every), func(f bids.File) bool {
		return !c.fits(located.Grid{Space: f.Get("space"), Res: f.Get("res")})
	})
	if len(scans) > 0 && c.longitudinal() {
		names, err := sortSessions(scans)
		return scans, names, err
	}
	if len(scans) > 0 && c.All() {
		names, err := bids.SortRuns(scans, nil)
		return scans, names, err
	}
	if len(scans) == 1 {
		return scans, nil, nil
	}
	if len(scans) > 1 {
		return nil, nil, bids.ChoiceError{Err: fmt.Errorf("%d scans match; they differ in %s%s%s", len(scans),
			bids.Differences(scans, c.bare), sessionsHint(scans), bids.JoinHint(scans, nil))}
	}
	gray := bids.Pick(files, "func", bids.Want{Suffixes: []string{"bold"}, Extensions: []string{".dtseries.nii"}})
	if len(every) == 0 && len(gray) > 0 && c.Space != surfaceSpace {
		return nil, nil, fmt.Errorf("it has grayordinates only (%s): set space: fsLR, and labels to a CIFTI label file or an atlas",
			words.Some(lists.Map(gray, func(f bids.File) string { return filepath.Base(f.Path) }), 3))
	}
	if len(every) == 0 && c.Space == bids.Minimal {
		return nil, nil, fmt.Errorf("it has no transforms of head motion (from-orig_to-boldref_mode-image_desc-hmc_xfm.txt)%s, as fMRIPrep 23.2 and later write them", c.Text())
	}
	if len(every) == 0 {
		return nil, nil, fmt.Errorf("it has no preprocessed scan (desc-%s_bold.nii.gz)%s%s%s", c.Description, c.Text(), c.otherScans(files), c.otherDescriptions(files))
	}
	have := lists.Map(every, func(f bids.File) string { return filepath.Base(f.Path) })
	return nil, nil, fmt.Errorf("none of its scans is in space-%s%s; it has %s", c.Space, c.Text(), strings.Join(have, ", "))
}

// addMotion puts mean_fd among the columns, unless the table has one of its own.
func addMotion(l *listed.List, found map[string]*bidsFiles) {
	has := slices.ContainsFunc(l.Rows, func(r listed.Row) bool { return found[r.ID].moved.Has })
	if !has {
		return
	}
	if slices.Contains(l.Sheet.Columns, "mean_fd") {
		if !doubtMotion(l, found) {
			fillMotion(l, found)
		}
		return
	}
	l.Sheet.Columns = append(l.Sheet.Columns, "mean_fd")
	for i := range l.Rows {
		l.Rows[i].Cells.Set("mean_fd", found[l.Rows[i].ID].motionCell())
	}
}

// motionCell is the mean framewise displacement as a cell of the table; "" where it is not known.
func (f *bidsFiles) motionCell() string {
	if !f.moved.Has {
		return ""
	}
	return strconv.FormatFloat(f.moved.Mean, 'g', 6, 64)
}

// ownMotion is mean_fd as the table has it; "" where it is missing.
func ownMotion(l *listed.List) []string {
	values := lists.Map(l.Rows, func(r listed.Row) string { return r.Cells.Get("mean_fd") })
	codes := sheet.Codes(values)
	return lists.Map(values, func(v string) string {
		if codes[v] {
			return ""
		}
		return v
	})
}

// withoutMotion are the rows without a mean_fd in the table, although their confounds give it.
func withoutMotion(l *listed.List, found map[string]*bidsFiles) (rows []int, who []column.Values) {
	for i, v := range ownMotion(l) {
		if f := found[l.Rows[i].ID]; f.moved.Has && v == "" {
			rows, who = append(rows, i), append(who, column.Values{"Who": l.Rows[i].ID, "X": f.moved.Mean})
		}
	}
	return rows, who
}

// fillMotion takes the mean_fd that the table lacks from the confounds.
func fillMotion(l *listed.List, found map[string]*bidsFiles) {
	rows, who := withoutMotion(l, found)
	for _, i := range rows {
		l.Rows[i].Cells.Set("mean_fd", found[l.Rows[i].ID].motionCell())
	}
	if who != nil {
		l.Notes = append(l.Notes, column.Doubtful(column.DoubtMotionFilled, "noted.motion-filled", column.Values{"Scans": who}))
	}
}

// doubtMotion notes the participants whose mean_fd in the table is not that of their confounds (mm): the column then
// has something else, with which that of the confounds is not mixed.
func doubtMotion(l *listed.List, found map[string]*bidsFiles) (doubt bool) {
	var apart []column.Values
	both := 0
	values := ownMotion(l)
	for i, r := range l.Rows {
		own, _ := sheet.Numbers(values[i : i+1])
		f := found[r.ID]
		if !f.moved.Has || own == nil || math.IsNaN(own[0]) {
			continue
		}
		both++
		if math.Abs(own[0]-f.moved.Mean) > 0.01 {
			apart = append(apart, column.Values{"Who": r.ID, "Table": own[0], "Confounds": f.moved.Mean})
		}
	}
	if apart == nil {
		return false
	}
	_, empty := withoutMotion(l, found)
	l.Notes = append(l.Notes, column.Doubtful(column.DoubtMotion, "noted.motion-contradicts", column.Values{"Scans": apart,
		"Of": both, "Empty": empty}))
	return true
}
