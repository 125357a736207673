package finding

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// Applied is what predict did: trained models were applied to participants.
type Applied struct {
	Models       int // whose probabilities were averaged
	Participants int // whose group was predicted
	Aside        int `json:",omitempty"` // controls, who are compared with the training participants, too
	Least, Most  int // participants in the training of a model
	Trained      int // different participants in the training of the models
	trained      map[string]bool
	Allow        []string // parameter of predict
	Accepted     []string // differences from the training data that allow let pass
	// Made are those of Accepted that are not also NotFitted or Zeros, which have findings of their own.
	Made []string `json:",omitempty"`

	Known    []string // participants that were in the training of a model
	Equal    []string // participants with the id of a training participant, and other data
	Own      []string `json:",omitempty"` // participants with the id and the data of a training participant
	Same     []Pair   // participants with the data of a training participant of another id
	Unlisted int      // models whose file lists no digests of the training data
	Zeros    []string // participants without regions that all had in training
	Regions  string   // these regions
	// LeftOut are the regions that all models exclude, as their training did.
	LeftOut []string `json:",omitempty"`

	Groups     []string       // of the models, in order
	Calibrated bool           // the probabilities are estimates; decision values otherwise
	Thresholds []float64      // of the models of two groups, each once: the second is predicted above it
	Counts     map[string]int // training participants of each group, over the models
	Sizes      []GroupRange   `json:",omitempty"` // training participants of each group in a model, as Groups
	Model      string         `json:",omitempty"` // the kind of the models, as in column.Classifiers
	Inputs     string         `json:",omitempty"` // pearson, fisher (as Fisher's z), tangent, states, series or graphs
	Holds      string         `json:",omitempty"` // what they are, a column.Data
	ZScored    bool           `json:",omitempty"` // each input, by its mean and SD in training
	Column     string         `json:",omitempty"` // that the models predict, in the training study's table; "": unknown
	Compared   string         `json:",omitempty"` // that the predictions are compared with; "": none
	Other      bool           `json:",omitempty"` // it is another variable than Column
	Mean       float64        `json:",omitempty"` // of the number to predict in training, over the models
	Removed    []string       `json:",omitempty"` // covariates whose effects were removed from the number to predict
	Unknown    int            // models of matrices whose file does not state how these were made
	// Deconfounded are covariates whose effects were removed from the matrices, by the fit in the model files.
	Deconfounded []string `json:",omitempty"`
	FittedTo     string   `json:",omitempty"` // the group that this fit is of; "": all training participants
	// Related are the columns of relatives among the participants of a validation, as column.Kin has them, and Alone is
	// how variables distinguish these without a model.
	Related []string `json:",omitempty"`
	Alone   []Alone  `json:",omitempty"`
	// NewLacks are variables of the training that the participants of a validation have no values of, and TrainingLacks
	// those of the scans that the model files do not state.
	NewLacks      []string `json:",omitempty"`
	TrainingLacks []string `json:",omitempty"`
	// Questioned are codes of the findings by which the reports of the training studies question their results.
	Questioned []string `json:",omitempty"`
	NotFitted  []string `json:",omitempty"` // stages whose fit was applied in training, and not here
	Unnamed    int      `json:",omitempty"` // models whose file has no names of regions
	Named      bool     `json:",omitempty"` // the regions of the participants have names
	Undigested int      `json:",omitempty"` // models whose file states no digest of its content
	Shift      *Shift   `json:",omitempty"`
	SameMeans  bool     `json:",omitempty"` // the training participants have the means of these, input by input

	// Sites that were estimated by the ComBat fit in the model files; nil: none.
	NewSites *column.NewSites `json:",omitempty"`
	Shares   Shares           `json:"-"` // of the positive group, from the validation

	// Parameters of the training, as JSON, that all models have; nil where a file states none. Differing are the values
	// of those in which the models differ, each once.
	Parameters map[string]string   `json:",omitempty"`
	Differing  map[string][]string `json:",omitempty"`
	// Takes are the inputs of the models, where these differ; none where all have Inputs, Holds and ZScored.
	Takes []Takes `json:",omitempty"`
}

// Takes are inputs that some of the models take, as in Applied.
type Takes struct {
	Models        int
	Inputs, Holds string
	ZScored       bool
}

// A Shift is the absolute standardized mean difference between the training and new participants, over the inputs of a
// model of matrices, as the mean over the models.
type Shift struct {
	Inputs             int
	Median, High, Most float64 // High: 95th percentile
}

// A GroupRange is the least and the largest number of training participants of a group in a model.
type GroupRange struct {
	Group       string
	Least, Most int
}

// A Pair is two ids of one scan.
type Pair struct{ New, Trained string }

// AddModel adds a model and who was in its training; listed reports whether it has digests of their data.
func (a *Applied) AddModel(trained []string, listed bool) {
	if a.Models++; a.Models == 1 {
		a.Least, a.trained = len(trained), map[string]bool{}
	}
	a.Least, a.Most = min(a.Least, len(trained)), max(a.Most, len(trained))
	for _, id := range trained {
		a.trained[id] = true
	}
	if a.Trained = len(a.trained); !listed {
		a.Unlisted++
	}
}

// Question adds codes of findings that question the training study of a model.
func (a *Applied) Question(by []string) {
	for _, code := range by {
		if !slices.Contains(a.Questioned, code) {
			a.Questioned = append(a.Questioned, code)
		}
	}
}

// AddParticipant adds a participant: whether it was in the training of a model, and whether a model was trained on
// other data of the same id; same is the training participant of another id with the same data, or "".
func (a *Applied) AddParticipant(id string, trained, equal bool, same string) {
	switch {
	case trained:
		a.Known = append(a.Known, id)
	case equal:
		a.Equal = append(a.Equal, id)
	}
	if same != "" {
		a.Same = append(a.Same, Pair{id, same})
	}
}

// Accept adds the differences from the training data that allow let pass, of so many participants.
func (a *Applied) Accept(accepted column.Differences, of int) {
	a.Accepted = accepted.Texts(of)
	for i, d := range accepted {
		kind, fitted := strings.CutSuffix(d.Key, column.FittedSuffix)
		switch {
		case fitted:
			a.NotFitted = append(a.NotFitted, kind)
		case d.Key == "regions":
			a.Zeros = append(a.Zeros, d.Who...)
		default:
			a.Made = append(a.Made, a.Accepted[i])
		}
	}
}

// appliedMeta is the metadata of predict's participants that has what was applied.
const appliedMeta = "applied"

// Meta is the metadata of the table of predicted participants.
func (a Applied) Meta() map[string]string {
	meta := map[string]string{appliedMeta: column.JSON(a)}
	if found := Written(a.Findings()); found != "" {
		meta[Meta] = found
	}
	return meta
}

// ReadApplied is what was applied in the metadata of a table of predicted participants.
func ReadApplied(t *encoding.Table) (Applied, error) {
	return column.MetaOf[Applied](t.Meta, appliedMeta)
}

// Findings are why predictions are not those of unseen participants, and what they were computed from.
func (a Applied) Findings() (all List) {
	if len(a.Known) > 0 {
		all.Among(a.Known, "applied.trained", Overturns, values{"N": len(a.Known), "Of": a.Participants + a.Aside,
			"Models": a.Models})
	}
	if len(a.Equal) > 0 {
		all.Among(a.Equal, "applied.equal-id", Limits, values{"N": len(a.Equal), "Of": a.Participants + a.Aside,
			"Models": a.Models})
	}
	if len(a.Same) > 0 {
		who := lists.Map(a.Same, func(p Pair) string { return p.New })
		all.Among(who, "applied.same-data", Overturns, values{"N": len(who), "Pairs": a.Same})
	}
	if a.SameMeans && len(a.Known)+len(a.Same) == 0 {
		all.Study("applied.same-means", Overturns, values{"Inputs": a.Shift.Inputs, "Trained": a.Trained,
			"N": a.Participants})
	}
	switch {
	case a.Other:
		all.Study("applied.other-column", Overturns, values{"Column": a.Column, "Compared": a.Compared})
	case a.Compared != "" && a.Column == "":
		all.Study("applied.column-unknown", Limits, values{"Compared": a.Compared})
	}
	if a.Made != nil {
		all.Study("applied.made", Limits, values{"Differences": a.Made})
	}
	if a.Unlisted > 0 {
		all.Study("applied.not-compared", Limits, values{"N": a.Unlisted, "Of": a.Models})
	}
	for _, kind := range a.NotFitted {
		all.Study("applied.not-fitted", Limits, values{"Kind": kind})
	}
	if a.Removed != nil {
		all.Study("applied.residual", Limits, values{"Covariates": a.Removed})
	}
	if a.FittedTo != "" {
		all.Study("applied.one-group", Overturns, values{"Covariates": a.Deconfounded, "Group": a.FittedTo})
	}
	for _, text := range a.Related {
		all.Study("validation.related", Overturns, values{"Column": text})
	}
	all.Add(covariatesAlone(a.Alone)...)
	if a.NewLacks != nil || a.TrainingLacks != nil {
		named := func(name string) values { return values{"Name": name} }
		all.Study("validation.not-compared", Notes, values{"New": lists.Map(a.NewLacks, named),
			"Training": lists.Map(a.TrainingLacks, named)})
	}
	if a.Questioned != nil {
		all.Study("applied.questioned", Limits, values{"Codes": a.Questioned})
	}
	if a.Deconfounded != nil {
		all.Study("applied.deconfounded", Limits, values{"Covariates": a.Deconfounded})
	}
	if s := a.NewSites; s != nil {
		all.Study("applied.harmonized", Limits, values{"Sites": s.Sites, "Sizes": s.Sizes, "Controls": s.Controls,
			"ControlGroups": s.Groups, "Number": len(a.Groups) == 1, "Shares": a.Shares})
	}
	if a.Undigested > 0 {
		all.Study("applied.undigested", Notes, values{"N": a.Undigested, "Of": a.Models})
	}
	if a.Unknown > 0 {
		all.Study("applied.unknown", Limits, values{"N": a.Unknown, "Of": a.Models})
	}
	if a.Unnamed > 0 {
		weight := Limits
		if a.Named { // regions in another order would pass for a failed replication
			weight = Overturns
		}
		all.Study("applied.unnamed", weight, values{"N": a.Unnamed, "Of": a.Models})
	}
	if len(a.Zeros) > 0 {
		all.Among(a.Zeros, "applied.zeros", Limits, values{"N": len(a.Zeros), "Of": a.Participants + a.Aside,
			"Regions": a.Regions})
	}
	return all
}
