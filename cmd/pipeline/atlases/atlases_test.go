package atlases

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/cmd/pipeline/console"
	"prgnn/internal/need"
)

const name = "tpl-MNI152NLin6Asym_res-02_atlas-Made_dseg.nii.gz"

func made(content string) File {
	sum := md5.Sum([]byte(content))
	f, _ := newFile(name, int64(len(content)), hex.EncodeToString(sum[:]))
	return f
}

func TestCatalogue(t *testing.T) {
	tables := 0
	for _, a := range All() {
		if a.Name == "" || a.Space == "" || a.Res == "" || a.Size() <= 0 || Sources[a.Name].License == "" {
			t.Errorf("%+v", a)
		}
		if a.Table != nil {
			tables++
			if d := a.Table.parts.Get("desc"); a.Table.Template != a.Image.Template || d != "" && d != a.Desc {
				t.Errorf("%s has the table %s", a.Image.Name, a.Table.Name)
			}
		}
	}
	if len(All()) < 100 || tables < 70 {
		t.Errorf("%d atlases, %d with a table", len(All()), tables)
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		Choice
		file, err string
	}{
		{Choice{"schaefer2018", "MNI152NLin6Asym", "desc-400Parcels7Networks", "2"}, "tpl-MNI152NLin6Asym_res-02_atlas-Schaefer2018_desc-400Parcels7Networks_dseg.nii.gz", ""},
		{Choice{"DiFuMo", "MNI152NLin6Asym", "64dimensions", ""}, "tpl-MNI152NLin6Asym_res-02_atlas-DiFuMo_desc-64dimensions_probseg.nii.gz", ""},
		{Choice{Name: "Schaefer2018"}, "", "2 values of space are available for Schaefer2018; add --space MNI152NLin2009cAsym | MNI152NLin6Asym"},
		{Choice{"Schaefer2018", "MNI152NLin6Asym", "400Parcels7Networks", ""}, "", "add --res 01 | 02"},
		{Choice{"Schaefer2018", "MNI152NLin6Asym", "401Parcels7Networks", ""}, "", `has no --desc 401Parcels7Networks (did you mean "400Parcels7Networks"?)`},
		{Choice{Name: "Desikan-Killiany"}, "", "no Desikan-Killiany atlas on an MNI grid"},
		{Choice{Name: "HCP-MMP"}, "", "BALSA"},
		{Choice{Name: "Schafer2018"}, "", `(did you mean "Schaefer2018"?)`},
	} {
		a, err := c.Find()
		if a.Image.Name != c.file || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %s %v", c.Choice, a.Image.Name, err)
		}
	}
}

// TestGitBlob: the digest of a table is the name of its git blob (git hash-object of a file with "index\tname\n").
func TestGitBlob(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tsv")
	need.NoError(t, os.WriteFile(path, []byte("hello\n"), 0o666))
	f := File{Size: 6, Digest: "ce013625030ba8dba906f756967f9e9ca394464a"} // of the manual of git
	if here, err := f.Here(path); !here || err != nil {
		t.Error(here, err)
	}
}

// TestWrite: a server that lies is found out, and no byte of it is used.
func TestWrite(t *testing.T) {
	const content = "\x1f\x8bthe bytes of an image"
	f := made(content)
	for fault, c := range map[string]struct {
		serve http.HandlerFunc
		err   string // "" for none
	}{
		"right": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, content) }, ""},
		"moved on the same host": {func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/there") {
				http.Redirect(w, r, "/there"+r.URL.Path, http.StatusFound)
				return
			}
			fmt.Fprint(w, content)
		}, ""},
		"cut": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			fmt.Fprint(w, content[:9])
		}, "after 9 bytes: unexpected EOF"},
		"short": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, content[:9]) }, "ended after 9 of 23 bytes"},
		"long":  {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, content+"!") }, "more than 23 bytes"},
		"wrong": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, content[:22]+"!") },
			"instead of " + f.Digest},
		"html":    {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>log in</html>") }, "HTML"},
		"missing": {http.NotFound, "404"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:9/", http.StatusFound)
		}, "redirects to another host, 127.0.0.2:9"},
		"redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "redirects more than 5 times"},
		"redirect to a file": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/hosts")
			w.WriteHeader(http.StatusFound)
		}, "redirects from http to file, which is not followed"},
		"silent": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, content[:9])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "no byte arrived for"},
		"silent from the start": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no byte arrived for"},
	} {
		t.Run(fault, func(t *testing.T) {
			s := httptest.NewServer(c.serve)
			defer s.Close()
			o := need.Value(From(s.URL))(t)
			if strings.HasPrefix(fault, "silent") {
				o.idle = 50 * time.Millisecond
			}
			var b bytes.Buffer
			err := o.Write(context.Background(), f, &b, nil)
			switch {
			case c.err == "" && (err != nil || b.String() != content):
				t.Errorf("%v %q", err, b.String())
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%v instead of %s", err, c.err)
			}
		})
	}
}

func TestFrom(t *testing.T) {
	for name, want := range map[string]string{
		"http://example.org/x":         "https://",
		"ftp://example.org/x":          "https://",
		"https://user:pw@example.org/": "password",
		"no-such-directory":            "no such directory",
		"https://example.org/x":        "",
		"http://127.0.0.1:80/x":        "",
		"http://[::1]:80/x":            "",
	} {
		_, err := From(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOther(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	for name, ok := range map[string]bool{
		name: true, "tpl-X_atlas-Made_dseg.tsv": true, "../tpl-X_atlas-Made_dseg.tsv": false, "tpl-X/tpl-X_atlas-M_dseg.tsv": false,
		"tpl-X_atlas-Made_dseg.sh": false, "tpl-X_atlas-\x1b_dseg.tsv": false, "atlas.nii.gz": false, "": false,
	} {
		if _, err := Other(name, digest); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := Other(name, digest[1:]); err == nil {
		t.Error("63 digits")
	}
}

// get calls the command.
func get(t *testing.T, words ...string) (string, error) {
	t.Helper()
	var out, diag bytes.Buffer
	a := console.New(words, &out, &diag)
	cmd, _, _ := Command(a)
	cmd.SetArgs(words)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	need.NoError(t, a.Close())
	return out.String() + diag.String(), err
}

// TestGet: what is fetched lies where the atlas is looked for; what is there with other bytes stays.
func TestGet(t *testing.T) {
	const content = "\x1f\x8bthe bytes of an image"
	sum := sha256.Sum256([]byte(content))
	digest := hex.EncodeToString(sum[:])
	from, home := t.TempDir(), filepath.Join(t.TempDir(), "new", "home")
	t.Setenv("TEMPLATEFLOW_HOME", home)
	path := filepath.Join(home, "tpl-MNI152NLin6Asym", name)
	words := []string{"get", name, "--from", from, "--sha256", digest}

	if _, err := get(t, append(words, "--yes")...); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("a file that the directory does not have: %v", err)
	}
	need.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(content), 0o666))
	if out, err := get(t, words...); err == nil || !strings.Contains(err.Error(), "--yes") ||
		!strings.Contains(out, from) {
		t.Errorf("without a terminal: %v\n%s", err, out)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a refusal made the directory")
	}
	if out, err := get(t, append(words, "--yes")...); err != nil || !strings.Contains(out, path) {
		t.Errorf("%v\n%s", err, out)
	}
	if b, err := os.ReadFile(path); string(b) != content || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if out, err := get(t, words...); err != nil || !strings.Contains(out, "was there already") {
		t.Errorf("once more: %v\n%s", err, out)
	}
	need.NoError(t, os.WriteFile(path, []byte("mine"), 0o666))
	if _, err := get(t, append(words, "--yes")...); err == nil || !strings.Contains(err.Error(), "not replaced") {
		t.Errorf("over another file: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "mine" {
		t.Errorf("the file of the user is now %q", b)
	}
	need.NoError(t, os.WriteFile(path, nil, 0o666)) // TemplateFlow's placeholder
	if _, err := get(t, append(words, "--yes")...); err != nil {
		t.Errorf("over a placeholder: %v", err)
	}
	need.NoError(t, os.Remove(path))
	need.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(content+"!"), 0o666))
	if _, err := get(t, append(words, "--yes")...); err == nil || !strings.Contains(err.Error(), digest) {
		t.Errorf("other bytes: %v", err)
	}
	if entries := need.Value(os.ReadDir(filepath.Dir(path)))(t); len(entries) != 0 {
		t.Errorf("%v is left", entries)
	}
	if entries := need.Value(os.ReadDir(home))(t); len(entries) != 1 {
		t.Errorf("%v is left", entries)
	}
}
