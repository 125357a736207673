package provenance

import (
	"errors"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
)

// A Work is one piece of finished work: a recipe and its outputs. Run and Task are the newest run that has
// it, and its name there.
type Work struct {
	Task    string
	Run     string
	When    time.Time
	Key     artifacts.Key
	Recipe  recipe.Recipe // without inputs when it cannot be read
	Outputs artifacts.Refs

	at int // in Book.works
}

// Stage is the stage in the name of the task.
func (w *Work) Stage() string { return dag.StageOf(w.Task) }

// A Book is all work that a store has records of. gc leaves the records, and no pipeline file is needed.
type Book struct {
	works         []*Work // those of the newest run first, in the order of the run
	makers, users map[artifacts.Digest][]*Work
}

// Read reads the runs of a store. Records that are damaged
// are left out, and listed in the error.
func Read(s *disk.Store) (*Book, error) {
	b := &Book{makers: map[artifacts.Digest][]*Work{}, users: map[artifacts.Digest][]*Work{}}
	seen := map[artifacts.Key]bool{}
	runs, err := s.Runs() // the newest first
	errs := []error{err}
	for _, r := range runs {
		full, err := s.LoadRun(r.ID)
		var rec *record.Record
		if err == nil {
			rec, err = record.Read(s, full)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, t := range rec.Tasks {
			if t.Outputs != nil && !seen[t.Key] {
				seen[t.Key] = true
				w := &Work{Task: t.ID, Run: rec.ID, When: rec.Started, Key: t.Key, Outputs: t.Outputs}
				if a, err := s.Lookup(t.Key); err == nil {
					w.Recipe, _ = recipe.Read(a.Recipe) // the cohort's own has no inputs
				}
				b.add(w)
			}
		}
	}
	return b, errors.Join(errs...)
}

func (b *Book) add(w *Work) {
	w.at = len(b.works)
	b.works = append(b.works, w)
	for _, ref := range w.Outputs {
		b.makers[ref.Digest] = append(b.makers[ref.Digest], w)
	}
	for _, in := range w.Recipe.Inputs {
		if of := b.users[in.Ref.Digest]; len(of) == 0 || of[len(of)-1] != w {
			b.users[in.Ref.Digest] = append(of, w)
		}
	}
}

// Find finds what a name stands for: a digest of bytes or a key, or the beginning of
// one, of at least four digits. Works are those of the key; digests are set where the
// name is that of bytes.
func (b *Book) Find(name string) (digests []artifacts.Digest, works []*Work) {
	if len(name) < 4 || strings.Trim(name, "0123456789abcdef") != "" {
		return nil, nil
	}
	for _, of := range []map[artifacts.Digest][]*Work{b.makers, b.users} {
		for d := range of {
			if strings.HasPrefix(d.String(), name) {
				digests = append(digests, d)
			}
		}
	}
	slices.SortFunc(digests, func(x, y artifacts.Digest) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(digests), b.where(func(w *Work) bool { return strings.HasPrefix(w.Key.String(), name) })
}

func (b *Book) where(is func(*Work) bool) []*Work {
	return slices.DeleteFunc(slices.Clone(b.works), func(w *Work) bool { return !is(w) })
}

// Task finds the newest work of a task, or of all tasks of a stage.
func (b *Book) Task(name string) []*Work {
	seen := map[string]bool{}
	return b.where(func(w *Work) bool {
		newest := (w.Task == name || w.Stage() == name) && !seen[w.Task]
		seen[w.Task] = true
		return newest
	})
}

// Users are the works that read these bytes.
func (b *Book) Users(d artifacts.Digest) []*Work { return b.users[d] }

// Maker is the newest of the works that made these bytes; nil for none.
func (b *Book) Maker(d artifacts.Digest) *Work {
	if all := b.makers[d]; len(all) > 0 {
		return all[0]
	}
	return nil
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

// A link is one input that joins two works, seen from one of them.
type link struct {
	port  string
	other *Work         // nil for a file
	ref   artifacts.Ref // of the input
}

// Up lists what these works were made from, step by step, each stage under the one
// that read it.
func (b *Book) Up(works []*Work) []Step {
	return chain(works, func(w *Work) (links []link) {
		for _, in := range w.Recipe.Inputs {
			links = append(links, link{in.Port, b.Maker(in.Ref.Digest), in.Ref})
		}
		return links
	})
}

// Down lists the results computed from these bytes, stage by stage.
func (b *Book) Down(digests []artifacts.Digest) []Step {
	from := &Work{}
	for _, d := range digests {
		from.Outputs = append(from.Outputs, artifacts.NamedRef{Ref: artifacts.Ref{Digest: d}})
	}
	return chain([]*Work{from}, func(w *Work) (links []link) {
		for _, out := range w.Outputs {
			for _, user := range b.users[out.Digest] {
				for _, in := range user.Recipe.Inputs {
					if in.Ref.Digest == out.Digest {
						links = append(links, link{in.Port, user, in.Ref})
					}
				}
			}
		}
		return links
	})
}

// chain follows the links of works, depth first. The links of works that stand above already are not followed again.
func chain(from []*Work, links func(*Work) []link) (steps []Step) {
	type group struct{ port, stage, kind string }
	seen := map[*Work]bool{}
	var walk func(works []*Work, depth int)
	walk = func(works []*Work, depth int) {
		var groups []group
		in := map[group][]link{}
		for _, w := range works {
			for _, l := range links(w) {
				at := group{port: l.port}
				if l.other != nil {
					at.stage, at.kind = l.other.Stage(), l.other.Recipe.Kind
				}
				if in[at] == nil {
					groups = append(groups, at)
				}
				in[at] = append(in[at], l)
			}
		}
		for _, at := range groups {
			s := Step{Depth: depth, Port: at.port, Again: at.stage != ""}
			for _, l := range in[at] {
				if l.other == nil {
					s.Files = append(s.Files, l.ref)
				} else {
					s.Works = append(s.Works, l.other)
					s.Again = s.Again && seen[l.other]
				}
			}
			slices.SortFunc(s.Works, func(x, y *Work) int { return x.at - y.at })
			s.Works = slices.Compact(s.Works)
			slices.SortFunc(s.Files, func(x, y artifacts.Ref) int { return slices.Compare(x.Digest[:], y.Digest[:]) })
			s.Files = slices.CompactFunc(s.Files, func(x, y artifacts.Ref) bool { return x.Digest == y.Digest })
			steps = append(steps, s)
			if !s.Again {
				for _, w := range s.Works {
					seen[w] = true
				}
				walk(s.Works, depth+1)
			}
		}
	}
	walk(from, 1)
	return steps
}
