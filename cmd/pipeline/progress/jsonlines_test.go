package progress

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
)

type taskEvent struct {
	Event   string              `json:"event"` // "task"
	Task    string              `json:"task"`
	Stage   string              `json:"stage"`
	State   engine.State        `json:"state"`
	Key     string              `json:"key,omitempty"`
	Outputs map[string]Artifact `json:"outputs,omitempty"`
	Seconds float64             `json:"seconds"`
	Error   string              `json:"error,omitempty"`
	Note    string              `json:"note,omitempty"`   // ran: it gave other bytes than it did before
	Log     string              `json:"log,omitempty"`    // failed: the last lines of its log
	Read    int64               `json:"read,omitempty"`   // bytes of its inputs; ran, failed
	Memory  int64               `json:"memory,omitempty"` // bytes at most, of the process that ran it; ran, failed
	File    string              `json:"file,omitempty"`   // failed: where its stage stands in the pipeline file
	Line    int                 `json:"line,omitempty"`
	Column  int                 `json:"column,omitempty"`
}

// TestAppendTask: what is written by hand is what encoding/json makes of the
// struct, whatever is in the names.
func TestAppendTask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"train[fold=2]", "a\"b\\c", "<&>", "é", "\u2028",
			"\x00\x7f", "\xff"}))
		e := engine.Event{
			Task: text.Draw(t, "task"), Stage: text.Draw(t, "stage"),
			State: rapid.SampledFrom([]engine.State{engine.Ran, engine.Cached, engine.Failed,
				engine.Skipped}).Draw(t, "state"),
			Seconds: rapid.Float64Range(0, 1e6).Draw(t, "seconds"),
		}
		if rapid.Bool().Draw(t, "has a key") {
			e.Key = artifacts.KeyOf(e.Task)
		}
		if n := rapid.IntRange(0, 3).Draw(t, "outputs"); n > 0 {
			e.Outputs = artifacts.Refs{}
			for i := range n {
				e.Outputs.Set(text.Draw(t, "port"), artifacts.Ref{Digest: artifacts.DigestOf([]byte{byte(i)}),
					Size: int64(i), Format: text.Draw(t, "format")})
			}
		}
		want := taskEvent{Event: "task", Task: e.Task, Stage: e.Stage, State: e.State, Key: KeyText(e.Key),
			Outputs: Artifacts(e.Outputs), Seconds: Round(e.Seconds)}
		if e.State == engine.Failed {
			want.Error = "cause: " + text.Draw(t, "error")
			failed := &engine.Error{Task: e.Task, Err: errors.New(want.Error)}
			if rapid.Bool().Draw(t, "has a place") {
				failed.Pos = dag.Pos{File: "f" + text.Draw(t, "file"), Line: rapid.IntRange(1, 99).Draw(t, "line"),
					Col: rapid.IntRange(1, 99).Draw(t, "column")}
				want.File, want.Line, want.Column = failed.Pos.File, failed.Pos.Line, failed.Pos.Col
			}
			e.Err = failed
		}
		var b bytes.Buffer
		a := &console.Console{Out: bufio.NewWriter(&b)}
		a.Object("", want)
		a.Out.Flush()
		if got := string(AppendTask(nil, e)); got != b.String() {
			t.Fatalf("got\n%swant\n%s", got, b.String())
		}
	})
}
