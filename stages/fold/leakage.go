package fold

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
)

// Duplicates finds participants whose draw 0 has the same numbers to the last bit: one
// scan under two ids. (Random draws of one scan differ, for their streams are named by
// the id.) Each pair is the first participant and a later one. Inputs are arrays with
// the draw as the first of three axes, or of one draw.
func Duplicates(ins []dag.Input) ([][2]string, error) {
	first := map[artifacts.Digest]string{}
	var pairs [][2]string
	for _, in := range ins {
		a, err := in.Array()
		if err != nil {
			return nil, err
		}
		v := a.Float64s()
		if len(a.Shape) == 3 && a.Shape[0] > 0 {
			v = v[:len(v)/a.Shape[0]]
		}
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		id, digest := in.Coord("subject"), artifacts.DigestOf(b.Bytes())
		if other, known := first[digest]; !known {
			first[digest] = id
		} else if other != id {
			pairs = append(pairs, [2]string{other, id})
		}
	}
	return pairs, nil
}

// RefuseDuplicates fails when one scan has two ids among those who take part in a
// division: it could be trained on and tested.
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
func DuplicateText(pairs [][2]string) string {
	const most = 10
	var lines, out []string
	for i, p := range pairs {
		if i < most {
			lines = append(lines, fmt.Sprintf("%s and %s have the same features to the last bit: one scan under two ids", p[0], p[1]))
		}
		if !slices.Contains(out, p[1]) {
			out = append(out, p[1])
		}
	}
	if n := len(pairs) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more pairs", n))
	}
	return strings.Join(lines, "\n  ") + "\n  keep one id of each scan; under cohort:\n    exclude: [" + strings.Join(out, ", ") + "]"
}

// LeakagePort is the gate of every kind that trains a model or gives an accuracy.
func LeakagePort() dag.Port {
	return dag.Port{Name: "leakage", Type: dag.Arrow("check", "of", "found"), Gather: true, Optional: true, Gate: "leakage", Doc: "checks that must have passed"}
}
