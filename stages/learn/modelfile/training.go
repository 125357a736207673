package modelfile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Training lists the participants of a training, by keyed hashes: a file shows whether a given participant was among
// them, and lists no ids. Whoever has a list of ids can test each of them.
type Training struct {
	Key          string         `json:"key"`              // of the hashes, the same for all models of a cohort
	Exact        bool           `json:"exact,omitempty"`  // ids as they are, since some of the cohort differ in no normal form
	Participants []string       `json:"participants"`     // HMAC-SHA256 of each id in its normal form, 32 hexadecimal digits
	Scans        []string       `json:"scans,omitempty"`  // of the data of each in draw 0
	Counts       map[string]int `json:"counts,omitempty"` // participants of each group
}

// ListTraining lists the participants of a training for its model file.
func ListTraining(t *dag.Task, repeat int, ids, scans []string) (Training, error) {
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	var cohort []string
	var counts map[string]int
	for _, m := range members {
		if int(m.Repeat) != repeat {
			continue
		}
		if cohort = append(cohort, m.ID); m.Group != "" && slices.Contains(ids, m.ID) {
			if counts == nil {
				counts = map[string]int{}
			}
			counts[m.Group]++
		}
	}
	return NewTraining(cohort, ids, scans, counts), err
}

// NewTraining lists participants by ids, and scans by what DataOf returns of each. The key is made of the ids of the
// whole cohort.
func NewTraining(cohort, ids, scans []string, counts map[string]int) Training {
	all := slices.Sorted(slices.Values(cohort))
	key := sha256.Sum256([]byte("prgnn model\n" + strings.Join(all, "\n")))
	t := Training{Key: hex.EncodeToString(key[:16]), Participants: make([]string, len(ids)), Counts: counts}
	seen := map[string]bool{}
	for _, id := range all {
		t.Exact = t.Exact || seen[column.NormalID(id)]
		seen[column.NormalID(id)] = true
	}
	for i, id := range ids {
		t.Participants[i] = t.person(id)
	}
	for _, s := range scans {
		if s != "" { // nothing of a scan is in the data
			s = t.hash("scan", s)
		}
		t.Scans = append(t.Scans, s)
	}
	return t
}

func (t Training) hash(of, text string) string {
	key, _ := hex.DecodeString(t.Key) // a file with another key finds nobody
	h := hmac.New(sha256.New, key)
	h.Write([]byte(of + "\n" + text))
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func (t Training) person(id string) string {
	if !t.Exact {
		id = column.NormalID(id)
	}
	return t.hash("participant", id)
}

// Participant is the place in the list of a participant with this id; −1 if there is none.
func (t Training) Participant(id string) int { return slices.Index(t.Participants, t.person(id)) }

// Among are those of some ids that are in the list, and how many of the list are none of them.
func (t Training) Among(ids []string) (in []string, others int) {
	listed := map[string]bool{}
	for _, p := range t.Participants {
		listed[p] = true
	}
	for _, id := range ids {
		if p := t.person(id); listed[p] {
			in = append(in, id)
			delete(listed, p)
		}
	}
	return in, len(listed)
}

// Scan is the place of a training participant with these data; −1 if there is none.
func (t Training) Scan(data string) int {
	if data == "" {
		return -1
	}
	return slices.Index(t.Scans, t.hash("scan", data))
}

// DataOf is a digest of numbers.
func DataOf(v []float64) string {
	h := sha256.New()
	b := make([]byte, 0, 1<<15)
	for part := range slices.Chunk(v, 1<<12) {
		b, _ = binary.Append(b[:0], binary.LittleEndian, part) // of fixed size
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}
