package cohort

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/protocol"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// times reads the repetition time and the length of a scan. A scan that cannot be read says why when its task runs.
func (f *bidsFiles) times() {
	if r, err := nifti.Open(f.bold); err == nil {
		f.header(r)
		r.Close()
	}
	if b, err := bids.ReadJSON(f.sidecar); f.sidecar != "" && err == nil {
		f.tr, f.noTime = bids.Time(b, f.volumes)
		f.sampling = bids.SamplingApart(b)
	}
}

func (f *bidsFiles) header(r *nifti.Reader) {
	if f.gray = r.Header.CIFTI(); f.gray {
		f.volumes = int(r.Header.Dim[5])
		f.headerTR = cifti.Step(r)
		f.stated = map[string]string{
			protocol.Grayordinates: fmt.Sprintf("%d (checksum %s)", r.Header.Dim[6], cifti.Sum(r)),
		}
		return
	}
	f.headerTR, f.volumes = r.Header.TR(), int(r.Volumes())
	grid := r.Header.Grid()
	f.voxel = grid.Affine.VoxelSize()
	f.stated = map[string]string{protocol.AffineSource: r.Header.AffineSource()}
	if v := f.voxel; v[0] > 0 {
		for i := range v { // to 0.01 mm
			v[i] = math.Round(v[i]*100) / 100
		}
		f.stated[protocol.VoxelSize] = fmt.Sprintf("%g×%g×%g mm", v[0], v[1], v[2])
	}
	if grid.Oriented {
		f.stated[protocol.Orientation] = grid.Affine.Axes()
	}
}

// notesHeader keeps what the header of a scan states.
func (r *Roster) notesHeader(f *bidsFiles) {
	if r.headers == nil {
		r.headers = map[string]map[string]string{}
	}
	r.headers[f.bold] = f.stated
}

// apart reports whether sidecar and header contradict each other.
func (f *bidsFiles) apart() bool {
	return f.tr > 0 && f.headerTR != 0 && bids.TimesDiffer(f.tr, f.headerTR)
}

// refuseHeaders makes it a problem of a participant that no JSON file gives its repetition time, where its header does
// not count either: one header gives one time to volumes at unequal intervals, too.
func (c *BIDSCohort) refuseHeaders(rows []listed.Row, found map[string]*bidsFiles) {
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			if c.Time != "header" && errors.As(f.noTime, new(*bids.UnequalError)) {
				found[row.ID].problems = append(found[row.ID].problems, userfile.Place(fmt.Errorf(
					"%s: %w, or set repetition_time: header", f.sidecar, f.noTime), f.sidecar))
			}
		}
	}
	why := c.headersWrong(rows, found)
	if why == "" {
		return
	}
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			if f.bold != "" && f.sidecar == "" {
				found[row.ID].problems = append(found[row.ID].problems, fmt.Errorf("no JSON file gives the RepetitionTime of %s, and %s",
					filepath.Base(f.bold), why))
			}
		}
	}
}

// headersWrong is why headers do not count, by the other scans: any that contradicts its sidecar with
// repetition_time: sidecar, otherwise most of those that have both; "" where they count.
func (c *BIDSCohort) headersWrong(rows []listed.Row, found map[string]*bidsFiles) string {
	var scans []*bidsFiles
	for _, row := range rows {
		scans = append(scans, found[row.ID].each()...)
	}
	switch apart, both := countApart(scans); {
	case c.Time == "sidecar" && apart > 0:
		return "with repetition_time: sidecar its header does not count, since those of other scans are wrong: add the file"
	case c.Time == "auto" && 2*apart > both:
		return headersDoubted(apart, both) + ": add the file, or set repetition_time: header if the headers are right"
	}
	return ""
}

// countApart counts the scans whose sidecar and header contradict each other, of those that have both.
func countApart(scans []*bidsFiles) (apart, both int) {
	for _, f := range scans {
		if f.tr > 0 && f.headerTR != 0 {
			both++
		}
		if f.apart() {
			apart++
		}
	}
	return apart, both
}

// headersDoubted is why a header does not count where there is no sidecar.
func headersDoubted(apart, both int) string {
	return fmt.Sprintf("its header is not known to be right, since %d of %d other headers contradict their sidecars", apart, both)
}

// samplingNote notes sidecars whose SamplingFrequency contradicts their RepetitionTime.
func samplingNote(scans []column.Values) []column.Note {
	if scans == nil {
		return nil
	}
	return []column.Note{column.Doubtful(column.DoubtTimes, "noted.sampling", column.Values{"Scans": scans})}
}

// sampled are the repetition time and the sampling frequency of a scan.
func (f *bidsFiles) sampled(who string) column.Values {
	return column.Values{"Who": who, "Time": f.sampling.Time, "Frequency": f.sampling.Frequency}
}

// bothTimes are the repetition times of a scan in its sidecar and its header.
func (f *bidsFiles) bothTimes(who string) column.Values {
	return column.Values{"Who": who, "Sidecar": f.tr, "Header": f.headerTR}
}

// cutNote names the short scans. volumes are those of each scan, by participant and run.
func cutNote(volumes map[string]int) []column.Note {
	median, short := column.ShortScans(volumes)
	if len(short) == 0 {
		return nil
	}
	return []column.Note{column.Doubtful(column.DoubtVolumes, "noted.few-volumes", column.Values{"Median": median,
		"Scans": lists.Map(slices.Sorted(maps.Keys(short)), func(who string) column.Values {
			return column.Values{"Value": who, "N": volumes[who]}
		})})}
}

// timeNotes tell of repetition times that contradict each other, or differ between
// participants. contradict are the notes of those that contradict each other, or within a sidecar without a header that
// confirms its RepetitionTime.
func timeNotes(rows []listed.Row, found map[string]*bidsFiles, part string) (notes, contradict []column.Note) {
	var apart, sampled, unsure []column.Values
	used := map[float64]int{}
	for _, row := range rows {
		for _, f := range found[row.ID].each() {
			who := row.ID + map[bool]string{true: " " + part + " " + f.name}[f.name != ""]
			if f.sampling != nil {
				sampled = append(sampled, f.sampled(who))
				if f.headerTR == 0 || f.apart() { // else the header confirms the RepetitionTime
					unsure = append(unsure, sampled[len(sampled)-1])
				}
			}
			if f.apart() {
				apart = append(apart, f.bothTimes(who))
			}
			if tr := f.tr; tr > 0 {
				used[tr]++
			} else if bids.IsTime(f.headerTR) {
				used[math.Round(f.headerTR/bids.SameTime)*bids.SameTime]++
			}
		}
	}
	if apart != nil {
		notes = append(notes, column.Doubtful(column.DoubtTimes, "noted.times-differ",
			column.Values{"Scans": apart, "Series": false}))
	}
	contradict = slices.Concat(notes, samplingNote(unsure))
	notes = append(notes, samplingNote(sampled)...)
	if len(used) > 1 {
		var text []string
		for tr, n := range used {
			text = append(text, fmt.Sprintf("%g s (%d)", tr, n))
		}
		slices.Sort(text)
		notes = append(notes, column.Notef("not all scans have the same repetition time: %s", strings.Join(text, ", ")))
	}
	return notes, contradict
}
