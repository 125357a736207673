package pipelines

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/foreign"
	"prgnn/internal/regular"
	"prgnn/stages/cohort/userfile"
)

// userFile connects {file: PATH}. For a port that gathers, PATH may be a directory.
func (l *loader) userFile(s *stage, p *dag.Port, r ref, where string) (*source, bool) {
	src := &source{ref: r}
	open := r.file.Open()
	for _, name := range open {
		for i := range s.axes {
			s.axes[i].used = s.axes[i].used || s.axes[i].name == name
		}
	}
	l.places.add(r.file, param.PlaceAlways)
	n := s.members
	if len(open) == 0 {
		n = min(n, 1)
	}
	if len(open) > 0 && !l.fits(s, r.file.Pos, float64(n), len(l.dir)+width(r.file, s)) {
		return src, false
	}
	missing := 0
	for m := range n {
		name, isText := r.file.Fill(func(axis string) (any, string) { return s.coordinate(m, axis) }).(string)
		if !isText {
			name = fmt.Sprint(r.file.Value)
		}
		path, err := filepath.Abs(filepath.FromSlash(name))
		if !filepath.IsAbs(name) {
			path, err = filepath.Abs(filepath.Join(l.dir, filepath.FromSlash(name)))
		}
		var files []dag.Source
		if err == nil {
			var info os.FileInfo
			switch info, err = os.Stat(path); {
			case err != nil:
			case info.IsDir() && p.Gather:
				files, err = filesIn(path, l.places.name(r.file, name), p.Type.Format)
			case regular.Otherwise(info) != "":
				err = &regular.Error{Path: path, What: regular.Otherwise(info)}
			default:
				files = []dag.Source{{File: path, Name: l.places.name(r.file, name),
					Format: cmp.Or(p.Type.Format, userfile.FormatOf(r.text))}}
			}
		}
		if _, link := os.Readlink(path); os.IsNotExist(err) && link == nil {
			err = foreign.Missing(path, err)
		} else if os.IsNotExist(err) {
			err = fmt.Errorf("there is no file %s", path)
		}
		if err != nil {
			if missing++; missing == 1 {
				l.bad.Add(r.file.Pos, "%s: %v", where, err)
			}
		}
		src.files = append(src.files, files)
	}
	return src, missing == 0
}

// mostFiles is how many files a directory may have as an input.
const mostFiles = 1000

// filesIn are the files of a directory and its subdirectories, each with the coordinate file: its path from there. Left
// out are names that begin with a dot, and Python's caches.
func filesIn(dir, name, format string) (files []dag.Source, err error) {
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
