// Package pipelines reads pipeline files and writes their fan-outs out into a
// dag.Graph. It knows YAML and places in files; it runs nothing.
//
// # A pipeline file
//
//	pipeline: biopoint              # its name; default: the file's
//	seed: 2020                      # fills every parameter named seed that is not set
//	vars: { data: scans }           # ${data} in any value below; --set data=DIR
//	cohort:                         # who takes part: exactly one kind, see stages.Cohorts
//	  table: { path: "${data}/participants.csv", … }
//	  exclude: [sub-003]            # leave these out
//	  limit: 10                     # take the first ten only
//	stages:
//	  NAME:
//	    use: KIND                   # see stages.Kinds
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
// ${name} and nothing else keeps the variable's type; $${ stands for ${.
//
// # References
//
//	STAGE  STAGE.OUTPUT  STAGE[SELECTION].OUTPUT  cohort.PORT  {file: PATH}
//
// The first output is meant when none is named. Where both stages fan out over
// an axis, the same member is meant. SELECTION is a comma-separated list of
// axis=value (sub-003 alone means subject=sub-003) and of *, which gathers all
// members that agree with the referring task on the axes that both fan out
// over. A gathering port takes [*], the plain name of a stage that does not fan
// out, or a list of such references, whose members then carry one coordinate
// more: stage. Gathered members are sorted by their coordinates, numbers as
// numbers, the coordinates by the names of their axes.
//
// {file: PATH} connects a file of the user's; ${axis} in the path is the task's
// own coordinate.
//
// # Fan-out
//
// An axis fills the parameter of the same name, when the kind has one. Every
// matrix axis is a parameter of the stage or an axis of one of its inputs.
// Tasks are called NAME, NAME[sub-003], NAME[pool=topk,fold=2] or
// NAME[sub-003,pool=topk], in the order in which the axes are written.
//
// # Invariants
//
//   - Either a graph comes out, or Errors: every mistake in the file, in the order
//     of their places.
//   - A pipeline has at most 1,000,000 tasks, a file at most 1,000,000 values once its
//     aliases are written out. Both are counted before they are made.
//   - A task depends on the file's text only through its parameters and its inputs:
//     the order of keys, comments and anchors move no key of any task.
//   - Time and memory grow linearly with the number of tasks and of connections.
package pipelines
