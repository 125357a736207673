package stages

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
			func(c *TimeseriesCohort) { c.Session = "1" }, "SUB_ses-01_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv", ""},
		{"XCP-D 0.3", []string{"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv"}, nil, "SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv", ""},
		{"giga_connectome", []string{"SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", "SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseScrubbing5_timeseries.tsv"},
			func(c *TimeseriesCohort) { c.Desc = "denoiseSimple" }, "SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", ""},
		{"C-PAC", []string{"SUB/ses-1/func/SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D"}, nil, "SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D", ""},
		{"C-PAC, a directory a session", []string{"SUB_ses-1/func/SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D"}, nil, "SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D", ""},
		{"two atlases", []string{"SUB/func/SUB_task-rest_atlas-A_stat-mean_timeseries.tsv", "SUB/func/SUB_task-rest_atlas-B_stat-mean_timeseries.tsv"}, nil, "", "2 files of series fit, which differ in atlas (A, B): set the parameter atlas"},
		{"confounds alone", []string{"SUB/func/SUB_task-rest_desc-confounds_timeseries.tsv"}, nil, "", "it has no series of an atlas (func/…_atlas-…_timeseries.tsv or .1D)"},
		{"another atlas", []string{"SUB/func/SUB_task-rest_atlas-A_timeseries.tsv"}, func(c *TimeseriesCohort) { c.Atlas = "B" }, "", "none of its series fits; it has SUB_task-rest_atlas-A_timeseries.tsv"},
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
			kind := Cohorts()[slices.IndexFunc(Cohorts(), func(c Cohort) bool { return c.Name == "timeseries" })].New().(*TimeseriesCohort)
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
					if s.Problem == nil || !strings.Contains(s.Problem.Error(), strings.ReplaceAll(c.wrong, "SUB", s.ID)) {
						t.Errorf("problem %v, want %s", s.Problem, c.wrong)
					}
					continue
				}
				if got, want := filepath.Base(s.Files["series"]), strings.ReplaceAll(c.want, "SUB", s.ID); got != want || s.Problem != nil {
					t.Errorf("series %s, want %s (%v)", got, want, s.Problem)
				}
			}
			if names := sure(r.Nodes.Strings("name")); !slices.Equal(names, []string{"LH_Vis", "RH_Vis"}) {
				t.Errorf("nodes %q", names)
			}
		})
	}
}
