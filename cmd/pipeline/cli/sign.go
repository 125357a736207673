package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/envelope"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/statement"
)

func (a *app) signCommand() *cobra.Command {
	var key, newKey, path string
	cmd := &cobra.Command{
		Use:   "sign [RUN|FILE|LOCK]",
		Short: "sign a run's results",
		Long: `Writes a signed statement of a run, of the present results of a pipeline file, or of a lock: an in-toto
statement (the lock, every result and every input by SHA-256, and the program) in a DSSE
envelope, signed with an ed25519 key. pipeline verify checks it; so does any in-toto tool.
The keys are PEM files, as from openssl genpkey -algorithm ed25519.`,
		Example: `  pipeline sign --new-key me                  writes me.pem, to be kept secret, and me.pub.pem
  pipeline sign run.lock --key me.pem -o run.intoto.json
  pipeline verify run.intoto.json --signed-by me.pub.pem`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case newKey != "" && len(args) == 0:
				if err := flags.Only(cmd, "--new-key only makes a key pair", "new-key"); err != nil {
					return err
				}
				return a.newKey(newKey)
			case newKey != "":
				return flags.Usage(cmd, "--new-key only makes a key pair: sign with --key")
			case len(args) == 0:
				return flags.Usage(cmd, "RUN is missing")
			case key == "":
				return flags.Usage(cmd, "--key KEY.pem is missing; pipeline sign --new-key NAME makes one")
			}
			if isLock(args[0]) {
				if err := flags.Only(cmd, args[0]+" is a lock, which has its settings and results", "key", "output", "replace"); err != nil {
					return err
				}
			}
			return a.sign(args[0], key, path)
		},
	}
	f := cmd.Flags()
	f.StringVar(&key, "key", "", "sign with the private key in `FILE`")
	f.StringVar(&newKey, "new-key", "", "write a new key pair, `NAME`.pem and NAME.pub.pem")
	a.outputFlags(cmd, &path, "run.intoto.json", "write to `PATH`; - is stdout")
	a.asRunFlags(cmd)
	return cmd
}

func (a *app) newKey(name string) error {
	private, public, err := envelope.NewKey()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		b    []byte
		mode os.FileMode
	}{{name + ".pem", private, 0o600}, {name + ".pub.pem", public, 0o666}} {
		if err := a.MayWrite(f.path); err != nil {
			return err
		}
		out, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode)
		if errors.Is(err, os.ErrExist) {
			return exit.Wrongf("%s exists already; a key is never overwritten", f.path)
		}
		if err != nil {
			return err
		}
		_, err = out.Write(f.b)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	if !a.AsJSON("new-key", newKeyEvent{name + ".pem", name + ".pub.pem"}) {
		a.Note("wrote %s.pem (keep it secret) and %s.pub.pem (share it)", name, name)
	}
	return nil
}

type newKeyEvent struct {
	Private string `json:"private"`
	Public  string `json:"public"`
}

// isLock reports whether a path is that of a lock.
func isLock(path string) bool {
	head, err := results.ReadHead(path)
	return err == nil && bytes.HasPrefix(head, []byte("prgnn lock "))
}

type signEvent struct {
	Path     string `json:"path"`
	Subjects int    `json:"subjects"`
	Lock     string `json:"lock"` // its digest
}

// isStatement reports whether a text is a signed statement of this program.
func isStatement(text []byte) bool {
	_, err := statement.Read(text)
	return err == nil
}

func (a *app) sign(what, key, path string) error {
	private, err := regular.ReadPiped(key)
	if err != nil {
		return exit.Wrong(err)
	}
	l, err := a.lockOf(what)
	if err != nil {
		return err
	}
	kept := results.Keep(func() []results.Kept {
		return []results.Kept{{Path: key, What: "the private key"}, {Path: what, What: "the lock that is signed"}}
	})
	if err := cmp.Or(a.MayWrite(path), kept(path), a.MayReplace(path, "a signed statement of this program", console.Holds(isStatement))); err != nil {
		return err
	}
	s, err := statement.Of(l)
	if err != nil {
		return err
	}
	signed, err := statement.Sign(s, private)
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", key, err))
	}
	if err := a.WriteTo(path, console.Content(signed)); err != nil || path == "-" {
		return err
	}
	if !a.AsJSON("sign", signEvent{path, len(s.Subject), s.Lock().String()}) {
		a.Note("wrote %s: the lock and %s of %s, signed", path, words.Count(len(s.Subject)-1, "result"), l.Pipeline)
	}
	return nil
}

// lockOf is the lock in a file, or one that is written for a run or a pipeline.
func (a *app) lockOf(what string) (*lock.Lock, error) {
	if isLock(what) {
		return audit.ReadLock(what)
	}
	c, err := a.lookAt(what)
	if err != nil {
		return nil, err
	}
	defer c.Store.Close()
	return c.Lock(a.Console)
}

type signedEvent struct {
	Statement string `json:"statement"`
	Lock      string `json:"lock"`    // the digest that it states
	LockFile  string `json:"lock_is"` // same, different, absent
	Results   int    `json:"results"`
	Stored    int    `json:"stored"`  // of these in the store, with the right bytes
	Damaged   int    `json:"damaged"` // in the store, with other bytes
	Absent    int    `json:"absent"`
}

// verifySigned checks a statement: who signed it, and whether the lock and the
// results that are at hand are those that it names.
func (a *app) verifySigned(path, key, lockPath string) error {
	envelope, err := regular.ReadPiped(path)
	if err != nil {
		return exit.Wrong(err)
	}
	public, err := regular.ReadPiped(key)
	if err != nil {
		return exit.Wrong(err)
	}
	s, err := statement.Verify(envelope, public)
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("%s: %w", path, err)}
	}
	e := signedEvent{Statement: path, Lock: s.Lock().String(), LockFile: "absent"}
	named := lockPath != ""
	if !named {
		lockPath = filepath.Join(filepath.Dir(path), lock.FileName)
	}
	text, err := regular.ReadFile(lockPath)
	switch {
	case err == nil && artifacts.DigestOf(text) == s.Lock():
		e.LockFile = "same"
	case err == nil:
		e.LockFile = "different"
	case named:
		return exit.Wrong(err)
	}
	store := audit.OpenStore(a.Console, a.storeDir(filepath.Dir(path)))
	if store != nil {
		defer store.Close()
	}
	seen := map[artifacts.Digest]bool{}
	for _, outs := range s.Outputs() {
		for _, out := range outs {
			e.Results++
			seen[out.Digest] = true
		}
	}
	for d := range seen {
		err := artifacts.ErrMiss
		if store != nil {
			err = store.Health.Stored(d)
		}
		switch {
		case err == nil:
			e.Stored++
		case errors.Is(err, artifacts.ErrMiss):
			e.Absent++
		default:
			e.Damaged++
		}
	}
	if !a.AsJSON("signed", e) {
		p := s.Program()
		fmt.Fprintf(a.Out, "%s: signed by %s; it states %s of %s, made by version %s on %s\n", path, key,
			words.Count(e.Results, "result"), s.Predicate.BuildDefinition.ExternalParameters.Pipeline,
			p.Version, p.Platform)
		switch e.LockFile {
		case "same":
			fmt.Fprintf(a.Out, "%s is the lock named in the statement\n", lockPath)
		case "different":
			fmt.Fprintf(a.Out, "%s is %s the lock named in the statement (%.12s…)\n", lockPath, a.Page.Red("not"), e.Lock)
		default:
			fmt.Fprintf(a.Out, "lock not checked: there is no %s; --lock PATH names it (SHA-256 %.12s…)\n", lockPath, e.Lock)
		}
		if store != nil {
			fmt.Fprintf(a.Out, "the store has %d of its %s, %d damaged\n", e.Stored+e.Damaged, words.Count(len(seen), "file"), e.Damaged)
		} else {
			fmt.Fprintln(a.Out, "results not checked: there is no store here; --store DIR names it")
		}
	}
	switch {
	case e.Damaged > 0:
		return &exit.Error{Code: exit.Damaged}
	case e.LockFile == "different":
		return &exit.Error{Code: exit.Failed}
	}
	return nil
}
