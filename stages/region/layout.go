package region

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/mat5"
)

// A Layout states where a participant's series or matrix stands in a file of another program, and how it is read. The
// zero Layout is that of a file with nothing else in it.
type Layout struct {
	Program   string   `json:"program,omitempty"`       // a program whose files have a form of their own
	Variable  string   `json:"variable,omitempty"`      // as MATLAB names it: ts, out.timeseries, data{4}
	Names     string   `json:"names,omitempty"`         // the variable with the names of the regions
	Labels    []string `json:"labels,omitempty"`        // these names, from another file
	Regions   []string `json:"regions,omitempty"`       // patterns of the names to take; nil: all
	Range     []int    `json:"columns_range,omitempty"` // the first and the last column to take, from 1
	Transpose bool     `json:"transpose,omitempty"`
	Member    int      `json:"member,omitempty"` // which of several in the file, from 1; 0 where it has one
	FisherZ   bool     `json:"fisher_z,omitempty"`
	Order     string   `json:"order,omitempty"`   // of a vector of a triangle: upper_rows, lower_rows, full
	Base      *int     `json:"base,omitempty"`    // the number of the first region in an edge list
	Numbers   string   `json:"numbers,omitempty"` // what those of an edge list are in the node list: ids, names or rows
	Absent    string   `json:"absent,omitempty"`  // what pairs are that an edge list lacks: zero or n/a
	Weighted  bool     `json:"drop_zero_weights,omitempty"`

	Nodes *encoding.Table   `json:"-"` // the node list, where it is known
	Atlas map[string]string `json:"-"` // the path that defines each label, where an order key states it
}

// A Layouts value is that of each port of a participant.
type Layouts map[string]Layout

// JSON is the text of the layouts.
func (l Layouts) JSON() []byte { return []byte(column.JSON(l) + "\n") }

// LayoutOf is the layout of a port; the zero one where nothing is connected.
func LayoutOf(t *dag.Task, port string) (Layout, error) {
	if !t.Has("layout") {
		return Layout{}, nil
	}
	all := Layouts{}
	err := ReadJSON(t.In("layout"), &all)
	return all[port], err
}

// LayoutPort is the input of stages that read files of other programs.
func LayoutPort() dag.Port {
	return dag.Port{Name: "layout", Type: dag.Format("json"), Optional: true,
		Doc: "where the numbers stand in the file, as the cohort's parameters and the program that wrote it give it (cohort.layout)"}
}

// Contents are the numbers of a participant's file.
type Contents struct {
	Names   []string              // of the columns; nil where they have none
	Own     []string              // those that the file has itself, where labels of another file replace them
	Width   int                   // columns of the file, before some were taken
	Many    int                   // matrices in the file: of participants, sessions or draws
	Person  Person                // whose file it is by itself
	Members []List                // lists with an entry for each participant in the file
	Draws   []connectivity.Matrix // one of series
	TR      float64               // repetition time, s; 0 where the file does not state it
	Notes   []string              // about the file: what was decided
	FewRows string                // a note on series that may be regions × volumes; "" for none
	Unequal string                // the condition in which its volumes have unequal weights; "" for none
	State   string                // the condition of the task; "" where the file does not state it
	Sparse  bool                  // entries that are absent are 0
	FisherZ bool                  // the heading of the values states so
	Filled  bool                  // the file has no diagonal
}

// Programs whose files are recognized, with the names of their files.
const (
	conn   = "CONN"
	dpabi  = "DPABI"
	gretna = "GRETNA"
	gift   = "GIFT"
)

// programs are what each of them writes.
var programs = []struct {
	path   pattern.Pattern // of the last directory and the file
	matrix bool
	layout Layout
	refuse string
}{
	{pattern.New(`/ROI_Subject\d+_Condition\d+\.mat$`), false, Layout{Program: conn, Variable: "data", Names: "names"}, ""},
	{pattern.New(`/resultsROI_(Subject\d+_)?Condition\d+\.mat$`), true, Layout{Program: conn, Variable: "Z", Names: "names", FisherZ: true}, ""},
	{pattern.New(`/swresultsROI_.*\.mat$`), true, Layout{Program: conn},
		"sliding windows of CONN, not one matrix of a participant: name resultsROI_… files"},
	{pattern.New(`/ROISignals_[^/]+\.(mat|txt)$`), false, Layout{Program: dpabi, Variable: "ROISignals"}, ""},
	{pattern.New(`/ROICorrelation_FisherZ_[^/]+\.(mat|txt)$`), true, Layout{Program: dpabi, Variable: "ROICorrelation_FisherZ", FisherZ: true}, ""},
	{pattern.New(`/ROICorrelation_[^/]+\.(mat|txt)$`), true, Layout{Program: dpabi, Variable: "ROICorrelation"}, ""},
	{pattern.New(`/GretnaTimeCourse/[^/]+\.txt$`), false, Layout{Program: gretna}, ""},
	{pattern.New(`/GretnaSFCMatrixR/r[^/]+\.txt$`), true, Layout{Program: gretna}, ""},
	{pattern.New(`/GretnaSFCMatrixZ/z[^/]+\.txt$`), true, Layout{Program: gretna, FisherZ: true}, ""},
	{pattern.New(`_post_process_sub_\d+\.mat$`), true, Layout{Program: gift, Variable: "fnc_corrs", FisherZ: true}, ""},
	{pattern.New(`_dfnc_sub_\d+_sess_\d+_results\.mat$`), true, Layout{Program: gift},
		"FNCdyn of GIFT has sliding windows (windows × pairs), not one matrix of a participant: name …_post_process_sub_… files"},
}

// Recognized adds to a layout what a program writes into files of this name; a variable that the user names is read as
// that.
func (l Layout) Recognized(path string, matrix bool) (Layout, error) {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	for _, p := range programs {
		if p.matrix != matrix || !p.path.MatchString(path) || l.Variable != "" && l.Variable != p.layout.Variable {
			continue
		}
		if p.refuse != "" {
			return l, errors.New(p.refuse)
		}
		l.Program, l.Variable, l.FisherZ = p.layout.Program, p.layout.Variable, p.layout.FisherZ
		if l.Names == "" && l.Labels == nil {
			l.Names = p.layout.Names
		}
		return l, nil
	}
	return l, nil
}

// Beside is the file with the names of the regions that a program leaves beside one of its files, "" for none.
func (l Layout) Beside(path string) string {
	dir, base := filepath.Split(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	switch l.Program {
	case dpabi:
		for _, prefix := range []string{"ROISignals_", "ROICorrelation_FisherZ_", "ROICorrelation_"} {
			if sub, ok := strings.CutPrefix(name, prefix); ok {
				return filepath.Join(dir, "ROI_OrderKey_"+sub+".tsv")
			}
		}
	case gretna: // also beside the matrices of the same regions, where GRETNA writes it
		for _, of := range []string{filepath.Base(dir), "GretnaSFCMatrixR", "GretnaSFCMatrixZ"} {
			index := filepath.Join(filepath.Dir(filepath.Clean(dir)), of, "NodalIndex.txt")
			if _, err := os.Stat(index); err == nil {
				return index
			}
		}
	case gift:
		prefix, _, _ := strings.Cut(name, "_post_process_sub_")
		return filepath.Join(filepath.Dir(filepath.Clean(dir)), prefix+"_postprocess_results.mat")
	}
	return ""
}

// ReadLabels reads the names of the regions from the file that Beside gives, or from a file of labels. atlas is the
// definition of each region, where the file states it.
func (l Layout) ReadLabels(b []byte) (labels []string, atlas map[string]string, err error) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch l.Program {
	case gift:
		all, err := mat5.Read(bytes.NewReader(b))
		if err != nil {
			return nil, nil, err
		}
		v, err := mat5.Find(all, "components")
		if err != nil {
			return nil, nil, err
		}
		numbers, err := v.All()
		return lists.Map(numbers, number), nil, err
	case gretna:
		_, x, err := connectivity.ReadText(bytes.NewReader(b))
		return lists.Map(x.Data, number), nil, err
	}
	return keyLabels(b)
}

// keyLabels are the labels of an order key, of its column Label in Mask in the order of its column Order, and the
// image that defines each (ROI Definition; y_ExtractROISignal.m). Of another table, the labels are those of the column
// that its heading names so; one column needs no heading.
func keyLabels(b []byte) (labels []string, atlas map[string]string, err error) {
	const label, order, definition = "Label in Mask", "Order", "ROI Definition"
	var places []int
	at := map[string]int{} // columns of the key, nil before the first line
	rows := labelRows(string(b))
	n, names, ok := cell.Numbered(lists.Map(rows, func(fields []string) string { return strings.Join(fields, "\t") }))
	if ok && len(rows[0]) == 1 && !slices.IsSorted(n) {
		return nil, nil, fmt.Errorf("the first column of the files may be %s, the first line, or %s, the lowest of the numbers that the lines begin with: sort the lines by these numbers if they count the columns, else remove the numbers",
			names[0], names[slices.Index(n, slices.Min(n))])
	}
	for i, fields := range rows {
		if i == 0 {
			for k, name := range fields {
				at[name] = k
			}
			if _, there := at[label]; there {
				continue
			}
			k := 0
			if len(fields) > 1 {
				if k, err = labelColumn(rows); err != nil {
					return nil, nil, err
				}
			}
			if at = map[string]int{label: k}; len(fields) > 1 || cell.Heading(fields[0]) {
				continue
			}
		}
		get := func(column string) string {
			if k, there := at[column]; there && k < len(fields) {
				return fields[k]
			}
			return ""
		}
		name := get(label)
		if name == "" {
			return nil, nil, fmt.Errorf("row %d of the order key has no label", len(labels)+1)
		}
		labels = append(labels, name)
		if _, there := at[order]; there {
			n, err := strconv.Atoi(get(order))
			if err != nil || n < 1 || slices.Contains(places, n) {
				return nil, nil, fmt.Errorf("row %d of the order key has the %s %q, but the rows are numbered 1, 2, 3 … in the order of the columns",
					len(labels), order, get(order))
			}
			places = append(places, n)
		}
		if image := get(definition); image != "" {
			if atlas == nil {
				atlas = map[string]string{}
			}
			if was, again := atlas[name]; again && was != image {
				return nil, nil, fmt.Errorf("label %s of the order key occurs in two images, %s and %s, and stands for two regions: name the columns in a different way (names: FILE, with a label a line)",
					name, was, image)
			}
			atlas[name] = image
		}
	}
	if labels == nil {
		return nil, nil, errors.New("it lists no region")
	}
	sorted := slices.Clone(labels)
	for i, n := range places {
		if n > len(labels) {
			return nil, nil, fmt.Errorf("the order key has %d rows, but one has the %s %d", len(labels), order, n)
		}
		sorted[n-1] = labels[i]
	}
	return sorted, atlas, nil
}

// labelRows are the cells of a list of labels, of tabs or else of commas or semicolons. Those before a blank, or that
// not all lines have, are of the labels.
func labelRows(text string) (rows [][]string) {
	text = strings.TrimPrefix(text, "\ufeff")
	for _, between := range []rune{',', ';'} {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.LazyQuotes = between, true
		records, err := r.ReadAll() // refuses lines of other numbers of cells
		apart := func(record []string) bool {
			return !slices.ContainsFunc(record[1:], func(s string) bool { return strings.HasPrefix(s, " ") })
		}
		if err == nil && len(records) > 1 && len(records[0]) > 1 && !strings.Contains(text, "\t") &&
			slices.ContainsFunc(records, apart) {
			return lists.Map(records, func(record []string) []string { return lists.Map(record, strings.TrimSpace) })
		}
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			rows = append(rows, lists.Map(strings.Split(strings.TrimRight(line, "\r\n"), "\t"), strings.TrimSpace))
		}
	}
	return rows
}

// labelColumn is the column of a table with the labels of the regions: the one whose heading is that of names, or else
// the one with a heading of regions. Rows that a column numbers in another order are refused.
func labelColumn(rows [][]string) (column int, err error) {
	values := func(k int) []string {
		return lists.Map(rows[1:], func(fields []string) string { return fields[min(k, len(fields)-1)] })
	}
	var names, others []int
	for k, heading := range rows[0] {
		switch {
		case nameHeading.MatchString(heading):
			names = append(names, k)
		case usualName.MatchString(heading):
			others = append(others, k)
		}
		if permuted(values(k)) {
			return 0, fmt.Errorf("its column %s numbers the rows in a different order: sort the rows by it where it is the order of the columns of the files, else remove it",
				heading)
		}
	}
	if names == nil {
		names = others
	}
	if len(names) == 1 {
		return names[0], nil
	}
	var readings []string
	for k, heading := range rows[0] {
		readings = append(readings, fmt.Sprintf("column %d (%.40s, %s)", k+1, heading, words.Some(values(k), 2)))
	}
	return 0, fmt.Errorf("it has %d columns, and %s: the names may be those of %s; write name above the column with the names, or a label a line, in the order of the columns of the files",
		len(rows[0]), map[bool]string{true: "no heading of its first line is that of names",
			false: "several headings are those of names"}[names == nil], strings.Join(readings, " or of "))
}

// nameHeading is the heading of a column of names, rather than of numbers.
var nameHeading = pattern.New(`(?i)^((roi|region|node|parcel|atlas|area)s?[ _]?)?names?$`)

// Plain reports whether a file needs no layout.
func (l Layout) Plain() bool {
	return l.Program == "" && l.Variable == "" && l.Names == "" && l.Labels == nil && l.Regions == nil &&
		l.Range == nil &&
		!l.Transpose && l.Member == 0 && l.Order == "" && l.Base == nil && l.Numbers == "" && l.Absent == "" &&
		!l.Weighted
}

// Size is the number of regions of the node list, 0 where it is not known.
func (l Layout) Size() int {
	if l.Nodes == nil {
		return 0
	}
	return l.Nodes.Rows()
}

// Named reports whether the names of the regions stand outside the columns.
func (l Layout) Named() bool { return l.Names != "" && l.Names != NoNames || l.Labels != nil }

// Chosen are the labels that are taken.
func (l Layout) Chosen() []string {
	take, err := l.chosen(l.Labels, len(l.Labels))
	if err != nil { // whoever reads the file reports it
		return nil
	}
	return lists.Map(take, func(i int) string { return l.Labels[i] })
}

// Note states what was recognized of a program.
func (l Layout) Note(matrix bool) string {
	what := "time series"
	if matrix {
		what = "matrices"
	}
	var how []string
	if l.Program == conn && !matrix {
		how = append(how, "denoised and filtered there; the regions are the names with a dot and one column")
	}
	if l.FisherZ {
		how = append(how, "Fisher's z, transformed back to correlation")
	}
	if l.Program == gretna && matrix {
		how = append(how, "a row of 0 is a missing region, and the diagonal is 0")
	}
	if l.Program == dpabi && !l.Named() {
		how = append(how, "without order keys (ROI_OrderKey_….tsv), the region of a column is its position")
	}
	if l.Program == dpabi && l.Labels != nil {
		how = append(how, "the order keys have the names of the columns, and a label without a column is a missing region")
	}
	if l.Program == "" {
		return ""
	}
	note := fmt.Sprintf("%s from %s", what, l.Program)
	if l.Variable != "" {
		note += fmt.Sprintf(" (%s)", l.Variable)
	}
	if how != nil {
		note += ": " + strings.Join(how, "; ")
	}
	return note
}

// named checks the names that another file gives.
func (l Layout) named(columns int) ([]string, error) {
	if l.Labels == nil {
		return nil, nil
	}
	if len(l.Labels) != columns {
		return nil, fmt.Errorf("%d columns, but %d labels in the file that names them: the two are not of one run", columns, len(l.Labels))
	}
	return l.Labels, nil
}

// chosen are the columns, from 0, that the range and the patterns take.
func (l Layout) chosen(names []string, columns int) ([]int, error) {
	take := lists.UpTo(columns)
	if l.Range != nil {
		if first, last := l.Range[0], l.Range[1]; first < 1 || last < first || last > columns {
			return nil, fmt.Errorf("columns_range is [%d, %d], but there are the columns 1 to %d", first, last, columns)
		}
		take = take[l.Range[0]-1 : l.Range[1]]
	}
	if l.Regions == nil {
		return take, nil
	}
	if names == nil {
		return nil, errors.New("regions chooses columns by their names, but they have none; set names, or columns_range")
	}
	at, err := l.matching(names)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(take, func(i int) bool { return !at[i] }), nil
}

// matching reports which names one of the patterns matches.
func (l Layout) matching(names []string) ([]bool, error) {
	at := make([]bool, len(names))
	var unmatched []string
	for _, p := range l.Regions {
		quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(p))
		re, any := regexp.MustCompile("(?s)^"+quoted+"$"), false
		for i, name := range names {
			if re.MatchString(name) {
				at[i], any = true, true
			}
		}
		if !any {
			unmatched = append(unmatched, p)
		}
	}
	if unmatched != nil {
		return nil, fmt.Errorf("regions: no name matches %s; the names are %s", strings.Join(unmatched, ", "), words.Some(names, 8))
	}
	return at, nil
}

// arrangeSeries turns series to volumes × regions and takes the columns of the layout.
func (l Layout) arrangeSeries(c *Contents) error {
	x := c.Draws[0]
	if l.Labels != nil {
		c.Own, c.Names = c.Names, l.Labels
	}
	turn, given := l.Transpose, c.Names != nil
	if given && !turn && len(c.Names) != x.Cols && len(c.Names) == x.Rows {
		turn = true
		c.Notes = append(c.Notes, fmt.Sprintf("%d rows and %d columns with %d names: the rows are regions, and were transposed", x.Rows, x.Cols, len(c.Names)))
	} else if given && !turn && x.Rows == x.Cols {
		c.Notes = append(c.Notes, "as many rows as columns: the rows are read as volumes; if they are regions, set transpose: true")
	}
	if !given && !turn && x.Rows == x.Cols && x.Rows >= FewestRows {
		rows, columns := Neighbors(x)
		if down, along := exact.Mean(rows), exact.Mean(columns); along > down+ClearlyMore {
			return fmt.Errorf("as many rows as columns (%d), which have no names, and the lag-1 autocorrelation along the rows (%.2f) is higher than down the columns (%.2f), so the rows may be regions; transpose the file, or set transpose: true if all files are so, or give the names of the columns (names)",
				x.Rows, along, down)
		}
	}
	if turn {
		x = transposed(x)
	}
	if !turn && x.Rows < x.Cols {
		c.FewRows = fewRowsNote(x.Rows, x.Cols)
	}
	if given && len(c.Names) != x.Cols {
		return fmt.Errorf("%d names for %d rows and %d columns", len(c.Names), c.Draws[0].Rows, c.Draws[0].Cols)
	}
	c.Width = x.Cols
	take, err := l.chosen(c.Names, x.Cols)
	if err != nil {
		return err
	}
	if len(take) < x.Cols {
		y := connectivity.NewMatrix(x.Rows, len(take))
		for i := range x.Rows {
			for k, j := range take {
				y.Row(i)[k] = x.At(i, j)
			}
		}
		x = y
		c.take(take)
	}
	c.Draws = []connectivity.Matrix{x}
	return nil
}

// take keeps the names of some columns.
func (c *Contents) take(columns []int) {
	if c.Names != nil {
		all := c.Names
		c.Names = lists.Map(columns, func(j int) string { return all[j] })
	}
}

// arrangeSquares takes the regions of the layout and turns Fisher's z back to correlations.
func (l Layout) arrangeSquares(c *Contents) error {
	n := c.Draws[0].Cols
	if names, err := l.named(n); err != nil {
		return err
	} else if names != nil {
		c.Own, c.Names = c.Names, names
	}
	c.Width = n
	take, err := l.chosen(c.Names, n)
	if err != nil {
		return err
	}
	if len(take) < n {
		for d, x := range c.Draws {
			y := connectivity.NewMatrix(len(take), len(take))
			for a, i := range take {
				for b, j := range take {
					y.Row(a)[b] = x.At(i, j)
				}
			}
			c.Draws[d] = y
		}
		c.take(take)
	}
	for _, x := range c.Draws {
		if l.Program == gretna {
			zerosAreMissing(x)
		}
		if l.FisherZ {
			l.correlations(x)
		}
	}
	return nil
}

// zerosAreMissing marks regions whose row and column are 0: GRETNA writes 0 for NaN (gretna_RUN_StaticFC.m).
func zerosAreMissing(x connectivity.Matrix) {
	for i := range x.Rows {
		zero := true
		for j := range x.Cols {
			zero = zero && (x.At(i, j) == 0 || math.IsNaN(x.At(i, j))) && (x.At(j, i) == 0 || math.IsNaN(x.At(j, i)))
		}
		for j := range x.Cols {
			if zero {
				x.Row(i)[j], x.Row(j)[i] = math.NaN(), math.NaN()
			}
		}
	}
}

// correlations turns Fisher's z back. GIFT writes ½(ln(1+ε+r) − ln(1+ε−r)) with ε = 1e-8 (icatb_r_to_z.m), of which
// r is (1+ε)·tanh z.
func (l Layout) correlations(x connectivity.Matrix) {
	scale := 1.0
	if l.Program == gift {
		scale = 1 + 1e-8
	}
	for i, z := range x.Data {
		row, column := i/x.Cols, i%x.Cols
		if math.IsInf(z, 0) && row != column { // no two regions have a correlation of 1; Given refuses it
			continue
		}
		x.Data[i] = float64(scale * exact.Tanh(z))
		if row == column && !math.IsNaN(z) {
			x.Data[i] = 1 // 0 and other constants stand for it
		}
	}
}

// AddAbsent adds the nodes that a file lacks: missing regions for labels of DPABI without a voxel in the participant's
// mask (y_ExtractROISignal.m), and regions without an edge in an edge list.
func (l Layout) AddAbsent(c *Contents, nodes *encoding.Table) error {
	if c.Names == nil || Counted(c.Names) || (l.Program != dpabi || l.Labels == nil) && l.Absent == "" {
		return nil
	}
	rows, err := column.Rows[called](nodes)
	if err != nil {
		return err
	}
	have := lists.Set(c.Names)
	var absent []string
	for _, r := range rows {
		id := ""
		if r.ID != nil {
			id = strconv.Itoa(int(*r.ID))
		}
		if !have[r.Name] && !have[r.Abbreviation] && !have[id] {
			absent = append(absent, r.Name)
		}
	}
	if absent == nil {
		return nil
	}
	for d, x := range c.Draws {
		rows, columns := x.Rows, x.Cols+len(absent)
		square := x.Rows == len(c.Names) && x.Rows == x.Cols && l.Variable != "ROISignals"
		if square {
			rows = columns
		}
		y := connectivity.NewMatrix(rows, columns)
		fill := math.NaN()
		if l.Absent == "zero" {
			fill = 0
		}
		for i := range y.Data {
			y.Data[i] = fill
		}
		for i := range x.Rows {
			copy(y.Row(i), x.Row(i))
		}
		c.Draws[d] = y
	}
	c.Names = append(slices.Clone(c.Names), absent...)
	return nil
}
