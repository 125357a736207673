// Package results is what the store holds for a pipeline file, or held after a past run: which
// tasks have a result, how outputs are named on the command line, what their bytes hold, and how
// two of them differ. Nothing here runs a task.
package results
