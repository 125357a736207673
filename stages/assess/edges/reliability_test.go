package edges

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// sessionInputs are the two sessions of the fixture curves: 24 participants, 45 edges of 10 regions.
func sessionInputs(t *testing.T) map[string][]dag.Input {
	t.Helper()
	in := map[string][]dag.Input{}
	for s, name := range []string{"session1", "session2"} {
		v := testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
		for i := range 24 {
			m := make([]float64, 100)
			e := 0
			for a := range 10 {
				m[a*10+a] = 1
				for b := a + 1; b < 10; b++ {
					m[a*10+b], m[b*10+a] = v[i*45+e], v[i*45+e]
					e++
				}
			}
			in["matrices"] = append(in["matrices"], dag.InputOf(encoding.NewArray(m, 1, 10, 10), subject(i),
				dag.Coord{Axis: "session", Value: fmt.Sprintf("%02d", s+1)}))
		}
	}
	var ids, group, site []string
	var age []float64
	for i := range 24 {
		ids, group = append(ids, subject(i).Value), append(group, []string{"HC", "ASD"}[i%2])
		site, age = append(site, fmt.Sprint("site", i%3)), append(age, float64(i*i%17))
	}
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "age", Values: age},
		encoding.Column{Name: "center", Values: site}))}
	return in
}

func measured(t *testing.T, in map[string][]dag.Input, more ...any) dag.Outputs {
	t.Helper()
	more = append([]any{"transform", "none", "halves", 20}, more...)
	return stagetest.MustRun(t, stagetest.Fresh("reliability", more...), in)
}

func tableOf[R any](t *testing.T, out dag.Outputs, name string) []R {
	t.Helper()
	return need.Value(column.Rows[R](out[name].(*encoding.Table)))(t)
}

// TestReliabilityIsThatOfTheOracle: ICC of pingouin, and identification of its own definition.
func TestReliabilityIsThatOfTheOracle(t *testing.T) {
	out := measured(t, sessionInputs(t))
	want := testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", "icc_edges.npy"))
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	fair := 0.0
	edges := tableOf[column.EdgeReliabilityRow](t, out, "edges")
	for e, r := range edges {
		same("ICC(2,1)", r.ICC, want[3*e])
		if r.ICC > 0.4 {
			fair += 1. / 45
		}
		if !(r.Low < r.ICC && r.ICC < r.High) || !(r.Replicated >= 0 && r.Replicated <= 1) {
			t.Errorf("edge %+v", r)
		}
	}
	pair := tableOf[column.SessionPairRow](t, out, "pairs")[0]
	need.Equal(t, [4]float64{pair.Forward, pair.Back, pair.Identified, pair.P}, [4]float64{1, 1, 1, 0.001})
	same("Idiff", pair.Differential, 56.93797460594815)
	same("self", pair.Self, 0.6315428262131413)
	same("by chance", pair.Chance, 1./24)
	r := tableOf[column.ReliabilityRow](t, out, "summary")[0]
	need.Equal(t, [3]int32{r.Participants, r.Edges, r.Permutations}, [3]int32{24, 45, 999})
	same("share", r.Fair, fair)
	if icc := out["icc"].(*encoding.Array).Float64s(); icc[1] != edges[0].ICC || !math.IsNaN(icc[0]) {
		t.Errorf("matrix %v", icc[:2])
	}
	out = measured(t, sessionInputs(t), "icc", "consistency")
	for e, r := range tableOf[column.EdgeReliabilityRow](t, out, "edges") {
		same("ICC(3,1)", r.ICC, want[3*e+1])
	}
	for _, r := range tableOf[column.RegionReliabilityRow](t, out, "regions") {
		if !(r.ICC > 0 && r.ICC < 1 && r.Edges > 0) {
			t.Errorf("region %+v", r)
		}
	}
}

// TestReliabilityOfFewSessions: identities are permuted within sites, participants without a session are listed, too
// few have no ICC, and a region without a signal has none.
func TestReliabilityOfFewSessions(t *testing.T) {
	in := sessionInputs(t)
	out := measured(t, in, "within", "center")
	pair := tableOf[column.SessionPairRow](t, out, "pairs")[0]
	need.Equal(t, pair.Chance, 3./24)
	need.Equal(t, tableOf[column.ReliabilityRow](t, out, "summary")[0].Within, "center")

	few := sessionInputs(t)
	few["matrices"] = slices.Concat(few["matrices"][:24], few["matrices"][24:33])
	r := tableOf[column.ReliabilityRow](t, measured(t, few), "summary")[0]
	if r.Participants != 9 || len(r.Left) != 15 || r.Edges != 0 || !math.IsNaN(r.Median) || math.IsNaN(r.Identified) {
		t.Errorf("summary %+v", r)
	}

	apart := sessionInputs(t) // nobody has all of the three sessions
	for i, m := range apart["matrices"] {
		if i%24 < 12 && i >= 24 {
			apart["matrices"][i] = dag.InputOf(need.Value(m.Array())(t), m.Coords[0],
				dag.Coord{Axis: "session", Value: "03"})
		}
	}
	out = measured(t, apart)
	r = tableOf[column.ReliabilityRow](t, out, "summary")[0]
	if r.Participants != 0 || len(r.Left) != 24 || r.Identified != 1 {
		t.Errorf("three sessions: %+v", r)
	}
	pairs := tableOf[column.SessionPairRow](t, out, "pairs")
	need.Equal(t, len(pairs), 2)
	need.Equal(t, [2]int32{pairs[0].Participants, pairs[1].Participants}, [2]int32{12, 12})

	none := sessionInputs(t) // each participant has one session
	none["matrices"] = slices.Concat(none["matrices"][:12], none["matrices"][36:])
	out = measured(t, none)
	need.Equal(t, len(tableOf[column.ReliabilityRow](t, out, "summary")), 0)
	need.Equal(t, len(tableOf[column.ReplicationRow](t, out, "replication")), 2)

	lacking := sessionInputs(t)
	m := make([]float64, 100)
	copy(m, need.Value(lacking["matrices"][30].Array())(t).Float64s())
	for i := range 10 {
		m[i], m[10*i] = 0, 0
	}
	lacking["matrices"][30] = dag.InputOf(encoding.NewArray(m, 1, 10, 10), lacking["matrices"][30].Coords...)
	out = measured(t, lacking)
	need.Equal(t, tableOf[column.ReliabilityRow](t, out, "summary")[0].Edges, 36)
	need.Equal(t, math.IsNaN(tableOf[column.RegionReliabilityRow](t, out, "regions")[0].ICC), true)

	one := sessionInputs(t)
	one["matrices"] = one["matrices"][:24]
	need.Equal(t, len(tableOf[column.ReliabilityRow](t, measured(t, one), "summary")), 0)
	delete(one, "participants")
	one["participants"] = []dag.Input{dag.InputOf(stagetest.SomeParticipants(24, "A"))}
	for i, m := range one["matrices"] {
		one["matrices"][i] = dag.InputOf(need.Value(m.Array())(t), dag.Coord{Axis: "subject",
			Value: need.Value(need.Value(one["participants"][0].Table())(t).Strings("participant_id"))(t)[i]})
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("reliability", "transform", "none"), one)
	need.Error(t, err, "nothing to compare")
}

// TestHalves: a planted difference is found in both halves, noise is not, a number has r, and families stay together.
func TestHalves(t *testing.T) {
	in := sessionInputs(t)
	noise := tableOf[column.ReplicationRow](t, measured(t, in), "replication")
	need.Equal(t, len(noise), 2)
	need.Equal(t, [3]string{noise[0].Of, noise[1].Of, noise[0].Statistic}, [3]string{"edges", "regions", "t"})
	need.Equal(t, [3]int32{noise[0].Values, noise[0].K, noise[1].K}, [3]int32{45, 5, 1})
	for i, m := range in["matrices"] {
		v := slices.Clone(need.Value(m.Array())(t).Float64s())
		for j := 1; j < 10; j++ { // region 1 differs between the groups
			v[j] += float64(i%24%2) / 2
			v[10*j] = v[j]
		}
		in["matrices"][i] = dag.InputOf(encoding.NewArray(v, 1, 10, 10), m.Coords...)
	}
	out := measured(t, in)
	planted := tableOf[column.ReplicationRow](t, out, "replication")
	// The five first of nine planted edges: two random choices share 5/9.
	if planted[0].Dice < 0.5 || planted[0].Dice < noise[0].Dice+0.2 || planted[1].Dice < 0.95 ||
		planted[0].Spearman < noise[0].Spearman+0.2 || planted[0].Full <= planted[0].Spearman {
		t.Errorf("planted %+v, noise %+v", planted, noise)
	}
	if r := tableOf[column.RegionReliabilityRow](t, out, "regions"); r[0].Replicated < 0.95 {
		t.Errorf("region 1: %+v", r[0])
	}
	v := slices.Clone(need.Value(in["matrices"][0].Array())(t).Float64s())
	for j := 1; j < 10; j++ { // one scan lacks region 1, as in edges, where nobody then has it
		v[j], v[10*j] = math.NaN(), math.NaN()
	}
	full := in["matrices"][0]
	in["matrices"][0] = dag.InputOf(encoding.NewArray(v, 1, 10, 10), full.Coords...)
	fewer := tableOf[column.ReplicationRow](t, measured(t, in), "replication")
	need.Equal(t, [3]int32{fewer[0].Values, fewer[0].K, fewer[1].Values}, [3]int32{36, 4, 9})
	in["matrices"][0] = full
	number := tableOf[column.ReplicationRow](t, measured(t, in, "test", "age"), "replication")
	need.Equal(t, number[0].Statistic+" "+number[0].Tested, "r age")
	need.Equal(t, [3]int32{noise[0].Groups, noise[1].Groups, number[0].Groups}, [3]int32{2, 2, 0})
}

// TestStabilityOfWeights: ICC of pingouin over six trainings; a region that a training lacks is left out.
func TestStabilityOfWeights(t *testing.T) {
	in := sessionInputs(t)
	scores := testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", "scores.npy"))
	for k := range 6 {
		var index []int32
		var weight, pattern []float64
		for j := range 40 {
			index, weight = append(index, int32(j+1)), append(weight, scores[j*6+k])
			pattern = append(pattern, float64(j))
		}
		index, weight, pattern = append(index, 41), append(weight, math.NaN()), append(pattern, 7)
		in["weights"] = append(in["weights"], dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "index", Values: index}, encoding.Column{Name: "weight", Values: weight},
			encoding.Column{Name: "pattern", Values: pattern}),
			dag.Coord{Axis: "model", Value: "ridge"}, dag.Coord{Axis: "fold", Value: fmt.Sprint(k + 1)}))
	}
	rows := tableOf[column.WeightStabilityRow](t, measured(t, in), "trainings")
	need.Equal(t, len(rows), 2)
	r := rows[0]
	if math.Abs(r.ICC-0.6288222365599443) > 1e-9 || r.Trainings != 6 || r.Regions != 40 || r.K != 4 ||
		r.Of != "weight" || r.Chance != 0.1 || r.Setting != "ridge regression" {
		t.Errorf("weights %+v", r)
	}
	if p := rows[1]; p.Of != "pattern" || p.Dice != 1 || p.Spearman < 1-1e-12 || p.Regions != 41 {
		t.Errorf("patterns %+v", p)
	}
}

// Sessions that are one scan, or most of one, are listed: not two scans of a person, nor shrunk matrices.
func TestReliabilityOfOneScan(t *testing.T) {
	for _, c := range []struct {
		name   string
		shared int // volumes of 100
		shrunk float64
		want   string
	}{
		{"two scans", 0, 1, ""},
		{"half a scan", 50, 1, ""},
		{"most of a scan", 95, 1, `["sub-00 (01 and 02)","sub-02 (01 and 02)"]`},
		{"one scan", 100, 1, `["sub-00 (01 and 02)","sub-02 (01 and 02)"]`},
		{"shrunk", 0, 0.1, ""},
		{"shrunk, one scan", 100, 0.1, ""},
	} {
		source := random.New(1, c.name)
		in := map[string][]dag.Input{}
		var ids []string
		for i := range 10 {
			id := fmt.Sprintf("sub-%02d", i)
			ids = append(ids, id)
			const regions, volumes = 12, 100
			series := make([]float64, 2*volumes*regions)
			for k := range series {
				series[k] = source.Normal()
			}
			for s := range 2 {
				from := s * volumes
				if s == 1 && (i == 0 || i == 2) {
					from -= c.shared
				}
				x := series[from*regions:][:volumes*regions]
				m := make([]float64, regions*regions)
				r := func(a, b int) float64 {
					sum := [3]float64{}
					for k := 0; k < len(x); k += regions {
						sum[0] += float64(x[k+a] * x[k+b])
						sum[1] += float64(x[k+a] * x[k+a])
						sum[2] += float64(x[k+b] * x[k+b])
					}
					return sum[0] / math.Sqrt(sum[1]*sum[2])
				}
				for a := range regions {
					m[a*regions+a] = 1
					for b := range a {
						m[a*regions+b] = c.shrunk * r(a, b)
						m[b*regions+a] = m[a*regions+b]
					}
				}
				of := []dag.Coord{{Axis: "subject", Value: id}, {Axis: "session", Value: fmt.Sprintf("%02d", s+1)}}
				in["matrices"] = append(in["matrices"], dag.InputOf(encoding.NewArray(m, 1, regions, regions), of...))
				quality := column.Table([]column.CleaningRow{{TEff: 99}})
				in["cleaning"] = append(in["cleaning"], dag.InputOf(quality, of...))
			}
		}
		in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id",
			Values: ids}))}
		out := measured(t, in, "transform", "fisher")
		need.Equal(t, out["summary"].(*encoding.Table).Meta[column.OneScan], c.want, c.name)
	}
}
