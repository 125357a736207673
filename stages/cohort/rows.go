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
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

var rowsCohortKind = Source{
	Name: "rows",
	Doc: "rows of a CSV, TSV or .xlsx file, for studies without participants\n" +
		"The first column names the rows and the axis: a table with the columns plant and file has the axis plant, and a stage with each: plant has one task per row. cohort.rows is the whole table (Arrow), cohort.row the row of a task (TSV, all values as text), cohort.file the file named in the column file.",
	New: func() Loader { return &RowsCohort{} },
}

// RowsCohort lists the rows of a table, with their files.
type RowsCohort struct {
	File   string   `param:"file" place:"always" doc:"a CSV, TSV or .xlsx file with one row per member"`
	Sheet  string   `param:"sheet" doc:"the sheet, where the table is a workbook (.xlsx) with several"`
	ID     string   `param:"id" doc:"its column of row names; by default the first"`
	Axis   string   `param:"axis" doc:"the name of the axis, for each:; by default the name of the column id"`
	Files  []string `param:"files" doc:"the file cohort.NAME of each row: NAME=COLUMN, a column of paths, or NAME=PATH, a path with {columns}, such as text=texts/{book}.txt; by default the column file, if it exists"`
	Root   string   `param:"root" place:"always" doc:"directory that relative paths of files start from; by default that of the table"`
	Select string   `param:"select" doc:"rows to include, such as: species in [oak, ash] and height >= 7"`
}

var (
	axisForm = pattern.New(`^[A-Za-z][A-Za-z0-9_-]{0,99}$`)
	// rowForm are names that show, without a placeholder ({ $) or an escape (\). Names of tasks quote what has a
	// meaning in selections, and names of files have - for what is not allowed there.
	rowForm = pattern.New(`^[\p{L}\p{N}\p{P}\p{S}]([\p{L}\p{N}\p{P}\p{S} ]*[\p{L}\p{N}\p{P}\p{S}])?$`)
)

const maxRowName = 100 // bytes: it becomes part of the names of files

// reservedAxes mean something else under each: and matrix:, or are columns of the tables of gathered inputs (path).
var reservedAxes = []string{"subject", "run", "stage", "include", "exclude", "path"}

// Load reads the table.
func (c *RowsCohort) Load(dir string) (*Roster, error) {
	if c.File == "" {
		return nil, errors.New("file is not set: the table of rows")
	}
	l := &listed.List{Parameters: &listed.Parameters{ID: c.ID, Select: c.Select}, Each: "row",
		Path: userfile.Within(dir, c.File)}
	l.Dir = filepath.Dir(l.Path)
	if c.Root != "" {
		l.Dir = userfile.Within(dir, c.Root)
	}
	if err := l.ReadSheet(sheet.Form{Sheet: c.Sheet}); err != nil {
		return nil, err
	}
	if l.ID == "" {
		l.ID = l.Sheet.Columns[0]
	}
	axis, err := c.axis(l.ID, l.Path)
	sources, wrong := c.sources(l)
	if err := errors.Join(l.CheckColumn("id", l.ID), err, wrong); err != nil {
		return nil, err
	}
	if err := nameRows(l); err != nil {
		return nil, err
	}
	if err := l.Choose(); err != nil {
		return nil, err
	}
	return rowRoster(l, axis, sources)
}

// isReserved reports whether a name cannot stand under each:, where null is YAML's.
func isReserved(axis string) bool {
	return slices.Contains(reservedAxes, axis) || strings.EqualFold(axis, "null")
}

// An AxisError is that of a column that cannot name the axis.
type AxisError struct{ error }

// A NamesError is the error for a column whose values cannot be the names of the rows.
type NamesError struct{ error }

// axis is the name of the axis.
func (c *RowsCohort) axis(id, file string) (string, error) {
	switch {
	case c.Axis == "" && axisForm.MatchString(id) && !isReserved(id):
		return id, nil
	case c.Axis == "":
		return "", AxisError{fmt.Errorf("axis: the column %q of %s cannot name the axis: set the parameter axis to another name", id, file)}
	case !axisForm.MatchString(c.Axis):
		return "", fmt.Errorf("axis: %q is not a valid name: use letters, digits, _ and -, beginning with a letter, at most 100", c.Axis)
	case isReserved(c.Axis):
		return "", fmt.Errorf("axis: %q has another meaning: choose another name", c.Axis)
	}
	return c.Axis, nil
}

// sources are the files of each row.
func (c *RowsCohort) sources(l *listed.List) (sources []*located.Source, err error) {
	entries := c.Files
	if len(entries) == 0 && slices.Contains(l.Sheet.Columns, "file") {
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
		s, err := located.Of(l, port, "", spec)
		if err != nil {
			problems = append(problems, fmt.Errorf("files: %w", err))
		}
		sources = append(sources, s)
	}
	return sources, errors.Join(problems...)
}

// nameRows gives every row its name.
func nameRows(l *listed.List) error {
	var problems []error
	lines, folded := map[string]int{}, map[string]string{}
	for _, r := range l.BareRows() {
		r.ID = r.Cells.Get(l.ID)
		r.Source, r.Label = r.ID, r.Cells.Get("group")
		fold := strings.ToLower(r.ID)
		other := folded[fold]
		bad := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: column %q: %s", l.Path, r.Line, l.ID, fmt.Sprintf(format, args...)))
		}
		switch {
		case r.ID == "":
			bad("the row has no name")
		case !rowForm.MatchString(r.ID) || strings.ContainsAny(r.ID, `{}$\`) ||
			slices.Contains(strings.Split(r.ID, "/"), "..") ||
			slices.Contains(strings.Split(r.ID, "/"), "."):
			bad("%q cannot name a row: a name has no { } $ \\, no combining or invisible character, no space at its ends, and no part . or .. between /; rename the row, or set the parameter id to another column", r.ID)
		case len(r.ID) > maxRowName:
			bad("a name of %d bytes is too long (at most %d): set the parameter id to another column", len(r.ID), maxRowName)
		case other == r.ID:
			bad("row %s is already in line %d", r.ID, lines[fold])
		case other != "":
			bad("%q and %q (line %d) differ only in case, which some file systems ignore: rename one of them", r.ID, other, lines[fold])
		default:
			lines[fold], folded[fold] = r.Line, r.ID
			l.Rows = append(l.Rows, r)
		}
	}
	slices.SortFunc(l.Rows, func(a, b listed.Row) int { return strings.Compare(a.ID, b.ID) })
	if problems != nil {
		return NamesError{errors.Join(problems...)}
	}
	return nil
}

// rowRoster puts the cohort together.
func rowRoster(l *listed.List, axis string, sources []*located.Source) (*Roster, error) {
	texts := rowColumns(l, axis, sources)
	r := rosterOf(l, sources)
	r.Axis = axis
	for _, f := range sources {
		format, err := oneFormat(l, f, r.Subjects)
		if err != nil {
			return nil, err
		}
		r.Files[f.Port] = dag.Format(format)
	}
	r.Participants = typed(texts)
	for _, c := range texts[1:] {
		r.Notes = append(r.Notes, listed.DoubtTexts(c.Name, c.Values.([]string), texts[0].Values.([]string))...)
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
func oneFormat(l *listed.List, f *located.Source, subjects []Subject) (string, error) {
	var first Subject
	for _, s := range subjects {
		path, there := s.Files[f.Port]
		switch {
		case !there:
		case first.ID == "":
			first = s
		case userfile.FormatOf(path) != userfile.FormatOf(first.Files[f.Port]):
			return "", fmt.Errorf("files: %s: %s of row %s and %s of row %s have different extensions, but cohort.%s has one format: use one column per format",
				l.Path, filepath.Base(first.Files[f.Port]), first.ID, filepath.Base(path), s.ID, f.Port)
		}
	}
	return userfile.FormatOf(first.Files[f.Port]), nil
}

// rowColumns are the columns of the table without those of paths, as texts; the column of names is called as the axis.
func rowColumns(l *listed.List, axis string, sources []*located.Source) []encoding.Column {
	columns := []encoding.Column{{Name: axis, Values: valuesOf(l, l.ID), Doc: "name of the row, column " + l.ID + " of the table"}}
	used := map[string]bool{l.ID: true}
	for _, f := range sources {
		if f.Column != "" {
			used[f.Column] = true
		}
	}
	for _, name := range l.Sheet.Columns {
		values := valuesOf(l, name)
		switch {
		case used[name]:
			continue
		case slices.ContainsFunc(values, userfile.IsPlace):
			l.Notes = append(l.Notes, column.Notef("the column %s of the table holds paths and is left out of cohort.rows and cohort.row", name))
			continue
		case name == axis:
			name += "_in_table"
		}
		valid := lists.Map(values, func(v string) bool { return v != "" })
		columns = append(columns, encoding.Column{Name: name, Values: values, Valid: valid})
	}
	return columns
}

// valuesOf are those of a column.
func valuesOf(l *listed.List, column string) []string {
	values := lists.Map(l.Rows, func(r listed.Row) string { return r.Cells.Get(column) })
	return values
}

// typed is the table, with numbers where all values of a column are numbers.
func typed(texts []encoding.Column) *encoding.Table {
	columns := slices.Clone(texts)
	for i, c := range columns[1:] { // names stay texts
		columns[i+1] = listed.Covariate(c.Name, c.Values.([]string))
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
