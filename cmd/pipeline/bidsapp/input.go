package bidsapp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/results"
	"prgnn/internal/foreign"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/builtin"
)

// Within reports whether the program has the pipeline that a BIDS App runs.
func Within() bool {
	_, ok := builtin.Text("biopoint.yaml")
	return ok
}

// Args is a command line with the command bids-app and its lists written out: a program
// called prgnn is that command, unless a command's name comes first. Other BIDS Apps take
// several labels after one flag.
func Args(program string, args []string, isCommand func(string) bool) []string {
	program = strings.TrimSuffix(filepath.Base(program), ".exe")
	if program == "prgnn" && (len(args) == 0 || !isCommand(args[0])) {
		args = append([]string{"bids-app"}, args...)
	}
	if len(args) == 0 || args[0] != "bids-app" {
		return args
	}
	written := []string{args[0]}
	for i := 1; i < len(args); i++ {
		if args[i] == "--" {
			return append(written, args[i:]...)
		}
		flag := strings.ReplaceAll(args[i], "_", "-")
		if flag == "-t" {
			flag = "--task-id"
		}
		isList := flag == "--participant-label" || flag == "--session-label" || flag == "--task-id"
		if !isList || i+1 == len(args) || strings.HasPrefix(args[i+1], "-") {
			written = append(written, args[i])
			continue
		}
		for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			written = append(written, flag+"="+args[i])
		}
	}
	return written
}

// A Study is what is run.
type Study struct {
	File  string   // the pipeline file
	Sets  []string // --set
	Store string

	own  bool   // File is OUTPUT_DIR/prgnn.yaml, and not a file of the user's
	text string // of OUTPUT_DIR/prgnn.yaml
}

// Study finds the derivatives and makes the pipeline file of this call. The file names no
// directory: where the data lie, the call says each time. store is where --store says, if it does.
// Nothing is written.
func (b *App) Study(store string) (*Study, error) {
	var err1, err2 error
	b.In, err1 = filepath.Abs(b.In)
	b.Out, err2 = filepath.Abs(b.Out)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if sameDir(b.In, b.Out) {
		return nil, errors.New("OUTPUT_DIR is the same as BIDS_DIR, which is read-only: name another directory")
	}
	sets, err := b.places()
	if err != nil {
		return nil, err
	}
	settings, err := b.settings()
	if err != nil {
		return nil, err
	}
	s := &Study{Store: cmp.Or(store, filepath.Join(b.Out, ".pipeline"))}
	if store == "" && b.work != "" {
		s.Store = filepath.Join(b.work, "prgnn")
	}
	if b.pipeline != "" && (exists(b.pipeline) || !slices.Contains(builtin.Names(), b.pipeline)) {
		s.File = b.pipeline
		sets = append(sets, cohortSets(settings)...)
		s.Sets = append(sets, b.Sets...)
		s.text, err = printed(b.pipeline, append(cohortSets(settings), b.Sets...))
		return s, err
	}
	s.File, s.own = filepath.Join(b.Out, recordName), true
	s.Sets = append(sets, b.Sets...)
	s.text, err = b.whole(studyText(cmp.Or(b.pipeline, "biopoint.yaml"), settings))
	return s, err
}

// studyText is a pipeline file that differs from a built-in one by its cohort.
func studyText(builtin string, settings map[string]setting) string {
	var s strings.Builder
	fmt.Fprintf(&s, "extends: %s\npipeline: prgnn\ncohort:\n  bids:%s\n", builtin, map[bool]string{true: " {}"}[len(settings) == 0])
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&s, "    %s: %s\n", name, settings[name])
	}
	return s.String()
}

func quote(text string) string {
	b, _ := json.Marshal(text) // of a text, it cannot fail
	return string(b)
}

// places sets where the data lie.
func (b *App) places() ([]string, error) {
	if _, err := os.ReadDir(b.In); err != nil {
		return nil, fmt.Errorf("BIDS_DIR: %w", foreign.Missing(b.In, err))
	}
	dir := b.In
	if b.derivatives != "" {
		dir = b.derivatives
		if _, after, named := strings.Cut(dir, "="); named && !exists(dir) {
			dir = after
		}
	} else if !isDerivative(b.In) {
		var err error
		if dir, err = derivativesOf(b.In); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if results.LiesIn(b.Out, dir) {
		return nil, fmt.Errorf("OUTPUT_DIR is or lies in the directory of the derivatives that are read, and nothing is written there (%s): name another directory", dir)
	}
	for _, read := range []string{b.In, dir} {
		if at := participantIn(b.Out, read); at != "" {
			return nil, fmt.Errorf("OUTPUT_DIR: files of a participant would be written to %s, and %s, which is read, is there: name another OUTPUT_DIR", at, read)
		}
		if at := participantIn(read, b.Out); at != "" {
			return nil, fmt.Errorf("OUTPUT_DIR lies in %s, which holds data that are read: name another directory", at)
		}
	}
	sets := []string{"cohort.dir=" + quote(dir)}
	if dir != b.In && exists(filepath.Join(b.In, "participants.tsv")) {
		sets = append(sets, "cohort.raw="+quote(b.In))
	}
	if b.freesurfer != "" {
		at, err := filepath.Abs(b.freesurfer)
		if err != nil {
			return nil, err
		}
		sets = append(sets, "cohort.freesurfer="+quote(at))
	}
	return sets, nil
}

// participantIn is the directory of a participant of a dataset which is a path, or in which the path lies; "" for none.
func participantIn(dataset, path string) string {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if strings.HasPrefix(filepath.Base(at), "sub-") && sameDir(filepath.Dir(at), dataset) {
			return at
		}
	}
	return ""
}

// sameDir reports whether two paths are one directory, under whatever names.
func sameDir(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return a == b || err1 == nil && err2 == nil && os.SameFile(one, other)
}

// derivativesOf finds the derivatives of fMRIPrep in or beside a raw dataset.
func derivativesOf(raw string) (string, error) {
	var found []string
	nearby := []string{raw, filepath.Join(raw, "derivatives")}  // raw itself: the legacy layout of fMRIPrep
	if exists(filepath.Join(raw, "dataset_description.json")) { // else it is no dataset, and what lies beside it is not its own
		nearby = append(nearby, filepath.Join(filepath.Dir(raw), "derivatives"), filepath.Dir(raw))
	}
	for _, near := range nearby {
		found = slices.DeleteFunc(bids.FMRIPrep(near), func(dir string) bool { return dir == raw })
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if _, err := bids.Find(raw); err == nil && bids.DatasetType(raw) == "" { // derivatives that do not say so
			return raw, nil
		}
		refused := ""
		for _, near := range nearby {
			if _, err := os.ReadDir(near); bids.Unlisted(err) {
				refused += "; " + foreign.Missing(near, err).Error()
			}
		}
		return "", fmt.Errorf("BIDS_DIR %s: no fMRIPrep derivatives in it, in its derivatives/ or beside it; name them by -d DIR%s", raw, refused)
	}
	return "", fmt.Errorf("several fMRIPrep derivatives belong to %s: %s; choose with -d DIR", raw, words.Some(found, 10))
}

// filterKeys are the entities of a filter file, and the parameters of the cohort that they are.
var filterKeys = map[string]string{
	"session": "session", "task": "task", "run": "run", "acquisition": "acquisition", "direction": "direction",
	"reconstruction": "reconstruction", "space": "space", "resolution": "resolution", "res": "resolution",
	"desc": "description", "description": "description",
}

// A setting is a value of a parameter of the cohort, or several.
type setting []string

// String is the setting in YAML.
func (s setting) String() string {
	if len(s) == 1 {
		return quote(s[0])
	}
	b, _ := json.Marshal([]string(s)) // of texts, it cannot fail
	return string(b)
}

// settings are the parameters of the cohort that flags give.
func (b *App) settings() (map[string]setting, error) {
	settings := map[string]setting{}
	var err error
	if b.filter != "" {
		err = b.readFilter(settings)
	}
	if b.sessions != nil {
		settings["session"] = labels(b.sessions, "ses-")
	}
	if b.tasks != nil {
		settings["task"] = labels(b.tasks, "task-")
	}
	if b.group != "" {
		settings["group"] = setting{b.group}
	}
	return settings, err
}

// labels are values of an entity, with or without its name, in one order however they are typed.
func labels(typed []string, prefix string) setting {
	all := make(setting, len(typed))
	for i, label := range typed {
		all[i] = strings.TrimPrefix(label, prefix)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// readFilter reads --bids-filter-file: of the scan, one value for each entity or several.
func (b *App) readFilter(settings map[string]setting) error {
	text, err := regular.ReadFile(b.filter)
	if err != nil {
		return err
	}
	var filter map[string]map[string]any
	if err := bids.Decode(text, &filter); err != nil {
		return fmt.Errorf("%s: %w; it holds an object such as {\"bold\": {\"task\": \"rest\"}}", b.filter, err)
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(filter["bold"])) {
		value := filter["bold"][key]
		values, ok := filterValues(value)
		parameter, known := filterKeys[key]
		single := parameter == "space" || parameter == "description"
		switch {
		case key == "datatype" && slices.Equal(values, setting{"func"}),
			key == "suffix" && slices.Equal(values, setting{"bold"}):
		case !known:
			errs = append(errs, fmt.Errorf("%s: bold: %s cannot be chosen here%s", b.filter, key, words.OrAll(key, slices.Sorted(maps.Keys(filterKeys)))))
		case !ok:
			errs = append(errs, fmt.Errorf("%s: bold: %s takes a text, a number or a list of these, not %v", b.filter, key, value))
		case single && len(values) > 1:
			errs = append(errs, fmt.Errorf("%s: bold: %s takes one value, not %v: all scans of a cohort share it", b.filter, key, value))
		default:
			settings[parameter] = values
		}
	}
	return errors.Join(errs...)
}

// filterValues are the texts and numbers of a value in a filter file; not ok where it holds anything else, or nothing.
func filterValues(value any) (values setting, ok bool) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, v := range list {
		switch v.(type) {
		case string, float64:
			values = append(values, fmt.Sprint(v))
		default:
			return nil, false
		}
	}
	return labels(values, ""), values != nil
}

// isDerivative reports whether a dataset says of itself that it is derived.
func isDerivative(dir string) bool {
	return bids.DatasetType(dir) == "derivative"
}
