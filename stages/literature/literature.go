// Package literature holds the works that methods cite, and writes them as references.
package literature

import (
	"fmt"
	"strings"
	"unicode"

	"prgnn/internal/version"
)

// A Work is a reference: a line of a report's list, a BibTeX entry and a line of CITATION.md are renderings of it.
type Work struct {
	kind    string // BibTeX's: article, inproceedings or software
	authors string // as in BibTeX: "Family, Given and Family, Given and others"; {…} is the name of a group
	title   string
	venue   string // journal, or title of the proceedings
	series  string
	volume  string
	pages   string // with –, or the number of the article
	year    int
	doi     string
}

const (
	neuroImage = "NeuroImage"
	miccai     = "Medical Image Computing and Computer Assisted Intervention (MICCAI)"
	lncs       = "Lecture Notes in Computer Science"
	iclr       = "International Conference on Learning Representations (ICLR)"
	icml       = "International Conference on Machine Learning (ICML)"
	pmlr       = "Proceedings of Machine Learning Research"
)

// Works are what methods may cite, by BibTeX key.
var Works = map[string]Work{
	"prgnn": {kind: "software", authors: "{The PR-GNN Pipeline developers}", title: "PR-GNN Pipeline", year: 2026},
	"li2020": {"inproceedings", "Li, Xiaoxiao and Zhou, Yuan and Dvornek, Nicha C. and Zhang, Muhan and Zhuang, Juntang and Ventola, Pamela and Duncan, James S.",
		"Pooling Regularized Graph Neural Network for fMRI Biomarker Analysis", miccai, lncs, "12267", "625–635", 2020, "10.1007/978-3-030-59728-3_61"},
	"desikan": {"article", "Desikan, Rahul S. and Ségonne, Florent and Fischl, Bruce and others",
		"An automated labeling system for subdividing the human cerebral cortex on MRI scans into gyral based regions of interest", neuroImage, "", "31", "968–980", 2006, "10.1016/j.neuroimage.2006.01.021"},
	"ledoit": {"article", "Ledoit, Olivier and Wolf, Michael",
		"A well-conditioned estimator for large-dimensional covariance matrices", "Journal of Multivariate Analysis", "", "88", "365–411", 2004, "10.1016/S0047-259X(03)00096-4"},
	"chen": {"article", "Chen, Yilun and Wiesel, Ami and Eldar, Yonina C. and Hero, Alfred O.",
		"Shrinkage algorithms for MMSE covariance estimation", "IEEE Transactions on Signal Processing", "", "58", "5016–5029", 2010, "10.1109/TSP.2010.2053029"},
	"friedman": {"article", "Friedman, Jerome and Hastie, Trevor and Tibshirani, Robert",
		"Sparse inverse covariance estimation with the graphical lasso", "Biostatistics", "", "9", "432–441", 2008, "10.1093/biostatistics/kxm045"},
	"friston": {"article", "Friston, Karl J. and Williams, Steven and Howard, Robert and Frackowiak, Richard S. J. and Turner, Robert",
		"Movement-related effects in fMRI time-series", "Magnetic Resonance in Medicine", "", "35", "346–355", 1996, "10.1002/mrm.1910350312"},
	"satterthwaite": {"article", "Satterthwaite, Theodore D. and Elliott, Mark A. and Gerraty, Raphael T. and others",
		"An improved framework for confound regression and filtering for control of motion artifact in the preprocessing of resting-state functional connectivity data", neuroImage, "", "64", "240–256", 2013, "10.1016/j.neuroimage.2012.08.052"},
	"pruim": {"article", "Pruim, Raimon H. R. and Mennes, Maarten and van Rooij, Daan and Llera, Alberto and Buitelaar, Jan K. and Beckmann, Christian F.",
		"ICA-AROMA: A robust ICA-based strategy for removing motion artifacts from fMRI data", neuroImage, "", "112", "267–277", 2015, "10.1016/j.neuroimage.2015.02.064"},
	"power": {"article", "Power, Jonathan D. and Barnes, Kelly A. and Snyder, Abraham Z. and Schlaggar, Bradley L. and Petersen, Steven E.",
		"Spurious but systematic correlations in functional connectivity MRI networks arise from subject motion", neuroImage, "", "59", "2142–2154", 2012, "10.1016/j.neuroimage.2011.10.018"},
	"behzadi": {"article", "Behzadi, Yashar and Restom, Khaled and Liau, Joy and Liu, Thomas T.",
		"A component based noise correction method (CompCor) for BOLD and perfusion based fMRI", neuroImage, "", "37", "90–101", 2007, "10.1016/j.neuroimage.2007.04.042"},
	"esteban": {"article", "Esteban, Oscar and Markiewicz, Christopher J. and Blair, Ross W. and others",
		"fMRIPrep: a robust preprocessing pipeline for functional MRI", "Nature Methods", "", "16", "111–116", 2019, "10.1038/s41592-018-0235-4"},
	"berger": {"article", "Berger, Roger L.",
		"Multiparameter hypothesis testing and acceptance sampling", "Technometrics", "", "24", "295–300", 1982, "10.1080/00401706.1982.10487790"},
	"ciric": {"article", "Ciric, Rastko and Wolf, Daniel H. and Power, Jonathan D. and others",
		"Benchmarking of participant-level confound regression strategies for the control of motion artifact in studies of functional connectivity", neuroImage, "", "154", "174–187", 2017, "10.1016/j.neuroimage.2017.03.020"},
	"parkes": {"article", "Parkes, Linden and Fulcher, Ben and Yücel, Murat and Fornito, Alex",
		"An evaluation of the efficacy, reliability, and sensitivity of motion correction strategies for resting-state functional MRI", neuroImage, "", "171", "415–436", 2018, "10.1016/j.neuroimage.2017.12.073"},
	"chouldechova": {"article", "Chouldechova, Alexandra",
		"Fair prediction with disparate impact: a study of bias in recidivism prediction instruments", "Big Data", "", "5", "153–163", 2017, "10.1089/big.2016.0047"},
	"cole": {"article", "Cole, Michael W. and Ito, Takuya and Schultz, Douglas and Mill, Ravi and Chen, Richard and Cocuzza, Carrisa",
		"Task activations produce spurious but systematic inflation of task functional connectivity estimates", neuroImage, "", "189", "1–18", 2019, "10.1016/j.neuroimage.2018.12.054"},
	"velickovic": {kind: "inproceedings", authors: "Veličković, Petar and Cucurull, Guillem and Casanova, Arantxa and Romero, Adriana and Liò, Pietro and Bengio, Yoshua",
		title: "Graph Attention Networks", venue: iclr, year: 2018},
	"gao": {"inproceedings", "Gao, Hongyang and Ji, Shuiwang",
		"Graph U-Nets", icml, pmlr, "97", "2083–2092", 2019, ""},
	"lee": {"inproceedings", "Lee, Junhyun and Lee, Inyeop and Kang, Jaewoo",
		"Self-Attention Graph Pooling", icml, pmlr, "97", "3734–3743", 2019, ""},
	"gretton": {"article", "Gretton, Arthur and Borgwardt, Karsten M. and Rasch, Malte J. and Schölkopf, Bernhard and Smola, Alexander",
		"A kernel two-sample test", "Journal of Machine Learning Research", "", "13", "723–773", 2012, ""},
	"kingma": {kind: "inproceedings", authors: "Kingma, Diederik P. and Ba, Jimmy",
		title: "Adam: a method for stochastic optimization", venue: iclr, year: 2015},
	"collins": {"article", "Collins, Gary S. and Moons, Karel G. M. and Dhiman, Paula and others",
		"TRIPOD+AI statement: updated guidance for reporting clinical prediction models that use regression or machine learning methods", "BMJ", "", "385", "e078378", 2024, "10.1136/bmj-2023-078378"},
	"nichols": {"article", "Nichols, Thomas E. and Das, Samir and Eickhoff, Simon B. and others",
		"Best practices in data analysis and sharing in neuroimaging using MRI", "Nature Neuroscience", "", "20", "299–303", 2017, "10.1038/nn.4500"},
	"tejani": {"article", "Tejani, Ali S. and Klontzas, Michail E. and Gatti, Anthony A. and others",
		"Checklist for Artificial Intelligence in Medical Imaging (CLAIM): 2024 update", "Radiology: Artificial Intelligence", "", "6", "e240300", 2024, "10.1148/ryai.240300"},
	"wilson": {"article", "Wilson, Edwin B.",
		"Probable inference, the law of succession, and statistical inference", "Journal of the American Statistical Association", "", "22", "209–212", 1927, "10.1080/01621459.1927.10502953"},
	"delong": {"article", "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
		"Comparing the areas under two or more correlated receiver operating characteristic curves: a nonparametric approach", "Biometrics", "", "44", "837–845", 1988, "10.2307/2531595"},
	"cox": {"article", "Cox, D. R.",
		"Two further applications of a model for binary regression", "Biometrika", "", "45", "562–565", 1958, "10.1093/biomet/45.3-4.562"},
	"cox1958": {"article", "Cox, D. R.",
		"The regression analysis of binary sequences", "Journal of the Royal Statistical Society: Series B (Methodological)", "", "20", "215–232", 1958, "10.1111/j.2517-6161.1958.tb00292.x"},
	"dimitriadis": {"article", "Dimitriadis, Timo and Gneiting, Tilmann and Jordan, Alexander I.",
		"Stable reliability diagrams for probabilistic classifiers", "Proceedings of the National Academy of Sciences", "", "118", "e2016191118", 2021, "10.1073/pnas.2016191118"},
	"nakagawa": {"article", "Nakagawa, Shinichi and Cuthill, Innes C.",
		"Effect size, confidence interval and statistical significance: a practical guide for biologists", "Biological Reviews", "", "82", "591–605", 2007, "10.1111/j.1469-185X.2007.00027.x"},
	"hedges": {"article", "Hedges, Larry V.",
		"Distribution theory for Glass's estimator of effect size and related estimators", "Journal of Educational Statistics", "", "6", "107–128", 1981, "10.3102/10769986006002107"},
	"newcombe": {"article", "Newcombe, Robert G.",
		"Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2: asymptotic methods and evaluation", "Statistics in Medicine", "", "25", "559–573", 2006, "10.1002/sim.2324"},
	"newcombe1998": {"article", "Newcombe, Robert G.",
		"Interval estimation for the difference between independent proportions: comparison of eleven methods", "Statistics in Medicine", "", "17", "873–890", 1998, ""},
	"zou": {"article", "Zou, Guang Yong and Donner, Allan",
		"Construction of confidence limits about effect measures: a general approach", "Statistics in Medicine", "", "27", "1693–1702", 2008, "10.1002/sim.3095"},
	"zou2007": {"article", "Zou, Guang Yong",
		"Toward using confidence intervals to compare correlations", "Psychological Methods", "", "12", "399–413", 2007, "10.1037/1082-989X.12.4.399"},
	"figueroa": {"article", "Figueroa, Rosa L. and Zeng-Treitler, Qing and Kandula, Sasikiran and Ngo, Long H.",
		"Predicting sample size required for classification performance", "BMC Medical Informatics and Decision Making", "", "12", "8", 2012, "10.1186/1472-6947-12-8"},
	"kawahara": {"article", "Kawahara, Jeremy and Brown, Colin J. and Miller, Steven P. and others",
		"BrainNetCNN: convolutional neural networks for brain networks; towards predicting neurodevelopment", neuroImage, "", "146", "1038–1049", 2017, "10.1016/j.neuroimage.2016.09.046"},
	"li2019": {"inproceedings", "Li, Xiaoxiao and Dvornek, Nicha C. and Zhou, Yuan and Zhuang, Juntang and Ventola, Pamela and Duncan, James S.",
		"Graph neural network for interpreting task-fMRI biomarkers", miccai, lncs, "11768", "485–493", 2019, "10.1007/978-3-030-32254-0_54"},
	"cortes": {"article", "Cortes, Corinna and Vapnik, Vladimir",
		"Support-vector networks", "Machine Learning", "", "20", "273–297", 1995, "10.1007/BF00994018"},
	"breiman": {"article", "Breiman, Leo",
		"Random forests", "Machine Learning", "", "45", "5–32", 2001, "10.1023/A:1010933404324"},
	"hoerl": {"article", "Hoerl, Arthur E. and Kennard, Robert W.",
		"Ridge regression: biased estimation for nonorthogonal problems", "Technometrics", "", "12", "55–67", 1970, "10.1080/00401706.1970.10488634"},
	"smola": {"article", "Smola, Alex J. and Schölkopf, Bernhard",
		"A tutorial on support vector regression", "Statistics and Computing", "", "14", "199–222", 2004, "10.1023/B:STCO.0000035301.49549.88"},
	"politis1992": {"inproceedings", "Politis, Dimitris N. and Romano, Joseph P.",
		"A circular block-resampling procedure for stationary data", "Exploring the Limits of Bootstrap", "", "", "263–270", 1992, ""},
	"politis2004": {"article", "Politis, Dimitris N. and White, Halbert",
		"Automatic block-length selection for the dependent bootstrap", "Econometric Reviews", "", "23", "53–70", 2004, "10.1081/ETC-120028836"},
	"patton": {"article", "Patton, Andrew and Politis, Dimitris N. and White, Halbert",
		"Correction to “Automatic block-length selection for the dependent bootstrap” by D. Politis and H. White", "Econometric Reviews", "", "28", "372–375", 2009, "10.1080/07474930802459016"},
	"allen": {"article", "Allen, Elena A. and Damaraju, Eswar and Plis, Sergey M. and Erhardt, Erik B. and Eichele, Tom and Calhoun, Vince D.",
		"Tracking whole-brain connectivity dynamics in the resting state", "Cerebral Cortex", "", "24", "663–676", 2014, "10.1093/cercor/bhs352"},
	"arthur": {kind: "inproceedings", authors: "Arthur, David and Vassilvitskii, Sergei", title: "k-means++: the advantages of careful seeding",
		venue: "ACM-SIAM Symposium on Discrete Algorithms (SODA)", pages: "1027–1035", year: 2007},
	"pozzi": {"article", "Pozzi, Francesco and Di Matteo, Tiziana and Aste, Tomaso",
		"Exponential smoothing weighted correlations", "The European Physical Journal B", "", "85", "175", 2012, "10.1140/epjb/e2012-20697-x"},
	"efron": {"article", "Efron, Bradley",
		"Bootstrap methods: another look at the jackknife", "The Annals of Statistics", "", "7", "1–26", 1979, "10.1214/aos/1176344552"},
	"nadeau": {"article", "Nadeau, Claude and Bengio, Yoshua",
		"Inference for the generalization error", "Machine Learning", "", "52", "239–281", 2003, "10.1023/A:1024068626366"},
	"steegen": {"article", "Steegen, Sara and Tuerlinckx, Francis and Gelman, Andrew and Vanpaemel, Wolf",
		"Increasing transparency through a multiverse analysis", "Perspectives on Psychological Science", "", "11", "702–712", 2016, "10.1177/1745691616658637"},
	"simonsohn": {"article", "Simonsohn, Uri and Simmons, Joseph P. and Nelson, Leif D.",
		"Specification curve analysis", "Nature Human Behaviour", "", "4", "1208–1214", 2020, "10.1038/s41562-020-0912-z"},
	"freedman": {"article", "Freedman, David and Lane, David",
		"A nonstochastic interpretation of reported significance levels", "Journal of Business and Economic Statistics", "", "1", "292–298", 1983, "10.1080/07350015.1983.10509354"},
	"spisak": {"article", "Spisak, Tamas",
		"Statistical quantification of confounding bias in machine learning models", "GigaScience", "", "11", "giac082", 2022, "10.1093/gigascience/giac082"},
	"berrett": {"article", "Berrett, Thomas B. and Wang, Yi and Barber, Rina Foygel and Samworth, Richard J.",
		"The conditional permutation test for independence while controlling for confounders", "Journal of the Royal Statistical Society: Series B", "", "82", "175–197", 2020, "10.1111/rssb.12340"},
	"shrout": {"article", "Shrout, Patrick E. and Fleiss, Joseph L.",
		"Intraclass correlations: Uses in assessing rater reliability", "Psychological Bulletin", "", "86", "420–428", 1979, "10.1037/0033-2909.86.2.420"},
	"mcgraw": {"article", "McGraw, Kenneth O. and Wong, S. P.",
		"Forming inferences about some intraclass correlation coefficients", "Psychological Methods", "", "1", "30–46", 1996, "10.1037/1082-989X.1.1.30"},
	"finn": {"article", "Finn, Emily S. and Shen, Xilin and Scheinost, Dustin and Rosenberg, Monica D. and Huang, Jessica and Chun, Marvin M. and Papademetris, Xenophon and Constable, R. Todd",
		"Functional connectome fingerprinting: identifying individuals using patterns of brain connectivity", "Nature Neuroscience", "", "18", "1664–1671", 2015, "10.1038/nn.4135"},
	"amico": {"article", "Amico, Enrico and Goñi, Joaquín",
		"The quest for identifiability in human functional connectomes", "Scientific Reports", "", "8", "8254", 2018, "10.1038/s41598-018-25089-1"},
	"winkler": {"article", "Winkler, Anderson M. and Ridgway, Gerard R. and Webster, Matthew A. and Smith, Stephen M. and Nichols, Thomas E.",
		"Permutation inference for the general linear model", neuroImage, "", "92", "381–397", 2014, "10.1016/j.neuroimage.2014.01.060"},
	"welch": {"article", "Welch, B. L.",
		"The generalization of 'Student's' problem when several different population variances are involved", "Biometrika", "", "34", "28–35", 1947, "10.1093/biomet/34.1-2.28"},
	"white": {"article", "White, Halbert",
		"A heteroskedasticity-consistent covariance matrix estimator and a direct test for heteroskedasticity", "Econometrica", "", "48", "817–838", 1980, "10.2307/1912934"},
	"mackinnon": {"article", "MacKinnon, James G. and White, Halbert",
		"Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample properties", "Journal of Econometrics", "", "29", "305–325", 1985, "10.1016/0304-4076(85)90158-7"},
	"johansen": {"article", "Johansen, Søren",
		"The Welch-James approximation to the distribution of the residual sum of squares in a weighted linear regression", "Biometrika", "", "67", "85–92", 1980, "10.1093/biomet/67.1.85"},
	"winkler2015": {"article", "Winkler, Anderson M. and Webster, Matthew A. and Vidaurre, Diego and Nichols, Thomas E. and Smith, Stephen M.",
		"Multi-level block permutation", neuroImage, "", "123", "253–268", 2015, "10.1016/j.neuroimage.2015.05.092"},
	"zalesky": {"article", "Zalesky, Andrew and Fornito, Alex and Bullmore, Edward T.",
		"Network-based statistic: Identifying differences in brain networks", neuroImage, "", "53", "1197–1207", 2010, "10.1016/j.neuroimage.2010.06.041"},
	"baggio": {"article", "Baggio, Hugo C. and Abos, Alexandra and Segura, Barbara and Campabadal, Anna and Garcia-Diaz, Anna and Uribe, Carme and Compta, Yaroslau and Marti, Maria Jose and Valldeoriola, Francesc and Junque, Carme",
		"Statistical inference in brain graphs using threshold-free network-based statistics", "Human Brain Mapping", "", "39", "2289–2302", 2018, "10.1002/hbm.24007"},
	"benjamini": {"article", "Benjamini, Yoav and Hochberg, Yosef",
		"Controlling the false discovery rate: a practical and powerful approach to multiple testing", "Journal of the Royal Statistical Society: Series B (Methodological)", "", "57", "289–300", 1995, "10.1111/j.2517-6161.1995.tb02031.x"},
	"holm": {"article", "Holm, Sture",
		"A simple sequentially rejective multiple test procedure", "Scandinavian Journal of Statistics", "", "6", "65–70", 1979, ""},
	"he2020": {"article", "He, Tong and Kong, Ru and Holmes, Avram J. and others",
		"Deep neural networks and kernel regression achieve comparable accuracies for functional connectivity prediction of behavior and demographics", neuroImage, "", "206", "116276", 2020, "10.1016/j.neuroimage.2019.116276"},
	"popov": {"article", "Popov, Pavel and Mahmood, Usman and Fu, Zening and Yang, Carl and Calhoun, Vince and Plis, Sergey",
		"A simple but tough-to-beat baseline for fMRI time-series classification", neuroImage, "", "303", "120909", 2024, "10.1016/j.neuroimage.2024.120909"},
	"kan": {"inproceedings", "Kan, Xuan and Dai, Wei and Cui, Hejie and Zhang, Zilong and Guo, Ying and Yang, Carl",
		"Brain network transformer", "Advances in Neural Information Processing Systems", "", "35", "25586–25599", 2022, ""},
	"li2021": {"article", "Li, Xiaoxiao and Zhou, Yuan and Dvornek, Nicha and others",
		"BrainGNN: interpretable brain graph neural network for fMRI analysis", "Medical Image Analysis", "", "74", "102233", 2021, "10.1016/j.media.2021.102233"},
	"varoquaux": {"inproceedings", "Varoquaux, Gaël and Baronnet, Flore and Kleinschmidt, Andreas and Fillard, Pierre and Thirion, Bertrand",
		"Detection of brain functional-connectivity difference in post-stroke patients using group-level covariance modeling", miccai, lncs, "6361", "200–208", 2010, "10.1007/978-3-642-15705-9_25"},
	"johnson": {"article", "Johnson, W. Evan and Li, Cheng and Rabinovic, Ariel",
		"Adjusting batch effects in microarray expression data using empirical Bayes methods", "Biostatistics", "", "8", "118–127", 2007, "10.1093/biostatistics/kxj037"},
	"ojala": {"article", "Ojala, Markus and Garriga, Gemma C.",
		"Permutation tests for studying classifier performance", "Journal of Machine Learning Research", "", "11", "1833–1863", 2010, ""},
	"ruger": {"article", "Rüger, Bernhard",
		"Das maximale Signifikanzniveau des Tests: “Lehne H0 ab, wenn k unter n gegebenen Tests zur Ablehnung führen”", "Metrika", "", "25", "171–178", 1978, "10.1007/BF02204362"},
	"phipson": {"article", "Phipson, Belinda and Smyth, Gordon K.",
		"Permutation p-values should never be zero: calculating exact p-values when permutations are randomly drawn", "Statistical Applications in Genetics and Molecular Biology", "", "9", "39", 2010, "10.2202/1544-6115.1585"},
}

// String is a work in a list of references: "Ledoit O, Wolf M. Title. Journal 2004; 88: 365–411. doi:…".
func (w Work) String() string {
	var names []string
	for _, name := range strings.Split(w.authors, " and ") {
		family, given, _ := strings.Cut(name, ", ")
		switch {
		case name == "others":
			family = "et al"
		case given != "":
			family += " "
		}
		for _, g := range strings.Fields(given) {
			family += string([]rune(g)[:1])
		}
		names = append(names, strings.Trim(family, "{}"))
	}
	text := strings.Join(names, ", ") + ". " + w.title + "."
	if w.kind == "software" { // no address is published
		return text + fmt.Sprintf(" Version %s, %d. No public address or DOI.", version.Number, w.year)
	}
	if w.venue != "" {
		text += " " + w.venue
	}
	text += fmt.Sprintf(" %d", w.year)
	switch {
	case w.series != "":
		text += "; " + w.series + " " + w.volume
	case w.volume != "":
		text += "; " + w.volume
	}
	if w.pages != "" {
		text += ": " + w.pages
	}
	if text += "."; w.doi != "" {
		text += " doi:" + w.doi
	}
	return text
}

// BibTeX is a work as an entry, in UTF-8. version is that of software.
func (w Work) BibTeX(key, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "@%s{%s", w.kind, key)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, ",\n  %s = {%s}", name, value)
		}
	}
	field("author", w.authors)
	field("title", keepCapitals(w.title))
	if w.kind == "article" {
		field("journal", w.venue)
	} else {
		field("booktitle", w.venue)
	}
	field("series", w.series)
	field("volume", w.volume)
	field("pages", strings.ReplaceAll(w.pages, "–", "--"))
	field("year", fmt.Sprint(w.year))
	if w.kind == "software" {
		field("version", version)
	}
	field("doi", w.doi)
	b.WriteString("\n}\n")
	return b.String()
}

// keepCapitals puts words with capitals behind their first letter into braces: styles write others in small letters.
func keepCapitals(title string) string {
	all := strings.Split(title, " ")
	for i, word := range all {
		first := strings.IndexFunc(word, unicode.IsLetter)
		if first >= 0 && strings.IndexFunc(word[first+1:], unicode.IsUpper) >= 0 {
			all[i] = "{" + word + "}"
		}
	}
	return strings.Join(all, " ")
}
