package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// statistics shows the tests and tables that are connected, with what they warn of.
func (r *reporter) statistics(s *report.Section) error {
	for _, section := range []func(*dag.Task, *page) error{permutationSection, comparisonSection, covariatesSection, stabilitySection} {
		if err := section(r.t, r.told); err != nil {
			return err
		}
	}
	return r.shownParts(s, []reportPart{
		{"permutation", "Could it be luck? Trainings with the groups exchanged", "Every permutation is divided and trained like the groups as they are; p = (b + 1) / (n + 1) for b of n permutations that do as well.", permutationTable},
		{"comparison", "Is one better than another?", "Over the same participants: McNemar's exact test, and the corrected resampled t-test over the folds; Holm corrects for the number of pairs.", comparisonPairs},
		{"table1", "Variations of the model", besidePaper, variationsTable},
		{"table2", "Other classifiers", besidePaper, classifiersTable},
		{"covariates", "What covariates alone tell of the groups", "A classifier may have learnt what age, sex, site or motion tell. The area under the curve is 0.5 by guessing; the larger way round is taken, so that chance is above.", covariatesTable},
	})
}

const besidePaper = "Mean ± SD over the folds; the 95 % interval is for the number of participants. What the paper prints, on its own 118 participants, stands in columns of its own."

// A reportPart is a table that is shown where its port is connected.
type reportPart struct {
	port, caption, note string
	show                func(*columnsOf) *report.Table
}

// shownParts adds the tables of the parts that are connected and have rows. Long ones are folded.
func (r *reporter) shownParts(s *report.Section, parts []reportPart) error {
	for _, part := range parts {
		if !r.t.Has(part.port) {
			continue
		}
		in := r.t.In(part.port)
		table, err := in.Table()
		if err != nil {
			return err
		}
		if table.Rows() == 0 {
			continue
		}
		c := &columnsOf{t: table}
		t := part.show(c)
		if c.err != nil {
			return fmt.Errorf("%s: %w", in.Name, c.err)
		}
		t.Caption, t.Note = part.caption, strings.TrimSpace(part.note+" "+t.Note)
		block := report.Block{Table: t}
		if len(t.Rows) > 24 {
			block = report.Block{Details: &report.Details{Summary: fmt.Sprintf("%s (%d rows)", part.caption, len(t.Rows)), Blocks: []report.Block{block}}}
		}
		s.Blocks = append(s.Blocks, block)
	}
	return nil
}

// columnsOf reads columns of a table, and keeps the first error.
type columnsOf struct {
	t   *encoding.Table
	err error
}

func (c *columnsOf) has(name string) bool { _, ok := c.t.Column(name); return ok }

// numbers are those of a column; NaN everywhere where the table has none.
func (c *columnsOf) numbers(name string) []float64 {
	if !c.has(name) {
		return slices.Repeat([]float64{math.NaN()}, c.t.Rows())
	}
	v, err := c.t.Floats(name)
	if err != nil && c.err == nil {
		c.err = err
	}
	if len(v) != c.t.Rows() {
		return make([]float64, c.t.Rows())
	}
	return v
}

// texts are those of the first of the columns that is there.
func (c *columnsOf) texts(names ...string) []string {
	for _, name := range names {
		if !c.has(name) {
			continue
		}
		v, err := c.t.Strings(name)
		if err != nil {
			break
		}
		return v
	}
	return make([]string, c.t.Rows())
}

// table has a column for each head, whose cells are written by the function beside it.
func (c *columnsOf) table(keys int, columns ...shownColumn) *report.Table {
	t := &report.Table{Keys: keys, Rows: make([][]report.Cell, c.t.Rows())}
	for _, col := range columns {
		t.Heads = append(t.Heads, report.Head{Text: col.head, Doc: col.doc, Number: col.number})
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: col.cell(i), Strong: col.strong})
		}
	}
	return t
}

type shownColumn struct {
	head, doc      string
	number, strong bool
	cell           func(i int) string
}

func wordColumn(head, doc string, v []string) shownColumn {
	return shownColumn{head: head, doc: doc, cell: func(i int) string { return v[i] }}
}

func shownNumbers(head, doc string, v []float64, write func(float64) string) shownColumn {
	return shownColumn{head: head, doc: doc, number: true, cell: func(i int) string { return write(v[i]) }}
}

// rangeColumn is an interval, or a value with its spread, in one column.
func rangeColumn(head, doc, between string, a, b []float64) shownColumn {
	return shownColumn{head: head, doc: doc, number: true, cell: func(i int) string {
		switch {
		case math.IsNaN(a[i]):
			return "–"
		case math.IsNaN(b[i]):
			return report.Share(a[i])
		}
		return report.Share(a[i]) + between + report.Share(b[i])
	}}
}

func permutationTable(c *columnsOf) *report.Table {
	names := c.texts("name")
	settings := slices.Compact(slices.Clone(names))
	columns := []shownColumn{
		wordColumn("measure", "over participants", plainNames(c.texts("measure"))), shownNumbers("observed", "with the groups as they are", c.numbers("observed"), report.Share),
		shownNumbers("chance, mean", "over the permutations", c.numbers("chance_mean"), report.Share), shownNumbers("chance, 95 %", "of the permutations are below", c.numbers("chance_95"), report.Share),
		shownNumbers("permutations", "", c.numbers("permutations"), report.Short), shownNumbers("p", "", c.numbers("p"), report.Probability),
	}
	if len(settings) > 1 {
		return c.table(2, append([]shownColumn{wordColumn("classifier", "", names)}, columns...)...)
	}
	return c.table(1, columns...)
}

func plainNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = plainName(n)
	}
	return out
}

func comparisonPairs(c *columnsOf) *report.Table {
	a, b := c.texts("name_a", "a"), c.texts("name_b", "b")
	onlyA, onlyB := c.numbers("only_a"), c.numbers("only_b")
	return c.table(2, wordColumn("A", "", a), wordColumn("B", "", b),
		shownNumbers("A right", "share of participants whom A has right, by the mean probability over the draws", c.numbers("accuracy_a"), report.Share), shownNumbers("B right", "", c.numbers("accuracy_b"), report.Share),
		shownColumn{head: "only A / only B", doc: "participants whom only one of the two has right", number: true, cell: func(i int) string { return report.Short(onlyA[i]) + " / " + report.Short(onlyB[i]) }},
		shownNumbers("McNemar p", "exact, two-sided", c.numbers("mcnemar_p"), report.Probability), shownNumbers("Holm", "the same, corrected for the number of pairs", c.numbers("mcnemar_holm"), report.Probability),
		shownNumbers("t-test p", "corrected resampled t of the differences over the folds", c.numbers("t_p"), report.Probability), shownNumbers("t, Holm", "", c.numbers("t_holm"), report.Probability))
}

func variationsTable(c *columnsOf) *report.Table {
	pool, distance := upperNames(c.texts("pool")), upperNames(c.texts("distance"))
	one, two := c.numbers("lambda1"), c.numbers("lambda2")
	return c.table(3, wordColumn("distance", "distance loss", distance), wordColumn("pooling", "", pool),
		shownColumn{head: "λ1-λ2", doc: "weights of the distance losses and of the consistency within a group", cell: func(i int) string { return report.Short(one[i]) + "-" + report.Short(two[i]) }},
		strong(rangeColumn("accuracy", "mean ± SD over the folds", " ± ", c.numbers("accuracy"), c.numbers("sd"))), rangeColumn("95 % CI", "", "–", c.numbers("ci_low"), c.numbers("ci_high")),
		rangeColumn("paper", "what the paper prints", " ± ", c.numbers("paper_accuracy"), c.numbers("paper_sd")))
}

func classifiersTable(c *columnsOf) *report.Table {
	names := c.texts("model")
	for i, n := range names {
		if word := column.Classifiers[n]; word != "" {
			names[i] = word
		}
	}
	count := func(x float64) string {
		if math.IsNaN(x) {
			return "–"
		}
		return report.Short(x)
	}
	return c.table(1, wordColumn("classifier", "", names),
		strong(rangeColumn("accuracy", "mean ± SD over the folds", " ± ", c.numbers("accuracy"), c.numbers("sd"))), rangeColumn("95 % CI", "", "–", c.numbers("ci_low"), c.numbers("ci_high")),
		shownNumbers("parameters", "numbers that are fitted", c.numbers("parameters"), count),
		rangeColumn("paper", "what the paper prints", " ± ", c.numbers("paper_accuracy"), c.numbers("paper_sd")), shownNumbers("paper, parameters", "", c.numbers("paper_parameters"), count))
}

func strong(c shownColumn) shownColumn { c.strong = true; return c }

// upperNames writes topk, sage, bce and mmd as the paper does.
func upperNames(names []string) []string {
	words := map[string]string{"topk": "TopK", "sage": "SAGE", "bce": "BCE", "mmd": "MMD"}
	for i, n := range names {
		names[i] = orItself(words, n)
	}
	return names
}

func covariatesTable(c *columnsOf) *report.Table {
	names := c.texts("covariate")
	words := map[string]string{"mean_fd": "mean framewise displacement", "max_fd": "largest framewise displacement", "kept": "volumes kept", "volumes": "volumes of the scan"}
	for i, n := range names {
		names[i] = orItself(words, n)
	}
	columns := []shownColumn{wordColumn("covariate", "", names)}
	if c.has("values") {
		columns = append(columns, wordColumn("values", "of numbers: mean (SD)", c.texts("values")))
	}
	columns = append(columns, shownNumbers("n", "", c.numbers("n"), report.Short), shownNumbers("missing", "", c.numbers("missing"), report.Short),
		shownNumbers("AUC", "area under the ROC curve of the covariate alone", c.numbers("auc"), report.Share), shownNumbers("chance", "mean over permutations", c.numbers("chance"), report.Share),
		shownNumbers("p", "", c.numbers("p"), report.Probability))
	if c.has("q") {
		columns = append(columns, shownNumbers("q", "false discovery rate over the covariates", c.numbers("q"), report.Probability))
	}
	return c.table(1, columns...)
}

// fidelityTable tells what masking regions does to the answers.
func fidelityTable(c *columnsOf) *report.Table {
	names := c.texts("name")
	actions := c.texts("action")
	words := map[string]string{"remove": "taken out", "keep": "alone left"}
	for i, a := range actions {
		actions[i] = orItself(words, a)
	}
	columns := []shownColumn{wordColumn("the first k are", "regions by the models' scores", actions), shownNumbers("k", "", c.numbers("k"), report.Short),
		shownNumbers("probability lost", "how much less probable the answer becomes", c.numbers("drop"), report.Share),
		rangeColumn("with k at random", "the same, mean ± SD over random choices", " ± ", c.numbers("random_drop"), c.numbers("random_sd")),
		shownNumbers("p", "share of random choices that lower it as much (taken out) or as little (left)", c.numbers("p"), report.Probability),
		shownNumbers("answers changed", "", c.numbers("changed"), report.Percent), shownNumbers("at random", "", c.numbers("random_changed"), report.Percent),
		shownNumbers("accuracy", "of the masked graphs, over participants", c.numbers("accuracy"), report.Share), shownNumbers("whole graphs", "", c.numbers("accuracy_whole"), report.Share)}
	if len(slices.Compact(slices.Clone(names))) > 1 {
		return c.table(2, append([]shownColumn{wordColumn("model", "", names)}, columns...)...)
	}
	return c.table(2, columns...)
}
