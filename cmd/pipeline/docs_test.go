package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/internal/need"
)

// docsPages are the pages whose shell lines a reader copies.
var docsPages = []string{"README.md", "docs/tutorial.md", "docs/bids-app.md", "docs/data.md", "docs/denoising.md",
	"docs/atlases.md", "docs/quality.md", "docs/reading-your-report.md"}

// elsewhere are the shell lines that TestDocsCommands does not run, with the reason.
var elsewhere = map[string]string{
	"go run ./cmd/pipeline run biopoint.yaml": ".ci/run runs it in a new clone",
	"go run ./test": ".ci/run runs it in a new clone",
	"go build ./cmd/pipeline && export PATH=\"$PWD:$PATH\" && mkdir ../study && cd ../study":    "the test has the program on its PATH",
	"pipeline run abide.yaml --set data=abide/ABIDE_pcp":                                        "pipelines.TestAbide loads it",
	"pipeline run timeseries.yaml --set data=DIR --set clean.draws=10 --set train.batch=100":    "script/draws_of_volumes draws them",
	"prgnn BIDS_DIR OUTPUT_DIR participant --participant-label 01 02 --group diagnosis -w WORK": "script/bids_app runs it",
	"prgnn BIDS_DIR OUTPUT_DIR group --group diagnosis -w WORK":                                 "script/bids_app runs it",
	"prgnn /data /out participant --participant-label \"$label\" -w /scratch/work --n-cpus 1":   "needs a cluster",
	"apptainer build prgnn.sif oci-archive:prgnn-1.0.0-oci-amd64.tar":                           "needs Apptainer and a release",
	"apptainer run --cleanenv -B \"$PWD/fmriprep\":/data:ro -B \"$PWD/out\":/out prgnn.sif \\":  "needs Apptainer and a release",
	"pipeline atlas list Schaefer": "script/help lists an atlas",
	"pipeline atlas get Schaefer2018 --space MNI152NLin2009cAsym --desc 400Parcels7Networks --res 2": "needs the network; atlases.TestGet",
	"datalad clone https://github.com/OpenNeuroDerivatives/DS-fmriprep fmriprep":                     "needs outside data",
	"datalad get participants.tsv 'sub-*/func/*space-MNI152NLin2009cAsym*' 'sub-*/func/*confounds*'": "needs outside data",
}

// smaller are the changes that make the commands of the pages quick: fewer participants, draws and epochs, and an
// audit of a few tasks.
var smaller = strings.NewReplacer(
	"simulate quick.yaml fmriprep", "simulate quick.yaml fmriprep --set cohort.asd=6 --set cohort.hc=6 --set cohort.volumes=80",
	"audit biopoint.yaml", "audit biopoint.yaml --sample 0.05")

// TestDocsCommands runs the shell lines of the README and the tutorial, in their order, on simulated participants.
// Every other shell line of the pages is in elsewhere.
func TestDocsCommands(t *testing.T) {
	var script []string
	seen := map[string]bool{}
	for _, page := range []string{"docs/tutorial.md", "README.md"} {
		for _, line := range shellLines(t, page) {
			if _, other := elsewhere[line]; other || seen[line] {
				continue
			}
			seen[line] = true
			script = append(script, "exec "+smaller.Replace(line))
			if line == "pipeline init" {
				script = append(script, "cp biopoint.yaml init.yaml", "exec cat init.yaml small.yaml", "cp stdout biopoint.yaml")
			}
		}
	}
	if len(script) < 15 {
		t.Fatalf("the pages have only %d commands", len(script))
	}
	script = append(script, "exists scores.csv salient.svg salient run.lock biopoint.html", "",
		"-- small.yaml --", "  series: { with: { draws: 1 } }", "  train: { with: { epochs: 2 } }")
	path := filepath.Join(t.TempDir(), "docs.txtar")
	need.NoError(t, os.WriteFile(path, []byte(strings.Join(script, "\n")), 0o666))
	testscript.Run(t, testscript.Params{Files: []string{path}, RequireExplicitExec: true})
}

// TestDocsCommandsAreKnown: a shell line of a page is run, or it is known why not.
func TestDocsCommandsAreKnown(t *testing.T) {
	found := map[string]bool{}
	for _, page := range docsPages {
		for _, line := range shellLines(t, page) {
			found[line] = true
			if _, known := elsewhere[line]; !known && page != "README.md" && page != "docs/tutorial.md" {
				t.Errorf("%s: no test runs %q", page, line)
			}
		}
	}
	for line := range elsewhere {
		if !found[line] {
			t.Errorf("no page has the line %q", line)
		}
	}
}

var shellLine = regexp.MustCompile(`^    (?:\$ )?((?:pipeline|prgnn|go|\$EDITOR|ls|python3?|pip|apptainer|docker|datalad|git|curl) .*|pipeline)$`)

// shellLines are the commands of a page, without their comments: indented lines that begin with a program. Where a page
// shows output, commands begin with $.
func shellLines(t *testing.T, page string) (lines []string) {
	t.Helper()
	text := need.Value(os.ReadFile(filepath.Join("../..", page)))(t)
	prompts := strings.Contains(string(text), "\n    $ ")
	for line := range strings.Lines(string(text)) {
		m := shellLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || prompts && !strings.HasPrefix(line, "    $ ") {
			continue
		}
		command, _, _ := strings.Cut(m[1], "  #")
		command, _, _ = strings.Cut(command, " # ")
		lines = append(lines, strings.TrimSpace(command))
	}
	return lines
}
