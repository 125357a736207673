package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/report"
)

// aboutRanking tells how far the ranking is to be trusted: whether it beats references without training, how
// far rankings agree, beside chance, and what trainings on permuted groups give.
func (r *reporter) aboutRanking(s *report.Section) error {
	if err := r.shownParts(s, []reportPart{{"fidelity", "Do the answers hang on the marked regions?", "Asked of participants whom the models were not trained on. A region that is out has no edges and no features.", fidelityTable}}); err != nil {
		return err
	}
	if err := r.levels(s); err != nil {
		return err
	}
	if err := r.references(s); err != nil {
		return err
	}
	for _, part := range []struct {
		port, caption, note string
		show                func(*encoding.Table) (*report.Table, error)
	}{
		{"consistency", "How far rankings agree", "In brackets: rankings in random order. Models may also agree because all brains are alike, whatever the groups are.", r.consistencyTable},
		{"null", "Regions against trainings with permuted groups", "Every region's score, beside the scores that models of permuted groups give it.", func(t *encoding.Table) (*report.Table, error) { return shownTable(t, 400, "index", "id") }},
	} {
		if !r.t.Has(part.port) {
			continue
		}
		of, err := r.t.In(part.port).Table()
		if err != nil {
			return err
		}
		if of.Rows() == 0 {
			continue
		}
		t, err := part.show(of)
		if err != nil {
			return fmt.Errorf("%s: %w", r.t.In(part.port).Name, err)
		}
		t.Caption, t.Note = part.caption, strings.TrimSpace(part.note+" "+t.Note)
		block := report.Block{Table: t}
		if len(t.Rows) > 20 {
			block = report.Block{Details: &report.Details{Summary: part.caption, Screen: true, Blocks: []report.Block{block}}}
		}
		s.Blocks = append(s.Blocks, block)
	}
	return nil
}

// references shows what the rankings of each setting are worth, and says whether training beats the references.
func (r *reporter) references(s *report.Section) error {
	if !r.t.Has("recovery") {
		return nil
	}
	table, err := r.t.In("recovery").Table()
	if err != nil {
		return err
	}
	settings, err := column.SettingsOf(table, "top")
	if err != nil || len(settings) == 0 {
		return err
	}
	several := len(slices.Compact(slices.Clone(settings))) > 1
	shown, said := r.told.regionsOf(settings)
	t := &report.Table{Caption: "Rankings of the regions, and references without training", Keys: 1, Heads: []report.Head{
		{Text: "ranking"}, {Text: "planted", Number: true, Doc: "planted regions among the first, where the truth is known"},
		{Text: "AUROC", Number: true, Doc: "chance that a planted region has a higher value than another one"},
		{Text: "agreement", Number: true, Doc: "Kuncheva's index of the first regions between models; 0 by chance, 1 when the same"},
		{Text: "shared", Number: true, Doc: "of the first regions, those also among the first of the trained models' ranking in the first row"},
		{Text: "held-out", Number: true, Doc: "difference between the groups in test participants, in sd, over the features of the first regions; ranking and direction from training participants; 0 by chance"},
	}, Note: "Untrained models have the architecture, folds and starting weights of the trained ones. Welch's t-test and ridge regression are computed in the training participants of each fold, and averaged over folds; two folds share most of these participants, so their agreement is higher than that of rankings from test participants."}
	if several {
		t.Keys, t.Heads = 2, append([]report.Head{{Text: "setting"}}, t.Heads...)
	}
	for i, setting := range settings {
		if i > 0 && settings[i-1] == setting {
			continue
		}
		rows, err := readRecovery(r.t, setting)
		if err != nil {
			return err
		}
		for _, row := range rows {
			found := "n/a"
			if row.Planted != nil && *row.Planted > 0 {
				found = fmt.Sprintf("%d of %d", *row.Found, row.Top)
			}
			cells := []report.Cell{{Text: row.Name()}, {Text: found}, {Text: report.Fixed(row.AUROC, 2)}, {Text: report.Fixed(row.Agreement, 2)}, {Text: report.Fixed(row.Shared(rows[0].By), 0)}, {Text: report.Fixed(row.HeldOut, 2)}}
			if several {
				cells = append([]report.Cell{{Text: column.ShownSetting(setting)}}, cells...)
			}
			t.Rows = append(t.Rows, cells)
		}
		if setting != shown {
			continue // the regions of one setting are shown
		}
		if slices.ContainsFunc(rows, upsideDown) {
			t.Note += " " + upsideDownText + "."
		}
		if all := rows[0].All; !math.IsNaN(all) {
			t.Note += fmt.Sprintf(" Over all regions the held-out effect is %.2f.", all)
		}
		for _, by := range []string{rows[0].By, rows[1].By} {
			if v, ok := judge(rows, by); ok {
				s.Blocks = append(s.Blocks, report.Block{Text: v.sentence(said) + "."})
			}
		}
		if err := cautionReferences(r.t, r.told, setting, said); err != nil {
			return err
		}
	}
	s.Blocks = append(s.Blocks, report.Block{Table: t})
	return nil
}

// levels shows how much of the scores is a person's own, as λ2 grows.
func (r *reporter) levels(s *report.Section) error {
	if !r.t.Has("individuality") {
		return nil
	}
	table, err := r.t.In("individuality").Table()
	if err != nil || table.Rows() == 0 {
		return err
	}
	c, err := figure.DrawIndividuality(r.t.In("individuality"))
	if err != nil {
		return err
	}
	f, err := c.InReport()
	if err != nil {
		return err
	}
	s.Blocks = append(s.Blocks, report.Block{Figure: &f})
	return r.shownParts(s, []reportPart{{"individuality", "Individual or group level", "In people whom a model was not trained on, by each model alone.", func(c *columnsOf) *report.Table {
		return c.table(1, wordColumn("setting", "", c.texts("setting")), shownNumbers("λ2", "weight of the consistency within a group", c.numbers("lambda2"), report.Short),
			shownNumbers("a person's own", "share of the variance of scores that lies between the people of a group", c.numbers("individual"), report.Share),
			rangeColumn("95 % CI", "over participants", "–", c.numbers("individual_low"), c.numbers("individual_high")),
			shownNumbers("k", "how many first regions of two people are compared", c.numbers("k"), report.Short), shownNumbers("Jaccard", "first regions that two people of a group share, of those in either", c.numbers("jaccard"), report.Share),
			rangeColumn("95 % CI of it", "", "–", c.numbers("jaccard_low"), c.numbers("jaccard_high")), shownNumbers("by chance", "rankings in random order", c.numbers("jaccard_chance"), report.Share))
	}}})
}

// consistencyTable has what was found and, in brackets, what chance gives in one column.
func (r *reporter) consistencyTable(of *encoding.Table) (*report.Table, error) {
	settings, err := shownSettings(of, "over")
	if err != nil {
		return nil, err
	}
	over, err := of.Strings("over")
	if err != nil {
		return nil, err
	}
	v := map[string][]float64{}
	for _, c := range []string{"rankings", "k", "common", "common_chance", "every", "every_chance", "jaccard", "jaccard_chance", "kuncheva", "spearman", "p"} {
		if _, ok := of.Column(c); !ok {
			v[c] = slices.Repeat([]float64{math.NaN()}, len(over))
		} else if v[c], err = of.Floats(c); err != nil {
			return nil, err
		}
	}
	several := len(slices.Compact(slices.Clone(settings))) > 1
	t := &report.Table{Keys: 1, Heads: []report.Head{
		{Text: "rankings by"}, {Text: "number", Number: true}, {Text: "k", Number: true, Doc: "how many first regions are looked at"},
		{Text: "two share", Number: true, Doc: "of the first k regions of two rankings, mean over pairs"},
		{Text: "all share", Number: true, Doc: "of the first k regions of all rankings"},
		{Text: "Jaccard", Number: true, Doc: "shared regions over those in either"},
		{Text: "Kuncheva", Number: true, Doc: "shared regions beyond chance; 0 by chance, 1 when the same"},
		{Text: "Spearman", Number: true, Doc: "rank correlation of all regions; 0 by chance"},
		{Text: "p", Number: true, Doc: "share of sets of random rankings of which two share as many"},
	}}
	if several {
		t.Keys, t.Heads = 2, append([]report.Head{{Text: "setting"}}, t.Heads...)
	}
	chance := func(x, by float64, digits int) string {
		text := report.Fixed(x, digits)
		switch {
		case math.IsNaN(by):
		case by < 0.05 && digits < 2:
			text += " (0)"
		default:
			text += " (" + report.Fixed(by, digits) + ")"
		}
		return text
	}
	for i, what := range over {
		cells := []report.Cell{{Text: what}, {Text: report.Short(v["rankings"][i])}, {Text: report.Short(v["k"][i])},
			{Text: chance(v["common"][i], v["common_chance"][i], 1)}, {Text: chance(v["every"][i], v["every_chance"][i], 0)},
			{Text: chance(v["jaccard"][i], v["jaccard_chance"][i], 2)}, {Text: report.Fixed(v["kuncheva"][i], 2)}, {Text: report.Fixed(v["spearman"][i], 2)}, {Text: report.Probability(v["p"][i])}}
		if several {
			cells = append([]report.Cell{{Text: settings[i]}}, cells...)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

// shownSettings are the settings of a table's rows, for people.
func shownSettings(t *encoding.Table, own ...string) ([]string, error) {
	settings, err := column.SettingsOf(t, own...)
	for i := range settings {
		settings[i] = column.ShownSetting(settings[i])
	}
	return settings, err
}
