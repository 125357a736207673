package region

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// A called is a node by what a file may call it.
type called struct {
	ID           *int32 `column:"id,optional"`
	Abbreviation string `column:"abbreviation,optional"`
	Name         string `column:"name,optional"`
}

// confoundName is the name of a column of confounds in fMRIPrep (outputs.rst, "Confounds"; aCompCor00 and GlobalSignal
// before 1.2), XCP-D and CONN, or of the background of a label image, as squashed gives it.
var confoundName = pattern.New(`^((csf|csfwm|whitematter|gr[ae]ymatter|globalsignal|((non)?std|denoised)?dvars|rmsd|` +
	`framewisedisplacement|(trans|rot)[xyz])(derivative1)?(power2)?(filtered)?|background|` +
	`([actw]compcor|edgecomp|aromamotion|aromaaggrcomp|cosine|motionoutlier|nonsteadystateoutlier)[0-9]+)$`)

// tissueName is a name that confounds and labels of atlases have (CSF is label 24 of FreeSurfer).
var tissueName = pattern.New(`^(csf|wm|gm|gs|tr|global|ventricles?)$`)

// squashed is a name in small letters, without what programs write between its words.
func squashed(name string) string {
	return strings.NewReplacer("_", "", " ", "", ".", "", "-", "").Replace(strings.ToLower(name))
}

// indexName is the name of a column that counts or names what a row belongs to, or measures its motion, in tables that
// laboratories write themselves.
var indexName = pattern.New(`(?i)^((mean_?)?fd(_?(power|jenkinson|mean|mm))?|dvars|motion|censor(ed)?|scrub(bed)?|outlier|` +
	`(run|session|subject|participant|scan|site|volume|frame|time_?point|trial|block)(_?(id|index|no|nr|number|num))?|` +
	`ses|vol|index|row|t|time(_?(s|sec|seconds|ms))?|seconds|timestamp|onset|duration|trial_type|condition|` +
	`unnamed: ?[0-9]+(_level_[0-9]+)?)$`)

// isConfound reports whether a column of series is one of confounds or of indices, and no region.
func isConfound(name string) bool {
	name = strings.TrimSpace(name)
	if MayBeConfound(name) {
		return false
	}
	return confoundName.MatchString(squashed(name)) || indexName.MatchString(name)
}

// MayBeConfound reports whether a name is that of a confound or of a label: CSF in capitals.
func MayBeConfound(name string) bool { return name != "csf" && tissueName.MatchString(squashed(name)) }

// RefuseConfounds refuses names of regions that are those of confounds, of indices or of a background.
func RefuseConfounds(names []string) error {
	var found []string
	for i, name := range names {
		if isConfound(name) {
			found = append(found, fmt.Sprintf("%s (column %d)", name, i+1))
		}
	}
	if found == nil {
		return nil
	}
	return fmt.Errorf("confounds, indices or a background among the regions: %s; remove them from all files (and from nodes, if it is set), or rename those that are regions",
		words.Some(found, 6))
}

// PlaceColumns finds the node (from 0) of each column of a file: by its name, which counts before an
// abbreviation, and that before an id.
func PlaceColumns(names []string, columns int, nodes *encoding.Table) ([]int, error) {
	n := nodes.Rows()
	rows, err := column.Rows[called](nodes)
	if err != nil {
		return nil, err
	}
	if names == nil || Counted(names) && !listed(names, rows) {
		what := map[bool]string{true: "without names", false: "that are numbered from 0"}[names == nil]
		if columns != n {
			return nil, fmt.Errorf("%d columns %s for %d nodes", columns, what, n)
		}
		if row, id := disordered(rows); row >= 0 {
			return nil, fmt.Errorf("%d columns %s: column %d is row %d of the node list (%s) or the region with index %d, and the list is not sorted by index; name the columns, or sort the node list by index if the columns are in that order, or number it 1…N in the order of its rows if they are in that one",
				columns, what, row+1, row+1, rows[row].Name, id)
		}
		place := lists.UpTo(n)
		return place, nil
	}
	if err := RefuseConfounds(names); err != nil {
		return nil, err
	}
	if err := contradicted(names, rows); err != nil {
		return nil, err
	}
	known := knownAs(rows)
	place := make([]int, len(names))
	taken := make([]string, n)
	var unknown, twice []string
	for j, name := range names {
		k, ok := known[column.Composed(name)]
		switch {
		case !ok:
			unknown = append(unknown, name)
		case taken[k] != "":
			twice = append(twice, taken[k]+" and "+name)
		default:
			place[j], taken[k] = k, name
		}
	}
	var absent []string
	for k, name := range taken {
		if name == "" {
			absent = append(absent, rows[k].Name)
		}
	}
	var wrong []string
	for _, w := range []struct {
		what string
		list []string
	}{{"there is no node", unknown}, {"there is no column for", absent}, {"there is one node for", twice}} {
		if w.list != nil {
			wrong = append(wrong, fmt.Sprintf("%s %s", w.what, words.Some(w.list, 6)))
		}
	}
	if wrong != nil {
		return nil, fmt.Errorf("the columns do not match the node list: %s; use the node list of this atlas (a missing region is a column of n/a; if nodes is not set in the cohort, the first participant's file is the list)", strings.Join(wrong, "; "))
	}
	return place, nil
}

// contradicted refuses columns whose headings are ids in the node list of which some are names of other regions there,
// unless they are its names in their order.
func contradicted(names []string, rows []called) error {
	ids, byName := idsOf(rows), namesOf(rows)
	differs, ordered := "", len(names) == len(rows)
	for j, name := range names {
		name = column.Composed(name)
		id, isID := ids[name]
		if !isID {
			return nil
		}
		row, isName := byName[name]
		if ordered = ordered && isName && row == j; isName && id != row && differs == "" {
			differs = name
		}
	}
	if differs == "" || ordered {
		return nil
	}
	of := func(row int) string {
		return fmt.Sprintf("row %d (index %d, name %s)", row+1, *rows[row].ID, rows[row].Name)
	}
	return fmt.Errorf("the headings of the columns may be names or the index of the node list: %s is %s by name, and %s by index; if they are names, remove the index from the node list, else give its regions names that are not numbers",
		differs, of(byName[differs]), of(ids[differs]))
}

// knownAs finds a node, from 0, by its name, which counts before an abbreviation, and that before an id.
func knownAs(rows []called) map[string]int {
	known := idsOf(rows)
	maps.Copy(known, namesOf(rows))
	return known
}

// idsOf finds a node, from 0, by its id, the index of the file of the list.
func idsOf(rows []called) map[string]int {
	ids := map[string]int{}
	for i, r := range rows {
		if r.ID != nil {
			ids[strconv.FormatInt(int64(*r.ID), 10)] = i
		}
	}
	return ids
}

// namesOf finds a node, from 0, by its name, which counts before an abbreviation.
func namesOf(rows []called) map[string]int {
	names := lists.PlacesOf(rows, func(r called) string { return column.Composed(r.Abbreviation) })
	for i, r := range rows {
		names[column.Composed(r.Name)] = i
	}
	delete(names, "") // a node without this name
	return names
}

// listed reports whether names are those of nodes, of which none has another.
func listed(names []string, rows []called) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(rows, func(r called) bool { return r.Name == name })
	})
}

// disordered is the first row, from 0, of a list whose ids are those of places in another order, and the id that would
// be there: they are evenly spaced, or at most a third of the numbers from the first to the last is left out. -1 for
// any other list.
func disordered(rows []called) (row int, id int32) {
	ids := make([]int32, len(rows))
	for i, r := range rows {
		if r.ID == nil {
			return -1, 0
		}
		ids[i] = *r.ID
	}
	sorted := slices.Sorted(slices.Values(ids))
	first := 0
	for first < len(ids) && ids[first] == sorted[first] {
		first++
	}
	if first == len(ids) {
		return -1, 0
	}
	last := len(ids) - 1
	even := last > 1
	for i := range last {
		even = even && sorted[i+1]-sorted[i] == sorted[1]-sorted[0]
	}
	if wide := int(sorted[last]) - int(sorted[0]) + 1; !even && 3*len(ids) < 2*wide {
		return -1, 0
	}
	return first, sorted[first]
}
