package docs_test

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/docs"
	"prgnn/internal/need"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ topic, begins, holds, lacks string }{
		{"questions", "# Everyday questions\n", "## How do I cite?", "# Quality control"},
		{"docs/questions.md", "# Everyday questions\n", "## How do I cite?", "# Quality control"},
		{"questions#how-do-i-cite", "## How do I cite?\n", "Cite the software", "# Everyday questions"},
		{"confounds#missing-regions", "## Missing regions", "", "## Relatives"},
		{"nothing", "", "", ""},
		{"questions#nothing", "", "", ""},
	} {
		text := docs.Read(c.topic)
		if !strings.HasPrefix(text, c.begins) || !strings.Contains(text, c.holds) ||
			c.lacks != "" && strings.Contains(text, c.lacks) || c.begins == "" && text != "" {
			t.Errorf("%s: %.200q", c.topic, text)
		}
	}
}

// TestTopics: a topic is the address of one section.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range docs.Sections() {
		if seen[s.Topic()] {
			t.Errorf("two sections have the address %s", s.Topic())
		}
		seen[s.Topic()] = true
		if !strings.HasPrefix(docs.Read(s.Topic()), s.Text) {
			t.Errorf("%s does not begin with its own text", s.Topic())
		}
	}
	if len(seen) < 200 {
		t.Errorf("only %d sections", len(seen))
	}
}

// TestSearch: the words of a question lead to the section that answers it, among the first three that are found.
func TestSearch(t *testing.T) {
	for words, want := range map[string]string{
		// Everyday questions.
		"own atlas":            "questions#how-do-i-use-my-own-atlas",
		"exclude participants": "questions#how-do-i-exclude-participants",
		"choose denoising":     "denoising",
		"other classifiers":    "questions#how-do-i-add-other-classifiers",
		"own command":          "scripts",
		"own stage":            "scripts",
		"run Slurm":            "cluster",
		"number folds":         "questions#how-do-i-change-the-number-of-folds",
		"AGE covariate":        "questions#how-do-i-use-age-as-a-covariate",
		"delete cache":         "questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it",
		"how cite":             "questions#how-do-i-cite",
		// Questions to nilearn: issues 4113, 1851, 1241, 1211 and 677.
		"region missing": "questions#why-is-a-region-missing",
		"CompCor":        "denoising#the-strategies",
		"global signal":  "denoising",
		"Ledoit-Wolf":    "questions#which-correlation-is-used-pearson-partial-ledoit-wolf-or-tangent",
		"tangent space":  "baselines#in-tangent-space",
		// Questions to XCP-D (xcpEngine's 431 and 206 among them): issues 724, 431, 832, 206, 631 and 1583.
		"censor volumes":   "questions#how-do-i-censor-volumes-with-high-motion",
		"high motion":      "questions#how-do-i-censor-volumes-with-high-motion",
		"4 minutes":        "questions#how-do-i-censor-volumes-with-high-motion",
		"custom atlas":     "questions#how-do-i-use-my-own-atlas",
		"concatenate runs": "questions#how-do-i-concatenate-the-runs-of-a-participant",
		"memory":           "questions#how-much-memory-and-time-does-it-need",
		// Other pages.
		"leakage checks":  "leakage",
		"sliding windows": "dynamic",
		// In readers' words, with words that do not count and synonyms of those in the pages.
		"How do I remove a subject?":            "questions#how-do-i-exclude-participants",
		"which parcellation can I use":          "questions#how-do-i-use-my-own-atlas",
		"how much RAM":                          "questions#how-much-memory-and-time-does-it-need",
		"scrub frames with high motion":         "questions#how-do-i-censor-volumes-with-high-motion",
		"does the model hold in another cohort": "models#does-it-hold-elsewhere",
		"several sites":                         "confounds#how-do-i-analyze-several-sites-or-scanners",
		"predict a number":                      "targets",
		"interrupted":                           "questions#why-did-my-run-stop-and-how-do-i-resume-it",
		"rerun":                                 "questions#why-did-my-run-stop-and-how-do-i-resume-it",
		"multiclass":                            "questions#can-i-classify-three-or-more-groups",
		"longitudinal":                          "sessions-and-runs",
		"holdout":                               "your-own-model#on-another-cohort",
		"bug":                                   "questions#why-did-my-run-stop-and-how-do-i-resume-it",
		"delete old results":                    "questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it",
		"random forest":                         "questions#how-do-i-add-other-classifiers",
		"combine runs":                          "questions#how-do-i-concatenate-the-runs-of-a-participant",
		"parallel":                              "questions#how-do-i-set-the-number-of-threads-or-cpus",
		"class weights":                         "questions#how-do-i-add-other-classifiers",
		"why did a stage run again":             "questions#why-did-a-stage-run-again",
		"prove a published number":              "proof",
		"sample size":                           "statistics#how-many-participants-are-needed-learning-curve",
		"power analysis":                        "statistics#how-many-participants-are-needed-learning-curve",
		"smoothing":                             "denoising",
		"duplicates":                            "audit-your-data",
		"k-fold":                                "questions#how-do-i-change-the-number-of-folds",
		"what does this caution mean":           "reading-your-report#2-read-the-cautions",
		// Words that are the beginning of others: scanner, trend, multiverse.
		"remove bad scans":                 "questions#how-do-i-exclude-participants",
		"change TR":                        "fmriprep#how-do-i-set-the-repetition-time-tr",
		"multi session":                    "sessions-and-runs",
		"statistical power":                "statistics#how-many-participants-are-needed-learning-curve",
		"permutation test":                 "statistics#permutation-tests-evaluates-p-and-permutation",
		"XCP-D":                            "other-programs",
		"out of memory":                    "questions#how-much-memory-and-time-does-it-need",
		"partial correlation":              "questions#which-correlation-is-used-pearson-partial-ledoit-wolf-or-tangent",
		"export matrix of one participant": "python",
	} {
		found, _, _ := docs.Search(strings.Fields(words))
		found = found[:min(3, len(found))]
		if !slices.ContainsFunc(found, func(s docs.Section) bool { return s.Topic() == want }) {
			t.Errorf("%q: %s is not among the first %d", words, want, len(found))
			for _, s := range found {
				t.Log(s.Topic())
			}
		}
	}
	if found, lacks, about := docs.Search([]string{"zebra", "cite", "zebra"}); len(found) == 0 || !about ||
		!slices.Equal(lacks, []string{"zebra"}) {
		t.Errorf("found %d, which lack %s, about %t", len(found), lacks, about)
	}
	if _, lacks, _ := docs.Search([]string{"QZT", "baseline"}); !slices.Equal(lacks, []string{"qzt"}) {
		t.Errorf("lacks %s: a short word that no section has", lacks)
	}
	if _, lacks, about := docs.Search([]string{"MICCAI", "Dvornek"}); lacks != nil || about {
		t.Errorf("lacks %s; a name in the text counts as a topic: %t", lacks, about)
	}
	if found, _, _ := docs.Search([]string{"xyzzy-quux"}); len(found) > 0 {
		t.Errorf("found %s", found[0].Topic())
	}
	for _, name := range []string{"promises.txt", "figures.tsv", "pseudonyms.sh"} {
		if docs.Read(name) == "" {
			t.Errorf("no %s", name)
		}
	}
}

// TestStems: words of one meaning are found by each other, and those that only begin alike are not.
func TestStems(t *testing.T) {
	first := func(words string) string {
		found, _, _ := docs.Search(strings.Fields(words))
		return found[0].Topic()
	}
	for _, same := range [][]string{{"smoothing", "smoothed", "smooth"}, {"cite", "citing", "citation", "citations"},
		{"exclude participants", "excluding participants", "excluded participant's"},
		{"harmonization", "harmonisation", "harmonize", "harmonise"}, {"permutation test", "permutation tests"}} {
		for _, words := range same[1:] {
			need.Equal(t, first(words), first(same[0]), words)
		}
	}
}

func TestBlocks(t *testing.T) {
	page := "# A\n\n<!-- in: quick.yaml -->\n```yaml\na: 1\n```\n\n    pipeline run\n\n    more\n\nText.\n\n" +
		"<!-- not run: needs Slurm -->\n\n    sbatch\n\n```text\nout\n```\n\n- item\n\n    of it\n\n```text\n# no heading\n```\n"
	want := []docs.Block{{5, "yaml", "in: quick.yaml", "a: 1\n"}, {8, "sh", "", "    pipeline run\n\n    more\n\n"},
		{16, "sh", "not run: needs Slurm", "    sbatch\n\n"}, {19, "text", "", "out\n"}, {27, "text", "", "# no heading\n"}}
	if got := docs.Blocks(page); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if s := docs.Divide("a", page); len(s) != 1 || strings.Contains(s[0].Text, "not run") {
		t.Errorf("%+v", s)
	}
}

// An answer ends where a paragraph, a row or a block begins after 80 words, before a table after 53, and has neither
// the heading nor addresses nor comments.
func TestAnswer(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct {
		text, want string
		whole      bool
	}{
		{"# Q\n\n<!-- asked: other -->\n\n[a](index.md)\n\n<!-- not run: no -->\n\n    c\n", "a [index]\n\n    c", true},
		{"# Q\n([b\nc](leakage.md#relatives), [d](#e), [f](../f.go), [g](https://h)) [i]\n",
			"(b\nc [leakage#relatives], d [page#e], f, g [https://h]) [i]", true},
		{"# Q\n" + words(79) + "\n\nb\n\nc\n", words(79) + "\n\nb", false},
		{"# Q\n" + words(90) + "\n" + words(9) + "\n\nb\n", words(90) + "\n" + words(9), false},
		{"# Q\n" + words(53) + "\n\n| t |\n", words(53), false},
		{"# Q\n\n    a\n\n" + words(80) + ":\n\n```yaml\nb: 1\n```\n", "    a", false},
		{"# Q\n" + words(52) + "\n\n| t |\n| " + words(27) + " |\n| x |\n",
			words(52) + "\n\n| t |\n| " + words(27) + " |", false},
		{"# Q\n```yaml\na: " + words(80) + "\n\nb: 1\n```\n", "```yaml\na: " + words(80) + "\n\nb: 1\n```", true},
		{"# Q\n" + words(79) + "\n\n    run\n\n    run " + words(9) + "\n", words(79) + "\n\n    run\n\n    run " + words(9), true},
	} {
		s := docs.Divide("page", c.text)[0]
		if got, whole := s.Answer(); got != c.want || whole != c.whole {
			t.Errorf("%q, whole %t; from %q", got, whole, c.text)
		}
	}
	if text, whole := docs.Divide("proof", "# Title\n")[0].Answer(); !whole ||
		!strings.Contains(text, "- Lock [proof#lock]\n- Where data are stored [proof#where-data-are-stored]\n") {
		t.Errorf("%q, whole %t", text, whole)
	}
	if s := docs.Divide("page", "# Q\n<!-- asked: one -->\n<!-- asked: two -->\nx\n")[0]; s.Asked != " one two" {
		t.Errorf("%q", s.Asked)
	}
}

// TestMeasured: the table of speed in engines.md has the numbers of the files that the benchmark writes.
func TestMeasured(t *testing.T) {
	type run struct {
		Tool    string
		ColdCPU float64 `json:"cold_cpu"`
		ColdS   float64 `json:"cold_s"`
		NoopCPU float64 `json:"noop_cpu"`
		NoopS   float64 `json:"noop_s"`
		OneCPU  float64 `json:"one_cpu"`
		OneS    float64 `json:"one_s"`
		ColdMB  float64 `json:"cold_rss_mb"`
		NoopMB  float64 `json:"noop_rss_mb"`
	}
	runs := map[string]run{} // the first of a tool
	for _, file := range []string{"", "-more", "-servers"} {
		text := need.Value(os.ReadFile("../bench/engine/results/speed-201" + file + ".txt"))(t)
		for line := range strings.Lines(string(text)) {
			var r run
			if json.Unmarshal([]byte(line), &r) == nil {
				if _, again := runs[r.Tool]; !again {
					runs[r.Tool] = r
				}
			}
		}
	}
	tools := map[string]string{"**this program**": "PR-GNN Pipeline", "ninja": "ninja", "GNU make": "GNU make",
		"Snakemake": "snakemake", "redun": "redun 0.26 (ContentFile)", "DVC": "DVC repro", "Hamilton": "Hamilton (cache)",
		"Nextflow (`deep`)": "Nextflow -resume (cache deep)", "Prefect": "Prefect (INPUTS + TASK_SOURCE)",
		"Dagster": "Dagster (stale assets)"}
	_, table, _ := strings.Cut(docs.Read("engines#speed"), "\n|---|---|---|---|---|\n")
	number := regexp.MustCompile(`\d+(\.\d+)?`)
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 5 {
			break
		}
		names := strings.Split(cells[0], "; ")
		for i, name := range names {
			rows++
			r, ok := runs[tools[strings.TrimRight(name, "0123456789. ")]]
			if !ok {
				t.Errorf("%s was not measured", name)
			}
			want := [][]float64{{r.ColdCPU, r.ColdS}, {r.NoopCPU, r.NoopS}, {r.OneCPU, r.OneS},
				{max(r.ColdMB, r.NoopMB)}}
			for c, cell := range cells[1:] {
				for j, text := range number.FindAllString(strings.Split(cell, "; ")[i], -1) {
					v := need.Value(strconv.ParseFloat(text, 64))(t)
					_, decimals, _ := strings.Cut(text, ".")
					if math.Abs(v-want[c][j]) > 0.51*math.Pow10(-len(decimals)) {
						t.Errorf("%s: %s, measured %v", name, text, want[c][j])
					}
				}
			}
		}
	}
	if rows != 10 {
		t.Errorf("%d rows", rows)
	}
}
