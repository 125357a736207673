package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"prgnn/docs"
)

// TestQuestions: a reader who has one of twenty questions reads the answer in less than a minute, from the list of
// pages and by a search. Each word on the way takes 1/230 of a minute, each page that is opened ten seconds. On the way
// are the words of the list before the link (of the search's list: the headings), and those of the section up to the
// answer.
func TestQuestions(t *testing.T) {
	var table strings.Builder
	for _, q := range []struct{ question, search, answer string }{
		// Everyday questions.
		{"How do I change the number of folds?", "number folds", "--set folds=10"},
		{"How do I use age as a covariate?", "age covariate", "`residualize`"},
		{"Where is the cache, and how do I delete it?", "delete cache", "rm -rf .pipeline"},
		{"How do I cite?", "cite", "MICCAI 2020"},
		{"How do I use my own atlas?", "own atlas", "nodes: regions.tsv"},
		{"How do I exclude participants?", "exclude participants", "exclude: [sub-003"},
		{"How do I choose the denoising?", "choose denoising", "`simple`"},
		{"How do I add other classifiers?", "other classifiers", "axis `model`"},
		{"How do I add a command or a stage of my own?", "own command", "`exec`"},
		{"How do I run it on Slurm?", "run slurm", "--executor slurm"},
		// nilearn's issues 4113, 1851, 1241, 1211 and 677.
		{"Why is a region missing in the matrix?", "region missing", "for all participants"},
		{"How do I regress out CompCor components?", "compcor", "acompcor"},
		{"How do I regress out the global signal?", "global signal", "`36P`"},
		{"Which covariance estimator is used?", "ledoit-wolf", "Ledoit-Wolf covariance"},
		{"How do I classify in tangent space?", "tangent space", "`tangent`"},
		// Issues of XCP-D: 1295, 724, 832, 631 and 1583.
		{"Are scans smoothed?", "smoothed", "not smoothed"},
		{"How do I censor volumes with high motion?", "censor volumes", "clean.fd=0.3"},
		{"How much data must be left after censoring?", "4 minutes", "4 minutes left"},
		{"How do I concatenate the runs of a participant?", "concatenate runs", "runs.yaml"},
		{"How much memory does it need?", "memory", "pipeline plan FILE"},
	} {
		pages, at := 1e9, "no link"
		index := docs.Read("index")
		for _, m := range pageLink.FindAllStringSubmatchIndex(index, -1) {
			topic := strings.Replace(index[m[2]:m[3]], ".md", "", 1)
			if s := seconds(index[:m[0]], docs.Read(topic), q.answer, 1); s < pages {
				pages, at = s, topic
			}
		}
		search, headings := 1e9, ""
		found, _ := docs.Search(strings.Fields(q.search))
		for _, s := range found {
			headings += s.Heading + "\n"
			search = min(search, seconds(headings, s.Text, q.answer, 2))
		}
		fmt.Fprintf(&table, "%-50s %3.0f s (%s) %3.0f s\n", q.question, pages, at, search)
		if pages >= 60 || search >= 60 {
			t.Errorf("%s %.0f s from the list of pages (%s), %.0f s by the search %q", q.question, pages, at, search, q.search)
		}
	}
	t.Logf("from the list of pages; by a search\n%s", table.String())
}

var (
	pageLink   = regexp.MustCompile(`\[[^\]]*\]\(([a-z-]+\.md(?:#[\p{L}\p{N}_-]*)?)\)`)
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
)

// seconds is the time to an answer in a text, after the words before it and so many pages that are opened.
func seconds(before, text, answer string, opened int) float64 {
	way, _, found := strings.Cut(text, answer)
	if !found {
		return 1e9
	}
	words := 0
	for word := range strings.FieldsSeq(linkTarget.ReplaceAllString(before+way+answer, "]")) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			words++
		}
	}
	return 60*float64(words)/230 + 10*float64(opened)
}
