package simulate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/stages/atlas"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/phantom"
)

var Source = cohort.Source{
	Name: "simulate",
	Doc: "simulated participants with a planted group difference\n" +
		"NIfTI files with the 84 regions of the Desikan-Killiany atlas and known connectivity: cohort.truth lists the planted differences. With target: score there are no groups, and each participant has a number from 0 to 100, the percentage of the planted difference. The default size is that of the dataset in Pooling Regularized GNN for fMRI Biomarker Analysis.",
	New: func() cohort.Loader {
		return &Cohort{ASD: 75, HC: 43, Target: "none", Sites: 1, Scanner: DefaultScanner()}
	},
	Write: WriteBIDS,
}

// Cohort makes its participants.
type Cohort struct {
	ASD  int    `param:"asd" doc:"participants of the group with the planted difference" min:"0" max:"100000"`
	HC   int    `param:"hc" doc:"participants of the reference group" min:"0" max:"100000"`
	Seed uint64 `param:"seed" doc:"of all random numbers"`
	Scanner
	Target  string   `param:"target" choices:"none|score" doc:"score: a number to predict in place of groups, from 0 to 100: each of the asd + hc participants has this percentage of the planted difference"`
	Sites   int      `param:"sites" doc:"number of scanners; several scanners differ in noise (and site_effect); participants are assigned to scanners independently of group" min:"1" max:"1000"`
	Missing []string `param:"missing" doc:"regions without voxels, each as PARTICIPANT:ABBREVIATION, such as sub-sim003:R.AC"`
	Corrupt []string `param:"corrupt" doc:"participants with a truncated BOLD file"`
}

// Load lists the participants; their scans are made by tasks of the kind simulate.
func (c *Cohort) Load(string) (*cohort.Roster, error) {
	n := c.ASD + c.HC
	if n == 0 {
		return nil, errors.New("asd and hc are both 0: the cohort has no participants")
	}
	nodes := atlas.DK84()
	type member struct{ id, group string }
	people := make([]member, n)
	for i := range people {
		people[i] = member{fmt.Sprintf("sub-sim%03d", i+1), "ASD"}
		if i >= c.ASD {
			people[i].group = "HC"
		}
	}
	// sub-sim1000 before sub-sim101
	slices.SortFunc(people, func(a, b member) int { return strings.Compare(a.id, b.id) })
	ids, groups := make([]string, n), make([]string, n)
	position := map[string]int{}
	for i, p := range people {
		ids[i], groups[i] = p.id, p.group
		position[p.id] = i
	}
	missing, corrupt, err := c.faults(ids, position, nodes)
	if err != nil {
		return nil, err
	}

	sites := make([]int, n)
	rows, scores := make([]personRow, n), make([]scoredRow, n)
	for i, id := range ids {
		// Nothing here depends on the group: age, sex and site tell nothing of it.
		r := random.New(c.Seed, "simulate", id, "participant")
		p := personRow{id, groups[i], person{Age: 7 + math.Floor(110*r.Float64())/10, Sex: "M", Simulated: true}}
		if r.Float64() < 0.25 {
			p.Sex = "F"
		}
		sites[i] = 1 + r.IntN(c.Sites)
		p.Site = fmt.Sprintf("simulated%d", sites[i])
		rows[i] = p
		score := math.Floor(1000*random.New(c.Seed, "simulate", id, "score").Float64()) / 10
		scores[i] = scoredRow{id, score, p.person}
	}
	roster := &cohort.Roster{
		Participants: column.Table(rows),
		Nodes:        cohort.NodesTable(nodes, "T1w"), // as `pipeline simulate` names their files
		Extra:        map[string]artifacts.Value{"truth": truthTable(nodes, c.Strength, c.Heterogeneity)},
		Files: map[string]dag.Type{
			"bold": dag.Format("nifti"), "labels": dag.Format("nifti"), "confounds": dag.Format("tsv"),
		},
		MakeKind: "simulate",
		Make: func(subject string) dag.Stage {
			i := position[subject]
			s := &Scan{Seed: c.Seed, Subject: subject, Group: groups[i], Scanner: c.Scanner,
				Missing: missing[subject], Corrupt: corrupt[subject]}
			if c.Sites > 1 {
				s.Site = sites[i]
			}
			if c.Target == "score" {
				s.Group, s.Strength = "ASD", c.Strength*scores[i].Target/100
			}
			return s
		},
		Notes: []column.Note{column.Notef("simulated data: %d ASD and %d HC participants, planted difference of strength %g", c.ASD, c.HC, c.Strength)},
	}
	if c.Target == "score" {
		roster.Participants, roster.Extra = column.Table(scores), nil
		roster.Participants.Meta = map[string]string{column.Target: "score"}
		roster.Notes = []column.Note{column.Notef("simulated data: %d participants with a score from 0 to 100, the percentage of a planted difference of strength %g", n, c.Strength)}
	}
	for _, id := range ids {
		roster.Subjects = append(roster.Subjects, cohort.Subject{ID: id})
	}
	return roster, nil
}

// faults reads the parameters missing and corrupt.
func (c *Cohort) faults(ids []string, position map[string]int,
	nodes []atlas.Node) (missing map[string][]string, corrupt map[string]bool, err error) {
	var problems []error
	known := func(parameter, id string) bool {
		_, ok := position[id]
		if !ok {
			problems = append(problems, fmt.Errorf("%s: there is no participant %q; available: %s to %s", parameter, id, ids[0], ids[len(ids)-1]))
		}
		return ok
	}
	abbreviations := lists.Map(nodes, func(n atlas.Node) string { return n.Abbreviation })
	missing, corrupt = map[string][]string{}, map[string]bool{}
	for _, entry := range c.Missing {
		id, region, ok := strings.Cut(entry, ":")
		switch {
		case !ok:
			problems = append(problems, fmt.Errorf("missing: %q is not of the form PARTICIPANT:ABBREVIATION, such as %s:R.AC", entry, ids[0]))
		case !known("missing", id):
		case !slices.Contains(abbreviations, region):
			problems = append(problems, fmt.Errorf("missing: there is no region %q%s", region, words.DidYouMean(region, abbreviations)))
		default:
			missing[id] = append(missing[id], region)
		}
	}
	for _, id := range c.Corrupt {
		if known("corrupt", id) {
			corrupt[id] = true
		}
	}
	return missing, corrupt, errors.Join(problems...)
}

// A personRow is one simulated participant.
type personRow struct {
	ID    string `column:"participant_id" doc:"simulated participants: nobody was scanned"`
	Group string `column:"group" doc:"ASD has the planted difference"`
	person
}

// A scoredRow is one with a number to predict.
type scoredRow struct {
	ID     string  `column:"participant_id" doc:"simulated participants: nobody was scanned"`
	Target float64 `column:"target" doc:"score, simulated: percentage of the planted difference"`
	person
}

// A person is what is known of both.
type person struct {
	Age       float64 `column:"age" unit:"a" doc:"simulated"`
	Sex       string  `column:"sex" doc:"simulated"`
	Site      string  `column:"site" doc:"simulated scanner"`
	Simulated bool    `column:"simulated" doc:"true: simulated participants"`
}

// A truthRow is one planted edge.
type truthRow struct {
	Source     int32   `column:"source" doc:"index of a node"`
	Target     int32   `column:"target" doc:"index of the other node"`
	SourceName string  `column:"source_name"`
	TargetName string  `column:"target_name"`
	HC         float64 `column:"correlation_hc" doc:"expected correlation of the two regions' signals in the group HC, before noise"`
	ASD        float64 `column:"correlation_asd" doc:"the same in the group ASD"`
	Difference float64 `column:"difference" doc:"ASD − HC; 0 without a planted difference"`
}

// truthTable tells what is planted: one row an edge.
func truthTable(nodes []atlas.Node, strength, heterogeneity float64) *encoding.Table {
	edges := phantom.Planted(nodes)
	reference, affected := phantom.Expected(nodes, false, strength, heterogeneity),
		phantom.Expected(nodes, true, strength, heterogeneity)
	rows := make([]truthRow, len(edges))
	for i, e := range edges {
		at := (e.Source-1)*len(nodes) + e.Target - 1
		rows[i] = truthRow{int32(e.Source), int32(e.Target), nodes[e.Source-1].Name, nodes[e.Target-1].Name,
			reference[at], affected[at], affected[at] - reference[at]}
	}
	t := column.Table(rows)
	t.Meta = map[string]string{"simulated": "true"}
	return t
}
