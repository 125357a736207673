package present

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// What the authors state is shown in one section, as text whatever it holds. Without statements there is no section.
func TestStudyIsShown(t *testing.T) {
	in := stagetest.ReportInputs("sub-01", "ASD", "HC")
	if page := reportText(t, in); strings.Contains(page, `id="study"`) {
		t.Error("a section without statements")
	}
	in[column.StudyPort] = []dag.Input{dag.InputOf(column.Table(column.Statements(map[string]string{
		"ethics": "</td><script>a</script>\n{{.Text}} %s \u202e\x07", "consent": " "})))}
	page := reportText(t, in)
	for _, want := range []string{`<h2 id="study">The study</h2>`, `<th scope="row">Ethics approval</th>`,
		"&lt;/td&gt;&lt;script&gt;a&lt;/script&gt;&#xA;{{.Text}} %s \\u202e\uFFFD"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<script>a") || strings.Contains(page, "Informed consent") {
		t.Error("markup, or a key without a text")
	}
}
