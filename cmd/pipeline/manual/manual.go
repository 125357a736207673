// Package manual writes the commands' help as a manual page.
package manual

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Write writes the page of a tree of commands for man(1): a section with each command's text,
// flags and examples. It holds no date, so that one version has one page.
func Write(w io.Writer, root *cobra.Command, version string) error {
	p := &page{w: w}
	p.line(".TH %s 1 \"\" \"%s %s\" \"User Commands\"", strings.ToUpper(root.Name()), root.Name(), version)
	p.line(".SH NAME\n%s \\- %s", root.Name(), escape(root.Short))
	p.line(".SH SYNOPSIS\n.B %s", escape(root.Use))
	p.line(".SH DESCRIPTION")
	p.text(root.Long)
	p.line(".SH OPTIONS OF EVERY COMMAND")
	p.flags(root.PersistentFlags())
	p.line(".SH COMMANDS")
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		p.line(".SS %s", escape(c.UseLine()))
		p.text(cmp.Or(c.Long, c.Short))
		p.flags(c.LocalNonPersistentFlags())
		if c.Example != "" {
			p.line(".PP\nExample:")
			p.verbatim(c.Example)
		}
	}
	return p.err
}

type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// text writes paragraphs. Those with an indented line stay as they are.
func (p *page) text(s string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		p.line(".PP")
		if strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  ") {
			p.verbatim(paragraph)
		} else {
			p.line("%s", escape(paragraph))
		}
	}
}

func (p *page) verbatim(s string) { p.line(".nf\n%s\n.fi", escape(strings.Trim(s, "\n"))) }

func (p *page) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.line(".TP\n.B %s\n%s", escape(strings.TrimSpace(name+" "+value)), escape(usage))
	})
}

// escape keeps roff from reading a text as requests: backslashes, hyphens that are to be
// copied, periods or apostrophes at the start of a line, and what is not ASCII.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		switch glyph, named := glyphs[r]; {
		case r < 0x80:
			b.WriteRune(r)
		case named:
			b.WriteString(glyph)
		default:
			fmt.Fprintf(&b, "\\[u%04X]", r)
		}
	}
	return b.String()
}

// glyphs are the characters that roff has a name for (groff_char(7)): every device can show those, or something like
// them.
var glyphs = map[rune]string{'…': "...", '×': `\[mu]`, '−': `\[mi]`, '–': `\[en]`, '±': `\[+-]`, '·': `\[pc]`,
	'→': `\[->]`, '≤': `\[<=]`, '≥': `\[>=]`, '°': `\[de]`, '²': `\[S2]`, '³': `\[S3]`, '√': `\[sr]`, '‖': `\[ba]\[ba]`,
	'α': `\[*a]`, 'γ': `\[*g]`, 'δ': `\[*d]`, 'λ': `\[*l]`, 'ρ': `\[*r]`, 'σ': `\[*s]`}
