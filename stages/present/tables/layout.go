package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// tableCaption states over what the accuracies are.
func tableCaption(number int, r column.AccuracyRow, who tableSource, level string) string {
	return wording.Label("printed.caption", wording.Values{"Number": number, "Folds": r.Folds,
		"Participants": r.Participants, "Level": level, "Simulated": who.simulated})
}

// names of the paper for distances and pools.
var printedNames = map[string]string{"mmd": "MMD", "bce": "BCE", "topk": "TopK", "sage": "SAGE"}

// PrintedName is the name of a loss or a pooling in the paper.
func PrintedName(s string) string {
	if n, ok := printedNames[s]; ok {
		return n
	}
	return s
}

func layoutOne(rows []VariationRow, who tableSource, level string) report.Printed {
	l := report.Printed{Number: 1, Labels: 2, Header: []string{"Loss", "Pool"},
		Caption: tableCaption(1, rows[0].evaluated, who, level)}
	lambda := func(v VariationRow) string { return fmt.Sprintf("%g-%g", v.Lambda1, v.Lambda2) }
	var columns [][2]float64
	for _, v := range rows {
		if at := [2]float64{v.Lambda1, v.Lambda2}; !slices.Contains(columns, at) {
			columns = append(columns, at)
		}
	}
	slices.SortFunc(columns, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	for _, c := range columns {
		l.Header = append(l.Header, lambda(VariationRow{Lambda1: c[0], Lambda2: c[1]}))
	}
	ours, theirs := report.PrintedSection{From: who.String()}, report.PrintedSection{From: paperSource}
	var last [2]string
	for _, v := range rows {
		if at := [2]string{v.Distance, v.Pool}; at != last || ours.Rows == nil {
			last = at
			for _, s := range []*report.PrintedSection{&ours, &theirs} {
				row := append([]string{PrintedName(v.Distance), PrintedName(v.Pool)},
					slices.Repeat([]string{"–"}, len(columns))...)
				s.Rows = append(s.Rows, row)
			}
		}
		at := 2 + slices.Index(columns, [2]float64{v.Lambda1, v.Lambda2})
		ours.Rows[len(ours.Rows)-1][at] = report.Bracketed(v.FoldMean, v.FoldSD)
		theirs.Rows[len(theirs.Rows)-1][at] = report.Bracketed(v.Paper, v.PaperSD)
	}
	l.Sections = []report.PrintedSection{ours, theirs}
	return l
}

func layoutTwo(rows []ClassifierRow, who tableSource, level string) report.Printed {
	l := report.Printed{Number: 2, Labels: 1, Header: []string{"Metric"},
		Caption: tableCaption(2, rows[0].evaluated, who, level)}
	ours := report.PrintedSection{From: who.String(), Rows: [][]string{{"Acc"}, {"95% CI"}, {"#Par"}}}
	theirs := report.PrintedSection{From: paperSource, Rows: [][]string{{"Acc"}, {"#Par"}}}
	for _, c := range rows {
		l.Header = append(l.Header, c.Model)
		ours.Rows[0] = append(ours.Rows[0], report.Bracketed(c.FoldMean, c.FoldSD))
		ours.Rows[1] = append(ours.Rows[1], report.Range(c.Low, c.High, report.Share))
		ours.Rows[2] = append(ours.Rows[2], report.Thousands(c.Parameters))
		theirs.Rows[0] = append(theirs.Rows[0], report.Bracketed(c.Paper, c.PaperSD))
		k := "–"
		if !math.IsNaN(c.PaperParameters) {
			k = strconv.Itoa(int(c.PaperParameters)/1000) + "k"
		}
		theirs.Rows[1] = append(theirs.Rows[1], k)
	}
	l.Sections = []report.PrintedSection{ours, theirs}
	return l
}

func tableText(kind string, pages []report.Printed, write func(report.Printed) string) artifacts.Bytes {
	parts := lists.Map(pages, write)
	return artifacts.Bytes{Kind: kind, Data: []byte(strings.Join(parts, "\n"))}
}
