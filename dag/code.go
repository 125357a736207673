package dag

import (
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/dag/listing"
)

// Codes reads the text that package codeid generates: Kind.Code by name.
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

// CodeDigest is the identity of the code; of the program if that is not known.
func (k *Kind) CodeDigest() (string, error) {
	line, _, _ := strings.Cut(k.Code, "\n")
	identity, generated := strings.CutPrefix(line, "kind "+k.Name+" ")
	switch {
	case generated && listing.Unlisted(k.Code) == "":
		return identity, nil
	case !generated && k.Code != "":
		return artifacts.DigestOf([]byte(k.Code + k.ofType())).String(), nil
	}
	d, err := programDigest()
	if err != nil {
		return "", fmt.Errorf("stage kind %s has no code identity (make generate writes it; in a module of your own: go generate ./...), and the program's own file cannot be used instead: %w", k.Name, err)
	}
	return artifacts.DigestOf([]byte(d + k.ofType())).String(), nil
}

// ofType is the type of the kind's stages, which a Code that was not generated does not distinguish. A stage that is
// Precomputed is distinguished by its outputs.
func (k *Kind) ofType() string {
	made, err := k.make()
	if _, known := made[0].(Precomputed); err != nil || known {
		return ""
	}
	typ := reflect.TypeOf(made[0]).Elem()
	return "\n" + typ.PkgPath() + "." + typ.Name()
}

// Sources adds the sources of a module. Only code that codeid writes calls it.
func Sources(module string, files fs.FS) { listing.Built(module, files) }

// SharedLoops is for code of codeid: loops of pkg share variables (Go 1.21).
func SharedLoops(pkg string, are bool) { listing.Loops(pkg, are) }

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
