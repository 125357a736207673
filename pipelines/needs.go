package pipelines

import (
	"time"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/pipelines/tree"
)

// resources are what stands under resources: of a stage, in place of what its kind
// says. They enter no key: no result depends on them.
type resources struct {
	CPUs   int    `param:"cpus" doc:"threads of a task" min:"1"`
	Memory string `param:"memory" doc:"that a task needs, such as 4G"`
	Time   string `param:"time" doc:"after which a cluster ends a task, such as 90m or 4h"`
}

func (l *loader) readNeeds(s *stage, t *tree.Node) (n dag.Needs) {
	if t != nil {
		l.vars.Resolve(t, nil)
	}
	t = l.wantMapping(t, "resources of stage "+s.name+" must be a mapping with cpus, memory and time")
	if t == nil {
		return n
	}
	owner := "resources of stage " + s.name
	var r resources
	l.fill(&r, t, owner, func(string) bool { return false })
	n.Threads = r.CPUs
	var err error
	if r.Memory != "" {
		if n.Memory, err = param.ParseSize(r.Memory); err != nil {
			l.bad.Add(t.Get("memory").Pos, "%s: memory: %v", owner, err)
		}
	}
	if r.Time != "" {
		if n.Time, err = time.ParseDuration(r.Time); err != nil || n.Time < time.Minute {
			l.bad.Add(t.Get("time").Pos, "%s: time: it must be at least a minute, such as 90m or 4h", owner)
		}
	}
	return n
}
