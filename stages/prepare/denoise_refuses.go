package prepare

import (
	"errors"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
)

// Refuses tells from a scan's length, its repetition time (s; 0 where it is not known) and its files whether it would
// be refused: for confounds or events that cannot be used, or since too little of it would be left. left is what
// remains of it.
func (s *Denoise) Refuses(volumes int, tr float64, files map[string]dag.Input) (left column.CleaningRow, err error) {
	series := dag.InputOf(encoding.NewArray(make([]float64, volumes), 1, volumes, 1))
	series.Name = "scan"
	scan := encoding.NewTable(encoding.Column{Name: "tr", Values: []float64{tr}, Valid: []bool{tr > 0}})
	in := map[string][]dag.Input{"series": {series}, "scan": {dag.InputOf(scan)}}
	for port, file := range files {
		in[port] = []dag.Input{file}
	}
	_, left, _, err = s.prepare(dag.NewTask(in), scan, volumes)
	if err == nil {
		return left, nil
	}
	why := errors.New(strings.TrimPrefix(strings.ReplaceAll(err.Error(), orExclude, ""), series.Name+": "))
	if errors.As(err, new(column.CensoredError)) {
		return left, column.CensoredError{Err: why}
	}
	return left, why
}

// FollowsFromScan tells which inputs decide nothing beyond the length of the scan.
func (*Denoise) FollowsFromScan(port string) bool {
	return port == "series" || port == "scan" || port == "sampled"
}

// NeedsDescription is the desc- entity of the scans that the strategy is made for; "" for any.
func (s *Denoise) NeedsDescription() string {
	if s.Regress == "ica_aroma" {
		return connectivity.AROMAScans
	}
	return ""
}
