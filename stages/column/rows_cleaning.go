package column

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// Why nothing was regressed out (CleaningRow.Why).
const (
	AskedForNone = "regress: none"
	NoConfounds  = "no confounds in the data"
	Simulated    = "simulated confounds"
	SeriesGiven  = "time series used as given"
	CleanedScan  = "scan already denoised"
)

// CleanedBefore is the metadata by which the table of a scan states that its series need no nuisance regression, and
// why; CleanedBy is how they were cleaned according to the sidecar.
const (
	CleanedBefore = "cleaned"
	CleanedBy     = "cleaned by"
)

// MissingCodes is the metadata by which the quality of a scan lists the regions and confounds that hold a number which
// may stand for missing values: a JSON list of MissingCode.
const MissingCodes = "codes"

// Wrapped is the metadata by which the table of a scan, and its quality, state how many voxels of regions have numbers
// that overflow 16 bits.
const Wrapped = "wrapped"

// ReferenceR is the metadata by which the table of a raw scan, and its quality, state how its mean correlates with the
// reference of its transforms (reference_r of bootstrap); of several runs the least.
const ReferenceR = "reference_r"

// JoinedRuns is the metadata by which the quality of a joined series lists its runs, or sessions, where
// it has several: a JSON list of names.
const JoinedRuns = "runs"

// RunTimes is the metadata by which the quality of a joined series lists the repetition times of its runs, s, where
// these are known and differ: a JSON list. The series then has none.
const RunTimes = "tr"

// TimesOfRuns are the repetition times of the runs of a joined series, where these differ; otherwise nil.
func TimesOfRuns(meta map[string]string) ([]float64, error) { return MetaOf[[]float64](meta, RunTimes) }

// OneTime is the error of a step that needs one repetition time, of runs that have several.
func OneTime(step string, times []float64) error {
	return fmt.Errorf("%s needs one repetition time, but the joined runs have %s s: join runs with one repetition time only",
		step, TimesText(times))
}

// TimesText lists different repetition times, "0.8 and 2".
func TimesText(times []float64) string {
	times = slices.Compact(slices.Sorted(slices.Values(times)))
	return strings.Join(lists.Map(times, func(tr float64) string { return fmt.Sprintf("%g", tr) }), " and ")
}

// TimeUnknown is the error of a step that needs the repetition time, where it is not known.
func TimeUnknown(step string) error {
	return fmt.Errorf("%s needs the repetition time, which is not known: set tr, in s", step)
}

// A MissingCode is a number that may stand for missing values, in so many volumes of a region or a column of confounds.
type MissingCode struct {
	Region  int     `json:"region,omitempty"` // from 1; 0 for a column
	Column  string  `json:"column,omitempty"`
	Code    float64 `json:"code"`
	Volumes int     `json:"volumes"`
	Run     string  `json:"run,omitempty"` // of joined runs
}

// MissingCodesOf are those of the metadata of a table.
func MissingCodesOf(meta map[string]string) ([]MissingCode, error) {
	return MetaOf[[]MissingCode](meta, MissingCodes)
}

// A CensoredError refuses a scan of which censoring for motion leaves too little.
type CensoredError struct{ Err error }

func (e CensoredError) Error() string { return e.Err.Error() }
func (e CensoredError) Unwrap() error { return e.Err }

// A UnitError refuses data in another unit, such as Fisher's z in place of correlations. Participants whose data do not
// show it may have the same unit: to go on with them alone would be wrong.
type UnitError struct{ Err error }

func (e UnitError) Error() string { return e.Err.Error() }
func (e UnitError) Unwrap() error { return e.Err }

// StrongMotion is the framewise displacement above which a volume is censored by usual strategies (nilearn's
// scrubbing), mm.
const StrongMotion = 0.5

// LeastMotion is a mean framewise displacement that every scan of a person exceeds, mm: less is in another unit, or was
// not measured.
const LeastMotion = 0.01

// MostMotion is a mean framewise displacement that no scan of a person reaches, mm: more is in another unit.
const MostMotion = 5.0

// LeastGlobalR is a correlation of the mean over the regions with the global signal of the confounds that every scan
// reaches with its own confounds, and none with those of another scan: of 40 resting scans with 84 regions at least
// 0.91, and at most 0.46 (99%: below 0.31). With 20 regions drawn at random it is at least 0.57, with 10 sometimes
// less than 0.5.
const LeastGlobalR = 0.5

// A CleaningRow describes the cleaning of one scan's series, and what is left (denoise; join, of several
// runs).
type CleaningRow struct {
	Volumes    int32     `column:"volumes" doc:"volumes of the run"`
	Kept       int32     `column:"kept" doc:"volumes after censoring"`
	Regressors int32     `column:"regressors" doc:"independent confounds regressed out"`
	Trend      int32     `column:"trend" doc:"degree of the polynomial trend removed"`
	FilterLoss float64   `column:"filter_loss" doc:"degrees of freedom lost to the filter"`
	TEff       float64   `column:"t_eff" doc:"degrees of freedom left: kept − regressors − filter loss − trend − 1 for the mean"`
	TR         float64   `column:"tr,missing" unit:"s" doc:"repetition time used"`
	MeanFD     float64   `column:"mean_fd,missing" unit:"mm" doc:"mean framewise displacement"`
	MaxFD      float64   `column:"max_fd,missing" unit:"mm" doc:"largest framewise displacement"`
	HighFD     int32     `column:"high_fd,optional" doc:"volumes with a framewise displacement above 0.5 mm, censored or not"`
	Missing    int32     `column:"missing" doc:"regions without a series (no voxels, or too few valid ones), in the draw with the most"`
	Constant   int32     `column:"constant" doc:"regions that are constant before or after nuisance regression, in the draw with the most"`
	Confounds  []string  `column:"confounds" doc:"columns regressed out"`
	FirstRow   string    `column:"first_row" doc:"replacement of n/a in the first row"`
	NonSteady  int32     `column:"non_steady,optional" doc:"volumes removed because the scan was not in steady state"`
	Censored   int32     `column:"censored,optional" doc:"volumes censored for motion, with short segments between them"`
	Seconds    float64   `column:"seconds,missing,optional" unit:"s" doc:"duration of the kept volumes"`
	Strategy   string    `column:"strategy,optional" doc:"the named set of nuisance regressors; none where nothing was regressed out"`
	NonFinite  int32     `column:"nonfinite,optional" doc:"voxels of regions excluded because a volume holds NaN or infinity"`
	Reduced    int32     `column:"reduced,optional" doc:"regions that lost more than a tenth of their voxels, as not finite or constant"`
	Lost       []string  `column:"reduced_regions,optional" doc:"names of those regions"`
	LostShares []float64 `column:"reduced_shares,optional" doc:"share of its voxels that each of those regions lost"`
	TRFrom     string    `column:"tr_from,optional" doc:"source of the repetition time: parameter, sidecar or header; empty if unknown or if runs differ"`
	Task       string    `column:"task,optional" doc:"the model of the task response that was regressed out; none if task responses were not regressed out; empty without events"`
	Conditions []string  `column:"conditions,optional" doc:"conditions of the task"`
	Events     float64   `column:"events,missing,optional" doc:"events whose responses were modeled"`
	Why        string    `column:"why,optional" doc:"reason for no nuisance regression; empty if there was one"`
	Sidecar    string    `column:"cleaned_by,optional" doc:"how given time series were cleaned, according to their sidecar; empty where it does not state that"`
	Block      int32     `column:"block,optional" unit:"volumes" doc:"length of the blocks of random draws of the volumes, in the run with the longest; 0 without such draws"`

	EventsInside   float64 `column:"events_inside,missing,optional" doc:"modeled events of which a part lies between the start of the first volume and the end of the last"`
	RepeatedEvents int32   `column:"repeated_events,optional" doc:"modeled events that equal an earlier one in condition, onset and duration; their responses add up"`

	OverlappingEvents int32   `column:"events_overlapping,optional" doc:"modeled events that end after the onset of a later event of the same condition, by more than a fiftieth of the repetition time; those in repeated_events do not count"`
	EventsCut         int32   `column:"events_cut,optional" doc:"modeled events that begin within the scan and end after it, by more than a fiftieth of the repetition time"`
	EventsSpan        float64 `column:"events_span,missing,optional" doc:"share of the scan from the first onset to the end of the last event, within the scan, in the run with the least; missing with fewer than three events"`

	RepeatedVolumes int32 `column:"repeated_volumes,optional" doc:"volumes that equal the volume before them in all regions, or lie in a block that equals an earlier block of the scan, before denoising, in draw 0"`
	RepeatedRegions int32 `column:"repeated_regions,optional" doc:"regions whose series equals that of another region before it, before denoising, in draw 0"`

	FirstVolumes int32   `column:"first_volumes,optional" doc:"first kept volumes that are far from all later ones in most regions before denoising, as before the steady state, in draw 0"`
	FarVolumes   []int32 `column:"far_volumes,optional" doc:"other kept volumes, from 1, that are far from all others in most regions before denoising, in draw 0; for joined runs, numbered continuously over the runs"`

	Standardized   float64 `column:"standardized,missing,optional" doc:"1 where all regions have mean 0 and SD 1 before denoising, otherwise 0, in draw 0; for joined runs, the mean, here and in the next ten columns"`
	Interpolated   float64 `column:"interpolated,missing,optional" doc:"share of the volumes that are the mean of the volumes before and after in most regions before denoising, in draw 0"`
	FirstDistance  float64 `column:"first_distance,missing,optional" doc:"distance of the first kept volume from the others before denoising, in robust SDs of their distances, in draw 0"`
	FarDistance    float64 `column:"far_distance,missing,optional" doc:"largest magnitude of the distance of another kept volume, in the same unit"`
	HighFrequency  float64 `column:"high_frequency,missing,optional" doc:"share of the power above 0.1 Hz, as the median over the regions, before denoising, in draw 0; without a repetition time, that of a scan with 2 s"`
	GlobalVariance float64 `column:"global_variance,missing,optional" doc:"variance of the mean over the regions, as a share of the mean variance of a region, before denoising, in draw 0"`
	SameValue      float64 `column:"same_value,missing,optional" doc:"share of the volumes that repeat the most frequent value of a region, in the region with the largest, before denoising, in draw 0"`
	LevelStep      float64 `column:"level_step,missing,optional" doc:"share of the variance beyond a linear trend that one step between two volumes explains, as the median over the regions, of the step with the largest, before denoising, in draw 0"`
	Unexplained    float64 `column:"unexplained,missing,optional" doc:"share of the variance of a region that the 50 regions with the strongest correlations, at most a third of the volumes, do not explain, per degree of freedom, in the region with the smallest, before denoising, in draw 0"`
	NeighborR      float64 `column:"neighbor_r,missing,optional" doc:"correlation of the changes from volume to volume of two neighboring voxels of a region, as the median over at most 500 pairs; missing without a scan"`
	Labeled        float64 `column:"labeled_share,missing,optional" doc:"voxels of regions as a share of the ellipsoid with their spread along each axis; missing without a scan of voxels"`
	GlobalR        float64 `column:"global_signal_r,missing,optional" doc:"correlation over the volumes of the mean over the regions with global_signal of the confounds, both without a linear trend, before denoising, in draw 0; missing without that column, or with fewer than 20 regions; for joined runs, the value of the run with the least"`

	NonSteadyLater int32 `column:"non_steady_later,optional" doc:"volumes removed as not in steady state that come after one that is"`
	Cosines        int32 `column:"cosines,optional" doc:"fMRIPrep's cosines regressed out, a high-pass filter at 1/128 Hz"`
	CosinesUsual   int32 `column:"cosines_usual,optional" doc:"cosines that fMRIPrep writes for a scan of this duration; 0 where none are regressed out, or the repetition time is not known"`
	OtherCosines   int32 `column:"other_cosines,optional" doc:"cosines regressed out that are not half waves over the kept volumes, such as those of a scan of another length"`

	ConstantConfounds []string `column:"constant_confounds,optional" doc:"columns chosen as regressors that have one value in all volumes, and so regress out nothing"`

	Unusable []int32 `column:"unusable,optional" doc:"places in the node list of the regions that are missing or constant in a draw, from 1"`

	Bridge     string `column:"bridge,optional" doc:"how censored volumes were bridged while a Butterworth filter ran: linear or nilearn; empty where none were"`
	Bridged    int32  `column:"bridged,optional" doc:"censored volumes that were bridged: those between kept ones"`
	LongestGap int32  `column:"longest_gap,optional" unit:"volumes" doc:"longest gap that was bridged"`
}

// A SeriesFact is a column on the series before denoising, which groups with the same processing have alike. Treated
// reports whether a value is that of a treatment: two series of ABIDE have one.
type SeriesFact struct {
	Name    string
	Of      func(r *CleaningRow) *float64
	Treated func(v float64) bool
	// Below separates means that the same processing does not give to two groups; 0 for any two. On one side of it,
	// they may differ with the connectivity: of standardized series, the global variance is the mean correlation.
	Below float64
}

// SeriesFacts are all of them, the most specific first.
var SeriesFacts = []SeriesFact{
	{"standardized", func(r *CleaningRow) *float64 { return &r.Standardized },
		func(v float64) bool { return v > 0.5 }, 0},
	{"interpolated", func(r *CleaningRow) *float64 { return &r.Interpolated },
		func(v float64) bool { return v > 0.05 }, 0},
	{"same_value", func(r *CleaningRow) *float64 { return &r.SameValue },
		func(v float64) bool { return v > 0.1 }, 0},
	{"level_step", func(r *CleaningRow) *float64 { return &r.LevelStep },
		func(v float64) bool { return v > 0.5 }, 0},
	{"first_distance", func(r *CleaningRow) *float64 { return &r.FirstDistance },
		func(v float64) bool { return math.Abs(v) > 8 }, 0},
	{"far_distance", func(r *CleaningRow) *float64 { return &r.FarDistance },
		func(v float64) bool { return v > 15 }, 0},
	{"labeled_share", func(r *CleaningRow) *float64 { return &r.Labeled }, never, 0},
	{"high_frequency", func(r *CleaningRow) *float64 { return &r.HighFrequency },
		func(v float64) bool { return v < 0.1 }, 0},
	{"neighbor_r", func(r *CleaningRow) *float64 { return &r.NeighborR }, never, 0},
	{"global_variance", func(r *CleaningRow) *float64 { return &r.GlobalVariance },
		func(v float64) bool { return v < 0.01 }, 0.01},
	{"global_signal_r", func(r *CleaningRow) *float64 { return &r.GlobalR },
		func(v float64) bool { return v < LeastGlobalR }, LeastGlobalR},
	{"unexplained", func(r *CleaningRow) *float64 { return &r.Unexplained },
		func(v float64) bool { return v < 1e-6 }, 0.02},
}

// never is of facts that have no values of a treatment: scans differ too much.
func never(float64) bool { return false }

// Given reports whether the series were cleaned before this program, by which steps is not known to it.
func (r CleaningRow) Given() bool { return r.Why == SeriesGiven }

// LossUnknown reports whether degrees of freedom were lost before this program, which cannot count them: those left are
// then an upper bound, and a standard error is a lower one.
func (r CleaningRow) LossUnknown() bool { return r.Given() || r.Why == CleanedScan }

// A LostRegion is one that lost more than a tenth of its voxels. The share is NaN where it is not known.
type LostRegion struct {
	Name  string
	Share float64
}

// LostRegions are those of the columns reduced_regions and reduced_shares.
func (r CleaningRow) LostRegions() []LostRegion {
	regions := make([]LostRegion, len(r.Lost))
	for i, name := range r.Lost {
		regions[i] = LostRegion{name, math.NaN()}
		if i < len(r.LostShares) {
			regions[i].Share = r.LostShares[i]
		}
	}
	return regions
}

// A VolumeRow is one volume of a scan (denoise).
type VolumeRow struct {
	Volume  int32   `column:"volume" doc:"from 1, in scan order"`
	FD      float64 `column:"framewise_displacement,missing" unit:"mm" doc:"as in the table of confounds, or computed from its motion parameters (Power et al. 2012)"`
	DVARS   float64 `column:"std_dvars,missing" doc:"standardized DVARS, as in the table of confounds"`
	Global  float64 `column:"global_signal,missing" doc:"as in the table of confounds"`
	LeftOut string  `column:"left_out" doc:"why the volume was removed: not in steady state, motion; empty for a kept volume"`
}
