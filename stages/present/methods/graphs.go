package methods

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/inference"
	"prgnn/stages/present/participants"
	"prgnn/stages/wording"
)

// graphs states the way from voxels to graphs.
func (a *Author) graphs() {
	a.matrices()
	a.silentRegions()
	a.edges()
}

// matrices states the way from voxels to matrices.
func (a *Author) matrices() {
	if b := a.Run.Of("bootstrap"); b != nil {
		a.series(b)
	}
	if d := a.Run.Of("denoise"); d != nil {
		a.denoising(d)
		a.blocks(d)
	}
	for i, c := range a.kinds("connectivity") {
		if joined := a.Joined(); joined > 0 && a.Run.KindOf(c, "series") == "join" {
			low, high := participants.RunsOf(a.Scans)
			a.say("methods.joined", values{"Data": a.held(a.Run.Sources(c, "series")[0], "series"), "Joined": joined,
				"Scans": quality.CountScans(a.Scans), "Low": low,
				"High": high})
		}
		a.correlation(c, i == 0)
	}
	for _, c := range a.kinds("matrices") {
		if c.Values["fisher_z"] != nil { // not the cohort of that name
			of := parameters(c, a.only(c))
			of["Program"] = a.WroteFisherZ("pearson")
			a.say("methods.given-matrices", of)
		}
	}
	a.sessions()
	for _, c := range a.kinds("combat") {
		of := parameters(c, a.only(c))
		of["Preserved"], of["Data"] = c.List("preserve"), a.held(c, "matrices")
		a.say("methods.combat", of)
	}
	for _, c := range a.kinds("deconfound") {
		a.deconfounding(c)
	}
	for _, c := range a.kinds("tangent") {
		of := parameters(c, a.only(c))
		of["Data"] = a.held(c, "matrices")
		a.say("methods.tangent", of)
	}
	a.windows()
}

// deconfounding states from what covariates were removed: edges, the number to predict, or both, each for the models
// that were trained on it.
func (a *Author) deconfounding(c *finding.StageSettings) {
	what := c.Over("what")
	of := parameters(c, a.only(c))
	of["Covariates"], of["Target"] = c.List("covariates"), a.Number
	if !slices.Equal(what, []string{"target"}) {
		for _, r := range a.kinds("residualize") {
			if slices.Contains(a.Run.Sources(r, "fitted"), c) {
				maps.Copy(of, a.only(r))
				of["Stage"] = c.Stage
			}
		}
		a.say("methods.deconfound", of)
	}
	var targets []*finding.StageSettings
	for _, s := range a.kinds("regression") {
		if slices.Contains(a.Run.Sources(s, "targets"), c) {
			targets = append(targets, s)
		}
	}
	if targets == nil || slices.Equal(what, []string{"edges"}) {
		return
	}
	of["Models"], of["Every"] = a.named(targets...), false
	a.say("methods.deconfound-target", of)
}

// series states how the series of regions were made.
func (a *Author) series(b *finding.StageSettings) {
	of := parameters(b, values{"Element": a.Element(), "Unit": a.unit(), "Part": part(b.Number("fraction"))})
	if b.Value("draws") == "0" {
		a.say("methods.series", of)
	} else {
		a.say("methods.series-draws", of)
	}
	if b.Number("min_valid") > 0 {
		a.say("methods.min-valid", of)
	}
}

// part names the shares that have a name.
func part(x float64) string {
	switch {
	case math.Abs(x-1.0/3) < 0.0005:
		return "third"
	case x == 0.5:
		return "half"
	}
	return ""
}

// denoising states the steps of denoising in their order.
func (a *Author) denoising(d *finding.StageSettings) {
	scans := a.ofUniverse()
	elsewhere := len(scans) == 0 && len(a.Scans) > 0 // the page has no scan of the universe
	step := func(code string, of values) {
		s := statement{code: code, text: a.Text(code, parameters(d, of)), step: true}
		if !slices.Contains(a.said, s) {
			a.said = append(a.said, s)
		}
	}
	var trends []string // of the settings
	for _, degree := range d.Over("detrend") {
		trends = append(trends, a.Text("denoising.detrend", values{"detrend": degree}))
	}
	if len(trends) > 1 {
		step("denoising.detrend-by-setting", values{"Trends": trends})
	} else if d.Value("detrend") != "-1" {
		step("denoising.detrend", nil)
	}
	like := scans
	if elsewhere && !a.planned(d, step) {
		like = a.Scans
	}
	type way struct {
		given                  bool
		sidecar, why, strategy string
	}
	stated := map[way]bool{}
	for _, s := range like {
		by := way{s.Given(), s.Sidecar, s.Why, s.Strategy}
		if stated[by] {
			continue
		}
		stated[by] = true
		switch of := (values{"Sidecar": s.Sidecar, "Why": s.Why, "Strategy": s.Strategy,
			"Columns": d.List("columns")}); {
		case s.Given() && s.Sidecar != "":
			step("denoising.sidecar", of)
		case s.Given():
			step("denoising.given", of)
		case s.Why != "":
			step("denoising.no-regression", of)
		default:
			step("denoising.regression", of)
		}
	}
	conditions, _ := quality.Events(scans)
	for _, model := range []string{"none", "spm", "glover", "fir"} {
		if conditions[model] != nil {
			step("denoising.task", values{"Model": model, "Conditions": conditions[model]})
		}
	}
	if slices.ContainsFunc(scans, func(s quality.Scan) bool { return s.NonSteady > 0 }) {
		step("denoising.non-steady", nil)
	}
	scrubs := slices.ContainsFunc(scans, func(s quality.Scan) bool { return s.Strategy == "scrubbing" })
	censors := d.Number("fd") > 0 || d.Number("dvars") > 0
	if scrubs && !censors {
		step("denoising.scrubbing", nil)
	}
	a.remaining(d, scans, step)
	if censors {
		of := values{"FD": d.Value("fd"), "DVARS": d.Value("dvars")}
		if scrubs { // its own bounds where the stage has none
			of["FD"], of["DVARS"] = boundOr(d, "fd", "0.5"), boundOr(d, "dvars", "1.5")
		}
		step("denoising.censoring", of)
	}
	if d.Uses("filter") {
		step("denoising.filter", nil)
		bridged := func(s quality.Scan) bool { return s.Bridge != "" }
		if i := slices.IndexFunc(scans, bridged); i >= 0 {
			step("denoising.bridge", values{"Bridge": scans[i].Bridge})
		}
	}
	if d.Uses("standardize") {
		step("denoising.scale", nil)
	}
}

// boundOr is a bound of a stage; instead of 0, that of its strategy.
func boundOr(d *finding.StageSettings, parameter, standard string) string {
	if d.Number(parameter) > 0 {
		return d.Value(parameter)
	}
	return standard
}

// remaining states the volumes and degrees of freedom that denoising left, with each of its settings; of universes only
// where the page has the scans of all.
func (a *Author) remaining(d *finding.StageSettings, scans []quality.Scan, step func(code string, of values)) {
	if !a.hasAllScans() {
		return
	}
	settings := lists.By(scans, func(s quality.Scan) string {
		var own []string
		for _, c := range s.Coords {
			noOption := slices.Contains([]string{column.Subject, "session", "run"}, c.Axis)
			if len(d.Values[c.Axis]) > 1 && !noOption {
				own = append(own, c.Axis+"="+c.Value)
			}
		}
		return strings.Join(own, ", ")
	})
	state := func(code string, with values, scans []quality.Scan, of func(quality.Scan) float64) {
		maps.Copy(with, spread(scans, of))
		step(code, with)
	}
	for _, with := range settings {
		if slices.ContainsFunc(with.All, func(s quality.Scan) bool { return s.Kept < s.Volumes }) {
			state("denoising.kept", values{"Setting": with.Key}, with.All,
				func(s quality.Scan) float64 { return float64(s.Kept) })
		}
	}
	for _, with := range settings {
		state("denoising.freedom", values{"Setting": with.Key, "UpperBound": quality.UpperBound(with.All),
			"Joined": participants.JoinedOf(with.All)}, with.All, func(s quality.Scan) float64 { return s.TEff })
	}
}

// planned states the nuisance regression of a universe whose scans are not on the page, by its parameter; false where
// no decision sets it, and the scans of the page have the same.
func (a *Author) planned(d *finding.StageSettings, step func(code string, of values)) bool {
	if !a.isDecided(d.Stage, "regress") {
		return false
	}
	switch strategy := d.Value("regress"); strategy {
	case "", "auto":
	case "none":
		step("denoising.no-regression", values{"Why": column.AskedForNone})
	default:
		step("denoising.regression", values{"Strategy": strategy, "Columns": d.List("columns")})
	}
	return true
}

// spread is the median and range of a number of scans.
func spread(scans []quality.Scan, of func(quality.Scan) float64) values {
	x := lists.Map(scans, of)
	if len(x) == 0 {
		return values{"Median": math.NaN()}
	}
	return values{"Median": inference.Median(x), "Low": slices.Min(x), "High": slices.Max(x)}
}

// blocks states how volumes were drawn, where they were.
func (a *Author) blocks(d *finding.StageSettings) {
	if d.Number("draws") == 0 {
		return
	}
	of := parameters(d, spread(a.ofUniverse(), func(s quality.Scan) float64 { return float64(s.Block) }))
	of["Unit"] = a.unit()
	a.say("methods.blocks", of)
}

// correlation states how correlations were estimated; of another estimate than the first, for which models.
func (a *Author) correlation(c *finding.StageSettings, first bool) {
	of := parameters(c, a.only(c))
	estimator := func(parameter string) values {
		return parameters(c, values{"Estimator": of[parameter], "Covariance": parameter == "partial"})
	}
	of["Every"] = first || of["Every"] == true
	of["Pearson"], of["Partial"], of["Covariance"] = nil, nil, nil
	// No result depends on matrices that nobody takes; where no connection is known, both are described.
	pearson, partial, covariance := a.Run.Takes(c, "pearson"), a.Run.Takes(c, "partial"),
		c.Value("covariance") == "true" && (a.Run.Takes(c, "covariance") || a.Run.Takes(c, "precision"))
	unread := !pearson && !partial && !covariance // a page of their quality alone
	if pearson || unread {
		of["Pearson"] = estimator("pearson")
	}
	if (partial || unread) && (a.Run.Connected() || a.unit() == "graph") {
		of["Partial"] = estimator("partial")
	}
	if covariance {
		of["Covariance"] = estimator("partial")
	}
	a.say("methods.correlation", of)
	if c.Uses("fisher_z") {
		a.say("methods.fisher-z", of)
	}
}

// windows states connectivity in sliding windows, and its states.
func (a *Author) windows() {
	w, s := a.Run.Of("windows"), a.Run.Of("states")
	if w == nil {
		return
	}
	a.say("methods.windows", parameters(w, nil))
	if s == nil {
		return
	}
	a.say("methods.states", parameters(s, nil))
	for _, s := range a.kinds("states") {
		stage := s.Stage
		if len(a.kinds("states")) == 1 {
			stage = ""
		}
		a.say("methods.states-fitted", values{"Stage": stage, "Folds": len(s.Inputs["folds"]) > 0})
	}
	a.say("methods.state-measures", nil)
}

// A silentDraw is the largest number of regions without a usable series in the draws of a member of an input.
type silentDraw struct {
	who    string
	coords []dag.Coord
	most   int
}

// silentDraws are those of the page, read once for all universes; counted by connectivity, or else regions without a
// nonzero correlation, since a graph does not show why they have none.
func (a *Author) silentDraws() (draws []silentDraw, counted bool) {
	if a.silent != nil {
		return *a.silent, a.counted
	}
	read := func(port string) (complete bool) {
		complete = len(a.T.All(port)) > 0
		draws = nil
		for in, table := range a.Tables(port) {
			rows, err := column.Rows[silentRow](table)
			a.Fail(err)
			_, has := table.Column("missing")
			complete = complete && has
			draw := silentDraw{cmp.Or(in.Coord("subject"), wording.MemberText(in.Coords)), in.Coords, 0}
			for _, r := range rows {
				draw.most = max(draw.most, int(r.Silent+r.Missing+r.Constant))
			}
			draws = append(draws, draw)
		}
		return complete
	}
	if a.counted = read("connectivity"); !a.counted {
		read("graphs")
	}
	a.silent = &draws
	return draws, a.counted
}

// silentRegions states how regions without a usable series enter the analysis; in a universe without results on the
// page, those of all.
func (a *Author) silentRegions() {
	most := map[string]int{} // of each participant
	draws, counted := a.silentDraws()
	some := slices.ContainsFunc(draws, func(of silentDraw) bool { return a.isIn(of.coords) })
	for _, of := range draws {
		if a.isIn(of.coords) || !some {
			most[of.who] = max(most[of.who], of.most)
		}
	}
	with, largest := 0, 0
	for _, n := range most {
		if largest = max(largest, n); n > 0 {
			with++
		}
	}
	if largest == 0 {
		return
	}
	of := values{"Participants": with, "All": len(most), "Most": largest, "Graphs": a.T.Has("graphs"),
		"Counted": counted}
	of["Left"] = a.leftOut()
	a.say("methods.silent-regions", of)
	var shared, models []string
	every := true
	of["Zeros"] = false // matrices and series keep their shape
	for _, s := range a.Run.Stages {
		switch {
		case s.Value("regions") != "shared":
		case slices.Contains(finding.Learners, s.Kind):
			models = append(models, a.named(&s)...)
			if len(s.Inputs) > 0 && s.Inputs["edges"] == nil {
				of["Zeros"] = true
			}
		default:
			shared = append(shared, s.Stage)
		}
		every = every && s.Value("regions") != "all"
	}
	if shared == nil && models == nil {
		return
	}
	if every {
		shared, models = nil, nil
	}
	of["Stages"], of["Models"] = shared, models
	a.say("methods.shared-regions", of)
}

// A silentRow is a draw of the quality of graph, or of connectivity.
type silentRow struct {
	Silent   int32 `column:"silent,optional"`
	Missing  int32 `column:"missing,optional"`
	Constant int32 `column:"constant,optional"`
}

// featuresOf are the stages, and no graph, that models take the features of regions from. own reports whether a model
// takes those of a graph.
func (a *Author) featuresOf(models []*finding.StageSettings) (own bool, others []string) {
	for _, m := range models {
		for _, s := range a.Run.Sources(m, "features") {
			if s.Kind == "graph" {
				own = true
			} else if !slices.Contains(others, s.Stage) {
				others = append(others, s.Stage)
			}
		}
	}
	return own || others == nil, others
}

// edges states the edges and features of graphs; of several sorts, for which models.
func (a *Author) edges() {
	var sorts []values
	takers := map[string][]*finding.StageSettings{}
	for _, g := range a.kinds("graph") {
		models, _ := a.takers(g)
		own, others := a.featuresOf(models)
		of := parameters(g, values{"Every": true, "Density": g.Numbers("density"), "Edges": a.held(g, "partial"),
			"Features": a.held(g, "pearson"), "Own": own, "Others": others})
		text := a.Text("methods.edges", of)
		if _, known := takers[text]; !known {
			sorts = append(sorts, of)
		}
		takers[text] = append(takers[text], models...)
	}
	for _, of := range sorts {
		models := takers[a.Text("methods.edges", of)]
		of["Every"], of["Models"] = len(sorts) == 1 || models == nil, a.named(models...)
		a.say("methods.edges", of)
	}
}
