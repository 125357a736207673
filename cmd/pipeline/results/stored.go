package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/lock"
	"prgnn/stages/column"
)

// Read reads an output of a task.
func (c *Current) Read(n *dag.Node, port dag.Port) (Content, error) {
	got, err := Read(c.Store, c.Ref(n, port.Name), port.Type)
	if err != nil {
		return Content{}, fmt.Errorf("%s: %w", n.ID(), err)
	}
	return got, nil
}

// Nodes are the regions of the cohort.
func (c *Current) Nodes() (*encoding.Table, error) {
	r := c.Pipeline.Roster
	if r == nil || r.Nodes == nil {
		return nil, fmt.Errorf("the pipeline has no cohort to name the regions")
	}
	return r.Nodes, nil
}

// A Region is a row of the cohort's node list, of which only the name must be there.
type Region struct {
	ID           int32   `column:"id,optional"`
	Name         string  `column:"name"`
	Abbreviation string  `column:"abbreviation,missing,optional"`
	Hemisphere   string  `column:"hemisphere,missing,optional"`
	Structure    string  `column:"structure,missing,optional"`
	X            float64 `column:"x,optional"`
	Y            float64 `column:"y,optional"`
	Z            float64 `column:"z,optional"`
}

// Regions are the nodes of the cohort.
func (c *Current) Regions() ([]Region, error) {
	nodes, err := c.Nodes()
	if err != nil {
		return nil, err
	}
	return column.Rows[Region](nodes)
}

// Groups are those of the participants, by their names.
func (c *Current) Groups() (map[string]string, error) {
	of := map[string]string{}
	if c.Pipeline.Roster == nil || c.Pipeline.Roster.Participants == nil {
		return of, nil
	}
	rows, err := column.Rows[struct {
		ID    string `column:"participant_id"`
		Group string `column:"group,missing,optional"`
	}](c.Pipeline.Roster.Participants)
	for _, r := range rows {
		if r.Group != "" {
			of[r.ID] = r.Group
		}
	}
	return of, err
}

// Copy writes the bytes of an output.
func (c *Current) Copy(w io.Writer, ref artifacts.Ref) error {
	r, err := c.Store.OpenBlob(ref)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

// Results are what the store holds for the pipeline now.
func (c *Current) Results() differ.Results {
	out := differ.Results{Name: c.Store.Dir(), Tasks: map[string]differ.Result{}}
	for n, s := range c.Steps {
		if s.State == engine.Cached {
			out.Tasks[n.ID()] = differ.Result{Outputs: s.Outputs, Store: c.Store}
		}
	}
	return out
}

// Stored is the file that has the bytes of an output.
func (c *Current) Stored(n *dag.Node, output string) (path, format string) {
	return InFile(c.Store, c.Ref(n, output))
}

// InFile is a file that has the bytes of a result. If there is none, who opens it finds out.
func InFile(s *disk.Store, ref artifacts.Ref) (path, format string) {
	path, err := s.File(ref)
	if err != nil {
		path = s.Health.BlobPath(ref.Digest)
	}
	return path, ref.Format
}

// Fetched reports whether the record of a task came from a remote; its bytes may be there alone.
func (c *Current) Fetched(n *dag.Node) bool {
	s := c.Steps[n]
	if s == nil || s.Key == (artifacts.Key{}) {
		return false
	}
	a, err := c.Store.Work.LookupHere(s.Key)
	return err == nil && a.Origin != ""
}

// InputsStored reports whether the store has the bytes of all results that a task takes.
func (c *Current) InputsStored(n *dag.Node) bool {
	for src := range n.Upstream() {
		if c.Steps[src.Node] == nil || !c.Store.Has(c.Ref(src.Node, src.Output)) {
			return false
		}
	}
	return true
}

// DamagedInput names a result that a task takes and whose stored bytes are not those of its name; "" for
// none. It reads them: a disk may change bytes without telling the file system.
func (c *Current) DamagedInput(n *dag.Node) string {
	for src := range n.Upstream() {
		if s := c.Steps[src.Node]; s != nil && c.damaged(s, c.Ref(src.Node, src.Output)) {
			return src.Node.ID() + "." + src.Output
		}
	}
	return ""
}

// DamagedResult is the same of the result of a task.
func (c *Current) DamagedResult(n *dag.Node) bool {
	s := c.Steps[n]
	bad := func(r artifacts.NamedRef) bool { return c.damaged(s, r.Ref) }
	return s != nil && (s.Damaged || slices.ContainsFunc(s.Outputs, bad))
}

// damaged reads each blob once.
func (c *Current) damaged(s *engine.Step, ref artifacts.Ref) bool {
	if s.Damaged || ref == (artifacts.Ref{}) {
		return s.Damaged
	}
	bad, known := c.read[ref.Digest]
	if !known {
		err := c.Store.Health.Check(ref)
		bad = err != nil && !errors.Is(err, fs.ErrNotExist) // what is not stored is no damage
		if c.read == nil {
			c.read = map[artifacts.Digest]bool{}
		}
		c.read[ref.Digest] = bad
	}
	return bad
}

// Recorded are the results that the store holds, and where their bytes are gone, the
// digests that the last run of the same pipeline wrote down, of the inputs that it has now.
func (c *Current) Recorded() differ.Results {
	all := c.Results()
	for rec := range record.NewPast(c.Store, c.Pipeline.Graph.Name()).Back {
		if len(all.Tasks) >= len(c.Steps) {
			break
		}
		if rec.Source != c.Pipeline.Graph.Source() {
			continue
		}
		ofNow := c.unchanged(rec)
		for id, result := range differ.OfRecord(rec.ID, c.Store, rec).Tasks {
			if _, known := all.Tasks[id]; !known && ofNow[id] {
				all.Tasks[id] = result
			}
		}
	}
	return all
}

// unchanged are the tasks of a record whose work is that of now, as far as it is known what they do now.
func (c *Current) unchanged(rec *record.Record) map[string]bool {
	same := map[string]bool{}
	var look func(n *dag.Node) bool
	look = func(n *dag.Node) bool {
		if is, seen := same[n.ID()]; seen {
			return is
		}
		s, t := c.Steps[n], rec.Task(n.ID())
		is := s != nil && t != nil && (s.Key == (artifacts.Key{}) || s.Key == t.Key)
		for src := range n.Upstream() {
			is = is && (s.Key != (artifacts.Key{}) || look(src.Node))
		}
		same[n.ID()] = is
		return is
	}
	for n := range c.Steps {
		look(n)
	}
	return same
}

// Lock writes down what the store holds for the pipeline now.
func (c *Current) Lock(a *console.Console) (*lock.Lock, error) {
	var steps []engine.Step
	damaged := false
	for n := range c.Pipeline.Graph.Tasks() {
		if step := c.Steps[n]; step != nil {
			steps = append(steps, *step)
			damaged = damaged || step.Damaged
		}
	}
	l, err := lock.Of(c.Pipeline, steps, Hasher(c.Store))
	if errors.As(err, new(*lock.Incomplete)) {
		earlier := ""
		if run, n := c.Earlier(slices.Collect(c.Pipeline.Graph.Tasks())); n > 0 && c.Run == nil {
			earlier = fmt.Sprintf("; run %s has results of other inputs, parameters or code: %s prints them", run.ID, a.Command("show", run.ID, "STAGE"))
		}
		err = fmt.Errorf("%w\n  %s makes it%s", err, c.RunAll(a), earlier)
	}
	if err != nil && damaged {
		err = &exit.Error{Code: exit.Damaged, Err: err}
	}
	return l, err
}

// Recipes are the texts that describe the tasks of a lock. One that has a place of this machine is an error.
func (c *Current) Recipes(l *lock.Lock) (map[string]string, error) {
	recipes := map[string]string{}
	for id, t := range l.Tasks() {
		act, err := c.Store.Lookup(t.Key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		if err := c.Pipeline.Shared.Check("the recipe of "+id, act.Recipe); err != nil {
			return nil, err
		}
		recipes[id] = act.Recipe
	}
	return recipes, nil
}

// Hasher digests files of the user's as runs do.
func Hasher(s *disk.Store) func(string) (artifacts.Ref, error) {
	return func(path string) (artifacts.Ref, error) { return s.HashFile(context.Background(), path, false) }
}

// Bytes is the size of the results of a run in the store.
func Bytes(r *engine.Result) (n int64) {
	seen := map[artifacts.Digest]bool{}
	for _, outputs := range r.Outputs {
		for _, ref := range outputs {
			if !seen[ref.Digest] {
				seen[ref.Digest] = true
				n += ref.Size
			}
		}
	}
	return n
}

// IsStore reports whether a directory holds anything: looking at a store never makes one.
// What it holds instead of a store, disk.Open reports.
func IsStore(dir string) bool {
	entries, err := os.ReadDir(dir)
	_, link := os.Readlink(dir)
	return len(entries) > 0 || err != nil && (link == nil || !errors.Is(err, fs.ErrNotExist))
}
