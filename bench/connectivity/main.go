//go:build unix

// Command connectivity times correlation and partial correlation on 1,180 graphs of
// the paper's size, next to nilearn, numpy and scipy on the same data in the same run,
// and compares the matrices.
//
//	go run ./bench/connectivity [-python PYTHON] [-graphs 1180] [-volumes 146] [-regions 84]
//
// PYTHON is an interpreter with nilearn; without it only this package is timed.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"prgnn/artifacts/encoding"
	"prgnn/bench/measure"
	"prgnn/connectivity"
	"prgnn/numeric/random"
)

func main() {
	python := flag.String("python", "", "an interpreter with nilearn")
	graphs := flag.Int("graphs", 1180, "graphs; 0 times the growth alone")
	volumes := flag.Int("volumes", 146, "volumes")
	regions := flag.Int("regions", 84, "regions")
	repeats := flag.Int("repeats", 5, "the best of so many is told")
	growing := flag.Bool("growth", true, "also time 84 to 1,000 regions")
	flag.Parse()
	if *graphs > 0 {
		measure.Check(run(*python, *graphs, *volumes, *regions, *repeats))
	}
	if *growing {
		measure.Check(growth(*python))
	}
}

// growth times one graph of ever more regions over 1,200 volumes (a scan of the HCP),
// Pearson, Ledoit-Wolf partial and the graph, on one thread.
func growth(python string) error {
	const volumes = 1200
	theirs := map[string]float64{}
	if python != "" {
		cmd := exec.Command(python, filepath.Join("bench", "connectivity", "peers.py"), "growth")
		cmd.Stderr = os.Stderr
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("peers.py growth: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			var r result
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return err
			}
			theirs[r.Method] = r.Seconds
		}
	}
	fmt.Printf("growth: one graph over %d volumes, one thread\n", volumes)
	for _, regions := range []int{84, 200, 400, 1000} {
		x := connectivity.Matrix{Rows: volumes, Cols: regions, Data: simulate(1, volumes, regions)}
		estimate, build := math.Inf(1), math.Inf(1)
		for range 3 {
			start := time.Now()
			c, err := connectivity.Estimate([]connectivity.Matrix{x}, connectivity.Options{})
			if err != nil {
				return err
			}
			estimate = min(estimate, time.Since(start).Seconds())
			start = time.Now()
			if _, err := connectivity.Build(connectivity.Matrix{Rows: regions, Cols: regions, Data: c.Partial},
				connectivity.Rule{Density: 0.1}); err != nil {
				return err
			}
			build = min(build, time.Since(start).Seconds())
		}
		fmt.Printf("  %5d regions: matrices %8.2f ms, graph %7.2f ms", regions, 1e3*estimate, 1e3*build)
		for _, peer := range []string{"numpy", "nilearn"} {
			if t := theirs[fmt.Sprintf("%s %d", peer, regions)]; t > 0 {
				fmt.Printf("; %s %8.2f ms (%.1f ×)", peer, 1e3*t, t/estimate)
			}
		}
		fmt.Printf("\nfigure growth.%d %.3g ms\n", regions, 1e3*estimate)
		if t := theirs[fmt.Sprintf("nilearn %d", regions)]; t > 0 {
			fmt.Printf("figure growth.%d.nilearn %.2g×\n", regions, t/estimate)
		}
	}
	return nil
}

// A result is one line of the table.
type result struct {
	Method  string  `json:"method"`
	Seconds float64 `json:"seconds"` // wall clock
	CPU     float64 `json:"cpu"`     // s of processor time
}

func run(python string, graphs, volumes, regions, repeats int) error {
	data := simulate(graphs, volumes, regions)
	draws := make([]connectivity.Matrix, graphs)
	for g := range draws {
		draws[g] = connectivity.Matrix{Rows: volumes, Cols: regions, Data: data[g*volumes*regions:][:volumes*regions]}
	}
	workers := runtime.GOMAXPROCS(0)
	var ours []result
	last := map[connectivity.Estimator]*connectivity.Connectomes{}
	time1 := func(name string, scale float64, f func() error) error {
		best, least := math.Inf(1), math.Inf(1)
		for range repeats {
			start, cpu := time.Now(), measure.Processor()
			if err := f(); err != nil {
				return err
			}
			best, least = min(best, time.Since(start).Seconds()), min(least, measure.Processor()-cpu)
		}
		ours = append(ours, result{name, best * scale, least * scale})
		return nil
	}
	for _, e := range []connectivity.Estimator{connectivity.Empirical, connectivity.LedoitWolf} {
		err := time1("pearson+partial "+string(e), 1, func() (err error) {
			last[e], err = connectivity.Estimate(draws, connectivity.Options{Partial: e, Workers: workers})
			return err
		})
		if err != nil {
			return err
		}
	}
	c := last[connectivity.LedoitWolf]
	size := regions * regions
	err := time1("graphs (one thread)", 1, func() error {
		for g := range draws {
			p := connectivity.Matrix{Rows: regions, Cols: regions, Data: c.Partial[g*size:][:size]}
			if _, err := connectivity.Build(p, connectivity.Rule{Density: 0.1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	few := draws[:min(10, graphs)]
	err = time1("glasso (one thread)", float64(graphs)/float64(len(few)), func() error {
		_, err := connectivity.Estimate(few, connectivity.Options{Partial: connectivity.Glasso,
			Alpha: 0.1, Tolerance: 1e-4})
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("%d graphs of %d volumes and %d regions, %d threads, best of %d\n", graphs, volumes, regions, workers, repeats)
	for _, r := range ours {
		fmt.Printf("  %-58s %8.3f s  %8.1f µs a graph; processor %8.1f µs\n", r.Method, r.Seconds, 1e6*r.Seconds/float64(graphs), 1e6*r.CPU/float64(graphs))
	}
	for _, o := range ours {
		if e, ok := strings.CutPrefix(o.Method, "pearson+partial "); ok {
			fmt.Printf("figure connectivity.%s %.3g s\n", e, o.Seconds)
		}
	}
	if python == "" {
		return nil
	}
	return peers(python, data, []int{graphs, volumes, regions}, ours, last)
}

// simulate gives series with some structure: eight latent courses and AR(1) noise.
func simulate(graphs, volumes, regions int) []float64 {
	const latent = 8
	data := make([]float64, graphs*volumes*regions)
	for g := range graphs {
		r := random.New(2020, "bench connectivity", g)
		load := make([]float64, latent*regions)
		for i := range load {
			if r.Float64() < 0.35 {
				load[i] = r.Normal()
			}
		}
		noise, course := make([]float64, regions), make([]float64, latent)
		for t := range volumes {
			row := data[(g*volumes+t)*regions:][:regions]
			for k := range course {
				course[k] = 0.6*course[k] + 0.8*r.Normal()
			}
			for i := range row {
				noise[i] = 0.3*noise[i] + 0.95*r.Normal()
				row[i] = 0.9 * noise[i]
				for k, c := range course {
					row[i] += c * load[k*regions+i]
				}
			}
		}
	}
	return data
}

// peers runs peers.py on the same data, and compares times and matrices.
func peers(python string, data []float64, shape []int, ours []result,
	last map[connectivity.Estimator]*connectivity.Connectomes) error {
	dir, err := os.MkdirTemp("", "bench-connectivity-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "series.npy"), filepath.Join(dir, "results.npy")
	var b bytes.Buffer
	if err := encoding.NewArray(data, shape...).Encode(&b); err != nil {
		return err
	}
	if err := os.WriteFile(in, b.Bytes(), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(python, filepath.Join("bench", "connectivity", "peers.py"), in, out)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("peers.py: %w", err)
	}
	fmt.Println("peers, and how many times slower they are")
	least := map[string]float64{} // CPU of nilearn, and of the best way with numpy, by the figure
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		for _, o := range ours {
			kind := strings.Fields(o.Method)
			if strings.HasSuffix(r.Method, o.Method) || (kind[0] == "glasso" && strings.HasSuffix(r.Method, "glasso")) {
				fmt.Printf("  %-58s %8.3f s  %6.1f ×; processor time %6.1f ×\n", r.Method, r.Seconds, r.Seconds/o.Seconds, r.CPU/o.CPU)
				if who := strings.Fields(r.Method)[0]; who == "nilearn" || who == "numpy" {
					name := kind[len(kind)-1] + "." + who
					least[name] = min(cmp.Or(least[name], math.Inf(1)), r.CPU/o.CPU)
				}
			}
		}
	}
	for name, times := range least {
		fmt.Printf("figure connectivity.%s %.2g×\n", name, times)
	}
	f, err := os.Open(out)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := encoding.ReadArray(f)
	if err != nil {
		return err
	}
	theirs := a.Float64s()
	empirical, shrunk := last[connectivity.Empirical], last[connectivity.LedoitWolf]
	for i, m := range [][]float64{empirical.Pearson, empirical.Partial, shrunk.Partial} {
		worst := 0.0
		for k, v := range m {
			worst = max(worst, math.Abs(v-theirs[i*len(m)+k]))
		}
		fmt.Printf("largest difference of %-24s %.2g\n", []string{"pearson", "the empirical partial", "the Ledoit-Wolf partial"}[i], worst)
	}
	return nil
}
