package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/parquet"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/stages/column"
)

type event struct {
	Path    string   `json:"path"`
	Format  string   `json:"format"`
	Stage   string   `json:"stage"`
	Output  string   `json:"output"`
	Tasks   int      `json:"tasks"`
	Sidecar string   `json:"sidecar,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

var extensions = map[string]string{
	".arrow": "arrow", ".feather": "arrow", ".parquet": "parquet", ".csv": "csv", ".tsv": "tsv",
	".npy": "npy", ".mat": "mat",
}

// Run writes what the options ask for, and reports whether that is the results of one stage.
func Run(a *console.Console, c *results.Current, o Options) (one bool, err error) {
	switch {
	case c.Gone != nil && slices.Contains([]string{"bids", modelWord, "pyg"}, o.Format):
		return false, fmt.Errorf("--format %s needs the pipeline of the run: %w", o.Format, c.Gone)
	case o.Format == "bids":
		return false, BIDS(a, c, o)
	case o.Format == modelWord:
		return false, writeModels(a, c, o)
	case o.What == "":
		return false, everything(a, c, o)
	}
	parts := results.Parts(c.Pipeline.Graph, o.What)
	if len(parts) > 1 && !isDir(o.Path) {
		return false, exit.Wrongf("%s has tasks of %s: give a directory, which gets one of each: -o DIR/", o.What,
			words.Count(len(parts), "stage"))
	}
	for _, part := range parts {
		one := o
		if one.What = part; len(parts) > 1 {
			stage, _, _ := strings.Cut(part, "[")
			one.Path = filepath.Join(o.Path, stage) + "/"
		}
		if err := writeStage(a, c, one); err != nil {
			return false, err
		}
	}
	return len(parts) == 1, nil
}

// writeStage writes the results of one stage as the options ask.
func writeStage(a *console.Console, c *results.Current, o Options) error {
	return (&job{Console: a, Current: c, Options: o, record: new(record)}).stage()
}

func (x *job) stage() error {
	sel, err := results.Choose(x.Pipeline.Graph, x.What)
	if err != nil {
		return err
	}
	x.output = sel.Stage.Name() + "." + sel.Port.Name
	there, others := x.Shown(sel.Tasks)
	if len(others) > 0 && (!x.Partial || len(there) == 0) {
		return x.Missing(x.Console, sel, there, others, partialHint)
	}
	if len(others) > 0 {
		x.Note("%s left out, results missing: %s", words.Count(len(others), "member"), words.Some(results.IDs(others), 6))
	}
	done := event{Path: x.Path, Stage: sel.Stage.Name(), Output: sel.Port.Name, Tasks: len(there),
		Missing: results.IDs(others)}
	paths := []string{x.Path}
	f := formOf(x.Format, x.Path, sel.Port.Type)
	switch {
	case x.Format == "pyg":
		done.Format = x.Format
		err = x.writePyG(sel, there)
	case x.Format == "all":
		done.Format = x.Format
		err = x.writeAll(sel, there)
	case f != nil:
		done.Format = f.Name
		paths, err = x.writeForms(sel, there, f)
	case isDir(x.Path) && slices.Contains(tableFormats, x.Format):
		done.Format = x.Format
		err = x.writeEachTable(sel, there)
	case isDir(x.Path) && x.Format != "" && x.Format != x.Ref(there[0], sel.Port.Name).Format:
		err = exit.Wrongf("a directory holds one file per member, as stored or in one of the formats %s, not %q", words.Some(append(tableFormats, formNames()...), 20), x.Format)
	case isDir(x.Path):
		done.Format = x.Ref(there[0], sel.Port.Name).Format
		err = x.writeEach(x.Path, sel, there)
	default:
		done.Format, done.Sidecar, err = x.writeOne(sel, there)
	}
	if err != nil {
		return fmt.Errorf("export %s.%s: %w", sel.Stage.Name(), sel.Port.Name, err)
	}
	x.then(func() {
		for _, done.Path = range paths {
			switch {
			case x.JSON && x.Path != "-":
				x.Object("export", done)
			case x.Path != "-":
				x.Note("wrote %s (%s, %s)", done.Path, done.Format, words.Count(len(there), "task"))
			}
		}
		if !x.JSON && x.Path != "-" {
			if done.Sidecar != "" {
				x.Note("wrote %s, which names its axes", done.Sidecar)
			}
		}
	})
	return nil
}

func isDir(path string) bool {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return true
	}
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// writeEach writes every member as it is, named by its coordinates.
func (x *job) writeEach(dir string, sel *results.Selection, tasks []*dag.Node) error {
	return x.eachMember(dir, sel, tasks, func(path string, n *dag.Node) error {
		return x.toFile(path+Extension(x.Ref(n, sel.Port.Name).Format),
			func(w io.Writer) error { return x.copyStored(w, n, sel.Port) })
	})
}

// tableFormats are the formats of tables that every member of a fan-out can be written in.
var tableFormats = []string{"arrow", "parquet", "csv", "tsv"}

// writeEachTable writes the table of every member, named by its coordinates.
func (x *job) writeEachTable(sel *results.Selection, tasks []*dag.Node) error {
	for _, n := range tasks {
		if stored := x.Ref(n, sel.Port.Name).Format; stored != "arrow" && stored != "npy" {
			return exit.Wrongf("it is %s, which is written unchanged: leave --format out", stored)
		}
	}
	return x.eachMember(x.Path, sel, tasks, func(path string, n *dag.Node) error {
		return x.toFile(path+"."+x.Format, func(w io.Writer) error {
			t, err := x.tableOf(n, sel.Port)
			if err == nil {
				t, err = x.forReaders(t, sel, []*dag.Node{n})
			}
			if err != nil {
				return err
			}
			return encodeTable(w, t, x.Format)
		})
	})
}

// eachMember writes the files of every member into a directory. Their path without its ending is of its coordinates.
func (x *job) eachMember(dir string, sel *results.Selection, tasks []*dag.Node,
	write func(path string, n *dag.Node) error) error {
	if err := x.refuseLeftovers(dir, sel, tasks); err != nil {
		return err
	}
	names := memberNames(sel.Stage)
	if err := x.refuseMixture(dir, names); err != nil {
		return err
	}
	return x.together(dir, func() error {
		for _, n := range tasks {
			if err := write(filepath.Join(dir, names[n]), n); err != nil {
				return err
			}
		}
		return nil
	})
}

// memberNames are the names of the members' files. Where two coordinates ("x y", "x-y") would give one name, each has
// the digest of its task's name behind it.
func memberNames(s *dag.StageNode) map[*dag.Node]string {
	names, count := make(map[*dag.Node]string, len(s.Tasks())), map[string]int{}
	for _, n := range s.Tasks() {
		names[n] = memberName(s.Name(), n.Coords())
		count[names[n]]++
	}
	for n, name := range names {
		if count[name] > 1 {
			names[n] += "-" + artifacts.DigestOf([]byte(n.ID())).String()[:8]
		}
	}
	return names
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
	return PlainName(name)
}

// longestName is how many bytes PlainName keeps: file systems take 255, with the output and the ending.
const longestName = 120

// PlainName keeps what every file system takes. A longer name ends in its digest.
func PlainName(s string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '-'
		}
		return r
	}, s)
	if len(plain) <= longestName {
		return plain
	}
	digest := "-" + artifacts.DigestOf([]byte(s)).String()[:8]
	return strings.ToValidUTF8(plain[:longestName-len(digest)], "") + digest
}

// Extension ends the name of a file with the stored bytes of a format.
func Extension(format string) string {
	switch format {
	case "nifti":
		return ".nii.gz"
	case "text":
		return ".txt"
	}
	return "." + format
}

// writeOne writes one file and says its format, and the name of its sidecar.
func (x *job) writeOne(sel *results.Selection, tasks []*dag.Node) (format, sidecar string, err error) {
	stored := x.Ref(tasks[0], sel.Port.Name).Format
	format = x.FileFormat()
	known := []string{"arrow", "arrow-zstd", "parquet", "csv", "tsv", "npy"}
	switch {
	case stored == "npy" && format == "npy":
		sidecar, err = x.writeArray(sel, tasks)
		return format, sidecar, err
	case format == "mat":
		return format, "", x.writeMat(sel, tasks)
	case stored == "npy" && format == "tensor":
		return format, "", x.writeTensors(sel, tasks)
	case format == "npy":
		return "", "", exit.Wrongf("it is %s, which npy cannot hold; write it as %s", stored, nativeName(stored))
	case (stored == "arrow" || stored == "npy") && format != "":
		if !slices.Contains(known, format) {
			return "", "", exit.Wrongf("there is no format %q%s", format, words.OrAll(format, append(append(known, "mat"), formNames()...)))
		}
		return format, "", x.writeTable(sel, tasks, format)
	case stored == "arrow" || stored == "npy":
		return "", "", exit.Wrongf("the extension of %s is not a format; add --format arrow, parquet, csv, tsv, npy, mat%s", x.Path, fittingForms(sel.Port.Type))
	case x.Format != "" && x.Format != stored:
		return "", "", exit.Wrongf("it is %s, which is written unchanged: leave --format out", stored)
	case len(tasks) > 1:
		declare := ""
		if stored == "tsv" || stored == "csv" {
			declare = "; to join tables, let the stage write Arrow and declare the output as arrow"
		}
		return "", "", exit.Wrongf("there are %d members, and %s cannot be joined into one file: name one, such as %s.%s, or give a directory: -o %s/%s",
			len(tasks), stored, tasks[0].ID(), sel.Port.Name,
			strings.TrimSuffix(filepath.Base(x.Path), filepath.Ext(x.Path)), declare)
	}
	if err := x.misnamed(sel, stored); err != nil {
		return "", "", err
	}
	return stored, "", x.toPath(func(w io.Writer) error { return x.copyNamed(w, x.Ref(tasks[0], sel.Port.Name)) })
}

func nativeName(format string) string {
	if format == "arrow" {
		return "arrow, parquet, csv or tsv"
	}
	return format
}

// writeTable writes one table, the coordinates of its tasks in front.
func (x *job) writeTable(sel *results.Selection, tasks []*dag.Node, format string) error {
	alone := len(tasks) == 1 && len(tasks[0].Coords()) == 0 && !x.Names
	if ref := x.Ref(tasks[0], sel.Port.Name); alone && ref.Format == "arrow" && format == "arrow" {
		// The bytes of the store are the file: same digest, no copy in memory.
		return x.toPath(func(w io.Writer) error { return x.Copy(w, ref) })
	}
	keyed, err := x.keyed(sel, tasks)
	if err == nil {
		keyed, err = x.forReaders(keyed, sel, tasks)
	}
	if err != nil {
		return err
	}
	return x.toPath(func(w io.Writer) error { return encodeTable(w, keyed, format) })
}

// forReaders adds to a table what the options ask for, and where it comes from.
func (x *job) forReaders(t *encoding.Table, sel *results.Selection, tasks []*dag.Node) (*encoding.Table, error) {
	if x.Names {
		nodes, err := x.Nodes()
		if err == nil {
			t, err = withNames(t, nodes)
		}
		if err != nil {
			return nil, err
		}
	}
	t = x.withOrigin(t, sel, tasks)
	if x.CSVSafe {
		return spreadsheetSafe(t)
	}
	return t, nil
}

func encodeTable(w io.Writer, t *encoding.Table, format string) error {
	switch format {
	case "parquet":
		return parquet.Write(w, t.AsStored())
	case "arrow-zstd":
		return t.AsStored().WriteArrowZstd(w)
	case "csv":
		return t.WriteCSV(w, ',')
	case "tsv":
		return t.WriteCSV(w, '\t')
	}
	return t.AsStored().Encode(w)
}

// keyed joins the tables of tasks, their coordinates in front.
func (x *job) keyed(sel *results.Selection, tasks []*dag.Node) (*encoding.Table, error) {
	parts := make([]*encoding.Table, len(tasks))
	for i, n := range tasks {
		var err error
		if parts[i], err = x.tableOf(n, sel.Port); err != nil {
			return nil, err
		}
	}
	return withKeys(tasks, parts)
}

// tableOf reads an output as a table; an array gets a row for each element, with the names that the task gives to
// places along its axes, such as groups. Draws keep their numbers, from 0.
func (x *job) tableOf(n *dag.Node, port dag.Port) (*encoding.Table, error) {
	got, err := x.Read(n, port)
	if err != nil {
		return nil, err
	}
	if got.Array != nil {
		t, plain := longTable(got.Array, port.Type.Axes), axesOf(x.Pipeline.Roster, port, got.Array.Shape)
		axes, err := x.axes([]*dag.Node{n}, port, got.Array.Shape)
		if err != nil {
			return nil, err
		}
		for i, a := range axes {
			at, ok := t.Columns[i].Values.([]int32)
			if ok && a.Values != nil && plain[i].Values == nil && a.First == nil {
				t.Columns[i].Values = lists.Map(at, func(place int32) string { return a.Values[place-1] })
			}
		}
		return t, nil
	}
	return x.withTargetName(got.Table), nil
}

// withTargetName calls the column target by what the cohort predicts ("age"), unless another column is called so.
func (x *job) withTargetName(t *encoding.Table) *encoding.Table {
	if x.Pipeline.Roster == nil || x.Pipeline.Roster.Participants == nil {
		return t
	}
	name := x.Pipeline.Roster.Participants.Meta[column.Target]
	_, edges := t.Column("source") // of a table of any stage
	_, taken := t.Column(name)
	if name == "" || edges || taken {
		return t
	}
	named := &encoding.Table{Meta: t.Meta, Columns: slices.Clone(t.Columns)}
	for i := range named.Columns {
		if named.Columns[i].Name == column.Target {
			named.Columns[i].Name = name
		}
	}
	return named
}

// writeArray writes one array, the axes of its tasks in front, and the sidecar.
func (x *job) writeArray(sel *results.Selection, tasks []*dag.Node) (sidecar string, err error) {
	whole, axes, err := x.stacked(sel, tasks)
	if err != nil {
		return "", err
	}
	sidecar = strings.TrimSuffix(x.Path, filepath.Ext(x.Path)) + ".json"
	if x.Path != "-" {
		err = x.MayReplace(sidecar, "the axes of an exported array", func(string) bool {
			_, ok := readSidecar(x.Path)
			return ok
		})
	}
	if err == nil {
		err = x.toPath(whole.EncodeStored)
	}
	if err != nil || x.Path == "-" {
		return "", err
	}
	side, err := words.JSON(sidecarJSON{Array: filepath.Base(x.Path), Pipeline: x.Pipeline.Name,
		Stage: sel.Stage.Name(), Output: sel.Port.Name, Doc: sel.Port.Doc, DType: whole.FileDType(),
		Shape: whole.Shape, Axes: axes, Sources: x.origins(sel.Port.Name, tasks)})
	if err != nil {
		return "", err
	}
	return sidecar, x.WriteFile(sidecar, console.Content(side))
}

// stacked joins the arrays of tasks, the axes of the fan-out in front.
func (x *job) stacked(sel *results.Selection, tasks []*dag.Node) (*encoding.Array, []axisJSON, error) {
	var arrays []*encoding.Array
	for _, n := range tasks {
		got, err := x.Read(n, sel.Port)
		if err != nil {
			return nil, nil, err
		}
		if first := arrays; len(first) > 0 && (!slices.Equal(first[0].Shape, got.Array.Shape) ||
			first[0].DType() != got.Array.DType()) {
			return nil, nil, fmt.Errorf("%s is %s %s, but %s is %s %s, so they cannot be stacked: export one member, such as %s.%s, or give a directory: -o DIR/",
				tasks[0].ID(), first[0].DType(), differ.Shape(first[0].Shape, sel.Port.Type.Axes), n.ID(),
				got.Array.DType(), differ.Shape(got.Array.Shape, sel.Port.Type.Axes), n.ID(), sel.Port.Name)
		}
		arrays = append(arrays, got.Array)
	}
	axes, err := x.axes(tasks, sel.Port, arrays[0].Shape)
	if err != nil {
		return nil, nil, err
	}
	if len(tasks[0].Coords()) == 0 {
		return arrays[0], axes, nil
	}
	order, front := stackOrder(tasks)
	sorted := lists.At(arrays, order)
	whole, err := encoding.Stack(sorted)
	if err != nil {
		return nil, nil, err
	}
	shape := lists.Map(front, func(axis axisJSON) int { return axis.Size })
	whole.Shape = append(shape, arrays[0].Shape...)
	return whole, append(front, axes...), nil
}
