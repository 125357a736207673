package connectivity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// motionTable is a table of T volumes with these columns, each of random numbers.
func motionTable(volumes int, names ...string) Confounds {
	m := NewMatrix(volumes, len(names))
	for j := range names {
		m.setColumn(j, randoms(uint64(j+1), volumes))
	}
	return Confounds{Names: names, Values: m}
}

// none takes the columns that are named, and no others.
var none = Strategies[0]

func TestColumnsBesideAStrategy(t *testing.T) {
	table := motionTable(30, slices.Concat(motionNames, []string{"csf", "cosine00", "cosine01"})...)
	x, names, err := table.Select(Strategy{Name: "24P", Motion: Full}, 0, []string{"cos*", "csf", "trans_x"}, FirstZero)
	need.NoError(t, err)
	if x.Cols != 27 { // two cosines, csf; trans_x is there already
		t.Errorf("%d columns, want 27: %v", x.Cols, names)
	}
	// Friston's expansion of the fourth parameter, from its definition.
	rot := table.Values.column(3)
	for k, name := range []string{"rot_x", "rot_x_derivative1", "rot_x_power2", "rot_x_derivative1_power2"} {
		j := slices.Index(names, name)
		for i := range rot {
			d := 0.0
			if i > 0 {
				d = rot[i] - rot[i-1]
			}
			need.Equal(t, x.At(i, j), []float64{rot[i], d, rot[i] * rot[i], d * d}[k], name, i+1)
		}
	}
}

// Columns that by their names and values label the rows are no confounds, neither by a wildcard nor, where they are
// constant, by name; a trend that is asked for is one, and so is a column of such a name that varies.
func TestColumnsThatLabelRows(t *testing.T) {
	c := Confounds{Names: []string{"subject", "run", "TR", "csf", "volume", "block"}, Values: columns(
		[]float64{7, 7, 7}, []float64{2, 2, 2},
		[]float64{0.8, 0.8, 0.8}, []float64{1, 3, 1}, []float64{0, 1, 2}, []float64{1, 0, 1})}
	for columns, want := range map[string]string{
		"*":       "subject (constant), run (constant), TR (constant), volume (counts the rows): by name and values no confound",
		"subject": "subject (constant): by name and values no confound",
		"v*":      "volume (counts the rows)",
		"csf":     "",
		"volume":  "",
		"b*":      "",
	} {
		_, _, err := c.Select(none, 0, []string{columns}, FirstNext)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", columns, err, want)
		}
	}
}

func TestColumnsOfTheTableComeBeforeComputedOnes(t *testing.T) {
	c := Confounds{Names: []string{"csf", "csf_power2"}, Values: columns([]float64{1, 2}, []float64{5, 6})}
	x, _, err := c.Select(none, 0, []string{"csf_power2"}, FirstNext)
	need.NoError(t, err)
	if x.At(0, 0) != 5 {
		t.Errorf("%v, want the table's 5", x.Data)
	}
}

func TestFirstRow(t *testing.T) {
	c := Confounds{Names: []string{"fd"}, Values: columns([]float64{nan, 0.1, 0.2, 0.6})}
	for rule, want := range map[FirstRow]float64{FirstNext: 0.1, FirstZero: 0, FirstMean: 0.3} {
		x, _, err := c.Select(none, 0, []string{"fd"}, rule)
		need.NoError(t, err)
		if math.Abs(x.At(0, 0)-want) > 1e-16 {
			t.Errorf("%s: %v, want %v", rule, x.At(0, 0), want)
		}
	}
}

func TestConfoundMistakes(t *testing.T) {
	c := Confounds{Names: []string{"a", "b", "vast", "large", "tiny"}, Values: columns([]float64{1, nan, 2},
		[]float64{1, 2, 3}, []float64{1, 1e200, 2}, []float64{1, 2, -1e60}, []float64{0, 1e-200, 2e-200})}
	for _, m := range []struct {
		columns []string
		want    string
	}{
		{[]string{"b", "c", "d*"}, "strategy none with columns b, c, d*: the table lacks c, d*; it has a, b, vast, large, tiny"},
		{[]string{"a"}, "strategy none: column a has no value in volume 2; only the first volume may lack one"},
		{[]string{"vast"}, "strategy none: column vast is 1e+200 in volume 2 (line 3), beyond ±1e+100: correct it"},
		{[]string{"large", "large_power2"}, "strategy none: column large_power2 is 9.999999999999998e+119 in volume 3 (line 4), beyond ±1e+100: correct it"},
		{[]string{"tiny"}, "strategy none: column tiny has no value beyond ±2e-200 but 0: give it in another unit"},
		{[]string{"b["}, `"b[" is not a pattern of column names: syntax error in pattern`},
	} {
		if _, _, err := c.Select(none, 5, m.columns, FirstNext); err == nil || err.Error() != m.want {
			t.Errorf("error %v\nwant  %s", err, m.want)
		}
	}
}

func TestMotion(t *testing.T) {
	table := motionTable(4, append(slices.Clone(motionNames), "std_dvars")...)
	fd, dvars := table.Motion()
	if !math.IsNaN(fd[0]) || len(dvars) != 4 {
		t.Fatalf("fd %v, dvars %v", fd, dvars)
	}
	want := 0.0
	for k := range 6 {
		d := math.Abs(table.Values.At(2, k) - table.Values.At(1, k))
		want += d * []float64{1, 1, 1, 50, 50, 50}[k]
	}
	if math.Abs(fd[2]-want) > 1e-12 {
		t.Errorf("displacement %v, want %v", fd[2], want)
	}
	given := Confounds{Names: []string{"framewise_displacement"}, Values: columns([]float64{nan, 7})}
	if fd, dvars := given.Motion(); fd[1] != 7 || dvars != nil {
		t.Errorf("fd %v, dvars %v", fd, dvars)
	}
	if fd, _ := motionTable(3, "trans_x").Motion(); fd != nil {
		t.Errorf("fd %v of a table with one motion parameter", fd)
	}
}

func TestScrub(t *testing.T) {
	fd := []float64{nan, 0.1, 0.6, 0.1, 0.1, 0.7, 0.1, 0.1, 0.1, 0.5}
	dvars := []float64{nan, 1, 1, 1, 1, 1, 1, 2, 1, 1}
	for _, c := range []struct {
		s    Scrub
		want string
	}{
		{Scrub{}, "1111111111"},
		{Scrub{FD: 0.5}, "1101101111"}, // 0.5 is not above 0.5
		{Scrub{DVARS: 1.5}, "1111111011"},
		{Scrub{FD: 0.5, DVARS: 1.5}, "1101101011"},
		{Scrub{FD: 0.5, MinSegment: 3}, "0000001111"},
		{Scrub{FD: 0.5, DVARS: 1.5, MinSegment: 3}, "0000000000"},
	} {
		keep := need.Value(c.s.Keep(fd, dvars, 10))(t)
		got := ""
		for _, k := range keep {
			got += map[bool]string{true: "1", false: "0"}[k]
		}
		need.Equal(t, got, c.want, c.s)
	}
	// A volume whose motion is not known is neither kept nor censored: only the first may lack a value.
	all := slices.Repeat([]float64{nan}, 10)
	gap := append(slices.Clone(fd[:4]), nan, nan, 0.1, 0.1, 0.1, 0.1)
	for _, c := range []struct {
		s         Scrub
		fd, dvars []float64
		want      string
	}{
		{Scrub{FD: 0.5}, all, dvars, "framewise displacement has no values (n/a throughout)"},
		{Scrub{FD: 0.5}, gap, all, "framewise displacement has no value in 2 volumes, the first of them volume 5"},
		{Scrub{DVARS: 1.5}, gap, all, "standardized DVARS has no values (n/a throughout)"},
		{Scrub{FD: 0.5, DVARS: 1.5}, gap, append(slices.Clone(fd[:9]), nan),
			"framewise displacement has no value in 2 volumes, the first of them volume 5; standardized DVARS has no value in 1 volume, the first of them volume 10"},
	} {
		_, err := c.s.Keep(c.fd, c.dvars, 10)
		need.Error(t, err, c.want+": whether to censor these volumes is not known; only the first volume may lack a value")
	}
	if _, err := (Scrub{DVARS: 1.5}).Keep(gap, dvars, 10); err != nil {
		t.Errorf("displacement without a threshold: %v", err)
	}
	if _, err := (Scrub{FD: 1}).Keep(fd, nil, 9); err == nil || err.Error() != "framewise displacement has 10 values for 9 volumes" {
		t.Errorf("error %v", err)
	}
}

// The displacement of a table is compared with that of its motion parameters: in other units, with rotations as
// degrees,
// by other definitions, and unrelated.
func TestDisplacement(t *testing.T) {
	const volumes = 60
	motion := NewMatrix(volumes, len(motionNames))
	for j := range motionNames {
		v := randoms(uint64(j+1), volumes)
		for i := range v {
			if v[i] *= 0.3; j >= 3 {
				v[i] /= 50
			}
		}
		motion.setColumn(j, v)
	}
	rotated := NewMatrix(volumes, len(motionNames))
	for i, v := range motion.Data {
		if rotated.Data[i] = v; i%6 >= 3 {
			rotated.Data[i] = v * 180 / math.Pi
		}
	}
	shifted := func(unit float64) Matrix {
		m := NewMatrix(volumes, len(motionNames))
		for i, v := range motion.Data {
			if m.Data[i] = v; i%6 < 3 {
				m.Data[i] = v / unit
			}
		}
		return m
	}
	power := FramewiseDisplacement(motion)
	jenkinson := make([]float64, volumes) // near: the root of the sum of squares
	for i := range jenkinson {
		if jenkinson[i] = math.NaN(); i > 0 {
			jenkinson[i] = 0
			for k, v := range motion.Row(i) {
				d := v - motion.At(i-1, k)
				if k >= 3 {
					d *= 35
				}
				jenkinson[i] += d * d
			}
			jenkinson[i] = math.Sqrt(jenkinson[i])
		}
	}
	times := func(x float64) []float64 {
		v := slices.Clone(power)
		for i := range v {
			v[i] *= x
		}
		return v
	}
	unrelated := randoms(77, volumes)
	for i, v := range unrelated {
		unrelated[i] = math.Abs(v) / 100
	}
	for name, c := range map[string]struct {
		fd     []float64
		motion Matrix
		want   Displacement
	}{
		"mm":        {power, motion, Displacement{Ratio: math.NaN()}},
		"root":      {jenkinson, motion, Displacement{Ratio: math.NaN()}},
		"cm":        {times(0.1), motion, Displacement{Ratio: 0.1}},
		"µm":        {times(1000), motion, Displacement{Ratio: 1000}},
		"unrelated": {unrelated, motion, Displacement{Ratio: math.NaN(), Apart: Correlation(unrelated, power)}},
		"third":     {times(0.3), motion, Displacement{Ratio: math.NaN(), Multiple: 0.3}},
		"trans cm":  {power, shifted(10), Displacement{Unit: "cm", Ratio: math.NaN()}},
		"trans m":   {power, shifted(1000), Displacement{Unit: "m", Ratio: math.NaN()}},
		"degrees":   {power, rotated, Displacement{Degrees: true, Ratio: math.NaN()}},
		"constant": {slices.Repeat([]float64{0.2}, volumes), motion, Displacement{Constant: true,
			Ratio: math.NaN()}},
		"flat": {power, NewMatrix(volumes, len(motionNames)), Displacement{Flat: true, Ratio: math.NaN()}},
		"nothing moves": {make([]float64, volumes), NewMatrix(volumes, len(motionNames)),
			Displacement{Constant: true, Ratio: math.NaN()}},
		"no parameters":  {times(0.1), NewMatrix(volumes, 0), Displacement{Ratio: math.NaN()}},
		"no displaced":   {nil, motion, Displacement{Ratio: math.NaN()}},
		"few volumes":    {slices.Repeat([]float64{0.2}, 5), NewMatrix(5, 0), Displacement{Ratio: math.NaN()}},
		"nothing at all": {nil, NewMatrix(volumes, 0), Displacement{Ratio: math.NaN()}},
	} {
		var table Confounds
		columns := 0
		if c.motion.Cols > 0 {
			columns = len(motionNames)
			table.Names = slices.Clone(motionNames)
		}
		if c.fd != nil {
			table.Names = append(table.Names, "framewise_displacement")
		}
		table.Values = NewMatrix(c.motion.Rows, len(table.Names))
		for i := range c.motion.Rows {
			copy(table.Values.Row(i), c.motion.Row(i))
			if c.fd != nil {
				table.Values.Row(i)[columns] = c.fd[i]
			}
		}
		got := table.Displacement()
		if math.IsNaN(got.Ratio) != math.IsNaN(c.want.Ratio) || math.Abs(got.Ratio-c.want.Ratio) > 1e-9*c.want.Ratio ||
			got.Constant != c.want.Constant || got.Flat != c.want.Flat ||
			got.Degrees != c.want.Degrees || got.Apart != c.want.Apart ||
			c.want.Multiple != 0 && math.Abs(got.Multiple-c.want.Multiple) > 1e-9 ||
			name == "root" && got.Multiple != 0 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
