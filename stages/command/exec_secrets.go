package command

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"strings"

	"prgnn/internal/pattern"
)

var (
	// cloudCredential names variables that give access to a cloud account.
	cloudCredential = pattern.New(`(?i)^(AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN|SECURITY_TOKEN)|GOOGLE_(APPLICATION_CREDENTIALS|CREDENTIALS|OAUTH_ACCESS_TOKEN)|CLOUDSDK_AUTH_ACCESS_TOKEN|(AZURE|ARM)_\w*(KEY|SECRET|TOKEN|PASSWORD|CONNECTION_STRING))$`)
	// secretName names variables that usually hold a secret.
	secretName = pattern.New(`(?i)(TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY|(^|_)(KEYS?|PAT|PW|PASS|AUTH)|PGPASS)(_|$)`)
)

// Advise warns of secrets among the variables, and of directories that this machine lacks: the one that runs the
// command may have them.
func (e *Exec) Advise() []string {
	var advice []string
	for _, entry := range e.Environment {
		switch name, _, set := strings.Cut(entry, "="); {
		case !secretName.MatchString(name):
		case set:
			advice = append(advice, "environment: "+name+" looks like a secret, and its value is kept in clear with every result: write "+name+" without a value, and set it where the program is started")
		default:
			advice = append(advice, "environment: "+name+" looks like a secret: a slow hash of its value is kept, from which a short value can be guessed, and so is what the command writes to its outputs")
		}
	}
	if !e.Strict {
		return advice
	}
	for _, dir := range e.Software {
		if wrong := noDirectory(dir); wrong != "" {
			advice = append(advice, wrong+" on this machine; the command fails without it")
		}
	}
	for _, path := range e.Scratch {
		if !exists(path) {
			advice = append(advice, "scratch: "+path+" does not exist on this machine, and a strict command cannot make it: make it before the run")
		}
	}
	return advice
}

// leastSecret is the length in bytes from which a value is masked: shorter ones stand in other words.
const leastSecret = 6

// secrets are the values that do not belong in a log: those that come from outside the pipeline
// file, whatever their names, and those of variables whose names say so.
func (e *Exec) secrets() [][]byte {
	var values [][]byte
	for _, entry := range e.Environment {
		name, value, set := strings.Cut(entry, "=")
		if !set {
			value = os.Getenv(name)
		}
		if !set || secretName.MatchString(name) {
			if len(value) >= leastSecret {
				values = append(values, []byte(value))
			}
			// The password of an address stands alone in some messages.
			if u, err := url.Parse(value); err == nil && u.User != nil {
				if word, ok := u.User.Password(); ok && len(word) >= leastSecret {
					values = append(values, []byte(word))
				}
			}
		}
	}
	return values
}

// A maskingWriter writes *** in place of secrets.
type maskingWriter struct {
	w       io.Writer
	secrets [][]byte
	rest    []byte // may be the beginning of a secret
}

func (m *maskingWriter) Write(p []byte) (int, error) {
	text := append(m.rest, p...)
	for _, s := range m.secrets {
		text = bytes.ReplaceAll(text, s, []byte("***"))
	}
	keep := 0
	for _, s := range m.secrets {
		for n := min(len(s)-1, len(text)); n > keep; n-- {
			if bytes.HasSuffix(text, s[:n]) {
				keep = n
			}
		}
	}
	whole := len(text) - keep
	m.rest = bytes.Clone(text[whole:])
	if _, err := m.w.Write(text[:whole]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was no secret in the end.
func (m *maskingWriter) Flush() {
	_, _ = m.w.Write(m.rest) // a log keeps its own error
	m.rest = nil
}
