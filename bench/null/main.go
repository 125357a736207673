// Command null reads what run.sh made of cohorts without a planted difference, and tells
// whether the p are spread evenly: Kolmogorov and Smirnov's statistic, its p by simulation,
// since a permutation p takes few values. A second argument names an SVG, which shows how
// many cohorts have a p of at most x, for every x.
package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

func main() {
	dir := os.Args[1]
	var shown []steps
	for _, s := range []struct {
		title, file string
		where       map[string]string
		column      string
		levels      int // values that p can take: 1/levels … 1; 0: many
	}{
		{"PR-GNN, accuracy, retrained", "permutation.test", map[string]string{"stage": "train", "measure": "accuracy"}, "p", 20},
		{"PR-GNN, AUC, retrained", "permutation.test", map[string]string{"stage": "train", "measure": "auc"}, "p", 20},
		{"ridge, accuracy, retrained", "permutation.test", map[string]string{"stage": "ridge", "measure": "accuracy"}, "p", 20},
		{"ridge, AUC, retrained", "permutation.test", map[string]string{"stage": "ridge", "measure": "auc"}, "p", 20},
		{"PR-GNN, AUC, fold by fold", "evaluate.summary", map[string]string{"stage": "train", "level": "participant"}, "auc_p", 0},
		{"ridge, AUC, fold by fold", "evaluate.summary", map[string]string{"stage": "ridge", "level": "participant"}, "auc_p", 0},
	} {
		var p []float64
		for _, rows := range tables(dir, s.file) {
			for _, r := range rows {
				if fits(r, s.where) {
					p = append(p, number(r[s.column]))
				}
			}
		}
		if s.where["measure"] != "accuracy" {
			shown = append(shown, steps{s.title, p})
		}
		d := distance(p, s.levels)
		fmt.Printf("%-34s %3d cohorts  p ≤ 0.05: %2d  ≤ 0.10: %2d  ≤ 0.50: %2d  KS %.3f  its p %.2f\n", s.title, len(p), below(p, 0.05), below(p, 0.10), below(p, 0.50), d, chance(d, len(p), s.levels))
	}
	for _, s := range []struct{ title, file, column string }{
		{"regions, contrast fold by fold: some p_any ≤ 0.05", "biomarkers.ranking", "p_any"},
		{"regions, contrast fold by fold: some q < 0.05", "biomarkers.ranking", "q"},
		{"regions, retrained: some p_any ≤ 0.05", "biomarkers.null", "p_any"},
	} {
		claims, all := 0, tables(dir, s.file)
		var least []float64
		for _, rows := range all {
			m := 1.0
			for _, r := range rows {
				m = min(m, number(r[s.column]))
			}
			least = append(least, m)
			if m <= 0.05 {
				claims++
			}
		}
		fmt.Printf("%-40s in %d of %d cohorts\n", s.title, claims, len(all))
		if s.column == "p_any" {
			levels := 0
			if s.file == "biomarkers.null" {
				levels = 20
			}
			shown = append(shown, steps{s.title[:strings.Index(s.title, ":")] + ", least p_any", least})
			d := distance(least, levels)
			fmt.Printf("  the least p_any: KS %.3f, its p %.2f\n", d, chance(d, len(least), levels))
		}
	}
	if len(os.Args) > 2 {
		svg, err := picture(shown).SVG()
		if err == nil {
			err = os.WriteFile(os.Args[2], svg, 0o666)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// tables reads one table of every cohort.
func tables(dir, name string) [][]map[string]string {
	files, _ := filepath.Glob(filepath.Join(dir, "*."+name+".tsv"))
	slices.Sort(files)
	var out [][]map[string]string
	for _, f := range files {
		r, err := os.Open(f)
		if err != nil {
			panic(err)
		}
		c := csv.NewReader(r)
		c.Comma = '\t'
		lines, err := c.ReadAll()
		r.Close()
		if err != nil {
			panic(err)
		}
		var rows []map[string]string
		for _, l := range lines[1:] {
			row := map[string]string{}
			for i, v := range l {
				row[lines[0][i]] = v
			}
			rows = append(rows, row)
		}
		out = append(out, rows)
	}
	return out
}

func fits(row, where map[string]string) bool {
	for k, v := range where {
		if row[k] != v {
			return false
		}
	}
	return true
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

func below(p []float64, x float64) (n int) {
	return lists.Count(p, func(v float64) bool { return v <= x+1e-9 })
}

// distance is the largest difference between the share of p that are at most x and
// x, over the values that p can take.
func distance(p []float64, levels int) float64 {
	at := slices.Sorted(slices.Values(p))
	d := 0.0
	if levels > 0 {
		for k := 1; k <= levels; k++ {
			x := float64(k) / float64(levels)
			d = max(d, math.Abs(float64(below(at, x))/float64(len(at))-x))
		}
		return d
	}
	for i, x := range at {
		d = max(d, math.Abs(float64(i+1)/float64(len(at))-x), math.Abs(float64(i)/float64(len(at))-x))
	}
	return d
}

// chance is the share of samples of evenly spread p with as large a distance.
func chance(d float64, n, levels int) float64 {
	s, as := random.New(1, "null", n, levels), 0
	const times = 20000
	p := make([]float64, n)
	for range times {
		for i := range p {
			p[i] = s.Float64()
			if levels > 0 {
				p[i] = float64(1+s.IntN(levels)) / float64(levels)
			}
		}
		if distance(p, levels) >= d-1e-12 {
			as++
		}
	}
	return float64(as+1) / (times + 1)
}
