package pipelines

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/precheck"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A link is what an input port is connected to.
type link struct {
	port  *dag.Port
	from  []source
	stage bool   // a list: members carry the name of their stage as a coordinate
	only  []bool // the members of the referring stage that have it; nil: all
}

// in reports whether a member of the referring stage has the link.
func (k *link) in(member int) bool { return k.only == nil || k.only[member] }

// A source is one reference, understood.
type source struct {
	ref
	producer *producer // nil for a file
	output   string
	files    [][]dag.Source // {file: PATH} for each member of the referring stage; several for a directory
	// groups are the producer's members that agree on what both fan out over;
	// group says for each member of the referring stage which it means.
	groups [][]int32
	group  []int32
	only   []bool // of the link
}

// connect understands and checks every reference.
func (l *loader) connect() {
	for _, s := range l.stages {
		l.producers[s.name] = []*producer{l.stageProducer(s)}
	}
	l.producers[settingsName] = []*producer{l.settingsProducer()}
	for _, s := range l.stages {
		if s.kind == nil || s.vague {
			continue
		}
		l.connectStage(s)
	}
	l.tellApart()
	l.connectChecks()
	l.connectCollected()
	l.leaveOutPictures()
	l.checkUnread()
	l.refuseSettings()
	for _, s := range l.stages {
		if s.kind != nil && !s.vague {
			l.checkAxes(s)
		}
	}
	l.checkCycles()
}

func (l *loader) connectStage(s *stage) {
	var given []tree.Key
	if s.in != nil {
		given = s.in.Keys
	}
	names := make([]string, len(s.ports.In))
	for i := range s.ports.In {
		names[i] = s.ports.In[i].Name
	}
	connected := map[string]bool{}
	for _, k := range given {
		i := slices.Index(names, k.Name)
		if i < 0 {
			hint := words.OrAll(k.Name, names)
			if set := s.choiceWith(k.Name); set != "" {
				hint = fmt.Sprintf(" with these settings: set with: { %s }", set)
			}
			l.bad.Add(k.Pos, "stage %s has no input %q%s", s.label(), k.Name, hint)
			s.loose = true
			continue
		}
		connected[k.Name] = true
		if _, rest := s.choices(k.Name); rest == nil || slices.Contains(rest, true) {
			l.connectPort(s, &s.ports.In[i], k.Value, rest)
		}
	}
	l.connectChoices(s, connected)
	l.checkTransforms(s, connected)
	l.checkLayout(s, connected)
	s.sortLinks()
	for i := range s.ports.In {
		if p := &s.ports.In[i]; !p.Optional && !connected[p.Name] {
			pos, removed := l.layers.Removed["stages."+s.name+".in."+p.Name]
			if !removed {
				pos = s.pos
			}
			l.bad.Add(pos, "stage %s: its input %s is not connected%s", s.name, p.Name, l.candidate(s, p))
		}
	}
}

// connectChoices connects what options of decisions connect.
func (l *loader) connectChoices(s *stage, connected map[string]bool) {
	for i := range s.ports.In {
		p := &s.ports.In[i]
		all, rest := s.choices(p.Name)
		for _, c := range all {
			if c.ref.Kind != tree.Empty {
				l.connectPort(s, p, c.ref, c.only)
			} else if !p.Optional {
				l.bad.Add(c.ref.Pos, "stage %s: its input %s is not connected, by an option of a decision", s.name, p.Name)
			}
		}
		if all != nil && (!slices.Contains(rest, true) || p.Optional) {
			connected[p.Name] = true
		}
	}
}

// choiceWith is the parameter and its choice, "partial: given", with which the stage has an input of this name; "" for
// none.
func (s *stage) choiceWith(input string) string { return s.choice(input, true) }

// choice is a parameter and its choice with which the stage has an input of this name, or has it not.
func (s *stage) choice(input string, has bool) string {
	for _, p := range param.Of(s.work) {
		for _, choice := range p.Choices {
			other := param.Copy(s.work)
			if param.Set(other, p.Name, choice) == nil && has == slices.ContainsFunc(other.Ports().In,
				func(in dag.Port) bool { return in.Name == input }) {
				return p.Name + ": " + choice
			}
		}
	}
	return ""
}

// checkUnread notes the files of participants that the cohort states and no stage takes. Where a stage computes them
// anew instead, the file is refused: results would not be of the data that were given.
func (l *loader) checkUnread() {
	if l.roster == nil || l.roster.Axis != "" || slices.ContainsFunc(l.stages,
		func(s *stage) bool { return s.kind == nil || s.vague || s.loose }) {
		return
	}
	taken := map[string]bool{}
	for _, s := range l.stages {
		for _, k := range s.links {
			for _, from := range k.from {
				taken[from.output] = taken[from.output] || from.stage == "cohort"
			}
		}
	}
	stated := layer.CohortKinds(l.cohortTree)[0].Value
	for _, port := range slices.Sorted(maps.Keys(l.roster.Files)) {
		file := stated.Get(port)
		if taken[port] || file == nil || file.Kind == tree.Empty || file.Text == "" && file.Kind == tree.Scalar {
			continue
		}
		instead := ""
		for _, s := range l.stages {
			set := s.choiceWith(port)
			if set == "" || slices.ContainsFunc(s.ports.In, func(p dag.Port) bool { return p.Name == port }) {
				continue
			}
			instead = fmt.Sprintf("stage %s computes them instead; to use the files, set with: { %s } and in: { %s: cohort.%s } there", s.name, set, port, port)
		}
		if instead != "" {
			l.bad.Add(file.Pos, "cohort %s: no stage reads the files of %s: %s, or remove %s from the cohort", l.cohortKind, port, instead, port)
			continue
		}
		l.note("cohort %s: no stage reads the files of %s; connect them (cohort.%s), or remove %s from the cohort", l.cohortKind, port, port, port)
	}
}

// checkTransforms refuses labels and raw scans without the transforms that the cohort gives with them: they lie in
// another space, and would be laid over each other askew.
func (l *loader) checkTransforms(s *stage, connected map[string]bool) {
	if l.roster == nil {
		return
	}
	lacks := func(ports ...string) string {
		var lacks []string
		for _, port := range ports {
			if _, given := l.roster.Files[port]; given && !connected[port] {
				lacks = append(lacks, port+": cohort."+port)
			}
		}
		return strings.Join(lacks, ", ")
	}
	takes := func(port string) bool {
		return slices.ContainsFunc(s.ports.In, func(p dag.Port) bool { return p.Name == port })
	}
	_, raw := l.roster.Files["realignment"]
	for _, k := range s.links {
		for _, from := range k.from {
			if from.stage != "cohort" {
				continue
			}
			labels := lacks("transform", "warp", "registration", "reference")
			scan := lacks("realignment", "fieldmap", "fieldmap_transform")
			switch {
			case from.output == "labels" && labels != "":
				l.bad.Add(from.pos, "stage %s: the labels of this cohort (%s) and its scans are in different spaces: connect the transform (in: { %s })", s.name, l.cohortKind, labels)
			case from.output != "bold" || !raw:
			case takes("realignment") && scan != "":
				l.bad.Add(from.pos, "stage %s: the scans of this cohort (%s) are raw: connect their transforms (in: { %s })", s.name, l.cohortKind, scan)
			case k.port.Name == "bold" && !takes("realignment") && !takes("reference") && s.kind.Name != "exec":
				l.bad.Add(from.pos, "stage %s: %s takes preprocessed scans, but the scans of this cohort (%s) are raw; remove the stage (%s: null)", s.name, s.kind.Name, l.cohortKind, s.name)
			}
		}
	}
}

// checkLayout refuses files of other programs without where the numbers stand within them.
func (l *loader) checkLayout(s *stage, connected map[string]bool) {
	if l.roster == nil || l.roster.Values["layout"].Format == "" || connected["layout"] {
		return
	}
	for _, k := range s.links {
		for _, from := range k.from {
			if from.stage == "cohort" && slices.Contains([]string{"series", "pearson", "partial"}, from.output) {
				l.bad.Add(from.pos, "stage %s: the cohort (%s) states where the numbers stand within its files: connect it (in: { layout: cohort.layout })", s.name, l.cohortKind)
				return
			}
		}
	}
}

// beyondReading reports whether there are more mistakes than anybody reads: a remedy that looks through all stages is
// then left out.
func (l *loader) beyondReading() bool { return len(l.bad.List) > 1000 }

// candidate proposes what the port usually takes, or else the outputs of the same name that would fit.
func (l *loader) candidate(s *stage, p *dag.Port) string {
	if l.beyondReading() {
		return ""
	}
	var fit []string
	usual := ""
	rank := len(role.UsualOf(s.kind.Name, p.Name).From)
	for _, name := range slices.Concat([]string{"cohort"}, l.names) {
		for _, from := range l.producers[name] {
			if from.of == s {
				continue
			}
			for _, out := range from.outs {
				kind := "cohort"
				if from.of != nil && from.of.kind != nil {
					kind = from.of.kind.Name
				}
				at := slices.Index(role.UsualOf(s.kind.Name, p.Name).From, kind+"."+out.Name)
				if at < 0 && out.Name != p.Name || dag.Fits(out.Type, p.Type) != nil {
					continue
				}
				text := name + "." + out.Name
				if p.Gather && len(from.axes) > 0 {
					text = quoteFlow(name + "[*]." + out.Name)
				}
				if fit = append(fit, text); at >= 0 && at < rank {
					usual, rank = text, at
				}
			}
		}
	}
	switch {
	case usual != "":
		return fmt.Sprintf(" (in: { %s: %s } fits)", p.Name, usual)
	case len(fit) == 1:
		return fmt.Sprintf(" (in: { %s: %s } fits)", p.Name, fit[0])
	case len(fit) > 1:
		return fmt.Sprintf(" (%s fit)", words.Some(fit, 5))
	case strings.HasPrefix(s.pos.File, "built-in "): // of a file that this one extends
		return fmt.Sprintf(" (%s: null leaves the stage out)", s.name)
	case precheck.GroupsOnly(l.roster, s.kind.Name, p) != "":
		return ": " + precheck.GroupsOnly(l.roster, s.kind.Name, p)
	case role.UsualOf(s.kind.Name, p.Name).All &&
		!slices.ContainsFunc(role.UsualOf(s.kind.Name, p.Name).From, l.hasKind):
		return precheck.NoSource(role.UsualOf(s.kind.Name, p.Name).From, s.name)
	}
	return ""
}

// hasKind reports whether a stage of the file is of the kind of an output, baseline.permuted.
func (l *loader) hasKind(output string) bool {
	kind, _, _ := strings.Cut(output, ".")
	return kind == "cohort" || kind == "pipeline" || slices.ContainsFunc(l.names, func(name string) bool {
		return slices.ContainsFunc(l.producers[name], func(p *producer) bool {
			return p.of != nil && p.of.kind != nil && p.of.kind.Name == kind
		})
	})
}

// connectPort connects a port in some tasks, or in all (nil).
func (l *loader) connectPort(s *stage, p *dag.Port, t *tree.Node, only []bool) {
	where := fmt.Sprintf("stage %s: input %s", s.name, p.Name)
	items := t.Each()
	k := link{port: p, only: only, stage: t.Kind == tree.List}
	if k.stage {
		if !p.Gather {
			l.bad.Add(t.Pos, "%s must be one reference, not a list", where)
			s.loose = true
			return
		}
		if len(items) == 0 {
			l.bad.Add(t.Pos, "%s: the list of references is empty", where)
			s.loose = true
		}
	}
	for _, item := range items {
		r, ok := l.readRef(item, where)
		if !ok {
			s.loose = true
			continue
		}
		src, ok := l.understand(s, p, r, where, only)
		if !ok {
			s.loose = true
		} else if src != nil {
			k.from = append(k.from, *src)
		}
	}
	if len(k.from) > 0 {
		s.links = append(s.links, k)
	}
}

// understand finds what a reference means, or says why it means nothing. It
// gives neither when an optional input asks for what this cohort does not have.
func (l *loader) understand(s *stage, p *dag.Port, r ref, where string, only []bool) (*source, bool) {
	if r.file != nil && l.listOf(p, r) {
		return l.nodeList(s, p, r, where, only)
	}
	if r.file != nil {
		return l.userFile(s, p, r, where)
	}
	if r.stage == "cohort" && l.roster == nil {
		if l.cohortTree == nil {
			l.bad.Add(r.pos, "%s refers to the cohort, but the file has none%s", where, cmp.Or(l.layers.Gone("cohort"), ": add cohort: { KIND: … }"))
		}
		return nil, false
	}
	named, ok := l.producers[r.stage]
	if !ok {
		if _, broken := l.byName[r.stage]; !broken {
			remedy := l.layers.Gone("stages", r.stage)
			if remedy == "" && !l.beyondReading() {
				remedy = words.OrAll(r.stage, append(slices.Clip(l.names), "cohort"))
			}
			l.bad.Add(r.pos, "%s: there is no stage %q%s", where, r.stage, remedy)
		}
		return nil, false
	}
	if named[0].of != nil && (named[0].of.kind == nil || named[0].of.vague) {
		return nil, false
	}
	from, out := findOutput(named, r.output)
	if out == nil {
		return nil, l.noOutput(s, p, r, named, where)
	}
	err, number := dag.Fits(out.Type, p.Type), slices.Contains(out.Type.Columns, column.Target)
	if number && r.stage == "cohort" && slices.Contains(p.Type.Columns, "group") { // such a column is a covariate
		err = fmt.Errorf("needs groups, but the cohort has one number to predict (its parameter target; set label: target in this stage)")
	}
	if hint := ""; err != nil {
		switch {
		case r.stage != "cohort" && !slices.Contains(out.Type.Columns, "group") &&
			precheck.GroupsOnly(l.roster, s.kind.Name, p) != "":
			l.bad.Add(r.pos, "%s: %s.%s does not fit: %s", where, r.stage, out.Name, precheck.GroupsOnly(l.roster, s.kind.Name, p))
			return nil, false
		case r.stage == "cohort" && slices.Contains(p.Type.Columns, column.Target):
			hint = "; to predict a number, set target: COLUMN in the cohort in place of group"
		case !number && slices.Contains(p.Type.Columns, column.Target):
			hint = "; it has groups: to predict the number of the cohort's parameter target, set label: target in stage " + r.stage
		}
		l.bad.Add(r.pos, "%s %v: %s.%s does not fit%s", where, err, r.stage, out.Name, hint)
		return nil, false
	}
	src := &source{ref: r, producer: from, output: out.Name, only: only}
	return src, l.matchAxes(s, p, src, where)
}

// findOutput finds a port by name, or the first.
func findOutput(named []*producer, output string) (*producer, *dag.Port) {
	for _, from := range named {
		for i := range from.outs {
			if output == "" || from.outs[i].Name == output {
				return from, &from.outs[i]
			}
		}
	}
	return nil, nil
}

// noOutput reports whether a reference to an output that is not there is fine.
func (l *loader) noOutput(s *stage, p *dag.Port, r ref, named []*producer, where string) bool {
	var names []string
	for _, from := range named {
		for _, out := range from.outs {
			names = append(names, out.Name)
		}
	}
	if r.stage == "cohort" && slices.Contains(cohortPorts, r.output) {
		if p.Optional && !slices.Contains(missedPorts, r.output) {
			return true
		}
		if p.Optional {
			l.note("%s is not connected: the cohort (%s) has no %s", where, l.cohortKind, r.output)
			return true
		}
		hint := ""
		file := l.cohortKind + ".yaml"
		if l.roster != nil && l.roster.PerRun {
			file = l.cohortKind + "-" + l.roster.PartAxis() + "s.yaml"
		}
		if slices.Contains(builtin.Names(), file) {
			hint = "; for such a cohort: extends: " + file
		}
		l.bad.Add(r.pos, "%s needs cohort.%s, but this cohort (%s) has %s%s", where, r.output, l.cohortKind, strings.Join(names, ", "), hint)
		return false
	}
	if r.output == "" {
		l.bad.Add(r.pos, "%s: %s has no outputs", where, r.stage)
		return false
	}
	without := ""
	if set := s.choice(p.Name, false); set != "" && r.stage == "cohort" {
		without = fmt.Sprintf(": give the files in the cohort (%s: …), or set with: { %s } in %s, which then has no input %s",
			r.output, set, s.name, p.Name)
	}
	l.bad.Add(r.pos, "%s: %s has no output %q%s%s", where, r.stage, r.output, words.OrAll(r.output, names), without)
	return false
}

func (l *loader) note(format string, args ...any) { l.add(column.Notef(format, args...)) }

func (l *loader) add(n column.Note) {
	l.notes = lists.Add(l.notes, n)
}

// checkAxes finds matrix axes that would make many tasks of one.
func (l *loader) checkAxes(s *stage) {
	if s.loose {
		return
	}
	for _, t := range []*tree.Node{s.with, s.in} {
		if t == nil {
			continue
		}
		for _, name := range t.Open() {
			for i := range s.axes {
				s.axes[i].used = s.axes[i].used || s.axes[i].name == name
			}
		}
	}
	for _, a := range s.axes {
		if !a.param && !a.used {
			names := lists.Map(param.Of(s.work), func(p param.Param) string { return p.Name })
			hint := words.OrAll(a.name, names)
			if slices.Contains(names, "parameters") { // of a command, whose parameters are its own
				hint = fmt.Sprintf("; write parameters: [\"%[1]s=${%[1]s}\"], and {%[1]s} in the command is its value", a.name)
			}
			l.bad.Add(a.pos, "stage %s: the axis %s is neither a parameter of %s nor an axis of one of its inputs, and no value has ${%s}%s", s.name, a.name, s.kind.Name, a.name, hint)
		}
	}
}
