// Package role declares what the program asks of stage kinds beyond their ports and Run: which one divides the
// participants, what is fitted to whom, which data a kind refuses. Packages pipelines and cmd read roles and no other
// interface of a kind. A kind has a role if it has its methods, and asserts that beside its type, so that a renamed
// method does not build:
//
//	var _ role.Divider = (*Split)(nil)
//
// A kind of a lab has roles in the same way (examples/own-stage). docs/roles.md lists which kind has which role.
package role

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
)

// A Divider divides participants into folds (split). The program refuses tasks for folds that it does not make,
// plans the folds of the cohort before anything runs, and from these notes folds that test one group, relatives on
// both sides, and permutations that are more than there are.
type Divider interface {
	Reader
	// Divisions are the numbers of repeats and of folds of its table; 0 folds: the data decide (LeavesOut).
	Divisions() (repeats, folds int)
	// Divides is the column that is predicted.
	Divides() string
	// LeavesOut is the column whose values are the folds; "" for none.
	LeavesOut() string
	// KeepsTogether are columns; participants with one value are in one fold.
	KeepsTogether() []string
	// OuterFold is the fold outside which inner folds are made; 0: these are outer folds.
	OuterFold() int
	// Plan is the first repeat of its table.
	Plan(participants *encoding.Table) (*encoding.Table, error)
	// Arrangements is the number of different label permutations, exact up to enough; 0 where there are none.
	Arrangements(participants *encoding.Table, enough float64) float64
	// Permuted is the number of label permutations of so many participants, on which models are retrained.
	Permuted(participants int) int
}

// A Tester is fitted outside one fold of a table of folds (trainings, combat, tangent, states). The program refuses a
// test of a fold with anything upstream that is fitted to participants of this fold.
type Tester interface {
	TestFold() (repeat, fold int)
}

// A Trainer trains a model (train, baseline, network …); fold.Params has all methods, with the answers of most kinds.
// The program counts graphs for the memory, and before a run notes trainings that will fail.
type Trainer interface {
	Tester
	// Graphs is the number of graphs of each participant, of so many draws (0: unknown) of a result.
	Graphs(draws int, of string) (int, error)
	// Numbers are the draws that it uses, of so many of a result.
	Numbers(draws int, of string) ([]int, error)
	// RefusesFolds is why the training fails on the planned folds, with so many graphs of each participant.
	RefusesFolds(planned *encoding.Table, graphs int) error
	// InEpochs reports whether its history has epochs; a page then states whether the network has learned.
	InEpochs() bool
	// PredictsLargest reports whether it always predicts the largest group, which nobody tests against chance.
	PredictsLargest() bool
	// Retrains is on how many of so many label permutations its model is retrained: the first ones; 0 for none.
	Retrains(permutations int) int
	// Leaks states how test participants take part in the training; "" where they do not. A Check fails on it.
	Leaks() string
}

// A Fitter is fitted to columns of the participants (combat). The program reports, before a run, participants without
// a value, folds that it cannot be fitted to, and covariates that stand for the label.
type Fitter interface {
	Tester
	Reader
	// Lacks are the participants without a value, and what each lacks.
	Lacks(participants *encoding.Table) map[string]string
	// Faults are why the fit, or what applies it (FittedTable), fails on the planned folds (nil: unknown). once returns
	// one value of a name for all folds.
	Faults(participants, planned *encoding.Table, once func(name string, value func() any) any) []column.Fault
	// LeaksLabel is why covariates may not be preserved, and which of them are doubtful. folds may be nil.
	LeaksLabel(participants, folds *encoding.Table) (refused []error, doubts []column.Note)
	// Spared are the values of a column whose participants' data it leaves as they are on the planned folds. nil for
	// folds that are unknown.
	Spared(participants, planned *encoding.Table) (column string, values []string)
}

// A Reader has parameters that name columns of the participants, or one of the predicted groups. The program refuses
// names that do not exist, where they stand in the file.
type Reader interface {
	ReadsParticipants() []Reading
}

// A Reading is one name of a Reader.
type Reading struct {
	Parameter  string
	Name       string // of a column, or of a group; "" for none
	Group      bool   // Name is a group
	Fits       bool   // the stage is fitted to the group Name alone, which no label permutation repeats: no p
	Two        bool   // the stage fails unless the participants have two groups
	Needed     bool   // the stage fails without this column
	Motion     bool   // without such a column the stage takes mean_fd of its input cleaning, and fails without both
	OfChange   bool   // with Motion: mean_fd is the change between two sessions, which no column has
	Categories bool   // the column's values are categories, also where they are numbers, as of sites
	Number     bool   // the stage fails unless the column's values are numbers, and no categories
	Removes    bool   // the stage removes the column's effect from the data
	Permutes   bool   // labels are permuted within the column's values; within all participants where it does not exist
	Output     string // where it Permutes only the labels of one output, as split's permuted; else ""
}

// A Drawer makes arrays with an axis of draws (bootstrap, denoise …): how many, with draw 0, of an input with so many;
// 0 is unknown. The program counts the graphs of a training by it.
type Drawer interface {
	DrawsOf(input int) int
}

// A PortUser does with an input what the port's type does not state.
type PortUser interface {
	UsesPorts() []PortUse
}

// A PortUse is the use of one input.
type PortUse struct {
	Port string
	As   Use
	Of   []string // Origin: the inputs that the port states the origin of
}

// A Use is what a stage does with an input.
type Use string

// The uses.
const (
	// Checks: the stage waits for every stage that is a Check, whether the file connects it or not, and while a check
	// has not passed, its results are not shown.
	Checks Use = "waits for checks"
	// Collected: outputs with the port's columns are connected from all stages, whether the file does or not.
	Collected Use = "collects tables"
	// Models: the stage applies models, and tests what they test. Anything else fitted to test participants is refused.
	Models Use = "applies models"
	// OwnFolds: as Models, but features of several folds are each compared with the model of their own fold.
	OwnFolds Use = "compares models of each fold"
	// InnerFolds and OuterFolds: the stage chooses by the first for the second, which must not test their participants.
	InnerFolds Use = "chooses in inner folds"
	OuterFolds Use = "chooses for outer folds"
	// FittedTable: the stage applies what a Fitter was fitted to.
	FittedTable Use = "applies a fit to participants"
	// AllFolds: accuracies are made of it, so it must have all folds of its division. SomeFolds: of any folds.
	AllFolds  Use = "evaluates all folds"
	SomeFolds Use = "evaluates some folds"
	// PermutedLabels: p is of labels that another stage permutes, or of models retrained on them.
	PermutedLabels Use = "uses permuted labels"
	// Aside: no prediction of the models depends on it. It has labels for a test, or what the model file states.
	Aside Use = "takes what changes no prediction"
	// Origin: it states how other inputs were made, and the stage passes it on to a model, which then refuses others.
	// The
	// file must connect it to what made these inputs.
	Origin Use = "states how inputs were made"
	// Positions: the regions' positions in space. Without them and without centroids, the stage is left out.
	Positions Use = "draws at positions"
	// OneSetting: the stage takes the members for the data of different participants, or of their runs and sessions.
	// Several settings of one participant, such as two cleanings of a scan, are refused.
	OneSetting Use = "takes one setting of each participant"
	// Program: it holds the user's program and no data; what this does with the other inputs is unknown, so they count
	// as fitted to all of whom they have data; not for a Tester, which gives its program the participants that it is
	// fitted to (estimator).
	Program Use = "runs a program"
)

// An InputUser takes inputs that only make sense together, or not together (a tangent matrix and its reference). The
// program refuses such connections before anything runs.
type InputUser interface {
	// RefusesInputs is why the task fails whatever is in the inputs that has reports to be connected; nil where it
	// does not.
	RefusesInputs(has func(port string) bool) error
}

// An Assumer has results for which participants are independent. With relatives, the program notes them before a run.
type Assumer interface {
	// AssumesIndependent reports whether intervals count relatives as independent participants, and whose p-values do.
	// has reports which ports are connected.
	AssumesIndependent(has func(port string) bool) (intervals bool, of []string)
}

// A Referrer has a parameter with the coordinates of one setting: the headline of a page, the reference of a
// comparison. The program refuses coordinates of none or of several.
type Referrer interface {
	RefersTo() Reference
}

// A Reference is one setting of those that a task gathers.
type Reference struct {
	Parameter string
	Inputs    []string  // one is connected: the task behind it gathers the settings; nil: the stage does
	Gathered  string    // the port at which they are gathered
	Coords    []string  // AXIS=VALUE; none where nothing is set
	Without   string    // what [] means for the parameter, where it may be empty
	By        [2]string // a parameter, and the axis on which the settings differ that it gives; "" for none
}

// A Timed stage takes a repetition time from one of several sources. The program reports which, and refuses scans
// whose sources contradict each other.
type Timed interface {
	// TimeFrom is parameter, sidecar or header, where the ports that has reports are connected; "" where it takes that
	// of the stage before it.
	TimeFrom(has func(port string) bool) string
	// GivenTime is the parameter, s; 0 for none.
	GivenTime() float64
}

// A ScanReader reads the files of one participant's scan. The program reports, before a run, participants whose
// files it refuses by what their headers and sidecars state.
type ScanReader interface {
	RefusesHeaders(files map[string]dag.Input) error
}

// A SharedReader reads files that several participants may share, such as a label image, a brain mask or a table of
// events. The program reports, before a run, the faults of such a file, as one mistake.
type SharedReader interface {
	// RefusesShared is why every task fails that has this file at a port (labels, mask, transform …), whatever its
	// scan. files are those of its inputs, and the node list where it is known.
	RefusesShared(port string, files map[string]dag.Input) error
}

// A SharedNoter notes, before a run, what in files that several participants share may spoil the result, such as labels
// of an image that belong to no region.
type SharedNoter interface {
	// NotesShared are the notes on files that RefusesShared does not refuse.
	NotesShared(port string, files map[string]dag.Input) []column.Note
}

// A Measurer states what the numbers of its outputs are (connectivity, harmonize …), so that pages, model files and
// validations describe the output that is connected. Those of a kind without this role are unknown.
type Measurer interface {
	// Measures are those of an output; of returns those of an input.
	Measures(output string, of func(input string) column.Data) column.Data
}

// A DataUser is given what its inputs hold, since no array states it. The embedded Informed has its methods.
type DataUser interface {
	Inform(of map[string]column.Data)
	Holds(input string) column.Data
}

// Informed are the parameters of a DataUser.
type Informed struct {
	Held []string `param:"holds" doc:"kind of the data at each input, set from the connected outputs; it cannot be changed"`
}

// DataParameter is the name of the parameter of Informed.
const DataParameter = "holds"

// Inform states what the inputs hold; those that are unknown are not listed.
func (i *Informed) Inform(of map[string]column.Data) {
	i.Held = nil
	for _, port := range slices.Sorted(maps.Keys(of)) {
		if text := of[port].String(); text != "" {
			i.Held = append(i.Held, port+" "+text)
		}
	}
}

// Holds is what an input holds; the zero value where that is unknown.
func (i Informed) Holds(input string) column.Data {
	for _, text := range i.Held {
		if port, data, _ := strings.Cut(text, " "); port == input {
			return column.ParseData(data)
		}
	}
	return column.Data{}
}

// A Cleaner cleans the series of one scan (denoise). The program reports, before a run, participants of whom too
// little would be left.
type Cleaner interface {
	Timed
	// Refuses is why the task fails on a scan of so many volumes and this repetition time, s (0: unknown); files are
	// those of its inputs. left is what cleaning leaves.
	Refuses(volumes int, tr float64, files map[string]dag.Input) (left column.CleaningRow, err error)
	// FollowsFromScan reports whether an input decides nothing beyond the length of the scan.
	FollowsFromScan(port string) bool
	// NeedsTime is the step that needs the repetition time; "" for none, or where a parameter gives it.
	NeedsTime() string
	// ValidateFor are mistakes in the parameters for scans with this desc- entity ("": unknown), where the ports that
	// has
	// reports are connected.
	ValidateFor(description string, has func(port string) bool) []error
}

// A Joiner joins runs: why it fails on what cleaning leaves of each (its input quality).
type Joiner interface {
	RefusesJoined(runs []column.CleaningRow) error
}

// A Check fails where something leaks (leakage). Stages that wait for checks (Checks) run when all have passed.
type Check interface {
	// Admits reports whether trainings that leak by their parameters pass.
	Admits() bool
}

// A Gatherer takes what trainings of several settings made, at the port of all or of inner folds (choose,
// learning-curve).
type Gatherer interface {
	// RefusesTrainings is why it fails on what these made. The error names the parameter or input.
	RefusesTrainings(of []Training) error
}

// A Training is a task that trains: its setting by its coordinates without folds, and its parameters as JSON.
type Training struct {
	Setting    string
	Parameters map[string]string
}

// A ModelReader applies models of files. The program reports, before a run, files that it refuses, and parameters that
// do not fit the files.
type ModelReader interface {
	// RefusesModel is why every task fails with a model of this file, where the ports that has reports are connected.
	RefusesModel(file []byte, has func(port string) bool) error
	// RefusesParameters is why every task fails by its parameters with models of these files, each error with the
	// parameter first; may reports whether the inputs may state a parameter of what made them, such as denoise.fd.
	RefusesParameters(files [][]byte, has, may func(name string) bool) []error
}

// An Adviser runs as it is, and has advice about its parameters for the person who set them (choose, exec). The
// program prints
// it. Each piece of advice names the parameter.
type Adviser interface{ Advise() []string }

// A Reporter makes a page of results (report). A run leaves the page beside the pipeline file, and what belongs to it.
type Reporter interface {
	// PageOf is the page of the inputs that are there.
	PageOf(t *dag.Task, of Partial) ([]byte, error)
	// Text is the page as text for the terminal.
	Text(t *dag.Task) (string, error)
	// Shows are the outputs that a pipeline without a reporter is asked for, as KIND.OUTPUT by port.
	Shows() map[string]string
	// NeedsModels reports whether an input is shown only where checks have passed.
	NeedsModels(port string) bool
	// Beside are the pages that the page leads to, of the inputs that are there.
	Beside(t *dag.Task) ([]File, error)
	// Cites are the files that list what to cite, by their names; nil where the parameters are unknown.
	Cites(t *dag.Task) ([]File, error)
	// Checklists are the names of the reporting checklists that Checklist fills.
	Checklists() []string
	// Checklist are the renderings of a filled checklist, by their endings (.md); what is missing is stated in them.
	Checklist(t *dag.Task, of Partial, name string) ([]File, error)
	// Cited reports whether the program wrote a file of Cites.
	Cited(text []byte) bool
}

// A Partial describes a run with missing results.
type Partial struct {
	Duplicates []string // participants whose scan has another id, of checks that failed
	Lacking    []string // ids of participants that lack results, sorted
	Missing    []string // what is missing, and why: at the top of the page
}

// A File is written beside a page.
type File struct {
	Name string
	Text func() ([]byte, error)
}

// With yields the tasks of stages that have a role. Those of one stage are of one kind, and have the same roles.
func With[R any](stages ...*dag.StageNode) iter.Seq2[*dag.Node, R] {
	return func(yield func(*dag.Node, R) bool) {
		for _, s := range stages {
			for _, n := range s.Tasks() {
				work, ok := n.Instance().(R)
				if !ok {
					break
				}
				if !yield(n, work) {
					return
				}
			}
		}
	}
}

// Port is the input that a stage uses in one of these ways; "" for none.
func Port(s dag.Stage, as ...Use) string {
	if ports := Ports(s, as...); ports != nil {
		return ports[0]
	}
	return ""
}

// Ports are the inputs that a stage uses in one of these ways.
func Ports(s dag.Stage, as ...Use) (ports []string) {
	if user, ok := s.(PortUser); ok {
		for _, use := range user.UsesPorts() {
			if slices.Contains(as, use.As) {
				ports = append(ports, use.Port)
			}
		}
	}
	return ports
}

// FitsGroup is the parameter with the one group that some task of a stage is fitted to; "" where all take everybody.
func FitsGroup(tasks []dag.Stage) string {
	for _, task := range tasks {
		for _, r := range Readings(task) {
			if r.Fits {
				return r.Parameter
			}
		}
	}
	return ""
}

// OneSettingOf are inputs that take one setting of each participant.
func OneSettingOf(ports ...string) []PortUse { return Uses(OneSetting, ports...) }

// Uses are inputs that are used in one way.
func Uses(as Use, ports ...string) (uses []PortUse) {
	for _, port := range ports {
		uses = append(uses, PortUse{Port: port, As: as})
	}
	return uses
}

// QualityOf states that the input quality has the origin of these inputs.
func QualityOf(ports ...string) PortUse { return PortUse{Port: "quality", As: Origin, Of: ports} }

// OriginOf is the input that states how others were made, and which; "" for none.
func OriginOf(s dag.Stage) (port string, of []string) {
	if user, ok := s.(PortUser); ok {
		for _, use := range user.UsesPorts() {
			if use.As == Origin {
				return use.Port, use.Of
			}
		}
	}
	return "", nil
}

// PassesOrigin reports whether a stage changes data of one origin, and states it with what it changed.
func PassesOrigin(s dag.Stage) bool {
	_, of := OriginOf(s)
	return slices.ContainsFunc(s.Ports().Out, func(out dag.Port) bool { return slices.Contains(of, out.Name) })
}

// Readings are the names that the parameters of a stage have.
func Readings(s dag.Stage) []Reading {
	reader, ok := s.(Reader)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(reader.ReadsParticipants(), func(r Reading) bool { return r.Name == "" })
}

// Within is the column within whose values a stage permutes the labels of all its outputs; "" where it permutes over
// all
// participants, or none.
func Within(s dag.Stage) string {
	for _, r := range Readings(s) {
		if r.Permutes && r.Output == "" {
			return r.Name
		}
	}
	return ""
}

var declared = map[string]bool{}

// Declare states that a kind has declared all its roles. Of others, those of a lab's own program, no check knows what
// they do with participants.
func Declare(k *dag.Kind) { declared[k.Name] = true }

// Coded are the kinds of some topics with their code identities, and with their roles declared, for dag.Register.
func Coded(codes map[string]string, topics ...[]dag.Kind) (all []*dag.Kind) {
	for _, kinds := range topics {
		for i := range kinds {
			k := &kinds[i]
			k.Code = codes[k.Name]
			Declare(k)
			all = append(all, k)
		}
	}
	return all
}

// Own reports whether a kind is registered and has not declared its roles.
func Own(k *dag.Kind) bool {
	_, registered := dag.Lookup(k.Name)
	return registered && !declared[k.Name]
}
