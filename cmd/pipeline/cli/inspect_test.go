package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
)

// runHere runs a command line and returns what it wrote.
func runHere(args ...string) (code int, stdout, stderr string) {
	var out, diag bytes.Buffer
	code = run(args, &out, &diag)
	return code, out.String(), diag.String()
}

// TestInspectAgreesWithNibabel compares every field of every image that nibabel 5
// reads as a NIfTI or MGH volume.
func TestInspectAgreesWithNibabel(t *testing.T) {
	dir := need.Shared(t, "data")
	b := need.Value(os.ReadFile(filepath.Join(dir, "oracle_nibabel.json")))(t)
	var oracle map[string]map[string]any
	need.NoError(t, json.Unmarshal(b, &oracle))
	seen := 0
	for name, want := range oracle {
		class, _ := want["class"].(string)
		_, fails := want["nibabel_error"]
		volume := strings.HasPrefix(class, "Nifti") || class == "MGHImage" || class == "Cifti2Image"
		code, out, diag := runHere("inspect", filepath.Join(dir, name), "--json", "--stats")
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Errorf("%s: not one JSON object: %v\n%s%s", name, err, out, diag)
			continue
		}
		if fails || !volume {
			// What is no image of ours is refused with a reason.
			if code != exit.Failed || got["error"] == "" {
				t.Errorf("%s: exit code %d, %v; want a refusal", name, code, got["error"])
			}
			continue
		}
		if code != exit.Fine {
			t.Errorf("%s: exit code %d: %s", name, code, diag)
			continue
		}
		seen++
		if class == "Cifti2Image" { // of which nibabel gives the NIfTI header it would write
			delete(want, "dim")
			delete(want, "vox_offset")
		}
		for field, w := range want {
			if g := got[field]; !agree(g, w) {
				t.Errorf("%s: %s is %v, want %v", name, field, g, w)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d images were compared", seen)
	}
}

// agree compares JSON values: numbers within 1e-12 of each other, for sums are
// taken in another order, and all else exactly.
func agree(got, want any) bool {
	switch w := want.(type) {
	case float64:
		g, ok := got.(float64)
		return ok && (g == w || math.Abs(g-w) <= 1e-12*math.Abs(w))
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !agree(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

// The variables of a file, and the lines by which a pipeline file reads them.
func TestInspectVariables(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors")
	for _, c := range []struct {
		file  string
		lines []string
	}{
		{"mat/plain/struct.mat", []string{"timeseries:\n  series: struct.mat\n  variable: out.timeseries\n  names: out.roi\n"}},
		{"mat/v73/series.mat", []string{"timeseries:\n  series: series.mat\n  variable: ts\n  names: labels\n"}},
		{"mat/conn/ROI_Subject001_Condition001.mat", []string{"timeseries:   # by CONN\n  series: ROI_Subject001_Condition001.mat\n"}},
		{"mat/plain/two_square.mat", []string{"matrices:\n  pearson: two_square.mat\n  variable: r\n",
			"matrices:\n  pearson: two_square.mat\n  variable: p\n"}},
		{"tables/npz/conn2d.npz", []string{"matrices:\n  pearson: conn2d.npz\n  variable: correlation\n  names: labels\n" +
			"  member: COLUMN   # of the table: the number of the participant in the file, from 1\n"}},
	} {
		path := filepath.Join(dir, c.file)
		code, out, diag := runHere("inspect", path, "--json")
		need.Equal(t, code, exit.Fine, c.file, diag)
		var got struct{ Lines []string }
		need.NoError(t, json.Unmarshal([]byte(out), &got))
		if !reflect.DeepEqual(got.Lines, c.lines) {
			t.Errorf("%s: lines %q, want %q", c.file, got.Lines, c.lines)
		}
		_, out, _ = runHere("inspect", path)
		if !strings.Contains(out, "in a pipeline file, under cohort:") {
			t.Errorf("%s: %s", c.file, out)
		}
	}
	code, _, diag := runHere("inspect", filepath.Join(dir, "mat/refuse/truncated.mat"))
	need.Equal(t, code, exit.Failed, diag)
}
