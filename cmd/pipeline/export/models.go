package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A Setting is the trained models of one setting, such as those of ridge regression in each fold.
type Setting struct {
	*job
	Stage  *dag.StageNode
	Coords []dag.Coord // of the setting
	Port   dag.Port
	Models []*Model
	// Evaluated are the tables summary of the stages that evaluated the setting, their kinds, and the outputs of the
	// setting that they read.
	Evaluated []*encoding.Table
	Kinds     []string
	Outputs   [][]string
	Judged    []*encoding.Table // the findings of the summaries of the run
}

// A Model is one trained model of a setting.
type Model struct {
	Of   *dag.Node
	Name string // of its file
	File []byte // as it is stored, and later as it is written
	origin
}

// Parameters are all of the task, as its recipe has them.
func (m *Model) Parameters() map[string]string {
	of := map[string]string{}
	for _, p := range param.Values(m.Of.Instance()) {
		of[p.Name] = p.Text
	}
	return of
}

// card is the name under which hubs look for the card of a model.
const card = "README.md"

// digestRow is the row of a file in the card's table of digests.
var digestRow = pattern.New(`(?m)^\| (\S.*?\.npz) \| ([0-9a-f]{64}) \|`)

// CardOf lists the files of a directory of models by its card, with the digests of their contents; nil where there is
// no card, or another one.
func CardOf(dir string) (name string, digests map[string]string, err error) {
	name = filepath.Join(dir, card)
	text, err := regular.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	for _, m := range digestRow.FindAllStringSubmatch(string(text), -1) {
		if digests == nil {
			digests = map[string]string{}
		}
		digests[strings.ReplaceAll(m[1], `\`, "")] = m[2] // Markdown's
	}
	return name, digests, err
}

// IsModelFile reports whether a name is of a model file, and not of what macOS writes beside each file.
func IsModelFile(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".npz") && !strings.HasPrefix(name, ".")
}

// ModelFiles is what a program with models does with their files.
type ModelFiles struct {
	// Write adds the origin to the files of a setting, and writes their card. It reports whether the files are models.
	Write func(*Setting) (card string, is bool, err error)
	// Read reads what a file states, from anywhere.
	Read func(file []byte) (ModelFacts, error)
}

// ModelFacts are what a program asks of a model file.
type ModelFacts struct {
	Model  string // ridge, pr-gnn …
	Number bool   // it predicts a number, and no group
	Graphs bool   // it takes graphs
	Series bool   // it takes time series; matrices otherwise
	ComBat bool   // it has the fit by which its matrices were harmonized
	Stored string // digest of the stored file that this one was exported from; "" where it states none
	// Content is the digest of the content; "" where it states none.
	Content string
	// Measure is what the matrices of the training were, as a column.Data states it; "": unknown.
	Measure string
}

var modelFiles ModelFiles

// RegisterModels sets it, as a rule in the init function of the package that has model files.
func RegisterModels(m ModelFiles) { modelFiles = m }

// HasModels reports whether the program has models.
func HasModels() bool { return modelFiles.Read != nil }

// ReadModel reads what a model file states.
func ReadModel(path string) (f ModelFacts, err error) {
	b, err := regular.ReadFile(path)
	if err == nil {
		f, err = modelFiles.Read(b)
	}
	return f, err
}

// modelWord stands in place of a stage for all trained models, unless a stage is called so.
const modelWord = "model"

// TakeModels sets the format where the word model asks for it; . and .. are directories, too.
func (o *Options) TakeModels() {
	if o.What == modelWord && o.Format == "" && strings.Trim(filepath.Ext(o.Path), ".") == "" {
		o.Format = modelWord
	}
}

// Named are the names of stages and outputs in the options.
func (o *Options) Named() []string {
	if o.Format == modelWord && o.What == modelWord {
		return nil
	}
	return []string{o.What}
}

// writeModels writes the trained models of a run, or those of one stage, as files that travel: each setting into a
// directory of its own, with a card.
func writeModels(a *console.Console, c *results.Current, o Options) error {
	if o.Path == "-" {
		return exit.Wrongf("models are several files; set a directory: -o models/")
	}
	stages, called := c.Pipeline.Graph.Stages(), results.HasStage(c.Pipeline.Graph, o.What)
	var selected []*dag.Node // nil for all
	if o.What != "" && (called || o.What != modelWord) {
		sel, err := results.Choose(c.Pipeline.Graph, o.What)
		if err != nil {
			return err
		}
		stages, selected = []*dag.StageNode{sel.Stage}, sel.Tasks
	}
	x := &job{Console: a, Current: c, Options: o, record: new(record)}
	written := 0
	err := x.together(o.Path, func() error {
		for _, s := range stages {
			for _, one := range x.settings(s) {
				if is, err := one.selected(selected); err != nil {
					return err
				} else if !is {
					continue
				}
				is, err := one.write()
				if err != nil {
					return err
				}
				if is {
					written++
				}
			}
		}
		return nil
	})
	switch {
	case err != nil || written > 0:
	case called && o.What == modelWord: // another stage
		o.Format = ""
		return writeStage(a, c, o)
	default:
		err = exit.Wrongf("no stage of %s trains a model that has a file (kinds train, train-regression, baseline, network, regression; estimator with a linear model of edges)", c.File)
	}
	return err
}

// settings are those of a stage whose outputs may be models.
func (x *job) settings(s *dag.StageNode) (all []*Setting) {
	if len(s.Tasks()) == 0 {
		return nil
	}
	for _, port := range s.Tasks()[0].Instance().Ports().Out {
		if port.Type.Format != "npz" {
			continue
		}
		for _, n := range s.Tasks() {
			if slices.ContainsFunc(n.Coords(), func(c dag.Coord) bool { return c.Axis == "subject" }) {
				continue // a model of one participant does not travel
			}
			coords := column.SettingCoords(n.Coords())
			at := slices.IndexFunc(all, func(o *Setting) bool {
				return o.Port.Name == port.Name && slices.Equal(o.Coords, coords)
			})
			if at < 0 {
				at, all = len(all), append(all, &Setting{job: x, Stage: s, Coords: coords, Port: port})
			}
			rest := slices.DeleteFunc(slices.Clone(n.Coords()),
				func(c dag.Coord) bool { return slices.Contains(coords, c) })
			all[at].Models = append(all[at].Models, &Model{Of: n, Name: memberName(s.Name(), rest) + ".npz"})
		}
	}
	return all
}

// All reports whether the models of all stages are exported.
func (s *Setting) All() bool { return s.What == "" || s.What == modelWord }

// selected reports whether the tasks of a setting are among those, nil for all. A part of them is refused: the card is
// of all its models.
func (s *Setting) selected(tasks []*dag.Node) (bool, error) {
	n := lists.Count(s.Models, func(m *Model) bool { return tasks == nil || slices.Contains(tasks, m.Of) })
	if n > 0 && n < len(s.Models) {
		return false, exit.Wrongf("%s selects %d of the %d models of a setting, and the card is of all: select all of them, or "+
			"export one with pipeline export FILE '%s.%s' -o PATH.npz", s.What, n, len(s.Models), s.Models[0].Of.ID(),
			s.Port.Name)
	}
	return n > 0, nil
}

// dir is the name of the directory of a setting: its stage, and the coordinates that name it.
func (s *Setting) dir() string {
	name := s.Stage.Name()
	for _, c := range s.Coords {
		name += "_" + c.Axis + "-" + c.Value
	}
	return PlainName(name)
}

// write writes the files of a setting, if they are models.
func (s *Setting) write() (is bool, err error) {
	tasks := lists.Map(s.Models, func(m *Model) *dag.Node { return m.Of })
	there, others := s.Shown(tasks)
	sel := &results.Selection{Stage: s.Stage, Tasks: tasks, Port: s.Port, All: tasks}
	switch {
	case len(others) > 0 && !s.Partial:
		return false, s.Missing(s.Console, sel, there, others, partialHint)
	case len(there) == 0:
		return false, nil
	}
	s.Models = slices.DeleteFunc(s.Models, func(m *Model) bool { return !slices.Contains(there, m.Of) })
	for _, m := range s.Models {
		if m.File, err = differ.ReadBlob(s.Store, s.Ref(m.Of, s.Port.Name)); err != nil {
			return false, err
		}
		m.origin = s.origins(s.Port.Name, []*dag.Node{m.Of})[0]
	}
	if err := s.evaluated(); err != nil {
		return false, err
	}
	if !HasModels() {
		return false, nil
	}
	text, is, err := modelFiles.Write(s)
	if err != nil || !is {
		return false, err
	}
	s.output = s.Stage.Name() + "." + s.Port.Name
	dir := filepath.Join(s.Path, s.dir())
	if err := s.refuseOthers(dir); err != nil {
		return false, err
	}
	for _, m := range s.Models {
		if err := s.toFile(filepath.Join(dir, m.Name), console.Content(m.File)); err != nil {
			return false, err
		}
	}
	if err := s.toFile(filepath.Join(dir, card), console.Content([]byte(text))); err != nil {
		return false, err
	}
	s.then(func() {
		if s.JSON {
			s.Object("export", event{Path: dir, Format: modelWord, Stage: s.Stage.Name(), Output: s.Port.Name,
				Tasks: len(there), Sidecar: filepath.Join(dir, card), Missing: results.IDs(others)})
			return
		}
		s.Note("wrote %s/: %s, and their card %s", dir, words.Count(len(there), "model"), card)
	})
	return true, nil
}

// refuseOthers refuses a directory with models that this export does not write, such as one of a former fold: an
// application of the directory would apply them, too.
func (s *Setting) refuseOthers(dir string) error {
	entries, _ := os.ReadDir(dir) // what cannot be read is an error where it is written to
	var others []string
	for _, e := range entries {
		if IsModelFile(e.Name()) && !slices.ContainsFunc(s.Models,
			func(m *Model) bool { return m.Name == e.Name() }) {
			others = append(others, e.Name())
		}
	}
	if others == nil {
		return nil
	}
	return exit.Wrongf("%s has models that are not from this export: %s; remove them, or set another directory", dir,
		words.Some(others, 4))
}

// AtlasName is the atlas of the regions.
func (s *Setting) AtlasName() string {
	label, _ := s.atlasName()
	return label
}

// evaluated reads what evaluated the setting.
func (s *Setting) evaluated() error {
	for _, by := range s.Pipeline.Graph.Stages() {
		if err := s.judged(by); err != nil {
			return err
		}
		if !strings.HasPrefix(by.Kind().Name, "evaluate") || len(by.Axes()) > 0 {
			continue
		}
		there, _ := s.Shown(by.Tasks())
		for _, n := range there {
			var reads []string
			for src := range n.Upstream() {
				if src.Node == s.Models[0].Of {
					reads = append(reads, src.Output)
				}
			}
			port := slices.IndexFunc(n.Instance().Ports().Out, func(p dag.Port) bool { return p.Name == "summary" })
			if reads == nil || port < 0 {
				continue
			}
			got, err := s.Read(n, n.Instance().Ports().Out[port])
			if err != nil {
				return fmt.Errorf("%s: %w", n.ID(), err)
			}
			s.Evaluated, s.Kinds = append(s.Evaluated, got.Table), append(s.Kinds, by.Kind().Name)
			s.Outputs = append(s.Outputs, reads)
		}
	}
	return nil
}

// judged reads the findings of a summary.
func (s *Setting) judged(by *dag.StageNode) error {
	if by.Kind().Name != "summary" {
		return nil
	}
	there, _ := s.Shown(by.Tasks())
	for _, n := range there {
		ports := n.Instance().Ports().Out
		got, err := s.Read(n, ports[slices.IndexFunc(ports, func(p dag.Port) bool { return p.Name == "findings" })])
		if err != nil {
			return fmt.Errorf("%s: %w", n.ID(), err)
		}
		s.Judged = append(s.Judged, got.Table)
	}
	return nil
}

// Behind reports whether a stage made what the models take, or what that was made of.
func (s *Setting) Behind(stage string) bool {
	seen := map[*dag.Node]bool{}
	var behind func(n *dag.Node) bool
	behind = func(n *dag.Node) bool {
		seen[n] = true
		for src := range n.Upstream() {
			if src.Node.Stage().Name() == stage || !seen[src.Node] && behind(src.Node) {
				return true
			}
		}
		return false
	}
	return behind(s.Models[0].Of)
}

// MadeBy are the tasks of a kind that made what the models take. A check gives leave, and no data.
func (s *Setting) MadeBy(kind string) (all []*dag.Node) {
	seen := map[*dag.Node]bool{}
	var above func(n *dag.Node)
	above = func(n *dag.Node) {
		for src := range n.Upstream() {
			_, check := src.Node.Instance().(role.Check)
			if seen[src.Node] || check {
				continue
			}
			if seen[src.Node] = true; src.Node.Stage().Kind().Name == kind {
				all = append(all, src.Node)
			}
			above(src.Node)
		}
	}
	for _, m := range s.Models {
		above(m.Of)
	}
	return all
}

// Is reports whether the coordinates of a row of an evaluation are those of the setting, of any of its outputs.
func (s *Setting) Is(row []dag.Coord) bool {
	own := append(slices.Clone(s.Coords), dag.Coord{Axis: "stage", Value: s.Stage.Name()})
	for _, c := range column.Without(row, column.Output) {
		at := slices.IndexFunc(own, func(o dag.Coord) bool { return o.Axis == c.Axis })
		if c.Value != "" && (at < 0 || own[at].Value != c.Value) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Coords, func(o dag.Coord) bool {
		at := slices.IndexFunc(row, func(c dag.Coord) bool { return c.Axis == o.Axis })
		return at >= 0 && row[at].Value != o.Value
	})
}
