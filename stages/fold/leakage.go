package fold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag"
)

// A Duplicate is one scan under two ids: those of a participant and of a later one.
type Duplicate struct {
	First, Later string
	How          string // in words: "have the same features"
}

// SamePair reports whether two duplicates are of the same participants.
func (d Duplicate) SamePair(other Duplicate) bool {
	return d.First == other.First && d.Later == other.Later
}

// sameFeatures is how far the correlation of the features of one scan may be from 1 or −1. Of the pairs of ABIDE's
// 1,035 scans (Pearson matrices of 111 regions) none but one file under two ids correlates by more than 0.94.
const sameFeatures = 1e-4

// Duplicates finds participants whose draw 0 has the same numbers, but for rounding, sign, scale and offset
// (sameFeatures):
// one scan under two ids. (Random draws of one scan differ, for their streams are named by
// the id.) Inputs are arrays with the draw as the first of three axes, or of one draw.
func Duplicates(ins []dag.Input) ([]Duplicate, error) {
	var prints []Print
	var ids []string
	var twins []Duplicate
	for _, in := range ins {
		a, err := in.Array()
		if err != nil {
			return nil, err
		}
		v := a.Float64s()
		if len(a.Shape) == 3 && a.Shape[0] > 0 {
			v = v[:len(v)/a.Shape[0]]
		}
		id, p := in.Coord("subject"), PrintOf(v)
		at := slices.IndexFunc(prints, func(q Print) bool { return p.Same(q, sameFeatures) })
		switch {
		case at < 0:
			prints, ids = append(prints, p), append(ids, id)
		case ids[at] != id:
			twins = append(twins, Duplicate{ids[at], id, "have the same features (correlation 0.9999 or more, of either sign)"})
		}
	}
	return twins, nil
}

// RefuseDuplicates fails when one scan has two ids within a division: it could be trained on and tested.
func RefuseDuplicates(ins []dag.Input, d *Division) error {
	ins = slices.DeleteFunc(slices.Clone(ins), func(in dag.Input) bool {
		side, known := d.Side[in.Coord("subject")]
		return !known || side == Apart
	})
	twins, err := Duplicates(ins)
	if err == nil && twins != nil {
		err = errors.New("leakage: " + DuplicateText(twins))
	}
	return err
}

// DuplicateText names the pairs and the line that mends the file.
func DuplicateText(twins []Duplicate) string {
	const most = 10
	var lines, out []string
	for i, d := range twins {
		if i < most {
			lines = append(lines, fmt.Sprintf("%s and %s %s: one scan under two ids", d.First, d.Later, d.How))
		}
		if !slices.Contains(out, d.Later) {
			out = append(out, d.Later)
		}
	}
	if n := len(twins) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more pairs", n))
	}
	return strings.Join(lines, "\n  ") + "\n  keep one id of each scan; under cohort:\n    exclude: [" + strings.Join(out, ", ") + "]"
}

var remedy = regexp.MustCompile(`keep one id of each scan; under cohort:\s+exclude: \[([^\]]*)\]`)

// DuplicatesIn are the later ids of the pairs that DuplicateText has named in a message.
func DuplicatesIn(message string) []string {
	if list := remedy.FindStringSubmatch(message); list != nil {
		return strings.Split(list[1], ", ")
	}
	return nil
}

// LeakagePort is the gate of every kind that trains a model or gives an accuracy.
func LeakagePort() dag.Port {
	return dag.Port{Name: "leakage", Type: dag.Arrow("check", "of", "found"), Gather: true, Optional: true,
		Gate: "leakage", Doc: "checks that must have passed"}
}
