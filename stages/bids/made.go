package bids

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// madeFields are the fields of sidecars that state how scans or series were processed: those of fMRIPrep, XCP-D (with
// spaces up to 0.5) and giga_connectome.
var madeFields = []string{"SliceTimingCorrected", "NuisanceParameters", "nuisance parameters", "ConfoundRegressors",
	"SoftwareFilters", "Freq Band", "FWHM", "SkipVols", "NumberOfVolumesDiscardedByUser", "SkullStripped", "LowpassFilter",
	"BandpassFilter", "SpatialSmoothing", "GlobalSignalRegression"}

// scannerFields are the fields of sidecars that state on which scanner, and how, a scan was acquired.
var scannerFields = []string{"Manufacturer", "ManufacturersModelName", "MagneticFieldStrength", "DeviceSerialNumber",
	"StationName", "InstitutionName", "ReceiveCoilName", "EchoTime", "FlipAngle", "MultibandAccelerationFactor",
	"PhaseEncodingDirection", "TotalReadoutTime", "PulseSequenceType", "NumberOfVolumesDiscardedByScanner"}

// timeFields are those on the times of the volumes, which are read with the header (Time).
var timeFields = []string{"RepetitionTime", "VolumeTiming", "SamplingFrequency"}

// Acquired are the entities that state how a scan was acquired; the others are of its processing.
var Acquired = []string{"ses", "task", "acq", "dir", "run", "echo", "part", "ce", "recording"}

// Entities are those of a file's name, but for sub; nil of a name that is not BIDS's. A seg alone is an atlas.
func Entities(path string) map[string]string {
	name, ok := Parse(filepath.Base(path))
	if !ok {
		return nil
	}
	of := map[string]string{}
	for _, e := range name.Entities[1:] {
		of[e.Key] = e.Value
	}
	if seg := of["seg"]; of["atlas"] == "" && seg != "" {
		of["atlas"] = seg
		delete(of, "seg")
	}
	return of
}

// A Making reads what the sidecars and the datasets of files state on how they were made. The zero value is ready.
type Making struct {
	sidecars map[string]*Sidecars // by dataset
	by       map[string]string
}

// Of are the fields of a file's sidecar on its processing, on its acquisition and the others, and the program that made
// its dataset, "fMRIPrep 25.2.0". A sidecar that cannot be read states nothing: its times are read too, which reports
// it.
func (m *Making) Of(path string) (processed, acquired, other map[string]string, program string) {
	root := filepath.Dir(path)
	for within(filepath.Base(root)) {
		root = filepath.Dir(root)
	}
	if m.sidecars == nil {
		m.sidecars, m.by = map[string]*Sidecars{}, map[string]string{}
	}
	if m.sidecars[root] == nil {
		m.sidecars[root], m.by[root] = &Sidecars{Root: root}, GeneratedBy(root)
	}
	processed, acquired, other = map[string]string{}, map[string]string{}, map[string]string{}
	own := ""
	var all map[string]json.RawMessage
	if name, ok := Parse(filepath.Base(path)); ok {
		all, own = m.sidecars[root].fields(File{Name: name, Path: path}), "sub-"+name.Get("sub")
	} else if b, err := ReadJSON(Beside(path)); err == nil {
		_ = Decode(b, &all)
	}
	for field, value := range all {
		of := other
		switch {
		case slices.Contains(timeFields, field):
			continue
		case slices.Contains(madeFields, field):
			of = processed
		case slices.Contains(scannerFields, field):
			of = acquired
		}
		text := stated(value)
		if own != "" { // as in the names of its sources
			text = strings.ReplaceAll(text, own, "sub-")
		}
		if text != "" {
			of[field] = text
		}
	}
	return processed, acquired, other, m.by[root]
}

// within reports whether a directory of this name lies within a dataset.
func within(name string) bool {
	return name == "func" || name == "anat" || strings.HasPrefix(name, "sub-") || strings.HasPrefix(name, "ses-")
}

// stated is a value as text, "" for none. Of a list of regressors it leaves out what depends on the scan: outliers, and
// the number of those that are numbered.
func stated(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case value == nil || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		list = slices.DeleteFunc(list, func(name string) bool { return strings.Contains(name, "outlier") })
		list = lists.Map(list, func(name string) string { return strings.TrimRight(name, "0123456789") })
		slices.Sort(list)
		return cmp.Or(strings.Join(slices.Compact(list), ", "), None)
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return ""
	}
	return b.String()
}
