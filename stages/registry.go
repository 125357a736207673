// Package stages joins the topics: it knows all stage kinds and all cohort kinds by
// name. A lab's own program adds its kinds with Register.
package stages

//go:generate go run prgnn/dag/codeid .

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	_ "prgnn"                   // the sources of the kinds
	_ "prgnn/artifacts/parquet" // a user's table, as an input of a stage, may be Parquet
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/assess"
	"prgnn/stages/assess/leakage"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/simulate"
	"prgnn/stages/command"
	"prgnn/stages/figure"
	"prgnn/stages/learn"
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/present"
	"prgnn/stages/present/tables"
	"prgnn/stages/wording"
)

//go:embed codes.txt
var codesText string

// codes are the code identities of the stage kinds, by name.
var codes = dag.Codes(codesText)

func init() { dag.TableWarnings = wording.Warnings }

// registered are the kinds of a lab's own program.
var registered [][]dag.Kind

// Register adds a stage kind of a lab's own program; a second kind of one name is a
// bug and panics.
func Register(k dag.Kind) {
	if _, twice := Lookup(k.Name); twice {
		panic("stages: kind " + k.Name + " registered twice")
	}
	registered = append(registered, []dag.Kind{k})
}

// Own reports whether a kind was added by Register.
func Own(k *dag.Kind) bool {
	return slices.ContainsFunc(registered, func(kinds []dag.Kind) bool { return kinds[0].Name == k.Name })
}

var coded sync.Once

// topics are the kinds of all topics, with their code identities. A kind has one place
// in memory: executors compare them by it.
func topics() [][]dag.Kind {
	all := [][]dag.Kind{simulate.Kinds, extract.Kinds, prepare.Kinds, learn.Kinds, assess.Kinds, leakage.Kinds,
		figure.Kinds, present.Kinds, tables.Kinds, command.Kinds}
	coded.Do(func() {
		for _, kinds := range all {
			for i := range kinds {
				kinds[i].Code = codes[kinds[i].Name]
			}
		}
	})
	return append(all, registered...)
}

// Lookup finds a stage kind.
func Lookup(name string) (*dag.Kind, bool) {
	for _, kinds := range topics() {
		for i := range kinds {
			if kinds[i].Name == name {
				return &kinds[i], true
			}
		}
	}
	return nil, false
}

// Unknown is the error for a name that is no stage kind; names are those to choose from.
func Unknown(name string, names []string) error {
	for _, k := range Kinds() {
		if slices.Contains(k.Former, name) {
			return fmt.Errorf("the stage kind %q is now a model of the kind %s: write use: %s, with: { model: %s, … }",
				name, k.Name, k.Name, name)
		}
	}
	return fmt.Errorf("there is no stage kind %q%s", name, words.OrAll(name, names))
}

// Kinds are all stage kinds, by name.
func Kinds() []*dag.Kind {
	var all []*dag.Kind
	for _, kinds := range topics() {
		for i := range kinds {
			all = append(all, &kinds[i])
		}
	}
	slices.SortFunc(all, func(a, b *dag.Kind) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

var registeredSources []cohort.Source // of a lab's own program

// RegisterCohort adds a cohort kind of a lab's own program.
func RegisterCohort(c cohort.Source) {
	if slices.ContainsFunc(Cohorts(), func(o cohort.Source) bool { return o.Name == c.Name }) {
		panic("stages: cohort " + c.Name + " registered twice")
	}
	registeredSources = append(registeredSources, c)
}

// Cohorts are all cohort kinds, by name.
func Cohorts() []cohort.Source {
	all := slices.Concat(cohort.Sources, []cohort.Source{simulate.Source}, registeredSources)
	slices.SortFunc(all, func(a, b cohort.Source) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
