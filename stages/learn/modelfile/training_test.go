package modelfile

import (
	"fmt"
	"math"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Copies in float32, or with three decimals, are found among many people, and nobody else is.
func TestRoundedCopies(t *testing.T) {
	const people, nodes = 200, 20
	saved := map[string]func(float64) float64{
		"float32":        func(x float64) float64 { return float64(float32(x)) },
		"three decimals": func(x float64) float64 { return math.Round(x*1e3) / 1e3 },
	}
	var ids []string
	var data []Data
	var all [][]float64
	for i := range people {
		r := random.New(1, "rounded", i)
		m := make([]float64, nodes*nodes)
		for a := range nodes {
			m[a*nodes+a] = 1
			for b := range a {
				x := math.Tanh(0.3*math.Sin(float64(a*b)) + 0.2*r.Normal()) // people have much in common
				if b == 3 {
					x = 0 // a region without a signal
				}
				m[a*nodes+b], m[b*nodes+a] = x, x
			}
		}
		all, ids, data = append(all, m), append(ids, fmt.Sprint(i)), append(data, DataOf(m))
	}
	training := NewTraining(ids, ids[:people/2], data[:people/2], nil)
	by := training.ByRounded()
	for name, save := range saved {
		found := 0
		for i, m := range all {
			copied := lists.Map(m, save)
			at, rounded := training.Scan(DataOf(copied), by)
			switch {
			case i >= people/2 && at >= 0 || at >= 0 && (at != i || !rounded):
				t.Errorf("%s: %d is taken for %d", name, i, at)
			case at == i:
				found++
			}
		}
		if found < people/2-1 {
			t.Errorf("%s: %d of %d copies are found", name, found, people/2)
		}
	}
	// What everybody has identifies nobody.
	same := NewTraining(ids, ids[:3], []Data{data[0], data[0], data[1]}, nil)
	_, rounded := same.Scan(Data{"else", data[0].Rounded}, same.ByRounded())
	need.Equal(t, rounded, false)
	// Constant data, and data of few numbers, have no texts.
	for _, v := range [][]float64{{1, 1, 1, 1}, {1, 0.5, 0.5, 1}, {math.NaN(), math.NaN()}} {
		for _, text := range DataOf(v).Rounded {
			need.Equal(t, text, "")
		}
	}
}

// A list that is emptied or cut, a key that finds nobody, and counts of others are refused.
func TestAlteredTraining(t *testing.T) {
	ids := []string{"a", "b", "c"}
	data := []Data{DataOf([]float64{1, 2}), DataOf([]float64{3, 4}), DataOf([]float64{5, 6})}
	groups := []string{"A", "B"}
	stored := NewTraining(ids, ids, data, map[string]int{"A": 1, "B": 2})
	need.NoError(t, stored.Check(groups))
	need.NoError(t, NewTraining(ids, ids, data, map[string]int{"other": 2}).Check(nil)) // a number: some have a group
	for about, alter := range map[string]func(*Training){
		"nobody":       func(x *Training) { x.Participants, x.Scans, x.Rounded = []string{}, []string{}, [][]string{} },
		"no training":  func(x *Training) { *x = Training{} },
		"no data":      func(x *Training) { x.Scans, x.Rounded = []string{}, [][]string{} },
		"one less":     func(x *Training) { x.Participants, x.Scans, x.Rounded = x.Participants[1:], nil, nil },
		"key of 0":     func(x *Training) { x.Key = "00000000000000000000000000000000" },
		"no key":       func(x *Training) { x.Key = "" },
		"other groups": func(x *Training) { x.Counts = map[string]int{"A": 1, "C": 2} },
	} {
		x := stored
		alter(&x)
		if x.Check(groups) == nil {
			t.Errorf("%s: it is read", about)
		}
	}
}
