package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/atlas"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var timeseriesCohortKind = Source{
	Name: "timeseries",
	Doc: "participants listed in a CSV or TSV file, with their regional time series\n" +
		"For data extracted by other programs: one file per participant as TSV, CSV, 1D or npy, optionally gzipped, with one row per volume, or as CIFTI (ptseries.nii). Set either dir, a directory of derivatives (XCP-D, C-PAC, giga_connectome), in which the files of an atlas are found by their names, or series, the name of a column of paths, or a path with columns in braces (\"rois/{file_id}_rois_ho.1D.gz\"), in which * is any text if one file matches.",
	New: func() Loader { return &TimeseriesCohort{Parameters: listed.Defaults(), Incomplete: "fail"} },
}

// TimeseriesCohort lists files of series in a table.
type TimeseriesCohort struct {
	listed.Parameters
	Dir   string `param:"dir" place:"always" doc:"a directory of derivatives, which holds sub-…/func/…_timeseries.tsv (or .1D)"`
	Raw   string `param:"raw" place:"always" doc:"with dir: the raw dataset, for its participants.tsv; by default searched for at the derivatives' recorded source and around the derivatives"`
	Atlas string `param:"atlas" doc:"with dir: the atlas- (or seg-) entity; not needed if there is only one"`
	Space string `param:"space" doc:"with dir: the space- entity; not needed if there is only one"`
	Desc  string `param:"desc" doc:"with dir: the desc- entity, such as denoiseSimple; not needed if there is only one"`
	bids.Choice
	Sessions   []string `param:"sessions" doc:"longitudinal data, for stages with each: session and the kind sessions: with dir all, or the sessions to use, such as [01, 02], with one file each; with series the column that names the session, with one row per session of a participant"`
	Series     string   `param:"series" place:"maybe" doc:"without dir: each participant's time series: a column, or a path with {columns}, in which * is any text if one file matches"`
	Columns    []string `param:"columns" doc:"the columns of the table that are covariates, under their names or others, such as [age, site=SITE_ID]; by default all. Columns of sites, families, persons with several ids, and mean_fd are always kept, since checks use them"`
	Incomplete string   `param:"incomplete" choices:"fail|skip" doc:"participants without a file, a group or a value that combat needs, or whose file cannot be read (a text among the numbers, a line of another length, an infinite value): let their tasks fail, or exclude them"`
	container.Within
	Weighted bool   `param:"drop_zero_weights" doc:"for files of CONN (ROI_Subject…_Condition….mat): leave out the volumes whose weight in the condition (conditionweights{1}) is 0 or NaN; by default, files with such volumes are refused"`
	Nodes    string `param:"nodes" place:"maybe" doc:"the regions, in the order of the time series: dk84, a TSV with the columns index (or id) and name, or a list of names; by default the column names (or numbers) of the first participant's file, and for files of ABIDE's Preprocessed Connectomes Project (…_rois_ho.1D) the names of their atlas"`
}

// Load reads the table.
func (c *TimeseriesCohort) Load(dir string) (*Roster, error) {
	load := c.loadTable
	if c.Dir != "" {
		load = c.loadDir
	}
	r, err := load(dir)
	if err == nil {
		r.Incomplete = c.Incomplete
	}
	if err == nil && c.Incomplete == "skip" {
		r.skip()
	}
	return r, err
}

// loadTable finds the files by the table.
func (c *TimeseriesCohort) loadTable(dir string) (*Roster, error) {
	var missing error
	if c.Series == "" {
		missing = errors.New("neither dir nor series is set: a directory of derivatives, or a column of the table, or a path with {columns}")
	}
	if len(c.Sessions) > 1 {
		missing = errors.Join(missing, fmt.Errorf("sessions: with series it is the column that names the session of a row, not [%s]", strings.Join(c.Sessions, ", ")))
	}
	for _, p := range bids.ChoiceParameters {
		if values := c.Values(p.Key); values != nil {
			missing = errors.Join(missing, fmt.Errorf("%s chooses files of dir, and series takes those of the rows: remove it, "+
				"and write select: \"%[1]s in [%s]\", with the column and its values in the table", p.Parameter,
				strings.Join(values, ", ")))
		}
	}
	l, err := c.ReadSessions(dir, strings.Join(c.Sessions, ", "))
	if err == nil {
		err = l.Keep(c.Columns)
	}
	if err := errors.Join(missing, err); err != nil {
		return nil, err
	}
	series, err := located.Of(l, "series", "series", c.Series)
	if err != nil {
		return nil, err
	}
	r := rosterOf(l, []*located.Source{series}, c.Member)
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if path, ok := s.Files["series"]; ok {
			s.Files = seriesFiles(path, bids.Beside(path, bids.TimeFields...))
		}
		for j, run := range s.Runs {
			if path, ok := run.Files["series"]; ok {
				s.Runs[j].Files = seriesFiles(path, bids.Beside(path, bids.TimeFields...))
			}
		}
	}
	return c.finish(l, r)
}

// finish reads what the files state of themselves.
func (c *TimeseriesCohort) finish(l *listed.List, r *Roster) (*Roster, error) {
	var given []atlas.Node
	var err error
	if c.Nodes != "" {
		if given, err = listRegions(c.Nodes, l.Dir); err != nil {
			return nil, err
		}
	}
	if err := r.layouts(&c.Within, region.Layout{Weighted: c.Weighted}, l, given, "series"); err != nil {
		return nil, err
	}
	if err := sidecarPort(r); err != nil {
		return nil, err
	}
	r.refuseOtherHeads("series", given != nil)
	if err := r.refuseOtherParcels(given); err != nil {
		return nil, err
	}
	nodes, err := r.regions(given, "series", region.SeriesNames)
	if err != nil {
		return nil, err
	}
	r.setRegions(nodes)
	return r, nil
}

func seriesFiles(series, sidecar string) map[string]string {
	files := map[string]string{"series": series}
	if sidecar != "" {
		files["sidecar"] = sidecar
	}
	return files
}

// sidecarPort gives the cohort the port sidecar when files of series have one, compares it with their headers, and
// notes repetition times and numbers of volumes that no two groups share.
func sidecarPort(r *Roster) error {
	var scans []*bidsFiles
	var without []string
	var apart, sampled []column.Values
	sampledOf := map[string][]column.Values{} // by participant
	times, lengths := map[[2]string]float64{}, map[[2]string]int{}
	count := func(id, part string, files map[string]string) *bidsFiles {
		who, series := strings.TrimSpace(id+" "+part), files["series"]
		f := &bidsFiles{bold: series, sidecar: files["sidecar"]}
		if series == "" {
			return f
		}
		if userfile.FormatOf(series) != "nifti" {
			f.bold, f.volumes = "", r.volumesOf(series) // its header has no time
		}
		f.times()
		lengths[[2]string{id, part}] = f.volumes
		if f.sidecar == "" {
			without = append(without, who)
		}
		if f.sampling != nil {
			sampled = append(sampled, f.sampled(who))
			if f.headerTR == 0 || f.apart() { // else the header confirms the RepetitionTime
				sampledOf[id] = append(sampledOf[id], sampled[len(sampled)-1])
			}
		}
		if f.apart() {
			apart = append(apart, f.bothTimes(who))
		}
		scans, times[[2]string{id, part}] = append(scans, f), cmp.Or(f.tr, bids.Believed(f.headerTR))
		return f
	}
	headers, sidecarsOf := make([]int, len(r.Subjects)), map[string][]string{} // lacking a sidecar; whose each is
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			if f := count(s.ID, run.Name, run.Files); f.sidecar == "" && f.headerTR != 0 {
				headers[i]++
			}
			sidecarsOf[run.Files["sidecar"]] = append(sidecarsOf[run.Files["sidecar"]], s.ID)
		}
	}
	inherited := brokenSidecars(sidecarsOf, func(id string, err error) {
		for i := range r.Subjects {
			if s := &r.Subjects[i]; s.ID == id && s.Problem == nil {
				s.Problem = r.Without(s.ID, fmt.Errorf("participant %s: %w", s.ID, err))
			}
		}
	})
	instead := "the parameter tr of their stage, or else what the file of the series gives,"
	if differ, both := countApart(scans); 2*differ > both {
		instead = ""
		for i := range r.Subjects {
			if s := &r.Subjects[i]; headers[i] > 0 && s.Problem == nil {
				s.Problem = r.Without(s.ID, fmt.Errorf("participant %s: no JSON file gives the RepetitionTime of its series, and %s: add the file", s.ID, headersDoubted(differ, both)))
			}
		}
	}
	if len(without) < len(scans) {
		r.Files["sidecar"] = dag.Format("json")
		if without != nil {
			r.Notes = append(r.Notes, withoutSidecar(without, true, instead))
		}
	}
	r.Notes = append(r.Notes, samplingNote(sampled)...)
	if apart != nil {
		r.Notes = append(r.Notes, column.Doubtful(column.DoubtTimes, "noted.times-differ",
			column.Values{"Scans": apart, "Series": true}))
	}
	r.Scan = func(id, part string) (volumes int, tr float64) {
		own, only := [2]string{id, part}, [2]string{id, ""}
		return cmp.Or(lengths[own], lengths[only]), cmp.Or(times[own], times[only])
	}
	sessions := r.About
	r.About = func(ids map[string]bool) (notes, timesApart []column.Note) {
		if sessions != nil {
			notes, _ = sessions(ids)
		}
		var unsure []column.Values
		for _, s := range r.Subjects {
			if ids[s.ID] {
				unsure = append(unsure, sampledOf[s.ID]...)
			}
		}
		return append(notes, r.protocolNotes(ids)...), samplingNote(unsure)
	}
	return inherited
}

// volumesOf is the number of volumes in a text or npy file of series; 0 where it cannot be read, which its task
// reports.
func (r *Roster) volumesOf(path string) int {
	if n, read := r.volumes[path]; read {
		return n
	}
	f, err := userfile.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, err := region.SeriesVolumes(f)
	if err != nil {
		return 0
	}
	return n
}

// regions are the nodes of a list that is given, else those that the labels of the files or the names of the columns of
// the first file give.
func (r *Roster) regions(given []atlas.Node, port string, read func(io.Reader, region.Layout) ([]string, error)) (
	[]atlas.Node, error) {
	if given != nil {
		return given, nil
	}
	if names := r.labelNames(port); names != nil {
		return regionsOf(names, "the labels of the files")
	}
	names, path, err := r.firstNames(port, read)
	if err != nil {
		return nil, err
	}
	nodes, err := regionsOf(names, path)
	if err != nil || port != "series" {
		return nodes, err
	}
	return atlas.OfPCP(path, nodes), nil
}

// firstNames are the names of the columns of the first file of a port that can be read. Participants whose files cannot
// be are refused.
func (r *Roster) firstNames(port string, read func(io.Reader, region.Layout) ([]string, error)) (names []string,
	path string, err error) {
	var first error // of files that can be opened
	for i := range r.Subjects {
		s := &r.Subjects[i]
		path, ok := s.first(port)
		if !ok || errors.As(s.Problem, new(otherHead)) {
			continue
		}
		if s.fault != nil {
			first = cmp.Or(first, fmt.Errorf("nodes: %w", s.fault))
			continue
		}
		f, err := userfile.Open(path)
		if err == nil {
			names, err = read(f, s.layouts[port])
			f.Close()
			if err == nil {
				return names, path, nil
			}
			again := ""
			if port != "series" {
				again = " (or set nodes)"
			}
			if first == nil {
				first = fmt.Errorf("nodes: %s: %w%s", path, err, again)
			}
			err = fmt.Errorf("its %s file: %s: %w", port, userfile.NameIn(r.Root, path), err)
		}
		if s.Problem == nil {
			s.Problem = r.Without(s.ID, fmt.Errorf("participant %s: %w", s.ID, err))
		}
	}
	if first != nil {
		return nil, "", first
	}
	return nil, "", fmt.Errorf("nodes is not set, and no participant of %s has a file to read the names from%s", r.Table, firstProblem(r.Subjects))
}

// An otherHead is the problem of a participant whose columns have names where those of most others have none, or none
// where they have.
type otherHead struct{ error }

func (e otherHead) Unwrap() error { return e.error }

// noteUnnamed notes that regions without names are known by their position alone: to a node list that is given, or from
// one participant to another where a matrix is a triangle in an order, whose rows show nothing of it.
func (r *Roster) noteUnnamed(given bool, order string) {
	note := column.Doubtful(column.DoubtNames, "noted.regions-unnamed", column.Values{"Given": given, "Order": order})
	if (given || order != "") && !slices.Contains(r.Notes, note) { // of another port
		r.Notes = append(r.Notes, note)
	}
}

// refuseOtherHeads refuses participants whose columns are not named like those of most files. With a node list that is
// given, it notes files in which the place of a column alone gives its region.
func (r *Roster) refuseOtherHeads(port string, given bool) {
	read := func(path string, most int64) ([]string, bool) {
		if names, known := r.heads[port+path]; known {
			return names, true
		}
		f, err := userfile.Open(path)
		if err != nil {
			return nil, false
		}
		defer f.Close()
		return region.Head(f, most, port != "series")
	}
	var heads []container.Head
	var of []*Subject
	var paths []string
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			if path, there := run.Files[port]; there && !s.layouts[port].Named() {
				if names, shown := read(path, 64<<10); shown {
					heads = append(heads, container.Head{File: userfile.NameIn(r.Root, path), Names: names})
					of, paths = append(of, s), append(paths, path)
				}
			}
		}
	}
	refused, unnamed := container.OtherHeads(heads, given, func(at int) []string {
		names, _ := read(paths[at], math.MaxInt64)
		return names
	})
	if unnamed {
		r.noteUnnamed(given, of[0].layouts[port].Order)
	}
	for at, s := range of {
		if why := refused[at]; why != nil && s.Problem == nil {
			s.Problem = otherHead{r.Without(s.ID, fmt.Errorf("participant %s: %w", s.ID, why))}
		}
	}
}

// A parcelsIn is a CIFTI file of a participant.
type parcelsIn struct {
	of   *Subject
	path string
}

// A parcellation is that of one or more CIFTI files.
type parcellation struct {
	files []parcelsIn
	wrong error // it contradicts its names
}

// parcellations are those of the files of series, the most frequent first; side is the hemisphere of a name.
func (r *Roster) parcellations(side func(name string) string) (all []*parcellation, files int) {
	known, of := region.ParcelSets{}, map[string]*parcellation{}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			path, there := run.Files["series"]
			if !there || userfile.FormatOf(path) != "nifti" || s.Problem != nil {
				continue
			}
			p := known.Of(path)
			if p == nil {
				continue // its task reports it
			}
			files++
			digest := p.Digest()
			if of[digest] == nil {
				of[digest] = &parcellation{wrong: p.Implausible(side)}
				all = append(all, of[digest])
			}
			of[digest].files = append(of[digest].files, parcelsIn{s, path})
		}
	}
	slices.SortStableFunc(all, func(a, b *parcellation) int { return len(b.files) - len(a.files) })
	return all, files
}

// refuse refuses the participants whose files have these parcels.
func (p *parcellation) refuse(r *Roster, why func(file string) error) {
	for _, h := range p.files {
		if h.of.Problem == nil {
			err := why(userfile.NameIn(r.Root, h.path))
			h.of.Problem = otherHead{r.Without(h.of.ID, fmt.Errorf("participant %s: %w", h.of.ID, err))}
		}
	}
}

// who are the participants in a sentence: "16 files (sub-001, sub-003)".
func (p *parcellation) who() string {
	ids := slices.Compact(lists.Map(p.files, func(h parcelsIn) string { return h.of.ID }))
	return fmt.Sprintf("%s (%s)", words.Count(len(p.files), "file"), words.Some(ids, 6))
}

// refuseOtherParcels refuses participants whose parcels lie in the other hemisphere than their names state, or consist
// of other vertices or voxels than those of most files. Without such a majority all are refused, unless the parcels of
// one name overlap, as those of individual parcellations do.
func (r *Roster) refuseOtherParcels(given []atlas.Node) error {
	all, files := r.parcellations(func(name string) string {
		at := slices.IndexFunc(given, func(n atlas.Node) bool { return n.Name == name || n.Abbreviation == name })
		if own := atlas.Side(name); own != "" || at < 0 {
			return own
		}
		return given[at].Hemisphere
	})
	if len(all) == 0 {
		return nil
	}
	if !slices.ContainsFunc(all, func(p *parcellation) bool { return p.wrong == nil }) {
		return fmt.Errorf("series: %s: %w", all[0].files[0].path, all[0].wrong)
	}
	all = slices.DeleteFunc(all, func(p *parcellation) bool {
		if p.wrong != nil {
			files -= len(p.files)
			p.refuse(r, func(file string) error { return fmt.Errorf("%s: %w", file, p.wrong) })
		}
		return p.wrong != nil
	})
	if len(all) == 1 {
		return nil
	}
	const remedy = "use files that were parcellated with one atlas in one space"
	most, doubt := all[0], column.Values(nil)
	first := region.ParcelsOf(most.files[0].path)
	for _, p := range all[1:] {
		own := region.ParcelsOf(p.files[0].path)
		differ, elsewhere, common := own.Differ(first)
		if differ == nil { // names alone, which other checks compare
			continue
		}
		name := append(elsewhere, differ[0])[0]
		extent, file := own.Describe(name), userfile.NameIn(r.Root, p.files[0].path)
		otherExtent, other := first.Describe(name), userfile.NameIn(r.Root, most.files[0].path)
		how := fmt.Sprintf("%d of %d parcels of the same name consist of different vertices or voxels, such as %s (%s in %s, %s in %s)",
			len(differ), common, name, extent, file, otherExtent, other)
		switch {
		case 2*len(most.files) > files:
			p.refuse(r, func(file string) error {
				return fmt.Errorf("the parcels of %s are not those of %d of %d files: %s: %s", file, len(most.files),
					files, how, remedy)
			})
		case region.Elsewhere(len(elsewhere), common):
			return fmt.Errorf("series: the files have different parcels under the same names: %s, and %s: %s; %s, or exclude the participants with other parcels",
				most.who(), p.who(), how, remedy)
		case doubt == nil:
			doubt = column.Values{"Files": files, "Parcellations": len(all), "N": len(differ), "Of": common,
				"Name": name, "Places": []column.Values{{"Extent": extent, "File": file},
					{"Extent": otherExtent, "File": other}}}
		}
	}
	if doubt != nil {
		r.Notes = append(r.Notes, column.Doubtful(column.DoubtProcessing, "noted.parcellations", doubt))
	}
	return nil
}

// firstProblem says of one participant why there is nothing to be had: of one with too many files, if there is one,
// for the others' may not have been downloaded.
func firstProblem(subjects []Subject) string {
	first := slices.IndexFunc(subjects, func(s Subject) bool { return errors.As(s.Problem, new(located.Several)) })
	if first < 0 {
		first = slices.IndexFunc(subjects, func(s Subject) bool { return s.Problem != nil })
	}
	if first < 0 {
		return ""
	}
	return fmt.Sprintf("; the first: %v", subjects[first].Problem)
}
