package column

// A Fault is what a stage cannot use in a column of the participants' table.
type Fault struct {
	Column string
	Values []string // names of sites, or categories; nil where values are missing
	Why    string   // of the values
	Remedy string
	IDs    []string // the participants, where they are few by the nature of the fault
	Tested bool     // it is of test participants: what is fitted does not need it, what is applied does
}

// OrExclude is the remedy that helps against a faulty participant, whatever is wrong. A run lists all of them in one
// line.
const OrExclude = "; or exclude this participant (exclude, under cohort)"
