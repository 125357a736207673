//go:build unix

// Package measure holds what the benchmarks take from the machine and from the
// arrays that they share with their peers.
package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"prgnn/artifacts/encoding"
)

// Processor is the processor time of this program so far, in seconds.
func Processor() float64 {
	u := usage()
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// PeakMiB is the peak of the resident memory, the reading of the data included.
func PeakMiB() float64 {
	if runtime.GOOS == "darwin" { // in bytes; elsewhere in KiB
		return float64(usage().Maxrss) / (1 << 20)
	}
	return float64(usage().Maxrss) / (1 << 10)
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only a wrong argument could be the cause
	}
	return u
}

// A Timer takes seconds of wall clock and of processor time, lap by lap.
type Timer struct {
	Wall, CPU []float64

	wall time.Time
	cpu  float64
}

// Start begins a lap.
func (t *Timer) Start() { t.wall, t.cpu = time.Now(), Processor() }

// Lap ends a lap, and begins the next.
func (t *Timer) Lap() {
	t.Wall, t.CPU = append(t.Wall, time.Since(t.wall).Seconds()), append(t.CPU, Processor()-t.cpu)
	t.Start()
}

// Print writes figures as a line of JSON.
func Print(figures map[string]any) { Check(json.NewEncoder(os.Stdout).Encode(figures)) }

// Check ends the program on an error.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Array reads DIR/NAME.npy.
func Array(dir, name string) (*encoding.Array, error) {
	f, err := os.Open(filepath.Join(dir, name+".npy"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := encoding.ReadArray(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return a, nil
}
