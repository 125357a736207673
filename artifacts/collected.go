package artifacts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"prgnn/internal/regular"
)

// The file "collected" lists the blobs that gc or Repair has removed, or that were never brought from a remote, a line
// "digest size" each, so that verify does not take them for lost.
func (s *Store) collectedPath() string { return filepath.Join(s.dir, collectedFile) }

func (s *Store) appendCollected(victims []Victim) error {
	if len(victims) == 0 {
		return nil
	}
	var b []byte
	for _, v := range victims {
		b = fmt.Appendf(b, "%s %d\n", v.Digest, v.Size)
	}
	f, err := regular.OpenFile(s.collectedPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	before, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		if _, err = f.Write(b); err != nil {
			_ = f.Truncate(before) // a piece of a line would spoil the next one
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *Store) readCollected() map[Digest]bool {
	b, _ := regular.ReadFile(s.collectedPath())
	gone := map[Digest]bool{}
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, " ")
		if d, err := ParseDigest(name); err == nil {
			gone[d] = true
		}
	}
	return gone
}

// compactCollected forgets the blobs that were made again. The gate is closed.
func (s *Store) compactCollected() error {
	b, err := regular.ReadFile(s.collectedPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	seen := map[Digest]bool{}
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, " ")
		d, err := ParseDigest(name)
		if err != nil || seen[d] {
			continue
		}
		seen[d] = true
		if _, err := s.blobs.Stat(name); errors.Is(err, os.ErrNotExist) && len(s.packs.Find(packedBlob(d))) == 0 {
			kept = append(kept, line...)
		}
	}
	if len(kept) == len(b) {
		return nil
	}
	t, err := s.temp()
	if err != nil {
		return err
	}
	return t.PublishBytes(kept, s.collectedPath())
}
