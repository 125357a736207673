package dag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/dag/listing"
	"prgnn/internal/lists"
	"prgnn/internal/version"
)

// A Record describes a run: what was requested, by which program, and the outcome of each task. It
// is the provenance of the results. The store keeps it as an artifacts.RunRecord, whose Detail only this
// package reads.
type Record struct {
	ID       string
	Pipeline string // its name
	File     string // as the user gave it
	Source   string // the text of the pipeline file
	Program  Program
	Started  time.Time
	Finished time.Time // zero while the run is going on, or when it was killed
	Seconds  float64
	Stopped  string   // why the run ended before its time, or ""
	Until    []string // the selection, as in Options
	Only     []string
	Force    []string

	Ran, Cached, Failed, Skipped, Unfinished int

	// Codes are the code digests of the kinds in the graph, by name. Of a run of a
	// version that identified code by source files: their list.
	Codes   map[string]string
	reached func() string // what each of the kinds reaches (see excerpt); "" when that is lost

	Tasks []TaskRecord // in the order of the graph

	SoFar []TaskRecord // of an unfinished run: those that ran, without their outputs (see saveTimes)
}

// A TaskRecord describes one task of a run.
type TaskRecord struct {
	ID      string
	State   State
	Key     artifacts.Key  // zero when it was not known
	Outputs artifacts.Refs // Ran, Cached
	Start   float64        // s since the run began; Ran, Failed
	Seconds float64        // Ran, Failed
	Read    int64          // bytes of its inputs; Ran, Failed
	Memory  int64          // bytes: the most that the process held while it ran; Ran, Failed
	Error   string         // Failed, Skipped
	Note    string
}

// A Program is the program that ran something.
type Program struct {
	Version  string // internal/version.Number
	Revision string // of the source, when known
	Modified bool   // the source was not that of the revision
	Go       string
	Platform string // "linux/amd64"
}

// ThisProgram describes the running program.
func ThisProgram() Program {
	p := Program{Version: version.Number, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p
}

// detail is the part of a record that stands in Detail, as JSON. The tasks with
// results are in the store's part, which runs that changed nothing share; here
// are only those of which there is more to say than that they were cached. What the
// kinds reach is a blob, which runs of the same code share.
type detail struct { // FileOf counts on the order of the first two
	File    string            `json:"file"`
	Source  string            `json:"source"`
	Program Program           `json:"program"`
	Seconds float64           `json:"seconds"`
	Stopped string            `json:"stopped,omitempty"`
	Left    int               `json:"unfinished,omitempty"`
	Until   []string          `json:"until,omitempty"`
	Only    []string          `json:"only,omitempty"`
	Force   []string          `json:"force,omitempty"`
	Codes   map[string]string `json:"codes"`
	Reached []byte            `json:"reached,omitempty"` // gzip; in records of earlier versions, which had no blob
	Tasks   []taskDetail      `json:"tasks,omitempty"`
}

type taskDetail struct {
	At      int     `json:"at"` // in the order of the graph, counted with the cached ones
	ID      string  `json:"id"`
	State   State   `json:"state"`
	Key     string  `json:"key,omitempty"` // of one without a result
	Start   float64 `json:"start,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Read    int64   `json:"read,omitempty"`
	Memory  int64   `json:"memory,omitempty"`
	Error   string  `json:"error,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// save stores the record of the run as it is now.
func (r *runner) save(finished bool) error {
	rec := &artifacts.RunRecord{ID: r.id, Pipeline: r.graph.name, Started: r.began}
	d := detail{
		File: r.graph.file, Source: r.graph.source, Program: ThisProgram(),
		Until: r.opt.Until, Only: r.opt.Only, Force: r.opt.Force, Codes: map[string]string{},
	}
	for k, digest := range r.code {
		d.Codes[k.Name] = digest
	}
	listing, err := r.reached()
	if err != nil {
		return err
	}
	rec.Keeps = append(rec.Keeps, listing...)
	if finished {
		rec.Finished = time.Now()
		d.Seconds = rec.Finished.Sub(r.began).Seconds()
		if r.fatal != nil {
			d.Stopped = r.fatal.Error()
		}
		rec.Each = r.results
		at := 0
		for i := range r.at {
			if p := &r.at[i]; p.phase != outside && p.wanted {
				r.recordTask(int32(i), at, rec, &d)
				at++
			}
		}
	} else {
		for i := range r.at {
			if p := &r.at[i]; p.phase == settled && p.state == Ran {
				r.recordTask(int32(i), len(d.Tasks), rec, &d)
				d.Tasks[len(d.Tasks)-1].Key = p.key.String()
			}
		}
	}
	if rec.Detail, err = json.Marshal(d); err != nil {
		return fmt.Errorf("run record: %w", err)
	}
	return r.store.SaveRun(rec)
}

// saveEvery is how often an unfinished run writes down the times of its tasks, and less often as it goes on.
var saveEvery = 5 * time.Second

// saveTimes writes down the times of the tasks that ran: a run that is killed keeps its results, and what they took
// would be lost. The record at the end of the run takes its place. That this one could not be written is no failure.
func (r *runner) saveTimes() {
	if now := time.Since(r.began); r.known && r.untold && now >= r.saveAt {
		r.saveAt, r.untold = now+max(saveEvery, now/20), false
		_ = r.save(false)
	}
}

// listingFormat is that of the blob with what the kinds of a run reach: gzip.
const listingFormat = "declarations"

// reached stores what the kinds reach, once, for the record.
func (r *runner) reached() ([]artifacts.Ref, error) {
	if r.listing == nil {
		kinds := slices.SortedFunc(maps.Keys(r.code), func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
		text := listing.Excerpt(lists.Map(kinds, func(k *Kind) listing.Kind {
			return listing.Kind{Name: k.Name, Code: k.Code}
		}))
		if text == "" {
			return nil, nil
		}
		ref, err := r.store.Health.PutOnce(artifacts.Bytes{Kind: listingFormat, Data: listing.Pack(text)})
		if err != nil {
			return nil, err
		}
		r.listing = []artifacts.Ref{ref}
	}
	return r.listing, nil
}

// reachedBy reads what the kinds of a run reached: from the blob, or as records of earlier versions hold it.
func reachedBy(s *artifacts.Store, keeps []artifacts.Ref, held []byte) string {
	for _, ref := range keeps {
		if ref.Format != listingFormat {
			continue
		}
		f, err := s.OpenBlob(ref)
		if err != nil {
			return ""
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			return ""
		}
		return listing.Unpack(b)
	}
	return listing.Unpack(held)
}

// results lists the tasks that have one, for the record.
func (r *runner) results(yield func(artifacts.RunTask) bool) {
	for i := range r.at {
		p := &r.at[i]
		if p.phase == outside || !p.wanted || p.state != Ran && p.state != Cached {
			continue
		}
		if !yield(artifacts.RunTask{ID: r.nodes[i].id, Key: p.key, Outputs: *p.outputs.Load()}) {
			return
		}
	}
}

func (r *runner) recordTask(i int32, at int, rec *artifacts.RunRecord, d *detail) {
	p, s, id := &r.at[i], r.at[i].tale(), r.nodes[i].id
	switch p.state {
	case Ran:
		rec.Ran++
	case Cached:
		rec.Cached++
	case Failed:
		rec.Failed++
	case Skipped:
		rec.Skipped++
	default:
		d.Left++
	}
	t := taskDetail{At: at, ID: id, State: p.state, Note: s.note}
	if p.state == Ran || p.state == Cached {
		if p.state == Cached {
			return
		}
	} else if p.key != (artifacts.Key{}) {
		t.Key = p.key.String()
	}
	if p.state == Ran || p.state == Failed {
		t.Start, t.Seconds, t.Read, t.Memory = s.start, s.seconds, s.read, s.memory
	}
	if s.err != nil {
		t.Error = s.err.Error()
	}
	d.Tasks = append(d.Tasks, t)
}

// FileOf reads File and Source of a run's record and nothing else: tasks that ran take some 100 bytes each.
func FileOf(rr *artifacts.RunRecord) (file, source string, err error) {
	in := json.NewDecoder(bytes.NewReader(rr.Detail))
	var first [5]json.Token // {, "file", its value, "source", its value
	for i := range first {
		if first[i], err = in.Token(); err != nil {
			return "", "", fmt.Errorf("run %s: its details: %w", rr.ID, err)
		}
	}
	file, isFile := first[2].(string)
	source, isSource := first[4].(string)
	if first[1] != "file" || first[3] != "source" || !isFile || !isSource {
		return "", "", fmt.Errorf("run %s: its details do not begin with the pipeline file", rr.ID)
	}
	return file, source, nil
}

// ReadRecord unpacks the record of a run. One that Store.Runs listed has no
// cached tasks in it; Store.LoadRun gives all.
func ReadRecord(s *artifacts.Store, rr *artifacts.RunRecord) (*Record, error) {
	var d detail
	if err := json.Unmarshal(rr.Detail, &d); err != nil {
		return nil, fmt.Errorf("run %s: its details: %w", rr.ID, err)
	}
	keeps, held := rr.Keeps, d.Reached
	rec := &Record{
		ID: rr.ID, Pipeline: rr.Pipeline, File: d.File, Source: d.Source, Program: d.Program,
		Started: rr.Started, Finished: rr.Finished, Seconds: d.Seconds, Stopped: d.Stopped,
		Until: d.Until, Only: d.Only, Force: d.Force, Codes: d.Codes,
		reached: sync.OnceValue(func() string { return reachedBy(s, keeps, held) }),
		Ran:     rr.Ran, Cached: rr.Cached, Failed: rr.Failed, Skipped: rr.Skipped, Unfinished: d.Left,
	}
	have := make(map[string]*artifacts.RunTask, len(d.Tasks))
	for i := range rr.Tasks {
		have[rr.Tasks[i].ID] = &rr.Tasks[i]
	}
	special := make(map[string]bool, len(d.Tasks))
	for _, t := range d.Tasks {
		special[t.ID] = true
	}
	next := 0 // of rr.Tasks
	cachedUpTo := func(at int) {
		for ; next < len(rr.Tasks) && (at < 0 || len(rec.Tasks) < at); next++ {
			if t := rr.Tasks[next]; !special[t.ID] {
				rec.Tasks = append(rec.Tasks, TaskRecord{ID: t.ID, State: Cached, Key: t.Key, Outputs: t.Outputs})
			}
		}
	}
	for _, t := range d.Tasks {
		cachedUpTo(t.At)
		tr := TaskRecord{ID: t.ID, State: t.State, Start: t.Start, Seconds: t.Seconds, Read: t.Read, Memory: t.Memory,
			Error: t.Error, Note: t.Note}
		if h := have[t.ID]; h != nil {
			tr.Key, tr.Outputs = h.Key, h.Outputs
		} else if t.Key != "" {
			var err error
			if tr.Key, err = artifacts.ParseKey(t.Key); err != nil {
				return nil, fmt.Errorf("run %s: task %s: %w", rr.ID, t.ID, err)
			}
		}
		rec.Tasks = append(rec.Tasks, tr)
	}
	cachedUpTo(-1)
	if rec.Finished.IsZero() {
		rec.SoFar, rec.Tasks = rec.Tasks, nil
	}
	return rec, nil
}
