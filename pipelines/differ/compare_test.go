package differ

import (
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

// TestULPs counts by walking: math.Nextafter is the definition of the next float.
func TestULPs(t *testing.T) {
	for _, start := range []float64{0, 1, -1, 0.1, -1e-310, math.MaxFloat64 / 2, -5e-324} {
		x := start
		for n := uint64(1); n <= 40; n++ {
			x = math.Nextafter(x, math.Inf(1))
			if got := ulps(start, x, 64); got != n {
				t.Fatalf("ulps(%g, %g) = %d, want %d", start, x, got, n)
			}
			if got := ulps(x, start, 64); got != n {
				t.Fatalf("ulps(%g, %g) = %d, want %d", x, start, got, n)
			}
		}
	}
	single := float32(0.3)
	next := math.Nextafter32(math.Nextafter32(single, 1), 1)
	need.Equal(t, ulps(float64(single), float64(next), 32), 2, "two steps of float32 are")
	need.Equal(t, ulps(math.NaN(), 1, 64), math.MaxUint64, "NaN and 1 are", "apart")
}

func TestRelative(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{1, 1, 0}, {1, 2, 0.5}, {2, 1, 0.5}, {-1, 1, 2}, {0, 0, 0}, {0, 3, 1},
		{math.NaN(), 1, math.Inf(1)}, {math.Inf(1), math.Inf(1), 0},
	} {
		need.Equal(t, relative(c.a, c.b), c.want, "relative(", c.a, c.b)
	}
}

func TestDifferences(t *testing.T) {
	array := func(shape []int, v ...float64) Content {
		return Content{Array: encoding.NewArray(v, shape...), Axes: []string{"draw", "roi"}[:len(shape)]}
	}
	table := func(cols ...encoding.Column) Content {
		return Content{Table: encoding.NewTable(cols...)}
	}
	names := encoding.Column{Name: "name", Values: []string{"a", "b"}}
	for _, c := range []struct {
		about string
		a, b  Content
		want  string // "" for equal
	}{
		{"the same array", array([]int{2}, 1, 2), array([]int{2}, 1, 2), ""},
		{"NaN where NaN was", array([]int{1}, math.NaN()), array([]int{1}, math.NaN()), ""},
		{"another shape", array([]int{2}, 1, 2), array([]int{1, 2}, 1, 2), "<f8 [draw 2] became <f8 [draw 1, roi 2]"},
		{"one element, one step", array([]int{2, 2}, 1, 2, 3, 4), array([]int{2, 2}, 1, 2, 3, math.Nextafter(4, 5)),
			"1 of 4 elements differ, largest difference at draw 1, roi 2: 4 became 4.000000000000001 (1 ULP, relative error 2.22045e-16)"},
		{"one element, far", array([]int{2}, 1, 2), array([]int{2}, 1, 3), "1 of 2 elements differ, largest difference at draw 1: 2 became 3 (relative error 0.333333)"},
		{"a NaN", array([]int{2}, 1, 2), array([]int{2}, 1, math.NaN()), "1 of 2 elements differ, largest difference at draw 1: 2 became NaN"},
		{"an array without names of axes", Content{Array: encoding.NewArray([]float64{1, 2}, 1, 2)},
			Content{Array: encoding.NewArray([]float64{1, 4}, 1, 2)},
			"1 of 2 elements differ, largest difference at [0, 1]: 2 became 4 (relative error 0.5)"},
		{"other metadata", Content{Table: &encoding.Table{Columns: []encoding.Column{names},
			Meta: map[string]string{"simulated": "true"}}}, table(names), "the values are the same; their descriptions differ"},
		{"a new column", table(names), table(names, encoding.Column{Name: "x", Values: []int32{1, 2}}), "has the new column x"},
		{"a lost column", table(names, encoding.Column{Name: "x", Values: []int32{1, 2}}), table(names),
			"lost the column x"},
		{"a column of another type", table(encoding.Column{Name: "x", Values: []int32{1}}),
			table(encoding.Column{Name: "x", Values: []int64{1}}), "column x was int32 and is int64"},
		{"fewer rows", table(names), table(encoding.Column{Name: "name", Values: []string{"a"}}), "2 rows became 1"},
		{"another text", table(names), table(encoding.Column{Name: "name", Values: []string{"a", "c"}}), "1 of 2 cells differ"},
		{"a value that went missing", table(names), table(encoding.Column{Name: "name", Values: []string{"a", "b"},
			Valid: []bool{true, false}}), "1 of 2 cells differ"},
		{"a cell, found by its key", table(names, encoding.Column{Name: "x", Values: []float64{1, 2}}),
			table(encoding.Column{Name: "name", Values: []string{"b", "a"}},
				encoding.Column{Name: "x", Values: []float64{3, 1}}),
			"the rows are in another order; 1 of 4 cells differ, largest difference at name b: x: 2 became 3 (relative error 0.333333)"},
		{"rows that came and went", table(encoding.Column{Name: "name", Values: []string{"a", "b", "c"}},
			encoding.Column{Name: "x", Values: []float64{1, 2, 3}}),
			table(encoding.Column{Name: "name", Values: []string{"a", "b", "d"}},
				encoding.Column{Name: "x", Values: []float64{1, 2, 3}}), "lost: 1 row (name c); new: 1 row (name d)"},
		{"a key of two columns", table(encoding.Column{Name: "subject", Values: []string{"s", "s"}},
			encoding.Column{Name: "fold", Values: []int32{1, 2}}, encoding.Column{Name: "x", Values: []float64{1, 2}}),
			table(encoding.Column{Name: "subject", Values: []string{"s", "s"}},
				encoding.Column{Name: "fold", Values: []int32{1, 2}}, encoding.Column{Name: "x", Values: []float64{1,
					2.5}}), "1 of 6 cells differ, largest difference at subject s, fold 2: x: 2 became 2.5 (relative error 0.2)"},
		{"no key", table(encoding.Column{Name: "name", Values: []string{"a", "a"}},
			encoding.Column{Name: "x", Values: []float64{1, 2}}), table(encoding.Column{Name: "name",
			Values: []string{"a", "a"}}, encoding.Column{Name: "x", Values: []float64{1, 3}}),
			"1 of 4 cells differ, largest difference at row 2: x: 2 became 3 (relative error 0.333333)"},
		{"three elements, their median", array([]int{3}, 1, 1, 1), array([]int{3}, math.Nextafter(1, 2), 1+4e-16, 2), "3 of 3 elements differ, largest difference at draw 2: 1 became 2 (relative error 0.5); the median is 2 ULP"},
		{"a text", Content{Text: "a\nb\n"}, Content{Text: "a\nc\nd\n"}, "2 of 3 lines differ"},
		{"another format", Content{Format: "text"}, Content{Format: "npy"}, "text became npy"},
		{"another picture", Content{Format: "svg"}, Content{Format: "svg"}, "the bytes differ"},
	} {
		got := ""
		if d := Values(c.a, c.b); d != nil {
			got = d.Text
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.about, got, c.want)
		}
	}
}

func TestValuesAsText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Rounded(3.0), "3"}, {Rounded(1.0 / 3), "0.333333"}, {Full(1.0 / 3), "0.3333333333333333"},
		{Full(1e20), "1e+20"}, {Full(float32(0.1)), "0.1"},
		{Full(int32(-7)), "-7"}, {Full(true), "true"}, {Full("a"), "a"}, {Full(nil), ""},
	} {
		need.Equal(t, c.got, c.want)
	}
}
