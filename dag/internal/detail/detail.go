// Package detail has the part of a run's record that the store does not read: package dag writes it, and dag/record
// reads it.
package detail

import "prgnn/internal/version"

// A Run stands in artifacts.RunRecord.Detail, as JSON. The tasks with results are in the store's part, which runs that
// changed nothing share; here are only those of which there is more to report than that they were cached. What the
// kinds reach is a blob, which runs of the same code share.
type Run struct { // record.FileOf counts on the order of the first two
	File    string            `json:"file"`
	Source  string            `json:"source"`
	Program version.Program   `json:"program"`
	Seconds float64           `json:"seconds"`
	Stopped string            `json:"stopped,omitempty"`
	Left    int               `json:"unfinished,omitempty"`
	Until   []string          `json:"until,omitempty"`
	Only    []string          `json:"only,omitempty"`
	Force   []string          `json:"force,omitempty"`
	Codes   map[string]string `json:"codes"`
	Reached []byte            `json:"reached,omitempty"` // gzip; in records of earlier versions, which had no blob
	Tasks   []Task            `json:"tasks,omitempty"`
}

// A Task is one of them.
type Task struct {
	At      int     `json:"at"` // in the order of the graph, counted with the cached ones
	ID      string  `json:"id"`
	State   string  `json:"state"`
	Key     string  `json:"key,omitempty"` // of one without a result
	Start   float64 `json:"start,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Read    int64   `json:"read,omitempty"`
	Memory  int64   `json:"memory,omitempty"`
	Error   string  `json:"error,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// Listing is the format of the blob with what the kinds of a run reach: gzip.
const Listing = "declarations"
