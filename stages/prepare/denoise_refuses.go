package prepare

import (
	"errors"
	"fmt"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
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
	why := errors.New(strings.TrimPrefix(strings.ReplaceAll(err.Error(), column.OrExclude, ""), series.Name+": "))
	if errors.As(err, new(column.CensoredError)) {
		return left, column.CensoredError{Err: why}
	}
	if errors.As(err, new(column.UnitError)) {
		return left, column.UnitError{Err: why}
	}
	return left, why
}

// FollowsFromScan tells which inputs decide nothing beyond the length of the scan.
func (*Denoise) FollowsFromScan(port string) bool {
	return port == "series" || port == "scan" || port == "sampled"
}

// ValidateFor checks the parameters against the scans that the cohort takes, and the ports that are connected: regress:
// auto regresses nothing out where there are no confounds.
func (s *Denoise) ValidateFor(description string, has func(port string) bool) (errs []error) {
	if s.Regress == "ica_aroma" && description != "" && description != connectivity.AROMAScans {
		errs = append(errs, fmt.Errorf("regress: ica_aroma does not remove motion; it needs scans denoised by ICA-AROMA, but the cohort takes desc-%s: set description: %s in the cohort, or choose another strategy", description, connectivity.AROMAScans))
	}
	st, err := connectivity.StrategyOf(s.strategy())
	if strings.HasPrefix(st.Noise, "tedana_") && (description == "denoised" || description == "optcomDenoised") {
		errs = append(errs, fmt.Errorf("regress: %s removes components from the combined echoes, but the cohort uses desc-%s, from which tedana has already removed them: set description: optcom in the cohort, or regress: none", s.Regress, description))
	}
	if err == nil && st.Noise != "" && st.Name != "aroma" && has("confounds") && !has("components") {
		errs = append(errs, fmt.Errorf("regress: %s needs the components of each scan: set components in the cohort (of bids: the directory of fMRIPost-AROMA or tedana)", s.Regress))
	}
	if err != nil || !st.Cosines || !(s.HighPass > 0) || s.Regress == "auto" && !has("confounds") {
		return errs
	}
	or := ""
	if s.Regress == "auto" {
		or = ", or choose a strategy without cosines (regress: 36P)"
	}
	return append(errs, fmt.Errorf("regress: %s includes fMRIPrep's cosines, a high-pass filter at 1/128 Hz: remove high_pass%s", s.Regress, or))
}

// RefusesInputs refuses parameters that need confounds where no participant has any.
func (s *Denoise) RefusesInputs(has func(port string) bool) error {
	if s.asksForConfounds() && !has("confounds") {
		return errors.New("regress, columns, fd and dvars need a table of confounds, and no participant has one: connect confounds, or remove them (regress: none)")
	}
	return nil
}

// RefusesShared reports why every task with this table of confounds or of events would fail, whatever its scan.
func (s *Denoise) RefusesShared(port string, files map[string]dag.Input) error {
	switch in := files[port]; {
	case port == "events" && s.Task != "none":
		_, err := s.events(in)
		return err
	case port == "confounds":
		_, x, err := region.ReadText(in)
		if err != nil {
			return err
		}
		table, err := readConfounds(dag.NewTask(map[string][]dag.Input{port: {in}}), x.Rows)
		if err != nil {
			return err
		}
		if _, _, err = table.NonSteady(); err == nil {
			err = table.Impossible()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	return nil
}
