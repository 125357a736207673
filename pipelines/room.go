package pipelines

import "prgnn/dag"

// maxExpanded bounds what the aliases of a file come to, and what its variables come to,
// once they are written out. In bytes: of the texts, and valueCost for each value.
const (
	maxExpanded = 16 << 20
	valueCost   = 16
)

// maxNames bounds the names of tasks and the texts that are written out for each of them,
// in bytes, over the whole file.
const maxNames = 256 << 20

// fits reports whether names or texts of so many bytes can be written out for each of the
// tasks of a stage.
func (l *loader) fits(s *stage, pos dag.Pos, tasks float64, bytes int) bool {
	if l.texts -= tasks * float64(bytes); l.texts >= 0 {
		return true
	}
	l.texts = 0
	l.bad.add(pos, "stage %s: the names or texts of %.0f tasks, of up to %d characters each, take more than %d MiB", s.name, tasks, bytes, maxNames>>20)
	return false
}

// nameWidth is the length of the longest name that a task of the stage can have.
func (s *stage) nameWidth() int {
	n := len(s.name)
	for i := range s.axes {
		n += len(s.axes[i].name) + s.axisWidth(s.axes[i].name) + 2
	}
	return n
}

// axisWidth is the length of the longest value of an axis.
func (s *stage) axisWidth(name string) int {
	n := 0
	for _, a := range s.axes {
		if a.name != name {
			continue
		}
		for _, v := range a.values {
			n = max(n, len(v.text))
		}
	}
	return n
}

// width is the length of the longest text that t becomes for a task of the stage.
func (t *tree) width(s *stage) int {
	n := len(t.text)
	for _, p := range t.parts {
		n += len(p.literal) + s.axisWidth(p.axis)
	}
	for _, item := range t.items {
		n += item.width(s)
	}
	return n
}

// A room is what may still be written out.
type room struct {
	left int // bytes
	bad  *mistakes
}

// take reports whether n more bytes fit. The first time that they do not, it adds a mistake.
func (r *room) take(n int, pos dag.Pos) bool {
	if n <= r.left {
		r.left -= n
		return true
	}
	if r.left >= 0 {
		r.bad.add(pos, "the file is larger than %d MiB once its aliases and variables are written out", maxExpanded>>20)
	}
	r.left = -1
	return false
}

// takeTree takes the room of a value with all that it holds.
func (r *room) takeTree(t *tree, pos dag.Pos) bool {
	if !r.take(valueCost+len(t.text), pos) {
		return false
	}
	for _, item := range t.items {
		if !r.takeTree(item, pos) {
			return false
		}
	}
	for _, k := range t.keys {
		if !r.takeTree(k.value, pos) {
			return false
		}
	}
	return true
}
