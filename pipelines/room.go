package pipelines

import (
	"prgnn/dag"
	"prgnn/pipelines/tree"
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
	l.bad.Add(pos, "stage %s: the names or texts of %.0f tasks, of up to %d characters each, take more than %d MiB", s.name, tasks, bytes, maxNames>>20)
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
func width(t *tree.Node, s *stage) int {
	n := len(t.Text)
	for _, p := range t.Parts {
		n += len(p.Literal) + s.axisWidth(p.Axis)
	}
	for _, item := range t.Items {
		n += width(item, s)
	}
	return n
}
