package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/markup"
)

// A Printed is a table as the paper prints it, once for each source of numbers.
type Printed struct {
	Number   int
	Caption  string
	Header   []string
	Sections []PrintedSection
	Labels   int // columns in front that name a row
}

// A PrintedSection has the rows of one source.
type PrintedSection struct {
	From string // whose numbers
	Rows [][]string
}

// Bracketed is a mean with its standard deviation as the paper prints it: 0.797(0.051).
func Bracketed(mean, sd float64) string {
	if math.IsNaN(mean) {
		return "–"
	}
	return fmt.Sprintf("%.3f(%s)", mean, Share(sd))
}

// Markdown is the table in Markdown.
func (l Printed) Markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(escapedCells(lists.Map(cells, markup.Markdown), `|`, `\|`), " | ") + " |\n")
	}
	fmt.Fprintf(&b, "**Table %d.** %s\n", l.Number, l.Caption)
	for _, s := range l.Sections {
		fmt.Fprintf(&b, "\n*%s*\n\n", s.From)
		line(l.Header)
		line(slices.Repeat([]string{"---"}, len(l.Header)))
		for _, r := range s.Rows {
			line(r)
		}
	}
	return b.String()
}

// escapedCells replaces texts in each cell.
func escapedCells(cells []string, replace ...string) []string {
	r := strings.NewReplacer(replace...)
	out := lists.Map(cells, r.Replace)
	return out
}

// TSV is the table with tabs; the source stands before each row.
func (l Printed) TSV() string {
	var b strings.Builder
	line := func(cells ...string) {
		b.WriteString(strings.Join(escapedCells(cells, "\t", " ", "\n", " "), "\t") + "\n")
	}
	line(append([]string{fmt.Sprintf("Table %d", l.Number)}, l.Header...)...)
	for _, s := range l.Sections {
		for _, r := range s.Rows {
			line(append([]string{s.From}, r...)...)
		}
	}
	return b.String()
}

// LaTeX is the table in LaTeX, for the packages booktabs, graphicx and multirow.
func (l Printed) LaTeX() string {
	var b strings.Builder
	tex := func(cells ...string) []string {
		return escapedCells(cells, `\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "$", `\$`, "{",
			`\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
			"λ1-λ2", `$\lambda_1$-$\lambda_2$`, "–", "--")
	}
	columns := strings.Repeat("l|", l.Labels) + strings.Repeat("c", len(l.Header)-l.Labels)
	fmt.Fprintf(&b, "\\begin{table}[t]\n\\centering\n\\caption{%s}\n\\resizebox{\\textwidth}{!}{%%\n\\begin{tabular}{@{}%s@{}} \\toprule\n", tex(l.Caption)[0], columns)
	heads := tex(l.Header...)
	for i := range l.Labels {
		heads[i] = `\textbf{` + heads[i] + `}`
	}
	b.WriteString(strings.Join(heads, " & ") + " \\\\\n")
	for _, s := range l.Sections {
		fmt.Fprintf(&b, "\\midrule\n\\multicolumn{%d}{@{}l}{\\emph{%s}} \\\\\n", len(l.Header), tex(s.From)[0])
		for i, r := range s.Rows {
			cells := tex(r...)
			if l.Labels == 2 { // a loss stands once for its rows
				if i > 0 && s.Rows[i-1][0] == r[0] {
					cells[0] = ""
				} else if n := sameFirst(s.Rows[i:]); n > 1 {
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
