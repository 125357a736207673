package quality

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// mostNamed is how many regions of one scan a finding lists; more are counted.
const mostNamed = 3

// A LostScan is a scan in which regions lost voxels.
type LostScan struct {
	Who     string
	N       int                 // regions
	Regions []column.LostRegion // none where there are more than mostNamed, or where they are not known
	Largest float64             // share; NaN where it is not known
}

// A LostIn is a region that lost voxels in several scans.
type LostIn struct {
	Name         string
	N, Of        int     // scans
	Median, Most float64 // share of its voxels; NaN where one is not known
}

// LostVoxels is the finding about regions that lost more than a tenth of their voxels: by scan, or, where most scans
// have some, by region, with the scans that have many more than the others.
func (c Cleaning) LostVoxels() (all finding.List) {
	struck := slices.DeleteFunc(slices.Clone(c.Scans), func(s Scan) bool { return s.Reduced == 0 })
	if len(struck) == 0 {
		return nil
	}
	slices.SortStableFunc(struck, func(x, y Scan) int { return lostIn(y) - lostIn(x) })
	scans := CountScans(c.Scans)
	if cleanedAgain(c.Scans) {
		struck = once(struck, func(s Scan) string { return s.Who })
	}
	numbers := values{"Element": c.Element, "N": len(struck), "Of": scans,
		"Scans": []LostScan(nil), "Regions": []LostIn(nil), "Alone": 0, "Most": []LostScan(nil)}
	unknown := slices.ContainsFunc(struck, func(s Scan) bool { return s.Lost == nil })
	switch {
	case !nobodyStandsOut(len(struck), scans):
		numbers["Scans"] = lists.Map(struck, lostOf)
	case !unknown:
		numbers["Regions"], numbers["Alone"] = lostByRegion(struck, scans)
		numbers["Most"] = mostStruck(struck, scans)
	}
	all.Among(who(struck), "scans.lost-voxels", finding.Limits, numbers)
	return all
}

// lostIn is the number of regions of a scan that lost voxels.
func lostIn(s Scan) int { return max(len(s.LostRegions()), int(s.Reduced)) }

func lostOf(s Scan) LostScan {
	regions := s.LostRegions()
	of := LostScan{Who: s.Who, N: lostIn(s), Largest: math.NaN()}
	for _, r := range regions {
		if !(r.Share <= of.Largest) && !math.IsNaN(r.Share) {
			of.Largest = r.Share
		}
	}
	if len(regions) <= mostNamed {
		of.Regions = regions
	}
	return of
}

// lostByRegion are the regions that lost voxels in the most scans, the most frequent first; those of a single scan are
// counted.
func lostByRegion(struck []Scan, all int) (regions []LostIn, alone int) {
	shares := map[string][]float64{}
	for _, s := range struck {
		for _, r := range s.LostRegions() {
			shares[r.Name] = append(shares[r.Name], r.Share)
		}
	}
	for name, v := range shares {
		if len(v) == 1 {
			alone++
			continue
		}
		of := LostIn{name, len(v), all, math.NaN(), math.NaN()}
		if !slices.ContainsFunc(v, math.IsNaN) {
			of.Median, of.Most = inference.Median(v), slices.Max(v)
		}
		regions = append(regions, of)
	}
	slices.SortFunc(regions, func(x, y LostIn) int { return cmp.Or(y.N-x.N, strings.Compare(x.Name, y.Name)) })
	return regions, alone
}

// mostStruck are the scans that lost voxels in more than twice as many regions as the median scan, and in more than are
// listed of a scan.
func mostStruck(struck []Scan, all int) (most []LostScan) {
	counts := make([]float64, all) // 0 for a scan that lost no voxels
	for i, s := range struck {
		counts[i] = float64(len(s.LostRegions()))
	}
	usual := inference.Median(counts)
	for _, s := range struck {
		if n := len(s.LostRegions()); n > mostNamed && float64(n) > 2*usual {
			most = append(most, lostOf(s))
		}
	}
	return most
}
