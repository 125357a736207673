package column

import (
	"fmt"
	"slices"

	"prgnn/dag"
)

// People are the participants by id, in the order of their table.
type People struct {
	Ids       []string
	Group     map[string]string
	Simulated bool // somebody among them does not exist
}

func ReadPeople(in dag.Input) (*People, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	ids, err := t.Strings("participant_id")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	groups, err := t.Strings("group")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	p := &People{Ids: ids, Group: map[string]string{}}
	for i, id := range ids {
		p.Group[id] = groups[i]
	}
	if simulated, err := t.Bools("simulated"); err == nil {
		p.Simulated = slices.Contains(simulated, true)
	}
	return p, nil
}
