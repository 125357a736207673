package modelfile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// An Origin states what made a model. It is in model.json of a file that was exported to travel, and in no result: the
// version of the program is not part of results.
type Origin struct {
	Program    string            `json:"program"` // version
	Kind       string            `json:"kind"`
	Parameters map[string]string `json:"parameters"` // all of them, with the seed
	Task       string            `json:"task"`
	Key        string            `json:"key"`    // of the task
	Digest     string            `json:"digest"` // of the stored file
}

// Facts are what the file of any model states.
type Facts struct {
	Header
	Training Training `json:"training"`
	Inputs   struct { // of graphs, or of matrices
		Port    string   `json:"matrices"` // as Form.Port; "" for graphs
		Nodes   int      `json:"nodes"`
		Regions int      `json:"regions"`  // of graphs: nodes and regions that are left out; 0: as nodes
		LeftOut []int    `json:"left_out"` // regions, from 1
		Names   []string `json:"names"`    // of the regions
		Made    string   `json:"made"`
		Holds   string   `json:"holds"` // of matrices and series, as Matrices.Holds
	} `json:"-"`
	Fitted struct {
		Kind string `json:"kind"`
	} `json:"fitted"`
	Removed    *Removed    `json:"removed"`    // from the matrices
	Harmonized *Harmonized `json:"harmonized"` // by this fit
}

// HasData reports whether the file has matrices of training participants: support vectors.
func (f *Facts) HasData() bool { return f.Fitted.Kind == "kernel" }

// ReadFacts reads model.json of a file that may come from anywhere.
func ReadFacts(b []byte) (*Facts, error) {
	_, about, err := Unpack(b)
	if err != nil {
		return nil, err
	}
	f := &Facts{}
	if err := Decode(about, f); err != nil {
		return nil, err
	}
	part := struct {
		Graphs   *json.RawMessage `json:"graphs"`
		Matrices *json.RawMessage `json:"matrices"`
	}{}
	if err := Decode(about, &part); err != nil {
		return nil, err
	}
	of := part.Matrices
	if part.Graphs != nil {
		of = part.Graphs
	}
	if of == nil {
		return nil, errors.New("model.json describes no inputs: is it a trained model?")
	}
	if err := Decode(*of, &f.Inputs); err != nil {
		return nil, err
	}
	return f, f.Check()
}

// Refuses is why the file of a model cannot be applied where the ports that has reports are connected, and a number or
// groups are expected.
func Refuses(file []byte, has func(port string) bool, number bool) error {
	f, err := ReadFacts(file)
	if err != nil {
		return err
	}
	takes := map[string][2]string{"": {"edges", "graphs: connect edges and features"},
		"series": {"series", "time series: connect series"}}
	of, other := takes[f.Inputs.Port]
	if !other {
		of = [2]string{"matrices", "matrices: connect matrices"}
	}
	if !has(of[0]) {
		return fmt.Errorf("it is a model of %s", of[1])
	}
	return f.Expects(number)
}

// OneKind refuses models of several kinds, whose mean is tested nowhere; files has those of each kind.
func OneKind(files map[string][]string) error {
	if len(files) < 2 {
		return nil
	}
	each := lists.Map(slices.Sorted(maps.Keys(files)), func(kind string) string {
		return fmt.Sprintf("%s (%s)", kind, words.Some(files[kind], 2))
	})
	return fmt.Errorf("these models are of several kinds, %s, and their mean is not tested; list models of one kind",
		strings.Join(each, ", "))
}

// RefusesKinds is OneKind before a run, of files by their numbers among those of the input model.
func RefusesKinds(files [][]byte) []error {
	kinds := map[string][]string{}
	for i, b := range files {
		if f, err := ReadFacts(b); err == nil { // a file that cannot be read has its own error
			kinds[f.Model] = append(kinds[f.Model], fmt.Sprintf("file %d", i+1))
		}
	}
	if err := OneKind(kinds); err != nil {
		return []error{fmt.Errorf("model: %w", err)}
	}
	return nil
}

// AllowUnnamed accepts models without names of regions for participants with names.
const AllowUnnamed = "names"

// Differences are the names under which allow accepts differences that are none of a parameter.
func Differences(has func(port string) bool) []string {
	of := dataKeys()
	if has("edges") { // how graphs were made has what they were made of
		of = []string{"edges", "features"}
	}
	return slices.Concat([]string{"regions", AllowUnnamed}, of)
}

// NotMade refuses names under allow in which no inputs can differ from those of the models in some files: they are
// neither others nor parameters of what made the inputs of the training; may reports whether they are of what makes the
// new ones. A file that cannot be read has its own error.
func NotMade(files [][]byte, allow []string, may func(name string) bool, others ...string) []error {
	var made []string
	for _, b := range files {
		if f, err := ReadFacts(b); err == nil {
			made = append(made, f.Inputs.Made)
		}
	}
	return column.NotMade(slices.DeleteFunc(slices.Clone(allow), may), made, others...)
}

// Expects refuses a model of groups where one of a number is expected, and the other way round.
func (h *Header) Expects(number bool) error {
	switch {
	case number && h.Target == nil:
		return errors.New("it predicts groups, but models of a number are expected here")
	case !number && h.Target != nil:
		return errors.New("it predicts a number, but models of groups are expected here")
	}
	return nil
}

// atContent is the end of model.json from its digest on.
var atContent = regexp.MustCompile(`,?\s*"content": "[0-9a-f]{64}"\s*\}\s*$`)

// WithOrigin is a file with its origin, and what is stated of its study, in model.json. All arrays are the same.
func WithOrigin(b []byte, o Origin, of Study) ([]byte, error) {
	read, about, err := Unpack(b)
	if err != nil {
		return nil, err
	}
	origin, err := json.MarshalIndent(o, " ", " ")
	if err != nil {
		return nil, err
	}
	study, err := json.MarshalIndent(of, " ", " ")
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	arrays := listed(read)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if f.Name != aboutName {
			if err := w.Copy(f); err != nil {
				return nil, err
			}
			continue
		}
		text := strings.TrimSuffix(strings.TrimSpace(atContent.ReplaceAllString(string(about), "}")), "}")
		if err := addAbout(w, fmt.Sprintf("%s,\n \"origin\": %s,\n \"study\": %s\n}", strings.TrimRight(text, "\n"),
			origin, study), arrays); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}
