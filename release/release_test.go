package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"prgnn/cmd/pipeline/bidsapp"
	_ "prgnn/cmd/pipeline/imaging"
	"prgnn/internal/need"
	"prgnn/internal/version"
	_ "prgnn/stages" // the kinds
)

// Every module that the program is built from has a license that somebody has read, its
// file is there, and no line is left of a module that is gone.
func TestLicenses(t *testing.T) {
	known := need.Value(readLicenses(licenses))(t)
	used := map[string]bool{}
	for _, p := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "../cmd/pipeline")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
		out := need.Value(cmd.Output())(t)
		for line := range strings.Lines(string(out)) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
			if path == "" || path == "prgnn" || used[path] {
				continue
			}
			used[path] = true
			l, ok := known[path]
			if !ok {
				t.Errorf("licenses.tsv has no line for %s: read its license", path)
				continue
			}
			for _, f := range l.files {
				if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
	for path := range known {
		if !used[path] {
			t.Errorf("licenses.tsv names %s, which is in no binary", path)
		}
	}
}

func TestChosen(t *testing.T) {
	if some, err := chosen("linux/arm64,windows/amd64"); err != nil || len(some) != 2 || some[1].program() != "pipeline.exe" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := chosen("plan9/mips"); err == nil {
		t.Error("no error for a platform that is not built")
	}
}

// The version stands in one place; what other tools read agrees with it.
func TestVersionEverywhere(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(version.Number) {
		t.Errorf("%q is not a semantic version", version.Number)
	}
	cff := need.Value(os.ReadFile("../CITATION.cff"))(t)
	if !bytes.Contains(cff, []byte("\nversion: "+version.Number+"\n")) {
		t.Errorf("CITATION.cff has another version than %s", version.Number)
	}
}

// An archive depends on its members alone, and keeps modes and names.
func TestArchivesAreRepeatable(t *testing.T) {
	at := time.Unix(1700000000, 0).UTC()
	members := []member{{"tmp/", os.ModeDir | os.ModeSticky | 0o777, nil}, {"a/pipeline", 0o755, []byte("x")},
		{"a/prgnn", os.ModeSymlink | 0o777, []byte("pipeline")}}
	var one, two, zip1, zip2 bytes.Buffer
	for _, err := range []error{writeTar(&one, at, members), writeTar(&two, at.In(time.FixedZone("x", 3600)), members),
		writeZip(&zip1, at, members[1:2]), writeZip(&zip2, at, slices.Clone(members[1:2]))} {
		need.NoError(t, err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) || !bytes.Equal(zip1.Bytes(), zip2.Bytes()) {
		t.Error("the same members give other bytes")
	}
	r := tar.NewReader(&one)
	dir, err1 := r.Next()
	file, err2 := r.Next()
	if err1 != nil || err2 != nil || dir.Typeflag != tar.TypeDir || dir.Mode != 0o1777 || file.Mode != 0o755 ||
		file.Name != "a/pipeline" {
		t.Errorf("%+v %+v %v %v", dir, file, err1, err2)
	}
	if link, err := r.Next(); err != nil || link.Typeflag != tar.TypeSymlink || link.Linkname != "pipeline" {
		t.Errorf("%+v %v", link, err)
	}
}

// The archives of all platforms hold the same files, with .exe on Windows, and prgnn is the program.
func TestArchiveNames(t *testing.T) {
	t.Chdir("..")
	program := filepath.Join(t.TempDir(), "program")
	need.NoError(t, os.WriteFile(program, []byte("the program"), 0o666))
	top := "prgnn-" + version.Number + "/"
	want := []string{"CITATION.cff", "LICENSE", "README.md", "THIRD-PARTY.txt", "pipeline", "prgnn"}
	for _, p := range platforms {
		members := need.Value(archived(binary{p, program}, []byte("licenses")))(t)
		text := map[string]string{}
		for _, m := range members {
			name := strings.TrimSuffix(strings.TrimPrefix(m.name, top), ".exe")
			text[name] = string(m.data)
			isProgram := name == "pipeline" || name == "prgnn"
			if exe := strings.HasSuffix(m.name, ".exe"); exe != (p.os == "windows" && isProgram) {
				t.Errorf("%s: %s", p, m.name)
			}
		}
		for _, name := range want {
			if text[name] == "" {
				t.Errorf("%s: no %s", p, name)
			}
		}
		checkLinks(t, text)
		if text["pipeline"] != "the program" || text["prgnn"] != "the program" && text["prgnn"] != "pipeline" {
			t.Errorf("%s: %q", p, text)
		}
	}
}

// checkLinks follows the links of all pages to files beside them.
func checkLinks(t *testing.T, text map[string]string) {
	t.Helper()
	links := 0
	there := map[string]bool{}
	for name := range text {
		for ; name != "."; name = path.Dir(name) {
			there[name] = true
		}
	}
	for name, page := range text {
		if path.Ext(name) != ".md" {
			continue
		}
		page = regexp.MustCompile("`[^`]*`").ReplaceAllString(page, "")
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(page, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if links++; !there[path.Join(path.Dir(name), link[1])] {
				t.Errorf("%s: the link to %s leads nowhere", name, link[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links, fewer than there are", links)
	}
}

// The source has every file of the commit, and scripts that run.
func TestSource(t *testing.T) {
	t.Chdir("..")
	members := need.Value(tracked("top/"))(t)
	modes := map[string]os.FileMode{}
	for _, m := range members {
		modes[m.name] = m.mode
	}
	for name, mode := range map[string]os.FileMode{"top/go.mod": 0o644, "top/test/release.sh": 0o755,
		"top/examples/own-stage/go.sum": 0o644} {
		if modes[name] != mode {
			t.Errorf("%s: mode %o, want %o", name, modes[name], mode)
		}
	}
}

// A changelog is ready when the section of the version has the date of CITATION.cff, and nothing stands under
// Unreleased.
func TestChangelogReady(t *testing.T) {
	const dated = `CHANGELOG.md has no line "## 1.2.0 (YYYY-MM-DD)" with the date of the release`
	const moved = `CHANGELOG.md has changes under "## Unreleased"; move them into the section of 1.2.0`
	const cited = `CITATION.cff has another date than CHANGELOG.md: set date-released to 2026-11-29`
	for _, c := range []struct{ changelog, want string }{
		{"## 1.2.0 (2026-11-29)\n", cited},
		{"# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-11-30)\n\n- a change\n", ""},
		{"# Changelog\n\n## 1.2.0 (2026-11-30)\n", ""},
		{"## Unreleased\n\n- a change\n\n## 1.2.0 (2026-11-30)\n", moved},
		{"## Unreleased\n\n- a change\n\n## 1.1.0 (2026-10-30)\n", dated + "\n" + moved},
		{"## 1.2.0\n", dated},
		{"## 1.2.01 (2026-11-30)\n", dated},
	} {
		got := ""
		if err := changelogReady(c.changelog, "version: 1.2.0\ndate-released: 2026-11-30\n", "1.2.0"); err != nil {
			got = err.Error()
		}
		need.Equal(t, got, c.want, c.changelog)
	}
}

// In an image's archive each directory stands before what is in it: apptainer build makes none of itself.
func TestImageArchive(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o700))
	for _, name := range []string{"blobs/sha256/ab", "index.json", "oci-layout"} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	var b bytes.Buffer
	need.NoError(t, packLayout(&b, dir, source{"abc", time.Unix(1700000000, 0)}))
	var names []string
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		need.NoError(t, err)
		names = append(names, h.Name)
	}
	want := []string{"blobs/", "blobs/sha256/", "blobs/sha256/ab", "index.json", "oci-layout"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// The bill of materials names modules, versions, licenses and go.sum's digests.
func TestSBOM(t *testing.T) {
	dir := t.TempDir()
	mods := []module{
		{path: "example.org/a", version: "v1.2.3", sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", spdx: "MIT", purl: "pkg:golang/example.org/a@v1.2.3"},
		{path: "b", version: "2", spdx: "BSD-3-Clause AND OFL-1.1", purl: "pkg:npm/b@2"},
	}
	need.NoError(t, sbom(dir, mods, source{"abc", time.Unix(1700000000, 0).UTC()}))
	text := need.Value(os.ReadFile(named(dir, "sbom.cdx.json")))(t)
	var doc struct {
		SpecVersion string
		Components  []struct {
			Name, Purl string
			Licenses   []struct {
				Expression string
				License    struct{ ID string }
			}
			Properties []struct{ Value string }
		}
	}
	need.NoError(t, json.Unmarshal(text, &doc))
	if doc.SpecVersion != "1.6" || len(doc.Components) != 2 || doc.Components[0].Licenses[0].License.ID != "MIT" ||
		doc.Components[1].Licenses[0].Expression != "BSD-3-Clause AND OFL-1.1" ||
		doc.Components[0].Properties[0].Value != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" { // SHA-256 of nothing
		t.Errorf("%s", text)
	}
}

// The recipes name the archives and their digests, and are in the languages of their readers.
func TestRecipes(t *testing.T) {
	dir := t.TempDir()
	for i, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		need.NoError(t, os.WriteFile(named(dir, platform+".tar.gz"), []byte{byte(i)}, 0o666))
	}
	need.NoError(t, recipes(dir, "https://example.org/v"))
	for name, checker := range map[string][]string{"conda-recipe.yaml": nil, "homebrew.rb": {"ruby", "-wc"},
		"module.lua": {"luac5.4", "-p"}, "neurodesk.yaml": nil} {
		t.Run(name, func(t *testing.T) {
			text := need.Value(os.ReadFile(named(dir, name)))(t)
			if bytes.Contains(text, []byte("<<")) || !bytes.Contains(text, []byte(version.Number)) {
				t.Errorf("%s", text)
			}
			// SHA-256 of the byte 2, by sha256sum
			if want := "dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986"; strings.Contains(string(text), "darwin") &&
				(!bytes.Contains(text, []byte(want)) || !bytes.Contains(text, []byte("https://example.org/v/prgnn-"+version.Number+"-darwin-amd64.tar.gz"))) {
				t.Errorf("no digest or address in\n%s", text)
			}
			if name == "neurodesk.yaml" {
				checkNeurodesk(t, text)
				return
			}
			if checker == nil {
				var doc struct {
					Package struct{ Name string }
					Source  []struct {
						If   string
						Then struct{ URL, SHA256 string }
					}
				}
				if err := yaml.Unmarshal(text, &doc); err != nil || doc.Package.Name != "prgnn" ||
					len(doc.Source) != 4 || len(doc.Source[3].Then.SHA256) != 64 {
					t.Errorf("%v: %+v", err, doc)
				}
				return
			}
			if _, err := exec.LookPath(checker[0]); err != nil {
				need.Missing(t, "%v", err)
			}
			if out, err := exec.Command(checker[0],
				append(checker[1:], named(dir, name))...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// checkNeurodesk reads the recipe as neurocontainers' builder/validation.py does: the keys that it requires, and for
// each processor an archive whose digest is checked.
func checkNeurodesk(t *testing.T, text []byte) {
	var doc struct {
		Name, Version, Icon       string
		Architectures, Categories []string
		Readme                    struct{ Description, Example string } `yaml:"structured_readme"`
		Build                     struct {
			Kind       string
			Base       string `yaml:"base-image"`
			Manager    string `yaml:"pkg-manager"`
			Directives []struct {
				Condition string
				Run       []string
			}
		}
		Files []struct{ Name, Condition, URL string }
	}
	need.NoError(t, yaml.Unmarshal(text, &doc))
	payload, is := strings.CutPrefix(doc.Icon, "data:image/svg+xml;base64,")
	if b, err := base64.StdEncoding.DecodeString(payload); !is || err != nil || !bytes.HasPrefix(b, []byte("<svg ")) {
		t.Errorf("icon %q, %v", doc.Icon, err)
	}
	if doc.Name != "prgnn" || doc.Version != version.Number || doc.Readme.Description == "" ||
		doc.Build.Kind != "neurodocker" || doc.Build.Base == "" || doc.Build.Manager != "apt" ||
		!slices.Equal(doc.Categories, []string{"functional imaging", "machine learning", "bids apps"}) {
		t.Errorf("%+v", doc)
	}
	need.Equal(t, strings.Join(doc.Architectures, " "), "x86_64 aarch64")
	for i, sum := range []string{ // of the bytes 0 and 1, by sha256sum
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"} {
		on := fmt.Sprintf("arch==%q", doc.Architectures[i])
		need.Equal(t, doc.Files[i].Condition, on)
		need.Equal(t, doc.Build.Directives[i].Condition, on)
		need.Equal(t, doc.Build.Directives[i].Run[0],
			fmt.Sprintf(`echo "%s  {{ get_file("%s") }}" | sha256sum -c -`, sum, doc.Files[i].Name))
	}
}

// A release of one platform has recipes for that one.
func TestRecipesOfOnePlatform(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(named(dir, "linux-amd64.tar.gz"), nil, 0o666))
	need.NoError(t, recipes(dir, "https://example.org/v"))
	for name, urls := range map[string]int{"conda-recipe.yaml": 1, "homebrew.rb": 1, "module.lua": 0,
		"neurodesk.yaml": 1} {
		text := need.Value(os.ReadFile(named(dir, name)))(t)
		if n := bytes.Count(text, []byte("https://")); n != urls || bytes.Contains(text, []byte("darwin")) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// What the recipes fetch is there, with the digest that they state: from a server of the release's directory.
func TestRecipesFetch(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.StripPrefix("/v1", http.FileServer(http.Dir(dir))))
	defer server.Close()
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		need.NoError(t, os.WriteFile(named(dir, platform+".tar.gz"), []byte("archive of "+platform), 0o666))
	}
	need.NoError(t, recipes(dir, server.URL+"/v1"))
	address, digest := regexp.MustCompile(`http://[^"'\s]+`), regexp.MustCompile(`[0-9a-f]{64}`)
	for _, name := range []string{"conda-recipe.yaml", "homebrew.rb"} {
		text := need.Value(os.ReadFile(named(dir, name)))(t)
		urls, sums := address.FindAllString(string(text), -1), digest.FindAllString(string(text), -1)
		if len(urls) != 4 || len(sums) != 4 {
			t.Fatalf("%s: addresses %v, digests %v, want 4 each", name, urls, sums)
		}
		for i, url := range urls {
			resp, err := http.Get(url)
			need.NoError(t, err)
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if got := fmt.Sprintf("%x", sha256.Sum256(b)); err != nil || resp.StatusCode != http.StatusOK ||
				got != sums[i] {
				t.Errorf("%s: %s: %s %v, digest %s, want %s", name, url, resp.Status, err, got, sums[i])
			}
		}
	}
}

// The Boutiques descriptor has the version, and every flag of the BIDS App.
func TestBoutiques(t *testing.T) {
	text := need.Value(os.ReadFile("boutiques.json"))(t)
	var doc struct {
		ToolVersion string `json:"tool-version"`
		Inputs      []struct {
			Flag string `json:"command-line-flag"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil || doc.ToolVersion != version.Number {
		t.Fatalf("%v, tool-version %q", err, doc.ToolVersion)
	}
	described := map[string]bool{"--version": true}
	for _, in := range doc.Inputs {
		described[in.Flag] = true
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(bidsapp.App).Flags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if !described["--"+f.Name] {
			t.Errorf("boutiques.json lacks --%s", f.Name)
		}
	})
	bosh := "bosh"
	if python := os.Getenv("PRGNN_PYTHON"); python != "" {
		bosh = filepath.Join(filepath.Dir(python), bosh)
	}
	if _, err := exec.LookPath(bosh); err != nil {
		need.Missing(t, "%v: test/requirements.txt has boutiques", err)
	}
	if out, err := exec.Command(bosh, "validate", "boutiques.json").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
