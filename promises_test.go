package prgnn_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// measured are the pages that report measurements and give no guarantee.
var measured = []string{"benchmarks.md", "scale.md"}

// TestPromises checks docs/promises.md: every quotation stands on the page that its heading
// links to, every test that it names exists, and no page is left out.
func TestPromises(t *testing.T) {
	page := read(t, "docs/promises.md")
	sections := regexp.MustCompile(`(?m)^## \[.*\]\((.+)\)$`).FindAllStringSubmatchIndex(page, -1)
	seen := append([]string{"promises.md"}, measured...)
	promises := 0
	for i, at := range sections {
		name, end := page[at[2]:at[3]], strings.LastIndex(page, "\n## Fuzzing\n")
		if i+1 < len(sections) {
			end = sections[i+1][0]
		}
		seen = append(seen, name)
		text := plain(read(t, filepath.Join("docs", name)))
		for line := range strings.Lines(page[at[1]:end]) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if len(cells) != 2 || strings.Contains(line, "---") || strings.HasPrefix(line, "| promise ") {
				continue
			}
			promises++
			if quotation := plain(cells[0]); !strings.Contains(text, quotation) {
				t.Errorf("docs/promises.md: %s does not say %q: quote what it says now, or delete the line", name, quotation)
			}
			for test := range strings.SplitSeq(cells[1], ",") {
				if test = strings.Trim(test, " `"); !isTest(t, test) {
					t.Errorf("docs/promises.md: there is no test %s, which is to hold %q", test, cells[0])
				}
			}
		}
	}
	if promises < 100 {
		t.Errorf("only %d promises were read", promises)
	}
	pages := need.Value(filepath.Glob("docs/*.md"))(t)
	for _, p := range pages {
		if !slices.Contains(seen, filepath.Base(p)) {
			t.Errorf("docs/promises.md leaves out %s", p)
		}
	}
}

// plain is a text without line breaks.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// isTest reports whether a test exists: script/NAME, package.TestName, or a file to run.
func isTest(t *testing.T, name string) bool {
	t.Helper()
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		return exists(filepath.Join("cmd/pipeline/testdata/script", script+".txtar"))
	}
	dir, function, ok := strings.Cut(name, ".")
	if !ok || !strings.HasPrefix(function, "Test") && !strings.HasPrefix(function, "Fuzz") {
		return exists(name)
	}
	files := need.Value(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	return slices.ContainsFunc(files, func(f string) bool {
		return strings.Contains(read(t, f),
			"\nfunc "+function+"(")
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	return string(b)
}
