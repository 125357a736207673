package address

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

func TestAddresses(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "")
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	for _, c := range []struct{ address, says string }{
		{"shared", "write s3://"},
		{"", "write s3://"},
		{"ftp://example.org/bucket", "write s3://"},
		{"https://key:secret@example.org", "do not belong in an address"},
		{"https://example.org/lab", "AWS_ENDPOINT_URL is the address of a server that speaks S3"},
		{"http://localhost:9000/lab", "write s3://"},
		{"s3://", "the bucket is missing"},
		{"s3:///prefix", "the bucket is missing"},
		{"s3://key:secret@bucket", "do not belong in an address"},
		{"s3://bucket?secret=secret", "ends with its path"},
		{"s3://bucket#secret", "ends with its path"},
		{"s3://Lab_Results/prgnn", "\"Lab_Results\" is not a valid bucket name by the rules of S3: 3 to 63"},
		{"s3://ab", "not a valid bucket name"},
		{"s3://192.168.1.1/prgnn", "not a valid bucket name"},
		{"file://relative/path", "three slashes"},
		{"file:relative", "three slashes"},
		{"file:///no/such/mount/prgnn", "there is no directory /no/such/mount: is it mounted?"},
		{"s3://bu\x01cket", "cannot be read"},
	} {
		r, err := Open(c.address)
		if err == nil {
			t.Errorf("%q: opened %s", c.address, r)
		} else if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "=secret") ||
			strings.Contains(err.Error(), ":secret") {
			t.Errorf("%q: %v", c.address, err)
		}
	}
}

// every is what any remote must do; ours against a directory and a real server.
func every(t *testing.T, r remote.Remote) {
	t.Helper()
	const name = "blobs/ab/abcdef"
	ctx := context.Background()
	if _, err := r.Size(ctx, name); !errors.Is(err, artifacts.ErrMiss) {
		t.Errorf("size of nothing: %v", err)
	}
	if _, err := r.Get(ctx, name); !errors.Is(err, artifacts.ErrMiss) {
		t.Errorf("nothing: %v", err)
	}
	for _, size := range []int{0, 1, 1 << 10, 20 << 20} { // the last one is put in several parts
		content := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		file := filepath.Join(t.TempDir(), "file")
		need.NoError(t, os.WriteFile(file, content, 0o444))
		for range 2 { // again is harmless
			if err := r.Put(ctx, name, file); err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
		}
		if n, err := r.Size(ctx, name); n != int64(size) || err != nil {
			t.Errorf("%d bytes: size %d, %v", size, n, err)
		}
		body, err := r.Get(ctx, name)
		need.NoError(t, err)
		got, err := io.ReadAll(body)
		body.Close()
		if !bytes.Equal(got, content) || err != nil {
			t.Errorf("%d bytes: %d came, %v", size, len(got), err)
		}
	}
	if err := r.Put(ctx, name, filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	r := need.Value(Open("file://" + filepath.ToSlash(dir)))(t)
	every(t, r)
	// Nothing unfinished is left, and nothing is read or written outside.
	left, _ := filepath.Glob(filepath.Join(dir, "blobs/ab/*.part-*"))
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := r.Get(context.Background(), "../outside"); err == nil {
		t.Error("it reads outside of its directory")
	}
}

// A file in the place of a directory is named.
func TestFileForDirectory(t *testing.T) {
	for _, part := range parts {
		dir := t.TempDir()
		need.NoError(t, os.WriteFile(filepath.Join(dir, part), nil, 0o666))
		_, err := Open("file://" + filepath.ToSlash(dir))
		need.Error(t, err, filepath.Join(dir, part)+" is a file, where a directory belongs", part)
	}
	dir := t.TempDir()
	need.NoError(t, os.Mkdir(filepath.Join(dir, "blobs"), 0o777))
	in := filepath.Join(dir, "blobs", "ab")
	need.NoError(t, os.WriteFile(in, nil, 0o666))
	r := open(t, "file://"+filepath.ToSlash(dir))
	if _, err := r.Size(t.Context(), "blobs/ab/abc"); !errors.Is(err, artifacts.ErrMiss) {
		t.Error(err)
	}
	err := r.Put(t.Context(), "blobs/ab/abc", in)
	if !errors.Is(err, remote.ErrBlocked) || !strings.Contains(err.Error(), in+" is no directory") {
		t.Error(err)
	}
}
