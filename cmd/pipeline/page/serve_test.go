package page

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/report"
)

// A served page keeps ratings in a table that exclude reads, for its own origin and who knows the token alone.
func TestServedRatings(t *testing.T) {
	dir := t.TempDir()
	s := &server{Console: &console.Console{}, path: filepath.Join(dir, "my study.html"), host: "127.0.0.1:9",
		base: "/token/",
		look: func() (*results.Current, error) { return nil, errors.New("no results yet") }}
	ask := func(method, path, body string, head ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://127.0.0.1:9"+path, strings.NewReader(body))
		for i := 0; i < len(head); i += 2 {
			if r.Header.Set(head[i], head[i+1]); head[i] == "Host" {
				r.Host = head[i+1]
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	const table = "/token/my%20study_ratings.tsv"
	for i, rating := range []string{"pass", "fail", "maybe", "fail"} {
		who := []string{"sub-1", "sub-2", "sub-3", "sub-1"}[i]
		need.Equal(t, ask("PUT", table, `{"participant":"`+who+`","rating":"`+rating+`"}`, "Origin",
			"http://127.0.0.1:9").Code, http.StatusOK)
	}
	need.Equal(t, ask("GET", table, "").Body.String(), "participant_id\trating\nsub-2\tfail\nsub-3\tmaybe\nsub-1\tfail\n")
	need.Equal(t, len(need.Value(listed.FailedRatings(s.ratings()))(t)), 2)
	const one = `{"participant":"sub-9","rating":"pass"}`
	for _, c := range []struct {
		code               int
		method, path, body string
		head               []string
	}{
		{404, "PUT", table, one, []string{"Origin", "https://elsewhere.org"}},
		{404, "PUT", table, one, []string{"Host", "elsewhere.org"}},
		{404, "GET", "/guess/my%20study.html", "", nil},
		{404, "GET", "/token/my%20study_quality/..%2f..%2fsecret.html", "", nil},
		{404, "GET", "/token/other.tsv", "", nil},
		{405, "POST", table, one, nil},
		{409, "PUT", table, `{"participant":"sub-9","rating":"good"}`, nil},
		{409, "PUT", table, `{"participant":"a\nb","rating":"pass"}`, nil},
	} {
		if w := ask(c.method, c.path, c.body, c.head...); w.Code != c.code || strings.Contains(
			ask("GET", table, "").Body.String(), "sub-9") {
			t.Errorf("%s %s %v: %d, want %d", c.method, c.path, c.head, w.Code, c.code)
		}
	}
	// Before there are results, the page states so, and asks again.
	w := ask("GET", "/token/my%20study.html", "")
	for _, want := range []string{"no results yet", `<meta name="live"`, `name="ratings" content="my%20study_ratings.tsv"`,
		"connect-src data: 'self';"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// A page of a scan is one level below. A file that is no report is not sent.
	need.NoError(t, os.Mkdir(report.SheetDir(s.path), 0o777))
	var scan bytes.Buffer
	need.NoError(t, (&report.Page{Title: "sub-1"}).HTML(&scan))
	for name, b := range map[string][]byte{"a.html": scan.Bytes(), "b.html": []byte("<p>mine</p>")} {
		need.NoError(t, os.WriteFile(filepath.Join(report.SheetDir(s.path), name), b, 0o666))
	}
	w = ask("GET", "/token/my%20study_quality/a.html", "")
	need.Equal(t, strings.Contains(w.Body.String(), `name="ratings" content="../my%20study_ratings.tsv"`), true)
	need.Equal(t, ask("GET", "/token/my%20study_quality/b.html", "").Code, 404)
	// A table of another form is left alone.
	need.NoError(t, os.WriteFile(s.ratings(), []byte("id,mark\n"), 0o666))
	need.Equal(t, ask("PUT", table, one).Code, http.StatusConflict)
	need.Equal(t, string(need.Value(os.ReadFile(s.ratings()))(t)), "id,mark\n")
}
