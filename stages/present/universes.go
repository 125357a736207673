package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/finding/claim"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A universeRow is a universe with what its table and sentence use.
type universeRow struct {
	column.UniverseRow
	Measured     float64 // its effect
	Permutations int32
	Universes    int32
	Place, Last  int // among the universes with different predictions, of all with its effect as printed
	Stated       string
	Tested       bool
}

// An optionRow is an option with what its table uses.
type optionRow struct {
	column.OptionRow
	Permutations int32
}

// multiverse writes the joint test of many analyses.
func (a *author) multiverse() {
	tests := section.Rows[column.JointRow](a.Writer, "universe_tests")
	if len(tests) == 0 {
		return
	}
	options := section.Rows[column.OptionRow](a.Writer, "universe_options")
	rows := section.Rows[column.UniverseRow](a.Writer, "universes")
	first := tests[0]
	decisions := slices.Compact(lists.Map(options, func(o column.OptionRow) string { return o.Decision }))
	of := a.universes(tests)
	var headline []string
	for _, r := range rows {
		if r.Headline {
			headline = column.CoordTexts(r.Coords)
		}
	}
	stated := a.Run.HeadlineStated(headline)
	of["Decisions"], of["Distinct"], of["Stated"] = decisions, distinctEffects(rows), stated
	of["Intervals"] = slices.ContainsFunc(rows, column.UniverseRow.HasInterval)
	of["JointStated"] = a.Run.JointStated()
	if of["Tested"] == false { // nothing has a p
		for i := range rows {
			rows[i].P, rows[i].NullLow, rows[i].NullHigh = math.NaN(), math.NaN(), math.NaN()
		}
		for i := range options {
			options[i].Share, options[i].ExplainedP = math.NaN(), math.NaN()
		}
	}
	a.Put("multiverse.result", of)
	if most := largestShare(options); most != nil {
		names := lists.Map(most, func(o column.OptionRow) string { return o.Decision })
		a.Put("multiverse.depends", values{"Decisions": names, "Explained": most[0].Explained,
			"P": most[0].ExplainedP, "Permutations": first.Permutations, "Medians": medians(options, names),
			"Balanced": most[0].Balanced})
	}
	place, last := placesOf(rows)
	all := make([]universeRow, len(rows))
	for i, r := range rows {
		all[i] = universeRow{r, r.Effect, first.Permutations, first.Universes, place[i], last[i], stated,
			of["Tested"] == true}
	}
	if at := slices.IndexFunc(all, func(r universeRow) bool { return r.Headline }); at >= 0 {
		a.Put("multiverse.headline", all[at])
		a.stated = a.Text("multiverse.headline", all[at])
	}
	a.Find(a.Multiverse(tests)...)
	if a.Pictures {
		a.Figures(figure.DrawUniverses(rows, options, of))
		a.universesTile = a.pictureTile(figure.DrawUniverseTile(rows, of), a.Text("tile.multiverse.value", of),
			claim.OfUniverses(a.Results.Results))
		if c := a.curve(rows, options, of); c != nil {
			a.Add(report.Block{Curve: c})
		}
	}
	if of["Tested"] == true {
		a.Table(section.Lay(a.Writer, "multiverse.joint", of, tests, "statistic | value null p test?"))
	}
	a.Table(section.Lay(a.Writer, "multiverse.options", of, lists.Map(options, func(o column.OptionRow) optionRow {
		return optionRow{o, first.Permutations}
	}), "decision option | universes median share? explained explained-p?"))
	a.universeRegions()
	if len(all) > 0 {
		a.Supplement(section.Lay(a.Writer, "multiverse.universes", of, all, "universe | effect p? same? headline?"))
	}
}

// universeRegions writes how often each region is among the top, over the universes.
func (a *author) universeRegions() {
	type row struct {
		column.UniverseRegionRow
		Region string
	}
	rows := lists.Map(section.Rows[column.UniverseRegionRow](a.Writer, "universe_regions"),
		func(r column.UniverseRegionRow) row {
			return row{r, cmp.Or(a.Names[int(r.Index)][0], fmt.Sprint(r.Index))}
		})
	if len(rows) == 0 {
		return
	}
	var always []string
	for _, r := range rows {
		if r.Share == 1 {
			always = append(always, r.Region)
		}
	}
	first := rows[0]
	of := values{"Top": first.Top, "Universes": first.Universes, "Chance": first.Chance, "Regions": len(rows),
		"Always": always, "First": first.Region, "Share": first.Share}
	a.Put("multiverse.ranking", of)
	shown := rows[:min(len(rows), 2*int(first.Top))]
	of["N"] = len(shown)
	a.Table(section.Lay(a.Writer, "multiverse.regions", of, shown, "region | share chance rank"))
}

// curve is the specification curve that a reader filters; nil without universes.
func (a *author) curve(rows []column.UniverseRow, options []column.OptionRow, of values) *report.Curve {
	if len(rows) == 0 {
		return nil
	}
	c := &report.Curve{Title: a.Text("multiverse.curve", nil), Caption: a.Text("multiverse.curve.note", of),
		Untested: of["Tested"] == false, Effect: a.Text("multiverse.effect", of),
		Headline: a.Text("multiverse.stated", of)}
	for _, group := range lists.By(options, func(o column.OptionRow) string { return o.Decision }) {
		d := report.CurveDecision{Name: group.Key}
		for _, o := range group.All {
			d.Options = append(d.Options, report.CurveOption{Name: o.Option, Sets: a.optionSets(o)})
		}
		c.Decisions = append(c.Decisions, d)
	}
	for _, r := range rows {
		if r.SameAs != "" {
			continue
		}
		u := &report.CurveUniverse{Effect: r.Effect, Low: r.Low, High: r.High, NullLow: r.NullLow, NullHigh: r.NullHigh,
			Significant: inference.Significant(r.P), Title: r.Name, Headline: r.Headline}
		if !c.Untested {
			u.P = a.Text("multiverse.curve-p", values{"P": r.P, "Permutations": of["Permutations"]})
		}
		for _, d := range c.Decisions {
			u.At = append(u.At, slices.IndexFunc(d.Options, func(o report.CurveOption) bool {
				return o.Name == column.ValueOn(r.Coords, d.Name)
			}))
		}
		c.Universes = append(c.Universes, u)
	}
	return c
}

// optionSets are the parameters that an option sets, with their values.
func (a *author) optionSets(of column.OptionRow) (sets []string) {
	for _, d := range a.Run.Decisions.Decisions {
		for _, o := range d.Options {
			if d.Name == of.Decision && o.Name == of.Option {
				for _, s := range o.Sets {
					sets = append(sets, s.Stage+"."+s.Parameter+" = "+strings.Join(s.Value, ", "))
				}
			}
		}
	}
	return sets
}

// placesOf are the first and the last place, in ascending order, of the universes with the effect of each as printed:
// equal effects have no order. A universe that repeats another follows it, and is not counted.
func placesOf(rows []column.UniverseRow) (first, last []int) {
	first, last = make([]int, len(rows)), make([]int, len(rows))
	place := 0
	for i, r := range rows {
		same := i > 0 && report.Share(r.Effect) == report.Share(rows[i-1].Effect)
		if r.SameAs == "" {
			place++
		}
		first[i] = place
		if same {
			first[i] = first[i-1]
		}
		for j := i; j >= 0 && first[j] == first[i]; j-- {
			last[j] = place
		}
	}
	return first, last
}

// distinctEffects are the different effects, as printed, of universes with different predictions; 0 where all differ.
func distinctEffects(rows []column.UniverseRow) int {
	effects, n := map[string]bool{}, 0
	for _, r := range rows {
		if r.SameAs == "" {
			n++
			effects[report.Share(r.Effect)] = true
		}
	}
	if len(effects) == n {
		return 0
	}
	return len(effects)
}

// universes are the numbers of the joint tests.
func (a *author) universes(tests []column.JointRow) values {
	first := tests[0]
	of := values{"Effect": first.Effect, "Universes": first.Universes, "Repeated": first.Repeated,
		"All": first.Universes + first.Repeated, "Positive": first.Positive, "Permutations": first.Permutations,
		"Significant": first.Significant, "By": first.By, "Majority": a.majorities(), "Within": "",
		"Repeats": a.Repeats(), "Left": a.Run.Decisions.Left, "Combinations": a.Run.Combinations()}
	if len(a.Accuracy) > 0 {
		of["Within"] = a.Accuracy[0].Within
	}
	var effects []float64
	for _, r := range section.Rows[column.UniverseRow](a.Writer, "universes") {
		if r.SameAs == "" {
			effects = append(effects, r.Effect)
		}
	}
	if of["Pair"] = len(effects) == 2; of["Pair"] == true { // their median is the effect of neither
		of["Least"], of["Most"] = effects[0], effects[1]
	}
	not := a.NotJoint(tests)
	of["Not"], of["Tested"] = not, not == nil
	for _, r := range tests {
		if r.Test {
			of["Statistic"], of["P"] = r.Statistic, r.P
		}
		switch r.Statistic {
		case "median":
			of["Median"], of["MedianP"] = r.Value, r.P
		case "share":
			of["Share"], of["ShareP"] = r.Value, r.P
		case "stouffer":
			of["StoufferP"] = r.P
		}
	}
	return of
}

// majorities counts the universes with different predictions of the majority classifier, which is compared with no
// other: settings that were compared are counted without it.
func (a *author) majorities() (n int) {
	for _, u := range section.Rows[column.UniverseRow](a.Writer, "universes") {
		if u.SameAs == "" && slices.ContainsFunc(a.PerParticipant(), func(r finding.Row) bool {
			return r.IsMajority() && column.Holds(r.Coords, u.Coords)
		}) {
			n++
		}
	}
	return n
}

// medians are, for each of some decisions, the range of the median effects of its options.
func medians(options []column.OptionRow, decisions []string) []values {
	return lists.Map(decisions, func(name string) values {
		v := values{"Decision": name, "Low": math.Inf(1), "High": math.Inf(-1), "Several": len(decisions) > 1}
		for _, o := range options {
			if o.Decision == name {
				v["Low"], v["High"] = min(v["Low"].(float64), o.Median), max(v["High"].(float64), o.Median)
			}
		}
		return v
	})
}

// largestShare has an option of each decision that explains most, to the printed digits; nil where no effect varies, or
// no decision explains more than with permuted labels.
func largestShare(options []column.OptionRow) (most []column.OptionRow) {
	for _, o := range options {
		switch {
		case math.IsNaN(o.Explained), !math.IsNaN(o.ExplainedP) && !inference.Significant(o.ExplainedP):
		case most != nil && report.Percent(o.Explained) == report.Percent(most[0].Explained):
			if most[len(most)-1].Decision != o.Decision {
				most = append(most, o)
			}
		case most == nil || o.Explained > most[0].Explained:
			most = []column.OptionRow{o}
		}
	}
	return most
}
