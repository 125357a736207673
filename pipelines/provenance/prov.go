// Package provenance states what made a result, from the records that a store keeps: runs list tasks, keys and
// digests, and the recipe behind each key lists its inputs by digest. Book follows them upstream and downstream; Run
// describes a whole run in the formats of others, W3C PROV-JSON and an RO-Crate of the Provenance Run profile.
//
// Sources: PROV-DM and PROV-JSON (W3C submission of 24 April 2013); RO-Crate 1.1;
// Workflow Run RO-Crate 0.5 (Process, Workflow and Provenance Run Crate).
package provenance

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/recipe"
	"prgnn/pipelines/lock"
	"prgnn/stages/column"
)

// A Run is described by its lock, the recipe behind each key, and its times.
type Run struct {
	Lock     *lock.Lock
	Recipes  map[string]recipe.Recipe // by task; those that cannot be read are left out
	Started  time.Time
	Finished time.Time
	License  string // of the results, for a crate: an SPDX identifier, an address or words; empty: not stated
}

type object = map[string]any

// PROV is the run as PROV-JSON: an entity for every content, named by its digest; an
// activity for every task; the program as the agent.
func (r *Run) PROV() ([]byte, error) {
	const agent = "prgnn:pipeline"
	entities, activities := object{}, object{}
	used, made, with := object{}, object{}, object{}
	blank := func(of object) string { return "_:" + strconv.Itoa(len(of)+1) }
	text, err := r.Lock.Encode()
	if err != nil {
		return nil, err
	}
	plan := "sha256:" + artifacts.DigestOf(text).String()
	entities[plan] = object{"prov:label": "run.lock of " + r.Lock.Pipeline, "prov:type": name("prov:Plan")}
	entity := func(ref artifacts.Ref, label string) string {
		id := "sha256:" + ref.Digest.String()
		e, ok := entities[id].(object)
		if !ok {
			e = object{"prov:label": label}
			entities[id] = e
		}
		if ref.Format != "" {
			e["prgnn:format"] = ref.Format
		}
		return id
	}
	for _, s := range r.Lock.Stages {
		for _, t := range s.Tasks {
			id := "prgnn:task-" + t.Key.String()
			a := object{"prov:label": t.ID, "prgnn:stage": s.Name, "prgnn:kind": s.Kind}
			for _, p := range r.Recipes[t.ID].Parameters {
				a["prgnn:parameter-"+p.Name] = p.Value
			}
			activities[id] = a
			with[blank(with)+"w"] = object{"prov:activity": id, "prov:agent": agent, "prov:plan": plan}
			for _, f := range t.Files {
				entity(f.Ref, f.Name)
			}
			for _, in := range r.Recipes[t.ID].Inputs {
				used[blank(used)+"u"] = object{"prov:activity": id, "prov:entity": entity(in.Ref, in.Port),
					"prov:role": dag.TaskID(in.Port, in.Coords, column.Subject)}
			}
			for _, out := range t.Outputs {
				made[blank(made)+"g"] = object{"prov:entity": entity(out.Ref, t.ID+"."+out.Name), "prov:activity": id,
					"prov:role": out.Name}
			}
		}
	}
	return json.MarshalIndent(object{
		"prefix":   object{"prgnn": "urn:prgnn:", "sha256": "urn:sha256:"},
		"entity":   entities,
		"activity": activities,
		"agent": object{agent: object{"prov:type": name("prov:SoftwareAgent"), "prov:label": "PR-GNN Pipeline " +
			r.Lock.Program.Version,
			"prgnn:platform": r.Lock.Program.Platform, "prgnn:go": r.Lock.Program.Go}},
		"used": used, "wasGeneratedBy": made, "wasAssociatedWith": with,
	}, "", "  ")
}

// IsPROV reports whether a text is a PROV record of this program.
func IsPROV(text []byte) bool {
	return json.Valid(text) && bytes.Contains(text, []byte(`"prgnn": "urn:prgnn:"`))
}

// name is a qualified name as a value.
func name(n string) object { return object{"$": n, "type": "prov:QUALIFIED_NAME"} }
