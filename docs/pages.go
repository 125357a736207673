// Package docs holds the pages of this directory, which the program prints without a network.
package docs

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed *.md promises.txt figures.tsv pseudonyms.sh
var files embed.FS

// A Section is a heading of a page with the text down to the next heading.
type Section struct {
	Page    string // "statistics" for statistics.md
	Heading string // without #
	Level   int    // of the heading; 1 is the title of the page
	Text    string // with the heading
	Asked   string // other words of readers for the heading, from the comment <!-- asked: … --> below it
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
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	comment = regexp.MustCompile(`^<!-- (.*) -->$`) // for the tests of a block, on a line of its own
	blanks  = regexp.MustCompile(`\n{3,}`)
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
		if m := comment.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !fenced {
			if words, ok := strings.CutPrefix(m[1], "asked: "); ok && len(all) > 0 {
				all[len(all)-1].Asked += " " + words
			}
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
		case m != nil && !strings.HasPrefix(m[1], "asked: "):
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

// answerWords are about as many words as a reader reads in 20 s: an answer has no more, except to the end of its
// paragraph, table row or block.
const answerWords = 80

// Answer is the beginning of a section without its heading, with the topics that it links to in brackets: the
// paragraphs, rows and blocks that begin within answerWords, and tables and lists that begin within two thirds of
// them. whole states whether that is all.
func (s Section) Answer() (text string, whole bool) {
	_, body, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
	if body = strings.Trim(body, "\n"); body == "" {
		return s.contents(), true
	}
	body = blanks.ReplaceAllString(body, "\n\n") // where a comment was
	words, at, fenced := 0, 0, false
	previous := "\n" // line
	for line := range strings.Lines(body) {
		begins := previous == "\n" && !strings.HasPrefix(line, "    ")
		row := strings.HasPrefix(line, "|") || strings.HasPrefix(line, "- ")
		if !fenced && (words >= answerWords && (begins || row) || words >= answerWords*2/3 && begins && row) {
			break
		}
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		for w := range strings.FieldsSeq(line) {
			if strings.ContainsFunc(w, letter) {
				words++
			}
		}
		at += len(line)
		previous = line
	}
	text, whole = strings.TrimRight(body[:at], "\n"), at == len(body)
	if i := strings.LastIndex(text, "\n\n"); !whole && i >= 0 && strings.HasSuffix(text, ":") {
		text = text[:i] // without the paragraph that leads to the next block
	}
	return s.targets(text), whole
}

// contents are the sections of a page whose title has no text of its own.
func (s Section) contents() (text string) {
	for _, o := range Sections() {
		if o.Page == s.Page && o.Level == s.Level+1 {
			text += "- " + o.Heading + " [" + o.Topic() + "]\n"
		}
	}
	return strings.TrimRight(text, "\n")
}

// targets writes links as readers of a terminal need them: [TEXT](PAGE.md#ANCHOR) as TEXT [PAGE#ANCHOR], the topic, or
// with the address outside the documentation. Files of the source have none.
func (s Section) targets(text string) string {
	return link.ReplaceAllStringFunc(text, func(l string) string {
		parts := link.FindStringSubmatch(l)
		page, anchor, part := strings.Cut(parts[2], "#")
		switch {
		case strings.Contains(page, "://"):
			return parts[1] + " [" + parts[2] + "]"
		case page == "" && part:
			return parts[1] + " [" + s.Page + "#" + anchor + "]"
		case Read(page) == "":
			return parts[1]
		case part:
			anchor = "#" + anchor
		}
		return parts[1] + " [" + strings.TrimSuffix(page, ".md") + anchor + "]"
	})
}
