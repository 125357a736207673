package participants

import (
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// NuisanceWords are the regressors of each strategy, for people.
var NuisanceWords = map[string]string{
	"simple":    "24 motion parameters, white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"scrubbing": "24 motion parameters, white matter and CSF with derivatives and squares, and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"compcor":   "24 motion parameters, the components of aCompCor (combined mask) and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"ica_aroma": "white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz), from scans denoised by ICA-AROMA",
	"6P":        "6 motion parameters",
	"24P":       "24 motion parameters",
	"27P":       "24 motion parameters, white matter, CSF and global signal",
	"36P":       "24 motion parameters, and white matter, CSF and global signal with derivatives and squares",
	"acompcor":  "12 motion parameters, components of aCompCor of white matter and of CSF, and fMRIPrep's cosines (high-pass filter at 1/128 Hz)",
	"aroma":     "12 motion parameters, white matter, CSF and the motion components of ICA-AROMA",
}

// Nuisance says what was regressed out of a scan.
func (s CleanedScan) Nuisance() string {
	what := NuisanceWords[s.Strategy]
	switch {
	case s.Why == column.SeriesGiven:
		return "no nuisance regression by this program (" + s.Why + "; how they were cleaned is not known to it)"
	case s.Given():
		return "no nuisance regression by this program (" + s.Why + ")"
	case s.Why != "":
		return "no nuisance regression (" + s.Why + ")"
	case what == "":
		return "columns of the confounds that the pipeline names"
	}
	return "strategy " + s.Strategy + ": " + what
}

// ResponseWords are the models of the response to an event.
var ResponseWords = map[string]string{
	"spm":    "SPM's canonical response",
	"glover": "Glover's canonical response",
	"fir":    "finite impulse responses",
}

// TaskConditions are the sorted conditions of each response model, and the participants of its scans.
func TaskConditions(of []CleanedScan) (conditions, whom map[string][]string) {
	conditions, by := finding.Events(scans(of))
	whom = map[string][]string{}
	for model, all := range by {
		for _, s := range all {
			whom[model] = append(whom[model], s.Who)
		}
	}
	return conditions, whom
}
