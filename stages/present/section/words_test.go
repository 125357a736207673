package section

import (
	"testing"

	"prgnn/internal/need"
)

func TestLowerFirst(t *testing.T) {
	for title, want := range map[string]string{"Degrees of the nodes": "degrees of the nodes", "ROC curves": "ROC curves",
		"QC-FC": "QC-FC", "T": "T", "": ""} {
		need.Equal(t, LowerFirst(title), want, title)
	}
}
