package lock

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/recipe"
	"prgnn/internal/words"
)

// A Difference is one fact that differs from the lock.
type Difference struct {
	Place string // "biopoint.yaml:12", "code graph", "graphs[sub-003] input bold"
	Lock  string // "" where the lock has nothing of it, or no value that a person can read
	Now   string
}

func (d Difference) String() string {
	switch {
	case d.Lock == "" && d.Now == "":
		return d.Place + " differs from the lock"
	case d.Lock == "":
		return fmt.Sprintf("%s: %s is not in the lock", d.Place, d.Now)
	case d.Now == "":
		return fmt.Sprintf("%s: %s of the lock no longer exists", d.Place, d.Lock)
	}
	return fmt.Sprintf("%s: %s in the lock, %s now", d.Place, d.Lock, d.Now)
}

// Before lists how a pipeline that is about to run differs from the lock: in its text, the code of its
// kinds, its parameters and tasks, and the user's files, which file digests. The words of --set are not
// compared, but their effect: the data may lie elsewhere. place names where a line of the text comes from.
func (l *Lock) Before(g *dag.Graph, text string, place func(line int) string,
	file func(path string) (artifacts.Ref, error)) ([]Difference, error) {
	var ds []Difference
	add := func(place, was, now string) { ds = append(ds, Difference{place, was, now}) }
	l.text(text, place, add)
	codes, stages := l.code(), l.byKey()
	tasks := l.Tasks()
	told := map[string]bool{}
	for _, s := range g.Stages() {
		if len(s.Tasks()) > 0 && !told[s.Kind().Name] {
			told[s.Kind().Name] = true
			code, err := s.Kind().CodeDigest()
			if err != nil {
				return nil, err
			}
			if was := codes[s.Kind().Name]; was != code {
				add("code of "+s.Kind().Name, short(was), short(code))
			}
		}
		st := stages[stageKey(s.Name(), s.Kind().Name)]
		if st == nil {
			add("stage "+s.Name(), "", s.Kind().Name)
			continue
		}
		differParameters(s.Name(), st.Parameters, shared(s), add)
		for _, n := range s.Tasks() {
			t := tasks[n.ID()]
			if t == nil {
				add("task", "", n.ID())
				continue
			}
			delete(tasks, n.ID())
			now, err := filesOf(n, file)
			if err != nil {
				return nil, err
			}
			differFiles(n.ID(), t.Files, now, add)
			if f, ok := n.Instance().(dag.Precomputed); ok {
				differOutputs(n.ID(), t.Outputs, f.KnownOutputs(), add)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		add("task", id, "")
	}
	return ds, nil
}

// stageKey: the cohort may have two parts of one name.
func stageKey(name, kind string) string { return name + " " + kind }

func short(digest string) string { return digest[:min(len(digest), 12)] }

// text finds the first line in which two texts of the pipeline file differ.
func (l *Lock) text(text string, place func(line int) string, add func(place, was, now string)) {
	if l.Text == text {
		return
	}
	a, b := strings.Split(l.Text, "\n"), strings.Split(text, "\n")
	for i := range max(len(a), len(b)) {
		was, now := at(a, i), at(b, i)
		if was != now {
			add(place(i+1), was, now)
			return
		}
	}
}

func at(lines []string, i int) string {
	if i >= len(lines) {
		return "(the end)"
	}
	return fmt.Sprintf("%.60q", strings.TrimSpace(lines[i]))
}

func differParameters(stage string, was, now []string, add func(place, was, now string)) {
	values := map[string][2]string{}
	for i, lines := range [][]string{was, now} {
		for _, line := range lines {
			name, value, _ := strings.Cut(line, " = ")
			both := values[name]
			both[i] = value
			values[name] = both
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; v[0] != v[1] {
			add(stage+"."+name, v[0], v[1])
		}
	}
}

func differFiles(task string, was, now []File, add func(place, was, now string)) {
	for i := range max(len(was), len(now)) {
		switch {
		case i >= len(was):
			add(task+" input "+now[i].Port, "", now[i].Name)
		case i >= len(now):
			add(task+" input "+was[i].Port, was[i].Name, "")
		case was[i].Ref.Digest != now[i].Ref.Digest || was[i].Port != now[i].Port:
			add(fmt.Sprintf("%s input %s (%s)", task, was[i].Port, was[i].Name), short(was[i].Ref.Digest.String()),
				short(now[i].Ref.Digest.String()))
		}
	}
}

// differOutputs compares what is known before a run: the tables of the cohort.
func differOutputs(task string, was, now artifacts.Refs, add func(place, was, now string)) {
	text := func(refs artifacts.Refs, name string) string {
		if ref, ok := refs.Get(name); ok {
			return short(ref.Digest.String())
		}
		return ""
	}
	names := slices.Clone(was)
	for _, ref := range now {
		names.Set(ref.Name, ref.Ref)
	}
	for _, ref := range names {
		if a, b := text(was, ref.Name), text(now, ref.Name); a != b {
			add(task+"."+ref.Name, a, b)
		}
	}
}

// Contradictions checks a lock against the graph that it describes: each key must
// be the digest of the recipe that the lock's own lines make. Only what
// is the last in the graph is bound by nothing but its part's sum. A recipe also has what its command has from the
// machine: where that differs, machines has it.
func (l *Lock) Contradictions(g *dag.Graph) (ds, machines []Difference) {
	of := map[string][]string{} // tasks, by what their commands have from the machine
	tasks, stages := l.Tasks(), l.byKey()
	codes := l.code()
	for _, s := range g.Stages() {
		code, err := s.Kind().CodeDigest()
		if err != nil || code != codes[s.Kind().Name] {
			continue // another program: its recipes cannot be written here
		}
		for _, n := range s.Tasks() {
			t := tasks[n.ID()]
			if t == nil {
				continue
			}
			var known artifacts.Refs
			if _, ok := n.Instance().(dag.Precomputed); ok { // here it may have other values: see Before
				known = t.Outputs
			}
			next := 0
			text, err := recipe.Of(n, func(src *dag.Source) (artifacts.Ref, error) {
				if src.Node == nil {
					next++
					if next > len(t.Files) {
						return artifacts.Ref{}, fmt.Errorf("the lock lacks an input")
					}
					return t.Files[next-1].Ref, nil
				}
				from := tasks[src.Node.ID()]
				if from == nil {
					return artifacts.Ref{}, fmt.Errorf("the lock lacks %s", src.Node.ID())
				}
				ref, ok := from.Outputs.Get(src.Output)
				if !ok {
					return ref, fmt.Errorf("the lock lacks %s.%s", src.Node.ID(), src.Output)
				}
				return ref, nil
			}, known)
			if err != nil {
				ds = append(ds, Difference{Place: n.ID(), Lock: "its recipe", Now: err.Error()})
			} else if k := artifacts.KeyOf(text); k != t.Key {
				if other := otherMachine(stages[stageKey(s.Name(), s.Kind().Name)], recipe.Machine(text)); other != "" {
					of[other] = append(of[other], n.ID())
					continue
				}
				ds = append(ds, Difference{Place: "key of " + n.ID(), Lock: short(t.Key.String()),
					Now: short(k.String()) + " by the lock's own lines"})
			}
		}
	}
	for _, other := range slices.Sorted(maps.Keys(of)) {
		machines = append(machines, Difference{Place: words.Some(of[other], 3) + ": " + other})
	}
	return ds, machines
}

// otherMachine lists what commands have from this machine and did not have in the run of the lock: "environment MODE".
// Older locks do not state what they had.
func otherMachine(s *Stage, lines []string) string {
	if s != nil && s.Machine != nil {
		lines = slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(s.Machine, line) })
	}
	for i := range lines {
		lines[i], _, _ = strings.Cut(lines[i], " = ")
	}
	between := ", "
	if s == nil || s.Machine == nil {
		between = " or "
	}
	return strings.Join(lines, between)
}

// byKey are the stages, by their keys.
func (l *Lock) byKey() map[string]*Stage {
	stages := map[string]*Stage{}
	for i := range l.Stages {
		stages[stageKey(l.Stages[i].Name, l.Stages[i].Kind)] = &l.Stages[i]
	}
	return stages
}
