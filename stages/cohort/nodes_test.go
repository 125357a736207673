package cohort

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/atlas"
)

// Only a list with the names of the Desikan-Killiany set is one: 84 other regions are not.
func TestIsDK84(t *testing.T) {
	index, _ := atlas.Named("dk84-index")
	turned := atlas.DK84()
	slices.Reverse(turned)
	other := atlas.DK84()
	other[7].Name = "PFC_3"
	for _, c := range []struct {
		name  string
		nodes []atlas.Node
		want  bool
	}{{"built in", atlas.DK84(), true}, {"by number", index, true}, {"in another order", turned, true},
		{"one of another atlas", other, false}, {"fewer", turned[1:], false}} {
		r := &Roster{Nodes: NodesTable(c.nodes, "")}
		need.Equal(t, r.Scans().DK84, c.want, c.name)
	}
	if (&Roster{}).Scans().DK84 {
		t.Error("there are no nodes")
	}
}

// Every cohort refuses a list of regions that contradicts itself; the midline counts where no labels show the places.
func TestImplausibleLists(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text        string
		image, bare string
	}{
		"flipped": {"1\tL_Thal\t12\t-18\t8\n2\tR_Thal\t-12\t-18\t8\n", "left and right are", "left and right are"},
		"voxels":  {"1\tL_Thal\t39\t54\t40\n2\tR_Thal\t51\t54\t40\n", "", "x is on the other side"},
		"code":    {"1\tL_Thal\t-12\t-18\t-999\n2\tR_Thal\t12\t-18\t8\n", "no places in a brain", "no places in a brain"},
		"sound":   {"1\tL_Thal\t-12\t-18\t8\n2\tR_Thal\t12\t-18\t8\n", "", ""},
	} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, "nodes.tsv"), []byte("index\tname\tx\ty\tz\n"+c.text), 0o666))
		_, withImage := FindNodes("nodes.tsv", dir)
		_, without := listRegions("nodes.tsv", dir)
		for i, err := range []error{withImage, without} {
			want := []string{c.image, c.bare}[i]
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}
