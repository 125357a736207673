package network

import (
	"testing"

	"prgnn/numeric/random"
)

// Batches of any lengths need about the memory of the largest one, and equal batches no more than one.
func TestMemoryOfAnyLengths(t *testing.T) {
	r := random.New(7, "test", "memory")
	for spread, most := range map[int]int{0: 3 * 3000, 3000: 3 * 2 * 2 * 3900} {
		var m Memory[float32]
		for range 2000 {
			for range 3 {
				n := 3000 - int(0.7*float64(spread)) + int(float64(spread)*r.Float64()) // 900 to 3,900
				if s := m.Take(n); len(s) != n {
					t.Fatalf("%d values instead of %d", len(s), n)
				}
			}
			m.Reset()
		}
		held := 0
		for _, s := range m.free {
			held += len(s)
		}
		if held > most {
			t.Errorf("spread %d: %d values are held, more than %d", spread, held, most)
		}
	}
}
