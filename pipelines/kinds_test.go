package pipelines

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	_ "prgnn/stages"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// The kinds that these tests build graphs of. Nothing here is run.

func init() {
	array := dag.NPY("<f8", "draw", "time", "roi")
	matrix := dag.NPY("<f8", "draw", "roi", "roi")
	register := func(name string, s func() dag.Stage) {
		dag.Register(&dag.Kind{Name: name, New: s, Code: name})
	}
	register("t-clean", func() dag.Stage {
		return &clean{Detrend: 1, with: with{dag.Ports{
			In: []dag.Port{
				{Name: "scan", Type: dag.Format("nifti")},
				{Name: "confounds", Type: dag.Format("tsv"), Optional: true},
				{Name: "truth", Type: dag.Arrow(), Optional: true},
			},
			Out: []dag.Port{{Name: "series", Type: array}, {Name: "quality", Type: dag.Arrow("volumes")}},
		}}}
	})
	register("t-correlate", func() dag.Stage {
		return &correlate{Estimator: "empirical", with: with{dag.Ports{
			In:  []dag.Port{{Name: "series", Type: array}},
			Out: []dag.Port{{Name: "pearson", Type: matrix}, {Name: "partial", Type: matrix}},
		}}}
	})
	register("t-graph", func() dag.Stage {
		return &graphs{Density: 0.1, with: with{dag.Ports{
			In:  []dag.Port{{Name: "pearson", Type: matrix}, {Name: "partial", Type: matrix}},
			Out: []dag.Port{{Name: "edges", Type: dag.Arrow("source", "target")}},
		}}}
	})
	register("t-split", func() dag.Stage {
		return &split_{Folds: 5, with: with{dag.Ports{
			In:  []dag.Port{{Name: "participants", Type: dag.Arrow("participant_id", "group")}},
			Out: []dag.Port{{Name: "folds", Type: dag.Arrow("participant_id", "fold")}},
		}}}
	})
	register("t-train", func() dag.Stage {
		return &train{Pool: "topk", Lambda: []float64{0.1, 0.1}, with: with{dag.Ports{
			In: []dag.Port{{Name: "edges", Type: dag.Arrow("source"), Gather: true},
				{Name: "folds", Type: dag.Arrow("fold")}},
			Out: []dag.Port{{Name: "predictions", Type: dag.Arrow("label")},
				{Name: "history", Type: dag.Arrow("epoch")}},
		}}}
	})
	register("t-evaluate", func() dag.Stage {
		return &evaluate{with: with{dag.Ports{
			In: []dag.Port{{Name: "predictions", Type: dag.Arrow("label"), Gather: true},
				{Name: "extra", Gather: true, Optional: true}},
			Out: []dag.Port{{Name: "scores", Type: dag.Arrow("accuracy")}},
		}}}
	})
	register("t-gather", func() dag.Stage {
		return &gatherer{with{dag.Ports{In: []dag.Port{{Name: "all", Gather: true}}, Out: []dag.Port{{Name: "out"}}}}}
	})
	register("t-check", func() dag.Stage {
		return &ownCheck{with: with{dag.Ports{In: []dag.Port{{Name: "of"}}, Out: []dag.Port{{Name: "figure",
			Type: dag.Format("svg")},
			{Name: "checks", Type: dag.Arrow("check", "of", "found")}}}}}
	})
	register("t-silent-check", func() dag.Stage {
		return &ownCheck{with: with{dag.Ports{In: []dag.Port{{Name: "of"}}, Out: []dag.Port{{Name: "text",
			Type: dag.Format("text")}}}}}
	})
	register("t-free", func() dag.Stage { return &free{} })
	register("t-maker", func() dag.Stage { return &maker{} })

	cohort.Register(cohort.Source{Name: "t-files",
		New: func() cohort.Loader { return &peopled{Folder: "scans", People: 3} }})
	cohort.Register(cohort.Source{Name: "t-runs", New: func() cohort.Loader { return &runs{} }})
	cohort.Register(cohort.Source{Name: "t-moved", New: func() cohort.Loader { return &moved{} }})
	cohort.Register(cohort.Source{Name: "t-made", New: func() cohort.Loader { return &made{People: 3} }})
}

type with struct{ ports dag.Ports }

func (w *with) Ports() dag.Ports { return w.ports }
func (w *with) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return nil, errors.New("never run")
}

type gatherer struct{ with }

// An ownCheck is one of a lab's own.
type ownCheck struct {
	with
	Admitted bool `param:"admitted"`
}

func (c *ownCheck) Admits() bool { return c.Admitted }

type clean struct {
	with
	Detrend int     `param:"detrend" min:"0" max:"4"`
	TR      float64 `param:"tr"`
	Seed    uint64  `param:"seed"`
	Subject string  `param:"subject"`
}

type correlate struct {
	with
	Estimator string `param:"estimator" choices:"empirical|ledoit-wolf"`
	FisherZ   bool   `param:"fisher_z"`
}

type graphs struct {
	with
	Density  float64  `param:"density" min:"0" max:"1"`
	Features []string `param:"features"`
}

type split_ struct {
	with
	Folds int    `param:"folds" min:"2"`
	Seed  uint64 `param:"seed"`
}

type train struct {
	with
	Pool   string    `param:"pool" choices:"topk|sage"`
	Lambda []float64 `param:"lambda"`
	Fold   int       `param:"fold"`
	Epochs int       `param:"epochs"`
	Batch  int       `param:"batch"`
}

func (t *train) Validate() []error {
	var wrong []error
	if t.Batch > 0 && t.Epochs == 0 {
		wrong = append(wrong, fmt.Errorf("batch is %d, and epochs is 0", t.Batch))
	}
	if len(t.Lambda) != 2 {
		wrong = append(wrong, fmt.Errorf("lambda has %d values, not 2", len(t.Lambda)))
	}
	return wrong
}

type evaluate struct {
	with
	Positive string `param:"positive"`
}

// free has the ports that its parameters name.
type free struct {
	Inputs  []string `param:"inputs"`
	Outputs []string `param:"outputs"`
	Command []string `param:"command"`
}

func (f *free) Ports() (p dag.Ports) {
	for _, name := range f.Inputs {
		p.In = append(p.In, dag.Port{Name: name})
	}
	for _, name := range f.Outputs {
		p.Out = append(p.Out, dag.Port{Name: name, Type: dag.Format("npy")})
	}
	return p
}

func (f *free) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return nil, errors.New("never run")
}

// peopled are people with scans; number two may lack one, and number three be
// impossible.
type peopled struct {
	Folder     string `param:"folder"`
	People     int    `param:"people" min:"0" max:"100"`
	Lacking    bool   `param:"lacking"`
	Impossible bool   `param:"impossible"`
	Seed       uint64 `param:"seed"`
}

func people(n int) (ids []string, table *encoding.Table) {
	var groups []string
	var ages []int64
	for i := range n {
		ids = append(ids, fmt.Sprintf("sub-%03d", i+1))
		groups = append(groups, []string{"A", "B"}[i%2])
		ages = append(ages, int64(20+i))
	}
	return ids, encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "age", Values: ages})
}

func nodesOf() *encoding.Table {
	return encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2}},
		encoding.Column{Name: "id", Values: []int32{1, 2}}, encoding.Column{Name: "name", Values: []string{"L", "R"}})
}

func (c *peopled) Load(dir string) (*cohort.Roster, error) {
	if c.Folder == "nowhere" {
		return nil, errors.Join(errors.New("folder: there is no nowhere"), errors.New("and nobody in it"))
	}
	ids, table := people(c.People)
	r := &cohort.Roster{Participants: table, Nodes: nodesOf(), Notes: []column.Note{{Text: "a test"}},
		Files: map[string]dag.Type{"bold": dag.Format("nifti"), "confounds": dag.Format("tsv")}}
	for i, id := range ids {
		s := cohort.Subject{ID: id, Files: map[string]string{"bold": filepath.Join("/", c.Folder, id+".nii.gz"),
			"confounds": "/" + id + ".tsv"}}
		if i == 1 && c.Lacking {
			s.Files = nil
		}
		if i == 2 && c.Impossible {
			s.Problem = errors.New("participants.csv:4: participant sub-003 has no group")
		}
		r.Subjects = append(r.Subjects, s)
	}
	return r, nil
}

// moved gives labels that lie in another space than the scan.
type moved struct{}

func (*moved) Load(string) (*cohort.Roster, error) {
	ids, table := people(1)
	return &cohort.Roster{Participants: table, Nodes: nodesOf(),
		Files: map[string]dag.Type{"bold": dag.Format("nifti"), "labels": dag.Format("nifti"),
			"transform": dag.Format("itk")},
		Subjects: []cohort.Subject{{ID: ids[0], Files: map[string]string{"bold": "/b", "labels": "/l",
			"transform": "/t"}}}}, nil
}

// runs gives the first of two people two scans, and the second one.
type runs struct {
	Sessions bool `param:"sessions"`
}

func (c *runs) Load(string) (*cohort.Roster, error) {
	ids, table := people(2)
	run := func(name string) cohort.Run {
		return cohort.Run{Name: name, Files: map[string]string{"bold": "/" + name}}
	}
	return &cohort.Roster{Participants: table, Nodes: nodesOf(), PerRun: true, Sessions: c.Sessions,
		Files: map[string]dag.Type{"bold": dag.Format("nifti")},
		Subjects: []cohort.Subject{{ID: ids[0], Runs: []cohort.Run{run("10"), run("2")}},
			{ID: ids[1], Runs: []cohort.Run{run("2")}}}}, nil
}

type made struct {
	People int    `param:"people"`
	Seed   uint64 `param:"seed"`
}

func (c *made) Load(string) (*cohort.Roster, error) {
	ids, table := people(c.People)
	r := &cohort.Roster{Participants: table, Nodes: nodesOf(), Extra: map[string]artifacts.Value{"truth": nodesOf()},
		Make: func(id string) dag.Stage { return &maker{Subject: id, Seed: c.Seed} }, MakeKind: "t-maker",
		Files: map[string]dag.Type{"bold": dag.Format("nifti")}}
	for _, id := range ids {
		r.Subjects = append(r.Subjects, cohort.Subject{ID: id})
	}
	return r, nil
}

type maker struct {
	Subject string `param:"subject"`
	Seed    uint64 `param:"seed"`
}

func (*maker) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "bold", Type: dag.Format("nifti")}}}
}
func (*maker) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return nil, errors.New("never run")
}
