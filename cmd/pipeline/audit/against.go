package audit

import (
	"cmp"
	"fmt"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/pipelines/proof"
)

// A hostEvent is one place with which results were compared.
type hostEvent struct {
	Event     string `json:"event"` // "host"
	Place     string `json:"place"`
	Platform  string `json:"platform,omitempty"`
	Program   string `json:"program,omitempty"`
	Tasks     int    `json:"tasks"`
	Identical int    `json:"identical"`
	Different int    `json:"different"`
	Absent    int    `json:"absent"`
}

// Against compares results with those of other places, without running anything. key is the
// public key that must have signed statements, "" for none.
func Against(con *console.Console, g *dag.Graph, here proof.Results, places []string, key string, o Options) error {
	a := &auditor{con, o}
	chosen := map[*dag.Node]bool{}
	if len(a.Stages) > 0 {
		nodes, err := g.Select(a.Stages...)
		if err != nil {
			return exit.Wrong(err)
		}
		for _, n := range nodes {
			chosen[n] = true
		}
	}
	sum := auditEvent{Event: "audit"}
	var hosts []host
	for _, place := range places {
		there, done, err := a.resultsThere(g, place, key)
		if err != nil {
			return err
		}
		defer done()
		h := host{there: there, states: map[*dag.Node]string{}}
		c := comparison{g, here, there}
		events, _, err := verdicts(nil, []comparison{c}, []int{0}, nil)
		if err != nil {
			return err
		}
		h.e = hostEvent{Event: "host", Place: place, Platform: there.Platform, Program: there.Program}
		for _, s := range g.Stages {
			for _, n := range s.Tasks {
				if len(chosen) > 0 && !chosen[n] {
					continue
				}
				e, ok := events[n]
				if !ok || e.State == "absent" || e.State == "failed" {
					h.states[n] = "absent"
					h.e.Absent++
					continue
				}
				h.e.Tasks++
				h.states[n] = e.State
				if e.State == "identical" || e.State == "allowed" {
					h.e.Identical++
				} else {
					h.e.Different++
				}
				sum.add(e.State)
				h.events = append(h.events, e)
				h.nodes = append(h.nodes, n)
			}
		}
		hosts = append(hosts, h)
	}
	a.printHosts(g, here, hosts)
	for _, h := range hosts {
		if h.e.Tasks == 0 {
			return fmt.Errorf("%s holds no results of this pipeline", h.e.Place)
		}
	}
	return a.endAudit(sum)
}

// A host is one place with which results were compared.
type host struct {
	there  proof.Results
	e      hostEvent
	states map[*dag.Node]string
	events []auditedEvent
	nodes  []*dag.Node
}

// printHosts shows a table, a line for each stage and a column for each place;
// then where differences begin.
func (a *auditor) printHosts(g *dag.Graph, here proof.Results, hosts []host) {
	if a.JSON {
		for _, h := range hosts {
			a.Object(h.e)
			for i, e := range h.events {
				a.audited(e, h.nodes[i])
			}
		}
		return
	}
	t := console.Grid{}
	head, platforms := []string{"stage"}, []string{here.Platform}
	for _, h := range hosts {
		head, platforms = append(head, h.e.Place), append(platforms, cmp.Or(h.e.Platform, "?"))
	}
	t.Add(head...)
	t.Add(platforms...)
	for _, s := range g.Stages {
		row := []string{s.Name}
		some := false
		for _, h := range hosts {
			n := map[string]int{}
			for _, task := range s.Tasks {
				n[h.states[task]]++
			}
			text := fmt.Sprintf("%d identical", n["identical"])
			switch {
			case n["different"] > 0:
				text = fmt.Sprintf("%d of %d differ", n["different"], n["different"]+n["identical"]+n["allowed"])
			case n["identical"]+n["allowed"] == 0:
				text = "no results"
			case n["allowed"] > 0:
				text += fmt.Sprintf(", %d within the promise", n["allowed"])
			}
			if n["absent"] > 0 && n["absent"] < len(s.Tasks) {
				text += fmt.Sprintf(", %d absent", n["absent"])
			}
			some = some || n[""] < len(s.Tasks)
			row = append(row, text)
		}
		if some {
			t.Add(row...)
		}
	}
	t.Print(a.Out)
	for _, h := range hosts {
		if h.e.Different == 0 {
			continue
		}
		fmt.Fprintf(a.Out, "\n%s\n", a.Page.Bold(h.e.Place))
		follow := 0
		for i, e := range h.events {
			if e.State == "different" && e.From != nil {
				follow++
			}
			if e.State != "identical" {
				a.audited(e, h.nodes[i])
			}
		}
		if follow > 0 {
			fmt.Fprintf(a.Out, "%d downstream tasks differ too; -v names them\n", follow)
		}
	}
	fmt.Fprintln(a.Out)
}
