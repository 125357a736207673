package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines/compare"
)

func (a *app) exportCommand() *cobra.Command {
	var e export
	cmd := &cobra.Command{
		Use:   "export FILE [STAGE[.OUTPUT]]",
		Short: "one output as a file for Python, R, MATLAB, Excel, Workbench; or all as a BIDS dataset",
		Long: `Writes one output of a stage as a file of its own. The format is the one of PATH's extension.

A table becomes arrow, parquet, csv or tsv. The tables of a stage that fans out become one
table, with the coordinates (subject, fold …) as columns in front. An array becomes npy; the
arrays of a fan-out are stacked along new axes in front, in sorted order, and PATH's .json
twin names the axes, the participants and the regions. An array can also be written as a
table with a row for each element (draw counts from 0, every other axis from 1), or with
--format tensor as an Arrow table with a row for each member, its array as a tensor.
--format arrow-zstd is a compressed Arrow file. --format pyg writes the graphs of all participants
into the directory PATH as plain arrays, for PyTorch Geometric; docs/python.md has the loader.
--format all writes every output of a stage into the directory PATH, in every format that can hold it.
Files say in their metadata which results they hold: pipeline lineage reads it.
Anything else (text, nifti) is written as it is. When PATH is a directory, or ends in /, every
member of a fan-out becomes a file of its own there.

Other programs' formats, by the ending of PATH or by --format; of several draws --draw takes one:
` + formsText() + `
.mat holds fan-outs too: regions × regions × draws × participants, the names beside them. CIFTI
files need to know where the regions are: --labels gives their label image; without, each is a
ball of 4 mm around its place in the node list (MNI).

--format bids writes series, matrices and graphs of all participants (or those of one STAGE) as a
derivative dataset in the directory PATH: named as XCP-D 26 names them, with sidecars that tell
estimator, parameters and quality. --draws adds the bootstrap draws.`,
		Example: `  pipeline export biopoint.yaml evaluate -o scores.arrow        pyarrow.feather.read_table("scores.arrow")
  pipeline export biopoint.yaml connectivity.pearson -o pearson.npy
  pipeline export biopoint.yaml 'connectivity[sub-003].quality' -o quality.csv
  pipeline export biopoint.yaml parcels -o parcels/             sub-001.nii.gz, sub-002.nii.gz …
  pipeline export biopoint.yaml graphs.edges -o edges.tsv --names
  pipeline export biopoint.yaml 'graphs[sub-003].edges' -o sub-003.graphml
  pipeline export biopoint.yaml connectivity.partial -o pconn/ --format pconn
  pipeline export biopoint.yaml saliency -o saliency/ --format all       NIfTI, TSV, CIFTI, GraphML, BrainNet Viewer, NiiVue
  pipeline export biopoint.yaml connectivity.pearson -o pearson.mat
  pipeline export biopoint.yaml connectivity.pearson -o pearson.arrow --format tensor
  pipeline export biopoint.yaml graphs -o graphs/ --format pyg
  pipeline export biopoint.yaml --format bids -o derivatives/prgnn`,
		Args:              between(1, 2),
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.file = args[0]
			if len(args) == 2 {
				e.what = args[1]
			}
			switch {
			case e.what == "" && e.format != "bids":
				return usage(cmd, "STAGE[.OUTPUT] is missing")
			case e.path == "":
				return usage(cmd, "-o PATH is missing")
			case e.csvSafe && !slices.Contains([]string{"csv", "tsv", "all"}, cmp.Or(e.format, extensions[strings.ToLower(filepath.Ext(e.path))])):
				return usage(cmd, "--csv-safe is for csv and tsv: -o PATH.csv, or --format csv")
			case e.format == "bids":
				return a.exportBIDS(e)
			}
			return a.export(e)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&e.path, "output", "o", "", "write to `PATH`; - is stdout")
	f.StringVar(&e.format, "format", "", "`FORMAT`: arrow, arrow-zstd, parquet, csv, tsv, npy, tensor, pyg, mat, bids, all or one of those above (default: by the ending of PATH)")
	f.IntVar(&e.draw, "draw", 0, "take draw `N`, for formats that hold one; 0 is the plain mean")
	f.BoolVar(&e.names, "names", false, "in tables: the regions' names beside their numbers, and where the ends of edges lie")
	f.StringVar(&e.column, "column", "", "take `COLUMN` of a table of regions as their value (default score)")
	f.StringVar(&e.labels, "labels", "", "label image `PATH` of the regions, for CIFTI")
	f.Float64Var(&e.tr, "tr", 0, "repetition time `SECONDS`, for CIFTI series (default: that of the scan)")
	f.BoolVar(&e.partial, "partial", false, "export the members that are there when others are not")
	f.BoolVar(&e.draws, "draws", false, "bids: also the bootstrap draws, as desc-boot01 …")
	f.StringVar(&e.task, "task", "rest", "bids: the task `NAME`, where the cohort's files do not name it")
	f.StringVar(&e.atlas, "atlas", "", "bids: `NAME` of the atlas (default: DesikanKilliany for the built-in list, else custom)")
	f.BoolVar(&e.csvSafe, "csv-safe", false, "csv, tsv: an apostrophe before texts that a spreadsheet would run as a formula (=, +, -, @)")
	setFlag(cmd, &e.sets)
	return cmd
}

type export struct {
	file, what, path, format string
	labels, column           string
	draw                     int
	tr                       float64
	names, draws             bool
	task, atlas              string
	sets                     []string
	partial, csvSafe         bool
}

type exportEvent struct {
	Event   string   `json:"event"` // "export"
	Path    string   `json:"path"`
	Format  string   `json:"format"`
	Stage   string   `json:"stage"`
	Output  string   `json:"output"`
	Tasks   int      `json:"tasks"`
	Sidecar string   `json:"sidecar,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

var extensions = map[string]string{
	".arrow": "arrow", ".feather": "arrow", ".parquet": "parquet", ".csv": "csv", ".tsv": "tsv", ".npy": "npy", ".mat": "mat",
}

func (a *app) export(e export) error {
	c, err := a.look(e.file, e.sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	sel, err := choose(c.pipeline.Graph, e.what)
	if err != nil {
		return err
	}
	there, others := c.split(sel.tasks)
	if len(others) > 0 && (!e.partial || len(there) == 0) {
		return a.notThere(c, e, sel, there, others)
	}
	if len(others) > 0 {
		a.note("%s left out, whose results are not there: %s", count(len(others), "member"), some(idsOf(others), 6))
	}
	done := exportEvent{Event: "export", Path: e.path, Stage: sel.stage.Name, Output: sel.port.Name, Tasks: len(there), Missing: idsOf(others)}
	f := formOf(e.format, e.path, sel.port.Type)
	switch {
	case e.format == "pyg":
		done.Format = e.format
		err = a.exportPyG(c, e, sel, there)
	case e.format == "all":
		done.Format = e.format
		err = a.exportAll(c, e, sel, there)
	case f != nil:
		done.Format = f.name
		err = a.exportForm(c, e, sel, there, f)
	case isDir(e.path) && e.format != "":
		err = wrongf("in a directory every member is a file as it is stored, or in one of the formats %s; there is no %q among them", some(formNames(), 20), e.format)
	case isDir(e.path):
		done.Format = c.ref(there[0], sel.port.Name).Format
		err = c.exportEach(e.path, sel, there)
	default:
		done.Format, done.Sidecar, err = a.exportOne(c, e, sel, there)
	}
	if err != nil {
		return fmt.Errorf("export %s.%s: %w", sel.stage.Name, sel.port.Name, err)
	}
	switch {
	case a.json && e.path != "-":
		a.object(done)
	case e.path != "-":
		a.note("wrote %s (%s, %s)", e.path, done.Format, count(len(there), "task"))
		if done.Sidecar != "" {
			a.note("wrote %s, which names its axes", done.Sidecar)
		}
	}
	return nil
}

// notThere says which results are missing, why, and how to get them.
func (a *app) notThere(c *current, e export, sel *selection, there, others []*dag.Node) error {
	first := c.steps[others[0]]
	why := ""
	if first != nil && first.Reason != "" {
		why = fmt.Sprintf(" (%s: %s)", others[0].ID, first.Reason)
	}
	until := sel.stage.Name
	if len(others) == 1 {
		until = others[0].ID
	}
	words := []string{"run", e.file, "--until", until}
	for _, set := range e.sets {
		words = append(words, "--set", set)
	}
	text := fmt.Sprintf("%d of %d results of %s are not there%s\n  %s makes them", len(others), len(sel.tasks), sel.stage.Name, why, a.command(words...))
	if len(sel.tasks) == 1 {
		text = fmt.Sprintf("there is no result of %s%s\n  %s makes it", others[0].ID, strings.Replace(why, "("+others[0].ID+": ", "(", 1), a.command(words...))
	}
	if _, before := dag.LastKeys(c.pipeline.Graph, c.store)[others[0].ID]; before && first != nil && first.Reason != freed && !first.Damaged && len(e.sets) == 0 {
		text += "\n  a run of it had another recipe; if that was by --set, give the same --set here"
	}
	if len(there) > 0 && e.path != "" {
		text += "; --partial exports the others"
	}
	err := fmt.Errorf("%s", text)
	if first != nil && first.Damaged {
		err = &exit{code: exitDamaged, err: err}
	}
	return err
}

func idsOf(nodes []*dag.Node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	return ids
}

func isDir(path string) bool {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return true
	}
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// exportEach writes every member as it is, named by its coordinates.
func (c *current) exportEach(dir string, sel *selection, tasks []*dag.Node) error {
	ending := func(n *dag.Node) string { return extensionOf(c.ref(n, sel.port.Name).Format) }
	return eachMember(dir, sel, tasks, ending, func(w io.Writer, n *dag.Node) error { return c.copy(w, c.ref(n, sel.port.Name)) })
}

// eachMember writes a file for every member into a directory, named by its coordinates.
func eachMember(dir string, sel *selection, tasks []*dag.Node, ending func(*dag.Node) string, write func(io.Writer, *dag.Node) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, n := range tasks {
		path := filepath.Join(dir, memberName(sel.stage.Name, n.Coords)+ending(n))
		if err := writeFile(path, func(w io.Writer) error { return write(w, n) }); err != nil {
			return err
		}
	}
	return nil
}

// memberName makes the name of a member's file of its coordinates.
func memberName(stage string, coords []dag.Coord) string {
	name := stage
	for i, coord := range coords {
		switch {
		case i == 0 && coord.Axis == "subject":
			name = coord.Value
		case i == 0:
			name = coord.Axis + "-" + coord.Value
		default:
			name += "_" + coord.Axis + "-" + coord.Value
		}
	}
	return plainName(name)
}

// plainName keeps what every file system takes.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '-'
		}
		return r
	}, s)
}

func extensionOf(format string) string {
	switch format {
	case "nifti":
		return ".nii.gz"
	case "text":
		return ".txt"
	}
	return "." + format
}

func (c *current) copy(w io.Writer, ref artifacts.Ref) error {
	r, err := c.store.OpenBlob(ref)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

// exportOne writes one file and says its format, and the name of its sidecar.
func (a *app) exportOne(c *current, e export, sel *selection, tasks []*dag.Node) (format, sidecar string, err error) {
	stored := c.ref(tasks[0], sel.port.Name).Format
	format = e.format
	if format == "" {
		format = extensions[strings.ToLower(filepath.Ext(e.path))]
	}
	known := []string{"arrow", "arrow-zstd", "parquet", "csv", "tsv", "npy"}
	switch {
	case stored == "npy" && format == "npy":
		sidecar, err = a.exportArray(c, e, sel, tasks)
		return format, sidecar, err
	case format == "mat":
		return format, "", a.exportMat(c, e, sel, tasks)
	case stored == "npy" && format == "tensor":
		return format, "", a.exportTensors(c, e, sel, tasks)
	case format == "npy":
		return "", "", wrongf("it is %s, which does not fit into npy; write it as %s", stored, nativeName(stored))
	case (stored == "arrow" || stored == "npy") && format != "":
		if !slices.Contains(known, format) {
			return "", "", wrongf("there is no format %q%s", format, meant(format, append(append(known, "mat"), formNames()...)))
		}
		return format, "", a.exportTable(c, e, sel, tasks, format)
	case stored == "arrow" || stored == "npy":
		return "", "", wrongf("%s does not say a format by its extension; add --format arrow, parquet, csv, tsv, npy, mat%s", e.path, fittingForms(sel.port.Type))
	case e.format != "" && e.format != stored:
		return "", "", wrongf("it is %s, which is written as it is: leave --format out", stored)
	case len(tasks) > 1:
		return "", "", wrongf("there are %d of them, and %s does not join into one file: name one, such as %s.%s, or give a directory: -o %s/", len(tasks), stored, tasks[0].ID, sel.port.Name, strings.TrimSuffix(filepath.Base(e.path), filepath.Ext(e.path)))
	}
	return stored, "", a.writeTo(e.path, func(w io.Writer) error { return c.copy(w, c.ref(tasks[0], sel.port.Name)) })
}

func nativeName(format string) string {
	if format == "arrow" {
		return "arrow, parquet, csv or tsv"
	}
	return format
}

// exportTable writes one table, the coordinates of its tasks in front.
func (a *app) exportTable(c *current, e export, sel *selection, tasks []*dag.Node, format string) error {
	alone := len(tasks) == 1 && len(tasks[0].Coords) == 0 && !e.names
	if ref := c.ref(tasks[0], sel.port.Name); alone && ref.Format == "arrow" && format == "arrow" {
		// The bytes of the store are the file: same digest, no copy in memory.
		return a.writeTo(e.path, func(w io.Writer) error { return c.copy(w, ref) })
	}
	var parts []*artifacts.Table
	for _, n := range tasks {
		t, err := c.table(n, sel.port)
		if err != nil {
			return err
		}
		parts = append(parts, t)
	}
	keyed, err := withKeys(tasks, parts)
	if err == nil && e.names {
		var nodes *artifacts.Table
		if nodes, err = c.nodes(); err == nil {
			keyed, err = withNames(keyed, nodes)
		}
	}
	if err != nil {
		return err
	}
	keyed = c.withOrigin(keyed, sel, tasks)
	if e.csvSafe {
		keyed = spreadsheetSafe(keyed)
	}
	return a.writeTo(e.path, func(w io.Writer) error {
		switch format {
		case "parquet":
			return keyed.WriteParquet(w)
		case "arrow-zstd":
			return keyed.WriteArrowZstd(w)
		case "csv":
			return keyed.WriteCSV(w, ',')
		case "tsv":
			return keyed.WriteCSV(w, '\t')
		}
		return keyed.Encode(w)
	})
}

// table reads an output as a table; an array gets a row for each element.
func (c *current) table(n *dag.Node, port dag.Port) (*artifacts.Table, error) {
	got, err := c.content(n, port)
	if err != nil {
		return nil, err
	}
	if got.array != nil {
		return longTable(got.array, port.Type.Axes), nil
	}
	return got.table, nil
}

func (c *current) content(n *dag.Node, port dag.Port) (content, error) {
	ref := c.ref(n, port.Name)
	b, err := readAll(c.store, ref)
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", n.ID, err)
	}
	got, err := decode(b, ref.Format, port.Type)
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", n.ID, err)
	}
	return got, nil
}

// exportArray writes one array, the axes of its tasks in front, and the sidecar.
func (a *app) exportArray(c *current, e export, sel *selection, tasks []*dag.Node) (sidecar string, err error) {
	whole, axes, err := c.stacked(sel, tasks)
	if err != nil {
		return "", err
	}
	if err := a.writeTo(e.path, whole.Encode); err != nil || e.path == "-" {
		return "", err
	}
	sidecar = strings.TrimSuffix(e.path, filepath.Ext(e.path)) + ".json"
	side := sidecarJSON{Array: filepath.Base(e.path), Pipeline: c.pipeline.Name, Stage: sel.stage.Name, Output: sel.port.Name, Doc: sel.port.Doc, DType: whole.DType(), Shape: whole.Shape, Axes: axes, Sources: c.origins(sel.port.Name, tasks)}
	return sidecar, writeFile(sidecar, side.write)
}

// stacked joins the arrays of tasks, the axes of the fan-out in front.
func (c *current) stacked(sel *selection, tasks []*dag.Node) (*artifacts.Array, []axisJSON, error) {
	var arrays []*artifacts.Array
	for _, n := range tasks {
		got, err := c.content(n, sel.port)
		if err != nil {
			return nil, nil, err
		}
		if first := arrays; len(first) > 0 && (!slices.Equal(first[0].Shape, got.array.Shape) || first[0].DType() != got.array.DType()) {
			return nil, nil, fmt.Errorf("%s is %s %s, but %s is %s %s, so they do not stack: export one member, such as %s.%s, or give a directory: -o DIR/",
				tasks[0].ID, first[0].DType(), compare.Shape(first[0].Shape, sel.port.Type.Axes), n.ID, got.array.DType(), compare.Shape(got.array.Shape, sel.port.Type.Axes), n.ID, sel.port.Name)
		}
		arrays = append(arrays, got.array)
	}
	axes := axesOf(c.pipeline.Roster, sel.port, arrays[0].Shape)
	if len(tasks[0].Coords) == 0 {
		return arrays[0], axes, nil
	}
	order, front, err := stackOrder(tasks)
	if err != nil {
		return nil, nil, err
	}
	sorted := make([]*artifacts.Array, len(order))
	for i, at := range order {
		sorted[i] = arrays[at]
	}
	whole, err := artifacts.Stack(sorted)
	if err != nil {
		return nil, nil, err
	}
	var shape []int
	for _, x := range front {
		shape = append(shape, x.Size)
	}
	whole.Shape = append(shape, arrays[0].Shape...)
	return whole, append(front, axes...), nil
}
