package column

import "fmt"

// UncheckedPort is the port on which a summary or a report is told of Unchecked stages; the loader connects it where
// there are any (pipeline.unchecked).
const UncheckedPort = "unchecked"

// Unchecked is a stage that can read more than the participant whose result it makes, before a stage that tests some
// participants. Whether it fits anything to them, or uses their labels, is not known, so no leakage check sees it.
type Unchecked struct {
	By    string `column:"by" doc:"the stage that can read several participants"`
	Reads string `column:"reads" doc:"the input of that stage by which it can"`
	Stage string `column:"stage" doc:"the stage that tests some of these participants"`
	Input string `column:"input" doc:"the input of that stage which depends on it"`
}

func (u Unchecked) String() string {
	return fmt.Sprintf("stage %s: input %s depends on %s, which can read several participants or their labels (input %s): "+
		"no leakage check covers what %[3]s does with them; if it fits anything to the test participants among them, or "+
		"uses their labels, the performance is too high", u.Stage, u.Input, u.By, u.Reads)
}
