package quality

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/finding"
)

// Sites whose groups are in opposite ratios are found whichever group is larger where, and those of like ratios, of
// another ratio with the same largest group, or of too few participants are not. P are scipy's
// fisher_exact, times the number of sites.
func TestOppositeRatios(t *testing.T) {
	for _, c := range []struct {
		counts [][]int
		want   string
	}{
		{[][]int{{20, 5}, {5, 20}}, "right 0.20 of 0.50: s0 A 20 of 25 (5 of 25) s1 B 20 of 25 (5 of 25) p 9.46e-05"},
		{[][]int{{5, 20}, {20, 5}}, "right 0.20 of 0.50: s0 B 20 of 25 (5 of 25) s1 A 20 of 25 (5 of 25) p 9.46e-05"},
		{[][]int{{20, 5}, {20, 5}}, ""},
		{[][]int{{13, 12}, {12, 13}}, ""},
		{[][]int{{40, 10}, {26, 24}}, ""},             // another ratio, the same largest group
		{[][]int{{3, 0}, {1, 2}, {0, 3}, {2, 1}}, ""}, // families
		{[][]int{{40, 10}, {40, 10}, {5, 20}}, "right 0.68 of 0.68: s2 B 20 of 25 (20 of 100) p 1.11e-07"},
		{[][]int{{20, 5, 5}, {5, 20, 5}, {5, 5, 20}}, "right 0.17 of 0.33: s0 A 20 of 30 (10 of 60)"}, // three classes
	} {
		var of []LeftOutValue
		for i, counts := range c.counts {
			of = append(of, LeftOutValue{fmt.Sprint("s", i), counts})
		}
		text := ""
		for _, f := range OppositeRatios("site", []string{"A", "B", "C"}[:len(c.counts[0])], of) {
			v := f.Values()
			text = fmt.Sprintf("right %.2f of %.2f:", v["Right"], v["Majority"])
			need.Equal(t, f.Code+" "+f.Weight.String(), "folds.opposite-ratios limits")
			for _, s := range v["Values"].([]values) {
				own := finding.Values(s["Class"])
				text += fmt.Sprintf(" %s %s %d of %d (%d of %d)", s["Value"], own["Name"], own["N"], s["N"],
					own["Training"], s["Training"])
				v["P"] = s["P"]
			}
			text += fmt.Sprintf(" p %.3g", v["P"])
		}
		if !strings.HasPrefix(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%v: %q, want %q", c.counts, text, c.want)
		}
	}
}
