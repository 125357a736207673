package located

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"prgnn/stages/bids"
)

// OtherSources are the participants whose own JSON files state a file of another participant in Sources or RawSources,
// and why they are refused. sidecars are whose a file is, by its path.
func OtherSources(sidecars map[string][]string) map[string]error {
	var files []Named
	var in, everybody []string
	for _, path := range slices.Sorted(maps.Keys(sidecars)) {
		ids := slices.Compact(slices.Sorted(slices.Values(sidecars[path])))
		if everybody = append(everybody, ids...); len(ids) != 1 || path == "" {
			continue
		}
		b, err := bids.ReadJSON(path)
		if err != nil {
			continue // its reader reports it
		}
		var stated struct{ Sources, RawSources json.RawMessage }
		_ = json.Unmarshal(b, &stated)
		for _, field := range []json.RawMessage{stated.Sources, stated.RawSources} {
			list := make([]string, 1)
			if json.Unmarshal(field, &list) != nil && json.Unmarshal(field, &list[0]) != nil {
				continue
			}
			for _, source := range list {
				files, in = append(files, Named{ids[0], source}), append(in, path)
			}
		}
	}
	refused := map[string]error{}
	others, _ := OfOthers(files, everybody)
	for _, other := range others {
		f := files[other.At]
		refused[f.ID] = fmt.Errorf("%s states as a source the file %s, which has the id of %s, and not its own: it "+
			"may describe a scan of %[3]s; replace it by the file of this participant, or correct Sources in it", in[other.At], f.Path, other.Whose)
	}
	return refused
}
