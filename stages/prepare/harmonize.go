package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity/combat"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/region/sitefit"
	"prgnn/stages/role"
)

var harmonizeKind = dag.Kind{
	Name: "harmonize",
	Doc: "applies a fitted ComBat model to a participant's matrices\n" +
		"One task is one participant in one fold (each: subject, matrix: { fold: all }), because each fold has its own fit. All draws are harmonized in the same way. The diagonal is unchanged; a harmonized matrix may no longer be positive semidefinite. A participant from a site without training participants is refused, unless combat has few: keep.",
	New: func() dag.Stage { return &Harmonize{} },
}

var (
	_ role.PortUser = (*Harmonize)(nil)
	_ role.Drawer   = (*Harmonize)(nil)
	_ role.Measurer = (*Harmonize)(nil)
)

// Harmonize takes sites out.
type Harmonize struct {
	Subject string `param:"subject" doc:"the participant, filled in by each: subject"`
}

// UsesPorts are the fits that it applies to its participant, and what states the origin of the matrices.
func (*Harmonize) UsesPorts() []role.PortUse {
	return []role.PortUse{{Port: "fitted", As: role.FittedTable}, role.QualityOf("matrices")}
}

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Harmonize) DrawsOf(input int) int { return input }

// Measures are what the matrices held before.
func (*Harmonize) Measures(output string, of func(string) column.Data) column.Data {
	if output != "matrices" {
		return column.Data{}
	}
	return of("matrices")
}

func (*Harmonize) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "of one participant"},
			{Name: "fitted", Type: column.Type[sitefit.Row](), Doc: "combat's fitted parameters"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their sites and covariates"},
			{Name: "quality", Type: dag.Arrow("draw"), Optional: true, Doc: "of the stage that made the matrices"},
		},
		Out: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "the harmonized matrices"},
			{Name: "quality", Type: dag.Arrow("draw"), Doc: "the connected quality, with the harmonization in the metadata: for graph, so that models refuse other matrices"},
		},
	}
}

func (s *Harmonize) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in, id := t.In("matrices"), s.Subject
	if id == "" {
		return nil, errors.New("the participant of the matrices is unknown: add each: subject to this stage")
	}
	book, fit, err := recentFit(t.In("fitted"), t.In("participants"))
	if err != nil {
		return nil, err
	}
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, err
	}
	site, known := book.Site[id]
	at, learnt := slices.BinarySearch(book.Sites, site)
	switch {
	case !known:
		return nil, fmt.Errorf("%s: %s is not among them", book.Name, id)
	case site == "":
		return nil, fmt.Errorf("%s: %s of %s is unknown: fill it in, or exclude the participant", book.Name, book.Column, id)
	case draws[0].Rows != book.Nodes || draws[0].Cols != book.Nodes:
		return nil, fmt.Errorf("%s: %d × %d numbers, but combat was fitted on %d regions", in.Name, draws[0].Rows, draws[0].Cols, book.Nodes)
	case !learnt && book.Few == "refuse":
		return nil, fmt.Errorf("%s is of %s %s, which has no training participants in fold %d (fitted: %s), so its effect is unknown; set few: keep in the stage combat to leave its matrices unharmonized",
			id, book.Column, site, book.Fold, strings.Join(book.Sites, ", "))
	}
	x, err := book.Row(id)
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, len(draws)*book.Nodes*book.Nodes)
	for _, m := range draws {
		if learnt {
			entries, err := region.Entries(m, book.Transform, "combat")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			m = sitefit.Harmonize(m, entries, book.Transform, fit, x, at)
		}
		out = append(out, m.Data...)
	}
	quality, err := fittedQuality(t, "harmonize", len(draws))
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"matrices": encoding.NewArray(out, len(draws), book.Nodes, book.Nodes), "quality": quality}, nil
}

// fittedQuality adds to how matrices were made the fit that a stage of this kind applied to them.
func fittedQuality(t *dag.Task, kind string, draws int) (*encoding.Table, error) {
	q := encoding.NewTable(encoding.Column{Name: "draw", Values: region.DrawNumbers(draws), Doc: "0 is the plain mean"})
	made := ""
	if t.Has("quality") {
		table, err := t.In("quality").Table()
		if err != nil {
			return nil, err
		}
		q, made = &encoding.Table{Columns: table.Columns}, table.Meta["made"]
	}
	all, name := column.Made(made), kind+column.FittedSuffix
	by := t.In("fitted").Ref.Digest.String()
	fits := append(column.MadeValue[[]string](made, name), by) // of correlations before partial ones
	all[name] = json.RawMessage(column.JSON(fits))
	return column.WithMeta(q, map[string]string{"made": column.JSON(all)}), nil
}

// fits are the fits that tasks of this process read last, the latest last, each with the table of participants: all
// share those of their folds. Together they have at most mostFitted numbers, or there is one.
var fits struct {
	sync.Mutex
	recent []knownFit
}

const mostFitted = 16 << 20 // 128 MB

type knownFit struct {
	of   [2]artifacts.Digest // the fit and the participants
	book *combatBook         // neither is to be changed
	fit  *combat.Fit
}

// numbers is how many numbers are kept of a fit: mean, SD and slopes of each pair, and shift and scale at each site.
func (k knownFit) numbers() int {
	return len(k.fit.Mean) * (2 + len(k.fit.Slope) + 2*len(k.fit.Shift))
}

// recentFit is readFit with the sites and covariates of the participants, without reading twice what is known.
func recentFit(fitted, participants dag.Input) (*combatBook, *combat.Fit, error) {
	fits.Lock()
	defer fits.Unlock()
	of := [2]artifacts.Digest{fitted.Ref.Digest, participants.Ref.Digest}
	at := slices.IndexFunc(fits.recent, func(k knownFit) bool { return k.of == of })
	if at < 0 {
		facts, fit, err := sitefit.Read(fitted)
		if err != nil {
			return nil, nil, err
		}
		book := &combatBook{sitefit.Book{Facts: *facts}}
		table, err := participants.Table()
		if err != nil {
			return nil, nil, err
		}
		if err := book.Read(table, participants.Name, facts.Covariates()); err != nil {
			return nil, nil, err
		}
		at = len(fits.recent)
		fits.recent = append(fits.recent, knownFit{of, book, fit})
	}
	known := fits.recent[at]
	fits.recent = append(slices.Delete(fits.recent, at, at+1), known)
	numbers := 0
	for i := len(fits.recent) - 1; i >= 0; i-- {
		if numbers += fits.recent[i].numbers(); numbers > mostFitted && i < len(fits.recent)-1 {
			fits.recent = slices.Delete(fits.recent, 0, i+1)
			break
		}
	}
	return known.book, known.fit, nil
}
