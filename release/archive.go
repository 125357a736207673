package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prgnn/internal/version"
)

// A member is a file in an archive; of a symbolic link, data is where it leads.
type member struct {
	name string
	mode os.FileMode
	data []byte
}

// archive writes the .tar.gz of a platform, or the .zip on Windows.
func archive(out string, b binary, src source, notices []byte) error {
	members, err := archived(b, notices)
	if err != nil {
		return err
	}
	what := b.os + "-" + b.arch
	if b.os == "windows" {
		return create(named(out, what+".zip"), func(w io.Writer) error { return writeZip(w, src.time, members) })
	}
	return create(named(out, what+".tar.gz"), func(w io.Writer) error { return writeTarGz(w, src.time, members) })
}

// sourceArchive writes the .tar.gz of all files of the commit: to build from, and for pipeline new-stage.
func sourceArchive(out string, src source) error {
	members, err := tracked("prgnn-" + version.Number + "-source/")
	if err != nil {
		return err
	}
	return create(named(out, "source.tar.gz"), func(w io.Writer) error { return writeTarGz(w, src.time, members) })
}

// reading is README.md with all that it leads to: its links lead somewhere without a network.
var reading = []string{"CITATION.cff", "LICENSE", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs",
	"examples", ":!examples/examples_test.go", ":(glob)stages/pipelines/*.yaml", "python/README.md",
	"release/README.md"}

// archived are the members of a platform's archive: the same names on each, with .exe on Windows.
func archived(b binary, notices []byte) ([]member, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	top := "prgnn-" + version.Number + "/"
	app := member{top + "prgnn", os.ModeSymlink | 0o777, []byte(b.program())} // the name of the BIDS App
	if b.os == "windows" {                                                    // where not everybody may make links
		app = member{top + "prgnn.exe", 0o755, program}
	}
	texts, err := tracked(top, reading...)
	return append([]member{{top + b.program(), 0o755, program}, {top + "THIRD-PARTY.txt", 0o644, notices}, app},
		texts...), err
}

// tracked are the files that git tracks, of the paths, as members of an archive.
func tracked(top string, paths ...string) ([]member, error) {
	names, err := git(append([]string{"ls-files", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var members []member
	for name := range strings.SplitSeq(strings.Trim(names, "\x00"), "\x00") {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		members = append(members, member{top + name, mode, data})
	}
	return members, nil
}

func writeTarGz(w io.Writer, at time.Time, members []member) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, at, members); err != nil {
		return err
	}
	return z.Close()
}

func writeTar(w io.Writer, at time.Time, members []member) error {
	t := tar.NewWriter(w)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: int64(m.mode.Perm()), Size: int64(len(m.data)), ModTime: at,
			Format: tar.FormatUSTAR}
		switch {
		case m.mode.IsDir():
			h.Typeflag = tar.TypeDir
		case m.mode&os.ModeSymlink != 0:
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, string(m.data), 0
			m.data = nil
		}
		if m.mode&os.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(m.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeZip(w io.Writer, at time.Time, members []member) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: at}
		h.SetMode(m.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(m.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// create writes a file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	fmt.Println(path)
	return f.Close()
}

func writeBytes(path string, data []byte) error {
	return create(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

const sumsName = "SHA256SUMS"

// sums writes SHA256SUMS, as sha256sum -c reads it.
func sums(out string) error {
	files, err := digests(out)
	if err != nil {
		return err
	}
	return create(filepath.Join(out, sumsName), func(w io.Writer) error {
		for _, f := range files {
			fmt.Fprintf(w, "%s  %s\n", f.sum, f.name)
		}
		return nil
	})
}

// A digest is a file of the release with its SHA-256.
type digest struct{ name, sum string }

func digests(out string) ([]digest, error) {
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	var all []digest
	for _, e := range entries {
		if e.Name() == sumsName {
			continue
		}
		f, err := os.Open(filepath.Join(out, e.Name()))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, digest{e.Name(), fmt.Sprintf("%x", h.Sum(nil))})
	}
	slices.SortFunc(all, func(a, b digest) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}
