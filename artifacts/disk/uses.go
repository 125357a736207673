package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
)

func (l *link) use(k artifacts.Key) {
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
	if _, ok := l.remote.(remote.Pruner); !ok || len(used) == 0 || !l.takes() {
		return
	}
	f, err := os.CreateTemp("", "prgnn-uses-")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(keyLines(remote.UsesMagic, used))
	if errors.Join(err, f.Close()) == nil {
		_ = l.ask(context.Background(), func(ctx context.Context) error {
			return l.remote.Put(ctx, path.Join(remote.UsesDir, rand.Text()), f.Name())
		})
	}
}
