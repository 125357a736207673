package connectivity

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// An Expansion says which columns of a confound a strategy takes.
type Expansion int

// Expansions: no column; the confound; with its derivative; with the squares of both (Friston et al. 1996, Magn
// Reson Med 35:346).
const (
	Absent Expansion = iota
	Basic
	Derivatives
	Full
)

// suffixes are those of fMRIPrep's columns.
func (e Expansion) suffixes() []string {
	return [][]string{nil, {""}, {"", "_derivative1"}, {"", "_derivative1", "_power2", "_derivative1_power2"}}[e]
}

// A CompCor says which components of aCompCor a strategy takes (Behzadi et al. 2007, NeuroImage 37:90).
type CompCor int

// Components: none; all retained ones of the combined mask (nilearn's anat_combined); the first of the white matter
// and as many of the CSF (XCP-D).
const (
	NoCompCor CompCor = iota
	Combined
	Separate
)

// A Strategy is a named set of nuisance regressors.
type Strategy struct {
	Name    string
	Motion  Expansion // of the six motion parameters
	Tissue  Expansion // of the mean signals of CSF and white matter
	Global  Expansion // of the global signal
	CompCor CompCor
	Cosines bool   // fMRIPrep's cosines: the high-pass filter, and a must with CompCor, which was computed after it
	Noise   string // components that are noise: how the names of their columns begin
	Signal  string // components that are fitted together with all others, and left in the series: likewise
	Scrub   Scrub
}

// Strategies are those of nilearn's load_confounds_strategy (simple, scrubbing, compcor, ica_aroma; Wang et al. 2024,
// PLOS Comput Biol 20:e1011942), those of XCP-D (24P, 27P, 36P, acompcor, acompcor_gsr, gsr_only; Ciric et al. 2017,
// NeuroImage 154:174; Mehta et al. 2024, Imaging Neuroscience 2), whose aroma is aroma_orth here: aroma is that of
// the table in its documentation, with motion parameters that XCP-D itself does not take. tedana takes the
// components that tedana rejects, as a component of nilearn's load_confounds does, with cosines; nilearn's
// non-aggressive one regresses out the accepted ones as well, tedana_nonaggressive fits them and leaves them in.
// 6P are the six motion parameters.
var Strategies = []Strategy{
	{Name: "none"},
	{Name: "simple", Motion: Full, Tissue: Basic, Cosines: true},
	{Name: "scrubbing", Motion: Full, Tissue: Full, Cosines: true, Scrub: Scrub{FD: 0.5, DVARS: 1.5, MinSegment: 5}},
	{Name: "compcor", Motion: Full, CompCor: Combined, Cosines: true},
	{Name: "ica_aroma", Tissue: Basic, Cosines: true},
	{Name: "6P", Motion: Basic},
	{Name: "24P", Motion: Full},
	{Name: "27P", Motion: Full, Tissue: Basic, Global: Basic},
	{Name: "36P", Motion: Full, Tissue: Full, Global: Full},
	{Name: "acompcor", Motion: Derivatives, CompCor: Separate, Cosines: true},
	{Name: "acompcor_gsr", Motion: Derivatives, Global: Basic, CompCor: Separate, Cosines: true},
	{Name: "gsr_only", Global: Basic},
	{Name: "aroma", Motion: Derivatives, Tissue: Basic, Noise: "aroma_motion_"},
	{Name: "aroma_orth", Tissue: Basic, Noise: "aroma_orth_motion_"},
	{Name: "aroma_orth_gsr", Tissue: Basic, Global: Basic, Noise: "aroma_orth_motion_"},
	{Name: "tedana", Cosines: true, Noise: TedanaRejected},
	{Name: "tedana_nonaggressive", Cosines: true, Noise: TedanaRejected, Signal: TedanaAccepted},
}

// How the names of the columns of tedana's components begin, by what it decided.
const (
	TedanaRejected = "tedana_rejected_"
	TedanaAccepted = "tedana_accepted_"
)

// AROMAScans is the desc- entity of scans from which ICA-AROMA has taken motion components, for the strategy ica_aroma.
const AROMAScans = "smoothAROMAnonaggr"

// StrategyNames are the names of Strategies, in their order.
func StrategyNames() []string {
	names := lists.Map(Strategies, func(s Strategy) string { return s.Name })
	return names
}

// StrategyOf finds a strategy by its name.
func StrategyOf(name string) (Strategy, error) {
	i := slices.IndexFunc(Strategies, func(s Strategy) bool { return s.Name == name })
	if i < 0 {
		return Strategy{}, fmt.Errorf("unknown strategy %q: choose one of %s", name, strings.Join(StrategyNames(), ", "))
	}
	return Strategies[i], nil
}

var (
	motionNames = []string{"trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"}
	tissueNames = []string{"csf", "white_matter"}
)

// columns lists the columns of a strategy in this table, and what the table lacks for it. n bounds the components of
// each tissue in Separate.
func (c Confounds) columns(s Strategy, n int) (names, lacking []string) {
	for _, part := range []struct {
		of   []string
		with Expansion
	}{{motionNames, s.Motion}, {tissueNames, s.Tissue}, {[]string{"global_signal"}, s.Global}} {
		for _, base := range part.of {
			for _, suffix := range part.with.suffixes() {
				names = append(names, base+suffix)
			}
		}
	}
	components, lacking := c.components(s.CompCor, n)
	names = append(names, components...)
	for _, part := range []struct {
		wanted bool
		prefix string
	}{{s.Cosines, "cosine"}, {s.Noise != "" && (c.NoNoise == "" || !strings.HasPrefix(s.Noise, c.NoNoise)), s.Noise}} {
		if !part.wanted {
			continue
		}
		found := c.beginning(part.prefix)
		if len(found) == 0 && (part.prefix != "cosine" || c.Cosines != 0) {
			lacking = append(lacking, part.prefix+"*")
		}
		names = append(names, found...)
	}
	return names, lacking
}

// beginning lists the columns whose names begin so, in the order of the table.
func (c Confounds) beginning(prefix string) (names []string) {
	return lists.Keep(c.Names, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// components lists columns of aCompCor. Up to fMRIPrep 20.2 a_comp_cor_XX numbers the components of three masks, which
// only the table's JSON file tells apart; since 21.0 a_ is the combined mask, c_ CSF, and w_ white matter.
func (c Confounds) components(want CompCor, n int) (names, lacking []string) {
	if want == NoCompCor {
		return nil, nil
	}
	apart := len(c.beginning("c_comp_cor_"))+len(c.beginning("w_comp_cor_")) > 0
	of := func(prefix, mask string) (found []string) {
		for _, name := range c.beginning(prefix) {
			about, told := c.About[name]
			if told && about.Retained != nil && !*about.Retained || (told || !apart) && about.Mask != mask {
				continue
			}
			found = append(found, name)
		}
		slices.SortStableFunc(found, func(a, b string) int { // 10 comes after 9, and 100 after 99
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		return found
	}
	if !apart && len(c.beginning("a_comp_cor_")) > 0 && len(c.About) == 0 {
		return nil, []string{"a_comp_cor_* with a Mask each (in the JSON file beside the table, which is missing)"}
	}
	if want == Combined {
		if names = of("a_comp_cor_", "combined"); len(names) == 0 {
			lacking = []string{"a_comp_cor_* of the combined mask"}
		}
		return names, lacking
	}
	for _, tissue := range [2][3]string{{"c_comp_cor_", "CSF", "CSF"}, {"w_comp_cor_", "WM", "white matter"}} {
		prefix := tissue[0]
		if !apart {
			prefix = "a_comp_cor_"
		}
		found := of(prefix, tissue[1])
		if len(found) == 0 {
			lacking = append(lacking, prefix+"* of the "+tissue[2]+" mask")
		}
		names = append(names, found[:min(n, len(found))]...)
	}
	return names, lacking
}
