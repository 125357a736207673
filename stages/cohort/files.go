package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// rosterOf puts a cohort together from its list and the sources of its files. Columns that these or others use are no
// covariates.
func rosterOf(l *listed.List, sources []*located.Source, also ...string) *Roster {
	r := &Roster{Files: map[string]dag.Type{}, Root: l.Dir, Table: l.Path, Lines: l.Lines(),
		Sources: l.Sources(), located: sources}
	used := also
	for _, f := range sources {
		r.Files[f.Port] = dag.Format(f.Format)
		used = append(used, f.Columns...)
	}
	if l.Each != "row" {
		r.Participants = l.Participants(append(used, l.Sessions))
	}
	if ids, means, ok := meanDisplacement(r.Participants); ok {
		r.Notes = append(r.Notes, motion.TableNotes("mean_fd", ids, means)...)
	}
	r.PerRun, r.Sessions = l.Each == "run", l.Sessions != ""
	if r.Sessions {
		r.About = r.aboutSessions
	}
	var files []located.RowFile
	for i, row := range l.Rows {
		s := Subject{ID: row.ID, Files: map[string]string{}}
		var problems []error
		if row.Label == "" && l.Each != "row" {
			problems = append(problems, l.Unlabeled(row, ""))
		}
		if err := l.Refused[row.ID]; err != nil && (i == 0 || l.Rows[i-1].ID != row.ID) {
			problems = append(problems, err)
		}
		for _, f := range sources {
			path, err := f.File(l, row)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			s.Files[f.Port] = path
			files = append(files, located.RowFile{Source: f, Row: row, Path: path})
		}
		if r.PerRun {
			var last *Subject // of whom this is another run
			if i > 0 && l.Rows[i-1].ID == row.ID {
				last = &r.Subjects[len(r.Subjects)-1]
				s.Runs = last.Runs
			}
			name, err := runName(l, row, s.Runs)
			if err != nil {
				problems = append(problems, err)
			}
			if s.Runs = append(s.Runs, Run{name, s.Files}); last != nil {
				last.Runs = s.Runs
				if problems != nil && last.Problem == nil {
					last.Problem = listed.Without(row.ID, fmt.Errorf("%s:%d: participant %s: %w", l.Path, row.Line,
						row.ID, userfile.OneLine(problems)))
				}
				continue
			}
			s.Files = nil
		}
		if problems != nil {
			s.Problem = listed.Without(row.ID, fmt.Errorf("%s:%d: %s %s: %w", l.Path, row.Line, l.Noun(), row.ID,
				userfile.OneLine(problems)))
		}
		r.Subjects = append(r.Subjects, s)
	}
	r.refuseShared(l, files)
	r.refuseOthers(l, files)
	r.Left = l.LeftOut()
	r.Notes, r.OfRuns = append(r.Notes, l.Notes...), l.OfRuns
	for _, f := range sources {
		if f.Plain != nil {
			r.Notes = append(r.Notes, column.Notef("%s: whole numbers saved with decimals, as pandas does, are read without them in %q: %s",
				f.Port, f.Spec, words.Some(f.Plain, 6)))
		}
	}
	return r
}

// meanDisplacement is the column mean_fd of the participants; ok where it has numbers.
func meanDisplacement(t *encoding.Table) (ids []string, means []float64, ok bool) {
	if t == nil {
		return nil, nil, false
	}
	ids, err := t.Strings("participant_id")
	means, wrong := t.Floats("mean_fd")
	return ids, means, err == nil && wrong == nil
}

// refuseShared refuses two members with one file where a * made two names one. What the table itself gives to two,
// such as the label image of a site, is as the user wrote it, but for scans: see RefuseOneScan.
func (r *Roster) refuseShared(l *listed.List, files []located.RowFile) {
	first := map[[2]string]located.RowFile{}
	shared := map[string]error{}
	for _, g := range files {
		if !g.Starred() {
			continue
		}
		key := [2]string{g.Port, g.Path}
		f, there := first[key]
		if !there {
			first[key] = g
			continue
		}
		if f.Row.ID == g.Row.ID || f.Asked(f.Row) == g.Asked(g.Row) {
			continue
		}
		for _, pair := range [2][2]listed.Row{{f.Row, g.Row}, {g.Row, f.Row}} {
			if shared[pair[0].ID] == nil {
				other := pair[1]
				err := located.Several{Err: fmt.Errorf("%s is %s, and so is that of %s (line %d), but one file cannot belong to two %ss; correct %s, or the table",
					g.What(), userfile.NameIn(r.Root, g.Path), other.ID, other.Line, l.Noun(), g.Port)}
				shared[pair[0].ID] = fmt.Errorf("%s:%d: %s %s: %w (to continue without it: exclude: [%s])", l.Path, pair[0].Line,
					l.Noun(), pair[0].ID, err, pair[0].ID)
			}
		}
	}
	for i, s := range r.Subjects {
		if err := shared[s.ID]; err != nil && s.Problem == nil {
			r.Subjects[i].Problem = err
		}
	}
}

// refuseOthers refuses members whose files have the ids of other participants in their names, or another session, and
// not their own.
func (r *Roster) refuseOthers(l *listed.List, files []located.RowFile) {
	misnamed, doubts := located.Misnamed(l, r.Root, files)
	r.Notes = append(r.Notes, doubts...)
	for _, f := range misnamed {
		i := slices.IndexFunc(r.Subjects, func(s Subject) bool { return s.ID == f.Row.ID })
		if i >= 0 && r.Subjects[i].Problem == nil {
			r.Subjects[i].Problem = listed.Without(f.Row.ID, fmt.Errorf("%s:%d: participant %s: %w", l.Path, f.Row.Line,
				f.Row.ID, located.Several{Err: f.Err}))
		}
	}
}

// moves reports whether a transform is not the identity, which may be that of many.
func moves(path string) bool {
	file, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	t, err := itk.Read(file, info.Size())
	if err != nil { // its task reports it
		return false
	}
	linear, whole := t.Linear()
	return !whole || linear != nifti.Identity
}

// An ownPort is a port whose file is of one participant.
type ownPort struct {
	name string
	of   string // what is of one participant
	is   func(r *Roster,
		native bool) bool // whether it is, in the space of each participant or not; nil where it always is
	file func(path string) bool // whether this file is; nil where each is
	// saved are groups of files that hold one thing in different bytes, as places in paths; nil where bytes decide
	saved func(paths []string) [][]int
	holds string // what these files have in common
}

func inNative(_ *Roster, native bool) bool { return native }

// nearly is what label images have in common that show the same; see nifti.LabelCopies.
const nearly = "at least 99.9% of the voxels"

// ownPorts are those of files that two participants cannot share, the first one reported first.
var ownPorts = []ownPort{{name: "bold", of: "scan"}, {name: "series", of: "scan"}, {name: "pearson", of: "scan"},
	{name: "partial", of: "scan"}, {name: "confounds", of: "scan", file: motion.IsMeasured,
		saved: motion.Copies, holds: "the values"},
	{name: "labels", of: "label image",
		is:    func(r *Roster, native bool) bool { return native && !r.moved || r.segmented },
		saved: nifti.LabelCopies, holds: nearly},
	{name: "mask", of: "brain mask", is: inNative, saved: nifti.LabelCopies, holds: nearly},
	{name: "within", of: "brain mask", is: inNative, saved: nifti.LabelCopies, holds: nearly},
	{name: "transform", of: "transform", file: moves}, {name: "warp", of: "transform", file: moves},
	{name: "registration", of: "transform", file: moves}}

// RefuseOneScan makes it a problem of two participants that one file is the scan, series or matrix of both, whatever
// links lead to it, or that their files have the same bytes: one brain counts once. So do their tables of confounds,
// and the label images and masks that lie in the space of each. Those who are left out do not count, so it is called
// when these are known.
func (r *Roster) RefuseOneScan() {
	if r.Axis != "" {
		return
	}
	why := map[int]error{}
	native := region.Individual(cmp.Or(r.Space, r.spaceByName(r.IDs())))
	for _, port := range ownPorts {
		if port.is != nil && !port.is(r, native) {
			continue
		}
		var subjects []int
		var paths, runs []string
		for i, s := range r.Subjects {
			for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
				if path := run.Files[port.name]; path != "" {
					subjects, paths, runs = append(subjects, i), append(paths, path), append(runs, run.Name)
				}
			}
		}
		member := func(at int) int { return r.Subjects[subjects[at]].layouts[port.name].Member }
		copies := regular.Copies(paths)
		if port.saved != nil { // saved again in other bytes
			copies = append(copies, port.saved(paths)...)
		}
		for _, same := range byMember(copies, member) {
			if port.file != nil && !port.file(paths[same[0]]) {
				continue
			}
			for n, at := range same {
				i := subjects[at]
				if why[i] != nil {
					continue
				}
				earlier := slices.IndexFunc(same[:n], func(k int) bool { return subjects[k] == i })
				if other := slices.IndexFunc(same, func(k int) bool { return subjects[k] != i }); other >= 0 {
					why[i] = r.shared(port, i, subjects[same[other]], paths[at], paths[same[other]])
				} else if was := same[max(earlier, 0)]; earlier >= 0 && port.of == "scan" {
					why[i] = r.twice(port, i, [2]string{runs[was], runs[at]}, [2]string{paths[was], paths[at]})
				}
			}
		}
	}
	for i, err := range why {
		if err != nil && r.Subjects[i].Problem == nil {
			r.Subjects[i].Problem = err
		}
	}
}

// byMember divides the places of one file by the member of it that each takes.
func byMember(copies [][]int, member func(at int) int) (divided [][]int) {
	for _, same := range copies {
		of := map[int][]int{}
		for _, at := range same {
			of[member(at)] = append(of[member(at)], at)
		}
		for _, k := range slices.Sorted(maps.Keys(of)) {
			if len(of[k]) > 1 {
				divided = append(divided, of[k])
			}
		}
	}
	return divided
}

// called is a participant with its place in the table.
func (r *Roster) called(i int) string {
	if at := r.Line(r.Subjects[i].ID); at != "" {
		return r.Subjects[i].ID + " (" + at + ")"
	}
	return r.Subjects[i].ID
}

// shared is why a participant's file cannot be that of another too; nil of one label image for several, which its tasks
// refuse where no transform takes it to each (see OneImage).
func (r *Roster) shared(port ownPort, i, other int, path, its string) error {
	is, what := "has the content of", "the file"
	one, _ := regular.Identity(path)
	if two, _ := regular.Identity(its); one == two {
		if port.name == "labels" {
			return nil
		}
		is, what = "is also", "the path"
	} else if port.saved != nil && !regular.Same(path, its) {
		is = "has " + port.holds + " of"
	}
	return listed.Without(r.Subjects[i].ID, fmt.Errorf("participant %s: %w", r.called(i), userfile.Place(fmt.Errorf(
		"its %s file %s %s that of %s, but one %s is not of two participants: correct %s of one, or exclude one of the two",
		port.name, path, is, r.called(other), port.of, what), path)))
}

// twice is why two runs or sessions of a participant cannot have one scan, which is no two, or one table of confounds.
func (r *Roster) twice(port ownPort, i int, runs, paths [2]string) error {
	file := filepath.Base(paths[1])
	if name := filepath.Base(paths[0]); name != file {
		file += ", as in " + name
	}
	why := "are one (%s): a scan that counts twice is no more data; take one of them out, or name the right file"
	if port.name == "confounds" {
		why = "have the same confounds (%s), but motion and signals are of one scan: name the right file"
	}
	return listed.Without(r.Subjects[i].ID, fmt.Errorf("participant %s: its scans %s and %s "+why, r.called(i), runs[0],
		runs[1], file))
}

// runName names a further run of a participant: by the column of sessions or runs, or its number.
func runName(l *listed.List, row listed.Row, runs []Run) (string, error) {
	if l.Sessions == "" {
		return cmp.Or(l.Run(row), fmt.Sprint(len(runs)+1)), nil
	}
	name := listed.SessionName(row.Cells.Get(l.Sessions))
	switch {
	case name == "" || listed.ParticipantID(name) != "sub-"+name:
		return fmt.Sprint("row", row.Line), fmt.Errorf("sessions: %q in column %q: a session has letters and digits", name, l.Sessions)
	case slices.ContainsFunc(runs, func(r Run) bool { return r.Name == name }):
		return fmt.Sprint("row", row.Line), fmt.Errorf("sessions: session %s is in an earlier line too: sessions needs one scan per session", name)
	}
	return name, nil
}

// skip leaves out the participants who cannot be used, unless nobody would be left. A file that could
// be one of several is the user's mistake.
func (r *Roster) skip() {
	keep := map[string]bool{}
	var left []Subject
	var out []listed.LeftOut
	_, group, _ := column.ByParticipant(r.Participants, "group") // nil without a column of groups
	for _, s := range r.Subjects {
		if s.Problem == nil || errors.As(s.Problem, new(located.Several)) {
			left, keep[s.ID] = append(left, s), true
		} else {
			out = append(out, listed.LeftOut{ID: s.ID, Group: group[s.ID], Category: listed.UnusableData,
				Why: userfile.WithoutPlaces(r.Root, listed.Cause(s.Problem))})
		}
	}
	if out == nil || left == nil {
		return
	}
	r.Subjects, r.Participants = left, column.KeepRows(r.Participants, r.IDColumn(), keep)
	r.Notes = append(r.Notes, column.Notef("%s without a usable file or a %s excluded", words.Count(len(out), r.Noun()),
		column.LabelOf(r.Participants)))
	r.Left = append(r.Left, out...)
	slices.SortFunc(r.Left, func(a, b listed.LeftOut) int { return strings.Compare(a.ID, b.ID) })
}
