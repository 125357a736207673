package export

import (
	"os"
	"path/filepath"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

// A dataset is linked by the way to it within a dataset around both, else by its DOI, else by the digest of its
// description; never by a way through directories of this machine.
func TestLinksOfDatasets(t *testing.T) {
	dir := t.TempDir()
	const named = `{"Name": "fMRIPrep", "DatasetType": "derivative", "GeneratedBy": [{"Name": "fMRIPrep"}]}`
	for path, text := range map[string]string{
		"study": `{"Name": "study"}`, "study/derivatives/fmriprep": named, "elsewhere": named,
		"published": `{"Name": "p", "DatasetDOI": "https://doi.org/10.18112/openneuro.ds000001.v1"}`, "short": `{"Name": "s", "DatasetDOI": "doi:10.1/x"}`,
	} {
		file := filepath.Join(dir, path, "dataset_description.json")
		need.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		need.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	digest := "urn:sha256:" + artifacts.DigestOf([]byte(named)).String()
	for _, c := range []struct{ out, source, want string }{
		{"study/derivatives/prgnn", "study/derivatives/fmriprep", "../fmriprep"},
		{"study/derivatives/prgnn", "study", "../.."},
		{"study/derivatives/prgnn", "elsewhere", digest},
		{"results/prgnn", "study/derivatives/fmriprep", digest},
		{"results/prgnn", "published", "doi:10.18112/openneuro.ds000001.v1"},
		{"results/prgnn", "short", "doi:10.1/x"},
	} {
		need.Equal(t, newBIDSLinks(filepath.Join(dir, c.out)).link(filepath.Join(dir, c.source)), c.want, c.out,
			c.source)
	}
}
