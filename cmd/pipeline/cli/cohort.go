package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/cohort"
)

func (a *app) cohortCommand() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:   "cohort FILE",
		Short: "who takes part, with which files, and why anybody is left out",
		Long: `Finds the participants of a pipeline file and prints a line for each: its group, which files
it has, and what is wrong with it, if anything; then those of the table who take no part, each
with the reason; then the numbers. Nothing is run. -v names the files.`,
		Example: `  pipeline cohort biopoint.yaml
  pipeline cohort rest40.yaml --set data=scans --set cohort.select='age >= 18'
  pipeline cohort biopoint.yaml --json | jq -r 'select(.state == "left out") | .participant'`,
		Args:              exactly(1),
		ValidArgsFunction: completeFile,
		RunE:              func(_ *cobra.Command, args []string) error { return a.cohort(args[0], sets) },
	}
	setFlag(cmd, &sets)
	return cmd
}

// A participantEvent is one participant of the table.
type participantEvent struct {
	Event       string            `json:"event"` // "participant"
	Participant string            `json:"participant"`
	State       string            `json:"state"` // taken, unusable or left out
	Group       string            `json:"group,omitempty"`
	Files       map[string]string `json:"files,omitempty"` // by port
	Runs        []cohort.Run      `json:"runs,omitempty"`  // with their files, where the cohort takes all
	Reason      string            `json:"reason,omitempty"`
}

func (a *app) cohort(file string, sets []string) error {
	p, err := a.load(file, sets)
	if err != nil {
		return err
	}
	if p.Roster == nil {
		return exit.Wrongf("%s has no cohort", file)
	}
	people := participants(p)
	if a.JSON {
		for _, e := range people {
			a.Object(e)
		}
		return nil
	}
	a.printPeople(p, people)
	return nil
}

// participants are those of the roster, then those who take no part.
func participants(p *pipelines.Pipeline) []participantEvent {
	r := p.Roster
	groups := map[string]string{}
	if ids, err := r.Participants.Strings("participant_id"); err == nil {
		if of, err := r.Participants.Strings("group"); err == nil {
			for i, id := range ids {
				groups[id] = of[i]
			}
		}
	}
	var people []participantEvent
	for _, s := range r.Subjects {
		e := participantEvent{"participant", s.ID, "taken", groups[s.ID], s.Files, s.Runs, ""}
		if s.Problem != nil {
			e.State, e.Reason = "unusable", s.Problem.Error()
		}
		people = append(people, e)
	}
	for _, l := range r.Left {
		people = append(people, participantEvent{Event: "participant", Participant: l.ID, State: "left out", Reason: l.Why})
	}
	return people
}

func (a *app) printPeople(p *pipelines.Pipeline, people []participantEvent) {
	ports := slices.Sorted(maps.Keys(p.Roster.Files))
	g := console.Grid{}
	g.Add(append(append([]string{"participant", "group"}, ports...), "")...)
	numbers, groups := map[string]int{}, map[string]int{}
	for _, e := range people {
		numbers[e.State]++
		if e.State != "left out" {
			groups[e.Group]++
		}
		row := []string{e.Participant, e.Group}
		for _, port := range ports {
			row = append(row, a.fileCell(p.Roster, e, port))
		}
		if e.State != "taken" {
			row = append(row, e.State+": "+e.Reason)
		}
		g.Add(row...)
	}
	g.Print(a.Out)
	fmt.Fprintln(a.Out)
	for _, n := range slices.Concat(p.Here, p.Notes) {
		fmt.Fprintln(a.Out, n)
	}
	fmt.Fprintf(a.Out, "%s: %d taken, %d unusable, %d left out\n", words.Count(len(people), "participant"), numbers["taken"], numbers["unusable"], numbers["left out"])
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if name != "" {
			fmt.Fprintf(a.Out, "  %s: %d\n", name, groups[name])
		}
	}
}

// fileCell says whether a participant has the file of a port; with -v, which.
func (a *app) fileCell(r *cohort.Roster, e participantEvent, port string) string {
	switch path, ok := e.Files[port]; {
	case e.State == "left out":
		return ""
	case r.Make != nil:
		return "made"
	case r.PerRun:
		var names []string
		for _, run := range e.Runs {
			if path, ok := run.Files[port]; ok && a.Verbose {
				names = append(names, filepath.Base(path))
			} else if ok {
				names = append(names, run.Name)
			}
		}
		return strings.Join(names, " ")
	case !ok:
		return "–"
	case a.Verbose:
		return filepath.Base(path)
	}
	return "yes"
}
