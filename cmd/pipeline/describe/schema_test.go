package describe_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"prgnn/cmd/pipeline/describe"
	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
	"prgnn/stages/builtin"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text := need.Value(json.Marshal(describe.Schema()))(t)
	value := need.Value(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	need.NoError(t, c.AddResource("pipeline.json", value))
	return need.Value(c.Compile("pipeline.json"))(t)
}

// value is a YAML text as an editor's language server sees it: keys are texts.
func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	need.NoError(t, yaml.Unmarshal([]byte(text), &v))
	var texts func(any) any
	texts = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, one := range v {
				v[k] = texts(one)
			}
		case map[any]any:
			all := map[string]any{}
			for k, one := range v {
				name, ok := k.(string)
				if !ok {
					name = "null" // a port of summary
				}
				all[name] = texts(one)
			}
			return all
		case []any:
			for i := range v {
				v[i] = texts(v[i])
			}
		}
		return v
	}
	b := need.Value(json.Marshal(texts(v)))(t)
	return need.Value(jsonschema.UnmarshalJSON(bytes.NewReader(b)))(t)
}

// TestSchemaTakesFiles: every built-in pipeline and every example whose kinds the program has is valid.
func TestSchemaTakesFiles(t *testing.T) {
	s := schema(t)
	texts := map[string]string{}
	for _, name := range builtin.Names() {
		texts[name], _ = builtin.Text(name)
	}
	for _, pattern := range []string{"../../../examples/*.yaml", "../../../examples/*/*.yaml"} {
		for _, path := range need.Value(filepath.Glob(pattern))(t) {
			if !strings.Contains(path, "own-stage") && !strings.Contains(path, "new-kind") {
				texts[path] = string(need.Value(os.ReadFile(path))(t))
			}
		}
	}
	for name, text := range texts {
		if !strings.Contains(text, "stages:") {
			continue
		}
		if err := s.Validate(value(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(texts) < 15 {
		t.Errorf("only %d files", len(texts))
	}
}

// TestSchemaRefuses: each wrong file is refused at its place, the JSON pointer before it.
func TestSchemaRefuses(t *testing.T) {
	s, n := schema(t), 0
	text := string(need.Value(os.ReadFile("testdata/wrong.txt"))(t))
	for _, one := range strings.Split(text, "\n---\n") {
		place, file, _ := strings.Cut(strings.TrimSpace(one), "\n")
		n++
		err := s.Validate(value(t, file))
		var found []string
		var collect func(*jsonschema.ValidationError)
		collect = func(e *jsonschema.ValidationError) {
			found = append(found, "/"+strings.Join(e.InstanceLocation, "/"))
			for _, cause := range e.Causes {
				collect(cause)
			}
		}
		if e, ok := err.(*jsonschema.ValidationError); ok {
			collect(e)
		}
		if !slices.Contains(found, place) {
			t.Errorf("%s is not refused, but %q:\n%s", place, found, file)
		}
	}
	need.Equal(t, n, 31)
}
