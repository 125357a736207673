package dag

import (
	"context"

	"prgnn/artifacts"
	"prgnn/dag/param"
)

// A Stage is one piece of work: a pointer to a struct. Its tagged fields are the
// parameters (package param), and nothing else of an instance reaches Run.
type Stage interface {
	Ports() Ports
	// Run depends on parameters and inputs only: no clock, environment, path, global.
	Run(context.Context, *Task) (Outputs, error)
}

// Outputs are the values that a stage made, by output port.
type Outputs map[string]artifacts.Value

// Ports are inputs and outputs. The first output is the default.
type Ports struct{ In, Out []Port }

// A Port is one input or output.
type Port struct {
	Name     string
	Type     Type
	Doc      string // one line
	Gather   bool   // input: takes all members of a fan-out, with coordinates; one at least
	Optional bool   // input: may be left unconnected, or gather none
}

// A Type is what flows through a port (see Fits).
type Type struct {
	Format  string   // "npy", "arrow", "nifti", "text" …; "" fits everything
	DType   string   // npy: "<f8" …; "" for any
	Axes    []string // npy: names of the axes, such as time, roi; nil for any
	Columns []string // arrow: those that an output has, or an input needs
}

// NPY is the type of an array with these axes.
func NPY(dtype string, axes ...string) Type { return Type{Format: "npy", DType: dtype, Axes: axes} }

// Arrow is the type of a table with at least these columns.
func Arrow(columns ...string) Type { return Type{Format: "arrow", Columns: columns} }

// Format is a type of this format: Format("nifti").
func Format(name string) Type { return Type{Format: name} }

// A Kind is a stage kind: what `use:` names in a pipeline file.
type Kind struct {
	Name     string              // of this kind only: results are stored by it
	Doc      string              // what it does; the first line is the summary
	New      func() Stage        // a fresh stage with every parameter at its default
	Code     string              // code identity (see Codes); one by hand counts with the type that New makes
	Defaults func(s Stage) Stage // New for the parameters that s has; nil: no default depends on others
	Former   []string            // kinds of former programs that are models of this one
	// What one task needs, for the scheduler. They enter no key.
	Threads    int               // 0 means 1
	MaxThreads int               // that it can use when others are free; 0 means Threads
	Memory     int64             // bytes; 0 means little
	MemoryFor  func(Sizes) int64 // bytes, in place of Memory; nil: sizes do not matter
}

// Sizes are sizes of the data of a task: {"rows": 40000}.
type Sizes map[string]int

// SetDefaults gives parameters that nobody set the defaults of Kind.Defaults.
func (k *Kind) SetDefaults(s Stage, set func(name string) bool) {
	if k.Defaults != nil {
		param.Take(s, k.New(), k.Defaults(s), set)
	}
}

// A Precomputed stage has its outputs before it runs; they enter its recipe.
type Precomputed interface {
	KnownOutputs() artifacts.Refs
}

// A Validator checks its parameters against each other. Each error states one.
type Validator interface{ Validate() []error }
