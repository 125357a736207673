package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// record makes and saves a run of some tasks that each give one text.
func recordRun(t testing.TB, s *Store, id string, started time.Time, texts ...string) *artifacts.RunRecord {
	t.Helper()
	r := &artifacts.RunRecord{ID: id, Pipeline: "test", Started: started, Ran: len(texts)}
	for _, text := range texts {
		k, ref := work(t, s, "make "+text, text)
		r.Tasks = append(r.Tasks, artifacts.RunTask{ID: "make[" + text + "]", Key: k,
			Outputs: artifacts.Refs{{Name: "text", Ref: ref}}})
	}
	r.Finished = time.Now()
	need.NoError(t, s.SaveRun(r))
	return r
}

func TestRuns(t *testing.T) {
	s := newStore(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 250, time.UTC)
	a := recordRun(t, s, "00000000000000aa", at, "x", "y")
	b := &artifacts.RunRecord{ID: "ab00000000000001", Pipeline: "with blanks and ç", Started: at.Add(time.Hour),
		Cached: 2,
		Failed: 1, Skipped: 3,
		Detail: []byte("{\"any\":\n\"bytes\x00\"}"), Tasks: a.Tasks,
		Keeps: []artifacts.Ref{a.Tasks[0].Outputs.Of("text"), a.Tasks[1].Outputs.Of("text")}}
	need.NoError(t, s.SaveRun(b))
	for _, want := range []*artifacts.RunRecord{a, b} {
		got := need.Value(s.LoadRun(want.ID[:13]))(t)
		if !got.Started.Equal(want.Started) || !got.Finished.Equal(want.Finished) {
			t.Errorf("%v to %v", got.Started, got.Finished)
		}
		got.Started, got.Finished = want.Started, want.Finished
		if want.Detail == nil {
			want.Detail = []byte{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	// The two have the same tasks, so one list of them.
	if r := mustVerify(t, s.Dir()); r.Blobs != 3 || r.Runs != 2 {
		t.Errorf("%d blobs, %d runs", r.Blobs, r.Runs)
	}
	b.Finished, b.Ran = b.Started.Add(time.Minute), 7 // saved again when it ends
	need.NoError(t, s.SaveRun(b))
	runs := need.Value(s.Runs())(t)
	if len(runs) != 2 || runs[0].ID != b.ID || runs[0].Ran != 7 || runs[1].ID != a.ID {
		t.Errorf("%+v", runs)
	}
	recordRun(t, s, "ab00000000000002", at)
	for id, want := range map[string]string{
		"ab": `run "ab" is ambiguous: 2 runs begin with it: ab00000000000001, ab00000000000002`,
		"ff": `run "ff": not in the store`, "": `run "": not in the store`,
	} {
		if _, err := s.LoadRun(id); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, r := range []artifacts.RunRecord{{ID: "../../etc/passwd"}, {ID: "short"}, {ID: artifacts.NewRunID(),
		Pipeline: "two\nlines"},
		{ID: artifacts.NewRunID(), Tasks: []artifacts.RunTask{{ID: "two\nlines"}}}, {ID: artifacts.NewRunID(),
			Keeps: []artifacts.Ref{{Format: "two words"}}}} {
		if err := s.SaveRun(&r); err == nil {
			t.Errorf("%+v was saved", r)
		}
	}
}

// TestLatestRuns: in the order of Runs, whenever the records were written.
func TestLatestRuns(t *testing.T) {
	s := newStore(t)
	start := time.Now().Add(-time.Hour)
	for i, minutes := range []int{5, 1, 40, 20, 3} { // when it began; each ended a minute after the one before
		id := fmt.Sprintf("%016x", 100-i)
		recordRun(t, s, id, start.Add(time.Duration(minutes)*time.Minute))
		end := start.Add(time.Duration(45+i) * time.Minute)
		need.NoError(t, os.Chtimes(filepath.Join(s.Dir(), runsDir, id), end, end))
	}
	var got, want []string
	for r := range LatestRuns(s) {
		got = append(got, r.ID)
	}
	for _, r := range need.Value(s.Runs())(t) {
		want = append(want, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDamagedRun(t *testing.T) {
	s := newStore(t)
	good := recordRun(t, s, artifacts.NewRunID(), time.Now(), "x")
	bad := recordRun(t, s, artifacts.NewRunID(), time.Now(), "y")
	overwrite(t, s.relativePath("runs/"+bad.ID), flip)
	runs, err := s.Runs()
	if len(runs) != 1 || runs[0].ID != good.ID || !errors.Is(err, artifacts.ErrCorrupt) ||
		!strings.Contains(err.Error(), bad.ID) {
		t.Errorf("%v, %v", runs, err)
	}
	if _, err := s.LoadRun(bad.ID); !errors.Is(err, artifacts.ErrDamagedRun) || !errors.Is(err, artifacts.ErrCorrupt) {
		t.Error(err)
	}
	if _, err := s.Health.PlanGC(GCOptions{}); !errors.Is(err, artifacts.ErrCorrupt) {
		t.Errorf("gc with a run that it cannot read: %v", err)
	}
	r := verify(t, s.Dir())
	if damage(r) != "runs: damaged run" {
		t.Error(damage(r))
	}
	need.NoError(t, s.Health.Repair(r))
}

// What could not be made durable in the background is told by SaveRun and by Close.
func TestLateSync(t *testing.T) {
	s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
	text := need.Value(s.Put(artifacts.Text("result")))(t)
	need.Value(s.Record(artifacts.Action{Recipe: "recipe", Outputs: artifacts.Refs{{Name: "text", Ref: text}}}))(t)
	packs := filepath.Join(s.Dir(), packsDir) // whose new name cannot be made durable
	need.NoError(t, os.Rename(packs, packs+".gone"))
	if err := s.SaveRun(&artifacts.RunRecord{ID: artifacts.NewRunID()}); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), packs) {
		t.Error(err)
	}
	if err := s.Close(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func BenchmarkSaveRun(b *testing.B) {
	s := newStore(b)
	r := &artifacts.RunRecord{ID: artifacts.NewRunID(), Pipeline: "bench", Started: time.Now()}
	for i := range 10000 {
		r.Tasks = append(r.Tasks, artifacts.RunTask{ID: fmt.Sprintf("echo[value=%d]", i),
			Key: artifacts.KeyOf(fmt.Sprint(i)),
			Outputs: artifacts.Refs{{Name: "value",
				Ref: artifacts.Ref{Digest: artifacts.DigestOf([]byte(fmt.Sprint(i))), Size: 136, Format: "npy"}}}})
	}
	for b.Loop() {
		need.NoError(b, s.SaveRun(r))
	}
}
