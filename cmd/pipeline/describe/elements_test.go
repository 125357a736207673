package describe

import (
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/mat5"
	"prgnn/stages/region"
)

// The elements of an array of structs are no choice: each may be another participant.
func TestInspectElements(t *testing.T) {
	var all []mat5.Variable
	for _, name := range []string{"sub(1).ts", "sub(2).ts", "one(1).ts", "ts"} {
		all = append(all, mat5.Matrix(name, make([]float64, 60), 20, 3))
	}
	got := strings.Join(withoutElements(region.Lines("all.mat", all), all), "|")
	want := "# sub(1).ts, sub(2).ts …: if these are of different participants, write a file for each,\n" +
		"# since one file of structs is read for one participant only\n" +
		"|timeseries:\n  series: all.mat\n  variable: one(1).ts\n|timeseries:\n  series: all.mat\n  variable: ts\n"
	need.Equal(t, got, want)
}
