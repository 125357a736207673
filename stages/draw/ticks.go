package draw

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Ticks marks multiples of 1, 2 or 5 times a power of ten, at most so many of them (6 for 0), with the decimals that
// the step has. Whole marks whole numbers alone.
type Ticks struct {
	Most  int
	Whole bool
}

// Ticks are the marks from low to high.
func (t Ticks) Ticks(low, high float64) []plot.Tick {
	most := t.Most
	if most == 0 {
		most = 6
	}
	if !(low < high) || math.IsInf(high-low, 0) {
		return nil
	}
	// The smallest step that gives few enough marks.
	first := int(math.Floor(math.Log10((high-low)/float64(most)))) - 1
	if t.Whole {
		first = max(first, 0)
	}
	for power := first; ; power++ {
		for _, factor := range []float64{1, 2, 5} {
			value := func(i float64) float64 { // exact to one rounding
				if power < 0 {
					return i * factor / math.Pow10(-power)
				}
				return i * factor * math.Pow10(power)
			}
			unit := value(1)
			first, last := math.Ceil(low/unit-1e-9), math.Floor(high/unit+1e-9)
			if last-first+1 > float64(most) {
				continue
			}
			var marks []plot.Tick
			for i := first; i <= last; i++ {
				v := value(i)
				label := strings.Replace(strconv.FormatFloat(v, 'f', max(0, -power), 64), "-", "−", 1)
				if i == 0 {
					v, label = 0, "0"
				}
				marks = append(marks, plot.Tick{Value: v, Label: label})
			}
			return marks
		}
	}
}
