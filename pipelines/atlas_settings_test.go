package pipelines

import (
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// The parameters that a report shows name the atlas of the labels, and its image by name and SHA-256; no place.
func TestSettingsNameTheAtlas(t *testing.T) {
	root := filepath.ToSlash(need.Shared(t, "fixtures", "fmriprep"))
	text := `
cohort: { bids: { dir: "` + root + `/fmriprep-25.1.4", raw: "` + root + `/raw", group: diagnosis,
    labels: { atlas: Mini, dir: "` + root + `/atlas-bep038" } } }
stages:
  report: { use: report, in: { settings: pipeline.settings } }
`
	p := need.Value(build("atlas.yaml", []byte(text), ".", nil, maxTasks))(t)
	settings := outputOf(t, p.Graph, "pipeline", "settings")
	parameter, _ := settings.Strings("parameter")
	values := need.Value(encoding.ListsOf[string](settings, "value"))(t)
	got := map[string]string{}
	for i := range parameter {
		value := strings.Join(values[i], ", ")
		got[parameter[i]] = value
		if strings.Contains(value, root) {
			t.Errorf("%s names a place: %s", parameter[i], value)
		}
	}
	if got["labels.atlas"] != "Mini" || got["labels.file"] != "tpl-MNI152NLin2009cAsym_atlas-Mini_res-02_dseg.nii.gz" ||
		len(got["labels.sha256"]) != 64 {
		t.Errorf("atlas %q, file %q, SHA-256 %q", got["labels.atlas"], got["labels.file"], got["labels.sha256"])
	}
}
