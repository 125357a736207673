package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/param"
)

// A jobFile is a job as text, for a process elsewhere that sees the same store and
// the same paths.
type jobFile struct {
	Task    string
	Coords  []dag.Coord
	Kind    string
	Params  map[string]any
	Recipe  string
	Inputs  []jobFileInput
	Forced  bool `json:",omitempty"`
	Threads int
	Memory  int64
	Time    time.Duration
}

type jobFileInput struct {
	Port   string
	Coords []dag.Coord `json:",omitempty"`
	Name   string
	Digest string
	Size   int64
	Format string
	File   string `json:",omitempty"`
}

// encodeJob writes a job down for decodeJob.
func encodeJob(j *engine.Job) ([]byte, error) {
	f := jobFile{Task: j.Task, Coords: j.Coords, Kind: j.Kind.Name, Params: map[string]any{}, Recipe: j.Recipe,
		Forced: j.Forced, Threads: j.Threads, Memory: j.Memory, Time: j.Time}
	for _, p := range param.Of(j.Instance) {
		f.Params[p.Name] = p.Default
	}
	for _, in := range j.Inputs {
		f.Inputs = append(f.Inputs, jobFileInput{in.Port, in.Coords, in.Name, in.Ref.Digest.String(), in.Ref.Size,
			in.Ref.Format, in.File})
	}
	return json.MarshalIndent(f, "", " ")
}

// decodeJob reads what encodeJob wrote, with the kinds of this program. A job that
// another program planned, whose kind is made of other source, or that finds other
// values of the environment it depends on, is refused: its result would be
// recorded for work that was not done.
func decodeJob(b []byte, lookup func(name string) (*dag.Kind, bool)) (*engine.Job, error) {
	var f jobFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("the job cannot be read: %w", err)
	}
	k, ok := lookup(f.Kind)
	if !ok {
		return nil, fmt.Errorf("%s: this program has no stage kind %q", f.Task, f.Kind)
	}
	j := &engine.Job{Task: f.Task, Coords: f.Coords, Kind: k, Instance: k.New(), Recipe: f.Recipe,
		Key:    artifacts.KeyOf(f.Recipe),
		Forced: f.Forced, Threads: f.Threads, Memory: f.Memory, Time: f.Time}
	for name, value := range f.Params {
		v, err := fromJSON(value)
		if err == nil {
			err = param.Set(j.Instance, name, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Task, err)
		}
	}
	for _, in := range f.Inputs {
		digest, err := artifacts.ParseDigest(in.Digest)
		if err != nil {
			return nil, fmt.Errorf("%s: input %s: %w", f.Task, in.Name, err)
		}
		j.Inputs = append(j.Inputs, engine.JobInput{Port: in.Port, Coords: in.Coords, Name: in.Name,
			Ref: artifacts.Ref{Digest: digest, Size: in.Size, Format: in.Format}, File: in.File})
	}
	return j, j.Check()
}

// fromJSON turns decoded JSON into what param.Set takes.
func fromJSON(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			var n int64
			if err := json.Unmarshal([]byte(v), &n); err == nil {
				return n, nil
			}
			var u uint64
			err := json.Unmarshal([]byte(v), &u)
			return u, err
		}
		return v.Float64()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = fromJSON(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case nil:
		return []any{}, nil // no list is an empty one
	}
	return v, nil
}
