package bidsapp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The command line is that of other BIDS Apps: a flag may have several labels, _ is -, and
// prgnn is the App unless a command's name comes first.
func TestArgs(t *testing.T) {
	for _, c := range []struct{ program, line, want string }{
		{"prgnn", "/in /out participant", "bids-app /in /out participant"},
		{"/usr/bin/prgnn.exe", "--help", "bids-app --help"},
		{"prgnn", "run x.yaml", "run x.yaml"},
		{"prgnn", "help", "help"},
		{"prgnn", "", "bids-app"},
		{"pipeline", "/in /out participant", "/in /out participant"},
		{"pipeline", "bids-app i o group --participant_label 01 sub-02 -w W", "bids-app i o group --participant-label=01 --participant-label=sub-02 -w W"},
		{"pipeline", "bids-app -t rest -- i o group", "bids-app --task-id=rest -- i o group"},
		{"pipeline", "bids-app i o group --participant-label=01", "bids-app i o group --participant-label=01"},
		{"pipeline", "bids-app i o group --session-label", "bids-app i o group --session-label"},
		{"pipeline", "cohort --participant_label 01 02", "cohort --participant_label 01 02"},
	} {
		need.Equal(t, strings.Join(Args(c.program, strings.Fields(c.line), func(word string) bool {
			return word == "run" ||
				word == "help"
		}), " "), c.want, c.program, c.line)
	}
}

// The derivatives are those in the directory, before those beside it; what lies beside a
// directory that is no dataset is not its own.
func TestDerivativesOf(t *testing.T) {
	above := t.TempDir()
	describe := func(dir, text string) {
		t.Helper()
		at := filepath.Join(above, dir)
		need.NoError(t, os.MkdirAll(at, 0o777))
		need.NoError(t, os.WriteFile(filepath.Join(at, "dataset_description.json"), []byte(text), 0o666))
	}
	const derived = `{"DatasetType": "derivative", "GeneratedBy": [{"Name": "fMRIPrep"}]}`
	describe("legacy/fmriprep", derived)
	describe("other", derived)
	describe("raw", `{}`)
	describe("inside", `{}`)
	describe("inside/derivatives/a", derived)
	need.NoError(t, os.Mkdir(filepath.Join(above, "empty"), 0o777))
	for in, want := range map[string]string{"legacy": "legacy/fmriprep", "raw": "other", "inside": "inside/derivatives/a", "empty": ""} {
		got, err := derivativesOf(filepath.Join(above, in))
		if want == "" {
			if err == nil {
				t.Errorf("%s: %s", in, got)
			}
		} else if err != nil || got != filepath.Join(above, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}

	// One that cannot be listed is reported: it may hold them.
	loop := filepath.Join(above, "empty", "derivatives")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	_, err := derivativesOf(filepath.Join(above, "empty"))
	need.Error(t, err, "name them by -d DIR; "+loop+": ")
}
