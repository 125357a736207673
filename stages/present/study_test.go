package present

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/participants"
	"prgnn/stages/role"
	"prgnn/stages/stagetest"
)

// What the authors state is shown in one section, as text whatever it holds. Without statements there is no section.
func TestStudyIsShown(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	if page := reportText(t, in); strings.Contains(page, `id="study"`) {
		t.Error("a section without statements")
	}
	in[column.StudyPort] = []dag.Input{dag.InputOf(column.Table(column.Statements(map[string]string{
		"funding": "One.\n\nTwo <b.", "ethics": "</td><script>a</script>\n{{.Text}} %s \u202e\x07", "consent": " "})))}
	page := reportText(t, in)
	for _, want := range []string{"One.<br><br>Two &lt;b.", `<h2 id="study">The study</h2>`, `<th scope="row">Ethics approval</th>`,
		"&lt;/td&gt;&lt;script&gt;a&lt;/script&gt;&#xA;{{.Text}} %s \\u202e\uFFFD"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<script>a") || strings.Contains(page, "Informed consent") {
		t.Error("markup, or a key without a text")
	}
}

var update = flag.Bool("update", false, "write the golden files again")

// The checklists of a page: each item is where the page has it, and nowhere else.
func TestChecklists(t *testing.T) {
	_, in := pageOfMany(t)
	excluded := column.Table([]participants.ExcludedRow{{Participant: "a", Reason: "no bold"}})
	in["excluded"] = []dag.Input{dag.InputOf(excluded)}
	in[column.StudyPort] = []dag.Input{dag.InputOf(column.Table(column.Statements(map[string]string{
		"ethics": "Approved.", "funding": "None."})))}
	var got strings.Builder
	missing := role.Partial{Missing: []string{"x has not run"}}
	for _, name := range (&Report{}).Checklists() {
		files := need.Value((&Report{Top: 5}).Checklist(dag.NewTask(in), missing, name))(t)
		at := slices.IndexFunc(files, func(f role.File) bool { return f.Name == ".md" })
		got.Write(need.Value(files[at].Text())(t))
		got.WriteString("\n")
	}
	const file = "testdata/checklists.md"
	if *update {
		need.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	need.Equal(t, got.String(), string(need.Value(os.ReadFile(file))(t)))
}
