package column

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

type blockRow struct {
	Name  string    `column:"name,missing"`
	Draw  int32     `column:"draw"`
	Score float64   `column:"score,missing"`
	Kept  bool      `column:"kept"`
	Rank  *int64    `column:"rank"`
	Why   []string  `column:"why"`
	Signs []string  `column:"signs,missing"`
	At    []int32   `column:"at"`
	Share []float64 `column:"share,missing"`
}

func blockRows(n int) []blockRow {
	rows := make([]blockRow, n)
	for i := range rows {
		rank := int64(i)
		rows[i] = blockRow{strings.Repeat("x", 1+i%3), int32(i), float64(i) / 2, i%2 == 0, &rank, []string{"a",
			"é"}[:i%3%2], []string{strings.Repeat("y", i%4)},
			[]int32{1, int32(i)}[:i%3], []float64{0.5}[:i%2]}
		if i%5000 == 4999 {
			rows[i] = blockRow{Score: math.NaN()}
		}
	}
	return rows
}

// A table that is made and read some rows at a time is the table of all rows.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, block - 1, block, block + 1, 4999, 5000, 3*block + 7} {
		rows := blockRows(n)
		table := Table(rows)
		made := TableOf(n, slices.Values(rows))
		var want, got bytes.Buffer
		need.NoError(t, table.Encode(&want))
		need.NoError(t, made.Encode(&got))
		need.Equal(t, got.String() == want.String(), true, n, "rows")
		var read []blockRow
		for some, err := range Blocks[blockRow](table) {
			need.NoError(t, err)
			if len(some) > block {
				t.Fatal(len(some), "rows at once")
			}
			read = append(read, some...)
		}
		var again bytes.Buffer
		need.NoError(t, Table(read).Encode(&again))
		need.Equal(t, again.String() == want.String(), true, n, "rows that were read")
	}
}

// An error counts the rows from the first, and ends the reading.
func TestBlocksError(t *testing.T) {
	draws := make([]float64, 3*block)
	draws[block+10] = 0.5
	table := encoding.NewTable(encoding.Column{Name: "draw", Values: draws})
	type row struct {
		Draw int32 `column:"draw"`
	}
	calls := 0
	for _, err := range Blocks[row](table) {
		if calls++; calls == 2 {
			need.Error(t, err, `column "draw" holds 0.5 in row 4107, which is not an integer`)
		}
	}
	need.Equal(t, calls, 2)
	type other struct {
		Name string `column:"name"`
	}
	for _, err := range Blocks[other](encoding.NewTable(encoding.Column{Name: "draw", Values: []float64{}})) {
		need.Error(t, err, `no column "name"`)
		calls++
	}
	need.Equal(t, calls, 3)
}
