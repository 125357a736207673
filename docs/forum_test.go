package docs_test

import (
	"strings"
	"testing"

	"prgnn/docs"
)

// forum are questions as users of fMRI software ask them on lists and trackers, each in two phrasings, with the
// sections that answer them.
var forum = []struct{ topics, one, other string }{
	{"questions#are-correlations-transformed-to-fishers-z other-programs#fishers-z", "Fisher z", "are the correlations r-to-z transformed?"},
	{"statistics#how-large-is-the-effect-of-each-edge", "effect size", "Cohen's d for each connection"},
	{"questions#how-do-i-set-the-number-of-threads-or-cpus", "number of threads", "How can I limit the CPU cores that it uses?"},
	{"install#does-it-run-on-windows-and-macos", "Windows", "can I install this on a Mac with an M1?"},
	{"install#which-license-does-it-have", "license", "Is commercial use allowed?"},
	{"questions#how-do-i-keep-a-run-going-after-i-log-out-and-see-its-progress", "progress after disconnecting ssh", "run in the background with nohup"},
	{"questions#how-do-i-keep-a-run-going-after-i-log-out-and-see-its-progress", "detach", "how do I see how far my run is"},
	{"questions#how-do-i-move-a-study-to-another-computer", "move a project to another computer", "copy my analysis to a new laptop"},
	{"proof#names-of-participants", "privacy", "anonymize participant ids before I share the report"},
	{"questions#how-do-i-use-only-the-rest-blocks-of-a-task", "only rest blocks of a task", "extract resting periods from task fMRI"},
	{"questions#how-do-i-predict-a-second-label", "second label", "predict another diagnosis column with the same data"},
	{"questions#what-if-the-groups-have-unequal-sizes", "unequal groups", "my dataset is imbalanced, many more patients than controls"},
	{"questions#how-do-i-use-alff-reho-or-other-features-of-the-regions", "ALFF", "custom node features for the graph"},
	{"questions#how-do-i-change-the-number-of-permutations", "change the number of permutations", "use 10000 permutations instead of 999"},
	{"questions#how-do-i-change-the-seed", "random seed", "set random_state"},
	{"reading-your-report#2-read-the-cautions", "what does a caution mean", "meaning of the warnings in the report"},
	{"report#what-to-cite checklists", "methods section", "boilerplate text for my paper"},
	{"python#r python", "export to R", "open the results in RStudio"},
	{"questions#how-do-i-use-my-own-atlas", "change the atlas to Schaefer", "AAL parcellation instead of the default"},
	{"fmriprep", "multi-echo", "optimally combined echoes"},
	{"sessions-and-runs", "longitudinal", "baseline and follow-up scans of the same subjects"},
	{"statistics#which-edges-differ-edges", "NBS", "which connections are significantly different between groups"},
	{"denoising", "global signal regression", "GSR yes or no"},
	{"denoising#filters", "band-pass filter", "high-pass cutoff 0.01 Hz"},
	{"questions#how-do-i-censor-volumes-with-high-motion", "scrubbing", "exclude volumes with FD above 0.5"},
	{"confounds#how-do-i-analyze-several-sites-or-scanners", "ComBat harmonization", "data from three scanners"},
	{"models#does-it-hold-elsewhere", "external validation", "test the model on an independent dataset"},
	{"models#on-new-participants", "predict new subjects", "apply my trained model to a new patient"},
	{"statistics#nested-cross-validation-choose", "hyperparameter tuning", "nested cross-validation grid search"},
	{"statistics#how-many-participants-are-needed-learning-curve", "sample size", "is N=40 enough?"},
	{"salient salient#", "feature importance", "which brain regions drive the classification"},
	{"quality quality#", "quality control", "QC-FC plots"},
	{"questions#why-did-a-stage-run-again", "why is everything recomputed", "it reran although nothing changed"},
	{"questions#how-much-memory-and-time-does-it-need", "out of memory", "how long does it take for 100 subjects"},
	{"questions#why-is-a-region-missing confounds#missing-regions", "region without voxels", "NaN in the connectivity matrix"},
	{"participants#missing-values", "missing values in participants.tsv", "n/a for age"},
	{"confounds#relatives", "siblings in the sample", "twins and family structure"},
	{"other-programs other-programs#", "CONN toolbox", "import ROI time series from CONN"},
	{"fmriprep#derivatives-of-level-minimal data#openneuro", "fMRIPrep minimal derivatives", "OpenNeuro derivatives without preprocessed bold"},
	{"your-own-model", "scikit-learn classifier of my own", "add a PyTorch network"},
	{"denoising", "spatial smoothing kernel", "should I smooth the data"},
	{"denoising#the-strategies denoising#components-of-fmripost-aroma-and-tedana", "ICA-AROMA", "use AROMA"},
	{"fmriprep#how-do-i-set-the-repetition-time-tr", "TR differs between sites", "different repetition times"},
	{"fmriprep", "which space MNI or T1w", "confounds file not found"},
	{"questions#how-do-i-use-only-the-rest-blocks-of-a-task", "drop first volumes", "truncate all scans to the same length"},
	{"report#how-do-i-save-figures-for-a-paper", "plot the connectome", "glass brain figure"},
	{"baselines#published-networks", "GCN", "graph attention network"},
	{"python#pytorch-geometric", "InMemoryDataset", "PyTorch Geometric dataset"},
	{"questions#how-do-i-see-and-change-the-parameters-of-a-stage", "loss is NaN", "change the learning rate"},
	{"when-prgnn#advice", "training stuck at chance", "the loss does not decrease"},
	{"models#on-new-participants", "use a saved model", "apply trained model to new data"},
	{"questions#how-do-i-use-my-own-atlas", "subcortical atlas", "combine cortical and subcortical atlas"},
	{"fmriprep#labels", "FreeSurfer not run", "no aparc+aseg"},
	{"atlases#grayordinates-cifti", "HCP data in CIFTI", "surface data"},
	{"participants", "participants.tsv format", "names of columns in my table"},
	{"cluster", "Slurm array", "sbatch script"},
	{"atlases#an-atlas-by-its-name", "download an atlas behind a proxy", "Power 264"},
	{"salient#which-regions-biomarkers", "which regions are most important", "GNNExplainer"},
	{"questions#how-do-i-use-alff-reho-or-other-features-of-the-regions", "graph metrics", "degree and clustering coefficient"},
	{"other-programs other-programs#", "XCP-D", "use XCP-D outputs"},
}

// TestForum: the first section that a search prints answers at least nine tenths of such questions, in either phrasing.
func TestForum(t *testing.T) {
	right := [2]int{}
	for _, q := range forum {
		for i, words := range []string{q.one, q.other} {
			found, lacks, _ := docs.Search(strings.Fields(words))
			first := "nothing"
			if len(found) > 0 {
				first = found[0].Topic()
			}
			ok := false
			for topic := range strings.FieldsSeq(q.topics) {
				ok = ok || first == topic || strings.HasSuffix(topic, "#") && strings.HasPrefix(first, topic)
			}
			if ok {
				right[i]++
			} else {
				t.Logf("%q: %s, which lacks %q; not %s", words, first, lacks, q.topics)
			}
		}
	}
	t.Logf("right: %d and %d of %d", right[0], right[1], len(forum))
	if least := len(forum) * 9 / 10; right[0] < least || right[1] < least {
		t.Error("too few of them")
	}
}
