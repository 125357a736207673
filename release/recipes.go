package main

import (
	"bytes"
	_ "embed"
	"text/template"

	"prgnn/internal/version"
)

// packages are the recipes of package managers, and where each is left in the release.
var packages = []struct {
	name string // of the file, after prgnn-VERSION-
	text string
}{
	{"conda-recipe.yaml", condaRecipe},
	{"homebrew.rb", homebrewFormula},
	{"module.lua", moduleFile},
}

//go:embed recipes/recipe.yaml
var condaRecipe string

//go:embed recipes/prgnn.rb
var homebrewFormula string

//go:embed recipes/prgnn.lua
var moduleFile string

// recipes writes the conda recipe, the Homebrew formula and the module file of a release: they
// fetch its archives by their SHA-256, of the platforms that were built. url is the directory in which
// the archives can be had. Without it there are none.
func recipes(out, url string) error {
	if url == "" {
		return nil
	}
	files, err := digests(out)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, f := range files {
		sums[f.name] = f.sum
	}
	for _, p := range packages {
		text, err := recipe(p.name, p.text, url, sums)
		if err != nil {
			return err
		}
		if err := writeBytes(named(out, p.name), text); err != nil {
			return err
		}
	}
	return nil
}

// condaPlatforms are the platforms of the conda recipe, as its selectors name them.
var condaPlatforms = map[string]string{
	"linux-amd64": "linux and x86_64", "linux-arm64": "linux and aarch64",
	"darwin-amd64": "osx and x86_64", "darwin-arm64": "osx and arm64",
}

// recipe fills in one recipe. sum is empty of an archive that has not been built.
func recipe(name, text, url string, sums map[string]string) ([]byte, error) {
	archive := func(platform string) string { return "prgnn-" + version.Number + "-" + platform + ".tar.gz" }
	t, err := template.New(name).Delims("<<", ">>").Funcs(template.FuncMap{
		"url": func(platform string) string { return url + "/" + archive(platform) },
		"sum": func(platform string) string { return sums[archive(platform)] },
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"Version": version.Number, "Conda": condaPlatforms})
	return b.Bytes(), err
}
