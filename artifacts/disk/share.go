package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/session"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// A sharing carries what is recorded to the remote, behind the back of the run: first the blobs of an action, then its
// record, so that the remote, too, never promises what it does not have. The keys that are on their way stand in a
// file in memo/unshared, one a session and named as that; what a process could not carry, because the remote went away
// or it was killed, is carried by the next one.
type sharing struct {
	ctx  context.Context
	stop context.CancelFunc
	done sync.WaitGroup

	mu    sync.Mutex
	moved *sync.Cond // the queue, or at, has changed
	queue []artifacts.Key
	at    int // keys that are being carried
	large chan struct{}
	list  *os.File                       // nil when there is nothing in it, or it cannot be written
	taken []string                       // lists whose keys are in the queue
	fresh map[artifacts.Digest]time.Time // blobs that were sent or touched, and when
}

const (
	unsharedDir = "unshared"
	carriers    = 32 // small files wait for round trips
	largeAtOnce = 4  // of the carriers, those that send a file or a record that is not small
)

func (p *sharing) begin(s *Store) {
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.moved, p.fresh = sync.NewCond(&p.mu), map[artifacts.Digest]time.Time{}
	p.large = make(chan struct{}, largeAtOnce)
	dir := filepath.Join(s.dir, memoDir, unsharedDir)
	entries, _ := os.ReadDir(dir)
	sessions, _ := s.session.Others()
	for _, e := range entries {
		// The list of one that lives is still written, and is its own.
		if slices.ContainsFunc(sessions, func(p session.Presence) bool {
			return p.Alive &&
				filepath.Base(p.Dir) == e.Name()
		}) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := regular.ReadFile(path)
		if err != nil {
			continue
		}
		p.taken = append(p.taken, path)
		for line := range strings.Lines(string(b)) {
			if k, err := artifacts.ParseKey(strings.TrimSpace(line)); err == nil {
				p.queue = append(p.queue, k)
			}
		}
	}
	for range carriers {
		p.done.Go(func() { p.carry(s) })
	}
}

// Offer puts an action that another process has recorded in this store on its way to the remote, if there is one.
func (x *Sharing) Offer(k artifacts.Key) {
	s := x.store
	if s.link != nil {
		s.share.add(s, k)
	}
}

// add puts an action on its way.
func (p *sharing) add(s *Store, k artifacts.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, k)
	if p.list == nil {
		p.list = newList(s)
	}
	if p.list != nil {
		fmt.Fprintln(p.list, k)
	}
	p.moved.Broadcast()
}

// newList makes the list of this session; nil when it cannot.
func newList(s *Store) *os.File {
	session, err := s.session.Begin()
	dir := filepath.Join(s.dir, memoDir, unsharedDir)
	if err != nil || whole.MkdirAll(dir) != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, filepath.Base(session)), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil
	}
	_ = whole.ShareFile(f.Name()) // the next process may be another user's
	return f
}

func (p *sharing) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue) + p.at
}

// carry carries one key after the other until the store is closed. While the remote is away, keys wait.
func (p *sharing) carry(s *Store) {
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && p.ctx.Err() == nil {
			p.moved.Wait()
		}
		if p.ctx.Err() != nil {
			p.mu.Unlock()
			return
		}
		k := p.queue[0]
		p.queue = p.queue[1:]
		p.at++
		p.mu.Unlock()

		err := s.carryAction(p.ctx, k)

		p.mu.Lock()
		p.at--
		away := errors.Is(err, errDown) || errors.Is(err, remote.ErrRefused) || p.ctx.Err() != nil
		if away {
			p.queue = append(p.queue, k)
		}
		p.moved.Broadcast()
		p.mu.Unlock()
		if away {
			select { // a moment passes before the remote is tried again
			case <-p.ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// carryAction makes sure that the remote has an action and its blobs. Nil also means
// that there is nothing more to be done about it.
func (s *Store) carryAction(ctx context.Context, k artifacts.Key) error {
	a, err := s.recorded(k)
	if err != nil || a.Origin != "" { // it is gone, or the work of others
		return nil
	}
	if record, err := record.EncodeAction(a); err != nil || len(record) > remote.LongestRecord {
		return nil // nobody would read it
	}
	spoilt := false // where one file of the work is damaged, none of the others is relied on
	for _, ref := range a.Outputs {
		spoilt = spoilt || s.link.refuses(ref.Digest)
	}
	began := time.Now()
	var rely []artifacts.Ref // on what others have sent
	for _, ref := range a.Outputs {
		sent, err := s.carryBlob(ctx, ref.Ref, spoilt)
		if err != nil {
			return err
		}
		if !sent {
			rely = append(rely, ref.Ref)
		}
	}
	if time.Since(began) > remote.Grace/4 { // what was sent first is old by now
		rely = rely[:0]
		for _, ref := range a.Outputs {
			rely = append(rely, ref.Ref)
		}
	}
	err = s.carryRecord(ctx, k, a)
	for _, r := range rely { // now that gc finds the record: has one removed it that did not find the record yet?
		if err == nil {
			err = s.renew(ctx, r.Digest)
		}
		if errors.Is(err, artifacts.ErrMiss) {
			err = s.sendBlob(ctx, r)
		}
	}
	if err == nil {
		s.link.mu.Lock()
		s.link.shared++
		s.link.mu.Unlock()
	}
	return err
}

// carryRecord makes sure that the remote has the record of an action, and its signed one.
func (s *Store) carryRecord(ctx context.Context, k artifacts.Key, a artifacts.Action) error {
	if len(a.Recipe) > shortRecord {
		s.share.large <- struct{}{}
		defer func() { <-s.share.large }()
	}
	record, err := record.EncodeAction(a)
	if err == nil {
		err = s.putRecord(ctx, remote.Name(actionsDir, k.String()), record, s.trust.Signer != nil &&
			s.Remote.Untrusted(k))
	}
	if err == nil && s.trust.Signer != nil {
		err = s.putSigned(ctx, k, record)
	}
	return err
}

// carryBlob makes sure that the remote has a blob, and will for an hour.
func (s *Store) carryBlob(ctx context.Context, r artifacts.Ref, spoilt bool) (sent bool, err error) {
	n, err := s.link.blobSize(ctx, r.Digest)
	if err != nil && !errors.Is(err, artifacts.ErrMiss) {
		return false, err
	}
	if err == nil && n == r.Size && !spoilt {
		s.share.mu.Lock()
		fresh := time.Since(s.share.fresh[r.Digest]) < remote.Grace/4
		s.share.mu.Unlock()
		if fresh {
			return true, nil
		}
		if err = s.renew(ctx, r.Digest); !errors.Is(err, artifacts.ErrMiss) {
			return false, err
		}
	}
	return true, s.sendBlob(ctx, r)
}

func (s *Store) sendBlob(ctx context.Context, r artifacts.Ref) error {
	// Nobody else shall have to find out that our disk has damaged it.
	if err := s.Health.Check(r); err != nil {
		return err
	}
	began, object := time.Now(), remote.Name(blobsDir, r.Digest.String())
	b, err := s.packed(r.Digest)
	if err == nil {
		err = s.putBytes(ctx, object, b)
	} else {
		err = s.putLarge(ctx, object, s.Health.BlobPath(r.Digest))
	}
	if err == nil {
		s.link.know(r.Digest, r.Size)
		s.share.changed(r.Digest, began)
	}
	return err
}

// renew makes a blob of the remote as new as one that is sent now. ErrMiss: it has to be sent.
func (s *Store) renew(ctx context.Context, d artifacts.Digest) error {
	p, ok := s.link.remote.(remote.Pruner)
	if !ok {
		return nil
	}
	began := time.Now()
	err := s.link.talk(ctx, func(ctx context.Context) error {
		return p.Touch(ctx, remote.Name(blobsDir, d.String()))
	})
	if err == nil {
		s.share.changed(d, began)
	}
	return err
}

// changed notes when a blob in the remote was sent or touched.
func (p *sharing) changed(d artifacts.Digest, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh[d] = at
}

// putRecord shares a record. One that is there stays, unless it is to be replaced, and becomes as new as what it
// promises where that is what ours does.
func (s *Store) putRecord(ctx context.Context, object string, text []byte, replace bool) error {
	_, err := s.link.size(ctx, object)
	if err == nil && !replace {
		err = s.link.ask(ctx, func(ctx context.Context) error {
			there, err := remote.ReadAll(ctx, s.link.remote, object, int64(len(text)))
			replace = bytes.Equal(there, text)
			return err
		})
	}
	if replace || errors.Is(err, artifacts.ErrMiss) {
		return s.putBytes(ctx, object, text)
	}
	if errors.Is(err, artifacts.ErrCorrupt) { // it is longer, or it cannot be read
		return nil
	}
	return err
}

// contradict looks at a fetched record of work that was done here all the same, and gave other outputs. If the remote
// has not the files that the record promises, it counts as damaged, and the one made here replaces it.
func (s *Store) contradict(k artifacts.Key, a artifacts.Action) {
	old, err := s.recorded(k)
	if err != nil || old.Origin == "" || slices.Equal(old.Outputs, a.Outputs) {
		return
	}
	for _, ref := range old.Outputs {
		n, err := s.link.blobSize(context.Background(), ref.Digest)
		if !errors.Is(err, artifacts.ErrMiss) && (err != nil || n == ref.Size) {
			continue
		}
		s.link.refuse(remote.Name(actionsDir, k.String()))
		if s.trust.Signer != nil && s.trust.Signer.ID() == old.Origin {
			s.link.refuse(signedName(k, old.Origin))
		}
		return
	}
}

func (s *Store) putLarge(ctx context.Context, object, file string) error {
	s.share.large <- struct{}{}
	defer func() { <-s.share.large }()
	return s.put(ctx, object, file)
}

func (s *Store) put(ctx context.Context, object, file string) error {
	err := s.link.talk(ctx, func(ctx context.Context) error { return s.link.remote.Put(ctx, object, file) })
	if err == nil {
		s.link.accept(object)
	}
	return err
}

// putBytes is put of bytes that are no file.
func (s *Store) putBytes(ctx context.Context, object string, b []byte) error {
	t, err := s.temp()
	if err != nil {
		return err
	}
	defer os.Remove(t.Path)
	_, err = t.Write(b)
	if err := errors.Join(err, t.Close()); err != nil {
		return s.fault(err)
	}
	return s.put(ctx, object, t.Path)
}

// Share waits until the remote has everything, or does not answer, or ctx is done.
// Progress gets how many actions are still to be carried.
func (x *Sharing) Share(ctx context.Context, progress func(left int)) {
	s := x.store
	if s.link == nil {
		return
	}
	p := &s.share
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock() // not between our last look at ctx and our waiting
		defer p.mu.Unlock()
		p.moved.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue)+p.at > 0 && ctx.Err() == nil && s.link.takes() {
		progress(len(p.queue) + p.at)
		p.moved.Wait()
	}
}

// end stops carrying, and leaves a list of what is left.
func (p *sharing) end() {
	if p.stop == nil {
		return
	}
	p.stop()
	p.mu.Lock()
	p.moved.Broadcast()
	p.mu.Unlock()
	p.done.Wait()
	if p.list == nil && len(p.queue) > 0 {
		return // it stands where it was taken from
	}
	if p.list != nil {
		name, err := p.list.Name(), p.list.Close()
		if len(p.queue) == 0 {
			p.taken = append(p.taken, name)
		} else if err = errors.Join(err, rewrite(name, p.queue)); err != nil {
			return // all of it stands in one list or another
		}
	}
	for _, path := range p.taken {
		os.Remove(path)
	}
}

// rewrite replaces a list in one step.
func rewrite(name string, keys []artifacts.Key) error {
	part := name + ".part"
	err := os.WriteFile(part, keyLines("", keys), 0o666)
	if err = errors.Join(err, whole.ShareFile(part)); err != nil {
		os.Remove(part)
		return err
	}
	return os.Rename(part, name)
}

// keyLines is a list of keys, a line each.
func keyLines(head string, keys []artifacts.Key) []byte {
	b := []byte(head)
	for _, k := range keys {
		b = append(append(b, k.String()...), '\n')
	}
	return b
}
