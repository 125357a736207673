package section

import "testing"

func TestLowerFirst(t *testing.T) {
	for title, want := range map[string]string{"Degrees of the nodes": "degrees of the nodes", "ROC curves": "ROC curves",
		"QC-FC": "QC-FC", "T": "T", "": ""} {
		if got := LowerFirst(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
