package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/internal/line"
	"prgnn/dag/recipe"
)

// errOtherWork is the first line of a recipe that is another here than where the job was planned.
func errOtherWork(task, planned, here string) error {
	p, h := strings.Split(planned, "\n"), strings.Split(here, "\n")
	i := 0
	for i < len(p)-1 && i < len(h)-1 && p[i] == h[i] {
		i++
	}
	was, is := p[i], h[i]
	fact := func(text string) string {
		switch l := line.Read(text); l.What {
		case "code":
			return l.What
		case "environment", "program", "file", "directory", "value": // what follows are digests
			return l.What + " " + l.Name
		}
		return text
	}
	remedy := ""
	for _, text := range []string{was, is} {
		if what := line.Read(text).What; what == "file" || what == "directory" {
			remedy = "; if the command itself changed it: " + scratchRemedy
		}
	}
	if fact(was) == fact(is) {
		return fmt.Errorf("%s: not the planned work: %s differs here%s", task, strconv.Quote(fact(is)), remedy)
	}
	return fmt.Errorf("%s: not the planned work: %s here, %s where it was planned%s", task,
		strconv.Quote(fact(is)), strconv.Quote(fact(was)), remedy)
}

// planned has the digests of files for the check of a job on its machine.
var planned content.Digests

// work is what the recipe of a job is written from, as far as the job states it.
func (j *Job) work() *recipe.Task {
	t := &recipe.Task{Kind: j.Kind.Name, Stage: j.Instance}
	for _, in := range j.Inputs {
		t.Inputs = append(t.Inputs, dag.Binding{Port: in.Port})
	}
	return t
}

// Check reports whether this program would do the planned work: it writes the recipe again, as far as it follows from
// the kind and the parameters, the environment, and the files that are no inputs.
func (j *Job) Check() error {
	code, err := j.Kind.CodeDigest()
	if err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	t := j.work()
	t.Code = code
	if t.Outside, err = recipe.OutsideOf(&planned, content.HashFile, t.Stage, t.Inputs); err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	again := recipe.Append(nil, t, nil, nil)
	if !strings.HasPrefix(j.Recipe, string(again)) {
		return errOtherWork(j.Task, j.Recipe, string(again))
	}
	// What is left are the inputs, in the order of the ports.
	var given, promised []string
	for text := range strings.Lines(j.Recipe[len(again):]) {
		promised = append(promised, text[strings.LastIndexByte(text, ' ')+1:])
	}
	for _, in := range j.Inputs {
		given = append(given, in.Ref.Digest.String()+"\n")
	}
	slices.Sort(given)
	slices.Sort(promised)
	if !slices.Equal(given, promised) {
		return fmt.Errorf("%s: its inputs differ from those of its recipe", j.Task)
	}
	return nil
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
		if slices.Contains(line.Files, f.What) || f.What == "environment" && strings.HasPrefix(f.Value, line.Content) {
			then = append(then, text)
		}
	}
	now, err := recipe.Digest(&content.Digests{}, hash, files)
	if err != nil {
		return err
	}
	var changed []string
	var other []content.Code
	for _, c := range now {
		if at := slices.Index(then, c.Line()); at >= 0 {
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
