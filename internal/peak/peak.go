// Package peak bounds the memory that a part of a test takes.
package peak

import (
	"os"
	"os/exec"
	"regexp"
	"runtime/metrics"
	"strings"
	"testing"
)

const inChild = "PRGNN_PEAK_OF"

// Below runs f as the test t in a process of its own, and fails when the Go runtime of that
// process has taken more than limit MiB from the system. The runtime gives no
// addresses back, so this is the peak. An empty program takes some 10 MiB. Garbage is
// collected as it is by default, whatever GOGC is around the test.
//
// What comes before the call runs in both processes.
func Below(t *testing.T, limit int, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv(inChild) == t.Name() {
		f(t)
		taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		metrics.Read(taken)
		if mib := int(taken[0].Value.Uint64() >> 20); mib > limit {
			t.Errorf("it took %d MiB of memory, the limit is %d", mib, limit)
		}
		return
	}
	var pattern []string
	for _, name := range strings.Split(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.Command(os.Args[0], "-test.run="+strings.Join(pattern, "/"), "-test.timeout=2m", "-test.v")
	cmd.Env = append(os.Environ(), inChild+"="+t.Name(), "GOGC=100")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("the test did not run alone:\n%s", out)
	}
}
