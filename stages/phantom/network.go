package phantom

import (
	"math"
	"slices"
	"strings"

	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/atlas"
)

// The weights of the sources before every region is brought to unit variance.
// Those of all regions were fitted to the group average of resting connectivity
// between the 68 cortical regions (Human Connectome Project, from the ENIGMA
// toolbox); the expected correlations agree with it at r ≈ 0.78.
const (
	globalWeight  = 0.9
	streamWeight  = 0.7  // sensory, executive or default: the coarsest division of the cortex
	systemWeight  = 0.7  // visual, somatomotor, …
	homologWeight = 0.5  // the same region of the other hemisphere
	localWeight   = 0.75 // neighbors
	localReach    = 30.0 // mm: a local source fades as exp(−(d/localReach)²/2)
	ownVariance   = 0.2
	smallVariance = 8.0  // cm³: a region of V cm³ has 8/V of its own besides
	sinusVariance = 25.0 // at the sinuses and ear canals, where scanners lose signal …
	sinusReach    = 13.0 // mm: … fading as exp(−(d/sinusReach)²/2)
	weightSpread  = 0.15 // standard deviation of a weight between participants, relative
)

// The planted circuit. Its regions are hubs, with more of the global source than
// others, as thalamus, putamen and superior frontal cortex are in the human
// connectome (van den Heuvel and Sporns, J Neurosci 31 (2011), 15775); in the
// reference group this makes up for what they have of their own, so that they
// stand out neither by strong connections nor by weak ones.
const (
	circuitWeight  = 2.5
	hubWeight      = 1.6  // in place of globalWeight
	couplingSpread = 0.25 // standard deviation of the coupling between participants: the groups overlap
)

// Coupling is the share k of the planted part that a region has in common with its
// circuit, in the reference group; Strength 1 adds Change to it in the affected one.
const (
	Coupling = 0.15
	Change   = 0.75
)

// couplings are the coupling k of each node, of which only the circuit's count. In an affected
// participant each has, with the chance Heterogeneity, the reference group's coupling in place of
// altered, independently of the others. Without r it is that of the average participant, (E √k)²:
// the shared source has the weight √k, so that products of two are the expected correlations.
func (s Settings) couplings(nodes []atlas.Node, altered, varied float64, r *random.Stream) []float64 {
	all := make([]float64, len(nodes))
	spared := clamp(Coupling + varied)
	for i, n := range nodes {
		all[i] = altered
		if !s.Affected || s.Heterogeneity == 0 || !inCircuit(n) {
			continue
		}
		switch {
		case r == nil:
			mean := float64((1-s.Heterogeneity)*math.Sqrt(altered)) + float64(s.Heterogeneity*math.Sqrt(spared))
			all[i] = mean * mean
		case r.Float64() < s.Heterogeneity:
			all[i] = spared
		}
	}
	return all
}

func clamp(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// sinuses are where air lies next to the brain: above the nose, beside the ears; mm.
var sinuses = [3][3]float64{{0, 40, -25}, {-45, -10, -38}, {45, -10, -38}}

// A system is a set of regions, named without their hemisphere, that share a
// source; a coarse reading of the usual resting-state networks, the subcortex
// placed with the cortex that it is known to follow: the putamen with the motor
// and the caudate with the associative cortex.
type system struct {
	stream  string
	regions []string
}

var systems = []system{
	{"sensory", []string{"cuneus", "lateraloccipital", "lingual", "pericalcarine", "fusiform", "superiorparietal"}},
	{"sensory", []string{"precentral", "postcentral", "paracentral", "superiortemporal", "transversetemporal",
		"Putamen", "Pallidum"}},
	{"sensory", []string{"insula", "caudalanteriorcingulate", "Thalamus"}},
	{"executive", []string{"parsopercularis", "parstriangularis", "supramarginal", "rostralmiddlefrontal", "lateralorbitofrontal", "inferiortemporal",
		"Caudate", "Accumbens-area"}},
	{"default", []string{"middletemporal", "inferiorparietal", "caudalmiddlefrontal", "superiorfrontal", "parsorbitalis", "bankssts"}},
	{"default", []string{"isthmuscingulate", "precuneus", "rostralanteriorcingulate", "medialorbitofrontal", "parahippocampal", "posteriorcingulate",
		"Hippocampus"}},
	{"default", []string{"entorhinal", "temporalpole", "frontalpole", "Amygdala"}},
	{"motor", []string{"Cerebellum-Cortex"}},
}

// circuit are the regions of the planted circuit, of both hemispheres: dorsal
// striatum, thalamus, and the superior, middle and inferior frontal gyri.
var circuit = []string{"Caudate", "Putamen", "Thalamus", "superiorfrontal", "rostralmiddlefrontal", "caudalmiddlefrontal",
	"parsopercularis", "parstriangularis"}

// region is the name of a node without its hemisphere: "Thalamus", "insula".
func region(n atlas.Node) string {
	for _, prefix := range []string{"ctx-lh-", "ctx-rh-", "Left-", "Right-"} {
		if name, ok := strings.CutPrefix(n.Name, prefix); ok {
			return name
		}
	}
	return n.Name
}

func inCircuit(n atlas.Node) bool { return slices.Contains(circuit, region(n)) }

// An Edge is a planted one, between two nodes given by index.
type Edge struct{ Source, Target int }

// Planted are the edges whose coupling differs between the groups: every two
// regions of the circuit. Sorted, Source < Target.
func Planted(nodes []atlas.Node) []Edge {
	var edges []Edge
	for i, a := range nodes {
		for _, b := range nodes[i+1:] {
			if inCircuit(a) && inCircuit(b) {
				edges = append(edges, Edge{a.Index, b.Index})
			}
		}
	}
	return edges
}

// coupling is that of the average participant.
func (s Settings) coupling() float64 {
	if !s.Affected {
		return Coupling
	}
	return math.Min(1, Coupling+float64(s.Strength*Change))
}

// Expected is the correlation of the signals of every two nodes, N×N, for the
// average participant of a group.
func Expected(nodes []atlas.Node, affected bool, strength, heterogeneity float64) []float64 {
	m := mixing(nodes, Settings{Affected: affected, Strength: strength, Heterogeneity: heterogeneity}, nil)
	n := len(nodes)
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range m[i] {
				c[i*n+j] += float64(m[i][k] * m[j][k])
			}
		}
	}
	return c
}

// mixing is the mixing matrix, N rows over the sources, each of length 1. With
// r, the weights are those of one participant; without, of the average.
func mixing(nodes []atlas.Node, s Settings, r *random.Stream) [][]float64 {
	vary := func(w, spread float64) float64 {
		if r == nil {
			return w
		}
		return w + float64(spread*r.Normal())
	}
	weight := func(w float64) float64 { return vary(w, float64(w*weightSpread)) }
	varied := vary(0, couplingSpread)
	k := clamp(s.coupling() + varied)
	var which *random.Stream
	if r != nil && s.Heterogeneity > 0 {
		which = random.New(s.Seed, "simulate", s.Subject, "heterogeneity")
	}
	coupling := s.couplings(nodes, k, varied, which)

	scanner := s.scanner(len(nodes))

	// The columns: those that several regions share, by name, then the local
	// sources, then what a region has to itself.
	columns := map[string]int{}
	column := func(name string) int {
		if _, known := columns[name]; !known {
			columns[name] = len(columns)
		}
		return columns[name]
	}
	type share struct {
		column int
		weight float64
	}
	shares := make([][]share, len(nodes))
	own := make([]float64, len(nodes)) // variance
	for i, n := range nodes {
		add := func(name string, w float64) { shares[i] = append(shares[i], share{column(name), w}) }
		global := globalWeight
		if inCircuit(n) {
			global = hubWeight
		}
		add("global", weight(global))
		for k, sys := range systems {
			if slices.Contains(sys.regions, region(n)) {
				add("stream "+sys.stream, weight(streamWeight))
				add("system "+string(rune('0'+k)), weight(systemWeight))
			}
		}
		add("pair "+region(n), weight(homologWeight))
		own[i] = ownVariance + float64(smallVariance*1000/n.Volume)
		for _, p := range sinuses {
			own[i] += float64(sinusVariance * fade(n, p, sinusReach))
		}
		if scanner != nil { // the same measure in everybody who was scanned there
			add("scanner", s.SiteEffect*scanner[i])
		}
		if inCircuit(n) {
			add("circuit", circuitWeight*math.Sqrt(coupling[i]))
			own[i] += float64(circuitWeight * circuitWeight * (1 - coupling[i]))
		}
	}
	local := len(columns)
	m := make([][]float64, len(nodes))
	for i, n := range nodes {
		m[i] = make([]float64, local+2*len(nodes))
		for _, s := range shares[i] {
			m[i][s.column] = s.weight
		}
		near := m[i][local : local+len(nodes)]
		for j, b := range nodes {
			near[j] = fade(n, [3]float64{b.X, b.Y, b.Z}, localReach)
		}
		scale(near, weight(localWeight)/length(near))
		m[i][local+len(nodes)+i] = math.Sqrt(own[i])
		scale(m[i], 1/length(m[i]))
	}
	return m
}

// scanner is what the scanner of a site adds to each region, the same in everybody who was scanned there; nil without.
func (s Settings) scanner(regions int) []float64 {
	if !(s.Site > 0 && s.SiteEffect > 0) {
		return nil
	}
	effect := make([]float64, regions)
	at := random.New(s.Seed, "simulate", "site", s.Site, "regions")
	for i := range effect {
		effect[i] = at.Normal()
	}
	return effect
}

// fade is exp(−(d/reach)²/2), where d is how far the node is from p, mm.
func fade(n atlas.Node, p [3]float64, reach float64) float64 {
	d := [3]float64{n.X - p[0], n.Y - p[1], n.Z - p[2]}
	u := length(d[:]) / reach
	return exact.Exp(-float64(u*u) / 2)
}

func length(x []float64) float64 {
	q := 0.0
	for _, v := range x {
		q += float64(v * v)
	}
	return math.Sqrt(q)
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}
