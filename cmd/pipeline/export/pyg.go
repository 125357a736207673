package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

// writePyG writes the graphs of all participants as plain arrays, from which a
// dataset for PyTorch Geometric (or anything else) is made without this program: a
// directory of npy files in the layout of torch_geometric.data.Batch, where the
// graphs stand one after the other. docs/python.md has the loader.
//
//	edge_index.npy  <i8 [2, entries]     both directions of each edge; nodes count from 0 within their graph
//	edge_attr.npy   <f8 [entries, 1]     weight
//	edge_ptr.npy    <i8 [graphs + 1]     the entries of graph g are edge_ptr[g] … edge_ptr[g+1]
//	x.npy           <f8 [graphs, roi, feature]
//	y.npy           <i8 [graphs]         the group's place in the list "groups" of dataset.json; −1 when not known
//	draw.npy        <i8 [graphs]         0 is the plain mean
//	subject.npy     <i8 [graphs]         the place in the list "participants" of dataset.json
//	session.npy     <i8 [graphs]         of combined sessions: the place in the list "sessions"; −1 for the mean
//	scan_draw.npy   <i8 [graphs]         likewise: the draw of that session; 0 is itself
//	dataset.json    names, units and where it comes from
//
// The graphs are those of the draws that the trainings on them use: all random ones by default, and not draw 0. Without
// a training, and with --draws, they are those of all draws.
func (x *job) writePyG(sel *results.Selection, tasks []*dag.Node) error {
	ports := map[string]dag.Port{}
	for _, p := range tasks[0].Instance().Ports().Out {
		ports[p.Name] = p
	}
	if !isEdges(ports["edges"].Type) || !lastAxes(ports["features"].Type, "roi", "feature") ||
		len(tasks[0].Coords()) != 1 || tasks[0].Coords()[0].Axis != "subject" {
		return exit.Wrongf("pyg is for graphs: a stage with the outputs edges and features, one task a participant")
	}
	d := &pygData{edgePtr: []int64{0}, used: map[int]bool{}}
	trainings := x.trainings(sel.Stage)
	side := pygJSON{Pipeline: x.Pipeline.Name, Stage: sel.Stage.Name(), Groups: []string{},
		Participants: []string{}, Regions: []string{}}
	groups, err := x.Groups()
	if err != nil {
		return err
	}
	numbers := map[string]int64{"": -1}
	for _, g := range slices.Compact(slices.Sorted(maps.Values(groups))) {
		numbers[g] = int64(len(side.Groups))
		side.Groups = append(side.Groups, g)
	}
	for i, n := range tasks {
		subject := n.Coords()[0].Value
		side.Participants = append(side.Participants, subject)
		scans, err := x.scanDraws(n)
		if err == nil {
			err = d.add(x.Current, n, ports, trainings, int64(i), numbers[groups[subject]], scans)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", n.ID(), err)
		}
	}
	side.Sessions = d.number()
	if x.Pipeline.Roster != nil {
		side.Regions = nodeNames(x.Pipeline.Roster, d.nodes)
	}
	for _, n := range trainings {
		if name := n.Stage().Name(); !slices.Contains(side.DrawsOf, name) {
			side.DrawsOf = append(side.DrawsOf, name)
		}
	}
	if side.DrawsOf != nil && len(d.used) < d.of {
		x.Note("%s, as %s; --draws adds the others", fold.GraphsText(slices.Sorted(maps.Keys(d.used)), d.of),
			words.Some(side.DrawsOf, 6))
	}
	side.Edges, side.Features = x.origins("edges", tasks), x.origins("features", tasks)
	arrays, about := d.arrays(), filepath.Join(x.Path, "dataset.json")
	earlier := func(string) bool {
		var was pygJSON
		text, err := regular.ReadFile(about)
		return err == nil && json.Unmarshal(text, &was) == nil && was.Edges != nil
	}
	paths := []string{about}
	for name := range arrays {
		paths = append(paths, filepath.Join(x.Path, name+".npy"))
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := x.MayReplace(path, "of an earlier export of graphs", earlier); err != nil {
			return err
		}
	}
	b, err := words.JSON(side)
	if err != nil {
		return err
	}
	return x.together(x.Path, func() error {
		for name, array := range arrays {
			if err := x.batch.Write(filepath.Join(x.Path, name+".npy"), array.Encode); err != nil {
				return err
			}
		}
		return x.batch.Write(about, console.Content(b))
	})
}

// A pygJSON says what the arrays mean.
type pygJSON struct {
	Pipeline     string   `json:"pipeline"`
	Stage        string   `json:"stage"`
	Groups       []string `json:"groups"`
	Participants []string `json:"participants"`
	Sessions     []string `json:"sessions,omitempty"` // that were combined, or runs
	Regions      []string `json:"regions"`
	DrawsOf      []string `json:"draws_of,omitempty"` // the stages whose trainings use these draws; none: all draws
	Edges        []origin `json:"edges"`
	Features     []origin `json:"features"`
}

// trainings are the tasks that train on graphs of a stage; none with --draws.
func (x *job) trainings(graphs *dag.StageNode) (all []*dag.Node) {
	for n := range x.Pipeline.Graph.Tasks() {
		if _, ok := n.Instance().(role.Trainer); !ok || x.Draws {
			continue
		}
		for src := range n.Upstream() {
			if src.Node.Stage() == graphs && src.Output == "edges" {
				all = append(all, n)
				break
			}
		}
	}
	return all
}

// drawsOf reports of each draw whether a training uses it.
func drawsOf(trainings []*dag.Node, draws int, of string) ([]bool, error) {
	used := make([]bool, draws)
	for _, n := range trainings {
		numbers, err := n.Instance().(role.Trainer).Numbers(draws, of)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.ID(), err)
		}
		for _, d := range numbers {
			used[d] = true
		}
	}
	for d := range used {
		used[d] = used[d] || trainings == nil
	}
	return used, nil
}

type pygData struct {
	from, to []int64 // of edge_index
	weight   []float64
	edgePtr  []int64
	x        []float64
	y        []int64
	draw     []int64
	subject  []int64
	scans    []scanDraw // of each graph; without a session for the mean
	session  []int64    // nil where no sessions were combined
	nodes    int
	features int
	used     map[int]bool // draws of any participant
	of       int          // how many draws there are
}

// add appends the graphs of a participant.
func (d *pygData) add(c *results.Current, n *dag.Node, ports map[string]dag.Port, trainings []*dag.Node,
	subject, group int64, scans map[int]scanDraw) error {
	edges, err := c.Read(n, ports["edges"])
	if err != nil {
		return err
	}
	features, err := c.Read(n, ports["features"])
	if err != nil {
		return err
	}
	shape := features.Array.Shape // draw, roi, feature
	if d.nodes == 0 {
		d.nodes, d.features = shape[1], shape[2]
	}
	if shape[1] != d.nodes || shape[2] != d.features {
		return fmt.Errorf("its features are %v, but those of the first participant [draw, %d, %d]", shape, d.nodes, d.features)
	}
	rows, err := column.Rows[column.EdgeRow](edges.Table)
	if err != nil {
		return err
	}
	used, err := drawsOf(trainings, shape[0], n.ID())
	if err != nil {
		return err
	}
	d.of = max(d.of, shape[0])
	values, size := features.Array.Float64s(), shape[1]*shape[2]
	at := 0 // edges are sorted by draw
	for draw := range int64(shape[0]) {
		for ; at < len(rows) && int64(rows[at].Draw) == draw; at++ {
			if !used[draw] {
				continue
			}
			s, e := int64(rows[at].Source-1), int64(rows[at].Target-1)
			d.from, d.to = append(d.from, s, e), append(d.to, e, s)
			d.weight = append(d.weight, rows[at].Weight, rows[at].Weight)
		}
		if !used[draw] {
			continue
		}
		d.used[int(draw)] = true
		d.x = append(d.x, values[int(draw)*size:(int(draw)+1)*size]...)
		d.edgePtr = append(d.edgePtr, int64(len(d.from)))
		d.y, d.draw, d.subject = append(d.y, group), append(d.draw, draw), append(d.subject, subject)
		d.scans = append(d.scans, scans[int(draw)])
	}
	if at != len(rows) {
		return fmt.Errorf("its edges are not sorted by draw, or belong to draws without features")
	}
	return nil
}

// number numbers the combined sessions, and lists them.
func (d *pygData) number() []string {
	names := lists.Map(d.scans, func(s scanDraw) string { return s.coord.Value })
	sessions := slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return name == "" }))))
	if len(sessions) > 0 {
		d.session = lists.Map(names, func(name string) int64 { return int64(slices.Index(sessions, name)) })
	}
	return sessions
}

func (d *pygData) arrays() map[string]*encoding.Array {
	graphs, entries := len(d.y), len(d.from)
	all := map[string]*encoding.Array{
		"edge_index": encoding.NewArray(append(append([]int64{}, d.from...), d.to...), 2, entries),
		"edge_attr":  encoding.NewArray(d.weight, entries, 1),
		"edge_ptr":   encoding.NewArray(d.edgePtr, graphs+1),
		"x":          encoding.NewArray(d.x, graphs, d.nodes, d.features),
		"y":          encoding.NewArray(d.y, graphs),
		"draw":       encoding.NewArray(d.draw, graphs),
		"subject":    encoding.NewArray(d.subject, graphs),
	}
	if d.session != nil {
		all["session"] = encoding.NewArray(d.session, graphs)
		of := lists.Map(d.scans, func(s scanDraw) int64 { return int64(s.draw) })
		all["scan_draw"] = encoding.NewArray(of, graphs)
	}
	return all
}
