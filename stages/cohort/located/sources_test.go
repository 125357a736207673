package located

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// A sidecar that states a file of another participant as its source is refused; one of all participants, a template and
// other forms of the field are not.
func TestOtherSources(t *testing.T) {
	dir := t.TempDir()
	sidecars := map[string][]string{}
	for i, text := range []string{
		`{"Sources": ["bids::sub-01/func/sub-01_task-rest_bold.nii.gz", "bids:tpl:tpl-MNI152/tpl-MNI152_T1w.nii.gz"]}`,
		`{"RawSources": ["sub-05/func/sub-05_bold.nii.gz"]}`,
		`{"Sources": "bids::sub-03/func/sub-03_bold.nii.gz"}`,
		`{"Sources": {"bold": 1}}`,
		`{"RepetitionTime": 2}`,
		`{"Sources": ["bids::sub-02/func/sub-02_task-rest_bold.nii.gz"]}`,
		`{`,
	} {
		id := fmt.Sprintf("sub-%02d", i+1)
		path := filepath.Join(dir, id+".json")
		need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		sidecars[path] = []string{id, id} // of two runs
	}
	all := filepath.Join(dir, "task-rest_bold.json")
	need.NoError(t, os.WriteFile(all, []byte(`{"Sources": ["bids::sub-01/func/sub-01_task-rest_bold.nii.gz"]}`), 0o666))
	sidecars[all] = []string{"sub-01", "sub-02"}
	sidecars[""] = []string{"sub-01"}
	got := OtherSources(sidecars)
	need.Equal(t, len(got), 2, fmt.Sprint(got))
	need.Error(t, got["sub-02"], "has the id of sub-05") // whose own states none
	need.Error(t, got["sub-06"], "sub-06.json states as a source the file bids::sub-02/func/sub-02_task-rest_bold.nii.gz, which has the id of sub-02, and not its own")
}
