package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/statement"
	"prgnn/pipelines/tree"
)

// ReadLock reads a lock from a file.
func ReadLock(path string) (*lock.Lock, error) {
	text, err := regular.ReadPiped(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Wrongf("there is no lock %s; pipeline lock FILE writes one", path)
	}
	if err != nil {
		return nil, err
	}
	l, err := lock.Parse(text)
	if err != nil {
		return nil, exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	return l, nil
}

type unlockedEvent struct {
	Place string `json:"place"`
	Lock  string `json:"lock"`
	Now   string `json:"now"`
}

// PrintUnlocked prints the differences from a lock: to w under a heading, or as JSON.
func PrintUnlocked(a *console.Console, w io.Writer, ds []lock.Difference, most int, heading func()) {
	if a.JSON {
		for _, d := range ds {
			a.Object("unlocked", unlockedEvent{d.Place, d.Lock, d.Now})
		}
		return
	}
	if len(ds) > 0 {
		heading()
	}
	a.Few(w, len(ds), most, func(i int) { fmt.Fprintf(w, "  %s\n", ds[i]) })
}

// LoadLock makes the pipeline of a lock, and refuses one that contradicts itself.
func LoadLock(a *console.Console, l *lock.Lock, path string, sets []string) (*pipelines.Pipeline, error) {
	p, err := l.Load(filepath.Dir(path), sets)
	var mistakes tree.Errors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Fprintln(a.Stderr, m)
		}
		named := func(path string) bool { return strings.Contains(err.Error(), path+": ") }
		missing := places(l, filepath.Dir(path), named)
		return nil, exit.Wrongf("%s: the pipeline in it cannot be loaded here: a lock holds no paths, and the data are looked for where %s says, beside the lock; set the paths of its data by %s",
			path, l.File, cmp.Or(remedy(missing), "--set"))
	}
	if err != nil {
		return nil, exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	if ds, err := Machines(l, p.Graph, path); err != nil {
		return nil, err
	} else if len(ds) > 0 {
		return nil, exit.Wrongf("%s cannot be repeated here: %s; restore what it was in the run of the lock", path,
			words.Some(lists.Map(ds, lock.Difference.String), 3))
	}
	return p, nil
}

// Machines is where this machine differs from a lock. A lock that contradicts itself is refused.
func Machines(l *lock.Lock, g *dag.Graph, path string) ([]lock.Difference, error) {
	ds, machines := l.Contradictions(g)
	if len(ds) > 0 {
		return nil, exit.Wrongf("%s contradicts itself, so it does not describe a single run: %s", path,
			words.Some(lists.Map(ds, lock.Difference.String), 3))
	}
	return machines, nil
}

// OpenStore opens a store that is there; nil when there is none.
func OpenStore(a *console.Console, dir string) *disk.Store {
	if _, err := os.Stat(filepath.Join(dir, "version")); err != nil {
		return nil
	}
	s, err := disk.Open(dir)
	if err != nil {
		a.Note("%v", err)
		return nil
	}
	return s
}

// resultsThere are those of a store (of the last run of the pipeline that is
// recorded in it), of a lock, or of a statement. done releases them.
func (a *auditor) resultsThere(g *dag.Graph, place, key string) (r differ.Results, done func(), err error) {
	info, err := os.Stat(place)
	if err != nil {
		return r, nil, exit.Wrongf("there is no store, lock or statement %s", place)
	}
	if !info.IsDir() {
		r, err := a.readResults(place, key)
		return r, func() {}, err
	}
	store := OpenStore(a.Console, place)
	if store == nil {
		return r, nil, exit.Wrongf("%s is not a store: it has no file \"version\"", place)
	}
	for rec := range record.NewPast(store, g.Name()).Back {
		return differ.OfRecord(place, store, rec), func() { store.Close() }, nil
	}
	store.Close()
	return r, nil, exit.Wrongf("%s has no finished run of the pipeline %s", place, g.Name())
}

// readResults reads a lock or a statement; the signature of a statement is
// checked when a key is given.
func (a *auditor) readResults(path, key string) (r differ.Results, err error) {
	text, err := regular.ReadPiped(path)
	if err != nil {
		return r, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		l, err := lock.Parse(text)
		if err != nil {
			return r, exit.Wrong(fmt.Errorf("%s: %w", path, err))
		}
		return differ.OfLock(path, l, nil), nil
	}
	var s *statement.Statement
	if key == "" {
		s, err = statement.Read(text)
		a.Note("%s: its signature is not checked; --signed-by KEY checks it", path)
	} else {
		var public []byte
		if public, err = regular.ReadPiped(key); err != nil {
			return r, exit.Wrong(err)
		}
		s, err = statement.Verify(text, public)
	}
	if err != nil {
		return r, exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	return differ.OfStatement(path, s), nil
}
