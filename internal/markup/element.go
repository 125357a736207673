package markup

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// ElementText is the text of a child of an XML document's outermost element; ""
// when there is none, or the document breaks before it.
func ElementText(b []byte, name string) string {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	depth := 0
	var text strings.Builder
	inside := false
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			inside = depth == 2 && token.Name.Local == name
		case xml.CharData:
			if inside {
				text.Write(token)
			}
		case xml.EndElement:
			if inside {
				return strings.TrimSpace(text.String())
			}
			depth--
		}
	}
}

// Markdown is a text as Markdown shows it: what it would take for markup is escaped. The brackets of pandoc's citations
// stay.
func Markdown(s string) string { return plainMarkdown.Replace(s) }

var plainMarkdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;",
	"](", `]\(`, "\n", " ")
