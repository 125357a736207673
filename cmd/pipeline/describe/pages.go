package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/docs"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// A topicEvent is a section of the documentation.
type topicEvent struct {
	Topic   string `json:"topic"`
	Heading string `json:"heading"`
	Text    string `json:"text,omitempty"`
}

// Topics lists the pages of the documentation.
func Topics(a *console.Console) {
	list(a, titles())
	a.Note("pipeline docs TOPIC prints a page, pipeline docs --search WORDS an answer")
}

// Topic prints a page or a section.
func Topic(a *console.Console, topic string) error {
	text := docs.Read(topic)
	if text == "" {
		remedy := words.DidYouMean(topic, lists.Map(titles(), docs.Section.Topic))
		if found, _, _ := docs.Search(strings.Fields(topic)); remedy == "" && len(found) > 0 {
			remedy = fmt.Sprintf(" (%s has the word)", found[0].Topic())
		}
		return exit.Wrongf("the documentation has no topic %q%s; pipeline docs lists the pages", topic, remedy)
	}
	if a.JSON {
		heading, _, _ := strings.Cut(strings.TrimLeft(text, "# "), "\n")
		a.Object("topic", topicEvent{topic, heading, text})
		return nil
	}
	_, err := fmt.Fprint(a.Out, text)
	return err
}

// most are the sections that a search prints.
const most = 12

// Search prints the first lines of the section that is most about the words, and lists others.
func Search(a *console.Console, query string) error {
	found, lacks, about := docs.Search(strings.Fields(query))
	switch {
	case len(found) == 0:
		return exit.Wrongf("no section of the documentation contains a word of %q", query)
	case lacks != nil:
		a.Note("the first section does not have the %s %s", words.Verb(len(lacks), "word", "words"),
			words.Some(lists.Map(lacks, strconv.Quote), 6))
	case !about:
		a.Note("no heading has these words: the first section only mentions them")
	}
	answer, whole := found[0].Answer()
	if a.JSON {
		a.Object("topic", topicEvent{found[0].Topic(), found[0].Heading, answer})
		list(a, found[1:min(len(found), most)])
	} else {
		fmt.Fprintf(a.Out, "%s  %s\n\n%s\n", found[0].Topic(), found[0].Heading, answer)
		if !whole {
			fmt.Fprintf(a.Out, "\n(all of it: %s)\n", a.Command("docs", found[0].Topic()))
		}
		if len(found) > 1 {
			fmt.Fprintln(a.Out, "\nOther sections:")
			list(a, found[1:min(len(found), most)])
		}
	}
	if more := len(found) - most; more > 0 {
		a.Note("%s %s these words; add a word to narrow the search", words.Count(more, "more section"),
			words.Verb(more, "has", "have"))
	}
	return nil
}

func titles() []docs.Section {
	return slices.DeleteFunc(slices.Clone(docs.Sections()), func(s docs.Section) bool { return s.Level != 1 })
}

func list(a *console.Console, sections []docs.Section) {
	grid := console.Grid{Wide: a.Wide()}
	for _, s := range sections {
		if a.JSON {
			a.Object("topic", topicEvent{s.Topic(), s.Heading, ""})
		}
		grid.Add(s.Topic(), s.Heading)
	}
	if !a.JSON {
		grid.Print(a.Out)
	}
}
