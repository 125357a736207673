package describe

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// An object is a JSON object.
type object = map[string]any

// EditorsLine is the comment from which editors find the schema beside a pipeline file.
const EditorsLine = "# yaml-language-server: $schema=./" + SchemaFile + "\n"

// SchemaFile is the name of the schema beside pipeline files.
const SchemaFile = "pipeline.schema.json"

var (
	variable  = object{"type": "string", "pattern": `\$\{[^}]+\}`} // ${name}, also inside a text
	reference = object{"anyOf": []any{object{"type": "string"},
		object{"type": "object", "properties": object{"file": object{"type": "string"}}, "required": []any{"file"},
			"additionalProperties": false}}}
)

// IsSchema reports whether a text is a schema that this program wrote.
func IsSchema(text []byte) bool { return bytes.Contains(text, []byte(`"urn:prgnn:pipeline:`)) }

// PrintSchema writes the schema to stdout.
func PrintSchema(a *console.Console) error {
	text, err := words.JSON(Schema())
	if err != nil {
		return err
	}
	return a.Bytes(console.Content(text))
}

// InstallSchema writes the schema into a directory, over an earlier one.
func InstallSchema(a *console.Console, dir string) error {
	path := filepath.Join(dir, SchemaFile)
	if err := a.MayReplace(path, "a schema of this command", console.Holds(IsSchema)); err != nil {
		return err
	}
	text, err := words.JSON(Schema())
	if err != nil {
		return err
	}
	if err := a.WriteFile(path, console.Content(text)); err != nil {
		return err
	}
	a.Note("wrote %s", path)
	return nil
}

// Schema is the JSON Schema (draft 2020-12) of pipeline files, of the kinds of this program. What it cannot state, such
// as references that exist and formats that fit, plan checks.
func Schema() any {
	defs := object{
		"references": object{"anyOf": []any{reference, object{"type": "array", "items": reference},
			object{"type": "null"}}},
		"exclude": object{"anyOf": []any{object{"type": []any{"string", "null"}}, object{"type": "object"},
			object{"type": "array", "items": object{"type": []any{"string", "number", "object"}}}}},
	}
	names := lists.Map(dag.Kinds(), func(k *dag.Kind) string { return k.Name })
	slices.Sort(names)
	var kinds []any
	for _, k := range dag.Kinds() {
		described := kindJSON(k)
		ports := object{}
		for _, p := range described.In {
			ports[p.Name] = object{"description": p.Doc, "$ref": "#/$defs/references"}
		}
		in := object{"type": []any{"object", "null"}, "properties": ports, "additionalProperties": false}
		if k.Name == "exec" { // whose command has the inputs that it lists
			in["additionalProperties"] = object{"$ref": "#/$defs/references"}
		}
		defs["kind-"+k.Name] = object{"properties": object{"with": parameters(described.Parameters), "in": in}}
		kinds = append(kinds, object{
			"if":   object{"properties": object{"use": object{"const": k.Name}}, "required": []any{"use"}},
			"then": object{"$ref": "#/$defs/kind-" + k.Name}})
	}
	open := object{"type": []any{"object", "null"}}
	defs["stage"] = object{"type": []any{"object", "null"}, "additionalProperties": false, "allOf": kinds,
		"properties": object{
			"use":  object{"description": "the kind of the stage", "enum": names},
			"each": object{"type": []any{"string", "null"}, "description": "one task for each: subject, run, session, or the axis of the rows"},
			"in":   open,
			"with": open,
			"connect": object{"enum": []any{"required", nil},
				"description": "required leaves the optional inputs open that are not in in"},
			"matrix": object{"type": []any{"object", "null"}, "description": "one task for each combination of values"},
			"resources": object{"type": []any{"object", "null"},
				"description": "resources of a task; changing them runs nothing again"},
		}}
	sources := object{"exclude": object{"$ref": "#/$defs/exclude"},
		"limit": object{"anyOf": []any{object{"type": "integer", "minimum": 1}, variable, object{"type": "null"}}}}
	for _, c := range cohort.Kinds() {
		described := cohortJSON(c)
		s := parameters(described.Parameters)
		s["description"], _, _ = strings.Cut(described.Doc, "\n")
		sources[c.Name] = s
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "urn:prgnn:pipeline:" + version.Number,
		"title":   "pipeline file", "type": "object", "additionalProperties": false,
		"properties": object{
			"extends":  object{"type": "string", "description": "a file in the same directory, or a built-in pipeline"},
			"pipeline": object{"type": "string", "minLength": 1},
			"seed":     object{"anyOf": []any{object{"type": "integer"}, variable, object{"type": "null"}}},
			"vars":     open,
			"connect": object{"enum": []any{"usual", nil},
				"description": "usual connects optional inputs, too, to what they usually take"},
			"decisions": object{"type": []any{"object", "null"},
				"description": "choices of the analysis: DECISION: { OPTION: { STAGE.PARAMETER: value } }; not, sample"},
			"study": object{"type": []any{"object", "null"}, "additionalProperties": false, "properties": statements(),
				"description": "what the authors state, for the report and its checklists"},
			"cohort": object{"type": []any{"object", "null"}, "properties": sources, "additionalProperties": false},
			"stages": object{"type": []any{"object", "null"}, "additionalProperties": object{
				"$ref": "#/$defs/stage"}},
		},
		"if": object{"not": object{"required": []any{"extends"}}},
		"then": object{"required": []any{"stages"}, "properties": object{"stages": object{
			"additionalProperties": object{"type": "object", "required": []any{"use"}}}}},
		"$defs": defs,
	}
}

// statements are the keys under study.
func statements() object {
	properties := object{}
	for _, k := range column.Study {
		properties[k.Key] = object{"type": []any{"string", "number", "boolean", "null"}, "description": k.About}
	}
	return properties
}

// parameters are the keys under with, or under the kind of a cohort.
func parameters(all []paramJSON) object {
	properties := object{}
	for _, p := range all {
		s := object{"anyOf": append(values(p), object{"type": "null"}), "description": p.Doc}
		if p.Unit != "" {
			s["description"] = p.Doc + " (" + p.Unit + ")"
		}
		if p.Default != nil {
			s["default"] = p.Default
		}
		properties[p.Name] = s
	}
	return object{"type": []any{"object", "null"}, "properties": properties, "additionalProperties": false}
}

// values are the forms of a value: itself, or a text with a variable; of a list also one element or a range.
func values(p paramJSON) []any {
	of, isList := strings.CutPrefix(p.Type, "list of ")
	one := scalar(strings.TrimSuffix(of, "s"), p)
	switch {
	case p.Name == "exclude":
		return []any{object{"$ref": "#/$defs/exclude"}}
	case isList:
		ranges := object{"type": "string", "pattern": `^-?\d+\.\.-?\d+$`}
		return []any{object{"type": "array", "items": object{"anyOf": []any{one, variable, ranges}}}, one, variable}
	case p.Name == "labels": // of an atlas of TemplateFlow
		return []any{one, object{"type": "object"}}
	}
	return []any{one, variable}
}

// scalar is one value of a type.
func scalar(of string, p paramJSON) object {
	s := object{"type": []any{"string", "number", "boolean"}} // YAML reads 01 as a number
	switch {
	case of == "true or false":
		s = object{"type": "boolean"}
	case of == "integer" || of == "number":
		s = object{"type": of}
		for key, bound := range map[string]string{"minimum": p.Min, "maximum": p.Max} {
			if x, err := strconv.ParseFloat(bound, 64); err == nil {
				s[key] = x
			}
		}
	case p.Choices != nil:
		s = object{"enum": p.Choices}
	case of != "text":
		s = object{}
	}
	return s
}
