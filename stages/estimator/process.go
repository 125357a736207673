package estimator

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/sandbox"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/command"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
)

//go:embed host.py
var host []byte

// A dataset is what X is made of, graph by graph in the order of the set.
type dataset struct {
	input   string
	set     *learn.Set
	values  [][]float64 // of edges, matrices, series
	graphs  []gnn.Data
	shape   []int // of one graph; of series, of one volume
	width   int   // numbers a graph
	regions int
}

func (s *Estimator) read(t *dag.Task) (d *dataset, err error) {
	d = &dataset{input: s.Input}
	switch s.Input {
	case "edges":
		if d.set, d.values, d.regions, err = learn.ReadVectors(t, s.Params, s.Diagonal); err == nil {
			d.width = len(d.values[0])
			d.shape = []int{d.width}
		}
	case "matrices":
		d.set, d.values, d.regions, err = learn.ReadMatrices(t, s.Params)
		d.shape, d.width = []int{d.regions, d.regions}, d.regions*d.regions
	case "series":
		d.set, d.values, d.regions, err = learn.ReadSeries(t, s.Params)
		d.shape, d.width = []int{d.regions}, d.regions
	default:
		if d.set, d.graphs, err = learn.ReadGraphs(t, s.Params); err == nil {
			d.regions = d.graphs[0].Nodes
			d.width = len(d.graphs[0].Features)
			d.shape = []int{d.regions, d.width / d.regions}
		}
	}
	if err != nil {
		return nil, err
	}
	for i, g := range d.graphs {
		if g.Nodes != d.regions {
			return nil, fmt.Errorf("%s: %d nodes, but other participants have %d: use the same atlas for all", d.set.Rows()[i].Id, g.Nodes, d.regions)
		}
	}
	if numbers := d.set.Groups()[0] == ""; numbers != (s.Predicts == "number") {
		return nil, fmt.Errorf("%s: the folds are of %s: set predicts: %[2]s", t.In("folds").Name, map[bool]string{false: "groups", true: "number"}[numbers])
	}
	return d, nil
}

// arrays are X of some rows, by the names of their files.
func (d *dataset) arrays(rows []int) map[string]*encoding.Array {
	all := map[string]*encoding.Array{}
	var x []float64
	ptr := []int64{0}
	if d.graphs == nil {
		for _, i := range rows {
			x = append(x, d.values[i]...)
			ptr = append(ptr, int64(len(x)/d.shape[len(d.shape)-1]))
		}
		n := len(rows)
		if d.input == "series" {
			all["ptr"], n = encoding.NewArray(ptr, len(ptr)), int(ptr[len(rows)])
		}
		all["x"] = encoding.NewArray(x, append([]int{n}, d.shape...)...)
		return all
	}
	var source, target []int64
	var weight []float64
	for _, i := range rows {
		g := d.graphs[i]
		x = append(x, g.Features...)
		edges := g.Edges
		for _, e := range edges {
			source, target = append(source, int64(e.Source)), append(target, int64(e.Target))
			weight = append(weight, e.Weight)
		}
		for _, e := range edges { // the other direction
			source, target = append(source, int64(e.Target)), append(target, int64(e.Source))
			weight = append(weight, e.Weight)
		}
		ptr = append(ptr, int64(len(weight)))
	}
	all["x"] = encoding.NewArray(x, append([]int{len(rows)}, d.shape...)...)
	all["edge_index"] = encoding.NewArray(append(source, target...), 2, len(source))
	all["edge_attr"], all["edge_ptr"] = encoding.NewArray(weight, len(weight)), encoding.NewArray(ptr, len(ptr))
	return all
}

// A task is what host.py is to do.
type task struct {
	Contract   int            `json:"contract"`
	Do         string         `json:"do"` // fit, predict, repeat
	Factory    string         `json:"factory"`
	Parameters map[string]any `json:"parameters"`
	Input      string         `json:"input"`
	Classes    []string       `json:"classes"` // sorted; none of a number
	Regions    int            `json:"regions"`
	Seed       uint32         `json:"seed"`
	Files      []string       `json:"files"` // of the code
	Outputs    []string       `json:"outputs"`
	Time       float64        `json:"time"`      // s; 0: no limit
	Memory     int64          `json:"memory"`    // bytes; 0: no limit
	Processes  int            `json:"processes"` // 0: no limit
	Confined   bool           `json:"confined"`
}

// arguments are those of the factory.
func (s *Estimator) arguments() (map[string]any, error) {
	all := map[string]any{}
	for _, entry := range s.Parameters {
		name, value, ok := strings.Cut(entry, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", entry)
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("%s is set twice", name)
		}
		var v any
		if json.Unmarshal([]byte(value), &v) != nil {
			v = strings.TrimSpace(value)
		}
		all[name] = v
	}
	return all, nil
}

// What is left over the user's limit before the process is killed, s, and how many processes a confined one may have.
const (
	margin    = 30
	processes = 256
)

// command is the process of the model as a command of the kind exec, which knows environments and sandboxes.
func (s *Estimator) command(connected func(port string) bool, strict bool) *command.Exec {
	e := &command.Exec{Strict: strict, Promises: s.Promises,
		Environment: []string{"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "OMP_NUM_THREADS=1",
			"OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1", "VECLIB_MAXIMUM_THREADS=1",
			"CUBLAS_WORKSPACE_CONFIG=:4096:8"}}
	python := interpreter(s.Python)
	if connected(lockPort) {
		e.Python, python = s.Python, "{python}"
	} else if strict {
		e.Software = command.Software(python)
	}
	if s.TimeLimit > 0 {
		e.TimeLimit = s.TimeLimit + margin
	}
	e.Command = []string{python, "-s", "{host}", "{task}", "{message}"}
	return e
}

// interpreters are the programs that names stand for, where these are scripts that look for one (pyenv, asdf).
var interpreters sync.Map

// interpreter is the Python that a name stands for: of a script, what it starts.
func interpreter(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return name
	}
	start := make([]byte, 2)
	if f, err := os.Open(path); err == nil {
		_, _ = io.ReadFull(f, start)
		f.Close()
	}
	if string(start) != "#!" {
		return name
	}
	find, _ := interpreters.LoadOrStore(path, sync.OnceValue(func() string {
		out, err := exec.Command(path, "-c", "import sys; print(sys.executable)").Output()
		if found := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(found) {
			return found
		}
		return name
	}))
	return find.(func() string)()
}

// A result is what a process gave.
type result struct {
	message
	model      []byte
	prediction [][]float64 // row by row
	scores     [][]float64 // nil: none
	coef       [][]float64 // nil: none
	offset     [][]float64 // of a linear model, one for each row of coef
	handed     column.Handed
}

// A message is what a process reports of itself.
type message struct {
	Event    string   `json:"event"` // done, contract, dependent, failed, outside, memory, slow, killed, exit, numpy
	Step     string   `json:"step"`  // start, or the method that ran last
	What     string   `json:"what"`
	Type     string   `json:"type"`     // of the model
	Used     []string `json:"used"`     // of the optional arguments of fit
	Pairs    int      `json:"pairs"`    // rows of coef_ that are not weights of groups
	Unlinear string   `json:"unlinear"` // why the model is not a linear one of edges
	// Contradicted is for how many rows predict gives a group other than that of the highest probability.
	Contradicted int    `json:"contradicted"`
	Error        string `json:"error"`
	File         string `json:"file"`
	Line         int    `json:"line"`
	Function     string `json:"function"`
	Source       string `json:"source"`
	Missing      string `json:"missing"` // module
}

// hand is what a process gets: the task and the data of some rows. Labels and numbers of participants are those of fit
// alone.
func (s *Estimator) hand(t *dag.Task, d *dataset, do string, rows []int, model []byte,
	confined bool) (map[string][]dag.Input, *task, error) {
	files, err := s.files(t)
	if err != nil {
		return nil, nil, err
	}
	arguments, err := s.arguments()
	if err != nil {
		return nil, nil, err
	}
	of := &task{Contract: 1, Do: do, Factory: s.Factory, Parameters: arguments, Input: s.Input, Regions: d.regions,
		Seed: random.New(s.Seed, s.Stream("estimator", do)...).Uint32(), Files: files,
		Time: s.TimeLimit, Memory: int64(s.Memory * (1 << 30)), Outputs: []string{"prediction.npy", "scores.npy"}}
	if s.Predicts == "groups" {
		of.Classes = d.set.Groups()
	}
	if confined {
		of.Processes, of.Confined = processes, true
	}
	in := map[string][]dag.Input{"host": {dag.InputOf(artifacts.Bytes{Kind: "py", Data: host})},
		codePort: t.All(codePort), lockPort: t.All(lockPort), packagesPort: t.All(packagesPort)}
	for name, a := range d.arrays(rows) {
		in[name] = []dag.Input{streamed(a)}
	}
	all := d.set.Rows()
	if do != "fit" {
		for _, i := range rows {
			if all[i].Side != 1 {
				return nil, nil, fmt.Errorf("leakage: %s would be predicted as a test participant, but is not one", all[i].Id)
			}
		}
		in["model"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "pkl", Data: model})}
	} else {
		of.Outputs = append(of.Outputs, "coef.npy", "offset.npy", "model.pkl")
		y := encoding.NewArray(lists.Map(rows, func(i int) int32 { return int32(all[i].Label) }), len(rows))
		if of.Classes == nil {
			y = encoding.NewArray(lists.Map(rows, func(i int) float64 { return all[i].Target }), len(rows))
		}
		in["y"] = []dag.Input{streamed(y)}
		numbers, err := numbered(all, rows, random.New(s.Seed, s.Stream("estimator", "groups")...))
		if err != nil {
			return nil, nil, err
		}
		in["groups"] = []dag.Input{streamed(encoding.NewArray(numbers, len(rows)))}
	}
	text, err := json.Marshal(of)
	in["task"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "json", Data: text})}
	return in, of, err
}

// handedOver counts what a process gets of the identity of its rows.
func handedOver(in map[string][]dag.Input, all []fold.Row, rows []int) column.Handed {
	h := column.Handed{Rows: len(rows)}
	for _, port := range []string{"y", "groups"} {
		if in[port] != nil {
			h.Labels += len(rows)
		}
	}
	text, _ := in["task"][0].Bytes() // from memory
	for _, i := range rows {
		if bytes.Contains(text, []byte(strconv.Quote(all[i].Id))) {
			h.IDs++
		}
	}
	return h
}

// numbered gives the participants of the training rows numbers in a random order.
func numbered(all []fold.Row, rows []int, r *random.Stream) ([]int32, error) {
	at := map[string]int32{}
	for _, i := range rows {
		if all[i].Side != 0 {
			return nil, fmt.Errorf("leakage: the model would be fitted to %s, who is not a training participant", all[i].Id)
		}
		if _, known := at[all[i].Id]; !known {
			at[all[i].Id] = int32(len(at))
		}
	}
	order := r.Perm(len(at))
	return lists.Map(rows, func(i int) int32 { return int32(order[at[all[i].Id]]) }), nil
}

// streamed is an array as an input that is encoded while it is read.
func streamed(a *encoding.Array) dag.Input {
	return dag.Input{Name: "data", Ref: artifacts.Ref{Format: "npy"}, Reader: func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { w.CloseWithError(a.Encode(w)) }()
		return r, nil
	}}
}

// start runs one process and reads what it gave.
func (s *Estimator) start(ctx context.Context, t *dag.Task, d *dataset, do string, rows []int, model []byte) (*result,
	error) {
	confined := s.Sandbox == "require" || s.Sandbox == "auto" && sandbox.Available() == nil
	if !confined {
		fmt.Fprintf(t.Log(), "the process is not isolated: it may read all files and use the network\n")
	}
	in, of, err := s.hand(t, d, do, rows, model, confined)
	if err != nil {
		return nil, err
	}
	handed := handedOver(in, d.set.Rows(), rows)
	if do != "fit" && handed.Labels+handed.IDs > 0 {
		return nil, fmt.Errorf("leakage: the process that predicts would have %d labels and %d ids of test rows", handed.Labels, handed.IDs)
	}
	e := s.command(t.Has, confined)
	for name := range in {
		switch name {
		case codePort:
			e.Inputs = append(e.Inputs, name+"*")
		case lockPort, packagesPort:
		default:
			e.Inputs = append(e.Inputs, name+"="+in[name][0].Ref.Format)
		}
	}
	slices.Sort(e.Inputs)
	e.Outputs = []string{"message=json"}
	for _, name := range of.Outputs {
		e.Outputs = append(e.Outputs, strings.Replace(name, ".", "=", 1))
	}
	inner := dag.Wiring{Inputs: in, Log: t.Log(), Progress: t.Progress, Checkpoint: t.Checkpoint,
		SaveCheckpoint: t.SaveCheckpoint, TookMemory: t.TookMemory}.Task(t.ID, nil, 1)
	if _, err := exec.LookPath(s.Python); errors.Is(err, fs.ErrPermission) && !t.Has(lockPort) {
		return nil, &machine.Fault{Err: fmt.Errorf("python: %s cannot be read or run by you (permission denied): change its permissions or those of the directories above it, or set python to another", s.Python)}
	} else if err != nil && !t.Has(lockPort) {
		return nil, &machine.Fault{Err: fmt.Errorf("python: there is no program %s: install Python 3.10 or later, or set python to one", s.Python)}
	}
	out, err := e.Run(ctx, inner)
	if out != nil && out["message"] == nil {
		err = errors.New("the process ended without a result: let the model raise an exception instead")
	}
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", s.Factory, do, err)
	}
	r := &result{handed: handed}
	if err := errors.Join(decode(out["message"], &r.message), r.refusal(s)); err != nil {
		return nil, err
	}
	if do == "fit" {
		if r.model, err = encoded(out["model"]); err != nil {
			return nil, err
		}
		if r.coef, err = matrix(out["coef"]); err == nil {
			r.offset, err = matrix(out["offset"])
		}
		if err != nil {
			return nil, err
		}
	}
	if r.prediction, err = matrix(out["prediction"]); err == nil {
		r.scores, err = matrix(out["scores"])
	}
	if err == nil && len(r.prediction) != len(rows) {
		err = fmt.Errorf("%s: the process gave %d predictions of %d rows", s.Factory, len(r.prediction), len(rows))
	}
	return r, err
}

// place is the user's line, with a colon behind it, or nothing.
func (m *message) place() string {
	if m.File == "" {
		return ""
	}
	place := fmt.Sprintf("%s:%d", m.File, m.Line)
	if m.Function != "" && m.Function != "<module>" {
		place += " in " + m.Function
	}
	if source := strings.TrimRight(m.Source, ": "); source != "" { // def fit(self, X, y):
		place += ": " + source
	}
	return place + ": "
}

// dependent is the error of a model whose predictions of the same rows differ.
func (m *message) dependent(how string) error {
	at := ""
	if m.File != "" {
		at = fmt.Sprintf("%s:%d: ", m.File, m.Line)
	}
	return fmt.Errorf("%sleakage: predictions of %s.%s for the same test rows %s: the prediction for one participant depends on other test participants, on earlier calls or on chance. Use only what fit computed and the row itself: no mean, scale or rank over the rows, no value kept from an earlier call, no dropout or random step (repeat_check in docs/your-own-model.md)",
		at, m.Type, m.Function, how)
}

// refusal is why a process gave no result, with the user's line.
func (m *message) refusal(s *Estimator) error {
	place, step := m.place(), m.Step+" of "+s.Factory
	switch m.Event {
	case "done":
		return nil
	case "contract":
		return fmt.Errorf("%s%s: %s (pipeline stages estimator describes what a model has)", place, s.Factory, m.What)
	case "dependent":
		return m.dependent(m.What)
	case "outside":
		return fmt.Errorf("%s%s writes to %s, outside the directories of the process, where nothing is kept: set what predict needs as an attribute of the model, and write other files to the current directory or to tempfile's, which are removed when the process ends (sandbox: none lets the model write anywhere)",
			place, step, m.What)
	case "memory":
		return &machine.Fault{Err: fmt.Errorf("%s%s needs more memory than memory_limit, %g GiB: raise it, or use fewer participants or draws", place, step, s.Memory), OfStage: true}
	case "slow":
		return &machine.Fault{Err: fmt.Errorf("%s%s was stopped after %g s (time_limit): raise time_limit, or use fewer participants or draws", place, step, s.TimeLimit), OfStage: true}
	case "killed":
		why := "a library of the model crashed, or the model killed itself"
		if m.What == "SIGKILL" {
			why = "the system ends processes so when memory runs out; use fewer participants or draws, or a machine with more memory"
		}
		return &machine.Fault{Err: fmt.Errorf("%sthe signal %s ended %s: %s (see the log)", place, m.What, step, why), OfStage: true}
	case "exit":
		return fmt.Errorf("%s%s ended the process with exit status %s: raise an exception instead, or return", place, step, m.What)
	case "numpy":
		return &machine.Fault{Err: fmt.Errorf("python: %s has no numpy (%s): add it to requirements, or set python to an environment that has it", s.Python, m.What)}
	case "failed":
		text := m.Error
		if m.What != "" {
			text += ": " + m.What
		}
		if m.Missing != "" {
			text += ": add the package to requirements, or install it into the environment of python; a module of your own belongs in the directory of the input code"
		}
		return errors.New(place + text + " (the log has the whole traceback)")
	}
	return fmt.Errorf("%s: the process reports %q, which is unknown", s.Factory, m.Event)
}

func encoded(v artifacts.Value) ([]byte, error) {
	var b bytes.Buffer
	err := v.Encode(&b)
	return b.Bytes(), err
}

func decode(v artifacts.Value, to any) error {
	b, err := encoded(v)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	return err
}

// matrix is a two-dimensional array by its rows, or an array of one number a row; nil without elements.
func matrix(v artifacts.Value) ([][]float64, error) {
	b, err := encoded(v)
	if err != nil {
		return nil, err
	}
	a, err := encoding.DecodeArray(b)
	if err != nil || a.Len() == 0 {
		return nil, err
	}
	return slices.Collect(slices.Chunk(a.Float64s(), a.Len()/a.Shape[0])), nil
}
