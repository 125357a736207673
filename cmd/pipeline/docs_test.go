package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/docs"
	"prgnn/internal/need"
)

// smaller are the changes that make the commands of the pages quick: fewer participants, draws and epochs, and an
// audit of a few tasks.
var smaller = strings.NewReplacer(
	"simulate quick.yaml fmriprep", "simulate quick.yaml fmriprep --set cohort.asd=6 --set cohort.hc=6 --set cohort.volumes=80",
	"audit biopoint.yaml", "audit biopoint.yaml --sample 0.05")

// TestDocsCommands runs the shell lines of the pages, those of the tutorial first and of the README next, on simulated
// participants. A block with a reason above it, <!-- not run: REASON -->, is left out (cli.TestDocsSnippets lists
// the reasons); test/python runs docs/python.md.
func TestDocsCommands(t *testing.T) {
	var script, seen []string
	pages := need.Value(filepath.Glob("../../docs/*.md"))(t)
	for _, page := range slices.Concat([]string{"../../docs/tutorial.md", "../../README.md"}, pages) {
		for _, b := range docs.Blocks(string(need.Value(os.ReadFile(page))(t))) {
			if b.Lang != "sh" || strings.HasPrefix(b.Mark, "not run: ") || filepath.Base(page) == "python.md" {
				continue
			}
			prompts := strings.Contains(b.Text, "$ ")
			for line := range strings.Lines(strings.ReplaceAll(b.Text, "\\\n", " ")) {
				line, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
				line, _, _ = strings.Cut(line, " #")
				line = "exec " + strings.TrimSpace(line)
				if line == "exec rm -rf .pipeline" {
					continue // the last of all
				}
				// The test has the program on its PATH.
				if line == "exec " || prompts && !prompt || slices.Contains(seen, line) ||
					strings.HasPrefix(line, "exec go build") {
					continue
				}
				script, seen = append(script, smaller.Replace(line)), append(seen, line)
				if line == "exec pipeline init" {
					script = append(script, "cp biopoint.yaml init.yaml", "exec cat init.yaml small.yaml", "cp stdout biopoint.yaml")
				}
			}
		}
	}
	if len(script) < 25 {
		t.Fatalf("the pages have only %d commands", len(script))
	}
	script = append(script, "exec rm -rf .pipeline", "exists scores.csv salient.svg salient run.lock biopoint.html tripod.html models results", "! exists .pipeline", "",
		"-- small.yaml --", "  series: { with: { draws: 1 } }", "  train: { with: { epochs: 2 } }")
	path := filepath.Join(t.TempDir(), "docs.txtar")
	need.NoError(t, os.WriteFile(path, []byte(strings.Join(script, "\n")), 0o666))
	testscript.Run(t, testscript.Params{Files: []string{path}, RequireExplicitExec: true})
}
