package cohort

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// scans are the volumes and the repetition times (s) of the scans of some members, where they are known.
func (r *Roster) scans(ids map[string]bool) (volumes map[string]int, times map[string]float64) {
	volumes, times = map[string]int{}, map[string]float64{}
	if r.Scan == nil {
		return volumes, times
	}
	for _, s := range r.Subjects {
		for _, part := range s.RunNames() {
			if !ids[s.ID] || s.Problem != nil {
				continue
			}
			who := s.ID
			if len(s.Runs) > 1 {
				who += " " + part
			}
			n, tr := r.Scan(s.ID, part)
			if n > 0 {
				volumes[who] = n
			}
			if tr > 0 {
				times[who] = math.Round(tr/bids.SameTime) * bids.SameTime
			}
		}
	}
	return volumes, times
}

// An entityName is what an entity is called: name for one value, several for more.
type entityName struct{ key, name, several string }

var entityNames = []entityName{{"ses", "session", ""}, {"task", "task", ""},
	{"acq", "acquisition (acq)", ""}, {"dir", "phase-encoding direction (dir)", ""}, {"run", "run", ""},
	{"atlas", "atlas", "atlases"}, {"scale", "scale of the atlas", "scales of the atlas"},
	{"space", "space", "spaces"}, {"res", "resolution (res)", "resolutions (res)"},
	{"den", "density (den)", "densities (den)"}, {"rec", "reconstruction (rec)", ""},
	{"desc", "description (desc)", ""}}

// A property is what scans state on how they were made, by scan: "sub-01", or "sub-01 2" of several.
type property struct {
	entityName        // without a key where it is no entity
	doubt      string // of a property that goes with the group
	processed  bool   // else it is of the acquisition
	of         map[string]string
}

// paths are the files of some members' scans, by scan.
func (r *Roster) paths(ids map[string]bool) map[string]string {
	paths := map[string]string{}
	for _, s := range r.Subjects {
		if !ids[s.ID] || s.Problem != nil {
			continue
		}
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			if path := cmp.Or(run.Files["bold"], run.Files["series"], run.Files["pearson"]); path != "" {
				paths[strings.TrimSpace(s.ID+" "+run.Name)] = path
			}
		}
	}
	return paths
}

// entities are the properties that the names of files state, by scan: "none" of a name without an entity that others
// have.
func entities(paths map[string]string) (all []property) {
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
		delete(keys, e.key)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		names = append(names, entityName{key: key, name: "entity " + key})
	}
	for _, e := range names {
		p := property{entityName: e, doubt: column.DoubtEntity, processed: !slices.Contains(bids.Acquired, e.key),
			of: map[string]string{}}
		for who, own := range of {
			p.of[who] = cmp.Or(own[e.key], bids.None)
		}
		all = append(all, p)
	}
	return all
}

// RefuseMixed refuses members whose series or matrices are of several atlases, and files of derivatives of several
// spaces, resolutions or densities. Who is left out does not count.
func (r *Roster) RefuseMixed() error {
	for _, p := range entities(r.paths(r.IDs())) {
		parameter, one := r.one[p.key]
		if !one && p.key != "atlas" && p.key != "scale" {
			continue
		}
		members, written := map[string]map[string]bool{}, map[string]string{}
		for who, value := range p.of {
			if id, _, _ := strings.Cut(who, " "); one || value != bids.None {
				same := strings.ToLower(value)
				if members[same] == nil {
					members[same], written[same] = map[string]bool{}, value
				}
				members[same][id] = true
			}
		}
		if len(members) < 2 {
			continue
		}
		var have, set []string
		for _, same := range slices.SortedFunc(maps.Keys(members), func(a, b string) int {
			return cmp.Or(len(members[b])-len(members[a]), strings.Compare(a, b))
		}) {
			have = append(have, fmt.Sprintf("%s (%d of %s)", written[same], len(members[same]),
				words.Count(len(r.Subjects), r.Noun())))
			if value := written[same]; p.key == "res" && value == bids.None {
				set = append(set, parameter+": "+bids.Native)
			} else if value != bids.None {
				set = append(set, parameter+": "+value)
			}
		}
		remedy := "set " + strings.Join(set, ", or ")
		if parameter == "" {
			remedy = "list the files of one, or exclude the participants of the others"
		}
		return fmt.Errorf("several %s: %s, but only one can be analyzed; %s", p.several,
			strings.Join(have, ", "), remedy)
	}
	return nil
}

// properties are what some members' scans state on how they were made: the volumes and the repetition times, the
// entities of the names, the fields of the sidecars, and the program.
func (r *Roster) properties(ids map[string]bool) []property {
	volumes, times := r.scans(ids)
	tr, lengths := map[string]string{}, map[string]string{}
	for who, t := range times {
		tr[who] = fmt.Sprintf("%g s", t)
	}
	for who, n := range volumes {
		lengths[who] = words.Count(n, "volume")
	}
	paths := r.paths(ids)
	voxels := map[string]string{}
	for who, path := range paths {
		if size := r.voxels[path]; size != "" {
			voxels[who] = size
		}
	}
	all := append([]property{{entityName: entityName{name: "repetition time"}, doubt: column.DoubtTR, of: tr},
		{entityName: entityName{name: "number of volumes"}, doubt: column.DoubtLength, of: lengths},
		{entityName: entityName{name: "voxel size"}, doubt: column.DoubtEntity, of: voxels}},
		entities(paths)...)
	var making bids.Making
	stated := map[string]map[string]string{} // by property and scan
	scanner := map[string]bool{}             // properties of the acquisition
	for who, path := range paths {
		fields, acquired, program := making.Of(path)
		fields["program of the derivatives"] = program
		for name, value := range acquired {
			fields[name], scanner[name] = value, true
		}
		for name, value := range fields {
			if stated[name] == nil {
				stated[name] = map[string]string{}
			}
			stated[name][who] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		for who := range paths {
			stated[name][who] = cmp.Or(stated[name][who], "not stated")
		}
		all = append(all, property{entityName: entityName{name: name}, doubt: column.DoubtEntity,
			processed: !scanner[name], of: stated[name]})
	}
	return all
}

// owners are the group and the session of each scan of some members. There are no groups where a number is predicted,
// and no sessions where scans are not taken apart by them.
func (r *Roster) owners(ids map[string]bool) (groups, sessions map[string]string) {
	groups, sessions = map[string]string{}, map[string]string{}
	_, group, _ := column.ByParticipant(r.Participants, "group")
	for _, s := range r.Subjects {
		for _, part := range append(s.RunNames(), "") {
			who := strings.TrimSpace(s.ID + " " + part)
			groups[who] = group[s.ID]
			if part = cmp.Or(part, s.RunNames()[0]); r.Sessions && ids[s.ID] {
				sessions[who] = part
			}
		}
	}
	return groups, sessions
}

// protocolNotes note what goes with the group or the session of how scans were acquired or processed, and processing
// that is not the same for all scans.
func (r *Roster) protocolNotes(ids map[string]bool) (notes []column.Note) {
	groups, sessions := r.owners(ids)
	for _, p := range r.properties(ids) {
		what, bySession := "acquisition", column.DoubtProcessing
		if p.processed {
			what, bySession = "processing", column.DoubtEntity
		}
		before := len(notes)
		if by := apart(p.of, groups); by != nil {
			notes = append(notes, column.Doubtf(p.doubt, "the %s is completely confounded with the group: %s; a classifier may learn the %s in place of the group difference",
				p.name, strings.Join(by, ", "), what))
		} else if by := associated(p.of, groups); by != "" && p.doubt != column.DoubtLength { // which the page has
			notes = append(notes, column.Doubtf(column.DoubtProcessing, "the %s is associated with the group: %s; a classifier may learn the %s in place of the group difference",
				p.name, by, what))
		}
		if by := apart(p.of, sessions); by != nil && p.key != "ses" && p.key != "run" {
			notes = append(notes, column.Doubtf(bySession, "the %s is completely confounded with the session: %s; a change between sessions may come from the %s",
				p.name, strings.Join(by, ", "), what))
		}
		if count := counts(p.of); p.processed && len(notes) == before && len(count) > 1 && 2*len(count) <= len(p.of) {
			var by []string
			for value, n := range count {
				by = append(by, fmt.Sprintf("%s (%d)", shortened(value), n))
			}
			slices.SortFunc(by, dag.CompareValues)
			notes = append(notes, column.Doubtf(column.DoubtProcessing, "the %s differs between scans: %s; differences between participants may come from the processing",
				p.name, strings.Join(by, ", ")))
		}
	}
	return notes
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

// associated lists how many participants of each group have each value of a property, "ASD 2 s 12 of 16; HC 2 s 1 of
// 16", and p, where Fisher's exact test of some value in some group shows a strong association; "" elsewhere.
// Participants whose scans have several values do not count.
func associated(of, owners map[string]string) string {
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
		return ""
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
	least := slices.Min(inference.Holm(p))
	if least >= strongly {
		return ""
	}
	return fmt.Sprintf("%s; Fisher's exact test, p = %.2g", strings.Join(by, "; "), least)
}

// shortened is a value as a sentence has it: of a long one the ends, and how long it is.
func shortened(value string) string {
	if text := []rune(value); len(text) > 90 {
		return fmt.Sprintf("%s … %s (%d characters)", string(text[:60]), string(text[len(text)-20:]), len(text))
	}
	return value
}
