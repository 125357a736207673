package scaffold

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"prgnn/internal/need"
)

// TestFill: what go generate, a build, a run and an export left in an example belongs to no new module.
func TestFill(t *testing.T) {
	template := fstest.MapFS{}
	want := []string{"data/a.csv", "go.mod", "main.go", "tide/tide.go", "tide.yaml"}
	slices.Sort(want)
	for _, name := range append(slices.Clone(want), "pairs.tsv", "pipeline", "sources_gen.go", "tide/codes.txt",
		"tide/sources_gen.go", ".pipeline/x.tsv", "byhand.store/version") {
		template[strings.ReplaceAll(name, "tide", "weather")] = &fstest.MapFile{}
	}
	files := need.Value(fill(t.TempDir(), template, strings.NewReplacer("weather", "tide")))(t)
	need.Equal(t, strings.Join(files, " "), strings.Join(want, " "))
}
