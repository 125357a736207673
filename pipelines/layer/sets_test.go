package layer

import (
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// A seed of a stage that --set replaced is that of the pipeline, and no default, where the file has one.
func TestDroppedSeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	need.NoError(t, os.WriteFile(file, []byte("seed: 7\nstages: { folds: { use: split } }\n"), 0o666))
	dropped := DroppedSets(file, []string{"folds.seed=5"}, nil)
	need.Equal(t, len(dropped), 1)
	need.Equal(t, dropped[0].Now, "folds.seed is 7 (the seed of the pipeline)")
	need.Equal(t, len(DroppedSets(file, []string{"folds.seed=7"}, nil)), 0)
}
