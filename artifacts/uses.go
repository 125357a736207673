package artifacts

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"time"
)

// A Pruner is a remote that can be kept small: it tells what it holds, and removes it.
type Pruner interface {
	Remote
	// List calls each for all objects of blobs, actions, signed or uses, one at a time.
	List(ctx context.Context, part string, each func(RemoteObject)) error
	// Remove removes an object, unless it changed after a time. Nil also when it is not there.
	Remove(ctx context.Context, name string, after time.Time) error
	// Touch makes an object as new as one that is put now; ErrMiss when it is not there, or has to be put for that. It
	// may leave one that changed within Grace/4.
	Touch(ctx context.Context, name string) error
}

// Grace protects what is on its way: nothing is removed from a remote that changed within this time before somebody
// looked what it holds. Who finds a blob there touches it before recording what promises it.
const Grace = time.Hour

// A RemoteObject is one of a remote as it lies there.
type RemoteObject struct {
	Name    string
	Size    int64 // bytes
	Changed time.Time
}

// Unfinished is in the name of a file that a remote is still writing.
const Unfinished = ".part-"

// UsesDir is the directory of the uses in a remote. A use is a list of the actions that one process has fetched:
// UsesMagic, then a key a line. Its age says when. So a remote knows what is used, whatever its file system or server
// records of reading. It lies in the remote, for all machines; memo/unshared (see sharing) lies in the store and lists
// what has not arrived in the remote yet.
const (
	UsesDir   = "uses"
	UsesMagic = "prgnn uses 1\n"
)

func (l *link) use(k Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = append(l.used, k)
}

// tellUses leaves the list of what was fetched. Where it cannot, nothing is lost but the order in which a
// remote is emptied.
func (l *link) tellUses() {
	l.mu.Lock()
	used := l.used
	l.used = nil
	l.mu.Unlock()
	if _, ok := l.remote.(Pruner); !ok || len(used) == 0 || !l.takes() {
		return
	}
	f, err := os.CreateTemp("", "prgnn-uses-")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(keyLines(UsesMagic, used))
	if errors.Join(err, f.Close()) == nil {
		_ = l.ask(context.Background(), func(ctx context.Context) error {
			return l.remote.Put(ctx, path.Join(UsesDir, rand.Text()), f.Name())
		})
	}
}
