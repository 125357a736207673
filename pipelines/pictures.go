package pipelines

import (
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/role"
)

// leaveOutPictures takes out the stages that would draw the cohort's regions at places that nobody knows:
// without a label image, and with a node list without centroids, as of most files of series. A note says so.
// Optional inputs from them stay unconnected; a stage that something needs stays, and says itself what it lacks.
func (l *loader) leaveOutPictures() {
	if l.roster == nil || l.roster.Nodes == nil {
		return
	}
	if at, err := column.NodePlaces(l.roster.Nodes); err != nil || at != nil {
		return
	}
	var out []*stage
	for _, s := range l.stages {
		if s.kind == nil || s.vague || s.loose {
			continue
		}
		if role.Port(s.work, role.Positions) != "" && s.takesNodesOnly() && !l.needed(s) {
			out = append(out, s)
			l.note("stage %s is omitted: the regions' positions are unknown. Connect a label image (parcels), or give a node list with the centroids (columns x, y, z, in mm)", s.name)
		}
	}
	gone := func(s source) bool {
		return s.producer != nil && s.producer.of != nil && slices.Contains(out, s.producer.of)
	}
	l.stages = slices.DeleteFunc(l.stages, func(s *stage) bool { return slices.Contains(out, s) })
	for _, s := range l.stages {
		for i := range s.links {
			s.links[i].from = slices.DeleteFunc(s.links[i].from, gone)
		}
		s.links = slices.DeleteFunc(s.links, func(k link) bool { return len(k.from) == 0 })
	}
}

// takesNodesOnly reports whether a stage is connected to the cohort's node list, and to no label image.
func (s *stage) takesNodesOnly() bool {
	nodes := false
	for _, k := range s.links {
		for _, from := range k.from {
			if k.port.Name == role.Port(s.work, role.Positions) {
				return false
			}
			nodes = nodes || k.port.Name == "nodes" && from.producer != nil && from.producer.name == "cohort"
		}
	}
	return nodes
}

// needed reports whether a stage cannot do without results of another one.
func (l *loader) needed(of *stage) bool {
	for _, s := range l.stages {
		for _, k := range s.links {
			others := slices.ContainsFunc(k.from, func(f source) bool {
				return f.producer == nil || f.producer.of != of
			})
			if !k.port.Optional && !others {
				return true
			}
		}
	}
	return false
}
