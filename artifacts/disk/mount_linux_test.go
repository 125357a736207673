package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/session"
	"prgnn/internal/need"
)

// These tests mount a small file system for themselves, in a name space of their own
// that ends with the process, so that they need no privilege where the system lets users have
// name spaces.

func init() {
	children["full"] = childFull
	children["inodes"] = childInodes
	children["read-only"] = childReadOnly
}

var errNoMount = errors.New("cannot mount")

// mounted runs a child in a name space of its own.
func mounted(t *testing.T, job string) {
	cmd := exec.Command(need.Value(os.Executable())(t))
	cmd.Env = append(os.Environ(), "PRGNN_CHILD="+job, "PRGNN_CHILD_STORE="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit), strings.Contains(string(out), errNoMount.Error()):
		need.Missing(t, "no mount name space: %v %s", err, out)
	case err != nil:
		t.Errorf("%v:\n%s", err, out)
	}
}

func mountTmpfs(dir, options string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		return fmt.Errorf("%w: %w", errNoMount, err)
	}
	return nil
}

// A disk that fills up fails the write, says so, and damages nothing; when there is
// room again, the same store goes on.
func TestFullDisk(t *testing.T) { mounted(t, "full") }

func childFull(dir string) error {
	if err := mountTmpfs(dir, "size=1m"); err != nil {
		return err
	}
	s, err := Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	defer s.Close()
	kept := map[artifacts.Key]artifacts.Ref{}
	var keys []artifacts.Key
	one := func(i int) error {
		r, err := s.Put(artifacts.Text(strings.Repeat(fmt.Sprint(i), 20000)))
		if err != nil {
			return err
		}
		k, err := s.Record(artifacts.Action{Recipe: fmt.Sprint(i), Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
		if err == nil {
			kept[k] = r
			keys = append(keys, k)
		}
		return err
	}
	for i := 0; err == nil; i++ {
		err = one(i)
	}
	if !errors.Is(err, artifacts.ErrFull) || !strings.HasPrefix(err.Error(), "store "+s.Dir()+": no space left") {
		return fmt.Errorf("the disk is full, and the error is: %w", err)
	}
	for i := range 20 { // and again, also where only a record would still fit
		if err := one(1000 + i); err != nil && !errors.Is(err, artifacts.ErrFull) {
			return err
		}
		s.SaveRun(&artifacts.RunRecord{ID: artifacts.NewRunID(), Detail: bytes.Repeat([]byte("x"), 5000*i)})
		s.Work.Scratch(artifacts.KeyOf("x")).Put(bytes.Repeat([]byte("x"), 5000*i))
	}
	if len(kept) < 3 {
		return fmt.Errorf("only %d blobs fitted", len(kept))
	}
	for k, r := range kept {
		if _, err := s.Lookup(k); err != nil {
			return err
		}
		if _, err := content(s, r); err != nil {
			return err
		}
	}
	if err := clean(s); err != nil {
		return err
	}
	for _, k := range keys[:2] {
		if err := s.Health.Remove(kept[k].Digest); err != nil {
			return err
		}
		if err := s.removeObject(s.recordObject(k)); err != nil {
			return err
		}
	}
	if err := one(0); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	if err := clean(s); err != nil {
		return err
	}
	return gcOnFullDisk(dir, s)
}

// gcOnFullDisk: where not one byte can be written, gc still makes room.
func gcOnFullDisk(dir string, s *Store) error {
	if err := s.SaveRun(&artifacts.RunRecord{ID: artifacts.NewRunID(), Started: time.Now(),
		Finished: time.Now().Add(time.Hour)}); err != nil {
		return err
	}
	if err := s.Close(); err != nil { // what was made in this session is in use
		return err
	}
	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		return err
	}
	for err == nil {
		_, err = rest.Write(make([]byte, 512))
	}
	rest.Close()
	s, err = Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	defer s.Close()
	plan, err := s.Health.PlanGC(GCOptions{KeepRuns: 1})
	if err != nil {
		return err
	}
	if n, _, err := plan.Execute(); err != nil || n < 3 {
		return fmt.Errorf("gc on a full disk removed %d blobs: %w", n, err)
	}
	return clean(s)
}

// Where no file or directory can be made, gc frees those of the memo, closes the gate in the place of a session, and
// makes room; where even then there is no room for a new pack, it removes the files and reports the packs that stay.
func TestGCWithoutInodes(t *testing.T) { mounted(t, "inodes") }

func childInodes(dir string) error {
	for _, large := range []bool{false, true} {
		for free := range 6 {
			if err := gcWithoutInodes(filepath.Join(dir, fmt.Sprint(large, free)), free, large); err != nil {
				return fmt.Errorf("%d inodes are free, files: %t: %w", free, large, err)
			}
		}
	}
	return nil
}

// gcWithoutInodes has gc remove small results, and large ones or not, where so many inodes are free, those of the
// memo among them.
func gcWithoutInodes(dir string, free int, large bool) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := mountTmpfs(dir, "size=8m,nr_inodes=150"); err != nil {
		return err
	}
	fill := func(name string) error { return os.WriteFile(filepath.Join(dir, name), nil, 0o666) }
	for i := range free {
		if err := fill(fmt.Sprint("free", i)); err != nil {
			return err
		}
	}
	s, err := Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	for i := range 12 {
		text := fmt.Sprint("result ", i)
		if large && i%2 == 0 {
			text = strings.Repeat(text, packedUpTo)
		}
		r, err := s.Put(artifacts.Text(text))
		if err != nil {
			return err
		}
		if _, err := s.Record(artifacts.Action{Recipe: fmt.Sprint(i), Outputs: artifacts.Refs{{Name: "text",
			Ref: r}}}); err != nil {
			return err
		}
	}
	err = s.SaveRun(&artifacts.RunRecord{ID: artifacts.NewRunID(), Started: time.Now(),
		Finished: time.Now().Add(time.Hour)})
	if err := errors.Join(err, s.Close(), os.RemoveAll(filepath.Join(s.Dir(), memoDir))); err != nil {
		return err
	}
	for i := 0; err == nil; i++ {
		err = fill(fmt.Sprint("rest", i))
	}
	for i := range free {
		if err := os.Remove(filepath.Join(dir, fmt.Sprint("free", i))); err != nil {
			return err
		}
	}
	if s, err = Open(s.Dir()); err != nil {
		return err
	}
	plan, err := s.Health.PlanGC(GCOptions{KeepRuns: 1})
	if err != nil || len(plan.Remove) != 12 {
		return fmt.Errorf("gc would remove %d blobs: %w", len(plan.Remove), err)
	}
	n, _, err := plan.Execute()
	want := 12
	if free == 0 && !large { // no room for a pack
		want = 0
	}
	if n != want || errors.Is(err, artifacts.ErrFull) != (want == 0) {
		return fmt.Errorf("gc removed %d blobs: %w", n, err)
	}
	if err := errors.Join(clean(s), s.Close()); err != nil {
		return err
	}
	if rest, err := os.ReadDir(filepath.Join(s.Dir(), session.TmpDir)); err != nil || len(rest) > 0 {
		return fmt.Errorf("in tmp: %v %w", rest, err)
	}
	return syscall.Unmount(dir, 0)
}

// A store on a file system that is mounted read-only serves what it has, to root,
// too.
func TestReadOnlyMount(t *testing.T) { mounted(t, "read-only") }

func childReadOnly(dir string) error {
	if err := mountTmpfs(dir, "size=4m"); err != nil {
		return err
	}
	s, err := Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	r, err := s.Put(artifacts.Text("result"))
	if err != nil {
		return err
	}
	k, err := s.Record(artifacts.Action{Recipe: "recipe", Outputs: artifacts.Refs{{Name: "text", Ref: r}}})
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return err
	}
	return readOnly(s.Dir(), k, r)
}
