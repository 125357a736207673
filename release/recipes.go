package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
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
	{"neurodesk.yaml", neurodeskRecipe},
}

//go:embed recipes/recipe.yaml
var condaRecipe string

//go:embed recipes/prgnn.rb
var homebrewFormula string

//go:embed recipes/prgnn.lua
var moduleFile string

//go:embed recipes/neurodesk.yaml
var neurodeskRecipe string

// neurodesk are the platforms of Neurodesk's recipe, by its names of processors.
var neurodesk = []struct{ Platform, Processor string }{{"linux-amd64", "x86_64"}, {"linux-arm64", "aarch64"}}

// icon is what Neurodesk asks for: three nodes of a graph.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" stroke="#246" stroke-width="2" fill="#69c">` +
	`<path d="M5 18L12 5L19 18Z" fill="none"/><circle cx="5" cy="18" r="3"/><circle cx="12" cy="5" r="3"/>` +
	`<circle cx="19" cy="18" r="3"/></svg>`

// recipes writes the conda recipe, the Homebrew formula, the module file and the recipe of Neurodesk of a release: they
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
	err = t.Execute(&b, map[string]any{"Version": version.Number, "Conda": condaPlatforms, "Neurodesk": neurodesk,
		"Icon": "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(icon))})
	return b.Bytes(), err
}
