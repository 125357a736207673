package bids

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// tree makes the files of a list, empty, and returns their directory.
func tree(t testing.TB, list string) string {
	t.Helper()
	b := need.Value(os.ReadFile(filepath.Join("testdata", list)))(t)
	dir := t.TempDir()
	for _, name := range strings.Fields(string(b)) {
		testdir.Write(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	return dir
}

func TestParse(t *testing.T) {
	n, ok := Parse("sub-01_ses-a_task-rest_run-01_space-MNI152NLin2009cAsym_res-2_desc-preproc_bold.nii.gz")
	if !ok || n.Suffix != "bold" || n.Extension != ".nii.gz" || len(n.Entities) != 7 || n.Get("ses") != "a" ||
		n.Get("space") != "MNI152NLin2009cAsym" || n.Get("echo") != "" {
		t.Errorf("%+v, %v", n, ok)
	}
	for _, bad := range []string{"", "README", "sub-01", "task-rest_bold.json", "sub-01_bold-x_", "sub-01__bold.nii",
		"sub-_bold.nii", "sub-01_-x_bold.nii", "bold.nii.gz", "sub-01_bold_x.nii"} {
		if n, ok := Parse(bad); ok {
			t.Errorf("%q is %+v", bad, n)
		}
	}
	if !Same("1", "01") || !Same("a", "a") || Same("1", "10") || Same("a", "") || Same("", "0") {
		t.Error("Same")
	}
}

// Every line of fMRIPrep's lists is a name, and none is lost.
func TestFiles(t *testing.T) {
	for _, list := range []string{"legacy.txt", "ds054.txt", "ds005.txt", "ds210.txt"} {
		dir := tree(t, list)
		subjects, err := Subjects(dir)
		if err != nil || len(subjects) != 1 {
			t.Fatalf("%s: %v, error %v", list, subjects, err)
		}
		files, err := Files(dir, subjects[0])
		need.NoError(t, err)
		var got []string
		for _, f := range files {
			rel, _ := filepath.Rel(dir, f.Path)
			got = append(got, filepath.ToSlash(rel))
		}
		b, _ := os.ReadFile(filepath.Join("testdata", list))
		want := strings.Fields(string(b))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d files, want %d", list, len(got), len(want))
		}
	}
}

func TestFind(t *testing.T) {
	dir := tree(t, "legacy.txt")
	if got, err := Find(dir); err != nil || got != dir {
		t.Errorf("%s, error %v", got, err)
	}
	up := t.TempDir()
	need.NoError(t, os.Rename(dir, filepath.Join(up, "fmriprep")))
	if got, err := Find(up); err != nil || got != filepath.Join(up, "fmriprep") {
		t.Errorf("%s, error %v", got, err)
	}
	if _, err := Find(filepath.Join(up, "absent")); err == nil || !strings.HasSuffix(err.Error(), "absent: no such directory") {
		t.Errorf("error %v", err)
	}
	if _, err := Find(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no participants (directories sub-…)") {
		t.Errorf("error %v", err)
	}
}

// Sidecars are inherited: the nearest directory first, there the most entities.
func TestSidecar(t *testing.T) {
	dir := t.TempDir()
	bold := filepath.Join(dir, "sub-01", "func", "sub-01_task-rest_run-1_desc-preproc_bold.nii.gz")
	testdir.Write(t, bold, "")
	files, err := Files(dir, "sub-01")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	check := func(want string) {
		t.Helper()
		got := need.Value((&Sidecars{Root: dir}).Of(files[0], "RepetitionTime"))(t)
		if rel, _ := filepath.Rel(dir, got); got == "" && want != "" || got != "" && filepath.ToSlash(rel) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("")
	testdir.Write(t, filepath.Join(dir, "task-other_bold.json"), `{"RepetitionTime": 9}`)
	testdir.Write(t, filepath.Join(dir, "rest.json"), `{"RepetitionTime": 9}`)
	check("")
	testdir.Write(t, filepath.Join(dir, "bold.json"), `{"RepetitionTime": 1}`)
	check("bold.json")
	testdir.Write(t, filepath.Join(dir, "task-rest_bold.json"), `{"RepetitionTime": 2}`)
	check("task-rest_bold.json")
	testdir.Write(t, filepath.Join(dir, "sub-01", "sub-01_task-rest_bold.json"), `{"RepetitionTime": 3}`)
	check("sub-01/sub-01_task-rest_bold.json")
	testdir.Write(t, filepath.Join(dir, "sub-01", "func", "sub-01_task-rest_run-1_desc-preproc_bold.json"), `{"TaskName": "rest"}`)
	check("sub-01/sub-01_task-rest_bold.json")
	testdir.Write(t, filepath.Join(dir, "sub-01", "func", "sub-01_task-rest_run-1_desc-preproc_bold.json"), `{"RepetitionTime": 4}`)
	check("sub-01/func/sub-01_task-rest_run-1_desc-preproc_bold.json")
}

func TestGeneratedBy(t *testing.T) {
	for text, want := range map[string]string{
		`{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "25.2.0"}]}`:      "fMRIPrep 25.2.0",
		`{"PipelineDescription": {"Name": "fMRIPrep", "Version": "1.5.0"}}`: "fMRIPrep 1.5.0",
		`{"GeneratedBy": []}`: "", `{`: "",
	} {
		dir := t.TempDir()
		testdir.Write(t, filepath.Join(dir, "dataset_description.json"), text)
		need.Equal(t, GeneratedBy(dir), want, text)
	}
	need.Equal(t, GeneratedBy(t.TempDir()), "", "without a description")
}

// A JSON file beyond the limit is refused, and one of that size is read.
func TestLongestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bold.json")
	testdir.Write(t, path, "{}")
	for size, fits := range map[int64]bool{LongestJSON: true, LongestJSON + 1: false, 1 << 40: false} {
		if err := os.Truncate(path, size); err != nil {
			t.Logf("no file of %d bytes: %v", size, err)
			continue
		}
		b, err := ReadJSON(path)
		if fits != (err == nil) || fits && int64(len(b)) != size || err != nil && !strings.HasSuffix(err.Error(), "bold.json: more than the limit of 16 MiB for a JSON file") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
