package cohort

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/stages/sheet"
)

var rowsCohortKind = Source{
	Name: "rows",
	Doc: "rows of a CSV or TSV file, for studies without participants\n" +
		"The first column names the rows and the axis: a table with the columns plant and file has the axis plant, and a stage with each: plant has one task per row. cohort.rows is the whole table (Arrow), cohort.row the row of a task (TSV, all values as text), cohort.file the file named in the column file.",
	New: func() Loader { return &RowsCohort{} },
}

// RowsCohort lists the rows of a table, with their files.
type RowsCohort struct {
	File   string   `param:"file" place:"always" doc:"a CSV or TSV file with one row per member"`
	ID     string   `param:"id" doc:"its column of row names; by default the first"`
	Axis   string   `param:"axis" doc:"the name of the axis, for each:; by default the name of the column id"`
	Files  []string `param:"files" doc:"the file cohort.NAME of each row: NAME=COLUMN, a column of paths, or NAME=PATH, a path with {columns}, such as text=texts/{book}.txt; by default the column file, if it exists"`
	Root   string   `param:"root" place:"always" doc:"directory that relative paths of files start from; by default that of the table"`
	Select string   `param:"select" doc:"rows to include, such as: species in [oak, ash] and height >= 7"`
}

var (
	axisForm = pattern.New(`^[A-Za-z][A-Za-z0-9_-]*$`)
	// rowForm are names that need no quotes in the names of tasks, and that every file system takes.
	rowForm = pattern.New(`^[\p{L}\p{N}][\p{L}\p{N}._+-]*$`)
)

const maxRowName = 100 // bytes: it becomes part of the names of files

// reservedAxes mean something else under each: and matrix:.
var reservedAxes = []string{"subject", "run", "stage", "include", "exclude"}

// Load reads the table.
func (c *RowsCohort) Load(dir string) (*Roster, error) {
	if c.File == "" {
		return nil, errors.New("file is not set: the table of rows")
	}
	l := &list{listed: &listed{ID: c.ID, Select: c.Select}, path: within(dir, c.File), each: "row"}
	l.root = filepath.Dir(l.path)
	if c.Root != "" {
		l.root = within(dir, c.Root)
	}
	f, err := openFile(l.path)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if l.sheet, err = sheet.Read(f, l.path); err != nil {
		return nil, err
	}
	if l.ID == "" {
		l.ID = l.sheet.Columns[0]
	}
	axis, err := c.axis(l.ID, l.path)
	sources, wrong := c.sources(l)
	if err := errors.Join(l.column("id", l.ID), err, wrong); err != nil {
		return nil, err
	}
	if err := errors.Join(l.nameRows(), l.choose()); err != nil {
		return nil, err
	}
	return l.rowRoster(axis, sources)
}

// axis is the name of the axis.
func (c *RowsCohort) axis(id, file string) (string, error) {
	switch {
	case c.Axis == "" && axisForm.MatchString(id) && !slices.Contains(reservedAxes, id):
		return id, nil
	case c.Axis == "":
		return "", fmt.Errorf("axis: the column %q of %s cannot name the axis: set the parameter axis to another name", id, file)
	case !axisForm.MatchString(c.Axis):
		return "", fmt.Errorf("axis: %q is not a valid name: use letters, digits, _ and -, beginning with a letter", c.Axis)
	case slices.Contains(reservedAxes, c.Axis):
		return "", fmt.Errorf("axis: %q has another meaning: choose another name", c.Axis)
	}
	return c.Axis, nil
}

// sources are the files of each row.
func (c *RowsCohort) sources(l *list) (sources []*fileSource, err error) {
	entries := c.Files
	if len(entries) == 0 && slices.Contains(l.sheet.Columns, "file") {
		entries = []string{"file=file"}
	}
	var problems []error
	taken := map[string]bool{"row": true, "rows": true}
	for _, entry := range entries {
		port, spec, ok := strings.Cut(entry, "=")
		port, spec = strings.TrimSpace(port), strings.TrimSpace(spec)
		switch {
		case !ok || spec == "" || !axisForm.MatchString(port):
			problems = append(problems, fmt.Errorf("files: %q is not of the form NAME=COLUMN or NAME=PATH, such as text=texts/{%s}.txt", entry, l.ID))
			continue
		case taken[port]:
			problems = append(problems, fmt.Errorf("files: cohort.%s is taken already: choose another name in %q", port, entry))
			continue
		case filepath.IsAbs(spec) || strings.HasPrefix(spec, "~"):
			problems = append(problems, fmt.Errorf("files: the path in %q must be relative; set its start by the parameter root", entry))
			continue
		}
		taken[port] = true
		s, err := l.source(port, "", spec)
		if err != nil {
			problems = append(problems, fmt.Errorf("files: %w", err))
		}
		sources = append(sources, s)
	}
	return sources, errors.Join(problems...)
}

// nameRows gives every row its name.
func (l *list) nameRows() error {
	var problems []error
	lines, folded := map[string]int{}, map[string]string{}
	at := l.places()
	for i, values := range l.sheet.Rows {
		r := listedRow{line: l.sheet.Lines[i], cells: cells{at, values}}
		r.id = r.cells.get(l.ID)
		r.source, r.label = r.id, r.cells.get("group")
		fold := strings.ToLower(r.id)
		other := folded[fold]
		bad := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: column %q: %s", l.path, r.line, l.ID, fmt.Sprintf(format, args...)))
		}
		switch {
		case r.id == "":
			bad("the row has no name")
		case !rowForm.MatchString(r.id):
			bad("%q cannot name a row: use letters, digits, and . _ + - within, or set the parameter id to another column", r.id)
		case len(r.id) > maxRowName:
			bad("a name of %d bytes is too long (at most %d): set the parameter id to another column", len(r.id), maxRowName)
		case other == r.id:
			bad("row %s is already in line %d", r.id, lines[fold])
		case other != "":
			bad("%q and %q (line %d) differ only in case, which some file systems ignore: rename one of them", r.id, other, lines[fold])
		default:
			lines[fold], folded[fold] = r.line, r.id
			l.rows = append(l.rows, r)
		}
	}
	slices.SortFunc(l.rows, func(a, b listedRow) int { return strings.Compare(a.id, b.id) })
	return errors.Join(problems...)
}

// rowRoster puts the cohort together.
func (l *list) rowRoster(axis string, sources []*fileSource) (*Roster, error) {
	texts := l.rowColumns(axis, sources)
	r := l.roster(sources)
	r.Axis = axis
	for _, f := range sources {
		format, err := l.oneFormat(f, r.Subjects)
		if err != nil {
			return nil, err
		}
		r.Files[f.port] = dag.Format(format)
	}
	r.Participants = typed(texts)
	for _, c := range texts[1:] {
		if note := oddTexts(c.Name, c.Values.([]string), texts[0].Values.([]string)); note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	r.Values = map[string]dag.Type{"row": dag.Format("tsv")}
	for i := range r.Subjects {
		row, err := rowText(texts, i)
		if err != nil {
			return nil, err
		}
		r.Subjects[i].Values = map[string]artifacts.Value{"row": row}
	}
	return r, nil
}

// oneFormat is the format of a port's files by their endings, which must agree.
func (l *list) oneFormat(f *fileSource, subjects []Subject) (string, error) {
	var first Subject
	for _, s := range subjects {
		path, there := s.Files[f.port]
		switch {
		case !there:
		case first.ID == "":
			first = s
		case FormatOf(path) != FormatOf(first.Files[f.port]):
			return "", fmt.Errorf("files: %s: %s of row %s and %s of row %s have different extensions, but cohort.%s has one format: use one column per format",
				l.path, filepath.Base(first.Files[f.port]), first.ID, filepath.Base(path), s.ID, f.port)
		}
	}
	return FormatOf(first.Files[f.port]), nil
}

// rowColumns are the columns of the table without those of paths, as texts; the column of names is called as the axis.
func (l *list) rowColumns(axis string, sources []*fileSource) []encoding.Column {
	columns := []encoding.Column{{Name: axis, Values: l.values(l.ID), Doc: "name of the row, column " + l.ID + " of the table"}}
	used := map[string]bool{l.ID: true}
	for _, f := range sources {
		if f.column != "" {
			used[f.column] = true
		}
	}
	for _, name := range l.sheet.Columns {
		values := l.values(name)
		switch {
		case used[name]:
			continue
		case slices.ContainsFunc(values, isPlace):
			l.notes = append(l.notes, fmt.Sprintf("the column %s of the table holds paths and is left out of cohort.rows and cohort.row", name))
			continue
		case name == axis:
			name += "_in_table"
		}
		valid := make([]bool, len(values))
		for i, v := range values {
			valid[i] = v != ""
		}
		columns = append(columns, encoding.Column{Name: name, Values: values, Valid: valid})
	}
	return columns
}

// values are those of a column.
func (l *list) values(column string) []string {
	values := make([]string, len(l.rows))
	for i, r := range l.rows {
		values[i] = r.cells.get(column)
	}
	return values
}

// typed is the table, with numbers where all values of a column are numbers.
func typed(texts []encoding.Column) *encoding.Table {
	columns := slices.Clone(texts)
	for i, c := range columns[1:] { // names stay texts
		columns[i+1] = covariate(c.Name, c.Values.([]string))
	}
	return encoding.NewTable(columns...)
}

// rowText is one row as TSV, with the texts of the table: it depends on no other row.
func rowText(texts []encoding.Column, at int) (artifacts.Value, error) {
	columns := slices.Clone(texts)
	for i, c := range columns {
		columns[i].Values = c.Values.([]string)[at : at+1]
		if c.Valid != nil {
			columns[i].Valid = c.Valid[at : at+1]
		}
	}
	var b bytes.Buffer
	if err := encoding.NewTable(columns...).WriteCSV(&b, '\t'); err != nil {
		return nil, err
	}
	return artifacts.Bytes{Kind: "tsv", Data: b.Bytes()}, nil
}
