package dag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/content"
	"prgnn/dag/recipe"
)

// A codeDigest is the content of one of the CodeFiles of a stage.
type codeDigest struct {
	CodeFile
	digest string
}

// contents begin the lines of recipes on files that are no inputs, but for those behind variables.
var contents = []string{"program", "file", "directory"}

// contentOf begins the value of a variable that names places of code.
const contentOf = "content "

// appendLine writes the line of a recipe.
func (c *codeDigest) appendLine(b []byte) []byte {
	b = append(append(append(append(b, c.What...), ' '), c.Name...), " = "...)
	if c.What == "environment" {
		b = append(b, contentOf...)
	}
	return append(b, c.digest...)
}

// planned has the digests of files for what has no run of its own: the check of a job on its machine, and recipes that
// are written to be compared.
var planned content.Digests

// codeFiles are what a stage reads beside its inputs.
func codeFiles(n *Node) []CodeFile {
	reader, ok := n.instance.(CodeReader)
	if !ok {
		return nil
	}
	all := reader.CodeFiles(func(port string) bool {
		return slices.ContainsFunc(n.inputs, func(b Binding) bool { return b.Port == port })
	})
	all = slices.DeleteFunc(all, func(c CodeFile) bool {
		return c.What != "environment" && !slices.ContainsFunc(c.Paths, func(path string) bool {
			return !content.Within(path, c.Except)
		})
	})
	for i := range all {
		all[i].Name = strings.Map(func(r rune) rune { // a recipe has one fact a line
			if r < ' ' {
				return '_'
			}
			return r
		}, all[i].Name)
	}
	return all
}

// codeDigests digests what a stage reads beside its inputs, once in a run.
func codeDigests(f *content.Digests, hash content.Hashing, n *Node) ([]codeDigest, error) {
	return digestAll(f, hash, codeFiles(n))
}

func digestAll(f *content.Digests, hash content.Hashing, files []CodeFile) ([]codeDigest, error) {
	var all []codeDigest
	for _, c := range files {
		digest, err := f.Code(hash, c.Paths, c.Except)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, codeDigest{c, digest})
	}
	return all, nil
}

// asNode is the task of a job, without its sources.
func (j *Job) asNode() *Node {
	n := &Node{stage: &StageNode{kind: j.Kind}, instance: j.Instance}
	for _, in := range j.Inputs {
		n.inputs = append(n.inputs, Binding{Port: in.Port})
	}
	return n
}

// errOutside is the remedy where files changed that a command reads by their paths.
var errOutside = errors.New("the result is not stored, since it may depend on either content: leave files that the command reads as they are while it runs; what the command itself writes belongs into its outputs, or into its own directory by a relative path")

// scratchRemedy is for what a command writes outside of its own directory.
const scratchRemedy = "files and directories that it writes and does not read as input, such as a cache, " +
	"are listed in its parameter scratch"

// exceptRemedy is the remedy where what changed is no input of the command, such as a cache; "" where programs changed.
func exceptRemedy(changed []CodeFile) string {
	var paths []string
	for _, c := range changed {
		switch {
		case c.What == "program":
			return ""
		case c.What == "environment" || c.Secret:
			paths = append(paths, "PATH")
		default:
			paths = append(paths, c.Paths...)
		}
	}
	if paths == nil {
		return ""
	}
	return fmt.Sprintf("; %s: [%s]", scratchRemedy, strings.Join(slices.Compact(paths), ", "))
}

// outsideChanged compares files that a stage read beside its inputs with the recipe of its job, which has their content
// as it was before. Files that the stage itself made there are new, and no part of either.
func (j *Job) outsideChanged(hash content.Hashing, files []CodeFile) error {
	var then []string
	for line := range strings.Lines(j.Recipe) {
		line = strings.TrimSuffix(line, "\n")
		f := recipe.ReadLine(line)
		if slices.Contains(contents, f.What) || f.What == "environment" && strings.HasPrefix(f.Value, contentOf) {
			then = append(then, line)
		}
	}
	now, err := digestAll(&content.Digests{}, hash, files)
	if err != nil {
		return err
	}
	var changed []string
	var other []CodeFile
	for _, c := range now {
		line := string(c.appendLine(nil))
		if at := slices.Index(then, line); at >= 0 {
			then = slices.Delete(then, at, at+1)
		} else {
			changed, other = append(changed, c.place()), append(other, c.CodeFile)
		}
	}
	for _, line := range then { // what was gone when the stage began
		f := recipe.ReadLine(line)
		if !slices.ContainsFunc(files, func(c CodeFile) bool { return c.What == f.What && c.Name == f.Name }) {
			changed = append(changed, f.What+" "+f.Name)
		}
	}
	if changed == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w%s", strings.Join(changed, ", "), artifacts.ErrChanged, errOutside,
		exceptRemedy(other))
}

// outsidePlace is where the files or programs lie in which two recipes of a task differ; "" where that is not certain.
func (r *runner) outsidePlace(i int32, d Difference) string {
	var places []string
	for _, c := range codeFiles(r.nodes[i]) {
		if c.What == d.What && c.Name == d.Name && !c.Secret {
			places = append(places, c.place())
		}
	}
	if len(places) != 1 {
		return ""
	}
	return places[0]
}

// place is where the files of a name lie, for a message.
func (c *CodeFile) place() string {
	if c.What == "environment" || c.Secret {
		return c.What + " " + c.Name
	}
	return strings.Join(c.Paths, ", ")
}
