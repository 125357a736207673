package artifacts

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"prgnn/internal/need"
)

func FuzzAction(f *testing.F) {
	for _, a := range []Action{
		{},
		{Recipe: "kind echo\nvalue = 1\n", Outputs: Refs{
			{"other", Ref{DigestOf([]byte("x")), 0, "text"}}, {"value", Ref{DigestOf(nil), 12, "npy"}}}},
	} {
		b := need.Value(a.encode())(f)
		body, _ := unseal(b)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := parseActionBody(bytes.Clone(body))
		if err != nil {
			return
		}
		again, err := a.encode()
		if err != nil || !bytes.Equal(again, seal(bytes.Clone(body))) {
			t.Fatalf("%q parses, and is written as %q (%v)", body, again, err)
		}
		if b, err := ParseAction(KeyOf(a.Recipe), again); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, %v", b, err)
		}
	})
}

func FuzzRun(f *testing.F) {
	r := RunRecord{ID: "0123456789abcdef", Pipeline: "a b", Started: time.Unix(1e9, 5), Ran: 3, Detail: []byte("{}")}
	body, _ := unseal(r.encode(Ref{Size: 7}))
	r.Keeps = []Ref{{Size: 3, Format: "notes"}, {Size: 4, Format: "more"}}
	keeping, _ := unseal(r.encode(Ref{Size: 7}))
	two := []RunTask{{ID: "a[b=c d]", Outputs: Refs{{"x", Ref{Format: "npy"}}}}, {ID: "z"}}
	tasks := encoded(f, taskList(slices.Values(two)))
	f.Add(body, tasks)
	f.Add(keeping, tasks)
	f.Fuzz(func(t *testing.T, body, tasks []byte) {
		if r, ref, err := parseRun(seal(bytes.Clone(body))); err == nil {
			again, ref2, err := parseRun(r.encode(ref))
			if err != nil || ref2 != ref || !reflect.DeepEqual(r, again) {
				t.Fatalf("%+v became %+v (%v)", r, again, err)
			}
		}
		if list, err := parseTasks(tasks); err == nil {
			if b := encoded(t, taskList(slices.Values(list))); !bytes.Equal(b, tasks) {
				t.Fatalf("%q became %q", tasks, b)
			}
		}
	})
}
