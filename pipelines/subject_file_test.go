package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// A file of each participant that has the id of the table, without sub-, is no file of ${subject}; the error states
// why.
func TestFilesWithoutPrefix(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "sim001.tsv"), nil, 0o600))
	text := `
cohort: { simulate: { asd: 3, hc: 3, volumes: 60, grid: 9 } }
stages:
  series: { use: timeseries, each: subject, in: { series: { file: "${subject}.tsv" } }, with: { tr: 2 } }
`
	_, err := build("x.yaml", []byte(text), dir, nil, maxTasks)
	if want := "; sim001.tsv is there, but ${subject} is sub-sim001, with sub- before the id of the table: rename the files"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	need.NoError(t, os.Remove(filepath.Join(dir, "sim001.tsv")))
	if _, err := build("x.yaml", []byte(text), dir, nil, maxTasks); err == nil ||
		strings.Contains(err.Error(), "is there, but") {
		t.Errorf("error %v", err)
	}
}
