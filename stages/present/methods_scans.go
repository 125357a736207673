package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// methodsOfScans tells how long the scans are, who was left out and why, and how many regions there
// are, as the stages found it: what they do not know is not written.
func (a *author) methodsOfScans(m *methodsText) {
	if c := cohortSettings(a.run); c == nil || c.kind != "simulate" {
		m.sentences = append(m.sentences, lengths(a.scans)...)
	}
	if n := len(a.left); n > 0 {
		text := fmt.Sprintf("%s excluded", words.Count(n, "participant"))
		if a.who != nil {
			text = fmt.Sprintf("Of %s, %d were excluded", words.Count(len(a.who.Ids)+n, "participant"), n)
		}
		category := func(r excludedRow) string { return r.Category }
		if !slices.ContainsFunc(a.left, func(r excludedRow) bool { return r.Category == "" }) {
			text += " (" + strings.Join(reasons(a.left, 6, category), "; ") + ")"
		}
		m.say("%s.", text)
	}
	if a.nodes > 0 && !(a.about.DK84 && a.run.of("parcellate") != nil) {
		m.say("The analysis has %s.", words.Count(a.nodes, "region"))
	}
}

// lengths are sentences on the number of volumes and the repetition time.
func lengths(scans []cleanedScan) (sentences []string) {
	if len(scans) == 0 {
		return nil
	}
	volumes := make([]float64, len(scans))
	var tr []float64
	for i, s := range scans {
		if volumes[i] = float64(s.Volumes); s.TR > 0 && !math.IsInf(s.TR, 0) {
			tr = append(tr, s.TR)
		}
	}
	low, high := slices.Min(volumes), slices.Max(volumes)
	text := fmt.Sprintf("All scans have %g volumes", low)
	if low != high {
		text = fmt.Sprintf("The scans have %g to %g volumes (median %g)", low, high, middle(volumes))
	}
	if tr == nil {
		return []string{text + "; their repetition time is not known."}
	}
	low, high = slices.Min(tr), slices.Max(tr)
	if low == high {
		text += fmt.Sprintf(" at a repetition time of %s s", report.Short(low))
	} else {
		text += fmt.Sprintf(" at repetition times of %s to %s s", report.Short(low), report.Short(high))
	}
	if n := len(scans) - len(tr); n > 0 {
		text += fmt.Sprintf(" (unknown for %s)", words.Count(n, "scan"))
	}
	return []string{text + "."}
}

// reasons are why participants were left out, each with its number, the most frequent first; at
// most so many are named, and the numbers add up.
func reasons(left []excludedRow, most int, of func(excludedRow) string) (list []string) {
	count := map[string]int{}
	for _, r := range left {
		count[of(r)]++
	}
	all := slices.SortedFunc(maps.Keys(count),
		func(x, y string) int { return cmp.Or(count[y]-count[x], strings.Compare(x, y)) })
	for _, why := range all[:min(len(all), most)] {
		list = append(list, fmt.Sprintf("%d: %s", count[why], why))
	}
	rest := 0
	for _, why := range all[min(len(all), most):] {
		rest += count[why]
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("%d: other reasons", rest))
	}
	return list
}

// methodsOfSilence tells how regions without a signal enter the analysis, where there are any.
func (a *author) methodsOfSilence(m *methodsText) {
	if a.silent.most == 0 {
		return
	}
	m.say("Regions without a usable series (in %d of %s, at most %d) are excluded from the estimate: their correlations are 0, and they are nodes without edges.",
		a.silent.graphs, words.Count(a.silent.all, "participant"), a.silent.most)
}

// A silence is in how many participants' graphs there are regions without a signal.
type silence struct{ graphs, all, most int }

// readSilence counts the regions without a signal in the graphs.
func (a *author) readSilence() error {
	for _, in := range a.t.All("graphs") {
		rows, err := column.Read[silentRow](in)
		if err != nil {
			return err
		}
		most := 0
		for _, r := range rows {
			most = max(most, int(r.Silent))
		}
		if a.silent.all++; most > 0 {
			a.silent.graphs++
		}
		a.silent.most = max(a.silent.most, most)
	}
	return nil
}

// A silentRow is a draw of graph's quality.
type silentRow struct {
	Silent int32 `column:"silent,optional"`
}
