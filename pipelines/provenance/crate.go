package provenance

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// A File is one file in a crate.
type File struct {
	Path   string // within the crate
	Ref    artifacts.Ref
	Label  string // what it is, for a person
	Result bool   // of the run; else something that describes it
}

// media are the types of our formats.
var media = map[string]string{
	"npy": "application/x-npy", "arrow": "application/vnd.apache.arrow.file", "nifti": "application/gzip", "text": "text/plain",
	"tsv": "text/tab-separated-values", "csv": "text/csv", "svg": "image/svg+xml", "png": "image/png",
	"html": "text/html", "json": "application/json", "markdown": "text/markdown",
}

const (
	language  = "https://yaml.org/"
	program   = "#pipeline"
	runID     = "#run"
	organized = "#stages"
	completed = "http://schema.org/CompletedActionStatus"
)

// unstated is what a crate says of its license when it was told none. RO-Crate asks for
// one, by name or in words; the results are their maker's, not this program's.
const unstated = "No license is stated: all rights remain with the authors of the data and the results."

// license is how a license is referred to, and what describes it: by its identifier in
// the SPDX list, by its address, or in words.
func licence(l string) (ref any, entity []any) {
	if l == "" {
		return unstated, nil
	}
	id := l
	if spdx.MatchString(l) {
		id = "https://spdx.org/licenses/" + l
	} else if u, err := url.Parse(l); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return l, nil
	}
	return object{"@id": id}, []any{object{"@id": id, "@type": "CreativeWork", "name": l, "url": object{"@id": id}}}
}

var spdx = pattern.New(`^[A-Za-z0-9]+([.+-]+[A-Za-z0-9]+)*\+?$`)

func ref(id string) object { return object{"@id": id} }

// urn refers to a file of the user's, which stays where it is, by its bytes.
func urn(r artifacts.Ref) string { return "urn:sha256:" + r.Digest.String() }

// A set has references to entities, each once, in the order in which they came.
type set struct {
	refs []any
	has  map[string]bool
}

// add reports whether the entity is new.
func (s *set) add(id string) bool {
	if s.has[id] {
		return false
	}
	if s.has == nil {
		s.has = map[string]bool{}
	}
	s.has[id] = true
	s.refs = append(s.refs, ref(id))
	return true
}

// A steps has what a crate states of the stages (Provenance Run Crate 0.5).
type steps struct {
	kinds, steps, controls set
	entities               []any
}

func (s *steps) entity(kind, id string, e object) {
	e["@type"], e["@id"] = kind, id
	s.entities = append(s.entities, e)
}

// steps describes one action for each stage: its kind, the values of its parameters, the user's files and the outputs
// that its tasks read, and its own outputs. An output is one collection of the files of all tasks; run.lock lists them.
func (r *Run) steps(workflow string, files []File) *steps {
	code, source, copies := map[string]string{}, map[artifacts.Digest]string{}, map[artifacts.Digest][]string{}
	for _, c := range r.Lock.Codes {
		code[c.Kind] = c.Digest
	}
	for _, f := range r.Lock.Inputs() {
		source[f.Ref.Digest] = urn(f.Ref)
	}
	for _, f := range files {
		copies[f.Ref.Digest] = append(copies[f.Ref.Digest], f.Path)
	}
	all := &steps{}
	for at, s := range r.Lock.Stages {
		kind, step, action, control := "#kind-"+s.Kind, workflow+"#"+s.Name, "#stage-"+s.Name, "#control-"+s.Name
		if all.kinds.add(kind) {
			all.entity("SoftwareApplication", kind, object{"name": s.Kind, "softwareVersion": code[s.Kind]})
		}
		var read, made set
		values, files, parts := map[string][]string{}, map[string]int{}, map[string]*set{}
		for _, t := range s.Tasks {
			recipe := r.Recipes[t.ID]
			for _, p := range recipe.Parameters {
				values[p.Name] = lists.Add(values[p.Name], p.Value)
			}
			for _, in := range recipe.Inputs {
				if from := source[in.Ref.Digest]; from != "" {
					read.add(from)
				}
			}
			for _, out := range t.Outputs {
				id := "#output-" + s.Name + "." + out.Name
				if made.add(id) {
					parts[out.Name] = &set{}
				}
				files[out.Name]++
				if source[out.Digest] == "" {
					source[out.Digest] = id
				}
				for _, path := range copies[out.Digest] {
					parts[out.Name].add(path)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			id := "#parameter-" + s.Name + "." + name
			read.add(id)
			all.entity("PropertyValue", id, object{"name": name, "value": values[name]})
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			output := object{"name": name + " of " + s.Name, "description": words.Count(files[name], "file")}
			if len(parts[name].refs) > 0 {
				output["hasPart"] = parts[name].refs
			}
			all.entity("Collection", "#output-"+s.Name+"."+name, output)
		}
		all.steps.add(step)
		all.entity("HowToStep", step, object{"name": s.Name, "position": strconv.Itoa(at + 1),
			"workExample": ref(kind)})
		did := object{"name": s.Name, "description": words.Count(len(s.Tasks), "task"), "instrument": ref(kind),
			"agent": ref(program), "result": made.refs, "actionStatus": ref(completed)}
		if len(read.refs) > 0 {
			did["object"] = read.refs
		}
		all.entity("CreateAction", action, did)
		all.controls.add(control)
		all.entity("ControlAction", control, object{"name": s.Name, "instrument": ref(step), "object": ref(action)})
	}
	return all
}

// Crate is ro-crate-metadata.json of a directory that holds the pipeline file, its lock
// and files of results. workflow is the name of the pipeline file within it.
func (r *Run) Crate(workflow string, files []File) ([]byte, error) {
	license, licensed := licence(r.License)
	var parts, inputs, results, graph []any
	for _, f := range files {
		e := object{"@id": f.Path, "@type": "File", "name": f.Label, "contentSize": f.Ref.Size,
			"sha256": f.Ref.Digest.String()}
		if m := media[f.Ref.Format]; m != "" {
			e["encodingFormat"] = m
		}
		graph = append(graph, e)
		parts = append(parts, ref(f.Path))
		if f.Result {
			results = append(results, ref(f.Path))
		}
	}
	seen := map[string]bool{}
	for _, f := range r.Lock.Inputs() {
		// The inputs are people's scans, which stay where they are: named by their bytes.
		id := urn(f.Ref)
		if seen[id] {
			continue
		}
		seen[id] = true
		graph = append(graph, object{"@id": id, "@type": "CreativeWork", "name": f.Name,
			"identifier": f.Ref.Digest.String()})
		inputs = append(inputs, ref(id))
	}
	parts = append(parts, ref(workflow))
	slices.SortFunc(parts, func(a, b any) int {
		return strings.Compare(a.(object)["@id"].(string), b.(object)["@id"].(string))
	})
	s := r.steps(workflow, files)
	var profiles set
	var described []any
	for _, p := range [][3]string{{"ro/wfrun/process/", "Process Run Crate", "0.5"},
		{"ro/wfrun/workflow/", "Workflow Run Crate", "0.5"},
		{"ro/wfrun/provenance/", "Provenance Run Crate", "0.5"}, {"workflowhub/workflow-ro-crate/", "Workflow RO-Crate", "1.0"}} {
		id := "https://w3id.org/" + p[0] + p[2]
		profiles.add(id)
		described = append(described, object{"@id": id, "@type": "CreativeWork", "name": p[1], "version": p[2]})
	}
	action := object{
		"@id": runID, "@type": "CreateAction", "name": "run of " + r.Lock.Pipeline, "instrument": ref(workflow),
		"agent":  ref(program),
		"result": results, "startTime": r.Started.UTC().Format(time.RFC3339), "actionStatus": ref(completed),
		"description": "run.lock lists every task with its key and digests",
	}
	if !r.Finished.IsZero() {
		action["endTime"] = r.Finished.UTC().Format(time.RFC3339)
	}
	if inputs != nil {
		action["object"] = inputs
	}
	graph = append([]any{
		object{"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": ref("./"),
			"conformsTo": []any{ref("https://w3id.org/ro/crate/1.1"), ref("https://w3id.org/workflowhub/workflow-ro-crate/1.0")}},
		object{"@id": "./", "@type": "Dataset", "name": "A run of " + r.Lock.Pipeline,
			"description":   "The pipeline, its lock and its results, as PR-GNN Pipeline made them; pipeline audit --lock run.lock repeats the run.",
			"datePublished": r.Started.UTC().Format(time.RFC3339), "license": license,
			"conformsTo": profiles.refs,
			"hasPart":    parts, "mainEntity": ref(workflow), "mentions": []any{ref(runID), ref(organized)}},
		object{"@id": workflow, "@type": []any{"File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"},
			"hasPart": s.kinds.refs, "step": s.steps.refs,
			"name": r.Lock.Pipeline, "programmingLanguage": ref(language),
			"conformsTo": ref("https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"), "encodingFormat": "application/yaml",
			"license": license, "description": "the pipeline file as it was run"},
		object{"@id": language, "@type": "ComputerLanguage", "name": "PR-GNN Pipeline file (YAML)", "url": ref(language)},
		object{"@id": program, "@type": "SoftwareApplication", "name": "PR-GNN Pipeline",
			"softwareVersion": r.Lock.Program.Version, "operatingSystem": r.Lock.Program.Platform},
		action,
		object{"@id": organized, "@type": "OrganizeAction", "name": "stages of " + r.Lock.Pipeline,
			"instrument": ref(program),
			"result":     ref(runID), "object": s.controls.refs},
	}, slices.Concat(licensed, described, graph, s.entities)...)
	return json.MarshalIndent(object{
		"@context": []any{"https://w3id.org/ro/crate/1.1/context", object{"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}},
		"@graph":   graph,
	}, "", "  ")
}

// IsCrate reports whether an ro-crate-metadata.json is one that this program wrote.
func IsCrate(meta []byte) bool { return bytes.Contains(meta, []byte(`"@id": "`+program+`"`)) }
