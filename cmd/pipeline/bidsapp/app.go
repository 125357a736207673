// Package bidsapp gives the program the command line, the input and the output of a BIDS App.
package bidsapp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
)

// An App is one call of the program as a BIDS App.
type App struct {
	In, Out, Level string // as typed; Study makes them absolute

	Workers int
	Memory  float64  // GB
	Sets    []string // --set

	participants, sessions, tasks []string
	derivatives, filter           string
	group, freesurfer             string
	pipeline, work                string
	change                        bool
}

// Flags adds the flags of a BIDS App.
func (b *App) Flags(f *pflag.FlagSet) {
	f.SetNormalizeFunc(flagName)
	f.StringArrayVar(&b.participants, "participant-label", nil, "only these `LABELS`, with or without sub- (default: all participants)")
	f.StringArrayVar(&b.sessions, "session-label", nil, "take the scans of these session `LABELS`, with or without ses- (default: all)")
	f.StringArrayVarP(&b.tasks, "task-id", "t", nil, "take the scans of these task `LABELS`, with or without task- (default: all)")
	f.StringVar(&b.filter, "bids-filter-file", "", "select scans by the entities under bold in the JSON `FILE`, as for fMRIPrep")
	f.StringVarP(&b.derivatives, "derivatives", "d", "", "fMRIPrep's derivatives are in `DIR`, or NAME=DIR (default: searched for in and beside BIDS_DIR)")
	f.StringVar(&b.freesurfer, "fs-subjects-dir", "", "FreeSurfer's subjects `DIR` (default: searched for in the derivatives and beside them)")
	f.StringVar(&b.group, "group", "", "the `COLUMN` of participants.tsv with the groups (default: group)")
	f.StringVar(&b.pipeline, "pipeline", "", "run this pipeline `FILE`, with a cohort of the kind bids, instead of biopoint.yaml")
	f.BoolVar(&b.change, "change-settings", false, "accept settings that differ from OUTPUT_DIR/prgnn.yaml, and write them there")
	f.StringVarP(&b.work, "work-dir", "w", "", "keep the store in `DIR`/prgnn, for all jobs (default: OUTPUT_DIR/.pipeline)")
	f.IntVar(&b.Workers, "n-cpus", 0, "run at most `N` tasks at once (default: one for each CPU)")
	f.Float64Var(&b.Memory, "mem-gb", 0, "limit the memory of all running tasks together to `GB`")
	f.Bool("skip-bids-validation", false, "accepted for compatibility with other BIDS Apps: no validator is run")
}

// Check finds what is wrong with the values alone.
func (b *App) Check() error {
	switch {
	case b.Level != "participant" && b.Level != "group":
		return fmt.Errorf("there is no analysis level %q (choose participant or group)", b.Level)
	case b.Workers < 0:
		return errors.New("--n-cpus cannot be negative")
	case !(b.Memory >= 0 && b.Memory*1e9 < math.MaxInt64): // NaN too
		return fmt.Errorf("--mem-gb takes a number of GB from 0, not %v", b.Memory)
	case b.Memory > 0 && b.Memory*1e9 < machine.LeastMemory:
		return fmt.Errorf("--mem-gb %v is less than the program itself takes: give GB, such as 4", b.Memory)
	}
	return nil
}

// flagName is a flag's name as other BIDS Apps spell it.
func flagName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	if name == "nprocs" || name == "nthreads" {
		name = "n-cpus"
	}
	return pflag.NormalizedName(name)
}

// Chosen are the participants that --participant-label names, or all.
func (b *App) Chosen(p *pipelines.Pipeline) ([]string, error) {
	if p.Roster == nil {
		return nil, fmt.Errorf("%s has no cohort: a BIDS App needs one of the kind bids", p.File)
	}
	all := lists.Map(p.Roster.Subjects, func(s cohort.Subject) string { return s.ID })
	var chosen, unknown []string
	if b.participants == nil {
		return all, nil
	}
	for _, label := range b.participants {
		id := "sub-" + strings.TrimPrefix(label, "sub-")
		switch left := slices.IndexFunc(p.Roster.Left, func(l listed.LeftOut) bool { return l.ID == id }); {
		case slices.Contains(all, id):
			chosen = append(chosen, id)
		case left >= 0:
			unknown = append(unknown, fmt.Sprintf("%s (%s)", label, p.Roster.Left[left].Why))
		default:
			if meant := listed.SameNumber(label, all); meant != nil {
				label += " (did you mean " + strings.Join(meant, " or ") + "?)"
			}
			unknown = append(unknown, label)
		}
	}
	if unknown != nil {
		return nil, fmt.Errorf("--participant-label: no such participants: %s; nothing was run\n  there are %s", strings.Join(unknown, ", "), words.Some(all, 20))
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// Exclude is the --set that excludes all participants but the chosen ones, and those already excluded; ""
// when all are chosen.
func Exclude(p *pipelines.Pipeline, chosen []string) string {
	if len(chosen) == len(p.Roster.Subjects) {
		return ""
	}
	out := p.Roster.Excluded()
	for _, s := range p.Roster.Subjects {
		if !slices.Contains(chosen, s.ID) {
			out = append(out, s.ID)
		}
	}
	for i, id := range out {
		out[i] = quote(id)
	}
	return "cohort.exclude=[" + strings.Join(out, ", ") + "]"
}

// Alone are the tasks of these participants that depend on no other participant.
func Alone(g *dag.Graph, chosen []string) []string {
	const several = "*"
	whose := map[*dag.Node]string{}
	var of func(n *dag.Node) string
	of = func(n *dag.Node) string {
		if who, known := whose[n]; known {
			return who
		}
		who := ""
		join := func(other string) {
			if who == "" {
				who = other
			} else if other != "" && other != who {
				who = several
			}
		}
		for _, c := range n.Coords() {
			if c.Axis == "subject" {
				join(c.Value)
			}
		}
		for src := range n.Upstream() {
			join(of(src.Node))
		}
		whose[n] = who
		return who
	}
	var ids []string
	for n := range g.Tasks() {
		own := slices.ContainsFunc(n.Coords(), func(c dag.Coord) bool { return c.Axis == "subject" })
		if own && slices.Contains(chosen, of(n)) {
			ids = append(ids, n.ID())
		}
	}
	return ids
}
