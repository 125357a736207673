// Package lineage answers the provenance of a result, upstream and downstream,
// out of the records that a store keeps: the runs name tasks, keys and digests, and
// the recipe behind each key names the inputs by digest. No pipeline file is needed,
// and gc does not make it forget.
package lineage

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
)

// A Work is one piece of finished work: a recipe and its outputs. Run and Task are the newest run that has
// it, and its name there.
type Work struct {
	Task    string
	Run     string
	When    time.Time
	Program dag.Program
	Key     artifacts.Key
	Recipe  dag.Recipe // without inputs when it cannot be read
	Outputs artifacts.Refs
}

// Stage is the stage in the name of the task.
func (w *Work) Stage() string { return dag.StageOf(w.Task) }

// A Book is all work that a store has records of.
type Book struct {
	byKey  map[artifacts.Key]*Work
	makers map[artifacts.Digest][]*Work
	users  map[artifacts.Digest][]*Work
	order  map[*Work]int // of the tasks, as in their runs
}

// Read goes through the runs of a store, the newest first. Records that are damaged
// are left out, and named by the error.
func Read(s *artifacts.Store) (*Book, error) {
	runs, err := s.Runs()
	b := &Book{byKey: map[artifacts.Key]*Work{}, makers: map[artifacts.Digest][]*Work{},
		users: map[artifacts.Digest][]*Work{}, order: map[*Work]int{}}
	errs := []error{err}
	for _, r := range runs {
		full, err := s.LoadRun(r.ID)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rec, err := dag.ReadRecord(s, full)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range rec.Tasks {
			if t := &rec.Tasks[i]; t.Outputs != nil && b.byKey[t.Key] == nil {
				b.add(s, rec, t)
			}
		}
	}
	return b, errors.Join(errs...)
}

func (b *Book) add(s *artifacts.Store, rec *dag.Record, t *dag.TaskRecord) {
	w := &Work{Task: t.ID, Run: rec.ID, When: rec.Started, Program: rec.Program, Key: t.Key, Outputs: t.Outputs}
	if a, err := s.Lookup(t.Key); err == nil {
		w.Recipe, _ = dag.ReadRecipe(a.Recipe) // the cohort's own has no inputs
	}
	b.byKey[t.Key] = w
	b.order[w] = len(b.order)
	for _, ref := range t.Outputs {
		b.makers[ref.Digest] = append(b.makers[ref.Digest], w)
	}
	seen := map[artifacts.Digest]bool{}
	for _, in := range w.Recipe.Inputs {
		if !seen[in.Ref.Digest] {
			seen[in.Ref.Digest] = true
			b.users[in.Ref.Digest] = append(b.users[in.Ref.Digest], w)
		}
	}
}

// Find finds what a name stands for: a digest of bytes or a key, or the beginning of
// one, of at least four digits. Works are those that made it; digest is set where the
// name is that of bytes.
func (b *Book) Find(name string) (digests []artifacts.Digest, works []*Work) {
	if len(name) < 4 || strings.Trim(name, "0123456789abcdef") != "" {
		return nil, nil
	}
	for d := range b.makers {
		if strings.HasPrefix(d.String(), name) {
			digests = append(digests, d)
		}
	}
	for d := range b.users {
		if strings.HasPrefix(d.String(), name) && len(b.makers[d]) == 0 {
			digests = append(digests, d)
		}
	}
	for k, w := range b.byKey {
		if strings.HasPrefix(k.String(), name) {
			works = append(works, w)
		}
	}
	slices.SortFunc(digests, func(x, y artifacts.Digest) int { return slices.Compare(x[:], y[:]) })
	return digests, b.sorted(works)
}

// Task finds the newest work of a task, or of all tasks of a stage.
func (b *Book) Task(name string) []*Work {
	newest := map[string]*Work{}
	for _, w := range b.byKey {
		if w.Task != name && w.Stage() != name {
			continue
		}
		if old := newest[w.Task]; old == nil || w.When.After(old.When) {
			newest[w.Task] = w
		}
	}
	var works []*Work
	for _, w := range newest {
		works = append(works, w)
	}
	return b.sorted(works)
}

// Users are the works that read these bytes.
func (b *Book) Users(d artifacts.Digest) []*Work { return b.sorted(b.users[d]) }

// Maker is the newest of several works, which stands for all.
func (b *Book) Maker(d artifacts.Digest) *Work {
	all := b.makers[d]
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(x, y *Work) int {
		return cmp.Or(y.When.Compare(x.When), cmp.Compare(b.order[x], b.order[y]))
	})
}

func (b *Book) sorted(works []*Work) []*Work {
	works = slices.Clone(works)
	slices.SortFunc(works, func(x, y *Work) int {
		return cmp.Or(y.When.Compare(x.When), cmp.Compare(b.order[x], b.order[y]))
	})
	return works
}

// A Step is one link of a chain: the works of one stage that are reached over one
// port, all at once.
type Step struct {
	Depth int
	Port  string // of the stage below (up), or of this one (down)
	Works []*Work
	Files []artifacts.Ref // up: what was read over the port that no task made: files of the user's
	Again bool            // these works stand above already
}

// Up lists what these works were made from, step by step, each stage under the one
// that read it.
func (b *Book) Up(works []*Work) []Step {
	var steps []Step
	seen := map[*Work]bool{}
	var walk func(works []*Work, depth int)
	walk = func(works []*Work, depth int) {
		var ports []string
		byPort := map[string]map[*Work]bool{}
		files := map[string]map[artifacts.Digest]artifacts.Ref{}
		for _, w := range works {
			for _, in := range w.Recipe.Inputs {
				m := b.Maker(in.Ref.Digest)
				at := in.Port
				if m != nil {
					at += " " + m.Stage() + " " + m.Recipe.Kind
				}
				if byPort[at] == nil {
					byPort[at], files[at] = map[*Work]bool{}, map[artifacts.Digest]artifacts.Ref{}
					ports = append(ports, at)
				}
				if m == nil {
					files[at][in.Ref.Digest] = in.Ref
				} else {
					byPort[at][m] = true
				}
			}
		}
		for _, at := range ports {
			port, _, _ := strings.Cut(at, " ")
			s := Step{Depth: depth, Port: port}
			for w := range byPort[at] {
				s.Works = append(s.Works, w)
			}
			s.Works = b.inOrder(s.Works)
			for _, ref := range files[at] {
				s.Files = append(s.Files, ref)
			}
			slices.SortFunc(s.Files, func(x, y artifacts.Ref) int { return slices.Compare(x.Digest[:], y.Digest[:]) })
			s.Again = len(s.Works) > 0 && !slices.ContainsFunc(s.Works, func(w *Work) bool { return !seen[w] })
			steps = append(steps, s)
			if !s.Again {
				for _, w := range s.Works {
					seen[w] = true
				}
				walk(s.Works, depth+1)
			}
		}
	}
	walk(works, 1)
	return steps
}

// Down lists the results computed from these bytes, stage by stage.
func (b *Book) Down(digests []artifacts.Digest) []Step {
	var steps []Step
	seen := map[*Work]bool{}
	var walk func(digests []artifacts.Digest, depth int)
	walk = func(digests []artifacts.Digest, depth int) {
		var stages []string
		byStage, port := map[string]map[*Work]bool{}, map[string]string{}
		for _, d := range digests {
			for _, w := range b.Users(d) {
				for _, in := range w.Recipe.Inputs {
					if in.Ref.Digest != d {
						continue
					}
					at := w.Stage() + " " + in.Port
					if byStage[at] == nil {
						byStage[at], port[at] = map[*Work]bool{}, in.Port
						stages = append(stages, at)
					}
					byStage[at][w] = true
				}
			}
		}
		for _, at := range stages {
			s := Step{Depth: depth, Port: port[at]}
			for w := range byStage[at] {
				s.Works = append(s.Works, w)
			}
			s.Works = b.inOrder(s.Works)
			s.Again = !slices.ContainsFunc(s.Works, func(w *Work) bool { return !seen[w] })
			steps = append(steps, s)
			if s.Again {
				continue
			}
			var next []artifacts.Digest
			for _, w := range s.Works {
				seen[w] = true
				for _, ref := range w.Outputs {
					next = append(next, ref.Digest)
				}
			}
			slices.SortFunc(next, func(x, y artifacts.Digest) int { return slices.Compare(x[:], y[:]) })
			walk(slices.Compact(next), depth+1)
		}
	}
	walk(digests, 1)
	return steps
}

// inOrder sorts works as they stand in their runs.
func (b *Book) inOrder(works []*Work) []*Work {
	slices.SortFunc(works, func(x, y *Work) int { return cmp.Compare(b.order[x], b.order[y]) })
	return works
}
