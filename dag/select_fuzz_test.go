package dag

import "testing"

// Whatever is typed for tasks is understood or refused; the name of each task that is found
// finds that task.
func FuzzSelect(f *testing.F) {
	for _, s := range []string{
		"train", "train[fold=2]", "train[pool=topk,lambda=[0.1, 0.1],fold=2]", "connectivity[sub-00*]", `odd["a,b]"]`, "*[*]", "?", "train[", `a["\\`, "a[b=,=c]", "[]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := fanned()
		nodes, err := g.Select(text)
		if (err == nil) != (len(nodes) > 0) {
			t.Fatalf("%q: %d tasks, %v", text, len(nodes), err)
		}
		for _, n := range nodes {
			same, err := g.Select(n.id)
			if err != nil || len(same) == 0 {
				t.Errorf("%q finds %s, whose name finds %v, %v", text, n.id, same, err)
			}
		}
	})
}
