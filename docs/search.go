package docs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"prgnn/internal/lists"
)

// functionWords are words of questions that state nothing of their topic.
var functionWords = lists.Set(strings.Fields(`
	a about all already also am an and any anything are as at be because been being both but by
	can cannot could did do does doing done each either else ever every for from further get gets getting give gives
	had has have having he help her here him his how however i if in into is isn it its itself let like make making
	many may me might mine must my need needed no nor now of on or other our ours own per please rather really s
	shall she should since so some something still such take takes than that the their them then there these they
	thing things this those though thus to too try under up us use used uses using very want wants was way we well
	were what when where whether which while who whose why will with would you your
	someone everybody everyone anybody everything actually become show shows`))

// synonyms are words that readers search for, each row with those of the pages.
var synonyms = [][]string{
	{"delete", "remove", "exclude", "drop", "discard", "leave out", "omit", "ignore", "skip"},
	{"subject", "patient", "person", "people", "participant", "somebody", "individual"},
	{"parcellation", "atlas", "parcel"},
	{"region", "roi", "area", "parcel"},
	{"image", "scan"},
	{"tr", "t_r", "repetition", "repetitiontime", "sampling interval"},
	{"confound", "covariate", "nuisance"},
	{"motion", "movement", "displacement", "fd"},
	{"scrub", "censor"},
	{"fold", "k-fold", "cross-validation"},
	{"duplicate", "copy", "copies", "two ids", "identical"},
	{"again", "re-run", "rerun", "reran", "changed", "once more", "recompute"},
	{"cluster", "slurm", "sge", "hpc", "grid"},
	{"harmonize", "harmonise", "combat"},
	{"regression", "continuous", "number"},
	{"reproduce", "prove", "proving", "verify", "recompute"},
	{"ram", "memory"},
	{"slow", "fast", "speed", "time", "runtime", "duration"},
	{"docker", "singularity", "apptainer", "container"},
	{"significance", "significant", "p value"},
	{"accuracy", "performance"},
	{"feature importance", "importance", "salient", "biomarker"},
	{"external", "validate", "another cohort", "second cohort"},
	{"resume", "interrupted", "restart", "rerun", "crash", "abort", "continue"},
	{"multiclass", "several groups", "three groups"},
	{"longitudinal", "session", "before and after", "pre and post", "follow-up"},
	{"holdout", "hold-out", "another cohort"},
	{"bug", "issue", "error"},
	{"parallel", "worker", "-j", "at once"},
	{"cpu", "core", "processor", "thread"},
	{"combine", "concatenate", "join"},
	{"past", "old"},
	{"gpu", "cuda"},
	{"weight", "class weights"},
	{"figure", "plot", "picture", "graphic"},
	{"paper", "manuscript", "article", "publication"},
	{"spreadsheet", "excel", "table", "workbook"},
	{"sex", "gender", "women", "men", "female", "male"},
	{"computer", "machine", "laptop", "server"},
	{"jupyter", "notebook", "pandas", "python"},
	{"privacy", "private", "personal", "confidential", "anonymize"},
	{"bundle", "archive", "pack"},
	{"method", "procedure"},
	{"decision", "choice", "option"},
	{"series", "time course", "timecourse", "timeseries"},
	{"parameter", "setting", "hyperparameter", "default"},
}

// stem is a word without its ending, by a few rules that hold for regular words: scans and scan, regressed and
// regression, validate and validation have one stem.
func stem(w string) string {
	cut := func(least int, ending, instead string) bool {
		s, ok := strings.CutSuffix(w, ending)
		if ok = ok && len(s) >= least; ok {
			w = s + instead
		}
		return ok
	}
	if end := w[max(0, len(w)-2):]; end != "ss" && end != "us" && end != "is" {
		_ = cut(2, "ies", "y") || cut(2, "s", "")
	}
	if cut(3, "ing", "") || cut(3, "ed", "") {
		if n := len(w); w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
			w = w[:n-1] // planned
		}
	}
	_ = cut(3, "isation", "iz") || cut(3, "ation", "") || cut(5, "sion", "s") || cut(4, "tion", "t") ||
		cut(3, "ise", "iz") || cut(4, "ate", "") || cut(4, "at", "") || cut(2, "e", "")
	cut(3, "y", "i")
	return w
}

// split divides a text into words of letters and digits, in lowercase, without 's.
func split(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(text), "’", "'"), "'s", "")
	return strings.FieldsFunc(text, func(r rune) bool { return !letter(r) })
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// stems are those of the words of a text.
func stems(text string) []string { return lists.Map(split(text), stem) }

// An entry is a section as a search reads it.
type entry struct {
	text   []string   // stems, with what readers ask
	topics [][]string // stems of the heading, and of each phrase of what readers ask
}

// entries are those of Sections, with the mean length of a text.
var entries = sync.OnceValues(func() (all []entry, mean float64) {
	for _, s := range Sections() {
		e := entry{stems(s.Text + " " + s.Asked), [][]string{stems(s.Heading)}}
		for phrase := range strings.FieldsFuncSeq(s.Asked, func(r rune) bool { return r == ',' || r == ';' }) {
			e.topics = append(e.topics, stems(phrase))
		}
		all = append(all, e)
		mean += float64(len(e.text))
	}
	return all, mean / float64(len(all))
})

// synonymStems are the stems of the rows of synonyms.
var synonymStems = sync.OnceValue(func() [][][]string {
	return lists.Map(synonyms, func(row []string) [][]string { return lists.Map(row, stems) })
})

// A term is a word of a question.
type term struct {
	word     string
	stems    []string   // more than one where it has a hyphen
	others   [][]string // those of its synonyms
	function bool
	weight   float64
}

// terms are the words of a question, each once. A hyphenated one that no section has counts as its parts.
func terms(question []string) (all []*term) {
	add := func(word string, of []string) {
		t := &term{word: word, stems: of, function: functionWords[word]}
		for _, row := range synonymStems() {
			if slices.ContainsFunc(row, func(o []string) bool { return slices.Equal(o, of) }) {
				t.others = append(t.others, row...)
			}
		}
		if !slices.ContainsFunc(all, func(o *term) bool { return slices.Equal(o.stems, of) }) {
			all = append(all, t)
		}
	}
	sections, _ := entries()
	for _, w := range question {
		w = strings.ToLower(strings.Trim(w, "?.,!()\"'"))
		parts, of := split(w), stems(w)
		if len(parts) > 1 && slices.ContainsFunc(sections, func(e entry) bool { return count(e.text, of) > 0 }) {
			add(w, of)
			continue
		}
		for i, part := range parts {
			add(part, of[i:i+1])
		}
	}
	return all
}

// whole is the length of stems that are not the beginning of others: TR is not in train, nor scan in scanner.
const whole = 4

// same reports whether a stem of a text is the one that is searched, or begins with it, or is it but for an ending.
func same(has, want string) bool {
	return has == want || len(want) > whole && strings.HasPrefix(has, want) ||
		len(has) > whole && len(want)-len(has) < whole && strings.HasPrefix(want, has)
}

// count counts where the stems of a term stand one after another.
func count(text, of []string) (n int) {
	for at := range len(text) - len(of) + 1 {
		if slices.EqualFunc(text[at:at+len(of)], of, same) {
			n++
		}
	}
	return n
}

// in is how much of a term a heading or phrase has: 1 of the word itself, less of a synonym.
func (t *term) in(phrase []string) float64 {
	switch {
	case count(phrase, t.stems) > 0:
		return 1
	case slices.ContainsFunc(t.others, func(o []string) bool { return count(phrase, o) > 0 }):
		return 0.75
	}
	return 0
}

// topical is the weight of a word in a heading or in what readers ask, beside one in the text; asked that of sections
// for which there is a comment with what readers ask; functional that of a function word in a heading or phrase, beside
// about 1 to 5 of others. TestForum does not depend on their exact values.
const topical, asked, functional = 1.6, 1.3, 0.45

// Search are the sections about the words, the best first: whatever their case and ending, or one of their synonyms. A
// word counts the more the fewer sections have it; words such as "how" count only in a heading or phrase with others. A
// section counts by the words in its text, where repetitions count less and in a long text each word less (as in BM25:
// Robertson and Zaragoza, 2009); more by those in its heading and in what readers ask for it; and more by the heading
// or phrase with most of the words, and little else. Sections with less than 0.4 of the first one's count are left out.
// lacks are the longer words that the first one does not have, and shorter ones that none has; about reports whether it
// has one in its heading or among what readers ask, so that it is about it.
func Search(question []string) (sections []Section, lacks []string, about bool) {
	type match struct {
		Section
		has   map[string]bool
		about bool
		count float64
	}
	all, mean := entries()
	searched := terms(question)
	found := lists.Map(Sections(), func(s Section) match { return match{Section: s, has: map[string]bool{}} })
	for _, t := range searched {
		if t.function {
			continue
		}
		times, having := make([]float64, len(all)), 0
		for i, e := range all {
			n := count(e.text, t.stems)
			for _, o := range t.others {
				n += count(e.text, o)
			}
			times[i] = float64(n)
			having += min(n, 1)
		}
		if having == 0 {
			continue
		}
		t.weight = math.Log(1 + float64(len(all))/float64(having))
		for i, e := range all {
			if times[i] == 0 {
				continue
			}
			topic := 0.0
			for _, phrase := range e.topics {
				topic = max(topic, t.in(phrase))
			}
			m := &found[i]
			m.has[t.word], m.about = true, m.about || topic > 0
			length := 0.6 + 0.4*float64(len(e.text))/mean
			m.count += t.weight * (times[i]/(times[i]+length) + topical*topic)
		}
	}
	for i, e := range all {
		if found[i].count += coverage(e.topics, searched); found[i].Asked != "" {
			found[i].count *= asked
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.count, a.count) })
	for _, m := range found {
		if len(m.has) > 0 && m.count >= 0.4*found[0].count {
			sections = append(sections, m.Section)
		}
	}
	for _, t := range searched {
		if !t.function && (len(t.word) > whole || t.weight == 0) && !found[0].has[t.word] {
			lacks = append(lacks, t.word)
		}
	}
	return sections, lacks, found[0].about
}

// coverage is the greatest weight of the words of a question in one phrase, times the square root of their share of the
// phrase.
func coverage(phrases [][]string, searched []*term) (most float64) {
	for _, phrase := range phrases {
		words, sum, matched, function := 0, 0.0, 0, 0.0
		for _, w := range phrase {
			if !functionWords[w] {
				words++
			}
		}
		for _, t := range searched {
			switch in := t.in(phrase); {
			case in == 0:
			case t.function:
				function += functional
			default:
				sum += t.weight * in
				matched += len(t.stems)
			}
		}
		if sum > 0 {
			most = max(most, sum*math.Sqrt(min(1, float64(matched)/float64(max(words, 1))))+function)
		}
	}
	return most
}
