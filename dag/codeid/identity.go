package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A writer writes what a kind reaches as one text in which no declaration has a
// name: each is called by its place in the order in which they are mentioned,
// beginning with the first. Two texts are equal just when one program becomes
// the other by giving its declarations other names and places.
type writer struct {
	*reach
	methodsOf map[*decl][]*decl // that may be called through an interface, by type
	number    map[*decl]int
	order     []*decl
	out       bytes.Buffer
}

// identity is the digest of the text.
func (r *reach) identity(start *decl) string {
	w := &writer{reach: r, methodsOf: map[*decl][]*decl{}, number: map[*decl]int{}}
	for d := range r.dynamic {
		w.methodsOf[d.receiver] = append(w.methodsOf[d.receiver], d)
	}
	for _, ms := range w.methodsOf {
		slices.SortFunc(ms, func(a, b *decl) int { return cmp.Compare(a.short, b.short) })
	}
	w.from(start)
	// What runs by itself is mentioned by nobody; its order is that of its text.
	for left := maps.Clone(r.inits); len(left) > 0; {
		var best string
		var first *decl
		for d := range left {
			if _, known := w.number[d]; known {
				delete(left, d)
				continue
			}
			trial := &writer{reach: r, methodsOf: w.methodsOf, number: maps.Clone(w.number),
				order: slices.Clip(w.order)}
			trial.from(d)
			if s := trial.out.String(); first == nil || s < best {
				best, first = s, d
			}
		}
		if first != nil {
			w.from(first)
			delete(left, first)
		}
	}
	for _, m := range sorted(r.modules) {
		fmt.Fprintf(&w.out, "module %s\n", m)
	}
	for _, path := range sorted(r.effects) {
		fmt.Fprintf(&w.out, "import %s\n", path)
	}
	return fmt.Sprintf("%x", sha256.Sum256(w.out.Bytes()))
}

// from writes a declaration and those that it mentions and that are not written
// yet, in turn.
func (w *writer) from(start *decl) {
	next := len(w.order)
	w.call(start)
	for ; next < len(w.order); next++ {
		w.write(w.order[next])
	}
}

// call is the number of a declaration.
func (w *writer) call(d *decl) int {
	n, ok := w.number[d]
	if !ok {
		n = len(w.order)
		w.number[d] = n
		w.order = append(w.order, d)
	}
	return n
}

func (w *writer) write(d *decl) {
	for _, v := range d.versions {
		w.version(v)
	}
	if w.names && d.isType {
		fmt.Fprintf(&w.out, "named %s\n", d.name[strings.LastIndexByte(d.name, '/')+1:])
	}
	for _, m := range w.methodsOf[d] {
		fmt.Fprintf(&w.out, "method #%d\n", w.call(m))
	}
	w.out.WriteByte(0)
}

func (w *writer) version(v *version) {
	if v.on != "" {
		fmt.Fprintf(&w.out, "on %s\n", v.on)
	}
	for _, p := range v.pieces {
		if p.to == nil {
			w.out.WriteString(p.text)
		} else {
			fmt.Fprintf(&w.out, " #%d%s", w.call(p.to), p.sub)
		}
	}
	w.out.WriteByte('\n')
}

// digest tells two states of one declaration apart, for a person: of its text, and
// after a dot of the names in it that stand for other declarations. So a change far
// below is no change of what stands on it, and neither is another name of what is
// mentioned a change of the text.
func (d *decl) digest() string {
	text, mentions := sha256.New(), sha256.New()
	for _, v := range d.versions {
		fmt.Fprintf(text, "%s\n", v.on)
		for _, p := range v.pieces {
			if p.to == nil {
				fmt.Fprint(text, p.text)
				continue
			}
			fmt.Fprint(text, " #")
			fmt.Fprintf(mentions, "%s%s\n", p.to.short, p.sub)
		}
		fmt.Fprintln(text)
	}
	return fmt.Sprintf("%.6x.%.3x", text.Sum(nil), mentions.Sum(nil))
}
