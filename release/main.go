// Command release builds what users install: go run ./release [-o dist] [-key key.pem].
//
// For each platform it makes the static binary, an archive and a Python wheel; for Linux also an OCI
// image; and an archive of the source. Recipes for conda, Homebrew, Lmod and Neurodesk fetch the archives.
// SHA256SUMS lists them, a CycloneDX file says what is inside, and with a key a signed SLSA statement
// says what they were made from. Two clones of one commit give the same bytes with the same Go.
//
// It refuses a source that is not ready for a release; -snapshot builds it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prgnn/internal/version"
)

func main() {
	out := flag.String("o", "dist", "directory for the files; made new, it must not exist or be empty")
	key := flag.String("key", "", "private key of ed25519 that signs the statement (pipeline sign --new-key makes one)")
	only := flag.String("only", "", "platforms to build, such as linux/amd64,darwin/arm64; all when empty")
	url := flag.String("url", "", "directory on the web of the archives: writes the recipes for conda, Homebrew, Lmod and Neurodesk that fetch them from there")
	changed := flag.Bool("changed", false, "build although files differ from the commit")
	snapshot := flag.Bool("snapshot", false, "build although CHANGELOG.md or the list of promises is not ready for a release")
	flag.Parse()
	if !*snapshot {
		if err := ready("."); err != nil {
			fmt.Fprintf(os.Stderr, "release: not ready; -snapshot builds nevertheless\n%v\n", err)
			os.Exit(1)
		}
	}
	if err := release(*out, *key, *only, *url, *changed); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A source is what a release is made from.
type source struct {
	commit string
	time   time.Time // of the commit; the only time in any file
}

// A binary is the program for one platform.
type binary struct {
	platform
	path string // of the file
}

func release(out, key, only, url string, changed bool) error {
	platforms, err := chosen(only)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or name another directory with -o", out)
	}
	src, err := sourceOf(changed)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "prgnn-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if key != "" {
		if key, err = filepath.Abs(key); err != nil {
			return err
		}
	}
	if !changed {
		back, err := inClone(work)
		if err != nil {
			return err
		}
		defer back()
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var bins []binary
	for _, p := range platforms {
		fmt.Printf("build %s\n", p)
		b, err := build(work, p)
		if err != nil {
			return err
		}
		bins = append(bins, b)
	}
	mods, err := modulesOf(bins)
	if err != nil {
		return err
	}
	notices, err := notices(mods)
	if err != nil {
		return err
	}
	for _, b := range bins {
		if err := errors.Join(archive(out, b, src, notices), wheel(out, b, src, notices)); err != nil {
			return err
		}
	}
	descriptor, err := os.ReadFile("release/boutiques.json")
	if err != nil {
		return err
	}
	if err := errors.Join(image(out, bins, src, notices), sourceArchive(out, src),
		writeBytes(named(out, "boutiques.json"), descriptor), sbom(out, mods, src), recipes(out, url)); err != nil {
		return err
	}
	if err := sums(out); err != nil {
		return err
	}
	if key == "" {
		return nil
	}
	return sign(out, src, key)
}

// named is the path of a file of the release: prgnn-1.0.0-WHAT.
func named(out, what string) string {
	return filepath.Join(out, "prgnn-"+version.Number+"-"+what)
}

func chosen(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var some []platform
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-only: no platform %q; there are %v", name, platforms)
		}
		some = append(some, platforms[i])
	}
	return some, nil
}
