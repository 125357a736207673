package extract

import (
	"fmt"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// What a stage refuses by the headers of its files before a run is what its task fails with.
func TestRefusesHeaders(t *testing.T) {
	one := func(i, j, k int) int32 { return int32(1 + i%2) }
	scan, labels := boldCube(t, 4, 0, 8), imageInput(t, "dseg.nii.gz", cube(4, 0, one))
	image, far := imageInput(t, "image.nii.gz", cube(4, 0, one)), imageInput(t, "far.nii.gz", cube(4, 90, one))
	text := func(name, text string) dag.Input {
		in := dag.InputOf(artifacts.Bytes{Kind: "json", Data: []byte(text)})
		in.Name = name
		return in
	}
	moves := func(volumes int) dag.Input {
		all := "#Insight Transform File V1.0\n"
		for v := range volumes {
			all += fmt.Sprintf("#Transform %d\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\n"+
				"FixedParameters: 0 0 0\n", v)
		}
		return text("hmc.txt", all)
	}
	series := text("series.csv", "n1,n2\n1,2\n2,1\n3,5\n")
	parcellate := &Parcellate{Labels: "auto", Missing: "fail"}
	for _, c := range []struct {
		work  dag.Stage
		files map[string]dag.Input
		want  string // "" for none
	}{
		{parcellate, map[string]dag.Input{"bold": scan, "labels": labels}, ""},
		{parcellate, map[string]dag.Input{"bold": scan, "labels": far},
			"the labels have the shape of the scan, but another affine"},
		{parcellate, map[string]dag.Input{"bold": image, "labels": labels}, "image.nii.gz"},
		{parcellate, map[string]dag.Input{"bold": scan, "labels": labels, "mask": far},
			"far.nii.gz: the brain mask is on"},
		{parcellate, map[string]dag.Input{"bold": scan, "labels": labels, "within": far},
			"far.nii.gz: the brain mask is on"},
		{parcellate, map[string]dag.Input{"bold": scan, "labels": labels, "reference": image}, ""},
		{parcellate, map[string]dag.Input{"bold": scan, "labels": labels, "reference": far},
			"is not that of its reference far.nii.gz"},
		{&MeanVolume{}, map[string]dag.Input{"bold": scan}, ""},
		{&MeanVolume{}, map[string]dag.Input{"bold": image}, "image.nii.gz"},
		{&Timeseries{}, map[string]dag.Input{"series": series, "sidecar": text("s.json", `{"RepetitionTime": 2}`)}, ""},
		{&Timeseries{}, map[string]dag.Input{"series": series, "sidecar": text("s.json", `{"RepetitionTime": 2000}`)}, "s.json"},
		{&Timeseries{TR: 1}, map[string]dag.Input{"series": series, "sidecar": text("s.json", `{"RepetitionTime": 2}`)},
			"s.json: its repetition time is 2 s, but the parameter tr is 1 s"},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "sidecar": text("s.json", `{"RepetitionTime": 2000}`)}, "s.json"},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "sidecar": text("s.json", `{"RepetitionTime": 2}`)}, ""},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "realignment": moves(8)}, ""},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "realignment": moves(7)},
			"8 volumes, but 7 transforms of head motion; the transforms belong to another run"},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "realignment": text("hmc.txt", "x")}, "hmc.txt: not a transform"},
		{&Bootstrap{Draws: 1}, map[string]dag.Input{"bold": scan, "realignment": moves(8), "fieldmap": image,
			"sidecar": text("s.json", `{"RepetitionTime": 2}`)}, `s.json: PhaseEncodingDirection is ""`},
	} {
		err := c.work.(interface {
			RefusesHeaders(map[string]dag.Input) error
		}).RefusesHeaders(c.files)
		if c.want == "" {
			need.NoError(t, err, c.files)
			continue
		}
		need.Error(t, err, c.want)
		if _, ok := c.work.(*MeanVolume); !ok {
			c.files["nodes"] = stagetest.Nodes(1, 2)
		}
		if _, ok := c.work.(*Bootstrap); ok {
			out := need.Value(stagetest.RunWith(parcellate, map[string]dag.Input{
				"bold": scan, "labels": labels, "nodes": c.files["nodes"]}))(t)
			c.files["parcels"] = dag.InputOf(out["parcels"])
		}
		if _, failed := stagetest.RunWith(c.work, c.files); failed == nil || failed.Error() != err.Error() {
			t.Errorf("before a run: %v; the task: %v", err, failed)
		}
	}
}
