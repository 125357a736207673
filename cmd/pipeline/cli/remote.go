package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/remote/address"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/words"
)

// openStore opens a store, and attaches the remote that --remote or $PIPELINE_REMOTE
// names.
func (a *app) openStore(dir string) (*disk.Store, error) {
	if err := results.KeepPrivate(dir, a.private); err != nil {
		return nil, err
	}
	trust, err := a.trust()
	if err != nil {
		return nil, err
	}
	place, err := a.openRemote()
	if err != nil {
		return nil, err
	}
	s, err := disk.Open(dir)
	if err != nil {
		return nil, err
	}
	s.Remote.SetTrust(trust)
	if place == nil {
		return s, nil
	}
	if err := s.Remote.Attach(context.Background(), place); err != nil {
		s.Close()
		return nil, exit.Wrong(err)
	}
	if r := s.Remote.Report(); r.Down != nil {
		a.Note("%s does not answer; the run continues without it, and a later run shares the results (%v)", r.Name, r.Down)
	}
	return s, nil
}

// noRemote is --remote where $PIPELINE_REMOTE is not to be used.
const noRemote = "none"

// openRemote is the remote that --remote or $PIPELINE_REMOTE names; nil where none is named.
func (a *app) openRemote() (remote.Pruner, error) {
	name := cmp.Or(a.Remote, os.Getenv("PIPELINE_REMOTE"))
	if name == "" || name == noRemote {
		return nil, nil
	}
	place, err := address.Open(name)
	if err != nil {
		return nil, exit.Wrong(err)
	}
	return place, nil
}

// share waits for what a run made to arrive at the remote. Ctrl-C leaves the rest to
// the next run. cached is how many results the run found.
func (a *app) share(ctx context.Context, s *disk.Store, cached int) {
	if s.Remote.Report() == nil {
		return
	}
	s.Remote.Share(ctx, func(left int) {
		if a.Term.IsTerminal() && !a.Quiet {
			fmt.Fprintf(a.Stderr, "%ssharing: %s left", console.ClearLine(), words.Count(left, "result"))
		}
	})
	if a.Term.IsTerminal() && !a.Quiet {
		fmt.Fprint(a.Stderr, console.ClearLine())
	}
	r := s.Remote.Report()
	if r.Replaced > 0 {
		a.Note("%s: %s damaged there, replaced", r.Name, words.Count(r.Replaced, "object"))
	}
	if r.Blocked != nil {
		a.Note("%s: %v", r.Name, r.Blocked)
	}
	if r.Refused > 0 {
		a.Note("%s: %s damaged there and treated as missing", r.Name, words.Count(r.Refused, "object"))
	}
	switch {
	case errors.Is(r.ReadOnly, remote.ErrHalfShared):
		a.Warn("%s: %s fetched, nothing sent: %v", r.Name, words.Count(r.Fetched, "file"), r.ReadOnly)
	case errors.Is(r.ReadOnly, address.ErrStore):
		a.Note("%s: %s fetched, nothing sent: it is a store, which other stores only read", r.Name, words.Count(r.Fetched, "file"))
	case r.ReadOnly != nil:
		a.Note("%s: %s fetched; it is read-only", r.Name, words.Count(r.Fetched, "file"))
	case r.Left > 0 && r.Down != nil:
		a.Note("%s does not answer: %s not shared yet; the next run with it shares them (%v)", r.Name, words.Count(r.Left, "result")+words.Verb(r.Left, " is", " are"), r.Down)
	case r.Left > 0:
		a.Note("%s: %s not shared yet; the next run with it shares them", r.Name, words.Count(r.Left, "result")+words.Verb(r.Left, " is", " are"))
	case r.Fetched+r.Shared > 0:
		a.Note("%s: %s fetched, %s shared", r.Name, words.Count(r.Fetched, "file"), words.Count(r.Shared, "result"))
	case r.Found == 0 && r.Down == nil && cached > 0:
		a.Note("%s: nothing sent: this store had the %s; what was made without the remote is sent when it is made again (--force STAGE)", r.Name, words.Count(cached, "result"))
	}
}
