package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/storetest"
	"prgnn/internal/need"
)

// TestDamagedSpare: of everything there are two copies, as two runs at once may leave them, and one of a result and one
// of a record are damaged. The next run removes these, as verify says, and makes nothing again.
func TestDamagedSpare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	st := need.Value(disk.Open(dir))(t)
	res, _ := chain("a").run(t, st, Options{})
	need.NoError(t, st.Close())
	packs := need.Value(filepath.Glob(filepath.Join(dir, "packs", "*")))(t)
	spare := filepath.Join(dir, "packs", "0123456789abcdef-1")
	need.NoError(t, os.WriteFile(spare, need.Value(os.ReadFile(packs[0]))(t), 0o444))
	harmed := 0
	for _, o := range storetest.Objects(t, dir) {
		result := o.Name == res.Outputs["b"].Of("out").Digest.String()
		if o.Path == spare && (result || o.Kind == "actions" && harmed == 0) {
			o.Flip(t)
			harmed++
		}
	}
	need.Equal(t, harmed, 2, "harmed")
	st = need.Value(disk.Open(dir))(t)
	defer st.Close()
	findings := need.Value(st.Health.Verify(context.Background(), nil))(t).Findings
	need.Equal(t, len(findings), harmed, "findings")
	for _, f := range findings {
		if !strings.Contains(f.Remedy(), "another copy is whole, and the next run of task") {
			t.Error(f)
		}
	}
	need.Value(Plan(context.Background(), chain("a").Draft(), st, Options{}))(t)
	need.Equal(t, len(need.Value(st.Health.Verify(context.Background(), nil))(t).Findings), harmed, "findings after a plan")
	if again, ran := chain("a").run(t, st, Options{}); ran != "" || len(again.Damaged) > 0 {
		t.Errorf("%s; damaged %q", ran, again.Damaged)
	}
	for _, f := range need.Value(st.Health.Verify(context.Background(), nil))(t).Findings {
		t.Errorf("after a run: %v", f)
	}
}
