package participants

import (
	"cmp"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// An ExcludedRow is an excluded participant (pipeline.excluded).
type ExcludedRow struct {
	Participant string `column:"participant_id"`
	Group       string `column:"group,optional"`
	Reason      string `column:"reason"`
	Category    string `column:"category,optional"`  // the reason without ids, files and advice
	Criterion   string `column:"criterion,optional"` // for inclusion, not met; "" for another reason
	NoValue     bool   `column:"no_value,optional"`  // for the criterion
}

// mostExcluded is how many excluded participants a page lists; the reasons of all are counted. mostInText is how many
// of them, and how many reasons, stand in the text.
const mostExcluded, mostInText = 2000, 20

// describeExcluded gives the number of excluded participants by reason, and each participant.
func (a *Cohort) describeExcluded() {
	if !a.T.Has("excluded") {
		return
	}
	all := len(a.Excluded)
	if all == 0 {
		of := values{"Refused": a.Refused, "All": 0}
		if a.Refused > 0 {
			of["All"] = a.InTable()
		}
		a.Put("excluded.nobody", of)
		return
	}
	shown := a.Excluded[:min(all, mostExcluded)]
	of := values{"N": all, "Shown": len(shown)}
	a.excludedTable = section.Lay(a.Writer, "excluded.table", of, shown, "participant | group? reason")
	if all <= mostInText {
		a.Table(a.excludedTable)
		return
	}
	a.Supplement(a.excludedTable)
	a.Put("excluded.counted", values{"N": all, "Where": a.ExcludedList()})
	counts := quality.Tally(lists.Map(a.Excluded, func(r ExcludedRow) string { return r.Reason }))
	if len(counts) == all {
		return
	}
	most, others := min(len(counts), mostInText), 0
	list := lists.Map(counts[:most], func(r Counted) string { return a.Text("excluded.reason", r) })
	for _, r := range counts[most:] {
		others += r.N
	}
	if others > 0 {
		list = append(list, a.Text("excluded.others", values{"N": others}))
	}
	a.Add(report.Block{List: list})
}

// A Reason is why some participants were excluded, and how many.
type Reason = quality.Reason

// Reasons are those of excluded participants, the most frequent first; beyond six they are counted together.
func Reasons(excluded []ExcludedRow) (all []Reason) {
	const most = 6
	why := func(r ExcludedRow) string { return cmp.Or(r.Category, r.Reason) }
	for _, c := range quality.Tally(lists.Map(excluded, why)) {
		if len(all) == most {
			all = append(all, Reason{})
		}
		if len(all) > most {
			all[most].N += c.N
			continue
		}
		first := excluded[slices.IndexFunc(excluded, func(r ExcludedRow) bool { return why(r) == c.Name })]
		all = append(all, Reason{Why: c.Name, Criterion: first.Criterion, NoValue: first.NoValue, N: c.N})
	}
	return all
}

// NotMeeting counts the excluded who only do not meet what the pipeline file selects by.
func (a *Cohort) NotMeeting() (n int) {
	for _, r := range a.Excluded {
		if r.Criterion != "" {
			n++
		}
	}
	return n
}

// ExcludedList is where the excluded participants are listed: a terminal has no supplementary tables, and its tables
// have no numbers.
func (a *Cohort) ExcludedList() string {
	if a.Pictures {
		return a.excludedTable.Label()
	}
	return a.Text("excluded.where", values{"Folded": a.excludedTable.Supplement})
}
