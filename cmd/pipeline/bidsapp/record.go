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
)

// recordHead begins OUTPUT_DIR/prgnn.yaml.
const recordHead = `# What pipeline bids-app runs. To run it by hand, set the path of the data:
#   pipeline run prgnn.yaml --set cohort.dir=DERIVATIVES
`

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
	path := filepath.Join(dir, "prgnn.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return "", err
	}
	return pipelines.Print(path, b.Sets, true)
}

// record writes what is run to OUTPUT_DIR/prgnn.yaml. Other settings than those of an earlier call are refused,
// unless they are asked for: one dataset would hold results of both.
func (b *App) record(s *Study, text string) error {
	text = recordHead + text
	old, err := regular.ReadFile(s.record)
	switch {
	case err == nil && string(old) == text:
		s.record = ""
		return nil
	case err == nil && !b.change:
		return fmt.Errorf("%s was made with other settings:\n%s  use the same settings, name another OUTPUT_DIR, or add --change-settings", b.Out, difference(string(old), text))
	}
	s.before = string(old)
	return write(s.record, text)
}

// Undo takes back what a call has written that cannot be run.
func (s *Study) Undo() error {
	switch {
	case s.record == "":
		return nil
	case s.before == "":
		return os.Remove(s.record)
	}
	return write(s.record, s.before)
}

// write writes the pipeline file of OUTPUT_DIR, which no command may write over but this one.
func write(path, text string) error { return new(console.Console).WriteBytes(path, []byte(text)) }

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
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
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
