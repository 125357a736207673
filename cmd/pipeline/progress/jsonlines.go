package progress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
)

// An Artifact is one output of a task.
type Artifact struct {
	Digest string `json:"digest"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
}

// jsonLines is progress for a program: a line with the number of tasks, then a line for
// every finished task.
type jsonLines struct{ *console.Console }

// A startEvent is the first line of a run.
type startEvent struct {
	Pipeline string       `json:"pipeline"`
	Tasks    int          `json:"tasks"`
	Stages   []stageTasks `json:"stages"`
}

type stageTasks struct {
	Stage string `json:"stage"`
	Tasks int    `json:"tasks"`
}

func newJSONLines(a *console.Console, g *dag.Graph, t *tallies) *jsonLines {
	e := startEvent{Pipeline: g.Name(), Stages: []stageTasks{}}
	for _, s := range t.order {
		if s.tasks > 0 {
			e.Tasks += s.tasks
			e.Stages = append(e.Stages, stageTasks{s.name, s.tasks})
		}
	}
	a.Object("start", e)
	a.Out.Flush()
	return &jsonLines{a}
}

func (j *jsonLines) Event(e engine.Event) {
	switch e.State {
	case engine.Waiting, engine.Running:
		return
	}
	j.Out.Write(AppendTask(j.Out.AvailableBuffer(), e))
	if e.State != engine.Cached {
		j.Out.Flush() // someone may be waiting for news
	}
}

func (j *jsonLines) Say(line string) { fmt.Fprintln(j.Stderr, line) }

func (j *jsonLines) Close() {}

// AppendTask writes a taskEvent by hand: a run without work has nothing else to
// do, and reflection would be most of its time.
func AppendTask(b []byte, e engine.Event) []byte {
	b = append(b, `{"event":"task","task":`...)
	b = appendJSON(b, e.Task)
	b = append(b, `,"stage":`...)
	b = appendJSON(b, e.Stage)
	b = append(b, `,"state":`...)
	b = appendJSON(b, string(e.State))
	if e.Key != (artifacts.Key{}) {
		b = append(b, `,"key":"`...)
		b = append(b, e.Key.String()...)
		b = append(b, '"')
	}
	if len(e.Outputs) > 0 {
		b = append(b, `,"outputs":{`...)
		for i, ref := range e.Outputs {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, ref.Name)
			b = append(b, `:{"digest":"`...)
			b = append(b, ref.Digest.String()...)
			b = append(b, `","format":`...)
			b = appendJSON(b, ref.Format)
			b = append(b, `,"bytes":`...)
			b = strconv.AppendInt(b, ref.Size, 10)
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	b = append(b, `,"seconds":`...)
	b = strconv.AppendFloat(b, Round(e.Seconds), 'f', -1, 64)
	var failed *engine.Error
	if e.Err != nil {
		b = append(b, `,"error":`...)
		b = appendJSON(b, cause(e.Err))
		if errors.As(e.Err, &failed) && failed.Log != "" {
			b = append(b, `,"log":`...)
			b = appendJSON(b, failed.Log)
		}
	}
	if e.Note != "" {
		b = append(b, `,"note":`...)
		b = appendJSON(b, e.Note)
	}
	for _, n := range []struct {
		name  string
		bytes int64
	}{{`,"read":`, e.Read}, {`,"memory":`, e.Memory}} {
		if n.bytes > 0 {
			b = append(b, n.name...)
			b = strconv.AppendInt(b, n.bytes, 10)
		}
	}
	if failed != nil && failed.Pos.Line > 0 {
		b = append(b, `,"file":`...)
		b = appendJSON(b, failed.Pos.File)
		b = append(b, `,"line":`...)
		b = strconv.AppendInt(b, int64(failed.Pos.Line), 10)
		b = append(b, `,"column":`...)
		b = strconv.AppendInt(b, int64(failed.Pos.Col), 10)
	}
	return append(b, '}', '\n')
}

// cause is the message of a task's error without its place: the event names the
// task already.
func cause(err error) string {
	var e *engine.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

func appendJSON(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			out := bytes.NewBuffer(b)
			e := json.NewEncoder(out)
			e.SetEscapeHTML(false)
			e.Encode(s) // a string always encodes; what is no UTF-8 becomes U+FFFD
			return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// Round keeps microseconds.
func Round(s float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(s, 'f', 6, 64), 64)
	return v
}

// ArtifactOf is an artifact for --json.
func ArtifactOf(r artifacts.Ref) Artifact { return Artifact{r.Digest.String(), r.Format, r.Size} }

// Artifacts are the outputs of a task for --json, by port.
func Artifacts(refs artifacts.Refs) map[string]Artifact {
	if len(refs) == 0 {
		return nil
	}
	out := make(map[string]Artifact, len(refs))
	for _, r := range refs {
		out[r.Name] = ArtifactOf(r.Ref)
	}
	return out
}

// KeyText is a key for --json: nothing when it is not known.
func KeyText(k artifacts.Key) string {
	if k == (artifacts.Key{}) {
		return ""
	}
	return k.String()
}
