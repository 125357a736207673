package pipelines

import (
	"fmt"
	"os"
	"path/filepath"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/foreign"
	"prgnn/internal/regular"
	"prgnn/stages/cohort/userfile"
)

// userFile connects {file: PATH}.
func (l *loader) userFile(s *stage, p *dag.Port, r ref, where string) (*source, bool) {
	src := &source{ref: r, format: p.Type.Format}
	if src.format == "" {
		src.format = userfile.FormatOf(r.text)
	}
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
		if err == nil {
			var info os.FileInfo
			if info, err = os.Stat(path); err == nil && regular.Otherwise(info) != "" {
				err = &regular.Error{Path: path, What: regular.Otherwise(info)}
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
		src.files, src.names = append(src.files, path), append(src.names, l.places.name(r.file, name))
	}
	return src, missing == 0
}
