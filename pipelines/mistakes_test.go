package pipelines

import (
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/pipelines/tree"
)

var update = flag.Bool("update", false, "write what the loader says into testdata/mistakes.txt; read the difference before you keep it")

// TestMistakes compares every message with the one that stands in
// testdata/mistakes.txt: cases of "=== name", lines "--set …" (and --limit), the file, "---",
// and what is said of it, word for word.
func TestMistakes(t *testing.T) {
	text := need.Value(os.ReadFile("testdata/mistakes.txt"))(t)
	here := need.Value(os.Getwd())(t)
	var out strings.Builder
	cases := strings.Split(string(text), "=== ")
	out.WriteString(cases[0])
	for _, c := range cases[1:] {
		name, rest, _ := strings.Cut(c, "\n")
		file, want, _ := strings.Cut(rest, "\n---\n")
		var sets []string
		body := file
		for strings.HasPrefix(body, "--set ") {
			var line string
			line, body, _ = strings.Cut(body, "\n")
			sets = append(sets, strings.TrimPrefix(line, "--set "))
		}
		limit := maxTasks
		if strings.HasPrefix(body, "--limit 100\n") {
			limit, body = 100, strings.TrimPrefix(body, "--limit 100\n")
		}
		want = strings.TrimRight(want, "\n")
		got := ""
		t.Run(name, func(t *testing.T) {
			_, err := build("x.yaml", []byte(body), ".", sets, limit)
			var mistakes tree.Errors
			switch {
			case err == nil:
				got = "fine"
			case !errors.As(err, &mistakes):
				t.Fatalf("the error is %T, not Errors: %v", err, err)
			default:
				got = strings.ReplaceAll(err.Error(), here, "$HERE")
			}
			if !*update && got != want {
				t.Errorf("%s\n--- said\n%s\n--- want\n%s", file, got, want)
			}
		})
		out.WriteString("=== " + name + "\n" + file + "\n---\n" + got + "\n\n")
	}
	if n := len(cases) - 1; n < 60 {
		t.Errorf("only %d cases", n)
	}
	if *update {
		need.NoError(t, os.WriteFile("testdata/mistakes.txt", []byte(out.String()), 0o644))
	}
}

// TestMistakeParts: Errors can be taken apart by errors.As and errors.Is users.
func TestMistakeParts(t *testing.T) {
	_, err := build("x.yaml", []byte("stages: {}\nstage: 1\nseed: x\n"), ".", nil, maxTasks)
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 3 {
		t.Fatalf("not three parts: %v", err)
	}
	var m *tree.Mistake
	if !errors.As(joined.Unwrap()[0], &m) || m.Pos.Line != 1 {
		t.Errorf("first part: %v", joined.Unwrap()[0])
	}
	if !slices.IsSortedFunc(err.(tree.Errors), func(a, b *tree.Mistake) int { return a.Pos.Line - b.Pos.Line }) {
		t.Errorf("not in the order of the file:\n%v", err)
	}
}
