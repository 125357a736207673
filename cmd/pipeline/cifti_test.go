package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/testdir"

	"prgnn/internal/need"
)

// grayordinates is a scan of the fixture with other series, of as many volumes as its number of digits allows.
func grayordinates(t *testing.T, fixture []byte, seed uint64, volumes int) []byte {
	t.Helper()
	const old = `NumberOfSeriesPoints="24"`
	at := int(binary.LittleEndian.Uint64(fixture[168:])) // vox_offset of NIfTI-2
	head := bytes.Replace(fixture[:at], []byte(old), fmt.Appendf(nil, `NumberOfSeriesPoints="%d"`, volumes), 1)
	if len(head) != at || bytes.Contains(head, []byte(old)) {
		t.Fatal("the fixture has no 24 volumes")
	}
	rows := binary.LittleEndian.Uint64(head[16+8*6:])
	binary.LittleEndian.PutUint64(head[16+8*5:], uint64(volumes)) // dim[5]
	r := rand.New(rand.NewPCG(seed, 1))
	for range rows * uint64(volumes) {
		head = binary.LittleEndian.AppendUint32(head, math.Float32bits(float32(1000+20*r.NormFloat64())))
	}
	return head
}

// fmriprepConfounds are the columns that the default of denoise needs, with n cosines.
func fmriprepConfounds(seed uint64, volumes, n int) string {
	var names []string
	for _, motion := range []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"} {
		names = append(names, motion, motion+"_derivative1", motion+"_power2", motion+"_derivative1_power2")
	}
	names = append(names, "white_matter", "csf", "framewise_displacement", "std_dvars", "global_signal")
	for k := range n {
		names = append(names, fmt.Sprintf("cosine%02d", k))
	}
	r := rand.New(rand.NewPCG(seed, 2))
	lines := []string{strings.Join(names, "\t")}
	for v := range volumes {
		values := make([]string, len(names))
		for i, name := range names {
			values[i] = fmt.Sprintf("%.5f", math.Abs(r.NormFloat64())*0.1)
			if k, is := strings.CutPrefix(name, "cosine"); is {
				values[i] = fmt.Sprintf("%.8f", math.Cos(math.Pi*(float64(v)+0.5)*float64(k[1]-'0'+1)/float64(volumes)))
			} else if v == 0 && (strings.Contains(name, "derivative1") || name == "framewise_displacement" || name == "std_dvars") {
				values[i] = "n/a"
			}
		}
		lines = append(lines, strings.Join(values, "\t"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// Grayordinates need no line but those of the cohort: the built-in pipeline runs to its report.
func TestGrayordinatesRunAsTheyAre(t *testing.T) {
	fixtures := need.Shared(t, "fixtures", "fmriprep", "cifti")
	scan, err := os.ReadFile(filepath.Join(fixtures, "sub-01_task-rest_space-fsLR_den-91k_bold.dtseries.nii"))
	need.NoError(t, err)
	s := &study{t: t, dir: t.TempDir()}
	s.home = s.dir
	const volumes, cosines = 96, 4 // ⌊2·96·3.5/128⌋ − 1
	table := "participant_id\tgroup\n"
	for i := range 12 {
		id := fmt.Sprintf("sub-%02d", i+1)
		table += fmt.Sprintf("%s\t%c\n", id, 'A'+i%2)
		name := filepath.Join(s.dir, "fmriprep", id, "func", id+"_task-rest_")
		testdir.Write(t, name+"space-fsLR_den-91k_bold.dtseries.nii", string(grayordinates(t, scan, uint64(i), volumes)))
		testdir.Write(t, name+"space-fsLR_den-91k_bold.json", `{"RepetitionTime": 3.5}`)
		testdir.Write(t, name+"desc-confounds_timeseries.tsv", fmriprepConfounds(uint64(i), volumes, cosines))
	}
	testdir.Write(t, filepath.Join(s.dir, "participants.tsv"), table)
	for _, name := range []string{"tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii", "tpl-fsLR_atlas-Mini_dseg.tsv"} {
		b := need.Value(os.ReadFile(filepath.Join(fixtures, name)))(t)
		testdir.Write(t, filepath.Join(s.dir, name), string(b))
	}
	testdir.Write(t, filepath.Join(s.dir, "study.yaml"), `extends: biopoint.yaml
cohort:
  simulate: null
  bids:
    dir: fmriprep
    group: group
    space: fsLR
    labels: tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii # beside this file
`)
	if said := s.pipeline(0, "run", "study.yaml", "--set", "train.epochs=1"); strings.Contains(said, "brain mask") {
		t.Errorf("grayordinates have no brain mask:\n%s", said)
	}
	page, err := os.ReadFile(filepath.Join(s.dir, "study.html"))
	need.NoError(t, err)
	for _, want := range []string{"before denoising: 39", "grayordinates (z from", "subcortex", "grayordinates per region",
		"of its valid grayordinates"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if said := s.pipeline(0, "show", "study.yaml", "background"); !strings.Contains(said, "image") {
		t.Errorf("the mean of the grayordinates:\n%s", said)
	}
}
