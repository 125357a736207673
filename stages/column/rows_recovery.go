package column

import (
	"prgnn/dag"
)

// The methods that rank regions: the trained models, and references that owe nothing to their training.
const (
	TrainedModels   = "trained models"
	UntrainedModels = "untrained models" // at their starting weights
	StrengthTest    = "t-test of node strength"
	FeatureTest     = "t-test of features"
	RidgePattern    = "ridge pattern"
)

// A RecoveryRow measures how good one ranking of the regions is.
type RecoveryRow struct {
	Coords    []dag.Coord `column:"*"`
	Top       int32       `column:"top" doc:"number of top regions that count as found"`
	Planted   *int32      `column:"planted" doc:"regions with a planted edge; missing where the truth is not known"`
	Found     *int32      `column:"found" doc:"planted regions among the first"`
	AUROC     float64     `column:"auroc,missing" doc:"chance that a planted region has a higher value than another one; 0.5 by guessing"`
	By        string      `column:"by" doc:"what the regions are ordered by: the mean pooling score, the contrast of the groups, how far the score lies beyond permuted groups (null), or a reference's own statistic; of the trained models that of the ranking first"`
	Method    string      `column:"method" doc:"trained models, or a reference: the same models at their starting weights; mean over folds, in the training participants, of Welch's |t| of node strength (mean of a region's features) or of the mean |t| over a region's features; the mean over a region's features of the absolute pattern of a ridge regression on all features (Haufe et al. 2014)"`
	Agreement float64     `column:"agreement,missing" doc:"Kuncheva's index of the first regions between models (folds, repeats, seeds): 0 by chance, 1 for the same regions; references without a network are computed from training participants, most of which two folds share"`
	Score     float64     `column:"common_score,missing" doc:"of the first regions, those also among the first by the trained models' mean score"`
	Contrast  float64     `column:"common_contrast,missing" doc:"the same by the trained models' contrast"`
	HeldOut   float64     `column:"held_out,missing" doc:"difference between the groups in the test participants, in sd within the groups and in the direction that it has in the training participants, over the features of the first regions of the ranking made from the training participants alone; mean over models, 0 by chance"`
	All       float64     `column:"held_out_all,missing" doc:"the same over all regions: what regions at random give"`

	LeadScore    float64 `column:"lead_score,missing" doc:"how far the trained models' ranking by mean score is ahead of this one: in AUROC where the truth is known (untrained mean scores whichever way round), else in held_out; mean over models"`
	PScore       float64 `column:"p_score,missing" doc:"two-sided p of lead_score over the models, by the corrected resampled t-test (Nadeau and Bengio 2003); missing where it does not vary"`
	LeadContrast float64 `column:"lead_contrast,missing" doc:"the same of the trained models' ranking by contrast"`
	PContrast    float64 `column:"p_contrast,missing" doc:"of lead_contrast"`

	HeldOutLeadScore    float64 `column:"held_out_lead_score,missing,optional" doc:"as lead_score, always in held_out: without the truth, which no study of real participants knows"`
	HeldOutPScore       float64 `column:"held_out_p_score,missing,optional" doc:"of held_out_lead_score"`
	HeldOutLeadContrast float64 `column:"held_out_lead_contrast,missing,optional" doc:"as lead_contrast, always in held_out"`
	HeldOutPContrast    float64 `column:"held_out_p_contrast,missing,optional" doc:"of held_out_lead_contrast"`
}

// Name is the ranking in words.
func (r RecoveryRow) Name() string {
	if words := map[string]string{"score": "mean score", "contrast": "contrast", "null": "beyond permuted groups"}[r.By]; words != "" {
		return r.Method + ", " + words
	}
	return r.Method
}

// Lead is how far the trained models' ranking by a reading is ahead of this one, and its p.
func (r RecoveryRow) Lead(by string) (lead, p float64) {
	if by == "contrast" {
		return r.LeadContrast, r.PContrast
	}
	return r.LeadScore, r.PScore
}

// HeldOutLead is Lead in the held-out effect, whether or not the truth is known.
func (r RecoveryRow) HeldOutLead(by string) (lead, p float64) {
	if by == "contrast" {
		return r.HeldOutLeadContrast, r.HeldOutPContrast
	}
	return r.HeldOutLeadScore, r.HeldOutPScore
}

// Shared is how many first regions are also first in the trained models' ranking by a reading.
func (r RecoveryRow) Shared(by string) float64 {
	if by == "contrast" {
		return r.Contrast
	}
	return r.Score
}
