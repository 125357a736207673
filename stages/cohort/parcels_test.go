package cohort

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/nifti/cifti"
	"prgnn/stages/cohort/listed"
)

// parcelFile is a ptseries file whose parcels are L_A, R_A … at these vertices of their surfaces, "L 0 1 2".
func parcelFile(t *testing.T, vertices ...string) string {
	t.Helper()
	var points [][3]float64
	var names []string
	var series []float64
	for i := range vertices {
		points = append(points, [3]float64{float64(20 * i), 0, 0})
		names = append(names, []string{"L_", "R_"}[i%2]+string(rune('A'+i/2)))
		series = append(series, float64(i), float64(i*i))
	}
	var b bytes.Buffer
	parcels := need.Value(cifti.Balls(points, 6, names))(t)
	need.NoError(t, parcels.WriteSeries(&b, series, 2))
	at := -1
	return regexp.MustCompile(`(?s)<VoxelIndicesIJK>.*?</VoxelIndicesIJK>`).ReplaceAllStringFunc(b.String(),
		func(voxels string) string {
			at++
			side, list, _ := strings.Cut(vertices[at], " ")
			text := fmt.Sprintf(`<Vertices BrainStructure="CIFTI_STRUCTURE_CORTEX_%s">%s</Vertices>`,
				map[string]string{"L": "LEFT", "R": "RIGHT"}[side], list)
			return text + strings.Repeat(" ", len(voxels)-len(text))
		})
}

// Parcels of one name are of the same vertices in all files, and of the hemisphere of their name.
func TestOtherParcels(t *testing.T) {
	same := []string{"L 0 1 2", "R 0 1 2", "L 7 8 9 10", "R 7 8 9 10"}
	swapped := []string{same[2], same[3], same[0], same[1]}
	flipped := []string{same[1], same[0], same[3], same[2]}
	own := func(i int) []string {
		return []string{fmt.Sprintf("L 0 1 2 %d", 20+i), fmt.Sprintf("R 0 1 2 %d", 20+i), same[2], same[3]}
	}
	const exchanged = "4 of 4 parcels of the same name consist of different vertices or voxels, such as L_A (vertices 7 8 9 … of CORTEX_LEFT in "
	for name, c := range map[string]struct {
		files    [][]string
		problems []string
		note     string
		err      string
	}{
		"same": {[][]string{same, same, same}, make([]string, 3), "", ""},
		"one": {[][]string{same, swapped, same}, []string{"", "participant sub-02: the parcels of sub-02.ptseries.nii are not those of 2 of 3 files: " +
			exchanged + "sub-02.ptseries.nii, vertices 0 1 2 of CORTEX_LEFT in sub-01.ptseries.nii): use files that were parcellated with one atlas in one space (to continue without it: exclude: [sub-02])", ""}, "", ""},
		"half": {[][]string{same, swapped, same, swapped}, nil, "", "series: the files have different parcels under the same names: 2 files (sub-01, sub-03), and 2 files (sub-02, sub-04): " +
			exchanged},
		"own": {[][]string{own(1), own(2), own(3)}, make([]string, 3), "the 3 files of series have 3 different parcellations with the same names: 2 of 4 parcels", ""},
		"flipped": {[][]string{same, flipped, same}, []string{"", "sub-02.ptseries.nii: the surface of the vertices contradicts the names of 4 of 4 regions: 1 L_A (R)", ""},
			"", ""},
		"most flipped": {[][]string{same, flipped, flipped}, []string{"", "the surface of the vertices contradicts", "the surface of the vertices contradicts"}, "", ""},
		"all flipped":  {[][]string{flipped, flipped}, nil, "", "sub-01.ptseries.nii: the surface of the vertices contradicts the names of 4 of 4 regions"},
	} {
		t.Run(name, func(t *testing.T) {
			table := "participant_id\tgroup\n"
			for i := range c.files {
				table += fmt.Sprintf("sub-%02d\t%s\n", i+1, []string{"ASD", "HC"}[i%2])
			}
			d := newDataset(t, table)
			for i, vertices := range c.files {
				d.write(fmt.Sprintf("sub-%02d.ptseries.nii", i+1), parcelFile(t, vertices...))
			}
			kind := &TimeseriesCohort{Parameters: listed.Defaults(), Series: "{participant_id}.ptseries.nii"}
			kind.File = "participants.tsv"
			r, err := kind.Load(d.dir)
			if c.err != "" {
				need.Error(t, err, c.err)
				return
			}
			need.NoError(t, err)
			for i, want := range c.problems {
				if s := r.Subjects[i]; want == "" {
					need.NoError(t, s.Problem)
				} else {
					need.Error(t, s.Problem, want)
				}
			}
			if notes := strings.Join(wording.NoteTexts(r.Notes), "\n"); !strings.Contains(notes, c.note) ||
				c.note == "" && strings.Contains(notes, "parcel") {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}
