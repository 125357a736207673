package pipelines

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/pipelines/precheck"
	"prgnn/pipelines/wiring"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/userfile"
)

// userFile connects {file: PATH}. For a port that gathers, PATH may be a directory.
func (l *loader) userFile(s *stage, p *dag.Port, r ref, where string) (*source, bool) {
	src := &source{ref: r}
	open := r.file.Open()
	for _, name := range open {
		for i := range s.axes {
			s.axes[i].used = s.axes[i].used || s.axes[i].name == name
		}
	}
	l.places.add(r.file, param.PlaceAlways)
	n := s.members
	if len(open) == 0 {
		n = min(n, 1)
	}
	if len(open) > 0 && !l.fits(s, r.file.Pos, float64(n), len(l.dir)+width(r.file, s)) {
		return src, false
	}
	missing := 0
	for m := range n {
		name, isText := r.file.Fill(func(axis string) (any, string) { return s.coordinate(m, axis) }).(string)
		if !isText {
			name = fmt.Sprint(r.file.Value)
		}
		path, err := filepath.Abs(filepath.FromSlash(name))
		if !filepath.IsAbs(name) {
			path, err = filepath.Abs(filepath.Join(l.dir, filepath.FromSlash(name)))
		}
		var files []dag.Source
		if err == nil {
			var info os.FileInfo
			switch info, err = os.Stat(path); {
			case err != nil:
			case info.IsDir() && p.Gather:
				files, err = wiring.FilesIn(path, l.places.name(r.file, name), p.Type.Format)
			case regular.Otherwise(info) != "":
				err = &regular.Error{Path: path, What: regular.Otherwise(info)}
			default:
				files = []dag.Source{{File: path, Name: l.places.name(r.file, name),
					Format: cmp.Or(p.Type.Format, userfile.FormatOf(r.text))}}
			}
		}
		if _, link := os.Readlink(path); os.IsNotExist(err) && link == nil {
			err = foreign.Missing(path, err)
		} else if os.IsNotExist(err) {
			err = fmt.Errorf("there is no file %s", path)
		}
		if err != nil {
			_, id := s.coordinate(m, "subject")
			err = wiring.WithoutPrefix(path, id, err)
			if missing++; missing == 1 {
				l.bad.Add(r.file.Pos, "%s: %v", where, err)
			}
		}
		src.files = append(src.files, files)
	}
	return src, missing == 0
}

// listOf reports whether a file of the user's at a port is a node list that a cohort would read: any but an Arrow
// table.
func (l *loader) listOf(p *dag.Port, r ref) bool {
	return l.roster != nil && p.Name == "nodes" && p.Type.Format == "arrow" && len(p.Type.Columns) > 0 &&
		userfile.FormatOf(r.text) != "arrow"
}

// nodeList connects {file: PATH} of a node list, which becomes a value of the cohort as its own list is: in the space
// of its scans.
func (l *loader) nodeList(s *stage, p *dag.Port, r ref, where string, only []bool) (*source, bool) {
	l.places.add(r.file, param.PlaceAlways)
	if open := r.file.Open(); open != nil {
		l.bad.Add(r.file.Pos, "%s: a node list is the same for all participants, and has no ${%s}", where, open[0])
		return nil, false
	}
	path, err := filepath.Abs(userfile.Within(l.dir, r.text))
	name, known := l.lists[path]
	if err == nil && !known {
		err = l.readList(path)
		name = l.lists[path]
	}
	if err != nil {
		l.bad.Add(r.file.Pos, "%s: %s", where, strings.TrimPrefix(err.Error(), "nodes: "))
		return nil, false
	}
	src := &source{ref: r, producer: l.producers["cohort"][0], output: name, only: only}
	return src, l.matchAxes(s, p, src, where)
}

// readList reads a node list into the cohort, as the output nodes_NAME of its file.
func (l *loader) readList(path string) error {
	nodes, err := cohort.FindNodes(path, l.dir)
	if err != nil {
		return err
	}
	table := cohort.NodesTable(nodes, "")
	if l.roster.Nodes != nil {
		table.Meta = l.roster.Nodes.Meta
	}
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	name := "nodes_" + notInNames.ReplaceAllString(base, "_")
	for l.roster.Extra[name] != nil { // another file of this name
		name += "_"
	}
	l.roster.Extra = maps.Clone(l.roster.Extra)
	if l.roster.Extra == nil {
		l.roster.Extra = map[string]artifacts.Value{}
	}
	l.roster.Extra[name], l.lists[path] = table, name
	return l.renewCohort()
}

// refuseLists refuses stages whose node lists are not those of their data.
func (l *loader) refuseLists(g *dag.Graph) {
	found := &precheck.NodeLists{Roster: l.roster, Dir: l.dir, Files: l.lists,
		Decisions: lists.Map(l.universes.Decisions, func(d wiring.Decision) string { return d.Name })}
	for _, s := range g.Stages() {
		said := map[string]bool{}
		for _, err := range found.Refuses(s) {
			l.once(said, s.Pos(), s.Name(), err)
		}
	}
}

var notInNames = pattern.New(`[^A-Za-z0-9_]`)
