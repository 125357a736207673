package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"prgnn/connectivity"
	"prgnn/connectivity/tangent"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var tangentKind = dag.Kind{
	Name: "tangent",
	Doc: "fits the reference of the tangent space to training participants\n" +
		"The reference G is a mean of their covariance matrices (draw 0 of each participant). The kind project then maps the matrices of every participant to log(G^-1/2 C G^-1/2) (Varoquaux et al. 2010). Test participants of the fold are not used: fan out over the folds (matrix: { fold: all }), and everything after it too. " +
		"Connect fitted to the stages leakage and baseline; both check that. With stop: nilearn the numbers are those of nilearn's ConnectivityMeasure(kind=\"tangent\").",
	New: func() dag.Stage {
		return &Tangent{Fold: 1, Repeat: 1, Reference: "geometric", ZScore: true, Stop: "tolerance", Tolerance: 1e-10,
			Regions: "shared"}
	},
	MaxThreads: 8,
	Memory:     64 << 20,
}

var (
	_ role.PortUser = (*Tangent)(nil)
	_ role.Tester   = (*Tangent)(nil)
	_ role.Reader   = (*Tangent)(nil)
)

// Tangent fits a reference.
type Tangent struct {
	Fold      int     `param:"fold" doc:"the test fold, which is not used" min:"1"`
	Repeat    int     `param:"repeat" doc:"the assignment to folds" min:"1"`
	Reference string  `param:"reference" doc:"geometric: geometric mean of the training participants; controls: geometric mean of those of the group controls; euclidean: arithmetic mean; logeuclidean: exponential of the mean logarithm" choices:"geometric|controls|euclidean|logeuclidean"`
	Controls  string  `param:"controls" doc:"reference: controls: the group"`
	ZScore    bool    `param:"zscore" doc:"scale each covariance matrix to a diagonal of 1, as of z-scored series; false: as it is, as nilearn does for its kind tangent; the gain of the scanner is then among the features"`
	Stop      string  `param:"stop" doc:"geometric, controls: tolerance, below; nilearn: norm of the mean logarithm over the number of entries below 1e-7, at most 30 steps" choices:"tolerance|nilearn"`
	Tolerance float64 `param:"tolerance" doc:"Frobenius norm of the mean logarithm at which the geometric mean is found" min:"1e-13" max:"0.001"`
	Regions   string  `param:"regions" doc:"shared: a region that is missing or constant in a participant, also in one of the test fold, is excluded for all; all: it is uncorrelated with the others in participants who lack it" choices:"shared|all"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*Tangent) UsesPorts() []role.PortUse {
	return role.OneSettingOf("matrices")
}

func (*Tangent) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "covariance matrices of each participant: pearson of connectivity with pearson: ledoit-wolf, or its covariance (covariance: true)"},
			{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds"},
		},
		Out: []dag.Port{
			{Name: "fitted", Type: column.Type[region.ReferenceRow](), Doc: "the reference, and in the metadata its participants"},
			{Name: "steps", Type: column.Type[updateRow](), Doc: "updates of the geometric mean; no rows for the other references"},
		},
	}
}

// TestFold is the fold that is tested, and its repeat.
func (s *Tangent) TestFold() (repeat, fold int) { return s.Repeat, s.Fold }

func (s *Tangent) Validate() []error {
	if (s.Reference == "controls") != (s.Controls != "") {
		return []error{errors.New("reference: controls and controls: GROUP belong together: give both, or neither")}
	}
	return nil
}

// An updateRow is one update of the geometric mean.
type updateRow struct {
	Step   int32   `column:"step" doc:"from 1"`
	Norm   float64 `column:"norm" doc:"Frobenius norm of the mean logarithm before the update"`
	Length float64 `column:"length" doc:"1, or less after steps at which the norm grew"`

	Warning string `column:"warning" doc:"what the last step warns of, for programs: a JSON list of findings; empty if none"`
}

// ReadsParticipants is the group that its parameter names.
func (s *Tangent) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "controls", Name: s.Controls, Group: true, Fits: true}}
}

func (s *Tangent) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	d, err := fold.Params{Fold: s.Fold, Repeat: s.Repeat}.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	if s.Controls != "" && !slices.Contains(d.Groups, s.Controls) {
		return nil, fmt.Errorf("controls: there is no group %q%s; available: %s", s.Controls, words.DidYouMean(s.Controls, d.Groups), words.Some(d.Groups, 8))
	}
	out, left, err := fold.Params{Regions: s.Regions}.LeftOut(t.All("matrices"), d, fold.AbsentRows, nil)
	if err != nil {
		return nil, err
	}
	if left != nil {
		fmt.Fprintln(t.Log(), fold.LeftOutNote(left))
	}
	var who []string
	var all [][]float64
	nodes, err := trainedOn(t, d, func(r fold.Row, m connectivity.Matrix) error {
		if s.Controls != "" && d.Groups[r.Label] != s.Controls {
			return nil
		}
		c, err := region.Covariance(m, s.ZScore, out)
		who, all = append(who, r.Id), append(all, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if all == nil {
		return nil, fmt.Errorf("%s: no training participant of fold %d is of the group %s", d.Name, s.Fold, s.Controls)
	}
	o := tangent.Options{Reference: tangent.Reference(s.Reference), Tolerance: s.Tolerance,
		Nilearn: s.Stop == "nilearn", Threads: t.Threads, Progress: func(step tangent.Step) {
			t.Progress(step.Number, 0, fmt.Sprintf("step %d, norm %.2g", step.Number, step.Norm))
		}}
	if s.Reference == "controls" {
		o.Reference = tangent.Geometric
	}
	space, err := tangent.Fit(ctx, all, nodes, o)
	if one := new(tangent.MatrixError); errors.As(err, &one) {
		return nil, region.OfMatrix(who[one.Index], one.Err)
	}
	if err != nil {
		return nil, err
	}
	steps := make([]updateRow, len(space.Steps))
	for i, u := range space.Steps {
		steps[i] = updateRow{int32(u.Number), u.Norm, u.Length, ""}
	}
	if space.Stopped {
		steps[len(steps)-1].Warning = finding.Written(finding.List{finding.Warning("tangent.not-converged",
			map[string]any{"Steps": len(steps)})})
	}
	facts := region.ReferenceFacts{Fold: s.Fold, Repeat: s.Repeat, Reference: s.Reference, Controls: s.Controls,
		ZScore: s.ZScore, Nodes: nodes}
	for i, is := range out {
		if is {
			facts.LeftOut = append(facts.LeftOut, i+1)
		}
	}
	return dag.Outputs{"steps": column.Table(steps), "fitted": facts.Table(space, who)}, nil
}
