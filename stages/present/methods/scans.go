package methods

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// methodsOfScans tells how long the scans are, who was left out and why, and how many regions there
// are, as the stages found it: what they do not know is not written.
func (a *Author) methodsOfScans(m *Text) {
	if c := cohortSettings(a.Run); c == nil || c.Kind != "simulate" {
		m.sentences = append(m.sentences, a.lengths()...)
	}
	if n := len(a.Excluded); n > 0 {
		text := fmt.Sprintf("%s excluded", words.Count(n, "participant"))
		if a.Who != nil {
			text = fmt.Sprintf("Of %s, %d %s excluded", words.Count(len(a.Who.Ids)+n, "participant"), n,
				map[bool]string{true: "was", false: "were"}[n == 1])
		}
		category := func(r participants.ExcludedRow) string { return r.Category }
		if !slices.ContainsFunc(a.Excluded, func(r participants.ExcludedRow) bool { return r.Category == "" }) {
			text += " (" + reasons(participants.Reasons(a.Excluded, 6, category)) + ")"
		}
		m.say("%s.", text)
	}
	if a.Nodes > 0 && !(a.About.DK84 && a.Run.Of("parcellate") != nil) {
		m.say("The analysis has %s.", words.Count(a.Nodes, "region"))
	}
}

// reasons writes counted reasons for a paper: "missing or unusable data, n = 2; rated fail, n = 1"; one alone is not
// counted again.
func reasons(counted []string) string {
	for i, text := range counted {
		n, why, _ := strings.Cut(text, ": ")
		if criterion, is := strings.CutPrefix(why, column.NotMet+": "); is {
			why = "inclusion criterion " + criterion + " not met"
			if known, none := strings.CutSuffix(criterion, " (no value)"); none {
				why = "no value for the inclusion criterion " + known
			}
		}
		if counted[i] = why; len(counted) > 1 {
			counted[i] += ", n = " + n
		}
	}
	return strings.Join(counted, "; ")
}

// lengths are sentences on the number of volumes and the repetition time.
func (a *Author) lengths() (sentences []string) {
	scans, what := a.Scans, "scans"
	switch n := a.Joined(); {
	case n > 0 && n == len(scans):
		what = "joined series"
	case n > 0:
		what = "scans and joined series"
	}
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
	text := fmt.Sprintf("All %s have %g volumes", what, low)
	if low != high {
		text = fmt.Sprintf("The %s have %g to %g volumes (median %g)", what, low, high, inference.Median(volumes))
	}
	if tr == nil {
		return []string{text + "."}
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

// methodsOfSessions tells how many sessions the participants have, and how they enter the analysis.
func (a *Author) methodsOfSessions(m *Text) {
	if a.Run.Of("sessions") == nil {
		return
	}
	number := ""
	if of := participants.SessionsOf(a.Scans); of != nil {
		sum := 0
		for _, n := range of {
			sum += n
		}
		each := fmt.Sprint(of[0])
		if most := of[len(of)-1]; most > of[0] {
			each += fmt.Sprintf(" to %d", most)
		}
		number = fmt.Sprintf("%s of %s (%s each) were analyzed. ", words.Count(sum, "session"),
			words.Count(len(of), "participant"), each)
	}
	m.say("%sEach session was denoised and its correlations were estimated separately. The matrices of all sessions of a participant are those of one participant, on one side of every split; one matrix of a participant is the mean over the sessions (of Fisher's z).", number)
}

// methodsOfSilence tells how regions without a signal enter the analysis, where there are any.
func (a *Author) methodsOfSilence(m *Text) {
	if a.silent.most == 0 {
		return
	}
	nodes := ", and they are nodes without edges"
	if !a.T.Has("graphs") {
		nodes = ""
	}
	m.say("Regions without a usable series (in %d of %s, at most %d) are excluded from the estimate: their correlations are 0%s.",
		a.silent.struck, words.Count(a.silent.all, "participant"), a.silent.most, nodes)
	var shared []string
	where := "every model"
	for _, stage := range a.Run.Stages {
		switch {
		case stage.Is("regions", "shared"):
			shared = append(shared, stage.Stage)
		case stage.Is("regions", "all"):
			where = ""
		}
	}
	if shared == nil {
		return
	}
	if where == "" {
		where = "the stages " + strings.Join(shared, ", ")
	}
	after := ""
	if a.T.Has("graphs") {
		after = "; graphs were reduced after they were made, so that their density, and the shrinkage of the partial correlations, are those of the regions that each participant has"
	}
	m.say("A region that some participants lack is left out of all of them in %s%s.", where, after)
}

// A silence is in how many participants' data there are regions without a signal.
type silence struct{ struck, all, most int }

// readSilence counts the regions without a signal: in the graphs, or in the matrices of a study without graphs.
func (a *Author) readSilence() error {
	most := map[string]int{}
	tables := a.T.All("graphs")
	if tables == nil {
		tables = a.T.All("connectivity")
	}
	for _, in := range tables {
		rows, err := column.Read[silentRow](in)
		if err != nil {
			return err
		}
		of := cmp.Or(in.Coord("subject"), section.MemberText(in.Coords))
		for _, r := range rows {
			most[of] = max(most[of], int(r.Silent), int(r.Missing+r.Constant))
		}
	}
	a.silent.all = len(most)
	for _, n := range most {
		if n > 0 {
			a.silent.struck++
		}
		a.silent.most = max(a.silent.most, n)
	}
	return nil
}

// A silentRow is a draw of the quality of graph, or of connectivity.
type silentRow struct {
	Silent   int32 `column:"silent,optional"`
	Missing  int32 `column:"missing,optional"`
	Constant int32 `column:"constant,optional"`
}
