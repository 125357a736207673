package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote/address"
	"prgnn/artifacts/storetest"
	"prgnn/internal/need"
)

// A record in a remote that promises other bytes than the task gives is the remote's fault,
// and not that of the stage; in a store without a remote it is the stage's.
func TestForgedSize(t *testing.T) {
	for _, fetched := range []bool{true, false} {
		dir := t.TempDir()
		one, two := newStore(t), newStore(t)
		attach := func(st *disk.Store) {
			place := need.Value(address.Open("file://" + filepath.ToSlash(dir)))(t)
			need.NoError(t, st.Remote.Attach(context.Background(), place))
		}
		attach(one)
		key := artifacts.Key{}
		chain("a").run(t, one, Options{Progress: func(e Event) {
			if e.Task == "c" && e.State == Ran {
				key = e.Key
			}
		}})
		one.Remote.Share(context.Background(), func(int) {})
		forged, want := dir, OtherRecord
		if !fetched {
			two = one
			forged, want = one.Dir(), OtherBytes
		} else {
			attach(two)
		}
		record := storetest.Find(t, forged, key)
		path, b := record.Path, record.Read(t)
		body := regexp.MustCompile(`(?m)^(output \S+ )\d+`).ReplaceAll(b[:len(b)-len("sha256 \n")-64], []byte("${1}7777"))
		record.Write(t, fmt.Appendf(body, "sha256 %s\n", artifacts.DigestOf(body)))
		note := ""
		chain("a").run(t, two, Options{Progress: func(e Event) {
			if e.Task == "c" && e.State == Ran {
				note = e.Note
			}
		}})
		need.Equal(t, note, want, "fetched", fetched)
		if !fetched {
			continue
		}
		// The record that the remote cannot keep is replaced there, so that nobody else meets it.
		two.Remote.Share(context.Background(), func(int) {})
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b) {
			t.Errorf("the remote's record is now %q, %v; want %q", got, err, b)
		}
		three := newStore(t)
		attach(three)
		if res, ran := chain("a").run(t, three, Options{}); strings.Contains(ran, ":ran") {
			t.Errorf("a third store: %s, %+v", ran, res)
		}
	}
}
