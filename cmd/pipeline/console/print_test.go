package console

import (
	"bytes"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/words"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Seconds(0.0214), "0.021 s"}, {Seconds(4.06), "4.1 s"}, {Seconds(61), "61.0 s"}, {Seconds(125), "2 min 05 s"},
		{Seconds(7384), "2 h 03 min"},
		{ByteCount(0), "0 B"}, {ByteCount(999), "999 B"}, {ByteCount(1000), "1 kB"}, {ByteCount(508_032), "508 kB"},
		{ByteCount(999_600), "1 MB"}, {ByteCount(3_141_592_653), "3.14 GB"},
		{words.Count(1, "task"), "1 task"}, {words.Count(0, "task"), "0 tasks"}, {words.Count(2, "body"), "2 bodies"},
		{words.Some([]string{"a", "b"}, 2), "a, b"}, {words.Some([]string{"a", "b", "c", "d"}, 3), "a, b and 2 more"},
		{Clip("Größe", 5), "Größe"}, {Clip("Größen", 5), "Größ…"}, {Clip("x", 0), ""},
	} {
		need.Equal(t, c.got, c.want)
	}
}

func TestGrid(t *testing.T) {
	g := Grid{Indent: "  ", Right: map[int]bool{1: true}}
	g.Add("stage", "tasks", "state")
	g.Add("größe", "12", "")
	g.Add("n", "3", "cached")
	var out strings.Builder
	g.Print(&out)
	if want := "  stage  tasks  state\n  größe     12\n  n          3  cached\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestColours: no terminal, no escapes; and what goes to a file is never painted
// because something else is a terminal.
func TestColours(t *testing.T) {
	need.Equal(t, (Terminal{}).Red("x"), "x")
	var screen bytes.Buffer
	(&visibleWriter{w: &screen}).Write([]byte((Terminal{color: true}).Red("x")))
	need.Equal(t, screen.String(), "\x1b[31mx\x1b[0m")
}

func TestAgain(t *testing.T) {
	a := &Console{Args: []string{"run", "my study/x.yaml", "--set", "train.lambda=[0, 0]", "--only", "a'b", ""}}
	need.Equal(t, a.Again(), `pipeline run 'my study/x.yaml' --set 'train.lambda=[0, 0]' --only 'a'\''b' ''`)
}

// TestFold: lines break between words, and a word or a control sequence is whole; in pieces of any size of lines.
func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"short\n", "short\n"},
		{"ten letters and more\nnext\n", "ten letters\n  and more\nnext\n"},
		{"  in one two three\n", "  in one two\n    three\n"},
		{"a  b          c           d\n", "a  b\n  c\n  d\n"},
		{"averylongwordindeed and more\n", "averylongwordindeed\n  and more\n"},
		{"\x1b[31mred\x1b[0m words of 12 x\n", "\x1b[31mred\x1b[0m words of\n  12 x\n"},
		{"in all in 37.3 s\n", "in all in\n  37.3 s\n"},
		{"größe größer x", "größe größer\n  x"},
	} {
		f := &folder{wide: func() int { return 12 }}
		need.Equal(t, string(f.fold([]byte(c.in))), c.want, c.in)
	}
	f := &folder{wide: func() int { return 12 }}
	fold := func(s string) string { return string(f.fold([]byte(s))) }
	need.Equal(t, fold("1 of 2 ")+fold("skipped: x\n")+fold("next\n"),
		"1 of 2 \n  skipped: x\nnext\n")
	f = &folder{wide: func() int { return 0 }}
	need.Equal(t, string(f.fold([]byte("ten letters and more\n"))), "ten letters and more\n")
}

// Where all columns are too wide for the terminal, or the last one is of numbers, there are parts with the first one.
func TestGridInParts(t *testing.T) {
	g := Grid{Indent: "  ", Wide: 24, Right: map[int]bool{1: true, 2: true, 3: true}}
	g.Add("name", "first", "second", "third")
	g.Add("sub-1", "1", "2", "3")
	var b strings.Builder
	g.Print(&b)
	need.Equal(t, b.String(), "  name   first  second\n  sub-1      1       2\n\n  name   third\n  sub-1      3\n")
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
		g := Grid{Indent: "  ", Wide: c.wide}
		g.Add("a", "one two three four five six seven eight nine ten")
		g.Add("bcd", "x")
		var b strings.Builder
		g.Print(&b)
		if b.String() != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.wide, b.String(), c.want)
		}
	}
}
