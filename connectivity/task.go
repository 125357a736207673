package connectivity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
)

// An Event is one block or trial of a task.
type Event struct {
	Onset, Duration float64 // s, from the beginning of the first volume
	Condition       string
}

// A Response is a model of the response to an event.
type Response string

// Responses: the canonical double gamma functions of SPM and of Glover (1999, NeuroImage 9:416), convolved with a
// boxcar of the event's duration; finite impulse responses (FIR), one regressor a volume from the onset on, which
// assume no shape and also take out the mean evoked response (Cole et al. 2019, NeuroImage 189:1).
const (
	SPMResponse    Response = "spm"
	GloverResponse Response = "glover"
	FIRResponse    Response = "fir"
)

// A Task is a paradigm of which the evoked responses are to be modeled.
type Task struct {
	Events   []Event
	Response Response
	After    float64 // s: how long FIR goes on after the longest event of a condition
	TR       float64 // s
	Start    float64 // s: the time in a volume to which slice timing was corrected (StartTime in fMRIPrep's sidecar)
}

// Conditions are the names of the conditions, sorted.
func (k Task) Conditions() []string {
	names := lists.Map(k.Events, func(e Event) string { return e.Condition })
	slices.Sort(names)
	return slices.Compact(names)
}

// Time is sampled in steps of TR/50, from 24 s before the first volume, as in nilearn; a response lasts 32 s.
const (
	oversampling   = 50
	earliest       = -24.0
	responseLength = 32.0
)

// Regressors are the columns T×K of a scan's volumes, those of one condition after the other, as nilearn's
// make_first_level_design_matrix makes them (0.14.1; without modulation).
func (k Task) Regressors(volumes int) (Matrix, error) {
	if !(k.TR > 0) || volumes < 2 {
		return Matrix{}, fmt.Errorf("task regressors need a repetition time and at least two volumes")
	}
	for _, e := range k.Events {
		if !finite(e.Onset) || !finite(e.Duration) || e.Duration < 0 || e.Onset < k.Start+earliest {
			return Matrix{}, fmt.Errorf("an event of %s at %g s with a duration of %g s: the onset must be at least %g s, the duration at least 0", e.Condition, e.Onset, e.Duration, earliest)
		}
	}
	if inside := k.Inside(volumes); inside == 0 || 2*inside < len(k.Events) {
		return Matrix{}, k.misplaced(inside, volumes)
	}
	if err := k.overlong(volumes); err != nil {
		return Matrix{}, err
	}
	var columns [][]float64
	for _, c := range k.Conditions() {
		events := lists.Keep(k.Events, func(e Event) bool { return e.Condition == c })
		columns = append(columns, k.columns(events, volumes)...)
		if len(columns) > volumes {
			return Matrix{}, TooLittle(fmt.Sprintf("no degrees of freedom are left: of %d volumes, the model of the events takes %d regressors or more; "+
				"use fewer conditions or shorter events", volumes, len(columns)))
		}
	}
	x := NewMatrix(volumes, len(columns))
	for j, v := range columns {
		x.setColumn(j, v)
	}
	return x, nil
}

// Inside is the number of events of which a part lies between the start of the first volume and the end of the last.
func (k Task) Inside(volumes int) (n int) {
	end := float64(float64(volumes) * k.TR)
	for _, e := range k.Events {
		if e.Onset < end && e.Onset+e.Duration >= 0 {
			n++
		}
	}
	return n
}

// Repeated is the number of events that equal an earlier one. Their responses add up.
func (k Task) Repeated() (n int) {
	seen := map[Event]bool{}
	for _, e := range k.Events {
		if seen[e] {
			n++
		}
		seen[e] = true
	}
	return n
}

// A Timing is how the events of a task lie in a scan.
type Timing struct {
	// Overlapping events end after the onset of a later one of their condition. Events that equal another one are not
	// among them.
	Overlapping int
	Cut         int     // events that begin within the scan and end after it
	Span        float64 // share of the scan from the first onset to the last end, both taken within the scan
}

// Timing is that of the events in a scan of so many volumes. Times that differ by one step of the model are equal.
func (k Task) Timing(volumes int) (t Timing) {
	end, step := float64(float64(volumes)*k.TR), k.TR/oversampling
	events := slices.Clone(k.Events)
	slices.SortFunc(events, func(x, y Event) int {
		return cmp.Or(cmp.Compare(x.Condition, y.Condition), cmp.Compare(x.Onset, y.Onset),
			cmp.Compare(x.Duration, y.Duration))
	})
	events = slices.Compact(events)
	from, to := end, 0.0
	for i, e := range events {
		off := e.Onset + e.Duration
		if i+1 < len(events) && events[i+1].Condition == e.Condition && off > events[i+1].Onset+step {
			t.Overlapping++
		}
		if e.Onset < end && off > end+step {
			t.Cut++
		}
		if e.Onset < end && off >= 0 {
			from, to = min(from, max(e.Onset, 0)), max(to, min(off, end))
		}
	}
	t.Span = max(to-from, 0) / end
	return t
}

// misplaced refuses events most of which lie outside the scan. What would explain it is asked and not assumed.
func (k Task) misplaced(inside, volumes int) error {
	first, last := k.Events[0].Onset, k.Events[0].Onset
	for _, e := range k.Events {
		first, last = min(first, e.Onset), max(last, e.Onset)
	}
	count := fmt.Sprintf("none of %s lies", words.Count(len(k.Events), "event"))
	if inside > 0 {
		count = fmt.Sprintf("only %d of %d events %s", inside, len(k.Events), words.Verb(inside, "lies", "lie"))
	}
	return fmt.Errorf("%s within the scan, which takes %.6g s; the onsets range from %.6g to %.6g, and must be in s from the first volume: "+
		"are they in milliseconds or in samples, or is this the table of another run? Correct the table", count,
		float64(volumes)*k.TR, first, last)
}

// overlong refuses events that last longer than the scan.
func (k Task) overlong(volumes int) error {
	n, longest, end := 0, 0.0, float64(float64(volumes)*k.TR)
	for _, e := range k.Events {
		if e.Duration > end {
			n++
		}
		longest = max(longest, e.Duration)
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the duration of %d of %s is longer than the scan, which takes %.6g s; the longest is %.6g, and durations "+
		"must be in s: are they in milliseconds or in samples? Correct the table", n, words.Count(len(k.Events), "event"), end, longest)
}

// columns are the regressors of one condition.
func (k Task) columns(events []Event, volumes int) (columns [][]float64) {
	grid := k.grid(volumes)
	if k.Response != FIRResponse {
		return [][]float64{k.convolve(grid, boxcar(grid, events), k.response(), 0, volumes)}
	}
	longest, first := 0.0, events[0].Onset
	impulses := slices.Clone(events)
	for i, e := range events {
		longest, first = max(longest, e.Duration), min(first, e.Onset)
		impulses[i].Duration = 0
	}
	at := boxcar(grid, impulses)
	// What would begin after the last volume is zero in all volumes.
	within := math.Ceil((k.Start-first)/k.TR) + float64(volumes)
	for delay := range int(min(math.Ceil((longest+k.After)/k.TR-1e-9), within)) {
		kernel := make([]float64, (delay+1)*oversampling)
		for i := range oversampling {
			kernel[delay*oversampling+i] = 1.0 / oversampling
		}
		columns = append(columns, k.convolve(grid, at, kernel, oversampling-1, volumes))
	}
	return columns
}

// grid are the times at which a paradigm is sampled, s.
func (k Task) grid(volumes int) []float64 {
	last := k.Start + float64(float64(volumes-1)*k.TR)
	from, to := k.Start+earliest, float64(last*(1+1/float64(volumes-1)))
	n := int(math.RoundToEven(float64(float64(volumes-1)/(last-k.Start)*(to-k.Start-earliest)*oversampling) + 1))
	step := (to - from) / float64(n-1)
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = float64(float64(i)*step) + from
	}
	grid[n-1] = to
	return grid
}

// boxcar is 1 while an event lasts, and one step long for an event of no duration; events that overlap add up.
func boxcar(grid []float64, events []Event) []float64 {
	x, last := make([]float64, len(grid)), len(grid)-1
	for _, e := range events {
		on, off := min(sort.SearchFloat64s(grid, e.Onset), last),
			min(sort.SearchFloat64s(grid, e.Onset+e.Duration), last)
		if off == on && off < last {
			off++
		}
		x[on]++
		x[off]--
	}
	for i := 1; i < len(x); i++ {
		x[i] += x[i-1]
	}
	return x
}

// response samples the canonical response; its sum is 1.
func (k Task) response() []float64 {
	// Gamma densities of shape a (with Γ(a)) and scale s.
	type density struct{ a, gamma, s float64 }
	peak, undershoot, ratio := density{6, 120, 1}, density{16, 1307674368000, 1}, 0.167
	if k.Response == GloverResponse {
		peak, undershoot, ratio = density{6 / 0.9, 389.0349262461796, 0.9},
			density{12 / 0.9, 1116669003.0834205, 0.9}, 0.48
	}
	dt := k.TR / oversampling
	at := func(d density, t float64) float64 {
		x := (t - dt) / d.s
		if !(x > 0) {
			return 0
		}
		return exact.Exp(float64((d.a-1)*exact.Log(x))-x) / (d.gamma * d.s)
	}
	n := int(math.RoundToEven(responseLength / dt))
	h, sum := make([]float64, n), 0.0
	for i := range h {
		t := float64(float64(i) * (responseLength / float64(n-1)))
		h[i] = at(peak, t) - float64(ratio*at(undershoot, t))
		sum += h[i]
	}
	for i := range h {
		h[i] /= sum
	}
	return h
}

// convolve is the convolution of x with a kernel, ahead by some steps, at the times of the volumes: between two
// samples by linear interpolation. Only these samples are computed.
func (k Task) convolve(grid, x, kernel []float64, ahead, volumes int) []float64 {
	begin := max(0, slices.IndexFunc(kernel, func(x float64) bool { return x != 0 }))
	at := func(i int) float64 {
		s := 0.0
		for j := begin; j < min(len(kernel), i+1); j++ {
			s += float64(kernel[j] * x[i-j])
		}
		return s
	}
	y := make([]float64, volumes)
	for v := range y {
		t := k.Start + float64(float64(v)*k.TR)
		i := min(max(sort.SearchFloat64s(grid, t), 1), len(grid)-1-ahead)
		low, high := at(i-1+ahead), at(i+ahead)
		y[v] = low + float64((high-low)/(grid[i]-grid[i-1])*(t-grid[i-1]))
	}
	return y
}
