package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
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

// pathColumn has the files of a gathered input, beside its coordinates.
const pathColumn = "path"

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
				if c.Axis == pathColumn {
					return "", fmt.Errorf("its members have an axis named %s, and the table of its files has a column of this name: give the axis a different name",
						pathColumn)
				}
				column[c.Axis] = len(axes)
				axes = append(axes, c.Axis)
			}
		}
	}
	var table strings.Builder
	table.WriteString(strings.Join(append(axes, pathColumn), "\t") + "\n")
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

// collect reads and checks an output, the file at a path in the command's directory. No link is followed: the command
// may have put one in place of the file, or of the directory around it, that leads to files which it may not read.
func collect(ctx context.Context, room *os.Root, path string, d declared) (artifacts.Value, error) {
	switch around, err := room.Lstat(filepath.Dir(path)); {
	case err != nil && !os.IsNotExist(err):
		return nil, err
	case err == nil && !around.IsDir():
		return nil, fmt.Errorf("the command replaced its directory %s by %s: it must write the output %s ({%s}) into the directory that it finds", filepath.Dir(path), regular.Otherwise(around), d.name, d.name)
	}
	info, err := room.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return nil, fmt.Errorf("the command did not write its output %s ({%s} in the command is the path of the file)", d.name, d.name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("the output %s is %s: the command must write a regular file to {%s}", d.name, regular.Otherwise(info), d.name)
	}
	f, err := room.OpenFile(path, os.O_RDONLY|regular.NonBlock, 0)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("the output %s (%s) cannot be read, since the command left it with mode %03o: the command must leave it readable (chmod u+r)", d.name, filepath.Base(path), info.Mode().Perm())
	}
	if err != nil {
		return nil, fmt.Errorf("the output %s (%s): %w", d.name, filepath.Base(path), err)
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		f.Close()
		return nil, changed(d.name, path)
	}
	limit := int64(math.MaxInt64)
	if known := formats[d.value]; known.decoded || known.text {
		limit = mostDecoded
	}
	if info.Size() > limit {
		f.Close()
		return nil, fmt.Errorf("the output %s (%s) has %d bytes, and %s is read up to %d GiB: write it in parts, or as a format that is stored unread, such as bin", d.name, filepath.Base(path), info.Size(), d.value, limit>>30)
	}
	v := &written{ctx, d.value, f, info.Size(), d.name, info.ModTime()}
	if err := v.check(d); err != nil {
		f.Close()
		return nil, fmt.Errorf("the output %s is not %s: %w", d.name, d.value, err)
	}
	if err := checkColumns(v, d); err != nil {
		f.Close()
		return nil, fmt.Errorf("the output %s (%s) %w", d.name, filepath.Base(path), err)
	}
	if v.size > mostInMemory {
		return v, nil // the file stays until it is closed, also when its directory is gone
	}
	defer f.Close()
	data, err := io.ReadAll(v.reader())
	if err == nil {
		err = v.unchanged()
	}
	return artifacts.Bytes{Kind: d.value, Data: data}, err
}

func changed(name, path string) error {
	return fmt.Errorf("the output %s (%s) was changed while it was read: the command must leave no process behind that writes to it (setsid, a daemon)", name, filepath.Base(path))
}

// mostInMemory is the size up to which an output is held in memory, bytes; mostDecoded the one up to which a text, a
// table or JSON is read.
const (
	mostInMemory = 16 << 20
	mostDecoded  = 2 << 30
)

// A written output is a large file of the command on its way into the store.
type written struct {
	ctx    context.Context // it is read until this ends
	format string
	f      *os.File // closed with the last reference to it
	size   int64
	name   string
	time   time.Time // of its last change, when it was opened
}

// unchanged refuses a file that a process has written to since it was opened.
func (w *written) unchanged() error {
	info, err := w.f.Stat()
	if err == nil && (info.Size() != w.size || !info.ModTime().Equal(w.time)) {
		err = changed(w.name, w.f.Name())
	}
	return err
}

func (w *written) Format() string { return w.format }

// Size is that of the file, in bytes: the store refuses more than it has room for before anything is written. A sparse
// file has few blocks, and is stored with all its bytes.
func (w *written) Size() int64 { return w.size }

// Encode writes the file.
func (w *written) Encode(to io.Writer) error {
	n, err := io.Copy(to, w.reader())
	if err == nil && n != w.size {
		return changed(w.name, w.f.Name())
	}
	if err == nil {
		err = w.unchanged()
	}
	return err
}

// reader reads the file from its beginning. Its length bounds what readers believe of it.
func (w *written) reader() sized { return sized{io.NewSectionReader(w.f, 0, w.size), w.ctx} }

type sized struct {
	*io.SectionReader
	ctx context.Context
}

func (s sized) Read(p []byte) (int, error) { return regular.Until(s.ctx, s.SectionReader).Read(p) }

func (s sized) Len() int {
	at, _ := s.Seek(0, io.SeekCurrent)
	return int(s.Size() - at)
}

// A format is what an output of this name must look like.
type format struct {
	starts        []string // one of them; none: anything
	at            int      // where
	has           string   // in the first bytes
	text, decoded bool
}

var (
	hdf5Start = "\x89HDF\r\n\x1a\n"
	zipStarts = []string{"PK\x03\x04", "PK\x05\x06"}
	plain     = format{text: true}
	formats   = map[string]format{
		"npy": {starts: []string{"\x93NUMPY"}}, "arrow": {decoded: true}, "json": {decoded: true},
		"nifti": {}, "cifti": {},
		"text": plain, "txt": plain, "log": plain, "tsv": plain, "csv": plain, "yaml": plain, "yml": plain, "md": plain,
		"tex": plain, "xml": plain, "toml": plain, "bib": plain, "bval": plain, "bvec": plain, "py": plain, "sh": plain,
		"r": plain, "R": plain, "m": plain, "jl": plain, "js": plain, "css": plain,
		"html": {text: true, has: "<"}, "svg": {text: true, has: "<svg"}, "gifti": {text: true, has: "<GIFTI"},
		"gii": {text: true, has: "<GIFTI"},
		"png": {starts: []string{"\x89PNG\r\n\x1a\n"}}, "gif": {starts: []string{"GIF87a", "GIF89a"}},
		"jpg": {starts: []string{"\xff\xd8\xff"}}, "jpeg": {starts: []string{"\xff\xd8\xff"}},
		"tif": {starts: tiffStarts}, "tiff": {starts: tiffStarts}, "pdf": {starts: []string{"%PDF-"}},
		"eps": {starts: []string{"%!PS", "\xc5\xd0\xd3\xc6"}}, "parquet": {starts: []string{"PAR1"}},
		"h5": {starts: []string{hdf5Start}}, "hdf5": {starts: []string{hdf5Start}},
		"mat": {starts: []string{"MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file", hdf5Start, "\x00\x00\x00\x00"}},
		"itk": {starts: []string{hdf5Start, "#Insight Transform File"}},
		"npz": {starts: zipStarts}, "zip": {starts: zipStarts}, "xlsx": {starts: zipStarts},
		"docx": {starts: zipStarts},
		"gz":   {starts: []string{"\x1f\x8b"}}, "tar": {starts: []string{"ustar"}, at: 257},
		"bin": {}, "series": {}, "matrix": {}, "pkl": {}, "rds": {}, "pt": {}, "onnx": {}, "mgh": {}, "mgz": {},
		"annot": {}, "label": plain, "tck": {starts: []string{"mrtrix tracks"}}, "trk": {starts: []string{"TRACK"}},
	}
	tiffStarts = []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}
)

// check looks at how the file begins, and reads what can be read.
func (w *written) check(d declared) error {
	known := formats[d.value]
	head := make([]byte, min(w.size, 1<<16))
	if _, err := io.ReadFull(w.reader(), head); err != nil {
		return err
	}
	begins := func(start string) bool { return bytes.HasPrefix(head[min(known.at, len(head)):], []byte(start)) }
	if known.starts != nil && !slices.ContainsFunc(known.starts, begins) {
		return fmt.Errorf("it begins with %q", head[:min(len(head), 16)])
	}
	if !bytes.Contains(head, []byte(known.has)) {
		return fmt.Errorf("%s is not in its first %d bytes", known.has, len(head))
	}
	if known.text {
		return isText(w.reader())
	}
	switch d.value {
	case "npy":
		if w.size > mostDecoded {
			return nil
		}
		_, err := encoding.ReadArray(w.reader())
		return err
	case "arrow":
		_, err := encoding.ReadTable(w.reader())
		return err
	case "nifti", "cifti":
		r, err := nifti.NewReader(w.reader(), d.name)
		if err != nil {
			return err
		}
		defer r.Close()
		ofCIFTI := func(x nifti.Extension) bool { return x.Code == 32 }
		if d.value == "cifti" && !slices.ContainsFunc(r.Extensions, ofCIFTI) {
			return errors.New("it has no CIFTI header")
		}
		for range r.Volumes() {
			if _, err := r.NextRaw(); err != nil {
				return err
			}
		}
	case "json":
		b, err := io.ReadAll(w.reader())
		if err != nil {
			return err
		}
		var v any
		return json.Unmarshal(b, &v)
	case "parquet":
		tail := make([]byte, 4)
		if _, err := w.f.ReadAt(tail, max(0, w.size-4)); err != nil || string(tail) != "PAR1" {
			return errors.New("it does not end as Parquet files do: it is incomplete")
		}
	}
	return nil
}

// isText requires UTF-8 without zero bytes.
func isText(r io.Reader) error {
	b := make([]byte, 1<<16)
	rest := 0 // bytes of a character that has only begun
	for {
		n, err := io.ReadFull(r, b[rest:])
		text := b[:rest+n]
		whole := len(text)
		if err == nil {
			for i := 1; i <= utf8.UTFMax && i <= len(text); i++ {
				if utf8.RuneStart(text[len(text)-i]) {
					if !utf8.FullRune(text[len(text)-i:]) {
						whole = len(text) - i
					}
					break
				}
			}
		}
		if !utf8.Valid(text[:whole]) {
			return errors.New("it is not UTF-8")
		}
		if bytes.IndexByte(text[:whole], 0) >= 0 {
			return errors.New("not a text: it has bytes of value 0")
		}
		rest = copy(b, text[whole:])
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// tables are the formats with columns that an output may declare.
var tables = []string{"arrow", "tsv", "csv"}

// checkColumns refuses a table without a column that its output declares: what reads it later would say so, or not.
func checkColumns(w *written, d declared) error {
	if d.columns == nil {
		return nil
	}
	var have []string
	var rows *csv.Reader
	if d.value == "arrow" {
		table, err := encoding.ReadTable(w.reader())
		if err != nil {
			return err
		}
		for _, c := range table.Columns {
			have = append(have, c.Name)
		}
	} else {
		text := bufio.NewReader(w.reader())
		if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
			_, _ = text.Discard(3)
		}
		r := csv.NewReader(text)
		if d.value == "tsv" {
			r.Comma, r.LazyQuotes = '\t', true
		}
		var err error
		r.FieldsPerRecord = -1
		if have, err = r.Read(); err != nil && err != io.EOF {
			return fmt.Errorf("has no line of column names: %w", err)
		}
		rows = r
		if d.value == "tsv" && strings.Contains(strings.Join(have, ""), "\n") { // it took in rows
			return errors.New("has a column name that begins with a quotation mark and does not end with one: remove it")
		}
	}
	for i, name := range have {
		if slices.Contains(have[:i], name) {
			return fmt.Errorf("has several columns %q: each column must have a name of its own", name)
		}
	}
	lacks := slices.DeleteFunc(slices.Clone(d.columns), func(c string) bool { return slices.Contains(have, c) })
	if len(lacks) == 0 && rows != nil {
		return checkRows(rows, len(have), d.value)
	}
	if len(lacks) == 0 {
		return nil
	}
	found := "it is empty"
	if have != nil {
		found = "its columns are " + words.Some(have, 20)
	}
	return fmt.Errorf("has no column %s, which outputs declares; %s", strings.Join(lacks, ", "), found)
}

// checkRows refuses a row with another number of values than there are columns, as the tables of cohorts do: empty
// lines and empty values at the end of one do not count.
func checkRows(r *csv.Reader, columns int, format string) error {
	r.ReuseRecord = true
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is not a table: %w", err)
		}
		line, _ := r.FieldPos(0)
		if format == "tsv" && slices.ContainsFunc(row, func(v string) bool { return strings.Contains(v, "\n") }) {
			return fmt.Errorf("has a value in line %d that begins with a quotation mark and does not end with one: remove it", line)
		}
		for len(row) > columns && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		empty := !slices.ContainsFunc(row, func(v string) bool { return v != "" })
		if len(row) != columns && !empty {
			return fmt.Errorf("has %s in line %d, but the first line has %d", words.Count(len(row), "value"), line, columns)
		}
	}
}
