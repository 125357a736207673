package cohort

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// Within are the parameters that state where the numbers stand within files of other programs.
type Within struct {
	Variable  string   `param:"variable" doc:"in a .mat file: the variable, as MATLAB names it: ts, out.timeseries, sub(2).ts, data{4}; by default the only one that fits, or that of a known program (CONN, DPABI, GIFT)"`
	Names     string   `param:"names" place:"maybe" doc:"the names of the regions: a variable of the same .mat file (a cell or rows of characters), or a file of labels, one a line, or with a column Label in Mask, which may have {columns} in its path"`
	Regions   []string `param:"regions" doc:"the regions to take, by their names, in which * is any text and ? a character; by default all"`
	Range     []int    `param:"columns_range" doc:"the first and the last column to take, from 1, such as [5, 10]; by default all"`
	Transpose bool     `param:"transpose" doc:"time series with a row per region and a column per volume"`
	Member    string   `param:"member" doc:"of several participants (or sessions) in one file the one to take, from 1: a column of the table, or a number"`
}

// Entries are the parameters of files that list the entries of a matrix.
type Entries struct {
	Order  string `param:"order" choices:"none|upper_rows|lower_rows|full" doc:"of files that hold the triangle of a matrix as a vector: row by row above the diagonal (numpy triu_indices, scipy and MATLAB squareform, GIFT), or below it (numpy tril_indices, nilearn sym_matrix_to_vec); full is the whole matrix"`
	Base   int    `param:"base" min:"-1" max:"1" doc:"of edge lists with numbers: that of the first region, 0 or 1; -1: by the numbers, where they decide"`
	Absent string `param:"absent" choices:"refused|zero|n/a" doc:"of edge lists without all pairs, the absent ones: zero, as below a threshold, of which no partial correlation can be computed; or n/a"`
}

// layout is what they state.
func (e *Entries) layout() (y region.Layout) {
	if *e == (Entries{}) { // not read from a pipeline file
		return y
	}
	if e.Order != "none" {
		y.Order = e.Order
	}
	if e.Base >= 0 {
		y.Base = &e.Base
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
		problems = append(problems, l.CheckColumn("member", w.Member))
	}
	return errors.Join(problems...)
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
func (w *Within) of(l *listed.List, row listed.Row, y region.Layout, path string, matrix bool, labels *fileSource) (
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
		if from, err = labels.of(l, row); err != nil {
			return y, err
		}
	} else if _, err := os.Stat(from); from == "" || err != nil || w.Names != "" {
		return y, nil
	}
	f, err := userfile.Open(from)
	if err != nil {
		return y, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err == nil {
		y.Labels, err = y.ReadLabels(b)
	}
	if err != nil {
		return y, fmt.Errorf("%s: %w", userfile.NameIn(l.Dir, from), err)
	}
	y.Names = ""
	return y, nil
}

// A reading is one file of a participant, with its layout.
type reading struct {
	of     *Subject
	port   string
	path   string
	layout region.Layout
	found  *region.Contents
	err    error
}

// layouts finds where the numbers stand within each participant's files, and makes the port layout where they need it.
// nodes is the number of regions of a list that is given, 0 for none.
func (r *Roster) layouts(w *Within, base region.Layout, l *listed.List, nodes int, port string) error {
	if err := w.check(l); err != nil {
		return err
	}
	matrix := port != "series"
	var labels *fileSource
	if w.labelFile() {
		var err error
		if labels, err = sourceOf(l, "names", "tsv", w.Names); err != nil {
			return err
		}
	}
	rows := map[string][]listed.Row{}
	for _, row := range l.Rows {
		rows[row.ID] = append(rows[row.ID], row)
	}
	var all []*reading
	for i := range r.Subjects {
		s := &r.Subjects[i]
		of := rows[s.ID]
		for j, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			if path, there := run.Files[port]; there {
				y, err := w.of(l, of[min(max(j-1, 0), len(of)-1)], base, path, matrix, labels)
				y.Size = nodes
				all = append(all, &reading{of: s, port: port, path: path, layout: y, err: err})
			}
		}
	}
	r.volumes = map[string]int{}
	readAll(all, matrix)
	any, by := false, map[string][]string{} // note → participants
	var said []string
	for _, f := range all {
		if f.err != nil {
			f.of.fault = userfile.Place(fmt.Errorf("%s: %w", f.path, f.err), f.path)
			if f.of.Problem == nil {
				f.of.Problem = fmt.Errorf("participant %s: its %s file: %w%s", f.of.ID, f.port, f.of.fault, r.Without(f.of.ID))
			}
			continue
		}
		for _, note := range append([]string{f.layout.Note(matrix)}, f.notes()...) {
			if note != "" && by[note] == nil {
				said = append(said, note)
			}
			by[note] = append(by[note], f.of.ID)
		}
		if f.found != nil && !matrix && f.layout.Member == 0 {
			r.volumes[f.path] = f.found.Draws[0].Rows
		}
		any = any || !f.layout.Plain()
		if f.of.layouts == nil {
			f.of.layouts = region.Layouts{}
		}
		if first, there := f.of.layouts[f.port]; there &&
			string(region.Layouts{"": first}.JSON()) != string(region.Layouts{"": f.layout}.JSON()) {
			f.of.Problem = fmt.Errorf("participant %s: its %s files differ in where the numbers stand (%s); write them alike%s",
				f.of.ID, f.port, filepath.Base(f.path), r.Without(f.of.ID))
		}
		f.of.layouts[f.port] = f.layout
	}
	for _, note := range said {
		who := ""
		if ids := slices.Compact(by[note]); len(ids) < len(r.Subjects) {
			who = " (" + words.Some(ids, 6) + ")"
		}
		r.Notes = append(r.Notes, column.Notef("%s%s", note, who))
	}
	if !any {
		return nil
	}
	r.Values = map[string]dag.Type{"layout": dag.Format("json")}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		s.Values = map[string]artifacts.Value{"layout": artifacts.Bytes{Kind: "json", Data: s.layouts.JSON()}}
	}
	return nil
}

// readAll reads the files whose numbers do not stand alone: those with a layout, and series among other variables.
func readAll(all []*reading, matrix bool) {
	var workers sync.WaitGroup
	next := make(chan *reading)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for f := range next {
				f.err = f.read(matrix)
			}
		})
	}
	for _, f := range all {
		if f.err == nil && (!f.layout.Plain() || !matrix && slices.Contains([]string{"mat", "npz"}, FormatOf(f.path))) {
			next <- f
		}
	}
	close(next)
	workers.Wait()
}

func (f *reading) read(matrix bool) error {
	file, err := userfile.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	read := region.ReadSeries
	if matrix {
		read = region.ReadSquares
	}
	c, err := read(file, f.layout)
	if err != nil {
		return err
	}
	nodes := f.layout.Size
	if x := c.Draws[0]; !matrix && c.Names == nil && f.layout.Range == nil && x.Cols != nodes &&
		x.Rows == nodes && !f.layout.Transpose {
		f.layout.Transpose = true
		c.Notes = []string{fmt.Sprintf("%d rows and %d columns with %d regions in the list: the rows are regions, and were transposed", x.Rows, x.Cols, nodes)}
		c.Draws[0].Rows = x.Cols
	}
	f.found = c
	return nil
}

// notes are those of the file that was read.
func (f *reading) notes() []string {
	if f.found == nil {
		return nil
	}
	return lists.Map(f.found.Notes, func(note string) string { return f.port + ": " + note })
}

// labelNames are the labels of all participants' files, of which one may lack some: in the order of their numbers,
// where all are numbers. It is nil where the files have no such labels.
func (r *Roster) labelNames(port string) (names []string) {
	for _, s := range r.Subjects {
		y := s.layouts[port]
		if y.Labels == nil || s.Problem != nil {
			continue
		}
		for _, name := range y.Chosen() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { _, err := strconv.Atoi(name); return err != nil }) {
		slices.SortFunc(names, dag.CompareValues)
	}
	return names
}
