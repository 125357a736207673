package bidsapp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/regular"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
)

// The pipeline file of OUTPUT_DIR, and how it begins.
const (
	recordName = "prgnn.yaml"
	recordHead = `# What pipeline bids-app runs. To run it by hand, set the path of the data:
#   pipeline run prgnn.yaml --set cohort.dir=DERIVATIVES
`
)

// cohortSets are settings of the cohort as --set.
func cohortSets(settings map[string]setting) []string {
	var sets []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		sets = append(sets, "cohort."+name+"="+settings[name].String())
	}
	return sets
}

// whole is a pipeline file with what it extends and what --set sets.
func (b *App) whole(text string) (string, error) {
	dir, err := os.MkdirTemp("", "prgnn")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, recordName)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return "", err
	}
	return printed(path, b.Sets)
}

// printed is the text of OUTPUT_DIR/prgnn.yaml for a pipeline file.
func printed(file string, sets []string) (string, error) {
	text, err := layer.Print(file, sets, true)
	return recordHead + text, err
}

// Load loads the pipeline file, which need not be written yet.
func (s *Study) Load(sets []string) (*pipelines.Pipeline, error) {
	if s.own {
		return pipelines.LoadText(s.File, s.text, filepath.Dir(s.File), sets)
	}
	return pipelines.Load(s.File, sets)
}

// Record writes what is run to OUTPUT_DIR/prgnn.yaml. Other settings than those of an earlier call are refused,
// unless they are asked for: one dataset would hold results of both. It comes after everything that can be wrong
// with a call, for other jobs may read the file from then on.
func (b *App) Record(s *Study) error {
	path := filepath.Join(b.Out, recordName)
	old, err := regular.ReadFile(path)
	switch {
	case err == nil && string(old) == s.text:
		return nil
	case err == nil && !strings.HasPrefix(string(old), recordHead):
		return fmt.Errorf("%s is not a file of this program: move it away, or name another OUTPUT_DIR", path)
	case err == nil && !b.change:
		return fmt.Errorf("%s was made with other settings:\n%s  use the same settings, name another OUTPUT_DIR, or add --change-settings", b.Out, difference(string(old), s.text))
	}
	if err := os.MkdirAll(b.Out, 0o777); err != nil {
		return fmt.Errorf("OUTPUT_DIR: %w", err)
	}
	return new(console.Console).WriteFile(path, console.Content([]byte(s.text))) // no other command may write over it
}

// difference lists the settings in which two pipeline files differ.
func difference(before, now string) string {
	const most = 10
	there, here := settingsOf(before), settingsOf(now)
	names := slices.Collect(maps.Keys(there))
	names = append(names, slices.Collect(maps.Keys(here))...)
	slices.Sort(names)
	var lines []string
	for _, name := range slices.Compact(names) {
		if there[name] != here[name] {
			lines = append(lines, fmt.Sprintf("  %s: %s there, %s now\n", name, cmp.Or(there[name], "not set"), cmp.Or(here[name], "not set")))
		}
	}
	if n := len(lines) - most; n > 0 {
		lines = append(lines[:most], fmt.Sprintf("  … and %d more\n", n))
	}
	return strings.Join(lines, "")
}

// settingsOf are the values of a pipeline file by their path.
func settingsOf(text string) map[string]string {
	out := map[string]string{}
	var add func(path string, v any)
	add = func(path string, v any) {
		if m, ok := v.(map[string]any); ok {
			for name, value := range m {
				add(path+"."+name, value)
			}
			return
		}
		b, _ := json.Marshal(v) // of what YAML gives, it cannot fail but for a key that is no text
		out[strings.TrimPrefix(path, ".")] = string(b)
	}
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return map[string]string{"file": "unreadable"}
	}
	add("", v)
	return out
}
