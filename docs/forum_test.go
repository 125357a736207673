package docs_test

import (
	"slices"
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

// A typed question is one as a reader typed it, with the sections that answer it.
type typed struct{ topics, words string }

// sentences are questions that were typed as they come to mind, before the pages were read.
var sentences = []typed{
	{"denoising denoising#the-strategies", "my confounds tsv has NaN in first row error"},
	{"denoising denoising#the-strategies", "36P vs aCompCor which denoising should i use"},
	{"questions#how-do-i-censor-volumes-with-high-motion", "fd threshold scrubbing 0.5 drop frames"},
	{"questions#how-do-i-use-only-the-rest-blocks-of-a-task", "how do i remove dummy scans non steady state"},
	{"atlases#grayordinates-cifti", "cifti dtseries instead of volume nifti"},
	{"atlases atlases#where-labels-lie", "atlas in different space than bold MNI152NLin2009cAsym vs NLin6"},
	{"questions#why-is-a-region-missing confounds#missing-regions", "some ROIs empty because of signal dropout"},
	{"questions#which-correlation-is-used-pearson-partial-ledoit-wolf-or-tangent", "partial correlation instead of pearson"},
	{"confounds#how-do-i-analyze-several-sites-or-scanners", "combat harmonization without leaking site"},
	{"questions#how-do-i-use-age-as-a-covariate", "regress age and sex out"},
	{"questions#how-much-memory-and-time-does-it-need", "killed out of memory"},
	{"cluster", "run on slurm"},
	{"questions#why-did-a-stage-run-again", "rule keeps rerunning although nothing changed"},
	{"questions#what-happens-if-one-participant-fails fmriprep#faulty-participants", "continue after one subject failed keep going"},
	{"questions#can-pr-gnn-use-a-gpu", "use gpu cuda for training"},
	{"questions#what-if-the-groups-have-unequal-sizes", "class imbalance weights in loss"},
	{"confounds#how-do-i-analyze-several-sites-or-scanners", "leave one site out cross validation"},
	{"sessions-and-runs", "two sessions per subject combine runs"},
	{"fmriprep#how-do-i-set-the-repetition-time-tr", "TR missing in json sidecar"},
	{"denoising", "smoothing before extracting time series"},
	{"inputs#limits", "what does 'limits' mean in the report"},
	{"reading-your-report#1-is-the-result-above-chance statistics#confidence-intervals", "why is accuracy a range"},
	{"questions#how-do-i-exclude-participants participants#selection", "can i drop a site"},
	{"statistics#how-many-participants-are-needed-learning-curve", "how many participants do i need"},
	{"atlases questions#how-do-i-use-my-own-atlas atlases#where-labels-lie", "is my atlas usable"},
	{"statistics#which-edges-differ-edges", "where are the edge p values"},
	{"questions#how-do-i-run-only-a-part-of-the-pipeline", "rerun only the training"},
	{"questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it", "delete cache of one run"},
	{"targets", "use a continuous score like ADOS as target regression"},
	{"other-programs#files-of-conn-dpabi-gretna-gift-and-matlab", "already have correlation matrices from CONN .mat"},
	{"reading-your-report#1-is-the-result-above-chance when-prgnn#advice", "accuracy at chance what now"},
	{"questions#how-do-i-change-the-seed", "seed change random seed results differ"},
	{"baselines", "compare with svm baseline"},
	{"questions#how-do-i-cite", "how to cite"},
	{"report#how-do-i-save-figures-for-a-paper report#the-salient-regions-in-other-programs", "plot salient regions on brain"},
	{"questions#how-do-i-exclude-participants", "exclude participants with high motion"},
	{"questions#can-i-classify-three-or-more-groups", "more than two groups"},
	{"proof#names-of-participants", "share results without sharing participant ids"},
	{"questions#how-much-memory-and-time-does-it-need", "how long will it take"},
	{"questions#how-do-i-get-the-confusion-matrix-as-numbers", "get confusion matrix as csv"},
}

// unseen are questions that were written before the ranking and most words that readers ask for. Change neither for one
// of them, so that they show what both do for further questions. The last 30 show this no longer: 20 of them were right
// before sections and words were added for the others.
var unseen = []typed{
	{"leakage leakage# your-own-model#no-leakage", "how do you make sure no test data leaks into training"},
	{"install", "pip install or conda package"},
	{"proof proof#audit", "reviewer wants to check that our numbers are reproducible"},
	{"sharing", "let two lab members use the same cache"},
	{"cluster", "submit the jobs to our university HPC"},
	{"scripts scripts#in-a-container", "run my own python script as one of the steps"},
	{"participants participants#", "what columns does participants.tsv need"},
	{"fmriprep#how-do-i-set-the-repetition-time-tr", "the program complains it does not find the repetition time"},
	{"atlases#an-atlas-by-its-name questions#how-do-i-use-my-own-atlas", "can i use the Schaefer 400 atlas"},
	{"statistics#confidence-intervals reading-your-report#1-is-the-result-above-chance", "how is the confidence interval of the AUC computed"},
	{"statistics#comparison-of-classifiers-compare baselines", "is model A significantly better than model B"},
	{"statistics#is-the-accuracy-above-chance-evaluate reading-your-report#1-is-the-result-above-chance when-prgnn#advice", "how do i know whether 62 percent accuracy is better than guessing"},
	{"quality#registration-parcelsquality", "registration to MNI went wrong for some subjects"},
	{"salient salient# report#the-salient-regions-in-other-programs", "export the important regions as a nifti mask"},
	{"questions#why-is-a-region-missing confounds#missing-regions", "participant has no voxels in one parcel"},
	{"questions#how-do-i-keep-a-run-going-after-i-log-out-and-see-its-progress", "close my laptop while it is computing"},
	{"questions#why-did-my-run-stop-and-how-do-i-resume-it", "power cut in the middle of the analysis do i have to start over"},
	{"questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it", "my disk is full because of old results"},
	{"report#how-do-i-save-figures-for-a-paper", "save the ROC curve as a picture"},
	{"python python#", "load the predictions into pandas"},
	{"python#matlab-and-octave artifacts python", "read the connectivity matrices in matlab"},
	{"questions#are-correlations-transformed-to-fishers-z", "are the correlation values z transformed before the classifier"},
	{"denoising#filters", "what frequencies are kept by the bandpass"},
	{"denoising denoising#the-strategies", "should i remove the global signal"},
	{"questions#how-do-i-censor-volumes-with-high-motion", "throw out frames where the head moved too much"},
	{"questions#how-do-i-exclude-participants", "only keep right-handed adults"},
	{"confounds#relatives", "my sample contains siblings"},
	{"confounds#is-it-motion-age-or-site-deconfound-confounds reading-your-report#4-could-it-be-leakage-motion-or-site confounds quality#qc-fc-qcfc", "is the classification only driven by head motion"},
	{"audit-your-data leakage#which-copies-are-detected", "the same scan appears twice under different names"},
	{"sessions-and-runs sessions-and-runs# questions#how-do-i-concatenate-the-runs-of-a-participant", "each person has four runs of rest"},
	{"models#on-new-participants", "classify a new patient with the model i already trained"},
	{"models#does-it-hold-elsewhere", "test on data of another hospital"},
	{"questions#how-do-i-set-the-number-of-threads-or-cpus", "use only 8 of the 32 cores"},
	{"questions#how-do-i-change-the-seed statistics#several-seeds", "why do i get another accuracy with another seed"},
	{"statistics#nested-cross-validation-choose", "choose the best regularization without overfitting"},
	{"statistics#which-edges-differ-edges", "which connections differ between patients and controls"},
	{"statistics#does-it-do-as-well-in-each-group-subgroups", "does the model work equally well for women and men"},
	{"dynamic dynamic#", "time varying connectivity"},
	{"other-programs other-programs#", "i have ROI time courses as text files"},
	{"baselines#published-networks", "try BrainNetCNN or a transformer"},
	{"questions#how-do-i-add-other-classifiers baselines", "add a random forest"},
	{"your-own-model", "plug in my own deep learning model"},
	{"multiverse multiverse#", "does the result depend on the preprocessing choices"},
	{"multiverse#preregistration", "preregister the analysis before looking at the data"},
	{"bids-app", "docker image bids app command line"},
	{"report#what-to-cite questions#how-do-i-cite checklists", "text for the methods section of my manuscript"},
	{"proof#names-of-participants", "hide the subject identifiers in the report"},
	{"pipeline-file#a-file-that-extends-another", "reuse one yaml file in another"},
	{"fmriprep#derivatives-of-level-minimal data#openneuro", "only minimal outputs on OpenNeuro"},
	{"targets targets#", "predict symptom severity instead of diagnosis"},
	{"questions#how-do-i-run-only-a-part-of-the-pipeline", "stop after the connectivity matrices"},
	{"questions#how-do-i-see-and-change-the-parameters-of-a-stage", "train for more epochs"},
	{"when-prgnn when-prgnn#", "is a graph neural network better than logistic regression"},
	{"inputs#when-a-file-changes questions#why-did-a-stage-run-again", "what happens when i edit an input file"},
	{"checklists checklists#", "which TRIPOD items does the report cover"},
	{"scale scale#", "will it work with 10000 subjects of UK Biobank"},
	{"other-programs#series-of-regions other-programs", "My scans from XCP-D already come as parcellated tsv timeseries, can I just feed those in without going back to the nifti files?"},
	{"other-programs#series-of-regions confounds#missing-regions questions#why-is-a-region-missing", "XCP-D put n/a in some parcels because of low coverage, what does this program do with them?"},
	{"other-programs#files-of-conn-dpabi-gretna-gift-and-matlab", "CONN gave me ROI mat files per subject and I have no idea how to get the matrices into this thing"},
	{"atlases atlases#where-labels-lie", "I get an error that my image and my atlas do not have the same affine or shape, do I have to resample the atlas myself?"},
	{"questions#how-do-i-use-my-own-atlas atlases#an-atlas-by-its-name atlases", "How do I tell it to use the Schaefer 200 atlas instead of the default one?"},
	{"fmriprep", "fMRIPrep was run with output spaces MNI152NLin6Asym and MNI152NLin2009cAsym, which one does it pick?"},
	{"denoising#the-default questions#how-do-i-use-only-the-rest-blocks-of-a-task", "Do the non-steady-state volumes at the start of the run get dropped automatically?"},
	{"denoising denoising#the-strategies", "Should I apply global signal regression, and how do I switch it on?"},
	{"denoising#filters", "What band-pass filter is applied and can I turn it off?"},
	{"atlases#grayordinates-cifti", "My fmriprep has cifti surface output only, dtseries, can you read that?"},
	{"questions#how-do-i-see-and-change-the-parameters-of-a-stage", "The training loss is nan after a few epochs, what should I do?"},
	{"questions#can-pr-gnn-use-a-gpu", "Can I train the network on a GPU, and do I need CUDA or pytorch installed?"},
	{"python#pytorch-geometric", "I want to get the graphs out as PyTorch Geometric Data objects for my own GNN"},
	{"questions#how-do-i-see-and-change-the-parameters-of-a-stage", "How do I use a different number of layers or hidden units in the GNN?"},
	{"questions#why-did-a-stage-run-again", "Everything reran although I only edited a comment in the yaml, why?"},
	{"questions#why-did-my-run-stop-and-how-do-i-resume-it cluster cluster#", "My job on the cluster was killed by the time limit, can I continue where it stopped?"},
	{"questions#may-two-runs-use-one-store", "It says the store is locked by another process, how do I unlock it?"},
	{"questions#how-do-i-see-what-would-run-without-running-it", "How do I do a dry run and see what would be executed like snakemake -n?"},
	{"questions#how-do-i-run-only-a-part-of-the-pipeline", "Can I force one stage to rerun even though nothing changed?"},
	{"reading-your-report#1-is-the-result-above-chance statistics#permutation-tests-evaluates-p-and-permutation", "What does the p value in the report mean when it says models not retrained?"},
	{"reading-your-report#4-could-it-be-leakage-motion-or-site", "My accuracy is 0.9 in training but near chance in the test folds, is it overfitting?"},
	{"reading-your-report#1-is-the-result-above-chance", "Why is the AUC high but the accuracy not significant?"},
	{"reading-your-report#1-is-the-result-above-chance", "How do I report the sensitivity and specificity with confidence intervals in my paper?"},
	{"confounds#relatives", "How can I make sure that siblings or twins end up in the same fold?"},
	{"confounds#how-do-i-analyze-several-sites-or-scanners confounds#is-it-motion-age-or-site-deconfound-confounds", "Half of my subjects are from another scanner, is the classifier just learning the site?"},
	{"questions#how-do-i-exclude-participants", "How do I exclude everybody with mean framewise displacement above 0.5 mm?"},
	{"participants participants#", "My participant ids in the phenotype csv have no sub- prefix, will they match?"},
	{"sessions-and-runs sessions-and-runs#", "Can I analyze patients before and after treatment, two sessions per person?"},
	{"report#how-do-i-save-figures-for-a-paper", "I need a figure of the salient regions at 300 dpi as tiff for the journal"},
	{"questions#where-is-the-cache-how-large-is-it-and-how-do-i-delete-it", "How do I delete old results because my disk quota is full?"},
}

// answered reports which place of a search has a section that answers a question, from 0; -1 for none of the first
// twelve.
func answered(t *testing.T, q typed) int {
	found, lacks, _ := docs.Search(strings.Fields(q.words))
	found = found[:min(12, len(found))]
	place := slices.IndexFunc(found, func(s docs.Section) bool {
		return slices.ContainsFunc(strings.Fields(q.topics), func(topic string) bool {
			return s.Topic() == topic || strings.HasSuffix(topic, "#") && strings.HasPrefix(s.Topic(), topic)
		})
	})
	if place != 0 {
		first := "nothing"
		if len(found) > 0 {
			first = found[0].Topic()
		}
		t.Logf("%q: %s, which lacks %q; %s has place %d", q.words, first, lacks, q.topics, place+1)
	}
	return place
}

// TestForum: the first section that a search prints answers at least nine tenths of the questions of forums, in either
// phrasing, and of whole sentences, and three quarters of those that were not seen.
func TestForum(t *testing.T) {
	var one, other []typed
	for _, q := range forum {
		one, other = append(one, typed{q.topics, q.one}), append(other, typed{q.topics, q.other})
	}
	for _, c := range []struct {
		name  string
		all   []typed
		least float64
	}{{"forums", one, 0.9}, {"forums, in other words", other, 0.9}, {"sentences", sentences, 0.9}, {"unseen", unseen, 0.75}} {
		t.Run(c.name, func(t *testing.T) {
			right, usable := 0, 0
			for _, q := range c.all {
				switch answered(t, q) {
				case -1:
				case 0:
					right++
				default:
					usable++
				}
			}
			t.Logf("right: %d, listed: %d of %d", right, usable, len(c.all))
			if float64(right) < c.least*float64(len(c.all)) {
				t.Error("too few are right")
			}
		})
	}
}
