package external

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/finding"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(prepare.Kinds) }

// A scanned study has a model of harmonized matrices of two sites, and a cohort of a third: those of fold 2.
type scanned struct {
	cohort
	fit      *encoding.Table // combat's
	digest   string
	matrices map[string][]float64 // of the cohort, before harmonization
	age      map[string]float64
	site     []string
	training map[string]dag.Input // matrices of the training participants, before harmonization
}

// scannedStudy trains on the sites a and b.
func scannedStudy(t *testing.T, kind string, params ...any) scanned {
	t.Helper()
	const n = 128
	in := stagetest.NewCorrStudy(t, n).Inputs()
	folds := need.Value(in["folds"][0].Table())(t)
	fold := need.Value(folds.Ints("fold"))(t)
	groups := need.Value(folds.Strings("group"))(t)
	ids := need.Value(folds.Strings("participant_id"))(t)
	r := random.New(3, "scanned")
	s := scanned{matrices: map[string][]float64{}, age: map[string]float64{}, training: map[string]dag.Input{}}
	age, site := make([]float64, n), make([]string, n)
	gain := map[string]float64{"a": 1, "b": 0.8, "c": 0.65}
	for i, id := range ids {
		age[i] = math.Round(20 + 40*r.Float64())
		s.age[id] = age[i]
		if site[i] = "c"; fold[i] != 2 {
			site[i] = string(rune('a' + i/2%2))
		}
	}
	for i := range in["pearson"] {
		m := &in["pearson"][i]
		id := m.Coord("subject")
		at := slices.Index(ids, id)
		array := need.Value(m.Array())(t)
		v := slices.Clone(array.Float64s())
		nodes := array.Shape[1]
		for k := range v {
			if k/nodes%nodes == k%nodes {
				continue
			}
			low, high := min(k/nodes%nodes, k%nodes), max(k/nodes%nodes, k%nodes)
			v[k] = gain[site[at]]*v[k]*0.8 + 0.02*float64((low*7+high)%5)*float64(site[at][0]-'a') + 0.001*age[at]
		}
		*m = dag.InputOf(encoding.NewArray(v, array.Shape...), m.Coords...)
		if s.matrices[id] = v; fold[at] != 2 {
			s.training[id] = *m
		}
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "age", Values: age})
	fitted := stagetest.MustRun(t, stagetest.Fresh("combat", "fold", 2, "preserve", []any{"age"}, "tolerance", 1e-13),
		map[string][]dag.Input{"matrices": in["pearson"], "folds": in["folds"], "participants": {dag.InputOf(people)}})
	s.fit = fitted["fitted"].(*encoding.Table)
	in["harmonized"] = []dag.Input{dag.InputOf(s.fit)}
	s.digest = in["harmonized"][0].Ref.Digest.String()
	train := maps.Clone(in)
	train["pearson"] = nil
	for _, m := range in["pearson"] {
		made := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
		made.Meta = map[string]string{"made": `{"denoise.fd":0.5}`}
		if _, training := s.training[m.Coord("subject")]; !training { // the rows of fold 2 only have to be there
			m.Coords = slices.Clone(m.Coords)
			s.add(m, dag.InputOf(made, m.Coords...))
			train["pearson"] = append(train["pearson"], m)
			made := *made
			made.Meta = map[string]string{"made": fmt.Sprintf(`{"denoise.fd":0.5,"harmonize.fitted":[%q]}`, s.digest)}
			train["quality"] = append(train["quality"], dag.InputOf(&made, m.Coords...))
			continue
		}
		out := stagetest.MustRun(t, stagetest.Fresh("harmonize", "subject", m.Coord("subject")), map[string][]dag.Input{
			"matrices": {m}, "fitted": in["harmonized"], "participants": {dag.InputOf(people)},
			"quality": {dag.InputOf(made)}})
		train["pearson"] = append(train["pearson"], dag.InputOf(out["matrices"], m.Coords...))
		train["quality"] = append(train["quality"], dag.InputOf(out["quality"], m.Coords...))
	}
	out := stagetest.MustRun(t, stagetest.Fresh(kind, append([]any{"fold", 2}, params...)...), train)
	s.in["model"] = []dag.Input{dag.InputOf(out["file"])}
	for i, id := range ids {
		if fold[i] == 2 {
			s.id, s.group, s.site = append(s.id, id), append(s.group, groups[i]), append(s.site, site[i])
		}
	}
	s.in["participants"] = []dag.Input{s.people()}
	return s
}

// add adds a participant of the new site.
func (s *scanned) add(m, quality dag.Input) {
	if s.in == nil {
		s.in = map[string][]dag.Input{}
	}
	s.in["matrices"], s.in["quality"] = append(s.in["matrices"], m), append(s.in["quality"], quality)
}

func (s *scanned) people(more ...encoding.Column) dag.Input {
	var age []float64
	for _, id := range s.id {
		age = append(age, s.age[id])
	}
	return dag.InputOf(encoding.NewTable(append([]encoding.Column{{Name: "participant_id", Values: s.id},
		{Name: "group", Values: s.group}, {Name: "site_id", Values: s.site}, {Name: "age", Values: age}}, more...)...))
}

// byDefinition are the matrices of the tested participants without the effect of their site, which is estimated on
// others: Johnson et al. 2007, written down.
func (s *scanned) byDefinition(t *testing.T, on, tested []string) (all []dag.Input) {
	t.Helper()
	floats := func(name string) []float64 { return need.Value(s.fit.Floats(name))(t) }
	mean, sd, slope := floats("mean"), floats("sd"), floats("slope_age")
	source, target := need.Value(s.fit.Ints("source"))(t), need.Value(s.fit.Ints("target"))(t)
	array := need.Value(s.in["matrices"][0].Array())(t)
	nodes := array.Shape[1]
	z := func(id string, draw, e int) float64 {
		r := s.matrices[id][draw*nodes*nodes+int(source[e]-1)*nodes+int(target[e]-1)]
		return (math.Atanh(r) - mean[e] - slope[e]*s.age[id]) / sd[e]
	}
	n := float64(len(on))
	g, d := make([]float64, len(mean)), make([]float64, len(mean))
	for e := range mean {
		for _, id := range on {
			g[e] += z(id, 0, e) / n
		}
		for _, id := range on {
			d[e] += math.Pow(z(id, 0, e)-g[e], 2) / (n - 1)
		}
	}
	moments := func(v []float64) (m, s2 float64) {
		for _, x := range v {
			m += x / float64(len(v))
		}
		for _, x := range v {
			s2 += (x - m) * (x - m) / float64(len(v)-1)
		}
		return m, s2
	}
	gm, gv := moments(g)
	dm, dv := moments(d)
	a, b := 2+dm*dm/dv, dm+dm*dm*dm/dv
	for e := range g {
		gamma, delta := g[e], d[e]
		for range 1000 {
			gamma = (n*gv*g[e] + delta*gm) / (n*gv + delta)
			delta = (b + ((n-1)*d[e]+n*math.Pow(g[e]-gamma, 2))/2) / (n/2 + a - 1)
		}
		g[e], d[e] = gamma, delta
	}
	for _, m := range s.in["matrices"] {
		id := m.Coord("subject")
		if !slices.Contains(tested, id) {
			continue
		}
		v := slices.Clone(s.matrices[id])
		for draw := range array.Shape[0] {
			for e := range g {
				i, j := int(source[e]-1), int(target[e]-1)
				x := math.Tanh(sd[e]*(z(id, draw, e)-g[e])/math.Sqrt(d[e]) + mean[e] + slope[e]*s.age[id])
				v[draw*nodes*nodes+i*nodes+j], v[draw*nodes*nodes+j*nodes+i] = x, x
			}
		}
		all = append(all, dag.InputOf(encoding.NewArray(v, array.Shape...), m.Coords...))
	}
	return all
}

// As the model takes harmonized matrices, with the fit of its training.
func (s *scanned) validated(t *testing.T, v dag.Stage, matrices []dag.Input) []float64 {
	t.Helper()
	in := maps.Clone(s.in)
	in["matrices"], in["quality"] = matrices, nil
	for _, m := range matrices {
		made := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
		made.Meta = map[string]string{"made": fmt.Sprintf(`{"denoise.fd":0.5,"harmonize.fitted":[%q]}`, s.digest)}
		in["quality"] = append(in["quality"], dag.InputOf(made, m.Coords...))
	}
	return stagetest.FloatsOf(t, stagetest.MustRun(t, v, in)["participants"], "p_HC")
}

func far(a, b []float64) (d float64) {
	if len(a) != len(b) || len(a) == 0 {
		return math.Inf(1)
	}
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// A new site is brought to those of the training by its own matrices, as ComBat is defined; labels change no
// prediction.
func TestNewSiteByDefinition(t *testing.T) {
	s := scannedStudy(t, "baseline", "model", "logistic", "c", 0.01)
	inputs := &Validate{NewSite: NewSite{Harmonize: "inputs"}}
	out := stagetest.MustRun(t, inputs, s.in)
	got := stagetest.FloatsOf(t, out["participants"], "p_HC")
	want := s.validated(t, &Validate{}, s.byDefinition(t, s.id, s.id))
	if d := far(got, want); !(d < 1e-10) {
		t.Errorf("inputs: largest difference %g", d)
	}
	as := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t).NewSites
	need.Equal(t, fmt.Sprintf("%+v", *as), fmt.Sprintf("{Controls:false Groups:[] Column:site_id Sites:[c] Sizes:[%d] Covariates:[age]}", len(s.id)))
	codes := stagetest.Codes(t, out["participants"].(*encoding.Table))
	need.Equal(t, strings.Contains(codes, "applied.harmonized"), true)

	other := s
	other.group = slices.Clone(s.group)
	for i, g := range s.group { // every other label is the wrong one
		if i%2 == 0 {
			other.group[i] = map[string]string{"ASD": "HC", "HC": "ASD"}[g]
		}
	}
	in := maps.Clone(s.in)
	in["participants"] = []dag.Input{other.people()}
	if p := stagetest.FloatsOf(t, stagetest.MustRun(t, inputs, in)["participants"], "p_HC"); !slices.Equal(p, got) {
		t.Errorf("with other labels: %v, want %v", p, got)
	}
	// Without harmonization, the matrices are refused, with the remedy.
	_, err := stagetest.RunStage(t, &Validate{}, s.in)
	need.Error(t, err, "harmonize: inputs")
}

// Controls of the new site, who are not tested, are all on whom it is estimated.
func TestNewSiteOnControls(t *testing.T) {
	s := scannedStudy(t, "baseline", "model", "logistic", "c", 0.01)
	mark := make([]string, len(s.id))
	var controls, tested []string
	for i, id := range s.id {
		if mark[i] = "no"; s.group[i] == "HC" && len(controls) < 10 {
			mark[i], controls = "yes", append(controls, id)
		} else {
			tested = append(tested, id)
		}
	}
	in := maps.Clone(s.in)
	in["participants"] = []dag.Input{s.people(encoding.Column{Name: "aside", Values: mark})}
	v := &Validate{NewSite: NewSite{Harmonize: "controls", Controls: "aside"}}
	_, err := stagetest.RunStage(t, v, in)
	need.Error(t, err, "need the matrices of 20 participants, but there are fewer for site_id c (10)")

	predict := v.predict() // with fewer than it needs
	marked, groups, err := v.controls(dag.NewTask(in), "group")
	need.NoError(t, err)
	need.Equal(t, fmt.Sprint(groups), "[10 HC]")
	predict.Harmonize(len(controls), marked, groups...)
	out := stagetest.MustRun(t, predict, in)
	people := out["participants"].(*encoding.Table)
	applied := need.Value(finding.ReadApplied(people))(t)
	need.Equal(t, fmt.Sprint(applied.NewSites.Groups), "[10 HC]")
	need.Equal(t, strings.Join(need.Value(people.Strings("participant_id"))(t), " "), strings.Join(tested, " "))
	got := stagetest.FloatsOf(t, people, "p_HC")
	if d := far(got, s.validated(t, &Validate{}, s.byDefinition(t, controls, tested))); !(d < 1e-10) {
		t.Errorf("controls: largest difference %g", d)
	}
}

// What cannot be harmonized without a label, or at all, is refused.
func TestNewSiteRefused(t *testing.T) {
	s := scannedStudy(t, "baseline", "model", "logistic", "c", 0.01)
	change := func(name string, values any) func(in map[string][]dag.Input) {
		return func(in map[string][]dag.Input) {
			aside := encoding.Column{Name: "aside", Values: slices.Repeat([]string{"1", "0"}, len(s.id)/2)}
			table := need.Value(s.people(aside).Table())(t)
			at := slices.IndexFunc(table.Columns, func(c encoding.Column) bool { return c.Name == name })
			if table.Columns[at].Values = values; values == nil {
				table.Columns = slices.Delete(table.Columns, at, at+1)
			}
			in["participants"] = []dag.Input{dag.InputOf(table)}
		}
	}
	two := slices.Clone(s.site)
	two[0] = "d"
	byGroup := make([]string, len(s.id))
	ages := make([]float64, len(s.id))
	for i, g := range s.group {
		byGroup[i] = map[string]string{"ASD": "c", "HC": "d"}[g]
		ages[i] = map[string]float64{"ASD": 20, "HC": 60}[g] + float64(i)/10
	}
	months := lists.Map(s.id, func(id string) float64 { return 12 * s.age[id] })
	odd := slices.Repeat([]string{"1", "maybe"}, len(s.id)/2)
	for _, c := range []struct {
		how    string
		change func(map[string][]dag.Input)
		want   string
	}{
		{"inputs", change("site_id", nil), "has no column site, the site column of the ComBat fit: add it"},
		{"inputs", change("site_id", two), "need the matrices of 10 participants, but there are fewer for site_id d (1)"},
		{"inputs", change("age", nil), "ComBat preserved the effects of age"},
		{"inputs", change("age", months), "in training: is it in different units?"},
		{"inputs", change("site_id", byGroup), "site_id stands for the group"},
		{"inputs", change("age", ages), "preserved the effects of age, which stands for the group here"},
		{"controls", change("aside", odd), `"maybe" of`},
		{"controls", change("aside", slices.Repeat([]string{"1"}, len(s.id))), "no participant is left to test"},
		{"controls", change("aside", slices.Repeat([]string{"0"}, len(s.id))), "has no controls"},
		{"controls", change("aside", slices.Repeat([]string{"1", "1", "0", "0"}, len(s.id)/4)), "are from the groups ASD, HC"},
		{"inputs", func(in map[string][]dag.Input) {
			in["quality"] = slices.Clone(in["quality"])
			for i, q := range in["quality"] {
				of := *need.Value(q.Table())(t)
				of.Meta = map[string]string{"made": `{"denoise.fd":0.5,"harmonize.fitted":["ab"]}`}
				in["quality"][i] = dag.InputOf(&of, q.Coords...)
			}
		}, "are already harmonized"},
		{"inputs", func(in map[string][]dag.Input) {
			of := in["matrices"][0]
			array := need.Value(of.Array())(t)
			small := array.Shape[1] - 1
			zeros := encoding.NewArray(make([]float64, array.Shape[0]*small*small), array.Shape[0], small, small)
			in["matrices"] = append([]dag.Input{dag.InputOf(zeros, of.Coords...)}, in["matrices"][1:]...)
		}, "regions in training"},
	} {
		in := maps.Clone(s.in)
		c.change(in)
		v := &Validate{NewSite: NewSite{Harmonize: c.how}}
		if c.how == "controls" {
			v.Controls = "aside"
		}
		_, err := stagetest.RunStage(t, v, in)
		need.Error(t, err, c.want)
	}
	need.Equal(t, fmt.Sprint((&NewSite{Harmonize: "controls"}).Validate()),
		"[harmonize: controls needs a column that marks the controls: set controls: COLUMN, or harmonize: inputs]")
	need.Equal(t, len((&NewSite{Harmonize: "inputs", Controls: "x"}).Validate()), 1)
	graphs := func(port string) bool { return port == "edges" || port == "features" }
	need.Error(t, (&Validate{NewSite: NewSite{Harmonize: "inputs"}}).RefusesInputs(graphs), "is for models of matrices")
	// A file that does not have the fit.
	plain := unseen(t, 96, "baseline", "model", "ridge")
	_, err := stagetest.RunStage(t, &Validate{NewSite: NewSite{Harmonize: "inputs"}}, plain.in)
	need.Error(t, err, "the model file has no ComBat fit")
}

// A training participant under another id is found behind the site effect that the training removed.
func TestNewSiteFindsTrainingParticipants(t *testing.T) {
	s := scannedStudy(t, "baseline", "model", "logistic", "c", 0.01)
	in := maps.Clone(s.in)
	at := 0
	for id, m := range s.training {
		if at == 3 {
			break
		}
		// the matrices of a training participant in place of those of a new one of the same age
		in["matrices"] = slices.Clone(in["matrices"])
		m.Coords = in["matrices"][at].Coords
		s.age[s.id[at]] = s.age[id]
		in["matrices"][at] = m
		at++
	}
	in["participants"] = []dag.Input{s.people()}
	_, err := stagetest.RunStage(t, &Validate{NewSite: NewSite{Harmonize: "inputs"}}, in)
	need.Error(t, err, "the data of 3 participants are those of a training participant of another id")
}

// An altered fit is refused.
func TestNewSiteFitOfAFile(t *testing.T) {
	s := scannedStudy(t, "baseline", "model", "ridge")
	b := need.Value(s.in["model"][0].Bytes())(t)
	m := need.Value(modelfile.Read(b))(t)
	need.Equal(t, m.Harmonized.Fit, s.digest)
	need.Equal(t, strings.Join(m.Harmonized.Sites, " "), "a b")
	arrays, about, err := modelfile.Unpack(b)
	need.NoError(t, err)
	edges := m.Harmonized.Pairs()
	for name, change := range map[string]func(about map[string]any, all map[string]*encoding.Array){
		"missing": func(_ map[string]any, all map[string]*encoding.Array) { delete(all, "harmonized_shift") },
		"shape": func(_ map[string]any, all map[string]*encoding.Array) {
			all["harmonized_mean"] = encoding.NewArray(make([]float64, 3), 3)
		},
		"type": func(_ map[string]any, all map[string]*encoding.Array) {
			all["harmonized_fitted"] = encoding.NewArray(make([]float64, edges), edges)
		},
		"not finite": func(_ map[string]any, all map[string]*encoding.Array) {
			all["harmonized_mean"] = encoding.NewArray(slices.Repeat([]float64{math.NaN()}, edges), edges)
		},
		"no scale": func(_ map[string]any, all map[string]*encoding.Array) {
			all["harmonized_scale"] = encoding.NewArray(make([]float64, 2*edges), 2, edges)
		},
		"no SD": func(_ map[string]any, all map[string]*encoding.Array) {
			all["harmonized_sd"] = encoding.NewArray(make([]float64, edges), edges)
		},
		"nodes": func(about map[string]any, _ map[string]*encoding.Array) {
			about["harmonized"].(map[string]any)["nodes"] = 1 << 40
		},
		"sites": func(about map[string]any, _ map[string]*encoding.Array) {
			about["harmonized"].(map[string]any)["sites"] = []string{"a"}
		},
		"tolerance": func(about map[string]any, _ map[string]*encoding.Array) {
			about["harmonized"].(map[string]any)["tolerance"] = 0
		},
		"terms": func(about map[string]any, _ map[string]*encoding.Array) {
			about["harmonized"].(map[string]any)["preserved"] = nil
		},
	} {
		of := map[string]any{}
		need.NoError(t, modelfile.Decode(about, &of))
		delete(of, "content")
		all := maps.Clone(arrays)
		change(of, all)
		var list []modelfile.Array
		for name, a := range all {
			list = append(list, modelfile.Array{Name: name, Values: a})
		}
		if _, err := modelfile.Read(need.Value(modelfile.Pack(of, list))(t).Data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
