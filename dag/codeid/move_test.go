package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// TestMovesOfNames gives declarations of the small module other names and other
// places, which must change no kind, and those names that a program can see.
func TestMovesOfNames(t *testing.T) {
	type edit struct{ file, old, new string } // old "" makes the file, new "" with old "" removes it
	tests := []struct {
		name    string
		edits   []edit
		changes string
	}{
		{"a function", []edit{{"science/mean.go", "factor", "three"}}, ""},
		{"an exported function", []edit{{"science/shared.go", "Norm", "Length"}, {"stages/mean.go", "science.Norm",
			"science.Length"}, {"stages/median.go", "science.Norm", "science.Length"}}, ""},
		{"a variable", []edit{{"science/mean.go", "scale", "unit"}}, ""},
		{"a constant", []edit{{"science/shared.go", "Half", "Part"}, {"science/median.go", "Half", "Part"}}, ""},
		{"a type", []edit{{"science/mean.go", "Mean", "Average"},
			{"stages/mean.go", "science.Mean", "science.Average"}}, ""},
		{"a stage", []edit{{"stages/mean.go", "*mean", "*average"}, {"stages/mean.go", "&mean{", "&average{"},
			{"stages/mean.go", "type mean", "type average"}}, ""},
		{"an interface", []edit{{"stages/mean.go", "valuer", "worth"}}, ""},
		{"a receiver", []edit{{"stages/median.go", "(s *median)", "(me *median)"}}, ""},
		{"a parameter", []edit{{"science/median.go", "x float64", "y float64"},
			{"science/median.go", "return x", "return y"}}, ""},
		{"a function in assembly", []edit{{"science/kernel.go", "kernel", "core"},
			{"science/kernel_generic.go", "kernel", "core"}, {"science/kernel_amd64.s", "kernel", "core"}, {"science/fast.go", "kernel", "core"}}, ""},
		{"an embedded file", []edit{{"table/atlas.tsv", "", ""}, {"table/regions.tsv", "", "1\tleft\n"},
			{"table/table.go", "atlas.tsv", "regions.tsv"}}, ""},
		{"a file", []edit{{"science/median.go", "", ""}, {"science/middle.go", "", "package science\n\nfunc Median(x float64) float64 { return x / Half }\n"}}, ""},
		{"two files made one", []edit{{"science/median.go", "", ""}, {"science/fast.go", "func Fast", "func Median(x float64) float64 { return x / Half }\n\nfunc Fast"}}, ""},
		{"to another package", []edit{{"science/median.go", "", ""},
			{"middle/middle.go", "", "package middle\n\nimport \"prgnn/science\"\n\nfunc Of(x float64) float64 { return x / science.Half }\n"},
			{"stages/median.go", "science.Median", "middle.Of"}, {"stages/median.go", `"prgnn/science"`, "\"prgnn/middle\"\n\t\"prgnn/science\""}}, ""},
		{"to the package that uses it", []edit{{"science/median.go", "", ""},
			{"stages/median.go", "science.Median", "middle"}, {"stages/median.go", "type median", "func middle(x float64) float64 { return x / science.Half }\n\ntype median"}}, ""},
		{"a package renamed", []edit{{"setup/setup.go", "package setup", "package other"},
			{"stages/mean.go", `"prgnn/setup"`, `setup "prgnn/setup"`}}, ""},
		{"a type that is embedded", []edit{{"generic/generic.go", "base", "ground"}}, ""},
		{"a type parameter", []edit{{"generic/generic.go", "[T", "[Held"},
			{"generic/generic.go", "held T", "held Held"}}, ""},
		{"an embedded type that is no struct", []edit{{"generic/generic.go", "level", "height"}}, "mean"},
		{"a file in an embedded directory", []edit{{"generic/pages/one.txt", "", ""}, {"generic/pages/two.txt", "", "one\n"}}, "mean"},
		{"a method", []edit{{"science/mean.go", "Value", "Worth"}, {"stages/mean.go", "Value", "Worth"}}, "mean"},
		{"a field", []edit{{"science/mean.go", "n int", "count int"}, {"science/mean.go", "m.n++", "m.count++"},
			{"science/mean.go", "(m.n)", "(m.count)"}}, "mean"},
	}
	dir := unpack(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := identities(t, dir)
			was := map[string][]byte{}
			for _, e := range tt.edits {
				path := filepath.Join(dir, e.file)
				b, _ := os.ReadFile(path)
				if _, seen := was[path]; !seen {
					was[path] = b // nil of one that is not there
				}
				var err error
				switch {
				case e.old == "" && e.new == "":
					err = os.Remove(path)
				case e.old == "":
					os.MkdirAll(filepath.Dir(path), 0o777)
					err = os.WriteFile(path, []byte(e.new), 0o666)
				case !strings.Contains(string(b), e.old):
					t.Fatalf("%s has no %q", e.file, e.old)
				default:
					err = os.WriteFile(path, []byte(strings.ReplaceAll(string(b), e.old, e.new)), 0o666)
				}
				need.NoError(t, err)
			}
			defer func() {
				for path, b := range was {
					if b == nil {
						os.Remove(path)
					} else if err := os.WriteFile(path, b, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}()
			need.Equal(t, strings.Join(changed(before, identities(t, dir)), " "), tt.changes, "changed")
		})
	}
}

// changed are the kinds whose identities differ.
func changed(before, after map[string]string) []string {
	kinds := lists.Keep(slices.Sorted(maps.Keys(before)), func(k string) bool { return after[k] != before[k] })
	return kinds
}
