package tree

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
)

// parse reads a text as a pipeline file.
func parse(text string, bad *Mistakes) *Node {
	at := func(line, col int) dag.Pos { return dag.Pos{File: "x.yaml", Line: line, Col: col} }
	return Parse([]byte(text), at, bad)
}

func TestVariablesAreWrittenOut(t *testing.T) {
	var bad Mistakes
	root := parse("vars:\n  data: /scans\n  bold: \"${data}/bold\"\nwith:\n  path: \"${bold}/${subject}\"\n"+
		"  price: \"$${data}\"\n", &bad)
	v := ReadVars(root.Get("vars"), []string{"stages"}, &bad)
	v.Resolve(root.Get("with"), []string{"subject"})
	if errs := bad.Sorted(); len(errs) > 0 {
		t.Fatal(errs)
	}
	path, price := root.Get("with").Get("path"), root.Get("with").Get("price")
	filled := path.Fill(func(axis string) (any, string) { return "sub-01", "sub-01" })
	if filled != "/scans/bold/sub-01" || price.Value != "${data}" {
		t.Errorf("%v, %v", filled, price.Value)
	}
	if open := path.Open(); len(open) != 1 || open[0] != "subject" {
		t.Errorf("open: %q", open)
	}
}

// All mistakes are found at once, each at its place, in the order of the file.
func TestMistakesInVariables(t *testing.T) {
	var bad Mistakes
	root := parse("vars:\n  1st: x\n  stages: x\n  a: \"${b}\"\n  b: \"${a}\"\n  c: \"${nothing}\"\n"+
		"  d: null\n  e: \"a${d}\"\n", &bad)
	ReadVars(root.Get("vars"), []string{"stages"}, &bad).All()
	got := lists.Map(bad.Sorted(), func(m *Mistake) string { return m.Error() })
	want := []string{`x.yaml:2:3: a variable cannot be named "1st"`, `x.yaml:3:3: a variable cannot be named "stages"`,
		`refers to itself`, `x.yaml:6:6: there is no variable "nothing"`,
		`x.yaml:8:6: the variable "d" is nothing, which cannot be part of a text; for the text null, write it in double quotes, with --set as 'd="null"'`}
	if len(got) != len(want) {
		t.Fatalf("%d mistakes, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("%s\nwant %s", got[i], want[i])
		}
	}
}

// What is printed reads as the same values.
func TestPrintIsRead(t *testing.T) {
	var bad Mistakes
	text := "name: \"true\"\nlist: [1, 2.5, \"a: b\", no]\nmap:\n  empty:\n  deep: { x: [~, -3] }\n"
	printed := Print(parse(text, &bad), true)
	again := Print(parse(printed, &bad), true)
	if errs := bad.Sorted(); len(errs) > 0 || printed != again {
		t.Errorf("%v\n%s\nand again\n%s", errs, printed, again)
	}
	if v := parse(printed, &bad).Get("name").Value; v != "true" {
		t.Errorf("name is %v", v)
	}
}

func TestEach(t *testing.T) {
	var bad Mistakes
	root := parse("one: a\nlist: [a, b]\nnone: []\n", &bad)
	for name, want := range map[string]int{"one": 1, "list": 2, "none": 0} {
		if n := len(root.Get(name).Each()); n != want {
			t.Errorf("%s: %d, want %d", name, n, want)
		}
	}
}
