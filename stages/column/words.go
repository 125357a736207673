package column

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
)

// CoordTexts are coordinates as a file writes them: AXIS=VALUE.
func CoordTexts(coords []dag.Coord) (parts []string) {
	for _, c := range coords {
		parts = append(parts, c.Axis+"="+c.Value)
	}
	return parts
}

var (
	// siteWord is a word that means a site, a scanner, or one of several collections of data, and what may follow it in
	// the word: siteid, site2.
	siteWord = pattern.New(`^(sites?|cent(er|re)s?|scanners?|institut(e|ion)s?|hospitals?|clinics?|facility|university|` +
		`vendors?|manufacturers?|devices?|magnets?|batch|stations?|labs?|laboratory|study|dataset|cohort|collection)` + siteRest + `*$`)
	// afterSite is a word that may follow it: SITE_ID, Site (MRI), site_id_l, scanner_type.
	afterSite = pattern.New(`^` + siteRest + `+$`)
	// counts are words before it that make a number of it: days_in_hospital, n_sites.
	counts = pattern.New(`^(in|at|to|since|from|per|n|num|number|count|days?|weeks?|months?|years?|hours?|minutes?|time|age|distance|duration|date|score|visits?)$`)
	// biobankCentre is the assessment centre of UK Biobank, field 54: 54-0.0, f.54.0.0, p54_i0.
	biobankCentre = pattern.New(`(?i)^(p54|[fx]?\.?54[-._]i?[0-9]+)([-._]i?[0-9]+)*$`)
)

const siteRest = `(id|ids|name|names|nr|no|num|number|code|codes|serial|model|type|label|mri|l|[a-z]?[0-9]+)`

// NamesSite reports whether a column is named as one of sites or scanners, by the words of its name: SITE_ID, Center,
// scan_site, Site (MRI), DeviceSerialNumber, StationName.
func NamesSite(name string) bool {
	if biobankCentre.MatchString(name) {
		return true
	}
	words := strings.Fields(strings.ToLower(marks.ReplaceAllString(humps.ReplaceAllString(name, "${1}_$2"), " ")))
	for i, w := range words {
		if siteWord.MatchString(w) && !slices.ContainsFunc(words[:i], counts.MatchString) &&
			!slices.ContainsFunc(words[i+1:], func(w string) bool { return !afterSite.MatchString(w) }) {
			return true
		}
	}
	return false
}

// marks are what stands between the words of a name.
var marks = pattern.New(`[^A-Za-z0-9]+`)

// measureName is the name of a column of numbers: motion, age, IQ.
var measureName = pattern.New(`(?i)^(.*_)?(age|age_at_scan|age_years|fd|mean_fd|fd_mean|framewise_displacement|motion|dvars|iq|fiq|viq|piq|bmi)$`)

// displacement is the name of a column of the framewise displacement (mm) or DVARS; transformed is that of one that was
// centered, standardized or taken as a logarithm or a difference, which may be negative.
var (
	displacement = pattern.New(`(?i)^(.*_)?(mean_?fd|fd_?mean|fd|fd_?(power|jenkinson)|(mean_)?framewise_displacement|dvars|std_dvars)(_(mean|median|max|mm|power|jenkinson))*$`)
	transformed  = pattern.New(`(?i)(^|_)(z|zscore|log|log10|ln|c|cent(ered)?|centred|demeaned|scaled|sd|resid(ual)?s?|norm(ed|alized)?|delta|diff|change)(_|$)`)
)

// NamesDisplacement reports whether a column is named as one of motion that is never negative.
func NamesDisplacement(name string) bool {
	return displacement.MatchString(name) && !transformed.MatchString(name)
}

// ageName is the name of a column of ages in years.
var ageName = pattern.New(`(?i)^(.*_)?age(_at_scan|_years|_y)?$`)

// NamesAge reports whether a column is named as one of ages.
func NamesAge(name string) bool { return ageName.MatchString(name) }

// NamesMeasure reports whether a column is named as one of numbers.
func NamesMeasure(name string) bool { return measureName.MatchString(name) }

// LeftOutMeta is the metadata by which predictions list the regions that their training excluded for all participants:
// a RegionsLeftOut.
const LeftOutMeta = "left_out"

// RegionsLeftOut are the regions that a study does not analyze, because a participant has no usable series of them.
type RegionsLeftOut struct {
	Regions      []int    `json:"regions"` // from 1
	Names        []string `json:"names"`   // where these are known, or numbers
	All          int      `json:"all"`     // regions
	Lacking      int      `json:"lacking"` // participants; 0 where they are not known
	Participants int      `json:"participants"`
}

// MissingGroups is the metadata by which a table of participants of one group lists the texts of the column of groups
// that were read as missing values: a JSON list.
const MissingGroups = "missing groups"

// LeaksMeta is the metadata by which predictions list the settings of their training that use test participants: a JSON
// list of Leak.
const LeaksMeta = "leaks"

// A Leak is a parameter whose value makes a training use test participants.
type Leak struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
}

// LeaksOf are those of the metadata of predictions.
func LeaksOf(meta map[string]string) ([]Leak, error) { return MetaOf[[]Leak](meta, LeaksMeta) }

// LeakText states leaks in an error; "" for none.
func LeakText(leaks []Leak) string {
	if leaks == nil {
		return ""
	}
	texts := lists.Map(leaks, func(l Leak) string { return l.Parameter + ": " + l.Value })
	return "test participants take part in the training (" + strings.Join(texts, ", ") + "), so the accuracy is biased upward"
}

// SamePredictions is the metadata by which evaluate's summary lists the settings that predict as an earlier one of the
// same model: a JSON object of settings, as CoordText writes them.
const SamePredictions = "same_predictions"

// HandedMeta is the metadata by which predictions of a user's model state what its process had of the test
// participants: a Handed, as JSON.
const HandedMeta = "handed over"

// Handed counts what a process had of test participants that predicted them.
type Handed struct {
	Rows   int `json:"rows"`
	Labels int `json:"labels"`
	IDs    int `json:"ids"`
}

// AdmittedLeaks is the metadata by which leakage's checks list the trainings with known leakage that were let pass: a
// JSON list of their coordinates.
const AdmittedLeaks = "admitted"

// AlikeByChance is the metadata by which leakage's checks describe signals that correlate as those of one scan do, and
// may do so by chance: a JSON object, the values of the catalog's entry (assess/leakage, alikeByChance).
const AlikeByChance = "alike by chance"

// SimilarScans is the metadata by which leakage's checks tell how many pairs of participants are as similar as two
// scans of one person.
const SimilarScans = "similar scans"

// ReadCoords reads coordinates as a file writes them, AXIS=VALUE.
func ReadCoords(texts []string) (coords []dag.Coord) {
	for _, text := range texts {
		axis, value, _ := strings.Cut(text, "=")
		coords = append(coords, dag.Coord{Axis: strings.TrimSpace(axis), Value: strings.TrimSpace(value)})
	}
	return coords
}

// Holds reports whether a setting has all of some coordinates; a list may have blanks.
func Holds(setting, wanted []dag.Coord) bool {
	bare := func(c dag.Coord) dag.Coord { c.Value = strings.ReplaceAll(c.Value, " ", ""); return c }
	for _, want := range wanted {
		if !slices.ContainsFunc(setting, func(own dag.Coord) bool { return bare(own) == bare(want) }) {
			return false
		}
	}
	return true
}

// Numbered numbers texts from 0 in sorted order.
func Numbered(text []string) (number []int, names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(text)))
	number = make([]int, len(text))
	for i, s := range text {
		number[i], _ = slices.BinarySearch(names, s)
	}
	return number, names
}

// categoryName is the name of a column of categories that tables often code by numbers.
var categoryName = pattern.New(`(?i)(^|[^a-z])(hand|handed(ness)?|sex|gender|race|ethnicity|ethnic|marital|dx|diagnosis|` +
	`diagnostic|subtype|category|religion|nationality)([^a-z]|$)`)

// NamesCategory reports whether a column is named as one of categories: handedness, Race (code).
func NamesCategory(name string) bool {
	return categoryName.MatchString(humps.ReplaceAllString(name, "${1}_$2"))
}

// mergedEnds are what a merge of two tables writes behind the name of a column that both have: pandas, R and SQL.
var mergedEnds = [][2]string{{"_x", "_y"}, {".x", ".y"}, {"_left", "_right"}}

// Merged are the two columns that a merge of two tables made of a column; nil where they are not there.
func Merged(name string, columns []string) []string {
	for _, ends := range mergedEnds {
		both := []string{name + ends[0], name + ends[1]}
		if slices.Contains(columns, both[0]) && slices.Contains(columns, both[1]) {
			return both
		}
	}
	return nil
}

// MergedPairs are the columns of which a merge made two, each with the two.
func MergedPairs(columns []string) (pairs [][2]string) {
	for _, name := range columns {
		for _, ends := range mergedEnds {
			base, is := strings.CutSuffix(name, ends[0])
			if is && base != "" && slices.Contains(columns, base+ends[1]) {
				pairs = append(pairs, [2]string{name, base + ends[1]})
			}
		}
	}
	return pairs
}

// LacksMerged is what is wrong where a column is missing of which a merge made two; "" elsewhere.
func LacksMerged(name string, columns []string) string {
	both := Merged(name, columns)
	if both == nil {
		return ""
	}
	return fmt.Sprintf("; there are %s and %s, probably from a merge of two tables with the column %s: keep the correct one under the name %[3]s",
		both[0], both[1], name)
}

// controls are the names of control groups, without case and what is neither a letter nor a digit, and qualifiers are
// words before them; docs/statistics.md lists them.
var (
	controls = []string{"0", "cn", "comparison", "comparisons", "comparisongroup", "con", "cont", "control",
		"controlgroup", "controls", "ctl", "ctr", "ctrl", "hc", "hcs", "healthy", "healthycontrol", "healthycontrols",
		"healthyvolunteer", "healthyvolunteers", "hv", "nc", "nonpatient", "nonpatients", "nonuser", "nonusers",
		"normal", "normals", "nt", "tc", "td", "tdc", "typical", "typicallydeveloping", "unaffected"}
	qualifiers = []string{"healthy", "matched", "neurotypical", "normal", "typical", "unaffected"}
)

// IsControl reports whether a group is named like a control group: control, HC, normal control.
func IsControl(group string) bool {
	all := GroupWords(group)
	for len(all) > 1 && slices.Contains(qualifiers, all[0]) && !slices.Contains(controls, strings.Join(all, "")) {
		all = all[1:]
	}
	return slices.Contains(controls, strings.Join(all, ""))
}

// GroupWords are the words of a group's name, in lower case.
func GroupWords(group string) []string {
	return strings.FieldsFunc(strings.ToLower(group), func(r rune) bool { return strings.ContainsRune(" _-.", r) })
}
