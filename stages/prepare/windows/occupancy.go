package windows

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity/dynamic"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var occupancyKind = dag.Kind{
	Name: "occupancy",
	Doc: "a participant's time in each connectivity state\n" +
		"Each window belongs to the nearest state of the stage states: fraction of time, dwell times and transitions (Allen et al. 2014). One task is one participant (each: subject), and with states of folds one participant in one fold (matrix: { fold: all }). Connect features to the port states of baseline.",
	New: func() dag.Stage { return &Occupancy{} },
}

var (
	_ role.Drawer   = (*Occupancy)(nil)
	_ role.Measurer = (*Occupancy)(nil)
)

// Occupancy counts time in states.
type Occupancy struct{}

// DrawsOf is how many draws its features have.
func (*Occupancy) DrawsOf(int) int { return 1 }

// Measures are features of states of what the windows hold.
func (*Occupancy) Measures(output string, of func(string) column.Data) column.Data {
	if output != "features" {
		return column.Data{}
	}
	d := of("windows")
	d.Measure, d.Of, d.FisherZ = column.Occupancies, d.Measure, false
	return d
}

func (*Occupancy) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "windows", Type: dag.NPY("<f4", "window", "edge"), Doc: "of one participant, of the stage windows"},
			{Name: "list", Type: column.Type[windowRow](), Doc: "list of the same stage"},
			{Name: "quality", Type: dag.Arrow("step"), Doc: "its quality, for the step"},
			{Name: "fitted", Type: column.Type[region.StateRow](), Doc: "the states"},
		},
		Out: []dag.Port{
			{Name: "measures", Type: column.Type[column.OccupancyRow](), Doc: "fraction of time and dwell time of each state"},
			{Name: "transitions", Type: column.Type[transitionRow](), Doc: "from each state to each, between windows that follow each other"},
			{Name: "sequence", Type: column.Type[sequenceRow](), Doc: "the state of each window"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "state", "feature"), Doc: "for baseline, of each state: fraction, dwell time in s, probability of a transition to each state; 0 where the state does not occur"},
		},
	}
}

// A transitionRow counts transitions.
type transitionRow struct {
	From        int32   `column:"from" doc:"state, from 1"`
	To          int32   `column:"to"`
	Count       int32   `column:"count" doc:"windows in to that follow a window in from"`
	Probability float64 `column:"probability,missing" doc:"share of the windows that follow one in from; empty where none does"`
}

// A sequenceRow is the state of a window.
type sequenceRow struct {
	Window   int32   `column:"window" doc:"from 1"`
	Start    float64 `column:"start" unit:"s" doc:"as in the list of the stage windows"`
	State    int32   `column:"state" doc:"the nearest, from 1"`
	Distance float64 `column:"distance" doc:"from that state"`
}

func (s *Occupancy) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("windows")
	x, list, made, err := readWindows(in, t.In("list"))
	if err != nil {
		return nil, err
	}
	facts, centers, err := region.ReadStates(t.In("fitted"))
	if err != nil {
		return nil, err
	}
	fitted, err := t.In("fitted").Table()
	if err != nil {
		return nil, err
	}
	if want := fitted.Meta["made"]; made != want {
		return nil, fmt.Errorf("%s: its windows were made differently from those of the states: %s", in.Name, strings.Join(column.MadeApart(made, want), "; "))
	}
	if len(centers[0]) != x.D {
		return nil, fmt.Errorf("%s: %d pairs of regions, and the states were fitted to %d", in.Name, x.D, len(centers[0]))
	}
	step, err := column.One[struct {
		Step float64 `column:"step"`
	}](t.In("quality"))
	if err != nil {
		return nil, err
	}
	x, centers = commonPairs(x, centers)
	if x.D == 0 {
		return nil, fmt.Errorf("%s: no pair of regions has a signal here and in the states%s", in.Name, column.OrExclude)
	}
	label, distance := dynamic.Nearest(x, centers, dynamic.Metric(facts.Metric))
	begins, sequence := make([]bool, len(list)), make([]sequenceRow, len(list))
	for i, w := range list {
		begins[i], sequence[i] = w.Begins, sequenceRow{w.Window, w.Start, int32(label[i] + 1), distance[i]}
	}
	stays, counts := dynamic.Stays(label, begins, facts.States)
	measures := make([]column.OccupancyRow, len(stays))
	var transitions []transitionRow
	var features []float64
	for a, stay := range stays {
		measures[a] = column.OccupancyRow{State: int32(a + 1), Fraction: stay.Fraction, Visits: int32(stay.Visits),
			Dwell: stay.Dwell * step.Step}
		left := 0
		for _, n := range counts[a] {
			left += n
		}
		features = append(features, stay.Fraction, measures[a].Dwell)
		for b, n := range counts[a] {
			transitions = append(transitions,
				transitionRow{int32(a + 1), int32(b + 1), int32(n), float64(n) / float64(left)})
			features = append(features, float64(n)/max(1, float64(left)))
		}
	}
	return dag.Outputs{
		"measures":    column.Table(measures),
		"transitions": column.Table(transitions),
		"sequence":    column.Table(sequence),
		"features":    encoding.NewArray(features, 1, facts.States, 2+facts.States),
	}, nil
}

// commonPairs leaves the pairs of regions that the states have and that have a signal in this participant: a pair of
// zeros would only be far from every state.
func commonPairs(x dynamic.Rows, centers [][]float64) (dynamic.Rows, [][]float64) {
	common := slices.DeleteFunc(pairsWithSignal(silentRegions(x)), func(pair int) bool {
		return math.IsNaN(centers[0][pair])
	})
	if len(common) == x.D {
		return x, centers
	}
	fewer := make([][]float64, len(centers))
	for k, c := range centers {
		for _, pair := range common {
			fewer[k] = append(fewer[k], c[pair])
		}
	}
	return x.Only(common), fewer
}
