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

// measured are the pages that give no guarantee: measurements, and lists of pages and of tests.
var measured = []string{"abide.md", "benchmarks.md", "index.md", "promises.md", "scale.md"}

// promise is an entry of docs/promises.md on one line: a section, words on which of its promises, and its tests.
var promise = regexp.MustCompile("^- \\[[^]]*\\]\\(([^)#]*)[^)]*\\)[^`]*: (`.*`)$")

// TestPromises checks docs/promises.md: every test that it lists exists, and no page is left out, there and in
// docs/index.md. TestLinks checks that its sections exist.
func TestPromises(t *testing.T) {
	seen := slices.Clone(measured)
	entries := strings.Split(read(t, "docs/promises.md"), "\n- ")[1:]
	for _, entry := range entries {
		entry, _, _ = strings.Cut(entry, "\n\n")
		m := promise.FindStringSubmatch("- " + plain(entry))
		if m == nil {
			t.Errorf("docs/promises.md: not [section](page), promise: `tests`: %s", entry)
			continue
		}
		seen = append(seen, m[1])
		for test := range strings.SplitSeq(m[2], ", ") {
			if test = strings.Trim(test, "`"); !isTest(t, test) {
				t.Errorf("docs/promises.md: there is no test %s, listed in %s", test, entry)
			}
		}
	}
	if len(entries) < 100 {
		t.Errorf("only %d promises were read", len(entries))
	}
	pages, index := need.Value(filepath.Glob("docs/*.md"))(t), read(t, "docs/index.md")
	for _, p := range pages {
		if !slices.Contains(seen, filepath.Base(p)) {
			t.Errorf("docs/promises.md leaves out %s", p)
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
	anchors := map[string][]string{}
	has := func(page, anchor string) bool {
		if anchors[page] == nil {
			for _, s := range docs.Divide(page, read(t, page)) {
				anchors[page] = append(anchors[page], docs.Anchor(s.Heading))
			}
		}
		return slices.Contains(anchors[page], anchor)
	}
	links := 0
	check := func(from, to, anchor string) {
		links++
		if !exists(to) || anchor != "" && !has(to, anchor) {
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
