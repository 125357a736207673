package pack

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// TestView: in any order, in the packs of several writers that go on, a view finds what Get finds, and nothing that
// is damaged or removed.
func TestView(t *testing.T) {
	dir := testdir.Memory(t)
	a, b := at(t, dir, one), at(t, dir, two)
	draw := rand.New(rand.NewPCG(1, 2))
	var texts []string
	v := a.View()
	for round := range 6 {
		for range 40 {
			texts = append(texts, strings.Repeat("text ", draw.IntN(1<<draw.IntN(12)))+fmt.Sprint(len(texts)))
			put(t, []*Set{a, b}[draw.IntN(2)], texts[len(texts)-1])
		}
		need.NoError(t, b.Seal(time.Time{})) // a new pack shows by the time of the directory
		bad, gone := texts[draw.IntN(len(texts))], texts[draw.IntN(len(texts))]
		hurt, victim := a.Find(named(bad)), a.Find(named(gone))
		if len(hurt) == 0 || len(victim) == 0 {
			continue
		}
		f := need.Value(os.OpenFile(a.Path(hurt[0].Pack()), os.O_RDWR, 0))(t)
		harm := []byte{0}
		need.Value(f.ReadAt(harm, hurt[0].Body()+hurt[0].Size-1))(t)
		need.Value(f.WriteAt([]byte{^harm[0]}, hurt[0].Body()+hurt[0].Size-1))(t)
		need.NoError(t, f.Close())
		need.NoError(t, a.Remove(victim[0]))
		v.Begin()
		for range 60 {
			from := draw.IntN(len(texts))
			for _, text := range texts[from:min(from+draw.IntN(20), len(texts))] {
				want, _, err := a.Get(named(text))
				got, sum, ok := v.Get(named(text))
				right := string(got) == string(want) && sum == sha256.Sum256(want) && text != bad
				if ok != (err == nil) || ok && !right {
					t.Fatalf("round %d: %.40q, %v, %v; want %.40q, %v", round, got, sum, ok, want, err)
				}
			}
		}
	}
}
