package column

import "strings"

// StudyPort is the port on which a report gets what the authors state; the loader connects it where the file has
// statements (pipeline.study).
const StudyPort = "study"

// A Statement is what the authors state in the block study of the pipeline file, which no data have.
type Statement struct {
	Key  string `column:"key" doc:"key of the block study"`
	Text string `column:"text" doc:"as the authors wrote it"`
}

// A StudyKey is a key of the block study, and what is stated there.
type StudyKey struct{ Key, About string }

// Study are the keys of the block study, in the order of a paper.
var Study = []StudyKey{
	{"title", "Title, with the kind of model, the population and the outcome"},
	{"abstract", "Structured abstract"},
	{"background", "Background, rationale and existing models"},
	{"intended_use", "Intended use, users and place in care"},
	{"inequalities", "Known health inequalities between groups"},
	{"hypotheses", "Aims and hypotheses"},
	{"design", "Design: prospective or retrospective, and its purpose"},
	{"data_sources", "Sources of the data, and why these"},
	{"dates", "Dates of recruitment and scanning"},
	{"setting", "Setting and centers"},
	{"recruitment", "Recruitment and selection"},
	{"eligibility", "Eligibility criteria"},
	{"treatments", "Treatments and medication"},
	{"deidentification", "De-identification"},
	{"outcome", "Outcome or reference standard, and why this one"},
	{"assessors", "Assessors of the outcome, and their agreement"},
	{"blinding", "Blinding of assessors"},
	{"predictors", "Choice of the predictors"},
	{"sample_size", "Sample size, and its justification"},
	{"missing_data", "Missing data"},
	{"behavior", "Behavioral and clinical measures"},
	{"preparation", "Preparation and instructions of participants"},
	{"scanner", "Scanner, field strength and coil"},
	{"sequence", "Sequence and its parameters"},
	{"scan_monitoring", "Monitoring during the scans, and incidental findings"},
	{"preprocessing", "Preprocessing, with software and versions"},
	{"class_imbalance", "Class imbalance"},
	{"fairness", "Approaches to fairness"},
	{"public_involvement", "Involvement of patients and the public"},
	{"ethics", "Ethics approval"},
	{"consent", "Informed consent"},
	{"funding", "Funding, and role of the funders"},
	{"conflicts", "Conflicts of interest"},
	{"registration", "Registration"},
	{"protocol", "Protocol"},
	{"data_availability", "Availability of the data"},
	{"code_availability", "Availability of code and models"},
	{"interpretation", "Interpretation"},
	{"limitations", "Limitations"},
	{"implications", "Implications for practice"},
	{"input_handling", "Poor or missing input when the model is used"},
	{"user_expertise", "Interaction and expertise that the model requires"},
	{"next_steps", "Next steps"},
}

// StudyKeys are the names of the keys.
func StudyKeys() (names []string) {
	for _, k := range Study {
		names = append(names, k.Key)
	}
	return names
}

// Statements are those of the keys that have a text, in the order of the keys.
func Statements(of map[string]string) (all []Statement) {
	for _, k := range Study {
		if text := strings.TrimSpace(of[k.Key]); text != "" {
			all = append(all, Statement{k.Key, text})
		}
	}
	return all
}
