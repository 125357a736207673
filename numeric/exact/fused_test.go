package exact

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// unfused are the packages whose results have the same bits on every machine. Pictures are
// drawn in ordinary arithmetic (stages/draw rounds them), and what is printed is rounded too.
var unfused = []string{"gnn/...", "connectivity/...", "nifti/...", "numeric/dense", "numeric/exact",
	"numeric/random", "stages/inference"}

// exactProducts are expressions whose product is exact, so that it does not matter when the
// sum is rounded: multiples of powers of two.
var exactProducts = []string{"2*s.Float64() - 1", "float64(2*r.Float64()) - 1", "n/2 + a - 1", "float64(n+1)/2",
	"1+8*float64(d)", "(1+cos))/2"}

// TestNothingIsFused looks for fused products in what the compiler makes for arm64: x*y + z in
// one rounding has other bits than on amd64, where it has two. float64(x*y) + z forbids it.
func TestNothingIsFused(t *testing.T) {
	packages := make([]string, len(unfused))
	for i, p := range unfused {
		packages[i] = "../../" + p
	}
	// The listings of packages that are compiled already come from the cache. What is only compiled needs
	// no debug information, and no optimization unless it computes: its functions may then be inlined into ours.
	args := []string{"build", "-trimpath", "-gcflags=all=-N -l -dwarf=false"}
	for _, computes := range []string{"cmp", "gonum.org/...", "math", "math/...", "slices", "sort"} {
		args = append(args, "-gcflags="+computes+"=-dwarf=false")
	}
	cmd := exec.Command("go", append(append(args, "-gcflags=prgnn/...=-dwarf=false -S"), packages...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%.2000s", err, listing)
	}
	compiled, fused := map[string]bool{}, regexp.MustCompile(`\(([^()\s]+):(\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)
	found := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(listing))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			compiled[name] = true
		}
		at := fused.FindStringSubmatch(lines.Text())
		if at == nil || found[at[0]] {
			continue
		}
		found[at[0]] = true
		if source := sourceLine(at[1], at[2]); !meant(source) {
			t.Errorf("%s:%s is compiled to a fused product: write float64(x*y) + z\n%s", at[1], at[2], source)
		}
	}
	if lines.Err() != nil || !compiled["prgnn/gnn"] || !compiled["prgnn/numeric/exact"] {
		t.Fatalf("there is no listing of %v: %v", unfused, lines.Err())
	}
	if len(found) == 0 {
		t.Error("not even exact products are fused: has the form of the listing changed?")
	}
}

// sourceLine is a line of a file by its name in the listing; "" of other modules.
func sourceLine(file, number string) string {
	text, err := os.ReadFile("../../" + strings.TrimPrefix(file, "prgnn/"))
	if err != nil {
		return ""
	}
	n := 0
	fmt.Sscan(number, &n)
	lines := strings.Split(string(text), "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

func meant(source string) bool {
	for _, s := range append([]string{"math.FMA("}, exactProducts...) {
		if strings.Contains(source, s) {
			return true
		}
	}
	return false
}
