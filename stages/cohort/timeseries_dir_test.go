package cohort

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/stagetest"
)

// The sidecar of a file of series lies beside it, or above and for all; where one is
// missing, nobody has it, and it is said.
func TestTimeseriesSidecar(t *testing.T) {
	load := func(kind *TimeseriesCohort, d dataset) *Roster {
		r, err := kind.Load(d.dir)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const series = "sub-0%/func/sub-0%_task-rest_atlas-A_stat-mean_timeseries"
	name := func(who, ext string) string { return strings.ReplaceAll(series, "%", who) + ext }
	for _, c := range []struct {
		files map[string]string
		want  []string // the sidecars of sub-01 and sub-02
		note  string
	}{
		{map[string]string{name("1", ".json"): `{"RepetitionTime": 2}`,
			name("2", ".json"): `{"SamplingFrequency": 0.5}`}, []string{name("1", ".json"), name("2", ".json")}, ""},
		{map[string]string{"task-rest_timeseries.json": `{"RepetitionTime": 2}`}, []string{"task-rest_timeseries.json", "task-rest_timeseries.json"}, ""},
		{map[string]string{"task-rest_timeseries.json": `{"Sources": []}`}, []string{"", ""}, ""},
		{map[string]string{name("1", ".json"): `{"RepetitionTime": 2}`}, []string{"", ""}, "no cohort.sidecar: for 1 of 2 time series files, no JSON file gives the RepetitionTime"},
	} {
		for _, how := range []string{"dir", "table"} {
			d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n")
			d.write(name("1", ".tsv"), "L\tR\n1\t2\n")
			d.write(name("2", ".tsv"), "L\tR\n1\t2\n")
			for f, text := range c.files {
				d.write(f, text)
			}
			kind := &TimeseriesCohort{listed: defaultListed()}
			if how == "dir" {
				kind.Dir = "."
			} else {
				kind.File, kind.Series = "participants.tsv", "{participant_id}/func/{participant_id}_task-rest_atlas-A_stat-mean_timeseries.tsv"
			}
			if _, above := c.files["task-rest_timeseries.json"]; above && how == "table" {
				continue // a table follows no rules of inheritance
			}
			r := load(kind, d)
			for i, s := range r.Subjects {
				want := c.want[i]
				if want != "" {
					want = filepath.Join(d.dir, want)
				}
				if got := s.Files["sidecar"]; got != want {
					t.Errorf("%s, %v: %s has the sidecar %q, want %q", how, c.files, s.ID, got, want)
				}
			}
			if _, port := r.Files["sidecar"]; port != (c.want[0] != "") {
				t.Errorf("%s, %v: port %v", how, c.files, port)
			}
			if c.note != "" && !slices.Contains(r.Notes, c.note) {
				t.Errorf("%s: notes %q, want %q", how, r.Notes, c.note)
			}
		}
	}
}

// Series are found under the names that XCP-D, giga_connectome and C-PAC give them.
func TestTimeseriesDialects(t *testing.T) {
	const two = "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n"
	const text = "LH_Vis\tRH_Vis\n1\t2\n3\tn/a\n2\t5\n"
	for _, c := range []struct {
		name   string
		files  []string // SUB stands for the participant
		change func(*TimeseriesCohort)
		want   string
		wrong  string
	}{
		{"XCP-D 26", []string{
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-mean_timeseries.tsv",
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Tian_stat-mean_timeseries.tsv",
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-coverage_bold.tsv",
			"SUB/func/SUB_task-rest_desc-abcc_qc.tsv", "SUB/func/SUB_task-rest_motion.tsv",
		}, func(c *TimeseriesCohort) { c.Atlas = "schaefer100" }, "SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-mean_timeseries.tsv", ""},
		{"XCP-D 0.7", []string{"SUB/ses-01/func/SUB_ses-01_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv", "SUB/ses-02/func/SUB_ses-02_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv"},
			func(c *TimeseriesCohort) { c.Session = []string{"1"} }, "SUB_ses-01_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv", ""},
		{"XCP-D 0.3", []string{"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv"}, nil, "SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv", ""},
		{"giga_connectome", []string{"SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", "SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseScrubbing5_timeseries.tsv"},
			func(c *TimeseriesCohort) { c.Desc = "denoiseSimple" }, "SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", ""},
		{"C-PAC", []string{"SUB/ses-1/func/SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D"}, nil, "SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D", ""},
		{"C-PAC, a directory a session", []string{"SUB_ses-1/func/SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D"}, nil, "SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D", ""},
		{"two atlases", []string{"SUB/func/SUB_task-rest_atlas-A_stat-mean_timeseries.tsv", "SUB/func/SUB_task-rest_atlas-B_stat-mean_timeseries.tsv"}, nil, "", "2 time series files match; they differ in atlas (A, B): set the parameter atlas"},
		{"confounds alone", []string{"SUB/func/SUB_task-rest_desc-confounds_timeseries.tsv"}, nil, "", "it has no time series of an atlas (func/…_atlas-…_timeseries.tsv or .1D)"},
		{"another atlas", []string{"SUB/func/SUB_task-rest_atlas-A_timeseries.tsv"}, func(c *TimeseriesCohort) { c.Atlas = "B" }, "", "none of its time series matches; it has SUB_task-rest_atlas-A_timeseries.tsv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, two)
			for _, f := range c.files {
				for _, sub := range []string{"sub-01", "sub-02"} {
					d.write(strings.ReplaceAll(f, "SUB", sub), text)
				}
			}
			if c.wrong != "" { // so that the names of the regions can be read somewhere
				d.write("nodes.tsv", "index\tname\n1\tLH_Vis\n2\tRH_Vis\n")
			}
			kind := Sources[slices.IndexFunc(Sources,
				func(c Source) bool { return c.Name == "timeseries" })].New().(*TimeseriesCohort)
			kind.Dir = "."
			if c.wrong != "" {
				kind.Nodes = filepath.Join(d.dir, "nodes.tsv")
			}
			if c.change != nil {
				c.change(kind)
			}
			r, err := kind.Load(d.dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Subjects {
				if c.wrong != "" {
					if s.Problem == nil ||
						!strings.Contains(s.Problem.Error(), strings.ReplaceAll(c.wrong, "SUB", s.ID)) {
						t.Errorf("problem %v, want %s", s.Problem, c.wrong)
					}
					continue
				}
				if got, want := filepath.Base(s.Files["series"]),
					strings.ReplaceAll(c.want, "SUB", s.ID); got != want || s.Problem != nil {
					t.Errorf("series %s, want %s (%v)", got, want, s.Problem)
				}
			}
			if names := stagetest.Sure(r.Nodes.Strings("name")); !slices.Equal(names, []string{"LH_Vis", "RH_Vis"}) {
				t.Errorf("nodes %q", names)
			}
		})
	}
}
