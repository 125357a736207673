package record

import (
	"errors"
	"fmt"

	"prgnn/artifacts"
)

// An action record is text:
//
//	prgnn action 1
//	output 9f86d081… 40960 npy partial
//	output 60303ae2… 40960 npy pearson
//	fetched 5d41402a…
//	recipe 412
//	…the recipe, 412 bytes…
//	sha256 d7a8fbb3…
//
// The key is the digest of the recipe, so that a record in the wrong place is found out, too. The line "fetched"
// stands only in the record of work that came from a remote, with the id of the key that signed it, or "unsigned".
const actionMagic = "prgnn action 1\n"

// EncodeAction is the record of an action.
func EncodeAction(a artifacts.Action) ([]byte, error) {
	b, err := appendOutputs([]byte(actionMagic), a.Outputs)
	if err != nil {
		return nil, err
	}
	if a.Origin != "" {
		b = fmt.Appendf(b, "fetched %s\n", a.Origin)
	}
	return seal(appendText(b, "recipe", []byte(a.Recipe))), nil
}

// ParseAction reads what EncodeAction wrote, and nothing else. The action refers to its bytes, which must not change.
func ParseAction(k artifacts.Key, sealed []byte) (artifacts.Action, error) {
	body, err := unseal(sealed)
	if err != nil {
		return artifacts.Action{}, err
	}
	a, err := parseActionBody(body)
	// The recipe is the last thing in a record, and a newline ends it.
	if end := len(body) - 1; err == nil && artifacts.KeyOf(body[end-len(a.Recipe):end]) != k {
		err = ErrOtherKey
	}
	return a, err
}

// ErrOtherKey: a whole record, of another key.
var ErrOtherKey = errors.New("the record belongs to another key")

func parseActionBody(body []byte) (artifacts.Action, error) {
	r := readLines(body)
	r.magic(actionMagic)
	a := artifacts.Action{Outputs: r.outputs()}
	if r.next("fetched") {
		if a.Origin = r.line("fetched"); CheckWord("key", a.Origin) != nil {
			r.fail("the name %.40q of the signing key is not one word", a.Origin)
		}
	}
	a.Recipe = r.text("recipe")
	return a, r.err
}
