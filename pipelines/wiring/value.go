package wiring

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
	"prgnn/pipelines/tree"
	"prgnn/stages/cohort/userfile"
)

// SameValue reports whether two values set the same: 1 and 1.0 do.
func SameValue(a, b *tree.Node) bool {
	switch {
	case a.Kind == tree.Scalar && b.Kind == tree.Scalar:
		_, text := a.Value.(string)
		_, other := b.Value.(string)
		return reflect.DeepEqual(a.Decoded(), b.Decoded()) ||
			!text && !other && SameNumber(ScalarText(a.Value), ScalarText(b.Value))
	case a.Kind == tree.List && b.Kind == tree.List:
		return slices.EqualFunc(a.Items, b.Items, SameValue)
	case a.Kind == tree.List && len(a.Items) == 1 && b.Kind == tree.Scalar: // of a matrix
		return SameValue(a.Items[0], b)
	case a.Kind == tree.Mapping && b.Kind == tree.Mapping:
		return len(a.Keys) == len(b.Keys) && !slices.ContainsFunc(a.Keys, func(k tree.Key) bool {
			other := b.Get(k.Name)
			return other == nil || !SameValue(k.Value, other)
		})
	}
	return reflect.DeepEqual(a.Decoded(), b.Decoded())
}

// SameNumber reports whether two texts are one number.
func SameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, also := strconv.ParseFloat(b, 64)
	return a == b || err == nil && also == nil && x == y && strings.ContainsAny(a+b, ".eE")
}

// Shortly is a value for a sentence.
func Shortly(v *tree.Node) string {
	switch v.Kind {
	case tree.Scalar:
		return cmp.Or(v.Text, "empty")
	case tree.List:
		return "[" + strings.Join(lists.Map(v.Items, Shortly), ", ") + "]"
	}
	return v.String()
}

// Default is the default of a parameter of a stage.
func Default(stage *tree.Node, name string) (text string, ok bool) {
	kind, ok := dag.Lookup(Kind(stage))
	if !ok {
		return "", false
	}
	for _, p := range param.Of(kind.New()) {
		if p.Name == name {
			return strings.Join(Texts(p.Default), ", "), true
		}
	}
	return "", false
}

// Texts is the value of a parameter as a list of texts; a value that is no list has one item.
func Texts(v any) []string {
	list := reflect.ValueOf(v)
	switch {
	case v == nil:
		return nil
	case list.Kind() != reflect.Slice:
		return []string{fmt.Sprint(v)}
	}
	items := make([]string, list.Len())
	for i := range items {
		items[i] = fmt.Sprint(list.Index(i))
	}
	return items
}

var rangeForm = pattern.New(`^(-?[0-9]+)\.\.(-?[0-9]+)$`)

// RangeOf reads 1..5, both ends included. In quotes it is a text.
func RangeOf(t *tree.Node) (lo, hi int, ok bool, wrong string) {
	if t.Kind != tree.Scalar || !t.Plain {
		return 0, 0, false, ""
	}
	m := rangeForm.FindStringSubmatch(t.Text)
	if m == nil {
		return 0, 0, false, ""
	}
	lo, errLo := strconv.Atoi(m[1])
	hi, errHi := strconv.Atoi(m[2])
	switch {
	case errLo != nil || errHi != nil || max(lo, -lo) > math.MaxInt32 || max(hi, -hi) > math.MaxInt32:
		return 0, 0, false, fmt.Sprintf("the range %s goes beyond ±%d", t.Text, math.MaxInt32)
	case lo > hi:
		return 0, 0, false, fmt.Sprintf("the range %s counts down; write it %d..%d", t.Text, hi, lo)
	}
	return lo, hi, true, ""
}

// Textual gives a parameter that takes a text the text of a number, rather than
// refuse it: as an axis, value: [1..10] is as good as value: ["1", "2", …].
func Textual(typ string, value any, text string) any {
	elements, isList := value.([]any)
	switch {
	case typ == "text" && !isList:
		return text
	case typ == "list of texts" && isList:
		all := make([]any, len(elements))
		for i, e := range elements {
			all[i] = ScalarText(e)
		}
		return all
	}
	return value
}

// References are the texts of references; of a file its path as the pipeline file has it if that is within its
// directory, and else its name, so that nothing depends on where data lie.
func References(t *tree.Node) (texts []string) {
	switch {
	case t == nil || t.Kind == tree.Empty:
		return []string{"none"}
	case t.Kind == tree.Mapping && t.Get("file") != nil:
		file := t.Get("file")
		if file.Head == "" && filepath.IsLocal(filepath.FromSlash(file.Text)) {
			return []string{path.Clean(filepath.ToSlash(file.Text))}
		}
		return []string{path.Base(filepath.ToSlash(file.Text))}
	case t.Kind == tree.List:
		for _, item := range t.Items {
			texts = append(texts, References(item)...)
		}
		return texts
	}
	return []string{t.Text}
}

// SamePlaces finds each of the texts a among b.
func SamePlaces(a, b []string) []int32 {
	if slices.Equal(a, b) {
		same := make([]int32, len(a))
		for i := range same {
			same[i] = int32(i)
		}
		return same
	}
	place := make(map[string]int32, len(b))
	for i, text := range b {
		place[text] = int32(i)
	}
	same := make([]int32, len(a))
	for i, text := range a {
		p, ok := place[text]
		if !ok {
			p = -1
		}
		same[i] = p
	}
	return same
}

// WithoutPrefix adds to the error of a missing file of a participant, sub-01, that one is there under the id that the
// table has.
func WithoutPrefix(path, id string, err error) error {
	there := strings.ReplaceAll(path, id, strings.TrimPrefix(id, "sub-"))
	if _, missing := os.Stat(there); id == "" || there == path || missing != nil {
		return err
	}
	return fmt.Errorf("%w; %s is there, but ${subject} is %s, with sub- before the id of the table: rename the files, or make links with these names",
		err, filepath.Base(there), id)
}

// mostFiles is how many files a directory may have as an input.
const mostFiles = 1000

// FilesIn are the files of a directory and its subdirectories, each with the coordinate file: its path from there. Left
// out are names that begin with a dot, and Python's caches.
func FilesIn(dir, name, format string) (files []dag.Source, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || path == dir:
			return err
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") || e.Name() == "__pycache__"):
			return fs.SkipDir
		case e.IsDir() || strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".pyc"):
			return nil
		case len(files) == mostFiles:
			return fmt.Errorf("%s has more than %d files: connect a directory that has only the files that count", dir, mostFiles)
		case !e.Type().IsRegular():
			info, err := e.Info()
			if err == nil {
				err = &regular.Error{Path: path, What: regular.Otherwise(info)}
			}
			return err
		}
		within, err := filepath.Rel(dir, path)
		within = filepath.ToSlash(within)
		files = append(files, dag.Source{Coords: []dag.Coord{{Axis: "file", Value: within}}, File: path,
			Name: name + "/" + within, Format: cmp.Or(format, userfile.FormatOf(within))})
		return err
	})
	if err == nil && files == nil {
		err = fmt.Errorf("the directory %s has no files", dir)
	}
	slices.SortFunc(files, func(a, b dag.Source) int { return dag.CompareCoords(a.Coords, b.Coords) })
	return files, err
}
