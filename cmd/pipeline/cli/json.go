package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"prgnn/artifacts"
	"prgnn/dag"
)

// object writes one JSON object on a line of its own.
func (a *app) object(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Values are our own plain structs; only NaN or a cycle could end here.
		panic("cli: " + err.Error())
	}
}

type errorEvent struct {
	Event string `json:"event"` // "error"
	Error string `json:"error"`
}

// An outputJSON is one output of a task.
type outputJSON struct {
	Digest string `json:"digest"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
}

// A taskEvent is one finished task.
type taskEvent struct {
	Event   string                `json:"event"` // "task"
	Task    string                `json:"task"`
	Stage   string                `json:"stage"`
	State   dag.State             `json:"state"`
	Key     string                `json:"key,omitempty"`
	Outputs map[string]outputJSON `json:"outputs,omitempty"`
	Seconds float64               `json:"seconds"`
	Error   string                `json:"error,omitempty"`
	Note    string                `json:"note,omitempty"`   // ran: it gave other bytes than it did before
	Log     string                `json:"log,omitempty"`    // failed: the last lines of its log
	Read    int64                 `json:"read,omitempty"`   // bytes of its inputs; ran, failed
	Memory  int64                 `json:"memory,omitempty"` // bytes at most, of the process that ran it; ran, failed
}

// A runEvent is the last line of a run.
type runEvent struct {
	Event       string  `json:"event"` // "run"
	ID          string  `json:"id"`
	Tasks       int     `json:"tasks"`
	Ran         int     `json:"ran"`
	Cached      int     `json:"cached"`
	Failed      int     `json:"failed"`
	Skipped     int     `json:"skipped"`
	Seconds     float64 `json:"seconds"`
	Unfinished  int     `json:"unfinished,omitempty"` // of a run that ended before its time
	Interrupted bool    `json:"interrupted,omitempty"`
}

// jsonLines is progress for a program: a line for every finished task.
type jsonLines struct{ a *app }

func (j *jsonLines) event(e dag.Event) {
	switch e.State {
	case dag.Waiting, dag.Running:
		return
	}
	j.a.out.Write(appendTask(j.a.out.AvailableBuffer(), e))
	if e.State != dag.Cached {
		j.a.out.Flush() // someone may be waiting for news
	}
}

func (j *jsonLines) say(line string) { fmt.Fprintln(j.a.stderr, line) }
func (j *jsonLines) close()          {}

// appendTask writes a taskEvent by hand: a run without work has nothing else to
// do, and reflection would be most of its time.
func appendTask(b []byte, e dag.Event) []byte {
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
		for i, name := range slices.Sorted(maps.Keys(e.Outputs)) {
			if i > 0 {
				b = append(b, ',')
			}
			ref := e.Outputs[name]
			b = appendJSON(b, name)
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
	b = strconv.AppendFloat(b, round(e.Seconds), 'f', -1, 64)
	if e.Err != nil {
		b = append(b, `,"error":`...)
		b = appendJSON(b, cause(e.Err))
		var failed *dag.Error
		if errors.As(e.Err, &failed) && failed.Said != "" {
			b = append(b, `,"log":`...)
			b = appendJSON(b, failed.Said)
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
	return append(b, '}', '\n')
}

// cause is the message of a task's error without its place: the event names the
// task already.
func cause(err error) string {
	var e *dag.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// appendJSON appends a quoted string.
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

// round keeps microseconds.
func round(s float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(s, 'f', 6, 64), 64)
	return v
}

func outputsJSON(refs map[string]artifacts.Ref) map[string]outputJSON {
	if len(refs) == 0 {
		return nil
	}
	out := make(map[string]outputJSON, len(refs))
	for name, r := range refs {
		out[name] = outputJSON{r.Digest.String(), r.Format, r.Size}
	}
	return out
}

// keyText is a key for --json: nothing when it is not known.
func keyText(k artifacts.Key) string {
	if k == (artifacts.Key{}) {
		return ""
	}
	return k.String()
}
