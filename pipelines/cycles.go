package pipelines

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// mostCycles are reported: each costs a walk along all its stages.
const mostCycles = 20

// checkCycles finds stages that need each other. The message starts at the one
// that stands first in the file.
func (l *loader) checkCycles() {
	place := lists.Places(l.stages)                       // in the file
	visited, depth := map[*stage]bool{}, map[*stage]int{} // depth: along the path, from 1; 0 beside it
	cycles := 0
	var path []*stage
	var visit func(s *stage)
	visit = func(s *stage) {
		visited[s] = true
		path = append(path, s)
		depth[s] = len(path)
		for _, k := range s.links {
			for i := range k.from {
				p := k.from[i].producer
				if p == nil || p.of == nil || cycles > mostCycles {
					continue
				}
				if !visited[p.of] {
					visit(p.of)
				} else if at := depth[p.of]; at > 0 {
					if cycles++; cycles > mostCycles {
						l.bad.Add(k.from[i].pos, "there are more than %d cycles of stages: the rest is not listed", mostCycles)
						continue
					}
					l.cycle(path[at-1:], place)
				}
			}
		}
		path = path[:len(path)-1]
		depth[s] = 0
	}
	for _, s := range l.stages {
		if !visited[s] {
			visit(s)
		}
	}
}

func (l *loader) cycle(path []*stage, place map[*stage]int) {
	first := 0
	for i, s := range path {
		if place[s] < place[path[first]] {
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
	l.bad.Add(pos, "the stages form a cycle: %s: remove one of these references", words.Needs(names))
}
