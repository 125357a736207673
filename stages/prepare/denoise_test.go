package prepare

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

func scanOf(tr float64) *encoding.Table {
	return encoding.NewTable(encoding.Column{Name: "tr", Values: []float64{tr}, Valid: []bool{tr > 0}})
}

func TestDenoiseCarriesItsQuality(t *testing.T) {
	const volumes = 100
	in := map[string]dag.Input{"series": dag.InputOf(stagetest.Series(3, volumes, 5)), "scan": dag.InputOf(scanOf(2)),
		"confounds": dag.InputOf(stagetest.Confounds(volumes))}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Filter, s.HighPass, s.LowPass, s.Regress, s.Columns, s.FD, s.MinMinutes = "butterworth", 0.01, 0.1, "24P",
		[]string{"cs?"}, 0.5, 3
	out, err := stagetest.RunWith(s, in)
	need.NoError(t, err)
	if a := out["series"].(*encoding.Array); !slices.Equal(a.Shape, []int{3, 98, 5}) {
		t.Errorf("shape %v", a.Shape)
	}
	for name, want := range map[string]float64{
		"volumes": 100, "kept": 98, "regressors": 25, "trend": 1, "tr": 2, "max_fd": 0.75,
		"mean_fd":     (97*0.25 + 2*0.75) / 99,
		"filter_loss": 98 * 0.64, "t_eff": 98*0.36 - 25, "missing": 0, "constant": 0, "censored": 2, "high_fd": 2,
		"non_steady": 0, "seconds": 196, "bridged": 2, "longest_gap": 2,
	} {
		if got := stagetest.ColumnOf(t, out["quality"], name); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	need.Equal(t, need.Value(out["quality"].(*encoding.Table).Strings("bridge"))(t)[0], "linear", "bridge")
	names, err := encoding.ListsOf[string](out["quality"].(*encoding.Table), "confounds")
	if all := strings.Join(names[0], " "); err != nil || !strings.HasPrefix(all, "trans_x trans_x_derivative1 trans_x_power2") ||
		!strings.HasSuffix(all, " csf") {
		t.Errorf("confounds %q (%v)", names, err)
	}
	volumesTable := out["volumes"].(*encoding.Table)
	fd, left := stagetest.FloatsOf(t, volumesTable, "framewise_displacement"), stagetest.Sure(volumesTable.Strings("left_out"))
	if volumesTable.Rows() != volumes || !math.IsNaN(fd[0]) || fd[3] != 0.75 || fd[5] != 0.25 {
		t.Errorf("displacement of each volume %v", fd)
	}
	// DVARS and global signal are those of the table of confounds, volume by volume.
	dvars, global := stagetest.FloatsOf(t, volumesTable, "std_dvars"),
		stagetest.FloatsOf(t, volumesTable, "global_signal")
	for v := range volumes {
		if global[v] != float64(1000+v) || v > 4 && math.Abs(dvars[v]-(1+float64(v)/100)) > 1e-12 ||
			math.IsNaN(dvars[v]) != (v == 0) {
			t.Errorf("volume %d: DVARS %v, global signal %v", v+1, dvars[v], global[v])
		}
	}
	for v, why := range left {
		need.Equal(t, why, map[bool]string{true: "motion"}[v == 3 || v == 4], "volume", v+1)
	}
	// The second draw alone is cleaned as among the others.
	a, all := stagetest.Series(3, volumes, 5).Float64s(), out["series"].(*encoding.Array).Float64s()
	in["series"] = dag.InputOf(encoding.NewArray(a[volumes*5:2*volumes*5], 1, volumes, 5))
	if out, err = stagetest.RunWith(s, in); err != nil {
		t.Fatal(err)
	}
	if one := out["series"].(*encoding.Array).Float64s(); !slices.Equal(one, all[98*5:2*98*5]) {
		t.Error("a draw is cleaned differently among others")
	}
}

func TestDenoiseByDefault(t *testing.T) {
	series := stagetest.Series(2, 60, 4)
	v := series.Float64s()
	for i := range 60 {
		v[i*4+1] = math.NaN()             // missing in draw 0
		v[240+i*4+2] = 3 + 0.5*float64(i) // nothing but a trend in draw 1
	}
	out, err := stagetest.RunWith(stagetest.NewStage[*Denoise](t, "denoise"),
		map[string]dag.Input{"series": dag.InputOf(series)})
	need.NoError(t, err)
	if m, c := stagetest.ColumnOf(t, out["quality"], "missing"), stagetest.ColumnOf(t, out["quality"],
		"constant"); m != 1 || c != 1 {
		t.Errorf("%v missing, %v constant, want one each", m, c)
	}
	y := out["series"].(*encoding.Array).Float64s()
	for i := range 60 {
		if !math.IsNaN(y[i*4+1]) || y[240+i*4+2] != 0 {
			t.Fatalf("a missing region became %v, a constant one %v", y[i*4+1], y[240+i*4+2])
		}
	}
	for _, at := range []int{0, 2, 240, 241} { // mean 0, variance 1, no trend
		sum, square, trend := 0.0, 0.0, 0.0
		for i := range 60 {
			x := y[at+4*i]
			sum, square, trend = sum+x, square+x*x, trend+x*(float64(i)-29.5)
		}
		if math.Abs(sum) > 1e-10 || math.Abs(square-59) > 1e-10 || math.Abs(trend) > 1e-9 {
			t.Errorf("sum %v, sum of squares %v, trend %v", sum, square, trend)
		}
	}
	if tr := stagetest.FloatsOf(t, out["quality"], "tr")[0]; !math.IsNaN(tr) {
		t.Errorf("repetition time %v, and nobody gave one", tr)
	}
}

func TestDenoiseRefuses(t *testing.T) {
	series := stagetest.Named("series[sub-1]", stagetest.Series(1, 50, 3))
	short := stagetest.Named("series[sub-7]", stagetest.Series(1, 3, 3))
	confounds := stagetest.Named("sub-1_confounds.tsv", stagetest.Confounds(50))
	withoutMotion := stagetest.Named("x.tsv", artifacts.Bytes{Kind: "tsv",
		Data: bytes.ReplaceAll(stagetest.Confounds(50).Data, []byte("0.75\t"), []byte("n/a\t"))})
	inMeters := strings.NewReplacer("0.75\t", "0.0003\t", "0.25\t", "0.0003\t")
	still := stagetest.Named("x.tsv", artifacts.Bytes{Kind: "tsv",
		Data: []byte(inMeters.Replace(string(stagetest.Confounds(50).Data)))})
	shake := 1.0 // mm
	displaced := func(fd func(v int) string) dag.Input {
		text := "framewise_displacement\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\n"
		for v := range 50 {
			text += fmt.Sprintf("%s\t%g\t0\t0\t0\t0\t0\n", fd(v), shake*float64(v*v))
		}
		return stagetest.Named("x.tsv", artifacts.Bytes{Kind: "tsv", Data: []byte(text)})
	}
	constant := displaced(func(int) string { return "0.2" })
	centimeters := displaced(func(v int) string { return fmt.Sprint(math.Abs(float64(2*v-1)) / 10) })
	micrometers := displaced(func(v int) string { return fmt.Sprint(100 + v*v%7) })
	shake = 0
	flat := displaced(func(v int) string { return fmt.Sprint(0.1 + 0.01*float64(v%7)) })
	shake = 0.01
	twoScans := displaced(func(v int) string { return fmt.Sprint(0.2 + 0.1*float64(v%2)) })
	unmarked := stagetest.Named("x.tsv", artifacts.Bytes{Kind: "tsv",
		Data: []byte("non_steady_state_outlier00\n1\nn/a\n" + strings.Repeat("0\n", 48))})
	meters := displaced(func(v int) string { return fmt.Sprint(0.0002 + 0.0001*float64(v%2)) })
	const exclude = "; or exclude this participant (exclude, under cohort)"
	const unit = ": give framewise_displacement in mm, or remove that column and give the motion parameters in mm and rad"
	has := "; it has csf, trans_x, trans_y, trans_z, rot_x, rot_y, rot_z, global_signal, framewise_displacement, std_dvars; choose another strategy with regress" + exclude
	for _, c := range []struct {
		change func(*Denoise)
		in     map[string]dag.Input
		want   string
	}{
		{func(s *Denoise) { s.Filter, s.LowPass = "cosine", 0.1 }, nil, "series[sub-1]: the cosine filter needs the repetition time, which is not known: set tr, in s"},
		{func(s *Denoise) { s.Filter, s.LowPass = "cosine", 0.1 }, map[string]dag.Input{"scan": dag.InputOf(scanOf(0))},
			"series[sub-1]: the cosine filter needs the repetition time, which is not known: set tr, in s"},
		{func(s *Denoise) { s.Filter, s.LowPass, s.TR = "butterworth", 0.3, 2 }, nil, "series[sub-1]: low_pass is 0.3 Hz: it must lie between 0 and the Nyquist frequency, 0.25 Hz at a repetition time of 2 s"},
		{func(s *Denoise) { s.Regress = "6P" }, nil, "regress, columns, fd and dvars need a table of confounds: connect confounds, or remove them" + exclude},
		{func(*Denoise) {}, map[string]dag.Input{"confounds": confounds}, "sub-1_confounds.tsv: strategy simple: the table lacks cosine*, white_matter" + has},
		{func(s *Denoise) { s.Regress = "27P" }, map[string]dag.Input{"confounds": confounds}, "sub-1_confounds.tsv: strategy 27P: the table lacks white_matter" + has},
		{func(s *Denoise) { s.Regress = "6P" },
			map[string]dag.Input{"confounds": stagetest.Named("x.tsv", stagetest.Confounds(49))},
			"x.tsv: 49 rows of confounds for 50 volumes; does the table belong to another run?" + exclude},
		{func(s *Denoise) { s.Regress = "6P" },
			map[string]dag.Input{"confounds": stagetest.Named("x.tsv", artifacts.Bytes{Kind: "tsv",
				Data: []byte("1.5\t2\n")})},
			"x.tsv: the first line has no column names"},
		{func(s *Denoise) { s.Regress, s.FD, s.MinVolumes = "none", 0.5, 49 },
			map[string]dag.Input{"confounds": confounds}, "series[sub-1]: censoring for motion keeps 48 of 50 volumes, fewer than min_volumes (49)" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": confounds}, "series[sub-1]: volumes are censored, and min_minutes needs the repetition time, and it is not known: set tr of denoise, in s, or min_minutes: 0"},
		{func(s *Denoise) { s.Regress, s.FD, s.TR = "none", 0.5, 2 }, map[string]dag.Input{"confounds": confounds},
			"series[sub-1]: censoring for motion keeps 48 of 50 volumes, 1.6 minutes, less than min_minutes (4): censor fewer volumes (fd, dvars), or lower min_minutes" + exclude},
		{func(s *Denoise) { s.Regress, s.FD, s.TR, s.ScanRun = "none", 0.5, 2, "2" },
			map[string]dag.Input{"confounds": confounds},
			"series[sub-1]: censoring for motion keeps 48 of 50 volumes, 1.6 minutes, less than min_minutes (4): censor fewer volumes (fd, dvars), or lower min_minutes; where runs are joined, set min_minutes: 0 here, and the limit in join" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.1 }, map[string]dag.Input{"confounds": confounds},
			"series[sub-1]: censoring for motion keeps 1 of 50 volumes, fewer than min_volumes (6)" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": withoutMotion},
			"x.tsv: framewise displacement has no value in 2 volumes, the first of them volume 4: whether to censor these volumes is not known; only the first volume may lack a value; repair the table (without the column framewise_displacement, it is computed from the motion parameters), or censor nothing (another strategy with regress, fd: 0, dvars: 0)" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": still},
			"x.tsv: framewise_displacement is 0.0003 mm in all volumes, so it was not measured and cannot censor volumes by their motion; remove that column and give the motion parameters in mm and rad" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": constant},
			"x.tsv: framewise_displacement is 0.2 mm in all volumes, so it was not measured and cannot censor volumes by their motion; remove that column and give the motion parameters in mm and rad" + exclude},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": centimeters},
			"x.tsv: framewise_displacement is 0.1 times that of trans and rot, so it is not in mm, or they are not in mm and rad, and the wrong volumes would be censored" + unit},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": meters},
			"x.tsv: the mean framewise displacement is 0.00025 mm, below 0.01 mm, so it was not measured or is in another unit, and censors nothing" + unit},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": micrometers},
			"x.tsv: the mean framewise displacement is 102 mm, above 5 mm, so it is in another unit, and censors too much" + unit},
		{func(s *Denoise) { s.Regress, s.FD = "none", 0.5 }, map[string]dag.Input{"confounds": twoScans},
			"x.tsv: framewise_displacement correlates 0.00 with that of trans and rot of the same table, so they are of two scans, and volumes of the other one would be censored: give both of this scan, or remove framewise_displacement: it is then computed from the motion parameters"},
		{func(s *Denoise) { s.Regress = "6P" }, map[string]dag.Input{"confounds": flat},
			"x.tsv: trans_x to rot_z have one value each in all volumes, although framewise_displacement is not 0, so no motion would be regressed out: give the motion parameters of the scan, or choose another strategy with regress" + exclude},
		{func(s *Denoise) { s.Regress = "none" }, map[string]dag.Input{"confounds": unmarked},
			"x.tsv: column non_steady_state_outlier00 has no value in volume 2" + exclude},
		{func(*Denoise) {}, map[string]dag.Input{"series": short}, "series[sub-7]: 3 of 3 volumes are kept, fewer than min_volumes (6)" + exclude},
		{func(s *Denoise) { s.Regress, s.Detrend = "24P", 20 }, map[string]dag.Input{"confounds": confounds},
			"series[sub-1]: 5 degrees of freedom are left (50 volumes kept − 24 regressors − 0 of the filter − 21 of mean and trend), fewer than min_dof (10)" + exclude},
	} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		c.change(s)
		in := map[string]dag.Input{"series": series}
		for port, i := range c.in {
			in[port] = i
		}
		if _, err := stagetest.RunWith(s, in); err == nil || err.Error() != c.want {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.HighPass, s.LowPass, s.Regress = 0.2, 0.1, "acompcor"
	if errs := s.Validate(); len(errs) != 3 {
		t.Errorf("%d mistakes, want 3: %v", len(errs), errs)
	}
	for _, err := range stagetest.NewStage[*Denoise](t, "denoise").Validate() {
		t.Errorf("the defaults do not hold: %v", err)
	}
	broken := stagetest.Series(1, 50, 3)
	broken.Float64s()[7] = math.NaN()
	if _, err := stagetest.RunWith(stagetest.NewStage[*Denoise](t, "denoise"),
		map[string]dag.Input{"series": stagetest.Named("s", broken)}); err == nil ||
		err.Error() != "s: draw 0: region 2 has no value in 1 of 50 volumes, first in volume 3; a region needs all volumes, or none when it is missing" {
		t.Errorf("error %v", err)
	}
}

// What auto regresses out, and why it leaves series as they are.
func TestDenoiseByConfounds(t *testing.T) {
	const volumes = 100
	marked := strings.Replace(string(everyConfound(volumes).Data), "cosine00", "simulated", 1)
	steady := strings.ReplaceAll(string(everyConfound(volumes).Data), "\n", "\t0\n")
	steady = strings.Replace(steady, "std_dvars\t0", "std_dvars\tnon_steady_state_outlier00", 1)
	first := strings.Index(steady, "\t0\n")
	steady = steady[:first] + "\t1\n" + steady[first+3:]
	tsv := func(text string) *dag.Input {
		in := dag.InputOf(artifacts.Bytes{Kind: "tsv", Data: []byte(text)})
		return &in
	}
	given := scanOf(2)
	given.Meta = map[string]string{column.CleanedBefore: column.SeriesGiven}
	denoisedScan := scanOf(2)
	denoisedScan.Meta = map[string]string{column.CleanedBefore: column.CleanedScan}
	twice := stagetest.NewStage[*Denoise](t, "denoise")
	twice.Regress = "24P"
	if _, err := stagetest.RunWith(twice, map[string]dag.Input{
		"series": stagetest.Named("s", stagetest.Series(1, volumes, 3)), "scan": dag.InputOf(denoisedScan),
		"confounds": *tsv(marked)}); err == nil ||
		!strings.HasPrefix(err.Error(), "s: according to its sidecar, confounds were already regressed out of this scan") {
		t.Errorf("a scan was cleaned twice: %v", err)
	}
	for _, c := range []struct {
		name          string
		regress       string
		scan          *encoding.Table
		confounds     *dag.Input
		strategy, why string
		regressors    float64
		left          float64
	}{
		{"a table", "auto", scanOf(0.8), tsv(string(everyConfound(volumes).Data)), "simple", "", 27, 0},
		{"a volume not in steady state", "auto", scanOf(0.8), tsv(steady), "simple", "", 27, 1},
		{"none by hand", "none", scanOf(0.8), tsv(steady), "none", column.AskedForNone, 0, 1},
		{"a simulated table", "auto", scanOf(2), tsv(marked), "none", column.Simulated, 0, 0},
		{"a simulated table, by hand", "24P", scanOf(2), tsv(marked), "24P", "", 24, 0},
		{"no table", "auto", scanOf(2), nil, "none", column.NoConfounds, 0, 0},
		{"series given", "auto", given, nil, "none", column.SeriesGiven, 0, 0},
		{"a scan of XCP-D, none by hand", "none", denoisedScan, nil, "none", column.CleanedScan, 0, 0},
		{"a scan of XCP-D", "auto", denoisedScan, tsv(string(everyConfound(volumes).Data)), "none",
			column.CleanedScan, 0, 0},
	} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress = c.regress
		in := map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, volumes, 3)), "scan": dag.InputOf(c.scan)}
		if c.confounds != nil {
			in["confounds"] = *c.confounds
		}
		out, err := stagetest.RunWith(s, in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		rows, err := column.Rows[column.CleaningRow](out["quality"].(*encoding.Table))
		need.NoError(t, err)
		if r := rows[0]; r.Strategy != c.strategy || r.Why != c.why || float64(r.Regressors) != c.regressors ||
			float64(r.NonSteady) != c.left || float64(r.Kept) != volumes-c.left {
			t.Errorf("%s: %+v", c.name, r)
		}
		if a := out["series"].(*encoding.Array); a.Shape[1] != int(rows[0].Kept) {
			t.Errorf("%s: %d volumes in the series, and the quality says %d", c.name, a.Shape[1], rows[0].Kept)
		}
		// A model must know that these series and those of another strategy differ.
		made := out["quality"].(*encoding.Table).Meta["made"]
		if how := column.MadeValue[string](made, "denoise.regress"); how != c.strategy {
			t.Errorf("%s: made with regress %s, want %s", c.name, how, c.strategy)
		}
	}
}

// Columns with one value in all volumes regress out nothing, and the quality lists them.
func TestDenoiseListsConstantConfounds(t *testing.T) {
	text := "trans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\tmotion_outlier00\n"
	for v := range 50 {
		text += fmt.Sprintf("%g\t0\t0.5\t%g\t0\t%g\t%d\n", math.Sin(float64(v)), 0.01*float64(v%7), 0.02*float64(v%5), v/49)
	}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Regress, s.Columns = "6P", []string{"motion_outlier*"}
	out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 50, 3)),
		"confounds": dag.InputOf(artifacts.Bytes{Kind: "tsv", Data: []byte(text)})})
	need.NoError(t, err)
	row := need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
	need.Equal(t, strings.Join(row.ConstantConfounds, " "), "trans_y trans_z rot_y")
	need.Equal(t, row.Regressors, 4)
}

// A column with the values of another one regresses out nothing, either.
func TestDenoiseListsRepeatedConfounds(t *testing.T) {
	text := "trans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\tresp\tcard\n"
	for v := range 50 {
		for k := range 6 {
			text += fmt.Sprintf("%g\t", math.Sin(float64(v*(k+1))))
		}
		text += fmt.Sprintf("%d\t%d\n", v*v, v*v)
	}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Regress, s.Columns = "6P", []string{"resp", "card"}
	out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 50, 3)),
		"confounds": dag.InputOf(artifacts.Bytes{Kind: "tsv", Data: []byte(text)})})
	need.NoError(t, err)
	row := need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
	need.Equal(t, strings.Join(row.ConstantConfounds, " "), "card")
	need.Equal(t, row.Regressors, 7)
}

// The stage offers the strategies that the science knows.
func TestDenoiseChoices(t *testing.T) {
	for _, p := range param.Of(stagetest.NewStage[*Denoise](t, "denoise")) {
		if p.Name == "regress" && !slices.Equal(p.Choices, append([]string{"auto"}, connectivity.StrategyNames()...)) {
			t.Errorf("choices %v, strategies %v", p.Choices, connectivity.StrategyNames())
		}
	}
}

// The quality says which repetition time was used, and where it comes from; of runs that differ, neither.
func TestDenoiseTimeFrom(t *testing.T) {
	scan := func(tr float64, from string) dag.Input {
		table := scanOf(tr)
		table.Columns = append(table.Columns, encoding.Column{Name: "tr_from", Values: []string{from}})
		return dag.InputOf(table)
	}
	clean := func(tr float64, in dag.Input) (dag.Input, column.CleaningRow) {
		t.Helper()
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.TR = tr
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 60, 3)),
			"scan": in})
		need.NoError(t, err)
		return dag.InputOf(out["quality"]),
			stagetest.Sure(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))[0]
	}
	header, row := clean(0, scan(2, "header"))
	if row.TR != 2 || row.TRFrom != "header" {
		t.Errorf("%v s from %q", row.TR, row.TRFrom)
	}
	sidecar, row := clean(0, scan(2.5, "sidecar"))
	if row.TR != 2.5 || row.TRFrom != "sidecar" {
		t.Errorf("%v s from %q", row.TR, row.TRFrom)
	}
	if _, row := clean(3, scan(math.NaN(), "")); row.TR != 3 || row.TRFrom != "parameter" {
		t.Errorf("%v s from %q", row.TR, row.TRFrom)
	}
	if _, row := clean(0, dag.InputOf(scanOf(2))); row.TR != 2 || row.TRFrom != "" {
		t.Errorf("%v s from %q, and the scan does not say", row.TR, row.TRFrom)
	}
	for _, c := range []struct {
		runs []dag.Input
		want string
	}{{[]dag.Input{header, header}, "header"}, {[]dag.Input{header, sidecar}, ""}} {
		q := need.Value(readRuns(c.runs))(t)
		need.Equal(t, q.whole(0).TRFrom, c.want, "from")
	}
}

// A parameter tr stands in for a repetition time that is not known, and contradicts none.
func TestTimeContradictsParameter(t *testing.T) {
	const differ = "the repetition time of the scan is 2 s (column tr), but the parameter tr is 3 s: remove tr (tr: 0)"
	d := stagetest.NewStage[*Denoise](t, "denoise")
	d.TR = 3
	_, err := stagetest.RunWith(d, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 60, 3)),
		"scan": dag.InputOf(scanOf(2))})
	need.Error(t, err, differ)
	_, err = d.Refuses(60, 2, nil)
	need.Error(t, err, differ)
}

// A number that is refused for being below a limit is shown below it.
func TestBelow(t *testing.T) {
	for _, c := range []struct {
		x, limit float64
		want     string
	}{{118. / 60, 2, "1.97"}, {1.6, 4, "1.6"}, {1.99999, 2, "1.99999"}, {0, 2, "0"}} {
		need.Equal(t, below(c.x, c.limit, 2), c.want)
	}
}

// Where there are no confounds, regress: auto has no cosines, and a band-pass filter is fine.
func TestHighPassWithoutConfounds(t *testing.T) {
	const cosines = "includes fMRIPrep's cosines, a high-pass filter at 1/128 Hz: remove high_pass"
	band := func(regress string, confounds bool) (err error) {
		d := stagetest.NewStage[*Denoise](t, "denoise")
		d.Regress, d.Filter, d.HighPass, d.LowPass = regress, "butterworth", 0.01, 0.1
		if errs := d.Validate(); errs != nil {
			return errs[0]
		}
		in := map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 120, 3)), "scan": dag.InputOf(scanOf(2))}
		if confounds {
			in["confounds"] = dag.InputOf(stagetest.Confounds(120))
		}
		_, err = stagetest.RunWith(d, in)
		return err
	}
	need.NoError(t, band("auto", false))
	need.Error(t, band("auto", true), "regress: auto "+cosines)
	need.Error(t, band("simple", false), "regress: simple "+cosines)
}
