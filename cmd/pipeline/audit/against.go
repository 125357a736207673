package audit

import (
	"cmp"
	"fmt"
	"slices"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/pipelines/differ"
)

// A hostEvent is one place with which results were compared.
type hostEvent struct {
	Place     string `json:"place"`
	Platform  string `json:"platform,omitempty"`
	Program   string `json:"program,omitempty"`
	Tasks     int    `json:"tasks"`
	Identical int    `json:"identical"`
	Different int    `json:"different"`
	Absent    int    `json:"absent"`
}

// A host is one place with which results were compared.
type host struct {
	hostEvent
	outcomes []*differ.Outcome
}

// Against compares results with those of other places, without running anything. key is the
// public key that must have signed statements, "" for none.
func Against(con *console.Console, g *dag.Graph, here differ.Results, places []string, key string, o Options) error {
	a := start(con, o)
	nodes, err := a.chosen(g)
	if err != nil {
		return exit.Wrong(err)
	}
	chosen := lists.Set(nodes)
	var hosts []host
	for _, place := range places {
		there, done, err := a.resultsThere(g, place, key)
		if err != nil {
			return err
		}
		defer done()
		outcomes, err := differ.Compare(g, here, differ.Pass{Again: there})
		if err != nil {
			return err
		}
		h := host{hostEvent{Place: place, Platform: there.Platform, Program: there.Program}, nil}
		for _, o := range outcomes {
			switch {
			case !chosen[o.Node]:
				continue
			case o.Outputs == nil:
				o.State = differ.Absent
				h.Absent++
			case o.State == differ.Different:
				h.Different++
			default:
				h.Identical++
			}
			h.outcomes = append(h.outcomes, o)
		}
		h.Tasks = h.Different + h.Identical
		hosts = append(hosts, h)
	}
	if !a.JSON {
		a.table(g, here.Platform, hosts)
	}
	for _, h := range hosts {
		if !a.AsJSON("host", h.hostEvent) && h.Different > 0 {
			fmt.Fprintf(a.Out, "\n%s\n", a.Page.Bold(h.Place))
		}
		compared := slices.Clone(h.outcomes)
		compared = slices.DeleteFunc(compared, func(o *differ.Outcome) bool { return o.State == differ.Absent })
		if a.count(compared); a.JSON || h.Different > 0 {
			a.print(compared)
		}
	}
	if !a.JSON {
		fmt.Fprintln(a.Out)
	}
	for _, h := range hosts {
		if h.Tasks == 0 {
			return fmt.Errorf("%s holds no results of this pipeline", h.Place)
		}
	}
	return a.end()
}

// table prints a line for each stage and a column for each place.
func (a *auditor) table(g *dag.Graph, platform string, hosts []host) {
	t := console.Grid{Wide: a.Wide()}
	head, platforms := []string{"stage"}, []string{platform}
	for _, h := range hosts {
		head, platforms = append(head, h.Place), append(platforms, cmp.Or(h.Platform, "?"))
	}
	t.Add(head...)
	t.Add(platforms...)
	for _, s := range g.Stages() {
		row := []string{s.Name()}
		some := false
		for _, h := range hosts {
			n := map[differ.State]int{}
			for _, o := range h.outcomes {
				if o.Node.Stage() == s {
					n[o.State]++
				}
			}
			compared := n[differ.Identical] + n[differ.Allowed] + n[differ.Different]
			text := fmt.Sprintf("%d identical", n[differ.Identical])
			switch {
			case n[differ.Different] > 0:
				text = fmt.Sprintf("%d of %d differ", n[differ.Different], compared)
			case compared == 0:
				text = "no results"
			case n[differ.Allowed] > 0:
				text += fmt.Sprintf(", %d within the promise", n[differ.Allowed])
			}
			if n[differ.Absent] > 0 && compared > 0 {
				text += fmt.Sprintf(", %d absent", n[differ.Absent])
			}
			some = some || len(n) > 0
			row = append(row, text)
		}
		if some {
			t.Add(row...)
		}
	}
	t.Print(a.Out)
}
