package prgnn_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/docs"
	"prgnn/internal/need"
)

// measured are the pages that give no guarantee: measurements, and the list of pages.
var measured = []string{"docs/abide.md", "docs/benchmarks.md", "docs/index.md", "docs/scale.md"}

// TestPromises checks docs/promises.txt: every page, section and test that it lists exists, and no page is left out,
// there and in docs/index.md.
func TestPromises(t *testing.T) {
	seen := slices.Clone(measured)
	entries := strings.Split(read(t, "docs/promises.txt"), "\n\n")[1:]
	for _, entry := range entries {
		lines := strings.Split(strings.TrimSpace(entry), "\n\t")
		place, _, _ := strings.Cut(lines[0], " ")
		page, anchor, _ := strings.Cut(place, "#")
		if !hasSection(t, page, anchor) || len(lines) == 1 {
			t.Errorf("docs/promises.txt: no such section, or no test: %s", entry)
		}
		seen = append(seen, page)
		for _, test := range lines[1:] {
			if !isTest(t, test) {
				t.Errorf("docs/promises.txt: there is no test %s, listed at %s", test, lines[0])
			}
		}
	}
	if len(entries) < 100 {
		t.Errorf("only %d promises were read", len(entries))
	}
	pages, index := need.Value(filepath.Glob("docs/*.md"))(t), read(t, "docs/index.md")
	for _, p := range pages {
		if !slices.Contains(seen, p) {
			t.Errorf("docs/promises.txt leaves out %s", p)
		}
		if name := filepath.Base(p); !strings.Contains(index, "]("+name+")") && name != "index.md" {
			t.Errorf("docs/index.md leaves out %s", p)
		}
	}
}

var (
	linkTo = regexp.MustCompile(`\]\(([^()\s:#]*)#?([^()\s:]*)\)`)         // in a page
	code   = regexp.MustCompile("`[^`\n]*`")                               // where no link is
	pageOf = regexp.MustCompile(`\b(docs/[a-z-]+\.md)#?([\p{L}\p{N}_-]*)`) // anywhere else
)

// TestLinks checks that the pages, and the sections of pages, that pages and sources refer to exist.
func TestLinks(t *testing.T) {
	links := 0
	check := func(from, to, anchor string) {
		links++
		if !hasSection(t, to, anchor) {
			t.Errorf("%s refers to %s, section %q, which does not exist", from, to, anchor)
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (slices.Contains([]string{"testdata", "node_modules"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			for _, m := range linkTo.FindAllStringSubmatch(code.ReplaceAllString(read(t, path), ""), -1) {
				to := path
				if m[1] != "" {
					to = filepath.Join(filepath.Dir(path), m[1])
				}
				check(path, to, m[2])
			}
		case slices.Contains([]string{".go", ".txt", ".yaml", ".sh", ".py"}, filepath.Ext(path)):
			for _, m := range pageOf.FindAllStringSubmatch(read(t, path), -1) {
				check(path, m[1], m[2])
			}
		}
		return nil
	})
	need.NoError(t, err)
	if links < 300 {
		t.Errorf("only %d links were read", links)
	}
}

// hasSection reports whether a file exists and, unless anchor is empty, has a heading of that anchor.
func hasSection(t *testing.T, page, anchor string) bool {
	t.Helper()
	return exists(page) && (anchor == "" || slices.ContainsFunc(docs.Divide(page, read(t, page)),
		func(s docs.Section) bool { return docs.Anchor(s.Heading) == anchor }))
}

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
