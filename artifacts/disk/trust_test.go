package disk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

// An endless remote answers every question for a record with bytes without end.
type endless struct {
	*shelf
	read, long, most atomic.Int64
}

// An endlessObject is one answer.
type endlessObject struct {
	*endless
	n int64
}

func (e *endless) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == versionFile {
		return io.NopCloser(bytes.NewReader([]byte(remote.Version))), nil
	}
	return &endlessObject{endless: e}, nil
}

func (e *endlessObject) Read(p []byte) (int, error) {
	before := e.n
	if e.n += int64(len(p)); before <= shortRecord+1 && e.n > shortRecord+1 {
		if n := e.long.Add(1); n > e.most.Load() {
			e.most.Store(n)
		}
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func (e *endlessObject) Close() error {
	if e.n > shortRecord+1 {
		e.long.Add(-1)
	}
	return nil
}

// Long records that come without end are read one at a time, and no further than the limit.
func TestEndlessRecords(t *testing.T) {
	e := &endless{shelf: newShelf()}
	s := attached(t, e)
	const n = 16
	var asking sync.WaitGroup
	for i := range n {
		asking.Go(func() {
			if _, err := s.Lookup(artifacts.KeyOf(string(rune('a' + i)))); !errors.Is(err, artifacts.ErrMiss) {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	read, limit := e.read.Load(), int64(n*(remote.LongestRecord+1+shortRecord+1))
	if read == 0 || read > limit || e.most.Load() != 1 {
		t.Errorf("%d bytes were read, the limit is %d; %d records at once", read, limit, e.most.Load())
	}
	if r := s.Remote.Report(); r.Refused != n {
		t.Errorf("%d of %d are refused", r.Refused, n)
	}
}

// The record of work that gathers 40,000 inputs goes through a remote; a longer one than the
// limit stays at home.
func TestLongRecords(t *testing.T) {
	gather := strings.Repeat("in    scores "+artifacts.DigestOf(nil).String()+" arrow subject=sub-00000,fold=10,pool=topk,lambda=0.1-0.1\n", 40_000)
	f := newShelf()
	one := attached(t, f)
	fits, _ := recordWork(t, one, gather)
	tooLong, _ := recordWork(t, one, strings.Repeat("x", remote.LongestRecord))
	share(one)
	two := attached(t, f)
	if a, err := two.Lookup(fits); err != nil || a.Recipe != gather {
		t.Errorf("%d bytes: %v", len(gather), err)
	}
	if _, err := two.Lookup(tooLong); !errors.Is(err, artifacts.ErrMiss) {
		t.Errorf("too long: %v", err)
	}
	if r := one.Remote.Report(); r.Left != 0 || r.Shared == 0 {
		t.Errorf("%+v", r)
	}
}

// A stamp signs in the plainest way, to see what the store does with it.
type stamp string

func (s stamp) ID() string                    { return string(s) }
func (s stamp) Sign(b []byte) ([]byte, error) { return append([]byte(s+":"), b...), nil }
func (s stamp) Open(b []byte) ([]byte, error) {
	if record, ok := bytes.CutPrefix(b, []byte(s+":")); ok {
		return record, nil
	}
	return nil, errors.New("the signature does not fit")
}

// Where a record came from stays known, in another session too, and decides whether it is believed.
func TestOriginIsKept(t *testing.T) {
	f := newShelf()
	one := newStore(t)
	one.Remote.SetTrust(remote.Trust{Signer: stamp("lab")})
	need.NoError(t, one.Remote.Attach(context.Background(), f))
	k, outputs := recordWork(t, one, "recipe")
	share(one)
	two := newStore(t)
	two.Remote.SetTrust(remote.Trust{Keys: []remote.Verifier{stamp("other"), stamp("lab")}})
	need.NoError(t, two.Remote.Attach(context.Background(), f))
	if a, err := two.Lookup(k); err != nil || a.Origin != "lab" || a.Outputs.Of("a") != outputs.Of("a") {
		t.Fatalf("%+v, %v", a, err)
	}
	need.NoError(t, two.Close())
	again := need.Value(Open(two.Dir()))(t)
	defer again.Close()
	for _, c := range []struct {
		keys     []remote.Verifier
		believed bool
	}{{nil, true}, {[]remote.Verifier{stamp("lab")}, true}, {[]remote.Verifier{stamp("other")}, false}} {
		again.Remote.SetTrust(remote.Trust{Keys: c.keys})
		if _, err := again.Lookup(k); (err == nil) != c.believed {
			t.Errorf("trusting %v: %v", c.keys, err)
		}
	}
	if n, _ := again.Remote.Distrusted(); n != 1 {
		t.Errorf("%d are not believed", n)
	}
	// What is made here is believed, whoever is trusted.
	recordWork(t, again, "recipe")
	if a, err := again.Lookup(k); err != nil || a.Origin != "" {
		t.Errorf("%+v, %v", a, err)
	}
	if r, err := again.Health.Verify(context.Background(), nil); err != nil || r.Damaged() != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if n, err := again.Remote.Forget(); n != 0 || err != nil {
		t.Errorf("%d of its own were forgotten, %v", n, err)
	}
}

// A record says in vain where it comes from: a remote may be a copy of a store.
func TestRemoteDoesNotStateTheOrigin(t *testing.T) {
	f := newShelf()
	one := attached(t, f)
	k, outputs := recordWork(t, one, "recipe")
	share(one)
	lie := need.Value(record.EncodeAction(artifacts.Action{Recipe: "recipe", Outputs: outputs, Origin: "lab"}))(t)
	f.change("actions/", func([]byte) []byte { return lie })
	if a, err := attached(t, f).Lookup(k); err != nil || a.Origin != artifacts.Unsigned {
		t.Errorf("%+v, %v", a, err)
	}
}
