package cli

type runEvent struct {
	Event       string  `json:"event"` // "run"
	ID          string  `json:"id"`
	Tasks       int     `json:"tasks"`
	Ran         int     `json:"ran"`
	Cached      int     `json:"cached"`
	Failed      int     `json:"failed"`
	Skipped     int     `json:"skipped"`
	Seconds     float64 `json:"seconds"`
	Unfinished  int     `json:"unfinished,omitempty"` // of a run that ended before its time
	Interrupted bool    `json:"interrupted,omitempty"`
}
