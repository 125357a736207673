package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{seconds(0.0214), "0.021 s"}, {seconds(4.06), "4.1 s"}, {seconds(61), "61.0 s"}, {seconds(125), "2 min 05 s"}, {seconds(7384), "2 h 03 min"},
		{byteCount(0), "0 B"}, {byteCount(999), "999 B"}, {byteCount(1000), "1 kB"}, {byteCount(508_032), "508 kB"}, {byteCount(999_600), "1 MB"}, {byteCount(3_141_592_653), "3.14 GB"},
		{count(1, "task"), "1 task"}, {count(0, "task"), "0 tasks"}, {count(2, "body"), "2 bodies"},
		{some([]string{"a", "b"}, 2), "a, b"}, {some([]string{"a", "b", "c", "d"}, 3), "a, b and 2 more"},
		{clip("Größe", 5), "Größe"}, {clip("Größen", 5), "Größ…"}, {clip("x", 0), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := grid{indent: "  ", right: map[int]bool{1: true}}
	g.add("stage", "tasks", "state")
	g.add("größe", "12", "")
	g.add("n", "3", "cached")
	var out strings.Builder
	g.print(&out)
	if want := "  stage  tasks  state\n  größe     12\n  n          3  cached\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{"500": 500, "2k": 2000, "1.5 GB": 1_500_000_000, "200G": 200_000_000_000, "2TB": 2_000_000_000_000} {
		var n int64
		if err := (size{&n}).Set(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "G", "-1", "0", "1e30T", "lots", "NaN"} {
		var n int64
		if err := (size{&n}).Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
	for _, text := range []string{"0", "-1", "1.5", "1 2", "", "x"} {
		var n int
		if err := (positive{&n}).Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
}

// TestFlatten: what errors.Join put together becomes lines of its own; an error
// that wraps several in a sentence of its own stays one.
func TestFlatten(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, x := range []struct {
		err  error
		want string
	}{
		{a, "a"},
		{errors.Join(a, errors.Join(b, c)), "a|b|c"},
		{fmt.Errorf("both %w and %w", a, b), "both a and b"},
		{wrong(errors.Join(a, b)), "a|b"},
	} {
		var got []string
		for _, e := range flatten(x.err) {
			got = append(got, e.Error())
		}
		if strings.Join(got, "|") != x.want {
			t.Errorf("got %q, want %s", got, x.want)
		}
	}
}

// TestColours: no terminal, no escapes; and what goes to a file is never painted
// because something else is a terminal.
func TestColours(t *testing.T) {
	if got := (terminal{}).red("x"); got != "x" {
		t.Errorf("got %q", got)
	}
	var screen bytes.Buffer
	(&visibleWriter{w: &screen}).Write([]byte((terminal{color: true}).red("x")))
	if got := screen.String(); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("got %q", got)
	}
	_, out, diag := runHere("stages", "nothing")
	if strings.Contains(out+diag, "\x1b") {
		t.Errorf("escapes in %q", out+diag)
	}
}

func TestAgain(t *testing.T) {
	a := &app{args: []string{"run", "my study/x.yaml", "--set", "train.lambda=[0, 0]", "--only", "a'b", ""}}
	if got, want := a.again(), `pipeline run 'my study/x.yaml' --set 'train.lambda=[0, 0]' --only 'a'\''b' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The last cell is wrapped beside the others where there is room, and below them where not.
func TestGridWraps(t *testing.T) {
	for _, c := range []struct {
		wide int
		want string
	}{
		{0, "  a    one two three four five six seven eight nine ten\n  bcd  x\n"},
		{40, "  a    one two three four five six seven\n       eight nine ten\n  bcd  x\n"},
		{30, "  a\n      one two three four five\n      six seven eight nine ten\n  bcd\n      x\n"},
	} {
		g := grid{indent: "  ", wide: c.wide}
		g.add("a", "one two three four five six seven eight nine ten")
		g.add("bcd", "x")
		var b strings.Builder
		g.print(&b)
		if b.String() != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.wide, b.String(), c.want)
		}
	}
}
