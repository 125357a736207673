package column

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/cell"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Names of columns, as wordsOf joins their words. They are taken for what they say by how many share a value (see
// certain): "household" may be urban or rural, "RID" right or left, "mother" her education, "patient" yes or no.
const (
	numberOf = `(_?(id|ids|uid|uuid|identifier|key|nr|no|num|number|guid))`
	family   = `(famil(y|ie|le|ia)|pedigree|twin_?pair|sibship|household)`
	person   = `(sub|subj|subject|participant|patient|person|individual|proband|volunteer|bids|anon|anonymi[sz]ed)`
)

var (
	// familyName is the name of a column of families: Family_ID, famid, FID (PLINK), Mother_ID.
	familyName = pattern.New(`^(.*_)?(` + family + numberOf + `?|fid|(fam|mother|father|maternal|paternal|parent)` +
		numberOf + `)$`)
	mayBeFamilyName = pattern.New(`^(fam|mother|father|mum|mom|kin|kinship|couple|dyad|litter|haushalt|` +
		`zwilling(e|spaar)?|geschwister|(twin_|sib_|sibling_)?pair|twin|sibling|sib)(_?(of|group|set))?` +
		numberOf + `?$`)
	// matchedName is the name of a column of pairs that need not be relatives: pair, match_id, matched_set, matched_to.
	matchedName = pattern.New(`^(matched_?|match_?)?(pair|pairs|set|match)(_?(of|group|set))?` + numberOf + `?$|^match(ed|ing)?` +
		`_?(pair|group|set|to|with)?` + numberOf + `?$|^(control|case)_of$`)
	// parentName is the name of a column of parents: father, Mother_ID, PAT and MAT (PLINK).
	parentName = pattern.New(`^(.*_)?(mother|father|maternal|paternal|parent)` + numberOf + `?$|^(pat|mat)$`)
	// personName is the name of a column of persons: subject_id, src_subject_id, subjectkey, RID and PTID (ADNI), eid
	// (UK Biobank), IID (PLINK), NDAR_GUID.
	personName      = pattern.New(`^(.*_)?(` + person + numberOf + `|guid)$|^(rid|ptid|iid|eid|mrn)$`)
	mayBePersonName = pattern.New(`^` + person + `(_?(label|code|index))?$|^(id|pid|uid|uuid|identifier)$`)
	// visitName is the name of a column of visits: visit, session_id, timepoint, wave, VISCODE (ADNI),
	// redcap_event_name.
	visitName = pattern.New(`^(.*_)?(visit|session|ses|time_?point|wave|follow_?up|occasion|viscode2?|event_name)(` +
		numberOf + `|_?(code|label|name))?$|^time$|^((scan|visit|session|acquisition)_)?date$`)
	// visitEnd is an id with a session or a time point at its end: P01_ses-1, P1post.
	visitEnd = pattern.New(`^(.*[0-9])[-_]?((ses|session|visit|wave|timepoint)[-_]?[0-9]+|pre|post|baseline|follow_?up[0-9]*)$`)
	// visitBegin is the begin of an id that has a visit: V1, ses-2, pre.
	visitBegin = pattern.New(`^([a-z]+[-_]?[0-9]+|[a-z]+)`)
	// identified is a name that says of its values that they are identifiers.
	identified = pattern.New(`(` + family + `|fam|mother|father|maternal|paternal|parent|` + person + `)` + numberOf + `$`)
)

// wordsOf are the words of a column's name in lower case, joined by underscores: SubjectID gives subject_id.
func wordsOf(name string) string {
	return strings.ToLower(strings.Trim(marks.ReplaceAllString(humps.ReplaceAllString(name, "${1}_$2"), "_"), "_"))
}

// NamesFamily reports whether a column is named as one of families: Family_ID, twin_pair, Mother_ID.
func NamesFamily(name string) bool {
	return familyName.MatchString(wordsOf(name)) || mayBeFamilyName.MatchString(wordsOf(name))
}

// NamesPerson reports whether a column is named as one of persons: subject_id, RID, participant.
func NamesPerson(name string) bool {
	return personName.MatchString(wordsOf(name)) || mayBePersonName.MatchString(wordsOf(name))
}

// SetsOf are those who share the values of columns, as text: families, persons, or sets of participants. Pairs may be
// of relatives, or of a patient and a control.
func SetsOf(names ...string) string {
	all := func(is func(string) bool) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !is(name) })
	}
	switch {
	case all(func(name string) bool { return matchedName.MatchString(wordsOf(name)) && NamesFamily(name) }):
		return "pairs"
	case all(NamesFamily):
		return "families"
	case all(NamesPerson):
		return "persons"
	case all(func(name string) bool { return matchedName.MatchString(wordsOf(name)) }):
		return "matched sets"
	}
	return "sets of participants"
}

// certain reports whether a column that is named as one of families or persons is one, by how many share each value:
// categories are few values of many participants each.
func certain(name string, members map[string]int) bool {
	name, sizes := wordsOf(name), slices.Sorted(maps.Values(members))
	if len(sizes) == 0 {
		return false
	}
	median, clear := sizes[len(sizes)/2], familyName.MatchString(name) || personName.MatchString(name)
	switch {
	case clear && median <= 6, len(sizes) > 2 && median <= 4:
		return true
	case len(sizes) >= 10: // large pedigrees, or many scans of each person
		return clear || mayBePersonName.MatchString(name)
	}
	return len(sizes) > 2 && identified.MatchString(name)
}

// HoldsFamilies reports whether a column is one of families, by its name and its values.
func HoldsFamilies(name string, values []string) bool {
	return NamesFamily(name) && certain(name, counted(name, values))
}

// HoldsPersons is the same of persons, whose scans have ids of their own.
func HoldsPersons(name string, values []string) bool {
	return NamesPerson(name) && certain(name, counted(name, values))
}

// HoldsMatched reports whether a column is one of matched sets, whose members are in different groups.
func HoldsMatched(table *encoding.Table, name string) bool {
	members := sharing(table, name)
	matched, small := matchedName.MatchString(wordsOf(name)), inSmallSets(name, members)
	if NamesFamily(name) || shared(members) == 0 || !small && !certain(name, members) {
		return false
	}
	return (matched || small) && AcrossGroups(table, name) || matched && AnyAcrossGroups(table, name)
}

// DoubtRelatives names the columns of families, of matched sets, and of persons whose scans have ids of their own,
// whose members a stage may put on both sides of a split. stages divide them, and kept are the columns whose values
// they keep together; without these they divide participants one by one.
func DoubtRelatives(table *encoding.Table, stages []string, kept ...string) (notes []Note) {
	add := func(doubt, code string, values Values) {
		values["Stages"], values["Kept"] = stages, kept
		notes = append(notes, Doubtful(doubt, code, values))
	}
	byColumn := false
	for _, c := range table.Columns {
		matched, family := matchedName.MatchString(wordsOf(c.Name)), NamesFamily(c.Name)
		if visitName.MatchString(wordsOf(c.Name)) && kept == nil {
			if pairs, all := visits(table, c.Name); pairs != nil {
				byColumn = true
				add(DoubtRelated, "noted.visits", Values{"Column": c.Name, "N": all, "Pairs": pairs})
			}
			continue
		}
		members := sharing(table, c.Name)
		small := kept == nil && inSmallSets(c.Name, members)
		if c.Name == "participant_id" || !family && !NamesPerson(c.Name) && !matched && !small ||
			together(table, c.Name, kept) {
			continue
		}
		if n := named(table, c.Name); n > 0 && (family || matched) {
			doubt := DoubtRelated
			if !family {
				doubt = DoubtMatched
			}
			add(doubt, "noted.ids-of-others", Values{"Column": c.Name, "N": n, "Family": family})
			continue
		}
		if shared(members) == 0 || !small && !certain(c.Name, members) {
			continue
		}
		values := Values{"Column": c.Name, "Shared": sharedBy(table, c.Name, members), "Family": family,
			"Together": append(slices.Clone(kept), c.Name)}
		across := AcrossGroups(table, c.Name)
		switch {
		case across && (matched || small && !family), matched && !family && AnyAcrossGroups(table, c.Name):
			add(DoubtMatched, "noted.matched", values)
		case NamesPerson(c.Name):
			add(DoubtRelated, "noted.persons", values)
		case family || small:
			values["Across"] = family && across
			add(DoubtRelated, "noted.relatives", values)
		}
	}
	pairs := visitsById(table)
	if pairs == nil {
		pairs = pairsById(table)
	}
	if pairs != nil && !byColumn && kept == nil {
		add(DoubtRelated, "noted.visits", Values{"Column": "", "N": 0, "Pairs": pairs})
	}
	return notes
}

// Kin are the columns of families, of sets of one small size, and of persons with several ids, whose values
// participants share: for each, who shares how many values.
func Kin(table *encoding.Table) (texts []string) {
	for _, c := range table.Columns {
		members, words := sharing(table, c.Name), wordsOf(c.Name)
		small := inSmallSets(c.Name, members)
		of := NamesFamily(c.Name) || NamesPerson(c.Name) || small && !matchedName.MatchString(words)
		if c.Name != "participant_id" && of && shared(members) > 0 && (small || certain(c.Name, members)) {
			texts = append(texts, c.Name+": "+sharedBy(table, c.Name, members))
		}
	}
	return texts
}

// together reports whether the participants with one value of a column also have one value of a column that is kept
// together, as the children of one mother in a column of families.
func together(table *encoding.Table, name string, kept []string) bool {
	_, values, err := ByParticipant(table, name)
	return err == nil && slices.ContainsFunc(kept, func(column string) bool {
		_, of, err := ByParticipant(table, column)
		first := map[string]string{} // the kept value of each value
		for id, v := range values {
			v = strings.TrimSpace(v)
			if UnrelatedBy(name, v) {
				continue
			}
			own := strings.TrimSpace(of[id])
			if other, seen := first[v]; seen && (other != own || UnrelatedBy(column, own)) {
				return false
			}
			first[v] = own
		}
		return err == nil
	})
}

// sharedBy states how many participants share values of a column, and whether these are in one group.
func sharedBy(table *encoding.Table, name string, members map[string]int) string {
	several := 0
	for _, n := range members {
		if n > 1 {
			several += n
		}
	}
	_, all, _ := ByParticipant(table, name)
	text := fmt.Sprintf("%d of %d participants share %s", several, len(all), words.Count(shared(members), "value"))
	_, _, none := ByParticipant(table, "group")
	switch {
	case none != nil:
		return text
	case AcrossGroups(table, name):
		return text + ", each with " + oneOfEach(table, members)
	case AnyAcrossGroups(table, name):
		return text + ", some of them in several groups"
	}
	return text + ", each within one group"
}

// inSmallSets reports whether a column divides participants into sets of one small size, as families, couples and
// litters do and measurements do not, whatever its name.
func inSmallSets(name string, members map[string]int) bool {
	const fewest, largest = 8, 4
	if len(members) < fewest || name == "group" || name == Target || NamesMeasure(name) || NamesCategory(name) ||
		NamesSite(name) {
		return false
	}
	sizes, alone := map[int]int{}, 0
	for v, n := range members {
		if sizes[n]++; n == 1 {
			alone++
		}
		if strings.ContainsAny(v, ".") && strings.Trim(v, "-0123456789.") == "" { // a measurement
			return false
		}
	}
	usual := 0
	for size := 2; size <= largest; size++ {
		usual = max(usual, sizes[size])
	}
	return 10*usual >= 8*len(members) && 10*alone <= len(members)
}

// lastSign is an id with one sign at its end, or a letter and a number: S01a, 001T1, S011.
var lastSign = pattern.New(`^(.*[0-9])[-_]?([tv]?[0-9]|[a-z])$`)

// pairsById are participants whose ids are the same but for the last sign, where nearly all ids are so, with the same
// ends: 001T1, 001T2, 002T1, 002T2 …
func pairsById(table *encoding.Table) (pairs []string) {
	ids, err := table.Strings("participant_id")
	if err != nil {
		return nil
	}
	of, ends := map[string][]string{}, map[string]string{} // ids of a stem, and their ends
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if parts := lastSign.FindStringSubmatch(strings.ToLower(id)); parts != nil {
			of[parts[1]] = append(of[parts[1]], id)
			ends[parts[1]] += " " + parts[2]
		}
	}
	const fewest, most = 5, 4 // stems, and ids of one
	same, inSets := map[string]int{}, 0
	for _, stem := range slices.Sorted(maps.Keys(of)) {
		if n := len(of[stem]); n > 1 && n <= most {
			same[ends[stem]]++
			inSets += n
			pairs = append(pairs, strings.Join(of[stem], " and "))
		}
	}
	usual := 0
	for _, n := range same {
		usual = max(usual, n)
	}
	if len(pairs) < fewest || 10*inSets < 9*len(ids) || 10*usual < 8*len(pairs) {
		return nil
	}
	return pairs
}

// visitsById are participants whose ids are the same except for a session or a time point at the end.
func visitsById(table *encoding.Table) (pairs []string) {
	ids, err := table.Strings("participant_id")
	if err != nil {
		return nil
	}
	first := map[string]string{}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		parts := visitEnd.FindStringSubmatch(strings.ToLower(id))
		if parts == nil {
			continue
		}
		stem := parts[1]
		if other := first[stem]; other != "" {
			pairs = append(pairs, other+" and "+id)
		} else {
			first[stem] = id
		}
	}
	if len(pairs) < fewestVisited {
		return nil
	}
	return pairs
}

// fewestVisited is how many ids with several visits are no chance.
const fewestVisited = 3

// visits are participants whose ids are the same except for an end, or a beginning, that depends on the value of a
// column of visits: P1V1 and P1V2, V1P1 and V2P1. all counts those who have others; pairs are nil where most ids of
// a visit are found in no other.
func visits(table *encoding.Table, name string) (pairs []string, all int) {
	ids, values, err := ByParticipant(table, name)
	if err != nil {
		return nil, 0
	}
	same := func(id string) string { return id }
	if pairs, all = visitsOf(ids, values, same); pairs != nil {
		return pairs, all
	}
	backward := map[string]string{} // ids by themselves read from the end
	turned := map[string]string{}   // visits of these
	for _, id := range ids {
		text := []rune(strings.TrimPrefix(id, "sub-"))
		slices.Reverse(text)
		begin := visitBegin.FindString(strings.ToLower(strings.TrimPrefix(id, "sub-")))
		if v := strings.ToLower(strings.TrimSpace(values[id])); v == "" || !strings.HasSuffix(begin, v) {
			return nil, 0
		}
		backward[string(text)], turned[string(text)] = id, values[id]
	}
	return visitsOf(slices.Collect(maps.Keys(turned)), turned, func(id string) string { return backward[id] })
}

func visitsOf(ids []string, values map[string]string, shown func(id string) string) (pairs []string, all int) {
	of := map[string][]string{} // ids of each visit
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if v := strings.TrimSpace(values[id]); !Unrelated(v) {
			of[v] = append(of[v], id)
		}
	}
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(len(of[b])-len(of[a]), strings.Compare(a, b))
	})
	if len(names) < 2 || len(of[names[0]]) < fewestVisited {
		return nil, 0
	}
	first := map[string]string{} // by what stands before the end
	end := commonEnd(of[names[0]])
	for _, id := range of[names[0]] {
		first[strings.TrimRight(id[:len(id)-end], "-_")] = id
	}
	found, later := map[string]bool{}, 0
	for _, name := range names[1:] {
		later += len(of[name])
		var best [][2]string
		for end := commonEnd(of[name]); end >= 0; end-- {
			var both [][2]string
			for _, id := range of[name] {
				if other := first[strings.TrimRight(id[:len(id)-end], "-_")]; other != "" {
					both = append(both, [2]string{other, id})
				}
			}
			if len(both) > len(best) {
				best = both
			}
		}
		for _, p := range best {
			found[p[0]], found[p[1]] = true, true
			pairs = append(pairs, shown(p[0])+" and "+shown(p[1]))
		}
	}
	if len(pairs) < fewestVisited || 2*len(pairs) < later {
		return nil, 0
	}
	return pairs, len(found)
}

// commonEnd is the length of the end that all ids have, without the whole of one.
func commonEnd(ids []string) int {
	end := 0
	for ; ; end++ {
		for _, id := range ids {
			bare := strings.TrimPrefix(id, "sub-")
			if end+1 >= len(bare) || bare[len(bare)-1-end] != ids[0][len(ids[0])-1-end] {
				return end
			}
		}
	}
}

// DoubtSpelling names families, or persons, that are one in two spellings by mistake: in the columns that keep them
// together, and in those that are named as theirs. Those that stages read as categories are left to DoubtSites.
func DoubtSpelling(table *encoding.Table, kept, categories []string) (notes []Note) {
	for _, c := range table.Columns {
		members := sharing(table, c.Name)
		theirs := c.Name != "participant_id" && (NamesFamily(c.Name) || NamesPerson(c.Name)) && certain(c.Name, members)
		site := (NamesSite(c.Name) || slices.Contains(categories, c.Name)) && Categories(table, c.Name) > 1
		if site || !theirs && !slices.Contains(kept, c.Name) {
			continue
		}
		if pairs := inTwoSpellings(maps.Keys(members)); pairs != nil {
			doubt := doubtOf(pairs)
			if slices.Contains(kept, c.Name) && 2*len(pairs) > shared(members) { // few are kept together
				doubt = DoubtRelated
			}
			notes = append(notes, Doubtful(doubt, "noted.sets-spelled", Values{"Column": c.Name, "Pairs": pairs}))
		}
	}
	return notes
}

// DoubtNobody notes that a column that is to keep families together keeps nobody together.
func DoubtNobody(table *encoding.Table, name string) []Note {
	members := sharing(table, name)
	if shared(members) > 0 || inTwoSpellings(maps.Keys(members)) != nil {
		return nil
	}
	doubt, stems := DoubtFamily, map[string]int{}
	for v := range members {
		if parts := lastSign.FindStringSubmatch(strings.ToLower(v)); parts != nil {
			stems[parts[1]]++
		}
	}
	if len(members) > 2 && 2*shared(stems) >= len(stems) && len(stems) > 2 { // 501_0 and 501_1
		doubt = DoubtRelated
	}
	return []Note{Doubtful(doubt, "noted.keeps-nobody", Values{"Column": name, "N": len(members)})}
}

// DoubtLargest notes that a column that keeps families together has one value of far more participants than any other,
// which may stand for no family: singleton, or the same in all.
func DoubtLargest(table *encoding.Table, name string) []Note {
	most, next, value, all := 0, 0, "", 0
	members := sharing(table, name)
	for _, v := range slices.Sorted(maps.Keys(members)) {
		n := members[v]
		if all += n; n > most {
			most, next, value = n, most, v
		} else {
			next = max(next, n)
		}
	}
	if most <= 3*next || most <= 6 && len(members) > 1 || most < 2 {
		return nil
	}
	return []Note{Doubtful(DoubtFamily, "noted.large-family", Values{"Column": name, "N": most, "Of": all,
		"Value": value})}
}

// named is how many participants have the id of another one in a column: sib_of.
func named(table *encoding.Table, name string) int {
	_, values, err := ByParticipant(table, name)
	if err != nil {
		return 0
	}
	return namesOthers(values)
}

// namesOthers is how many values are ids of other participants; 0 for a column that groups them, such as families
// 1, 2, 3 … beside participants 001, 002, 003 …
func namesOthers(values map[string]string) (n int) {
	of, count := map[string]string{}, map[string]int{}
	repeats := false
	for id, v := range values {
		if Unrelated(v) {
			continue
		}
		v = strings.TrimSpace(v)
		of[id] = whose(values, v)
		count[v]++
		repeats = repeats || count[v] > 1
	}
	ids := 0
	for id, other := range of {
		if other == "" || other == id {
			continue
		}
		n++
		v, back := strings.TrimSpace(values[id]), of[other]
		_, given := of[other]
		number := strings.Trim(v, "0123456789") == ""
		switch {
		case back == id, back != "" && back != other && of[back] == other: // mutual, or of one who is
			ids++
		case back == other: // a family that has the id of a member
		case !number, !given && count[v] == 1:
			ids++
		}
	}
	if repeats && 2*ids < n {
		return 0
	}
	return n
}

// whose is the participant whose id is a value, with or without "sub-", also without the zeros that a spreadsheet drops
// and with the decimals that pandas adds; "" for any other value, and for one that may be several.
func whose(values map[string]string, value string) string {
	bare, _ := cell.Whole(strings.TrimPrefix(strings.TrimSpace(value), "sub-"))
	if _, there := values["sub-"+bare]; there {
		return "sub-" + bare
	}
	if bare == "" || strings.Trim(bare, "0123456789") != "" {
		return ""
	}
	found := ""
	for id := range values {
		if strings.TrimLeft(strings.TrimPrefix(id, "sub-"), "0") == strings.TrimLeft(bare, "0") {
			if found != "" {
				return ""
			}
			found = id
		}
	}
	return found
}

// NamesOthers reports whether the values of most participants, of those whose value is not their own id, are ids of
// others.
func NamesOthers(values map[string]string) bool {
	known := 0
	for id, v := range values {
		if !Unrelated(v) && whose(values, v) != id {
			known++
		}
	}
	return 2*namesOthers(values) > known
}

// Unrelated reports whether a value of a column of families says nothing of a participant.
func Unrelated(value string) bool {
	return cell.Missing(value) || cell.DoubtOf(value) != cell.Value
}

// UnrelatedBy reports whether a column of families says nothing of a participant: a parent 0 is nobody (PLINK).
func UnrelatedBy(name, value string) bool {
	return Unrelated(value) || parentName.MatchString(wordsOf(name)) && Spelling(value) == "0"
}

// Shares reports whether several participants have one value of a column.
func Shares(table *encoding.Table, name string) bool { return shared(sharing(table, name)) > 0 }

// AcrossGroups reports whether several participants have one value of a column, and no two of them are in one group, as
// in matched pairs of a patient and a control.
func AcrossGroups(table *encoding.Table, name string) bool {
	_, values, err := ByParticipant(table, name)
	_, group, number := ByParticipant(table, "group")
	if err != nil || number != nil {
		return false
	}
	in := map[[2]string]bool{} // value and group
	for id, v := range values {
		if UnrelatedBy(name, v) {
			continue
		}
		at := [2]string{strings.TrimSpace(v), group[id]}
		if in[at] {
			return false
		}
		in[at] = true
	}
	return Shares(table, name)
}

// AnyAcrossGroups reports whether participants with one value of a column are in several groups.
func AnyAcrossGroups(table *encoding.Table, name string) bool {
	_, values, err := ByParticipant(table, name)
	_, group, number := ByParticipant(table, "group")
	if err != nil || number != nil {
		return false
	}
	first := map[string]string{} // group by value
	for id, v := range values {
		v = strings.TrimSpace(v)
		if other, seen := first[v]; !UnrelatedBy(name, v) && seen && other != group[id] {
			return true
		}
		first[v] = group[id]
	}
	return false
}

// oneOfEach states which groups the participants with one value of a column have that is AcrossGroups.
func oneOfEach(table *encoding.Table, members map[string]int) string {
	_, group, _ := ByParticipant(table, "group")
	groups := slices.Compact(slices.Sorted(maps.Values(group)))
	for _, n := range members {
		if n > 1 && n != len(groups) {
			return "participants of different groups"
		}
	}
	return "one " + strings.Join(groups, " and one ")
}

// shared is how many values several have.
func shared(members map[string]int) (n int) {
	for _, m := range members {
		if m > 1 {
			n++
		}
	}
	return n
}

// sharing is how many participants have each value of a column.
func sharing(table *encoding.Table, name string) map[string]int {
	_, values, err := ByParticipant(table, name)
	if err != nil {
		return nil
	}
	return counted(name, slices.Collect(maps.Values(values)))
}

// counted is how often each value of a column occurs that says something.
func counted(name string, values []string) map[string]int {
	count := map[string]int{}
	for _, v := range values {
		if !UnrelatedBy(name, v) {
			count[strings.TrimSpace(v)]++
		}
	}
	return count
}
