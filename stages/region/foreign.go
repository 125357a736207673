package region

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

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/internal/foreign"
	"prgnn/internal/workbook"
	"prgnn/nifti/cifti"
	"prgnn/stages/mat5"
	"prgnn/stages/npz"
)

// DrawNumbers counts n draws from 0.
func DrawNumbers(n int) []int32 {
	v := make([]int32, n)
	for d := range v {
		v[d] = int32(d)
	}
	return v
}

// ReadSquares reads the matrices of a file, and the names of its columns (nil when it
// has none). What the file is, its first bytes tell.
func ReadSquares(r io.Reader, l Layout) (*Contents, error) {
	c := &Contents{}
	br, err := l.open(r, c)
	if err != nil {
		return nil, err
	}
	first, _ := br.Peek(mat5.HeaderSize)
	variables := mat5.Is(first) || npz.Is(first)
	switch {
	case bytes.HasPrefix(first, []byte(npyMagic)):
		var shape []int
		var v []float64
		if shape, v, err = encoding.ReadFloats(br, matrixCopies); err == nil {
			if len(shape) == 1 {
				err = l.vector(v, c)
			} else {
				if c.Draws, err = l.squares(shape, v); len(shape) == 3 {
					c.Many = shape[0]
				}
			}
		}
	case variables:
		var all []mat5.Variable
		if all, err = readVariables(r, br); err == nil {
			c.Person = personIn(all)
			err = l.matSquares(all, c)
		}
	default:
		if err = cmp.Or(l.textSquare(br, c), l.one("participant's matrix")); err == nil {
			err = br.Budget().Take(int64(len(c.Draws[0].Data)), 8+8*matrixCopies, "numbers")
		}
	}
	if err == nil && !variables {
		err = l.inside(c)
	}
	if err == nil {
		err = l.arrangeSquares(c)
	}
	if err == nil {
		err = refuseAffine(c.Draws)
	}
	if err == nil && len(c.Draws) == 1 {
		err = refuseEdges(c.Draws[0])
	}
	return c, err
}

// matrixCopies are those that the stage makes of matrices: in the order of the nodes, and checked.
const matrixCopies = 2

// refuseAffine refuses a spatial transform.
func refuseAffine(draws []connectivity.Matrix) error {
	if len(draws) == 1 && foreign.Affine(draws[0].Data) {
		return errors.New(foreign.AffineIs)
	}
	return nil
}

// squares cuts an array [roi, roi] or [draw, roi, roi] into matrices.
func (l Layout) squares(shape []int, v []float64) ([]connectivity.Matrix, error) {
	r := len(shape)
	if r != 2 && r != 3 || shape[r-1] != shape[r-2] || len(v) == 0 {
		return nil, fmt.Errorf("an array of shape %v, expected regions × regions, or draws in front", shape)
	}
	n := shape[r-1]
	var draws []connectivity.Matrix
	for ; len(v) > 0; v = v[n*n:] {
		draws = append(draws, connectivity.Matrix{Rows: n, Cols: n, Data: v[:n*n]})
	}
	return l.member(draws)
}

// member is the one of several matrices that the layout names, or all of them: draws.
func (l Layout) member(all []connectivity.Matrix) ([]connectivity.Matrix, error) {
	if l.Member > len(all) {
		return nil, MemberError{l.Member, len(all)}
	}
	if l.Member > 0 {
		return all[l.Member-1 : l.Member], nil
	}
	return all, nil
}

// A MemberError is the error for a member that the file does not have.
type MemberError struct{ Member, Many int }

func (e MemberError) Error() string {
	return fmt.Sprintf("member is %d, but the file has %d matrices", e.Member, e.Many)
}

// MatrixNames are the names of the regions of a file, numbers from 1 where it has none and none from 0.
func MatrixNames(r io.Reader, l Layout) ([]string, error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, err
	}
	var names []string
	n := 0
	if first, _ := br.Peek(mat5.HeaderSize); !mat5.Is(first) && !npz.Is(first) || !l.Plain() {
		var c *Contents
		if c, err = ReadSquares(br, l); err == nil {
			names, n = c.Names, c.Draws[0].Cols
		}
	} else if all, damaged := readVariables(r, br); damaged != nil {
		err = damaged
	} else { // several matrices of one size will do
		names, n, err = l.matRegions(all)
	}
	if err != nil {
		return nil, err
	}
	if names == nil {
		for i := range n {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	return names, nil
}

// open is the content of a file, decompressed; of a workbook, the text of its only sheet, or of the one that is set as
// its variable.
func (l Layout) open(r io.Reader, c *Contents) (*connectivity.Content, error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, err
	}
	if first, _ := br.Peek(foreign.Enough); !workbook.Is(first) {
		return br, nil
	}
	b, err := io.ReadAll(br)
	if err != nil {
		return nil, err
	}
	text, note, err := workbook.Text(b, l.Variable)
	if several := new(workbook.Sheets); errors.As(err, &several) {
		err = fmt.Errorf("%w; in a pipeline file: variable: %s", err, several.Names[0])
	}
	if err != nil {
		return nil, err
	}
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	return connectivity.Decompress(bytes.NewReader(text))
}

// ReadSeries reads a file of series, volumes × regions: text, npy, .mat, a workbook or CIFTI parcels (ptseries),
// gzipped or not.
func ReadSeries(r io.Reader, l Layout) (*Contents, error) {
	c := &Contents{}
	br, err := l.open(r, c)
	if err != nil {
		return nil, err
	}
	var x connectivity.Matrix
	first, _ := br.Peek(mat5.HeaderSize)
	variables := mat5.Is(first) || npz.Is(first)
	switch {
	case bytes.HasPrefix(first, []byte(npyMagic)):
		x, err = seriesArray(br)
	case bytes.HasPrefix(first, []byte(niftiMagic)):
		var v []float64
		if c.Names, v, c.TR, err = cifti.ReadParcels(br); err == nil {
			x = connectivity.Matrix{Rows: len(v) / len(c.Names), Cols: len(c.Names), Data: v}
		}
	case variables:
		var all []mat5.Variable
		if all, err = readVariables(r, br); err == nil {
			c.Person = personIn(all)
			x, err = l.matSeries(all, c)
		}
	default:
		c.Names, x, err = connectivity.ReadText(br)
	}
	if err == nil && !variables {
		err = l.inside(c)
	}
	if err == nil && l.Program != conn {
		err = l.one("participant's time series")
	}
	if err != nil {
		return nil, err
	}
	if what, matrix := foreign.NotSeries(x.Rows, x.Cols, x.Data); what != "" {
		return nil, &NotSeriesError{what, matrix}
	}
	c.Draws = []connectivity.Matrix{x}
	return c, l.arrangeSeries(c)
}

// A NotSeriesError is that a file does not hold time series, and whether it holds a matrix of regions.
type NotSeriesError struct {
	What   string
	Matrix bool
}

func (e *NotSeriesError) Error() string {
	if !e.Matrix {
		return e.What
	}
	return e.What + ", not time series: read it as a matrix (pearson of a cohort of matrices)"
}

const (
	npyMagic   = "\x93NUMPY"
	niftiMagic = "\x1c\x02\x00\x00n+2" // NIfTI-2, little-endian
)

// inside reports that a layout names variables, which a file of another form does not have; names: none leaves out the
// names of its columns.
func (l Layout) inside(c *Contents) error {
	switch {
	case l.Names == NoNames:
		c.Names = nil
	case l.Names != "" && l.Labels == nil:
		return fmt.Errorf("names is %s, a variable of a .mat or npz file, but this file is neither; set names to a file of labels", l.Names)
	}
	return nil
}

// severalIn is what to do with an array that may hold the series of several participants.
func severalIn(shape []int) string {
	if len(shape) != 3 {
		return ""
	}
	return ": if it holds several participants, write a file for each"
}

// seriesArray reads an npy array of volumes × regions.
func seriesArray(r io.Reader) (connectivity.Matrix, error) {
	shape, v, err := encoding.ReadFloats(r, 1) // while they are stored
	if err != nil {
		return connectivity.Matrix{}, err
	}
	if len(shape) != 2 || len(v) == 0 {
		return connectivity.Matrix{}, fmt.Errorf("an array of shape %v; time series are volumes × regions%s", shape, severalIn(shape))
	}
	return connectivity.Matrix{Rows: shape[0], Cols: shape[1], Data: v}, nil
}

// fewRowsNote notes series that may be regions × volumes.
func fewRowsNote(rows, columns int) string {
	return fmt.Sprintf("fewer rows (%d) than columns (%d): the rows are read as volumes; if they are regions, set transpose: true", rows, columns)
}

// FewRows notes a file of series that may be regions × volumes: npy, by its header, or a text without names, of which
// it reads no more rows than there are columns; "" for any other file.
func FewRows(r io.Reader) string {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return ""
	}
	if first, _ := br.Peek(len(npyMagic)); string(first) == npyMagic {
		if shape, err := encoding.ReadShape(br); err == nil && len(shape) == 2 && shape[0] < shape[1] {
			return fewRowsNote(shape[0], shape[1])
		}
		return ""
	}
	if first, _ := br.Peek(foreign.Enough); foreign.Name(first) != "" || bytes.IndexByte(first, 0) >= 0 {
		return ""
	}
	rows, columns, begun := 0, 0, ""
	lines := bufio.NewScanner(br)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if rows < 2 {
			begun += line + "\n"
		}
		if line[0] == '#' {
			continue
		}
		if rows++; rows == 2 {
			names, x, err := connectivity.ReadText(strings.NewReader(begun))
			if err != nil || names != nil {
				return ""
			}
			columns = x.Cols
		}
		if rows > 1 && rows >= columns {
			return ""
		}
	}
	if columns == 0 {
		return ""
	}
	return fewRowsNote(rows, columns)
}

// SeriesVolumes is the number of volumes in a text or npy file of series, by what its first rows or its header state.
func SeriesVolumes(r io.Reader) (int, error) {
	br, err := Layout{}.open(r, &Contents{})
	if err != nil {
		return 0, err
	}
	if first, _ := br.Peek(len(npyMagic)); string(first) != npyMagic {
		return connectivity.CountRows(br)
	}
	shape, err := encoding.ReadShape(br)
	if err != nil || len(shape) != 2 {
		return 0, err
	}
	return shape[0], nil
}

// Counted reports whether names are 0, 1, 2 …, the places of the columns.
func Counted(names []string) bool {
	return !slices.ContainsFunc(DrawNumbers(len(names)), func(i int32) bool { return names[i] != strconv.Itoa(int(i)) })
}

// SeriesNames are the names of the columns of a file of series; where it has none they are numbered from 1.
func SeriesNames(r io.Reader, l Layout) ([]string, error) {
	c, err := ReadSeries(r, l)
	if err != nil {
		return nil, err
	}
	names, x := c.Names, c.Draws[0]
	if names == nil {
		for i := range x.Cols {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	for i, name := range names {
		v := make([]float64, x.Rows)
		for t := range v {
			v[t] = x.At(t, i)
		}
		if how := connectivity.LabelsRows(name, v); how != "" && c.Names != nil {
			return nil, fmt.Errorf("the column %s is not a region, but what its rows belong to or their number (%s); remove it from all files, or choose the regions by name (regions)", name, how)
		}
		if counts(x.Data[i:], x.Rows, x.Cols) {
			return nil, fmt.Errorf("the column %s is not a region: from row to row it only rises, only falls, or begins again, as time does; remove it from all files", name)
		}
	}
	return names, nil
}

// NamesAmong are the names of the regions that a .mat or npz file of matrices lists, nil where it lists none, and whose
// file it is by itself.
func NamesAmong(r io.Reader, l Layout) (names []string, person Person, err error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, person, err
	}
	all, err := readVariables(r, br)
	if err != nil {
		return nil, person, err
	}
	names, _, err = l.matRegions(all)
	return names, personIn(all), err
}

// Head are the names of the columns of a file of series or matrices by its first bytes, at most so many; nil where they
// have none. shown is false for a file that cannot be read so, and for an edge list, whose columns are no regions.
func Head(r io.Reader, most int64, matrix bool) (names []string, shown bool) {
	br, err := Layout{}.open(r, &Contents{})
	if err != nil {
		return nil, false
	}
	if first, _ := br.Peek(mat5.HeaderSize); bytes.HasPrefix(first, []byte(npyMagic)) {
		return nil, true
	} else if mat5.Is(first) || npz.Is(first) || bytes.HasPrefix(first, []byte(niftiMagic)) {
		return nil, false // cells name the regions of one, and parcels of the other always have names
	}
	b, err := io.ReadAll(io.LimitReader(br, most))
	if err != nil {
		return nil, false
	}
	if end := bytes.LastIndexByte(b, '\n'); int64(len(b)) == most && end > 0 {
		b = b[:end+1]
	}
	if _, is, _ := readEdges(b); is && matrix {
		return nil, false
	}
	names, _, err = connectivity.ReadText(bytes.NewReader(b))
	return names, err == nil
}

// counts reports whether a column, which begins x, goes one way only over twenty rows or more, as the number of a
// volume and its time do, also rounded, backwards, or of some of the volumes; or begins again a few times near its
// first
// value, as over joined runs. A signal does not.
func counts(x []float64, rows, columns int) bool {
	var turns [2][]float64 // values after a step up, and after one down
	low, high := x[0], x[0]
	for row := 1; row < rows; row++ {
		v := x[row*columns]
		low, high = min(low, v), max(high, v)
		switch step := v - x[(row-1)*columns]; {
		case step > 0:
			turns[0] = append(turns[0], v)
		case step < 0:
			turns[1] = append(turns[1], v)
		}
	}
	few, many := turns[0], turns[1]
	if len(few) > len(many) {
		few, many = many, few
	}
	away := func(v float64) bool { return math.Abs(v-x[0]) > .1*(high-low) }
	return rows >= 20 && len(many) >= max(10, rows/3) && 10*len(few) <= len(many) && !slices.ContainsFunc(few, away)
}
