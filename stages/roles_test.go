package stages

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/role"
)

// roles are those of package role; of one that another contains, the other first.
var roles = []reflect.Type{
	reflect.TypeFor[role.Divider](), reflect.TypeFor[role.Trainer](), reflect.TypeFor[role.Fitter](),
	reflect.TypeFor[role.Tester](), reflect.TypeFor[role.Reader](), reflect.TypeFor[role.Drawer](),
	reflect.TypeFor[role.Cleaner](), reflect.TypeFor[role.Timed](), reflect.TypeFor[role.ScanReader](),
	reflect.TypeFor[role.SharedReader](),
	reflect.TypeFor[role.SharedNoter](),
	reflect.TypeFor[role.Joiner](), reflect.TypeFor[role.Check](), reflect.TypeFor[role.Referrer](),
	reflect.TypeFor[role.PortUser](), reflect.TypeFor[role.InputUser](), reflect.TypeFor[role.Promiser](),
	reflect.TypeFor[role.Adviser](), reflect.TypeFor[role.Assumer](),
	reflect.TypeFor[role.Measurer](), reflect.TypeFor[role.DataUser](),
	reflect.TypeFor[role.Gatherer](), reflect.TypeFor[role.ModelReader](),
	reflect.TypeFor[role.Reporter](),
}

// rolesOf are the roles of a type, without those that another of its roles contains.
func rolesOf(kind reflect.Type) (of []reflect.Type) {
	for _, r := range roles {
		inOther := slices.ContainsFunc(of, func(other reflect.Type) bool { return other.Implements(r) })
		if kind.Implements(r) && !inOther {
			of = append(of, r)
		}
	}
	return of
}

// TestRoles: each kind asserts its roles, each use is of one of its inputs, and docs/roles.md lists both.
func TestRoles(t *testing.T) {
	sources := ""
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		for _, path := range need.Value(filepath.Glob(pattern))(t) {
			sources += string(need.Value(os.ReadFile(path))(t))
		}
	}
	of, uses := map[reflect.Type][]string{}, map[role.Use][]string{}
	for _, k := range dag.Kinds() {
		s := k.New()
		kind := reflect.TypeOf(s)
		for _, r := range rolesOf(kind) {
			of[r] = append(of[r], "`"+k.Name+"`")
			if text := fmt.Sprintf("_ role.%s = (*%s)(nil)", r.Name(), kind.Elem().Name()); !strings.Contains(
				strings.Join(strings.Fields(sources), " "), text) {
				t.Errorf("%s: the source has no %s", k.Name, text)
			}
		}
		user, ok := s.(role.PortUser)
		if !ok {
			continue
		}
		for _, use := range user.UsesPorts() {
			uses[use.As] = append(uses[use.As], fmt.Sprintf("`%s.%s`", k.Name, use.Port))
			if !slices.ContainsFunc(s.Ports().In, func(p dag.Port) bool { return p.Name == use.Port }) {
				t.Errorf("%s uses an input %s, which it does not have", k.Name, use.Port)
			}
		}
	}
	var table strings.Builder
	table.WriteString("| role | kinds |\n| --- | --- |\n")
	for _, r := range roles {
		fmt.Fprintf(&table, "| `%s` | %s |\n", r.Name(), strings.Join(of[r], ", "))
	}
	table.WriteString("\n| use of an input (`PortUser`) | kinds and inputs |\n| --- | --- |\n")
	for _, as := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&table, "| %s | %s |\n", as, strings.Join(uses[as], ", "))
	}
	const file = "../docs/roles.md"
	before, rest, _ := strings.Cut(string(need.Value(os.ReadFile(file))(t)), " -update -->\n")
	_, after, found := strings.Cut(rest, "<!-- end -->")
	want := before + " -update -->\n" + table.String() + "<!-- end -->" + after
	if *update {
		need.NoError(t, os.WriteFile(file, []byte(want), 0o666))
	} else if !found || before+" -update -->\n"+rest != want {
		t.Errorf("%s is not true any more: go test ./stages -run TestRoles -update\n%s", file, table.String())
	}
}
