package dag

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
)

// A codeDigest is the content of one of the CodeFiles of a stage.
type codeDigest struct {
	name, digest string
	variable     bool
}

// hashing digests a file.
type hashing = func(path string, rehash bool) (artifacts.Ref, error)

// planned has the digests of files for what has no run of its own: the check of a job on its machine, and recipes that
// are written to be compared.
var planned fileDigests

func hashFile(path string, _ bool) (artifacts.Ref, error) {
	d, n, err := memo.HashFile(path)
	return artifacts.Ref{Digest: d, Size: n}, err
}

// outside digests what a stage reads beside its inputs, once in a run.
func (f *fileDigests) outside(hash hashing, n *Node) ([]codeDigest, error) {
	reader, ok := n.Work.(CodeReader)
	if !ok {
		return nil, nil
	}
	var all []codeDigest
	for _, c := range reader.CodeFiles(func(port string) bool {
		return slices.ContainsFunc(n.Inputs, func(b Binding) bool { return b.Port == port })
	}) {
		once, _ := f.code.LoadOrStore(strings.Join(c.Paths, "\x00"), sync.OnceValues(func() (string, error) {
			return f.content(hash, c.Paths)
		}))
		digest, err := once.(func() (string, error))()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		name := strings.Map(func(r rune) rune { // a recipe has one fact a line
			if r < ' ' {
				return '_'
			}
			return r
		}, c.Name)
		all = append(all, codeDigest{name, digest, c.Variable})
	}
	return all, nil
}

// mostCode is how many files a directory of code may hold.
const mostCode = 20000

// content is the digest of files and directories, without their paths.
func (f *fileDigests) content(hash hashing, paths []string) (string, error) {
	sum, files := sha256.New(), 0
	var add func(path, name string, above []fs.FileInfo) error
	add = func(path, name string, above []fs.FileInfo) error {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			fmt.Fprintf(sum, "%q is not there\n", name)
		case info.Mode().IsRegular():
			if files++; files > mostCode {
				return fmt.Errorf("%s holds more than %d files: connect what the command needs as inputs, or run it in a container", paths, mostCode)
			}
			ref, err := f.digest(hash, path)
			if err != nil { // which the command cannot read either
				fmt.Fprintf(sum, "%q cannot be read\n", name)
				return nil
			}
			fmt.Fprintf(sum, "%q %s\n", name, ref.Digest)
		case info.IsDir() && !slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }):
			fmt.Fprintf(sum, "%q is a directory\n", name)
			entries, _ := os.ReadDir(path) // sorted; what cannot be listed, the command cannot list either
			for _, e := range entries {
				if e.Name() == "__pycache__" || e.Name() == ".git" { // follow from the rest, or are no code
					continue
				}
				if err := add(filepath.Join(path, e.Name()), name+"/"+e.Name(), append(above, info)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, path := range paths {
		if err := add(path, "", nil); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
