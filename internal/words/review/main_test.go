package main

import (
	"path/filepath"
	"testing"

	"prgnn/internal/testdir"
)

func TestList(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { t.Helper(); testdir.Write(t, filepath.Join(dir, name), text) }
	write("b/x.go", "package b\nimport \"two words/of a path\"\nvar s = \"a sum of \" + f() + \" and\\nlines\"\nvar key = \"one\"\n"+
		"type p struct {\n\tN int `param:\"n\" doc:\"how many\"`\n}\nvar re = `^two words$`\n")
	write("b/x_test.go", "package b\nvar s = \"not this one\"\n")
	write("pipelines/y.yaml", "a: 1 # what it is\nb: 2\n")
	got, err := List(dir)
	want := "b/x.go\n  a sum of … and\n    lines\n  n: how many\n\npipelines/y.yaml\n  what it is\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
