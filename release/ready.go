package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"prgnn/internal/version"
)

// ready says why the source in a directory is not that of a release: the changelog, or the list of what a pipeline
// file can name, is not brought up to date (docs/versions.md, "How a release is made").
func ready(dir string) error {
	return errors.Join(changelogReady(dir, version.Number), promisesReady(dir, version.Number))
}

// changelogReady wants a section of the version in CHANGELOG.md, and its details in changelog/VERSION.
func changelogReady(dir, number string) error {
	text, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	var errs []error
	section := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(number) + `(?: .*)?$`).FindString(string(text))
	switch {
	case section == "":
		errs = append(errs, fmt.Errorf("CHANGELOG.md has no section %q", "## "+number))
	case strings.Contains(section, "unreleased"):
		errs = append(errs, fmt.Errorf("CHANGELOG.md says %q: write the date in place of unreleased", section))
	}
	changes, err := filepath.Glob(filepath.Join(dir, "changelog", "unreleased", "*"))
	if len(changes) > 0 {
		errs = append(errs, fmt.Errorf("changelog/unreleased holds %d files: rename it changelog/%s", len(changes), number))
	}
	return errors.Join(append(errs, err)...)
}

// promisesReady wants stages/testdata/promised-1.txt kept; of the first version of a number, every line of it is what
// the program has, and none is missing.
func promisesReady(dir, number string) error {
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestPromised$", "./stages")
	cmd.Dir, cmd.Env = dir, os.Environ()
	if strings.HasSuffix(number, ".0.0") {
		cmd.Env = append(cmd.Env, "PRGNN_PROMISED=current")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("what a pipeline file can name is not what stages/testdata/promised-1.txt lists: %w\n%s", err, out)
	}
	return nil
}
