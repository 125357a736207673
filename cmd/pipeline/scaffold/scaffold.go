// Package scaffold writes what a user begins with: a pipeline file, or the Go module of a lab's own stage
// kind. The module's template is the example own-stage of the source that the module is built with, a clone or an
// unpacked release, so that what is written fits it.
package scaffold

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/internal/version"
)

// Study writes the text of a pipeline file to a path. A file that is there is left alone.
func Study(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exit.Wrongf("%s exists already and was not changed", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// stageName is a kind's name that is a Go package's too.
var stageName = pattern.New(`^[a-z][a-z0-9]*$`)

// A Template is an example in the source: its directory, its name in texts, the path of its module, and the path from
// there to the source.
type Template struct{ dir, stage, module, toSource string }

// The templates: a kind that reads a column of the participants, and kinds without participants.
var (
	OfParticipants = Template{"examples/own-stage", "outliers", "examples/own-stage", "../.."}
	Plain          = Template{"examples/weather/go", "weather", "examples/weather", "../../.."}
)

const (
	unpacked = "prgnn-" + version.Number + "-source" // the release's archive of the source, and its directory
)

// Module writes a module into dir, which is new or empty, with the kind name, and returns its files. clone
// is the directory of the source of prgnn ("" for the one beside dir), modulePath the module's path ("" for
// the name of dir).
func Module(from Template, name, dir, clone, modulePath string) (files []string, err error) {
	var absent error
	if clone == "" {
		beside := filepath.Dir(filepath.Clean(dir))
		if clone = filepath.Join(beside, unpacked); checkClone(clone) != nil {
			clone = filepath.Join(beside, "prgnn")
		}
		if _, err := os.Stat(clone); errors.Is(err, fs.ErrNotExist) {
			absent = fmt.Errorf("there is no source of prgnn beside the new module, as %s or prgnn: unpack %[1]s.tar.gz of the release there, or name a clone by --clone DIR", unpacked)
		}
	}
	if modulePath == "" {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		modulePath = filepath.Base(full)
	}
	if absent == nil {
		absent = checkClone(clone)
	}
	if err := errors.Join(checkStageName(name), checkModule(modulePath), absent, checkNew(dir)); err != nil {
		return nil, exit.Wrongf("%v", err)
	}
	toClone, err := fromTo(dir, clone)
	if err != nil {
		return nil, err
	}
	write := strings.NewReplacer(
		from.module+"/"+from.stage, modulePath+"/"+name, from.module, modulePath, from.stage, name,
		strings.ToUpper(from.stage[:1])+from.stage[1:], strings.ToUpper(name[:1])+name[1:],
		"=> "+from.toSource, "=> "+modfile.AutoQuote(toClone))

	room, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".new-stage-")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Wrongf("there is no directory %s", filepath.Dir(filepath.Clean(dir)))
	} else if err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	made := filepath.Join(room, name)
	files, err = fill(made, os.DirFS(filepath.Join(clone, filepath.FromSlash(from.dir))), write)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(clone, filepath.FromSlash(from.dir)), err)
	}
	_ = os.Remove(dir) // an empty one gives its place
	if err := os.Rename(made, dir); err != nil {
		return nil, err
	}
	return files, nil
}

// fill writes the files of the template, but the generated ones: go generate makes them.
func fill(dir string, template fs.FS, write *strings.Replacer) (files []string, err error) {
	err = fs.WalkDir(template, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && !strings.HasPrefix(e.Name(), ".") || e.IsDir() && file == "." {
			return err
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		if !slices.Contains([]string{".go", ".mod", ".sum", ".yaml", ".csv", ".tsv"}, path.Ext(file)) ||
			strings.HasSuffix(file, "_gen.go") || path.Dir(file) == "." && strings.HasSuffix(file, "sv") {
			return nil // a table at the top is what somebody exported there
		}
		text, err := fs.ReadFile(template, file)
		if err != nil {
			return err
		}
		if path.Ext(file) != ".sum" {
			text = []byte(write.Replace(string(text)))
		}
		file = write.Replace(file)
		files = append(files, file)
		to := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
	slices.Sort(files)
	return files, err
}

func checkStageName(name string) error {
	_, taken := dag.Lookup(name)
	switch {
	case !stageName.MatchString(name), token.IsKeyword(name),
		slices.Contains([]string{"main", "internal", "vendor", "testdata"}, name):
		return fmt.Errorf("%q cannot name the kind: it is also the name of a Go package, so use lower-case letters and digits, beginning with a letter, and no Go keyword", name)
	case taken:
		return fmt.Errorf("there is a stage kind %s already", name)
	}
	return nil
}

func checkModule(path string) error {
	if err := module.CheckImportPath(path); err != nil {
		return fmt.Errorf("--module: %w", err)
	}
	return nil
}

func checkClone(clone string) error {
	text, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err == nil && modfile.ModulePath(text) == version.Module {
		if _, err = os.Stat(filepath.Join(clone, filepath.FromSlash(OfParticipants.dir), "go.mod")); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s does not hold the source of prgnn: unpack %s.tar.gz of the release beside the new module, or name a clone by --clone DIR", clone, unpacked)
}

func checkNew(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty and was not changed", dir)
	}
	return nil
}

// fromTo is the path of the clone for go.mod: relative where the clone was given so.
func fromTo(dir, clone string) (string, error) {
	if filepath.IsAbs(clone) {
		return filepath.ToSlash(filepath.Clean(clone)), nil
	}
	rel, err := filepath.Rel(dir, clone)
	if err != nil {
		full, err := filepath.Abs(clone)
		return filepath.ToSlash(full), err
	}
	if !strings.HasPrefix(rel, "..") {
		rel = "./" + rel
	}
	return filepath.ToSlash(rel), nil
}
