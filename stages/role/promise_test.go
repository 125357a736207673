package role

import "testing"

func TestPromises(t *testing.T) {
	for text, want := range map[string]string{"": "the same bits", "bits": "the same bits", "nothing": "nothing",
		"1e-6": "a relative error of at most 1e-06"} {
		if p, err := ParsePromise(text); err != nil || p.String() != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"0", "-1", "1", "NaN", "Inf", "roughly"} {
		if _, err := ParsePromise(text); err == nil {
			t.Errorf("%q is taken for a promise", text)
		}
	}
}
