package fold

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// of are the inputs of the participants of a division.
func (d *Division) of(ins []dag.Input) []dag.Input {
	return slices.DeleteFunc(slices.Clone(ins), func(in dag.Input) bool {
		side, known := d.Side[in.Coord("subject")]
		return !known || side == Apart
	})
}

// LeftOut marks the regions that a participant of a division lacks, in any draw: with regions: shared, a study analyzes
// the regions that all have, or else a model would see who lacks one. nil: all are analyzed. absent marks those of an
// array. left lists them, by names where these are known. No label is used; those who are tested count, too,
// as a model could not be applied to them otherwise.
func (s Params) LeftOut(ins []dag.Input, d *Division, absent func(*encoding.Array) []bool, names []string) (out []bool,
	left *column.RegionsLeftOut, err error) {
	if s.Regions != "shared" {
		return nil, nil, nil
	}
	ins = d.of(ins)
	all, err := absentOf(ins, absent)
	if err != nil {
		return nil, nil, err
	}
	var count []int
	for _, of := range all {
		if count == nil {
			count = make([]int, len(of))
		}
		if len(of) != len(count) { // of another atlas, which is refused where the inputs are read
			return nil, nil, nil
		}
		for r, is := range of {
			if is {
				count[r]++
			}
		}
	}
	if !slices.ContainsFunc(count, func(n int) bool { return n < len(ins) }) { // the identities of regions show none
		return nil, nil, nil
	}
	left = &column.RegionsLeftOut{All: len(count), Participants: len(ins)}
	out = make([]bool, len(count))
	some := 0 // of them, regions that others have
	for r, n := range count {
		if out[r] = n > 0; out[r] {
			left.Regions, left.Names = append(left.Regions, r+1), append(left.Names, NumberAndName(r, names))
			if n < len(ins) {
				some++
			}
		}
	}
	if left.Regions == nil {
		return nil, nil, nil
	}
	of := make([]int, len(ins)) // how many of these regions each participant lacks
	for i, absent := range all {
		for r, is := range absent {
			if is && out[r] {
				of[i]++
			}
		}
		left.Lacking += min(of[i], 1)
	}
	if none := uncorrelated(ins, all); 10*some > len(count) && none != nil {
		return nil, nil, fmt.Errorf("all correlations are 0 in the matrices of %s (%s), as where shrinkage (ledoit-wolf, oas) is 1, because a scan has too few volumes: set pearson: empirical in connectivity, use longer scans, or exclude these participants (exclude: [%s], under cohort)",
			words.Count(len(none), "participant"), words.Some(none, 10), strings.Join(none, ", "))
	}
	if 10*some > len(count) {
		most := slices.Max(of)
		var worst []string
		for i, n := range of {
			if n == most {
				worst = append(worst, ins[i].Coord("subject"))
			}
		}
		return nil, nil, fmt.Errorf("%d of %d regions are missing or constant in %s (regions %s), and are excluded for all participants, but more than a tenth is refused: exclude the participants who lack most (%d regions: exclude: [%s], under cohort), or set regions: all, with which a model can learn which participants lack a region",
			len(left.Regions), len(count), words.Count(left.Lacking, "participant"), words.Some(left.Names, 20), most,
			words.Some(worst, 10))
	}
	return out, left, nil
}

// uncorrelated are the participants whose matrices have zeros alone beside the diagonal: an estimator left no
// correlation, and no region is missing.
func uncorrelated(ins []dag.Input, absent [][]bool) (ids []string) {
	for i, in := range ins {
		a, err := in.SharedArray()
		if err != nil || len(a.Shape) != 3 || a.Shape[1] != a.Shape[2] || slices.Contains(absent[i], false) {
			continue
		}
		n, v := a.Shape[1], a.Float64s()
		ones := true // the diagonal of a region without a series is 1 too, but not of all
		for r := range n {
			ones = ones && v[r*n+r] == 1
		}
		if id := in.Coord("subject"); ones && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// LeftOutNote is what a task notes about regions that are left out; "" for none.
func LeftOutNote(left *column.RegionsLeftOut) string {
	if left == nil {
		return ""
	}
	return fmt.Sprintf("excluded for all participants, because %d of %d lack one: regions %s (regions: shared)",
		left.Lacking, left.Participants, words.Some(left.Names, 20))
}

// NumberAndName writes a region, from 0, for a person: "7 (l.CUN)", or its number alone without another name.
func NumberAndName(r int, names []string) string {
	if r >= len(names) || names[r] == fmt.Sprint(r+1) {
		return fmt.Sprint(r + 1)
	}
	return fmt.Sprintf("%d (%s)", r+1, names[r])
}

// absentOf is what each input lacks; models that see the same participants share the answer.
func absentOf(ins []dag.Input, absent func(*encoding.Array) []bool) ([][]bool, error) {
	a := answerFor(question(ins))
	a.Lock()
	defer a.Unlock()
	if a.absent != nil {
		return a.absent, nil
	}
	all := make([][]bool, len(ins))
	for i, in := range ins {
		x, err := in.Array() // the answer is shared
		if err != nil {
			return nil, err
		}
		all[i] = absent(x)
	}
	a.absent = all
	return all, nil
}

// AbsentRows marks the regions whose row of a matrix of regions (draw, roi, roi) has zeros alone, beside its diagonal:
// those without a usable series. Of other shapes, it marks none.
func AbsentRows(a *encoding.Array) []bool {
	if len(a.Shape) != 3 || a.Shape[1] != a.Shape[2] {
		return nil
	}
	n, v := a.Shape[1], a.Float64s()
	absent := make([]bool, n)
	for row := range a.Shape[0] * n {
		i := row % n
		usable := slices.ContainsFunc(v[row*n:][:i], isUsed) || slices.ContainsFunc(v[row*n+i+1:(row+1)*n], isUsed)
		absent[i] = absent[i] || !usable
	}
	return absent
}

func isUsed(x float64) bool { return x != 0 && !math.IsNaN(x) }

// AbsentColumns marks the regions whose series (draw, time, roi) is missing or constant.
func AbsentColumns(a *encoding.Array) []bool {
	if len(a.Shape) != 3 {
		return nil
	}
	volumes, n, v := a.Shape[1], a.Shape[2], a.Float64s()
	absent := make([]bool, n)
	for d := range a.Shape[0] {
		x := v[d*volumes*n:][:volumes*n]
		for r := range n {
			varies := false
			for t := 1; t < volumes && !varies; t++ {
				varies = x[t*n+r] != x[r] && !math.IsNaN(x[t*n+r])
			}
			absent[r] = absent[r] || !varies
		}
	}
	return absent
}

// Absent marks the regions without a usable series in an array, or in one of series.
func Absent(in dag.Input, series bool) ([]bool, error) {
	a, err := in.SharedArray()
	if err != nil {
		return nil, err
	}
	if series {
		return AbsentColumns(a), nil
	}
	return AbsentRows(a), nil
}

// LackedRegions are the regions, from 1, without a usable series in an array, or in one of series, except for some.
func LackedRegions(in dag.Input, series bool, except ...[]int) (regions []int, err error) {
	absent, err := Absent(in, series)
	return Lacked(absent, except...), err
}

// Lacked are the regions, from 1, that are absent, except for some.
func Lacked(absent []bool, except ...[]int) (regions []int) {
	if !slices.Contains(absent, false) { // the identities of regions show none
		return nil
	}
	known := slices.Concat(except...)
	for i, is := range absent {
		if is && !slices.Contains(known, i+1) {
			regions = append(regions, i+1)
		}
	}
	return regions
}
