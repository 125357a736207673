package methods

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/participants"
)

// views are the universes of the page; one nil where analyses differ in nothing but models.
func (a *Author) views() [][]int32 {
	if len(a.Run.Universes) == 0 {
		return [][]int32{nil}
	}
	return a.Run.Universes
}

// setsOf are the parameters that a decision sets, with the values of its first option.
func (a *Author) setsOf(decision int) []column.OptionSet {
	return a.Run.Decisions.Decisions[decision].Options[0].Sets
}

// isDecided reports whether a decision sets a parameter.
func (a *Author) isDecided(stage, parameter string) bool {
	for d := range a.Run.Decisions.Decisions {
		if slices.ContainsFunc(a.setsOf(d), func(set column.OptionSet) bool {
			return set.Stage == stage && set.Parameter == parameter
		}) {
			return true
		}
	}
	return false
}

// inUniverses is what a part of the methods states in each view.
func (a *Author) inUniverses(write func()) (said [][]statement) {
	stages := a.Run.Stages
	defer func() { a.Run.Stages, a.universe = stages, nil }()
	for _, view := range a.views() {
		a.Run.Stages, a.universe, a.said = a.Run.In(view, stages), view, nil
		a.begins = false
		write()
		said = append(said, a.said)
	}
	a.said = nil
	return said
}

// isIn reports whether results with these coordinates are of the universe that is being described.
func (a *Author) isIn(coords []dag.Coord) bool {
	for d, at := range a.universe {
		of := a.Run.Decisions.Decisions[d]
		for _, c := range coords {
			if c.Axis == of.Name && c.Value != of.Options[at].Name {
				return false
			}
		}
	}
	return true
}

// ofUniverse are the scans as they were cleaned in the universe that is being described, found once for all universes
// that differ in other decisions only.
func (a *Author) ofUniverse() []quality.Scan {
	if a.cleaned == nil {
		a.cleaned = map[string][]quality.Scan{}
		a.cleaning = a.decisionsOf(lists.Map(a.Scans, func(s quality.Scan) []dag.Coord { return s.Coords }))
	}
	key := a.optionsOn(a.cleaning)
	own, known := a.cleaned[key]
	if !known {
		own = slices.DeleteFunc(slices.Clone(a.Scans), func(s quality.Scan) bool { return !a.isIn(s.Coords) })
		a.cleaned[key] = own
	}
	return own
}

// decisionsOf are the decisions that some coordinates have an option of.
func (a *Author) decisionsOf(all [][]dag.Coord) (decisions []int) {
	for d, of := range a.Run.Decisions.Decisions {
		if slices.ContainsFunc(all, func(coords []dag.Coord) bool {
			return slices.ContainsFunc(coords, func(c dag.Coord) bool { return c.Axis == of.Name })
		}) {
			decisions = append(decisions, d)
		}
	}
	return decisions
}

// optionsOn are the options of the universe that is being described on some decisions, as one text.
func (a *Author) optionsOn(decisions []int) string {
	if a.universe == nil {
		return ""
	}
	return fmt.Sprint(lists.Map(decisions, func(d int) int32 { return a.universe[d] }))
}

// hasAllScans reports whether the page has scans as they were cleaned in each universe. Each of many universes depends
// on it, so it is computed once, from the few options that scans differ in.
func (a *Author) hasAllScans() bool {
	if a.allScans != nil {
		return *a.allScans
	}
	own := a.universe
	defer func() { a.universe = own }()
	cleaned := map[string][]dag.Coord{}
	for _, s := range a.Scans {
		options := slices.DeleteFunc(slices.Clone(s.Coords), func(c dag.Coord) bool {
			return !slices.ContainsFunc(a.Run.Decisions.Decisions,
				func(d column.Decision) bool { return d.Name == c.Axis })
		})
		cleaned[column.CoordText(options)] = options
	}
	each := slices.Collect(maps.Values(cleaned))
	all := !slices.ContainsFunc(a.views(), func(view []int32) bool {
		a.universe = view
		return !slices.ContainsFunc(each, a.isIn)
	})
	a.allScans = &all
	return all
}

// differing states, for each set of decisions that statements depend on, what holds with each of their options.
func (a *Author) differing(said [][]statement, common []statement) (paragraphs []string) {
	views := a.views()
	texts := map[string][]string{} // by code: in each view
	var codes []string
	for v := range said {
		said[v] = slices.DeleteFunc(slices.Clone(said[v]), func(s statement) bool { return s.isIn(common) })
		for _, s := range said[v] {
			if texts[s.code] == nil {
				codes, texts[s.code] = append(codes, s.code), make([]string, len(views))
			}
			texts[s.code][v] += s.text + "\n"
		}
	}
	for _, group := range lists.By(codes, func(code string) string {
		return fmt.Sprint(dependsOn(views, texts[code]))
	}) {
		decisions := dependsOn(views, texts[group.All[0]])
		var options []values
		seen := map[string]bool{}
		for v, view := range views {
			coords := lists.Map(decisions, func(d int) string {
				of := a.Run.Decisions.Decisions[d]
				return of.Name + "=" + of.Options[view[d]].Name
			})
			key := strings.Join(coords, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			own := slices.DeleteFunc(slices.Clone(said[v]), func(s statement) bool {
				return !slices.Contains(group.All, s.code)
			})
			options = append(options, values{"Coords": coords, "Text": a.paragraph(own, "methods.denoising")})
		}
		names := lists.Map(decisions, func(d int) string { return a.Run.Decisions.Decisions[d].Name })
		paragraphs = append(paragraphs, a.Text("methods.decision", values{"Decisions": names, "Options": options}))
	}
	return paragraphs
}

// dependsOn are decisions whose options determine a text, without any that is not needed for that.
func dependsOn(views [][]int32, texts []string) (decisions []int) {
	for d := range views[0] {
		decisions = append(decisions, d)
	}
	determine := func(decisions []int) bool {
		text := map[string]string{}
		for v, view := range views {
			key := fmt.Sprint(lists.Map(decisions, func(d int) int32 { return view[d] }))
			if known, ok := text[key]; ok && known != texts[v] {
				return false
			}
			text[key] = texts[v]
		}
		return true
	}
	for d := range views[0] {
		without := slices.DeleteFunc(slices.Clone(decisions), func(e int) bool { return e == d })
		if determine(without) {
			decisions = without
		}
	}
	return decisions
}

// optionSettings are, for each view, the values of parameters that decisions set, that have an effect and that
// no sentence states.
func (a *Author) optionSettings() [][]statement {
	views, stages := a.views(), a.Run.Stages
	all, sketches := make([][]statement, len(views)), a.sketches()
	for d, decision := range a.Run.Decisions.Decisions {
		for i, set := range a.setsOf(d) {
			s := a.Run.Stage(set.Stage)
			if s == nil || isUnstated(s, set.Parameter) || a.isStated(d, i, sketches) {
				continue
			}
			for v, view := range views {
				a.Run.Stages = a.Run.In(view, stages)
				if !inForce(a.Run.Stage(set.Stage), set.Parameter) {
					continue
				}
				of := values{"Stage": set.Stage, "Name": set.Parameter,
					"Values": decision.Options[view[d]].Sets[i].Value}
				// of one parameter each: others may depend on other decisions
				text := "methods.option-setting"
				if port, is := strings.CutPrefix(set.Parameter, "in."); is {
					text, of["Name"] = "methods.option-input", port
				}
				code := text + " " + set.Stage + "." + set.Parameter
				all[v] = append(all[v], statement{code: code, text: a.Text(text, of)})
			}
			a.Run.Stages = stages
		}
	}
	a.universe = nil
	return all
}

// isStated reports whether some sentence depends on a parameter that a decision sets, or its options have one value.
func (a *Author) isStated(decision, set int, sketches *sketches) bool {
	stages, options := a.Run.Stages, a.Run.Decisions.Decisions[decision].Options
	defer func() { a.Run.Stages, a.universe = stages, nil }()
	if a.followsParcels(options, set) {
		return true
	}
	several := false
	for _, view := range a.views() {
		own := options[view[decision]].Sets[set]
		for _, o := range options {
			other := o.Sets[set]
			if slices.Equal(own.Value, other.Value) {
				continue
			}
			several = true
			a.Run.Stages, a.universe = a.Run.In(view, stages), view
			as := sketches.of(a)
			a.Run.Stage(other.Stage).Set(other)
			if sketches.of(a) != as {
				return true
			}
		}
	}
	return !several
}

// followsParcels reports whether a setting is the node list of a stage behind parcellate, with the same list in every
// option: the sentence about the regions has it.
func (a *Author) followsParcels(options []column.Option, set int) bool {
	p := a.Run.Of("parcellate")
	return p != nil && !slices.ContainsFunc(options, func(o column.Option) bool {
		own := o.Sets[set]
		return own.Parameter != "in.nodes" || !slices.ContainsFunc(o.Sets, func(of column.OptionSet) bool {
			return of.Stage == p.Stage && of.Parameter == own.Parameter && slices.Equal(of.Value, own.Value)
		})
	})
}

// sketches are the digests of sketches by what they depend on: the parameters that decisions set, and the universe of
// the results.
type sketches struct {
	known   map[string][sha256.Size]byte
	results []int // the decisions that results of the page have options of
}

func (a *Author) sketches() *sketches {
	draws, _ := a.silentDraws()
	return &sketches{map[string][sha256.Size]byte{}, a.decisionsOf(slices.Concat(
		lists.Map(a.Scans, func(s quality.Scan) []dag.Coord { return s.Coords }),
		lists.Map(a.Labeled, func(s participants.LabeledScan) []dag.Coord { return s.Coords }),
		lists.Map(a.T.All("coverage"), func(in dag.Input) []dag.Coord { return in.Coords }),
		lists.Map(draws, func(of silentDraw) []dag.Coord { return of.coords })))}
}

func (k *sketches) of(a *Author) [sha256.Size]byte {
	key := a.optionsOn(k.results)
	for d := range a.Run.Decisions.Decisions {
		for _, set := range a.setsOf(d) {
			if s := a.Run.Stage(set.Stage); s != nil {
				key += fmt.Sprintf(" %q", s.Values[set.Parameter])
			}
		}
	}
	digest, known := k.known[key]
	if !known {
		digest = sha256.Sum256([]byte(a.sketch()))
		k.known[key] = digest
	}
	return digest
}
