package dag

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// registry has the stage kinds of this program.
var registry struct {
	sync.RWMutex
	kinds map[string]*Kind
}

// Register adds kinds in an init function, and panics at a mistake in one.
func Register(kinds ...*Kind) {
	registry.Lock()
	defer registry.Unlock()
	for _, k := range kinds {
		if k == nil || k.Name == "" {
			panic("dag: a kind has no name")
		}
		if registry.kinds[k.Name] != nil {
			panic("dag: the kind " + k.Name + " is registered twice")
		}
		if _, err := k.make(); err != nil {
			panic(fmt.Sprintf("dag: the kind %s%v", k.Name, err))
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

// Kinds are all registered kinds, sorted by name.
func Kinds() []*Kind {
	registry.RLock()
	defer registry.RUnlock()
	return slices.SortedFunc(maps.Values(registry.kinds), func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
}
