package dag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag/content"
	"prgnn/dag/param"
	"prgnn/dag/recipe"
)

// A jobFile is a job as text, for a process elsewhere that sees the same store and
// the same paths.
type jobFile struct {
	Task    string
	Coords  []Coord
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
	Coords []Coord `json:",omitempty"`
	Name   string
	Digest string
	Size   int64
	Format string
	File   string `json:",omitempty"`
}

// Encode writes a job down for DecodeJob.
func (j *Job) Encode() ([]byte, error) {
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

// DecodeJob reads what Encode wrote, with the kinds of this program. A job that
// another program planned, whose kind is made of other source, or that finds other
// values of the environment it depends on, is refused: its result would be
// recorded for work that was not done.
func DecodeJob(b []byte, lookup func(name string) (*Kind, bool)) (*Job, error) {
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
	j := &Job{Task: f.Task, Coords: f.Coords, Kind: k, Instance: k.New(), Recipe: f.Recipe,
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
		j.Inputs = append(j.Inputs, JobInput{Port: in.Port, Coords: in.Coords, Name: in.Name,
			Ref: artifacts.Ref{Digest: digest, Size: in.Size, Format: in.Format}, File: in.File})
	}
	return j, j.check()
}

// errOtherWork is the first line of a recipe that is another here than where the job was planned.
func errOtherWork(task, planned, here string) error {
	p, h := strings.Split(planned, "\n"), strings.Split(here, "\n")
	i := 0
	for i < len(p)-1 && i < len(h)-1 && p[i] == h[i] {
		i++
	}
	was, is := p[i], h[i]
	fact := func(line string) string {
		switch l := recipe.ReadLine(line); l.What {
		case "code":
			return l.What
		case "environment", "program", "file", "directory", "value": // what follows are digests
			return l.What + " " + l.Name
		}
		return line
	}
	remedy := ""
	for _, line := range []string{was, is} {
		if what := recipe.ReadLine(line).What; what == "file" || what == "directory" {
			remedy = "; if the command itself changed it: " + scratchRemedy
		}
	}
	if fact(was) == fact(is) {
		return fmt.Errorf("%s: not the planned work: %s differs here%s", task, strconv.Quote(fact(is)), remedy)
	}
	return fmt.Errorf("%s: not the planned work: %s here, %s where it was planned%s", task,
		strconv.Quote(fact(is)), strconv.Quote(fact(was)), remedy)
}

// check writes the recipe again as far as it follows from the job.
func (j *Job) check() error {
	code, err := j.Kind.CodeDigest()
	if err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	n := j.asNode()
	outside, err := codeDigests(&planned, content.HashFile, n)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	again := appendRecipe(nil, code, outside, n, nil, nil)
	if !strings.HasPrefix(j.Recipe, string(again)) {
		return errOtherWork(j.Task, j.Recipe, string(again))
	}
	// What is left are the inputs, in the order of the ports.
	var given, promised []string
	for line := range strings.Lines(j.Recipe[len(again):]) {
		promised = append(promised, line[strings.LastIndexByte(line, ' ')+1:])
	}
	for _, in := range j.Inputs {
		given = append(given, in.Ref.Digest.String()+"\n")
	}
	slices.Sort(given)
	slices.Sort(promised)
	if !slices.Equal(given, promised) {
		return fmt.Errorf("%s: its inputs differ from those of its recipe", j.Task)
	}
	return nil
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
