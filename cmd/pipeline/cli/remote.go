package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
)

// openStore opens a store, and attaches the remote that --remote or $PIPELINE_REMOTE
// names.
func (a *app) openStore(dir string) (*artifacts.Store, error) {
	if err := keepPrivate(dir, a.private); err != nil {
		return nil, err
	}
	trust, err := a.trust()
	if err != nil {
		return nil, err
	}
	address := a.remote
	if address == "" {
		address = os.Getenv("PIPELINE_REMOTE")
	}
	if address == "" {
		if a.signKey != "" {
			return nil, wrongf("--sign-key signs what goes to a remote: give --remote too")
		}
		s, err := artifacts.Open(dir)
		if err == nil {
			s.SetTrust(trust)
		}
		return s, err
	}
	place, err := remote.Open(address)
	if err != nil {
		return nil, wrong(err)
	}
	s, err := artifacts.Open(dir)
	if err != nil {
		return nil, err
	}
	s.SetTrust(trust)
	if err := s.Attach(context.Background(), place); err != nil {
		s.Close()
		return nil, wrong(err)
	}
	if r := s.Remote(); r.Down != nil {
		a.note("%s does not answer, so it goes without it; what is made is shared by a later run (%v)", r.Name, r.Down)
	}
	return s, nil
}

// share waits for what a run made to arrive at the remote. Ctrl-C leaves the rest to
// the next run.
func (a *app) share(s *artifacts.Store) {
	if s.Remote() == nil {
		return
	}
	ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer done()
	s.Share(ctx, func(left int) {
		if a.term.is() && !a.quiet {
			fmt.Fprintf(a.stderr, "%ssharing: %s left", newLine(), count(left, "result"))
		}
	})
	if a.term.is() && !a.quiet {
		fmt.Fprint(a.stderr, newLine())
	}
	r := s.Remote()
	if r.Replaced > 0 {
		a.note("%s: %s damaged there, replaced", r.Name, count(r.Replaced, "object"))
	}
	if r.Refused > 0 {
		a.note("%s: %s damaged there, which count as missing", r.Name, count(r.Refused, "object"))
	}
	switch {
	case r.ReadOnly:
		a.note("%s: %s fetched; it takes nothing from us", r.Name, count(r.Fetched, "file"))
	case r.Left > 0 && r.Down != nil:
		a.note("%s does not answer: %s not shared yet; the next run with it shares them (%v)", r.Name, count(r.Left, "result")+" "+areIs(r.Left), r.Down)
	case r.Left > 0:
		a.note("%s: %s not shared yet; the next run with it shares them", r.Name, count(r.Left, "result")+" "+areIs(r.Left))
	case r.Fetched+r.Shared > 0:
		a.note("%s: %s fetched, %s shared", r.Name, count(r.Fetched, "file"), count(r.Shared, "result"))
	}
}
