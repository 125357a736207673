package record

import (
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag/engine"
	"prgnn/dag/internal/sketch"
	"prgnn/internal/need"
)

// chain is a → b → c, a → c, and d.
func chain() *sketch.Sketch {
	join := sketch.Kind("join", "1")
	s := sketch.New("pipeline: test\n")
	s.Task("a", join, &sketch.Join{Text: "a"})
	s.Task("b", join, &sketch.Join{Text: "b"}, "a")
	s.Task("c", join, &sketch.Join{Text: "c"}, "b", "a")
	s.Task("d", join, &sketch.Join{Text: "d"})
	return s
}

func TestRecord(t *testing.T) {
	st := sketch.Store(t)
	broken := chain()
	broken.Fail("b", artifacts.ErrMiss)
	first := broken.Run(t, st, engine.Options{Force: []string{"d"}})
	second := chain().Run(t, st, engine.Options{})
	g := chain().Graph(t)
	need.Value(engine.Run(t.Context(), g, st, engine.Options{}))(t)
	code := need.Value(sketch.Kind("join", "1").CodeDigest())(t)
	for _, tt := range []struct {
		id    string
		tasks string
	}{
		{first.ID, "a:ran b:failed c:skipped d:ran"},
		{second.ID, "a:cached b:ran c:ran d:cached"},
	} {
		rr := need.Value(st.LoadRun(tt.id))(t)
		rec := need.Value(Read(st, rr))(t)
		var tasks []string
		for _, k := range rec.Tasks {
			tasks = append(tasks, k.ID+":"+string(k.State))
			if k.State == engine.Ran && (k.Seconds <= 0 || k.Memory == 0 || k.Outputs.Of("out").Size == 0 ||
				k.Key == (artifacts.Key{})) {
				t.Errorf("%+v", k)
			}
			if k.State == engine.Ran && k.ID == "c" &&
				k.Read != second.Outputs["a"].Of("out").Size+second.Outputs["b"].Of("out").Size {
				t.Errorf("c read %d bytes", k.Read)
			}
			if (k.State == engine.Failed || k.State == engine.Skipped) && k.Error == "" {
				t.Errorf("%+v", k)
			}
		}
		need.Equal(t, strings.Join(tasks, " "), tt.tasks)
		if rec.Source != "pipeline: test\n" || rec.File != "test.yaml" || rec.Program.Go == "" ||
			rec.Codes["join"] != code || rec.Finished.IsZero() || rec.Seconds <= 0 {
			t.Errorf("%+v", rec)
		}
	}
	last := LastRan(g, st)
	for _, id := range []string{"a", "b", "c", "d"} {
		if last[id] == nil || last[id].Seconds <= 0 {
			t.Errorf("no time is known of %s", id)
		}
	}
}

// TestFileOf: the pipeline file is read from a record without the rest, as with it.
func TestFileOf(t *testing.T) {
	const shown, text = "study/é \"a\".yaml", "stages:\n  a: <&>\n"
	st, s := sketch.Store(t), sketch.New(text)
	s.Title("test", shown, text)
	s.Task("a", sketch.Kind("join", "1"), &sketch.Join{})
	res := s.Run(t, st, engine.Options{})
	rr := need.Value(st.LoadRun(res.ID))(t)
	rec := need.Value(Read(st, rr))(t)
	file, source, err := FileOf(rr)
	if err != nil || file != rec.File || source != rec.Source || file != shown || source != text {
		t.Errorf("%q, %q, %v", file, source, err)
	}
	rest := &artifacts.RunRecord{Detail: []byte(`{"file":"a","source":"b","tasks":[{`)}
	if file, source, err := FileOf(rest); err != nil || file+source != "ab" {
		t.Errorf("the rest was read: %q, %q, %v", file, source, err)
	}
	for _, detail := range []string{``, `[]`, `{"file":"a"}`, `{"source":"a","file":"b"}`, `{"file":1,"source":"a"}`} {
		if file, source, err := FileOf(&artifacts.RunRecord{Detail: []byte(detail)}); err == nil || file+source != "" {
			t.Errorf("of %s: %q, %q, %v", detail, file, source, err)
		}
	}
}
