package artifacts

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Refs are a map in the order of its names.
func TestRefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var refs Refs
		want := map[string]Ref{}
		for i, name := range rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "ba", "c"})).Draw(t, "names") {
			want[name] = Ref{Size: int64(i)}
			refs.Set(name, want[name])
		}
		var names []string
		for i, ref := range refs.List() {
			names = append(names, refs[i].Name)
			if ref != want[refs[i].Name] {
				t.Fatalf("%s is %v, want %v", refs[i].Name, ref, want[refs[i].Name])
			}
		}
		if !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("the names are %q", names)
		}
		for _, name := range []string{"a", "d"} {
			got, ok := refs.Get(name)
			if ref, known := want[name]; got != ref || ok != known || refs.Of(name) != ref {
				t.Fatalf("%s is %v, %v; want %v, %v", name, got, ok, ref, known)
			}
		}
	})
}
