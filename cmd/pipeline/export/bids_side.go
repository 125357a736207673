package export

import (
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/param"
	"prgnn/internal/version"
	"prgnn/pipelines/differ"
	"prgnn/stages/bids"
	"prgnn/stages/column"
)

// sidecar is the JSON beside a file: what BIDS asks, the parameters, the quality of this
// draw, and by which bytes and which work it can be found again.
func (m *bidsMember) sidecar() (map[string]any, error) {
	side := maps.Clone(m.file.sidecar)
	side["Software"] = "PR-GNN Pipeline " + version.Number
	parameters := map[string]any{}
	for _, p := range param.Of(m.Of.Instance()) {
		if p.Name != "subject" {
			parameters[p.Name] = plainValue(p.Default)
		}
	}
	side["Parameters"] = parameters
	draw := m.draw
	if s, ok := m.scans[m.draw]; ok {
		draw = s.draw
		side[map[string]string{"session": "Session", "run": "Run"}[s.coord.Axis]] = s.coord.Value
	}
	if draw > 0 {
		side["Draw"] = draw
	}
	ref, step := m.Ref(m.Of, m.Port.Name), m.Steps[m.Of]
	side["ArtifactDigest"] = "sha256:" + ref.Digest.String()
	side["RecipeKey"] = step.Key.String()
	if sources := m.sources(m.Of); sources != nil {
		side["Sources"] = sources
	}
	if m.file.suffix == "dseg" {
		side["SpatialReference"] = m.reference()
	}
	if m.file.suffix == "timeseries" {
		if tr, _, err := m.Time(); err == nil {
			side["RepetitionTime"], side["SamplingFrequency"] = tr, 1/tr
		}
	}
	quality, err := m.quality()
	if err != nil {
		return nil, err
	}
	if quality != nil {
		side["Quality"] = quality
	}
	return side, nil
}

// quality is the row of this draw in the table quality (or scan) of the same task, by
// its column names.
func (m *bidsMember) quality() (map[string]any, error) {
	for _, port := range m.Of.Instance().Ports().Out {
		if port.Name != "quality" {
			continue
		}
		got, err := m.Read(m.Of, port)
		if err != nil {
			return nil, err
		}
		rows, err := column.Rows[struct {
			Draw *int32 `column:"draw,optional"` // nil: one row for all draws
		}](got.Table)
		if err != nil {
			return nil, err
		}
		row := 0
		for row < len(rows) && rows[row].Draw != nil && int(*rows[row].Draw) != m.draw {
			row++
		}
		if row >= got.Table.Rows() {
			return nil, nil
		}
		q := map[string]any{}
		for i := range got.Table.Columns {
			c := &got.Table.Columns[i]
			if c.Name == "draw" || c.Valid != nil && !c.Valid[row] {
				continue
			}
			if v := differ.JSON(c.Value(row)); v != "" {
				q[c.Name] = v
			}
		}
		return q, nil
	}
	return nil, nil
}

func plainValue(v any) any {
	switch x := v.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "n/a"
		}
	case []string:
		return append([]string{}, x...)
	}
	return v
}

// rootNames are the files of a dataset as a whole, in the order in which bidsRoot writes them.
func rootNames(atlas string) []string {
	atlas = "atlas-" + atlas
	return []string{"dataset_description.json", "README", ".bidsignore", "participants.tsv", "participants.json",
		atlas + "_dseg.tsv", atlas + "_dseg.json", atlas + "_description.json"}
}

// bidsRoot writes the files of the dataset as a whole.
func (x *job) bidsRoot(d *bids.Derivative, links *bidsLinks) error {
	label, _ := x.atlasName()
	people := x.withTargetName(x.Pipeline.Roster.Participants)
	text := func(s string) func(io.Writer) error { return console.Content([]byte(s)) }
	generated := map[string]any{"Name": "prgnn", "Version": version.Number, "Description": "PR-GNN Pipeline: regional time series, connectivity and brain graphs"}
	ignore := []string{"*_relmat.tsv", "*_relmat.json", "*_timeseries.tsv", "*_timeseries.json", "*_bold.tsv",
		"*_bold.json", "atlas-*"}
	if x.App != nil {
		ignore = append(ignore, x.App.Ignore...)
		if x.App.Container != nil {
			generated["Container"] = x.App.Container
		}
		for _, name := range slices.Sorted(maps.Keys(x.App.Files)) {
			if err := d.Put(name, text(x.App.Files[name])); err != nil {
				return err
			}
		}
	}
	description := map[string]any{
		"Name": "Connectivity derivatives of " + x.Pipeline.Name, "BIDSVersion": "1.10.0", "DatasetType": "derivative",
		"GeneratedBy": []any{generated},
	}
	links.describe(description)
	names := rootNames(label)
	steps := []error{
		d.PutJSON(names[0], description),
		d.Put(names[1], text("Regional time series, connectivity matrices and brain graphs, made by PR-GNN Pipeline ("+x.Pipeline.Name+").\n\n"+
			"*_timeseries.tsv: one row per volume, one column per region. *_relmat.tsv: regions by regions, with names. The\nfiles are named as in XCP-D 26; the sidecars state estimator, parameters and quality.\n"+
			"Matrices are based on the plain mean of each region; desc-bootNN is a draw of its voxels.\n"+
			"The graph of combined sessions is that of their mean; a graph with ses- is of that session (--draws).\nConnectivity is not yet part of BIDS (BEP017): .bidsignore lists those files.\n")),
		d.Put(names[2], text(strings.Join(ignore, "\n")+"\n")),
		d.Put(names[3], func(w io.Writer) error { return people.WriteCSV(w, '\t') }),
		d.PutJSON(names[4], columnDocs(people)),
		d.Put(names[5], func(w io.Writer) error { return x.Pipeline.Roster.Nodes.WriteCSV(w, '\t') }),
		d.PutJSON(names[6], columnDocs(x.Pipeline.Roster.Nodes)),
		d.PutJSON(names[7], map[string]any{"Name": label, "Description": "the regions, numbered by index in the order of the matrices; id is their value in the original label image"}),
	}
	for _, err := range steps {
		if err != nil {
			return err
		}
	}
	return nil
}

// columnDocs describes the columns of a table, as BIDS's sidecars of TSV files do.
func columnDocs(t *encoding.Table) map[string]any {
	docs := map[string]any{}
	for i := range t.Columns {
		c := &t.Columns[i]
		one := map[string]any{}
		if c.Doc != "" {
			one["Description"] = c.Doc
		}
		if c.Unit != "" {
			one["Units"] = c.Unit
		}
		if c.Name == "group" {
			if v, err := t.Strings(c.Name); err == nil {
				levels := map[string]string{}
				for row, g := range v {
					if g != "" && (c.Valid == nil || c.Valid[row]) {
						levels[g] = strings.TrimSpace(g)
					}
				}
				one["Levels"] = levels
			}
		}
		if len(one) > 0 {
			docs[c.Name] = one
		}
	}
	return docs
}

// Time is the time between volumes: --tr, or what a table of the same task tells.
func (m *Member) Time() (tr float64, quality results.Content, err error) {
	for _, port := range m.Of.Instance().Ports().Out {
		if !slices.Contains(port.Type.Columns, "tr") {
			continue
		}
		if quality, err = m.Read(m.Of, port); err != nil {
			return 0, quality, err
		}
		rows, err := column.Rows[struct {
			TR float64 `column:"tr"`
		}](quality.Table)
		if err == nil && len(rows) > 0 {
			tr = bids.Believed(rows[0].TR)
		}
	}
	if quality.Table != nil {
		times, err := column.TimesOfRuns(quality.Table.Meta)
		if err != nil || times != nil {
			return 0, quality, cmp.Or(err, exit.Wrongf("%w", column.OneTime("a CIFTI series", times)))
		}
	}
	given := m.Options.TR
	switch {
	case given == 0 && tr == 0:
		return 0, quality, exit.Wrongf("the repetition time is unknown: set --tr SECONDS")
	case given != 0 && tr != 0 && bids.TimesDiffer(given, tr):
		return 0, quality, exit.Wrongf("--tr %g: the repetition time of the scan is %g s: leave out --tr if that is right, else correct it where the scan is read", given, tr)
	}
	return cmp.Or(given, tr), quality, nil
}
