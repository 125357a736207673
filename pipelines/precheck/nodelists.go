package precheck

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
)

// A nodeList is one that a stage reads before a run, or that its data have.
type nodeList struct {
	names string    // of its regions, in order: lists with the same names are one
	made  string    // the output of a stage that makes it, whose names are not known before a run
	text  string    // what the file calls it
	write string    // the value of an input
	task  *dag.Node // reads it
}

func (a nodeList) is(b nodeList) bool { return a.names == b.names && a.made == b.made }

// NodeLists finds the node lists of tasks.
type NodeLists struct {
	Roster    *cohort.Roster
	Dir       string            // of the pipeline
	Files     map[string]string // outputs of the cohort that are node lists of files, by their paths
	Decisions []string

	names map[string]string // in each list that was read, by the path of its file
	known map[*dag.Node][]nodeList
}

// Refuses is why a stage is refused whose own node list is another than that of its data, or that compares regions of
// several lists: a region has another number in each. A list that a stage makes is another one in a comparison, and is
// not held against that of the data, because its names are not known before a run.
func (f *NodeLists) Refuses(s *dag.StageNode) (all []error) {
	if ofUser(s) {
		return nil
	}
	if f.known == nil {
		f.known, f.names = map[*dag.Node][]nodeList{}, map[string]string{}
	}
	for _, n := range s.Tasks() {
		ranked := f.above(n, func(p *dag.Port) bool { return p.Name == "regions" })
		if err := f.refuses(n); len(ranked) > 1 {
			all = append(all, fmt.Errorf("regions are of several node lists (%s): connect those of one list%s, "+
				"or none: in: { regions: null }", texts(ranked), f.only(n, ranked[0])))
		} else if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// only is how the regions of the options that have a list are connected; "" where no decision chooses it.
func (f *NodeLists) only(n *dag.Node, list nodeList) string {
	options := f.options(list.task)
	for _, b := range n.Inputs() {
		if b.Port == "regions" && options != "" && b.Sources[0].Node != nil {
			return fmt.Sprintf(`, in: { regions: "%s[%s,*].%s" }`, b.Sources[0].Node.Stage().Name(),
				strings.ReplaceAll(options, ", ", ","), b.Sources[0].Output)
		}
	}
	return ""
}

// refuses is why the node list of a task and those of its data are not one.
func (f *NodeLists) refuses(n *dag.Node) error {
	known := func(all []nodeList) []nodeList {
		return slices.DeleteFunc(slices.Clone(all), func(list nodeList) bool { return list.made != "" })
	}
	own, has := f.own(n)
	if !has {
		may := slices.ContainsFunc(n.Instance().Ports().In, func(p dag.Port) bool { return p.Name == "nodes" })
		if data := known(f.above(n, ofRegions)); len(data) > 1 && !may && n.Stage().Kind().Name != "leakage" {
			return fmt.Errorf("its data have the regions of several node lists: %s: connect data of one list",
				texts(data))
		}
		return nil
	}
	data := known(f.data(n))
	name := n.Stage().Name()
	switch {
	case own.names == "" || len(data) == 0 || len(data) == 1 && data[0].is(own):
		return nil
	case len(data) > 1:
		remedy := fmt.Sprintf("write %s: { in: { nodes: null } }", name)
		if f.options(n) != "" {
			remedy += fmt.Sprintf(", and no option with %s.in.nodes", name)
		}
		return fmt.Errorf("its node list is %s, but its data have the regions of %s: %s; or connect data of one list",
			own.text, texts(data), remedy)
	}
	remedy := fmt.Sprintf("write %s: { in: { nodes: %s } }", name, data[0].write)
	if option := f.options(data[0].task); option != "" && f.options(n) != "" {
		remedy = fmt.Sprintf("write %s.in.nodes: %s in the option %s", name, data[0].write, option)
	} else if f.options(n) != "" {
		remedy += fmt.Sprintf(" (an option of a decision: %s.in.nodes: %s)", name, data[0].write)
	}
	return fmt.Errorf("its node list is %s, but its data have the regions of %s: connect the same list: %s",
		own.text, texts(data), remedy)
}

// options are the options of the decisions that a task is of.
func (f *NodeLists) options(n *dag.Node) string {
	var all []string
	for _, d := range f.Decisions {
		if value := column.ValueOn(n.Coords(), d); value != "" {
			all = append(all, d+"="+value)
		}
	}
	return strings.Join(all, ", ")
}

// ofUser reports whether a program of the user's runs, which may make other regions of those that it reads.
func ofUser(s *dag.StageNode) bool { return s.Kind().Name == "exec" }

// ofRegions reports whether an input has regions, by their numbers.
func ofRegions(p *dag.Port) bool {
	return p.Name != "nodes" && (slices.Contains(p.Type.Axes, "roi") || slices.Contains(p.Type.Columns, "index") ||
		slices.Contains(p.Type.Columns, "source") || p.Type.Format == "npz" ||
		p.Type.Format == "nifti" && (p.Name == "parcels" || p.Name == "labels"))
}

// data are the lists of the data of a task: of the inputs that have regions, or else of all. What a scan and its
// movement are (scan, cleaning) is the same for every list.
func (f *NodeLists) data(n *dag.Node) []nodeList {
	some := false
	all := f.above(n, func(p *dag.Port) bool {
		some = some || ofRegions(p)
		return ofRegions(p)
	})
	if some {
		return all
	}
	return f.above(n, func(p *dag.Port) bool { return p.Name != "nodes" })
}

// of are the lists of the data that a task gives.
func (f *NodeLists) of(n *dag.Node) []nodeList {
	if _, is := f.known[n]; is {
		return f.known[n]
	}
	f.known[n] = nil // in a cycle, which is refused elsewhere
	if ofUser(n.Stage()) {
		return nil
	}
	own, has := f.own(n)
	if f.known[n] = f.data(n); f.known[n] == nil && has && own.names+own.made != "" {
		f.known[n] = []nodeList{own}
	}
	return f.known[n]
}

// above are the lists of the data at some inputs; a leakage check gives leave, and no data.
func (f *NodeLists) above(n *dag.Node, has func(p *dag.Port) bool) (all []nodeList) {
	ports := n.Instance().Ports().In
	for _, b := range n.Inputs() {
		at := slices.IndexFunc(ports, func(p dag.Port) bool { return p.Name == b.Port })
		if at < 0 || !has(&ports[at]) {
			continue
		}
		for _, src := range b.Sources {
			if src.Node == nil || src.Node.Stage().Kind().Name == "leakage" {
				continue
			}
			for _, list := range f.of(src.Node) {
				if !slices.ContainsFunc(all, list.is) {
					all = append(all, list)
				}
			}
		}
	}
	return all
}

// own is the list at the input nodes, whose names are empty where they are not known before a run.
func (f *NodeLists) own(n *dag.Node) (list nodeList, has bool) {
	for _, b := range n.Inputs() {
		if b.Port != "nodes" {
			continue
		}
		list.task = n
		switch src := b.Sources[0]; {
		case src.Node == nil:
			list.names = f.namesIn(src.File, func() *encoding.Table { return tableOf(src) })
			list.text = userfile.NameIn(f.Dir, src.File)
			list.write = "{ file: " + list.text + " }"
		case src.Node.ID() != "cohort":
			list.text = src.Node.Stage().Name() + "." + src.Output
			list.made = f.options(src.Node) + " " + list.text
		case f.Roster == nil:
		case src.Output == "nodes":
			list.names = f.namesIn("", func() *encoding.Table { return f.Roster.Nodes })
			list.text, list.write = "cohort.nodes", "cohort.nodes"
		default:
			for path, output := range f.Files {
				if table, is := f.Roster.Extra[output].(*encoding.Table); is && output == src.Output {
					list.names = f.namesIn(path, func() *encoding.Table { return table })
					list.text = userfile.NameIn(f.Dir, path)
					list.write = "{ file: " + list.text + " }"
				}
			}
		}
		return list, true
	}
	return list, false
}

// namesIn are the names in the node list of a file, "" for the cohort's; empty without any.
func (f *NodeLists) namesIn(path string, read func() *encoding.Table) string {
	if known, is := f.names[path]; is {
		return known
	}
	text := ""
	if table := read(); table != nil {
		if names, err := table.Strings("name"); err == nil {
			text = fmt.Sprintf("%q", names)
		}
	}
	f.names[path] = text
	return text
}

// texts are what the file calls lists, and the stages that read them.
func texts(all []nodeList) string {
	called := lists.Map(all, func(list nodeList) string {
		return fmt.Sprintf("%s (stage %s)", list.text, list.task.Stage().Name())
	})
	slices.Sort(called)
	return words.Some(called, 4)
}
