package cli

import (
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"prgnn/internal/need"
)

// TestRunFetchesNothing: a run without its atlas connects to nothing, and its error has the command that fetches it.
func TestRunFetchesNothing(t *testing.T) {
	listener := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	var connected atomic.Int32
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			connected.Add(1)
			c.Close()
		}
	}()
	defer func() { listener.Close(); <-over }()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "http://"+listener.Addr().String())
	}
	t.Chdir(t.TempDir())
	t.Setenv("TEMPLATEFLOW_HOME", "empty")
	need.NoError(t, os.WriteFile("study.yaml", []byte(`extends: quick.yaml
cohort:
  simulate: null
  bids:
    dir: fmriprep
    group: diagnosis
    space: MNI152NLin2009cAsym
    labels: { atlas: Schaefer2018, desc: 100Parcels7Networks, resolution: "2" }
`), 0o666))
	if code, out, diag := runHere("simulate", "quick.yaml", "fmriprep", "--set", "cohort.asd=3", "--set", "cohort.hc=3",
		"--set", "cohort.volumes=20"); code != 0 {
		t.Fatal(out, diag)
	}
	for _, command := range []string{"cohort", "plan", "run"} {
		code, out, diag := runHere(command, "study.yaml")
		get := "pipeline atlas get Schaefer2018 --space MNI152NLin2009cAsym --desc 100Parcels7Networks --res 2"
		if code == 0 || !strings.Contains(strings.Join(strings.Fields(out+diag), " "), get) {
			t.Errorf("%s: %d\n%s%s", command, code, out, diag)
		}
	}
	if n := connected.Load(); n > 0 {
		t.Errorf("%d connections", n)
	}
}
