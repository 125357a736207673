// Package describe tells what a file holds, and what a stage kind does.
package describe

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/foreign"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/internal/workbook"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/mat5"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
)

// A FileEvent is what a file holds, or why it cannot be read.
type FileEvent struct {
	Path   string `json:"path"`
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitempty"`
}

// images describes an image; nil in a program without them.
var images func(a *console.Console, e FileEvent, withStats bool) error

// RegisterImages adds images to the files that the program describes.
func RegisterImages(describe func(a *console.Console, e FileEvent, withStats bool) error) {
	images = describe
}

// File describes a file by its content: an image, an array or a table. With withStats the voxels of an image are read
// too; rows is how many rows of a table are shown, 0 for the default; sheetName is the sheet of a workbook, "" for its
// only one. A flag that is not for such a file is refused.
func File(a *console.Console, path string, withStats bool, rows int, sheetName string) error {
	e := FileEvent{Path: path}
	err := func() error {
		f, err := regular.Open(path)
		if err != nil {
			return foreign.Missing(path, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		e.Bytes = info.Size()
		var magic [foreign.Enough]byte
		n, _ := io.ReadFull(f, magic[:])
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		e.Format = results.FormatOf(magic[:n])
		if sheetName != "" && !workbook.Is(magic[:n]) {
			return exit.Wrongf("%s is not a workbook, but --sheet is for workbooks (.xlsx); leave it out", path)
		}
		switch e.Format {
		case "npy", "arrow", "parquet":
			if withStats {
				return exit.Wrongf("%s is no image (%s): --stats is for the voxels of images: leave it out", path, e.Format)
			}
			if rows > 0 && e.Format == "npy" && !a.JSON {
				return exit.Wrongf("%s is an array: --rows is for tables, and with --json for arrays: leave it out", path)
			}
			return inspectValue(a, e, f, cmp.Or(rows, 5))
		}
		if variables, is, err := region.Variables(f); is {
			if err != nil && !withStats && rows == 0 && inspectModel(a, e, f) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if rows > 0 || withStats {
				return exit.Wrongf("%s has variables: --rows is for tables, and --stats for images: leave them out", path)
			}
			inspectVariables(a, e, variables)
			return nil
		}
		control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r", r) }
		at := bytes.IndexFunc(magic[:n], control)
		reason := cmp.Or(cutShort(magic[:n]), foreign.Name(magic[:n]))
		switch {
		case workbook.Is(magic[:n]):
			e.Format = "xlsx"
		case reason != "":
			return fmt.Errorf("%s: %s", path, reason)
		case n > 0 && at < 0, at > 0 && bytes.IndexByte(magic[:n], 0) < 0 && utf8.Valid(magic[:at]): // in a cell
			e.Format = "text"
		}
		if e.Format == "xlsx" || e.Format == "text" {
			if rows > 0 || withStats {
				return exit.Wrongf("%s is a %s, but --rows is for tables of Arrow and Parquet, and --stats for images: leave them out",
					path, map[string]string{"xlsx": "workbook", "text": "text"}[e.Format])
			}
			return inspectSheet(a, e, f, sheetName)
		}
		if rows > 0 {
			return exit.Wrongf("%s is not a table, but --rows is for tables; leave it out", path)
		}
		if images == nil {
			return fmt.Errorf("%s: it is none of the files that inspect reads: npy arrays, .mat and npz files, workbooks, and tables of text, Arrow and Parquet", path)
		}
		return images(a, e, withStats)
	}()
	if wrong := new(exit.Error); errors.As(err, &wrong) {
		return err
	}
	if err = words.Bound(err); err != nil && a.JSON {
		e.Error = err.Error()
		a.Object("inspect", e)
		fmt.Fprintln(a.Stderr, a.Term.Red("error: ")+err.Error())
		return &exit.Error{Code: exit.Failed}
	}
	return err
}

// cutShort says that a file is the beginning of one of ours.
func cutShort(magic []byte) string {
	for _, whole := range []string{"\x93NUMPY", "ARROW1", "PAR1"} {
		if len(magic) > 1 && len(magic) < len(whole) && strings.HasPrefix(whole, string(magic)) {
			return fmt.Sprintf("truncated: it has %d bytes, the first of %q", len(magic), whole)
		}
	}
	return ""
}

// inspectModel describes a model file of the program; it reports false where a file is none.
func inspectModel(a *console.Console, e FileEvent, f io.ReadSeeker) bool {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false
	}
	b, err := io.ReadAll(io.LimitReader(f, e.Bytes))
	if err != nil {
		return false
	}
	arrays, _, err := modelfile.Unpack(b)
	if err != nil {
		return false
	}
	if e.Format = "model"; a.JSON {
		a.Object("inspect", e)
		return true
	}
	fmt.Fprintf(a.Out, "%s  model that this program trained, %s, %s\n  pipeline validate %s FILE applies it to the cohort of FILE\n",
		a.Page.Bold(e.Path), words.Count(len(arrays), "array"), console.ByteCount(e.Bytes), console.Shell(e.Path))
	return true
}

// element is a field of one element of an array of structs: sub(2).ts.
var element = pattern.New(`^(.+)\([0-9]+\)\.(.+)$`)

var digits = pattern.New(`[0-9]+`)

// series is what the names of variables that may be of different participants have in common: fields of the elements of
// an array of structs, and names with different numbers.
func series(name string) string {
	if !element.MatchString(name) && !digits.MatchString(name) {
		return ""
	}
	return digits.ReplaceAllString(name, "#")
}

// withoutElements states, in place of the lines for each element of an array of structs or each of numbered variables,
// and where there are no lines, that several participants cannot be read from these.
func withoutElements(lines []string, all []mat5.Variable) []string {
	of := map[string][]string{}
	for _, v := range all {
		of[series(v.Name)] = append(of[series(v.Name)], v.Name)
	}
	noted := map[string]bool{}
	var kept []string
	for _, text := range lines {
		_, name, _ := strings.Cut(text, "\n  variable: ")
		name, _, _ = strings.Cut(name, "\n")
		key := series(name)
		names := of[key]
		if key == "" || len(names) < 2 || len(names) < 4 && !element.MatchString(name) {
			kept = append(kept, text)
			continue
		}
		if what := "variables"; !noted[key] {
			if noted[key] = true; element.MatchString(name) {
				what = "structs"
			}
			kept = append(kept, fmt.Sprintf("# %s, %s …: if these are of different participants, write a file for "+
				"each,\n# since one file of %s is read for one participant only\n", names[0], names[1], what))
		}
	}
	if kept == nil {
		kept = []string{"# no variable is read as time series (volumes × regions) or as matrices: if one holds several\n" +
			"# participants, in a cell or along a third dimension, write a file for each\n"}
	}
	return kept
}

// inspectVariables lists what a .mat or npz file has, and the lines by which a pipeline file reads it.
func inspectVariables(a *console.Console, e FileEvent, all []mat5.Variable) {
	e.Format = "variables"
	lines := withoutElements(region.Lines(e.Path, all), all)
	if a.JSON {
		type variable struct {
			Name    string `json:"name"`
			Shape   []int  `json:"shape"`
			Class   string `json:"class"`
			Texts   int    `json:"texts,omitempty"`
			Problem string `json:"problem,omitempty"`
		}
		list := []variable{}
		for _, v := range all {
			one := variable{v.Name, v.Size(), v.Class, len(v.Texts), ""}
			if v.Problem != nil {
				one.Problem = v.Problem.Error()
			}
			list = append(list, one)
		}
		a.Object("inspect", struct {
			FileEvent
			Variables []variable `json:"variables"`
			Lines     []string   `json:"lines"` // YAML under cohort:
		}{e, list, lines})
		return
	}
	fmt.Fprintf(a.Out, "%s  %s, %s\n", a.Page.Bold(e.Path), words.Count(len(all), "variable"),
		console.ByteCount(e.Bytes))
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	for _, v := range all {
		about := ""
		switch {
		case v.Problem != nil:
			about = v.Problem.Error()
		case len(v.Texts) > 0:
			about = words.Some(v.Texts, 4)
		}
		g.Add(v.Name, region.Dimensions(v), v.Class, about)
	}
	g.Print(a.Out)
	for i, text := range lines {
		head := "in a pipeline file, under cohort:"
		if i > 0 {
			head = "or:"
		}
		fmt.Fprintf(a.Out, "\n%s\n\n", head)
		for line := range strings.Lines(text) {
			fmt.Fprint(a.Out, "  "+strings.TrimRight(line, "\n")+"\n")
		}
	}
}

// inspectSheet lists the columns of a table of text or of a workbook, with what is in them.
func inspectSheet(a *console.Console, e FileEvent, f *os.File, name string) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s, err := sheet.ReadIn(f, e.Path, sheet.Form{Sheet: name, Guess: true})
	if err != nil && e.Format == "text" {
		return fmt.Errorf("%s: a text file, but not a table with columns: %w", e.Path, err)
	} else if err != nil {
		return err
	}
	if a.JSON {
		a.Object("inspect", struct {
			FileEvent
			Rows    int      `json:"rows"`
			Columns []string `json:"columns"`
			Note    string   `json:"note,omitempty"`
		}{e, len(s.Rows), s.Columns, s.Note})
		return nil
	}
	fmt.Fprintf(a.Out, "%s  %s, %s, %s\n", a.Page.Bold(e.Path), e.Format, words.Count(len(s.Rows), "row"),
		console.ByteCount(e.Bytes))
	if s.Note != "" {
		fmt.Fprintln(a.Out, "  "+s.Note)
	}
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	for _, name := range s.Columns {
		values, _ := s.Column(name)
		given := slices.DeleteFunc(values, func(v string) bool { return v == "" })
		about, missing := "", ""
		if numbers, _ := sheet.Numbers(given); numbers != nil {
			about = fmt.Sprint(slices.Min(numbers))
			if most := slices.Max(numbers); most > slices.Min(numbers) {
				about += fmt.Sprint(" to ", most)
			}
		} else {
			distinct := slices.Compact(slices.Sorted(slices.Values(given)))
			about = fmt.Sprintf("%s: %s", words.Count(len(distinct), "value"), words.Some(distinct, 4))
		}
		if n := len(s.Rows) - len(given); n > 0 {
			missing = fmt.Sprintf("%d missing", n)
		}
		g.Add(name, about, missing)
	}
	g.Print(a.Out)
	return nil
}

func inspectValue(a *console.Console, e FileEvent, f *os.File, rows int) error {
	var c results.Content
	var err error
	r := bufio.NewReaderSize(f, 1<<20)
	if e.Format == "npy" {
		c.Array, err = encoding.ReadArray(r)
	} else {
		c.Table, err = encoding.ReadTable(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	if a.JSON {
		a.Object("inspect", struct {
			FileEvent
			results.ContentJSON
		}{e, c.JSON(rows)})
		return nil
	}
	fmt.Fprintf(a.Out, "%s  %s, %s\n", a.Page.Bold(e.Path), e.Format, console.ByteCount(e.Bytes))
	c.Print(a, rows, "  ")
	if c.Table != nil {
		g := console.Grid{Indent: "  ", Wide: a.Wide()}
		for _, col := range results.Columns(c.Table) {
			g.Add(col.Name, col.Type, col.Unit, col.Doc)
		}
		fmt.Fprintln(a.Out)
		g.Print(a.Out)
	}
	return nil
}
