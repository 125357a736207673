package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

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

// auditAgainst compares what is stored here with the results of other places,
// without running anything.
func (a *app) auditAgainst(au audit) error {
	g, here, done, err := a.resultsHere(au)
	if err != nil {
		return err
	}
	defer done()
	chosen := map[*dag.Node]bool{}
	if len(au.stages) > 0 {
		nodes, err := g.Select(au.stages...)
		if err != nil {
			return wrong(err)
		}
		for _, n := range nodes {
			chosen[n] = true
		}
	}
	sum := auditEvent{Event: "audit"}
	var hosts []host
	for _, place := range au.against {
		there, done, err := a.resultsThere(g, place, au.signedBy)
		if err != nil {
			return err
		}
		defer done()
		h := host{there: there, states: map[*dag.Node]string{}}
		c := comparison{g, here, there}
		events, _, err := a.verdicts([]comparison{c}, []int{0}, nil)
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
			return fmt.Errorf("%s holds no result of this pipeline", h.e.Place)
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
func (a *app) printHosts(g *dag.Graph, here proof.Results, hosts []host) {
	if a.json {
		for _, h := range hosts {
			a.object(h.e)
			for i, e := range h.events {
				a.audited(e, h.nodes[i])
			}
		}
		return
	}
	t := grid{}
	head, platforms := []string{"stage"}, []string{here.Platform}
	for _, h := range hosts {
		head, platforms = append(head, h.e.Place), append(platforms, cmp.Or(h.e.Platform, "?"))
	}
	t.add(head...)
	t.add(platforms...)
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
				text += fmt.Sprintf(", %d as may be", n["allowed"])
			}
			if n["absent"] > 0 && n["absent"] < len(s.Tasks) {
				text += fmt.Sprintf(", %d absent", n["absent"])
			}
			some = some || n[""] < len(s.Tasks)
			row = append(row, text)
		}
		if some {
			t.add(row...)
		}
	}
	t.print(a.out)
	for _, h := range hosts {
		if h.e.Different == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", a.page.bold(h.e.Place))
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
			fmt.Fprintf(a.out, "in consequence %d more differ; -v names them\n", follow)
		}
	}
	fmt.Fprintln(a.out)
}

// resultsHere are those of a pipeline file in its store, or of a lock.
func (a *app) resultsHere(au audit) (*dag.Graph, proof.Results, func(), error) {
	if au.lock != "" {
		l, err := readLock(au.lock)
		if err != nil {
			return nil, proof.Results{}, nil, err
		}
		dir := filepath.Dir(au.lock)
		p, err := a.loadLock(l, au.lock, dir, au.sets)
		if err != nil {
			return nil, proof.Results{}, nil, err
		}
		return p.Graph, proof.OfLock(au.lock, l), func() {}, nil
	}
	c, err := a.look(au.file, au.sets)
	if err != nil {
		return nil, proof.Results{}, nil, err
	}
	here := c.results()
	here.Platform = dag.ThisProgram().Platform
	return c.pipeline.Graph, here, func() { c.store.Close() }, nil
}

// resultsThere are those of a store (of the last run of the pipeline that is
// recorded in it), of a lock, or of a statement.
func (a *app) resultsThere(g *dag.Graph, place, key string) (proof.Results, func(), error) {
	none := proof.Results{}
	info, err := os.Stat(place)
	if err != nil {
		return none, nil, wrongf("there is no store, lock or statement %s", place)
	}
	if !info.IsDir() {
		r, err := a.readResults(place, key)
		return r, func() {}, err
	}
	store := a.openThere(place)
	if store == nil {
		return none, nil, wrongf("%s is no store: it has no file version", place)
	}
	done := func() { store.Close() }
	runs, _ := store.Runs() // damaged records are as good as none here
	for _, r := range runs {
		if r.Pipeline != g.Name || r.Finished.IsZero() {
			continue
		}
		full, err := store.LoadRun(r.ID)
		if err != nil {
			continue
		}
		rec, err := dag.ReadRecord(full)
		if err != nil {
			continue
		}
		out := proof.OfRecord(store, rec)
		out.Name = place
		return out, done, nil
	}
	done()
	return none, nil, wrongf("%s has no finished run of the pipeline %s", place, g.Name)
}
