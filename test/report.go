package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

func (e event) name() string { return e.Package + "." + e.Test }

// report prints the stream of go test -json as go test prints it: a line a package, and what
// failed tests print; verbose prints everything. It returns the skipped tests, each with its
// reason.
func report(w io.Writer, stream io.Reader, verbose bool) (skipped []string, err error) {
	printed := map[string][]string{} // by test that has not ended
	lines := bufio.NewReader(stream)
	for {
		line, readErr := lines.ReadString('\n')
		var e event
		if line != "" && json.Unmarshal([]byte(line), &e) != nil {
			e = event{Action: "build-output", Output: line} // go itself: a wrong flag, say
		}
		switch {
		case e.Action == "build-output", e.Action == "output" && verbose, e.Action == "output" && e.Test == "" &&
			e.Output != "PASS\n":
			fmt.Fprint(w, e.Output)
		}
		switch {
		case e.Action == "output" && e.Test != "":
			printed[e.name()] = append(printed[e.name()], e.Output)
		case e.Action == "fail" && e.Test == "": // a panic ends tests without an event of their own
			for name, output := range printed {
				if strings.HasPrefix(name, e.Package+".") {
					show(w, output, verbose)
					delete(printed, name)
				}
			}
		case e.Test != "" && slices.Contains([]string{"pass", "skip", "fail"}, e.Action):
			if e.Action == "fail" {
				show(w, printed[e.name()], verbose)
			}
			if e.Action == "skip" {
				skipped = append(skipped, e.name()+": "+reason(printed[e.name()]))
			}
			delete(printed, e.name())
		}
		if readErr != nil {
			slices.Sort(skipped)
			if readErr == io.EOF {
				readErr = nil
			}
			return skipped, readErr
		}
	}
}

// skippedLine is a test in the list with which a run ends: its package and its name.
var skippedLine = regexp.MustCompile(`(?m)^  (\S+?)\.((?:Test|Fuzz|Example)\S*?): `)

// skippedIn are the arguments of go test that run the tests which an earlier run has listed; nil when there are none.
// A pattern holds in all packages, so a test of the same name in another of them runs too.
func skippedIn(output string) (args []string) {
	var names []string
	for _, m := range skippedLine.FindAllStringSubmatch(output, -1) {
		levels := strings.Split(m[2], "/")
		for i, level := range levels {
			levels[i] = "^" + regexp.QuoteMeta(level) + "$"
		}
		names = append(names, strings.Join(levels, "/"))
		args = append(args, m[1])
	}
	if args == nil {
		return nil
	}
	slices.Sort(args)
	return append([]string{"-run", strings.Join(names, "|")}, slices.Compact(args)...)
}

// show prints what a test has printed, unless it was shown as it came.
func show(w io.Writer, output []string, verbose bool) {
	for _, line := range output {
		if !verbose && !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(w, line)
		}
	}
}

// reason is what the last line that a skipped test printed says, without its place in the source.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, text, ok := strings.Cut(line, ".go:"); ok {
			if _, text, ok := strings.Cut(text, ": "); ok {
				return text
			}
		}
		return line
	}
	return "no reason given"
}
