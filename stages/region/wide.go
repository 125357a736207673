package region

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"prgnn/connectivity"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// A Wide table has a participant's matrix in one row: a column for each pair of regions.
type Wide struct {
	Columns []string // that hold the entries
	pairs   [][2]string
	layout  Layout
	z       bool // the pattern states Fisher's z
}

// numbersPair is a pair of numbers of regions: 1_2, 1-2.
var numbersPair = pattern.New(`^\D*?(\d+)\D+(\d+)$`)

// WideOf finds the columns that a pattern (fc_*) matches, and the regions in their names: those of a list, where it is
// known, else numbers, or two names with -- or _to_ between them. Without such names the order of the layout gives
// the regions.
func WideOf(columns []string, of string, regions []string, l Layout) (*Wide, error) {
	w := &Wide{layout: l}
	before, after, _ := strings.Cut(of, "*")
	for _, heading := range []string{before, of[strings.LastIndexByte(of, '*')+1:]} {
		if pHeading.MatchString(squashed(heading)) {
			return nil, fmt.Errorf("wide: the columns %s are headed %s, which is not a correlation: take the columns of the correlations; if these are the correlations, rename the columns (r_*)",
				of, strings.Trim(heading, " _.-"))
		}
		w.z = w.z || zHeading.MatchString(squashed(heading))
	}
	var unpaired, ambiguous []string
	for _, c := range columns {
		if matches, err := path.Match(strings.ReplaceAll(of, "/", "\x00"), strings.ReplaceAll(c, "/",
			"\x00")); err != nil {
			return nil, fmt.Errorf("wide: %q: %w", of, err)
		} else if !matches {
			continue
		}
		w.Columns = append(w.Columns, c)
		if l.Order != "" {
			continue
		}
		core := c
		if !strings.Contains(after, "*") && after == "" {
			core = strings.TrimPrefix(c, before)
		}
		switch found := pairsOf(core, regions); len(found) {
		case 1:
			w.pairs = append(w.pairs, found[0])
		case 0:
			unpaired = append(unpaired, c)
		default:
			ambiguous = append(ambiguous, c)
		}
	}
	if err := w.ascending(); err != nil {
		return nil, err
	}
	switch {
	case w.Columns == nil:
		return nil, fmt.Errorf("wide: no column matches %s; the columns are %s", of, words.Some(columns, 8))
	case len(unpaired) == len(w.Columns):
		return nil, fmt.Errorf("wide: %s … %s name no two regions: set order (upper_rows or lower_rows), or nodes to the list of the regions in their names",
			unpaired[0], unpaired[len(unpaired)-1])
	case unpaired != nil:
		return nil, fmt.Errorf("wide: %s %s, but %s do not name two regions", of, "matches columns of pairs", words.Some(unpaired, 6))
	case ambiguous != nil:
		return nil, fmt.Errorf("wide: %s may name several pairs of regions: rename the columns, or set order", words.Some(ambiguous, 6))
	}
	return w, nil
}

// ascending refuses columns in an order of the layout whose names end in numbers that do not ascend: those of V10
// before V2 are sorted as texts.
func (w *Wide) ascending() error {
	if w.layout.Order == "" {
		return nil
	}
	before := ""
	for i, c := range w.Columns {
		stem := strings.TrimRight(c, "0123456789")
		_, err := strconv.Atoi(c[len(stem):])
		if err != nil || i > 0 && stem != before { // other names
			return nil
		}
		before = stem
	}
	last := -1
	for i, c := range w.Columns {
		n, _ := strconv.Atoi(c[len(before):])
		if n <= last {
			return fmt.Errorf("wide: order %s takes the columns as they stand, but %s comes after %s: sort the columns by their numbers",
				w.layout.Order, c, w.Columns[i-1])
		}
		last = n
	}
	return nil
}

// pairsOf are the pairs of regions that a text may name; of the readings by a list, those of the longest names.
func pairsOf(text string, regions []string) (found [][2]string) {
	if len(regions) == 0 {
		a, b, is := strings.Cut(text, "--") // also names that end in numbers: L1--R2
		if is && a != "" && b != "" && wholeNumber(b) == "" && !strings.Contains(b, "--") {
			return [][2]string{{a, b}}
		}
		if m := numbersPair.FindStringSubmatch(text); m != nil {
			return [][2]string{{m[1], m[2]}}
		}
		for _, between := range []string{"--", "_to_"} {
			if parts := strings.Split(text, between); len(parts) == 2 && parts[0] != "" && parts[1] != "" {
				return [][2]string{{parts[0], parts[1]}}
			}
		}
		return nil
	}
	longest := 0
	for _, a := range regions {
		rest, begins := strings.CutPrefix(text, a)
		if !begins || a == "" {
			continue
		}
		for _, b := range regions {
			between, ends := strings.CutSuffix(rest, b)
			if !ends || b == "" || between != "_to_" && (between == "" || strings.Trim(between, " -_.~<>:") != "") {
				continue
			}
			switch n := len(a) + len(b); {
			case n > longest:
				longest, found = n, [][2]string{{a, b}}
			case n == longest:
				found = append(found, [2]string{a, b})
			}
		}
	}
	if found == nil {
		if m := numbersPair.FindStringSubmatch(text); m != nil {
			return [][2]string{{m[1], m[2]}}
		}
	}
	return found
}

// Matrix is that of a row, whose values are those of the columns, NaN for a missing one.
func (w *Wide) Matrix(values []float64, line int) (*Contents, error) {
	c := &Contents{FisherZ: w.z}
	if w.layout.Order != "" {
		return c, w.layout.vector(values, c)
	}
	edges := make([]edge, len(values))
	for i, v := range values {
		edges[i] = edge{w.pairs[i][0], w.pairs[i][1], v, line}
	}
	return c, w.layout.fromEdges(edges, c)
}

// zComment begins the text of a matrix of Fisher's z. squareComment, behind it, begins that of three regions without
// names, whose three columns may be taken for an edge list.
const (
	zComment      = "# z\n"
	squareComment = "# matrix\n"
)

// Text is a matrix as ReadSquares reads it.
func (c *Contents) Text() []byte {
	var b bytes.Buffer
	if c.FisherZ {
		b.WriteString(zComment)
	}
	if c.Names != nil {
		b.WriteString("Node\t" + strings.Join(c.Names, "\t") + "\n")
	}
	x := c.Draws[0]
	if c.Names == nil && x.Cols == 3 {
		b.WriteString(squareComment)
	}
	for i := range x.Rows {
		if c.Filled {
			x.Row(i)[i] = math.NaN()
		}
		if c.Names != nil {
			b.WriteString(c.Names[i] + "\t")
		}
		writeRow(&b, x, i)
	}
	return b.Bytes()
}

func writeRow(b *bytes.Buffer, x connectivity.Matrix, i int) {
	for j, v := range x.Row(i) {
		if j > 0 {
			b.WriteByte('\t')
		}
		if math.IsNaN(v) {
			b.WriteString("n/a")
		} else {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	b.WriteByte('\n')
}
