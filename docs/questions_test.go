package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"prgnn/docs"
)

// everyday are questions of readers, with words that they search for, the section that answers them, and what they type
// or have to know.
var everyday = []struct {
	question, topic, answer string
	searches                []string
}{
	{"How do I change the number of folds?", "questions#how-do-i-change-the-number-of-folds", "--set folds=10",
		[]string{"change the folds", "number folds", "10-fold cross-validation", "k-fold"}},
	{"How do I use age as a covariate?", "questions#how-do-i-use-age-as-a-covariate", "edges: { with: { covariates: [age, sex] } }",
		[]string{"age as a covariate", "AGE covariate", "regress out age", "adjust for age and sex", "control for IQ"}},
	{"Where is the cache, and how do I delete it?", "questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it",
		"rm -rf .pipeline",
		[]string{"where is the cache", "delete cache", "clear the cache", "free disk space", "delete old results"}},
	{"How do I cite?", "questions#how-do-i-cite", "MICCAI 2020", []string{"how do I cite", "citation", "BibTeX reference"}},
	{"How do I use my own atlas?", "questions#how-do-i-use-my-own-atlas", "labels: atlas.nii.gz",
		[]string{"own atlas", "custom parcellation", "use another atlas", "which parcellation can I use"}},
	{"How do I exclude participants?", "questions#how-do-i-exclude-participants", "exclude: [sub-003",
		[]string{"exclude participants", "How do I remove a subject?", "drop subjects", "leave out an outlier"}},
	{"Which denoising?", "denoising", "--set clean.regress=36P",
		[]string{"which denoising", "choose denoising", "confound regression strategy", "nuisance regression", "smoothing"}},
	{"How do I analyze several sites?", "confounds#how-do-i-analyze-several-sites-or-scanners", "extends: sites.yaml",
		[]string{"several sites", "multi-site", "leave-one-site-out", "leave site out", "scanner effects", "ComBat"}},
	{"How do I analyze several sessions?", "sessions-and-runs", "sessions: all",
		[]string{"several sessions", "two sessions per subject", "longitudinal", "repeated scans of a participant"}},
	{"How do I predict a number?", "targets", "target: age",
		[]string{"predict a number", "predict age", "regression instead of classification", "continuous score"}},
	{"How do I add my own model?", "your-own-model", "pipeline new-model mymodel",
		[]string{"own model", "add my own model", "custom classifier", "use my PyTorch model"}},
	{"How do I add my own command?", "scripts", "use: exec",
		[]string{"own command", "own stage", "run my script", "call a Python script", "shell command as a stage"}},
	{"How do I make a figure?", "report#how-do-i-save-figures-for-a-paper", "picture -o salient.svg",
		[]string{"figures", "make a figure", "figures for a paper", "save plot as PNG", "export figure"}},
	{"How do I read results in Python or R?", "python", "evaluate -o scores.csv",
		[]string{"Python", "R", "results in Python", "read results in R", "load in pandas", "MATLAB"}},
	{"How do I run it on Slurm?", "cluster", "--executor slurm",
		[]string{"Slurm", "run Slurm", "run on a cluster", "sbatch", "HPC"}},
	{"How do I share a store?", "sharing", "--store /data/lab/prgnn",
		[]string{"shared store", "share results", "share results between machines", "store for the lab"}},
	{"How do I lock and audit?", "proof", "pipeline lock biopoint.yaml",
		[]string{"lock and audit", "lock", "reproduce published results", "prove a published number"}},
	{"Is there a BIDS App?", "bids-app", "pipeline bids-app BIDS_DIR OUTPUT_DIR participant",
		[]string{"BIDS App", "bids-app participant-label", "participant level"}},
	{"The repetition time is missing", "fmriprep#how-do-i-set-the-repetition-time-tr", "--set series.tr=2",
		[]string{"repetition time missing", "TR missing", "set TR", "t_r", "the header gives no repetition time"}},
	{"Why did a stage run again?", "questions#why-did-a-stage-run-again", "pipeline why biopoint.yaml clean",
		[]string{"why stage ran again", "why did a stage run again", "why did it rerun", "not cached"}},
}

// TestEveryday: a reader who has one of twenty everyday questions reads the answer in less than a minute, from the list
// of pages and by a search. Each word on the way takes 1/230 of a minute, and each list or page that is opened ten
// seconds. The search prints the answer in its first result, which is the section, whatever the words.
func TestEveryday(t *testing.T) {
	var table strings.Builder
	for _, q := range everyday {
		page, anchor, _ := strings.Cut(q.topic, "#")
		address := "(" + strings.TrimSuffix(page+".md#"+anchor, "#") + ")"
		list, _, linked := strings.Cut(docs.Read("index"), address)
		s := seconds(list, docs.Read(q.topic), q.answer, 2)
		fmt.Fprintf(&table, "%-45s %3.0f s", q.question, s)
		if !linked || s >= 60 {
			t.Errorf("%s %.0f s from the list of pages, linked: %t", q.question, s, linked)
		}
		for _, search := range q.searches {
			found, _, _ := docs.Search(strings.Fields(search))
			if len(found) == 0 || found[0].Topic() != q.topic {
				t.Errorf("%q: the first section is not %s", search, q.topic)
				for _, s := range found[:min(len(found), 4)] {
					t.Log(s.Topic())
				}
				continue
			}
			answer, _ := found[0].Answer()
			s := seconds(found[0].Heading, answer, q.answer, 1)
			fmt.Fprintf(&table, " %3.0f s", s)
			if s >= 60 {
				t.Errorf("%q: %.0f s", search, s)
			}
		}
		fmt.Fprintln(&table)
	}
	t.Logf("from the list of pages; by searches\n%s", table.String())
}

// TestQuestions: so do readers with questions of the issues of other programs, if the section is among those that a
// search lists.
func TestQuestions(t *testing.T) {
	var table strings.Builder
	for _, q := range []struct{ question, search, answer string }{
		{"How do I add other classifiers?", "other classifiers", "axis `model`"},
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
		found, _, _ := docs.Search(strings.Fields(q.search))
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
	linkTarget = regexp.MustCompile(`\]\([^)]*\)| \[[a-z-]+(#[^\]]*)?\]`)
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
