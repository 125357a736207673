package participants

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/inference"
)

// cautionLost names the regions that lost voxels.
func (a *Cohort) cautionLost() {
	struck := slices.DeleteFunc(slices.Clone(a.Scans), func(s CleanedScan) bool { return s.Reduced == 0 })
	if text := lostVoxels(struck, len(a.Scans), nobodyStandsOut(len(struck), len(a.Scans))); text != "" {
		a.Caution("Regions that lost more than a tenth of their %ss (constant or not finite): %s", a.Element(), text)
	}
}

// A lostRegion is one that lost more than a tenth of its voxels. The share is −1 where it is not known.
type lostRegion struct {
	name  string
	share float64
}

// lostRegions are those of a scan that lost more than a tenth of their voxels.
func (s CleanedScan) lostRegions() []lostRegion {
	if s.Lost == "" {
		return nil
	}
	names, shares := strings.Split(s.Lost, "; "), strings.Split(s.LostShares, "; ")
	regions := make([]lostRegion, len(names))
	for i, name := range names {
		regions[i] = lostRegion{name, -1}
		if len(shares) != len(names) {
			continue
		}
		if x, err := strconv.ParseFloat(shares[i], 64); err == nil {
			regions[i].share = x
		}
	}
	return regions
}

// mostNamed is how many regions a text names; more are counted.
const mostNamed = 3

// lostText names the regions of one scan with their shares, or counts them: "l.TP 25 %, r.TP 100 %" or "21 regions, up
// to 100 %".
func (s CleanedScan) lostText() string {
	regions := s.lostRegions()
	if regions == nil {
		return words.Count(int(s.Reduced), "region")
	}
	var named []string
	largest := -1.0
	for _, r := range regions {
		largest = max(largest, r.share)
		if r.share >= 0 {
			r.name += " " + wholePercent(r.share)
		}
		named = append(named, r.name)
	}
	switch {
	case len(named) <= mostNamed:
		return strings.Join(named, ", ")
	case largest < 0:
		return words.Count(len(named), "region")
	}
	return words.Count(len(named), "region") + ", up to " + wholePercent(largest)
}

// wholePercent writes a share without decimals; what is not all is at most 99 %.
func wholePercent(share float64) string {
	p := fmt.Sprintf("%.0f %%", 100*share)
	if p == "100 %" && share < 1 {
		return "99 %"
	}
	return p
}

// lostVoxels names the regions that lost voxels: by scan, or with byRegion by region, and the scans that lost voxels in
// many more regions than the others. scans are those of all that lost some; "" without any.
func lostVoxels(scans []CleanedScan, all int, byRegion bool) string {
	known := !slices.ContainsFunc(scans, func(s CleanedScan) bool { return s.Lost == "" })
	switch {
	case len(scans) == 0:
		return ""
	case byRegion && known:
		return byRegionText(scans, all) + mostStruck(scans, all)
	case byRegion:
		return fmt.Sprintf("%d of %d scans", len(scans), all)
	}
	named := lists.Map(scans, func(s CleanedScan) string { return s.who + " (" + s.lostText() + ")" })
	return words.Some(named, 6)
}

// byRegionText names the regions that lost voxels in the most scans, with the share of the voxels: "a in all 40 scans
// (12 %), b in 3 of 40 scans (median 20 %, up to 100 %), 20 others in one scan each".
func byRegionText(struck []CleanedScan, all int) string {
	shares := map[string][]float64{}
	var names []string
	for _, s := range struck {
		for _, r := range s.lostRegions() {
			if shares[r.name] == nil {
				names = append(names, r.name)
			}
			shares[r.name] = append(shares[r.name], r.share)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(len(shares[y])-len(shares[x]), strings.Compare(x, y))
	})
	single := slices.IndexFunc(names, func(name string) bool { return len(shares[name]) == 1 })
	if single < 0 {
		single = len(names)
	}
	alone := len(names) - single
	for i, name := range names[:single] {
		v := shares[name]
		text := fmt.Sprintf("%s in %d of %d scans", name, len(v), all)
		if len(v) == all {
			text = fmt.Sprintf("%s in all %d scans", name, all)
		}
		switch median, most := wholePercent(inference.Median(v)), wholePercent(slices.Max(v)); {
		case slices.Min(v) < 0: // not known of some scan
		case median == most:
			text += " (" + most + ")"
		default:
			text += fmt.Sprintf(" (median %s, up to %s)", median, most)
		}
		names[i] = text
	}
	text := words.Some(names[:single], mostNamed)
	switch {
	case alone == 0:
		return text
	case single == 0:
		return words.Count(alone, "region") + " in one scan each"
	case alone == 1:
		return text + ", another in one scan"
	}
	return fmt.Sprintf("%s, %d others in one scan each", text, alone)
}

// mostStruck names the scans that lost voxels in more than twice as many regions as the median scan, and in more than
// the text names; "" without any.
func mostStruck(struck []CleanedScan, all int) string {
	counts := make([]float64, all) // 0 for a scan that lost no voxels
	for i, s := range struck {
		counts[i] = float64(len(s.lostRegions()))
	}
	usual := inference.Median(counts)
	out := slices.DeleteFunc(slices.Clone(struck), func(s CleanedScan) bool {
		n := len(s.lostRegions())
		return n <= mostNamed || float64(n) <= 2*usual
	})
	slices.SortStableFunc(out, func(x, y CleanedScan) int { return len(y.lostRegions()) - len(x.lostRegions()) })
	named := lists.Map(out, func(s CleanedScan) string { return s.who + " (" + s.lostText() + ")" })
	if len(named) == 0 {
		return ""
	}
	return "; most in " + words.Some(named, 6)
}

// noSeries says why a region has no usable series.
func noSeries(element, least string) string {
	if x, err := strconv.ParseFloat(least, 64); err == nil && x > 0 {
		return fmt.Sprintf("no signal, or less than %g %% of their %ss valid", 100*x, element)
	}
	return "no signal"
}
