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

// The name of a column or stage is written as it is.
func TestUpperFirst(t *testing.T) {
	for text, want := range map[string]string{"the groups": "The groups", "column mean_fd is": "Column mean_fd is",
		"": "", "mean_fd of the table": "mean_fd of the table", "net2: few": "net2: few", "scanType: few": "scanType: few",
		"PR-GNN": "PR-GNN"} {
		need.Equal(t, UpperFirst(text), want, text)
	}
}
