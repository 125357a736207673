// Package duplicates compares the scans of a table, without a pipeline file: which are one scan under two ids.
package duplicates

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
	"prgnn/numeric/dense"
	"prgnn/stages/assess/leakage"
	"prgnn/stages/chart"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
	"prgnn/stages/wording"
)

// Options are what a person asks for.
type Options struct {
	Table, Sheet     string // the sheet of a workbook; "" for its only one
	Series, Matrices string // a column, or a path with {columns}; one of the two
	ID, Family       string // columns; "" for the first, and for one with the name of a column of families
	Path             string // of the output; "" for none
	Figure           string // path of an SVG; "" for none
	Threads          int
	Stage            leakage.Leakage // with its limits
}

// A Row is a pair of scans.
type Row struct {
	First      string  `column:"participant_1" doc:"one participant" json:"participant_1"`
	Later      string  `column:"participant_2" doc:"the other" json:"participant_2"`
	FirstFile  string  `column:"file_1" doc:"the scan of the one" json:"file_1"`
	LaterFile  string  `column:"file_2" doc:"that of the other" json:"file_2"`
	Similarity float64 `column:"similarity" doc:"correlation of the connectivity, without the mean over participants" json:"-"`
	Limit      float64 `column:"limit" doc:"of the similarity of two scans of one person" json:"-"`
	Verdict    string  `column:"verdict" doc:"violation, caution, relatives or sessions" json:"verdict"`
	Evidence   string  `column:"evidence" doc:"why" json:"evidence"`
}

// mostProblems is how many scans that cannot be read are listed, unless the output is verbose.
const mostProblems = 20

// sessions is the verdict of two scans of one id.
const sessions = "sessions"

// evidence is that of pairs that are no violations.
var evidence = map[string]string{
	quality.Caution:   "more similar than different people: one person with two ids, relatives, or a changed copy",
	quality.Relatives: "more similar than different people, and related",
	sessions:          "scans of one participant",
}

// Is reports whether bytes are a table of this command.
func Is(b []byte) bool { return strings.HasPrefix(string(b), "participant_1\tparticipant_2\tfile_1\t") }

// A scan is a row of the table.
type scan struct {
	id, family, path string
	line             int
	session          int // among the scans of the participant, from 1
	problem          error
	names            []string
	shape            [2]int
	digest           artifacts.Digest
	size             int64
}

// Check compares the scans, prints the pairs, and fails where there is a violation or a scan that cannot be read.
func Check(a *console.Console, o Options) error {
	scans, notes, err := read(o)
	if err != nil {
		return exit.Wrong(err)
	}
	if o.Stage.Unrelated == 0 {
		notes = append(notes, "--unrelated 0: similarities of connectivity were not compared")
	}
	work, err := workdir.Make("", "prgnn-duplicates-")
	if err != nil {
		return err
	}
	defer work.Remove()
	at := func(i int) string { return filepath.Join(work.Path, strconv.Itoa(i)) }
	dense.Each(o.Threads, len(scans), func(i int) {
		if s := &scans[i]; s.problem == nil {
			s.problem = s.store(at(i), o.Matrices != "")
		}
	})
	align(scans)
	var ins []dag.Input
	with, problems, ids := map[string]string{}, []error(nil), map[string]bool{}
	for i := range scans {
		s := &scans[i]
		if s.problem != nil {
			problems = append(problems, fmt.Errorf("%s:%d: participant %s: %w", filepath.Base(o.Table), s.line, s.id, s.problem))
			continue
		}
		ids[s.id], with[s.id] = true, s.family
		ins = append(ins, dag.Input{
			Coords: []dag.Coord{{Axis: "subject", Value: s.id}, {Axis: "session", Value: strconv.Itoa(s.session)}},
			Name:   s.path, Ref: artifacts.Ref{Format: "npy", Digest: s.digest, Size: s.size},
			Reader: func() (io.ReadCloser, error) { return os.Open(at(i)) },
		})
	}
	var found leakage.Found
	if o.Matrices != "" {
		found, err = o.Stage.Compare(nil, ins, with, o.Threads)
	} else {
		found, err = o.Stage.Compare(ins, nil, with, o.Threads)
	}
	if err != nil {
		return err
	}
	rows := rowsOf(found)
	if o.Figure != "" {
		if err := draw(a, o.Figure, found.Copies); err != nil {
			return err
		}
	}
	if err := o.show(a, rows, found, notes, len(ins), len(ids)); err != nil {
		return err
	}
	violations := lists.Count(rows, func(r Row) bool { return r.Verdict == quality.Violation })
	if more := len(problems) - mostProblems; more > 0 && !a.Verbose {
		problems = append(problems[:mostProblems], fmt.Errorf("and %s cannot be read (-v lists all)",
			words.Count(more, "more scan")))
	}
	if violations > 0 || found.Copies.MostAlike {
		what := "one scan under two ids"
		if n := len(found.Repeated); n == violations && n > 0 {
			what = "one scan in two rows of a participant"
		} else if n > 0 {
			what += ", or in two rows of a participant"
		}
		problems = append(problems, fmt.Errorf("%s (%s)", words.Count(violations, "violation"), what))
	}
	if problems != nil {
		return &exit.Error{Code: exit.Failed, Err: errors.Join(problems...)}
	}
	return nil
}

// read reads the table.
func read(o Options) (scans []scan, notes []string, err error) {
	f, err := userfile.Open(o.Table)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	t, err := sheet.ReadIn(f, o.Table, sheet.Form{Sheet: o.Sheet})
	if err != nil {
		return nil, nil, err
	}
	place := func(flag, name string) (int, error) {
		if at := slices.Index(t.Columns, name); at >= 0 {
			return at, nil
		}
		return 0, fmt.Errorf("--%s: %s has no column %q%s; its columns are %s", flag, o.Table, name,
			words.DidYouMean(name, t.Columns), strings.Join(t.Columns, ", "))
	}
	id, family := 0, -1
	var wrong []error
	if o.ID != "" {
		id, err = place("id", o.ID)
		wrong = append(wrong, err)
	} else if at := slices.Index(t.Columns, "participant_id"); at >= 0 {
		id = at
	}
	if o.Family != "" {
		family, err = place("family", o.Family)
		wrong = append(wrong, err)
	} else if family = slices.IndexFunc(t.Columns, column.NamesFamily); family >= 0 {
		notes = append(notes, fmt.Sprintf("participants with one value of the column %s count as relatives (--family names another column)", t.Columns[family]))
	}
	pattern, flag := o.Series, "series"
	if o.Matrices != "" {
		pattern, flag = o.Matrices, "matrices"
	}
	if slices.Contains(t.Columns, pattern) {
		pattern = "{" + pattern + "}"
	} else if !strings.Contains(pattern, "{") {
		_, err := place(flag, pattern)
		wrong = append(wrong, fmt.Errorf("%w, or write a path with {columns}", err))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, nil, err
	}
	sessions := map[string]int{}
	for i, row := range t.Rows {
		s := scan{line: t.Lines[i]}
		s.id, _ = cell.Whole(row[id]) // 1.0, as pandas saves it
		if s.id == "" {
			return nil, nil, fmt.Errorf("%s:%d: the participant has no name (column %q is empty)", o.Table, s.line, t.Columns[id])
		}
		if family >= 0 {
			s.family = row[family]
		}
		sessions[s.id]++
		s.session = sessions[s.id]
		s.path, s.problem = fileOf(filepath.Dir(o.Table), pattern, t.Columns, row)
		scans = append(scans, s)
	}
	for name := range columnsIn(pattern) {
		if _, err := place(flag, name); err != nil {
			return nil, nil, err
		}
	}
	if len(scans) < 2 {
		return nil, nil, fmt.Errorf("%s has %s: two or more can be compared", o.Table, words.Count(len(scans), "row"))
	}
	return scans, notes, nil
}

// columnsIn are the columns that a pattern has in braces.
func columnsIn(pattern string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, after, ok := strings.Cut(pattern, "{")
			name, rest, closed := strings.Cut(after, "}")
			if !ok || !closed || !yield(name) {
				return
			}
			pattern = rest
		}
	}
}

// fileOf is the file of a row: the pattern with its cells. As in a cohort, a whole number with decimals is that number,
// too: the file that exists is taken, and two are refused.
func fileOf(dir, pattern string, columns, row []string) (string, error) {
	var written, whole []string
	for name := range columnsIn(pattern) {
		at := slices.Index(columns, name)
		if at >= 0 && row[at] == "" {
			return "", fmt.Errorf("the column %q is empty, but it names the file", name)
		}
		if at >= 0 {
			digits, _ := cell.Whole(row[at])
			written, whole = append(written, "{"+name+"}", row[at]), append(whole, "{"+name+"}", digits)
		}
	}
	path := func(cells []string) (path string, there bool) {
		path = userfile.Within(dir, strings.NewReplacer(cells...).Replace(pattern))
		_, err := os.Stat(path)
		return path, err == nil
	}
	p, there := path(written)
	plain, alsoThere := path(whole)
	switch {
	case p == plain || !alsoThere:
		return p, nil
	case there:
		return "", fmt.Errorf("the file may be %s or %s, since the table holds whole numbers with decimals: write them without",
			filepath.Base(p), filepath.Base(plain))
	}
	return plain, nil
}

// store reads the file and writes it as an array (draw, time or region, region).
func (s *scan) store(to string, matrix bool) error {
	f, err := userfile.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	var x connectivity.Matrix
	read := region.ReadSeries
	if matrix {
		read = region.ReadSquares
	}
	layout, err := region.Layout{}.Recognized(s.path, matrix)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(s.path), err)
	}
	c, err := read(f, layout)
	if errors.As(err, new(region.NamesError)) { // copies are found without names
		layout.Names = region.NoNames
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			c, err = read(f, layout)
		}
	}
	if err == nil {
		s.names, x = c.Names, c.Draws[0]
		if matrix {
			x, err = whole(x)
		} else {
			_, err = connectivity.Inspect(x)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(s.path), err)
	}
	s.shape = [2]int{x.Rows, x.Cols}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<16)
	err = encoding.NewArray(x.Data, 1, x.Rows, x.Cols).Encode(w)
	if err := errors.Join(err, w.Flush(), out.Close()); err != nil {
		return err
	}
	s.digest, s.size = artifacts.Digest(sum.Sum(nil)), int64(8*len(x.Data))
	return nil
}

// whole checks a matrix of correlations; one of other values is taken as it is, if it is symmetric.
func whole(x connectivity.Matrix) (connectivity.Matrix, error) {
	r, _, _, err := connectivity.Given(x, false)
	if !errors.As(err, new(connectivity.UnitError)) {
		return r, err
	}
	for i := range x.Rows {
		for j := range i {
			a, b := x.At(i, j), x.At(j, i)
			if math.Abs(a-b) > 1e-5*(1+math.Abs(a)) {
				return x, fmt.Errorf("row %d, column %d is %v and row %d, column %d is %v: the matrix is not symmetric", i+1, j+1, a, j+1, i+1, b)
			}
			x.Row(j)[i] = a
		}
	}
	return x, nil
}

// align refuses scans with other regions than the first one that could be read: those of other columns are no
// comparison.
func align(scans []scan) {
	first := slices.IndexFunc(scans, func(s scan) bool { return s.problem == nil })
	for i := range scans {
		if s := &scans[i]; s.problem == nil && s.shape[1] == scans[first].shape[1] && s.names != nil &&
			scans[first].names != nil && !slices.Equal(s.names, scans[first].names) {
			s.problem = fmt.Errorf("%s: its columns are not those of %s: write the same regions in one order", filepath.Base(s.path), filepath.Base(scans[first].path))
		}
	}
}

// rowsOf are the pairs: violations, cautions, relatives, then the sessions of one participant.
func rowsOf(found leakage.Found) (rows []Row) {
	nan := math.NaN()
	copies := found.Copies
	for _, d := range found.Twins {
		r := Row{d.First, d.Later, d.FirstFile, d.LaterFile, nan, nan, quality.Violation, d.How}
		for _, p := range copies.Pairs {
			if d.SamePair(fold.Duplicate{First: p.First, Later: p.Later}) {
				r.Similarity, r.Limit = p.Similarity, p.Limit
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { // NaN last
		return cmp.Compare(b.Similarity, a.Similarity)
	})
	for _, d := range found.Repeated {
		id := d.First[:strings.LastIndex(d.First, ", session ")] // of both
		rows = append(rows, Row{id, id, d.FirstFile, d.LaterFile, nan, nan, quality.Violation, d.How})
	}
	add := func(pairs []quality.CopyPair, verdict string) {
		for _, p := range pairs {
			rows = append(rows, Row{p.First, p.Later, p.FirstInput, p.LaterInput, p.Similarity, p.Limit, verdict,
				evidence[verdict]})
		}
	}
	add(copies.With(quality.Caution), quality.Caution)
	add(copies.With(quality.Relatives), quality.Relatives)
	add(copies.Sessions, sessions)
	return rows
}

// show prints what was found, and writes the table.
func (o *Options) show(a *console.Console, rows []Row, found leakage.Found, notes []string, scans, people int) error {
	if o.Path != "" {
		if err := a.MayReplace(o.Path, "a table of pairs of this command", console.Holds(Is)); err != nil {
			return err
		}
		err := a.WriteTo(o.Path, func(w io.Writer) error { return column.Table(rows).WriteCSV(w, '\t') })
		if err != nil {
			return err
		}
	}
	counts := map[string]int{}
	number := func(x float64) string {
		if math.IsNaN(x) {
			return "–"
		}
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
	g := console.Grid{Right: map[int]bool{2: true, 3: true}}
	g.Add("participant", "participant", "similarity", "limit", "verdict", "evidence")
	for _, r := range rows {
		counts[r.Verdict]++
		g.Add(r.First, r.Later, number(r.Similarity), number(r.Limit), r.Verdict, r.Evidence)
	}
	c := found.Copies
	if a.JSON {
		known := func(x float64) *float64 {
			if math.IsNaN(x) {
				return nil
			}
			return &x
		}
		for _, r := range rows {
			a.Object("pair", struct {
				Row
				Similarity *float64 `json:"similarity"`
				Limit      *float64 `json:"limit"`
			}{r, known(r.Similarity), known(r.Limit)})
		}
		for _, f := range c.Findings() {
			a.Object("finding", map[string]finding.Finding{"finding": f})
		}
		a.Object("compared", map[string]any{"scans": scans, "participants": people, "regions": c.Regions,
			"threshold": known(c.Threshold), "violations": counts[quality.Violation],
			"cautions": counts[quality.Caution], "relatives": counts[quality.Relatives], "sessions": counts[sessions]})
		return nil
	}
	if o.Path == "-" {
		return nil
	}
	if len(rows) > 0 {
		g.Wide = a.Wide()
		g.Print(a.Out)
		fmt.Fprintln(a.Out)
	}
	for _, n := range notes {
		fmt.Fprintln(a.Out, n)
	}
	for _, f := range c.Findings() {
		if f.Code == "copies.violation" || f.Code == "copies.caution" || f.Code == "copies.relatives" {
			continue // the rows are these
		}
		text, err := wording.Text(f.Code, f.Values())
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, text+".")
	}
	if c.Scans > 0 && !math.IsNaN(c.Threshold) && !c.MostAlike {
		fmt.Fprintf(a.Out, "Similarity of different people: at most %.3f (%g pairs of them above it are expected)\n", c.Threshold, c.Expected)
	}
	fmt.Fprintf(a.Out, "%s of %s: %s, %s, %s of relatives, %s of one participant\n", words.Count(scans, "scan"),
		words.Count(people, "participant"), words.Count(counts[quality.Violation], "violation"),
		words.Count(counts[quality.Caution], "caution"), words.Count(counts[quality.Relatives], "pair"),
		words.Count(counts[sessions], "pair"))
	return nil
}

// draw writes the figure of the similarities.
func draw(a *console.Console, path string, c quality.Copies) error {
	if c.Tail.Counts == nil {
		return exit.Wrongf("--figure: there are no similarities to draw: %d participants with %d regions have no distribution of their own", c.Participants, c.Regions)
	}
	kinds := []string{quality.Violation, quality.Caution, quality.Relatives}
	s := chart.Similarities{Low: quality.TailLow, Step: quality.TailStep, Counts: c.Tail.Counts, From: c.Tail.From,
		Scale: c.Tail.Scale, Pairs: c.Tail.Pairs, Threshold: math.Atanh(c.Threshold)}
	for _, p := range c.Pairs {
		s.Above = append(s.Above, chart.SimilarPair{Name: p.First + ", " + p.Later, R: p.Similarity, Limit: p.Limit,
			Kind: slices.Index(kinds, p.Verdict())})
	}
	svg, err := chart.Copies(s, kinds).SVG()
	if err != nil {
		return err
	}
	ours := console.Holds(func(b []byte) bool { return bytes.Contains(b, []byte("<svg")) })
	if err := a.MayReplace(path, "a figure", ours); err != nil {
		return err
	}
	return a.WriteFile(path, console.Content(svg))
}
