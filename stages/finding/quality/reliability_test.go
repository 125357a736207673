package quality

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

func TestReliability(t *testing.T) {
	for _, c := range []struct {
		row           column.ReliabilityRow
		first, second float64
		want          string
	}{
		{column.ReliabilityRow{Participants: 10}, math.NaN(), math.NaN(), ""},
		{column.ReliabilityRow{Participants: 9, Left: []string{"sub-1"}}, 0.1, 0.15, "reliability.few"},
		{column.ReliabilityRow{Participants: 12, Left: []string{"sub-1"}, Within: "site"}, 0.1, 0.151,
			"reliability.sites reliability.motion reliability.left-out"},
		{column.ReliabilityRow{Participants: 12}, 0.2, 0.1, "reliability.motion"},
	} {
		pair := column.SessionPairRow{MotionFirst: c.first, MotionSecond: c.second}
		need.Equal(t, codesIn(Reliability(c.row, []column.SessionPairRow{pair}, nil)), c.want)
	}
	for n, edges := range map[int32]bool{9: false, 10: true} { // ICC
		for _, f := range Reliability(column.ReliabilityRow{Participants: n, Within: "site"}, nil, nil) {
			if f.Code == "reliability.sites" {
				need.Equal(t, f.Values()["Edges"].(bool), edges)
			}
		}
	}
	found := Reliability(column.ReliabilityRow{Participants: 10}, nil, []string{"sub-1 (01 and 02)"})
	need.Equal(t, codesIn(found), "reliability.one-scan")
	need.Equal(t, found[0].Weight, finding.Overturns)
}
