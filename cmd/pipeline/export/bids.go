package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/bids"
	"prgnn/stages/column"
)

// A bidsFile says how an output of a kind is called in a dataset, and what its sidecar
// tells.
type bidsFile struct {
	kind, output string
	suffix       string
	stat         string
	desc         func(dag.Stage) string // beside the draw
	write        func(*bidsMember, io.Writer) error
	extension    string
	sidecar      map[string]any
	drawn        bool // has draws
}

func noDesc(dag.Stage) string { return "" }

func desc(text string) func(dag.Stage) string {
	return func(dag.Stage) string { return text }
}

// relation is what BEP017 asks of a matrix's sidecar, in XCP-D's spelling.
func relation(measure string) map[string]any {
	return map[string]any{"RelationshipMeasure": measure, "Weighted": true, "Directed": false, "ValidDiagonal": false,
		"StorageFormat": "Full"}
}

// bidsFiles are the results that a dataset holds: the dialect of XCP-D from 26.0 on.
var bidsFiles = []bidsFile{
	{"parcellate", "parcels", "dseg", "", noDesc, (*bidsMember).asItIs, ".nii.gz",
		map[string]any{"Description": "regions by their number in the node list"}, false},
	{"parcellate", "coverage", "bold", "coverage", noDesc, (*bidsMember).coverage, ".tsv",
		map[string]any{"Description": "share of each region on the scan's grid and inside the mask"}, false},
	{"bootstrap", "series", "timeseries", "mean", desc("extracted"), (*bidsMember).timeseries, ".tsv",
		map[string]any{"Description": "mean of the voxels of each region, before denoising"}, true},
	{"timeseries", "series", "timeseries", "mean", desc("extracted"), (*bidsMember).timeseries, ".tsv",
		map[string]any{"Description": "regional time series as given, before denoising"}, true},
	{"denoise", "series", "timeseries", "mean", noDesc, (*bidsMember).timeseries, ".tsv",
		map[string]any{"Description": "denoised regional time series"}, true},
	{"connectivity", "pearson", "relmat", "pearsoncorrelation", pearsonDesc, (*bidsMember).relmat, ".tsv",
		relation("Pearson correlation"), true},
	{"connectivity", "partial", "relmat", "partialcorrelation", partialDesc, (*bidsMember).relmat, ".tsv",
		relation("partial correlation"), true},
	{"connectivity", "covariance", "relmat", "covariance", partialDesc, (*bidsMember).relmat, ".tsv",
		relation("covariance"), true},
	{"connectivity", "precision", "relmat", "precision", partialDesc, (*bidsMember).relmat, ".tsv", relation("precision (inverse covariance)"), true},
	{"matrices", "pearson", "relmat", "pearsoncorrelation", noDesc, (*bidsMember).relmat, ".tsv", relation("Pearson correlation"), true},
	{"matrices", "partial", "relmat", "partialcorrelation", partialDesc, (*bidsMember).relmat, ".tsv",
		relation("partial correlation"), true},
	{"graph", "edges", "relmat", "partialcorrelation", desc("graph"), (*bidsMember).edges, ".tsv", relation("partial correlation where there is an edge, 0 elsewhere"), true},
}

// pearsonDesc and partialDesc name the estimator.
func pearsonDesc(s dag.Stage) string {
	d := ""
	if e := parameter(s, "pearson"); e != "empirical" {
		d = shortEstimator(e)
	}
	return d + fisherDesc(s, "pearson")
}

func partialDesc(s dag.Stage) string {
	return shortEstimator(parameter(s, "partial")) + fisherDesc(s, "partial")
}

func fisherDesc(s dag.Stage, of string) string {
	if z := parameter(s, "fisher_z"); z == of || z == "both" {
		return "fisherz"
	}
	return ""
}

func shortEstimator(e string) string {
	if e == "ledoit-wolf" {
		return "lw"
	}
	return bids.Label(e)
}

func parameter(s any, name string) string {
	for _, p := range param.Of(s) {
		if p.Name == name {
			return fmt.Sprint(p.Default)
		}
	}
	return ""
}

// A bidsMember is one result of one participant on its way into a dataset.
type bidsMember struct {
	Member
	file  bidsFile
	name  bids.Name // without stat and desc
	desc  string
	links *bidsLinks
	scans map[int]scanDraw // by draw, where the draws are of several scans
}

// A scanDraw is where a draw of combined sessions comes from.
type scanDraw struct {
	coord dag.Coord // session or run
	draw  int       // of that scan; 0 is itself
}

// entity names the scan in a file name.
func (s scanDraw) entity() bids.Entity {
	if s.coord.Axis == "session" {
		return bids.Entity{Key: "ses", Value: bids.Label(s.coord.Value)}
	}
	return bids.Entity{Key: s.coord.Axis, Value: bids.Label(s.coord.Value)}
}

// scanDraws reads of which scan each draw is, from the stage on the way that combined a participant's scans; nil when
// there is none.
func (x *job) scanDraws(of *dag.Node) (map[int]scanDraw, error) {
	subject := func(n *dag.Node) string { return column.ValueOn(n.Coords(), "subject") }
	for src := range of.Upstream() {
		if subject(src.Node) != subject(of) {
			continue
		}
		for _, port := range src.Node.Instance().Ports().Out {
			if port.Name != "draws" || !hasColumns(port.Type, "draw", "session", "of") {
				continue
			}
			got, err := x.Read(src.Node, port)
			if err != nil {
				return nil, err
			}
			rows, err := column.Rows[struct {
				Draw    int32  `column:"draw"`
				Session string `column:"session"`
				Of      int32  `column:"of"`
			}](got.Table)
			axis := "session"
			for in := range src.Node.Upstream() {
				if slices.Contains(in.Node.Stage().Axes(), "run") {
					axis = "run"
				}
			}
			scans := map[int]scanDraw{}
			for _, r := range rows {
				scans[int(r.Draw)] = scanDraw{dag.Coord{Axis: axis, Value: r.Session}, int(r.Of)}
			}
			return scans, err
		}
		if scans, err := x.scanDraws(src.Node); scans != nil || err != nil {
			return scans, err
		}
	}
	return nil, nil
}

// BIDS writes what there is of a pipeline as a derivative dataset.
func BIDS(a *console.Console, c *results.Current, o Options) error {
	if o.Path == "-" {
		return exit.Wrongf("a dataset is a directory: -o DIR")
	}
	x := &job{Console: a, Current: c, Options: o}
	if x.Pipeline.Roster == nil {
		return exit.Wrongf("%s has no cohort, but a dataset needs participants", x.File)
	}
	if x.Pipeline.Roster.Axis != "" {
		return exit.Wrongf("the cohort of %s consists of rows, but a dataset needs participants", x.File)
	}
	chosen := x.bidsStages(x.What)
	if all := x.bidsStages(""); x.What != "" && len(chosen) == 0 && len(all) > 0 {
		if _, err := results.Choose(x.Pipeline.Graph, x.What); err != nil {
			return err
		}
		names := lists.Map(all, func(s *dag.StageNode) string { return s.Name() })
		return exit.Wrongf("%s makes no files for a dataset; name one of the stages %s, without an output, or none for all", x.What, strings.Join(names, ", "))
	}
	if len(chosen) == 0 {
		kinds := lists.Map(bidsFiles, func(f bidsFile) string { return f.kind })
		return exit.Wrongf("no stage of %s makes files for a dataset: one file per participant by one of the kinds %s", x.File, strings.Join(slices.Compact(kinds), ", "))
	}
	var members []*bidsMember
	var missing []*dag.Node
	for _, s := range chosen {
		there, others := x.Shown(x.bidsTasks(s))
		if len(others) > 0 && x.App == nil && (!x.Partial || len(there) == 0) {
			return x.Missing(x.Console, &results.Selection{Stage: s, Tasks: s.Tasks()}, there, others, partialHint)
		}
		missing = append(missing, others...)
		for _, n := range there {
			members = append(members, x.bidsMembers(n, chosen)...)
		}
	}
	if err := x.withoutTask(members); err != nil {
		return err
	}
	if len(missing) > 0 {
		x.Note("%s left out, results missing: %s", words.Count(len(missing), "member"), words.Some(results.IDs(missing), 6))
	}
	create := bids.Create
	if x.App != nil {
		create = bids.Join
	}
	d, err := create(x.Path)
	if err != nil {
		return err
	}
	defer d.Abort()
	links := newBIDSLinks(x.Path)
	for _, m := range members {
		m.links = links
		if err := m.put(d); err != nil {
			return fmt.Errorf("%s.%s: %w", m.Of.ID(), m.Port.Name, err)
		}
	}
	if err := x.bidsRoot(d, links); err != nil {
		return err
	}
	if err := x.mayPut(d); err != nil {
		return err
	}
	if err := d.Finish(); err != nil {
		return err
	}
	if x.JSON {
		x.Object("export", event{Path: x.Path, Format: "bids", Tasks: len(members),
			Missing: results.IDs(missing)})
	} else {
		people := lists.SetOf(members, func(m *bidsMember) string { return m.name.Get("sub") })
		x.Note("wrote %s (bids, %s; results of %s)", x.Path, words.Count(len(d.Names()), "file"),
			words.Count(len(people), "participant"))
	}
	return nil
}

// BIDSNames are the files that a dataset has when all its results are there, by their slash-separated paths.
// Participants whose task is unknown are refused.
func BIDSNames(p *pipelines.Pipeline, o Options) ([]string, error) {
	x := &job{Current: &results.Current{Pipeline: p}, Options: o}
	label, _ := x.atlasName()
	names := append(rootNames(label), slices.Sorted(maps.Keys(o.App.Files))...)
	chosen := x.bidsStages("")
	var all []*bidsMember
	unusable := map[string]bool{}
	for _, s := range p.Roster.Subjects {
		unusable[s.ID] = s.Problem != nil
	}
	for _, s := range chosen {
		for _, n := range x.bidsTasks(s) {
			for _, m := range x.bidsMembers(n, chosen) {
				names = append(names, m.fileName(0)+m.file.extension, m.fileName(0)+".json")
				if !unusable["sub-"+m.name.Get("sub")] {
					all = append(all, m)
				}
			}
		}
	}
	return names, x.withoutTask(all)
}

// mayPut refuses a dataset that would take the place of files which no command may write over: of
// a participant who is there already, all files of this program are replaced.
func (x *job) mayPut(d *bids.Derivative) error {
	for _, name := range d.Names() {
		if err := x.MayWrite(filepath.Join(x.Path, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	for _, dir := range d.Replaced() {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return cmp.Or(err, x.MayWrite(path))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bidsStages are the stages of which a dataset has files: those that fan out over the
// participants; only one when it is named.
func (x *job) bidsStages(name string) []*dag.StageNode {
	var chosen []*dag.StageNode
	for _, s := range x.Pipeline.Graph.Stages() {
		known := s.Kind() != nil && slices.ContainsFunc(bidsFiles,
			func(f bidsFile) bool { return f.kind == s.Kind().Name })
		if known && slices.Contains(s.Axes(), "subject") && (name == "" || name == s.Name()) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// bidsTasks are the tasks of a stage, as far as they are of participants who are written.
func (x *job) bidsTasks(s *dag.StageNode) []*dag.Node {
	if x.App == nil {
		return s.Tasks()
	}
	return slices.DeleteFunc(slices.Clone(s.Tasks()), func(n *dag.Node) bool {
		return !slices.ContainsFunc(n.Coords(), func(c dag.Coord) bool {
			return c.Axis == "subject" && slices.Contains(x.App.Participants, c.Value)
		})
	})
}

// bidsMembers are the files of one task. Where several stages are of its kind, or it has
// axes beside the participant, desc tells them apart.
func (x *job) bidsMembers(n *dag.Node, chosen []*dag.StageNode) []*bidsMember {
	same := lists.Count(chosen, func(s *dag.StageNode) bool { return s.Kind().Name == n.Stage().Kind().Name })
	apart, subject := "", ""
	if same > 1 {
		apart = bids.Label(n.Stage().Name())
	}
	for _, coord := range n.Coords() {
		if coord.Axis == "subject" {
			subject = coord.Value
		} else {
			apart += bids.Label(coord.Axis) + bids.Label(coord.Value)
		}
	}
	var members []*bidsMember
	for _, f := range bidsFiles {
		if f.kind != n.Stage().Kind().Name {
			continue
		}
		for _, port := range n.Instance().Ports().Out {
			if port.Name == f.output {
				one := &bidsMember{file: f, name: x.bidsName(subject), desc: f.desc(n.Instance()) + apart}
				one.Member = Member{job: x, Of: n, Port: port}
				members = append(members, one)
			}
		}
	}
	return members
}

// bidsName is the name of a participant's files as far as all have it: the entities of
// the file that the cohort found, and the atlas.
func (x *job) bidsName(subject string) bids.Name {
	name := bids.Name{Entities: []bids.Entity{{Key: "sub", Value: bids.Label(strings.TrimPrefix(subject, "sub-"))}}}
	for _, s := range x.Pipeline.Roster.Subjects {
		if s.ID != subject {
			continue
		}
		files, keys := s.Files, []string{"sub", "ses", "task", "acq", "ce", "rec", "dir", "run", "echo", "space"}
		if len(s.Runs) > 0 { // which have been joined
			files, keys = s.Runs[0].Files, []string{"sub", "task", "ce", "rec", "echo", "space"}
		}
		for _, port := range []string{"bold", "series", "pearson"} {
			if found, ok := bids.Parse(filepath.Base(files[port])); ok && found.Get("sub") == name.Get("sub") {
				name = found.Only(keys...)
				break
			}
		}
	}
	if name.Get("task") == "" {
		name = name.With(bids.Entity{Key: "task", Value: bids.Label(x.taskOf(subject))})
	}
	label, seg := x.atlasName()
	name.Suffix, name.Extension = "", ""
	return name.With(bids.Entity{Key: "atlas", Value: label}, bids.Entity{Key: "seg", Value: seg})
}

// taskOf is the task of a participant whose files do not have it in their names: the TaskName of their sidecars (of
// joined runs, if all have the same), else --task; rest of simulated scans, as simulate-bids names them. "" is unknown.
func (x *job) taskOf(subject string) string {
	if task, known := x.tasks[subject]; known {
		return task
	}
	var files []map[string]string
	for _, s := range x.Pipeline.Roster.Subjects {
		if s.ID == subject {
			files = append(files, s.Files)
			for _, run := range s.Runs {
				files = append(files, run.Files)
			}
		}
	}
	var names []string
	for _, of := range files {
		for _, port := range []string{"bold", "series", "pearson"} {
			var side struct{ TaskName string }
			if path := of[port]; path == "" {
				continue
			} else if b, err := bids.ReadJSON(bids.Beside(path, "TaskName")); err == nil {
				bids.Decode(b, &side) // whatever it is not, it has no task
			}
			names = append(names, bids.Label(side.TaskName))
			break
		}
	}
	task := x.Task
	if names = slices.Compact(names); len(names) == 1 {
		task = cmp.Or(names[0], task)
	}
	if x.Pipeline.Roster.Make != nil {
		task = cmp.Or(task, "rest")
	}
	if x.tasks == nil {
		x.tasks = map[string]string{}
	}
	x.tasks[subject] = task
	return task
}

// withoutTask refuses a dataset with files that have no task: BIDS requires it in the names of files in func.
func (x *job) withoutTask(members []*bidsMember) error {
	var without []string
	for _, m := range members {
		if sub := "sub-" + m.name.Get("sub"); m.name.Get("task") == "" && !slices.Contains(without, sub) {
			without = append(without, sub)
		}
	}
	if without == nil {
		return nil
	}
	flag := "--task"
	if x.App != nil {
		flag = "--task-id"
	}
	return exit.Wrongf("the task of %s is unknown: neither the names of the files nor a TaskName in a sidecar gives one task, "+
		"and BIDS requires it (%s)\n  state it with %s NAME, such as %[3]s rest",
		words.Count(len(without), "participant"), words.Some(without, 6), flag)
}

// atlasName is the name of the atlas: DesikanKilliany for the built-in list, whatever --atlas
// says, or custom.
func (x *job) atlasName() (label, seg string) {
	if x.Atlas != "" {
		return bids.Label(x.Atlas), ""
	}
	if x.Pipeline.Roster.Scans().DK84 {
		return "DesikanKilliany", "fs84"
	}
	return "custom", ""
}

// put writes the files of a result: one a draw when --draws is given, and their sidecars.
func (m *bidsMember) put(d *bids.Derivative) error {
	var err error
	if m.Port.Type.Format == "npy" || m.Port.Type.Format == "arrow" {
		if m.Content, err = m.Read(m.Of, m.Port); err != nil {
			return err
		}
	}
	draws := 1
	if m.file.drawn && m.Draws {
		if draws, err = m.drawsOf(); err != nil {
			return err
		}
		if m.scans, err = m.scanDraws(m.Of); err != nil {
			return err
		}
	}
	for draw := range draws {
		m.draw = draw
		name := m.fileName(draw)
		if err := d.Put(name+m.file.extension, func(w io.Writer) error { return m.file.write(m, w) }); err != nil {
			return err
		}
		side, err := m.sidecar()
		if err != nil {
			return err
		}
		if err := d.PutJSON(name+".json", side); err != nil {
			return err
		}
	}
	return nil
}

// fileName is the path of a draw's file in the dataset, without its extension.
func (m *bidsMember) fileName(draw int) string {
	desc, name := m.desc, m.name
	if s, ok := m.scans[draw]; ok {
		e := s.entity()
		name.Entities = slices.DeleteFunc(slices.Clone(name.Entities),
			func(x bids.Entity) bool { return x.Key == e.Key })
		name, draw = name.With(e), s.draw
	}
	if draw > 0 {
		desc += fmt.Sprintf("boot%02d", draw)
	}
	name = name.With(bids.Entity{Key: "stat", Value: m.file.stat}, bids.Entity{Key: "desc", Value: desc})
	name.Suffix = m.file.suffix
	dir := "sub-" + name.Get("sub") + "/"
	if ses := name.Get("ses"); ses != "" {
		dir += "ses-" + ses + "/"
	}
	return dir + "func/" + name.String()
}

// drawsOf counts the draws of an array or of a table of edges.
func (m *bidsMember) drawsOf() (int, error) {
	if m.Array != nil {
		return m.Array.Shape[0], nil
	}
	edges, err := column.Rows[struct {
		Draw int32 `column:"draw"`
	}](m.Table)
	last := int32(0)
	for _, e := range edges {
		last = max(last, e.Draw)
	}
	return int(last) + 1, err
}

func (m *bidsMember) asItIs(w io.Writer) error { return m.Copy(w, m.Ref(m.Of, m.Port.Name)) }

// coverage writes a column Node and a column coverage.
func (m *bidsMember) coverage(w io.Writer) error {
	rows, err := column.Rows[struct {
		Name     string  `column:"name"`
		Coverage float64 `column:"coverage"`
	}](m.Table)
	if err != nil {
		return err
	}
	names, v := make([]string, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		names[i], v[i] = r.Name, r.Coverage
	}
	return writeNamed(w, "Node", names, []string{"coverage"}, v)
}

// edges writes a graph as a matrix: the weight of each edge, 0 where there is none.
func (m *bidsMember) edges(w io.Writer) error {
	g, err := m.graph()
	if err != nil {
		return err
	}
	n := len(g.Nodes)
	v, names := make([]float64, n*n), make([]string, n)
	for i, node := range g.Nodes {
		names[i] = node.Name
	}
	for _, edge := range g.Edges {
		v[edge.Source*n+edge.Target], v[edge.Target*n+edge.Source] = edge.Weight, edge.Weight
	}
	return writeNamed(w, "Node", names, names, v)
}
