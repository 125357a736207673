// Package protocol notes how scans were acquired and processed, where this goes with the group or the session: what the
// names, the sidecars and the headers of their files state.
package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
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
	which     bool // which sessions or runs there are
	total     bool // of a participant, over its runs
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

// Distortion is whether a field map corrects the distortion of scans, by scan, where it does for some.
func Distortion(scans, fieldmaps map[string]string) []Property {
	if len(fieldmaps) == 0 {
		return nil
	}
	p := Property{Name: "distortion correction", Doubt: column.DoubtEntity, Of: map[string]string{}, processed: true}
	for who := range scans {
		p.Of[who] = "none"
		if fieldmaps[who] != "" {
			p.Of[who] = "by a field map"
		}
	}
	return []Property{p}
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

// Owners are to whom scans belong, by scan: the group of the participant, and the session or the run where participants
// have several scans.
type Owners struct {
	Groups, Parts map[string]string
	Part          string // what a part is: session or run; "" where all participants have one scan
}

// Scans are the properties of which scans participants have: their sessions or runs, and the volumes of all runs
// together.
func (o Owners) Scans(volumes map[string]int) []Property {
	if o.Part == "" {
		return nil
	}
	scans := maps.Clone(o.Parts) // each by its own name alone
	maps.DeleteFunc(scans, func(who, _ string) bool { return participant(who) == who })
	all := []Property{{Name: o.Part, Doubt: column.DoubtEntity, Of: scans, which: true}}
	if o.Part == "run" {
		total, sum := map[string]int{}, map[string]string{}
		for who, n := range volumes {
			total[participant(who)] += n
		}
		for id, n := range total {
			sum[id] = words.Count(n, "volume")
		}
		all = append(all, Property{Name: "number of volumes of all runs together", Doubt: column.DoubtLength, Of: sum,
			total: true})
	}
	return all
}

func participant(scan string) string {
	id, _, _ := strings.Cut(scan, " ")
	return id
}

// A comparison is one of a property with the group or the session.
type comparison struct {
	level int      // of all scans, of each part, of what each participant has
	parts []string // sessions or runs that are compared; nil for all
	apart []share  // values, where it goes with the group or the session completely
	by    []owner  // how often each value is there; nil where there is nothing to test
	p     float64  // the smallest
	far   bool     // the share of a value differs so much that it alone separates the groups (finding.Apart)
}

// A share is how many scans of an owner, a group or a session, have a value, of so many.
type share struct {
	Owner, Value string
	N, Of        int
}

// An owner is a group or a session, and how many of its scans have each value.
type owner struct {
	Owner  string
	Shares []share
}

// values are those of a note on what is compared.
func (c comparison) values(p Property, part string) column.Values {
	return column.Values{"Name": p.Name, "Which": p.which, "Level": c.level, "Part": part, "Parts": c.parts,
		"Apart": c.apart, "Owners": c.by, "P": c.p}
}

// doubt is that of a note on an association with the group.
func (c comparison) doubt() string {
	if c.far {
		return column.DoubtEntity
	}
	return column.DoubtProcessing
}

// byGroup compares a property with the group: over all scans, in each session or run, and over what each participant
// has in all of them.
func (o Owners) byGroup(p Property) []comparison {
	p.Of = halved(p.Of)
	compare := func(level int, parts []string, of map[string]string) comparison {
		by, least, far := associated(of, o.Groups)
		return comparison{level, parts, apart(of, o.Groups), by, least, far}
	}
	all := []comparison{compare(0, nil, p.Of)}
	if o.Part == "" || p.total {
		return all
	}
	together, several := ofParticipants(p.Of)
	scans := map[string]map[string]string{}
	for who, value := range p.Of {
		part := o.Parts[who]
		if scans[part] == nil {
			scans[part] = map[string]string{}
		}
		scans[part][who] = value
	}
	for _, part := range slices.SortedFunc(maps.Keys(scans), dag.CompareValues) {
		if own, _ := ofParticipants(scans[part]); part != "" && !maps.Equal(own, together) {
			all = append(all, compare(1, []string{part}, scans[part]))
		}
	}
	if several && p.Doubt != column.DoubtLength { // of the lengths the total and the set of scans stand for it
		all = append(all, compare(2, nil, together))
	}
	return all
}

// halved are numbers and dates of which scans have nearly all their own, as before the median and from it on; other
// properties as they are.
func halved(of map[string]string) map[string]string {
	scans := slices.Sorted(maps.Keys(of))
	values := lists.Map(scans, func(who string) string { return of[who] })
	if 2*len(counts(of)) <= len(of) {
		return of
	}
	numbers := column.Days(values)
	if numbers == nil {
		for _, v := range values {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return of
			}
			numbers = append(numbers, x)
		}
	}
	if slices.ContainsFunc(numbers, math.IsNaN) {
		return of
	}
	sorted := slices.Sorted(slices.Values(numbers))
	middle := sorted[len(sorted)/2]
	cut := shortened(values[slices.Index(numbers, middle)])
	halves := map[string]string{}
	for i, who := range scans {
		if halves[who] = "from " + cut; numbers[i] < middle {
			halves[who] = "before " + cut
		}
	}
	return halves
}

// bySession compares a property with the session.
func (o Owners) bySession(p Property) comparison {
	c := comparison{p: 1}
	if o.Part == "session" && !p.which && p.Key != "run" {
		c.apart = apart(p.Of, o.Parts)
		c.by, c.p = within(p.Of, o.Parts)
	}
	return c
}

// ofParticipants are the values of the scans of each participant together, "1.5 s and 2 s", and whether any has two.
func ofParticipants(of map[string]string) (together map[string]string, several bool) {
	values := map[string][]string{}
	for who, value := range of {
		values[participant(who)] = append(values[participant(who)], value)
	}
	together = map[string]string{}
	for id, v := range values {
		slices.SortFunc(v, dag.CompareValues)
		v = slices.Compact(v)
		together[id], several = strings.Join(v, " and "), several || len(v) > 1
	}
	return together, several
}

// noted are the comparisons that are noted: of all scans, else of some parts, else of what each participant has. Those
// in which a property goes with the group completely come first, and parts that are alike in it are one.
func noted(all []comparison) (found []comparison, complete bool) {
	for _, complete := range []bool{true, false} {
		for level := range 3 {
			for _, c := range all {
				if c.level != level || complete != (c.apart != nil) || !complete && c.p >= strongly {
					continue
				}
				same := slices.IndexFunc(found, func(f comparison) bool {
					return complete && slices.Equal(f.apart, c.apart)
				})
				if same >= 0 {
					found[same].parts = slices.Concat(found[same].parts, c.parts)
				} else {
					found = append(found, c)
				}
			}
			if found != nil {
				return found, complete
			}
		}
	}
	return nil, false
}

// Notes note what goes with the group or the session, each by scan, of how scans were acquired or processed, and
// processing that is not the same for all scans. Beside the comparisons of all scans with the group, the others are
// corrected together for how many there are.
func Notes(all []Property, of Owners) (notes []column.Note) {
	groups, sessions := make([][]comparison, len(all)), make([]comparison, len(all))
	var tested []*comparison
	for i, p := range all {
		if p.other {
			continue
		}
		groups[i], sessions[i] = of.byGroup(p), of.bySession(p)
		for j := range groups[i][1:] {
			tested = append(tested, &groups[i][1+j])
		}
		tested = append(tested, &sessions[i])
	}
	correct(tested)
	unequal := false // the lengths or the numbers of scans go with the group, and it is noted
	for i, p := range all {
		if p.other {
			continue
		}
		what, bySession := "acquisition", column.DoubtBySession
		switch {
		case p.which:
			what = of.Part
		case p.processed:
			what, bySession = "processing", column.DoubtEntity
		case p.mirrored:
			what = "mirrored"
		}
		note := func(doubt, code, with string, c comparison) {
			values := c.values(p, of.Part)
			values["With"], values["What"] = with, what
			notes = append(notes, column.Doubtful(doubt, code, values))
		}
		before := len(notes)
		found, complete := noted(groups[i])
		for _, c := range found {
			switch {
			case p.total && unequal:
			case !complete && c.level == 0 && p.Doubt == column.DoubtLength: // the page has it
			case complete:
				unequal = unequal || p.which || p.Doubt == column.DoubtLength
				note(p.Doubt, "noted.confounded", "group", c)
			default:
				note(c.doubt(), "noted.associated", "group", c)
			}
		}
		if c := sessions[i]; c.apart != nil {
			note(bySession, "noted.confounded", "session", c)
		} else if c.p < strongly {
			note(column.DoubtProcessing, "noted.associated", "session", c)
		}
		if count := counts(p.Of); p.processed && len(notes) == before && len(count) > 1 && 2*len(count) <= len(p.Of) {
			var by []share
			for _, value := range slices.SortedFunc(maps.Keys(count), dag.CompareValues) {
				by = append(by, share{Value: shortened(value), N: count[value]})
			}
			notes = append(notes, column.Doubtful(column.DoubtProcessing, "noted.processing-differs",
				column.Values{"Name": p.Name, "Values": by}))
		}
	}
	return append(notes, otherFields(all, of)...)
}

// correct corrects the p of comparisons that tested something for how many there are.
func correct(all []*comparison) {
	all = slices.DeleteFunc(slices.Clone(all), func(c *comparison) bool { return c.by == nil })
	p := make([]float64, len(all))
	for i, c := range all {
		p[i] = c.p
	}
	for i, p := range inference.Holm(p) {
		all[i].p = p
	}
}

// otherFields note the fields of sidecars on anything that go with the group or the session, corrected for how many
// there are.
func otherFields(all []Property, of Owners) (notes []column.Note) {
	for _, with := range []string{"group", "session"} {
		var fields [][]comparison
		var of1 []Property
		var tested []*comparison
		for _, f := range all {
			if !f.other {
				continue
			}
			f.Name = strings.TrimPrefix(f.Name, sidecarField)
			own := []comparison{of.bySession(f)}
			if with == "group" {
				own = of.byGroup(f)
			}
			fields, of1 = append(fields, own), append(of1, f)
			for j := range own {
				tested = append(tested, &own[j])
			}
		}
		correct(tested)
		doubt, most := column.DoubtProcessing, 0.0
		var found []column.Values
		for i, own := range fields {
			own = slices.DeleteFunc(own, func(c comparison) bool { return c.by == nil || c.p >= strongly })
			all, complete := noted(own)
			for _, c := range all {
				found, most = append(found, c.values(of1[i], of.Part)), max(most, c.p)
				if with == "group" && (complete || c.far) {
					doubt = column.DoubtEntity
				}
			}
		}
		if found != nil {
			notes = append(notes, column.Doubtful(doubt, "noted.fields-associated",
				column.Values{"Fields": found, "With": with, "P": most, "What": "both"}))
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

// apart lists the values of a property of scans, where every one that is found is that of one owner alone, and there
// are at least two scans for each value on average; otherwise nil.
func apart(of, owners map[string]string) (by []share) {
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
		by = append(by, share{Owner: owner[value], Value: shortened(value), N: n})
	}
	slices.SortFunc(by, func(a, b share) int {
		return dag.CompareValues(a.Owner+" "+a.Value, b.Owner+" "+b.Value)
	})
	return by
}

// strongly is the p below which a property of scans and the group count as associated, after Holm's correction over the
// values and groups.
const strongly = 0.01

// separates is the AUC from which a value alone separates the groups, as that of a covariate (finding.Apart).
const separates = 0.8

// associated is how many participants of each group have each value of a property, and the smallest p of Fisher's exact
// test of a value in a group, corrected for both; nil where there is nothing to test. Participants whose scans have
// several values do not count. far: see comparison.
func associated(of, owners map[string]string) (by []owner, least float64, far bool) {
	value, group := map[string]string{}, map[string]string{}
	several := map[string]bool{}
	for who, v := range of {
		id := participant(who)
		if first, there := value[id]; there && first != v {
			several[id] = true
		}
		value[id], group[id] = v, owners[who]
	}
	maps.DeleteFunc(value, func(id, _ string) bool { return several[id] })
	count, groups, values := counted(value, group)
	n := 0
	for _, k := range groups {
		n += k
	}
	if len(values) < 2 || len(groups) < 2 || 2*len(values) > n {
		return nil, 1, false
	}
	var p []float64
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		for _, v := range slices.SortedFunc(maps.Keys(values), dag.CompareValues) {
			k := count[[2]string{g, v}]
			apart := math.Abs(float64(k)/float64(groups[g]) - float64(values[v]-k)/float64(n-groups[g]))
			far = far || (1+apart)/2 >= separates
			p = append(p, inference.Fisher(k, groups[g], values[v]-k, n-groups[g]))
		}
	}
	if len(values) == 2 && len(groups) == 2 {
		p = p[:1] // the others are the same test
	}
	return listing(count, groups, values), slices.Min(inference.Holm(p)), far
}

// counted are how many scans have each owner and value, each owner, and each value, without those that have no owner.
func counted(of, owners map[string]string) (count map[[2]string]int, owner, values map[string]int) {
	count, owner, values = map[[2]string]int{}, map[string]int{}, map[string]int{}
	for who, v := range of {
		if o := owners[who]; o != "" {
			count[[2]string{o, v}]++
			owner[o]++
			values[v]++
		}
	}
	return count, owner, values
}

// listing is how many scans of each owner have each value.
func listing(count map[[2]string]int, owners, values map[string]int) (by []owner) {
	for _, o := range slices.Sorted(maps.Keys(owners)) {
		var own []share
		for _, v := range slices.SortedFunc(maps.Keys(values), dag.CompareValues) {
			if k := count[[2]string{o, v}]; k > 0 {
				own = append(own, share{Value: shortened(v), N: k, Of: owners[o]})
			}
		}
		by = append(by, owner{o, own})
	}
	return by
}

// within is how many scans of each session have each value of a property, and the smallest p of a value in a
// session, corrected for both, where the values of each participant may have been those of its sessions in any order;
// nil where there is nothing to test. Fisher's exact test would take scans of one participant as independent: its p is
// too small where each has one scan of either value.
func within(of, sessions map[string]string) (by []owner, least float64) {
	count, each, values := counted(of, sessions)
	if len(values) < 2 || len(each) < 2 || 2*len(values) > len(of) {
		return nil, 1
	}
	scans := map[string][]string{}
	for who := range of {
		if sessions[who] != "" {
			scans[participant(who)] = append(scans[participant(who)], who)
		}
	}
	var p []float64
	for _, session := range slices.Sorted(maps.Keys(each)) {
		for _, v := range slices.Sorted(maps.Keys(values)) {
			var chances []float64 // that the scan in the session has the value
			found := 0
			for _, id := range slices.Sorted(maps.Keys(scans)) {
				have, there, here := 0, false, false
				for _, who := range scans[id] {
					own := of[who] == v
					if own {
						have++
					}
					if sessions[who] == session {
						there, here = true, own
					}
				}
				if there && have > 0 && have < len(scans[id]) {
					chances = append(chances, float64(have)/float64(len(scans[id])))
					if here {
						found++
					}
				}
			}
			p = append(p, unlikely(found, chances))
			if len(values) == 2 {
				break // the other is the same test
			}
		}
		if len(each) == 2 {
			break
		}
	}
	return listing(count, each, values), slices.Min(inference.Holm(p))
}

// unlikely is the probability of a number of hits as unlikely as this one or more, with the chance of each hit.
func unlikely(hits int, chances []float64) float64 {
	of := []float64{1} // of each number
	for _, c := range chances {
		next := make([]float64, len(of)+1)
		for k, p := range of {
			next[k] += float64(p * (1 - c))
			next[k+1] += float64(p * c)
		}
		of = next
	}
	sum := 0.0
	for _, p := range of {
		if p <= of[hits]*(1+1e-9) {
			sum += p
		}
	}
	return min(1, sum)
}

// shortened is a value as a sentence has it: of a long one the ends, and how long it is.
func shortened(value string) string {
	if text := []rune(value); len(text) > 90 {
		return fmt.Sprintf("%s … %s (%d characters)", string(text[:60]), string(text[len(text)-20:]), len(text))
	}
	return value
}
