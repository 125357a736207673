package dag

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"prgnn/internal/words"
)

// registry has the stage kinds of this program.
var registry struct {
	sync.RWMutex
	kinds map[string]*Kind
}

// Register adds stage kinds to those of the program, as a rule in the init function of the package that has them. A
// second kind of one name is a bug and panics.
func Register(kinds ...*Kind) {
	registry.Lock()
	defer registry.Unlock()
	for _, k := range kinds {
		if registry.kinds[k.Name] != nil {
			panic("dag: the kind " + k.Name + " is registered twice")
		}
		if registry.kinds == nil {
			registry.kinds = map[string]*Kind{}
		}
		registry.kinds[k.Name] = k
	}
}

// Lookup finds a registered kind.
func Lookup(name string) (*Kind, bool) {
	registry.RLock()
	defer registry.RUnlock()
	k, ok := registry.kinds[name]
	return k, ok
}

// Kinds are all registered kinds, by name.
func Kinds() []*Kind {
	registry.RLock()
	defer registry.RUnlock()
	return slices.SortedFunc(maps.Values(registry.kinds), func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// UnknownKind is the error for a name that is no kind; names are those to choose from.
func UnknownKind(name string, names []string) error {
	for _, k := range Kinds() {
		if slices.Contains(k.Former, name) {
			return fmt.Errorf("the stage kind %q is now a model of the kind %s: write use: %s, with: { model: %s, … }",
				name, k.Name, k.Name, name)
		}
	}
	return fmt.Errorf("there is no stage kind %q%s", name, words.OrAll(name, names))
}
