package disk

import (
	"crypto/sha256"
	"path/filepath"

	"prgnn/artifacts"
	"prgnn/artifacts/tasklog"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// Log begins the log of the work with this key.
func (x *Work) Log(k artifacts.Key) *tasklog.Log {
	s := x.store
	return tasklog.New(s.Work.LogPath(k))
}

// LogPath is where the log of the work with this key lies, if it said anything.
func (x *Work) LogPath(k artifacts.Key) string {
	s := x.store
	return s.object(logsDir, k.String())
}

// A Scratch is where a long task keeps its checkpoint: under the key of its work, so that whoever takes up the same
// work finds it, in this process or another. A checkpoint is a help to go on and never a result.
type Scratch struct {
	s   *Store
	key artifacts.Key
}

// Scratch is the place for the checkpoint of one key.
func (x *Work) Scratch(k artifacts.Key) Scratch {
	s := x.store
	return Scratch{s, k}
}

func (c Scratch) path() string { return filepath.Join(c.s.dir, scratchDir, c.key.String()) }

// Get returns what Put stored last, or nil: nothing, or nothing whole.
func (c Scratch) Get() []byte {
	b, err := regular.ReadFile(c.path())
	if err != nil {
		return nil
	}
	at := len(b) - sha256.Size
	if at < 0 || artifacts.Digest(b[at:]) != artifacts.DigestOf(b[:at]) {
		return nil
	}
	return b[:at:at]
}

// Put replaces the checkpoint in one step: there is always a whole one. Its digest is stored behind it, for a task
// that went on from damaged numbers would end in a wrong result under the right name.
func (c Scratch) Put(b []byte) error {
	t, err := c.s.temp()
	if err != nil {
		return err
	}
	defer t.Discard()
	if _, err := t.Write(b); err != nil {
		return c.s.fault(err)
	}
	sum := t.Digest()
	if _, err := t.Write(sum[:]); err != nil {
		return c.s.fault(err)
	}
	if err := t.Settle(); err != nil {
		return c.s.fault(err)
	}
	_, err = t.Publish(c.path())
	return c.s.fault(err)
}

// Remove deletes the checkpoint, if there is one.
func (c Scratch) Remove() error { return c.s.fault(whole.Remove(c.path())) }
