package column

// An OccupancyRow is one participant's time in one connectivity state (occupancy).
type OccupancyRow struct {
	State    int32   `column:"state" doc:"from 1, the largest cluster first"`
	Fraction float64 `column:"fraction" doc:"share of the windows in the state"`
	Visits   int32   `column:"visits" doc:"times that the state was entered; a visit ends at censored volumes and at the end of a run"`
	Dwell    float64 `column:"dwell" unit:"s" doc:"mean duration of a visit: windows times step; 0 without a visit"`
}
