package dag

import (
	"context"

	"prgnn/artifacts"
	"prgnn/dag/param"
)

// A Stage is one piece of work with its parameters filled in. A stage kind is a
// pointer to a struct whose exported fields are its parameters (see Params).
type Stage interface {
	Ports() Ports
	// Run is a function of the parameters and the inputs, and of nothing else:
	// no clock, no environment, no path, no global.
	Run(context.Context, *Task) (Outputs, error)
}

// Outputs are the values that a stage made, by the names of its output ports.
type Outputs map[string]artifacts.Value

// Ports are the inputs and outputs of a stage, in a fixed order. The first
// output is the one meant when a reference names none.
type Ports struct {
	In, Out []Port
}

// A Port is one named input or output.
type Port struct {
	Name     string
	Type     Type
	Doc      string // one line
	Gather   bool   // input: takes all members of a fan-out, sorted, with their coordinates
	Optional bool   // input: may be left unconnected
}

// A Type says what flows through a port. Two types fit when their formats are
// equal and neither states a dtype, axes or a column that the other lacks.
type Type struct {
	Format  string   // "npy", "arrow", "nifti", "text" …; "" fits everything
	DType   string   // npy: "<f8" …; "" for any
	Axes    []string // npy: the name of each axis, such as draw, time, roi; nil for any
	Columns []string // arrow: columns that are there (output) or are needed (input)
}

// NPY is the type of an array whose axes have these names.
func NPY(dtype string, axes ...string) Type { return Type{Format: "npy", DType: dtype, Axes: axes} }

// Arrow is the type of a table that has (at least) these columns.
func Arrow(columns ...string) Type { return Type{Format: "arrow", Columns: columns} }

// Format is a type of which only the format is known: Format("nifti").
func Format(name string) Type { return Type{Format: name} }

// A Kind is a stage kind: what `use:` names in a pipeline file.
type Kind struct {
	Name string
	Doc  string       // what it does; the first line is the summary
	New  func() Stage // a fresh stage with every parameter at its default
	// Defaults is New where the defaults of some parameters depend on other parameters, which s has. nil: they do not.
	Defaults func(s Stage) Stage
	Former   []string // names of kinds of former programs that are models of this one
	Code     string   // code identity, generated from the declarations that the kind reaches (see Codes)

	// What one task needs, for the scheduler; they are not part of the key.
	Threads    int               // 0 means 1
	MaxThreads int               // threads that it can use when no other task needs them; 0 means Threads
	Memory     int64             // bytes; 0 means little
	MemoryFor  func(Sizes) int64 // bytes for data of these sizes, in place of Memory; nil: the sizes do not matter
}

// Sizes are sizes of the data of a task, as far as the maker of a graph knows them, by names on which it and the kinds
// agree: {"rows": 40000}.
type Sizes map[string]int

// SetDefaults gives those parameters that nobody set the defaults that follow from the others.
func (k *Kind) SetDefaults(s Stage, set func(name string) bool) {
	if k.Defaults != nil {
		param.Take(s, k.New(), k.Defaults(s), set)
	}
}

// A Precomputed stage is one that gives values which it has already, such as a table
// that was read with the pipeline file. They stand in its recipe in place of how
// they are made, and a plan sees past the task before it has run. Run must give
// exactly these.
type Precomputed interface {
	KnownOutputs() artifacts.Refs
}

// A Validator is a Stage that checks parameters against each other. It returns
// all mistakes, each naming the parameter.
type Validator interface{ Validate() []error }
