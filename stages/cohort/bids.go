package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

var bidsCohortKind = Source{
	Name: "bids",
	Doc: "fMRIPrep's derivatives\n" +
		"Takes each participant's preprocessed scan and its Desikan-Killiany labels: fMRIPrep's on the scan's grid (up to 23.1), in T1w space those of the T1w image (up to 23.1, from 25.2), or FreeSurfer's aparc+aseg.mgz with the transforms to the scan's space (all versions). The participants and their groups come from participants.tsv. With confounds, the mean framewise displacement in mm is a covariate, mean_fd, which select can use. cohort.inventory lists the files found for each participant.",
	New: func() Loader {
		return &BIDSCohort{Parameters: listed.Defaults(), Description: "preproc", Space: "auto", Labels: "auto",
			Confounds: true, Incomplete: "fail", Nodes: "auto", Time: "auto"}
	},
}

// BIDSCohort finds scans in a BIDS dataset of derivatives.
type BIDSCohort struct {
	listed.Parameters
	Dir string `param:"dir" place:"always" doc:"the directory of the derivatives, which holds sub-…"`
	Raw string `param:"raw" place:"always" doc:"the raw dataset, for its participants.tsv; by default searched for at the derivatives' recorded source and around the derivatives"`
	bids.Choice
	components  string            // where those of Components are
	rawScans    []string          // datasets in which the raw scans of space: minimal are looked for
	bare        map[string]string // the parameters of entities that somebody's scans lack, and how to set those
	Sessions    []string          `param:"sessions" doc:"longitudinal data: all, or the sessions to use, such as [01, 02], with one scan each, for stages with each: session and the kind sessions"`
	Description string            `param:"description" doc:"the desc- entity of the scans: preproc (fMRIPrep); denoised (XCP-D), which is not denoised again; smoothAROMAnonaggr (fMRIPrep up to 23.0), for regress: ica_aroma; optcom (tedana)"`
	Space       string            `param:"space" doc:"the space of the scans: auto (if there is only one; several are an error), the name of a template, fsLR (the grayordinates of CIFTI files, dtseries), T1w, native (the scan's own), or minimal: raw scans, which are resampled with the transforms of fMRIPrep's --level minimal (OpenNeuroDerivatives; outputs realignment, reference, registration, fieldmap and fieldmap_transform), without slice timing correction and confounds"`
	Labels      string            `param:"labels" place:"maybe" keys:"atlas|desc|seg|scale|cohort|resolution|density|suffix|space|dir" doc:"auto (fMRIPrep's aparcaseg on the scan's grid, else in T1w space that of the T1w image, else FreeSurfer's), freesurfer (aparc+aseg.mgz, with cohort.transform and cohort.warp), an atlas by its name, such as { atlas: Schaefer2018, desc: 400Parcels7Networks }, or an image as in the cohort table: a column, a path with {columns}, or one file for all participants"`
	FreeSurfer  string            `param:"freesurfer" place:"always" doc:"FreeSurfer's subjects directory; by default searched for in the dataset and beside it"`
	Confounds   bool              `param:"confounds" doc:"also use the tables of confounds"`
	Components  string            `param:"components" place:"always" doc:"the derivatives of fMRIPost-AROMA (…_desc-aroma_timeseries.tsv) or tedana (…_desc-ICA_mixing.tsv and …_desc-tedana_metrics.tsv), for regress: aroma_orth or tedana; none by default"`
	Events      string            `param:"events" place:"always" doc:"the dataset with the event tables of task scans (sub-…/func/…_events.tsv); by default the raw dataset, or one found at the derivatives' recorded source or around the derivatives"`
	Incomplete  string            `param:"incomplete" choices:"fail|skip" doc:"participants with missing or unreadable files (a truncated scan, confounds of another length), whose scans denoise would refuse, or without a value that combat needs: let their tasks fail, or exclude them"`
	Time        string            `param:"repetition_time" choices:"auto|sidecar|header" doc:"the right one where header and sidecar of a scan differ, by more than 1 ms: auto refuses them if a stage filters or models events by the repetition time; header leaves out cohort.sidecar"`
	Nodes       string            `param:"nodes" place:"maybe" doc:"the regions: auto (those of the atlas or CIFTI label file in labels, else dk84), dk84 (FreeSurfer's ids), dk84-index (numbers 1 to 84), or a TSV with the columns index (or id) and name"`
}

// bidsFiles is what was found of a participant, or of one of its runs.
type bidsFiles struct {
	name string       // of the run
	runs []*bidsFiles // of the participant, with runs: all

	bold, labels, weights, transform, warp, mask, confounds, sidecar string
	within                                                           string // the mask, where labels are an atlas
	confoundsSidecar                                                 string // the JSON file of the confounds
	// of space: minimal, which take the raw scan to the labels
	realignment, reference, registration, fieldmap, fieldmapTransform string
	events                                                            string // the table of the task's events
	components, componentTable                                        string // of fMRIPost-AROMA or tedana
	labelsFrom                                                        string // a line for the inventory
	moved                                                             motion.Head
	// s, of the sidecar and of the scan; 0 where they do not say
	tr, headerTR float64
	sampling     *bids.Sampling // how the sidecar contradicts itself on the repetition time; nil where it does not
	noTime       error          // why the sidecar, which has a RepetitionTime or VolumeTiming, gives none
	// of the scan, by its header; 0 when that cannot be read
	volumes int
	grid    located.Grid
	// mm, by the header; 0 when that cannot be read
	voxel [3]float64
	// grayordinates, which have no one voxel size
	gray     bool
	stated   map[string]string // by the header, of the properties of scans
	problems []error
}

// each gives the runs of a participant, or what there is in place of them.
func (f *bidsFiles) each() []*bidsFiles {
	if len(f.runs) == 0 {
		return []*bidsFiles{f}
	}
	return f.runs
}

func (c *BIDSCohort) Load(dir string) (*Roster, error) {
	if c.Dir == "" {
		return nil, errors.New("dir is not set: the directory of the derivatives")
	}
	if err := errors.Join(checkSessions(c.Sessions, c.All()), c.refuseMinimal()); err != nil {
		return nil, err
	}
	root, err := bids.Find(userfile.Within(dir, c.Dir))
	if err != nil {
		return nil, fmt.Errorf("dir: %w%s", err, derivativesHint(userfile.Within(dir, c.Dir), c.Dir))
	}
	c.components = userfile.Within(dir, c.Components)
	l, err := c.ReadBIDS(dir, c.Dir, root, c.Raw)
	if err != nil {
		w := where{dir: dir, space: c.Space, beside: root}
		if c.Space == "auto" || c.Space == bids.Minimal { // the participants' scans decide, or the labels
			w.space = ""
		}
		return nil, errors.Join(err, atlasMistake(c.Labels, w))
	}
	files := map[string][]bids.File{}
	for _, r := range l.Rows {
		if list, err := bids.Files(root, r.ID); err == nil { // find says who has no directory
			files[r.ID] = append([]bids.File{}, list...)
		}
	}
	if !slices.ContainsFunc(l.Rows, func(r listed.Row) bool { return len(c.preprocessed(files[r.ID])) > 0 }) {
		if hint := derivativesHint(root, c.Dir); hint != "" {
			return nil, fmt.Errorf("dir: %s has no preprocessed scan%s", root, hint)
		}
	}
	raw := located.RawRoots(dir, root, c.Raw, l)
	if err := c.minimalOnly(l, root, files, raw); err != nil {
		return nil, err
	}
	chosen := *c // the parameters stay as they were written
	c = &chosen
	c.rawScans = raw
	space, err := c.chooseSpace(l, files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	labels, err := c.labelSource(dir, l, root)
	if err != nil {
		return nil, err
	}
	nodes, err := labels.nodes(c.Nodes, dir, l)
	if err != nil {
		return nil, err
	}
	found, sidecars := map[string]*bidsFiles{}, &bids.Sidecars{Root: root}
	events, err := c.eventsIn(dir, root, l)
	if err != nil {
		return nil, err
	}
	var unlisted []string // those for whom it is not known whether there are tables of events
	for _, r := range l.Rows {
		found[r.ID] = c.find(l, sidecars, r, labels, files[r.ID])
		for _, run := range found[r.ID].each() {
			if run.events, err = events.Of(run.bold); err == nil {
				continue
			}
			if c.Events != "" {
				found[r.ID].problems = append(found[r.ID].problems, err)
			} else if text := r.ID + ": " + userfile.WithoutPlaces(root, err); !slices.Contains(unlisted, text) {
				unlisted = append(unlisted, text)
			}
		}
	}
	if unlisted != nil {
		l.Notes = append(l.Notes, column.Notef("assumed to have no table of events: %s", words.Some(unlisted, 6)))
	}
	c.refuseHeaders(l.Rows, found)
	addMotion(l, found)
	tables := addSessionColumns(l, located.RawRoots(dir, root, c.Raw, l),
		func(id string) []string { return found[id].sessions() })
	for id, err := range tables.problems {
		found[id].problems = append(found[id].problems, err)
	}
	if err := l.Choose(); err != nil {
		return nil, err
	}
	if err := undecided(l.Rows, func(id string) []error { return found[id].problems }); err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	sidecarsOf := map[string][]string{}
	for _, row := range l.Rows {
		for _, f := range found[row.ID].each() {
			sidecarsOf[f.sidecar] = append(sidecarsOf[f.sidecar], row.ID)
		}
	}
	if err := brokenSidecars(sidecarsOf, func(id string, err error) {
		found[id].problems = append(found[id].problems, err)
	}); err != nil {
		return nil, err
	}
	c.leaveOut(l, root, found, labels)
	if len(l.Rows) == 0 {
		return nil, fmt.Errorf("%s: no participant has all files: %s", root, strings.Join(wording.NoteTexts(l.Notes), "; "))
	}
	if err := l.Doubt(); err != nil {
		return nil, err
	}
	r := c.roster(l, found)
	if err := labels.misplaced(nodes, r, c.Space); err != nil {
		return nil, err
	}
	r.Root = root
	r.refuseOthers(l, labels.files(l))
	r.noteOpposed()
	if r.Space = c.Space; c.Space == "auto" {
		r.Space = ""
	}
	r.segmented = labels == nil
	r.moved = c.Space == bids.Minimal && labels != nil && labels.One()
	r.Here = append(r.Here, userfile.WhereFound(root, l.Path))
	r.Here = append(r.Here, labels.here()...)
	if r.Atlas, err = labels.settings(); err != nil {
		return nil, err
	}
	r.Nodes = NodesTable(nodes, c.Space)
	r.MadeBy, r.Time = bids.GeneratedBy(root), c.Time
	r.Notes = append(datasetNotes(l, root, space), r.Notes...)
	r.About = func(ids map[string]bool) (notes, timesApart []column.Note) {
		without := func(row listed.Row) bool { return !ids[row.ID] }
		notes, timesApart = c.about(slices.DeleteFunc(slices.Clone(l.Rows), without), found, tables)
		return slices.Concat(notes, r.eventNotes(ids), r.protocolNotes(ids)), timesApart
	}
	return r, nil
}

// derivativesHint names fMRIPrep's derivatives within a directory, which the parameter dir names as written.
func derivativesHint(dir, written string) string {
	found := bids.FMRIPrepWithin(dir)
	if len(found) == 0 {
		return ""
	}
	for i, d := range found {
		if rel, err := filepath.Rel(dir, d); err == nil {
			found[i] = filepath.ToSlash(filepath.Join(written, rel))
		}
	}
	return "; fMRIPrep's derivatives are within: write dir: " + strings.Join(found, ", or dir: ")
}

// labelSource is where labels come from when they are not searched for; else nil.
func (c *BIDSCohort) labelSource(dir string, l *listed.List, root string) (*labelSource, error) {
	switch {
	case c.Labels == "auto" && c.template() && misplacedLabels(bids.GeneratedBy(root)):
		return nil, fmt.Errorf("labels: %s resampled aparcaseg to space-%s incorrectly (fixed in 1.4.0); set labels: freesurfer, or labels: to an image in space-%s", bids.GeneratedBy(root), c.Space, c.Space)
	case c.Space == surfaceSpace && (c.Labels == "auto" || c.Labels == "freesurfer"):
		return nil, errors.New("labels: scans of grayordinates (space: fsLR) need a CIFTI label file: an atlas by its name, such as { atlas: 4S456Parcels, density: 91k }, or the path of a .dlabel.nii file")
	case c.Labels == "freesurfer" && c.Space == bids.Native:
		return nil, errors.New("labels: there is no transform from FreeSurfer's labels to scans in native space; set space, or labels: to an image on the scans' grid")
	case c.Labels == "auto", c.Labels == "freesurfer":
		return nil, nil
	}
	w := where{dir: dir, space: c.Space, beside: root}
	if c.Space == bids.Minimal { // the labels' own space decides on the transform
		w.space = ""
	}
	return labelsOf(l, c.besideFile(dir, l), w)
}

// besideFile is the parameter labels; an image that lies beside the pipeline file, and not in the dataset, by its whole
// path.
func (c *BIDSCohort) besideFile(dir string, l *listed.List) string {
	path, err := filepath.Abs(userfile.Within(dir, c.Labels))
	if err != nil || slices.Contains(l.Sheet.Columns, c.Labels) || isFile(userfile.Within(l.Dir, c.Labels)) ||
		!isFile(path) {
		return c.Labels
	}
	return path
}

// withConfounds reports whether tables of confounds are taken: a scan that XCP-D has denoised is not cleaned again.
func (c *BIDSCohort) withConfounds() bool { return c.Confounds && c.Description != "denoised" }

// template reports whether the scans are in the space of a template.
func (c *BIDSCohort) template() bool {
	return c.Space != "T1w" && c.Space != bids.Native && c.Space != bids.Minimal && c.Space != "auto"
}

// misplacedLabels reports whether a version of fMRIPrep took wrong transforms for the
// labels in the spaces of templates (nipreps/fmriprep#1631, mended by #1636 for 1.4.0).
func misplacedLabels(by string) bool {
	version, ok := strings.CutPrefix(by, "fMRIPrep ")
	if !ok {
		return false
	}
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major < 1 || major == 1 && minor < 4 || strings.HasPrefix(version, "1.4.0a")
}

// leaveOut takes out those of whom something is missing, if that is asked for. What is wrong with one label image of
// all is no fault of theirs.
func (c *BIDSCohort) leaveOut(l *listed.List, root string, found map[string]*bidsFiles, labels *labelSource) {
	if c.Incomplete != "skip" {
		return
	}
	l.Drop(listed.UnusableData, func(r listed.Row) string {
		problems := found[r.ID].problems
		if r.Label == "" {
			problems = append(problems, l.Unlabeled(r, ""))
		}
		if problems == nil {
			problems = found[r.ID].unreadable(func(path string) bool {
				return labels == nil || !labels.One() || path != userfile.Within(l.Dir, labels.Spec)
			})
		}
		if problems == nil || slices.ContainsFunc(problems, machine.Caused) { // which the run reports
			return ""
		}
		why := userfile.WithoutPlaces(root, userfile.OneLine(problems))
		l.Notes = append(l.Notes, column.Notef("excluded %s: %s", r.ID, why))
		return why
	})
}

func (c *BIDSCohort) roster(l *listed.List, found map[string]*bidsFiles) *Roster {
	r := &Roster{
		PerRun:       c.All() || c.longitudinal(),
		Sessions:     c.longitudinal(),
		Description:  c.Description,
		Incomplete:   c.Incomplete,
		Participants: l.Participants(nil),
		Table:        l.Path,
		Lines:        l.Lines(),
		Sources:      l.Sources(),
		Files:        map[string]dag.Type{"bold": dag.Format("nifti"), "labels": dag.Format("nifti")},
	}
	ports := c.ports(r, l, found)
	r.Subjects = bidsSubjects(l, found, ports, r.Without)
	r.addSessions()
	r.Notes, r.OfRuns = append(l.Notes, r.Notes...), l.OfRuns
	r.Left = l.LeftOut()
	r.Extra = map[string]artifacts.Value{"inventory": inventory(l, found, c.part())}
	r.Scan = func(id, part string) (volumes int, tr float64) {
		for _, run := range found[id].each() {
			if run.name == part || len(found[id].runs) == 0 {
				r.notesHeader(run)
				return run.volumes, cmp.Or(run.tr, bids.Believed(run.headerTR))
			}
		}
		return 0, 0
	}
	r.unreadable = func(id string, read func(string) bool) []error { return found[id].unreadable(read) }
	return r
}

// ports adds the files that participants have to a roster, by port, and returns where each file is found.
func (c *BIDSCohort) ports(r *Roster, l *listed.List, found map[string]*bidsFiles) map[string]func(*bidsFiles) string {
	ports := map[string]func(*bidsFiles) string{
		"bold":   func(f *bidsFiles) string { return f.bold },
		"labels": func(f *bidsFiles) string { return f.labels },
	}
	for port, of := range map[string]func(*bidsFiles) string{
		"transform": func(f *bidsFiles) string { return f.transform },
		"warp":      func(f *bidsFiles) string { return f.warp },
		"weights":   func(f *bidsFiles) string { return f.weights },

		"realignment":        func(f *bidsFiles) string { return f.realignment },
		"reference":          func(f *bidsFiles) string { return f.reference },
		"registration":       func(f *bidsFiles) string { return f.registration },
		"fieldmap":           func(f *bidsFiles) string { return f.fieldmap },
		"fieldmap_transform": func(f *bidsFiles) string { return f.fieldmapTransform },

		"within": func(f *bidsFiles) string { return f.within },
		"mask":   func(f *bidsFiles) string { return f.mask },
		"events": func(f *bidsFiles) string { return f.events },

		"components":      func(f *bidsFiles) string { return f.components },
		"component_table": func(f *bidsFiles) string { return f.componentTable },
	} { // there where somebody has such a file
		if !slices.ContainsFunc(l.Rows, func(row listed.Row) bool {
			return slices.ContainsFunc(found[row.ID].each(), func(f *bidsFiles) bool { return of(f) != "" })
		}) {
			continue
		}
		ports[port] = of
		switch port {
		case "transform", "warp", "realignment", "registration", "fieldmap_transform":
			r.Files[port] = dag.Format("itk")
		case "events", "components", "component_table":
			r.Files[port] = dag.Format("tsv")
		default:
			r.Files[port] = dag.Format("nifti")
		}
	}
	if c.withConfounds() {
		r.Files["confounds"] = dag.Format("tsv")
		ports["confounds"] = func(f *bidsFiles) string { return f.confounds }
		if slices.ContainsFunc(l.Rows, func(r listed.Row) bool {
			return slices.ContainsFunc(found[r.ID].each(), func(f *bidsFiles) bool { return f.confoundsSidecar != "" })
		}) {
			r.Files["confounds_sidecar"] = dag.Format("json")
			ports["confounds_sidecar"] = func(f *bidsFiles) string { return f.confoundsSidecar }
		}
	}
	if c.Time == "header" {
		return ports
	}
	var without []string
	with := false
	for _, row := range l.Rows {
		for _, f := range found[row.ID].each() {
			if with = with || f.sidecar != ""; f.bold != "" && f.sidecar == "" {
				without = append(without, strings.TrimSpace(row.ID+" "+f.name))
			}
		}
	}
	if with {
		r.Files["sidecar"] = dag.Format("json")
		ports["sidecar"] = func(f *bidsFiles) string { return f.sidecar }
	}
	if without != nil {
		instead := "the header of the scan"
		if c.headersWrong(l.Rows, found) != "" {
			instead = ""
		}
		r.Notes = append(r.Notes, withoutSidecar(without, with, instead))
	}
	return ports
}

// withoutSidecar notes the scans for which no JSON file gives the repetition time; with: others have one. instead
// is what counts there, "" for nothing.
func withoutSidecar(who []string, with bool, instead string) column.Note {
	if !with {
		return column.Notef("no cohort.sidecar: no JSON file gives the RepetitionTime")
	}
	if instead != "" {
		instead = ": there " + instead + " counts"
	}
	return column.Notef("no JSON file gives the RepetitionTime for %s%s", words.Some(who, 6), instead)
}

// bidsSubjects are the participants with their files, and with what is wrong with them.
func bidsSubjects(l *listed.List, found map[string]*bidsFiles, ports map[string]func(*bidsFiles) string,
	without func(id string, err error) error) []Subject {
	var subjects []Subject
	failing := 0
	for _, row := range l.Rows {
		if row.Label == "" || found[row.ID].problems != nil {
			failing++
		}
	}
	for _, row := range l.Rows {
		f := found[row.ID]
		s := Subject{ID: row.ID}
		for _, run := range f.each() {
			files := map[string]string{}
			for port, of := range ports {
				if path := of(run); path != "" {
					files[port] = path
				}
			}
			if run == f {
				s.Files = files
			} else {
				s.Runs = append(s.Runs, Run{run.name, files})
			}
		}
		problems := f.problems
		if row.Label == "" {
			problems = append(problems, l.Unlabeled(row, l.Path))
		}
		if problems != nil {
			s.Problem = fmt.Errorf("participant %s: %w", row.ID, userfile.OneLine(problems))
			if failing < len(l.Rows) { // else nobody would be left
				s.Problem = without(row.ID, s.Problem)
			}
		}
		subjects = append(subjects, s)
	}
	return subjects
}

// maskNotes lists who lacks the brain mask; whether the regions lie within the brain is then unchecked.
func maskNotes(rows []listed.Row, found map[string]*bidsFiles) []column.Note {
	var without []string
	scans := 0
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			if f.bold == "" || f.gray { // grayordinates are of the brain alone
				continue
			}
			scans++
			if f.mask == "" {
				without = append(without, strings.TrimSpace(row.ID+" "+f.name))
			}
		}
	}
	if without == nil {
		return nil
	}
	who := words.Some(without, 6)
	if len(without) == scans {
		who = "every participant"
	}
	return []column.Note{column.Notef("no brain mask of the scan (func/…_space-…_desc-brain_mask.nii.gz; those in anat/ are not used) for %s: regions are neither checked against a mask nor cropped to it", who)}
}

// generator is what made a dataset of derivatives.
func generator(root string) string { return cmp.Or(bids.GeneratedBy(root), "derivatives") }

// about notes what was found of the scans of these participants. timesApart is the note of repetition times that
// contradict each other, "" where none do.
func (c *BIDSCohort) about(rows []listed.Row, found map[string]*bidsFiles, tables *sessionsTables) (
	notes, timesApart []column.Note) {
	counts := map[string]int{}
	for _, row := range rows {
		if from := found[row.ID].labelsFrom; from != "" {
			counts[from]++
		}
	}
	for k, n := range counts {
		notes = append(notes, column.Notef("labels of %s: %s", words.Count(n, "participant"), k))
	}
	slices.SortFunc(notes, func(a, b column.Note) int { return strings.Compare(a.Text, b.Text) })
	if c.longitudinal() {
		sessions := map[string][]string{}
		for _, r := range rows {
			sessions[r.ID] = lists.Map(found[r.ID].runs, func(f *bidsFiles) string { return f.name })
		}
		notes = append(notes, sessionNotes(sessions)...)
	}
	volumes := map[string]int{}
	var moved []motion.Scan
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			who := strings.TrimSpace(row.ID + " " + f.name)
			if f.volumes > 0 {
				volumes[who] = f.volumes
			}
			moved = append(moved, motion.Scan{Who: who, Head: f.moved})
		}
	}
	times, timesApart := timeNotes(rows, found, c.part())
	if c.Space == bids.Minimal {
		notes = append(notes, minimalNotes(rows, found)...)
	}
	return slices.Concat(notes, tables.notes(rows), times, cutNote(volumes), motion.Notes(moved),
		maskNotes(rows, found)), timesApart
}

// datasetNotes say what the dataset is. space is the note of the space that was chosen, if one was.
func datasetNotes(l *listed.List, root, space string) []column.Note {
	notes := []column.Note{column.Notef("%s, participants of %s", generator(root), userfile.NameIn(root, l.Path))}
	if space != "" {
		notes = append(notes, column.Note{Text: space})
	}
	known, _ := l.Sheet.Column(l.ID)
	for i := range known {
		known[i] = listed.ParticipantID(known[i])
	}
	subjects, _ := bids.Subjects(root) // which Find has read
	strangers := slices.DeleteFunc(subjects, func(s string) bool { return slices.Contains(known, s) })
	if len(strangers) > 0 {
		notes = append(notes, column.Notef("%d in the dataset, but not in the table: %s", len(strangers), strings.Join(strangers, ", ")))
	}
	return notes
}
