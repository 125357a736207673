// Package container finds where the numbers of a participant stand within files of other programs.
package container

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/numeric/dense"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// Within are the parameters that state where the numbers stand within files of other programs.
type Within struct {
	Variable  string   `param:"variable" doc:"in a .mat file: the variable, as in MATLAB: ts, out.timeseries, sub(2).ts, data{4}; in a workbook (.xlsx): the sheet; by default the only one that fits, or that of a known program (CONN, DPABI, GIFT)"`
	Names     string   `param:"names" place:"maybe" doc:"the names of the regions: a variable of the same .mat or npz file (texts or distinct whole numbers), none if no variable has them, or the path, which may have {columns}, of a file of labels (one per line, or in a column Label in Mask)"`
	Regions   []string `param:"regions" doc:"the regions to take, by their names, in which * is any text and ? a character; by default all"`
	Range     []int    `param:"columns_range" doc:"the first and the last column to take, from 1, such as [5, 10]; by default all"`
	Transpose bool     `param:"transpose" doc:"time series with a row per region and a column per volume"`
	Member    string   `param:"member" doc:"of several participants (or sessions) in one file the one to take, from 1: a column of the table, or a number"`
}

// Entries are the parameters of files that list the entries of a matrix.
type Entries struct {
	Order   string `param:"order" choices:"none|upper_rows|lower_rows|full" doc:"of files that hold the triangle of a matrix as a vector: row by row above the diagonal (numpy triu_indices, scipy and MATLAB squareform, GIFT), or below it (numpy tril_indices, nilearn sym_matrix_to_vec); full is the whole matrix"`
	Base    int    `param:"base" min:"-1" max:"1" doc:"of edge lists with numbers: that of the first region, 0 or 1; -1: by the numbers, where they decide"`
	Numbers string `param:"numbers" choices:"auto|ids|names|rows" doc:"of edge lists with numbers and a node list whose index is not 1, 2, 3 … or whose names are numbers: whether they are its index (or id), its names, or its rows, counted from base; auto: by the numbers, where they decide"`
	Absent  string `param:"absent" choices:"refused|zero|n/a" doc:"of edge lists without all pairs, the absent ones: zero, as below a threshold, of which no partial correlation can be computed; or n/a"`
}

// Layout is what they state.
func (e *Entries) Layout() (y region.Layout) {
	if *e == (Entries{}) { // not read from a pipeline file
		return y
	}
	if e.Order != "none" {
		y.Order = e.Order
	}
	if e.Base >= 0 {
		y.Base = &e.Base
	}
	if e.Numbers != "auto" {
		y.Numbers = e.Numbers
	}
	if e.Absent != "refused" {
		y.Absent = e.Absent
	}
	return y
}

// check finds mistakes in the parameters themselves.
func (w *Within) check(l *listed.List) error {
	var problems []error
	if w.Range != nil && (len(w.Range) != 2 || w.Range[0] < 1 || w.Range[1] < w.Range[0]) {
		problems = append(problems, fmt.Errorf("columns_range: %v is not of the form [first, last], from 1", w.Range))
	}
	if w.Member != "" && whole(w.Member) == 0 {
		problems = append(problems, w.checkMembers(l))
	}
	return errors.Join(problems...)
}

// checkMembers refuses a column of members that does not count from 1: if it has a 0, even for an excluded participant,
// every other number is that of the participant before. No exclusion helps.
func (w *Within) checkMembers(l *listed.List) error {
	if err := l.CheckColumn("member", w.Member); err != nil {
		return err
	}
	values, _ := l.Sheet.Column(w.Member)
	for i, value := range values {
		text, _ := cell.Whole(value)
		if n, err := strconv.Atoi(text); err == nil && n == 0 {
			return fmt.Errorf("member: %s:%d: column %q has a 0, so it counts from 0, but the first participant of a file is 1; add 1 to all numbers of the column",
				l.Path, l.Sheet.Lines[i], w.Member)
		}
	}
	return nil
}

// whole is a number from 1; 0 for any other text.
func whole(text string) int {
	text, _ = cell.Whole(text)
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// labelFile reports whether names is a file, and no variable.
func (w *Within) labelFile() bool {
	return strings.ContainsAny(w.Names, "{/\\") && !strings.HasSuffix(w.Names, "}") ||
		slices.Contains([]string{".tsv", ".csv", ".txt"}, strings.ToLower(filepath.Ext(w.Names)))
}

// of is the layout of a participant's file in a row of the table.
func (w *Within) of(l *listed.List, row listed.Row, y region.Layout, path string, matrix bool, labels *located.Source) (
	region.Layout, error) {
	y.Variable, y.Regions, y.Range, y.Transpose = w.Variable, w.Regions, w.Range, w.Transpose && !matrix
	if labels == nil {
		y.Names = w.Names
	}
	if w.Member != "" {
		if y.Member = whole(w.Member); y.Member == 0 {
			value := row.Cells.Get(w.Member)
			if y.Member = whole(value); y.Member == 0 {
				return y, fmt.Errorf("member: column %q is %q, expected a number from 1", w.Member, value)
			}
		}
	}
	y, err := y.Recognized(path, matrix)
	if err != nil {
		return y, err
	}
	from := y.Beside(path)
	if labels != nil {
		if from, err = labels.File(l, row); err != nil {
			return y, err
		}
	} else if _, err := os.Stat(from); from == "" || errors.Is(err, fs.ErrNotExist) || w.Names != "" {
		return y, nil
	}
	f, err := userfile.Open(from)
	if err != nil {
		return y, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err == nil {
		y.Labels, y.Atlas, err = y.ReadLabels(b)
	}
	if err != nil {
		return y, fmt.Errorf("%s: %w", userfile.NameIn(l.Dir, from), err)
	}
	y.Names = ""
	return y, nil
}

// A Reading is one file of a participant, with its layout.
type Reading struct {
	ID     string // of the participant
	Part   string // its run or session, "" where it has one file
	Path   string
	Row    listed.Row
	Layout region.Layout
	Found  *region.Contents // nil where the file was not read
	Names  []string         // of its regions, by the file itself; nil for none
	Listed bool             // whether Names is known
	Doubts []column.Note    // about all files, of the first one
	Err    error

	person  region.Person
	fewRows string // of a file that was not read whole, as in Found
}

// Locate finds where the numbers stand within files, and reads those whose numbers do not stand alone. base is what
// the parameters of entries state, with the node list that is given, and source where
// the files of the table's rows are, nil where it does not have them.
func (w *Within) Locate(all []*Reading, l *listed.List, source *located.Source, base region.Layout,
	matrix bool) error {
	if err := w.check(l); err != nil {
		return err
	}
	var labels *located.Source
	if w.labelFile() {
		var err error
		if labels, err = located.Of(l, "names", "tsv", w.Names); err != nil {
			return err
		}
	}
	for _, f := range all {
		f.Layout, f.Err = w.of(l, f.Row, base, f.Path, matrix, labels)
	}
	if labels != nil {
		namesOfOthers(all, labels, l)
	}
	requireKeys(all)
	oneAtlas(all)
	readAll(all, matrix)
	ofOthers(all, l)
	namesOfMembers(all, l)
	oneOrder(all)
	oneWidth(all)
	oneCondition(all)
	if err := w.checkOrientation(all, matrix); err != nil {
		return err
	}
	return w.checkNumbers(all, l, source)
}

// hasVariables reports whether a file is one of variables, by its name.
func (f *Reading) hasVariables() bool {
	return slices.Contains([]string{"mat", "npz"}, userfile.FormatOf(f.Path))
}

// readAll reads the files whose numbers do not stand alone: those with a layout, and those among other variables.
func readAll(all []*Reading, matrix bool) {
	dense.Each(runtime.GOMAXPROCS(0), len(all), func(i int) {
		f := all[i]
		switch {
		case f.Err != nil:
		case !f.Layout.Plain() || f.hasVariables():
			f.Err = f.read(matrix)
		case !matrix:
			f.fewRows = fewRows(f.Path)
		}
	})
}

// fewRows notes a file that is not read whole; what cannot be read, its task reports.
func fewRows(path string) string {
	file, err := userfile.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	return region.FewRows(file)
}

// series are those of a file that is not read whole; nil where they cannot be read.
func (f *Reading) series() *region.Contents {
	file, err := userfile.Open(f.Path)
	if err != nil {
		return nil
	}
	defer file.Close()
	c, _ := region.ReadSeries(file, f.Layout)
	return c
}

func (f *Reading) read(matrix bool) error {
	file, err := userfile.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	if matrix && f.Layout.Plain() { // the stage has the variable
		f.Names, f.person, err = region.NamesAmong(file, f.Layout)
		f.Listed = err == nil
		if errors.As(err, new(region.NamesError)) {
			return err
		}
		return nil
	}
	read := region.ReadSeries
	if matrix {
		read = region.ReadSquares
	}
	c, err := read(file, f.Layout)
	if err != nil {
		return err
	}
	nodes := f.Layout.Size()
	if x := c.Draws[0]; !matrix && c.Names == nil && f.Layout.Range == nil && x.Cols != nodes &&
		x.Rows == nodes && !f.Layout.Transpose {
		f.Layout.Transpose = true
		c.FewRows = ""
		c.Notes = append(c.Notes, fmt.Sprintf("%d rows and %d columns with %d regions in the list: the rows are regions, and were transposed", x.Rows, x.Cols, nodes))
		c.Draws[0].Rows = x.Cols
	}
	f.Found, f.Names, f.Listed, f.person = c, c.Names, f.hasVariables(), c.Person
	return nil
}

// Notes are those of the program that wrote the file, and of the file, if it was read.
func (f *Reading) Notes(port string, matrix bool) []string {
	notes := []string{f.Layout.Note(matrix)}
	few := f.fewRows
	if f.Found != nil {
		for _, note := range f.Found.Notes {
			notes = append(notes, port+": "+note)
		}
		few = f.Found.FewRows
	}
	if few != "" {
		notes = append(notes, port+": "+few)
	}
	return notes
}
