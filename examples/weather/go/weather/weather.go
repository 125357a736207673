// Package weather has three stage kinds without participants: from the hourly readings of stations to the correlations
// of their daily means.
package weather

//go:generate go run prgnn/dag/codeid .

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/dense"
)

//go:embed codes.txt
var codesText string

// codes are the code identities of the stage kinds, by name.
var codes = dag.Codes(codesText)

func init() {
	dag.Register(&dag.Kind{Name: "weather-clean", Doc: "hourly readings without those that are missing",
		New: func() dag.Stage { return &Clean{Missing: -999} }, Code: codes["weather-clean"]})
	dag.Register(&dag.Kind{Name: "weather-daily", Doc: "daily means of hourly readings",
		New: func() dag.Stage { return &Daily{Hours: 12} }, Code: codes["weather-daily"]})
	dag.Register(&dag.Kind{Name: "weather-correlation", Doc: "correlations of the daily means of all stations",
		New: func() dag.Stage { return &Correlation{} }, Code: codes["weather-correlation"]})
}

// Clean takes the file of one station: date, hour, temperature.
type Clean struct {
	Missing float64 `param:"missing" doc:"the code of a missing reading"`
}

// Ports are a file, and its readings.
func (*Clean) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "file", Type: dag.Format("csv"), Doc: "date, hour, temperature"}},
		Out: []dag.Port{{Name: "readings", Type: dag.Arrow("date", "temperature"), Doc: "a row a reading"}},
	}
}

// Run leaves out missing readings.
func (s *Clean) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	text, err := t.In("file").Bytes()
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("file").Name, err)
	}
	var dates []string
	var temperatures []float64
	for i, row := range rows {
		if i == 0 || len(row) < 3 || row[2] == "" { // the head, and no reading
			continue
		}
		x, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: temperature: %w", t.In("file").Name, i+1, err)
		}
		if x != s.Missing {
			dates, temperatures = append(dates, row[0]), append(temperatures, x)
		}
	}
	return dag.Outputs{"readings": table(dates, temperatures)}, nil
}

// Daily takes the readings of one station.
type Daily struct {
	Hours int `param:"hours" doc:"readings that a day needs at least" min:"1" max:"24"`
}

// Ports are readings, and their means.
func (*Daily) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "readings", Type: dag.Arrow("date", "temperature"), Doc: "a row a reading"}},
		Out: []dag.Port{{Name: "means", Type: dag.Arrow("date", "temperature"), Doc: "a row a day"}},
	}
}

// Run averages the readings of each day.
func (s *Daily) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	dates, temperatures, err := read(t.In("readings"))
	if err != nil {
		return nil, err
	}
	var days []string
	var means []float64
	for i := 0; i < len(dates); {
		sum, first := 0.0, i
		for ; i < len(dates) && dates[i] == dates[first]; i++ {
			sum += temperatures[i]
		}
		if i-first >= s.Hours {
			days, means = append(days, dates[first]), append(means, sum/float64(i-first))
		}
	}
	return dag.Outputs{"means": table(days, means)}, nil
}

// Correlation takes the means of all stations.
type Correlation struct{}

// Ports are the means of each station, and a row for each two of them.
func (*Correlation) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "means", Type: dag.Arrow("date", "temperature"), Gather: true, Doc: "a table a station"}},
		Out: []dag.Port{{Name: "pairs", Type: dag.Arrow("first", "second", "days", "r"),
			Doc: "Pearson's r on the days that both stations have"}},
	}
}

// Run correlates each two stations.
func (*Correlation) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all := t.All("means")
	dates, means := make([][]string, len(all)), make([][]float64, len(all))
	for i, in := range all {
		var err error
		if dates[i], means[i], err = read(in); err != nil {
			return nil, err
		}
	}
	var first, second []string
	var days []int32
	var r []float64
	for i := range all {
		for j := range i {
			a, b := both(dates[j], means[j], dates[i], means[i])
			first = append(first, all[j].Coords[0].Value)
			second = append(second, all[i].Coords[0].Value)
			days, r = append(days, int32(len(a))), append(r, Pearson(a, b))
		}
	}
	return dag.Outputs{"pairs": encoding.NewTable(
		encoding.Column{Name: "first", Values: first}, encoding.Column{Name: "second", Values: second},
		encoding.Column{Name: "days", Values: days, Doc: "days that both have"},
		encoding.Column{Name: "r", Values: r, Doc: "Pearson's r"})}, nil
}

// both are the means of two stations on the days that both have.
func both(dates []string, means []float64, others []string, othersMeans []float64) (a, b []float64) {
	at := map[string]int{}
	for i, day := range others {
		at[day] = i
	}
	for i, day := range dates {
		if j, ok := at[day]; ok {
			a, b = append(a, means[i]), append(b, othersMeans[j])
		}
	}
	return a, b
}

// Pearson is the correlation of two series, NaN where one of them is constant.
func Pearson(a, b []float64) float64 {
	a, b = centered(a), centered(b)
	return dense.Dot(a, b) / math.Sqrt(dense.Dot(a, a)*dense.Dot(b, b))
}

// centered is a series minus its mean.
func centered(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - sum/float64(len(x))
	}
	return out
}

func table(dates []string, temperatures []float64) *encoding.Table {
	return encoding.NewTable(encoding.Column{Name: "date", Values: dates},
		encoding.Column{Name: "temperature", Values: temperatures, Unit: "°C"})
}

func read(in dag.Input) (dates []string, temperatures []float64, err error) {
	t, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	if dates, err = t.Strings("date"); err != nil {
		return nil, nil, err
	}
	temperatures, err = t.Floats("temperature")
	return dates, temperatures, err
}
