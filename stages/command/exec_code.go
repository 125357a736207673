package command

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag/content"
	"prgnn/internal/pattern"
)

// codePlaces are the variables that name places of code.
var codePlaces = pattern.New(`^(PATH|PYTHON(PATH|HOME|STARTUP|USERBASE)|R_(LIBS|LIBS_USER|LIBS_SITE|PROFILE|PROFILE_USER|ENVIRON|ENVIRON_USER)|PERL5LIB|PERLLIB|RUBYLIB|GEM_PATH|GEM_HOME|MATLABPATH|OCTAVE_PATH|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_[A-Z_]+|JULIA_(LOAD_PATH|DEPOT_PATH|PROJECT)|NODE_PATH|CLASSPATH|LUA_PATH|LUA_CPATH|TCLLIBPATH|BASH_ENV|ENV)$`)

var (
	shells = []string{"sh", "bash", "dash", "ksh", "zsh"}
	// starters are programs whose arguments begin with another one.
	starters = []string{"env", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "xvfb-run"}
	inList   = func(r rune) bool { return r == filepath.ListSeparator || strings.ContainsRune(":;,", r) }
	noWord   = func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>`$\"'{}=", r) }
)

// CodeFiles are the programs of the command and what is behind the variables that name places of code. In a container
// all of that is inside the image.
func (e *Exec) CodeFiles(connected func(port string) bool) []content.Code {
	if connected(containerPort) || len(e.Command) == 0 {
		return nil
	}
	values := map[string]string{interpreter: e.Python}
	for _, entry := range e.Parameters {
		name, value, _ := strings.Cut(entry, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	words := make([]string, len(e.Command))
	for i, word := range e.Command { // inputs and outputs are no files yet
		words[i] = execPlace.ReplaceAllStringFunc(word, func(place string) string {
			if place == "{{" || place == "}}" {
				return place[:1]
			}
			return values[strings.Trim(place, "{}")]
		})
	}
	var all []content.Code
	add := func(c content.Code) {
		if !slices.ContainsFunc(all, func(a content.Code) bool { return a.Paths[0] == c.Paths[0] }) {
			all = append(all, c)
		}
	}
	program := func(word string) bool {
		path := e.find(word)
		if path == "" {
			return false
		}
		for _, p := range append([]string{path}, e.interpreters(path)...) {
			add(content.Code{What: "program", Name: filepath.Base(p), Paths: []string{p}})
		}
		return true
	}
	program(words[0])
	line := e.shellLine(words)
	for _, w := range strings.FieldsFunc(line, noWord) {
		program(w)
	}
	if slices.Contains(starters, filepath.Base(words[0])) {
		_ = slices.ContainsFunc(words[1:], program)
	}
	for _, word := range words[1:] {
		for _, path := range e.pathsIn(word, word == line) {
			c := content.Code{What: "file", Name: filepath.Base(path), Paths: []string{path}}
			if mode, _ := countsByPath(path); mode.IsDir() {
				c.What = "directory"
			}
			if !strings.Contains(word, c.Name) { // a part of the value of a variable, which is kept nowhere
				c.Name, c.Secret = "of a variable", true
			}
			add(c)
		}
	}
	all = slices.Concat(all, e.codePlaces(), e.filesOfVariables())
	for i := range all {
		if all[i].What != "program" { // which the command reads in any case
			all[i].Except = e.Scratch
		}
	}
	return append(all, e.softwareFiles(connected)...)
}

// shellLine is the line that the command gives a shell: sh -c LINE; "" for none.
func (e *Exec) shellLine(words []string) string {
	at := 0
	if slices.Contains(starters, filepath.Base(words[0])) {
		at = slices.IndexFunc(words, func(w string) bool { return slices.Contains(shells, filepath.Base(w)) })
	}
	if at < 0 || !slices.Contains(shells, filepath.Base(words[at])) {
		return ""
	}
	for i := at + 1; i+1 < len(words); i++ {
		if strings.HasPrefix(words[i], "-") && strings.HasSuffix(words[i], "c") {
			return words[i+1]
		}
	}
	return ""
}

// value is that of a variable which the command sees.
func (e *Exec) value(name string) (value string, known bool) {
	for _, entry := range e.Environment {
		if n, v, set := strings.Cut(entry, "="); n == name && set {
			value, known = v, true
		} else if n == name {
			value, known = os.LookupEnv(name)
		}
	}
	return value, known
}

// filesOfVariables are the files that are values of other variables. A directory does not count: it is often HOME.
func (e *Exec) filesOfVariables() (all []content.Code) {
	for _, entry := range e.Environment {
		name, _, _ := strings.Cut(entry, "=")
		value, known := e.value(name)
		if !known || codePlaces.MatchString(name) {
			continue
		}
		c := content.Code{What: "file", Name: name, Secret: true}
		for _, path := range append([]string{value}, strings.FieldsFunc(value, inList)...) {
			if mode, is := countsByPath(path); is && mode.IsRegular() && !slices.Contains(c.Paths, path) {
				c.Paths = append(c.Paths, path)
			}
		}
		if c.Paths != nil {
			all = append(all, c)
		}
	}
	return all
}

var (
	variableName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	assignment   = pattern.New(`(?:^|[\s;&|(])([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|'[^']*'|[^\s;&|()]*)`)
	optionPath   = pattern.New(`^(?:--?[A-Za-z0-9_-]*|@|[fFrRbBuU]{1,2})(/.*)$`)
	// patternLike is how awk, sed and perl write what they look for.
	patternLike = pattern.New(`^/[^/]*/$`)
	// literal is a quoted text of code, which may be joined with others: "/data/" + "a.txt".
	literal = pattern.New(`'(/[^'\n]*)'|"(/[^"\n]*)"`)
)

// pathsIn are the absolute paths of files and directories in an argument. Its text may be code of any language, so
// words are found as a shell finds them, and between all marks in them. A pattern (*.csv), and what follows a variable
// without a known value, stand for the directory. A file that a shell only writes to (> FILE) is left out.
func (e *Exec) pathsIn(text string, shell bool) (all []string) {
	add := func(path string) bool {
		if m := optionPath.FindStringSubmatch(path); m != nil {
			path = m[1]
		}
		_, is := countsByPath(path)
		if is = is && (path == text || !patternLike.MatchString(path)); is && !slices.Contains(all, path) {
			all = append(all, path)
		}
		return is
	}
	folder := func(path string) bool {
		at := strings.IndexAny(path, "?*[")
		return add(path) || at > 0 && add(filepath.Dir(path[:at]+"x"))
	}
	if add(text) {
		return all
	}
	for _, line := range e.expansions(text, shell) {
		e.pathsOfLine(line, shell, add, folder)
	}
	return all
}

// pathsOfLine adds the paths in a text whose variables are expanded.
func (e *Exec) pathsOfLine(line string, shell bool, add, folder func(path string) bool) {
	var all []string
	for _, word := range shellWords(line, shell) {
		all = append(all, braced(word)...)
	}
	for i, word := range all {
		if i > 0 && filepath.Base(all[i-1]) == "dirname" {
			folder(filepath.Dir(word))
		}
		name, value, is := strings.Cut(word, "=")
		plain := is && shell && strings.IndexFunc(value, noWord) < 0
		if plain && variableName.MatchString(name) && !codePlaces.MatchString(name) {
			for _, part := range append([]string{value}, strings.FieldsFunc(value, inList)...) {
				if mode, is := countsByPath(part); is && mode.IsRegular() { // a directory counts where it is used
					add(part)
				}
			}
			continue
		}
		if !strings.ContainsAny(word, ":,") && folder(word) || add(word) || folder(value) {
			continue
		}
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return noWord(r) || inList(r) }) {
			folder(part)
		}
	}
	if shell {
		return
	}
	for _, m := range literal.FindAllStringSubmatch(line, -1) {
		folder(m[1] + m[2])
	}
}

var (
	extglob   = pattern.New(`[?*+@!]\([^()\s]*\)`)
	braces    = pattern.New(`(?:^|[^$])\{([^{}\s"']*(?:,|\.\.)[^{}\s"']*)\}`)
	tilde     = pattern.New(`(^|[\s=:;&|(<>,])~([A-Za-z_][A-Za-z0-9_.-]*)?/`)
	formatted = pattern.New(`%[-0-9.]*[sdifgu]|\{[A-Za-z_][A-Za-z0-9_.\[\]]*(?::[^{}\s"'/]*)?\}`)
)

// unknown stands for what only the command computes: a path is known up to its last / before it.
const unknown = "?"

// Marks stand in words for the braces and commas of alternatives, which do not end a word.
const openBrace, braceComma, closeBrace = '\x01', '\x02', '\x03'

// expansions are the texts that may become of a text when its variables have their values. In a line for a shell a
// variable may have several: it is assigned more than once, or changed otherwise, and then its value counts as unknown
// too. What commands inside the line compute is unknown, and these commands follow as lines of their own.
func (e *Exec) expansions(text string, shell bool) (all []string) {
	if !shell {
		return []string{formatted.ReplaceAllString(e.expand(text, nil), unknown)}
	}
	text = substituted(text)
	text = extglob.ReplaceAllString(text, unknown)
	for before := ""; before != text; {
		before = text
		text = replaceBraces(text)
	}
	assigned := assignment.FindAllStringSubmatch(text, -1)
	most := 1
	times := map[string]int{}
	var names []string
	for _, m := range assigned {
		if times[m[1]]++; times[m[1]] == 1 {
			names = append(names, m[1])
		}
		most = min(max(most, times[m[1]]), mostValues)
	}
	for _, entry := range e.Environment {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	world := func(values int, without string) string {
		set, count := map[string]string{}, map[string]int{}
		for _, m := range assigned {
			if count[m[1]]++; count[m[1]] > values {
				continue
			}
			value := m[2]
			if n := len(value); n > 1 && strings.ContainsRune(`"'`, rune(value[0])) && value[n-1] == value[0] {
				value = value[1 : n-1]
			}
			set[m[1]] = e.expand(value, set)
		}
		if without != "" {
			set[without] = unknown
		}
		return e.expand(e.withHome(text, set), set)
	}
	for values := 1; values <= most; values++ {
		all = append(all, world(values, ""))
	}
	for _, name := range names {
		bare := regexp.MustCompile(`(^|[^A-Za-z0-9_$\{/.-])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_=/.])`)
		if times[name] > 1 || bare.MatchString(text) {
			all = append(all, world(most, name))
		}
	}
	return all
}

// mostValues are as many values of a variable as are tried.
const mostValues = 16

// expand replaces variables by their values: those of the line, else those that the command sees. Other expansions than
// ${NAME:-default} and the like are unknown; a default follows as a word of its own.
func (e *Exec) expand(text string, set map[string]string) string {
	var defaults []string
	expanded := os.Expand(text, func(name string) string {
		end := strings.IndexFunc(name, func(r rune) bool { return strings.ContainsRune(":-=+?#%/^,@[", r) })
		if end > 0 {
			rest := strings.TrimPrefix(name[end:], ":")
			if rest == "" || !strings.ContainsRune("-=+?", rune(rest[0])) { // a part of the value, or another one
				return unknown
			}
			defaults = append(defaults, rest[1:])
			name = name[:end]
			if rest[0] == '+' {
				return unknown
			}
		}
		if v, known := set[name]; known {
			return v
		}
		if v, known := e.value(name); known {
			return v
		}
		return unknown
	})
	return strings.Join(append([]string{expanded}, defaults...), "\n")
}

// withHome replaces ~/ by the home directory that the command has: HOME where it sees that, else that of the user.
func (e *Exec) withHome(text string, set map[string]string) string {
	return tilde.ReplaceAllStringFunc(text, func(found string) string {
		before, name, _ := strings.Cut(strings.TrimSuffix(found, "/"), "~")
		home := unknown
		if value, known := set["HOME"]; known && name == "" {
			home = value
		} else if value, known := e.value("HOME"); known && name == "" {
			home = value
		} else if u, err := user.Current(); err == nil && name == "" {
			home = u.HomeDir
		} else if u, err := user.Lookup(name); err == nil {
			home = u.HomeDir
		}
		return before + home + "/"
	})
}

// substituted takes $(command), $((arithmetic)) and `command` out of a line: what they give is unknown, and the
// commands follow as lines of their own.
func substituted(line string) string {
	for range mostValues * mostValues {
		at, end := strings.LastIndex(line, "$("), -1 // the innermost of the last
		if at >= 0 {
			depth := 0
			for i := at + 1; i < len(line) && end < 0; i++ {
				switch line[i] {
				case '(':
					depth++
				case ')':
					if depth--; depth == 0 {
						end = i
					}
				}
			}
		}
		inner := at + 2
		if end < 0 {
			if at = strings.IndexByte(line, '`'); at < 0 {
				return line
			}
			inner = at + 1
			if end = strings.IndexByte(line[inner:], '`'); end < 0 {
				return line
			}
			end += inner
		}
		line = line[:at] + unknown + line[end+1:] + "\n" + line[inner:end]
	}
	return line
}

// replaceBraces marks the innermost {a,b} of a line; what {1..9} gives is unknown.
func replaceBraces(line string) string {
	return braces.ReplaceAllStringFunc(line, func(found string) string {
		before, body, _ := strings.Cut(found[:len(found)-1], "{")
		if !strings.Contains(body, ",") {
			return before + unknown
		}
		return before + string(openBrace) + strings.ReplaceAll(body, ",", string(braceComma)) + string(closeBrace)
	})
}

// braced are the words that a word with alternatives stands for.
func braced(word string) []string {
	end := strings.IndexRune(word, closeBrace)
	at := strings.LastIndex(word[:max(end, 0)], string(openBrace))
	if at < 0 {
		return []string{word}
	}
	var all []string
	for _, part := range strings.Split(word[at+1:end], string(braceComma)) {
		if all = append(all, braced(word[:at]+part+word[end+1:])...); len(all) > mostValues*mostValues {
			return []string{word[:at] + unknown + word[end+1:]}
		}
	}
	return all
}

// countsByPath reports whether a path is absolute and leads to a file or directory, except the root, what the system
// computes, and the directory of all temporary files.
func countsByPath(path string) (mode os.FileMode, is bool) {
	if !filepath.IsAbs(path) {
		return 0, false
	}
	clean := filepath.Clean(path)
	if content.Computed(clean) {
		return 0, false
	}
	info, err := os.Stat(clean)
	if err != nil {
		return 0, false
	}
	none := []string{"/tmp", "/var/tmp", filepath.Clean(os.TempDir()), filepath.Dir(clean)} // the last is the root
	return info.Mode(), info.Mode().IsRegular() || info.IsDir() && !slices.Contains(none, clean)
}

// shellWords cuts a line as a shell does: in quotes, and after a backslash, a blank belongs to the word. In a line
// for a shell it leaves out the words that > leads to.
func shellWords(line string, shell bool) (all []string) {
	var word strings.Builder
	var quote, before rune
	writes, escaped := false, false
	end := func() {
		if word.Len() > 0 {
			if !writes {
				all = append(all, word.String())
			}
			word.Reset()
			writes = false
		}
	}
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune(" \t\n;|&()<>`{}", r):
			end()
			if r == '>' {
				writes = shell && before != '<'
			} else if !strings.ContainsRune(" \t|&", r) {
				writes = false
			}
		default:
			word.WriteRune(r)
		}
		before = r
	}
	end()
	return all
}

// codePlaces are the files and directories behind variables.
func (e *Exec) codePlaces() (all []content.Code) {
	for _, entry := range e.Environment {
		name, value, set := strings.Cut(entry, "=")
		if !set {
			value, set = os.LookupEnv(name)
		}
		if !set || !codePlaces.MatchString(name) {
			continue
		}
		c := content.Code{What: "environment", Name: name}
		for _, path := range strings.FieldsFunc(value, func(r rune) bool {
			return r == filepath.ListSeparator || r == ';' || r == ' ' && name == "LD_PRELOAD"
		}) {
			if at := strings.IndexAny(path, "?*"); at >= 0 { // of Lua, and of Java
				path = filepath.Dir(path[:at] + "x")
			}
			if filepath.IsAbs(path) { // others are in the new directory of the command
				c.Paths = append(c.Paths, path)
			}
		}
		all = append(all, c)
	}
	return all
}

// find is the path of a program, or "".
func (e *Exec) find(word string) string {
	if path := e.lookPath(word); path != "" {
		return path
	}
	if strings.ContainsAny(word, `/\`) && !filepath.IsAbs(word) { // in the new directory of the command
		return ""
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return ""
	}
	return path
}

// interpreters are the programs that a script names in its first line.
func (e *Exec) interpreters(script string) (all []string) {
	for range 4 { // as deep as Linux goes
		f, err := os.Open(script)
		if err != nil {
			return all
		}
		head := make([]byte, 256)
		n, _ := io.ReadFull(f, head)
		f.Close()
		line, _, _ := bytes.Cut(head[:n], []byte("\n"))
		text, ok := strings.CutPrefix(string(line), "#!")
		words := strings.Fields(text)
		if !ok || len(words) == 0 {
			return all
		}
		script = words[0]
		all = append(all, script)
		if filepath.Base(script) == "env" {
			for _, w := range words[1:] {
				if path := e.find(w); path != "" {
					script = path
					all = append(all, path)
					break
				}
			}
		}
	}
	return all
}
