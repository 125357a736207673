package quality

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/finding"
)

// Copies are what the similarities of all scans of a cohort show: pairs that are more similar than different people.
type Copies struct {
	Scans, Participants, Regions int

	Fixed        string     // why only a fixed limit holds, one of the constants below; "" where it does not
	Expected     float64    // pairs of different people in the cohort that exceed the threshold
	Threshold    float64    // a correlation
	Margin       float64    // in Fisher's z, beyond what two halves of a scan predict; NaN without series
	Matrices     int        // scans of which matrices alone were there
	Kept         int        // matrices whose global signal cannot be removed
	Apart        int        // pairs without enough edges in common
	Others       int        // scans with other numbers of regions
	Uncorrelated bool       // the matrices are no correlations: as they are, without a fixed limit
	MostAlike    bool       // more pairs exceed their limits than there are pairs of scans
	Pairs        []CopyPair // of different ids above the threshold, the most similar first
	Sessions     []CopyPair // of one id each, likewise
	Tail         Tail
}

// A Tail is the distribution of the similarities of different ids, in Fisher's z, and what stands for different people:
// above From, Pairs·exp(−(z − From)/Scale) of them are expected above z.
type Tail struct {
	Counts      []int // of pairs, in steps of TailStep from TailLow on; further pairs are in the first and the last one
	From, Scale float64
	Pairs       int // above From
}

const (
	TailLow  = -1
	TailStep = 0.02
	TailEnd  = 3
)

// Why a cohort has no distribution of its own.
const (
	FixedParticipants = "participants" // too few
	FixedRegions      = "regions"      // too few
	FixedEdges        = "edges"        // too few in common
	FixedAlike        = "alike"        // similarities that do not vary
	FixedMemory       = "memory"       // too many edges of too many participants
)

// A CopyPair is two scans.
type CopyPair struct {
	First, Later           string // participants
	FirstInput, LaterInput string // files
	Similarity             float64
	Limit                  float64 // of two scans of one person; NaN where none is known
	Locked                 bool    // the signals of both have one course of time
	Related                bool    // a column of the cohort relates them
	Same                   bool    // another comparison found one scan
}

// Verdicts of pairs.
const (
	Violation = "violation" // one scan under two ids
	Caution   = "caution"   // one person twice, or a changed copy
	Relatives = "relatives" // known ones, no more similar than scans of one person
)

// Verdict is that of a pair above the threshold. Relatives may share what makes scans similar, so similarity alone
// makes no copy of them.
func (p CopyPair) Verdict() string {
	above := p.Locked || p.Similarity > p.Limit // false for NaN
	switch {
	case p.Same || above && !p.Related:
		return Violation
	case p.Related && !above:
		return Relatives
	}
	return Caution
}

// With are the pairs of a verdict.
func (c Copies) With(verdict string) (pairs []CopyPair) {
	for _, p := range c.Pairs {
		if p.Verdict() == verdict {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Have reports whether two participants are such a pair.
func (c Copies) Have(a, b string) bool {
	return slices.ContainsFunc(c.Pairs, func(p CopyPair) bool {
		return p.First == a && p.Later == b || p.First == b && p.Later == a
	})
}

const mostListed = 10

// Findings are what a reader should know of the comparison.
func (c Copies) Findings() (all finding.List) {
	for _, of := range []struct {
		code, verdict string
		weight        finding.Weight
	}{{"copies.violation", Violation, finding.Overturns}, {"copies.caution", Caution, finding.Overturns},
		{"copies.relatives", Relatives, finding.Notes}} {
		if pairs := c.With(of.verdict); pairs != nil {
			all.Study(of.code, of.weight, values{"N": len(pairs),
				"Threshold": c.Threshold, "More": max(0, len(pairs)-mostListed),
				"Divided": 0, "Alike": 0, "Folds": false, // leakage
				"Pairs": lists.Map(pairs[:min(mostListed, len(pairs))], func(p CopyPair) any {
					return values{"First": p.First, "Later": p.Later, "R": p.Similarity, "Limit": p.Limit,
						"Limited": !math.IsNaN(p.Limit), "Locked": p.Locked}
				})})
		}
	}
	numbers := values{"Participants": c.Participants, "Regions": c.Regions, "Why": c.Fixed}
	if c.MostAlike {
		all.Study("copies.most-alike", finding.Overturns, values{"Scans": c.Scans})
	}
	if c.Fixed != "" && c.Scans > 1 {
		all.Study("copies.fixed", finding.Notes, numbers)
		return all
	}
	for _, of := range []struct {
		code string
		n    int
	}{{"copies.matrices", c.Matrices}, {"copies.global-signal", c.Kept}, {"copies.apart", c.Apart},
		{"copies.other-regions", c.Others}} {
		if of.n > 0 {
			all.Study(of.code, finding.Notes, values{"N": of.n, "Scans": c.Scans, "Limited": !c.Uncorrelated})
		}
	}
	return all
}
