package cohort

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A fileSource says where a port's file of a participant is: in a column, under a
// name made from columns ("func/{file_id}_bold.nii.gz"), or one for everybody.
type fileSource struct {
	port    string
	format  string
	noun    string // what a member is called
	spec    string
	pieces  []string // of a pattern: text, column, text, column, … text
	column  string
	columns []string             // used
	dirs    map[string]*readOnce // in which a * is looked for
	plain   []string             // files that were found by whole numbers without the decimals of the table
}

// what names the file of a member in a message.
func (f *fileSource) what() string {
	if f.port == "file" {
		return "its file"
	}
	return "its " + f.port + " file"
}

// sourceOf reads what the user gave for a port.
func sourceOf(l *listed.List, port, format, spec string) (*fileSource, error) {
	f := &fileSource{port: port, format: format, noun: l.Noun(), spec: spec}
	switch {
	case slices.Contains(l.Sheet.Columns, spec):
		f.column, f.columns = spec, []string{spec}
		return f, nil
	case strings.Contains(spec, "{"):
		return f, f.pattern(l)
	}
	path := userfile.Within(l.Dir, spec)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: %w", port, userfile.Plain(path, err))
	} else if err != nil {
		return nil, fmt.Errorf("%s: %q is neither a column of %s%s nor a file (%s)%s", port, spec, l.Path,
			words.DidYouMean(spec, l.Sheet.Columns), path, userfile.Near(path))
	}
	return f, nil
}

// pattern cuts a file name at its {columns}.
func (f *fileSource) pattern(l *listed.List) error {
	rest := f.spec
	var problems []error
	for {
		text, after, ok := strings.Cut(rest, "{")
		if !ok {
			f.pieces = append(f.pieces, rest)
			return errors.Join(problems...)
		}
		name, after, ok := strings.Cut(after, "}")
		if !ok {
			return fmt.Errorf("%s: in %q a { is not closed", f.port, f.spec)
		}
		if (name != "participant_id" || l.Each == "row") && !slices.Contains(l.Sheet.Columns, name) {
			problems = append(problems, fmt.Errorf("%s: in %q, {%s} is not a column of %s%s; its columns are %s",
				f.port, f.spec, name, l.Path, words.DidYouMean(name, l.Sheet.Columns),
				strings.Join(l.Sheet.Columns, ", ")))
		}
		f.pieces = append(f.pieces, text, name)
		rest = after
	}
}

// of finds the file of a participant. In a pattern, a whole number with decimals, as pandas saves it, is that number
// too: the file that exists is taken, and two are refused.
func (f *fileSource) of(l *listed.List, r listed.Row) (string, error) {
	path, changed, err := f.named(l, r, false)
	if !changed {
		return path, err
	}
	whole, _, wrong := f.named(l, r, true)
	switch {
	case err != nil && errors.As(wrong, new(lostZeros)):
		return "", wrong
	case wrong != nil:
		return path, err
	case err != nil:
		f.plain = append(f.plain, r.ID+" ("+filepath.Base(whole)+")")
		return whole, nil
	}
	return "", several{fmt.Errorf("%s may be %s or %s, since %s holds whole numbers with decimals: write them without", f.what(),
		filepath.Base(path), filepath.Base(whole), filepath.Base(l.Path))}
}

// named is the file of a participant; with plain, by whole numbers without decimals. changed reports whether there are
// such numbers.
func (f *fileSource) named(l *listed.List, r listed.Row, plain bool) (path string, changed bool, err error) {
	name := f.spec
	switch {
	case f.column != "":
		if name = r.Cells.Get(f.column); name == "" {
			return "", false, fmt.Errorf("column %q is empty, but it names %s", f.column, f.what())
		}
	case f.pieces != nil:
		var b strings.Builder
		filled := slices.Clone(f.pieces)
		for i, piece := range f.pieces {
			if i%2 == 1 {
				v := r.Value(piece)
				if whole, decimals := cell.Whole(v); decimals {
					if changed = true; plain {
						v = whole
					}
				}
				if v == "" {
					return "", changed, fmt.Errorf("column %q is empty, but it is part of the name of %s", piece, f.what())
				}
				if isSlash(rune(v[0])) || slices.Contains(strings.FieldsFunc(v, isSlash), "..") {
					return "", changed, fmt.Errorf("column %q is %q, which leads out of the directory of %s: correct it", piece, v, f.what())
				}
				piece = v
			}
			filled[i] = piece
			b.WriteString(piece)
		}
		if name = b.String(); f.starred() {
			if name, err = f.match(l.Dir, name, filled); err != nil {
				return "", changed, fmt.Errorf("%s: %w", f.what(), err)
			}
		}
	}
	path = userfile.Within(l.Dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return "", changed, fmt.Errorf("%s: %w", f.what(), f.otherZeros(path, userfile.Plain(path, err)))
	}
	if what := regular.Otherwise(info); what != "" {
		return "", changed, userfile.Place(fmt.Errorf("%s: %w", f.what(), &regular.Error{Path: path, What: what}), path)
	}
	if info.Size() == 0 && strings.HasPrefix(filepath.Base(path), "tpl-") {
		return "", changed, userfile.Place(fmt.Errorf("%s: %s is an empty TemplateFlow placeholder; fetch it with: python -m templateflow get %s", f.what(), path, templateOf(path)), path)
	}
	return path, changed, nil
}

// zeros are those before a number within a name.
var zeros = pattern.New(`(^|[^0-9])0+([0-9])`)

// lostZeros is the error of a file whose name others have but for zeros before numbers, which it proposes.
type lostZeros struct{ error }

func (e lostZeros) Unwrap() error { return e.error }

// otherZeros proposes, beside the error of a missing file whose name is made from columns, the file whose name differs
// by zeros before numbers.
func (f *fileSource) otherZeros(path string, err error) error {
	if f.pieces == nil {
		return err
	}
	plain := func(name string) string { return zeros.ReplaceAllString(name, "$1$2") }
	entries, _ := f.list(filepath.Dir(path)).ReadDir(".")
	var near []string
	for _, e := range entries {
		if name := e.Name(); name != filepath.Base(path) && plain(name) == plain(filepath.Base(path)) {
			near = append(near, name)
		}
	}
	if near == nil {
		return err
	}
	return zerosRemoved(err, near)
}

// zerosRemoved adds files whose names differ by zeros before numbers to the error of a missing one.
func zerosRemoved(err error, near []string) error {
	return lostZeros{fmt.Errorf("%w, but %s exists: did a spreadsheet remove leading zeros from the table?", err,
		strings.Join(near, " or "))}
}

// numbers are whole numbers without the zeros before them.
var numbers = pattern.New(`0*([0-9]+)`)

// matching are the files of a directory that match a glob and an expression.
func matching(dir fs.FS, glob, expression string) []string {
	found, err := fs.Glob(dir, glob)
	if err != nil {
		return nil
	}
	whole, err := regexp.Compile(expression)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(found, func(file string) bool { return !whole.MatchString(file) })
}

// list is a directory that is listed once.
func (f *fileSource) list(dir string) *readOnce {
	if f.dirs[dir] == nil {
		if f.dirs == nil {
			f.dirs = map[string]*readOnce{}
		}
		f.dirs[dir] = &readOnce{FS: os.DirFS(dir), entries: map[string]listing{}}
	}
	return f.dirs[dir]
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// starred reports whether the text of a pattern has a *.
func (f *fileSource) starred() bool {
	for i := 0; i < len(f.pieces); i += 2 {
		if strings.Contains(f.pieces[i], "*") {
			return true
		}
	}
	return false
}

// match finds the one file that a name with * stands for; filled are its pieces: text, value, text, … A value stands
// for itself, and no * extends it: sub-1*.tsv is not sub-11.tsv.
func (f *fileSource) match(root, name string, filled []string) (string, error) {
	at := 0
	for i, piece := range filled {
		if star := strings.IndexByte(piece, '*'); star >= 0 && i%2 == 0 {
			at += star
			break
		}
		at += len(piece)
	}
	fixed := name[:strings.LastIndexByte(name[:at], '/')+1]
	glob, expression := "", "^(?s:"
	anyGlob, anyZeros := "", "^(?s:" // whatever zeros stand before the numbers of the values
	skip, value := len(fixed), false
	for i, piece := range filled {
		cut := min(skip, len(piece))
		skip -= cut
		if piece = piece[cut:]; i%2 == 1 {
			glob, anyGlob = glob+signs.Replace(piece), anyGlob+"*"
			expression += regexp.QuoteMeta(piece)
			anyZeros += numbers.ReplaceAllString(regexp.QuoteMeta(piece), "0*$1")
			value = piece != ""
			continue
		}
		glob, anyGlob = glob+piece, anyGlob+piece
		text := beside(piece, value, i+1 < len(filled))
		expression, anyZeros = expression+text, anyZeros+text
	}
	dir := userfile.Within(root, fixed)
	f.list(dir).refused = nil
	found, err := fs.Glob(f.dirs[dir], glob)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	whole, err := regexp.Compile(expression + ")$")
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var longer []string
	found = slices.DeleteFunc(found, func(file string) bool {
		extends := !whole.MatchString(file)
		if extends {
			longer = append(longer, file)
		}
		return extends
	})
	switch {
	case len(found) == 0 && longer != nil:
		return "", fmt.Errorf("no file matches %s, where * begins and ends with no letter or digit beside a value of the table: "+
			"%s may be of another %s; write what stands between in %s", name, words.Some(longer, 4), f.noun, f.port)
	case len(found) == 0:
		if near := matching(f.dirs[dir], anyGlob, anyZeros+")$"); len(near) > 0 {
			return "", zerosRemoved(fmt.Errorf("no file matches %s", name), near)
		}
		return "", joined(append([]error{fmt.Errorf("no file matches %s", name)}, f.dirs[dir].unlisted(dir)...))
	case len(found) > 1:
		return "", several{fmt.Errorf("%d files match %s: %s; %s must match one", len(found), name, words.Some(found, 4), f.port)}
	}
	return fixed + found[0], nil
}

// signs are those of a pattern of files, to stand for themselves.
var signs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// beside is the expression of a text of a pattern, in which a * or ? next to a value, before or after it, takes no
// letter or digit there.
func beside(text string, after, before bool) string {
	const other = `[^/\pL\pN]`
	var e strings.Builder
	for at := 0; at < len(text); at++ {
		start := at
		switch c := text[at]; {
		case c == '*':
			for at+1 < len(text) && text[at+1] == '*' {
				at++
			}
			first, last := start == 0 && after, at+1 == len(text) && before
			switch {
			case first && last:
				e.WriteString("(" + other + "([^/]*" + other + ")?)?")
			case first:
				e.WriteString("(" + other + "[^/]*)?")
			case last:
				e.WriteString("([^/]*" + other + ")?")
			default:
				e.WriteString("[^/]*")
			}
		case c == '?' && (start == 0 && after || at+1 == len(text) && before):
			e.WriteString(other)
		case c == '?':
			e.WriteString("[^/]")
		case c == '[': // a set of letters, as the user wrote it
			for at++; at < len(text) && text[at] != ']'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			e.WriteString(text[start:min(at+1, len(text))])
		case c == '\\' && at+1 < len(text):
			at++
			e.WriteString(regexp.QuoteMeta(text[at : at+1]))
		default:
			for at+1 < len(text) && !strings.ContainsRune("*?[\\", rune(text[at+1])) {
				at++
			}
			e.WriteString(regexp.QuoteMeta(text[start : at+1]))
		}
	}
	return e.String()
}

// several is the error of a * that more than one file matches.
type several struct{ error }

// readOnce reads each directory once, for all participants.
type readOnce struct {
	fs.FS
	entries map[string]listing
	refused []string // the directories that could not be listed since it was set to nil
}

type listing struct {
	entries []fs.DirEntry
	err     error
}

// ReadDir lists a directory; fs.Glob takes one that cannot be read for an empty one.
func (f *readOnce) ReadDir(name string) ([]fs.DirEntry, error) {
	l, known := f.entries[name]
	if !known {
		l.entries, l.err = fs.ReadDir(f.FS, name)
		f.entries[name] = l
	}
	if bids.Unlisted(l.err) {
		f.refused = append(f.refused, name)
	}
	return l.entries, l.err
}

// unlisted are the errors of the directories within dir that could not be listed.
func (f *readOnce) unlisted(dir string) []error {
	return lists.Map(f.refused, func(name string) error {
		return userfile.Plain(filepath.Join(dir, filepath.FromSlash(name)), f.entries[name].err)
	})
}

// templateOf is the template of a file of TemplateFlow: MNI152NLin2009cAsym.
func templateOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "tpl-"), "_")
	return name
}

// rosterOf puts a cohort together from its list and the sources of its files. Columns that these or others use are no
// covariates.
func rosterOf(l *listed.List, sources []*fileSource, also ...string) *Roster {
	r := &Roster{Files: map[string]dag.Type{}, Root: l.Dir, Table: l.Path, Lines: l.Lines(),
		Sources: l.Sources()}
	used := also
	for _, f := range sources {
		r.Files[f.port] = dag.Format(f.format)
		used = append(used, f.columns...)
	}
	if l.Each != "row" {
		r.Participants = l.Participants(append(used, l.Sessions))
	}
	r.PerRun, r.Sessions = l.Each == "run", l.Sessions != ""
	if r.Sessions {
		r.About = r.aboutSessions
	}
	var files []rowFile
	for i, row := range l.Rows {
		s := Subject{ID: row.ID, Files: map[string]string{}}
		var problems []error
		if row.Label == "" && l.Each != "row" {
			problems = append(problems, l.Unlabeled(row, ""))
		}
		for _, f := range sources {
			path, err := f.of(l, row)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			s.Files[f.port] = path
			files = append(files, rowFile{f, row, path})
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
					last.Problem = fmt.Errorf("%s:%d: participant %s: %w (to continue without it: exclude: [%s])", l.Path, row.Line, row.ID, joined(problems), row.ID)
				}
				continue
			}
			s.Files = nil
		}
		if problems != nil {
			s.Problem = fmt.Errorf("%s:%d: %s %s: %w%s", l.Path, row.Line, l.Noun(), row.ID, joined(problems),
				excluding(row.ID))
		}
		r.Subjects = append(r.Subjects, s)
	}
	r.refuseShared(l, files)
	r.Left = l.LeftOut()
	r.Notes = append(r.Notes, l.Notes...)
	for _, f := range sources {
		if f.plain != nil {
			r.Notes = append(r.Notes, column.Notef("%s: whole numbers saved with decimals, as pandas does, are read without them in %q: %s",
				f.port, f.spec, words.Some(f.plain, 6)))
		}
	}
	return r
}

// A rowFile is the file of a source for a row.
type rowFile struct {
	*fileSource
	row  listed.Row
	path string
}

// asked is what a row puts in place of the source's columns.
func (g rowFile) asked() string {
	filled := slices.Clone(g.pieces)
	for i := 1; i < len(filled); i += 2 {
		filled[i], _ = cell.Whole(g.row.Value(filled[i]))
	}
	return strings.Join(filled, "")
}

// refuseShared refuses two members with one file where a * made two names one. What the table itself gives to two,
// such as the label image of a site, is as the user wrote it, but for scans: see RefuseOneScan.
func (r *Roster) refuseShared(l *listed.List, files []rowFile) {
	first := map[[2]string]rowFile{}
	shared := map[string]error{}
	for _, g := range files {
		if !g.starred() {
			continue
		}
		key := [2]string{g.port, g.path}
		f, there := first[key]
		if !there {
			first[key] = g
			continue
		}
		if f.row.ID == g.row.ID || f.asked() == g.asked() {
			continue
		}
		for _, pair := range [2][2]listed.Row{{f.row, g.row}, {g.row, f.row}} {
			if shared[pair[0].ID] == nil {
				other := pair[1]
				err := several{fmt.Errorf("%s is %s, and so is that of %s (line %d): one file is not of two %ss; correct %s, or the table",
					g.what(), userfile.NameIn(r.Root, g.path), other.ID, other.Line, l.Noun(), g.port)}
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
}

func inNative(_ *Roster, native bool) bool { return native }

// ownPorts are those of files that two participants cannot share, the first one reported first.
var ownPorts = []ownPort{{name: "bold", of: "scan"}, {name: "series", of: "scan"}, {name: "pearson", of: "scan"},
	{name: "partial", of: "scan"}, {name: "confounds", of: "scan", file: motion.IsMeasured},
	{name: "labels", of: "label image", is: func(r *Roster, native bool) bool { return native || r.segmented }},
	{name: "mask", of: "brain mask", is: inNative}, {name: "within", of: "brain mask", is: inNative},
	{name: "transform", of: "transform", file: moves}, {name: "warp", of: "transform", file: moves}}

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
		if port.name == "labels" { // saved again under another header
			copies = append(copies, nifti.Copies(paths)...)
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
	} else if port.name == "labels" && !regular.Same(path, its) {
		is = "has the voxels of"
	}
	return fmt.Errorf("participant %s: %w%s", r.called(i), userfile.Place(fmt.Errorf(
		"its %s file %s %s that of %s, but one %s is not of two participants: correct %s of one, or exclude one of the two",
		port.name, path, is, r.called(other), port.of, what), path), excluding(r.Subjects[i].ID))
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
	return fmt.Errorf("participant %s: its scans %s and %s "+why+"%s", r.called(i), runs[0], runs[1], file,
		excluding(r.Subjects[i].ID))
}

// excluding is how to continue without a participant whose files are looked at after incomplete: skip.
func excluding(id string) string {
	return " (to continue without it: exclude: [" + listed.Item(id) + "])"
}

// runName names a further run of a participant: by the column of sessions, or its number.
func runName(l *listed.List, row listed.Row, runs []Run) (string, error) {
	if l.Sessions == "" {
		return fmt.Sprint(len(runs) + 1), nil
	}
	name, _ := cell.Whole(strings.TrimPrefix(row.Cells.Get(l.Sessions), "ses-"))
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
		if s.Problem == nil || errors.As(s.Problem, new(several)) {
			left, keep[s.ID] = append(left, s), true
		} else {
			out = append(out, listed.LeftOut{ID: s.ID, Group: group[s.ID], Category: listed.UnusableData,
				Why: userfile.WithoutPlaces(r.Root, errors.Unwrap(s.Problem))})
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

// joined makes one line of several mistakes.
func joined(problems []error) error {
	if len(problems) == 1 {
		return problems[0]
	}
	return oneLine(problems)
}

type oneLine []error

func (e oneLine) Unwrap() []error { return e }

func (e oneLine) Error() string {
	texts := lists.Map(e, func(p error) string { return p.Error() })
	return strings.Join(texts, "; ")
}

// FormatOf tells the format of a file by its name.
func FormatOf(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch ext := strings.TrimPrefix(filepath.Ext(name), "."); ext {
	case "nii":
		return "nifti"
	case "feather", "ipc":
		return "arrow"
	case "txt", "md", "":
		return "text"
	default:
		return ext
	}
}
