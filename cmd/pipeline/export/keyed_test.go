package export

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

func mixedTable() *encoding.Table {
	return encoding.NewTable(
		encoding.Column{Name: "name", Values: []string{"Left-Putamen", "a,b\t\"c\"", ""},
			Valid: []bool{true, true, false}},
		encoding.Column{Name: "score", Values: []float64{0.1, math.NaN(), 3}, Unit: "mm", Doc: "how far"},
		encoding.Column{Name: "n", Values: []int32{1, 2, 3}, Valid: []bool{true, false, true}},
		encoding.Column{Name: "kept", Values: []bool{true, false, true}},
		encoding.Column{Name: "p", Values: []float32{0.1, 1, -2.5}},
		encoding.Column{Name: "big", Values: []int64{1 << 60, -1, 0}},
	)
}

func TestSeparated(t *testing.T) {
	var csv, tsv strings.Builder
	need.NoError(t, mixedTable().WriteCSV(&csv, ','))
	want := "name,score,n,kept,p,big\nLeft-Putamen,0.1,1,true,0.1,1152921504606846976\n\"a,b\t\"\"c\"\"\",NaN,,false,1,-1\n,3,3,true,-2.5,0\n"
	if csv.String() != want {
		t.Errorf("got\n%s\nwant\n%s", csv.String(), want)
	}
	need.NoError(t, mixedTable().WriteCSV(&tsv, '\t'))
	if !strings.Contains(tsv.String(), "\tNaN\tn/a\tfalse\t") || !strings.Contains(tsv.String(), "\nn/a\t3\t") {
		t.Errorf("tsv: %q", tsv.String())
	}
}

// A column whose name is a variable's keeps it, wherever it stands; the others take names that are free.
func TestMatNames(t *testing.T) {
	var columns []encoding.Column
	for i, name := range []string{"IQ total", "IQ-total", "IQ_total_2", "IQ_total", "age"} {
		columns = append(columns, encoding.Column{Name: name, Values: []float64{float64(i)}})
	}
	variables, renamed, err := matTable(encoding.NewTable(columns...))
	need.NoError(t, err)
	got := ""
	for _, v := range variables {
		got += fmt.Sprintf("%s %g, ", v.Name, v.Numbers[0])
	}
	need.Equal(t, got, "IQ_total_3 0, IQ_total_4 1, IQ_total_2 2, IQ_total 3, age 4, ")
	need.Equal(t, strings.Join(renamed, ", "), `"IQ total" as IQ_total_3, "IQ-total" as IQ_total_4`)
}

func tasksOf(axes []string, values ...[]string) []*dag.Node {
	b := dag.NewGraph("test")
	b.BareAxis("subject")
	s := b.Stage("s", nil, axes...)
	for _, v := range values {
		b.Task(s, nil, v...)
	}
	return s.Tasks()
}

func TestWithKeys(t *testing.T) {
	tasks := tasksOf([]string{"pool", "fold"}, []string{"topk", "1"}, []string{"topk", "2"})
	part := func(fold int32, x ...float64) *encoding.Table {
		folds := make([]int32, len(x))
		for i := range folds {
			folds[i] = fold
		}
		return encoding.NewTable(encoding.Column{Name: "fold", Values: folds}, encoding.Column{Name: "x", Values: x})
	}
	whole, err := withKeys(tasks, []*encoding.Table{part(1, 5, 6), part(2, 7)})
	need.NoError(t, err)
	var out strings.Builder
	need.NoError(t, whole.WriteCSV(&out, ','))
	if want := "pool,fold,x\ntopk,1,5\ntopk,1,6\ntopk,2,7\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	// A column of the same name that says something else is kept beside the key.
	whole, err = withKeys(tasks, []*encoding.Table{part(9, 5), part(9, 7)})
	need.NoError(t, err)
	if c, ok := whole.Column("fold_of_task"); !ok || !slices.Equal(c.Values.([]int64), []int64{1, 2}) {
		t.Errorf("fold_of_task is %v", c)
	}
}

// Columns of joined tables keep their types, with and without missing values. A key is a number where the values of the
// axis are numbers as in a table of a user; 007 is a name.
func TestJoinedTypes(t *testing.T) {
	types := func(table *encoding.Table) string {
		return strings.Join(lists.Map(table.Columns, func(c encoding.Column) string {
			return c.Name + " " + c.TypeName()
		}), ", ")
	}
	want := types(mixedTable())
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"1", "2"}, "int64"}, {[]string{"0.5", "1"}, "float64"}, {[]string{"0.10", "-2"}, "float64"},
		{[]string{"001", "002"}, "text"}, {[]string{"sub-1", "2"}, "text"},
		{[]string{"36893488147419103232", "1"}, "text"}, {[]string{"", "1"}, "text"}, {[]string{"nan", "1"}, "text"},
		{[]string{"inf", "1"}, "text"}, {[]string{"0x1p4", "1"}, "text"}, {[]string{"00.5", "1"}, "text"},
	} {
		tasks := tasksOf([]string{"key"}, c.values[:1], c.values[1:])
		few := mixedTable()
		few.Columns[2].Valid = nil // no value is missing in this one
		whole := need.Value(withKeys(tasks, []*encoding.Table{mixedTable(), few}))(t)
		need.Equal(t, types(whole), "key "+c.want+", "+want, c.values)
		n, _ := whole.Column("n")
		need.Equal(t, fmt.Sprint(n.Has(1), n.Has(4)), "false true")
	}
}

func TestLongTable(t *testing.T) {
	a := encoding.NewArray([]float64{10, 11, 12, 13, 14, 15}, 2, 3)
	var out strings.Builder
	need.NoError(t, longTable(a, []string{"draw", "roi"}).WriteCSV(&out, ','))
	if want := "draw,roi,value\n0,1,10\n0,2,11\n0,3,12\n1,1,13\n1,2,14\n1,3,15\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	square := encoding.NewArray([]int16{1, 2, 3, 4}, 2, 2)
	need.NoError(t, longTable(square, []string{"roi", "roi"}).WriteCSV(&out, ','))
	if want := "roi,roi_2,value\n1,1,1\n1,2,2\n2,1,3\n2,2,4\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	need.Equal(t, longTable(encoding.NewArray([]float64{}, 0, 3), nil).Rows(), 0, "an empty array gives", "rows")
}

func TestStackOrder(t *testing.T) {
	tasks := tasksOf([]string{"fold", "subject"}, []string{"10", "b"}, []string{"2", "b"},
		[]string{"10", "a"}, []string{"2", "a"})
	order, front := stackOrder(tasks)
	if !slices.Equal(order, []int{3, 1, 2, 0}) || !slices.Equal(front[0].Values, []string{"2", "10"}) ||
		!slices.Equal(front[1].Values, []string{"a", "b"}) {
		t.Errorf("order %v of %v", order, front)
	}
	_, front = stackOrder(tasks[:3])
	if len(front) != 1 || front[0].Size != 3 || front[0].Name != "task" {
		t.Errorf("an incomplete product lies along %v", front)
	}
}
