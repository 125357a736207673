package pipelines

import (
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// checkCycles finds stages that need each other. The message starts at the one
// that stands first in the file.
func (l *loader) checkCycles() {
	const visiting, visited = 1, 2
	state := map[*stage]int{}
	var path []*stage
	var visit func(s *stage)
	visit = func(s *stage) {
		state[s] = visiting
		path = append(path, s)
		for _, k := range s.links {
			for i := range k.from {
				p := k.from[i].producer
				if p == nil || p.of == nil {
					continue
				}
				switch state[p.of] {
				case 0:
					visit(p.of)
				case visiting:
					l.cycle(path[slices.Index(path, p.of):])
				}
			}
		}
		path = path[:len(path)-1]
		state[s] = visited
	}
	for _, s := range l.stages {
		if state[s] == 0 {
			visit(s)
		}
	}
}

func (l *loader) cycle(path []*stage) {
	first := 0
	for i, s := range path {
		if slices.Index(l.stages, s) < slices.Index(l.stages, path[first]) {
			first = i
		}
	}
	path = append(slices.Clone(path[first:]), path[:first]...)
	names := lists.Map(append(path, path[0]), func(s *stage) string { return s.name })
	next, pos := path[1%len(path)], path[0].pos
	for _, k := range path[0].links {
		for i := range k.from {
			if p := k.from[i].producer; p != nil && p.of == next {
				pos = k.from[i].pos
			}
		}
	}
	l.bad.Add(pos, "the stages form a cycle: %s: remove one of these references", strings.Join(names, " needs "))
}
