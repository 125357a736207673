package dag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/content"
	"prgnn/dag/internal/line"
)

// A codeDigest is the digest of what a stage reads beside its inputs.
type codeDigest struct {
	content.Code
	digest string
}

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
func codeFiles(n *Node) []content.Code {
	return content.CodeOf(n.instance, func(port string) bool {
		return slices.ContainsFunc(n.inputs, func(b Binding) bool { return b.Port == port })
	})
}

// codeDigests digests what a stage reads beside its inputs, once in a run.
func codeDigests(f *content.Digests, hash content.Hashing, n *Node) ([]codeDigest, error) {
	return digestAll(f, hash, codeFiles(n))
}

func digestAll(f *content.Digests, hash content.Hashing, files []content.Code) ([]codeDigest, error) {
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
func exceptRemedy(changed []content.Code) string {
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
func (j *Job) outsideChanged(hash content.Hashing, files []content.Code) error {
	var then []string
	for text := range strings.Lines(j.Recipe) {
		text = strings.TrimSuffix(text, "\n")
		f := line.Read(text)
		if slices.Contains(line.Files, f.What) || f.What == "environment" && strings.HasPrefix(f.Value, contentOf) {
			then = append(then, text)
		}
	}
	now, err := digestAll(&content.Digests{}, hash, files)
	if err != nil {
		return err
	}
	var changed []string
	var other []content.Code
	for _, c := range now {
		if at := slices.Index(then, string(c.appendLine(nil))); at >= 0 {
			then = slices.Delete(then, at, at+1)
		} else {
			changed, other = append(changed, c.String()), append(other, c.Code)
		}
	}
	for _, text := range then { // what was gone when the stage began
		f := line.Read(text)
		if !slices.ContainsFunc(files, func(c content.Code) bool { return c.What == f.What && c.Name == f.Name }) {
			changed = append(changed, f.What+" "+f.Name)
		}
	}
	if changed == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w%s", strings.Join(changed, ", "), artifacts.ErrChanged, errOutside,
		exceptRemedy(other))
}
