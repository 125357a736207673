package console

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"prgnn/artifacts/whole"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/regular"
	"prgnn/internal/workdir"
)

// WriteTo writes to a file, or its bytes to stdout when path is "-". The file
// appears whole or not at all.
func (a *Console) WriteTo(path string, write func(io.Writer) error) error {
	if path == "-" {
		return a.Bytes(write)
	}
	return a.WriteFile(path, write)
}

// MayWrite says why a command must not write a file or directory; nil when it may. What is no regular file is only
// written where the system gives a name to an open file or a device: /dev/stdout, /dev/fd/3, /dev/null.
func (a *Console) MayWrite(path string) error {
	if path == "-" || path == "" {
		return nil
	}
	if a.Refuse != nil {
		if err := a.Refuse(path); err != nil {
			return err
		}
	}
	if store := whole.Store(path); store != "" {
		return exit.Wrongf("%s cannot be written: it is inside the store %s\n  name a PATH outside the store", path, store)
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || opened(path) {
		return nil
	}
	if what := regular.Otherwise(info); what != "" {
		return exit.Wrongf("%w\n  name another PATH, or remove it", &regular.Error{Path: path, What: what})
	}
	return nil
}

// MayReplace says why a command must not write the file that -o names; nil when it may. A file that is there is only
// replaced where ours recognizes it as what the command wrote before, where it is empty, or with --replace. what names
// what ours recognizes.
func (a *Console) MayReplace(path, what string, ours func(path string) bool) error {
	if err := a.MayWrite(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	if Holds(isPrivateKey)(path) {
		return exit.Wrongf("%s is a private key, and a key is never overwritten\n  name another PATH", path)
	}
	if a.Replace || ours(path) {
		return nil
	}
	return exit.Wrongf("%s exists and is not %s\n  name another PATH, or write over the file with --replace", path, what)
}

func isPrivateKey(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(first, []byte("-----BEGIN ")) && bytes.Contains(first, []byte("PRIVATE KEY"))
}

// Holds reports of a file whether its bytes are ours.
func Holds(ours func([]byte) bool) func(path string) bool {
	return func(path string) bool {
		b, err := regular.ReadFile(path)
		return err == nil && ours(b)
	}
}

// opened reports whether a name stands for an open file or a device.
func opened(path string) bool { return strings.HasPrefix(path, "/dev/") }

// WriteFile writes a file where MayWrite allows it. It writes beside the file and renames, so that
// a reader never sees half of it and a failure leaves what was there. What a killed process left
// unfinished there is removed.
func (a *Console) WriteFile(path string, write func(io.Writer) error) error {
	if err := a.MayWrite(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && (info.IsDir() || opened(path)) {
		return writeInto(path, info, write)
	}
	dir := filepath.Dir(path)
	work, err := workdir.Make(dir, workdir.Unfinished)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: there is no directory %s", path, dir)
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	defer work.Remove()
	made := filepath.Join(work.Path, "file")
	if err := fill(made, path, write); err != nil {
		return err
	}
	if err := os.Rename(made, path); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// ErrSameName reports that two files of a directory would have one name.
var ErrSameName = errors.New("two results would have the name")

// fill writes the new file made, which is to become path.
func fill(made, path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w %s", ErrSameName, path)
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	w := bufio.NewWriterSize(f, 1<<18)
	err = write(w)
	var cause *os.PathError
	if errors.As(err, &cause) && cause.Path == f.Name() || err == nil {
		if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
			return cannotWrite(path, err)
		}
	}
	return err
}

// Files are files that appear together or not at all: Write writes each beside its place, Publish renames all.
type Files struct {
	a    *Console
	work *workdir.Dir
	in   map[string]string // directories, by those of the unfinished files
	made [][2]string       // unfinished file, its place
}

// Files begins files of the directory dir, which is made with them.
func (a *Console) Files(dir string) (*Files, error) {
	near := dir
	for {
		if _, err := os.Stat(near); err == nil || near == filepath.Dir(near) {
			break
		}
		near = filepath.Dir(near)
	}
	work, err := workdir.Make(near, workdir.Unfinished)
	if err != nil {
		return nil, cannotWrite(dir, err)
	}
	return &Files{a: a, work: work, in: map[string]string{}}, nil
}

// Write writes one of the files, whose place is path.
func (f *Files) Write(path string, write func(io.Writer) error) error {
	if err := f.a.MayWrite(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && (info.IsDir() || opened(path)) {
		return writeInto(path, info, write)
	}
	dir, there := f.in[filepath.Dir(path)]
	if !there {
		dir = filepath.Join(f.work.Path, strconv.Itoa(len(f.in)))
		if err := os.Mkdir(dir, 0o777); err != nil {
			return cannotWrite(path, err)
		}
		f.in[filepath.Dir(path)] = dir
	}
	made := filepath.Join(dir, filepath.Base(path)) // a name that cannot be is found here
	if err := fill(made, path, write); err != nil {
		return errors.Join(err, os.RemoveAll(made))
	}
	f.made = append(f.made, [2]string{made, path})
	return nil
}

// Publish gives all files their places.
func (f *Files) Publish() error {
	for dir := range f.in {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return cannotWrite(dir, err)
		}
	}
	for _, file := range f.made {
		if err := os.Rename(file[0], file[1]); err != nil {
			return cannotWrite(file[1], err)
		}
	}
	return f.work.Remove()
}

// Discard removes files that were not published. After Publish it does nothing.
func (f *Files) Discard() { f.work.Remove() }

// cannotWrite says why a file was not written. The name of the unfinished file beside it, which
// the error has, tells nobody anything.
func cannotWrite(path string, err error) error {
	var cause *os.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &cause):
		err = cause.Err
	case errors.As(err, &renamed):
		err = renamed.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}

// writeInto writes to a device or an open file, which a rename would replace.
func writeInto(path string, info os.FileInfo, write func(io.Writer) error) error {
	if info.IsDir() {
		return fmt.Errorf("%s is a directory: name a file", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// Content writes bytes that are there already, as WriteFile(path, Content(b)).
func Content(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

// SweepUnfinished removes the files of a directory that a killed process had not finished.
func SweepUnfinished(dir string) { workdir.Sweep(dir, workdir.Unfinished) }

// Bytes writes the bytes of a file to stdout. A terminal shows them with their control
// characters visible.
func (a *Console) Bytes(write func(io.Writer) error) error {
	if a.Page.IsTerminal() {
		a.Fold(false)
		return write(a.Out)
	}
	if isClosed(a.stdout) {
		return errors.New("stdout is closed, and nothing was written: -o PATH writes a file")
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(a.stdout, 1<<16)
	return errors.Join(write(w), w.Flush())
}
