package present

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// pipelineSettings are the parameters of the stages of a pipeline (pipeline.settings).
type pipelineSettings struct {
	pipeline string
	table    *encoding.Table // nil when they are not connected
	stages   []stageSettings // in the order of the file
}

type stageSettings struct {
	stage, kind string
	value       map[string]string
}

func readPipelineSettings(t *dag.Task) (*pipelineSettings, error) {
	s := &pipelineSettings{}
	if !t.Has("settings") {
		return s, nil
	}
	table, err := t.In("settings").Table()
	if err != nil {
		return nil, err
	}
	s.table, s.pipeline = table, table.Meta["pipeline"]
	rows, err := column.Read[settingRow](t.In("settings"))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if n := len(s.stages); n == 0 || s.stages[n-1].stage != r.Stage {
			s.stages = append(s.stages, stageSettings{r.Stage, r.Kind, map[string]string{}})
		}
		s.stages[len(s.stages)-1].value[r.Parameter] = r.Value
	}
	return s, nil
}

// A settingRow is one parameter of one stage (pipeline.settings).
type settingRow struct {
	Stage     string `column:"stage"`
	Kind      string `column:"kind"`
	Parameter string `column:"parameter"`
	Value     string `column:"value"`
	Default   string `column:"default"`
}

// of is the first stage of a kind; nil when there is none.
func (s *pipelineSettings) of(kind string) *stageSettings {
	for i := range s.stages {
		if s.stages[i].kind == kind {
			return &s.stages[i]
		}
	}
	return nil
}

func (s *stageSettings) is(parameter, value string) bool { return s.value[parameter] == value }

// number is a parameter as a number, 0 when it is none (an axis has several).
func (s *stageSettings) number(parameter string) float64 {
	x, err := strconv.ParseFloat(s.value[parameter], 64)
	if err != nil {
		return 0
	}
	return x
}

// a methodsText is the paragraph while it is written, and the works that it cites.
type methodsText struct {
	sentences []string
	cited     []string // keys of literature
}

func (m *methodsText) say(format string, args ...any) {
	m.sentences = append(m.sentences, fmt.Sprintf(format, args...))
}

// cite is "[3]" for a work of the literature.
func (m *methodsText) cite(keys ...string) string {
	var numbers []string
	for _, k := range keys {
		if literature[k] == "" {
			panic("stages: the literature has no " + k)
		}
		i := slices.Index(m.cited, k)
		if i < 0 {
			i = len(m.cited)
			m.cited = append(m.cited, k)
		}
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}

// literature is what methods may cite.
var literature = map[string]string{
	"li2020":     "Li X, Zhou Y, Dvornek NC, Zhang M, Zhuang J, Ventola P, Duncan JS. Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis. MICCAI 2020, LNCS 12267, 625–635.",
	"desikan":    "Desikan RS, Ségonne F, Fischl B, et al. An automated labeling system for subdividing the human cerebral cortex on MRI scans into gyral based regions of interest. NeuroImage 2006; 31: 968–980.",
	"ledoit":     "Ledoit O, Wolf M. A well-conditioned estimator for large-dimensional covariance matrices. Journal of Multivariate Analysis 2004; 88: 365–411.",
	"chen":       "Chen Y, Wiesel A, Eldar YC, Hero AO. Shrinkage algorithms for MMSE covariance estimation. IEEE Transactions on Signal Processing 2010; 58: 5016–5029.",
	"friedman":   "Friedman J, Hastie T, Tibshirani R. Sparse inverse covariance estimation with the graphical lasso. Biostatistics 2008; 9: 432–441.",
	"friston":    "Friston KJ, Williams S, Howard R, Frackowiak RSJ, Turner R. Movement-related effects in fMRI time-series. Magnetic Resonance in Medicine 1996; 35: 346–355.",
	"power":      "Power JD, Barnes KA, Snyder AZ, Schlaggar BL, Petersen SE. Spurious but systematic correlations in functional connectivity MRI networks arise from subject motion. NeuroImage 2012; 59: 2142–2154.",
	"behzadi":    "Behzadi Y, Restom K, Liau J, Liu TT. A component based noise correction method (CompCor) for BOLD and perfusion based fMRI. NeuroImage 2007; 37: 90–101.",
	"esteban":    "Esteban O, Markiewicz CJ, Blair RW, et al. fMRIPrep: a robust preprocessing pipeline for functional MRI. Nature Methods 2019; 16: 111–116.",
	"cole":       "Cole MW, Ito T, Schultz D, Mill R, Chen R, Cocuzza C. Task activations produce spurious but systematic inflation of task functional connectivity estimates. NeuroImage 2019; 189: 1–18.",
	"velickovic": "Veličković P, Cucurull G, Casanova A, Romero A, Liò P, Bengio Y. Graph Attention Networks. ICLR 2018.",
	"gao":        "Gao H, Ji S. Graph U-Nets. ICML 2019.",
	"lee":        "Lee J, Lee I, Kang J. Self-Attention Graph Pooling. ICML 2019.",
	"gretton":    "Gretton A, Borgwardt KM, Rasch MJ, Schölkopf B, Smola A. A kernel two-sample test. Journal of Machine Learning Research 2012; 13: 723–773.",
	"kingma":     "Kingma DP, Ba J. Adam: a method for stochastic optimization. ICLR 2015.",
	"wilson":     "Wilson EB. Probable inference, the law of succession, and statistical inference. Journal of the American Statistical Association 1927; 22: 209–212.",
	"kawahara":   "Kawahara J, Brown CJ, Miller SP, et al. BrainNetCNN: convolutional neural networks for brain networks; towards predicting neurodevelopment. NeuroImage 2017; 146: 1038–1049.",
	"li2019":     "Li X, Dvornek NC, Zhou Y, Zhuang J, Ventola P, Duncan JS. Graph neural network for interpreting task-fMRI biomarkers. MICCAI 2019, LNCS 11768, 485–493.",
	"cortes":     "Cortes C, Vapnik V. Support-vector networks. Machine Learning 1995; 20: 273–297.",
	"breiman":    "Breiman L. Random forests. Machine Learning 2001; 45: 5–32.",
	"nadeau":     "Nadeau C, Bengio Y. Inference for the generalization error. Machine Learning 2003; 52: 239–281.",
	"benjamini":  "Benjamini Y, Hochberg Y. Controlling the false discovery rate: a practical and powerful approach to multiple testing. Journal of the Royal Statistical Society B 1995; 57: 289–300.",
	"he2020":     "He T, Kong R, Holmes AJ, et al. Deep neural networks and kernel regression achieve comparable accuracies for functional connectivity prediction of behavior and demographics. NeuroImage 2020; 206: 116276.",
	"popov":      "Popov P, Mahmood U, Fu Z, Yang C, Calhoun V, Plis S. A simple but tough-to-beat baseline for fMRI time-series classification. NeuroImage 2024.",
	"varoquaux":  "Varoquaux G, Baronnet F, Kleinschmidt A, Fillard P, Thirion B. Detection of brain functional-connectivity difference in post-stroke patients using group-level covariance modeling. MICCAI 2010; LNCS 6361: 200–208.",
	"johnson":    "Johnson WE, Li C, Rabinovic A. Adjusting batch effects in microarray expression data using empirical Bayes methods. Biostatistics 2007; 8: 118–127.",
	"phipson":    "Phipson B, Smyth GK. Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular Biology 2010; 9: 39.",
}

// methods writes the paragraphs from the parameters as they were.
func (a *author) methods() error {
	if a.run.table == nil {
		return nil
	}
	if err := a.readSilence(); err != nil {
		return err
	}
	m := &a.cited
	for _, part := range []struct {
		title string
		say   func(*methodsText)
	}{
		{"Participants and scans", func(m *methodsText) { a.methodsOfCohort(m); a.methodsOfScans(m) }}, {"Series, correlations and graphs", a.methodsOfGraphs},
		{"Model and training", a.methodsOfTraining}, {"Evaluation and regions", a.methodsOfEvaluation},
	} {
		m.sentences = nil
		part.say(m)
		if len(m.sentences) == 0 {
			continue
		}
		if len(a.section.Blocks) == 0 {
			a.add(report.Block{Note: "Written from the parameters of this run; it may be copied into a paper."})
		}
		a.heading(part.title)
		a.say("%s", strings.Join(m.sentences, " "))
	}
	return nil
}

// references lists the works that the methods cite.
func (a *author) references() error {
	var list []string
	for _, key := range a.cited.cited {
		list = append(list, literature[key])
	}
	if list != nil {
		a.add(report.Block{References: list})
	}
	return nil
}
