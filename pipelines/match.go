package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/wiring"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// matchAxes finds out which members of the producer each task of s means.
func (l *loader) matchAxes(s *stage, p *dag.Port, src *source, where string) bool {
	from := src.producer
	target := src.stage
	if src.ref.output != "" {
		target += "." + src.ref.output
	}
	fixed, ok := l.fixedAxes(src, where)
	if !ok {
		return false
	}
	var apart []string // axes of the producer that s does not have
	var mine []int     // for each axis of the producer: the one of s, or −1
	for i, name := range from.axes {
		at := slices.IndexFunc(s.axes, func(a axis) bool { return a.name == name })
		if fixed[i] >= 0 {
			at = -1
		} else if at < 0 {
			apart = append(apart, name)
		} else {
			s.axes[at].used = true
		}
		mine = append(mine, at)
	}
	switch {
	case src.picked && len(from.axes) == 0:
		l.bad.Add(src.pos, "%s: %s is a single task without members: write %s", where, src.stage, target)
		return false
	case src.gather && !p.Gather:
		l.bad.Add(src.pos, "%s takes one member, but %s gathers all%s", where, src.text, l.insteadOfAll(s, src.stage, apart, target))
		return false
	case len(apart) > 0 && !p.Gather && src.stage == "cohort":
		l.apart = append(l.apart, apartFrom{src.pos, where, strings.Join(apart, ", "), s.name,
			l.chooseOne("cohort", apart)})
		return false
	case len(apart) > 0 && !p.Gather:
		l.bad.Add(src.pos, "%s: %s fans out over %s, but %s does not%s", where, src.stage, strings.Join(apart, ", "), s.name, l.chooseOne(src.stage, apart))
		return false
	case p.Gather && !src.picked && len(apart) > 0:
		all := src.stage + "[*]" + strings.TrimPrefix(target, src.stage)
		l.bad.Add(src.pos, "%s gathers: write %s for all members of %s", where, quoteFlow(all), src.stage)
		return false
	}
	if p.Gather && l.hidesColumn(s, src, apart, where) {
		return false
	}
	if s.unknown || from.unknown {
		return true
	}
	return l.matchMembers(s, src, fixed, mine, where)
}

// pooledAxes are axes that tables have as columns of their own, or that kinds pool over.
var pooledAxes = []string{"fold", "repeat", "seed", "permutation", "outer", "inner", "model", column.Subject,
	"session", "run"}

// hidesColumn refuses axes that would be columns of a table beside its own column of the same name.
func (l *loader) hidesColumn(s *stage, src *source, axes []string, where string) (hides bool) {
	for _, out := range s.work.Ports().Out {
		columns := column.BesideCoordinates(out.Type)
		for _, name := range axes {
			if slices.Contains(columns, name) && !slices.Contains(pooledAxes, name) && !hides {
				hides = true
				l.bad.Add(src.pos, "%s: %s fans out over an axis named %s, and the output %s has a column of this name: give the axis a different name (for a parameter: matrix: { my_%[3]s: [...] }, with: { %[3]s: \"${my_%[3]s}\" })",
					where, src.stage, name, out.Name)
			}
		}
	}
	return hides
}

// An apartFrom is an input from the cohort, which fans out over axes that the stage does not have.
type apartFrom struct {
	pos                        dag.Pos
	where, axes, stage, remedy string
}

// tellApart reports each kind of apartFrom once, at the first input, with all stages that it is about: one
// parameter of the cohort (runs: all) is behind it.
func (l *loader) tellApart() {
	for i, first := range l.apart {
		same := func(a apartFrom) bool { return a.axes == first.axes }
		if slices.IndexFunc(l.apart, same) < i {
			continue
		}
		var names []string
		for _, a := range l.apart {
			if same(a) && !slices.Contains(names, a.stage) {
				names = append(names, a.stage)
			}
		}
		does := map[bool]string{true: "does", false: "do"}[len(names) == 1]
		l.bad.Add(first.pos, "%s: cohort fans out over %s, but %s %s not%s",
			first.where, first.axes, strings.Join(names, ", "), does, first.remedy)
	}
}

// quoteFlow puts a reference in quotes: within { } YAML would take [ for a list.
func quoteFlow(text string) string { return `"` + text + `"` }

func (l *loader) insteadOfAll(s *stage, stage string, apart []string, target string) string {
	if len(apart) == 0 {
		return ": write " + target
	}
	return fmt.Sprintf(": %s does not fan out over %s%s", s.name, strings.Join(apart, ", "), l.chooseOne(stage, apart))
}

func (l *loader) chooseOne(stage string, apart []string) string {
	switch {
	case slices.Contains(apart, "session") && stage == "cohort":
		return " (write extends: sessions.yaml, or add each: session; the kind sessions combines the matrices of a participant's sessions)"
	case slices.Contains(apart, "run") && stage == "cohort":
		return " (write extends: runs.yaml, or add each: run; the kind join concatenates a participant's runs after denoising)"
	case slices.Contains(apart, l.memberAxis()):
		return " (add each: " + l.memberAxis() + ")"
	}
	parts := lists.Map(apart, func(name string) string { return name + "=…" })
	return fmt.Sprintf(" (choose one with \"%s[%s]\", or fan out over the axis)", stage, strings.Join(parts, ","))
}

// fixedAxes finds the values in brackets: for each axis of the producer the
// place of its value, or −1.
func (l *loader) fixedAxes(src *source, where string) ([]int32, bool) {
	from := src.producer
	fixed := slices.Repeat([]int32{-1}, len(from.axes))
	if len(from.axes) == 0 {
		return fixed, true // matchAxes says that there is nothing to choose from
	}
	fine := true
	for _, c := range src.fixed {
		at := slices.Index(from.axes, c.Axis)
		if c.Axis == "" {
			if at = slices.Index(from.axes, l.memberAxis()); at < 0 && len(from.axes) == 1 {
				at = 0
			}
		}
		if at < 0 {
			if c.Axis == "" {
				l.bad.Add(src.pos, "%s: %q in %s has no axis: write AXIS=%s", where, c.Value, src.text, c.Value)
			} else {
				l.bad.Add(src.pos, "%s: %s has no axis %q%s", where, src.stage, c.Axis, words.OrAll(c.Axis, from.axes))
			}
			fine = false
			continue
		}
		if from.unknown {
			fixed[at] = 0
			continue
		}
		texts := from.texts(at)
		if fixed[at] = int32(slices.Index(texts, c.Value)); fixed[at] < 0 {
			l.bad.Add(src.pos, "%s: %s has no member with %s=%s%s", where, src.stage, from.axes[at], c.Value, words.OrAll(c.Value, texts))
			fine = false
		}
	}
	return fixed, fine
}

// matchMembers sorts the producer's members into groups that agree on the axes
// that both have, and finds the group of each member of s.
func (l *loader) matchMembers(s *stage, src *source, fixed []int32, mine []int, where string) bool {
	from := src.producer
	var shared []int // axes of the producer
	for a, at := range mine {
		if at >= 0 {
			shared = append(shared, a)
		}
	}
	ids := map[string]int32{}
	var b []byte
	for m := range from.members {
		chosen := true
		for a, f := range fixed {
			chosen = chosen && (f < 0 || from.value(m, a) == f)
		}
		if !chosen {
			continue
		}
		b = b[:0]
		for _, a := range shared {
			b = appendInt(b, from.value(m, a))
		}
		g, ok := ids[string(b)]
		if !ok {
			g = int32(len(src.groups))
			ids[string(b)] = g
			src.groups = append(src.groups, nil)
		}
		src.groups[g] = append(src.groups[g], int32(m))
	}
	translate := make([][]int32, len(shared)) // a value of s → the same of the producer, or −1
	for i, a := range shared {
		translate[i] = wiring.SamePlaces(s.axes[mine[a]].texts(), from.texts(a))
	}
	src.group = make([]int32, s.members)
	var none []int
	for m := range src.group {
		b = b[:0]
		for i, a := range shared {
			b = appendInt(b, translate[i][s.picks[m*len(s.axes)+mine[a]]])
		}
		g, ok := ids[string(b)]
		if !ok && (src.only == nil || src.only[m]) {
			none = append(none, m)
		}
		src.group[m] = g
	}
	if len(none) > 0 {
		coords := s.coords(none[0])
		more := ""
		if len(none) > 1 {
			more = fmt.Sprintf(", nor for %d more", len(none)-1)
		}
		l.bad.Add(src.pos, "%s: %s has nothing for %s%s", where, src.text, dag.TaskID(s.name, coords, column.Subject), more)
		return false
	}
	return true
}

func appendInt(b []byte, v int32) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

// refuseSettings refuses several settings of one participant, such as two cleanings of a scan, at inputs that take one
// (role.OneSetting): the stage would take them for several participants.
func (l *loader) refuseSettings() {
	for _, s := range l.stages {
		if s.kind == nil || s.vague || s.unknown || s.loose {
			continue
		}
		ports := role.Ports(s.work, role.OneSetting)
		unit := []string{l.memberAxis(), "run", "session"}
		if role.Port(s.work, role.OwnFolds) != "" {
			unit = append(unit, "fold", "repeat")
		}
		told := map[string]bool{} // of several inputs from one stage, the first is reported
		for i := range s.links {
			if k := &s.links[i]; slices.Contains(ports, k.port.Name) {
				if src, fault := l.settingsApart(s, k, unit); fault != "" && !told[src.stage] {
					told[src.stage] = true
					l.bad.Add(src.pos, "stage %s: input %s %s", s.name, k.port.Name, fault)
				}
			}
		}
	}
}

// settingsApart finds two members of an input that are of one participant, run and session (unit): the source of the
// second, and what is wrong.
func (l *loader) settingsApart(s *stage, k *link, unit []string) (*source, string) {
	type member struct {
		src *source
		m   int32
	}
	known := map[string]bool{} // tasks that gather the same
	var b []byte
	for task := range s.members {
		if !k.in(task) {
			continue
		}
		b = b[:0]
		for i := range k.from {
			if k.from[i].group != nil {
				b = appendInt(b, k.from[i].group[task])
			}
		}
		if known[string(b)] {
			continue
		}
		known[string(b)] = true
		seen := map[string]member{}
		for i := range k.from {
			src := &k.from[i]
			if src.group == nil || !slices.Contains(src.producer.axes, l.memberAxis()) {
				continue
			}
			for _, m := range src.groups[src.group[task]] {
				of := src.producer.unit(m, unit)
				first, twice := seen[of]
				switch {
				case !twice:
					seen[of] = member{src, m}
				case first.src.producer == src.producer && first.m != m:
					return src, s.fanOutOver(src, first.m, m)
				default:
					return src, fmt.Sprintf("takes the data of each participant once, but %s and %s are both connected: "+
						"connect one of them", first.src.text, src.text)
				}
			}
		}
	}
	return nil, ""
}

// unit are the coordinates of a member on some axes.
func (p *producer) unit(m int32, axes []string) string {
	var b []byte
	for _, name := range axes {
		if a := slices.Index(p.axes, name); a >= 0 {
			b = append(append(b, p.text(int(m), a)...), 0)
		}
	}
	return string(b)
}

// fanOutOver is what is wrong where two members of a source are two settings of one participant.
func (s *stage) fanOutOver(src *source, first, second int32) string {
	var names, fixed, matrix []string
	for a, name := range src.producer.axes {
		if src.producer.value(int(first), a) == src.producer.value(int(second), a) {
			continue
		}
		names = append(names, name)
		fixed = append(fixed, name+"="+src.producer.text(int(first), a))
		matrix = append(matrix, name+": ["+words.Some(src.producer.texts(a), 8)+"]")
	}
	output := ""
	if src.ref.output != "" {
		output = "." + src.ref.output
	}
	one := fmt.Sprintf("%s[%s,*]%s", src.stage, strings.Join(fixed, ","), output)
	return fmt.Sprintf("takes the data of each participant once, but %s has several settings of each (%s): fan %s out over "+
		"%s too, matrix: { %s }, or connect one setting, such as %s", src.stage, strings.Join(names, ", "), s.name,
		strings.Join(names, " and "), strings.Join(matrix, ", "), quoteFlow(one))
}
