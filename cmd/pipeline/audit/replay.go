package audit

import (
	"cmp"
	"errors"
	"fmt"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/bundle"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/proof"
)

// Bundle runs the graph of a bundle in a room, and compares with what the bundle states. When a
// result differs or a task fails, it says what to do.
func Bundle(con *console.Console, l *lock.Lock, room *Room, r *bundle.Replay, stored proof.Results, o Options) error {
	made, here := l.Program, dag.ThisProgram()
	made.Modified, here.Modified = false, false // a lock does not keep it
	notePrograms(con, fmt.Sprintf("%s: %s", stored.Name, l.Pipeline), made, here, r.Other)
	if len(r.Given) > 0 {
		n := len(l.Tasks())
		con.Note("taken from the bundle, as it is the pipeline file's own: %s; so %d of %s are repeated", words.Some(r.Given, 5),
			n-len(r.Given), words.Count(n, "task"))
	}
	err := (&auditor{con, o}).whole(nil, l, room, r.Graph, stored)
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
func notePrograms(con *console.Console, bundle string, made, here dag.Program, other []string) {
	con.Note("%s, made by %s", bundle, programWords(made))
	if made != here {
		con.Note("this program is %s", programWords(here))
	}
	if len(other) > 0 {
		con.Note("its code of %s differs from the code that made the bundle: results may differ for that reason", words.Some(other, 5))
	}
}

// programWords name a program as far as it is known.
func programWords(p dag.Program) string {
	words := "version " + cmp.Or(p.Version, "unknown")
	if p.Revision != "" {
		words += fmt.Sprintf(" (commit %.12s", p.Revision)
		if p.Modified {
			words += ", changed"
		}
		words += ")"
	}
	return words + " on " + p.Platform
}
