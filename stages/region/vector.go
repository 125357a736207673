package region

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/stages/column"
)

// The orders in which programs write the entries of a symmetric matrix.
const (
	upperRows = "upper_rows"
	lowerRows = "lower_rows"
	full      = "full"
)

// ErrNoOrder is that the order of the triangle of a matrix is not set.
var ErrNoOrder = errors.New("set order: upper_rows (numpy triu_indices, scipy and MATLAB squareform, GIFT) or lower_rows (numpy tril_indices, nilearn sym_matrix_to_vec)")

// FromVector makes a matrix of its entries in the layout's order. Without the diagonal, or with it: which of the two,
// the number of regions decides where it is known, and else whether the entries at its places are alike. nilearn
// divides the
// diagonal by √2 (sym_matrix_to_vec). filled reports whether there is no diagonal; it is 1 then.
func (l Layout) FromVector(v []float64) (x connectivity.Matrix, filled bool, err error) {
	switch l.Order {
	case "":
		return x, false, fmt.Errorf("a vector of %d values: the triangle of a matrix; %w", len(v), ErrNoOrder)
	case full:
		n := int(math.Round(math.Sqrt(float64(len(v)))))
		if n*n != len(v) || n < 2 {
			return x, false, fmt.Errorf("order is full, but %d values are no square matrix", len(v))
		}
		return connectivity.Matrix{Rows: n, Cols: n, Data: v}, false, nil
	}
	n := int(math.Round((1 + math.Sqrt(float64(1+8*len(v)))) / 2)) // without the diagonal; n−1 with it
	if n*(n-1)/2 != len(v) || n < 2 {
		n = int((1 + math.Sqrt(float64(1+8*len(v)))) / 2)
		return x, false, fmt.Errorf("%d values are no triangle: N(N−1)/2 is %d for %d regions, and %d for %d", len(v),
			n*(n-1)/2, n, (n+1)*n/2, n+1)
	}
	diagonal := n > 2 && l.diagonalAlike(v, n-1)
	switch l.Size() {
	case n:
		diagonal = false
	case n - 1:
		diagonal = true
	}
	if diagonal {
		n--
	}
	x = connectivity.NewMatrix(n, n)
	at := 0
	for i := range n {
		from, to := i, n // upper rows
		if l.Order == lowerRows {
			from, to = 0, i+1
		}
		for j := from; j < to; j++ {
			switch {
			case i != j:
				x.Row(i)[j], x.Row(j)[i] = v[at], v[at]
			case diagonal:
				x.Row(i)[i] = v[at]
				if math.Abs(v[at]*math.Sqrt2-1) < 1e-6 {
					x.Row(i)[i] = 1
				}
			default:
				x.Row(i)[i] = 1
				continue
			}
			at++
		}
	}
	return x, !diagonal, nil
}

// diagonalAlike reports whether the entries at the places of the diagonal of n regions are one number.
func (l Layout) diagonalAlike(v []float64, n int) bool {
	at := 0
	for i := range n {
		if l.Order == lowerRows {
			at = i*(i+1)/2 + i
		} else if i > 0 {
			at += n - i + 1
		}
		if math.Abs(v[at]-v[0]) > 1e-6 && !(math.IsNaN(v[at]) && math.IsNaN(v[0])) {
			return false
		}
	}
	return true
}

// negative reports whether a correlation matrix has an eigenvalue below −1e-6, as no set of series has.
func negative(x connectivity.Matrix) bool {
	s := dense.NewCholesky(x.Rows)
	m := make([]float64, s.M*s.M)
	for i := range x.Rows {
		for j := range x.Cols {
			if m[i*s.M+j] = x.At(i, j); math.IsNaN(x.At(i, j)) {
				return false
			}
		}
		m[i*s.M+i] = 1 + 1e-6
	}
	return !s.Factor(m)
}

// An edge is a line of an edge list.
type edge struct {
	a, b  string
	value float64
	line  int
}

// An edgeList is a text with two regions and a value in each line.
type edgeList struct {
	edges   []edge
	heading string // of the values; "" without one
}

// The headings of values that are Fisher's z, or that are none of two regions' correlation though they may lie between
// −1 and 1.
var (
	zHeading = pattern.New(`^(fishers?)?z(score|value|r|fc)?$|^(r|corr|fc)(to)?z$`)
	pHeading = pattern.New(`^[pq](val|corr|fdr|fwe|unc|adj|bonf|[^a-z]|$)|^(prt|sig|fdr|fwe|prob)$|` +
		`^(se|sd|std(err)?|var(iance)?|cov(ariance)?|dist(ance)?)$`)
)

// checkHeading refuses values that their heading states to be no correlations.
func (l edgeList) checkHeading() error {
	if !pHeading.MatchString(squashed(l.heading)) {
		return nil
	}
	return fmt.Errorf("the values of its edge list are headed %s, which is not a correlation: supply an edge list with the two regions and their correlation (i j r); if the values are correlations, change the heading to r", l.heading)
}

// readEdges reads an edge list: three columns, of which the first two name regions. is reports whether the text is one,
// and not a matrix of three regions.
func readEdges(text []byte) (list edgeList, is bool, err error) {
	scan := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	scan.Buffer(nil, 1<<20)
	split, comma, begun, headed, named, comment := strings.Fields, true, false, false, false, ""
	for number := 1; scan.Scan(); number++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || line[0] == '#' {
			if !begun {
				comment = strings.TrimLeft(line, "# ")
			}
			continue
		}
		if !begun {
			begun = true
			if c := separator(line); c != "" {
				split, comma = func(s string) []string { return connectivity.Split(s, c) }, c != ","
			}
			if heads := split(comment); len(heads) == 3 {
				list.heading = bareCell(heads[2])
			}
		}
		fields := lists.Map(split(line), bareCell)
		if len(fields) != 3 {
			return list, false, nil
		}
		for i := range fields { // a region may be called so, but not by 1,0
			point := strings.Replace(fields[i], ",", ".", 1)
			if comma && !strings.Contains(fields[i], ".") && (i == 2 || fraction(point)) {
				fields[i] = point
			}
		}
		value, wrong := strconv.ParseFloat(fields[2], 64)
		if wrong != nil && list.edges == nil && !headed {
			headed, list.heading = true, fields[2]
			named = !regionHeading.MatchString(squashed(fields[0]))
			continue
		}
		if wrong != nil {
			if list.edges == nil || len(list.edges) == 2 && cell.Missing(fields[2]) && fraction(list.edges[1].a) {
				return list, false, nil
			}
			return list, true, fmt.Errorf("line %d: %q is no number", number, fields[2])
		}
		list.edges = append(list.edges, edge{fields[0], fields[1], value, number})
	}
	edges := list.edges
	if scan.Err() != nil || len(edges) == 0 {
		return list, false, nil
	}
	if len(edges) == 3 && edges[0].a == "1" && edges[1].b == "1" { // 1 on the diagonal
		return list, false, nil
	}
	if named && isSquare(edges) { // by the regions
		return list, false, nil
	}
	if !headed && list.heading == "" && isSquare(edges) {
		return list, true, errors.New("three lines of three numbers may be the matrix of three regions, or an edge list (two regions and their correlation): write a heading line, for the matrix the names of the regions, for the edge list i j r")
	}
	for i, e := range edges {
		if fraction(e.a) || fraction(e.b) {
			a, b := wholeNumber(e.a), wholeNumber(e.b)
			if len(edges) == 3 || a == "" || b == "" { // 3: may be a matrix
				return list, false, nil
			}
			edges[i].a, edges[i].b = a, b
		}
	}
	return list, true, list.checkHeading()
}

// isSquare reports whether three lines whose first two cells are whole numbers are also the symmetric matrix of three
// regions, with the same number on its diagonal and none beyond ±1.
func isSquare(edges []edge) bool {
	if len(edges) != 3 {
		return false
	}
	var x [3][3]float64
	for i, e := range edges {
		a, wrong := strconv.Atoi(e.a)
		b, other := strconv.Atoi(e.b)
		if wrong != nil || other != nil {
			return false
		}
		x[i] = [3]float64{float64(a), float64(b), e.value}
	}
	for i := range x {
		for j := range x {
			if x[i][j] != x[j][i] || math.Abs(x[i][j]) > 1 {
				return false
			}
		}
	}
	return x[0][0] == x[1][1] && x[1][1] == x[2][2]
}

// bareCell is a cell without blanks and quotation marks around it.
func bareCell(s string) string { return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), `"`)) }

// regionHeading is the heading of a column of an edge list with one of its two regions.
var regionHeading = pattern.New(`^(i|j|u|v|x|y|row|col(umn)?|source|target|from|to|seed|` +
	`(roi|node|region|parcel|area|label|name|var|vertex|channel)s?(id|index|name|label)?([12ab]|from|to|i|j)` +
	`(id|index|name|label)?)$`)

// rHeading is the heading of the values of an edge list.
var rHeading = pattern.New(`^(r|rho|corr(elation)?s?|pearson(s?r|correlation)?|weights?|values?|edge|fc|connectivity|` +
	`(functional)?connectivity|partial(correlation)?|(fishers?)?z)$`)

// surplus explains a text that is no square but an edge list of more than three columns, by the headings of its first
// line or by its numbers; nil for any other.
func surplus(first []byte) error {
	for line := range strings.Lines(string(bytes.TrimPrefix(first, []byte("\ufeff")))) {
		if line = strings.TrimRight(strings.TrimLeft(line, "# "), " \r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		heads := strings.Fields(line)
		if c := separator(line); c != "" {
			heads = connectivity.Split(line, c)
		}
		var extra, values []string
		regions := 0
		for _, head := range lists.Map(heads, bareCell) {
			switch name := squashed(head); {
			case regions < 2 && regionHeading.MatchString(name):
				regions++
				continue
			case rHeading.MatchString(name):
				values = append(values, head)
			case head == "":
				head = "the column without a heading"
			}
			extra = append(extra, head)
		}
		if list := behind(first); regions < 2 && list != nil {
			return fmt.Errorf("%s, but it has three: keep these two, and behind them that of the correlation, in all files", list)
		}
		if columns := unheaded(first); regions < 2 && columns > 3 {
			return fmt.Errorf("an edge list with %d columns and no known headings, but it has three: two for the regions, and their correlation: keep columns 1 and 2 and the column of the correlation in all files",
				columns)
		}
		if regions < 2 || len(heads) < 4 {
			return nil
		}
		remove := "all of these but the correlation"
		if len(values) == 1 {
			extra = slices.DeleteFunc(extra, func(head string) bool { return head == values[0] })
			remove = words.Some(extra, 6)
		}
		return fmt.Errorf("an edge list with %d columns, but it has three: two for the regions, and their correlation. The others are %s: remove %s from all files",
			len(heads), words.Some(extra, 6), remove)
	}
	return nil
}

// refuseEdges refuses as many pairs of regions as an edge list has columns, which are square but not symmetric.
func refuseEdges(x connectivity.Matrix) error {
	for i := range x.Rows {
		for j := range i {
			if a, b := x.At(i, j), x.At(j, i); a != b && (a == a || b == b) {
				if list := foreign.EdgeList(x.Rows, x.Cols, x.Data); list != nil {
					return fmt.Errorf("%s, but it has three: keep these two, and behind them that of the correlation, in all files", list)
				}
				return nil
			}
		}
	}
	return nil
}

// behind are the columns of an edge list whose regions are not in the first two; nil for any other text.
func behind(first []byte) *foreign.Edges {
	_, x, err := connectivity.ReadText(bytes.NewReader(first[:bytes.LastIndexByte(first, '\n')+1]))
	if list := foreign.EdgeList(x.Rows, x.Cols, x.Data); err == nil && list != nil && list.B > 2 {
		return list
	}
	return nil
}

// unheaded is the number of columns of a text whose lines begin with two regions and go on with numbers, not all
// whole; 0 for any other. The first line may have headings.
func unheaded(first []byte) (columns int) {
	lines := strings.Split(strings.TrimPrefix(string(first), "\ufeff"), "\n")
	lines = lines[:len(lines)-1] // the last one may be cut
	whole, read := true, 0
	for i, line := range lines {
		line = strings.TrimSpace(line)
		cells := strings.Fields(line)
		c := separator(line)
		if c != "" {
			cells = connectivity.Split(line, c)
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if read > 0 && len(cells) != columns || len(cells) < 4 {
			return 0
		}
		columns = len(cells)
		number := func(s string) bool {
			_, err := strconv.ParseFloat(s, 64)
			return err == nil
		}
		for k, cell := range cells {
			if cell = bareCell(cell); c != "," {
				cell = strings.Replace(cell, ",", ".", 1)
			}
			switch region := k < 2; {
			case region && number(cell) && wholeNumber(cell) == "", !region && !number(cell) && i > 0:
				return 0
			case !region && number(cell) && fraction(cell):
				whole = false
			}
		}
		if !number(bareCell(cells[0])) && number(bareCell(cells[1])) { // the name of a row of a matrix
			return 0
		}
		read++
	}
	if whole || read <= columns {
		return 0
	}
	return columns
}

// separator is the character between the columns of a line; "" for spaces.
func separator(line string) string {
	for _, c := range []string{"\t", ";", ","} {
		if strings.Contains(line, c) {
			return c
		}
	}
	return ""
}

// wholeNumber writes a number without decimals, as MATLAB and pandas write them with; "" for any other text.
func wholeNumber(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) || x < 0 || x > math.MaxInt32 {
		return ""
	}
	return strconv.Itoa(int(x))
}

// fraction reports whether a text is a number with decimals, which names no region.
func fraction(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && (x != math.Trunc(x) || strings.Contains(text, "."))
}

// fromEdges makes a matrix of an edge list.
func (l Layout) fromEdges(edges []edge, c *Contents) error {
	index := map[string]int{}
	numbered, least, most := true, math.MaxInt, 0
	for _, e := range edges {
		for _, name := range []string{e.a, e.b} {
			if _, known := index[name]; !known {
				index[name] = len(index)
				c.Names = append(c.Names, name)
			}
			k, err := strconv.Atoi(name)
			numbered = numbered && err == nil && k >= 0
			least, most = min(least, k), max(most, k)
		}
	}
	if err := conflict(edges); err != nil {
		return err
	}
	n, first := len(index), 1 // the number of the first region
	if numbered {
		at, base, err := l.placesOf(c, least, most, len(edges))
		if err != nil {
			return err
		}
		if n = most - base + 1; l.Size() > 0 {
			n = l.Size()
		}
		for _, e := range edges {
			for _, name := range []string{e.a, e.b} {
				if k, there := at[name]; !there || k < 0 || k >= n {
					return fmt.Errorf("line %d: region %s of %d%s", e.line, name, n, l.unlisted())
				}
			}
		}
		index, first = at, base
	}
	if n < 2 || n > 1<<13 {
		return fmt.Errorf("an edge list of %s", words.Count(n, "region"))
	}
	for k := range n {
		if first == 0 && len(c.Names) < n { // as the file counts them
			c.Names = append(c.Names, strconv.Itoa(k))
		}
	}
	x := connectivity.NewMatrix(n, n)
	for i := range x.Data {
		x.Data[i] = math.NaN()
	}
	lines, pairs := map[[2]int]int{}, 0
	for _, e := range edges {
		i, j := min(index[e.a], index[e.b]), max(index[e.a], index[e.b])
		if lines[[2]int{i, j}] > 0 { // the other direction
			continue
		}
		if lines[[2]int{i, j}] = e.line; i != j {
			pairs++
		}
		x.Row(i)[j], x.Row(j)[i] = e.value, e.value
	}
	if all := n * (n - 1) / 2; pairs < all {
		if err := twoSpellings(edges, index); err != nil {
			return err
		}
		switch l.Absent {
		case "zero":
			c.Sparse = true
			for i := range n {
				for j := range i {
					if _, there := lines[[2]int{j, i}]; !there {
						x.Row(i)[j], x.Row(j)[i] = 0, 0
					}
				}
			}
		case "":
			return fmt.Errorf("an edge list of %d of the %d pairs of %d regions: state what the absent ones are by absent: zero (a threshold; no partial correlation can be computed) or n/a", pairs, all, n)
		}
	}
	for i := range n {
		if math.IsNaN(x.At(i, i)) {
			x.Row(i)[i], c.Filled = 1, true
		}
	}
	c.Draws = []connectivity.Matrix{x}
	return nil
}

// twoSpellings refuses regions whose names may be one in two spellings: the pairs of each lack the other's.
func twoSpellings(edges []edge, index map[string]int) error {
	first := map[string]edge{}
	for _, e := range edges {
		for _, name := range []string{e.a, e.b} {
			key := column.Spelling(name)
			was, there := first[key]
			if !there {
				first[key] = edge{a: name, line: e.line}
			} else if index[was.a] != index[name] {
				return fmt.Errorf("an edge list with %q (line %d) and %q (line %d): if they are one region, write it in one "+
					"way in all lines", was.a, was.line, name, e.line)
			}
		}
	}
	return nil
}

// conflict reports a pair of regions that has two values.
func conflict(edges []edge) error {
	first := map[[2]string]edge{}
	for _, e := range edges {
		pair := [2]string{min(e.a, e.b), max(e.a, e.b)}
		was, there := first[pair]
		if !there {
			first[pair] = e
		} else if math.Abs(was.value-e.value) > 1e-9 || math.IsNaN(was.value) != math.IsNaN(e.value) {
			return fmt.Errorf("edge %s–%s has two values: %g (line %d), %g (line %d)", pair[0], pair[1], was.value, was.line,
				e.value, e.line)
		}
	}
	return nil
}

// unlisted is what a node list lacks of which a number is no region; "" without a list.
func (l Layout) unlisted() string {
	if l.Nodes == nil {
		return ""
	}
	return ": the node list has neither this index nor this row; use the node list of this atlas"
}

// placesOf are the places, from 0, of the numbers that name the regions of an edge list, and the number of the first
// place, 0 or 1. The numbers are those of a node list (ids), or count its rows; where both readings fit and differ,
// they are refused. c gets the names of the nodes where the numbers are placed by the list.
func (l Layout) placesOf(c *Contents, least, most, edges int) (at map[string]int, first int, err error) {
	numbers := c.Names
	c.Names = nil
	var rows []called
	if l.Nodes != nil && l.Labels == nil {
		if rows, err = column.Rows[called](l.Nodes); err != nil {
			return nil, 0, err
		}
	} else if l.Numbers == "ids" || l.Numbers == "names" {
		return nil, 0, fmt.Errorf("numbers is %s, those of a node list, but nodes is not set", l.Numbers)
	}
	counted := func(base int) map[string]int {
		at := map[string]int{}
		for _, name := range numbers {
			k, _ := strconv.Atoi(name)
			at[name] = k - base
		}
		return at
	}
	names := lists.Map(rows, func(r called) string { return r.Name })
	byID, byName := idsOf(rows), namesOf(rows)
	ids, allIDs := byList(numbers, byID)
	named, allNames := byList(numbers, byName)
	places, reading := map[string]int(nil), ""
	switch auto := l.Numbers == ""; {
	case l.Numbers == "ids":
		places = ids
	case l.Numbers == "names":
		places = named
	case auto && allIDs && allNames && !maps.Equal(ids, named) &&
		!(consecutive(byID, len(rows)) && consecutive(byName, len(rows))): // of 1 … N and 0 … N−1 the base decides
		differs := firstDiffering(numbers, ids, named)
		return nil, 0, fmt.Errorf("the regions are numbered %d to %d, which may be the index in the node list (%s is row %d) or "+
			"its names (%[3]s is row %[5]d): set numbers: ids, or numbers: names", least, most, differs, ids[differs]+1,
			named[differs]+1)
	case auto && allIDs && !consecutive(byID, len(rows)):
		places, reading = ids, "ids"
	case auto && !allIDs && allNames && !consecutive(byName, len(rows)):
		places, reading = named, "names"
	}
	if places != nil {
		for _, base := range []int{1, 0} {
			at := counted(base)
			fits := (l.Base == nil || *l.Base == base) && least >= base && most-base < len(rows)
			if reading != "" && fits && !maps.Equal(at, places) {
				differs := firstDiffering(numbers, at, places)
				return nil, 0, fmt.Errorf("the regions are numbered %d to %d, which may be the %s in the node list (%s is %s) or its "+
					"rows counted from %d (%[4]s is %[7]s): set numbers: %[8]s, or numbers: rows and base: %[6]d", least, most,
					map[string]string{"ids": "index", "names": "names"}[reading], differs, names[places[differs]], base,
					names[at[differs]], reading)
			}
		}
		c.Names = names
		return places, 1, nil
	}
	base, err := l.baseOf(least, most, edges)
	switch {
	case err != nil || rows == nil:
	case l.Numbers == "rows":
		c.Names = names
	case !consecutive(byID, len(rows)) && !consecutive(byName, len(rows)):
		c.Notes = append(c.Notes, fmt.Sprintf("the numbers of the regions are not all in the index of the node list, and are taken for "+
			"its rows, counted from %d", base))
	}
	return counted(base), base, err
}

// firstDiffering is the least number that has two places.
func firstDiffering(numbers []string, a, b map[string]int) string {
	slices.SortFunc(numbers, dag.CompareValues)
	return numbers[slices.IndexFunc(numbers, func(name string) bool { return a[name] != b[name] })]
}

// byList are the places of the numbers among the known ones; all is false where one is unknown or two share a place.
func byList(numbers []string, known map[string]int) (at map[string]int, all bool) {
	at, all = map[string]int{}, len(known) > 0
	taken := map[int]bool{}
	for _, name := range numbers {
		k, there := known[name]
		if !there {
			n, _ := strconv.Atoi(name)
			k, there = known[strconv.Itoa(n)]
		}
		if all = all && there && !taken[k]; there {
			at[name], taken[k] = k, true
		}
	}
	return at, all
}

// consecutive reports whether the numbers of n nodes are those of the rows, from 0 or 1.
func consecutive(known map[string]int, n int) bool {
	return counting(known, n, 0) || counting(known, n, 1)
}

// counting reports whether the numbers of n nodes are those of the rows, from a base.
func counting(known map[string]int, n, base int) bool {
	for i := range n {
		if k, there := known[strconv.Itoa(i+base)]; !there || k != i {
			return false
		}
	}
	return true
}

// baseOf is the number of the first region: 0 or 1. A 0 decides, the number of the last of the regions, and a list of
// all pairs.
func (l Layout) baseOf(least, most, edges int) (int, error) {
	size := l.Size()
	switch {
	case l.Base != nil && least < *l.Base:
		return 0, fmt.Errorf("base is %d, but a region has the number %d", *l.Base, least)
	case l.Base != nil:
		return *l.Base, nil
	case least == 0:
		return 0, nil
	case size > 0 && most >= size, size == 0 && 2*edges >= most*(most-1):
		return 1, nil
	}
	of := ""
	if size > 0 {
		of = fmt.Sprintf(" of %d", size)
	}
	return 0, fmt.Errorf("the regions are numbered %d to %d%s, which may count from 0 or from 1: set base: 1, or base: 0", least, most, of)
}

// textSquare reads a matrix of regions by regions, an edge list, or the triangle of a matrix.
func (l Layout) textSquare(br *connectivity.Content, c *Contents) error {
	mem := br.Budget()
	first, _ := br.Peek(4096)
	first = bytes.Clone(first) // reading on overwrites it
	c.FisherZ = bytes.HasPrefix(first, []byte(zComment))
	square := bytes.HasPrefix(bytes.TrimPrefix(first, []byte(zComment)), []byte(squareComment))
	if l.Order == "" && (square || !threeOrOne(first)) {
		var x connectivity.Matrix
		var err error
		if c.Names, x, err = connectivity.ReadRelmat(br); err != nil {
			err = cmp.Or(surplus(first), err)
		} else if err = refuseEdges(x); err != nil {
			err = cmp.Or(surplus(first), err)
		}
		c.Draws = []connectivity.Matrix{x}
		return err
	}
	const most = 64 << 20
	b, err := io.ReadAll(io.LimitReader(br, most+1))
	if len(b) > most {
		return fmt.Errorf("it holds more than the limit of %d MiB for edge lists and triangles: save it as npy", most>>20)
	}
	if err == nil {
		err = mem.Take(int64(len(b)), 8, "bytes")
	}
	if err != nil {
		return err
	}
	if list, is, err := readEdges(b); is || err != nil {
		if err == nil {
			c.FisherZ = c.FisherZ || zHeading.MatchString(squashed(list.heading))
			err = l.fromEdges(list.edges, c)
		}
		return err
	}
	var x connectivity.Matrix
	if c.Names, x, err = connectivity.ReadRelmat(bytes.NewReader(b)); err == nil {
		c.Draws = []connectivity.Matrix{x}
		return nil
	}
	_, v, other := connectivity.ReadText(bytes.NewReader(b))
	if list := foreign.EdgeList(v.Rows, v.Cols, v.Data); other == nil && list != nil {
		return fmt.Errorf("%s, but they are the first two: move them before the correlation, in all files", list)
	}
	if other != nil || v.Cols != 1 && v.Rows != 1 {
		return err
	}
	c.Names = nil
	return l.vector(v.Data, c)
}

// threeOrOne reports whether the first lines of a text have one value or three, as vectors and edge lists have.
func threeOrOne(first []byte) bool {
	lines := strings.Split(string(first), "\n")
	if len(lines) == 1 {
		return false
	}
	for _, line := range lines[:len(lines)-1] {
		line = strings.TrimSpace(line)
		n := len(strings.Fields(line))
		if c := separator(line); c != "" {
			n = len(slices.DeleteFunc(connectivity.Split(line, c), func(s string) bool { return s == "" }))
		}
		if line != "" && line[0] != '#' && n != 1 && n != 3 {
			return false
		}
	}
	return true
}

// vector reads the entries of a triangle.
func (l Layout) vector(v []float64, c *Contents) error {
	x, filled, err := l.FromVector(v)
	if err = cmp.Or(err, l.one("participant's matrix")); err != nil {
		return err
	}
	c.Filled = filled
	c.Draws = []connectivity.Matrix{x}
	if !l.FisherZ && !slices.ContainsFunc(x.Data, func(v float64) bool { return math.Abs(v) > 1 }) && negative(x) {
		c.Notes = append(c.Notes, "the correlations have a negative eigenvalue, as no set of time series has: "+
			"order may be the other one, or the matrix was thresholded or computed pairwise")
	}
	return nil
}
