package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
)

// mostFiles is how many files of a directory are looked at.
const mostFiles = 200_000

// A Found is a layout of data that a directory has, and the pipeline file that reads it.
type Found struct {
	What string // time series of DPABI
	Text string
	// Table is the text of a table beside the pipeline file, Name: of participants, without groups, where the directory
	// has none (participants.tsv), or of their scans.
	Table, Name string
	Lacks       string   // what the user adds to the table of participants first: the column dpabi to …
	Check       []string // what the user compares with what is meant: which of several files was taken
}

// From finds what a directory has: derivatives with time series, the files of a known program, or files that a table of
// participants lists. The paths in the text start at the directory beside. fMRIPrep's own derivatives are Extending's.
func From(dir, beside string) (*Found, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--from %s: no such directory", dir)
	}
	path := func(p string) string {
		rel, err := filepath.Rel(beside, p)
		if err != nil {
			rel = p
		}
		return quoted(filepath.ToSlash(rel))
	}
	for _, d := range []string{dir, filepath.Join(dir, "ABIDE_pcp")} {
		if isFile(filepath.Join(d, "Phenotypic_V1_0b_preprocessed1.csv")) {
			return &Found{What: "ABIDE I, as nilearn fetches it", Text: "extends: abide.yaml\npipeline: study\nvars: { data: " + path(d) + " }\n"}, nil
		}
	}
	t, err := tableOf(dir, beside)
	if err != nil {
		return nil, err
	}
	if found := derivatives(dir, path, t); found != nil {
		return found, nil
	}
	if preprocessed(dir) {
		group := ""
		if t != nil {
			group = t.groupLine()
		}
		return &Found{What: "preprocessed scans", Text: "extends: biopoint.yaml\npipeline: study\ncohort:\n  bids:\n    dir: " +
			path(dir) + "\n" + group}, nil
	}
	files, err := filesOf(dir)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return unlisted(dir, path, files)
	}
	return listedIn(dir, path, files, t)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func quoted(s string) string {
	if plainPath.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// A table is one of participants.
type table struct {
	path string
	*sheet.Sheet
}

// tableOf is the table of participants: participants.* in or above a directory, or beside the pipeline file, or the
// only table in the directory that has a column of groups; nil where there is none.
func tableOf(dir, beside string) (*table, error) {
	above := filepath.Dir(filepath.Clean(dir))
	for _, d := range []string{dir, above, filepath.Dir(above), beside} {
		var fit []string
		for _, ext := range []string{"tsv", "csv", "xlsx"} {
			if named := filepath.Join(d, "participants."+ext); isFile(named) {
				fit = append(fit, named)
			}
		}
		if fit == nil && d == dir {
			for _, ext := range []string{"tsv", "csv", "xlsx"} {
				all, _ := filepath.Glob(filepath.Join(d, "*."+ext))
				for _, f := range all {
					if t, err := readTable(f); err == nil && t.group() != "" {
						fit = append(fit, f)
					}
				}
			}
		}
		switch {
		case len(fit) > 1:
			return nil, fmt.Errorf("--from %s: several tables may list the participants (%s): leave one of them there", dir,
				words.Some(fit, 4))
		case len(fit) == 1:
			t, err := readTable(fit[0])
			if err != nil {
				return nil, fmt.Errorf("--from %s: %w", dir, err)
			}
			return t, nil
		}
	}
	return nil, nil
}

func readTable(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := sheet.ReadIn(f, path, sheet.Form{Guess: true})
	if err != nil {
		return nil, err
	}
	return &table{path, s}, nil
}

// groupName are names of columns of groups.
var groupName = pattern.New(`(?i)^(group|dx|dx_group|diagnos(is|e)|diag|label|class|condition|arm|cohort|patient|status|phenotype)$`)

// group is the column of groups, by its name; "" where no column or several may be it.
func (t *table) group() string {
	if slices.Contains(t.Columns, "group") {
		return "group"
	}
	fit := lists.Keep(t.Columns, groupName.MatchString)
	if len(fit) != 1 {
		return ""
	}
	return fit[0]
}

// parameters are the lines that read the table: its file, where its paths start, its columns of names and of groups.
func (t *table) parameters(path func(string) string, root, id string) string {
	text := "    file: " + path(t.path) + "\n"
	if root != "" && filepath.Clean(root) != filepath.Dir(t.path) {
		text += "    root: " + path(root) + "\n"
	}
	if !slices.Contains(t.Columns, "participant_id") {
		text += "    id: " + quoted(id) + "\n"
	}
	return text + t.groupLine()
}

func (t *table) groupLine() string {
	switch group := t.group(); group {
	case "group":
		return ""
	case "":
		return "    group: group # replace it with the column of groups: " + strings.Join(t.Columns[:min(len(t.Columns), 8)], ", ") + "\n"
	default:
		return "    group: " + quoted(group) + "\n"
	}
}

// derivatives are those of XCP-D, giga_connectome or C-PAC: files …_timeseries of an atlas.
func derivatives(dir string, path func(string) string, t *table) *Found {
	tried := []string{dir}
	for _, d := range []string{dir, filepath.Join(dir, "derivatives")} {
		entries, _ := os.ReadDir(d) // none where it cannot be read
		for _, e := range entries {
			tried = append(tried, filepath.Join(d, e.Name()))
		}
	}
	for _, d := range tried {
		subjects, err := bids.Subjects(d)
		if err != nil || len(subjects) == 0 {
			continue
		}
		files, _ := bids.Files(d, subjects[0])
		var atlases []string
		for _, f := range files {
			name := filepath.Base(f.Path)
			if strings.Contains(name, "_timeseries.") && !strings.HasSuffix(name, ".json") {
				if a := cmp.Or(f.Get("atlas"), f.Get("seg")); a != "" {
					atlases = append(atlases, a)
				}
			}
		}
		slices.Sort(atlases)
		if atlases = slices.Compact(atlases); atlases == nil {
			continue
		}
		text := "extends: timeseries.yaml\npipeline: study\ncohort:\n  timeseries:\n    dir: " + path(d) + "\n"
		if t != nil {
			text += t.parameters(path, "", t.Columns[0])
		} else {
			text += "    file: null\n"
		}
		text += "    series: null\n    atlas: " + quoted(atlases[0])
		var check []string
		if len(atlases) > 1 {
			text += " # or " + strings.Join(atlases[1:], ", ")
			check = []string{fmt.Sprintf("participants have several atlases: atlas is %s; others are %s; set atlas to "+
				"the correct one", atlases[0], words.Some(atlases[1:], 6))}
		}
		what := "time series of " + cmp.Or(bids.GeneratedBy(d), "an atlas") + " in " + d
		return &Found{What: what, Text: text + "\n", Check: check}
	}
	return nil
}

// preprocessed reports whether a directory has scans as fMRIPrep names them, with or without a description of its own.
func preprocessed(dir string) bool {
	subjects, _ := bids.Subjects(dir) // none where it cannot be listed
	for _, s := range subjects {
		files, _ := bids.Files(dir, s)
		if slices.ContainsFunc(files, func(f bids.File) bool {
			return strings.HasSuffix(filepath.Base(f.Path), "_desc-preproc_bold.nii.gz")
		}) {
			return true
		}
	}
	return false
}

// confoundsForm are names of tables of confounds, which hold no series of regions.
var confoundsForm = pattern.New(`(?i)[_-](confounds|regressors)(_|\.|$)`)

// dataForm are names of files that may have series or a matrix.
var dataForm = pattern.New(`(?i)\.(mat|npz|npy|tsv|csv|txt|1D|xlsx|ptseries\.nii)(\.gz)?$`)

// filesOf are the files below a directory that may have series or a matrix, as paths from there.
func filesOf(dir string) (files []string, err error) {
	seen := 0
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be listed has no files for us
		case e.IsDir() && p != dir && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		if seen++; seen > mostFiles {
			return fmt.Errorf("--from %s: more than %d files: name the directory that holds those of the participants", dir, mostFiles)
		}
		if rel, err := filepath.Rel(dir, p); err == nil && dataForm.MatchString(p) &&
			!confoundsForm.MatchString(e.Name()) {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files, err
}

// listedIn finds the path whose files the rows of a table have.
func listedIn(dir string, path func(string) string, files []string, t *table) (*Found, error) {
	all, unread := t.candidates(dir, files)
	if j := t.joined(dir, files, all); j != nil {
		all = j
	}
	all, err := t.chosen(dir, path, files, all)
	if err != nil {
		return nil, err
	}
	if all == nil {
		if found := t.labeled(dir, path, files); found != nil {
			return found, nil
		}
		return numbered(dir, path, files, t, unread)
	}
	if s := t.scattered(files, all); s != nil {
		all = []*candidate{s}
	}
	first, here := all[0], lists.Set(files)
	further := t.beside(dir, files, all)
	all = slices.DeleteFunc(all, func(c *candidate) bool { return c != first && !first.further(c, here) })
	var others []string
	for _, c := range all[1:] {
		if c.matrix == first.matrix { // else they are another result of the same scan
			others = append(others, c.pattern)
		}
	}
	without := t.without(files, first)
	if scans := t.scans(dir, path, files, first, others); scans != nil {
		return scans, nil
	}
	id := t.idOf(first)
	parameters := t.parameters(path, first.root(dir), id)
	if parts, err := t.repeated(id, first); err != nil {
		return nil, fmt.Errorf("--from %s: %w", dir, err)
	} else if parts == "session" {
		parameters += "    sessions: " + quoted(first.parts) + "\n"
	}
	found := &Found{What: first.what(), Text: first.text(parameters, first.written()) +
		first.alternatives(all[1:], parameters)}
	found.Check = []string{fmt.Sprintf("the column %s of %s states which file is whose (%q)", first.column, t.path,
		first.written())}
	if columns := pathColumn.FindAllString(first.pattern, -1); len(lists.Set(columns)) > 1 {
		found.Check[0] = fmt.Sprintf("columns of %s state together which file is whose (%q)", t.path, first.pattern)
	}
	if 2*len(without) > len(t.Rows) {
		found.Check = append(found.Check, fmt.Sprintf("%d of %s of %s have no such file: %s %s", len(without),
			words.Count(len(t.Rows), "row"), t.path, first.column, words.Some(without, 6)))
	}
	if nobody := t.ofNobody(files, first); nobody != nil {
		found.Check = append(found.Check, fmt.Sprintf("no row of %s has the %s of %s named like the others (%s): "+
			"check that no participant is missing in the table", t.path, first.column,
			words.Count(len(nobody), "file"), words.Some(nobody, 6)))
	}
	if found.others(first, others); further != nil {
		found.Check = append(found.Check, fmt.Sprintf("%q takes one file of each participant, but others are named like "+
			"the same participants (%s): move the file that is not to be used out of the directory",
			first.pattern, words.Some(further, 6)))
	}
	return found, nil
}

// beside are files named like those of a participant, by the first path, that no path gives to a row.
func (t *table) beside(dir string, files []string, all []*candidate) (further []string) {
	first, begins, taken := all[0], map[string]bool{}, map[string]bool{}
	for _, c := range all {
		for _, f := range c.files {
			taken[f] = true
		}
	}
	before, _, _ := strings.Cut(first.pattern, "{"+first.column+"}")
	if first.written() == first.column || strings.Contains(before, "{") {
		return nil
	}
	for _, value := range t.values(first.column) {
		begins[path.Base(before+value)] = true
	}
	for _, f := range files {
		c := &candidate{example: f}
		named := slices.ContainsFunc(nameWord.FindAllStringIndex(f, -1), func(w []int) bool {
			return begins[path.Base(f[:w[1]])]
		})
		if named && !taken[f] && c.recognize(dir) == nil && c.matrix == first.matrix {
			further = append(further, f)
		}
	}
	return further
}

// pathColumn is a column in a path.
var pathColumn = pattern.New(`\{[^{}]*\}`)

// others states in Check which of several files of each participant was taken.
func (f *Found) others(c *candidate, others []string) {
	if len(others) == 0 {
		return
	}
	text := fmt.Sprintf(
		"participants have several files: %s is %q; others are %s; set %[1]s to the correct files", c.port(),
		c.pattern, words.Some(lists.Map(others, strconv.Quote), 6))
	if p := partOf(append(others, c.pattern)); p != nil {
		text += fmt.Sprintf("; to use all %ss, list each in a row of the table: pipeline docs sessions-and-runs", p.noun)
	}
	f.Check = append(f.Check, text)
}

// instead are comments with other lines that the file may have.
func instead(others []string) string {
	if len(others) == 0 {
		return ""
	}
	return "  # or, instead:\n  #   " + strings.Join(others[:min(len(others), 6)], "\n  #   ") + "\n"
}

// alternatives are comments with the other files of the same participants: lines for this kind of cohort, and a whole
// file for the other kind.
func (c *candidate) alternatives(all []*candidate, table string) string {
	lines := func(matrix bool) (of []*candidate, lines []string) {
		for _, o := range all {
			if o.matrix == matrix {
				of, lines = append(of, o), append(lines, o.port()+": "+strconv.Quote(o.pattern))
			}
		}
		return of, lines
	}
	_, same := lines(c.matrix)
	text := instead(same)
	other, names := lines(!c.matrix)
	if other == nil {
		return text
	}
	text += "# Or " + other[0].what() + ", in place of all lines above:\n"
	for line := range strings.Lines(other[0].text(table, other[0].pattern)) {
		text += "# " + line
	}
	for _, line := range names[1:] {
		text += "#     # or " + line + "\n"
	}
	return text
}

// rank orders the files of a participant: those of a program that is known, then series, then one format.
func rank(c *candidate) int {
	n := 0
	if c.known.Program == "" {
		n += 100
	}
	if c.matrix {
		n += 10
	}
	if slices.Contains([]string{".txt", ".gz"}, filepath.Ext(c.pattern)) { // of files in two forms
		n++
	}
	if wholeSessions.MatchString(c.example) {
		n++
	}
	return n
}

// recognize decides what the files of a path are by the first of them; an error where they cannot be read.
func (c *candidate) recognize(dir string) error {
	file := filepath.Join(dir, filepath.FromSlash(c.example))
	for _, matrix := range []bool{false, true} {
		l, err := region.Layout{}.Recognized(file, matrix)
		if err != nil { // sliding windows
			return err
		}
		if l.Program != "" {
			c.known, c.matrix = l, matrix
			return nil
		}
	}
	open := func(read func(f *os.File) error) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		return read(f)
	}
	squares := open(func(f *os.File) error {
		x, err := region.ReadSquares(f, region.Layout{})
		if err == nil && !symmetric(x) {
			err = errors.New("not symmetric: write both triangles of each matrix")
		}
		return err
	})
	if squares == nil || errors.Is(squares, region.ErrNoOrder) {
		c.matrix = true
		return nil
	}
	err := open(func(f *os.File) error { _, err := region.ReadSeries(f, region.Layout{}); return err })
	var not *region.NotSeriesError
	if errors.As(err, &not) && not.Matrix { // the cohort states what else must be set
		c.matrix = true
		return nil
	}
	if slices.Contains([]string{".mat", ".npz"}, filepath.Ext(file)) { // a variable is to be chosen
		c.matrix = vectors(open)
		return nil
	}
	if err != nil {
		err = cmp.Or(pairs(file), fmt.Errorf("as time series: %w; as a matrix: %w", err, squares))
	}
	return err
}

// vectors reports whether a file has numeric variables, all of them vectors, as triangles of matrices are.
func vectors(open func(read func(f *os.File) error) error) bool {
	some, all := false, true
	err := open(func(f *os.File) error {
		variables, _, err := region.Variables(f)
		for _, v := range variables {
			if v.Numeric() && v.Count() > 1 {
				some, all = true, all && len(v.Shape) == 2 && min(v.Shape[0], v.Shape[1]) == 1
			} else if !v.Numeric() && v.Class != "char" {
				all = false // within a struct or cell
			}
		}
		return err
	})
	return err == nil && some && all
}

// pairs is the error for a table whose first column has pairs of regions as one text, a-b; nil for any other.
func pairs(file string) error {
	t, err := readTable(file)
	if err != nil || len(t.Columns) < 2 || len(t.Rows) < 3 {
		return nil
	}
	values, _ := t.Column(t.Columns[0])
	for _, v := range values {
		if !pair.MatchString(v) {
			return nil
		}
	}
	return fmt.Errorf("column %s has pairs of regions (%s), so these are edges, not time series: write the two "+
		"regions into columns of their own, before the correlation", t.Columns[0], values[0])
}

// pair is a text that joins two names.
var pair = pattern.New(`^\pL.*(-|–|~|<->|--|:|\||,| vs\.? | and ).*\pL`)

func symmetric(c *region.Contents) bool {
	x := c.Draws[0]
	for i := range x.Rows {
		for j := range i {
			if a, b := x.At(i, j), x.At(j, i); a == a && b == b && max(a-b, b-a) > 1e-6 {
				return false
			}
		}
	}
	return true
}

func (c *candidate) port() string { return map[bool]string{false: "series", true: "pearson"}[c.matrix] }

func (c *candidate) kind() string {
	return map[bool]string{false: "timeseries", true: "matrices"}[c.matrix]
}

func (c *candidate) what() string {
	what := map[bool]string{false: "time series", true: "matrices"}[c.matrix]
	if c.known.Program != "" {
		what += " of " + c.known.Program
	}
	return what
}

func (c *candidate) text(table, pattern string) string {
	text := "extends: " + c.kind() + c.each + ".yaml\npipeline: study\n"
	if !c.matrix {
		text += "vars: { tr: 0 } # s, repetition time; filters and windows need it\n"
	}
	return text + "cohort:\n  " + c.kind() + ":\n" + table + "    " + c.port() + ": " + strconv.Quote(pattern) + "\n" +
		instead(lists.Map(c.others, func(p string) string { return c.port() + ": " + strconv.Quote(p) }))
}

// numbers are what the programs number or name participants by in the names of their files.
var numbers = []struct {
	path   pattern.Pattern
	column string
}{
	{pattern.New(`(/ROI_Subject)(\d+)(_Condition\d+\.mat)$`), "conn"},
	{pattern.New(`(/resultsROI_Subject)(\d+)(_Condition\d+\.mat)$`), "conn"},
	{pattern.New(`(/ROISignals_)([^/]+)(\.(?:mat|txt))$`), "dpabi"},
	{pattern.New(`(/ROICorrelation_FisherZ_)([^/]+)(\.(?:mat|txt))$`), "dpabi"},
	{pattern.New(`(/ROICorrelation_)([^/]+)(\.(?:mat|txt))$`), "dpabi"},
	{pattern.New(`(/GretnaTimeCourse/)([^/]+)(\.txt)$`), "gretna"},
	{pattern.New(`(_post_process_sub_)(\d+)(\.mat)$`), "gift"},
}

// CONN's condition 0 has the whole sessions, each with its own mean and filter; those of its files are read only
// where no condition is.
var (
	ofCondition   = pattern.New(`ROI_Subject\d+_Condition\d+\.mat$`)
	wholeSessions = pattern.New(`ROI_Subject\d+_Condition0+\.mat$`)
)

// members are the files of one program, and the names of the participants in theirs; nil where none is known.
func members(dir string, files []string) (c *candidate, names []string) {
	for _, n := range numbers {
		for _, f := range files {
			m := n.path.FindStringSubmatch("/" + f)
			if m == nil || wholeSessions.MatchString(f) && slices.ContainsFunc(files, func(f string) bool {
				return ofCondition.MatchString(f) && !wholeSessions.MatchString(f)
			}) {
				continue
			}
			p := strings.TrimPrefix(n.path.ReplaceAllString("/"+f, "${1}{"+n.column+"}${3}"), "/")
			if c == nil {
				c = &candidate{pattern: p, column: n.column, example: f}
			}
			if p == c.pattern {
				names = append(names, m[2])
			} else if !slices.Contains(c.others, p) {
				c.others = append(c.others, p)
			}
		}
		if c != nil && c.recognize(dir) == nil {
			return c, names
		}
		c, names = nil, nil
	}
	return nil, nil
}

// numbered are the files of a program whose numbers or names of participants the table lacks.
// unread are the files that the rows of the table have and that cannot be read.
func numbered(dir string, path func(string) string, files []string, t *table, unread map[string]error) (*Found, error) {
	c, names := members(dir, files)
	if c == nil {
		if found := t.wide(path); found != nil {
			return found, nil
		}
	}
	if c == nil && len(unread) > 0 {
		file := slices.Min(slices.Collect(maps.Keys(unread)))
		return nil, fmt.Errorf("--from %s: %s: %w", dir, file, unread[file])
	}
	if c == nil {
		if err := cmp.Or(t.zeros(dir, files, 1), t.measured(dir, files)); err != nil {
			return nil, err
		}
	}
	if err := t.otherwise(dir, path, files); c == nil && err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return filepath.Join(dir, f) == t.path })
	if c == nil && 0 < len(others) && len(others) <= 3 && len(t.Rows) > 3 {
		if strings.HasSuffix(others[0], ".xlsx") {
			return nil, fmt.Errorf("--from %s: no file for each participant: save the sheet of each participant in %s as a "+
				"separate file, named by the id", dir, others[0])
		}
		return nil, fmt.Errorf("--from %s: no file for each participant; pipeline inspect %s states what the file "+
			"holds and what to write", dir, filepath.Join(dir, others[0]))
	}
	if c == nil {
		return nil, fmt.Errorf("--from %s: no names of files there have the values of a column of %s; give the directory that holds the files of the participants, or add a column of paths to the table; for columns of edges, set wide (pipeline docs other-programs#connectivity-matrices)", dir, t.path)
	}
	text := c.text(t.parameters(path, dir, t.Columns[0]), c.pattern)
	found := &Found{What: c.what(), Text: fmt.Sprintf("# The column %s of the table must have the values that the file names contain: %s.\n%s",
		c.column, words.Some(names, 3), text)}
	if !slices.Contains(t.Columns, c.column) {
		found.Lacks = fmt.Sprintf("the column %s to %s, with the values in the names of the files (%s)", c.column, t.path,
			words.Some(names, 3))
	}
	found.others(c, c.others)
	return found, nil
}

// wide is the study of a table with a column for each pair of regions; nil for any other. The columns of all pairs of
// three regions or more are one matrix.
func (t *table) wide(path func(string) string) *Found {
	for _, c := range t.Columns {
		prefix, _, numbered := strings.Cut(c, strings.TrimLeft(c, notDigits))
		for _, of := range []string{prefix + "*", "*--*", "*_to_*"} {
			w, err := region.WideOf(t.Columns, of, nil, region.Layout{})
			if err != nil || of == prefix+"*" && (!numbered || prefix == "") || !triangle(len(w.Columns)) {
				continue
			}
			return &Found{What: fmt.Sprintf("matrices in %d columns of the table (%s)", len(w.Columns), of),
				Text: "extends: matrices.yaml\npipeline: study\ncohort:\n  matrices:\n" +
					t.parameters(path, "", t.Columns[0]) + "    pearson: null\n    wide: " + strconv.Quote(of) + "\n"}
		}
	}
	return nil
}

const notDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. "

// triangle reports whether so many are the pairs of three or more, or these with the diagonal.
func triangle(pairs int) bool {
	n := 3
	for n*(n-1)/2 < pairs {
		n++
	}
	return n*(n-1)/2 == pairs && pairs >= 3
}

// unlisted are the files of a program, or of one directory, without a table: one is begun, without groups.
func unlisted(dir string, path func(string) string, files []string) (*Found, error) {
	c, names := members(dir, files)
	if c == nil {
		return nil, fmt.Errorf("--from %s: neither a table of participants (participants.tsv, .csv or .xlsx with a column of groups) nor files of fMRIPrep, XCP-D, giga_connectome, C-PAC, CONN, DPABI, GRETNA or GIFT", dir)
	}
	text := "participant_id\t" + c.column + "\tgroup\n"
	for _, name := range names {
		text += "sub-" + strings.TrimPrefix(name, "sub-") + "\t" + name + "\tn/a\n"
	}
	found := &Found{What: c.what(), Table: text, Name: "participants.tsv",
		Text: c.text("    file: participants.tsv\n    root: "+path(dir)+"\n", c.pattern)}
	found.others(c, c.others)
	return found, nil
}
