package finding

import "prgnn/internal/lists"

// A Doubtful is a scan that its labels may not fit.
type Doubtful struct{ Who, Why string }

// Registration is the finding about labels that may not fit the scan.
func Registration(doubtful []Doubtful) List {
	if len(doubtful) == 0 {
		return nil
	}
	ids := lists.Map(doubtful, func(d Doubtful) string { return d.Who })
	return List{{"scans.labels-doubtful", Limits, Subject{Participants: ids}, map[string]any{"Listed": doubtful}}}
}

// A Counted is a name, and how often it is there.
type Counted struct {
	Name string
	N    int
}

// Empty is the finding about regions without a voxel, of all participants together: empty has their names, all is the
// number of regions.
func Empty(empty []Counted, all int, element string) List {
	n := 0
	for _, r := range empty {
		n += r.N
	}
	if n == 0 {
		return nil
	}
	// More than one in twenty is more than the edge of a field of view.
	return List{{"scans.regions-without-voxels", Limits, Subject{}, map[string]any{"N": n, "Of": all, "Regions": empty,
		"Element": element, "Misplaced": 20*n > all}}}
}
