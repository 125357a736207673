package provenance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/dag/recipe"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/version"
	"prgnn/pipelines/lock"
)

// small is a run of two tasks, the second on what the first made of one file.
func small() *Run {
	digest := func(s string) artifacts.Ref {
		return artifacts.Ref{Digest: artifacts.DigestOf([]byte(s)), Size: int64(len(s)), Format: "text"}
	}
	key := func(s string) artifacts.Key { return artifacts.Key(artifacts.DigestOf([]byte(s))) }
	scan, mean, sum := digest("scan"), digest("mean"), digest("sum")
	l := &lock.Lock{Pipeline: "small", File: "small.yaml", Text: "pipeline: small\n",
		Program: version.Program{Version: "v1", Platform: "linux/amd64", Go: "go1.26"}}
	l.Stages = []lock.Stage{
		{Name: "a", Kind: "mean", Tasks: []lock.Task{{ID: "a[sub-01]", Key: key("a"),
			Files: []lock.File{{Name: "bold", Ref: scan}}, Outputs: artifacts.Refs{{Name: "mean", Ref: mean}}}}},
		{Name: "b", Kind: "sum", Tasks: []lock.Task{{ID: "b", Key: key("b"),
			Outputs: artifacts.Refs{{Name: "sum", Ref: sum}}}}},
	}
	return &Run{Lock: l, Started: time.Unix(1e9, 0), Finished: time.Unix(1e9+60, 0), Recipes: map[string]recipe.Recipe{
		"a[sub-01]": {Inputs: []recipe.Input{{Port: "bold", Ref: scan}}},
		"b":         {Inputs: []recipe.Input{{Port: "means", Ref: mean}}},
	}}
}

// TestPROVLinksTasksByContent: what one task used is what another one made.
func TestPROVLinksTasksByContent(t *testing.T) {
	b := need.Value(small().PROV())(t)
	var doc struct {
		Entity, Activity, Agent map[string]map[string]any
		Used, WasGeneratedBy    map[string]map[string]string
		WasAssociatedWith       map[string]map[string]string
	}
	need.NoError(t, json.Unmarshal(b, &doc))
	by := map[string]string{} // entity → activity that made it
	for _, g := range doc.WasGeneratedBy {
		by[g["prov:entity"]] = g["prov:activity"]
	}
	label := func(activity string) any { return doc.Activity[activity]["prov:label"] }
	var links []string
	for _, u := range doc.Used {
		if doc.Entity[u["prov:entity"]] == nil || doc.Activity[u["prov:activity"]] == nil {
			t.Errorf("%v: an end of it is not declared", u)
		}
		from := "a file"
		if made := by[u["prov:entity"]]; made != "" {
			from = label(made).(string)
		}
		links = append(links, from+" → "+label(u["prov:activity"]).(string))
	}
	if got := strings.Join(links, ", "); len(links) != 2 || !strings.Contains(got, "a file → a[sub-01]") ||
		!strings.Contains(got, "a[sub-01] → b") {
		t.Errorf("the links are %s", got)
	}
	if len(doc.WasAssociatedWith) != 2 || len(doc.Agent) != 1 {
		t.Errorf("%d associations, %d agents", len(doc.WasAssociatedWith), len(doc.Agent))
	}
}

func crate(t *testing.T, r *Run) map[string]map[string]any {
	t.Helper()
	b, err := r.Crate("small.yaml", []File{{Path: "results/sum.txt", Label: "b.sum", Result: true,
		Ref: artifacts.Ref{Digest: artifacts.DigestOf([]byte("sum")), Size: 3, Format: "text"}}})
	need.NoError(t, err)
	var doc struct {
		Graph []map[string]any `json:"@graph"`
	}
	need.NoError(t, json.Unmarshal(b, &doc))
	all := map[string]map[string]any{}
	for _, e := range doc.Graph {
		id := e["@id"].(string)
		if all[id] != nil {
			t.Errorf("two entities %s", id)
		}
		all[id] = e
	}
	return all
}

func TestCrateNamesItsFiles(t *testing.T) {
	all := crate(t, small())
	result := all["results/sum.txt"]
	if result["sha256"] != artifacts.DigestOf([]byte("sum")).String() || result["contentSize"] != 3.0 {
		t.Errorf("the result is %v", result)
	}
	scan := "urn:sha256:" + artifacts.DigestOf([]byte("scan")).String()
	if all[scan] == nil || all[runID]["object"].([]any)[0].(map[string]any)["@id"] != scan {
		t.Errorf("the run reads %v", all[runID]["object"])
	}
	need.Equal(t, all[runID]["endTime"], "2001-09-09T01:47:40Z", "it ended")
}

// TestCrateHasStages: the second stage reads the output of the first, and the last output is the file in the crate.
func TestCrateHasStages(t *testing.T) {
	r := small()
	r.Recipes["b"] = recipe.Recipe{Inputs: r.Recipes["b"].Inputs, Parameters: []recipe.Fact{{Name: "of", Value: "2"}}}
	all := crate(t, r)
	ids := func(of any) string {
		ids := lists.Map(of.([]any), func(e any) string { return e.(map[string]any)["@id"].(string) })
		return strings.Join(ids, " ")
	}
	need.Equal(t, ids(all["#stage-a"]["result"]), "#output-a.mean", "what a made")
	need.Equal(t, ids(all["#stage-b"]["object"]), "#output-a.mean #parameter-b.of", "what b read")
	need.Equal(t, ids(all["#output-b.sum"]["hasPart"]), "results/sum.txt", "the file of b")
	need.Equal(t, ids(all["small.yaml"]["step"]), "small.yaml#a small.yaml#b", "the steps")
	need.Equal(t, ids(all["#stages"]["object"]), "#control-a #control-b", "what the engine did")
	for id, e := range all {
		for name, value := range e {
			list, _ := value.([]any)
			for _, one := range append(list, value) {
				to, _ := one.(map[string]any)
				if of, _ := to["@id"].(string); strings.HasPrefix(of, "#") && all[of] == nil {
					t.Errorf("%s: %s refers to %s, which is not described", id, name, of)
				}
			}
		}
	}
}

// TestLicenceIsTheUsers: the program's own license is never given for the results.
func TestLicenceIsTheUsers(t *testing.T) {
	for given, want := range map[string]any{
		"":              unstated,
		"CC-BY-4.0":     "https://spdx.org/licenses/CC-BY-4.0",
		"GPL-2.0+":      "https://spdx.org/licenses/GPL-2.0+",
		"ask the lab":   "ask the lab",
		"javascript:x/": "javascript:x/",
		"https://creativecommons.org/publicdomain/zero/1.0/": "https://creativecommons.org/publicdomain/zero/1.0/",
	} {
		r := small()
		r.License = given
		all := crate(t, r)
		for _, id := range []string{"./", "small.yaml"} {
			got := all[id]["license"]
			if ref, ok := got.(map[string]any); ok {
				got = ref["@id"]
				if all[got.(string)]["@type"] != "CreativeWork" {
					t.Errorf("%q: the licence is not described", given)
				}
			}
			need.Equal(t, got, want, given, id)
		}
	}
}
