package cohort

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/protocol"
	"prgnn/stages/column"
)

// A file of a participant, by the entities of its name, "_" before each, the text of its sidecar, "" for none, and the
// directory of its dataset.
type madeFile struct{ entities, sidecar, dataset string }

// madeCohort writes eight participants of the groups A and B, i%2, with files that are made as of says, and returns the
// kinds of cohorts that read them: series by dir and by table, and matrices. Several files of one are its sessions.
func madeCohort(t *testing.T, of func(i int) []madeFile) map[string]Loader {
	t.Helper()
	dir, people, table := t.TempDir(), "participant_id\tgroup\n", "participant_id\tgroup\tses\tfile\tmatrix\n"
	for i := range 8 {
		id, group := fmt.Sprintf("sub-%d", i+1), []string{"A", "B"}[i%2]
		people += id + "\t" + group + "\n"
		for j, f := range of(i) {
			folder, name := filepath.Join(f.dataset, id, "func"), id+f.entities
			if len(of(i)) > 1 {
				folder, name = filepath.Join(f.dataset, id, fmt.Sprintf("ses-%d", j+1), "func"),
					fmt.Sprintf("%s_ses-%d%s", id, j+1, f.entities)
			}
			path := filepath.Join(folder, name)
			testdir.Write(t, filepath.Join(dir, path+"_timeseries.tsv"), fmt.Sprintf("a\tb\n%d\t2\n2\t1\n1\t3\n", i*9+j))
			testdir.Write(t, filepath.Join(dir, path+"_relmat.tsv"), fmt.Sprintf("a\tb\n1\t0.%d1\n0.%d1\t1\n", i, i))
			if f.sidecar != "" {
				testdir.Write(t, filepath.Join(dir, path+"_timeseries.json"), f.sidecar)
				testdir.Write(t, filepath.Join(dir, path+"_relmat.json"), f.sidecar)
			}
			if f.dataset != "" {
				testdir.Write(t, filepath.Join(dir, f.dataset, "dataset_description.json"),
					`{"GeneratedBy": [{"Name": "XCP-D", "Version": "`+f.dataset+`"}]}`)
			}
			table += fmt.Sprintf("%s\t%s\t%d\t%s_timeseries.tsv\t%[4]s_relmat.tsv\n", id, group, j+1, filepath.ToSlash(path))
		}
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), people)
	testdir.Write(t, filepath.Join(dir, "table.tsv"), table)
	found := timeseriesCohortKind.New().(*TimeseriesCohort)
	found.Dir = dir
	rows := timeseriesCohortKind.New().(*TimeseriesCohort)
	rows.File, rows.Group, rows.Series = filepath.Join(dir, "table.tsv"), "group", "file"
	kinds := map[string]Loader{"dir": found, "series": rows}
	if len(of(0)) > 1 {
		found.Sessions, rows.Sessions = []string{"all"}, []string{"ses"}
		return kinds
	}
	m := matricesCohortKind.New().(*MatricesCohort)
	m.File, m.Group, m.Pearson = filepath.Join(dir, "table.tsv"), "group", "matrix"
	kinds["matrices"] = m
	return kinds
}

// byGroup has one file for each participant of group A, another for those of B.
func byGroup(a, b madeFile) func(i int) []madeFile {
	return func(i int) []madeFile { return [][]madeFile{{a}, {b}}[i%2] }
}

// Files of several atlases are refused, whichever kind of cohort reads them; found in derivatives, those of several
// spaces, resolutions and densities too. Who is left out does not count.
func TestMixedFilesAreRefused(t *testing.T) {
	const both = " (4 of 8 participants), "
	for _, c := range []struct{ a, b, dir, table string }{
		{"_atlas-G", "_seg-g", "", ""},
		{"_atlas-G", "_seg-H", "several atlases: G" + both + "H (4 of 8 participants), but only one can be analyzed; set atlas: G, or atlas: H",
			"several atlases: G" + both + "H (4 of 8 participants), but only one can be analyzed; list the files of one, or exclude the participants of the others"},
		{"_atlas-G_scale-100", "_atlas-G_scale-200", "several scales of the atlas: 100" + both + "200", "several scales of the atlas"},
		{"_space-M_atlas-G", "_space-N_atlas-G", "several spaces: M" + both + "N (4 of 8 participants), but only one can be analyzed; set space: M, or space: N", ""},
		{"_atlas-G_res-2", "_atlas-G", "several resolutions (res): 2" + both + "none (4 of 8 participants), but only one can be analyzed; set resolution: 2, or resolution: native", ""},
		{"_atlas-G_den-32k", "_atlas-G_den-91k", "several densities (den): 32k" + both + "91k (4 of 8 participants), but only one can be analyzed; list the files of one", ""},
	} {
		for name, kind := range madeCohort(t, byGroup(madeFile{entities: c.a}, madeFile{entities: c.b})) {
			r := need.Value(kind.Load(""))(t)
			want := c.table
			if name == "dir" {
				want = c.dir
			}
			if err := r.RefuseMixed(); want == "" {
				need.NoError(t, err, name, c)
			} else {
				need.Error(t, err, want, name, c)
			}
			kept := *r
			kept.Subjects = []Subject{r.Subjects[0], r.Subjects[2]}
			need.NoError(t, kept.RefuseMixed(), name, c)
		}
	}
	sessions := func(int) []madeFile { return []madeFile{{entities: "_atlas-G"}, {entities: "_atlas-H"}} }
	for name, kind := range madeCohort(t, sessions) {
		need.Error(t, need.Value(kind.Load(""))(t).RefuseMixed(), "several atlases: G (8 of 8 participants), H (8 of 8 participants)", name)
	}
}

// How files were processed is noted where it goes with the group or the session, or differs: by their names, their
// sidecars and the programs of their datasets, in all kinds of cohorts alike.
func TestProcessingThatDiffers(t *testing.T) {
	const group, session = " is completely confounded with the group: ", " is completely confounded with the session: "
	g := func(entities, sidecar string) madeFile {
		return madeFile{entities: "_atlas-G" + entities, sidecar: sidecar}
	}
	long := `["` + strings.Repeat("trans_x_derivative_power\", \"rot_x\", \"", 3) + `csf_derivative"]`
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprintf("%q", "signal_"+string(rune('a'+i))+"_with_a_name"))
	}
	for _, c := range []struct {
		of          func(i int) []madeFile
		doubt, want string
	}{
		{byGroup(g("", ""), g("", "")), "", ""},
		{byGroup(g("_reg-36P", ""), g("_reg-24P", "")), column.DoubtEntity,
			"the entity reg" + group + "A 36P (4), B 24P (4); a classifier may learn the processing"},
		{byGroup(g("_rec-norm", ""), g("", "")), column.DoubtEntity,
			"the reconstruction (rec)" + group + "A norm (4), B none (4)"},
		{byGroup(g("", `{"NuisanceParameters": "36P"}`), g("", `{"NuisanceParameters": "24P"}`)),
			column.DoubtEntity,
			"the sidecar field NuisanceParameters" + group + "A 36P (4), B 24P (4)"},
		{byGroup(g("", `{"SliceTimingCorrected": true}`), g("", "")), column.DoubtEntity,
			"the sidecar field SliceTimingCorrected" + group + "A true (4), B not stated (4)"},
		{byGroup(g("", `{"ConfoundRegressors": `+long+`}`),
			g("", `{"ConfoundRegressors": [`+strings.Join(many, ",")+`]}`)), column.DoubtEntity,
			"the sidecar field ConfoundRegressors" + group +
				"A csf_derivative, rot_x, trans_x_derivative_power (4), " +
				"B signal_a_with_a_name, signal_b_with_a_name, signal_c_with_a_ … signal_i_with_a_name (196 characters) (4)"},
		{byGroup(g("", `{"Manufacturer": "GE"}`), g("", `{"Manufacturer": "Siemens"}`)), column.DoubtEntity,
			"the sidecar field Manufacturer" + group + "A GE (4), B Siemens (4); a classifier may learn the acquisition"},
		{byGroup(g("", `{"TotalReadoutTime": 0.05}`), g("", `{"TotalReadoutTime": 0.03}`)), column.DoubtEntity,
			"the sidecar field TotalReadoutTime" + group + "A 0.05 (4), B 0.03 (4); a classifier may learn the acquisition"},
		{func(i int) []madeFile { // two of eight
			return []madeFile{g("", []string{`{"Manufacturer": "GE"}`, `{"Manufacturer": "Siemens"}`}[min(i/6, 1)])}
		}, "", ""},
		{func(i int) []madeFile { // the numbers of cosines and outliers depend on the scan
			outlier := []string{"", `, "motion_outlier1"`}[i%2]
			return []madeFile{g("", fmt.Sprintf(`{"ConfoundRegressors": ["cosine00", "cosine0%d"%s]}`, i, outlier))}
		}, "", ""},
		{func(i int) []madeFile { return []madeFile{g([]string{"", "_desc-smooth"}[i/4], "")} },
			column.DoubtProcessing,
			"the description (desc) differs between scans: none (4), smooth (4); differences between participants may come"},
		// of the acquisition
		{func(i int) []madeFile { return []madeFile{g([]string{"", "_acq-b"}[i/4], "")} }, "", ""},
		{func(i int) []madeFile { return []madeFile{g("", ""), g("_desc-smooth", "")} },
			column.DoubtEntity,
			"the description (desc)" + session + "1 none (8), 2 smooth (8); a change between sessions may come from the processing"},
		{func(i int) []madeFile {
			return []madeFile{g("", `{"NuisanceParameters": "36P"}`), g("", `{"NuisanceParameters": "24P"}`)}
		}, column.DoubtEntity, "the sidecar field NuisanceParameters" + session + "1 36P (8), 2 24P (8)"},
		{func(i int) []madeFile { return []madeFile{g("_task-rest", ""), g("_task-nback", "")} },
			column.DoubtBySession,
			"the task" + session + "1 rest (8), 2 nback (8); a change between sessions may come from the acquisition"},
		// in a part of the scans
		{func(i int) []madeFile {
			return []madeFile{g("_task-rest", ""), g([]string{"_task-rest", "_task-movie"}[i%2], "")}
		}, column.DoubtEntity,
			"the task in session 2 is completely confounded with the group: A rest (4), B movie (4); a classifier may learn the acquisition"},
		{func(i int) []madeFile {
			siemens := `{"Manufacturer": "Siemens"}`
			return []madeFile{g("", siemens), g("", []string{siemens, `{"Manufacturer": "GE"}`}[i%2])}
		}, column.DoubtEntity,
			"the sidecar field Manufacturer in session 2 is completely confounded with the group: A Siemens (4), B GE (4)"},
		{byGroup(g("", `{"SkullStripped": true}`), g("", `{"SkullStripped": false}`)), column.DoubtEntity,
			"the sidecar field SkullStripped" + group + "A true (4), B false (4); a classifier may learn the processing"},
		// eight participants are too few for fields on anything, which are many
		{byGroup(g("", `{"TaskName": "rest"}`), g("", `{"TaskName": "movie"}`)), "", ""},
	} {
		for name, kind := range madeCohort(t, c.of) {
			r := need.Value(kind.Load(""))(t)
			notes, _ := r.About(r.IDs())
			var found []string
			for _, n := range wording.Notes(notes) {
				if n.Doubt == column.DoubtEntity || n.Doubt == column.DoubtProcessing ||
					n.Doubt == column.DoubtBySession {
					found = append(found, n.Text)
					need.Equal(t, n.Doubt, c.doubt, n.Text)
				}
			}
			got := strings.Join(found, "; ")
			if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
	datasets := byGroup(madeFile{"_atlas-G", "", "0.6"}, madeFile{"_atlas-G", "", "26.0"})
	r := need.Value(madeCohort(t, datasets)["series"].Load(""))(t)
	notes, _ := r.About(r.IDs())
	need.Equal(t, strings.Contains(strings.Join(wording.NoteTexts(notes), "; "),
		"the program of the derivatives"+group+"A XCP-D 0.6 (4), B XCP-D 26.0 (4)"), true, notes)
}

// Repetition times and voxel sizes that go with the group in part are noted with their counts.
func TestAssociatedWithTheGroup(t *testing.T) {
	values, owners := map[string]string{}, map[string]string{}
	for i := range 32 { // GE in 14 of 16 of A, and in 3 of B
		who := fmt.Sprintf("sub-%d", i)
		values[who], owners[who] = "Siemens", []string{"A", "B"}[i/16]
		if i%16 < []int{14, 3}[i/16] {
			values[who] = "GE"
		}
	}
	r, times := &Roster{headers: map[string]map[string]string{}}, map[string]float64{}
	var ids, groups []string
	for i := range 32 {
		id := fmt.Sprintf("sub-%d", i)
		ids, groups = append(ids, id), append(groups, owners[id])
		times[id] = map[string]float64{"GE": 2, "Siemens": 2.5}[values[id]]
		r.headers[id+".nii"] = map[string]string{
			protocol.VoxelSize:    map[string]string{"GE": "3×3×3 mm", "Siemens": "2×2×2 mm"}[values[id]],
			protocol.AffineSource: "sform"}
		r.Subjects = append(r.Subjects, Subject{ID: id, Files: map[string]string{"bold": id + ".nii"}})
	}
	r.Participants = encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups})
	r.Scan = func(id, _ string) (int, float64) { return 100, times[id] }
	notes := strings.Join(wording.NoteTexts(r.protocolNotes(r.IDs())), "\n")
	const rest = " (14 of 16), %s (2 of 16); B %s (3 of 16), %s (13 of 16); Fisher's exact test, p = 0.00024; a classifier may learn the acquisition instead of the group difference"
	need.Equal(t, notes, "the repetition time is associated with the group: A 2 s"+fmt.Sprintf(rest, "2.5 s", "2 s", "2.5 s")+
		"\nthe voxel size is associated with the group: A 2×2×2 mm (2 of 16), 3×3×3 mm (14 of 16); B 2×2×2 mm (13 of 16), 3×3×3 mm (3 of 16); Fisher's exact test, p = 0.00024; a classifier may learn the acquisition instead of the group difference")
}

// Which sessions or runs participants have, and the volumes of their runs together, are compared with the group.
func TestScansByGroup(t *testing.T) {
	type of map[string]int // volumes by run
	two := of{"1": 100, "2": 60}
	for _, c := range []struct {
		sessions bool
		a, b     [2]of // of every other participant of a group
		want     string
	}{
		{true, [2]of{{"1": 9, "2": 9}, {"1": 9, "2": 9}}, [2]of{{"1": 9}, {"1": 9}},
			"the set of sessions is completely confounded with the group: A 1 and 2 (10), B 1 (10); a classifier may learn the effect of the session instead of the group difference"},
		{false, [2]of{{"1": 9, "2": 9}, {"1": 9, "2": 9}}, [2]of{{"2": 9}, {"2": 9}},
			"the set of runs is completely confounded with the group: A 1 and 2 (10), B 2 (10); a classifier may learn the run or the length of the joined series instead of the group difference"},
		{true, [2]of{{"1": 100}, {"1": 100}}, [2]of{{"2": 100}, {"2": 100}},
			"the session is completely confounded with the group: A 1 (10), B 2 (10); a classifier may learn the effect of the session instead of the group difference"},
		{false, [2]of{two, {"1": 60, "2": 100}}, [2]of{{"1": 60, "2": 60}, {"1": 100, "2": 100}},
			"the number of volumes of all runs together is completely confounded with the group: A 160 volumes (10), B 120 volumes (5), B 200 volumes (5); a classifier may learn the acquisition instead of the group difference"},
		{false, [2]of{two, {"1": 100}}, [2]of{two, {"1": 100}}, ""},
	} {
		r, volumes := &Roster{PerRun: true, Sessions: c.sessions}, map[string]of{}
		var ids, groups []string
		for i := range 20 {
			id := fmt.Sprintf("sub-%02d", i)
			volumes[id] = [][2]of{c.a, c.b}[i%2][i/2%2]
			ids, groups = append(ids, id), append(groups, []string{"A", "B"}[i%2])
			s := Subject{ID: id}
			for _, name := range slices.Sorted(maps.Keys(volumes[id])) {
				s.Runs = append(s.Runs, Run{Name: name})
			}
			r.Subjects = append(r.Subjects, s)
		}
		r.Participants = encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups})
		r.Scan = func(id, part string) (int, float64) { return volumes[id][part], 2 }
		need.Equal(t, strings.Join(wording.NoteTexts(r.protocolNotes(r.IDs())), "\n"), c.want)
	}
}

// Fields of sidecars on anything that go with the group are one note, corrected for how many there are. Those of the
// dataset hold for every scan, and a participant's own name is none.
func TestOtherFieldsByGroup(t *testing.T) {
	const odd = "A odd (12 of 12); B even (12 of 12); Fisher's exact test, p ≤ 7.4e-07 after Holm's correction; " +
		"a classifier may learn the acquisition or the processing instead of the group difference"
	parity := func(i int) string { return fmt.Sprintf("%q", []string{"odd", "even"}[i%2]) }
	for _, c := range []struct {
		all string // of the dataset
		of  func(i int) string
		want,
		doubt string
	}{
		{"", func(i int) string { return `{"TaskName": ` + parity(i) + `}` },
			"the sidecar field TaskName is associated with the group: " + odd, column.DoubtEntity},
		{`{"TaskName": "odd"}`, func(i int) string { return fmt.Sprintf(`{"Other": %d}`, i) }, "", ""},
		{`{"TaskName": "odd"}`, func(i int) string { return []string{"", `{"Other": 1}`}[i%2] },
			"the sidecar field Other is associated with the group: A not stated (12 of 12); B 1 (12 of 12); Fisher's", column.DoubtEntity},
		{"", func(i int) string { return fmt.Sprintf(`{"Sources": ["bids:sub-%02d/a.nii"]}`, i+1) }, "", ""},
		{"", func(i int) string {
			return fmt.Sprintf(`{"Sources": ["%s:sub-%02d/a.nii"], "Instructions": %s}`, []string{"raw", "made"}[i%2], i+1, parity(i))
		}, "2 sidecar fields are associated with the group: Instructions: A odd (12 of 12); B even (12 of 12), Sources: A raw:sub-/a.nii (12 of 12); B made:sub-/a.nii (12 of 12); Fisher's exact test, p ≤ 1.5e-06", column.DoubtEntity},
		{"", func(i int) string {
			return fmt.Sprintf(`{"RepetitionTime": 2.%d, "SoftwareVersions": %s}`, i%2, parity(min(i, 18)))
		}, "the sidecar field SoftwareVersions is associated with the group: A odd (12 of 12); B even (9 of 12), odd (3 of 12)", column.DoubtEntity},
		{"", func(i int) string { return fmt.Sprintf(`{"SoftwareVersions": %s}`, parity(min(i, 8))) }, "", ""},
	} {
		dir, r := t.TempDir(), &Roster{}
		testdir.Write(t, filepath.Join(dir, "dataset_description.json"), "{}")
		if c.all != "" {
			testdir.Write(t, filepath.Join(dir, "task-x_bold.json"), c.all)
		}
		var ids, groups []string
		for i := range 24 {
			id := fmt.Sprintf("sub-%02d", i+1)
			path := filepath.Join(dir, id, "func", id+"_task-x_bold.nii.gz")
			testdir.Write(t, path, "")
			if own := c.of(i); own != "" {
				testdir.Write(t, strings.Replace(path, ".nii.gz", ".json", 1), own)
			}
			ids, groups = append(ids, id), append(groups, []string{"A", "B"}[i%2])
			r.Subjects = append(r.Subjects, Subject{ID: id, Files: map[string]string{"bold": path}})
		}
		r.Participants = encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups})
		notes := r.protocolNotes(r.IDs())
		got := strings.Join(wording.NoteTexts(notes), "\n")
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") || got != "" && notes[0].Doubt != c.doubt {
			t.Errorf("%q, want %q %v", got, c.want, notes)
		}
	}
}

// A field map for the scans of one group alone is processing that separates the groups.
func TestFieldMapsByGroup(t *testing.T) {
	for _, c := range []struct {
		has         func(i int) bool
		doubt, want string
	}{
		{func(int) bool { return true }, "", ""},
		{func(int) bool { return false }, "", ""},
		{func(i int) bool { return i%2 == 1 }, column.DoubtEntity, "the distortion correction is completely confounded with " +
			"the group: A none (12), B by a field map (12); a classifier may learn the processing instead of the group difference"},
		{func(i int) bool { return i%2 == 1 || i < 6 }, column.DoubtEntity, "the distortion correction is associated with " +
			"the group: A by a field map (3 of 12), none (9 of 12); B by a field map (12 of 12); Fisher's exact test, p = 0.00034"},
		{func(i int) bool { return i < 12 }, column.DoubtProcessing, "the distortion correction differs between scans: " +
			"by a field map (12), none (12); differences between participants may come from the processing"},
	} {
		r := &Roster{}
		var ids, groups []string
		for i := range 24 {
			id := fmt.Sprintf("sub-%02d", i+1)
			files := map[string]string{"bold": id + ".nii.gz"}
			if c.has(i) {
				files["fieldmap"] = id + "_fieldmap.nii.gz"
			}
			ids, groups = append(ids, id), append(groups, []string{"A", "B"}[i%2])
			r.Subjects = append(r.Subjects, Subject{ID: id, Files: files})
		}
		r.Participants = encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups})
		notes := r.protocolNotes(r.IDs())
		got := strings.Join(wording.NoteTexts(notes), "\n")
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") || got != "" && notes[0].Doubt != c.doubt {
			t.Errorf("%q, want %q %v", got, c.want, notes)
		}
	}
}

// Headers that differ by group are noted: images that are mirrored in one group by their header alone, those without
// sform, and series of other grayordinates.
func TestHeadersByGroup(t *testing.T) {
	image := func(sign float64) string {
		affine := nifti.Identity
		affine[0][0] = sign
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{2, 2, 2, 10}, TR: 2, Code: 1, Affine: affine,
			Data: make([]int16, 80)}))
		return b.String()
	}
	for _, c := range []struct {
		of   func(i int) string
		want string
	}{
		{func(int) string { return image(1) }, ""},
		{func(i int) string { return image(float64(1 - 2*(i%2))) },
			"the orientation of the axes is completely confounded with the group: A RAS (4), B LAS (4); a classifier may learn the acquisition, or left-right flips if headers are mirrored, instead of the group difference"},
		{func(i int) string {
			m := cifti.Models{N: 2, List: []cifti.Model{{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 9,
				Vertices: []int32{2, int32(3 + i%2)}}}}
			var b bytes.Buffer
			need.NoError(t, m.WriteDense(&b, []string{"x"}, [][]float64{{1, 2}}))
			return b.String()
		},
			"the list of grayordinates is completely confounded with the group: A 2 (checksum "},
	} {
		dir, rows := t.TempDir(), "participant_id\tgroup\tbold\tlabels\n"
		for i := range 8 {
			testdir.Write(t, filepath.Join(dir, fmt.Sprintf("%d.nii", i)), c.of(i))
			rows += fmt.Sprintf("%d\t%s\t%[1]d.nii\t%[1]d.nii\n", i, []string{"A", "B"}[i%2])
		}
		testdir.Write(t, filepath.Join(dir, "table.tsv"), rows)
		table := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "labels",
			Nodes: "dk84", Space: "auto"}
		table.File = filepath.Join(dir, "table.tsv")
		r := need.Value(table.Load(dir))(t)
		notes := strings.Join(wording.NoteTexts(r.protocolNotes(r.IDs())), "\n")
		if !strings.HasPrefix(notes, c.want) || (c.want == "") != (notes == "") {
			t.Errorf("%q, want %q", notes, c.want)
		}
	}
}

// Sidecars of fMRIPrep's scans are read as those of series are, in bids and in table.
func TestSliceTimingByGroup(t *testing.T) {
	dir, rows := t.TempDir(), "participant_id\tgroup\tbold\n"
	for i := range 8 {
		id := fmt.Sprintf("sub-%d", i+1)
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{1, 1, 1, 10}, TR: 2, Code: 1,
			Affine: nifti.Identity, Data: make([]int16, 10)}))
		name := filepath.Join(id, "func", id+"_task-rest_space-T1w_desc-preproc_bold")
		testdir.Write(t, filepath.Join(dir, name+".nii.gz"), b.String())
		testdir.Write(t, filepath.Join(dir, name+".json"), fmt.Sprintf(`{"SliceTimingCorrected": %t}`, i%2 == 0))
		labels := strings.Replace(name, "preproc_bold", "aparcaseg_dseg", 1) + ".nii.gz"
		testdir.Write(t, filepath.Join(dir, labels), b.String())
		rows += id + "\t" + []string{"A", "B"}[i%2] + "\t" + filepath.ToSlash(name) + ".nii.gz\n"
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), rows)
	testdir.Write(t, filepath.Join(dir, "task-rest_bold.json"), `{"RepetitionTime": 2}`)
	found := bidsCohortKind.New().(*BIDSCohort)
	found.Dir, found.Confounds = dir, false
	table := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "bold", Nodes: "dk84", Space: "auto"}
	table.File = filepath.Join(dir, "participants.tsv")
	for name, kind := range map[string]Loader{"bids": found, "table": table} {
		r := need.Value(kind.Load(dir))(t)
		notes, _ := r.About(r.IDs())
		need.Equal(t, strings.Contains(strings.Join(wording.NoteTexts(notes), "; "),
			"the sidecar field SliceTimingCorrected is completely confounded with the group: A true (4), B false (4)"),
			true, name)
	}
}

// A table that gives participants the files of others is refused in each such row.
func TestFilesOfOthersAreRefused(t *testing.T) {
	dir, table := t.TempDir(), "participant_id\tgroup\tfile\n"
	for i := range 8 {
		testdir.Write(t, filepath.Join(dir, fmt.Sprintf("sub-%d.tsv", i+1)), fmt.Sprintf("a\tb\n%d\t2\n2\t1\n1\t3\n", i))
		table += fmt.Sprintf("sub-%d\t%s\tsub-%d.tsv\n", i+1, "AB"[i%2:i%2+1], (i+1)%8+1)
	}
	testdir.Write(t, filepath.Join(dir, "table.tsv"), table)
	for _, spec := range []string{"file", "{file}"} {
		c := timeseriesCohortKind.New().(*TimeseriesCohort)
		c.File, c.Series = filepath.Join(dir, "table.tsv"), spec
		r := need.Value(c.Load(dir))(t)
		for i, s := range r.Subjects {
			need.Error(t, s.Problem, fmt.Sprintf("table.tsv:%d: participant sub-%d: its series file sub-%d.tsv has the id of sub-%[3]d "+
				"in its name, and not its own (one of 8 rows of which this is so): correct the table (file or participant_id), or rename", i+2, i+1, (i+1)%8+1))
		}
	}

	// Also where the other takes no part.
	for what, change := range map[string]func(*TimeseriesCohort){
		"excluded":     func(c *TimeseriesCohort) { c.Exclude = []string{"sub-2"} },
		"not selected": func(c *TimeseriesCohort) { c.Select = "participant_id != sub-2" },
	} {
		c := timeseriesCohortKind.New().(*TimeseriesCohort)
		c.File, c.Series = filepath.Join(dir, "table.tsv"), "file"
		change(c)
		r := need.Value(c.Load(dir))(t)
		need.Error(t, r.Subjects[0].Problem, "participant sub-1: its series file sub-2.tsv has the id of sub-2 in its name, and not its own", what)
	}
}

// So is a table that gives sessions the files of others.
func TestFilesOfOtherSessionsAreRefused(t *testing.T) {
	dir, table := t.TempDir(), "participant_id\tgroup\tvisit\tfile\n"
	for i := range 4 {
		for k, visit := range []string{"pre", "post"} {
			name := fmt.Sprintf("sub-%d_ses-%s.tsv", i+1, visit)
			testdir.Write(t, filepath.Join(dir, name), fmt.Sprintf("a\tb\n%d\t2\n2\t%d\n1\t3\n", i, k))
			if i == 2 {
				name = fmt.Sprintf("sub-3_ses-%s.tsv", []string{"post", "pre"}[k])
			}
			table += fmt.Sprintf("sub-%d\t%s\t%s\t%s\n", i+1, "AB"[i%2:i%2+1], visit, name)
		}
	}
	testdir.Write(t, filepath.Join(dir, "table.tsv"), table)
	c := timeseriesCohortKind.New().(*TimeseriesCohort)
	c.File, c.Series, c.Sessions = filepath.Join(dir, "table.tsv"), "file", []string{"visit"}
	for _, s := range need.Value(c.Load(dir))(t).Subjects {
		if s.ID != "sub-3" {
			need.NoError(t, s.Problem, s.ID)
			continue
		}
		need.Error(t, s.Problem, "table.tsv:6: participant sub-3: its series file sub-3_ses-post.tsv has the session post in its name, "+
			"and not that of its row (one of 2 rows of which this is so): correct the table (file or visit), or rename")
	}
	c.Select = "visit == pre"
	for _, s := range need.Value(c.Load(dir))(t).Subjects {
		if s.ID == "sub-3" {
			need.Error(t, s.Problem, "its series file sub-3_ses-post.tsv has the session post in its name")
		} else {
			need.NoError(t, s.Problem, s.ID)
		}
	}
}
