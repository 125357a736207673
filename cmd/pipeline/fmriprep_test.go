package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/atlas"
)

// fmriprepVersions are the fixtures, with what a user must write beside dir and group.
var fmriprepVersions = []struct{ version, write string }{
	{"20.2.7", "space: T1w"},
	{"20.2.7", "space: MNI152NLin2009cAsym"},
	{"21.0.4", ""},
	{"22.1.1", `run: "1"`},
	{"23.1.4", ""},
	{"23.2.3", ""},
	{"24.1.1", ""},
	{"25.0.0", "space: T1w"},
	{"25.0.0", "space: MNI152NLin2009cAsym"},
	{"25.1.4", ""},
	{"25.2.5", ""},
}

// short are the labels of cohort as the table of the page has them.
var short = strings.NewReplacer(
	"fMRIPrep's aparcaseg in the scan's space",
	"fMRIPrep's",
	"FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → MNI152NLin2009cAsym",
	"FreeSurfer's, by two transforms",
	"FreeSurfer's aparc+aseg.mgz, through the transform fsnative → T1w",
	"FreeSurfer's, by one transform")

// TestFMRIPrepVersions: what init writes runs on the defaults of every version of fMRIPrep: init, cohort, and run to
// the correlations. The table of docs/fmriprep.md has what was taken.
func TestFMRIPrepVersions(t *testing.T) {
	raw := need.Shared(t, "fixtures", "fmriprep", "raw")
	participants := need.Value(os.ReadFile(filepath.Join(raw, "participants.tsv")))(t)
	table := []string{"| fMRIPrep | written beside `dir` and `group` | space | labels |", "| --- | --- | --- | --- |"}
	rows := make([]string, len(fmriprepVersions))
	t.Run("versions", func(t *testing.T) {
		for i, v := range fmriprepVersions {
			t.Run(v.version, func(t *testing.T) {
				t.Parallel()
				s := &study{t: t, dir: t.TempDir()}
				s.home = s.dir
				at, fixture := filepath.Join(s.dir, "derivatives"), need.Shared(t, "fixtures", "fmriprep",
					"fmriprep-"+v.version)
				if _, err := os.Stat(filepath.Join(fixture, "fmriprep")); err != nil { // not the legacy layout
					need.NoError(t, os.Mkdir(at, 0o755))
					at = filepath.Join(at, "fmriprep")
				}
				if err := os.Symlink(fixture, at); err != nil {
					t.Skip(err)
				}
				testdir.Write(t, filepath.Join(s.dir, "participants.tsv"), strings.Replace(string(participants),
					"diagnosis", "group", 1))

				s.pipeline(0, "init")
				file := filepath.Join(s.dir, "biopoint.yaml")
				b := need.Value(os.ReadFile(file))(t)
				text := string(b)
				if v.write != "" {
					before := s.bids(file, text)
					if !strings.Contains(before, strings.SplitN(v.write, ":", 2)[0]) {
						t.Errorf("%s: the message does not say to write %s:\n%s", v.version, v.write, before)
					}
					at := strings.Index(text, "  bids: {")
					text = text[:at] + strings.Replace(text[at:], " }", ", "+v.write+" }", 1)
				}
				testdir.Write(t, file, text)
				space, labels := "", ""
				for line := range strings.Lines(s.pipeline(0, "cohort", "biopoint.yaml", "--json")) {
					var e struct {
						Participant, State string
						Scans              []struct{ Space, Labels string }
					}
					if json.Unmarshal([]byte(line), &e) == nil && e.State == "included" && len(e.Scans) == 1 {
						space, labels = e.Scans[0].Space, e.Scans[0].Labels
					}
				}
				// The labels of the fixtures are FreeSurfer's at made-up places.
				nodes := "id\tname\n"
				for _, n := range atlas.DK84() {
					nodes += fmt.Sprintf("%d\tmade-up %d\n", n.ID, n.ID)
				}
				testdir.Write(t, filepath.Join(s.dir, "nodes.tsv"), nodes)
				s.pipeline(0, "run", "biopoint.yaml", "--until", "connectivity", "--set", "cohort.incomplete=skip",
					"--set", "cohort.nodes=nodes.tsv")
				wrote := ""
				if v.write != "" {
					wrote = "`" + v.write + "`"
				}
				rows[i] = fmt.Sprintf("| %s | %s | %s | %s |", v.version, wrote, space, short.Replace(labels))
			})
		}
	})
	table = append(table, rows...)
	docs := need.Value(os.ReadFile(filepath.Join("..", "..", "docs", "fmriprep.md")))(t)
	if want := strings.Join(table, "\n") + "\n"; !strings.Contains(strings.ReplaceAll(string(docs), "\r\n", "\n"),
		want) {
		t.Errorf("docs/fmriprep.md lacks the table\n%s", want)
	}
}

// bids is the message of cohort about a file as init wrote it.
func (s *study) bids(file, text string) string {
	s.t.Helper()
	testdir.Write(s.t, file, text)
	said, code := s.run("cohort", "biopoint.yaml")
	if code == 0 {
		s.t.Fatalf("taken without a word:\n%s", said)
	}
	return said
}
