// Package environment writes the variables of the environment that a task sees into its recipe.
package environment

import (
	"encoding/hex"
	"os"
	"slices"
	"sync"

	"golang.org/x/crypto/argon2"
)

// Values of the environment may be secrets, and recipes go to logs, bundles and remotes. So a
// recipe holds a hash that takes a guesser about a tenth of a second of a core and 64 MiB a
// guess. It has no key and no random salt, for equal work has equal keys on all machines.
// See docs/decisions/0004-environment.md.
const (
	hashName   = "argon2id"
	hashPasses = 3
	hashMemory = 64 << 10 // KiB
)

// A Reader is a stage that runs a command for its user, whose result depends on environment variables: their names.
type Reader interface{ EnvNames() []string }

// hashed are the hashes that this process has computed, by name and value.
var hashed sync.Map

// hashValue is the hash of a variable's value: 32 hexadecimal digits.
func hashValue(name, value string) string {
	once, _ := hashed.LoadOrStore([2]string{name, value}, sync.OnceValue(func() string {
		return hex.EncodeToString(argon2.IDKey([]byte(value), []byte("prgnn environment "+name), hashPasses,
			hashMemory, 1, 16))
	}))
	return once.(func() string)()
}

// Append writes a line for each variable, sorted: one that is not set
// has no value, not an empty one.
func Append(b []byte, names []string) []byte {
	names = slices.Clone(names)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		b = append(append(b, "environment "...), name...)
		if v, set := os.LookupEnv(name); set {
			b = append(append(b, " = "+hashName+" "...), hashValue(name, v)...)
		}
		b = append(b, '\n')
	}
	return b
}
