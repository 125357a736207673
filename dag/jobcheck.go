package dag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag/content"
	"prgnn/dag/internal/line"
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

// Check reports whether this program would do the planned work: it writes the recipe again, as far as it follows from
// the kind and the parameters, the environment, and the files that are no inputs.
func (j *Job) Check() error {
	code, err := j.Kind.CodeDigest()
	if err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	n := j.asNode()
	outside, err := codeDigests(&planned, content.HashFile, n)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Task, err)
	}
	again := appendRecipe(nil, code, outside, n, nil, nil)
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
