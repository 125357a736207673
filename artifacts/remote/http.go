package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"prgnn/artifacts"
	"prgnn/internal/regular"
)

// A bazelCache is a remote on a server that keeps the results of Bazel's builds, such as bazel-remote:
// PUT, GET and HEAD of /cas/<sha256> and of /ac/<key>
// (https://bazel.build/remote/caching#http-caching).
//
// A blob is an object of /cas, which the server checks. All else is an object of /ac, under its key where
// it is an action's, otherwise under the SHA-256 of its name. A server reads what it is given there
// as the message ActionResult of the Remote Execution API v2, and may add to it; the bytes of ours are the
// message's standard output.
type bazelCache struct {
	client         *http.Client
	base           *url.URL
	user, password string
}

// longestResult bounds an object of /ac: the longest record that a store accepts, and what a
// server adds to it.
const longestResult = 16 << 20

func openHTTP(u *url.URL) (artifacts.Remote, error) {
	if u.Host == "" {
		return nil, fmt.Errorf("remote %s: the server is missing: write https://server/prefix", bare(u))
	}
	client := &http.Client{Transport: transport()}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b := bazelCache{client, u, os.Getenv("PIPELINE_REMOTE_USER"), os.Getenv("PIPELINE_REMOTE_PASSWORD")}
	if b.password != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("remote %s: the password would be sent unencrypted: write https://, or unset PIPELINE_REMOTE_PASSWORD", b)
	}
	return b, nil
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

func (b bazelCache) String() string { return bare(b.base) }

// at is where an object lies, and whether that is /cas.
func (b bazelCache) at(name string) (address string, blob bool) {
	part, rest, _ := strings.Cut(name, "/")
	id := path.Base(rest)
	switch part {
	case "blobs":
		return b.base.JoinPath("cas", id).String(), true
	case "actions":
	default:
		sum := sha256.Sum256([]byte("prgnn " + name))
		id = hex.EncodeToString(sum[:])
	}
	return b.base.JoinPath("ac", id).String(), false
}

// HashesNames marks that only this program's objects lie under the names of its own: a damaged version is replaced.
func (b bazelCache) HashesNames() {}

// do sends a request, and returns an answer of the kind 2xx.
func (b bazelCache) do(r *http.Request) (*http.Response, error) {
	if b.user != "" || b.password != "" {
		r.SetBasicAuth(b.user, b.password)
	}
	resp, err := b.client.Do(r)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the address of the object
		}
		return nil, err
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
	resp.Body.Close()
	return nil, refusal(resp, bytes.TrimSpace(said))
}

// refusal is what an answer means for a store that is not of the kind 2xx.
func refusal(resp *http.Response, said []byte) error {
	put := resp.Request.Method == http.MethodPut
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed:
		if put {
			return fmt.Errorf("%w: %s", artifacts.ErrReadOnly, resp.Status)
		}
		return fmt.Errorf("%w: %s: set PIPELINE_REMOTE_USER and PIPELINE_REMOTE_PASSWORD", artifacts.ErrRefused, resp.Status)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage:
		if put {
			return fmt.Errorf("%w: a file of %d bytes: %s, %q",
				artifacts.ErrBlocked, resp.Request.ContentLength, resp.Status, said)
		}
	case http.StatusNotFound:
		if !put {
			return artifacts.ErrMiss
		}
	}
	if resp.StatusCode/100 == 3 {
		return fmt.Errorf("%w: the server redirects to another address: use that one", artifacts.ErrRefused)
	}
	return fmt.Errorf("the server says: %s", resp.Status)
}

func (b bazelCache) Size(ctx context.Context, name string) (int64, error) {
	address, blob := b.at(name)
	if !blob { // the length of the message is not that of its content
		body, err := b.Get(ctx, name)
		if err != nil {
			return 0, err
		}
		defer body.Close()
		return io.Copy(io.Discard, body)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := b.do(r)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.ContentLength, nil
}

func (b bazelCache) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	address, blob := b.at(name)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := b.do(r)
	if err != nil || blob {
		return bodyOf(resp), err
	}
	message := bufio.NewReader(io.LimitReader(resp.Body, longestResult))
	return &standardOutput{Closer: resp.Body, name: name, r: message}, nil
}

// bodyOf is a nil interface where there is no answer.
func bodyOf(resp *http.Response) io.ReadCloser {
	if resp == nil {
		return nil
	}
	return resp.Body
}

func (b bazelCache) Put(ctx context.Context, name, file string) error {
	f, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	address, blob := b.at(name)
	var content io.Reader = f
	size := fi.Size()
	if !blob {
		record, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		message := actionResult(record)
		content, size = bytes.NewReader(message), int64(len(message))
	}
	return unstalled(ctx, func(ctx context.Context, alive func()) error {
		var body io.Reader = http.NoBody // by which the client says that there are 0 bytes
		if size > 0 {
			body = io.TeeReader(content, sentBytes{alive})
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, body)
		if err != nil {
			return err
		}
		r.ContentLength = size
		r.Header.Set("Content-Type", "application/octet-stream")
		resp, err := b.do(r)
		if err == nil {
			resp.Body.Close()
		}
		return err
	})
}

// unstalled ends what sends bytes when none has been taken for as long as an answer may take: a server
// that stops reading would hold us for ever.
func unstalled(ctx context.Context, send func(ctx context.Context, alive func()) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stalled := time.AfterFunc(answer, cancel)
	defer stalled.Stop()
	err := send(ctx, func() { stalled.Reset(answer) })
	if err != nil && ctx.Err() != nil && !stalled.Stop() {
		return fmt.Errorf("no answer for %v: %w", answer, os.ErrDeadlineExceeded)
	}
	return err
}

// Numbers of fields in build.bazel.remote.execution.v2.
const (
	stdoutRaw         = 5 // ActionResult.stdout_raw
	executionMetadata = 9 // ActionResult.execution_metadata
	worker            = 1 // ExecutedActionMetadata.worker
)

// actionResult is a message with this standard output. It names a worker, so that bazel-remote does not
// write down our address.
func actionResult(stdout []byte) []byte {
	m := protowire.AppendTag(nil, stdoutRaw, protowire.BytesType)
	m = protowire.AppendBytes(m, stdout)
	by := protowire.AppendTag(nil, worker, protowire.BytesType)
	by = protowire.AppendString(by, "prgnn")
	m = protowire.AppendTag(m, executionMetadata, protowire.BytesType)
	return protowire.AppendBytes(m, by)
}

// A standardOutput reads that of a message as it comes. One that is empty is not written.
type standardOutput struct {
	io.Closer
	name  string // of the object
	r     *bufio.Reader
	left  int // bytes of it that are still to come
	depth int // of the groups around what comes next
}

func (s *standardOutput) Read(p []byte) (int, error) {
	for s.left == 0 {
		if _, err := s.r.Peek(1); err != nil && (s.depth == 0 || err != io.EOF) {
			return 0, err
		}
		if err := s.skip(); err != nil {
			return 0, s.cut(err)
		}
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, s.cut(err)
}

// cut says of a message that ends too early that it is no message.
func (s *standardOutput) cut(err error) error {
	if err != io.EOF && err != errNoMessage {
		return err
	}
	return fmt.Errorf("%s: not an ActionResult of at most %d bytes: %w", s.name, longestResult, artifacts.ErrCorrupt)
}

var errNoMessage = errors.New("not a message")

// skip reads a field, or the beginning of one of the standard output.
func (s *standardOutput) skip() error {
	tag, err := s.varint()
	if err != nil {
		return err
	}
	length := uint64(0)
	number, kind := protowire.DecodeTag(tag)
	switch kind {
	case protowire.VarintType:
		_, err = s.varint()
	case protowire.Fixed32Type:
		length = 4
	case protowire.Fixed64Type:
		length = 8
	case protowire.BytesType:
		length, err = s.varint()
	case protowire.StartGroupType:
		s.depth++
	case protowire.EndGroupType:
		s.depth--
	default:
		return errNoMessage
	}
	switch {
	case err != nil:
		return err
	case number < protowire.MinValidNumber || s.depth < 0 || length > longestResult:
		return errNoMessage
	case number == stdoutRaw && kind == protowire.BytesType && s.depth == 0:
		s.left = int(length)
		return nil
	}
	_, err = s.r.Discard(int(length))
	return err
}

func (s *standardOutput) varint() (v uint64, err error) {
	for shift := 0; shift < 64; shift += 7 {
		b, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if v |= uint64(b&0x7f) << shift; b < 0x80 {
			return v, nil
		}
	}
	return 0, errNoMessage
}
