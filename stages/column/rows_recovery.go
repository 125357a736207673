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
	RidgeOcclusion  = "ridge occlusion"
)

// A RecoveryRow measures how good one ranking of the regions is.
type RecoveryRow struct {
	Coords    []dag.Coord `column:"*"`
	Top       int32       `column:"top" doc:"number of top regions that count as found"`
	Planted   *int32      `column:"planted" doc:"regions with a planted edge; missing for real data"`
	Found     *int32      `column:"found" doc:"planted regions among the first"`
	AUROC     float64     `column:"auroc,missing" doc:"probability that a planted region ranks above another region (AUROC); 0.5 by chance"`
	By        string      `column:"by" doc:"ranking criterion: the mean score, the contrast of the groups, the score relative to permuted labels (null), or the statistic of a reference; for the trained models that of the ranking first"`
	Method    string      `column:"method" doc:"trained models, or a reference: the same models at their starting weights; mean over folds, in the training participants, of Welch's |t| of node strength (mean of a region's features) or of the mean |t| over a region's features; the mean over a region's features of the absolute pattern of a ridge regression on all features (Haufe et al. 2014); how much its decision value for a participant's own group falls, on average, if the features of the region are replaced by their means"`
	Agreement float64     `column:"agreement,missing" doc:"Kuncheva's index of the top regions between models (folds, repeats, seeds): 0 by chance, 1 for the same regions; references without a network are computed from training participants, most of which two folds share"`
	Score     float64     `column:"common_score,missing" doc:"top regions that are also top regions by the trained models' mean score"`
	Contrast  float64     `column:"common_contrast,missing" doc:"the same by the trained models' contrast"`
	HeldOut   float64     `column:"held_out,missing" doc:"group difference in the test participants, in within-group SD and in the direction of the training participants, over the features of the top regions; the ranking uses training participants only; mean over models, 0 by chance; missing with fewer than three degrees of freedom in a test fold"`
	All       float64     `column:"held_out_all,missing" doc:"the same over all regions: expected for random regions"`

	LeadScore    float64 `column:"lead_score,missing" doc:"lead of the trained models' ranking by mean score over this one: in AUROC for simulated data (for untrained mean scores, in the better direction), else in held_out; mean over models"`
	PScore       float64 `column:"p_score,missing" doc:"two-sided p of lead_score over the models, by the corrected resampled t-test (Nadeau and Bengio 2003); missing if it does not vary"`
	LeadContrast float64 `column:"lead_contrast,missing" doc:"the same of the trained models' ranking by contrast"`
	PContrast    float64 `column:"p_contrast,missing" doc:"of lead_contrast"`

	TestedLeast int32 `column:"tested_least,optional" doc:"participants of the smallest group that a model tests, in the model with the fewest: held_out of so few is noise"`

	HeldOutLeadScore    float64 `column:"held_out_lead_score,missing,optional" doc:"as lead_score, always in held_out: without the truth, which is unknown in studies of real participants"`
	HeldOutPScore       float64 `column:"held_out_p_score,missing,optional" doc:"of held_out_lead_score"`
	HeldOutLeadContrast float64 `column:"held_out_lead_contrast,missing,optional" doc:"as lead_contrast, always in held_out"`
	HeldOutPContrast    float64 `column:"held_out_p_contrast,missing,optional" doc:"of held_out_lead_contrast"`
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
