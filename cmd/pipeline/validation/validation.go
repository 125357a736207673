// Package validation adds to a pipeline file the stages by which stored models are validated on its cohort, and reads
// their measures.
package validation

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/column"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

// Options are what is validated, and how.
type Options struct {
	Models   []string // files, and directories of them
	Allow    []string // differences from the training
	Positive string   // group; "" for that of the kind
	NewSite  string   // how sites are harmonized: inputs, controls; "": they are not
	Controls string   // column of the participants that has these controls
	Inputs   string   // the stage whose outputs the models take; "" for the only one
}

// The stages of a validation.
const (
	validated = "validation"
	printed   = "validation_text"
	paged     = "validation_page"
)

// Settings are the settings that add the validation and its text to a pipeline file with these settings, and remove the
// stages that they do not need; shown are those that add a page of their results, too.
func (o *Options) Settings(file string, sets []string) (run, shown []string, err error) {
	stages, dir, err := layer.Outline(file, sets)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{validated, printed, paged} {
		if slices.ContainsFunc(stages, func(s layer.Outlined) bool { return s.Name == name }) {
			return nil, nil, exit.Wrongf("%s has a stage %s, which pipeline run FILE --until %[2]s runs; to use this command, rename the stage", file, name)
		}
	}
	files, facts, err := o.files()
	if err != nil {
		return nil, nil, err
	}
	in, err := o.inputs(stages, file, facts)
	if err != nil {
		return nil, nil, err
	}
	var refs []string
	for _, path := range files {
		from, err := besideFile(dir, path)
		if err != nil {
			return nil, nil, err
		}
		refs = append(refs, "{ file: "+quoted(from)+" }")
	}
	with := []string{"allow: [" + strings.Join(lists.Map(o.Allow, quoted), ", ") + "]"}
	if o.Positive != "" {
		with = append(with, "positive: "+quoted(o.Positive))
	}
	if o.NewSite != "" {
		with = append(with, "harmonize: "+quoted(o.NewSite))
	}
	if o.Controls != "" {
		with = append(with, "controls: "+quoted(o.Controls))
	}
	in = append(in, "model: ["+strings.Join(refs, ", ")+"]", "nodes: cohort.nodes", "participants: cohort.participants")
	kind := "validate"
	if facts.Number {
		kind = "validate-regression"
		if o.Positive != "" {
			return nil, nil, exit.Wrongf("--positive is for models of groups, but these models predict a number; leave it out")
		}
	}
	run = []string{setting(validated, kind, in, with...)}
	needed, _, err := layer.Outline(file, slices.Concat(sets, run, []string{only(validated)}))
	if err != nil {
		return nil, nil, err
	}
	text := setting(printed, "summary", usualInputs("summary", needed))
	reported := setting(paged, page.Kind().Name, usualInputs(page.Kind().Name, needed), `title: "Validation of stored models"`)
	return append(slices.Clip(run), text, only(validated, printed)), append(run, reported, only(validated, paged)), nil
}

// Single refuses a file of which the models would take the outputs of several settings: a decision, or an axis of a
// matrix. They were trained on those of one.
func Single(p *pipelines.Pipeline) error {
	at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == validated })
	if at < 0 || len(p.Graph.Stages()[at].Tasks()) < 2 {
		return nil
	}
	stage := p.Graph.Stages()[at]
	var axes, decided, others []string
	for _, axis := range stage.Axes() {
		var values []string
		for _, n := range stage.Tasks() {
			if v := column.ValueOn(n.Coords(), axis); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		axes = append(axes, axis+": "+words.Some(values, 6))
		if slices.ContainsFunc(p.Universes.Decisions, func(d wiring.Decision) bool { return d.Name == axis }) {
			decided = append(decided, axis+": null")
		} else {
			others = append(others, axis)
		}
	}
	remedy := ""
	if decided != nil {
		remedy = "\n  decisions: { " + strings.Join(decided, ", ") + " }"
	}
	if others != nil {
		remedy += "\n  stages: # without the axis " + strings.Join(others, ", ") + " under matrix"
	}
	file := filepath.Base(p.File)
	return exit.Wrongf("%s makes %s for the models (%s), but these were trained on one of them; validate them on a file "+
		"that extends it and has the settings of their training under with (README.md beside the models lists them):\n"+
		"  extends: %[1]s%[4]s", file, words.Count(len(stage.Tasks()), "set of inputs"), strings.Join(axes, "; "), remedy)
}

// Of reports whether settings are those of a validation.
func Of(sets []string) bool {
	return slices.ContainsFunc(sets, func(set string) bool { return strings.HasPrefix(set, "stages."+validated+"=") })
}

// InWords is an error of a validation in terms of its command: who called that has no stage validation to write into.
func InWords(err error) string {
	switch e := err.(type) {
	case *words.Refusal:
		return e.In(flag)
	case interface{ Unwrap() []error }: // errors.Join
		return strings.Join(lists.Map(e.Unwrap(), InWords), "\n")
	case *tree.Mistake:
		switch here := strings.HasPrefix(e.Pos.File, layer.SetPlace+"stages."+validated+"="); {
		case here && e.Stage == validated:
			return InWords(e.Cause)
		case here:
			return e.Text
		}
	}
	return err.Error()
}

// flag is a setting of the validation as its command has it.
func flag(s words.Setting) string {
	text := "--" + s.Parameter
	if s.Values != nil {
		text += " " + strings.Join(s.Values, ",")
	} else if s.Lead != "" {
		text += " with its name"
	}
	if s.Lead != "" {
		return "add " + text
	}
	return text
}

// Reword puts the failure of a validation in terms of its command.
func Reword(errs []*engine.Error) {
	for _, e := range errs {
		if e.Task == validated {
			e.Pos, e.Err = dag.Pos{}, inWords{e.Err}
		}
	}
}

// inWords is an error of a validation whose text has the command's flags.
type inWords struct{ error }

func (e inWords) Error() string { return InWords(e.error) }
func (e inWords) Unwrap() error { return e.error }

// only is the setting that leaves these stages, and what they need.
func only(stages ...string) string { return "stages=[" + strings.Join(stages, ", ") + "]" }

// usualInputs connects the ports of a page to what they usually take, of the stages of a validation.
func usualInputs(kind string, stages []layer.Outlined) (in []string) {
	of, ok := dag.Lookup(kind)
	if !ok {
		return nil
	}
	for _, port := range of.New().Ports().In {
		usual := role.UsualOf(kind, port.Name)
		var refs []string
		for _, from := range usual.From {
			made, output, _ := strings.Cut(from, ".")
			if made == "cohort" || made == "pipeline" {
				refs = append(refs, from)
			}
			for _, s := range stages {
				switch {
				case s.Kind != made || s.FansOut && !port.Gather:
				case s.FansOut:
					refs = append(refs, quoted(s.Name+"[*]."+output))
				default:
					refs = append(refs, s.Name+"."+output)
				}
			}
			if refs != nil && !usual.All {
				break
			}
		}
		switch {
		case refs == nil:
		case usual.All && port.Gather:
			in = append(in, port.Name+": ["+strings.Join(refs, ", ")+"]")
		default:
			in = append(in, port.Name+": "+refs[0])
		}
	}
	return in
}

// setting adds a stage.
func setting(name, kind string, in []string, with ...string) string {
	return fmt.Sprintf("stages.%s={ use: %s, in: { %s }, with: { %s } }", name, kind, strings.Join(in, ", "),
		strings.Join(with, ", "))
}

// quoted is a text in YAML, in which no variable is read.
func quoted(s string) string { return strings.ReplaceAll(column.JSON(s), "${", "$${") }

// besideFile is a path as a pipeline file in dir has it.
func besideFile(dir, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if near, err := filepath.Rel(dir, path); err == nil {
		path = near
	}
	return filepath.ToSlash(path), nil
}

// files are the model files, and what is known of the models.
func (o *Options) files() (files []string, of export.ModelFacts, err error) {
	kinds := map[string][]string{} // their files
	var unfitted []string
	for _, path := range o.Models {
		found, card, digests, err := filesOf(path)
		if err != nil {
			return nil, of, err
		}
		for _, file := range found {
			if of, err = export.ReadModel(file); err != nil {
				return nil, of, exit.Wrong(fmt.Errorf("%s: %w", file, err))
			}
			if listed, there := digests[filepath.Base(file)]; there && listed != of.Content {
				return nil, of, exit.Wrongf("%s is not the file that %s lists: the digest of its content is %s, not %s; it may be of another training: copy the directory again, export the models again, %s",
					file, card, cmp.Or(of.Content, "not stated"), listed, orList)
			}
			if kinds[of.Model] = append(kinds[of.Model], file); !of.ComBat {
				unfitted = append(unfitted, file)
			}
		}
		files = append(files, found...)
	}
	if err := modelfile.OneKind(kinds); err != nil {
		return nil, of, exit.Wrong(err)
	}
	if o.NewSite != "" && unfitted != nil {
		return nil, of, exit.Wrongf("--harmonize %s: %s %s no ComBat fit, so a new site cannot be harmonized; leave out --harmonize if the matrices of the training were not harmonized, else connect combat's fitted to the input harmonized of the training and export the models again",
			o.NewSite, words.Some(unfitted, 4), map[bool]string{true: "has", false: "have"}[len(unfitted) == 1])
	}
	return files, of, nil
}

// orList is how models are validated that are not those of a card.
const orList = "or list the files to validate instead of the directory"

// filesOf are the model files of a directory, which are those of its card, where it has one with digests; of a file,
// itself.
func filesOf(path string) (files []string, card string, digests map[string]string, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, "", nil, nil // what is wrong is an error where it is read
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, "", nil, err
	}
	var names []string
	for _, e := range entries {
		if export.IsModelFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if card, digests, err = export.CardOf(path); err != nil {
		return nil, "", nil, err
	}
	missing, other := apart(slices.Sorted(maps.Keys(digests)), names), apart(names, slices.Collect(maps.Keys(digests)))
	files = lists.Map(names, func(name string) string { return filepath.Join(path, name) })
	switch {
	case digests != nil && missing != nil:
		return nil, "", nil, exit.Wrongf("%s lists %s, but %s %s missing in %s: copy the directory again, export the models again, %s", card,
			words.Count(len(digests), "model"), words.Some(missing, 4),
			map[bool]string{true: "is", false: "are"}[len(missing) == 1], path, orList)
	case digests != nil && other != nil:
		return nil, "", nil, exit.Wrongf("%s has model files that %s does not list: %s; remove them, %s", path, card, words.Some(other, 4), orList)
	case len(files) == 0 && settingsIn(path, entries) != nil:
		settings := settingsIn(path, entries)
		return nil, "", nil, exit.Wrongf("%s has models of %s, each in its own directory: %s; choose one, such as pipeline validate %s FILE", path,
			words.Count(len(settings), "setting"), words.Some(settings, 12), console.Shell(settings[0]))
	case len(files) == 0:
		return nil, "", nil, exit.Wrongf("%s has no model file (.npz); set the directory of one setting, which pipeline export FILE model writes", path)
	}
	return files, card, digests, nil
}

// settingsIn are the directories in a directory that have model files.
func settingsIn(path string, entries []os.DirEntry) (dirs []string) {
	for _, e := range entries {
		dir := filepath.Join(path, e.Name())
		of, _ := os.ReadDir(dir) // what cannot be read has no models
		if slices.ContainsFunc(of, func(e os.DirEntry) bool { return export.IsModelFile(e.Name()) }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// apart are the names that others do not have.
func apart(names, others []string) (only []string) {
	return lists.Keep(names, func(name string) bool { return !slices.Contains(others, name) })
}

// inputs connects what the models take, to the stage that usually makes it.
func (o *Options) inputs(stages []layer.Outlined, file string, of export.ModelFacts) (in []string, err error) {
	kind, ports := "baseline", [][2]string{{"matrices", "pearson"}, {"quality", "quality"}, {"cleaning", "cleaning"}}
	switch {
	case of.Graphs:
		kind, ports = "train", [][2]string{{"edges", "edges"}, {"features", "features"}, {"cleaning", "cleaning"}}
	case of.Series:
		kind, ports = "network", [][2]string{{"series", "series"}, {"cleaning", "cleaning"}}
	}
	for _, port := range ports {
		usual := role.UsualOf(kind, port[1])
		if port[1] == "cleaning" { // also for the motion of the cohort
			usual = role.UsualOf("validate", port[1])
		}
		var found []string
		for i, from := range slices.Concat(usual.From, usual.Rivals) {
			if o.Inputs == "" && len(found) > 0 && i < len(usual.From) {
				continue // of what is usual, the first
			}
			kind, output, _ := strings.Cut(from, ".")
			for _, s := range stages {
				switch {
				case s.Kind != kind || o.Inputs != "" && o.Inputs != s.Name:
				case o.NewSite == "" || kind != "harmonize":
					found = append(found, s.Name+"[*]."+outputOf(s.Kind, output, of.Measure))
				case o.Inputs != "": // else the models take what is before it
					return nil, exit.Wrongf("--inputs %s: its matrices are harmonized, but --harmonize %s harmonizes the matrices before it; leave out --inputs, or list the stage that makes those", o.Inputs, o.NewSite)
				}
			}
		}
		switch {
		case len(found) > 1:
			return nil, exit.Wrongf("the models may take %s; select one with --inputs STAGE", words.Some(found, 6))
		case len(found) == 1:
			in = append(in, port[0]+": "+quoted(found[0]))
		case port[0] == "quality", port[0] == "cleaning":
		case o.Inputs != "":
			return nil, exit.Wrongf("--inputs %s: no stage with this name makes the %s that the models take", o.Inputs, port[0])
		default:
			return nil, exit.Wrongf("%s has no stage that makes the %s that the models take; add the stages that made them in training, such as connectivity", file, port[0])
		}
	}
	return in, nil
}

// outputOf is the output of a kind that holds what the models were trained on, where it has several.
func outputOf(kind, output, measure string) string {
	k, known := dag.Lookup(kind)
	if output != "pearson" || !known || !slices.ContainsFunc(k.New().Ports().Out,
		func(p dag.Port) bool { return p.Name == measure }) {
		return output
	}
	return measure
}

// A measure of a validation.
type measure struct {
	Measure string   `json:"measure"`
	Value   *float64 `json:"value"` // null: cannot be estimated
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	N       int32    `json:"n"`
}

// Print prints the measures of a validation as JSON.
func Print(a *console.Console, c *results.Current) error {
	sel, err := results.Choose(c.Pipeline.Graph, validated+".measures")
	if err != nil {
		return err
	}
	got, err := c.Read(sel.Tasks[0], sel.Port)
	if err != nil {
		return err
	}
	known := func(x float64) *float64 {
		if x != x {
			return nil
		}
		return &x
	}
	rows, err := column.Rows[column.ValidationRow](got.Table)
	for _, r := range rows {
		a.Object("validation", measure{r.Measure, known(r.Value), known(r.Low), known(r.High), r.N})
	}
	return err
}
