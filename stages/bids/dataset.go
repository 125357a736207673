package bids

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"prgnn/internal/foreign"
)

// A File is a file of a participant.
type File struct {
	Name
	Path string // as the dataset's directory was given, and on from there
	Dir  string // the data type: anat, func …
}

// Find gives the directory that holds the participants: dir itself, or its
// subdirectory fmriprep (the legacy layout).
func Find(dir string) (string, error) {
	var tried []string
	var refused error
	for _, d := range []string{dir, filepath.Join(dir, "fmriprep")} {
		s, err := Subjects(d)
		if err == nil && len(s) > 0 {
			return d, Broken(filepath.Join(d, "dataset_description.json"))
		}
		if Unlisted(err) && refused == nil {
			refused = foreign.Missing(d, err)
		}
		tried = append(tried, d)
	}
	if refused != nil {
		return "", refused
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: no such directory", dir)
	}
	return "", fmt.Errorf("no participants (directories sub-…) in %s", strings.Join(tried, " or "))
}

// FMRIPrep finds fMRIPrep's derivatives: a directory itself, and those directly in it.
func FMRIPrep(near string) []string {
	found := []string{near}
	entries, _ := os.ReadDir(near) // none where it cannot be read
	for _, e := range entries {
		found = append(found, filepath.Join(near, e.Name()))
	}
	isFMRIPrep := func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "fmriprep") }
	return slices.DeleteFunc(found, func(dir string) bool {
		return DatasetType(dir) != "derivative" || !isFMRIPrep(GeneratedBy(dir)) && !isFMRIPrep(filepath.Base(dir))
	})
}

// FMRIPrepWithin finds fMRIPrep's derivatives in a dataset or in its directory derivatives.
func FMRIPrepWithin(dir string) []string {
	return slices.DeleteFunc(slices.Concat(FMRIPrep(dir), FMRIPrep(filepath.Join(dir, "derivatives"))),
		func(d string) bool { return d == dir })
}

// Subjects are the participants who have a directory, sub-… or sub-…_ses-… (C-PAC),
// sorted.
func Subjects(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var subjects []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "sub-") && isDir(dir, e) {
			name, _, _ := strings.Cut(e.Name(), "_ses-")
			subjects = append(subjects, name)
		}
	}
	slices.Sort(subjects)
	return slices.Compact(subjects), nil
}

// Unlisted reports whether an error of listing a directory hides what is in it; where there is no such directory,
// nothing is.
func Unlisted(err error) bool {
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// isDir follows links, which data managers make of directories.
func isDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// Files are the files in the data type directories (anat, func) of a participant,
// with or without sessions between, sorted by path. A file that names another
// participant or session than the directory it lies in is none of them.
func Files(dir, subject string) ([]File, error) {
	type level struct{ dir, session string }
	var levels []level
	root := filepath.Join(dir, subject)
	entries, err := os.ReadDir(root)
	if err == nil {
		levels = append(levels, level{root, ""})
	}
	for _, e := range entries {
		if session, ok := strings.CutPrefix(e.Name(), "ses-"); ok && isDir(root, e) {
			levels = append(levels, level{filepath.Join(root, e.Name()), session})
		}
	}
	beside, err2 := filepath.Glob(filepath.Join(escape(dir), subject+"_ses-*"))
	for _, path := range beside {
		levels = append(levels, level{path, strings.TrimPrefix(filepath.Base(path), subject+"_ses-")})
	}
	if levels == nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, err2)
	}
	var files []File
	for _, l := range levels {
		above := l.dir
		for _, kind := range []string{"anat", "func"} {
			entries, err := os.ReadDir(filepath.Join(above, kind))
			if Unlisted(err) {
				return nil, err
			}
			for _, e := range entries {
				if n, ok := Parse(e.Name()); ok && n.Get("sub") == strings.TrimPrefix(subject, "sub-") &&
					n.Get("ses") == l.session {
					files = append(files, File{n, filepath.Join(above, kind, e.Name()), kind})
				}
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// escape keeps the letters of a path from being taken for a pattern.
func escape(path string) string {
	if filepath.Separator == '\\' { // where patterns know no escape
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Sources are directories in which the raw dataset may lie that a dataset was made
// from: the ones around it, those that its description links to, and the customary
// places. They need not be there.
func Sources(dir string) []string {
	above := filepath.Dir(filepath.Clean(dir))
	places := []string{above, filepath.Dir(above)}
	b, err := ReadJSON(filepath.Join(dir, "dataset_description.json"))
	var d struct {
		DatasetLinks   map[string]string
		SourceDatasets []struct{ URL string }
	}
	if err == nil && Decode(b, &d) == nil {
		links := slices.Sorted(maps.Keys(d.DatasetLinks))
		for i, name := range links {
			links[i] = d.DatasetLinks[name]
		}
		for _, s := range d.SourceDatasets {
			links = append(links, s.URL)
		}
		for _, link := range links {
			path := filepath.FromSlash(strings.TrimPrefix(link, "file://"))
			switch {
			// elsewhere on the net
			case path == "" || strings.Contains(link, "://") && path == filepath.FromSlash(link):
			case filepath.IsAbs(path):
				places = append(places, path)
			default:
				places = append(places, filepath.Join(dir, path))
			}
		}
	}
	for _, name := range []string{"raw", "rawdata", "bids"} {
		places = append(places, filepath.Join(dir, "sourcedata", name), filepath.Join(above, name),
			filepath.Join(filepath.Dir(above), name))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != filepath.Clean(dir) { // a link to derivatives
		places = append(places, Sources(real)...)
	}
	return places
}

// GeneratedBy names the program that made a dataset, "fMRIPrep 25.2.0", or "".
func GeneratedBy(dir string) string {
	b, err := ReadJSON(filepath.Join(dir, "dataset_description.json"))
	if err != nil {
		return ""
	}
	var d struct {
		GeneratedBy         []struct{ Name, Version string }
		PipelineDescription struct{ Name, Version string } // before BIDS 1.4
	}
	if Decode(b, &d) != nil {
		return ""
	}
	by := d.PipelineDescription
	if len(d.GeneratedBy) > 0 {
		by = d.GeneratedBy[0]
	}
	return strings.TrimSpace(by.Name + " " + by.Version)
}

// DatasetType is what a dataset says it is: raw, derivative …; "" where it does not say.
func DatasetType(dir string) string {
	b, err := ReadJSON(filepath.Join(dir, "dataset_description.json"))
	if err != nil {
		return ""
	}
	var d struct{ DatasetType string }
	Decode(b, &d) // whatever it is not, it is of no type
	return d.DatasetType
}
