//go:build unix

package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"prgnn/artifacts"
	"prgnn/internal/need"
	"prgnn/internal/remotetest"
)

// byContent names a blob and an action as a store does.
func byContent(part string) func([]byte) string {
	return func(content []byte) string {
		digest := fmt.Sprintf("%x", sha256.Sum256(content))
		return part + "/" + digest[:2] + "/" + digest
	}
}

// TestBazelRemote: a real bazel-remote, which checks what it takes, in its own way and as a plain store of bytes.
func TestBazelRemote(t *testing.T) {
	for _, flags := range [][]string{nil, {"--disable_http_ac_validation"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			address := "http://" + remotetest.Bazel(t, flags...).Address
			everyNamed(t, open(t, address), 20<<20, byContent("blobs"))
			everyNamed(t, open(t, address+"/lab"), 1<<20, byContent("actions"))
			for _, name := range []string{"actions/ab/" + strings.Repeat("ab", 32), "signed/ab/abc.key"} {
				// What lies there is replaced.
				everyNamed(t, open(t, address), 8<<20, func([]byte) string { return name })
			}
			sharing(t, address)
		})
	}
}

// sharing: what one store records, another finds, and the bytes of it.
func sharing(t *testing.T, address string) {
	t.Helper()
	ctx := context.Background()
	one, two := store(t), store(t)
	need.NoError(t, one.Attach(ctx, open(t, address)))
	k := record(t, one, "shared")
	one.Share(ctx, func(int) {})
	if r := one.Remote(); r.Shared != 1 || r.Left != 0 {
		t.Errorf("%+v", r)
	}
	need.NoError(t, two.Attach(ctx, open(t, address)))
	a, err := two.Lookup(k)
	if err != nil || !two.Fetch(ctx, a.Outputs.Of("out"))[0] {
		t.Fatalf("it did not arrive: %v", err)
	}
	file, err := two.File(a.Outputs.Of("out"))
	need.NoError(t, err)
	b, err := os.ReadFile(file)
	if err != nil || string(b) != "shared" {
		t.Errorf("%q, %v", b, err)
	}
	// bazel-remote writes down the address of who names no worker.
	cache := open(t, address).(bazelCache)
	address, _ = cache.at("actions/" + k.String()[:2] + "/" + k.String())
	r, err := http.NewRequest(http.MethodGet, address, nil)
	need.NoError(t, err)
	resp, err := cache.do(r)
	need.NoError(t, err)
	defer resp.Body.Close()
	message, err := io.ReadAll(resp.Body)
	if err != nil || len(message) == 0 || bytes.Contains(message, []byte("127.0.0.1")) {
		t.Errorf("the server keeps %q, %v", message, err)
	}
}

func TestBazelRemoteThatHangs(t *testing.T) {
	s := remotetest.Bazel(t)
	hangs(t, s.Process, "http://"+s.Address)
}

// A server with users: who may not read is told what to set, who may only read uses what is there.
func TestBazelRemotePasswords(t *testing.T) {
	users := remotetest.Users(t, "lab", "lab-secret")
	closed := "http://" + remotetest.Bazel(t, "--htpasswd_file", users).Address
	readable := "http://" + remotetest.Bazel(t, "--htpasswd_file", users, "--allow_unauthenticated_reads").Address
	ctx := context.Background()
	for _, c := range []struct{ password, address, says string }{
		{"lab-secret", closed, ""},
		{"wrong-secret", closed, "PIPELINE_REMOTE_PASSWORD"},
		{"", closed, "PIPELINE_REMOTE_PASSWORD"},
		{"lab-secret", readable, ""},
	} {
		t.Setenv("PIPELINE_REMOTE_USER", "lab")
		t.Setenv("PIPELINE_REMOTE_PASSWORD", c.password)
		err := store(t).Attach(ctx, open(t, c.address))
		if c.says == "" {
			sharing(t, c.address)
		} else if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "-secret") {
			t.Errorf("with %q: %v, want %q", c.password, err, c.says)
		}
	}
	t.Setenv("PIPELINE_REMOTE_USER", "")
	t.Setenv("PIPELINE_REMOTE_PASSWORD", "")
	s := store(t)
	need.NoError(t, s.Attach(ctx, open(t, readable)))
	record(t, s, "by nobody")
	s.Share(ctx, func(int) {})
	if r := s.Remote(); r.ReadOnly == nil || r.Down != nil || r.Shared != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := s.Lookup(artifacts.KeyOf("shared")); err != nil {
		t.Errorf("it is not read: %v", err)
	}
}

// One file that is too large for a server is named, and everything else is shared.
func TestBazelRemoteLimit(t *testing.T) {
	address := "http://" + remotetest.Bazel(t, "--max_blob_size", "1000").Address
	s := store(t)
	need.NoError(t, s.Attach(context.Background(), open(t, address)))
	record(t, s, strings.Repeat("x", 2000))
	record(t, s, "small")
	s.Share(context.Background(), func(int) {})
	r := s.Remote()
	if r.Shared != 1 || r.Left != 0 {
		t.Errorf("%+v", r)
	}
	if !errors.Is(r.Blocked, artifacts.ErrBlocked) || !strings.Contains(r.Blocked.Error(), "a file of 2000 bytes") {
		t.Errorf("%v", r.Blocked)
	}
}

// Answers that no server of the kind gives.
func TestBazelRemoteOddAnswers(t *testing.T) {
	endless := func(w http.ResponseWriter) {
		for _, err := w.Write(make([]byte, 1<<16)); err == nil; _, err = w.Write(make([]byte, 1<<16)) {
		}
	}
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		want   error
	}{
		"without end": {endless, artifacts.ErrCorrupt},
		"no message":  {func(w http.ResponseWriter) { io.WriteString(w, "<html>") }, artifacts.ErrCorrupt},
		"elsewhere": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(302)
		}, artifacts.ErrRefused},
		"not found": {func(w http.ResponseWriter) { w.WriteHeader(404) }, artifacts.ErrMiss},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
			defer s.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if b, err := artifacts.ReadAll(ctx, open(t, s.URL), "actions/ab/abcdef", 1<<30); !errors.Is(err, c.want) {
				t.Errorf("%d bytes, %v", len(b), err)
			}
		})
	}
}

// FuzzStandardOutput: any bytes are read or refused, and what is written is read again, whatever a
// server adds.
func FuzzStandardOutput(f *testing.F) {
	f.Add([]byte("record"), []byte{})
	f.Add([]byte{}, protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 1))
	f.Add(actionResult([]byte("record")), []byte{0x2a, 0xff})
	f.Fuzz(func(t *testing.T, record, added []byte) {
		readOutput(record)
		if got, err := readOutput(actionResult(record)); err != nil || !bytes.Equal(got, record) {
			t.Fatalf("%q, %v", got, err)
		}
		if number, _, n := protowire.ConsumeField(added); n == len(added) && number != stdoutRaw {
			got, err := readOutput(append(actionResult(record), added...))
			if err != nil || !bytes.Equal(got, record) {
				t.Fatalf("with %x: %q, %v", added, got, err)
			}
		}
		for n := range actionResult(record)[1:] { // the end of the record's field is no place to cut at
			if got, err := readOutput(actionResult(record)[:n+1]); err == nil && !bytes.Equal(got, record) ||
				err != nil && !errors.Is(err, artifacts.ErrCorrupt) {
				t.Fatalf("cut at %d: %q, %v", n+1, got, err)
			}
		}
	})
}

func readOutput(message []byte) ([]byte, error) {
	return io.ReadAll(&standardOutput{r: bufio.NewReader(bytes.NewReader(message))})
}
