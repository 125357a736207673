// Package bids finds files in a dataset that is laid out and named by the Brain
// Imaging Data Structure: derivatives of fMRIPrep of any version.
//
// A file is known by its name alone: entities (task-rest), suffix (bold) and
// extension (.nii.gz). Files are listed sorted, and no file is opened but the JSON
// sidecars that are asked for.
package bids

import (
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
	"prgnn/internal/lists"
)

// A Name is the name of a file: sub-01_task-rest_run-1_desc-preproc_bold.nii.gz.
type Name struct {
	Entities  []Entity // in the order of the name
	Suffix    string   // bold
	Extension string   // .nii.gz
}

// An Entity is one part of a name: task-rest.
type Entity struct{ Key, Value string }

// Parse takes a file name apart. ok is false when it is none of a participant's
// files.
func Parse(file string) (n Name, ok bool) {
	n, ok = ParseName(file)
	if !ok || n.Entities[0].Key != "sub" {
		return Name{}, false
	}
	return n, true
}

// ParseName takes apart the name of any file that has entities, such as one of a template.
func ParseName(file string) (n Name, ok bool) {
	stem, ext, _ := strings.Cut(file, ".")
	parts := strings.Split(stem, "_")
	for i, p := range parts {
		key, value, pair := strings.Cut(p, "-")
		switch {
		case pair && key != "" && value != "":
			n.Entities = append(n.Entities, Entity{key, value})
		case !pair && i == len(parts)-1 && p != "":
			n.Suffix = p
		default:
			return Name{}, false
		}
	}
	if len(n.Entities) == 0 || n.Suffix == "" {
		return Name{}, false
	}
	if ext != "" {
		n.Extension = "." + ext
	}
	return n, true
}

// Get is the value of an entity, "" where the name has none of that key.
func (n Name) Get(key string) string {
	for _, e := range n.Entities {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}

// Same reports whether two values of an entity mean the same: run-1 and run-01 do, and 1.0 in a table.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	a, _ = cell.Whole(a)
	b, _ = cell.Whole(b)
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err1 == nil && err2 == nil && x == y
}

// A Want says which files are meant.
type Want struct {
	Suffixes   []string          // any of them
	Extensions []string          // any of them
	Entities   map[string]string // values; "" for none of that key; keys that are not here may have any
}

// Images are the extensions of images of voxels.
var Images = []string{".nii.gz", ".nii"}

// Fits reports whether a name is one of those meant.
func (w Want) Fits(n Name) bool {
	if !slices.Contains(w.Suffixes, n.Suffix) || !slices.Contains(w.Extensions, n.Extension) {
		return false
	}
	for key, value := range w.Entities {
		if !Same(n.Get(key), value) {
			return false
		}
	}
	return true
}

// Pick are the files of a data type that are wanted.
func Pick(files []File, dir string, want Want) []File {
	picked := lists.Keep(files, func(f File) bool { return f.Dir == dir && want.Fits(f.Name) })
	return picked
}

// SameRun adds to what is wanted that it is of a scan's run.
func SameRun(scan File, want map[string]string) map[string]string {
	for _, key := range RunEntities {
		want[key] = scan.Get(key)
	}
	return want
}
