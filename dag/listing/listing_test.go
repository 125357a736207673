package listing

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The excerpt of some kinds is what their lines say, whatever else stands between them.
func TestExcerpt(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "ab", "b", "c", "p/q.A", "p/q.B", "p.A"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			words := strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "words"), " ")
			switch rapid.SampledFrom([]string{"kinds", "declaration", "place"}).Draw(t, "line") {
			case "kinds":
				text.WriteString("\nreached by " + words + "\n")
			case "declaration":
				text.WriteString(words + " 01.02\n")
			case "place":
				place := rapid.SampledFrom([]string{"p/q", "p"}).Draw(t, "package")
				text.WriteString("at file.go " + place + " A:1 B:2 " + words + "\n")
			}
		}
		var kinds []Kind
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "ab", "b"}), rapid.ID).Draw(t, "kinds")
		for _, name := range names {
			kinds = append(kinds, Kind{Name: name, Code: "kind " + name + " 00\n\n" + text.String()})
		}
		if got, want := Excerpt(kinds), excerptOf("\n\n"+text.String(), kinds); got != want {
			t.Fatalf("%q\ngot\n%s\nwant\n%s", text.String(), got, want)
		}
	})
}

// excerptOf is excerpt of one text, word by word.
func excerptOf(text string, kinds []Kind) string {
	if len(kinds) == 0 {
		return ""
	}
	var b strings.Builder
	wanted := map[string]bool{}
	in := false
	for line := range strings.Lines(text) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
			in = false
		case words[0] == "reached" && words[1] == "by":
			by := slices.DeleteFunc(words[2:], func(w string) bool {
				return !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Name == w })
			})
			if in = len(by) > 0; in {
				b.WriteString("\nreached by " + strings.Join(by, " ") + "\n")
			}
		case words[0] == "at":
			there := slices.DeleteFunc(words[3:], func(w string) bool {
				name, _, _ := strings.Cut(w, ":")
				return !wanted[words[2]+"."+name]
			})
			if len(there) > 0 {
				b.WriteString(strings.Join(words[:3], " ") + " " + strings.Join(there, " ") + "\n")
			}
		case in:
			b.WriteString(line)
			wanted[words[0]] = true
		}
	}
	return b.String() + "\n"
}
