package column

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
)

type scored struct {
	ID    string  `column:"participant_id"`
	Set   string  `column:"set"`
	Draw  int32   `column:"draw"`
	Layer int32   `column:"layer"`
	Index int32   `column:"index"`
	Score float64 `column:"score,missing"`
	Other float64 `column:"other"`
	Kept  bool    `column:"kept"`
}

func scoredRows(n int) []scored {
	rows := make([]scored, n)
	for i := range rows {
		rows[i] = scored{fmt.Sprint(i / 1000), "test", int32(i % 7), 1, int32(i % 84), float64(i), 1, i%2 == 0}
	}
	return rows
}

// BenchmarkColumns, on 200,000 rows of 8 columns, against a loop that names every field.
func BenchmarkColumns(b *testing.B) {
	rows := scoredRows(200_000)
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			Table(rows)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			n := len(rows)
			id, set := make([]string, n), make([]string, n)
			draw, layer, index := make([]int32, n), make([]int32, n), make([]int32, n)
			score, other, kept, valid := make([]float64, n), make([]float64, n), make([]bool, n), make([]bool, n)
			for i, r := range rows {
				id[i], set[i], draw[i], layer[i], index[i] = r.ID, r.Set, r.Draw, r.Layer, r.Index
				score[i], other[i], kept[i], valid[i] = r.Score, r.Other, r.Kept, r.Score == r.Score
			}
			encoding.NewTable(encoding.Column{Name: "participant_id", Values: id},
				encoding.Column{Name: "set", Values: set},
				encoding.Column{Name: "draw", Values: draw}, encoding.Column{Name: "layer", Values: layer},
				encoding.Column{Name: "index", Values: index}, encoding.Column{Name: "score", Values: score,
					Valid: valid},
				encoding.Column{Name: "other", Values: other}, encoding.Column{Name: "kept", Values: kept})
		}
	})
}

// BenchmarkRows reads what BenchmarkColumns writes, against columns by name.
func BenchmarkRows(b *testing.B) {
	t := Table(scoredRows(200_000))
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			if _, err := Rows[scored](t); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("columns", func(b *testing.B) {
		for b.Loop() {
			for _, name := range []string{"participant_id", "set"} {
				if _, err := t.Strings(name); err != nil {
					b.Fatal(err)
				}
			}
			for _, name := range []string{"draw", "layer", "index"} {
				if _, err := t.Ints(name); err != nil {
					b.Fatal(err)
				}
			}
			for _, name := range []string{"score", "other"} {
				if _, err := t.Floats(name); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := t.Bools("kept"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
