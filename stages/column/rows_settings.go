package column

// A SettingRow is one value of one parameter of one stage (pipeline.settings): an axis has several. A value is a list,
// of one item where the parameter is none.
type SettingRow struct {
	Stage     string   `column:"stage"`
	Kind      string   `column:"kind"`
	Tasks     int32    `column:"tasks,optional"`
	Parameter string   `column:"parameter"`
	Value     []string `column:"value"`
	Default   []string `column:"default"`
	Unit      string   `column:"unit,optional"`
	Doc       string   `column:"doc,optional"`
}

// The metadata of pipeline.settings: the connections of its stages, a list of Link, and the code identity of each kind,
// by its name; in JSON.
const (
	SettingLinks = "inputs"
	SettingCodes = "code"
)

// A Link is the connection of an input to the output of another stage, "train.predictions".
type Link struct {
	Stage string `json:"stage"`
	Port  string `json:"port"`
	From  string `json:"from"`
}
