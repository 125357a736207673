package record

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

func FuzzAction(f *testing.F) {
	for _, a := range []artifacts.Action{
		{},
		{Recipe: "kind echo\nvalue = 1\n", Outputs: artifacts.Refs{
			{Name: "other", Ref: artifacts.Ref{Digest: artifacts.DigestOf([]byte("x")), Format: "text"}},
			{Name: "value", Ref: artifacts.Ref{Digest: artifacts.DigestOf(nil), Size: 12, Format: "npy"}}}},
	} {
		b := need.Value(EncodeAction(a))(f)
		body, _ := unseal(b)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := parseActionBody(bytes.Clone(body))
		if err != nil {
			return
		}
		again, err := EncodeAction(a)
		if err != nil || !bytes.Equal(again, seal(bytes.Clone(body))) {
			t.Fatalf("%q parses, and is written as %q (%v)", body, again, err)
		}
		if b, err := ParseAction(artifacts.KeyOf(a.Recipe), again); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, %v", b, err)
		}
	})
}

func FuzzRun(f *testing.F) {
	r := artifacts.RunRecord{ID: "0123456789abcdef", Pipeline: "a b", Started: time.Unix(1e9, 5), Ran: 3,
		Detail: []byte("{}")}
	body, _ := unseal(EncodeRun(&r, artifacts.Ref{Size: 7}))
	r.Keeps = []artifacts.Ref{{Size: 3, Format: "notes"}, {Size: 4, Format: "more"}}
	keeping, _ := unseal(EncodeRun(&r, artifacts.Ref{Size: 7}))
	two := []artifacts.RunTask{{ID: "a[b=c d]", Outputs: artifacts.Refs{{Name: "x",
		Ref: artifacts.Ref{Format: "npy"}}}}, {ID: "z"}}
	tasks := encoded(f, Tasks(slices.Values(two)))
	f.Add(body, tasks)
	f.Add(keeping, tasks)
	f.Fuzz(func(t *testing.T, body, tasks []byte) {
		if r, ref, err := ParseRun(seal(bytes.Clone(body))); err == nil {
			again, ref2, err := ParseRun(EncodeRun(r, ref))
			if err != nil || ref2 != ref || !reflect.DeepEqual(r, again) {
				t.Fatalf("%+v became %+v (%v)", r, again, err)
			}
		}
		if list, err := ParseTasks(tasks); err == nil {
			if b := encoded(t, Tasks(slices.Values(list))); !bytes.Equal(b, tasks) {
				t.Fatalf("%q became %q", tasks, b)
			}
		}
	})
}
