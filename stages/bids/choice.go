package bids

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
)

// A Choice holds the parameters that choose among a participant's files by the parts
// of their names. A file fits whose value is one of those listed; no list takes every value.
type Choice struct {
	Task           []string `param:"task" doc:"the task, such as rest, or several, of which each participant has one; not needed where there is one"`
	Session        []string `param:"session" doc:"the session, or several; none is for names without ses-; not needed where there is one"`
	Run            []string `param:"run" doc:"the run, or several; none is for names without run-; not needed where there is one"`
	Acquisition    []string `param:"acquisition" doc:"the acq- entity, or several; not needed where there is one"`
	Direction      []string `param:"direction" doc:"the dir- entity, of the phase encoding, such as AP, or several; not needed where there is one"`
	Reconstruction []string `param:"reconstruction" doc:"the rec- entity, or several; not needed where there is one"`
	Resolution     []string `param:"resolution" doc:"the res- entity, such as 2, or native for names without it; not needed if there is only one"`
}

// ChoiceParameters are the entities that can be chosen, in the order of names, each
// with its parameter.
var ChoiceParameters = [...]struct{ Key, Parameter string }{
	{"ses", "session"}, {"task", "task"}, {"acq", "acquisition"}, {"rec", "reconstruction"},
	{"dir", "direction"}, {"run", "run"}, {"res", "resolution"},
}

// RunEntities are those that tell the runs of a participant apart.
var RunEntities = []string{"ses", "task", "acq", "rec", "dir", "run"}

// Values are those chosen for an entity: "1" where ses-1 was written.
func (e *Choice) Values(key string) []string {
	var values []string
	for _, v := range map[string][]string{"ses": e.Session, "task": e.Task, "acq": e.Acquisition,
		"rec": e.Reconstruction, "dir": e.Direction, "run": e.Run, "res": e.Resolution}[key] {
		if v = strings.TrimPrefix(v, key+"-"); v != "" {
			values = append(values, v)
		}
	}
	return values
}

// What the parameters call names without an entity: Native of space and res, None of all others. Minimal is the space
// of raw scans that fMRIPrep's derivatives of --level minimal take to their reference.
const (
	None    = "none"
	Native  = "native"
	Minimal = "minimal"
)

// Takes reports whether a value of an entity is one of those chosen.
func (e *Choice) Takes(key, value string) bool {
	if value == "" {
		value = None
		if key == "res" {
			value = Native
		}
	}
	chosen := e.Values(key)
	return chosen == nil || slices.ContainsFunc(chosen, func(v string) bool { return Same(v, value) })
}

// TakesName reports whether a file's name fits what was chosen, but for the resolution.
func (e *Choice) TakesName(n Name) bool {
	return !slices.ContainsFunc(ChoiceParameters[:], func(p struct{ Key, Parameter string }) bool {
		return p.Key != "res" && !e.Takes(p.Key, n.Get(p.Key))
	})
}

// Text lists what was chosen: ", task-rest, run-1 or run-2".
func (e *Choice) Text() string {
	text := ""
	for _, p := range ChoiceParameters {
		var names []string
		for _, v := range e.Values(p.Key) {
			switch {
			case v == None:
				names = append(names, "no "+p.Key+"-")
			case v != Native:
				names = append(names, p.Key+"-"+v)
			}
		}
		if names != nil {
			text += ", " + strings.Join(names, " or ")
		}
	}
	return text
}

// A ChoiceError refuses several files of a participant, of which parameters have to choose.
type ChoiceError struct{ Err error }

func (e ChoiceError) Error() string { return e.Err.Error() }
func (e ChoiceError) Unwrap() error { return e.Err }

// SortRuns checks that files differ in nothing but what tells the runs of one task
// apart, puts them in the order of their names, and names the runs: by the one
// entity in which they differ, or by all of those.
func SortRuns(files []File, parameters map[string]string) (names []string, err error) {
	differ := func(key string) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Get(key) != files[0].Get(key) })
	}
	var keys []string
	for _, key := range RunEntities {
		if key == "task" || key == "rec" {
			continue
		}
		if differ(key) {
			keys = append(keys, key)
		}
	}
	same := map[string]bool{}
	for _, f := range files {
		var name []string
		for _, key := range keys {
			if v := f.Get(key); len(keys) == 1 && v != "" {
				name = append(name, v)
			} else if v != "" {
				name = append(name, key+"-"+v)
			}
		}
		n := strings.Join(name, "_")
		if n == "" {
			n = "1"
		}
		if same[n] {
			return nil, ChoiceError{fmt.Errorf("%d files match; they differ in %s: runs: all joins the runs of one task", len(files), Differences(files, parameters))}
		}
		same[n] = true
		names = append(names, n)
	}
	for _, f := range files {
		for _, e := range f.Entities {
			if !slices.Contains(keys, e.Key) && differ(e.Key) {
				return nil, ChoiceError{fmt.Errorf("%d files match; they differ in %s: runs: all joins the runs of one task", len(files), Differences(files, parameters))}
			}
		}
	}
	order := lists.UpTo(len(files))
	slices.SortStableFunc(order, func(a, b int) int { return dag.CompareValues(names[a], names[b]) })
	sortedFiles, sortedNames := make([]File, len(files)), make([]string, len(files))
	for i, at := range order {
		sortedFiles[i], sortedNames[i] = files[at], names[at]
	}
	copy(files, sortedFiles)
	return sortedNames, nil
}

// JoinHint names runs: all where it takes all of the files, which are of one task.
func JoinHint(files []File, parameters map[string]string) string {
	if _, err := SortRuns(slices.Clone(files), parameters); err != nil {
		return ""
	}
	return "; runs: all, in a file with extends: runs.yaml (of series: timeseries-runs.yaml), uses them all and joins them after denoising"
}

// Differences says in which entities files differ, and how to choose.
func Differences(files []File, parameters map[string]string) string {
	var keys []string
	for _, f := range files {
		for _, e := range f.Entities {
			keys = lists.Add(keys, e.Key)
		}
	}
	var text []string
	for _, key := range keys {
		var values []string
		for _, f := range files {
			v := f.Get(key)
			if v == "" {
				v = None
			}
			values = lists.Add(values, v)
		}
		if len(values) < 2 {
			continue
		}
		line := key + " (" + strings.Join(values, ", ") + ")"
		p := parameters[key]
		for _, e := range ChoiceParameters {
			if e.Key == key && p == "" {
				p = e.Parameter
			}
		}
		if p != "" {
			line += ": set the parameter " + p
		}
		text = append(text, line)
	}
	if text == nil { // .nii and .nii.gz
		for _, f := range files {
			text = append(text, f.Extension)
		}
		return "their extensions alone (" + strings.Join(text, ", ") + "): remove one"
	}
	return strings.Join(text, ", ")
}
