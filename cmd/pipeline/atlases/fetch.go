package atlases

import (
	"bytes"
	"context"
	"crypto/md5"  // #nosec G501 -- the digest that git-annex recorded; https protects against attacks
	"crypto/sha1" // #nosec G505 -- a git blob's name
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"prgnn/internal/foreign"
	"prgnn/internal/regular"
)

// Bucket is where TemplateFlow's own client fetches from.
const Bucket = "https://templateflow.s3.amazonaws.com"

// An Origin is a server or a directory with the files of TemplateFlow.
type Origin struct {
	address *url.URL // nil for a directory
	dir     string
	idle    time.Duration // the longest wait for a byte
}

// From is the origin of an address or a directory. Addresses are https, or http on this machine.
func From(name string) (*Origin, error) {
	if !strings.Contains(name, "://") {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--from %s: no such directory; an address begins with https://", name)
		}
		return &Origin{dir: name}, nil
	}
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--from: %w", err)
	case u.User != nil:
		return nil, errors.New("--from: an address with a user or a password is refused")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return nil, fmt.Errorf("--from %s: the address has to begin with https://; http:// is for servers on this machine",
			name)
	}
	return &Origin{address: u, idle: 30 * time.Second}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Place is the address or the path of a file.
func (o *Origin) Place(f File) string {
	if o.address != nil {
		return o.address.JoinPath(f.Template, f.Name).String()
	}
	below := filepath.Join(o.dir, f.Template, f.Name)
	if _, err := os.Stat(below); err != nil {
		if _, err := os.Stat(filepath.Join(o.dir, f.Name)); err == nil {
			return filepath.Join(o.dir, f.Name)
		}
	}
	return below
}

// most bounds a file whose size is not pinned, bytes: the largest atlas of TemplateFlow has 1.3 GB.
const most = 4 << 30

// Write copies a file to w, and checks its length and digest. progress is called with the bytes of each part. On an
// error w has bytes that must not be used.
func (o *Origin) Write(ctx context.Context, f File, w io.Writer, progress func(int64)) error {
	r, err := o.open(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close()
	limit := f.Size
	if limit < 0 {
		limit = most
	}
	sum := f.hash()
	head := &prefix{}
	n, err := io.Copy(io.MultiWriter(w, sum, head, counter(progress)), io.LimitReader(r, limit+1))
	place := o.Place(f)
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case err != nil:
		return fmt.Errorf("%s: after %d bytes: %w", place, n, err)
	case n > limit:
		return fmt.Errorf("%s: the file has more than %d bytes%s", place, limit, head.what())
	case f.Size >= 0 && n < f.Size:
		return fmt.Errorf("%s: the file ended after %d of %d bytes%s", place, n, f.Size, head.what())
	case got != f.Digest:
		return fmt.Errorf("%s: the file has the digest %s instead of %s%s", place, got, f.Digest, head.what())
	}
	return nil
}

func (o *Origin) open(ctx context.Context, f File) (io.ReadCloser, error) {
	if o.address == nil {
		place := o.Place(f)
		r, err := regular.Open(place)
		if err != nil {
			return nil, foreign.Missing(place, err)
		}
		return r, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	body := &patient{cancel: cancel, idle: o.idle}
	body.timer = time.AfterFunc(o.idle, func() { cancel(fmt.Errorf("no byte arrived for %s", o.idle)) })
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Place(f), nil)
	if err != nil {
		body.Close()
		return nil, err
	}
	client := http.Client{
		// Compression would change the bytes, and proxies are the only part of the environment that counts.
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			switch {
			case len(via) > 5:
				return errors.New("the server redirects more than 5 times")
			case to.URL.Scheme != o.address.Scheme:
				return fmt.Errorf("the server redirects from %s to %s, which is not followed", o.address.Scheme, to.URL.Scheme)
			case to.URL.Host != o.address.Host:
				return fmt.Errorf("the server redirects to another host, %s; if you trust it, give its address by --from", to.URL.Host)
			}
			return nil
		},
	}
	answer, err := client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		body.Close()
		return nil, fmt.Errorf("%s: %w\n  without a network, give a directory with the files by --from DIR",
			o.Place(f), withoutAddress(err))
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		body.Close()
		return nil, fmt.Errorf("%s: the server answers %s", o.Place(f), answer.Status)
	}
	body.from, body.ctx = answer.Body, ctx
	return body, nil
}

// withoutAddress is the cause of an error of net/http, which repeats the address.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// A patient body waits for each byte up to idle.
type patient struct {
	from   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.timer.Reset(p.idle)
	}
	if cause := context.Cause(p.ctx); err != nil && !errors.Is(err, io.EOF) && cause != nil {
		err = cause
	}
	return n, err
}

// Close ends the connection.
func (p *patient) Close() error {
	p.timer.Stop()
	p.cancel(nil)
	if p.from == nil {
		return nil
	}
	return p.from.Close()
}

// hash computes the digest of f.
func (f File) hash() hash.Hash {
	switch len(f.Digest) {
	case 2 * md5.Size:
		return md5.New() // #nosec G401
	case 2 * sha1.Size:
		h := sha1.New()                       // #nosec G401
		fmt.Fprintf(h, "blob %d\x00", f.Size) // a git blob begins so; a hash takes every byte
		return h
	}
	return sha256.New()
}

type counter func(int64)

func (c counter) Write(b []byte) (int, error) {
	if c != nil {
		c(int64(len(b)))
	}
	return len(b), nil
}

// A prefix keeps the first bytes, to see what else a file is.
type prefix struct{ bytes.Buffer }

func (p *prefix) Write(b []byte) (int, error) {
	p.Buffer.Write(b[:min(len(b), foreign.Enough-p.Len())])
	return len(b), nil
}

func (p *prefix) what() string {
	if what := foreign.Name(p.Bytes()); what != "" {
		return "; " + what
	}
	return ""
}

// Here reports whether path has the bytes of f: false when there is no file, or an empty one, which is TemplateFlow's
// placeholder. A file with other bytes is an error.
func (f File) Here(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		if info, err = os.Stat(path); err != nil {
			return false, foreign.Missing(path, err)
		}
	}
	if info.Size() == 0 {
		return false, nil
	}
	r, err := regular.Open(path)
	if err != nil {
		return false, err
	}
	defer r.Close()
	sum := f.hash()
	if _, err := io.Copy(sum, r); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.Digest {
		return false, fmt.Errorf("%s: the file has the digest %s instead of %s, and is not replaced; remove it, or give "+
			"another directory by --to", path, got, f.Digest)
	}
	return true, nil
}

// Other is a file that the catalogue does not have, of which a person states the SHA-256.
func Other(name, digest string) (File, error) {
	f, ok := newFile(name, -1, strings.ToLower(digest))
	switch {
	case !ok || path.Base(name) != name || strings.ContainsAny(name, `\:`) || !safe.MatchString(name):
		return File{}, fmt.Errorf("%q is no file of TemplateFlow; with --sha256, give its whole name, such as "+
			"tpl-MNI152NLin6Asym_res-02_atlas-HCP_dseg.nii.gz", name)
	case !isSHA256.MatchString(f.Digest):
		return File{}, fmt.Errorf("--sha256 %q: a SHA-256 has 64 hexadecimal digits", digest)
	}
	return f, nil
}

var (
	safe     = regexp.MustCompile(`^tpl-[A-Za-z0-9]+_[A-Za-z0-9_+-]+\.(nii\.gz|nii|dlabel\.nii|tsv)$`)
	isSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)
)
