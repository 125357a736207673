package participants

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
)

// The caution on lost voxels names the regions and their shares, and the scans that stand out.
func TestCautionOfLostVoxels(t *testing.T) {
	lost := func(names, shares string) column.CleaningRow {
		return column.CleaningRow{Reduced: int32(len(strings.Split(names, "; "))), Lost: names, LostShares: shares}
	}
	many := func(n int, share string) (names, shares string) {
		for i := range n {
			names, shares = fmt.Sprintf("%s; r%02d", names, i), shares+"; "+share
		}
		return names, shares
	}
	names, shares := many(20, "1.000")
	cut := lost("Right-Cerebellum-Cortex"+names, "0.116"+shares)
	one := lost("Right-Cerebellum-Cortex", "0.116")
	for _, c := range []struct {
		name string
		rows []column.CleaningRow
		want string
	}{
		{"few scans", []column.CleaningRow{{}, lost("l.TP; r.TP", "0.250; 0.999"), cut},
			"s2 (l.TP 25 %, r.TP 99 %), s3 (21 regions, up to 100 %)"},
		{"all alike", slices.Repeat([]column.CleaningRow{one}, 40), "Right-Cerebellum-Cortex in all 40 scans (12 %)"},
		{"one cut short", append(slices.Repeat([]column.CleaningRow{one}, 39), cut),
			"Right-Cerebellum-Cortex in all 40 scans (12 %), 20 others in one scan each; most in s40 (21 regions, up to 100 %)"},
		{"shares differ", append(slices.Repeat([]column.CleaningRow{one}, 6), lost("Right-Cerebellum-Cortex", "0.9"),
			column.CleaningRow{}),
			"Right-Cerebellum-Cortex in 7 of 8 scans (median 12 %, up to 90 %)"},
		{"many regions", slices.Repeat([]column.CleaningRow{lost("a; b; c; d; e", "0.2; 0.2; 0.2; 0.2; 0.3")}, 8),
			"a in all 8 scans (20 %), b in all 8 scans (20 %) and 3 more"},
		{"single scans", []column.CleaningRow{lost("a", "1"), lost("b", "1"), lost("c", "1"), lost("d", "1"),
			lost("e", "1"), lost("f", "1"), lost("g", "1")},
			"7 regions in one scan each"},
	} {
		a := &Cohort{Writer: section.NewWriter(nil)}
		for i, r := range c.rows {
			a.Scans = append(a.Scans, CleanedScan{fmt.Sprintf("s%d", i+1), r})
		}
		a.cautionLost()
		want := "Regions that lost more than a tenth of their voxels (constant or not finite): " + c.want
		if !slices.Equal(a.Cautions(), []string{want}) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(a.Cautions(), "\n"), want)
		}
	}
}

// A region without a series may have a signal, in too few of its voxels: the caution says so.
func TestCautionOfRegionsWithoutSeries(t *testing.T) {
	table := column.WithMeta(column.Table([]column.CleaningRow{{Missing: 8, Strategy: "none", Why: column.Simulated}}),
		map[string]string{"made": "bootstrap.fraction = 0.5\nbootstrap.min_valid = 0.5\ndenoise.detrend = 1"})
	in := dag.InputOf(table)
	in.Coords = []dag.Coord{{Axis: "subject", Value: "sub-23"}}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"cleaning": {in}}))}
	need.NoError(t, a.Read())
	a.cleaning()
	const want = "Regions without a usable series (no signal, or less than 50 % of their voxels valid): sub-23 (8 regions)"
	if !slices.Equal(a.Cautions(), []string{want}) {
		t.Errorf("%q, want %q", a.Cautions(), want)
	}
}
