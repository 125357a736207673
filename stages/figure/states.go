package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/numeric/exact"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

var kindStates = dag.Kind{
	Name: "figure-states",
	Doc: "connectivity states as heat maps, and the groups' time in them\n" +
		"The states of the stage states as correlations, and of each state the fraction of time and the dwell time of the groups (mean over participants, 95% interval). The output groups has the numbers; connect it to tables of report. States fitted to all participants describe the cohort: they are no features for a classifier.",
	New: func() dag.Stage { return &States{} },
}

var (
	_ role.PortUser = (*States)(nil)
	_ role.DataUser = (*States)(nil)
)

// States draws connectivity states.
type States struct {
	role.Informed
	Label string `param:"label" doc:"label of the color scale; by default what the states hold, such as r or partial r"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*States) UsesPorts() []role.PortUse {
	return role.OneSettingOf("measures")
}

func (*States) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "fitted", Type: column.Type[region.StateRow](), Doc: "the states"},
			{Name: "measures", Type: column.Type[column.OccupancyRow](), Gather: true, Doc: "occupancy's measures of each participant"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who belongs to which group"},
			{Name: "nodes", Type: dag.Arrow("index", "name"), Doc: "the node list"},
		},
		Out: append(picturePorts("the states"),
			dag.Port{Name: "groups", Type: column.Type[stateGroupRow](), Doc: "the measures of each state and group"}),
	}
}

// A stateGroupRow is what a group's participants have of a state.
type stateGroupRow struct {
	State        int32   `column:"state" doc:"from 1, the largest cluster first"`
	Group        string  `column:"group"`
	Participants int32   `column:"participants" doc:"of the group"`
	Fraction     float64 `column:"fraction" doc:"share of the windows in the state, mean over participants"`
	FractionSD   float64 `column:"fraction_sd,missing" doc:"its standard deviation over participants (n−1)"`
	Entered      int32   `column:"entered" doc:"participants with a window in the state"`
	Stayed       int32   `column:"stayed" doc:"participants with all windows in the state: their dwell time is that of the scan, and could be longer"`
	Dwell        float64 `column:"dwell,missing" unit:"s" doc:"mean duration of a visit, mean over these participants"`
	DwellSD      float64 `column:"dwell_sd,missing" unit:"s" doc:"its standard deviation over them (n−1)"`
}

func (s *States) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	facts, centers, err := region.ReadStates(t.In("fitted"))
	if err != nil {
		return nil, err
	}
	blocks, err := region.BlocksOf(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	if len(blocks) != facts.Nodes {
		return nil, fmt.Errorf("the states have %d regions, and the node list %d", facts.Nodes, len(blocks))
	}
	rows, err := stateGroups(t, facts.States)
	if err != nil {
		return nil, err
	}
	held := s.Holds("fitted")
	held.FisherZ = false // they are transformed back
	measure := cmp.Or(s.Label, scaleOf(held))
	var panels []chart.MatrixPanel
	var names []string
	for k, c := range centers {
		names = append(names, fmt.Sprint(k+1))
		m, at := make([]float64, len(blocks)*len(blocks)), 0
		for i := range blocks {
			for j := i + 1; j < len(blocks); j++ {
				m[i*len(blocks)+j] = exact.Tanh(c[at])
				m[j*len(blocks)+i] = m[i*len(blocks)+j]
				at++
			}
		}
		panels = append(panels, chart.MatrixPanel{Title: label("figure.states.panel", values{"State": names[k]}), Values: m, Label: measure})
	}
	fraction, dwell := chart.StateMeasure{Label: label("figure.states.panel-fraction", nil)},
		chart.StateMeasure{Label: label("figure.states.panel-dwell", nil)}
	for i, r := range rows {
		if k := i % facts.States; k == 0 {
			fraction.Groups = append(fraction.Groups, chart.Trend{Name: r.Group, Chance: math.NaN()})
			dwell.Groups = append(dwell.Groups, chart.Trend{Name: r.Group, Chance: math.NaN()})
		}
		add(&fraction.Groups[len(fraction.Groups)-1], r.Fraction, r.FractionSD, int(r.Participants))
		add(&dwell.Groups[len(dwell.Groups)-1], r.Dwell, r.DwellSD, int(r.Entered))
	}
	largest := slices.DeleteFunc(slices.Clone(rows), func(r stateGroupRow) bool { return r.State != 1 })
	v := values{"Rows": rows, "Largest": largest, "Metric": facts.Metric, "Measure": measure}
	v["Participants"], v["Stayed"] = stays(rows)
	if v["By"], v["Blocks"], err = blockedBy(t.In("nodes"), blocks); err != nil {
		return nil, err
	}
	note, err := wording.Text("figure.states.limits", v)
	if err != nil {
		return nil, err
	}
	c := Captioned(chart.States(panels, blocks, names, []chart.StateMeasure{fraction, dwell}), "figure.states", v)
	c.tables = dag.Outputs{"groups": column.WithMeta(column.Table(rows), map[string]string{"note": note})}
	return outputs(c, nil)
}

// stays counts the participants, and those with all windows in one state.
func stays(rows []stateGroupRow) (participants, stayed int) {
	for _, r := range rows {
		if stayed += int(r.Stayed); r.State == 1 { // each group has a row of it
			participants += int(r.Participants)
		}
	}
	return participants, stayed
}

// add is a mean of n values with its interval.
func add(t *chart.Trend, mean, sd float64, n int) {
	half := 1.96 * sd / math.Sqrt(float64(n))
	t.Value, t.Low, t.High = append(t.Value, mean), append(t.Low, max(0, mean-half)), append(t.High, mean+half)
}

// stateGroups has the states of one group after the other.
func stateGroups(t *dag.Task, states int) ([]stateGroupRow, error) {
	people, err := column.ReadPeople(t.In("participants"))
	if err != nil {
		return nil, err
	}
	fraction, dwell, stayed := map[string][][]float64{}, map[string][][]float64{}, map[string][]int32{}
	var names []string
	for _, in := range t.All("measures") {
		rows, err := column.Read[column.OccupancyRow](in)
		if err != nil {
			return nil, err
		}
		g, err := groupOf(people, in)
		switch {
		case err != nil:
			return nil, err
		case len(rows) != states:
			return nil, fmt.Errorf("%s: %d states, and %s has %d", in.Name, len(rows), t.In("fitted").Name, states)
		case !slices.Contains(names, g):
			names = append(names, g)
			fraction[g], dwell[g] = make([][]float64, states), make([][]float64, states)
			stayed[g] = make([]int32, states)
		}
		for k, r := range rows {
			fraction[g][k] = append(fraction[g][k], r.Fraction)
			if r.Visits > 0 {
				dwell[g][k] = append(dwell[g][k], r.Dwell)
			}
			if r.Fraction == 1 {
				stayed[g][k]++
			}
		}
	}
	if names == nil {
		return nil, errors.New("there are no participants to draw")
	}
	slices.Sort(names)
	var out []stateGroupRow
	for _, g := range names {
		for k := range states {
			r := stateGroupRow{State: int32(k + 1), Group: g, Participants: int32(len(fraction[g][k])),
				Entered: int32(len(dwell[g][k])), Stayed: stayed[g][k]}
			r.Fraction, r.FractionSD = sampleMean(fraction[g][k])
			r.Dwell, r.DwellSD = sampleMean(dwell[g][k])
			out = append(out, r)
		}
	}
	return out, nil
}

// sampleMean is column.MeanSD, with a standard deviation of NaN where there are fewer than two values.
func sampleMean(v []float64) (mean, sd float64) {
	if mean, sd = column.MeanSD(v); len(v) < 2 {
		sd = math.NaN()
	}
	return mean, sd
}
