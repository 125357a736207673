package column

import (
	"slices"

	"prgnn/dag"
)

// A MotionRow is QC-FC of one way of cleaning: how much of functional connectivity goes with motion over the
// participants.
type MotionRow struct {
	Coords       []dag.Coord `column:"*"`
	Strategy     []string    `column:"strategy" doc:"named set of nuisance regressors; several if participants differ"`
	Participants int32       `column:"participants" doc:"participants with a mean framewise displacement and all covariates"`
	Left         int32       `column:"left_out" doc:"participants without one of them"`
	Covariates   []string    `column:"covariates" doc:"covariates that were partialled out"`
	Edges        int32       `column:"edges" doc:"edges that count: present in at least half of these participants, and not constant"`
	MissingEdges int32       `column:"missing_edges" doc:"edges that more than half of the participants lack, or constant ones"`
	Median       float64     `column:"median_abs_r,missing" doc:"median over the edges of |r|, r between mean framewise displacement and Fisher z over the participants"`
	Null         float64     `column:"null_median_abs_r,missing" doc:"median |r| under the null hypothesis: 0.674/√(N − 3 − covariates), N the participants who have an edge; median over the edges"`
	Share        float64     `column:"share_p05,missing" doc:"share of edges with p < 0.05, uncorrected; 0.05 under the null hypothesis"`
	ShareFDR     float64     `column:"share_fdr05,missing" doc:"share of edges with q < 0.05 (false discovery rate, Benjamini and Hochberg)"`
	Distance     float64     `column:"distance_rho,missing" doc:"distance dependence: Spearman's correlation, over the edges, of r with the distance of the centroids"`
	MeanFD       float64     `column:"mean_fd,missing" unit:"mm" doc:"mean framewise displacement: mean over the participants"`
	Lost         float64     `column:"dof_lost" doc:"degrees of freedom lost to removed volumes, regressors, filter, trend and the mean: mean over the participants"`
	Remaining    float64     `column:"dof_left" doc:"degrees of freedom left: mean over the participants"`
}

// StrategyAmong is the strategy of a row; its setting, where others have the same strategy in another setting.
func (r MotionRow) StrategyAmong(all []MotionRow) []string {
	if slices.ContainsFunc(all, func(o MotionRow) bool {
		return slices.Equal(o.Strategy, r.Strategy) && !slices.Equal(o.Coords, r.Coords)
	}) {
		return []string{ShownSetting(r.Coords)}
	}
	return r.Strategy
}

// A MotionEdgeRow is one edge of QC-FC.
type MotionEdgeRow struct {
	Coords   []dag.Coord `column:"*"`
	Source   int32       `column:"source" doc:"node number"`
	Target   int32       `column:"target" doc:"node number"`
	R        float64     `column:"r,missing" doc:"correlation over the participants of Fisher z with mean framewise displacement; partial correlation with covariates"`
	P        float64     `column:"p,missing" doc:"two-sided, Student's t with N − 2 − covariates degrees of freedom"`
	Q        float64     `column:"q,missing" doc:"false discovery rate over the edges (Benjamini and Hochberg)"`
	Distance float64     `column:"distance,missing" unit:"mm" doc:"between the centroids"`
}

// A TypicalityRow compares one participant's connectivity and motion with those of the others.
type TypicalityRow struct {
	Coords      []dag.Coord `column:"*"`
	Participant string      `column:"participant_id"`
	Typicality  float64     `column:"typicality,missing" doc:"correlation over the edges of the participant's Fisher z with the mean of the others"`
	MeanFD      float64     `column:"mean_fd,missing" unit:"mm" doc:"mean framewise displacement"`
	TEff        float64     `column:"t_eff" doc:"degrees of freedom left"`
	MedianR     float64     `column:"median_abs_r,missing,optional" doc:"median of the magnitudes of the participant's correlations"`
	Outlier     []string    `column:"outlier" doc:"measures in which the participant is more than 3.5 robust SD worse than the median (Iglewicz and Hoaglin 1993): low typicality or t_eff, high mean_fd"`
}
