package exact

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
)

// unfused are the packages whose results have the same bits on every machine: all below these directories, but for
// pictures, which are drawn in ordinary arithmetic (stages/draw rounds them), and phantoms of tests.
var unfused = []string{"gnn", "connectivity", "nifti", "numeric", "stages"}

var drawn = []string{"stages/chart", "stages/draw", "stages/stagetest"}

// These are the functions whose portable form has math.FMA and FMA32 for each product that it adds: on both
// architectures, and on one. Those of separateToo have products that are not added, too.
const (
	fusedOnBoth = "addSquaresVec axpy32 axpy64 dot32 dot64 expVec run32 run64 sumSquaresVec"
	fusedOnOne  = "expVecWide gemm16 gemm16wide gemm8 mmdVec outerAdd16 outerAdd8 run32wide run64wide sigmoidVec " +
		"softmaxVec spread16 spread16back spread16wide spread16wideback spread8 spread8back spreadRow16 spreadRow8"
	separateToo = "mmdVec sigmoidVec softmaxVec"
)

// TestAssemblyFusesWhatIsDefined looks for fused products in the assembly: those functions have them, on every
// architecture, and no other function has one.
func TestAssemblyFusesWhatIsDefined(t *testing.T) {
	fused := regexp.MustCompile(`^\s+(VFN?M(ADD|SUB)|VFML[AS]|FN?M(ADD|SUB))`)
	separate := regexp.MustCompile(`^\s+V?F?(MUL[PS][SD]|MUL[SD]) `)
	want, found := map[string]int{}, map[string]int{}
	for _, name := range strings.Fields(fusedOnOne) {
		want[name] = 1
	}
	for _, name := range strings.Fields(fusedOnBoth) {
		want[name] = 2
	}
	for _, pattern := range []string{"../*/*.s", "../../gnn/*.s", "../../gnn/*/*.s", "../../connectivity/*.s",
		"../../nifti/*/*.s"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, function := range strings.Split(string(text), "\nTEXT ·")[1:] {
				name, body, _ := strings.Cut(function, "(SB)")
				count, products := 0, 0
				for line := range strings.Lines(body) {
					if fused.MatchString(line) {
						count++
					} else if separate.MatchString(line) {
						products++
					}
				}
				if meant := want[name] > 0; meant != (count > 0) || meant && products > 0 &&
					!slices.Contains(strings.Fields(separateToo), name) {
					t.Errorf("%s: %s has %d fused products and %d others", file, name, count, products)
				} else if meant {
					found[name]++
				}
			}
		}
	}
	if !maps.Equal(found, want) {
		t.Errorf("functions with fused products, and in how many files: %v, want %v", found, want)
	}
}

// exactProducts are expressions whose product is exact, or is rounded to a whole number, so that it does not matter
// when the sum is rounded: multiples of powers of two, and of 1 and -1.
var exactProducts = []string{"2*s.Float64() - 1", "float64(2*r.Float64()) - 1", "n/2 + a - 1", "float64(n+1)/2",
	"1+8*float64(", "(1+cos))/2", "T(1-share)", "float64(a*a) / 2", "exact.Log(2*math.Pi*x)/2", "v / 8",
	"v * float64(1-i%2*2) / 8", "pairs * float64(high-low+1)", "(left+right)/2", "v[at]*math.Sqrt2-1",
	"AsLarge(x, than float64)", "(k.Score - low) / (high - low)", "a*fine + 0.5", "62 * vg.Millimeter"}

// TestOnlyFMAIsFused looks for fused products in what the compiler makes for arm64: where math.FMA is not
// written, x*y + z in one rounding has other bits than on amd64, where it has two. float64(x*y) + z forbids it.
func TestOnlyFMAIsFused(t *testing.T) {
	packages := lists.Map(unfused, func(p string) string { return "../../" + p + "/..." })
	// The listings of packages that are compiled already come from the cache. What is only compiled needs
	// no debug information, and no optimization unless it computes: its functions may then be inlined into ours.
	args := []string{"build", "-trimpath", "-gcflags=all=-N -l -dwarf=false"}
	for _, computes := range []string{"cmp", "gonum.org/...", "math", "math/...", "slices", "sort"} {
		args = append(args, "-gcflags="+computes+"=-dwarf=false")
	}
	args = append(append(args, "-gcflags=prgnn/...=-dwarf=false -S"), packages...)
	all, err := exec.Command("go", append([]string{"list", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}"}, packages...)...).Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	// A cache may have lost listings and kept what was compiled; the compiler then makes none, without an error.
	var missing []string
	for _, cache := range []string{os.Getenv("GOCACHE"), t.TempDir()} {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOCACHE="+cache)
		listing, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go build: %v\n%.2000s", err, listing)
		}
		if missing = lookForFused(t, listing, strings.Fields(string(all))); len(missing) == 0 || t.Failed() {
			return
		}
	}
	t.Errorf("there is no listing of %v", missing)
}

// lookForFused reports the fused products of a listing, and returns which of these packages have none although they
// are ours.
func lookForFused(t *testing.T, listing []byte, packages []string) (missing []string) {
	compiled, fused := map[string]bool{}, regexp.MustCompile(`\((prgnn/[^()\s]+):(\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)
	found := map[string]bool{}
	for line := range bytes.Lines(listing) {
		if name, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			compiled[string(bytes.TrimSpace(name))] = true
		}
		at := fused.FindStringSubmatch(string(line))
		if at == nil || found[at[0]] {
			continue
		}
		found[at[0]] = true
		if source := sourceLine(at[1], at[2]); !meant(source) && !isDrawn(at[1]) {
			t.Errorf("%s:%s is compiled to a fused product: write float64(x*y) + z\n%s", at[1], at[2], source)
		}
	}
	missing = slices.DeleteFunc(packages, func(name string) bool { return compiled[name] })
	if len(missing) == 0 && len(found) == 0 {
		t.Error("nothing is fused: has the form of the listing changed?")
	}
	return missing
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

func isDrawn(file string) bool {
	return slices.ContainsFunc(drawn, func(d string) bool { return strings.HasPrefix(file, "prgnn/"+d+"/") })
}

func meant(source string) bool {
	for _, s := range append([]string{"math.FMA("}, exactProducts...) {
		if strings.Contains(source, s) {
			return true
		}
	}
	return false
}
