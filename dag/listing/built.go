package listing

import (
	"io/fs"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// listings are the texts of all modules of this program.
var listings []string

// sources are the files that the modules of this program were built from, by the paths of modules.
var sources = map[string]fs.FS{}

// Add adds the text of a module.
func Add(text string) { listings = append(listings, text) }

// Built adds the sources of a module that the program was built from.
func Built(module string, files fs.FS) { sources[module] = files }

// loops are the packages in which all rounds of a loop have one variable.
var loops []Source

// Loops adds a package, and whether all rounds of a loop in it have one variable.
func Loops(pkg string, shared bool) {
	if shared {
		loops = append(loops, SharedLoops(pkg))
	}
}

// SharedLoops stands in a listing for a package in which all rounds of a loop have one variable, since the go line in
// the go.mod of its module is below 1.22.
func SharedLoops(pkg string) Source { return Source{Path: pkg + goLine, Digest: "shared"} }

const goLine = "/go.mod:go"

// compared has the first difference between the sources and a listing, by its digests of sources.
var compared sync.Map

// Unlisted names what this program was built from and the listing of a code does not describe: a source file, a module,
// one after Unseen, or a variable after Linked; "" if there is nothing.
func Unlisted(code string) string {
	_, list, _ := strings.Cut(code, "\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	if d, known := compared.Load(list); known {
		return d.(string)
	}
	built := slices.Clone(loops)
	for _, module := range slices.Sorted(maps.Keys(sources)) {
		more, err := Sources(module, sources[module])
		if err != nil { // of a file in memory
			panic(err)
		}
		built = append(built, more...)
	}
	modules := map[string]string{}
	var linked []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			path := m.Path
			if m.Replace != nil {
				m = m.Replace
				path += " => " + m.Path
			}
			modules[path] = m.Version
		}
		linked = linkedIn(info)
	}
	var others []string
	if strings.Contains(list, "beside ") {
		for _, other := range listings {
			if !strings.HasSuffix(other, code) && !strings.Contains(other, "\nbeside ") && Unlisted(other) == "" {
				others = append(others, other)
			}
		}
	}
	d := Differs(code, built, modules, others)
	if pkg, ok := strings.CutSuffix(d, goLine); ok {
		d = "the go line in the go.mod of the package " + pkg
	}
	for _, variable := range linked {
		if d == "" && strings.Contains(code, "\n"+variable+" ") {
			d = Linked + variable
		}
	}
	compared.Store(list, d)
	return d
}

// linkerSets matches the flag of a linker that sets a variable, with or without quotes.
var linkerSets = regexp.MustCompile(`(?:^|[\s='"])--?X(?:\s+|=)['"]?([^\s='"]+)=`)

// linkedIn are the variables that the linker sets, under the names that listings have. A build with -trimpath does not
// record them.
func linkedIn(info *debug.BuildInfo) (variables []string) {
	for _, s := range info.Settings {
		if s.Key != "-ldflags" {
			continue
		}
		for _, m := range linkerSets.FindAllStringSubmatch(s.Value, -1) {
			if name, ok := strings.CutPrefix(m[1], "main."); ok {
				m[1] = info.Path + "." + name
			}
			variables = append(variables, m[1])
		}
	}
	return variables
}
