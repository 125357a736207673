package docs_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/docs"
	"prgnn/internal/need"
)

var update = flag.Bool("update", false, "write the values of figures.tsv into the pages")

// evidence are the pages in which every measurement has a source.
var evidence = []string{"../README.md", "abide.md", "benchmarks.md", "cluster.md", "engines.md", "questions.md",
	"salient.md", "scale.md", "statistics.md", "tutorial.md", "when-prgnn.md"}

// settings are figures of these pages that nobody measured: sizes of data, requests, bounds and examples.
var settings = strings.NewReplacer("scan of 45 MB", "", "512 MB and one hour", "", "sleep for 1 s", "",
	"shell script of 3 ms", "", "scan of 512 MB writes 512 MB more", "", "less than 4 minutes", "",
	"(AUC or Spearman correlation of 0.95", "", "at most 1 GiB", "", "1.07 GB", "", "above 4 GiB", "")

const units = `(?:ms|s|min|minutes|seconds|hours|kB|MB|MiB|GB|GiB)`

var (
	figure   = `\d[\d,.]*(?: min \d+ s| ?(?:×|%|` + units + `))?`
	marked   = regexp.MustCompile(`(` + figure + `)<!-- ([\w.-]+) -->`)
	value    = regexp.MustCompile(`^` + figure + `$`)
	numbers  = regexp.MustCompile(`\d\.\d`) // of a table
	mark     = regexp.MustCompile(`\S<!-- [\w.-]+ -->`)
	from     = regexp.MustCompile(`(?m)^<!-- from (\S+), (\d{4}-\d\d-\d\d) -->$`)
	table    = regexp.MustCompile(`(?m)^(<!-- from (bench/results/\S+\.md), \S+ -->\n)((?:\|.*\n)*)`)
	measured = regexp.MustCompile(`\d ?` + units + `\b|\bAUC\b[^.|]*?\b0\.\d`)
	spans    = regexp.MustCompile("`[^`\n]*`")
)

// TestFigures: figures.tsv has the value of every figure that is marked in a page, 1.2 s<!-- name -->. Where each cell
// would need a mark, a comment above the table or the paragraph has the source: <!-- from FILE, DATE -->. A source
// bench/results/NAME.md is the table itself. The pages of evidence have no other measurement. Benchmarks write
// figures.tsv and these tables (bench/run.sh), -update the pages.
func TestFigures(t *testing.T) {
	values, used := map[string]string{}, map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(need.Value(os.ReadFile("figures.tsv"))(t))), "\n") {
		cells := strings.Split(line, "\t") // name, value, source, processor, date, commit
		if i == 0 {
			continue
		}
		if len(cells) != 6 || slices.Contains(cells, "") || !value.MatchString(cells[1]) || values[cells[0]] != "" {
			t.Errorf("figures.tsv: %q", line)
			continue
		}
		values[cells[0]] = cells[1]
	}
	pages := slices.Concat(need.Value(filepath.Glob("*.md"))(t), need.Value(filepath.Glob("decisions/*.md"))(t),
		[]string{"../README.md"})
	for _, page := range pages {
		text := string(need.Value(os.ReadFile(page))(t))
		brought := marked.ReplaceAllStringFunc(text, func(s string) string {
			m := marked.FindStringSubmatch(s)
			want, ok := values[m[2]]
			used[m[2]] = true
			switch {
			case !ok:
				t.Errorf("%s: figures.tsv has no %s", page, m[2])
				return s
			case want != m[1] && !*update:
				t.Errorf("%s: %s is %s, measured %s: go test ./docs -run Figures -update", page, m[2], m[1], want)
			}
			return strings.Replace(s, m[1], want, 1)
		})
		brought = table.ReplaceAllStringFunc(brought, func(s string) string {
			m := table.FindStringSubmatch(s)
			want := string(need.Value(os.ReadFile("../" + m[2]))(t))
			if m[3] != want && !*update {
				t.Errorf("%s: the table from %s differs: go test ./docs -run Figures -update", page, m[2])
			}
			return m[1] + want
		})
		if *update && brought != text {
			need.NoError(t, os.WriteFile(page, []byte(brought), 0o666))
		}
		if n := len(mark.FindAllString(text, -1)) - len(marked.FindAllString(text, -1)); n > 0 {
			t.Errorf("%s: %d marks stand behind no figure", page, n)
		}
		for _, m := range from.FindAllStringSubmatch(text, -1) {
			if !exists("../"+m[1]) && !exists("../stages/pipelines/"+m[1]) {
				t.Errorf("%s: there is no source %s", page, m[1])
			}
			if !strings.Contains(from.ReplaceAllString(text, ""), m[2]) {
				t.Errorf("%s: the text lacks the date %s of figures from %s", page, m[2], m[1])
			}
		}
		if slices.Contains(evidence, page) {
			for _, m := range unmarked(text) {
				t.Errorf("%s: no source of %q", page, m)
			}
		}
	}
	for name := range values {
		if !used[name] {
			t.Errorf("figures.tsv: no page has %s", name)
		}
	}
}

// unmarked finds the measurements of a page that have no source.
func unmarked(text string) (found []string) {
	for _, b := range docs.Blocks(text) {
		text = strings.Replace(text, b.Text, "\n", 1)
	}
	for block := range strings.SplitSeq(text, "\n\n") {
		if !from.MatchString(block) {
			block = settings.Replace(strings.Join(strings.Fields(spans.ReplaceAllString(block, "")), " "))
			block = marked.ReplaceAllString(block, "")
			found = append(found, measured.FindAllString(block, -1)...)
			if strings.HasPrefix(block, "|") {
				found = append(found, numbers.FindAllString(block, -1)...)
			}
		}
	}
	return found
}

// TestUnmarked: a measurement without a source is found, whatever stands beside it.
func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{
		"It takes 4.3 s.":                              "3 s",
		"It takes 4.3 s<!-- a.wall -->.":               "",
		"It takes 4.3 s<!-- a.wall -->, 20 MB.":        "0 MB",
		"An AUC\nof 0.61.":                             "AUC of 0.6",
		"An AUC of 0.61<!-- a --> and 0.7.":            "AUC of  and 0.7",
		"<!-- from a.sh, 2026-11-28 -->\n| 5 s |":      "",
		"<!-- from a.sh, 2026-11-28 -->\n5 s\n\n6 MiB": "6 MiB",
		"```text\nin 7 s\n```":                         "",
		"| 0.61 |":                                     "0.6",
		"`--max 5 s`, less than 4 minutes":             "",
	} {
		need.Equal(t, strings.Join(unmarked(text), ";"), want, text)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
