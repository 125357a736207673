package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// The file "collected" lists the blobs that gc or Repair has removed, or that were never brought from a remote, a line
// "digest size" each, so that verify does not take them for lost. A line "key record time" (ns since 1970) is of an
// action whose record was removed then, or was gone.
func (s *Store) collectedPath() string { return filepath.Join(s.dir, collectedFile) }

func (s *Store) appendCollected(victims []Victim) error {
	if len(victims) == 0 {
		return nil
	}
	var b []byte
	for _, v := range victims {
		b = fmt.Appendf(b, "%s %d\n", v.Digest, v.Size)
	}
	return s.noteCollected(b)
}

// appendForgotten notes records that are gone, so that verify does not take them for lost.
func (s *Store) appendForgotten(keys []artifacts.Key) error {
	if len(keys) == 0 {
		return nil
	}
	var b []byte
	for _, k := range keys {
		b = fmt.Appendf(b, "%s %s %d\n", k, recordWord, time.Now().UnixNano())
	}
	return s.noteCollected(b)
}

const recordWord = "record"

func (s *Store) noteCollected(b []byte) error {
	s.noting.Lock()
	unlock := sync.OnceFunc(s.noting.Unlock) // many sync the file at a time
	defer unlock()
	// Earlier versions of gc left the file read-only.
	if info, err := os.Lstat(s.collectedPath()); err == nil && info.Mode().IsRegular() && info.Mode()&0o200 == 0 {
		_ = os.Chmod(s.collectedPath(), info.Mode().Perm()|0o200) // opening it reports what it could not mend
	}
	f, err := regular.OpenFile(s.collectedPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	before, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		err = whole.ShareFile(s.collectedPath())
	}
	if err == nil {
		if _, err = f.Write(b); err != nil {
			_ = f.Truncate(before) // a piece of a line would spoil the next one
		}
	}
	unlock()
	return errors.Join(err, f.Sync(), f.Close())
}

// readCollected lists the blobs that were removed, and when records were.
func (s *Store) readCollected() (blobs map[artifacts.Digest]bool, records map[artifacts.Key]time.Time) {
	b, _ := regular.ReadFile(s.collectedPath())
	blobs, records = map[artifacts.Digest]bool{}, map[artifacts.Key]time.Time{}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, " ")
		d, err := artifacts.ParseDigest(name)
		if err != nil {
			continue
		}
		if at, ok := forgotten(rest); ok {
			records[artifacts.Key(d)] = at
		} else {
			blobs[d] = true
		}
	}
	return blobs, records
}

// forgotten reads what follows a key in the line of a record.
func forgotten(rest string) (at time.Time, ok bool) {
	word, when, _ := strings.Cut(strings.TrimSpace(rest), " ")
	ns, err := strconv.ParseInt(when, 10, 64)
	return time.Unix(0, ns), word == recordWord && err == nil
}

// compactCollected forgets the blobs and the records that were made again. The gate is closed.
func (s *Store) compactCollected() error {
	b, err := regular.ReadFile(s.collectedPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	seen := map[artifacts.Digest]bool{}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, " ")
		d, err := artifacts.ParseDigest(name)
		if err != nil {
			continue
		}
		if _, ok := forgotten(rest); ok {
			if _, err := s.recorded(artifacts.Key(d)); err != nil {
				kept = append(kept, line...)
			}
			continue
		}
		if seen[d] {
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
	t.Appended = true
	return t.PublishBytes(kept, s.collectedPath())
}
