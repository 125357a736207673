package region

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/internal/foreign"
	"prgnn/internal/words"
	"prgnn/nifti/cifti"
	"prgnn/stages/mat5"
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
func ReadSquares(r io.Reader, variable string) (names []string, draws []connectivity.Matrix, err error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, nil, err
	}
	first, _ := br.Peek(mat5.HeaderSize)
	switch {
	case bytes.HasPrefix(first, []byte(npyMagic)):
		shape, v, err := encoding.ReadFloats(br, matrixCopies)
		if err != nil {
			return nil, nil, err
		}
		if draws, err = squares(shape, v); err == nil {
			err = refuseAffine(draws)
		}
		return nil, draws, err
	case mat5.Is(first):
		all, err := mat5.Read(br)
		if err != nil {
			return nil, nil, err
		}
		if names, draws, err = matSquares(all, variable); err == nil {
			err = refuseAffine(draws)
		}
		return names, draws, err
	}
	names, x, err := connectivity.ReadRelmat(br)
	if err == nil {
		err = br.Budget().Take(int64(len(x.Data)), 8+8*matrixCopies, "numbers")
	}
	if err != nil {
		return nil, nil, err
	}
	return names, []connectivity.Matrix{x}, nil
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
func squares(shape []int, v []float64) ([]connectivity.Matrix, error) {
	r := len(shape)
	if r != 2 && r != 3 || shape[r-1] != shape[r-2] || len(v) == 0 {
		return nil, fmt.Errorf("an array of shape %v, expected regions × regions, or draws in front", shape)
	}
	n := shape[r-1]
	var draws []connectivity.Matrix
	for ; len(v) > 0; v = v[n*n:] {
		draws = append(draws, connectivity.Matrix{Rows: n, Cols: n, Data: v[:n*n]})
	}
	return draws, nil
}

// matSquares finds the matrix of a .mat file; draws lie along a third dimension. A cell
// of as many texts as there are regions names them.
func matSquares(all []mat5.Variable, variable string) ([]string, []connectivity.Matrix, error) {
	var has, fits []string
	var found mat5.Variable
	for _, v := range all {
		one := fmt.Sprintf("%.80s (%s %s)", v.Name,
			strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Shape), " ", "×"), "[]"), v.Class)
		if v.Problem != nil {
			one += " – " + v.Problem.Error()
		}
		has = append(has, one)
		if v.Name == variable || variable == "" && matSquare(v) {
			fits, found = append(fits, v.Name), v
		}
	}
	switch {
	case len(fits) > 1:
		return nil, nil, fmt.Errorf("several variables could be the matrix: %s; name one (pearson_variable, partial_variable)", words.Some(fits, 10))
	case len(fits) == 0 && variable != "":
		return nil, nil, fmt.Errorf("there is no variable %q; it has %s", variable, words.Some(has, 10))
	case len(fits) == 0:
		return nil, nil, fmt.Errorf("no variable is a square matrix; it has %s", words.Some(has, 10))
	case found.Problem != nil:
		return nil, nil, fmt.Errorf("variable %s: %w", found.Name, found.Problem)
	case !matSquare(found):
		return nil, nil, fmt.Errorf("variable %s is %v, expected regions × regions, or draws along a third dimension", found.Name, found.Shape)
	}
	n := found.Shape[0]
	var draws []connectivity.Matrix
	for v := found.Numbers; len(v) > 0; v = v[n*n:] {
		one := mat5.Variable{Shape: []int{n, n}, Numbers: v[:n*n]}
		draws = append(draws, connectivity.Matrix{Rows: n, Cols: n, Data: one.Rows()})
	}
	return matNames(all, n), draws, nil
}

// matSquare reports whether a variable can be matrices of regions by regions.
func matSquare(v mat5.Variable) bool {
	return len(v.Numbers) > 0 && (len(v.Shape) == 2 || len(v.Shape) == 3) && v.Shape[0] == v.Shape[1] && v.Shape[0] > 1
}

// matNames are the n names of the regions, when one variable alone can be them.
func matNames(all []mat5.Variable, n int) (names []string) {
	for _, v := range all {
		if v.Class == "cell" && len(v.Texts) == n {
			if names != nil {
				return nil
			}
			names = v.Texts
		}
	}
	return names
}

// MatrixNames are the names of the regions of a file, numbers from 1 when it has none.
func MatrixNames(r io.Reader) ([]string, error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, err
	}
	var names []string
	n := 0
	if first, _ := br.Peek(mat5.HeaderSize); !mat5.Is(first) {
		var draws []connectivity.Matrix
		if names, draws, err = ReadSquares(br, ""); err == nil {
			n = draws[0].Cols
		}
	} else if all, damaged := mat5.Read(br); damaged != nil {
		err = damaged
	} else { // several matrices of one size will do
		_, _, err = matSquares(all, "")
		for _, v := range all {
			if matSquare(v) && (n == 0 || n == v.Shape[0]) {
				n, err = v.Shape[0], nil
			} else if matSquare(v) {
				return nil, errors.New("its matrices have different sizes")
			}
		}
		names = matNames(all, n)
	}
	if err != nil {
		return nil, err
	}
	if names == nil || Counted(names) {
		names = nil
		for i := range n {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	return names, nil
}

// ReadSeries reads a file of series, volumes × regions: text, npy or CIFTI parcels (ptseries),
// gzipped or not. names is nil where the columns have none; tr is the repetition time, s, 0 where
// the file does not say it.
func ReadSeries(r io.Reader) (names []string, x connectivity.Matrix, tr float64, err error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, x, 0, err
	}
	first, _ := br.Peek(len(niftiMagic))
	switch {
	case bytes.HasPrefix(first, []byte(npyMagic)):
		x, err = seriesArray(br)
		return nil, x, 0, err
	case string(first) == niftiMagic:
		names, values, tr, err := cifti.ReadParcels(br)
		if err != nil {
			return nil, x, 0, err
		}
		return names, connectivity.Matrix{Rows: len(values) / len(names), Cols: len(names), Data: values}, tr, nil
	}
	names, x, err = connectivity.ReadText(br)
	return names, x, 0, err
}

const (
	npyMagic   = "\x93NUMPY"
	niftiMagic = "\x1c\x02\x00\x00n+2" // NIfTI-2, little-endian
)

// seriesArray reads an npy array of volumes × regions.
func seriesArray(r io.Reader) (connectivity.Matrix, error) {
	shape, v, err := encoding.ReadFloats(r, 1) // while they are stored
	if err != nil {
		return connectivity.Matrix{}, err
	}
	if len(shape) != 2 || len(v) == 0 {
		return connectivity.Matrix{}, fmt.Errorf("an array of shape %v; time series are volumes × regions", shape)
	}
	return connectivity.Matrix{Rows: shape[0], Cols: shape[1], Data: v}, nil
}

// SeriesVolumes is the number of volumes in a text or npy file of series, by what its first rows or its header state.
func SeriesVolumes(r io.Reader) (int, error) {
	br, err := connectivity.Decompress(r)
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

// Counted reports whether names are 0, 1, 2 …, which name nothing.
func Counted(names []string) bool {
	return !slices.ContainsFunc(DrawNumbers(len(names)), func(i int32) bool { return names[i] != strconv.Itoa(int(i)) })
}

// SeriesNames are the names of the columns of a file of series; where it has none they are numbered from 1.
func SeriesNames(r io.Reader) ([]string, error) {
	names, x, _, err := ReadSeries(r)
	if err != nil {
		return nil, err
	}
	if names == nil {
		for i := range x.Cols {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	for i, name := range names {
		if counts(x.Data[i:], x.Rows, x.Cols) {
			return nil, fmt.Errorf("the column %s is no region: from row to row it only rises, or only falls, as time does; remove it from all files", name)
		}
	}
	return names, nil
}

// Head are the names of the columns of a file of series or matrices by its first bytes, at most so many; nil where they
// have none. shown is false for a file that cannot be read so.
func Head(r io.Reader, most int64) (names []string, shown bool) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, false
	}
	if first, _ := br.Peek(mat5.HeaderSize); bytes.HasPrefix(first, []byte(npyMagic)) {
		return nil, true
	} else if mat5.Is(first) || bytes.HasPrefix(first, []byte(niftiMagic)) {
		return nil, false // cells name the regions of one, and parcels of the other always have names
	}
	b, err := io.ReadAll(io.LimitReader(br, most))
	if err != nil {
		return nil, false
	}
	if end := bytes.LastIndexByte(b, '\n'); int64(len(b)) == most && end > 0 {
		b = b[:end+1]
	}
	names, _, err = connectivity.ReadText(bytes.NewReader(b))
	return names, err == nil
}

// counts reports whether a column, which begins x, goes one way only over twenty rows or more, as the number of a
// volume and its time do, also rounded, backwards, or of some of the volumes. A signal does not.
func counts(x []float64, rows, columns int) bool {
	up, down := 0, 0
	for row := 1; row < rows; row++ {
		switch step := x[row*columns] - x[(row-1)*columns]; {
		case step > 0:
			up++
		case step < 0:
			down++
		}
	}
	return min(up, down) == 0 && max(up, down) >= max(10, rows/3) && rows >= 20
}
