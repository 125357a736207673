package connectivity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Task regressors are those of nilearn's make_first_level_design_matrix (testdata/task/gen.py).
func TestTaskRegressorsOfNilearn(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name    string
			Model   Response
			TR      float64
			Volumes int
			Start   float64
			After   float64
			Events  [][3]any
			Of      []string
			Design  [][]float64
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "task", "golden.json"))
	if err == nil {
		err = json.Unmarshal(b, &golden)
	}
	if err != nil || len(golden.Cases) != 15 {
		t.Fatalf("%d cases, want 15: %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		t.Run(c.Name+"/"+string(c.Model), func(t *testing.T) {
			k := Task{Response: c.Model, TR: c.TR, Start: c.Start, After: c.After}
			for _, e := range c.Events {
				k.Events = append(k.Events, Event{e[0].(float64), e[1].(float64), e[2].(string)})
			}
			got := need.Value(k.Regressors(c.Volumes))(t)
			if got.Cols != len(c.Design) {
				t.Fatalf("%d regressors, want %d", got.Cols, len(c.Design))
			}
			far := 0.0
			for j, want := range c.Design {
				for v, x := range want {
					far = max(far, math.Abs(got.At(v, j)-x))
				}
			}
			if !(far < 1e-11) {
				t.Errorf("%g away from nilearn", far)
			}
		})
	}
}

func TestTaskRegressorsRefuse(t *testing.T) {
	for want, k := range map[string]Task{
		"none of 1 events is within the scan, which takes 20 s": {TR: 2, Events: []Event{{30000, 2000, "a"}}},
		"an event of a at -30 s":                                {TR: 2, Events: []Event{{-30, 1, "a"}}},
		"a duration of -1 s":                                    {TR: 2, Events: []Event{{1, -1, "a"}}},
		"no degrees of freedom are left: of 10 volumes, the model of the events takes 11 regressors": {TR: 2,
			Response: FIRResponse, Events: []Event{{0, 1e300, "a"}, {18, 2, "b"}}},
		"need a repetition time": {Events: []Event{{1, 1, "a"}}},
	} {
		if _, err := k.Regressors(10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
