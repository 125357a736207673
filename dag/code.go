package dag

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/dag/listing"
)

// Codes reads the text that package codeid generates and the package of the kinds embeds. It gives the field Code of
// each kind, by name: a line "kind graph 8d9f932ef274…" with the identity, which enters keys, and the declarations
// behind it in their own lines, which explain how two identities differ (package listing).
func Codes(text string) map[string]string {
	listing.Add(text)
	codes := map[string]string{}
	for rest := text; strings.HasPrefix(rest, "kind "); {
		name, _, _ := strings.Cut(rest[len("kind "):], " ")
		codes[name] = rest
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return codes
}

// CodeDigest is what recipes say of the kind's code: its identity as generated, or
// the digest of what its author wrote instead. A kind without either, or whose sources
// differ from the listing, is taken to change with every build of the program: that runs
// too much again, and never too little.
func (k *Kind) CodeDigest() (string, error) {
	line, _, _ := strings.Cut(k.Code, "\n")
	identity, generated := strings.CutPrefix(line, "kind "+k.Name+" ")
	switch {
	case generated && listing.Unlisted(k.Code) == "":
		return identity, nil
	case !generated && k.Code != "":
		return artifacts.DigestOf([]byte(k.Code)).String(), nil
	}
	d, err := programDigest()
	if err != nil {
		return "", fmt.Errorf("stage kind %s has no code identity (make generate writes it; in a module of your own: go generate ./...), and the program's own file cannot be used instead: %w", k.Name, err)
	}
	return d, nil
}

// Sources adds the sources of a module, embedded by the file that package codeid generates.
func Sources(module string, files fs.FS) { listing.Built(module, files) }

// OtherSources reports, in a sentence for a person, that the code identities of a graph's kinds do not describe the
// sources of this program; "" if they do.
func OtherSources(g *Graph) string {
	for _, s := range g.stages {
		if !strings.HasPrefix(s.kind.Code, "kind "+s.kind.Name+" ") {
			continue
		}
		if d := listing.Unlisted(s.kind.Code); d != "" {
			return fmt.Sprintf("%s differs from the listing of the sources: until make generate (in a module of your own: go generate ./...) and a new build, every build of this program runs the stages of the listing again", d)
		}
	}
	return ""
}

// programDigest is the digest of the running program's own file.
var programDigest = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return artifacts.DigestOf(b).String(), nil
})
