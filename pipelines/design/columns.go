package design

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

// categories are the columns of the participants that stages read as categories.
func (s *Study) categories() (names []string) {
	for n := range role.With[role.Reader](s.stages...) {
		for _, read := range role.Readings(n.Instance()) {
			if read.Categories && OfCohort(n) && s.takes(n, read.Output) {
				names = append(names, read.Name)
			}
		}
	}
	return names
}

// Sites are the columns of the participants that hold sites by their name, or that stages read as categories; codes
// are those of them that hold numbers.
func (s *Study) Sites() (names, codes []string) {
	people := s.people()
	if people == nil {
		return nil, nil
	}
	read := s.categories()
	for _, c := range people.Columns {
		name := c.Name
		if slices.Contains(read, name) || column.NamesSite(name) && column.HasCategories(people, name) {
			names = append(names, name)
			if !column.NamesMeasure(name) && column.Coded(people, name) {
				codes = append(codes, name)
			}
		}
	}
	return names, codes
}

// checkSites refuses a column within which labels are permuted and that the participants do not have, where the file
// sets it or where some participants have several values, and notes the columns that hold the site where the column
// site does not.
func (s *Study) checkSites(sites []string) {
	asks := map[string][]*dag.Node{} // a task of each stage, by the column that they lack, or that has one value
	refused := map[*dag.StageNode]bool{}
	for n := range role.With[role.Reader](s.stages...) {
		for _, read := range role.Readings(n.Instance()) { // also where nothing takes the permuted labels
			set, d := s.set(n.Stage().Name(), "within"), s.differing(read.Name)
			switch {
			case read.Parameter != "within" || !OfCohort(n) || slices.Contains(s.columns(), read.Name),
				refused[n.Stage()]:
			case d != nil && (set || d.Between && s.takes(n, read.Output)):
				refused[n.Stage()] = true
				s.refuse(n.Stage(), "within", s.ofOne(d)+`, or set within: "" for a test over all participants`)
			case read.Permutes && set:
				refused[n.Stage()] = true
				s.refuse(n.Stage(), "within", missing(lacksColumn, read.Name, s.columns()))
			}
		}
		of, permutes := s.permutes(n)
		by, stage := of.Name, n.Stage()
		ofStage := func(m *dag.Node) bool { return m.Stage() == stage }
		if !permutes || by == "" || s.blocks(by) > 1 || !OfCohort(n) || slices.ContainsFunc(asks[by], ofStage) {
			continue
		}
		asks[by] = append(asks[by], n)
	}
	_, there := s.people().Column("site")
	for _, name := range sites {
		n := column.Categories(s.people(), name)
		if name == "group" {
			continue
		}
		s.note(column.DoubtSites(s.people(), name)...)
		if n < 2 {
			continue
		}
		var stages []string
		for _, n := range asks["site"] {
			if !s.spreads(n, name) {
				stages = append(stages, n.Stage().Name())
			}
		}
		if stages != nil && column.NamesSite(name) {
			s.note(column.Doubtful(column.DoubtSite, "noted.site-unused", column.Values{"Column": name, "N": n,
				"Stages": stages, "There": there, "Values": s.blocks("site")}))
		}
	}
}

// unplaced refuses participants without a value in a column within whose values labels are permuted, and notes those
// whose missing value counts as a category where folds are stratified.
func (s *Study) unplaced() {
	var columns []string // of the stages
	stages := map[string][]*dag.StageNode{}
	for n := range role.With[role.Reader](s.stages...) {
		for _, read := range role.Readings(n.Instance()) {
			if !OfCohort(n) || column.Unplaced(s.people(), read.Name) == nil {
				continue
			}
			switch of := stages[read.Name]; {
			case read.Parameter == "stratify_by":
				s.noteOf(n.Stage(), column.Doubtful("", "noted.unstratified",
					column.Values{"N": len(column.Unplaced(s.people(), read.Name)), "Column": read.Name}))
			case !read.Permutes || !s.takes(n, read.Output) || slices.Contains(of, n.Stage()) || s.leavesOut(read.Name):
			case of == nil:
				columns = append(columns, read.Name)
				fallthrough
			default:
				stages[read.Name] = append(of, n.Stage())
			}
		}
	}
	for _, by := range columns {
		named := lists.Map(stages[by], func(n *dag.StageNode) string { return n.Name() })
		s.refuse(stages[by][0], "within", s.faultText(column.Fault{Column: by,
			IDs: column.Unplaced(s.people(), by), Why: "no value, but labels are permuted within its values by " +
				words.Some(named, 6) + ", and who may exchange labels with these participants is unknown",
			Remedy: `, or set within: "" in each of these stages to permute over all participants`}))
	}
}

// leavesOut reports whether the values of a column are the folds of a division, which fails where one has no value.
func (s *Study) leavesOut(column string) bool {
	for n, d := range role.With[role.Divider](s.stages...) {
		if OfCohort(n) && d.LeavesOut() == column {
			return true
		}
	}
	return false
}

// idleWithin refuses within for inner folds, whose labels nothing permutes.
func (s *Study) idleWithin() {
	permutes, inner := map[*dag.StageNode]bool{}, []*dag.StageNode(nil)
	for n, d := range role.With[role.Divider](s.stages...) {
		stage := n.Stage()
		reads := role.Readings(n.Instance())
		permutes[stage] = permutes[stage] || slices.ContainsFunc(reads, func(r role.Reading) bool { return r.Permutes })
		if d.OuterFold() > 0 && !slices.Contains(inner, stage) {
			inner = append(inner, stage)
		}
	}
	for _, stage := range inner {
		if !permutes[stage] && s.set(stage.Name(), "within") {
			s.refuse(stage, "within", "the labels of inner folds are not permuted: remove within, or set permutation")
		}
	}
}

// names refuses parameters with a column or a group that the participants do not have: their stages would fail, after
// the hours of those before them.
func (s *Study) names() {
	groups := s.predictedGroups()
	said := map[string]bool{}
	for n, reader := range role.With[role.Reader](s.stages...) {
		for _, read := range reader.ReadsParticipants() {
			if key := n.Stage().Name() + " groups"; read.Two && groups != nil && len(groups) != 2 && !said[key] {
				said[key] = true
				s.mistake(n.Stage(), "use", fmt.Sprintf("%s needs two groups, and the participants have %s (%s): remove this stage, or keep two groups (select, under cohort)",
					n.Stage().Kind().Name, words.Count(len(groups), "group"), words.Some(groups, 6)))
			}
			if at, assumed, err := fold.PositiveGroup("", groups); read.Group && read.Name == "" &&
				len(role.Ports(n.Instance(), role.AllFolds, role.SomeFolds)) > 0 && err == nil && assumed {
				s.noteOf(n.Stage(), column.Doubtful("", "noted.positive-assumed",
					column.Values{"Positive": column.Shown(groups[at]), "Groups": lists.Map(groups, column.Shown)}))
			}
		}
		for _, read := range role.Readings(n.Instance()) {
			what, have := "", []string(nil)
			if read.Number && OfCohort(n) && !s.isNumber(read) && !said[n.Stage().Name()+" number"] {
				said[n.Stage().Name()+" number"] = true
				s.refuse(n.Stage(), read.Parameter, fmt.Sprintf("%s decides who is nearest, and must be a number: list a number first, such as %s: [mean_fd, %[1]s]",
					read.Name, read.Parameter))
			}
			switch {
			case read.Needed && OfCohort(n), read.Motion && OfCohort(n) && !said[n.Stage().Name()+" motion"]:
				what, have = lacksColumn, s.columns()
				said[n.Stage().Name()+" motion"] = said[n.Stage().Name()+" motion"] || read.Motion
				if read.Motion && givesMotion(n) {
					continue
				}
			case read.Group && groups != nil:
				what, have = "there is no group", groups
			}
			if key := n.Stage().Name() + " " + read.Parameter + " " + read.Name; what != "" && !said[key] &&
				(!slices.Contains(have, read.Name) || read.OfChange) {
				said[key] = true
				text := missing(what, read.Name, have)
				if read.OfChange {
					text = fmt.Sprintf("a change between sessions is adjusted for the change of %[1]s, but cleaning has no "+
						"framewise displacement of each session: connect denoise's quality, of scans with a table of confounds, "+
						"such as clean[*].quality, or leave out %[1]s", read.Name)
				} else if d := s.differing(read.Name); !read.Group && d != nil && read.Parameter != "covariates" {
					text = s.ofOne(d)
				} else if !read.Group && d != nil {
					text = fmt.Sprintf("%s differs between the %ss of a participant, so it cannot be a covariate: give each participant one value in the table, such as the mean, or leave it out",
						read.Name, s.roster.PartAxis())
				} else if read.Motion {
					text += "; motion also comes from cleaning (connect denoise's or join's quality), but only of scans with a table of confounds"
				}
				s.refuse(n.Stage(), read.Parameter, text)
			}
		}
	}
}

// isNumber reports whether a column that is read as a number has numbers, or is no column.
func (s *Study) isNumber(read role.Reading) bool {
	if s.people() == nil {
		return true
	}
	if _, there := s.people().Column(read.Name); !there {
		return true
	}
	c, err := column.ReadCovariate(s.people(), read.Name)
	return err != nil || c.Text == nil && !read.Categories
}

// differing is a column that differs between the runs or sessions of a participant; nil for any other.
func (s *Study) differing(name string) *listed.Differing {
	at := slices.IndexFunc(s.roster.OfRuns, func(d listed.Differing) bool { return d.Name == name })
	if at < 0 {
		return nil
	}
	return &s.roster.OfRuns[at]
}

// ofOne refuses a parameter that needs one value of a column for each participant.
func (s *Study) ofOne(d *listed.Differing) string {
	ids := sorted(slices.Collect(maps.Keys(d.Who)))
	out := "exclude"
	if len(ids) <= mostNamed {
		out = "exclude: [" + strings.Join(ids, ", ") + "]"
	}
	return fmt.Sprintf("%s differs between the %ss of %s: %s; correct the table, give each participant one value, such as A+B, or set %s",
		d.Name, s.roster.PartAxis(), words.Count(len(ids), "participant"), d.WhoText(), out)
}

// givesMotion reports whether the input cleaning of a task may have the motion of some scan: a scan was cleaned with a
// table of confounds, or it is unknown how scans were cleaned.
func givesMotion(n *dag.Node) bool {
	seen, known := map[*dag.Node]bool{}, false
	var with func(of []*dag.Node) bool
	with = func(of []*dag.Node) bool {
		for _, node := range of {
			if seen[node] {
				continue
			}
			seen[node] = true
			if _, cleans := node.Instance().(role.Cleaner); cleans {
				if known = true; len(Sources(node, "confounds")) > 0 {
					return true
				}
				continue
			}
			var above []*dag.Node
			for src := range node.Upstream() {
				above = append(above, src.Node)
			}
			if with(above) {
				return true
			}
		}
		return false
	}
	of := behind(n, "cleaning")
	return with(of) || len(of) > 0 && !known
}

const lacksColumn = "the participants have no column"

// missing states that a parameter has a name that is none of those there are.
func missing(what, name string, have []string) string {
	if why := column.LacksMerged(name, have); why != "" {
		return fmt.Sprintf("%s %q%s", what, name, why)
	}
	return fmt.Sprintf("%s %q%s", what, name, words.OrAll(name, have))
}

// predictedGroups are the groups that all stages of the file predict, sorted; nil where some predict something else, or
// it is unknown.
func (s *Study) predictedGroups() []string {
	divided := false
	for n, d := range role.With[role.Divider](s.stages...) {
		if d.Divides() != "group" || !OfCohort(n) {
			return nil
		}
		divided = true
	}
	_, group, err := column.ByParticipant(s.people(), "group")
	if !divided || err != nil {
		return nil
	}
	return sorted(slices.Collect(maps.Values(group)))
}

// relatives notes the columns of families, and of persons with several ids, whose members a division may put on both
// sides, and those whose members it keeps together, but everything else counts as independent; and families in two
// spellings.
func (s *Study) relatives() {
	var divided, kept []string    // stages that divide without regard to families; columns that others keep together
	dividing := map[string]bool{} // all stages that divide
	relatives := func(stages []string, kept ...string) {
		for _, n := range column.DoubtRelatives(s.people(), stages, kept...) {
			if len(dividing) > len(stages) { // others do not
				n.Stages = strings.Join(stages, " ")
			}
			s.note(n)
		}
	}
	keeps := map[string][]string{}
	for n, d := range role.With[role.Divider](s.stages...) {
		if !OfCohort(n) {
			continue
		}
		dividing[n.Stage().Name()], kept = true, append(kept, d.KeepsTogether()...)
		whole := column.NamesFamily(d.LeavesOut()) || column.NamesPerson(d.LeavesOut())
		if len(d.KeepsTogether()) > 0 {
			keeps[n.Stage().Name()] = d.KeepsTogether()
		} else if !whole && !slices.Contains(divided, n.Stage().Name()) {
			divided = append(divided, n.Stage().Name())
		}
	}
	kept = sorted(kept)
	if len(dividing) > 0 {
		s.note(column.DoubtSpelling(s.people(), kept, s.categories())...)
	}
	for _, name := range kept {
		s.note(column.DoubtNobody(s.people(), name)...)
	}
	for _, stage := range slices.Sorted(maps.Keys(keeps)) {
		relatives([]string{stage}, keeps[stage]...)
	}
	if divided != nil {
		relatives(divided)
	}
	if divided != nil || len(kept) == 0 {
		for _, c := range s.people().Columns {
			_, values, err := column.ByParticipant(s.people(), c.Name)
			shared := slices.Collect(maps.Values(values))
			if err == nil && (column.HoldsMatched(s.people(), c.Name) || column.Shares(s.people(), c.Name) &&
				(column.HoldsFamilies(c.Name, shared) || column.HoldsPersons(c.Name, shared))) {
				_, without := s.exchanging(c.Name)
				s.noteFamily(c.Name, without)
			}
		}
	}
	for _, name := range kept {
		s.note(column.DoubtLargest(s.people(), name)...)
		if !column.Shares(s.people(), name) {
			continue
		}
		with, without := s.exchanging(name)
		matched := column.AcrossGroups(s.people(), name) && !column.NamesPerson(name)
		mixed := column.AnyAcrossGroups(s.people(), name)
		if intervals, ps := s.assumed(); intervals || ps != nil {
			var by []string
			if divided != nil { // the folds of other stages do not
				for _, stage := range slices.Sorted(maps.Keys(keeps)) {
					if slices.Contains(keeps[stage], name) {
						by = append(by, stage)
					}
				}
			}
			s.note(column.Doubtful(column.DoubtIndependence, "noted.independent", column.Values{"Column": name,
				"Matched": matched, "Mixed": mixed, "By": by, "Intervals": intervals, "PValues": ps, "With": with}))
		}
		s.noteFamily(name, without)
	}
}

// assumed reports whether there are intervals that count relatives as independent participants, and whose p-values do.
func (s *Study) assumed() (intervals bool, ps []string) {
	for n, work := range role.With[role.Assumer](s.stages...) {
		also, of := work.AssumesIndependent(func(port string) bool { return len(Sources(n, port)) > 0 })
		intervals = intervals || also
		ps = append(ps, of...)
	}
	return intervals, sorted(ps)
}

// exchanging are the stages with a parameter family (edges) that exchange the values of a column as wholes, and those
// without a family.
func (s *Study) exchanging(name string) (with, without []string) {
	for n, r := range role.With[role.Reader](s.stages...) {
		for _, read := range r.ReadsParticipants() {
			switch {
			case read.Parameter != "family" || !OfCohort(n):
			case read.Name == name && halving(n.Stage()): // it exchanges no labels
			case read.Name == name:
				with = append(with, n.Stage().Name())
			case read.Name == "":
				without = append(without, n.Stage().Name())
			}
		}
	}
	return sorted(with), sorted(without)
}

// halving reports whether a stage divides the sample in halves.
func halving(n *dag.StageNode) bool { return n.Kind().Name == "reliability" }

// noteFamily notes the stages that permute relatives as independent participants, or divide them between the halves of
// the sample, whose agreement has no p value.
func (s *Study) noteFamily(name string, stages []string) {
	for _, stage := range stages {
		if slices.ContainsFunc(s.stages, func(n *dag.StageNode) bool { return n.Name() == stage && halving(n) }) {
			s.note(column.Doubtful(column.DoubtHalves, "noted.halves", column.Values{"Column": name, "Stage": stage}))
			continue
		}
		n := column.Doubtful(column.DoubtPermuted, "noted.permuted", column.Values{"Column": name, "Stage": stage})
		n.Stages = stage
		s.note(n)
	}
}

// exclusions notes that exclusions hit one group more than the others: what led to them may go with the group.
func (s *Study) exclusions() {
	if s.people() == nil {
		return
	}
	_, group, err := column.ByParticipant(s.people(), "group")
	if err != nil { // a number is predicted
		return
	}
	out, all := map[string]int{}, map[string]int{} // by group of those who take part
	for _, g := range group {
		all[g]++
	}
	excluded, n := 0, len(group)
	for _, left := range s.roster.Left {
		if all[left.Group] > 0 && ofQuality(left) {
			out[left.Group]++
			excluded++
		}
	}
	groups := slices.Sorted(maps.Keys(all))
	if excluded == 0 || len(groups) < 2 {
		return
	}
	var of []column.Values
	p := make([]float64, len(groups)) // of a group against the others
	for i, g := range groups {
		of = append(of, column.Values{"Group": g, "N": out[g], "Of": out[g] + all[g]})
		p[i] = inference.Fisher(out[g], out[g]+all[g], excluded-out[g], excluded-out[g]+n-all[g])
	}
	if len(groups) == 2 {
		p = p[:1] // the second is the same test
	} else {
		p = inference.Holm(p)
	}
	if least := slices.Min(p); inference.Significant(least) {
		s.note(column.Doubtful(column.DoubtExclusions, "noted.exclusions", column.Values{"Groups": of, "P": least}))
	}
}

// withExclusions adds to a mistake of a division the participants of each group before and after exclusions.
func (s *Study) withExclusions(err error) error {
	_, group, wrong := column.ByParticipant(s.people(), "group")
	if err == nil || wrong != nil || len(s.roster.Left) == 0 {
		return err
	}
	before, after := map[string]int{}, map[string]int{}
	for _, g := range group {
		before[g]++
		after[g]++
	}
	for _, left := range s.roster.Left {
		if left.Group != "" {
			before[left.Group]++
		}
	}
	var texts []string
	for _, g := range slices.Sorted(maps.Keys(before)) {
		texts = append(texts, fmt.Sprintf("%d of %s", after[g], words.CountOf(before[g], g, " ")))
	}
	return fmt.Errorf("%w (after select and exclude, %s remain)", err, words.Some(texts, 6))
}

// ofQuality reports whether a participant was excluded for data or a measure: by name, a rating, a file or a bound, and
// not by a limit or by what kind of participants the study is about.
func ofQuality(left listed.LeftOut) bool {
	if left.Unmet.Term != "" {
		return left.Unmet.Bound
	}
	return left.Why != listed.BeyondLimit
}
