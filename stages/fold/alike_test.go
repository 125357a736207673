package fold

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Two matrices of one person are found among those of others, and nobody else: not of independent participants, nor of
// three who are alike.
func TestSimilarConnectivity(t *testing.T) {
	const regions, people = 30, 40
	matrices := func(persons func(i int) int) (ins []dag.Input) {
		for i := range people {
			common, own := random.New(1, "common"), random.New(1, "own", persons(i))
			noise := random.New(1, "noise", i)
			m := make([]float64, regions*regions)
			for a := range regions {
				for b := range a {
					x := common.Normal() + own.Normal() + float64(0.7*noise.Normal())
					m[a*regions+b], m[b*regions+a] = x, x
				}
			}
			ins = append(ins, dag.InputOf(encoding.NewArray(m, 1, regions, regions),
				dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i)}))
		}
		return ins
	}
	for _, c := range []struct {
		name    string
		persons func(i int) int
		want    int
	}{
		{"each is another person", func(i int) int { return i }, 0},
		{"each person has two ids", func(i int) int { return i / 2 }, people / 2},
		{"one person has two ids", func(i int) int { return max(i, 1) }, 1},
		{"one person has three ids", func(i int) int { return max(i, 2) }, 0},
	} {
		got := need.Value(Similar(matrices(c.persons), 2))(t)
		if len(got) != c.want {
			t.Errorf("%s: %d pairs %v, want %d", c.name, len(got), got, c.want)
		}
		for _, d := range got {
			if d.First[4:] != "00" && c.want == 1 {
				t.Errorf("%s: %v", c.name, d)
			}
		}
	}
	if got := need.Value(Similar(matrices(func(i int) int { return i / 2 })[:18], 2))(t); got != nil {
		t.Errorf("of few participants: %v", got)
	}
}
