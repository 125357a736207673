package atlas

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"prgnn/internal/cell"
	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/internal/workbook"
)

// maxNodes bounds a list: the finest parcellations in use have some thousands of
// regions, and matrices of N² numbers are made from it.
const maxNodes = 20_000

// maxBytes bounds a workbook with a list.
const maxBytes = 16 << 20

// mostProblems is how many mistakes of a list are reported one by one.
const mostProblems = 20

// Read reads a list from a table separated by tabs, commas or semicolons, or in a workbook (.xlsx), whose
// first line names the columns. It must have a column "name" and the label's
// value in "id", or, as BIDS has it, in "index". abbreviation, hemisphere (or hemi),
// structure (or network, or network_label), x, y, z (mm), volume (mm³) and color (#rrggbb) may
// follow in any order; other columns are left alone. The order of the rows is the order of the
// nodes, and a row of value 0 is passed over, if its name is one of the background. A file that has
// one column and no such header is a plain list of names. All mistakes are
// reported at once, with file and line.
func Read(r io.Reader, file string) ([]Node, error) {
	lines, err := readLines(r, file)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: empty, but a list of regions was expected", file)
	}
	sep := separator(lines[0].text)
	header := split(lines[0].text, sep)
	if len(header) == 1 && !strings.EqualFold(header[0], "name") {
		if cell.Heading(header[0]) && len(lines) > 1 {
			lines = lines[1:]
		}
		return readPlain(lines, file)
	}
	columns, idColumn, err := columnsOf(header)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, lines[0].number, err)
	}

	var nodes []Node
	var at []int // the line of each node
	_, both := columns["index"]
	both = both && idColumn == "id"
	var indices []int // beside ids
	var problems []error
	zero := false // the list has a row of the value 0
	for _, line := range lines[1:] {
		fields := split(line.text, sep)
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: %w", file, line.number, fmt.Errorf(format, args...)))
		}
		if len(fields) != len(header) {
			problem("%d values, but the first line has %d", len(fields), len(header))
			continue
		}
		text := func(column string) string {
			i, ok := columns[column]
			if !ok || fields[i] == "n/a" || column != "name" && cell.Missing(fields[i]) { // NA may name a nucleus
				return ""
			}
			return fields[i]
		}
		number := func(column string) float64 {
			s := text(column)
			if s == "" {
				return nan
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				problem("%s is %.80q, which is not a number", column, s)
				return nan
			}
			return v
		}
		id, ok := parseID(text(idColumn))
		if !ok {
			problem("%s is %.80q; values of a label image are integers from 0 to %d", idColumn, text(idColumn), math.MaxInt32)
			continue
		}
		if id == 0 {
			if zero = true; Zero(text("name")) != nil {
				problem("%w", Zero(text("name")))
			}
			continue
		}
		n := Node{Index: len(nodes) + 1, ID: id, Name: text("name"), Abbreviation: text("abbreviation"),
			Hemisphere: hemisphere(cmp.Or(text("hemisphere"), text("hemi"))), Structure: cmp.Or(text("structure"),
				text("network"), text("network_label")),
			X: number("x"), Y: number("y"), Z: number("z"), Volume: number("volume"), Color: text("color")}
		if n.Color != "" && !isColor.MatchString(n.Color) {
			problem("color is %.80q; write colors as #rrggbb", n.Color)
		}
		nodes = append(nodes, n)
		at = append(at, line.number)
		if both {
			index, _ := parseID(text("index"))
			indices = append(indices, index)
		}
	}
	if len(nodes) == 0 && problems != nil {
		return nil, words.Errors(problems, mostProblems)
	}
	where := func(i int) string { return fmt.Sprintf("%s:%d", file, at[i]) }
	problems = append(problems, countsBackground(nodes, zero, where), check(nodes, file, where),
		twoOrders(nodes, indices, where))
	if err := words.Errors(problems, mostProblems); err != nil {
		return nil, err
	}
	return nodes, nil
}

// twoOrders refuses a list whose columns id and index have the same numbers in different orders: each number is that of
// two regions.
func twoOrders(nodes []Node, indices []int, where func(i int) string) error {
	ids := lists.Map(nodes, func(n Node) int { return n.ID })
	sorted := slices.Sorted(slices.Values(ids))
	if slices.Equal(ids, indices) || !slices.Equal(sorted, slices.Sorted(slices.Values(indices))) {
		return nil
	}
	i := 0
	for ids[i] == indices[i] {
		i++
	}
	byID := nodes[slices.Index(ids, indices[i])]
	return fmt.Errorf("%s: the columns id and index have the same numbers in different orders: %d is %s by id, and %s by index; remove the wrong column",
		where(i), indices[i], byID.Name, nodes[i].Name)
}

// columnsOf are the places of the columns, by their names in lower case, and the name of the one with the values of the
// label image.
func columnsOf(header []string) (columns map[string]int, id string, err error) {
	columns = map[string]int{}
	for i, name := range header {
		name = strings.ToLower(name)
		if _, twice := columns[name]; twice {
			return nil, "", fmt.Errorf("two columns are named %.80q: rename or remove one of them", name)
		}
		columns[name] = i
	}
	if _, ok := columns["difumo_names"]; ok {
		for theirs, ours := range difumo {
			if at, ok := columns[theirs]; ok {
				columns[ours] = at
			}
		}
	}
	if _, ok := columns["name"]; !ok {
		return nil, "", fmt.Errorf("no column \"name\"; the columns are %s", words.Some(header, 30))
	}
	for _, id := range []string{"id", "index"} {
		if _, ok := columns[id]; ok {
			return columns, id, nil
		}
	}
	return nil, "", fmt.Errorf("no column \"index\" (or \"id\") with the value of each region in the label image; the columns are %s", words.Some(header, 30))
}

// difumo are the columns of the table of DiFuMo in TemplateFlow, which are not those of BIDS.
var difumo = map[string]string{"component": "index", "difumo_names": "name", "yeo_networks7": "network"}

var isColor = pattern.New(`^#[0-9a-fA-F]{6}$`)

// colorTable is a line of FreeSurfer's color tables: number, name, red, green, blue, opacity.
var colorTable = pattern.New(`^[0-9]+[ \t]+\S+([ \t]+[0-9]{1,3}){4}$`)

func readPlain(lines []line, file string) ([]Node, error) {
	names := lists.Map(lines, func(l line) string { return l.text })
	if Zero(names[0]) == nil { // nilearn's lists of labels begin so
		return nil, fmt.Errorf("%s:%d: the first name is %.80q, but a list of names counts from 1, and the background has no name in it: remove the line",
			file, lines[0].number, names[0])
	}
	if numbers, _, ok := cell.Numbered(names); ok {
		inOrder := !slices.ContainsFunc(numbers, func(n int) bool { return n != slices.Index(numbers, n)+1 })
		if lut := colorTable.MatchString(names[0]); lut || !inOrder {
			return nil, fmt.Errorf("%s:%d: the line is %.80q, but in a plain list of names the first line is region 1: separate the number and the name of each line by a tab, and write index and name, with a tab between them, above%s",
				file, lines[0].number, names[0], map[bool]string{true: "; leave the colors out"}[lut])
		}
	}
	nodes, err := Plain(names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return nodes, nil
}

var background = pattern.New(`(?i)background|unknown|unlabel|unclassified|unassigned|undefined|outside|exterior` +
	`|(medial|no|not|clear)[-_. ]?(wall|label)|^(none|null|empty|void|air|bg|[^\pL\pN]+)$`)

// Zero refuses a name of the value 0, which is the background of every label image, that is the name of a region.
func Zero(name string) error {
	if background.MatchString(name) {
		return nil
	}
	return fmt.Errorf("the value 0 is the background of a label image, but its name is %.80q: if the table counts from 0 and the image from 1, add 1 to every value; if 0 is the background, name it Background", name)
}

// countsBackground refuses a list in which the value 1 has the name of the background, and 0 no row: it counts the
// background too, and the label of each region would be one too high. The background is on no side.
func countsBackground(nodes []Node, zero bool, where func(i int) string) error {
	i := slices.IndexFunc(nodes, func(n Node) bool { return n.ID == 1 })
	if zero || i < 0 || len(nodes) < 2 || Zero(nodes[i].Name) != nil || Side(nodes[i].Name) != "" {
		return nil
	}
	return fmt.Errorf("%s: the value 1 is named %.80q, but the background of a label image is the value 0: if the list counts from 1 and the image from 0, subtract 1 from every value; if 1 is a region of the image, give it another name",
		where(i), nodes[i].Name)
}

// check looks at the list of a file ("" of none) as a whole; where tells the place of node i.
func check(nodes []Node, file string, where func(i int) string) error {
	var problems []error
	at := ""
	if file != "" {
		at = file + ": "
	}
	if len(nodes) == 0 {
		problems = append(problems, errors.New(at+"the list has no regions: add one line per region"))
	}
	if len(nodes) > maxNodes {
		return fmt.Errorf("%sthe list has %d regions; the limit is %d", at, len(nodes), maxNodes)
	}
	ids, names := map[int]int{}, map[string]int{}
	// of each cause, the places of the regions, and their pairs
	var unnamed, named, valued []string
	for i, n := range nodes {
		if n.Name == "" {
			unnamed = append(unnamed, where(i))
		} else if j, twice := names[norm.NFC.String(n.Name)]; twice {
			named = append(named, fmt.Sprintf("%s: the name %.80q was used before (%s)", where(i), n.Name, where(j)))
		} else {
			names[norm.NFC.String(n.Name)] = i
		}
		if j, twice := ids[n.ID]; twice {
			valued = append(valued, fmt.Sprintf("%s: the value %d was used before (%s)", where(i), n.ID, where(j)))
		} else {
			ids[n.ID] = i
		}
	}
	for _, cause := range []struct {
		all         []string
		one, remedy string
	}{{named, "", "rename one of the two"}, {valued, "", "correct one of the two"},
		{unnamed, ": the region has no name", "fill it in"}} {
		if len(cause.all) > 0 { // one line for all regions of a cause
			problems = append(problems, fmt.Errorf("%s%s: %s", words.Some(cause.all, 4), cause.one, cause.remedy))
		}
	}
	return words.Errors(problems, mostProblems)
}

func parseID(s string) (int, bool) {
	digits, _ := cell.Whole(strings.TrimSpace(s)) // pandas writes 1 as 1.0 where a cell is empty
	v, err := strconv.ParseInt(digits, 10, 32)
	return int(v), err == nil && v >= 0
}

type line struct {
	text   string
	number int
}

// readLines gives the lines that are not blank.
func readLines(r io.Reader, file string) ([]line, error) {
	var lines []line
	return lines, eachLine(r, file, func(n int, text string) error {
		if len(lines) > maxNodes+1 { // and the header and the background
			return fmt.Errorf("%s: the list has more lines than the limit of %d regions: is it the right file?", file, maxNodes)
		}
		if !utf8.ValidString(text) {
			return fmt.Errorf("%s:%d: not UTF-8 text: save the file as UTF-8", file, n)
		}
		if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "# ") {
			lines = append(lines, line{strings.TrimRight(text, "\r"), n})
		}
		return nil
	})
}

// eachLine reads the lines of a file, counted from 1, up to the first error of take.
func eachLine(r io.Reader, file string, take func(n int, text string) error) error {
	br := bufio.NewReader(r)
	switch first, _ := br.Peek(foreign.Enough); {
	case workbook.Is(first):
		b, err := io.ReadAll(io.LimitReader(br, maxBytes))
		if err == nil {
			b, _, err = workbook.Text(b, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		br = bufio.NewReader(bytes.NewReader(b))
	case foreign.Name(first) != "":
		return fmt.Errorf("%s: %s", file, foreign.Name(first))
	case bytes.HasPrefix(first, []byte("\xff\xfe")), bytes.HasPrefix(first, []byte("\xfe\xff")),
		bytes.IndexByte(first, 0) >= 0:
		return fmt.Errorf("%s: %w", file, foreign.NotText(first, "save the list of regions as TSV or CSV, in UTF-8"))
	}
	s, n := bufio.NewScanner(br), 1
	for ; s.Scan(); n++ {
		text := s.Text()
		if n == 1 { // some editors put a byte-order mark in front
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if err := take(n, text); err != nil {
			return err
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line has more than %d bytes, too many for a list of regions: is it the right file?", file, n, bufio.MaxScanTokenSize)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", file, n, err)
	}
	return nil
}

// separator is the one of tab, semicolon and comma that the header uses.
func separator(header string) string {
	for _, sep := range []string{"\t", ";", ","} {
		if strings.Contains(header, sep) {
			return sep
		}
	}
	return "\t"
}

func split(text, sep string) []string {
	fields := strings.Split(text, sep)
	for i, f := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(f), `"`)
	}
	return fields
}
