package cluster

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/param"
	"prgnn/dag/recipe"
	"prgnn/internal/need"
)

// Common is a group of parameters that several kinds share.
type Common struct {
	Seed uint64  `param:"seed" doc:"of the random draws"`
	TR   float64 `param:"tr" unit:"s" min:"0"`
}

type everyType struct {
	Draws    int       `param:"draws" doc:"number of draws" min:"0" max:"100"`
	Fraction float64   `param:"fraction" min:"0" max:"1"`
	Replace  bool      `param:"replacement"`
	Method   string    `param:"method" choices:"pearson|ledoit-wolf|oas"`
	Big      int64     `param:"big"`
	Lambda   []float64 `param:"lambda" min:"0"`
	Lags     []int     `param:"lags"`
	Drop     []string  `param:"drop" choices:"csf|wm"`
	Common
	Subject string `param:"subject"`

	cache []float64 // not exported: no parameter
}

func (*everyType) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "a"}}}
}
func (*everyType) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }

func newEveryType() *everyType {
	return &everyType{Draws: 10, Fraction: 1.0 / 3, Method: "pearson", Common: Common{Seed: 2020}, cache: []float64{1}}
}

// jobOf is a job of every type of parameter.
func jobOf(t testing.TB, w dag.Stage) (*engine.Job, func(string) (*dag.Kind, bool)) {
	t.Helper()
	k := &dag.Kind{Name: "every", Code: "source 1", New: func() dag.Stage { return newEveryType() }}
	ref := artifacts.Ref{Digest: artifacts.DigestOf([]byte("x")), Size: 1, Format: "npy"}
	build := dag.NewGraph("jobs")
	n := build.Task(build.Stage("stage", k), w)
	build.Connect(n, "a", dag.Source{File: "x"})
	text := need.Value(recipe.Of(n, func(*dag.Source) (artifacts.Ref, error) { return ref, nil }, nil))(t)
	j := &engine.Job{
		Task: "stage[sub-01]", Coords: []dag.Coord{{Axis: "subject", Value: "sub-01"}}, Kind: k, Instance: w,
		Recipe:  text,
		Key:     artifacts.KeyOf(text),
		Inputs:  []engine.JobInput{{Port: "a", Name: "up[sub-01].a", Ref: ref}},
		Threads: 2, Memory: 1 << 40, Time: 90 * time.Minute, Forced: true,
	}
	return j, func(name string) (*dag.Kind, bool) { return k, name == "every" }
}

func TestJobsComeBackAsTheyWent(t *testing.T) {
	extreme := newEveryType()
	extreme.Seed, extreme.Big, extreme.Fraction = math.MaxUint64, math.MinInt64, math.Nextafter(1, 0)
	extreme.Lambda, extreme.Lags = []float64{0, 5e-324, math.MaxFloat64, 1e21, 123456789012345680}, []int{-1, 1 << 53}
	extreme.Subject, extreme.Drop = "a \"b\" \\ <é\u2028\x00>", []string{"csf", "wm"}
	for name, w := range map[string]*everyType{"defaults": newEveryType(), "extremes": extreme} {
		j, kinds := jobOf(t, w)
		b, err := encodeJob(j)
		need.NoError(t, err)
		back, err := decodeJob(b, kinds)
		need.NoError(t, err, name)
		if !reflect.DeepEqual(back.Instance, j.Instance) {
			t.Errorf("%s: %+v, want %+v", name, back.Instance, j.Instance)
		}
		back.Instance, j.Instance = nil, nil
		if !reflect.DeepEqual(back, j) {
			t.Errorf("%s: %+v, want %+v", name, back, j)
		}
	}
}

// What is not the planned work is refused, whatever the difference.
func TestJobsOfOthersAreRefused(t *testing.T) {
	change := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			if !strings.Contains(string(b), old) {
				t.Errorf("%q is not there to be changed", old)
			}
			return []byte(strings.Replace(string(b), old, new, 1))
		}
	}
	for _, c := range []struct {
		name string
		how  func([]byte) []byte
		says string
	}{
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }, "cannot be read"},
		{"empty", func([]byte) []byte { return nil }, "cannot be read"},
		{"another kind", change(`"every"`, `"other"`), `no stage kind "other"`},
		{"another parameter", change(`"draws": 10`, `"draws": 11`),
			`not the planned work: "parameter draws = 11" here, "parameter draws = 10" where it was planned`},
		{"a parameter out of range", change(`"draws": 10`, `"draws": 1000`), "must be between"},
		{"a parameter that is not there", change(`"draws"`, `"drawn"`), "unknown parameter"},
		{"a parameter of another type", change(`"draws": 10`, `"draws": "ten"`), "must be an integer"},
		{"another recipe", change(`parameter draws = 10`, `parameter draws = 12`), "not the planned work"},
		{"other code", change("\\ncode ", "\\ncode 00"), `not the planned work: "code" differs here`},
		{"another input", change(`"Digest": "2d`, `"Digest": "2e`), "its inputs differ"},
		{"no digest", change(`"Digest": "2d`, `"Digest": "zz`), "input up[sub-01].a"},
		{"a field of a newer version", change(`"Task"`, `"New": 1, "Task"`), "cannot be read"},
	} {
		j, kinds := jobOf(t, newEveryType())
		b := need.Value(encodeJob(j))(t)
		if _, err := decodeJob(c.how(b), kinds); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

// An empty list and none are one recipe, so they must be one value.
func TestNoListIsAnEmptyOne(t *testing.T) {
	s := newEveryType()
	for _, name := range []string{"lambda", "lags", "drop"} {
		need.NoError(t, param.Set(s, name, []any{}))
	}
	if s.Lambda != nil || s.Lags != nil || s.Drop != nil {
		t.Errorf("%#v, %#v, %#v", s.Lambda, s.Lags, s.Drop)
	}
	if !slices.Equal(param.Values(s), param.Values(func() dag.Stage { s := newEveryType(); return s }())) {
		t.Error("the texts differ")
	}
}

func FuzzJob(f *testing.F) {
	j, kinds := jobOf(f, newEveryType())
	b := need.Value(encodeJob(j))(f)
	f.Add(b)
	f.Add([]byte(`{"Kind":"every","Params":{"lambda":[null,{}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := decodeJob(b, kinds); err == nil && j.Key != artifacts.KeyOf(j.Recipe) {
			t.Error("the key is not that of the recipe")
		}
	})
}
