package located

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
)

// A naming that users have: the id and the file of participant i, from 1.
type scheme struct {
	id, file func(i int) string
	numbers  bool // the id is nowhere in the name but for a number
}

func by(format string) func(int) string {
	return func(i int) string {
		return strings.NewReplacer("N3", fmt.Sprintf("%03d", i), "N2", fmt.Sprintf("%02d", i), "N", fmt.Sprint(i),
			"F", fmt.Sprint(50100+i), "L", string(rune('a'+i-1)), "U", string(rune('A'+i-1)),
			"G", []string{"HC", "PT"}[i%2], "g", []string{"controls", "patients"}[i%2], "H", fmt.Sprint((i+1)/2),
			"B", fmt.Sprint(i%3+1)).Replace(format)
	}
}

// schemes are how files of participants are named.
var schemes = []scheme{
	{by("sN2"), by("sN2v1.tsv"), false},
	{by("sN2"), by("sN2rest.tsv"), false},
	{by("N3"), by("subjN3rest.tsv"), false},
	{by("N"), by("restNrun1.tsv"), true},
	{by("P-N2"), by("p_N2.tsv"), false},
	{by("P-N2"), by("PN2.tsv"), false},
	{by("hcN2"), by("N/ts.tsv"), true},
	{by("GH"), by("g/H/ts.tsv"), true},
	{by("GH"), by("g_H.tsv"), true},
	{by("LLL"), by("LLL_rest.tsv"), false},
	{by("LLL"), by("UUU.tsv"), false},
	{by("LxN"), by("UX-N.tsv"), false},
	{by("0N3A"), by("N3A.tsv"), false},
	{by("sub-N2"), by("sub-N2/ses-01/func/ts.tsv"), false},
	{by("sub-N2"), by("session1/subject_N/ts.tsv"), false},
	{by("sub-N2"), by("20210B05_N2.tsv"), true},
	{by("202101N2"), by("2021-01-N2.tsv"), false},
	{by("1N2"), by("1N2_2.tsv"), true},
	{by("N"), by("N3_12.tsv"), true},
	{by("sub-N2"), by("subject_N/ts.tsv"), false},
	{by("sub-N2"), by("session1/subject_N2/ts.tsv"), false},
	{by("sub-N2"), by("ses1/subjectN2.tsv"), false},
	{by("sub-N2"), by("subN2ses1.tsv"), false},
	{by("sub-N2"), by("sub-N2rest.tsv"), false},
	{by("SN2"), by("SN2a.tsv"), false},
	{by("SN2"), by("restSN2.tsv"), true},
	{by("N3"), by("N3rest.tsv"), true},
	{by("N3"), by("N3/ts1.tsv"), true},
	{by("sub-N2"), by("batchB/subN2.tsv"), false},
	{by("sub-N2"), by("run1/sN.tsv"), true},
	{by("F"), by("NYU_00F_ts.tsv"), false},
	{by("F"), by("NYU00Fts.tsv"), false},
	{by("F"), by("Frest.tsv"), false},
	{by("F"), by("F/rest/ts.tsv"), false},
	{by("N3"), by("N3/ts.tsv"), true},
	{by("N3"), by("N3/N3.tsv"), true},
	{by("sub-N3"), by("N3/rest.mat.tsv"), true},
	{by("NDARUX1N"), by("NDARUX1Nrest.tsv"), false},
	{by("SN"), by("SN.tsv"), false},
	{by("SN"), by("SNa.tsv"), false},
	{by("N"), by("pN0x_N.tsv"), true},
	{by("LLa"), by("restLLa.tsv"), false},
	{by("LLa"), by("LLarest.tsv"), false},
	{by("N"), by("group_N_2021.1D"), true},
	{by("Zoé-N"), by("zoe\u0301N.tsv"), false},
	{by("S1N2"), by("site1/N2/rest.tsv"), true},
	{by("P2023_N2"), by("P2023_01_P2023_N2_rest_2.tsv"), false},
}

// The own file is never refused, and that of another never accepted in silence: where two are exchanged and where all
// are shifted.
func TestNames(t *testing.T) {
	const n = 24
	letters := by("UL")(78)
	for k, s := range schemes {
		for what, of := range map[string]func(i int) int{
			"nobody's":  func(i int) int { return i + map[int]int{3: 75}[i] },
			"own":       func(i int) int { return i },
			"exchanged": func(i int) int { return map[int]int{3: 5, 5: 3}[i] + i*min(1, (i-3)*(i-3)*(i-5)*(i-5)) },
			"shifted":   func(i int) int { return (i+1)%n + 1 },
		} {
			var files []Named
			for i := 1; i <= n; i++ {
				files = append(files, Named{listed.ParticipantID(s.id(i)), s.file(of(i))})
			}
			others, by := OfOthers(files, lists.Map(files, func(f Named) string { return f.ID }))
			name := fmt.Sprint(k, " ", s.id(3), " ", s.file(3), " ", what)
			switch what {
			case "nobody's":
				if strings.ContainsAny(s.file(78), letters) { // none
					continue
				}
				at := lists.Map(others, func(o Other) int { return o.At })
				need.Equal(t, fmt.Sprint(at, by == nil), "[2] true", name)
			case "own":
				need.Equal(t, fmt.Sprint(others, by), "[] <nil>", name)
			case "exchanged":
				at := lists.Map(others, func(o Other) int { return o.At })
				need.Equal(t, fmt.Sprint(at, by == nil), "[2 4] true", name)
			default:
				need.Equal(t, len(others), n, name)
				need.Equal(t, s.numbers || by == nil, true, name)
			}
		}
	}
}

// Random names: ids of some kind, beside other words and numbers that are theirs or not.
func FuzzNames(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 43))
		pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
		n := 3 + r.IntN(30)
		numbers := r.Perm(90)[:n]
		ids, forms := make([]string, n), make([]string, n)
		kind, width := r.IntN(6), r.IntN(4)
		before := pick("S", "P", "HC", "MDD", "con", "x")
		for i, k := range numbers {
			k++
			digits := fmt.Sprintf("%0*d", width, k)
			switch kind {
			case 0:
				ids[i] = digits
			case 1:
				ids[i] = before + digits
			case 2:
				ids[i] = "sub-" + digits
			case 3:
				ids[i] = fmt.Sprint(50000 + 7*k)
			case 4:
				ids[i] = fmt.Sprintf("%c%c%s", 'A'+k%26, 'K'+k/26, pick("", "", "7")+"q")
			default:
				ids[i] = fmt.Sprintf("%s%c%d", before, 'A'+k%26, k)
			}
		}
		zeros, upper, whole := r.IntN(2) == 0, r.IntN(3), kind != 4 || r.IntN(2) == 0
		for i, id := range ids {
			form := strings.TrimPrefix(id, "sub-")
			if zeros && kind < 3 {
				form = numberIn(form)
			}
			if forms[i] = form; upper > 0 {
				forms[i] = []func(string) string{strings.ToLower, strings.ToUpper}[upper-1](form)
			}
		}
		start := pick("", "", "rest_", "ROISignals_", "run1/", "2021-03-04/", "sub-", "subject_", "d/s_", "ses-02_")
		end := pick("", "", "_rest", "_run-1", "/ts", "/ses-1/ts2", "_x9", "_2019", "-b", "_task-go_bold")
		if whole && r.IntN(3) == 0 {
			end = pick("rest", "v1", "ses2", "ts")
			if kind == 4 {
				end = ""
			}
		}
		counter := ""
		extra := lists.Map(numbers, func(int) int { return r.IntN(2) })
		if r.IntN(3) == 0 {
			counter = pick("_scan%02d", "_%d", "_v%d")
		}
		name := func(i int) string {
			text := start + forms[i] + end
			if counter != "" {
				text += fmt.Sprintf(counter, extra[i]+1)
			}
			return text + ".tsv"
		}
		all := lists.Map(ids, listed.ParticipantID)
		assigned := func(of []int) (files []Named) {
			for i := range ids {
				files = append(files, Named{all[i], name(of[i])})
			}
			return files
		}
		of := lists.UpTo(n)
		if others, by := OfOthers(assigned(of), all); others != nil || by != nil {
			t.Errorf("own files %v: %v %v", assigned(of), others, by)
		}
		if r.IntN(2) == 0 {
			r.Shuffle(n, func(i, k int) { of[i], of[k] = of[k], of[i] })
		} else {
			i := r.IntN(n)
			k := (i + 1 + r.IntN(n-1)) % n
			of[i], of[k] = of[k], of[i]
		}
		// Columns that have the ids, other numbers, the number of the file, or of each file's row.
		columns := []Column{{Values: ids}, {Values: lists.Map(extra, func(k int) string { return fmt.Sprint(k + 1) })},
			{Values: lists.Map(of, func(k int) string { return fmt.Sprint(numbers[k] + 1) })},
			{Values: lists.Map(numbers, func(k int) string { return fmt.Sprint(k + 1) })}}
		own := assigned(slices.Sorted(slices.Values(of)))
		if others, by := OfOthers(own, all, columns...); others != nil || by != nil {
			t.Errorf("own files %v beside %v: %v %v", own, columns, others, by)
		}
		if slices.IsSorted(of) {
			return
		}
		if others, by := OfOthers(assigned(of), all, columns...); others == nil && by == nil {
			t.Errorf("exchanged %v beside %v: accepted", assigned(of), columns)
		}
		if others, by := OfOthers(assigned(of), all); others == nil && by == nil {
			t.Errorf("exchanged %v: accepted", assigned(of))
		} else if by == nil {
			for _, o := range others {
				need.Equal(t, o.Whose, all[of[o.At]], fmt.Sprint(assigned(of)))
			}
		}
	})
}

// Numbers of another program, of each site, or of each group, are those of other participants: refused, but noted if a
// column has the numbers that the refusals state. Two exchanged files are never accepted in silence.
func TestNamesOfColumns(t *testing.T) {
	gaps := func(i int) int { return i + 1 + i/2 }
	late := func(i int) int { return i + i/20 }
	count := func(i int) int { return i }
	in := func(sizes ...int) func(i int) (group, number int) {
		return func(i int) (group, number int) {
			for i > sizes[group] {
				i -= sizes[group]
				group++
			}
			return group, i
		}
	}
	site, unequal, group := in(8, 8, 8), in(19, 5), in(12, 12)
	for k, c := range []struct {
		id      func(i int) int
		form    string // of the id
		file    func(i int) string
		column  func(i int) string
		refused int // without the column
	}{
		{gaps, "%d", by("ROI_SubjectN3_Condition001.mat"), by("N3"), 15},
		{gaps, "sub-%03d", by("conn/ROI_SubjectN3_Condition000.mat"), by("N.0"), 15},
		{gaps, "sub-%03d", by("ROI_SubjectN3.tsv"), by("SubjectN3"), 15},
		{gaps, "sub-%02d", by("N3.tsv"), by("N3"), 0},
		{gaps, "sub-%02d", by("scanN2.tsv"), by("scanN2"), 0},
		{late, "%d", by("ROI_SubjectN3_Condition001.mat"), by("N"), 4},
		{late, "%d", by("scanN_rest.tsv"), by("N"), 4},
		{count, "sub-%02d", func(i int) string {
			s, n := site(i)
			return fmt.Sprintf("site%d/subject%d.tsv", s+1, n)
		}, func(i int) string { _, n := site(i); return fmt.Sprint(n) }, 16},
		{count, "%d", func(i int) string {
			s, n := site(i)
			return fmt.Sprintf("site%d/subject%02d.tsv", s+1, n)
		}, func(i int) string { s, n := site(i); return fmt.Sprintf("site%d/subject%d", s+1, n) }, 16},
		{count, "%d", func(i int) string {
			s, n := unequal(i)
			return fmt.Sprintf("site%d/subject%02d.tsv", s+1, n)
		}, func(i int) string { _, n := unequal(i); return fmt.Sprint(n) }, 5},
		{count, "%d", func(i int) string {
			g, n := group(i)
			return fmt.Sprintf("%s/sub%02d.tsv", []string{"controls", "patients"}[g], n)
		}, func(i int) string { _, n := group(i); return fmt.Sprint(n) }, 12},
		{count, "sub-%02d", func(i int) string { return fmt.Sprintf("scan%02d.tsv", 25-i) },
			func(i int) string { return fmt.Sprint(25 - i) }, 24},
	} {
		var files, exchanged []Named
		var ids, values []string
		for i := 1; i <= 24; i++ {
			of := map[int]int{3: 15, 15: 3}[i] + i*min(1, (i-3)*(i-3)*(i-15)*(i-15))
			ids = append(ids, listed.ParticipantID(fmt.Sprintf(c.form, c.id(i))))
			values = append(values, c.column(i))
			files = append(files, Named{ids[i-1], c.file(i)})
			exchanged = append(exchanged, Named{ids[i-1], c.file(of)})
		}
		name := fmt.Sprint(k, " ", ids[20], " ", files[20].Path)
		column := Column{values, CountsUp(values, ids)}
		others, by := OfOthers(files, ids)
		need.Equal(t, fmt.Sprint(len(others), others != nil || by != nil), fmt.Sprint(c.refused, true), name)
		for _, o := range others {
			number := strings.TrimLeft(o.Number, "0")
			need.Equal(t, number != "" && strings.HasSuffix(strings.TrimSuffix(values[o.At], ".0"), number), true, name)
		}
		others, by = OfOthers(files, ids, column)
		need.Equal(t, fmt.Sprint(others, by != nil && !by.Whole), "[] true", name)
		others, by = OfOthers(exchanged, ids, column)
		need.Equal(t, others != nil || by != nil, true, name)
	}
	// A column explains what stands at one place of the names: the number of a site is no number of a subject.
	var files []Named
	var sites, locals []string
	for i := 1; i <= 24; i++ {
		of := map[int]int{3: 9, 9: 3}[i] + i*min(1, (i-3)*(i-3)*(i-9)*(i-9))
		s, l := site(i)
		sites, locals = append(sites, fmt.Sprint(s+1)), append(locals, fmt.Sprint(l))
		s, l = site(of)
		files = append(files, Named{fmt.Sprint("sub-", i), fmt.Sprintf("site%d/subject%d.tsv", s+1, l)})
	}
	others, _ := OfOthers(files, nil, Column{sites, false}, Column{locals, true})
	need.Equal(t, fmt.Sprint(pairs(others)), "[{2 sub-1} {8 sub-3}]")
	// A column of ids as the table has them explains no file of another.
	for _, of := range []string{"sub-N2", "sub-N2_ts", "AN2"} {
		var files []Named
		var ids, values []string
		for i := 1; i <= 24; i++ {
			ids = append(ids, listed.ParticipantID(strings.TrimSuffix(by(of)(i), "_ts")))
			values = append(values, by(of)(i%24+1))
			files = append(files, Named{ids[i-1], by(of + "_rest.tsv")(i%24 + 1)})
		}
		others, _ := OfOthers(files, ids, Column{values, false})
		need.Equal(t, len(others), 24, of)
	}
}

func numberIn(text string) string { return numbers.ReplaceAllString(text, "$1") }

// The number of a word of BIDS, in a name laid out otherwise, is no id at the place where others have theirs.
func TestNumberOfT1w(t *testing.T) {
	var files []Named
	for i := range 7 {
		id := fmt.Sprintf("sub-sim%03d", i+1)
		files = append(files, Named{id, "scans/" + id + "/func/" + id + "_task-rest_space-T1w_bold.nii.gz"})
	}
	files[4].Path = "scans/copy/func/copy_task-rest_space-T1w_bold.nii.gz"
	others, by := OfOthers(files, nil)
	need.Equal(t, len(others), 0)
	need.Equal(t, by == nil, true)
}

// The same of sessions and runs: in the row of one, no file of another is accepted in silence.
func TestNamesOfParts(t *testing.T) {
	const own, both = "own", "other or noted"
	for k, c := range []struct {
		p     parts
		rows  [2]string // in the table
		file  string    // N the participant, S the session by its name
		names [2]string
		noted bool // the number alone
	}{
		{sessions, [2]string{"1", "2"}, "sub-N_ses-S.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"01", "02"}, "sub-N_ses-S.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"pre", "post"}, "sub-N_S.tsv", [2]string{"pre", "post"}, false},
		{sessions, [2]string{"T0", "T1"}, "sub-N_tS.tsv", [2]string{"0", "1"}, false},
		{sessions, [2]string{"1", "2"}, "visitS/sub-N.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"W0", "W8"}, "sub-N_weekS.tsv", [2]string{"0", "8"}, false},
		{sessions, [2]string{"20200105", "20210105"}, "sub-N_S.tsv", [2]string{"20200105", "20210105"}, false},
		{sessions, [2]string{"first", "second"}, "sub-N_S.tsv", [2]string{"first", "second"}, false},
		{sessions, [2]string{"A", "B"}, "sub-NS.tsv", [2]string{"a", "b"}, false},
		{sessions, [2]string{"1", "2"}, "sNvS.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"1", "2"}, "sN_vS.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"v1", "v2"}, "sNvS.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"1", "2"}, "sub-N_TS.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"T1", "T2"}, "sub-N_ses-S.tsv", [2]string{"1", "2"}, false},
		{sessions, [2]string{"T1", "T2"}, "sub-N_S.tsv", [2]string{"1", "2"}, true},
		{sessions, [2]string{"V1", "V2"}, "sub-N_TS.tsv", [2]string{"1", "2"}, true},
		{sessions, [2]string{"1", "2"}, "S/sub-N.tsv", [2]string{"1", "2"}, true},
		{sessions, [2]string{"M00", "M12"}, "sub-N_Smonths.tsv", [2]string{"0", "12"}, false},
		{runs, [2]string{"1", "2"}, "sub-N_run-S.tsv", [2]string{"1", "2"}, false},
		{runs, [2]string{"run-1", "run-2"}, "sub-N/rS.tsv", [2]string{"1", "2"}, false},
	} {
		for what, exchanged := range map[string]func(i int) bool{own: func(int) bool { return false },
			"two": func(i int) bool { return i == 2 }, "all": func(int) bool { return true }} {
			var files []InPart
			for i := 1; i <= 12; i++ {
				for s := range 2 {
					of := s
					if exchanged(i) {
						of = 1 - s
					}
					name := strings.NewReplacer("N", fmt.Sprintf("%02d", i), "S", c.names[of]).Replace(c.file)
					files = append(files, InPart{c.rows[s], name, fmt.Sprintf("sub-%02d", i)})
				}
			}
			others, by := c.p.others(files, nil)
			name := fmt.Sprint(k, " ", files[0].Path, " ", c.rows, " ", what)
			switch {
			case what == own:
				need.Equal(t, fmt.Sprint(others, by), "[] <nil>", name)
			case what == "two":
				at := lists.Map(others, func(o Other) int { return o.At })
				need.Equal(t, fmt.Sprint(at, by == nil), "[2 3] true", name)
			case c.noted:
				need.Equal(t, fmt.Sprint(others, by != nil && len(by.Others) == 24), "[] true", name)
			default:
				need.Equal(t, len(others), 24, name)
			}
		}
	}
	// Other numbers than those of the sessions.
	for _, c := range []struct {
		file string // K is of
		of   func(i, s int) string
	}{
		{"sub-N_V0P_scanQ.tsv", nil}, // with its session
		{"sub-N_runP_2.tsv", nil},
		{"K.tsv", func(i, s int) string { return fmt.Sprintf("%02d", 2*i+s) }},
		{"sub-N_K.tsv", func(i, s int) string { return fmt.Sprint(20200101 + 100*s + i) }},
		{"sub-N_bl.tsv", nil},
		{"sub-N_K.tsv", func(_, s int) string { return []string{"bl", "fu"}[s] }},
		{"sub-N_ses-K.tsv", func(_, s int) string { return fmt.Sprint(s) }}, // counted from 0
		{"ses-1/sub-N_K.tsv", func(_, s int) string { return "ABCD"[s : s+1] }},
		{"sN_bl_K.tsv", func(_, s int) string { return []string{"one", "two"}[s] }}, // S1 and S2 are sessions
	} {
		var files []InPart
		for i := range 12 {
			for s := range 2 {
				k := ""
				if c.of != nil {
					k = c.of(i, s)
				}
				name := strings.NewReplacer("N", fmt.Sprintf("%02d", i+1), "P", fmt.Sprint(s+1), "Q", fmt.Sprint(2-s),
					"K", k).Replace(c.file)
				session := fmt.Sprint(s + 1)
				if strings.HasPrefix(name, "s0") || strings.HasPrefix(name, "s1") {
					session = "S" + session
				}
				files = append(files, InPart{session, name, fmt.Sprintf("sub-%02d", i+1)})
			}
		}
		others, by := sessions.others(files, nil)
		need.Equal(t, fmt.Sprint(others, by), "[] <nil>", c.file)
	}
}

// Few rows, and few of many, are out of line by chance; in half of them the words mean another thing.
func TestOffWords(t *testing.T) {
	for _, c := range []struct{ n, wrong, off int }{
		{8, 1, 0}, {12, 1, 0}, {24, 1, 1}, {24, 2, 2}, {24, 3, 0}, {100, 10, 10}, {100, 11, 0}, {100, 50, 0},
	} {
		n := &naming{fields: &fields{}, columns: make([][][2]int, c.n)}
		var values []string
		for i := range c.n {
			word := i
			if i < c.wrong {
				word = i + 1
			}
			fields, _ := cut(by("g/N3.tsv")(word + 10))
			n.cuts, values = append(n.cuts, fields), append(values, by("G")(i))
		}
		of, _, weak := offWords(n, values, 1, func(string, string) string { return "" },
			func(i, field int) string { return n.cuts[i][field].text })
		of = slices.DeleteFunc(of, func(v string) bool { return v == "" || weak })
		need.Equal(t, len(of), c.off, fmt.Sprint(c))
	}
}
