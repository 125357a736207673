package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/pattern"
	"prgnn/pipelines"
)

//go:embed model
var modelFiles embed.FS

// modelName is a name of a Python module and of a stage.
var modelName = pattern.New(`^[a-z][a-z0-9_]{0,60}$`)

// taken are words of Python, and modules that a model imports: one of the same name would stand before them.
var taken = strings.Fields(`and as assert async await break case class continue def del elif else except finally for from
	global if import in is lambda match nonlocal not or pass raise return try type while with yield
	abc ast copy csv enum functools host importlib inspect io itertools json logging math model numpy operator os pandas
	pathlib pickle queue random re scipy shutil signal site sklearn statistics string struct subprocess sys tempfile test
	threading time torch traceback types typing warnings`)

// Model writes the pipeline file NAME.yaml and the Python module NAME/NAME.py into dir, and returns their paths. Files
// that are there are left alone.
func Model(name, dir string) (files []string, err error) {
	switch {
	case !modelName.MatchString(name):
		return nil, exit.Wrongf("%q cannot name a model, because it is also the name of a Python module; use lower-case letters, digits and _, beginning with a letter", name)
	case slices.Contains(taken, name):
		return nil, exit.Wrongf("%q is a word or a module of Python: choose another name", name)
	}
	if p, err := pipelines.Load("quick.yaml", nil); err == nil {
		for _, s := range p.Graph.Stages() {
			if s.Name() == name {
				return nil, exit.Wrongf("quick.yaml has a stage %s already: choose another name", name)
			}
		}
	}
	for _, template := range []string{"NAME.yaml", "NAME.py"} {
		path := filepath.Join(dir, strings.Replace(template, "NAME", name, 1))
		if template == "NAME.py" {
			path = filepath.Join(dir, name, name+".py")
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Wrongf("%s exists already and was not changed", path)
		}
		files = append(files, path)
	}
	for i, template := range []string{"NAME.yaml", "NAME.py"} {
		text, err := fs.ReadFile(modelFiles, "model/"+template)
		if err != nil {
			return nil, fmt.Errorf("the template: %w", err)
		}
		if err := Study(files[i], strings.ReplaceAll(string(text), "NAME", name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
