package design

import (
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// everybody is whom tables of the cohort are of, in place of one participant.
const everybody = "*"

// together is the input by which a program of the user's takes participants together; "" where its result is of one
// participant, and of a kind of ours, which uses tables, files and gathered members as it says.
//
// A program could read anything, so each of its inputs counts that is not of the participant whose result it makes, and
// of nobody else: gathered members, another participant's result, the table of participants, folds, what other tasks
// made of them, and files that several participants share.
func (s *Study) together(n *dag.Node) string {
	holds := role.Ports(n.Instance(), role.Program)
	if _, fits := n.Instance().(role.Tester); fits && holds != nil {
		return "" // it gives its program the training participants of its fold, and no label of others (estimator)
	}
	if holds == nil && (s.own == nil || !s.own(n.Stage().Kind())) {
		return ""
	}
	who := subjectOf(n.Coords())
	for _, b := range n.Inputs() {
		if slices.Contains(holds, b.Port) {
			continue
		}
		for _, src := range b.Sources {
			if who = both(who, s.whose(n, b.Port, src)); who == everybody {
				return b.Port
			}
		}
	}
	return ""
}

// whose is the participant an input is of, everybody where it is of several, and "" of nobody.
func (s *Study) whose(n *dag.Node, port string, src dag.Source) string {
	if of := subjectOf(src.Coords); of != "" {
		return of
	}
	if src.Node == nil {
		return s.whoseFile(n, port, src.File)
	}
	if of := subjectOf(src.Node.Coords()); of != "" {
		return of
	}
	switch src.Node.Instance().(type) {
	case role.Divider:
		return everybody
	case role.Tester: // a fit, which is checked where it is used, or predictions, with labels
		if src.Output == "fitted" || src.Output == "model" {
			return ""
		}
		return everybody
	}
	switch src.Node.Stage().Name() {
	case "pipeline":
		return ""
	case "cohort":
		if src.Output == "nodes" || src.Output == "truth" {
			return ""
		}
		return everybody
	}
	who, known := s.madeOf[src.Node]
	if !known {
		for _, b := range src.Node.Inputs() {
			for _, in := range b.Sources {
				who = both(who, s.whose(src.Node, b.Port, in))
			}
		}
		if s.together(src.Node) != "" {
			who = "" // that task is named, and not those that read what it made
		}
		s.madeOf[src.Node] = who
	}
	return who
}

// whoseFile is the participant whose tasks alone read a file. One that others read, too, may be of everybody, unless it
// is a program or an image, such as an atlas.
func (s *Study) whoseFile(n *dag.Node, port, file string) string {
	name := strings.ToLower(filepath.Base(file))
	kind := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	if slices.Contains(programs, kind) || slices.Contains(images, kind) {
		return ""
	}
	if subjectOf(n.Coords()) == "" {
		return everybody
	}
	readers := s.readers[n.Stage()]
	if readers == nil {
		readers = map[[2]string]string{}
		for _, task := range n.Stage().Tasks() {
			for _, b := range task.Inputs() {
				for _, src := range b.Sources {
					if src.File != "" {
						at := [2]string{b.Port, src.File}
						readers[at] = both(readers[at], subjectOf(task.Coords()))
					}
				}
			}
		}
		s.readers[n.Stage()] = readers
	}
	return readers[[2]string{port, file}]
}

var (
	programs = []string{"", ".py", ".r", ".sh", ".bash", ".zsh", ".m", ".jl", ".pl", ".rb", ".js", ".go",
		".c", ".cpp", ".f90", ".awk", ".sed", ".exe", ".jar", ".so", ".whl", ".sif", ".simg"}
	images = []string{".nii", ".mgh", ".mgz", ".gii", ".annot", ".label"}
)

func subjectOf(coords []dag.Coord) string { return column.ValueOn(coords, "subject") }

// both are two sets of participants together.
func both(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return everybody
}
