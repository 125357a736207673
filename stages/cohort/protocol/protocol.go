// Package protocol notes how scans were acquired and processed, where this goes with the group or the session: what the
// names, the sidecars and the headers of their files state.
package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// A Property is what scans state on how they were made, by scan: "sub-01", or "sub-01 2" of several.
type Property struct {
	Key       string // of an entity, otherwise empty
	Name      string
	Several   string // values of an entity
	Doubt     string // of a property that goes with the group
	Of        map[string]string
	processed bool // else it is of the acquisition
	other     bool // a field of sidecars on anything: one of many, so that few go with the group by chance
	mirrored  bool // headers that differ in it may be wrong on the sides
}

var entityNames = []Property{{Key: "ses", Name: "session"}, {Key: "task", Name: "task"},
	{Key: "acq", Name: "acquisition (acq)"}, {Key: "dir", Name: "phase-encoding direction (dir)"},
	{Key: "run", Name: "run"}, {Key: "atlas", Name: "atlas", Several: "atlases"},
	{Key: "scale", Name: "scale of the atlas", Several: "scales of the atlas"},
	{Key: "space", Name: "space", Several: "spaces"},
	{Key: "res", Name: "resolution (res)", Several: "resolutions (res)"},
	{Key: "den", Name: "density (den)", Several: "densities (den)"}, {Key: "rec", Name: "reconstruction (rec)"},
	{Key: "desc", Name: "description (desc)"}}

// Entities are the properties that the names of files state, by scan: "none" of a name without an entity that others
// have.
func Entities(paths map[string]string) (all []Property) {
	of, keys := map[string]map[string]string{}, map[string]bool{}
	for who, path := range paths {
		if own := bids.Entities(path); own != nil {
			of[who] = own
			for key := range own {
				keys[key] = true
			}
		}
	}
	names := slices.Clone(entityNames)
	for _, e := range names {
		delete(keys, e.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		names = append(names, Property{Key: key, Name: "entity " + key})
	}
	for _, p := range names {
		p.Doubt, p.processed, p.Of = column.DoubtEntity, !slices.Contains(bids.Acquired, p.Key), map[string]string{}
		for who, own := range of {
			p.Of[who] = cmp.Or(own[p.Key], bids.None)
		}
		all = append(all, p)
	}
	return all
}

// The properties of scans by their headers.
const (
	VoxelSize     = "voxel size"
	Orientation   = "orientation of the axes"
	AffineSource  = "source of the affine"
	Grayordinates = "list of grayordinates"
)

// OfHeaders are the properties that the headers of scans state, by scan and property.
func OfHeaders(stated map[string]map[string]string) (all []Property) {
	for _, name := range []string{VoxelSize, Orientation, AffineSource, Grayordinates} {
		p := Property{Name: name, Doubt: column.DoubtEntity, Of: map[string]string{},
			mirrored: name == Orientation || name == AffineSource}
		for who, of := range stated {
			if of[name] != "" {
				p.Of[who] = of[name]
			}
		}
		all = append(all, p)
	}
	return all
}

const sidecarField = "sidecar field "

// SidecarFields are the properties that the sidecars and the datasets of files state: "not stated" of a file without a
// field that others have.
func SidecarFields(paths map[string]string) (all []Property) {
	var making bids.Making
	found := map[string]Property{}
	for who, path := range paths {
		processed, acquired, other, program := making.Of(path)
		add := func(name, value string, of Property) {
			if found[name].Of == nil {
				of.Name, of.Doubt, of.Of = name, column.DoubtEntity, map[string]string{}
				found[name] = of
			}
			found[name].Of[who] = value
		}
		add("program of the derivatives", program, Property{processed: true})
		for kind, fields := range []map[string]string{processed, acquired, other} {
			for field, value := range fields {
				add(sidecarField+field, value, Property{processed: kind == 0, other: kind == 2})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for who := range paths {
			found[name].Of[who] = cmp.Or(found[name].Of[who], "not stated")
		}
		all = append(all, found[name])
	}
	return all
}

// Notes note what goes with the group or the session, each by scan, of how scans were acquired or processed, and
// processing that is not the same for all scans.
func Notes(all []Property, groups, sessions map[string]string) (notes []column.Note) {
	for _, p := range all {
		if p.other {
			continue
		}
		what, bySession := "the acquisition", column.DoubtProcessing
		switch {
		case p.processed:
			what, bySession = "the processing", column.DoubtEntity
		case p.mirrored:
			what = "the acquisition, or left in place of right if headers are mirrored,"
		}
		before := len(notes)
		if by := apart(p.Of, groups); by != nil {
			notes = append(notes, column.Doubtf(p.Doubt, "the %s is completely confounded with the group: %s; a classifier may learn %s instead of the group difference",
				p.Name, strings.Join(by, ", "), what))
		} else if by, least := associated(p.Of, groups); least < strongly && p.Doubt != column.DoubtLength {
			// of the lengths the page has it
			notes = append(notes, column.Doubtf(column.DoubtProcessing, "the %s is associated with the group: %s; Fisher's exact test, p = %.2g; a classifier may learn %s instead of the group difference",
				p.Name, by, least, what))
		}
		if by := apart(p.Of, sessions); by != nil && p.Key != "ses" && p.Key != "run" {
			notes = append(notes, column.Doubtf(bySession, "the %s is completely confounded with the session: %s; a change between sessions may come from %s",
				p.Name, strings.Join(by, ", "), what))
		}
		if count := counts(p.Of); p.processed && len(notes) == before && len(count) > 1 && 2*len(count) <= len(p.Of) {
			var by []string
			for value, n := range count {
				by = append(by, fmt.Sprintf("%s (%d)", shortened(value), n))
			}
			slices.SortFunc(by, dag.CompareValues)
			notes = append(notes, column.Doubtf(column.DoubtProcessing, "the %s differs between scans: %s; differences between participants may come from the processing",
				p.Name, strings.Join(by, ", ")))
		}
	}
	return append(notes, otherFields(all, groups)...)
}

// otherFields note the fields of sidecars on anything that go with the group, corrected for how many there are.
func otherFields(all []Property, groups map[string]string) []column.Note {
	var fields, values []string
	var p []float64
	var complete []bool
	for _, f := range all {
		if by, least := associated(f.Of, groups); f.other && by != "" {
			fields, values = append(fields, strings.TrimPrefix(f.Name, sidecarField)), append(values, by)
			p, complete = append(p, least), append(complete, apart(f.Of, groups) != nil)
		}
	}
	doubt, most := column.DoubtProcessing, 0.0
	var names, by []string
	for i, p := range inference.Holm(p) {
		if p < strongly {
			names, by, most = append(names, fields[i]), append(by, fields[i]+": "+values[i]), max(most, p)
			if complete[i] {
				doubt = column.DoubtEntity
			}
		}
	}
	if names == nil {
		return nil
	}
	which, list := words.Count(len(names), "sidecar field")+" are", words.Some(by, 4)
	if len(names) == 1 {
		which, list = "the "+sidecarField+names[0]+" is", strings.TrimPrefix(by[0], names[0]+": ")
	}
	return []column.Note{column.Doubtf(doubt, "%s associated with the group: %s; Fisher's exact test, p ≤ %.2g after Holm's correction; a classifier may learn the acquisition or the processing instead of the group difference",
		which, list, most)}
}

// counts are how many scans have each value of a property.
func counts(of map[string]string) map[string]int {
	count := map[string]int{}
	for _, value := range of {
		count[value]++
	}
	return count
}

// apart lists a property of scans by their owners, "ASD 2 s (20)", where every value that is found is that of one owner
// alone, and there are at least two scans for each value on average; otherwise nil.
func apart(of, owners map[string]string) (by []string) {
	count, owner := counts(of), map[string]string{}
	for who, value := range of {
		if first, there := owner[value]; there && first != owners[who] || owners[who] == "" {
			return nil
		}
		owner[value] = owners[who]
	}
	all := slices.Compact(slices.Sorted(maps.Values(owner)))
	if len(all) < 2 || 2*len(count) > len(of) {
		return nil
	}
	for value, n := range count {
		by = append(by, fmt.Sprintf("%s %s (%d)", owner[value], shortened(value), n))
	}
	slices.SortFunc(by, dag.CompareValues)
	return by
}

// strongly is the p below which a property of scans and the group count as associated, after Holm's correction over the
// values and groups.
const strongly = 0.01

// associated lists how many participants of each group have each value of a property, "ASD 2 s (12 of 16); HC 2 s
// (1 of 16)", and the smallest p of Fisher's exact test of a value in a group, corrected for both; "" where there is
// nothing to test. Participants whose scans have several values do not count.
func associated(of, owners map[string]string) (text string, least float64) {
	value, group := map[string]string{}, map[string]string{}
	several := map[string]bool{}
	for who, v := range of {
		id, _, _ := strings.Cut(who, " ")
		if first, there := value[id]; there && first != v {
			several[id] = true
		}
		value[id], group[id] = v, owners[who]
	}
	count, values, groups := map[[2]string]int{}, map[string]int{}, map[string]int{}
	n := 0
	for id, v := range value {
		if g := group[id]; g != "" && !several[id] {
			count[[2]string{g, v}]++
			values[v]++
			groups[g]++
			n++
		}
	}
	if len(values) < 2 || len(groups) < 2 || 2*len(values) > n {
		return "", 1
	}
	var p []float64
	var by []string
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		var own []string
		for _, v := range slices.SortedFunc(maps.Keys(values), dag.CompareValues) {
			k := count[[2]string{g, v}]
			p = append(p, inference.Fisher(k, groups[g], values[v]-k, n-groups[g]))
			if k > 0 {
				own = append(own, fmt.Sprintf("%s (%d of %d)", shortened(v), k, groups[g]))
			}
		}
		by = append(by, g+" "+words.Some(own, 4))
	}
	if len(values) == 2 && len(groups) == 2 {
		p = p[:1] // the others are the same test
	}
	return strings.Join(by, "; "), slices.Min(inference.Holm(p))
}

// shortened is a value as a sentence has it: of a long one the ends, and how long it is.
func shortened(value string) string {
	if text := []rune(value); len(text) > 90 {
		return fmt.Sprintf("%s … %s (%d characters)", string(text[:60]), string(text[len(text)-20:]), len(text))
	}
	return value
}
