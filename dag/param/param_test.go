package param

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
)

// Common is a group of parameters that several kinds share.
type Common struct {
	Seed uint64  `param:"seed" doc:"of the random draws"`
	TR   float64 `param:"tr" of:"svm mlp" doc:"time" zero:"from the scan" unit:"s" min:"0"`
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

func newEveryType() *everyType {
	return &everyType{Draws: 10, Fraction: 1.0 / 3, Method: "pearson", Common: Common{Seed: 2020}, cache: []float64{1}}
}

func TestOf(t *testing.T) {
	ps := Of(newEveryType())
	lines := lists.Map(ps, func(p Param) string { return p.Name + ": " + p.Type })
	want := "draws: integer; fraction: number; replacement: true or false; method: text; big: integer; lambda: list of numbers; lags: list of integers; drop: list of texts; seed: integer; tr: number; subject: text"
	if got := strings.Join(lines, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if p := ps[0]; p.Default != 10 || p.Doc != "number of draws" || p.Min != "0" || p.Max != "100" {
		t.Errorf("%+v", p)
	}
	if p := ps[3]; !slices.Equal(p.Choices, []string{"pearson", "ledoit-wolf", "oas"}) || p.Default != "pearson" {
		t.Errorf("%+v", p)
	}
	if p := ps[9]; p.Unit != "s" || p.Doc != "svm, mlp: time; 0: from the scan" || len(p.Of) != 2 ||
		p.Zero != "from the scan" {
		t.Errorf("%+v", p)
	}
}

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value any
		text  string // as Text has it, or
		err   string
	}{
		{"draws", 20, "20", ""},
		{"draws", int64(20), "20", ""},
		{"draws", uint64(20), "20", ""},
		{"draws", 2e1, "20", ""},
		{"draws", 2.5, "", `parameter "draws" must be an integer, not 2.5`},
		{"draws", "20", "", `parameter "draws" must be an integer, not the text "20"`},
		{"draws", true, "", `parameter "draws" must be an integer, not true`},
		{"draws", nil, "", `parameter "draws" must be an integer, not nothing`},
		{"draws", -1, "", `parameter "draws" must be between 0 and 100, not -1`},
		{"draws", 101, "", `parameter "draws" must be between 0 and 100, not 101`},
		{"draws", uint64(math.MaxUint64), "", `parameter "draws" must be an integer from 0 to 100, not 18446744073709551615`},
		{"draws", []any{1}, "", `parameter "draws" must be an integer, not a list`},
		{"draws", map[string]any{}, "", `parameter "draws" must be an integer, not a mapping`},
		{"big", 1e300, "", `parameter "big" must be an integer from -9223372036854775808 to 9223372036854775807, not 1e+300`},
		{"big", 1e17, "", `parameter "big" must be an integer from -9223372036854775808 to 9223372036854775807, ` +
			`written with all digits, not 1e+17`},
		{"big", int64(math.MinInt64), "-9223372036854775808", ""},
		{"fraction", 1, "1", ""},
		{"fraction", 0.1, "0.1", ""},
		{"fraction", math.Copysign(0, -1), "0", ""},
		{"fraction", 1e-7, "1e-07", ""},
		{"fraction", math.NaN(), "", `parameter "fraction" must be a number, not NaN`},
		{"fraction", math.Inf(1), "", `parameter "fraction" must be a number, not +Inf`},
		{"fraction", 1.5, "", `parameter "fraction" must be between 0 and 1, not 1.5`},
		{"fraction", "a third", "", `parameter "fraction" must be a number, not the text "a third"`},
		{"replacement", true, "true", ""},
		{"replacement", "yes", "", `parameter "replacement" must be true or false, not the text "yes"`},
		{"replacement", 1, "", `parameter "replacement" must be true or false, not 1`},
		{"method", "oas", `"oas"`, ""},
		{"method", "ledoit_wolf", "", `parameter "method" must be one of pearson, ledoit-wolf, oas, not "ledoit_wolf" (did you mean "ledoit-wolf"?)`},
		{"method", "spearmint", "", `parameter "method" must be one of pearson, ledoit-wolf, oas, not "spearmint"`},
		{"subject", "sub-003\n", `"sub-003\n"`, ""},
		{"subject", "Müller", `"M\u00fcller"`, ""},
		{"subject", 50, "", `parameter "subject" must be text, not 50 (for text, write "50")`},
		{"subject", nil, "", `parameter "subject" must be text, not nothing (for the text null, write it in double quotes: "null", with --set as 'NAME="null"')`},
		{"seed", uint64(math.MaxUint64), "18446744073709551615", ""},
		{"seed", -1, "", `parameter "seed" must be an integer from 0 to 18446744073709551615, not -1`},
		{"seed", math.Ldexp(1, 64), "", `parameter "seed" must be an integer from 0 to 18446744073709551615, not 1.8446744073709552e+19`},
		{"tr", -2.0, "", `parameter "tr" must be at least 0, not -2`},
		{"lambda", []any{0.1, 1}, "[0.1, 1]", ""},
		{"lambda", []float64{0.1}, "[0.1]", ""},
		{"lambda", []any{}, "[]", ""},
		{"lambda", 0.1, "", `parameter "lambda" must be a list of numbers such as [0.1, 0.5], not 0.1`},
		{"lambda", []any{0.1, "x", -1}, "", "parameter \"lambda\" element 2 must be a number, not the text \"x\"\nelement 3 must be at least 0, not -1"},
		{"lags", []any{1, 2.0}, "[1, 2]", ""},
		{"drop", []any{"csf"}, `["csf"]`, ""},
		{"drop", []any{"csv"}, "", `parameter "drop" element 1 must be one of csf, wm, not "csv" (did you mean "csf"?)`},
		{"no_such", 1, "", `unknown parameter "no_such"`},
	} {
		s := newEveryType()
		before := Values(s)
		err := Set(s, tt.name, tt.value)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%s = %#v: error %v, want %s", tt.name, tt.value, err, tt.err)
			}
			if !slices.Equal(Values(s), before) {
				t.Errorf("%s = %#v: the stage changed all the same", tt.name, tt.value)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s = %#v: %v", tt.name, tt.value, err)
		} else if !slices.Contains(Values(s), Value{tt.name, tt.text}) {
			t.Errorf("%s = %#v: %q", tt.name, tt.value, Values(s))
		}
	}
}

// A text with keys may be a mapping of texts: a JSON object, its keys sorted.
func TestSetMapping(t *testing.T) {
	type labeled struct {
		Labels string `param:"labels" keys:"atlas|desc|dir"`
	}
	for _, c := range []struct {
		value any
		text  string
		err   string
	}{
		{"atlas.nii.gz", "atlas.nii.gz", ""},
		{map[string]any{"desc": "2", "atlas": "X"}, `{"atlas":"X","desc":"2"}`, ""},
		{map[string]any{"atlsa": "X"}, "", `parameter "labels" has no key "atlsa" (did you mean "atlas"?)`},
		{map[string]any{"atlas": []any{}}, "", `parameter "labels" key "atlas" must be text, not a list`},
		{map[string]any{"desc": 2}, "", `parameter "labels" key "desc" must be text, not 2 (for text, write "2")`},
	} {
		var s labeled
		err := Set(&s, "labels", c.value)
		if s.Labels != c.text || err == nil && c.err != "" || err != nil && err.Error() != c.err {
			t.Errorf("%v: %q, error %v", c.value, s.Labels, err)
		}
	}
}

func TestText(t *testing.T) {
	want := []string{
		"big = 0", "draws = 10", "drop = []", "fraction = 0.3333333333333333", "lags = []", "lambda = []",
		`method = "pearson"`, "replacement = false", "seed = 2020", `subject = ""`, "tr = 0",
	}
	if got := lists.Map(Values(newEveryType()), Value.String); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

type untagged struct{ Hidden int }

type badType struct {
	M map[string]int `param:"m"`
}

type twice struct {
	Common
	Seed int `param:"seed"`
}

type byValue struct{}

// TestBadDeclarations has stages whose parameters could not all be seen: they
// panic before anything is run.
func TestBadDeclarations(t *testing.T) {
	for _, s := range []any{&untagged{}, &badType{}, &twice{}, byValue{}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is taken", s)
				}
			}()
			Of(s)
		}()
	}
}
