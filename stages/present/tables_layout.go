package present

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// A tableLayout is a table as the paper prints it, once for each source of numbers.
type tableLayout struct {
	number   int
	caption  string
	header   []string
	sections []tableSection
	labels   int // columns in front that name a row
}

type tableSection struct {
	from string // whose numbers
	rows [][]string
}

// accuracyText is the paper's 0.797(0.051).
func accuracyText(mean, sd float64) string {
	if math.IsNaN(mean) {
		return "–"
	}
	return fmt.Sprintf("%.3f(%s)", mean, report.Share(sd))
}

// tableCaption tells over what the accuracies are.
func tableCaption(what string, r column.AccuracyRow, who tableSource, level string) string {
	text := fmt.Sprintf("%s. Accuracy, mean(sd) over %s of %s", what, words.Count(int(r.Folds), "fold"), words.Count(int(r.Participants), "participant"))
	if level == "graph" {
		text += ", each draw counted"
	} else {
		text += ", each participant counted once"
	}
	if who.simulated {
		text += ". SIMULATED DATA: nobody was scanned"
	}
	return text + "."
}

// names of the paper for distances and pools.
var printedNames = map[string]string{"mmd": "MMD", "bce": "BCE", "topk": "TopK", "sage": "SAGE"}

func printedName(s string) string {
	if n, ok := printedNames[s]; ok {
		return n
	}
	return s
}

func layoutOne(rows []variation, who tableSource, level string) tableLayout {
	l := tableLayout{number: 1, labels: 2, header: []string{"Loss", "Pool"},
		caption: tableCaption("Model variations and hyperparameters (λ1-λ2)", rows[0].evaluated, who, level)}
	lambda := func(v variation) string { return fmt.Sprintf("%g-%g", v.Lambda1, v.Lambda2) }
	var columns [][2]float64
	for _, v := range rows {
		if at := [2]float64{v.Lambda1, v.Lambda2}; !slices.Contains(columns, at) {
			columns = append(columns, at)
		}
	}
	slices.SortFunc(columns, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	for _, c := range columns {
		l.header = append(l.header, lambda(variation{variationRow: variationRow{Lambda1: c[0], Lambda2: c[1]}}))
	}
	ours, theirs := tableSection{from: who.String()}, tableSection{from: paperSource}
	var last [2]string
	for _, v := range rows {
		if at := [2]string{v.Distance, v.Pool}; at != last || ours.rows == nil {
			last = at
			for _, s := range []*tableSection{&ours, &theirs} {
				row := append([]string{printedName(v.Distance), printedName(v.Pool)},
					slices.Repeat([]string{"–"}, len(columns))...)
				s.rows = append(s.rows, row)
			}
		}
		at := 2 + slices.Index(columns, [2]float64{v.Lambda1, v.Lambda2})
		ours.rows[len(ours.rows)-1][at] = accuracyText(v.FoldMean, v.FoldSD)
		theirs.rows[len(theirs.rows)-1][at] = accuracyText(v.Paper, v.PaperSD)
	}
	l.sections = []tableSection{ours, theirs}
	return l
}

func layoutTwo(rows []contender, who tableSource, level string) tableLayout {
	l := tableLayout{number: 2, labels: 1, header: []string{"Metric"},
		caption: tableCaption("Comparison with other models", rows[0].evaluated, who, level) +
			" 95 % CI: for the number of participants. #Par: trainable parameters; of SVM and Random Forest the number of inputs, as in the paper."}
	ours := tableSection{who.String(), [][]string{{"Acc"}, {"95 % CI"}, {"#Par"}}}
	theirs := tableSection{paperSource, [][]string{{"Acc"}, {"#Par"}}}
	for _, c := range rows {
		l.header = append(l.header, c.Model)
		ours.rows[0] = append(ours.rows[0], accuracyText(c.FoldMean, c.FoldSD))
		ours.rows[1] = append(ours.rows[1], report.Share(c.Low)+"–"+report.Share(c.High))
		ours.rows[2] = append(ours.rows[2], report.Thousands(c.Parameters))
		theirs.rows[0] = append(theirs.rows[0], accuracyText(c.Paper, c.PaperSD))
		k := "–"
		if !math.IsNaN(c.PaperParameters) {
			k = strconv.Itoa(int(c.PaperParameters)/1000) + "k"
		}
		theirs.rows[1] = append(theirs.rows[1], k)
	}
	l.sections = []tableSection{ours, theirs}
	return l
}

func tableText(kind string, pages []tableLayout, write func(tableLayout) string) artifacts.Bytes {
	var parts []string
	for _, p := range pages {
		parts = append(parts, write(p))
	}
	return artifacts.Bytes{Kind: kind, Data: []byte(strings.Join(parts, "\n"))}
}

func (l tableLayout) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(escapedCells(cells, `|`, `\|`), " | ") + " |\n")
	}
	fmt.Fprintf(&b, "**Table %d.** %s\n", l.number, l.caption)
	for _, s := range l.sections {
		fmt.Fprintf(&b, "\n*%s*\n\n", s.from)
		line(l.header)
		line(slices.Repeat([]string{"---"}, len(l.header)))
		for _, r := range s.rows {
			line(r)
		}
	}
	return b.String()
}

// escapedCells replaces texts in each cell.
func escapedCells(cells []string, replace ...string) []string {
	r := strings.NewReplacer(replace...)
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = r.Replace(c)
	}
	return out
}

func (l tableLayout) tsv() string {
	var b strings.Builder
	line := func(cells ...string) {
		b.WriteString(strings.Join(escapedCells(cells, "\t", " ", "\n", " "), "\t") + "\n")
	}
	line(append([]string{fmt.Sprintf("Table %d", l.number)}, l.header...)...)
	for _, s := range l.sections {
		for _, r := range s.rows {
			line(append([]string{s.from}, r...)...)
		}
	}
	return b.String()
}

func (l tableLayout) latex() string {
	var b strings.Builder
	tex := func(cells ...string) []string {
		return escapedCells(cells, `\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "$", `\$`, "{",
			`\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
			"λ1-λ2", `$\lambda_1$-$\lambda_2$`, "–", "--")
	}
	columns := strings.Repeat("l|", l.labels) + strings.Repeat("c", len(l.header)-l.labels)
	fmt.Fprintf(&b, "\\begin{table}[t]\n\\centering\n\\caption{%s}\n\\resizebox{\\textwidth}{!}{%%\n\\begin{tabular}{@{}%s@{}} \\toprule\n", tex(l.caption)[0], columns)
	heads := tex(l.header...)
	for i := range l.labels {
		heads[i] = `\textbf{` + heads[i] + `}`
	}
	b.WriteString(strings.Join(heads, " & ") + " \\\\\n")
	for _, s := range l.sections {
		fmt.Fprintf(&b, "\\midrule\n\\multicolumn{%d}{@{}l}{\\emph{%s}} \\\\\n", len(l.header), tex(s.from)[0])
		for i, r := range s.rows {
			cells := tex(r...)
			if l.labels == 2 { // a loss stands once for its rows
				if i > 0 && s.rows[i-1][0] == r[0] {
					cells[0] = ""
				} else if n := sameFirst(s.rows[i:]); n > 1 {
					cells[0] = fmt.Sprintf("\\multirow{%d}{*}{%s}", n, cells[0])
				}
			}
			b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}%\n}\n\\end{table}\n")
	return b.String()
}

// sameFirst counts the rows that begin alike.
func sameFirst(rows [][]string) int {
	n := 1
	for n < len(rows) && rows[n][0] == rows[0][0] {
		n++
	}
	return n
}
