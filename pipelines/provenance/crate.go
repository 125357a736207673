package provenance

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/pattern"
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
	language = "https://yaml.org/"
	program  = "#pipeline"
	runID    = "#run"
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

// Crate is ro-crate-metadata.json of a directory that holds the pipeline file, its lock
// and files of results. workflow is the name of the pipeline file within it.
func (r *Run) Crate(workflow string, files []File) ([]byte, error) {
	ref := func(id string) object { return object{"@id": id} }
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
		id := "urn:sha256:" + f.Ref.Digest.String()
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
	action := object{
		"@id": runID, "@type": "CreateAction", "name": "run of " + r.Lock.Pipeline, "instrument": ref(workflow),
		"agent":  ref(program),
		"result": results, "startTime": r.Started.UTC().Format(time.RFC3339), "actionStatus": ref("http://schema.org/CompletedActionStatus"),
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
			"conformsTo": []any{ref("https://w3id.org/ro/wfrun/process/0.5"), ref("https://w3id.org/ro/wfrun/workflow/0.5"), ref("https://w3id.org/workflowhub/workflow-ro-crate/1.0")},
			"hasPart":    parts, "mainEntity": ref(workflow), "mentions": []any{ref(runID)}},
		object{"@id": workflow, "@type": []any{"File", "SoftwareSourceCode", "ComputationalWorkflow"},
			"name": r.Lock.Pipeline, "programmingLanguage": ref(language),
			"conformsTo": ref("https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"), "encodingFormat": "application/yaml",
			"license": license, "description": "the pipeline file as it was run"},
		object{"@id": language, "@type": "ComputerLanguage", "name": "PR-GNN Pipeline file (YAML)", "url": ref(language)},
		object{"@id": program, "@type": "SoftwareApplication", "name": "PR-GNN Pipeline",
			"softwareVersion": r.Lock.Program.Version, "operatingSystem": r.Lock.Program.Platform},
		object{"@id": "https://w3id.org/ro/wfrun/process/0.5", "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		object{"@id": "https://w3id.org/ro/wfrun/workflow/0.5", "@type": "CreativeWork", "name": "Workflow Run Crate", "version": "0.5"},
		object{"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0", "@type": "CreativeWork", "name": "Workflow RO-Crate", "version": "1.0"},
		action,
	}, append(licensed, graph...)...)
	return json.MarshalIndent(object{
		"@context": []any{"https://w3id.org/ro/crate/1.1/context", object{"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}},
		"@graph":   graph,
	}, "", "  ")
}

// IsCrate reports whether an ro-crate-metadata.json is one that this program wrote.
func IsCrate(meta []byte) bool { return bytes.Contains(meta, []byte(`"@id": "`+program+`"`)) }
