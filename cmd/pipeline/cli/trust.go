package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/remote/address"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/envelope"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

// trust is readTrust, once: a pipe can be read no second time.
func (a *app) trust() (remote.Trust, error) {
	if a.keys == nil {
		a.keys = sync.OnceValues(a.readTrust)
	}
	return a.keys()
}

// readTrust reads the keys that sign records and those that are trusted, from flags or from the
// environment.
func (a *app) readTrust() (remote.Trust, error) {
	var sign *envelope.PrivateKey
	var trusted []envelope.PublicKey
	if given := cmp.Or(a.signKey, os.Getenv("PIPELINE_SIGN_KEY")); given != "" {
		text, err := pemText(given)
		if err != nil {
			return remote.Trust{}, keyError("--sign-key", given, err)
		}
		key, err := envelope.ReadPrivateKey(text)
		if err != nil {
			return remote.Trust{}, keyError("--sign-key", given, err)
		}
		sign = &key
	}
	files := a.trusted
	if env := os.Getenv("PIPELINE_TRUSTED_KEYS"); len(files) == 0 && isPEM(env) {
		files = []string{env}
	} else if len(files) == 0 {
		files = filepath.SplitList(env)
	}
	for _, given := range files {
		text, err := pemText(given)
		if err != nil {
			return remote.Trust{}, keyError("--trusted-keys", given, err)
		}
		keys, err := envelope.ReadPublicKeys(text)
		if err != nil {
			return remote.Trust{}, keyError("--trusted-keys", given, err)
		}
		trusted = append(trusted, keys...)
	}
	return address.Trust(sign, trusted), nil
}

// isPEM tells a key itself, the form of a CI system's secrets, from the path of its file.
func isPEM(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "-----BEGIN ") }

func pemText(given string) ([]byte, error) {
	if isPEM(given) {
		return []byte(given), nil
	}
	return regular.ReadPiped(given)
}

// keyError says which key cannot be used, and never repeats a key.
func keyError(flag, given string, err error) error {
	if isPEM(given) {
		given = "the key in the environment"
	}
	return exit.Wrong(fmt.Errorf("%s: %s: %w", flag, given, err))
}

// doubts says once how many results were there and were not believed.
func (a *app) doubts(s *disk.Store) {
	unsigned, forged := s.Remote.Distrusted()
	if unsigned > 0 {
		a.Note("%s from other machines without a signature by a trusted key: not used, computed here", words.Count(unsigned, "result"))
	}
	if forged > 0 {
		a.Warn("%s from other machines with an invalid signature: not used, computed here; the remote was changed", words.Count(forged, "result"))
	}
}
