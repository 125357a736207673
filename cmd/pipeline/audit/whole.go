package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/bundle"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/lock"
)

// FromInputs recomputes the selected tasks and everything upstream from the user's files, and compares digests with
// the store. It reads no stored result, so it also audits results that gc has removed.
func FromInputs(con *console.Console, c *results.Current, o Options) error {
	a := start(con, o)
	all, err := a.chosen(c.Pipeline.Graph)
	if err != nil {
		return exit.Wrong(err)
	}
	stored := c.Recorded()
	isStored := func(n *dag.Node) bool { _, ok := stored.Tasks[n.ID()]; return ok }
	tasks := slices.DeleteFunc(slices.Clone(all), func(n *dag.Node) bool { return !isStored(n) })
	others := slices.DeleteFunc(slices.Clone(all), isStored)
	a.sum.Skipped, a.sum.earlier = len(others), a.earlier(c, others)
	for _, n := range others {
		if s := c.Steps[n]; s != nil && s.Reason != "" {
			a.because(s.Reason, n)
		}
	}
	if len(tasks) == 0 {
		remedy := c.RunAll(con) + " makes them"
		if a.sum.earlier != "" {
			remedy += "; " + a.sum.earlier
		}
		return nothing("none of %s has a result%s\n  %s", words.Count(len(all), "task"), a.reasons(), remedy)
	}
	if len(tasks) < len(c.Steps) || a.Sample < 1 {
		a.Stages = results.IDs(a.sampled(tasks))
	}
	room, err := NewRoom(con, filepath.Dir(c.Store.Dir()), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	return a.whole(room, c.Pipeline.Graph, stored, isStored, nil)
}

// Lock runs everything that a lock describes, from the inputs on, and compares with
// its digests. The bytes behind them, if they are stored, give the size of a difference. What
// is not as in the lock (the code, the data) is reported before anything runs.
func Lock(con *console.Console, p *pipelines.Pipeline, l *lock.Lock, path string, bytes *disk.Store,
	o Options) error {
	a := start(con, o)
	tasks, err := a.chosen(p.Graph)
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	if a.Sample < 1 {
		a.Stages = results.IDs(a.sampled(tasks))
	}
	room, err := NewRoom(con, filepath.Dir(path), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	return a.whole(room, p.Graph, differ.OfLock(path, l, bytes), nil, func(clean *disk.Store) error {
		ds, err := l.Before(p.Graph, l.Text, nil, results.Hasher(clean))
		if err != nil {
			return err
		}
		w := a.Stderr
		if a.Quiet {
			w = io.Discard
		}
		PrintUnlocked(con, w, ds, 10, func() { a.Note("differences from %s:", path) })
		if read := readPlaces(l, p.Dir, p.Paths); len(read) > 0 && slices.ContainsFunc(ds, ofData) {
			a.Note("the data were read from %s, as %s states: a lock holds no paths. If its run had others by --set, add %s",
				words.Some(lists.Map(read, func(p place) string { return p.path }), 3), l.File, remedy(read))
		}
		return nil
	})
}

// Bundle runs the graph of a bundle in a room, and compares with what the bundle states. When a
// result differs or a task fails, it states what to do.
func Bundle(con *console.Console, l *lock.Lock, room *Room, r *bundle.Replay, stored differ.Results, o Options) error {
	made, here := l.Program, version.This()
	made.Modified, here.Modified = false, false // a lock does not keep it
	notePrograms(con, fmt.Sprintf("%s: %s", stored.Name, l.Pipeline), made, here, r.Other)
	if len(r.Given) > 0 {
		n := len(l.Tasks())
		con.Note("taken from the bundle, as it is the pipeline file's own: %s; so %d of %s are repeated", words.Some(r.Given, 5),
			n-len(r.Given), words.Count(n, "task"))
	}
	err := start(con, o).whole(room, r.Graph, stored, nil, nil)
	if failed := new(exit.Error); !errors.As(err, &failed) || failed.Code != exit.Failed {
		return err
	}
	switch {
	case len(r.Other) > 0:
		con.Note("replay it with the program that made it, %s: if all results are identical there, the code of %s is the cause", programWords(made), words.Some(r.Other, 5))
	case made != here:
		con.Note("the code of its stages is the same here; replay it with the program that made it, %s, to rule out its Go version and platform", programWords(made))
	default:
		con.Note("the same program made the bundle: the cause is the first stage named, this machine, or a program that a command calls; to find out, replay it again here and on another machine")
	}
	if o.Keep == "" {
		con.Note("%s --keep DIR keeps the results and their logs", con.Again())
	}
	return err
}

// notePrograms names the program that made a bundle, this one where it is another, and the kinds whose code differs.
func notePrograms(con *console.Console, bundle string, made, here version.Program, other []string) {
	con.Note("%s, made by %s", bundle, programWords(made))
	if made != here {
		con.Note("this program is %s", programWords(here))
	}
	if len(other) > 0 {
		con.Note("its code of %s differs from the code that made the bundle: results may differ for that reason", words.Some(other, 5))
	}
}

// programWords describe a program without changes of its own, as far as it is known.
func programWords(p version.Program) string {
	words := "version " + cmp.Or(p.Version, "unknown")
	if p.Revision != "" {
		words += fmt.Sprintf(" (commit %.12s)", p.Revision)
	}
	return words + " on " + p.Platform
}

// whole runs a graph, once for each number of threads, and compares. Of the tasks that ran, those that are not
// counted were needed by others only, and have nothing to be compared with; counted is nil where all count.
func (a *auditor) whole(room *Room, g *dag.Graph, stored differ.Results, counted func(*dag.Node) bool,
	before func(*disk.Store) error) error {
	tasks, err := a.chosen(g)
	if err != nil {
		return err
	}
	outcomes, err := a.repeat(room, g, stored, a.Stages, before)
	if err != nil {
		return err
	}
	ran := lists.Set(differ.Needed(tasks...))
	outcomes = slices.DeleteFunc(outcomes, func(o *differ.Outcome) bool { return !ran[o.Node] })
	if counted != nil {
		outcomes = slices.DeleteFunc(outcomes, func(o *differ.Outcome) bool { return !counted(o.Node) })
	}
	a.report(outcomes...)
	if slices.ContainsFunc(outcomes, (*differ.Outcome).Differs) {
		if err := a.conclude(g, outcomes); err != nil {
			return err
		}
	} else if a.sum.Failed == 0 && !a.JSON {
		text := "every digest of " + stored.Name + " was reproduced"
		if n, all := a.sum.Identical, len(stored.Tasks); n < all {
			text = fmt.Sprintf("%d of %s of %s %s audited: no digest differs", n, words.Count(all, "task"), stored.Name,
				words.Verb(n, "was", "were"))
		}
		threads := strings.Join(lists.Map(a.Threads, func(n int) string { return fmt.Sprint("with ", n) }), ", ")
		if at := strings.LastIndex(threads, ", "); at >= 0 {
			threads = threads[:at] + " and" + threads[at+1:]
		}
		fmt.Fprintf(a.Out, "%s, %s threads each\n", text, threads)
	}
	return a.end()
}
