package pack

import (
	"testing"

	"pgregory.net/rapid"
)

// The table finds what a map of names finds, also where names begin alike.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []entry
		var names table
		want := map[Name]int32{}
		name := rapid.Custom(func(t *rapid.T) (n Name) {
			n.Kind = rapid.SampledFrom([]byte{'a', 'b', removal}).Draw(t, "kind")
			n.ID[0], n.ID[24] = rapid.Byte().Draw(t, "first"), rapid.Byte().Draw(t, "offset")
			return n
		})
		for _, n := range rapid.SliceOfN(name, 0, 300).Draw(t, "names") {
			if old, known := want[n]; names.find(n, all) != old-1 || known != (old > 0) {
				t.Fatalf("before %v: %d, want %d", n, names.find(n, all), old-1)
			}
			all = append(all, entry{Name: n})
			want[n] = int32(len(all))
			names.put(int32(len(all)-1), all)
		}
		for n, number := range want {
			if got := names.find(n, all); got != number-1 {
				t.Fatalf("%v: %d, want %d", n, got, number-1)
			}
		}
	})
}
