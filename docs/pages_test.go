package docs_test

import (
	"strings"
	"testing"

	"prgnn/docs"
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

// TestSearch: the words of a question lead to the section that answers it, whose heading is the question.
func TestSearch(t *testing.T) {
	for words, want := range map[string]string{
		"own atlas":            "questions#how-do-i-use-my-own-atlas",
		"exclude participants": "questions#how-do-i-exclude-participants",
		"choose denoising":     "questions#how-do-i-choose-the-denoising",
		"other classifiers":    "questions#how-do-i-add-other-classifiers",
		"own command":          "questions#how-do-i-add-a-command-or-a-stage-of-my-own",
		"own stage":            "questions#how-do-i-add-a-command-or-a-stage-of-my-own",
		"run Slurm":            "questions#how-do-i-run-it-on-slurm",
		"number folds":         "questions#how-do-i-change-the-number-of-folds",
		"AGE covariate":        "questions#how-do-i-use-age-as-a-covariate",
		"delete cache":         "questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it",
		"how cite":             "questions#how-do-i-cite",
		"leakage checks":       "leakage",
		"sliding windows":      "dynamic",
		"no-such-word cite":    "",
	} {
		got := ""
		if found := docs.Search(strings.Fields(words)); len(found) > 0 {
			got = found[0].Topic()
		}
		if got != want {
			t.Errorf("%q: %q instead of %q", words, got, want)
		}
	}
}
