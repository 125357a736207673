package quality

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

func TestVerdictsOfPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		pair CopyPair
		want string
	}{
		{"below the limit", CopyPair{Similarity: 0.80, Limit: 0.9}, Caution},
		{"at the limit", CopyPair{Similarity: 0.9, Limit: 0.9}, Caution},
		{"above the limit", CopyPair{Similarity: 0.91, Limit: 0.9}, Violation},
		{"one course of time", CopyPair{Similarity: 0.80, Limit: 0.9, Locked: true}, Violation},
		{"without a limit", CopyPair{Similarity: 0.99, Limit: math.NaN()}, Caution},
		{"relatives", CopyPair{Similarity: 0.80, Limit: 0.9, Related: true}, Relatives},
		{"relatives above the limit", CopyPair{Similarity: 0.91, Limit: 0.9, Related: true}, Caution},
		{"relatives with one course of time", CopyPair{Similarity: 0.80, Limit: 0.9, Related: true, Locked: true},
			Caution},
		{"relatives with the same file", CopyPair{Similarity: 0.80, Limit: 0.9, Related: true, Same: true}, Violation},
	} {
		need.Equal(t, c.pair.Verdict(), c.want, c.name)
	}
}

func TestFindingsOfCopies(t *testing.T) {
	violation := CopyPair{First: "a", Later: "b", Similarity: 0.9, Limit: 0.8}
	caution := CopyPair{First: "c", Later: "d", Similarity: 0.7, Limit: 0.8}
	relatives := caution
	relatives.Related = true
	for _, c := range []struct {
		name   string
		copies Copies
		want   string
	}{
		{"nothing compared", Copies{Fixed: FixedParticipants}, ""},
		{"few", Copies{Scans: 19, Fixed: FixedParticipants, Matrices: 19}, "copies.fixed"},
		{"no pair", Copies{Scans: 30}, ""},
		{"all alike", Copies{Scans: 30, Fixed: FixedAlike, MostAlike: true}, "copies.most-alike copies.fixed"},
		{"each verdict", Copies{Scans: 30, Pairs: []CopyPair{violation, caution, relatives}},
			"copies.violation copies.caution copies.relatives"},
		{"limits of the comparison", Copies{Scans: 30, Matrices: 1, Kept: 2, Apart: 3, Others: 4},
			"copies.matrices copies.global-signal copies.apart copies.other-regions"},
	} {
		need.Equal(t, codesIn(c.copies.Findings()), c.want, c.name)
	}
	all := Copies{Pairs: []CopyPair{caution}}
	need.Equal(t, all.Have("d", "c"), true)
	need.Equal(t, all.Have("a", "c"), false)
}
