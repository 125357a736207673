package pipelines

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/storetest"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// TestPython runs the example of a step in Python.
func TestPython(t *testing.T) {
	python := need.Python(t, "pyarrow")
	p, err := Load(filepath.Join("testdata", "python", "ages.yaml"), []string{"python=" + python})
	need.NoError(t, err)
	store, err := disk.Open(t.TempDir())
	need.NoError(t, err)
	defer store.Close()
	r, err := engine.Run(context.Background(), p.Graph, store, engine.Options{Until: []string{"ages"}})
	need.NoError(t, err)
	for _, e := range r.Errors {
		t.Fatal(e)
	}
	read := func(task, port string) []byte {
		return storetest.Find(t, store.Dir(), r.Outputs[task].Of(port).Digest).Read(t)
	}
	steps, err := engine.Plan(t.Context(), p.Graph, store, engine.Options{Until: []string{"ages"}})
	need.NoError(t, err)
	for _, step := range steps {
		if step.Node.ID() != "ages" {
			continue
		}
		if log, err := os.ReadFile(store.Work.LogPath(step.Key)); err != nil || string(log) != "5 participants, 2 groups\n" {
			t.Errorf("log %q, %v", log, err)
		}
	}
	table, err := encoding.ReadTable(strings.NewReader(string(read("ages", "ages"))))
	need.NoError(t, err)
	got, err := table.Floats("age")
	need.NoError(t, err)
	groups, err := p.Roster.Participants.Strings("group")
	need.NoError(t, err)
	ages, err := p.Roster.Participants.Floats("age")
	need.NoError(t, err)
	for i, group := range []string{"ASD", "HC"} {
		sum, n := 0.0, 0.0
		for j, g := range groups {
			if g == group {
				sum += ages[j]
				n++
			}
		}
		if math.Abs(got[i]-sum/n) > 0.0051 {
			t.Errorf("%s: mean age %v, want %v to two digits", group, got[i], sum/n)
		}
	}
}
