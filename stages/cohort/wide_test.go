package cohort

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/dag"
	"prgnn/internal/need"
)

// The work grows as the table does: 200,000 columns are read in a second or two, where
// comparing each with each takes minutes.
func TestWideTable(t *testing.T) {
	const n = 200_000
	var header, row strings.Builder
	for i := range n {
		fmt.Fprintf(&header, "\tc%d", i)
		row.WriteString("\t1")
	}
	dir := t.TempDir()
	table := "participant_id\tgroup" + header.String() + "\nsub-1\tA" + row.String() + "\n"
	for name, text := range map[string]string{"people.tsv": table, "scan.nii": ""} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	c := tableCohortKind.New().(*TableCohort)
	c.File, c.BOLD, c.Labels = "people.tsv", "scan.nii", "scan.nii"
	done := make(chan int)
	go func() {
		r, err := c.Load(dir)
		if err != nil {
			t.Error(err)
			close(done)
			return
		}
		columns := make([]string, len(r.Participants.Columns))
		for i := range columns {
			columns[i] = r.Participants.Columns[i].Name
		}
		need.Equal(t, dag.Fits(dag.Type{Format: "arrow", Columns: columns},
			dag.Type{Format: "arrow", Columns: columns}), nil)
		done <- len(columns)
	}()
	select {
	case got := <-done:
		need.Equal(t, got, n+2, "columns")
	case <-time.After(90 * time.Second):
		t.Fatal("it compares each column with each")
	}
}
