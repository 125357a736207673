package pipelines

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/precheck"
	"prgnn/pipelines/tree"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

func (l *loader) readCohort(t *tree.Node) {
	l.cohortTree = t
	if t == nil {
		return
	}
	l.vars.Resolve(t, nil)
	var names []string
	kinds := map[string]cohort.Source{}
	for _, c := range cohort.Kinds() {
		names = append(names, c.Name)
		kinds[c.Name] = c
	}
	if t.Bad {
		return
	}
	if t.Kind != tree.Mapping {
		l.bad.Add(t.Pos, "cohort must be a mapping with one of %s, not %s", strings.Join(names, ", "), t)
		return
	}
	given := layer.CohortKinds(t)
	known := func(k tree.Key) bool { return kinds[k.Name].New != nil }
	if i := slices.IndexFunc(given, known); i > 0 {
		given[0], given[i] = given[i], given[0]
	}
	for i, k := range given {
		switch {
		case known(k) && i > 0:
			l.bad.Add(k.Pos, "the cohort is %s already: a cohort has exactly one kind", given[0].Name)
		case known(k):
		case known(given[0]) && param.Has(kinds[given[0].Name].New(), k.Name):
			l.bad.Add(k.Pos, "%s is a parameter of cohort %s: write it under %[2]s:", k.Name, given[0].Name)
		default:
			l.bad.Add(k.Pos, "there is no cohort kind %q%s", k.Name, words.OrAll(k.Name, append(names, layer.CohortKeys...)))
		}
	}
	if len(given) == 0 {
		l.bad.Add(t.Pos, "the cohort has no kind: write one of %s", strings.Join(names, ", "))
		return
	}
	c, ok := kinds[given[0].Name]
	if !ok {
		return
	}
	l.loadCohort(c, given[0], t)
}

// longestID is how many bytes the names of participants, sessions and runs may have.
const longestID = 100

func (l *loader) loadCohort(c cohort.Source, at tree.Key, t *tree.Node) {
	if at.Value.Kind != tree.Mapping && at.Value.Kind != tree.Empty {
		if !at.Value.Bad {
			l.bad.Add(at.Value.Pos, "cohort %s must be a mapping of parameters, not %s", c.Name, at.Value)
		}
		return
	}
	l.cohortKind = c.Name
	if x := at.Value.Get("exclude"); x != nil && (x.Kind == tree.Mapping || slices.ContainsFunc(x.Items,
		func(item *tree.Node) bool { return item.Kind == tree.Mapping })) {
		l.bad.Add(x.Pos, "cohort %s: exclude takes names here; a table of ratings stands beside %[1]s, directly under cohort: exclude: [sub-003, { file: ratings.tsv }]", c.Name)
		return
	}
	kind, before := c.New(), len(l.bad.List)
	l.fill(kind, at.Value, "cohort "+c.Name, func(string) bool { return false })
	if at.Value.Broken() || len(l.bad.List) > before {
		return // what it would find is not what was meant
	}
	place := placeOf(at.Pos, at.Value)
	if v, ok := kind.(dag.Validator); ok {
		for _, err := range v.Validate() {
			l.bad.Each(err, place, "cohort %s: ", c.Name)
		}
		if len(l.bad.List) > before {
			return
		}
	}
	roster, err := kind.Load(l.dir)
	if err != nil {
		l.bad.Each(err, place, "cohort %s: ", c.Name)
		return
	}
	chosen := l.choose(roster, t)
	if chosen == nil {
		return
	}
	if err := chosen.RefuseMixed(); err != nil {
		l.bad.Each(err, place, "cohort %s: ", c.Name)
		return
	}
	for _, s := range chosen.Subjects {
		for _, name := range append(s.RunNames(), s.ID) {
			if len(name) > longestID {
				l.bad.Add(at.Pos, "cohort %s: the name %.20s… has %d bytes, but names of participants, sessions and runs become names of files: use at most %d",
					c.Name, name, len(name), longestID)
			}
		}
	}
	l.roster, l.notes, l.cohort, l.cohortWork = chosen, chosen.Notes, &c, kind
	if chosen.About != nil {
		var about []column.Note
		about, l.timesApart = chosen.About(chosen.IDs())
		l.about = span{len(roster.Notes), len(roster.Notes) + len(about)}
		l.notes = slices.Insert(slices.Clone(l.notes), l.about.from, about...)
	}
	l.producers["cohort"] = l.cohortProducers(at.Pos)
}

// A choice says who of a roster is left out, and how many of the others are kept.
type choice struct {
	excluded listed.Exclusion
	without  map[string]precheck.Refusal // by what they lack. They are not excluded
	few      int
	notes    []column.Note
}

// choose leaves out the participants that exclude names, and keeps limit of the rest.
func (l *loader) choose(r *cohort.Roster, t *tree.Node) *cohort.Roster {
	ids := lists.Map(r.Subjects, func(s cohort.Subject) string { return s.ID })
	c := choice{excluded: listed.Exclusion{Noun: r.Noun(), Find: r.Finder(), Why: map[string]string{}},
		without: map[string]precheck.Refusal{}, notes: slices.Clone(r.Notes)}
	fine := l.exclude(&c.excluded, t.Get("exclude"))
	for _, left := range r.Left { // by select, or for what they lack
		if c.excluded.Why[left.ID] != "" && left.Why != listed.ExcludedByName && left.Why != listed.RatedFail &&
			!slices.Contains(ids, left.ID) {
			delete(c.excluded.Why, left.ID)
			c.notes = append(c.notes, column.Notef("exclude: %s would be excluded anyway: %s", left.ID, left.Why))
		}
	}
	c.notes = append(c.notes, c.excluded.Notes()...)
	for _, id := range slices.Sorted(maps.Keys(l.without)) {
		if why := l.without[id]; c.excluded.Why[id] == "" {
			c.without[id] = why
			c.notes = append(c.notes, column.Notef("excluded %s: %s", id, why.Why))
		}
	}
	left := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return c.excluded.Why[id] != "" || c.without[id].Why != ""
	})
	if !l.limited(&c, r, len(left), t.Get("limit")) || !fine {
		return nil
	}
	chosen := c.keep(r, left)
	chosen.RefuseOneScan()
	switch n := len(chosen.Subjects); {
	case n == 0:
		l.bad.Add(t.Pos, "the cohort has no %ss%s", r.Noun(), map[bool]string{true: " left after exclude"}[len(ids) > 0])
		return nil
	case n < len(ids):
		chosen.Participants = column.KeepRows(r.Participants, r.IDColumn(), chosen.IDs())
	}
	return chosen
}

// exclude reads whom exclude names, or rates fail. It reports whether that is right.
func (l *loader) exclude(out *listed.Exclusion, x *tree.Node) bool {
	if x == nil || x.Kind == tree.Empty {
		return true
	}
	fine := true
	if x.Kind == tree.Scalar || x.Kind == tree.Mapping {
		x = &tree.Node{Pos: x.Pos, Kind: tree.List, Items: []*tree.Node{x}, Bad: x.Bad}
	}
	if x.Kind != tree.List && !x.Bad {
		l.bad.Add(x.Pos, "exclude must be a list of %ss, not %s", out.Noun, x)
		fine = false
	}
	for _, item := range x.Items {
		if item.Bad {
			fine = false
			continue
		}
		if item.Kind == tree.Mapping {
			fine = l.rated(item, out) && fine
			continue
		}
		if err := out.Add(item.Text, listed.ExcludedByName); err != nil {
			l.bad.Add(item.Pos, "exclude: %v", err)
			fine = false
		}
	}
	return fine
}

// limited reads how many of all that are left are kept. It reports whether that is right.
func (l *loader) limited(c *choice, r *cohort.Roster, all int, n *tree.Node) bool {
	c.few = all
	if n == nil || n.Kind == tree.Empty {
		return true
	}
	limit, whole := n.Value.(int)
	switch {
	case n.Bad:
		return false
	case !whole || limit < 1:
		l.bad.Add(n.Pos, "limit must be an integer from 1, not %s", n)
		return false
	case limit >= all:
		return true
	case r.Axis == "":
		c.notes = append(c.notes, column.Notef("limit: %d of %d participants, each group in proportion, spread evenly over the list", limit, all))
	default:
		c.notes = append(c.notes, column.Notef("limit: %d of %d rows, spread evenly over the list", limit, all))
	}
	c.few = limit
	return true
}

// keep is the roster of those who are kept of the ids that are left; the others are listed, with the reason.
func (c *choice) keep(r *cohort.Roster, left []string) *cohort.Roster {
	chosen := *r
	chosen.Notes, chosen.Subjects, chosen.Left = c.notes, nil, slices.Clone(r.Left)
	var group map[string]string // rows, and a table without groups, are one group
	if r.Participants != nil && r.Axis == "" {
		_, group, _ = column.ByParticipant(r.Participants, "group")
	}
	kept := column.Spread(left, group, c.few)
	for _, s := range r.Subjects {
		why, category := c.excluded.Why[s.ID], ""
		switch {
		case c.without[s.ID].Why != "":
			why, category = c.without[s.ID].Why, c.without[s.ID].Category
		case why == "" && !kept[s.ID]:
			why = listed.BeyondLimit
		}
		if why != "" {
			left := listed.LeftOut{ID: s.ID, Group: group[s.ID], Why: why, Category: category}
			chosen.Left = append(chosen.Left, left)
		} else {
			chosen.Subjects = append(chosen.Subjects, s)
		}
	}
	slices.SortFunc(chosen.Left, func(a, b listed.LeftOut) int { // sub-2 before sub-10
		return dag.CompareValues(strings.TrimPrefix(a.ID, "sub-"), strings.TrimPrefix(b.ID, "sub-"))
	})
	return &chosen
}

// rated adds the participants whom a table of ratings, {file: ratings.tsv}, rates fail.
func (l *loader) rated(item *tree.Node, out *listed.Exclusion) bool {
	file := item.Get("file")
	if file == nil || len(item.Keys) != 1 || file.Kind != tree.Scalar || file.Bad {
		if file == nil || !file.Bad {
			l.bad.Add(item.Pos, "exclude must be a list of participants, or { file: ratings.tsv }, a table of ratings")
		}
		return false
	}
	l.places.add(file, param.PlaceAlways)
	path := filepath.FromSlash(file.Text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	failed, err := listed.FailedRatings(path)
	if err != nil {
		l.bad.Each(err, func(string) dag.Pos { return file.Pos }, "exclude: ")
		return false
	}
	all := true
	for _, rating := range failed {
		if err := out.Add(rating.ID, listed.RatedFail); err != nil {
			l.bad.Add(file.Pos, "exclude: %s:%d: %v", file.Text, rating.Line, err)
			all = false
		}
	}
	return all
}

// cohortValues is the stage of the values that a cohort has as a whole: they
// are known when the file is loaded, and its recipe is their digests. Without any
// it stands for a participant for whom nothing can be done.
type cohortValues struct {
	ports   []dag.Port
	outputs dag.Outputs
	refs    artifacts.Refs
}

func (c *cohortValues) Ports() dag.Ports { return dag.Ports{Out: c.ports} }

func (c *cohortValues) KnownOutputs() artifacts.Refs { return c.refs }

func (c *cohortValues) Run(context.Context, *dag.Task) (dag.Outputs, error) { return c.outputs, nil }

// cohortKindOf is no kind that a file could use. What it gives stands in its
// recipe, so its code needs no other identity than a number.
var cohortKindOf = &dag.Kind{
	Name: "cohort",
	Doc:  "the participants of the pipeline file's cohort",
	New:  func() dag.Stage { return &cohortValues{} },
	Code: "cohort 1",
}

// add gives it one more value.
func (c *cohortValues) add(name string, v artifacts.Value, doc string) error {
	ref, err := artifacts.RefOf(v)
	if err != nil {
		return fmt.Errorf("cohort.%s cannot be written: %w", name, err)
	}
	t := dag.Type{Format: v.Format()}
	if table, ok := v.(*encoding.Table); ok {
		for _, col := range table.Columns {
			t.Columns = append(t.Columns, col.Name)
		}
	}
	c.ports = append(c.ports, dag.Port{Name: name, Type: t, Doc: doc})
	c.outputs[name] = v
	c.refs.Set(name, ref)
	return nil
}

func newCohortValues(r *cohort.Roster) (*cohortValues, error) {
	c := &cohortValues{outputs: dag.Outputs{}, refs: artifacts.Refs{}}
	if r.Participants != nil {
		doc := "the whole table"
		if r.Axis == "" {
			doc = "one row per participant"
		}
		if err := c.add(r.Noun()+"s", r.Participants, doc); err != nil {
			return nil, err
		}
	}
	if r.Nodes != nil {
		if err := c.add("nodes", r.Nodes, "one row per node of the brain graph"); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if err := c.add(name, r.Extra[name], "of the cohort as a whole"); err != nil {
			return nil, err
		}
	}
	return c, nil
}
