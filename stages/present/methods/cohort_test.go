package methods

import (
	"maps"
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/literature"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
	"prgnn/stages/wording"
)

// authorOf is the author of a run of some stages.
func authorOf(stages ...finding.StageSettings) *Author {
	w := section.NewWriter(dag.NewTask(nil))
	w.Run.Stages = stages
	return New(w, nil)
}

// connect gives a stage inputs: port, output, what that holds (a column.Data) …
func connect(a *Author, stage string, inputs ...string) {
	of := a.Run.Stage(stage)
	of.Inputs = maps.Clone(of.Inputs)
	if of.Inputs == nil {
		of.Inputs = map[string][]column.Result{}
	}
	for i := 0; i < len(inputs); i += 3 {
		of.Inputs[inputs[i]] = column.Results(inputs[i+1])
		a.Run.SetHolds(column.Results(inputs[i+1])[0], column.ParseData(inputs[i+2]))
	}
}

// written are the codes of the entries that were chosen, and their text; the catalog had all values.
func written(t *testing.T, a *Author) (codes, text string) {
	t.Helper()
	need.NoError(t, a.Err())
	for _, s := range a.said {
		codes = strings.TrimSpace(codes + " " + s.code)
	}
	return codes, wording.Cited(a.paragraph(a.said, "methods.denoising"), a.citation)
}

// with are the parameters of a stage: name, value, name, value …
func with(kind string, parameters ...string) finding.StageSettings {
	s := finding.StageSettings{Stage: kind, Kind: kind, Values: map[string][][]string{},
		Defaults: map[string][]string{}}
	for i := 0; i < len(parameters); i += 2 {
		if s.Values[parameters[i]] == nil {
			s.Parameters = append(s.Parameters, parameters[i])
		}
		s.Values[parameters[i]] = nil                                // the last one counts
		for _, value := range strings.Split(parameters[i+1], "; ") { // of an axis
			s.Values[parameters[i]] = append(s.Values[parameters[i]], strings.Split(value, ", "))
			s.Defaults[parameters[i]] = s.Values[parameters[i]][0]
		}
	}
	return s
}

// The works that models cite are in the literature; those that entries cite are a test of the catalog.
func TestWorks(t *testing.T) {
	for model, key := range works {
		if _, ok := literature.Works[key]; !ok {
			t.Errorf("%s: the literature has no %s", model, key)
		}
	}
}

// Citations are numbered in the order of the text.
func TestCitations(t *testing.T) {
	a := authorOf()
	a.say("denoising.regression", values{"Strategy": "compcor", "Columns": []string(nil)})
	a.say("denoising.censoring", values{"FD": "0.5", "DVARS": "0"})
	a.say("denoising.regression", values{"Strategy": "24P", "Columns": []string(nil)})
	_, text := written(t, a)
	need.Equal(t, strings.Join(a.cited, " "), "friston behzadi power")
	for _, want := range []string{"out [1, 2]", "censored [3]", "24 motion parameters were regressed out [1]"} {
		need.Equal(t, strings.Contains(text, want), true, text)
	}
	a.pandoc = true
	a.say("denoising.regression", values{"Strategy": "compcor", "Columns": []string(nil)})
	_, text = written(t, a)
	need.Equal(t, strings.HasSuffix(text, "out [@friston; @behzadi]"), true, text)
}

// The methods state what parcellate did and what the loader found, and no more.
func TestLabels(t *testing.T) {
	nearest, majority := column.LabelsNearest, column.LabelsMajority
	for _, c := range []struct {
		about           column.Scans
		labeled         []string
		parameter       string
		codes, contains string
	}{
		{column.Scans{MadeBy: "fMRIPrep 25.2.0", Space: "MNI152NLin2009cAsym res-2", Labels: map[string]int{"A": 2}},
			[]string{majority, majority}, "auto", "methods.bids methods.space methods.parcellation methods.label-source",
			"fMRIPrep 25.2.0 [1]. The scans were in MNI152NLin2009cAsym res-2 space. Each scan was parcellated on its own grid " +
				"with majority resampling of a label image, 27 samples per voxel; a region"},
		{column.Scans{MadeBy: "XCP-D 0.10.6", Space: "native", Aligned: true, Labels: map[string]int{"A": 2}},
			[]string{column.LabelsOnGrid}, "auto",
			"methods.bids methods.space methods.parcellation methods.aligned methods.label-source", "of XCP-D 0.10.6. The"},
		{column.Scans{Labels: map[string]int{"A": 1, "B": 1}}, []string{nearest, nearest, majority}, "auto",
			"methods.bids methods.parcellation methods.label-source methods.label-source",
			"with nearest-neighbor resampling of a label image (2 scans), or majority resampling of a label image, 27 samples per " +
				"voxel (1 scan); a region was treated as missing if less than half"},
		{column.Scans{MadeBy: "fMRIPrep 25.2.5", Space: "minimal", Labels: map[string]int{"A": 2}}, nil, "auto",
			"methods.bids methods.space methods.parcellation methods.label-source",
			"fMRIPrep 25.2.5 [1]. The volumes of the raw scans were resampled once, by cubic B-splines, to the reference image of " +
				"each run in the participant's own space, with the transforms of these derivatives: head motion and, where there " +
				"was a field map, distortion, without Jacobian. Slice timing was not corrected. Each"},
		{column.Scans{}, []string{column.LabelsMatched}, "auto", "methods.bids methods.parcellation", "with a CIFTI label file"},
		{column.Scans{}, nil, "auto", "methods.bids methods.parcellation", "with a label image; a"},
		{column.Scans{DK84: true}, nil, "nearest", "methods.bids methods.parcellation",
			"with nearest-neighbor resampling of a label image (Desikan–Killiany atlas with subcortical structures, 84 regions) [1];"},
	} {
		cohort := with("bids")
		cohort.Stage = "cohort"
		a := authorOf(cohort, with("parcellate", "min_coverage", "0.5", "resampling", c.parameter))
		a.About = need.Value(column.MetaOf[column.Scans](c.about.Meta(), column.ScansKey))(t)
		a.Who = &column.People{Ids: []string{"sub-1", "sub-2"}}
		for _, how := range c.labeled {
			a.Labeled = append(a.Labeled, participants.LabeledScan{ParcelRow: column.ParcelRow{Resampling: how}})
		}
		a.cohort()
		codes, text := written(t, a)
		need.Equal(t, codes, c.codes)
		if !strings.Contains(text, c.contains) {
			t.Errorf("%s\nlacks %s", text, c.contains)
		}
	}
}

// cleaned are scans of some rows.
func cleaned(rows ...column.CleaningRow) (scans []quality.Scan) {
	for _, r := range rows {
		scans = append(scans, quality.Scan{CleaningRow: r})
	}
	return scans
}

// The length of the scans and the repetition time are stated as far as they are known.
func TestLengths(t *testing.T) {
	scan := func(volumes int32, tr float64) column.CleaningRow {
		return column.CleaningRow{Volumes: volumes, TR: tr}
	}
	for want, rows := range map[string][]column.CleaningRow{
		"": nil,
		"All scans had 176 volumes at a repetition time of 2 s.": {scan(176, 2), scan(176, 2)},
		"The scans had 150 to 200 volumes (median 176) at repetition times of 2 to 2.5 s (unknown for 1 scan).": {scan(176, 2),
			scan(150, 2.5), scan(200, math.NaN())},
		"The scans had 150 to 1001 volumes (median 575.5).": {scan(150, 0), scan(1001, 0)},
		"All scans had 176 volumes.":                        {scan(176, math.NaN())},
	} {
		a := authorOf()
		a.Scans = cleaned(rows...)
		a.lengths()
		_, text := written(t, a)
		need.Equal(t, text, want)
	}
}

// What is joined is called so: no scan has the volumes of all runs.
func TestJoinedRuns(t *testing.T) {
	connectivity := with("connectivity", "pearson", "empirical", "partial", "empirical", "standardize", "false",
		"fisher_z", "none")
	connectivity.Inputs = map[string][]column.Result{"series": column.Results("join.series")}
	for _, c := range []struct {
		runs               [2]int
		said               bool
		lengths, contained string
	}{
		{[2]int{2, 1}, true, "The scans and joined series had", "series of the 2 runs of a participant were concatenated (1 of 2 participants)"},
		{[2]int{2, 2}, true, "The joined series had", "of the 2 runs of a participant were concatenated."},
		{[2]int{2, 4}, true, "The joined series had", "of the 2 to 4 runs of a participant were concatenated."},
		{[2]int{1, 1}, false, "The scans had", ""}, // everybody has one run
	} {
		a := authorOf(with("denoise", "detrend", "-1"), with("join"), connectivity)
		a.Scans = cleaned(column.CleaningRow{Volumes: 148, Kept: 148, TR: 2},
			column.CleaningRow{Volumes: 74, Kept: 74, TR: 2})
		a.Scans[0].Runs, a.Scans[1].Runs = c.runs[0], c.runs[1]
		a.lengths()
		a.graphs()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, strings.Contains(codes, "methods.joined"), c.said)
		need.Equal(t, strings.Contains(text, "remained in the joined series"), c.said, text)
		need.Equal(t, strings.Contains(text, c.lengths) && strings.Contains(text, c.contained), true, text)
	}
}

// Excluded participants as in a paper: one reason alone is not counted, and many are counted together.
func TestReasons(t *testing.T) {
	type row = participants.ExcludedRow
	old := row{Category: "age > 8 not met", Criterion: "age > 8"}
	unknown := row{Category: "age > 0 unknown", Criterion: "age > 0", NoValue: true}
	for want, excluded := range map[string][]row{
		"Of 2 participants, 2 were excluded (no value for the inclusion criterion age > 0).": {unknown, unknown},
		"Of 3 participants, 3 were excluded (inclusion criterion age > 8 not met, n = 2; no value of IQ, n = 1).": {
			old, {Category: "no value of IQ"}, old},
		"Of 1 participant, 1 was excluded.": {{}},
		"Of 8 participants, 8 were excluded (a, n = 1; b, n = 1; c, n = 1; d, n = 1; e, n = 1; f, n = 1; other reasons, n = 2).": {
			{Category: "a"}, {Category: "b"}, {Category: "c"}, {Category: "d"}, {Category: "e"}, {Category: "f"},
			{Category: "g"}, {Category: "h"}},
	} {
		a := authorOf()
		a.Who = &column.People{}
		a.Excluded = excluded
		a.scans()
		_, text := written(t, a)
		need.Equal(t, text, want)
	}
}

// The sizes of the groups are those of every cohort.
func TestGroupSizes(t *testing.T) {
	a := authorOf()
	a.Who = &column.People{Ids: []string{"a", "b", "c"}, Group: map[string]string{"a": "HC", "b": "ASD", "c": "HC"}}
	need.Equal(t, strings.Join(a.groupSizes(), ", "), "1 ASD, 2 HC")
	a.Who.Group = map[string]string{"a": "", "b": "", "c": ""} // a number is predicted
	need.Equal(t, len(a.groupSizes()), 0)
}

// Methods state for whom the repetition time is unknown.
func TestUnknownTimes(t *testing.T) {
	a := authorOf()
	a.Who = &column.People{Ids: []string{"a", "b"}, Group: map[string]string{"a": "ASD", "b": "TD"}}
	a.Scans = cleaned(column.CleaningRow{Volumes: 148, TR: 2}, column.CleaningRow{Volumes: 148, TR: math.NaN()})
	a.Scans[0].Participant, a.Scans[1].Participant = "a", "b"
	a.lengths()
	_, text := written(t, a)
	need.Equal(t, text, "All scans had 148 volumes at a repetition time of 2 s (unknown for 1 scan, the only scan of TD).")
	a = authorOf()
	a.Scans = cleaned(column.CleaningRow{Volumes: 148, TR: 2}, column.CleaningRow{Volumes: 148, TR: math.NaN()})
	for i := range a.Scans {
		a.Scans[i].Runs = 2
	}
	a.Scans[1].Times = []float64{2, 1.5}
	a.lengths()
	_, text = written(t, a)
	need.Equal(t, text, "All joined series had 148 volumes at a repetition time of 2 s; joined runs of 1 participant had different repetition times (1.5 and 2 s).")
}
