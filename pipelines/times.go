package pipelines

import (
	"fmt"
	"strings"
)

// A timed Stage takes a repetition time from one of several sources: TimeFrom is parameter, sidecar or header,
// where the ports that has names are connected; "" where the stage takes that of the stage before it.
type timed interface {
	TimeFrom(has func(port string) bool) string
}

// noteTimes says which repetition time each stage uses, where a scan's sidecar and its header contradict each other.
func (l *loader) noteTimes() {
	if l.roster == nil || !l.roster.TimesApart {
		return
	}
	var used []string
	for _, s := range l.stages {
		if len(s.nodes) == 0 {
			continue
		}
		n := &s.nodes[0]
		work, ok := n.Work.(timed)
		if !ok {
			continue
		}
		from := work.TimeFrom(func(port string) bool {
			for _, b := range n.Inputs {
				if b.Port == port && len(b.Sources) > 0 {
					return true
				}
			}
			return false
		})
		if from != "" {
			used = append(used, fmt.Sprintf("%s uses that of the %s", s.name, map[string]string{"parameter": "parameter tr", "sidecar": "sidecar", "header": "header"}[from]))
		}
	}
	if used != nil {
		l.note("repetition time: %s", strings.Join(used, ", "))
	}
}
