package pack

import (
	"testing"

	"pgregory.net/rapid"
)

// The table finds what a map of names finds, also where names begin alike.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names table
		want := map[Name]int32{}
		name := rapid.Custom(func(t *rapid.T) (n Name) {
			n.Kind = rapid.SampledFrom([]byte{'a', 'b', removal}).Draw(t, "kind")
			n.ID[0], n.ID[24] = rapid.Byte().Draw(t, "first"), rapid.Byte().Draw(t, "offset")
			return n
		})
		for _, n := range rapid.SliceOfN(name, 0, 300).Draw(t, "names") {
			if old, known := want[n]; names.find(n) != old-1 || known != (old > 0) {
				t.Fatalf("before %v: %d, want %d", n, names.find(n), old-1)
			}
			names.add(entry{Name: n})
			if next := names.at(names.entries - 1).next; next != want[n]-1 {
				t.Fatalf("behind %v: %d, want %d", n, next, want[n]-1)
			}
			want[n] = names.entries
		}
		for n, number := range want {
			if got := names.find(n); got != number-1 {
				t.Fatalf("%v: %d, want %d", n, got, number-1)
			}
		}
	})
}
