package pipelines

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/nifti"
	"prgnn/pipelines/precheck"
)

// Where a sidecar contradicts the header of its scan, a note says which of them each stage uses.
func TestWhichRepetitionTime(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { t.Helper(); testdir.Write(t, filepath.Join(dir, name), text) }
	scans := int16(0)
	image := func(shape ...int) string {
		t.Helper()
		n := 1
		for _, s := range shape {
			n *= s
		}
		var b bytes.Buffer
		grid := nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: shape, Affine: grid, TR: 2,
			Data: slices.Repeat([]int16{scans}, n)}))
		scans++ // no two are one
		return b.String()
	}
	write("participants.tsv", "participant_id\tgroup\nsub-01\tA\nsub-02\tB\n")
	write("dataset_description.json", `{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "20.2.7"}]}`)
	sidecars := func(tr string) {
		for _, s := range []string{"sub-01", "sub-02"} {
			scan := s + "/func/" + s + "_task-rest_space-T1w_desc-preproc_bold"
			write(scan+".nii", image(2, 2, 2, 3))
			write(scan+".json", fmt.Sprintf(`{"RepetitionTime": %s}`, tr))
			write(s+"/anat/"+s+"_desc-aparcaseg_dseg.nii", image(2, 2, 2))
		}
	}
	const file = "extends: biopoint.yaml\ncohort: { bids: { dir: ., confounds: false } }\n"
	for _, c := range []struct {
		name, tr, more string
		sets           []string
		want           string
	}{
		{"they agree", "2", "", nil, ""},
		{"sidecar", "2.5", "", nil, "repetition time: series uses that of the sidecar"},
		{"header", "2.5", "stages: { series: { in: { sidecar: null } } }\n", nil, "repetition time: series uses that of the header"},
		{"parameter", "2.5", "", []string{"series.tr=2.5", "clean.tr=2.5"}, "repetition time: series uses that of the parameter tr, clean uses that of the parameter tr"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sidecars(c.tr)
			p, err := build("biopoint-study.yaml", []byte(file+c.more), dir, c.sets, maxTasks)
			need.NoError(t, err)
			apart := slices.Contains(p.Notes, "the repetition times of sidecar and header differ: sub-01 (sidecar 2.5 s, header 2 s), sub-02 (sidecar 2.5 s, header 2 s)")
			if apart != (c.want != "") {
				t.Errorf("notes %q", p.Notes)
			}
			said := ""
			for _, n := range p.Notes {
				if strings.HasPrefix(n, "repetition time:") {
					said = n
				}
			}
			need.Equal(t, said, c.want, "says")
		})
	}
	t.Run("some without a sidecar", func(t *testing.T) {
		const participants = "participant_id\tgroup\nsub-01\tA\nsub-02\tB\nsub-03\tA\n"
		write("three.tsv", participants)
		const scan = "sub-03/func/sub-03_task-rest_space-T1w_desc-preproc_bold"
		sidecars("2")
		write("sub-01/func/sub-01_task-rest_space-T1w_desc-preproc_bold.json", `{"RepetitionTime": 2.5}`)
		write(scan+".nii", image(2, 2, 2, 3))
		write("sub-03/anat/sub-03_desc-aparcaseg_dseg.nii", image(2, 2, 2))
		p, err := build("biopoint-study.yaml", []byte(strings.Replace(file, "dir: .", "dir: ., file: three.tsv", 1)), dir, nil, maxTasks)
		need.NoError(t, err)
		if want := "repetition time: series uses that of the sidecar (of the header in 1 scan without a sidecar)"; !slices.Contains(p.Notes, want) {
			t.Errorf("%q lacks %s", p.Notes, want)
		}
	})
	filtered := []string{"clean.filter=butterworth", "clean.low_pass=0.08"}
	const refused = "the repetition times of sidecar and header differ: sub-01 (sidecar 2.5 s, header 2 s), sub-02 (sidecar 2.5 s, header 2 s); " +
		"stage clean: the butterworth filter uses the repetition time of the sidecar, and that is not known to be right"
	for _, c := range []struct {
		name, tr string
		sets     []string
		want     string // "": it may run
	}{
		{"a filter", "2.5", nil, refused},
		{"a filter, and they agree", "2", nil, ""},
		{"the sidecar is right", "2.5", []string{"cohort.repetition_time=sidecar"}, ""},
		{"the header is right", "2.5", []string{"cohort.repetition_time=header"}, ""},
		{"a parameter of the extraction", "2.5", []string{"series.tr=2.5"}, ""},
		{"a parameter of the filter", "2.5", []string{"clean.tr=2.5"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sidecars(c.tr)
			sets := slices.Concat(filtered, c.sets)
			p, err := build("biopoint-study.yaml", []byte(file), dir, sets, maxTasks)
			if c.want != "" {
				need.Error(t, err, c.want)
				return
			}
			need.NoError(t, err)
			if c.name == "the header is right" {
				if want := "repetition time: series uses that of the header"; !slices.Contains(p.Notes, want) {
					t.Errorf("%q lacks %s", p.Notes, want)
				}
			}
		})
	}
}

// A parameter tr stands in for headers without a repetition time, also for a filter, and contradicts none.
func TestParameterOfRepetitionTime(t *testing.T) {
	dir := t.TempDir()
	for name, tr := range map[string]float64{"a": 0.8, "b": 0} {
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{1, 1, 1, 100}, TR: tr, Data: make([]int16, 100),
			Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}}))
		testdir.Write(t, filepath.Join(dir, name+".nii"), b.String())
	}
	testdir.Write(t, filepath.Join(dir, "participants.csv"), "participant_id,gender,file\na,F,a.nii\nb,M,b.nii\n")
	testdir.Write(t, filepath.Join(dir, "labels.nii.gz"), dk84(t))
	const header = "the repetition time in its header is 0.8 s, but the parameter tr is 2 s"
	for _, c := range []struct {
		sets []string
		want map[string]string
	}{
		{nil, map[string]string{"sub-b": "series: no repetition time"}},
		{[]string{"tr=0.8"}, nil},
		{[]string{"tr=2"}, map[string]string{"sub-a": header}},
		{[]string{"clean.tr=2"}, map[string]string{"sub-a": "the repetition time of the scan is 0.8 s",
			"sub-b": "series: no repetition time"}},
	} {
		p := need.Value(build("x.yaml", []byte("extends: rest40.yaml\nvars: { data: ., labels: labels.nii.gz }\nstages:\n"+
			"  clean: { with: { regress: none, filter: butterworth, low_pass: 0.1 } }\n"), dir, c.sets, maxTasks))(t)
		why := precheck.Refused(p.Roster, p.Graph)
		need.Equal(t, len(why), len(c.want), c.sets, "refused")
		for id, want := range c.want {
			if !strings.Contains(why[id].Why, want) {
				t.Errorf("%v: %s is refused for %q, want %q", c.sets, id, why[id].Why, want)
			}
		}
	}
}

// A filter refuses series without a repetition time before a run, as its task would.
func TestSeriesWithoutRepetitionTime(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		testdir.Write(t, filepath.Join(dir, name+".tsv"), "x\ty\n"+strings.Repeat("1\t2\n2\t1\n3\t5\n", 40))
	}
	testdir.Write(t, filepath.Join(dir, "a.json"), `{"RepetitionTime": 2}`)
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), "participant_id\tgroup\na\tF\nb\tM\n")
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"clean.filter=butterworth", "clean.low_pass=0.1"}, "clean: the butterworth filter needs the repetition time, which is not known: set tr, in s"},
		{[]string{"clean.filter=butterworth", "clean.low_pass=0.1", "tr=2"}, ""},
		{nil, ""},
	} {
		p := need.Value(build("x.yaml", []byte("extends: timeseries.yaml\nvars: { data: . }\n"), dir, c.sets, maxTasks))(t)
		why := precheck.Refused(p.Roster, p.Graph)
		need.Equal(t, why["sub-b"].Why, c.want)
		need.Equal(t, why["sub-a"].Why, "")
	}
}

// A sidecar of series that contradicts itself on the repetition time is refused where a filter uses the time, and not
// where its participant is left out.
func TestSidecarAgainstItself(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)) }
	write("p.tsv", "participant_id\tgroup\na\tA\nb\tB\nc\tA\n")
	for id, frequency := range map[string]string{"a": "0.5", "b": "0.4", "c": "0.4"} {
		write(id+".tsv", "L\tR\n1\t2\n2\t1\n")
		write(id+".json", `{"RepetitionTime": 2.5, "SamplingFrequency": `+frequency+`}`)
	}
	const file = `connect: usual
cohort: { timeseries: { file: p.tsv, series: "{participant_id}.tsv" } }
stages:
  series: { use: timeseries, in: { sidecar: cohort.sidecar } }
  clean: { use: denoise, with: { filter: none } }
`
	const refused = "contradicts its RepetitionTime, which is used: sub-a (RepetitionTime 2.5 s, SamplingFrequency 0.5 Hz); " +
		"stage clean: the butterworth filter uses the repetition time of the sidecar, and that is not known to be " +
		"right: look at the scanner's protocol and correct the JSON file, or exclude these participants"
	filtered := []string{"clean.filter=butterworth", "clean.low_pass=0.08"}
	for want, sets := range map[string][][]string{refused: {filtered}, "": {nil,
		append(slices.Clone(filtered), "cohort.exclude=[sub-a]"), append(slices.Clone(filtered), "series.tr=2.5")}} {
		for _, sets := range sets {
			_, err := build("t.yaml", []byte(file), dir, sets, maxTasks)
			if want == "" {
				need.NoError(t, err)
			} else {
				need.Error(t, err, want)
			}
		}
	}
}
