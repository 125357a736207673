package precheck

import (
	"fmt"
	"io"
	"os"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/machine"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/design"
	"prgnn/stages/cohort"
	"prgnn/stages/role"
)

// A sharedImage is a label image that the tasks of several participants have.
type sharedImage struct {
	task *dag.Node // the first
	ids  map[string]bool
}

// Labels are the mistakes in label images that several participants share, which are the fault of none of them. An
// image of one participant alone is the matter of its tasks.
func Labels(r *cohort.Roster, s *dag.StageNode) (mistakes []error) {
	shared := map[string]*sharedImage{}
	var order []*sharedImage
	people := map[string]bool{}
	for _, n := range s.Tasks() {
		if _, ok := n.Instance().(role.Labeler); !ok {
			return nil
		}
		id, path := design.Coord(n.Coords(), "subject"), fileOf(n, "labels")
		if people[id] = true; id == "" || path == "" {
			continue
		}
		file, err := regular.Identity(path)
		if err != nil { // the task reports it
			continue
		}
		key := fmt.Sprint(file, moved(n), n.Instance())
		image := shared[key]
		if image == nil {
			image = &sharedImage{n, map[string]bool{}}
			shared[key], order = image, append(order, image)
		}
		image.ids[id] = true
	}
	reported := map[string]bool{} // by another task of each participant
	for _, image := range order {
		if len(image.ids) < 2 {
			continue
		}
		err := image.refused(r, words.Count(len(people), "participant"), len(people))
		if err != nil && !machine.Caused(err) && !reported[err.Error()] {
			reported[err.Error()] = true
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// refused is why the image cannot be laid over the scans of its participants, who are some of all.
func (i *sharedImage) refused(r *cohort.Roster, all string, n int) error {
	if !moved(i.task) {
		if err := r.OneImage(fileOf(i.task, "labels"), i.ids); err != nil {
			return err
		}
	}
	files := map[string]dag.Input{}
	for _, b := range i.task.Inputs() {
		switch source := b.Sources[0]; {
		case source.File != "":
			input, err := fileInput(source)
			if err != nil {
				return nil // the tasks report it
			}
			input.Name = source.File
			files[b.Port] = input
		case b.Port == "nodes" && source.Node.ID() == "cohort" && source.Output == "nodes":
			files[b.Port] = dag.InputOf(r.Nodes)
		}
	}
	if _, known := files["nodes"]; !known { // a stage makes them
		return nil
	}
	who := fmt.Sprintf("%d of %s", len(i.ids), all)
	if len(i.ids) == n {
		who = "all " + all
	}
	if err := i.task.Instance().(role.Labeler).RefusesLabels(files); err != nil {
		return fmt.Errorf("the label image of %s: %w", who, err)
	}
	return nil
}

// moved reports whether a transform takes the labels of a task to its scan.
func moved(n *dag.Node) bool {
	has := connected(n)
	return has("transform") || has("warp")
}

// fileOf is the file of a task's input; "" where another stage makes it.
func fileOf(n *dag.Node, port string) string {
	if from := design.Sources(n, port); len(from) == 1 {
		return from[0].File
	}
	return ""
}

// fileInput is a file of the user's as an input.
func fileInput(source dag.Source) (dag.Input, error) {
	info, err := os.Stat(source.File)
	if err != nil {
		return dag.Input{}, err
	}
	return dag.Input{Name: source.Name, Path: source.File,
		Ref:    artifacts.Ref{Size: info.Size(), Format: source.Format},
		Reader: func() (io.ReadCloser, error) { return os.Open(source.File) }}, nil
}
