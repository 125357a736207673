package fold

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A Duplicate is one scan under two ids: those of a participant and of a later one.
type Duplicate struct {
	First, Later         string
	How                  string // for an error: "have the same features"
	FirstFile, LaterFile string
}

// Twins are two inputs of one scan, of two participants.
func Twins(a, b dag.Input, how string) Duplicate {
	return Duplicate{a.Coord("subject"), b.Coord("subject"), how, filepath.Base(a.Name), filepath.Base(b.Name)}
}

// SamePair reports whether two duplicates are of the same participants.
func (d Duplicate) SamePair(other Duplicate) bool {
	return d.First == other.First && d.Later == other.Later
}

// Duplicates finds participants with the same features in draw 0 (Features.Same): one scan under two ids. (Random draws
// of one scan differ, for their streams are named by the id.) Models that see the same participants ask the same: the
// last answers are remembered. Features of which none is finite are refused. Those made in a fold (MadeInFold) are not
// compared.
func Duplicates(ins []dag.Input) ([]Duplicate, error) {
	a := answerFor(question(ins))
	a.Lock()
	defer a.Unlock()
	if !a.known {
		twins, err := findDuplicates(ins)
		if err != nil {
			return nil, err
		}
		a.twins, a.known = twins, true
	}
	return slices.Clone(a.twins), nil
}

func question(ins []dag.Input) artifacts.Digest {
	var of strings.Builder
	for _, in := range ins {
		fmt.Fprintf(&of, "%q %q %t %s\n", in.Coord("subject"), in.Name, MadeInFold(in), in.Ref.Digest)
	}
	return artifacts.DigestOf([]byte(of.String()))
}

// An answer of Duplicates, and of LeftOut; who asks meanwhile waits for it.
type answer struct {
	sync.Mutex
	known  bool
	twins  []Duplicate
	absent [][]bool // regions of each input that are missing or constant; nil: not known
}

var answers struct {
	sync.Mutex
	of   map[artifacts.Digest]*answer
	last []artifacts.Digest
}

func answerFor(question artifacts.Digest) *answer {
	const most = 64
	answers.Lock()
	defer answers.Unlock()
	a := answers.of[question]
	if a == nil {
		if len(answers.last) == most {
			delete(answers.of, answers.last[0])
			answers.last = answers.last[1:]
		}
		if answers.of == nil {
			answers.of = map[artifacts.Digest]*answer{}
		}
		a = &answer{}
		answers.of[question], answers.last = a, append(answers.last, question)
	}
	return a
}

func findDuplicates(ins []dag.Input) ([]Duplicate, error) {
	var all []Features
	var compared []dag.Input
	for _, in := range ins {
		a, err := in.Array() // the answer is shared
		if err != nil {
			return nil, err
		}
		if value := unknown(a); value != "" {
			return nil, fmt.Errorf("%s: no feature of %s is finite (draw 0: %s, and all others): exclude the participant, or look where the stage before it gets them from", in.Name, in.Coord("subject"), value)
		}
		if !MadeInFold(in) {
			all, compared = append(all, FeaturesOf(a)), append(compared, in)
		}
	}
	ins = compared
	type pair struct {
		first, later int
		how          string
	}
	var pairs []pair
	candidates(all, func(i, j int) {
		if i, j = min(i, j), max(i, j); ins[i].Coord("subject") != ins[j].Coord("subject") {
			if how := all[j].Same(all[i]); how != "" {
				pairs = append(pairs, pair{i, j, how})
			}
		}
	})
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.later, b.later), cmp.Compare(a.first, b.first))
	})
	var twins []Duplicate
	for _, p := range pairs {
		twins = append(twins, Twins(ins[p.first], ins[p.later], "have the same features ("+p.how+")"))
	}
	return twins, nil
}

// MadeInFold reports whether features were computed within one fold, by a fit to its training participants. Equal
// features are then no evidence of one scan: least squares leaves residuals of opposite sign if only two training
// participants have a category, and 0 if only one has it. The fit itself refuses duplicates in its inputs.
func MadeInFold(in dag.Input) bool { return in.Coord("fold") != "" }

// RefuseDuplicates fails when one scan has two ids within a division: it could be trained on and tested.
func RefuseDuplicates(ins []dag.Input, d *Division) error {
	twins, err := Duplicates(d.of(ins))
	if err == nil && twins != nil {
		err = errors.New("leakage: " + DuplicateText(twins))
	}
	return err
}

// DuplicateText names the pairs and a line that mends the file: it excludes both, since the data do
// not say whose scan it is.
func DuplicateText(twins []Duplicate) string {
	const most = 10
	lines := lists.Map(twins[:min(most, len(twins))], func(d Duplicate) string {
		return fmt.Sprintf("%s and %s %s: one scan under two ids", d.First, d.Later, d.How)
	})
	if n := len(twins) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more pairs", n))
	}
	return strings.Join(lines, "\n  ") + "\n  exclude both, or keep the one whose scan it is; under cohort:\n    exclude: [" +
		strings.Join(idsOf(twins), ", ") + "]"
}

// idsOf are the participants of the pairs, each once.
func idsOf(twins []Duplicate) (ids []string) {
	for _, d := range twins {
		for _, id := range []string{d.First, d.Later} {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// duplicatesLine begins the line of a task's log that has the participants whose scan has another id, as JSON: reports
// of runs in which the check failed read it.
const duplicatesLine = "duplicates: "

// LogDuplicates writes them.
func LogDuplicates(log io.Writer, twins []Duplicate) {
	fmt.Fprintln(log, duplicatesLine+column.JSON(idsOf(twins)))
}

// LoggedDuplicates are those of a log.
func LoggedDuplicates(log string) (ids []string) {
	for line := range strings.Lines(log) {
		if list, is := strings.CutPrefix(line, duplicatesLine); is && json.Unmarshal([]byte(list), &ids) == nil {
			return ids
		}
	}
	return nil
}

// Checks of the kind leakage, as its table names them, that a page misses where no table has them.
const (
	ScansCompared       = "no two participants share volumes of a scan"
	SignalsCompared     = "no two participants have series with the same signals"
	MeanSignalsCompared = "no two participants have series with the same mean signal" // filtered ones were not compared
	FeaturesCompared    = "no two participants have the same features"
	PartialCompared     = "no two participants have the same partial correlations"
	CopiesCompared      = "no two participants have connectivity that agrees better than two scans of one person"
	PredictionsCompared = "every graph is on the side of its participant, and has its label"
	HandedOver          = "no process of a user's model had a label or an id of a test row"
)

// A CheckRow is one check (leakage).
type CheckRow struct {
	Check string `column:"check" doc:"the assertion"`
	Of    int32  `column:"of" doc:"comparisons"`
	Found int32  `column:"found" doc:"violations"`
}

// LeakagePort is an input of every kind that trains a model, gives an accuracy or tests a hypothesis over participants
// (AfterChecks).
func LeakagePort() dag.Port {
	return dag.Port{Name: "leakage", Type: column.Type[CheckRow](), Gather: true, Optional: true,
		Doc: "checks that must have passed"}
}

// AfterChecks are uses of inputs, and that of LeakagePort.
func AfterChecks(uses ...role.PortUse) []role.PortUse {
	return append(uses, role.PortUse{Port: "leakage", As: role.Checks})
}
