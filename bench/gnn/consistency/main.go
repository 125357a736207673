// Command consistency shows what the weight of the group-level consistency loss
// does to the scores of the first pooling layer: for each value of lambda in an
// exported table of train's scores, how far participants of one group differ, and how much
// the sets of nodes that they keep have in common. Participants are taken from the test
// sides, each by the mean over its draws.
//
//	pipeline run bench/gnn/lambda.yaml
//	pipeline export bench/gnn/lambda.yaml train.scores -o scores.arrow
//	go run ./bench/gnn/consistency scores.arrow
package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"prgnn/artifacts/encoding"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: consistency scores.arrow")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A person is one participant as one setting sees it.
type person struct {
	group string
	score map[int64]float64 // sum over draws, by node
	kept  map[int64]float64 // number of draws in which the node is kept
	draws map[int64]bool
}

func run(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := encoding.ReadTable(f)
	if err != nil {
		return err
	}
	texts := map[string][]string{}
	for _, name := range []string{"lambda", "participant_id", "group", "set"} {
		if texts[name], err = t.Strings(name); err != nil {
			return err
		}
	}
	ints := map[string][]int64{}
	for _, name := range []string{"draw", "layer", "index"} {
		if ints[name], err = t.Ints(name); err != nil {
			return err
		}
	}
	score, err := t.Floats("score")
	if err != nil {
		return err
	}
	kept, err := t.Bools("kept")
	if err != nil {
		return err
	}
	settings := map[string]map[string]*person{}
	for i, l := range texts["lambda"] {
		if ints["layer"][i] != 1 || texts["set"][i] != "test" {
			continue
		}
		if settings[l] == nil {
			settings[l] = map[string]*person{}
		}
		p := settings[l][texts["participant_id"][i]]
		if p == nil {
			p = &person{group: texts["group"][i], score: map[int64]float64{}, kept: map[int64]float64{},
				draws: map[int64]bool{}}
			settings[l][texts["participant_id"][i]] = p
		}
		node := ints["index"][i]
		p.score[node] += score[i]
		p.draws[ints["draw"][i]] = true
		if kept[i] {
			p.kept[node]++
		}
	}
	fmt.Println("| lambda | participants | sd of a node's score between participants of a group | common to the kept sets of two of them (Jaccard) |")
	fmt.Println("|---|---|---|---|")
	for _, l := range slices.Sorted(maps.Keys(settings)) {
		sd, overlap := compare(settings[l])
		fmt.Printf("| %s | %d | %.4f | %.3f |\n", l, len(settings[l]), sd, overlap)
	}
	return nil
}

// compare gives the root mean square, over nodes and groups, of the deviation from the
// group's mean, and the mean Jaccard index over pairs within the groups. A node counts
// as kept when it is in most draws.
func compare(people map[string]*person) (sd, overlap float64) {
	groups := map[string][]*person{}
	for _, id := range slices.Sorted(maps.Keys(people)) {
		p := people[id]
		groups[p.group] = append(groups[p.group], p)
	}
	squares, values, shared, pairs := 0.0, 0.0, 0.0, 0.0
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		members := groups[g]
		for node := range members[0].score {
			mean := 0.0
			for _, p := range members {
				mean += p.score[node] / float64(len(p.draws)) / float64(len(members))
			}
			for _, p := range members {
				d := p.score[node]/float64(len(p.draws)) - mean
				squares += d * d
				values++
			}
		}
		for i, a := range members {
			for _, b := range members[i+1:] {
				both, either := 0.0, 0.0
				for node := range a.score {
					x, y := a.kept[node] > float64(len(a.draws))/2, b.kept[node] > float64(len(b.draws))/2
					if x && y {
						both++
					}
					if x || y {
						either++
					}
				}
				shared += both / either
				pairs++
			}
		}
	}
	return math.Sqrt(squares / values), shared / pairs
}
