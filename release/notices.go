package main

import (
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"prgnn/internal/version"
)

// A module is one whose code is in a binary.
type module struct {
	path, version, sum string
	spdx               string   // expression of its license
	files              []string // of its license, in its source
	text               string   // of its license, where no file holds it
	purl               string   // package URL
}

// licenses names the license of every module that may be in a binary, as somebody who has
// read its files found it. A module without a line stops the release.
//
//go:embed licenses.tsv
var licenses string

// modulesOf lists the modules in the binaries, the standard library and the scripts of
// the report's viewer, in order.
func modulesOf(bins []binary) ([]module, error) {
	deps := map[string]*debug.Module{}
	for _, b := range bins {
		info, err := buildinfo.ReadFile(b.path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.path, err)
		}
		for _, d := range info.Deps {
			if d.Replace != nil {
				d = d.Replace
			}
			deps[d.Path] = d
		}
	}
	known, err := readLicenses(licenses)
	if err != nil {
		return nil, err
	}
	goVersion := strings.TrimPrefix(runtime.Version(), "go")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	all := []module{{path: "Go standard library", version: goVersion, spdx: "BSD-3-Clause",
		files: []string{filepath.Join(strings.TrimSpace(string(root)), "LICENSE")},
		purl:  "pkg:golang/stdlib@" + goVersion}}
	var missing []string
	for _, path := range slices.Sorted(maps.Keys(deps)) {
		l, ok := known[path]
		if !ok {
			missing = append(missing, path)
			continue
		}
		d := deps[path]
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
		if err != nil {
			return nil, fmt.Errorf("go list -m %s: %w", path, err)
		}
		m := module{path: path, version: d.Version, sum: d.Sum, spdx: l.spdx,
			purl: "pkg:golang/" + path + "@" + d.Version}
		for _, f := range l.files {
			m.files = append(m.files, filepath.Join(strings.TrimSpace(string(dir)), f))
		}
		all = append(all, m)
	}
	if missing != nil {
		return nil, fmt.Errorf("release/licenses.tsv names no license of %s: read theirs, and add a line for each", strings.Join(missing, ", "))
	}
	scripts, err := viewerModules()
	return append(all, scripts...), err
}

type license struct {
	spdx  string
	files []string
}

func readLicenses(text string) (map[string]license, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = '\t', 3
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("licenses.tsv: %w", err)
	}
	all := map[string]license{}
	for _, row := range rows[1:] {
		all[row[0]] = license{row[1], strings.Split(row[2], ",")}
	}
	return all, nil
}

// viewerModules reads the notices at the head of the viewer's script (see
// stages/report/web/build.mjs): "NAME VERSION (LICENSE)", an empty line and the text.
func viewerModules() ([]module, error) {
	const file = "stages/report/viewer.js.gz"
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	script, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	_, rest, ok1 := strings.Cut(string(script), "/*! This script contains:\n\n")
	banner, _, ok2 := strings.Cut(rest, "\n*/\n")
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%s does not begin with the notices of its packages", file)
	}
	var all []module
	for notice := range strings.SplitSeq(banner, "\n\n----\n\n") {
		head, text, _ := strings.Cut(notice, "\n\n")
		f := strings.Fields(head)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: its notice %.80q is not NAME VERSION (LICENSE)", file, head)
		}
		m := module{path: f[0], version: f[1], spdx: strings.Trim(f[2], "()"), text: text + "\n\n"}
		m.purl = "pkg:npm/" + strings.ReplaceAll(m.path, "@", "%40") + "@" + m.version
		all = append(all, m)
	}
	return all, nil
}

// notices is THIRD-PARTY.txt: every module with the whole text of its license, as the
// licenses ask for.
func notices(mods []module) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "PR-GNN Pipeline %s (Apache-2.0, see LICENSE) contains the software below.\n", version.Number)
	b.WriteString("Portions of this software are copyright © The FreeType Project (www.freetype.org). All rights reserved.\n\n")
	for _, m := range mods {
		fmt.Fprintf(&b, "%s %s: %s\n", m.path, m.version, m.spdx)
	}
	var errs []error
	for _, m := range mods {
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n", strings.Repeat("=", 78), m.path, m.version)
		for _, f := range m.files {
			text, err := os.ReadFile(f)
			if err != nil {
				errs = append(errs, fmt.Errorf("license of %s: %w", m.path, err))
			}
			b.Write(bytes.TrimSpace(text))
			b.WriteString("\n\n")
		}
		b.WriteString(m.text)
	}
	return b.Bytes(), errors.Join(errs...)
}
