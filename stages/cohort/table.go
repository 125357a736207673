package cohort

import (
	"errors"
	"slices"
	"strings"

	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/motion"
	"prgnn/stages/column"
)

var tableCohortKind = Source{
	Name: "table",
	Doc: "participants listed in a CSV or TSV file, with their scans\n" +
		"bold, labels, confounds, confounds_sidecar, components, component_table and events are each the name of a column of paths, a path with columns in braces (\"func/{participant_id}_bold.nii.gz\"), or one file for all participants. Other columns are covariates.",
	New: func() Loader { return &TableCohort{Parameters: listed.Defaults(), Nodes: "auto", Space: "auto"} },
}

// TableCohort lists scans in a table.
type TableCohort struct {
	listed.Parameters
	BOLD      string `param:"bold" place:"maybe" doc:"each participant's scan: a column, a path with {columns}, or a path"`
	Labels    string `param:"labels" place:"maybe" keys:"atlas|desc|seg|scale|cohort|resolution|density|suffix|space|dir" doc:"its label image: a column, a path with {columns}, one image for all participants, or an atlas by its name and the space of the scans, such as { atlas: Schaefer2018, desc: 400Parcels7Networks, space: MNI152NLin6Asym }"`
	Confounds string `param:"confounds" place:"maybe" doc:"its table of confounds; none by default"`

	ConfoundsSidecar string `param:"confounds_sidecar" place:"maybe" doc:"the JSON file of its confounds, which identifies the CompCor masks; none by default"`
	Sessions         string `param:"sessions" doc:"longitudinal data: the column that names the session, with one row per session of a participant, for stages with each: session and the kind sessions"`
	Components       string `param:"components" place:"maybe" doc:"its table of components (of fMRIPost-AROMA or tedana), or of other regressors for the same volumes; none by default"`
	ComponentTable   string `param:"component_table" place:"maybe" doc:"tedana's table of its components (Component, classification); none by default"`
	Events           string `param:"events" place:"maybe" doc:"its table of task events (onset and duration in s, trial_type); none by default"`

	Space string `param:"space" doc:"the space of the scans and label images: native (the participants' own), or the name of a template; auto: not stated, checked as MNI. In MNI space the centroids of the regions are compared with those of the node list in mm, in other spaces after an affine alignment"`
	Nodes string `param:"nodes" place:"maybe" doc:"the regions: auto (those of the atlas or CIFTI label file in labels, else dk84), dk84 (FreeSurfer's ids), dk84-index (numbers 1 to 84), or a TSV with the columns index (or id) and name"`
}

func (c *TableCohort) Load(dir string) (*Roster, error) {
	var missing []error
	for _, p := range [2][2]string{{"bold", c.BOLD}, {"labels", c.Labels}} {
		if p[1] == "" {
			missing = append(missing, errors.New(p[0]+" is not set: a column of the table, or a path"))
		}
	}
	if c.ConfoundsSidecar != "" && c.Confounds == "" {
		missing = append(missing, errors.New("confounds is not set, but confounds_sidecar describes its columns"))
	}
	l, err := c.ReadSessions(dir, c.Sessions)
	if err := errors.Join(append(missing, err)...); err != nil {
		return nil, errors.Join(err, atlasMistake(c.Labels, where{dir: dir}))
	}
	var problems []error
	var sources []*located.Source
	space := c.Space
	if space == "auto" {
		space = ""
	}
	labels, wrong := labelsOf(l, c.Labels, where{dir: dir, space: space})
	for _, f := range []struct{ port, format, spec string }{
		{"bold", "nifti", c.BOLD}, {"confounds", "tsv", c.Confounds}, {"confounds_sidecar", "json", c.ConfoundsSidecar},
		{"components", "tsv", c.Components}, {"component_table", "tsv", c.ComponentTable}, {"events", "tsv", c.Events},
	} {
		if f.spec == "" {
			continue
		}
		s, err := located.Of(l, f.port, f.format, f.spec)
		sources, problems = append(sources, s), append(problems, err)
		if f.port == "bold" {
			problems = append(problems, wrong)
		}
	}
	nodes, err := labels.nodes(c.Nodes, l.Dir, l)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	r := rosterOf(l, append(sources, labels.ports()...))
	if err := labels.misplaced(nodes, r, space); err != nil {
		return nil, err
	}
	r.noteOpposed()
	r.Space, r.labels = space, labels.from
	if labels.wanted != nil {
		r.Notes = append(r.Notes, column.Notef("labels: %s", labels.from))
	}
	r.Scan = r.scanHeader
	sessions := r.About
	r.About = func(ids map[string]bool) (notes, timesApart []column.Note) {
		if sessions != nil {
			notes, _ = sessions(ids)
		}
		volumes, _ := r.scans(ids)
		return slices.Concat(notes, cutNote(volumes), r.eventNotes(ids), r.protocolNotes(ids),
			motion.Notes(r.displacements(ids))), nil
	}
	r.Here = append(r.Here, labels.here()...)
	if r.Atlas, err = labels.settings(); err != nil {
		return nil, err
	}
	r.Nodes = NodesTable(nodes, space)
	return r, nil
}

// displacements are the motion in the scans of some members, by their tables of confounds. What cannot be read, the
// stage that reads it reports.
func (r *Roster) displacements(ids map[string]bool) (scans []motion.Scan) {
	for _, s := range r.Subjects {
		if !ids[s.ID] || s.Problem != nil {
			continue
		}
		runs := s.Runs
		if runs == nil {
			runs = []Run{{Files: s.Files}}
		}
		for _, run := range runs {
			if path := run.Files["confounds"]; path != "" {
				if m, err := motion.Read(path); err == nil {
					scans = append(scans, motion.Scan{Who: strings.TrimSpace(s.ID + " " + run.Name), Head: m})
				}
			}
		}
	}
	return scans
}
