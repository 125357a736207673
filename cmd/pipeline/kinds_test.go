package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	_ "prgnn/cmd/pipeline/imaging"
	"prgnn/dag"
	"prgnn/internal/lists"
	_ "prgnn/stages"
	"prgnn/stages/role"
)

// Stage kinds for the stories: a program of one's own has kinds of its own.

func init() {
	dag.Register(&dag.Kind{Name: "slow", Doc: "takes its time", Code: "slow 1",
		New: func() dag.Stage { return &slow{Milliseconds: 100} }})
	dag.Register(&dag.Kind{Name: "faulty", Doc: "goes wrong", Code: "faulty 1",
		New: func() dag.Stage { return &faulty{How: "error"} }})
	dag.Register(&dag.Kind{Name: "fickle", Doc: "never gives the same twice", Code: "fickle 1", New: func() dag.Stage { return &fickle{} }})
	dag.Register(&dag.Kind{Name: "letter", Doc: "writes a text for a person", Code: "letter 1", New: func() dag.Stage { return &letter{} }})
}

func init() {
	dag.Register(&dag.Kind{Name: "drift", Doc: "nearly gives the same twice", Code: "drift 1", New: func() dag.Stage { return &drift{} }})
	dag.Register(&dag.Kind{Name: "threaded", Doc: "depends on the number of threads, which a stage must not",
		Code: "threaded 1", New: func() dag.Stage { return &threaded{} }})
	dag.Register(&dag.Kind{Name: "judge", Doc: "a conclusion: which rows are above a threshold", Code: "judge 1", New: func() dag.Stage { return &judge{} }})
}

// drift gives a table whose numbers differ each time by about one in 10¹⁰.
type drift struct {
	Promises string `param:"promise" doc:"what it promises"`
}

func (*drift) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "table", Type: dag.Arrow("subject", "score"), Doc: "three scores"}}}
}

func (d *drift) Promise() role.Promise {
	p, err := role.ParsePromise(d.Promises)
	if err != nil {
		panic(err)
	}
	return p
}

func (*drift) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	noise := 1e-10 * (1 + float64(time.Now().UnixNano()%1e6)/1e6)
	return dag.Outputs{"table": encoding.NewTable(
		encoding.Column{Name: "subject", Values: []string{"sub-a", "sub-b", "sub-c"}},
		encoding.Column{Name: "score", Values: []float64{1, 2 + noise, 3}})}, nil
}

type threaded struct{}

func (*threaded) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "n", Type: dag.NPY("<f8"), Doc: "how many threads it had"}}}
}

func (*threaded) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"n": encoding.NewArray([]float64{float64(t.Threads)})}, nil
}

type judge struct {
	Above float64 `param:"above" doc:"the threshold"`
}

func (*judge) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "table", Type: dag.Arrow("subject", "score"), Doc: "scores"}},
		Out: []dag.Port{{Name: "verdict", Type: dag.Arrow("subject", "above"), Doc: "who is above"}},
	}
}

func (j *judge) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	table, err := t.In("table").Table()
	if err != nil {
		return nil, err
	}
	subjects, _ := table.Strings("subject")
	scores, _ := table.Floats("score")
	above := lists.Map(scores, func(x float64) bool { return x > j.Above })
	return dag.Outputs{"verdict": encoding.NewTable(encoding.Column{Name: "subject", Values: subjects},
		encoding.Column{Name: "above", Values: above})}, nil
}

type slow struct {
	Milliseconds int    `param:"milliseconds" doc:"how long it takes" unit:"ms" min:"0"`
	Value        string `param:"value" doc:"tells tasks apart"`
	Stubborn     bool   `param:"stubborn" doc:"do not listen when told to stop"`
}

func (*slow) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "steps", Type: dag.NPY("<i4", "step"), Doc: "ten numbers"}},
	}
}

func (s *slow) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if s.Stubborn { // a sign that it runs, for the command signal of the scripts
		if err := t.SaveCheckpoint([]byte("begun")); err != nil {
			return nil, err
		}
	}
	for i := range 10 {
		t.Progress(i, 10, fmt.Sprintf("step %d", i))
		told := ctx.Done()
		if s.Stubborn {
			told = nil
		}
		select {
		case <-told:
			return nil, ctx.Err()
		case <-time.After(time.Duration(s.Milliseconds) * time.Millisecond / 10):
		}
	}
	steps := make([]int32, 10)
	for i := range steps {
		steps[i] = int32(i)
	}
	for _, c := range s.Value { // others for each value
		steps[0] += c
	}
	return dag.Outputs{"steps": encoding.NewArray(steps, 10)}, nil
}

type faulty struct {
	How   string   `param:"how" doc:"in which way" choices:"error|panic|none"`
	Value string   `param:"value" doc:"tells tasks apart"`
	Fine  []string `param:"fine" doc:"values that do not go wrong"`
}

func (*faulty) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "value", Type: dag.NPY("<f8"), Doc: "a number"}},
	}
}

func (f *faulty) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	for _, v := range f.Fine {
		if v == f.Value {
			return dag.Outputs{"value": encoding.NewArray([]float64{1})}, nil
		}
	}
	switch f.How {
	case "panic":
		panic("a bug of the stage")
	case "none":
		return nil, nil
	}
	return nil, errors.New("the scan has no voxels; export it again")
}

type fickle struct{}

func (*fickle) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "time", Type: dag.NPY("<f8", "place"), Doc: "the clock, which a stage must not read"}}}
}

func (*fickle) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"time": encoding.NewArray([]float64{1, float64(time.Now().UnixNano()), 3}, 3)}, nil
}

type letter struct {
	Text string `param:"text" doc:"what it says"`
}

func (*letter) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "input", Optional: true, Doc: "anything"}},
		Out: []dag.Port{{Name: "text", Type: dag.Format("text"), Doc: "the letter"}},
	}
}

func (l *letter) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"text": artifacts.Text(l.Text + "\n")}, nil
}
