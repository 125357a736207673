package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/numeric/random"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var kindIndividuals = dag.Kind{
	Name: "figure-individuals",
	Doc: "the regions that the models keep in a few participants, one row per setting\n" +
		"Figure 4 of \"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis\": randomly selected participants, the regions that remain after a pooling layer with their scores, and outlines of the regions that all of these participants share. With biomarkers of layer 2 these are the regions of the paper's figure. The selection depends on the participants' identifiers alone, so the report, this figure and another run of the study show the same participants.",
	New: func() dag.Stage { return &Individuals{People: 4} },
}

var _ role.PortUser = (*Individuals)(nil)

// Individuals draws the regions of a few participants.
type Individuals struct {
	People  int    `param:"people" doc:"how many participants" min:"1" max:"8"`
	Regions int    `param:"regions" doc:"how many regions of each: those kept most often, ties by score" zero:"a quarter of all regions, as many as two poolings at ratio 0.5 leave" min:"0" max:"1000"`
	Group   string `param:"group" doc:"the participants' group; by default the positive one, as in evaluate"`
}

func (*Individuals) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "individual", Doc: "biomarkers' scores of each participant", Type: column.Needs[column.IndividualRow]()},
			{Name: "nodes", Doc: "the node list; without parcels, with the regions' centroids in mm", Type: dag.Arrow("index")},
			parcelsPort(),
		},
		Out: picturePorts("the regions"),
	}
}

// UsesPorts are the positions of the regions.
func (*Individuals) UsesPorts() []role.PortUse {
	return []role.PortUse{{Port: "parcels", As: role.Positions}}
}

func (s *Individuals) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	atlas, err := readAtlas(t)
	if err != nil {
		return nil, err
	}
	names, err := ReadNames(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	return outputs(s.Draw(t.In("individual"), nil, names, atlas))
}

// individualScores are the regions of each participant, by setting.
type individualScores struct {
	settings [][]dag.Coord
	regions  []map[string][]column.IndividualRow // of each setting, by participant
	people   map[string][]string                 // of each group, in the order of the table
}

func readIndividual(in dag.Input, nodes int) (*individualScores, error) {
	rows, err := column.Read[column.IndividualRow](in)
	if err != nil {
		return nil, err
	}
	all := &individualScores{people: map[string][]string{}}
	known := map[string]bool{}
	for i, r := range rows {
		if r.Index < 1 || int(r.Index) > nodes {
			return nil, fmt.Errorf("%s: row %d has the node %d, but the node list goes from 1 to %d", in.Name, i+1, r.Index, nodes)
		}
		of := slices.IndexFunc(all.settings, func(s []dag.Coord) bool { return slices.Equal(s, r.Coords) })
		if of < 0 {
			of = len(all.settings)
			all.settings = append(all.settings, r.Coords)
			all.regions = append(all.regions, map[string][]column.IndividualRow{})
		}
		if !known[r.Participant] {
			known[r.Participant] = true
			all.people[r.Group] = append(all.people[r.Group], r.Participant)
		}
		all.regions[of][r.Participant] = append(all.regions[of][r.Participant], r)
	}
	return all, nil
}

// group is the group that is drawn: the one named, or by default the positive group.
func (all *individualScores) group(named string) (string, error) {
	groups := slices.Sorted(maps.Keys(all.people))
	switch {
	case len(groups) == 0:
		return "", errors.New("it has no scores")
	case named == "":
		if at, _, err := fold.PositiveGroup("", groups); err == nil && at >= 0 {
			return groups[at], nil
		}
		return groups[0], nil
	case all.people[named] == nil:
		return "", fmt.Errorf("group: there is no group %q; available: %s", named, strings.Join(groups, ", "))
	}
	return named, nil
}

// first are the regions that are kept most often.
func first(regions []column.IndividualRow, n int) []column.IndividualRow {
	sorted := slices.DeleteFunc(slices.Clone(regions),
		func(r column.IndividualRow) bool { return math.IsNaN(r.Score) || r.Frequency == 0 })
	slices.SortStableFunc(sorted, func(a, b column.IndividualRow) int {
		return cmp.Or(cmp.Compare(b.Frequency, a.Frequency), cmp.Compare(b.Score, a.Score))
	})
	return sorted[:min(n, len(sorted))]
}

// selected draws n participants at random, in sorted order. Each participant's lot follows from
// the identifier alone: every figure shows the same ones, and another participant in the
// study displaces at most one of them.
func selected(people []string, n int) []string {
	people = slices.Clone(people)
	lot := make(map[string]float64, len(people))
	for _, id := range people {
		lot[id] = random.New(0, "figure individuals", id).Float64()
	}
	slices.SortFunc(people, func(a, b string) int { return cmp.Or(cmp.Compare(lot[a], lot[b]), cmp.Compare(a, b)) })
	people = people[:min(n, len(people))]
	slices.Sort(people)
	return people
}

// A nodeRow names a node.
type nodeRow struct {
	Index        int32  `column:"index"`
	Name         string `column:"name,optional"`
	Abbreviation string `column:"abbreviation,optional"`
}

// ReadNames are the name and the abbreviation of each node, by its number.
func ReadNames(in dag.Input) (map[int][2]string, error) {
	rows, err := column.Read[nodeRow](in)
	if err != nil {
		return nil, err
	}
	names := map[int][2]string{}
	for _, r := range rows {
		name := cmp.Or(r.Name, fmt.Sprint(r.Index))
		names[int(r.Index)] = [2]string{name, cmp.Or(r.Abbreviation, name)}
	}
	return names, nil
}

// Draw draws biomarkers' scores of each participant, the headline first; names are those of ReadNames.
func (s *Individuals) Draw(in dag.Input, headline []dag.Coord, names map[int][2]string,
	atlas chart.Atlas) (*Chart, error) {
	all, err := readIndividual(in, len(names))
	if err != nil {
		return nil, err
	}
	reading, err := ReadReading(in)
	if err != nil {
		return nil, err
	}
	group, err := all.group(s.Group)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	people := selected(slices.Clone(all.people[group]), s.People)
	regions := s.Regions
	if regions == 0 {
		regions = max(1, len(names)/4)
	}

	least, largest := math.Inf(1), math.Inf(-1)
	for of := range all.settings {
		for _, id := range people {
			kept := first(all.regions[of][id], regions)
			all.regions[of][id] = kept
			for _, k := range kept {
				least, largest = min(least, k.Score), max(largest, k.Score)
			}
		}
	}
	if least > largest {
		return nil, fmt.Errorf("%s: no region is kept", in.Name)
	}
	scale := Ranked{rank: map[int]int{1: 2, 2: 1}}
	scale.score = map[int]float64{1: max(least, scale.start()), 2: largest}
	low, high := scale.ends(0)
	var rows []chart.Individuals
	var common []values
	var large []string // colored regions
	shares := false
	order := make([]int, len(all.settings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return afterHeadline(headline, all.settings[x]) - afterHeadline(headline, all.settings[y])
	})
	for _, of := range order {
		title := rowTitle(all.settings[of])
		row := chart.Individuals{Title: region.Clip(title, 24)}
		times, shared := map[int]int{}, map[int]bool{}
		for _, id := range people {
			brain := chart.Regions{Value: map[int]float64{}, Ring: shared, Shared: true}
			for _, k := range all.regions[of][id] {
				brain.Value[int(k.Index)] = (k.Score - low) / (high - low)
				times[int(k.Index)]++
			}
			row.Brains = append(row.Brains, brain)
		}
		var list []string
		for _, n := range slices.Sorted(maps.Keys(times)) {
			if times[n] == len(people) && len(people) > 1 { // one participant shares nothing
				shared[n], list, shares = true, append(list, names[n][1]), true
			}
			if atlas.Fills(n) && !slices.Contains(large, names[n][1]) {
				large = append(large, names[n][1])
			}
		}
		rows = append(rows, row)
		common = append(common, values{"Title": title, "Names": list})
	}
	heads := make([]string, len(people))
	for i, id := range people {
		heads[i] = region.Clip(id, 18)
	}
	v := scale.values(0)
	v["From"], v["To"] = tick(low), tick(high)
	v["Layer"], v["People"], v["Group"], v["Regions"], v["Shared"] = reading.Layer, people, group, regions, common
	v["Views"], v["Below"], v["Any"], v["Large"] = atlas.Views(), least < low, shares, large
	return Captioned(atlas.ByParticipant(heads, rows, chart.Colorbar{Low: low, High: high, Label: scale.scale()}),
		"figure.individuals", v), nil
}

// rowTitle names a setting shortly: of λ, the weight of consistency within a group.
func rowTitle(setting []dag.Coord) string {
	if m := lambdaPair.FindStringSubmatch(column.CoordText(setting)); m != nil {
		return "λ2 = " + m[1]
	}
	return column.SettingName(setting)
}

var lambdaPair = pattern.New(`(?:^| )lambda=[^-= ]+-([^-= ]+)(?: |$)`)
