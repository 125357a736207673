package region

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"prgnn/connectivity"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/mat5"
)

// readMat reads the variables of a .mat file. One of version 7.3 may be larger than memory: where the file itself can
// be read at any place, the numbers that are asked for are.
func readMat(file, content io.Reader) ([]mat5.Variable, error) {
	at, size := io.ReaderAt(nil), int64(0)
	switch f := file.(type) {
	case *os.File:
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			at, size = f, info.Size()
		}
	case *File:
		at, size = f, f.Size
	}
	if at != nil {
		first := make([]byte, mat5.HeaderSize)
		if n, _ := at.ReadAt(first, 0); mat5.Is73(first[:n]) {
			return mat5.ReadHDF(at, size)
		}
	}
	return mat5.Read(content)
}

// described lists the variables of a file.
func described(all []mat5.Variable) string {
	return words.Some(lists.Map(all, mat5.Variable.Describe), 10)
}

// matChosen is the variable of the layout, else the only one that fits; what is the thing, and one what fits.
func (l Layout) matChosen(all []mat5.Variable, what, one string, fits func(mat5.Variable) bool) (mat5.Variable, error) {
	if l.Variable != "" {
		v, err := mat5.Find(all, l.Variable)
		if err != nil && l.Program != "" {
			return v, fmt.Errorf("%w, but files of %s with this name have it; if it is of another program, set variable; it has %s", err, l.Program, described(all))
		} else if err != nil {
			return v, fmt.Errorf("%w; it has %s", err, described(all))
		}
		if v.Problem != nil {
			return v, fmt.Errorf("variable %s: %w", v.Name, v.Problem)
		}
		return v, nil
	}
	found := lists.Keep(all, func(v mat5.Variable) bool { return v.Problem == nil && fits(v) })
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return mat5.Variable{}, fmt.Errorf("no variable is %s; it has %s", one, described(all))
	}
	return mat5.Variable{}, fmt.Errorf("several variables could be %s: %s; name one (variable: %s)", what,
		words.Some(lists.Map(found, mat5.Variable.Describe), 10), found[0].Name)
}

// plain reports whether a variable is a matrix of numbers.
func plain(v mat5.Variable) bool {
	return v.Numeric() && v.Class != "logical" && len(v.Shape) == 2 && v.Shape[0] > 1 && v.Shape[1] > 1
}

// matSeries reads series, volumes × regions: a matrix, or a cell of columns.
func (l Layout) matSeries(all []mat5.Variable, c *Contents) (x connectivity.Matrix, err error) {
	v, err := l.matChosen(all, "the time series", "a matrix of volumes × regions", plain)
	if err != nil {
		return x, err
	}
	if v.Class == "cell" && v.Cells != nil {
		if x, err = l.matColumns(all, v, c); err == nil {
			x, err = l.matRows(all, x, c)
		}
		return x, err
	}
	if v.Count() == 0 {
		return x, fmt.Errorf("variable %s is empty: %s", v.Name, v.Describe())
	}
	if !plain(v) {
		return x, fmt.Errorf("variable %s is no matrix of volumes × regions%s; the file has %s", v.Describe(), severalIn(v.Size()), described(all))
	}
	c.Sparse = v.Class == "sparse"
	if c.Names, err = l.namesIn(all, v, c, 0, v.Shape[0], v.Shape[1]); err != nil {
		return x, err
	}
	numbers, err := v.All()
	if err != nil {
		return x, err
	}
	return cut(numbers, v.Shape[0], v.Shape[1])[0], nil
}

// matColumns joins the columns in a cell. CONN keeps tissues and covariates there too: its regions have one column
// and a dot in their names (conn_process.m).
func (l Layout) matColumns(all []mat5.Variable, v mat5.Variable, c *Contents) (x connectivity.Matrix, err error) {
	names, err := l.namesIn(all, v, c, 0, len(v.Cells))
	if err != nil {
		return x, err
	}
	if len(names) != len(v.Cells) {
		return x, fmt.Errorf("variable %s needs a name for each of its %d elements, but there are %d: set names to the variable that has them; it has %s",
			v.Name, len(v.Cells), len(names), described(all))
	}
	take := make([]bool, len(names))
	for i, one := range v.Cells {
		take[i] = l.Regions == nil && (l.Program != conn || len(one.Shape) == 2 && one.Shape[1] == 1 &&
			strings.Contains(names[i], "."))
	}
	if l.Regions != nil {
		if take, err = l.matching(names); err != nil {
			return x, err
		}
	}
	var columns [][]float64
	var skipped, wide []string
	for i, one := range v.Cells {
		of := names[i]
		if len(one.Shape) == 2 && one.Shape[1] != 1 {
			of += fmt.Sprintf(" (%d columns)", one.Shape[1])
		}
		switch {
		case !take[i]:
			skipped = append(skipped, of)
		case !one.Numeric() || len(one.Shape) != 2 || one.Shape[1] != 1:
			wide = append(wide, of)
		default:
			numbers, err := one.All()
			if err != nil {
				return x, fmt.Errorf("%s: %w", names[i], err)
			}
			columns, c.Names = append(columns, numbers), append(c.Names, names[i])
		}
	}
	if wide != nil {
		return x, fmt.Errorf("variable %s: a region has one column, unlike %s: choose others by regions", v.Name, words.Some(wide, 6))
	}
	if columns == nil {
		return x, fmt.Errorf("variable %s has no region; its names are %s: choose some by regions", v.Name, words.Some(names, 10))
	}
	if skipped != nil {
		c.Notes = append(c.Notes, "not taken: "+words.Some(skipped, 10))
	}
	x = connectivity.NewMatrix(len(columns[0]), len(columns))
	for j, column := range columns {
		if len(column) != x.Rows {
			return x, fmt.Errorf("variable %s: %s has %d volumes, but %s has %d", v.Name, c.Names[j], len(column), c.Names[0], x.Rows)
		}
		for i, value := range column {
			x.Row(i)[j] = value
		}
	}
	return x, nil
}

// matRows takes the rows of CONN's session and condition.
func (l Layout) matRows(all []mat5.Variable, x connectivity.Matrix, c *Contents) (y connectivity.Matrix, err error) {
	keep := make([]bool, x.Rows)
	for i := range keep {
		keep[i] = true
	}
	if l.Program == conn {
		err = l.ofSession(all, keep)
	}
	if err == nil {
		err = l.ofCondition(all, keep, c)
	}
	if err != nil || !slices.Contains(keep, false) {
		return x, err
	}
	y.Cols = x.Cols
	for i, taken := range keep {
		if taken {
			y.Data = append(y.Data, x.Row(i)...)
			y.Rows++
		}
	}
	return y, nil
}

// ofSession keeps the rows of one session from all scans of CONN (Condition000), whose sessions data_sessions numbers.
func (l Layout) ofSession(all []mat5.Variable, keep []bool) error {
	of, err := mat5.Find(all, "data_sessions")
	if err != nil { // one condition
		return l.only("series")
	}
	numbers, err := of.All()
	if err != nil {
		return err
	}
	if len(numbers) != len(keep) || len(keep) == 0 {
		return fmt.Errorf("data_sessions has %d rows, and the series have %d", len(numbers), len(keep))
	}
	most := slices.Max(numbers)
	if most == 1 {
		return l.only("session")
	}
	if l.Member == 0 {
		return fmt.Errorf("it has %g sessions (data_sessions), each with its own mean and filter: set member to the column with the number of the session, or name the file of one condition", most)
	}
	for i := range keep {
		keep[i] = numbers[i] == float64(l.Member)
	}
	if !slices.Contains(keep, true) {
		return fmt.Errorf("member is %d, but the sessions (data_sessions) are 1 to %g", l.Member, most)
	}
	return nil
}

// only refuses a member of a file with one.
func (l Layout) only(what string) error {
	if l.Member > 1 {
		return fmt.Errorf("member is %d, but the file has one %s", l.Member, what)
	}
	return nil
}

// one refuses a member of a file that each participant would have whole.
func (l Layout) one(what string) error {
	if err := l.only(what); err != nil {
		return fmt.Errorf("%w: write a file for each participant, and remove member", err)
	}
	return nil
}

// ofCondition keeps the rows of the condition of a file of CONN: conditionweights{1} has the weight of each row in it
// (conn_process.m), of which the rest of the scan has 0.
func (l Layout) ofCondition(all []mat5.Variable, keep []bool, c *Contents) error {
	if name, err := mat5.Find(all, "conditionname"); err == nil && len(name.Texts) == 1 {
		c.State = strings.TrimSpace(name.Texts[0])
	}
	if !slices.ContainsFunc(all, func(v mat5.Variable) bool { return v.Name == "conditionweights" }) {
		return nil
	}
	of, err := mat5.Find(all, "conditionweights{1}")
	if err != nil {
		return err
	}
	weights, err := of.All()
	if err != nil {
		return fmt.Errorf("conditionweights{1}: %w", err)
	}
	if len(weights) != len(keep) {
		return fmt.Errorf("conditionweights{1} has %d rows, and the series have %d", len(weights), len(keep))
	}
	rows, none, least, most := 0, 0, math.Inf(1), 0.0
	for i, w := range weights {
		switch {
		case !keep[i]:
		case !(math.Abs(w) > 0):
			none++
			keep[i] = false
		default:
			rows, least, most = rows+1, min(least, w), max(most, w)
		}
	}
	of.Name = "the condition"
	if c.State != "" {
		of.Name += " " + c.State
	}
	switch {
	case rows == 0:
		return fmt.Errorf("no volume has a weight in %s (conditionweights{1})", of.Name)
	case none > 0 && !l.Weighted:
		return fmt.Errorf("%d of %d volumes do not belong to %s: their weights (conditionweights{1}) are 0 or NaN; set drop_zero_weights: true to leave them out; all volumes of the scan are in …_Condition000.mat",
			none, none+rows, of.Name)
	case none > 0:
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d volumes left out, whose weight in %s is 0 or NaN; volumes on either side of a gap are read as consecutive",
			none, none+rows, of.Name))
	}
	if least != most {
		c.Unequal = of.Name
	}
	return nil
}

// matSquares reads the matrix of a .mat file; draws, or the members of a group, lie along a third dimension. A cell
// of as many texts as there are regions names them.
func (l Layout) matSquares(all []mat5.Variable, c *Contents) error {
	v, err := l.matChosen(all, "the matrix", "a square matrix (or a triangle of one, if order is set)", l.matFits)
	if err != nil {
		return err
	}
	switch {
	case l.Program == conn:
		return l.connSquares(all, v, c)
	case l.Program == gift:
		return l.giftSquares(v, c)
	case v.Count() == 0:
		return fmt.Errorf("variable %s is empty: %s", v.Name, v.Describe())
	case l.matVector(v):
		numbers, err := v.All()
		if err == nil {
			err = l.vector(numbers, c)
		}
		if err == nil {
			c.Names, err = l.namesIn(all, v, c, 0, c.Draws[0].Cols)
		}
		return err
	case !matSquare(v):
		place := "along a third dimension"
		if v.Stated != nil {
			place = "in front"
		}
		return fmt.Errorf("variable %s is %v, expected regions × regions, or draws %s", v.Name, v.Size(), place)
	}
	c.Sparse = v.Class == "sparse"
	n := v.Shape[0]
	c.Many = v.Count() / (n * n)
	if c.Draws, err = l.matMember(v); err != nil {
		return err
	}
	if c.Names, err = l.namesIn(all, v, c, c.Many, n); err == nil && c.Names != nil && len(c.Names) != n {
		err = fmt.Errorf("names: %d names for %d regions", len(c.Names), n)
	}
	return err
}

// matMember is the matrix of one index of a third dimension, or all of them.
func (l Layout) matMember(v mat5.Variable) ([]connectivity.Matrix, error) {
	many := 1
	if len(v.Shape) == 3 {
		many = v.Shape[2]
	}
	if l.Member > many {
		return nil, MemberError{l.Member, many}
	}
	read := v.All
	if l.Member > 0 && len(v.Shape) == 3 {
		read = func() ([]float64, error) { return v.Member(l.Member - 1) }
	}
	numbers, err := read()
	if err != nil {
		return nil, err
	}
	return cut(numbers, v.Shape[0], v.Shape[1]), nil
}

// cut makes matrices of numbers in MATLAB's order.
func cut(numbers []float64, rows, columns int) (all []connectivity.Matrix) {
	for ; len(numbers) > 0; numbers = numbers[rows*columns:] {
		one := mat5.Variable{Shape: []int{rows, columns}, Numbers: numbers[:rows*columns]}
		all = append(all, connectivity.Matrix{Rows: rows, Cols: columns, Data: one.Rows()})
	}
	return all
}

// connSquares takes a participant's matrix from CONN's first level, whose Z has regions, targets (the regions, and
// further ones) and participants (conn_process.m).
func (l Layout) connSquares(all []mat5.Variable, v mat5.Variable, c *Contents) (err error) {
	if !v.Numeric() || v.Count() == 0 || len(v.Shape) > 3 || v.Shape[1] < v.Shape[0] || v.Shape[0] < 2 {
		return fmt.Errorf("variable %s is no matrix of regions × targets × participants", v.Describe())
	}
	n, targets := v.Shape[0], v.Shape[1]
	c.Many = v.Count() / (n * targets)
	if c.Names, err = l.namesIn(all, v, c, c.Many, n); err == nil && l.Labels == nil && len(c.Names) != n {
		err = fmt.Errorf("%d names for the %d rows of %s", len(c.Names), n, v.Name)
	}
	if err != nil {
		return err
	}
	if c.Many > 1 && l.Member == 0 {
		return fmt.Errorf("%s has the matrices of %d participants; set member to the column of the table that numbers "+
			"them from 1, in CONN's order", v.Name, c.Many)
	}
	one, err := l.matMember(v)
	if err != nil {
		return err
	}
	columns, err := l.connTargets(all, c.Names, n, targets)
	if err != nil {
		return err
	}
	x, missing := connectivity.NewMatrix(n, n), true
	for i := range n {
		for j, at := range columns {
			x.Row(i)[j] = one[0].At(i, at)
		}
		missing = missing && !slices.ContainsFunc(x.Row(i), func(z float64) bool { return !math.IsNaN(z) })
	}
	c.Draws = []connectivity.Matrix{x}
	if missing {
		return fmt.Errorf("%s has no value of participant %d: CONN did not process this one", v.Name, max(l.Member, 1))
	}
	const regression = "SE differs from 1/sqrt(DOF−3): these are regression coefficients, not correlations; choose the measure correlation (bivariate) in CONN's first level"
	bivariate, err := l.connBivariate(all, columns)
	if err != nil {
		return err
	}
	for i := range n {
		for j := range i {
			if a, b := x.At(i, j), x.At(j, i); math.Abs(a-b) > 1e-5*max(1, math.Abs(a)) {
				err := fmt.Errorf("%s is not symmetric (row %d, column %d is %g, and row %d, column %d is %g)", v.Name, i+1, j+1, a, j+1, i+1, b)
				if !bivariate {
					return fmt.Errorf("%w, and "+regression, err)
				}
				return fmt.Errorf("%w: semipartial correlations are not supported; choose the measure correlation (bivariate) in CONN's first level", err)
			}
		}
	}
	if !bivariate {
		return errors.New(regression)
	}
	return nil
}

// connTargets are the columns of Z with the targets that are the regions: by names2, which lists all targets, or the
// first ones in a file without it.
func (l Layout) connTargets(all []mat5.Variable, regions []string, n, targets int) ([]int, error) {
	columns := make([]int, n)
	of, err := mat5.Find(all, "names2")
	if err != nil || l.Names != "names" {
		for i := range columns {
			columns[i] = i
		}
		return columns, nil
	}
	if len(of.Texts) != targets {
		return nil, fmt.Errorf("names2 has %d names for the %d targets of Z", len(of.Texts), targets)
	}
	names := lists.Map(of.Texts, strings.TrimSpace)
	for i, name := range regions {
		columns[i] = slices.Index(names, name)
		if columns[i] < 0 || slices.Contains(names[columns[i]+1:], name) {
			return nil, fmt.Errorf("names2, the targets of Z, lists the region %s %s", name,
				map[bool]string{true: "not at all", false: "twice"}[columns[i] < 0])
		}
	}
	return columns, nil
}

// connBivariate reports whether SE, participants × targets, is that of Fisher's z of a correlation, 1/√(DOF−3), as
// conn_process.m writes it; true where the file lacks SE or DOF.
func (l Layout) connBivariate(all []mat5.Variable, targets []int) (bool, error) {
	se, err := mat5.Find(all, "SE")
	dof, other := mat5.Find(all, "DOF")
	at := max(l.Member, 1) - 1
	if err != nil || other != nil || len(se.Shape) != 2 || at >= se.Shape[0] ||
		se.Shape[1] <= slices.Max(targets) || at >= dof.Count() ||
		!se.Numeric() || !dof.Numeric() {
		return true, nil
	}
	errors, err := se.All()
	if err != nil {
		return false, err
	}
	freedom, err := dof.All()
	if err != nil {
		return false, err
	}
	want := 1 / math.Sqrt(freedom[at]-3)
	for _, j := range targets {
		if got := errors[at+j*se.Shape[0]]; math.Abs(got-want) > 1e-6*want {
			return false, nil
		}
	}
	return true, nil
}

// giftSquares takes the matrix of a session from GIFT's fnc_corrs, sessions × components × components, or without the
// first dimension where there is one session.
func (l Layout) giftSquares(v mat5.Variable, c *Contents) (err error) {
	s := v.Shape
	switch {
	case !v.Numeric():
	case len(s) == 2 && s[0] == s[1] && s[0] > 1:
		c.Draws, err = l.matMember(v)
		return err
	case len(s) == 3 && s[1] == s[2] && s[1] > 1:
		if l.Member == 0 && s[0] > 1 {
			return fmt.Errorf("%s has %d sessions: set member to the number of one, or to the column of the table that has it", v.Name, s[0])
		}
		at := max(l.Member, 1) - 1
		if at >= s[0] {
			return fmt.Errorf("member is %d, but %s has %s", l.Member, v.Name, words.Count(s[0], "session"))
		}
		numbers, err := v.All()
		if err != nil {
			return err
		}
		x := connectivity.NewMatrix(s[1], s[1])
		for i := range x.Data {
			row, column := i/s[1], i%s[1]
			x.Data[i] = numbers[at+s[0]*(row+s[1]*column)]
		}
		c.Draws = []connectivity.Matrix{x}
		return nil
	}
	return fmt.Errorf("variable %s is not sessions × components × components", v.Describe())
}

// matFits reports whether a variable can be the matrix, or the triangle of one.
func (l Layout) matFits(v mat5.Variable) bool { return matSquare(v) || l.matVector(v) }

// matVector reports whether a variable is the triangle of a matrix, whose order is set.
func (l Layout) matVector(v mat5.Variable) bool {
	return l.Order != "" && v.Numeric() && len(v.Shape) == 2 && min(v.Shape[0], v.Shape[1]) == 1 && v.Count() > 2
}

// matSquare reports whether a variable can be matrices of regions by regions.
func matSquare(v mat5.Variable) bool {
	return v.Numeric() && v.Class != "logical" && v.Count() > 0 && (len(v.Shape) == 2 || len(v.Shape) == 3) &&
		v.Shape[0] == v.Shape[1] && v.Shape[0] > 1
}

// matRegions are the names of the regions in a file, and their number, by all of its square matrices.
func (l Layout) matRegions(all []mat5.Variable) (names []string, n int, err error) {
	for _, v := range all {
		if matSquare(v) && n != 0 && n != v.Shape[0] {
			return nil, 0, errors.New("its matrices have different sizes")
		} else if matSquare(v) {
			n = v.Shape[0]
		}
	}
	if n == 0 {
		return nil, 0, l.matSquares(all, &Contents{})
	}
	c := &Contents{Draws: []connectivity.Matrix{connectivity.NewMatrix(n, n)}}
	if c.Names, err = l.namesIn(all, mat5.Variable{}, c, 0, n); err == nil {
		err = l.arrangeSquares(c)
	}
	return c.Names, c.Draws[0].Cols, err
}
