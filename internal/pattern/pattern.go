// Package pattern holds regular expressions that are compiled when they are first
// used: a program of a hundred of them would otherwise compile them all at its start.
package pattern

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a regular expression; any number of goroutines may use it.
type Pattern struct{ compiled func() *regexp.Regexp }

// inTest makes a mistake in any pattern stop the tests of its package.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New is the pattern of an expression; the first use panics when it has a mistake, in a
// test New does.
func New(expression string) Pattern {
	p := Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if inTest {
		p.compiled()
	}
	return p
}

// The methods are those of [regexp.Regexp].

func (p Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p Pattern) FindString(s string) string { return p.compiled().FindString(s) }

func (p Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p Pattern) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

func (p Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

func (p Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

func (p Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p Pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}

func (p Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, with)
}
