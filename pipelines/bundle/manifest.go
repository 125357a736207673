package bundle

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/pipelines/lock"
)

const magic = "prgnn bundle 1"

// An entry is one line of the list.
type entry struct {
	kind string // file, input, given, result
	ref  artifacts.Ref
	name string // file: in the tar; input: the base name of the user's file
}

const (
	isFile   = "file"
	isInput  = "input"
	isGiven  = "given"
	isResult = "result"
)

func (e entry) line() string {
	switch e.kind {
	case isFile:
		return fmt.Sprintf("file %s %d %q\n", e.ref.Digest, e.ref.Size, e.name)
	case isInput:
		return fmt.Sprintf("input %s %d %s\n", e.ref.Digest, e.ref.Size, strconv.QuoteToASCII(e.name))
	}
	return fmt.Sprintf("%s %s %d %s\n", e.kind, e.ref.Digest, e.ref.Size, e.ref.Format)
}

// path is the name of the entry in the tar file.
func (e entry) path() string {
	if e.kind == isFile {
		return e.name
	}
	return "blobs/" + e.ref.Digest.String()
}

func encodeList(entries []entry) []byte {
	var b bytes.Buffer
	b.WriteString(magic + "\n")
	for _, e := range entries {
		b.WriteString(e.line())
	}
	b.WriteString("end\n")
	return b.Bytes()
}

// parseList reads what encodeList wrote, and nothing else.
func parseList(text []byte) ([]entry, error) {
	lines := strings.Split(string(text), "\n")
	if lines[0] != magic {
		return nil, fmt.Errorf("its list begins with %.40q; in this version it begins with %q", lines[0], magic)
	}
	if n := len(lines); n < 3 || lines[n-1] != "" || lines[n-2] != "end" {
		return nil, fmt.Errorf("its list is truncated")
	}
	var entries []entry
	seen := map[string]bool{}
	for i, line := range lines[1 : len(lines)-2] {
		e, err := parseEntry(line)
		if err == nil && e.kind == isFile && seen[e.name] {
			err = fmt.Errorf("%s is listed twice", e.name)
		}
		if err != nil {
			return nil, fmt.Errorf("its list, line %d %.80q: %w", i+2, line, err)
		}
		seen[e.name] = e.kind == isFile
		entries = append(entries, e)
	}
	return entries, nil
}

func parseEntry(line string) (entry, error) {
	f := strings.SplitN(line, " ", 4)
	e := entry{kind: f[0]}
	if len(f) < 4 {
		return e, fmt.Errorf("has %d words, not 4", len(f))
	}
	var err error
	if e.ref.Digest, err = artifacts.ParseDigest(f[1]); err != nil {
		return e, err
	}
	if e.ref.Size, err = strconv.ParseInt(f[2], 10, 64); err != nil || e.ref.Size < 0 {
		return e, fmt.Errorf("%q is not a size", f[2])
	}
	switch e.kind {
	case isFile:
		if e.name, err = strconv.Unquote(f[3]); err == nil && !knownFiles[e.name] {
			return e, fmt.Errorf("a bundle has no file %q", e.name)
		}
	case isInput:
		if e.name, err = strconv.Unquote(f[3]); err == nil {
			err = checkName(e.name)
		}
	case isGiven, isResult:
		e.ref.Format = f[3]
	default:
		return e, fmt.Errorf("is of no known kind")
	}
	if err == nil && e.line() != line+"\n" {
		err = fmt.Errorf("is not in the format of a bundle's list")
	}
	return e, err
}

// knownFiles are the entries besides blobs.
var knownFiles = map[string]bool{lock.FileName: true, recipesName: true, readmeName: true}

const (
	listName    = "bundle"
	recipesName = "recipes"
	readmeName  = "README"
)

// checkName lets through what is a plain file name on every system.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || len(name) > 200 || !utf8.ValidString(name):
	case strings.ContainsAny(name, `/\:*?"<>|`) ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "."), strings.HasSuffix(name, " "), reserved(name):
	default:
		return nil
	}
	return fmt.Errorf("the name %q of an input is not a plain file name", name)
}

// reserved are the names of devices, on Windows.
func reserved(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(base) == 4 && (strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")) &&
		base[3] >= '0' && base[3] <= '9'
}
