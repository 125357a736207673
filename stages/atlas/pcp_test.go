package atlas

import (
	"strings"
	"testing"
)

func TestOfPCP(t *testing.T) {
	for _, c := range []struct{ file, columns, names, hemispheres string }{
		{"d/NYU_0051036_rois_ho.1D.gz", "#10 #58 #101 #102 #2201 #3455 #4802",
			"Left Thalamus|Right Accumbens|Right Frontal Pole|Left Frontal Pole|Right Lateral Occipital Cortex, superior division|Harvard-Oxford region 3455|Left Occipital Pole", "L|R|R|L|R||L"},
		{`d\NYU_0051036_rois_aal.1D`, "#2001 #2612 #9170", "Precentral_L|Frontal_Med_Orb_R|Vermis_10", "L|R|"},
		{"NYU_0051036_rois_cc200.1D", "#1 #12", "CC200 region 1|CC200 region 12", "|"},
		{"NYU_0051036_rois_dosenbach160.1D", "#7", "Dosenbach 160 region 7", ""},
		{"NYU_0051036_rois_ho.1D", "a b", "a|b", "|"},         // columns that somebody named
		{"NYU_0051036_rois_mine.1D", "#10 #11", "10|11", "|"}, // another atlas
		{"NYU_0051036.tsv", "#10 #11", "10|11", "|"},
	} {
		nodes, err := Plain(strings.Fields(c.columns))
		if err != nil {
			t.Fatal(err)
		}
		var names, hemispheres []string
		for _, n := range OfPCP(c.file, nodes) {
			names, hemispheres = append(names, n.Name), append(hemispheres, n.Hemisphere)
		}
		if got := strings.Join(names, "|"); got != c.names {
			t.Errorf("%s: %s, want %s", c.file, got, c.names)
		}
		if got := strings.Join(hemispheres, "|"); got != c.hemispheres {
			t.Errorf("%s: hemispheres %s, want %s", c.file, got, c.hemispheres)
		}
	}
	// No name and no number twice in an atlas.
	seen := map[string]bool{}
	for line := range strings.Lines(pcpNames) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 || seen[f[0]+f[1]] || seen[f[0]+f[2]] {
			t.Errorf("%q", line)
		}
		seen[f[0]+f[1]], seen[f[0]+f[2]] = true, true
	}
}
