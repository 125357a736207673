// Package pipelines reads pipeline files and writes their fan-outs out into a
// dag.Graph. It knows YAML and places in files; it runs nothing.
//
// # A pipeline file
//
//	extends: base.yaml              # the file that this one changes
//	pipeline: biopoint              # its name; default: the file's
//	seed: 2020                      # fills every parameter named seed that is not set
//	vars: { data: scans }           # ${data} in any value below
//	cohort:                         # who takes part: exactly one kind, see cohort.Kinds
//	  table: { file: "${data}/participants.csv", … }
//	  exclude: [sub-003]            # leave these out
//	  limit: 10                     # ten of them: groups in proportion, spread over the list
//	stages:
//	  NAME:
//	    use: KIND                   # see dag.Kinds
//	    in: { PORT: REFERENCE }     # what its input ports are connected to
//	    with: { PARAMETER: value }
//	    each: subject               # one task for each participant
//	    matrix:                     # one task for each combination
//	      fold: [1..5]
//	      pool: [topk, sage]
//	      exclude: [{ pool: sage, fold: 5 }]
//	      include: [{ pool: sage, fold: 6 }]
//
// A variable whose value is "" must be given with --set. A value that is one
// ${name} and nothing else keeps the variable's type; $${ stands for ${. YAML's
// aliases work. A parameter that takes a text takes what is written, even where
// YAML sees a number (007).
//
// --set puts values over those of the file: NAME=value for a variable or the
// seed, STAGE.PARAMETER=value (or STAGE.AXIS), cohort.PARAMETER=value, and any
// path of the file, such as stages.graphs.with.density=0.2. Values are YAML.
//
// # Extends
//
// A file that extends another is merged over it before anything else happens: see merger. Each
// value keeps its file and line, for mistakes and for Print. The text of the result (loader.text)
// is kept with runs and locks in place of the file's own.
//
// # References
//
//	STAGE  STAGE.OUTPUT  STAGE[SELECTION].OUTPUT  cohort.PORT  {file: PATH}
//
// The first output is meant when none is named. Where both stages fan out over
// an axis, the same member is meant. SELECTION is a comma-separated list of
// axis=value (sub-003 alone means subject=sub-003) and of *, which gathers all
// members that agree with the referring task on the axes that both fan out
// over. A gathering port takes [*] or another selection, the plain name of a
// stage that does not fan out, or a list of such references, whose members then
// carry one coordinate more: stage. Gathered members are sorted by their
// coordinates (dag.CompareCoords), and coordinates by the names of their axes.
//
// {file: PATH} connects a file of the user's. Relative paths begin at the
// pipeline file.
//
// # Fan-out
//
// An axis fills the parameter of the same name, when the kind has one; ${axis} in
// with: and in the path of a file is the task's own coordinate. Every matrix axis
// is used in one of these ways, or is an axis of an input. Tasks are called NAME,
// NAME[sub-003], NAME[pool=topk,fold=2] or NAME[sub-003,pool=topk], with the axes
// as they are written in the file. In names and coordinates numbers have their
// shortest form, and lists are joined: lambda=0.1-0.1.
//
// # The cohort
//
// It is loaded with the file, so that a plan can be printed before anything
// runs. Its tables are the outputs of one task, cohort, whose key is their
// digests. The files of participants are read where they lie, or, of a simulated
// cohort, made by the tasks cohort[sub-001] … Where a participant cannot be used,
// the task of that name fails and says why, once, and what needs the participant
// is skipped. An optional input that asks the cohort for bold, labels, confounds,
// series or truth stays unconnected where there is none, and a note says so: one
// file serves every kind of cohort.
//
// # Invariants
//
//   - Either a graph comes out, or tree.Errors: every mistake in the file, in the order
//     of their places.
//   - A pipeline has at most 1,000,000 tasks, a file at most 1,000,000 values once its
//     aliases are written out. Both are counted before they are made.
//   - A task depends on the file's text only through its parameters and its inputs:
//     the order of keys, the names of stages, comments and anchors change no key of
//     any task (but a list of references gives its members the names of their stages).
//   - Time and memory grow linearly with the number of tasks and of connections.
package pipelines
