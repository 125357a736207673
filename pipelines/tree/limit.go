package tree

import (
	"bytes"
	"slices"

	"prgnn/dag"
)

// maxExpanded bounds what the aliases of a file come to, and what its variables come to,
// once they are written out. In bytes: of the texts, and valueCost for each value. A Node takes three times as much,
// so a file takes 50 MB at most; a file that names 100,000 participants is read.
const (
	maxExpanded = 16 << 20
	valueCost   = 128
)

// NewRoom is the room of one pipeline file with all that it extends.
func NewRoom(bad *Mistakes) *Room { return &Room{maxExpanded, bad} }

// A Room is what may still be written out.
type Room struct {
	left int // bytes
	bad  *Mistakes
}

// mayHold reports whether the values of a text fit, by its commas, colons and dashes: the parser takes a kB for each.
func (r *Room) mayHold(text []byte, pos dag.Pos) bool {
	n := max(bytes.Count(text, []byte(",")), bytes.Count(text, []byte(":")), bytes.Count(text, []byte("\n- ")))
	return n*valueCost <= max(r.left, 0) || r.take(n*valueCost, pos)
}

// take reports whether n more bytes fit. The first time that they do not, it adds a mistake.
func (r *Room) take(n int, pos dag.Pos) bool {
	if n <= r.left {
		r.left -= n
		return true
	}
	if r.left >= 0 {
		r.bad.Add(pos, "the file is larger than %d MiB once its aliases and variables are written out", maxExpanded>>20)
	}
	r.left = -1
	return false
}

// takeTree takes the room of a value with all that it holds.
func (r *Room) takeTree(t *Node, pos dag.Pos) bool {
	if !r.take(valueCost+len(t.Text), pos) {
		return false
	}
	for _, item := range t.Items {
		if !r.takeTree(item, pos) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Keys, func(k Key) bool { return !r.takeTree(k.Value, pos) })
}
