// Package docs holds the pages of this directory, which the program prints without a network.
package docs

import (
	"cmp"
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed *.md promises.txt figures.tsv
var files embed.FS

// A Section is a heading of a page with the text down to the next heading.
type Section struct {
	Page    string // "statistics" for statistics.md
	Heading string // without #
	Level   int    // of the heading; 1 is the title of the page
	Text    string // with the heading
}

// Topic is the address of the section: PAGE for the title, PAGE#ANCHOR else.
func (s Section) Topic() string {
	if s.Level == 1 {
		return s.Page
	}
	return s.Page + "#" + Anchor(s.Heading)
}

// Sections are those of all pages, in the order of the pages' names and of their text. Callers only read them.
var Sections = sync.OnceValue(func() []Section {
	var all []Section
	names, _ := fs.Glob(files, "*.md") // the pattern is a constant
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // Glob lists what is there
		}
		all = append(all, Divide(strings.TrimSuffix(name, ".md"), string(text))...)
	}
	return all
})

var (
	heading = regexp.MustCompile(`^(#+) +(.*)$`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	comment = regexp.MustCompile(`^<!-- (.*) -->$`)  // for the tests of a block, on a line of its own
	mark    = regexp.MustCompile(`<!-- [\w.-]+ -->`) // of the figure before it, by its name in figures.tsv
	listed  = regexp.MustCompile(`^ *([-*]|\d+\.) `) // the first line of an item of a list
)

// Divide cuts a page before each heading, and leaves out the comments. Lines between fences are no headings.
func Divide(page, text string) []Section {
	var all []Section
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if !fenced && comment.MatchString(strings.TrimSpace(line)) {
			continue
		}
		if !fenced {
			line = mark.ReplaceAllString(line, "")
		}
		if m := heading.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && !fenced {
			all = append(all, Section{Page: page, Heading: link.ReplaceAllString(m[2], "$1"), Level: len(m[1])})
		}
		if len(all) > 0 {
			all[len(all)-1].Text += line
		}
	}
	return all
}

// A Block is code in a page: fenced, or indented lines, which are shell commands.
type Block struct {
	Line int    // in the page, of the first line of code
	Lang string // after the fence: yaml, sh, python, text …
	Mark string // the comment directly above the block, without <!-- and -->
	Text string
}

// Blocks are the code of a page.
func Blocks(text string) (all []Block) {
	const none, fenced, indented = 0, 1, 2
	in, mark, blank, list := none, "", true, false
	for i, line := range slices.Collect(strings.Lines(text)) {
		trimmed := strings.TrimSpace(line)
		shifted := strings.HasPrefix(line, "    ")
		if in == indented && trimmed != "" && !shifted {
			in = none
		}
		fence, isFence := strings.CutPrefix(trimmed, "```")
		m := comment.FindStringSubmatch(trimmed)
		switch {
		case in == fenced && isFence:
			in, mark = none, ""
		case in == fenced, in == indented:
			all[len(all)-1].Text += line
		case isFence:
			in = fenced
			all = append(all, Block{Line: i + 2, Lang: fence, Mark: mark})
		case shifted && blank && !list && trimmed != "":
			in = indented
			all = append(all, Block{Line: i + 1, Lang: "sh", Mark: mark, Text: line})
			mark = ""
		case m != nil:
			mark = m[1]
		case trimmed != "":
			mark = ""
		}
		if in == none && trimmed != "" && !shifted {
			list = listed.MatchString(line) || list && strings.HasPrefix(line, " ")
		}
		blank = trimmed == "" || m != nil
	}
	return all
}

// Anchor is the address of a heading in its page, as GitHub makes it.
func Anchor(heading string) string {
	keep := func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}
	return strings.Map(keep, heading)
}

// Read is the text of a topic, PAGE, PAGE.md or PAGE#ANCHOR, with the sections inside it, or of a file that pages link
// to (promises.txt); "" when there is none.
func Read(topic string) string {
	page, anchor, part := strings.Cut(strings.TrimPrefix(topic, "docs/"), "#")
	if name := page; !strings.HasSuffix(name, ".md") {
		if text, err := files.ReadFile(name); err == nil {
			return string(text)
		}
	}
	page = strings.TrimSuffix(page, ".md")
	var text strings.Builder
	level := 0 // of the heading that was asked for, once it is found
	for _, s := range Sections() {
		switch {
		case s.Page != page:
		case level == 0 && (!part || Anchor(s.Heading) == anchor):
			level = s.Level
			text.WriteString(s.Text)
		case level > 0 && s.Level > level:
			text.WriteString(s.Text)
		case level > 0:
			return text.String()
		}
	}
	return text.String()
}

// unsearched are words of questions that say nothing of their topic.
var unsearched = map[string]bool{"a": true, "an": true, "are": true, "can": true, "do": true, "does": true, "for": true,
	"from": true, "how": true, "i": true, "in": true, "is": true, "it": true, "my": true, "of": true, "on": true,
	"the": true, "there": true, "this": true, "to": true, "what": true, "where": true, "which": true, "who": true,
	"why": true, "with": true, "you": true}

// synonyms are words that readers search for, each row with those of the pages.
var synonyms = [][]string{
	{"delete", "remove", "exclude"},
	{"subject", "patient", "person", "people", "participant"},
	{"parcellation", "atlas", "parcel"},
	{"image", "scan"},
	{"confound", "covariate", "nuisance"},
	{"motion", "movement", "displacement", "fd"},
	{"scrub", "censor"},
	{"fold", "k-fold", "cross-validation"},
	{"smoothing", "smooth"},
	{"duplicate", "copy", "copies", "two ids"},
	{"again", "re-run", "changed"},
	{"cluster", "slurm", "sge", "hpc"},
	{"harmonize", "harmonise", "combat"},
	{"regression", "continuous", "number"},
	{"reproduce", "prove", "proving", "verify"},
	{"ram", "memory"},
	{"slow", "fast", "speed", "time"},
	{"docker", "singularity", "apptainer", "container"},
	{"significance", "significant", "p value", "p-value"},
	{"accuracy", "performance"},
	{"feature importance", "importance", "salient"},
	{"external", "validate", "another cohort"},
	{"resume", "interrupted", "interrupt", "restart", "rerun", "crash", "crashed"},
	{"multiclass", "several groups", "three groups"},
	{"longitudinal", "sessions", "session"},
	{"holdout", "hold-out", "another cohort"},
	{"bug", "issue", "error"},
	{"parallel", "worker", "-j", "at once"},
	{"combine", "concatenate", "join"},
	{"old", "past"},
	{"gpu", "cuda"},
	{"weight", "class weights"},
}

// alternatives are the beginnings of words that answer a search for w: its singular, and its synonyms.
func alternatives(w string) []string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "is") {
		w = strings.TrimSuffix(w, "s")
	}
	for _, row := range synonyms {
		if slices.Contains(row, w) {
			return row
		}
	}
	return []string{w}
}

// Search are the sections that have most of the words, as the beginning of a word, whatever its case, or one of its
// synonyms. Words such as "how" do not count. Sections with more of the words in the heading come first, then those
// where the words stand closer together on average. all states whether they have every word.
func Search(words []string) (sections []Section, all bool) {
	type match struct {
		Section
		inHeading int
		density   float64 // occurrences per byte
	}
	var asked [][]string
	for _, w := range words {
		if w = strings.ToLower(strings.Trim(w, "?.,!")); w != "" && !unsearched[w] {
			asked = append(asked, alternatives(w))
		}
	}
	var found []match
	most := 1
	for _, s := range Sections() {
		m, have := match{Section: s}, 0
		text, head := strings.ToLower(s.Text), strings.ToLower(s.Heading)
		for _, words := range asked {
			if n := begins(text, words); n > 0 {
				have++
				m.density += float64(n) / float64(len(text))
			}
			if begins(head, words) > 0 {
				m.inHeading++
			}
		}
		if have > most {
			most, found = have, nil
		}
		if have == most {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.inHeading, a.inHeading), cmp.Compare(b.density, a.density))
	})
	sections = make([]Section, len(found))
	for i, m := range found {
		sections[i] = m.Section
	}
	return sections, most == len(asked)
}

// begins counts the words of a text that begin with one of several.
func begins(text string, words []string) (n int) {
	for _, w := range words {
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(text[:at+i])
			if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				n++
			}
			at += i + len(w)
		}
	}
	return n
}
