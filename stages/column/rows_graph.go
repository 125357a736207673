package column

// An EdgeRow is one edge of a participant's graph (graph's edges).
type EdgeRow struct {
	Draw   int32   `column:"draw" doc:"0 is the plain mean"`
	Source int32   `column:"source" doc:"node, from 1"`
	Target int32   `column:"target" doc:"node, from 1; above source"`
	Weight float64 `column:"weight" doc:"partial correlation"`
}

// FormsKey is the metadata by which the quality of matrices lists the forms of the files that they were read from: a
// JSON list of MatrixForm.
const FormsKey = "forms"

// A MatrixForm is what shows how the matrices of a file were computed and written.
type MatrixForm struct {
	Port     string  `json:"port"`
	Diagonal string  `json:"diagonal,omitempty"` // 1, 0, n/a or others; empty where the file has none
	Negative float64 `json:"negative"`           // share of the entries beside the diagonal that are below 0
	Repeated float64 `json:"repeated,omitempty"` // share of these entries that occur at several pairs of regions
	FisherZ  string  `json:"fisher_z,omitempty"` // the program whose format it is and which writes Fisher's z

	Spectrum // before any ridge
}

// A Spectrum is what correlations show together (damage.Spectrum).
type Spectrum struct {
	Mean       float64 `json:"mean"`
	Spread     float64 `json:"spread,omitempty"` // SD of Fisher's z over the pairs of regions; 0 where it is not known
	Singular   bool    `json:"singular,omitempty"`
	Constant   bool    `json:"constant,omitempty"`
	Indefinite bool    `json:"indefinite,omitempty"`
}

// MatrixFormsOf are those of the metadata of a table.
func MatrixFormsOf(meta map[string]string) ([]MatrixForm, error) {
	return MetaOf[[]MatrixForm](meta, FormsKey)
}
