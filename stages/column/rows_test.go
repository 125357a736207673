package column

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
)

type place struct {
	X float64 `column:"x" unit:"mm"`
}

type row struct {
	Coords []dag.Coord `column:"*"`
	Fold   int32       `column:"fold" doc:"from 1"`
	Name   string      `column:"name"`
	place
	Score   float64 `column:"score,missing,optional" doc:"pooling score"`
	Planted *bool   `column:"planted,optional"`
	Count   int64   `column:"count,optional"`
	Side    string  `column:"side,missing,optional"`
}

func yes(b bool) *bool { return &b }

func rowsOf() []row {
	return []row{
		{Coords: []dag.Coord{{Axis: "pool", Value: "topk"}}, Fold: 1, Name: "a", place: place{1.5}, Score: 0.25,
			Planted: yes(true), Count: 1 << 40, Side: "L"},
		{Fold: 2, Name: "b", Score: math.NaN()},
		{Coords: []dag.Coord{{Axis: "pool", Value: "sage"}}, Fold: 3, Name: "", Score: 1, Planted: yes(false)},
	}
}

// TestColumnsByHand compares with columns written out.
func TestColumnsByHand(t *testing.T) {
	got := Table(rowsOf(), "pool")
	want := encoding.NewTable(
		encoding.Column{Name: "pool", Values: []string{"topk", "", "sage"}, Doc: "coordinate of the training"},
		encoding.Column{Name: "fold", Values: []int32{1, 2, 3}, Doc: "from 1"},
		encoding.Column{Name: "name", Values: []string{"a", "b", ""}},
		encoding.Column{Name: "x", Values: []float64{1.5, 0, 0}, Unit: "mm"},
		encoding.Column{Name: "score", Values: []float64{0.25, math.NaN(), 1}, Valid: []bool{true, false, true},
			Doc: "pooling score"},
		encoding.Column{Name: "planted", Values: []bool{true, false, false}, Valid: []bool{true, false, true}},
		encoding.Column{Name: "count", Values: []int64{1 << 40, 0, 0}},
		encoding.Column{Name: "side", Values: []string{"L", "", ""}, Valid: []bool{true, false, false}},
	)
	// NaN is no number that equals itself.
	got.Columns[4].Values.([]float64)[1], want.Columns[4].Values.([]float64)[1] = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRowsReadBack(t *testing.T) {
	want := rowsOf()
	got := need.Value(Rows[row](Table(want, "pool")))(t)
	if !math.IsNaN(got[1].Score) {
		t.Errorf("a missing score reads as %v, not NaN", got[1].Score)
	}
	got[1].Score, want[1].Score = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRowsOptional(t *testing.T) {
	got, err := Rows[row](encoding.NewTable(
		encoding.Column{Name: "fold", Values: []float64{4}}, // whole numbers of another program
		encoding.Column{Name: "name", Values: []string{"a"}},
		encoding.Column{Name: "x", Values: []int64{2}},
	))
	need.NoError(t, err)
	r := got[0]
	if r.Fold != 4 || r.X != 2 || !math.IsNaN(r.Score) || r.Planted != nil || r.Count != 0 || r.Coords != nil {
		t.Errorf("%+v", r)
	}
}

// TestRowsRefuse: all mistakes at once.
func TestRowsRefuse(t *testing.T) {
	_, err := Rows[row](encoding.NewTable(
		encoding.Column{Name: "fold", Values: []int64{1 << 40}},
		encoding.Column{Name: "x", Values: []string{"far"}},
	))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`column "fold" holds 1099511627776 in row 1`, `no column "name": the columns are fold, x`, `column "x" holds text, not numbers`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	if got := strings.Join(Names[row](), " "); got != "fold name x score planted count side" {
		t.Error(got)
	}
}

// TestNameDoc: a report finds the column of names by its doc, and a tag cannot name a constant.
func TestNameDoc(t *testing.T) {
	for _, columns := range [][]encoding.Column{
		Columns([]FoldRow{}), Columns([]AccuracyRow{}), Columns([]PermutationTestRow{}), Columns([]PermutationRow{}),
	} {
		if columns[0].Name != "name" || columns[0].Doc != NameDoc {
			t.Errorf("column %q: %q, want %q", columns[0].Name, columns[0].Doc, NameDoc)
		}
	}
}
