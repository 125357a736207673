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

// ready reports why the source in a directory cannot be released: the changelog, or the list of what a pipeline
// file can name, is out of date (CONTRIBUTING.md, "How a release is made").
func ready(dir string) error {
	changelog, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	citation, err := os.ReadFile(filepath.Join(dir, "CITATION.cff"))
	if err != nil {
		return err
	}
	return errors.Join(changelogReady(string(changelog), string(citation), version.Number),
		promisesReady(dir, version.Number))
}

// changelogReady requires a section of the version with a date, which CITATION.cff has too, and nothing under
// Unreleased.
func changelogReady(changelog, citation, number string) error {
	var errs []error
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(number) + ` \((\d{4}-\d\d-\d\d)\)$`)
	date := heading.FindStringSubmatch(changelog)
	switch {
	case date == nil:
		errs = append(errs, fmt.Errorf("CHANGELOG.md has no line \"## %s (YYYY-MM-DD)\" with the date of the release", number))
	case !strings.Contains(citation, "\ndate-released: "+date[1]+"\n"):
		errs = append(errs, fmt.Errorf("CITATION.cff has another date than CHANGELOG.md: set date-released to %s", date[1]))
	}
	if regexp.MustCompile(`(?m)^## Unreleased\s+[^#\s]`).MatchString(changelog) {
		errs = append(errs, fmt.Errorf("CHANGELOG.md has changes under \"## Unreleased\"; move them into the section of %s", number))
	}
	return errors.Join(errs...)
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
