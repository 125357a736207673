package command

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/nifti"
)

// lay puts the inputs into the command's directory, read-only, and finds what
// each {NAME} stands for. Paths are relative, so that none of the machine's can
// come into a result.
func (e *Exec) lay(dir string, t *dag.Task) (map[string]string, error) {
	for _, sub := range []string{"inputs", "outputs", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	places := map[string]string{}
	for _, entry := range e.Inputs {
		d := declare(entry)
		var err error
		if d.gather {
			places[d.name], err = layAll(dir, d.name, t.All(d.name))
		} else {
			places[d.name], err = layOne(dir, filepath.Join("inputs", d.name), t.In(d.name))
		}
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", d.name, err)
		}
	}
	for _, entry := range e.Outputs {
		d := declareOutput(entry)
		places[d.name] = filepath.Join("outputs", d.name+extension(d.value, nil))
	}
	for _, entry := range e.Parameters {
		name, value, _ := strings.Cut(entry, "=")
		places[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return places, nil
}

// layOne puts one input into the directory: large ones by sharing their blocks
// where the file system can (btrfs, XFS, APFS …), else as a copy. It is never a link
// to the file: the command could change what other tasks read, and change it back.
// Shared blocks are not read here, so the engine compares the file with its digest
// after the command.
func layOne(dir, name string, in dag.Input) (string, error) {
	r, err := in.Reader()
	if err != nil {
		return "", err
	}
	defer r.Close()
	from := bufio.NewReader(r)
	var start []byte
	if in.Ref.Format == "nifti" {
		start, _ = from.Peek(2) // it may be shorter; another error comes again with the copy
	}
	name += extension(in.Ref.Format, start)
	path := filepath.Join(dir, name)
	if in.Path != "" && in.Ref.Size >= shareFrom && cloneFile(in.Path, path) == nil {
		return name, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(f, from); err != nil {
		f.Close()
		return "", err
	}
	return name, f.Close()
}

// shareFrom is the size in bytes from which an input is worth sharing: a small
// copy costs less than looking at the file once more afterwards.
const shareFrom = 1 << 20

// layAll writes the members of a gathered input, and a table of them.
func layAll(dir, name string, all []dag.Input) (string, error) {
	folder := filepath.Join("inputs", name)
	if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
		return "", err
	}
	var axes []string
	column := map[string]int{}
	for _, in := range all {
		for _, c := range in.Coords {
			if _, there := column[c.Axis]; !there {
				column[c.Axis] = len(axes)
				axes = append(axes, c.Axis)
			}
		}
	}
	var table strings.Builder
	table.WriteString(strings.Join(append(axes, "path"), "\t") + "\n")
	for i, in := range all {
		path, err := layOne(dir, filepath.Join(folder, fmt.Sprintf("%06d", i+1)), in)
		if err != nil {
			return "", err
		}
		row := make([]string, len(axes)+1)
		for a := range axes {
			row[a] = "n/a"
		}
		for _, c := range in.Coords {
			row[column[c.Axis]] = strings.NewReplacer("\t", " ", "\n", " ").Replace(c.Value)
		}
		row[len(axes)] = filepath.ToSlash(path)
		table.WriteString(strings.Join(row, "\t") + "\n")
	}
	path := folder + ".tsv"
	return path, os.WriteFile(filepath.Join(dir, path), []byte(table.String()), 0o444)
}

// extension is how a file of a format is called; start is how it begins, when
// that is known.
func extension(format string, start []byte) string {
	switch {
	case format == "nifti" && (start == nil || bytes.Equal(start, []byte{0x1f, 0x8b})):
		return ".nii.gz"
	case format == "nifti":
		return ".nii"
	case format == "text" || format == "log":
		return ".txt"
	case format == "":
		return ".bin"
	}
	return "." + format
}

// collect reads and checks an output.
func collect(path string, d declared) (artifacts.Value, error) {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return nil, fmt.Errorf("the command did not write its output %s ({%s} in the command is the path of the file)", d.name, d.name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("the output %s is not a file", d.name)
	}
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := checkFormat(b, d); err != nil {
		return nil, fmt.Errorf("the output %s is not %s: %w", d.name, d.value, err)
	}
	if err := checkColumns(b, d); err != nil {
		return nil, fmt.Errorf("the output %s (%s) %w", d.name, filepath.Base(path), err)
	}
	return artifacts.Bytes{Kind: d.value, Data: b}, nil
}

// checkFormat decodes what can be decoded.
func checkFormat(b []byte, d declared) error {
	switch d.value {
	case "npy":
		_, err := encoding.ReadArray(bytes.NewReader(b))
		return err
	case "arrow":
		_, err := encoding.ReadTable(bytes.NewReader(b))
		return err
	case "nifti":
		r, err := nifti.NewReader(bytes.NewReader(b), d.name)
		if err != nil {
			return err
		}
		defer r.Close()
		for range r.Volumes() {
			if _, err := r.NextRaw(); err != nil {
				return err
			}
		}
	case "json":
		var v any
		return json.Unmarshal(b, &v)
	case "text", "tsv", "csv", "html", "svg":
		if !utf8.Valid(b) {
			return errors.New("it is not UTF-8")
		}
	}
	return nil
}

// tables are the formats with columns that an output may declare.
var tables = []string{"arrow", "tsv", "csv"}

// checkColumns refuses a table without a column that its output declares: what reads it later would say so, or not.
func checkColumns(b []byte, d declared) error {
	if d.columns == nil {
		return nil
	}
	var have []string
	if d.value == "arrow" {
		table, err := encoding.ReadTable(bytes.NewReader(b))
		if err != nil {
			return err
		}
		for _, c := range table.Columns {
			have = append(have, c.Name)
		}
	} else {
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
		if d.value == "tsv" {
			r.Comma, r.LazyQuotes = '\t', true
		}
		var err error
		if have, err = r.Read(); err != nil && err != io.EOF {
			return fmt.Errorf("has no line of column names: %w", err)
		}
	}
	lacks := slices.DeleteFunc(slices.Clone(d.columns), func(c string) bool { return slices.Contains(have, c) })
	if len(lacks) == 0 {
		return nil
	}
	found := "it is empty"
	if have != nil {
		found = "its columns are " + words.Some(have, 20)
	}
	return fmt.Errorf("has no column %s, which outputs declares; %s", strings.Join(lacks, ", "), found)
}
