package stages

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/stages/cohort"
)

// promised are the kinds, parameters, choices and ports that a pipeline file can name, a line each.
func promised() []string {
	var lines []string
	params := func(owner string, params []param.Param) {
		for _, p := range params {
			lines = append(lines, fmt.Sprintf("parameter %s.%s %s", owner, p.Name, p.Type))
			for _, c := range p.Choices {
				lines = append(lines, fmt.Sprintf("choice %s.%s %s", owner, p.Name, c))
			}
		}
	}
	for _, k := range dag.Kinds() {
		s := k.New()
		lines = append(lines, "kind "+k.Name)
		params(k.Name, param.Of(s))
		for _, p := range s.Ports().In {
			need := "required"
			if p.Optional {
				need = "optional"
			}
			lines = append(lines, fmt.Sprintf("input %s.%s %s", k.Name, p.Name, need))
		}
		for _, p := range s.Ports().Out {
			lines = append(lines, fmt.Sprintf("output %s.%s %s", k.Name, p.Name, p.Type.Format))
		}
	}
	for _, c := range cohort.Kinds() {
		lines = append(lines, "cohort "+c.Name)
		params("cohort "+c.Name, param.Of(c.New()))
	}
	slices.Sort(lines)
	return lines
}

// broken tells what of a list of promises is not kept by what there is now, and what new inputs older files lack.
func broken(list, now []string) (wrong []string) {
	for _, line := range list {
		if !slices.Contains(now, line) && !slices.Contains(now, strings.Replace(line, " required", " optional", 1)) {
			wrong = append(wrong, "gone: "+line)
		}
	}
	for _, line := range now {
		kind, _, _ := strings.Cut(strings.TrimPrefix(line, "input "), ".")
		if strings.HasPrefix(line, "input ") && strings.HasSuffix(line, " required") &&
			slices.Contains(list, "kind "+kind) && !slices.Contains(list, line) {
			wrong = append(wrong, "a file of 1.0.0 does not connect it: "+line)
		}
	}
	return wrong
}

// TestPromised: a pipeline file of version 1.0.0 goes on running (docs/versions.md). What it can name stays;
// more may come. Until 1.0.0 is released, and for the next major version, the list is written anew:
//
//	PRGNN_PROMISED=write go test ./stages -run TestPromised
//
// With PRGNN_PROMISED=current, as a release asks, a line too few is a mistake too.
func TestPromised(t *testing.T) {
	golden := filepath.Join("testdata", "promised-1.txt")
	now := promised()
	if os.Getenv("PRGNN_PROMISED") == "write" {
		need.NoError(t, os.WriteFile(golden, []byte(strings.Join(now, "\n")+"\n"), 0o666))
	}
	text := need.Value(os.ReadFile(golden))(t)
	list := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(list) < 500 {
		t.Errorf("%d lines are promised, fewer than there are", len(list))
	}
	for _, line := range broken(list, now) {
		t.Errorf("%s", line)
	}
	if os.Getenv("PRGNN_PROMISED") == "current" && !slices.Equal(list, now) {
		t.Errorf("%s is not written anew: PRGNN_PROMISED=write go test ./stages -run TestPromised", golden)
	}
}

func TestBroken(t *testing.T) {
	list := []string{"choice a.m x", "input a.i required", "kind a", "parameter a.p int"}
	for _, c := range []struct {
		now  []string
		want string
	}{
		{append([]string{"kind b", "input b.i required", "parameter a.q int", "input a.j optional"}, list...), "[]"},
		{[]string{"choice a.m x", "input a.i optional", "kind a", "parameter a.p int"}, "[]"},
		{list[1:], "[gone: choice a.m x]"},
		{[]string{"choice a.m x", "input a.i required", "kind a", "parameter a.p float64"}, "[gone: parameter a.p int]"},
		{append([]string{"input a.k required"}, list...), "[a file of 1.0.0 does not connect it: input a.k required]"},
	} {
		need.Equal(t, fmt.Sprint(broken(list, c.now)), c.want)
	}
}
