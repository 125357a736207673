package cohort

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
)

// The events of a scan are those of its own task, session and run, nearest to where the raw scan lies; a table that
// names another of them, or an entity that the scan has not, is another scan's.
func TestBIDSEvents(t *testing.T) {
	const table = "onset\tduration\ttrial_type\n1\t2\tgo\n"
	for _, c := range []struct {
		name   string
		files  []string
		change func(*BIDSCohort)
		want   string
	}{
		{"beside the raw scan", []string{"sourcedata/raw/sub-01/ses-a/func/sub-01_ses-a_task-go_run-1_events.tsv", "sourcedata/raw/task-go_events.tsv"}, nil, "sourcedata/raw/sub-01/ses-a/func/sub-01_ses-a_task-go_run-1_events.tsv"},
		{"another run", []string{"sourcedata/raw/sub-01/ses-a/func/sub-01_ses-a_task-go_run-2_events.tsv", "sourcedata/raw/sub-01/ses-b/func/sub-01_ses-b_task-go_run-1_events.tsv"}, nil, ""},
		{"another task", []string{"sourcedata/raw/sub-01/ses-a/func/sub-01_ses-a_task-nogo_run-1_events.tsv"}, nil, ""},
		{"another entity", []string{"sourcedata/raw/sub-01/ses-a/func/sub-01_ses-a_task-go_acq-fast_run-1_events.tsv"}, nil, ""},
		{"one for everybody", []string{"sourcedata/raw/task-go_events.tsv", "sourcedata/raw/task-nogo_events.tsv"}, nil, "sourcedata/raw/task-go_events.tsv"},
		{"the most entities", []string{"sourcedata/raw/sub-01/sub-01_task-go_events.tsv", "sourcedata/raw/sub-01/sub-01_task-go_run-01_events.tsv"}, nil, "sourcedata/raw/sub-01/sub-01_task-go_run-01_events.tsv"},
		{"a named directory", []string{"sourcedata/raw/task-go_events.tsv", "mine/sub-01/ses-a/func/sub-01_ses-a_task-go_run-1_events.tsv"}, func(c *BIDSCohort) { c.Events = "mine" }, "mine/sub-01/ses-a/func/sub-01_ses-a_task-go_run-1_events.tsv"},
		{"none in a named directory", []string{"sourcedata/raw/task-go_events.tsv", "mine/README"}, func(c *BIDSCohort) { c.Events = "mine" }, ""},
		{"of the raw dataset that is named", []string{"sourcedata/raw/task-go_events.tsv", "other/task-go_events.tsv", "other/participants.tsv"}, func(c *BIDSCohort) { c.Raw = "other" }, "other/task-go_events.tsv"},
	} {
		d := newDataset(t, onePerson)
		d.write("sub-01/ses-a/func/sub-01_ses-a_task-go_run-1_space-T1w_desc-preproc_bold.nii.gz", "")
		d.write("sub-01/ses-a/anat/sub-01_ses-a_desc-aparcaseg_dseg.nii.gz", "")
		for _, f := range c.files {
			text := table
			if filepath.Base(f) == "participants.tsv" {
				text = onePerson
			}
			d.write(f, text)
		}
		r, err := d.load(func(b *BIDSCohort) {
			if b.Confounds = false; c.change != nil {
				c.change(b)
			}
		})
		need.NoError(t, err, c.name)
		got := r.Subjects[0].Files["events"]
		if got != "" {
			got, _ = filepath.Rel(d.dir, got)
		}
		if got = filepath.ToSlash(got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if _, port := r.Files["events"]; port != (c.want != "") {
			t.Errorf("%s: the port events: %v", c.name, port)
		}
	}
	d := newDataset(t, onePerson)
	if _, err := d.load(func(b *BIDSCohort) { b.Events = "nowhere" }); err == nil {
		t.Error("a directory of events that is not there is accepted")
	}
}

// A table of events that few participants share is noted, where most have one of their own; one for all is not. A scan
// without a table is noted where others have one, with the name that was looked for.
func TestEventsOfOthers(t *testing.T) {
	const shared, lacks = "participants share a table of events", "no table of events for some scans"
	for _, c := range []struct {
		of   string // the table of each participant; "-" for none
		want string
	}{
		{"abcdef", ""},
		{"abbdef", shared + ", although most have their own, so it may belong to a different person: sub-2, sub-3;"},
		{"aabbef", ""},
		{"aaaaaa", ""},
		{"ab-def", lacks + ", while others have one: sub-3 (sub-3_task-go_events.tsv);"},
		{"------", ""},
	} {
		table := "participant_id\tgroup\n"
		for i := range c.of {
			table += fmt.Sprintf("sub-%d\t%c\n", i+1, "AB"[i%2])
		}
		d := newDataset(t, table)
		for i, own := range c.of {
			id := fmt.Sprintf("sub-%d", i+1)
			d.write(id+"/func/"+id+"_task-go_space-T1w_desc-preproc_bold.nii.gz", "")
			d.write(id+"/anat/"+id+"_desc-aparcaseg_dseg.nii.gz", "")
			if own != '-' {
				d.write("sourcedata/raw/"+id+"/func/"+id+"_task-go_events.tsv", fmt.Sprintf("onset\tduration\ttrial_type\n%d\t2\tgo\n", own))
			}
		}
		r := need.Value(d.load(func(b *BIDSCohort) { b.Confounds = false }))(t)
		notes, _ := r.About(r.IDs())
		var found []string
		for _, n := range wording.Notes(notes) {
			if strings.Contains(n.Text, shared) || strings.Contains(n.Text, lacks) {
				found = append(found, n.Text)
			}
		}
		if got := strings.Join(found, "; "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.of, got)
		}
	}
}
