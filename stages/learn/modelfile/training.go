package modelfile

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Training lists the participants of a training, by keyed hashes: a file shows whether a given participant was among
// them, and lists no ids. Whoever has a list of ids can test each of them.
type Training struct {
	Column       string   `json:"column,omitempty"` // that was predicted, in the study's table; "" in files of earlier versions
	Key          string   `json:"key"`              // of the hashes, the same for all models of a cohort
	Exact        bool     `json:"exact,omitempty"`  // ids as they are, since some of the cohort differ in no normal form
	Participants []string `json:"participants"`     // HMAC-SHA256 of each id in its normal form, 32 hexadecimal digits
	Scans        []string `json:"scans,omitempty"`  // of the data of each in draw 0
	// Rounded are, of each participant, hashes of some rounded numbers of these data. A copy that was saved with fewer
	// digits has some of them; one that several participants have is left out ("").
	Rounded [][]string     `json:"rounded,omitempty"`
	Counts  map[string]int `json:"counts,omitempty"` // participants of each group
}

// ListTraining lists the participants of a training for its model file.
func ListTraining(t *dag.Task, repeat int, ids []string, scans []Data) (Training, error) {
	folds, err := t.In("folds").Table()
	if err != nil {
		return Training{}, err
	}
	members, err := column.Rows[fold.LabeledMember](folds)
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
	of := NewTraining(cohort, ids, scans, counts)
	of.Column = cmp.Or(folds.Meta[column.Predicts], column.LabelOf(folds))
	return of, err
}

// Data identify the data of a participant in draw 0.
type Data struct {
	Digest  string   // of all numbers; "" where nothing of a scan is in them
	Rounded []string // texts of some rounded numbers; "": of too few different ones
}

// NewTraining lists participants by ids, and their data. The key is made of the ids of the whole cohort.
func NewTraining(cohort, ids []string, scans []Data, counts map[string]int) Training {
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
	count := map[string]int{}
	for _, s := range scans {
		scan := s.Digest
		if scan != "" {
			scan = t.hash("scan", scan)
		}
		rounded := t.rounded(s)
		for _, r := range rounded {
			count[r]++
		}
		t.Scans, t.Rounded = append(t.Scans, scan), append(t.Rounded, rounded)
	}
	for _, all := range t.Rounded {
		for i, r := range all {
			if count[r] > 1 { // of numbers that are the same for several people
				all[i] = ""
			}
		}
	}
	return t
}

// rounded are the hashes of the rounded numbers of data, by their place.
func (t Training) rounded(of Data) []string {
	hashes := make([]string, len(of.Rounded))
	for i, text := range of.Rounded {
		if text != "" {
			hashes[i] = t.hash(fmt.Sprint("rounded ", i), text)[:16]
		}
	}
	return hashes
}

// ByRounded are the places of the participants by the hashes of their rounded numbers.
func (t Training) ByRounded() map[string]int {
	at := map[string]int{}
	for i, all := range t.Rounded {
		for _, r := range all {
			if r != "" {
				at[r] = i
			}
		}
	}
	return at
}

// Check refuses lists that contradict each other, of a file that may come from anywhere: with a shortened list, or
// another key, the training participants would count as new. groups are those of the model.
func (t Training) Check(groups []string) error {
	const remedy = "the file is altered: export the model again"
	if key, err := hex.DecodeString(t.Key); err != nil || len(key) != 16 || bytes.Equal(key, make([]byte, 16)) {
		return fmt.Errorf("model.json: training: the key of the hashes is %.40q; %s", t.Key, remedy)
	}
	n := len(t.Participants)
	if n == 0 || t.Scans != nil && len(t.Scans) != n || t.Rounded != nil && len(t.Rounded) != n {
		return fmt.Errorf("model.json: training lists %d participants, the data of %d, and rounded data of %d; %s", n,
			len(t.Scans), len(t.Rounded), remedy)
	}
	total := 0
	for group, count := range t.Counts {
		if total += count; groups != nil && !slices.Contains(groups, group) || count < 0 {
			return fmt.Errorf("model.json: training counts %d participants of %.40q; %s", count, group, remedy)
		}
	}
	if total > n || groups != nil && t.Counts != nil && total != n {
		return fmt.Errorf("model.json: training lists %d participants and counts %d; %s", n, total, remedy)
	}
	return nil
}

func (t Training) hash(of, text string) string {
	key, _ := hex.DecodeString(t.Key)
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
	listed := lists.Set(t.Participants)
	for _, id := range ids {
		if p := t.person(id); listed[p] {
			in = append(in, id)
			delete(listed, p)
		}
	}
	return in, len(listed)
}

// Scan is the place of a training participant with these data; −1 if there is none. by is ByRounded; rounded reports
// that only rounded numbers are the same.
func (t Training) Scan(data Data, by map[string]int) (place int, rounded bool) {
	if data.Digest == "" {
		return -1, false
	}
	if at := slices.Index(t.Scans, t.hash("scan", data.Digest)); at >= 0 {
		return at, false
	}
	for _, r := range t.rounded(data) {
		if at, there := by[r]; there && r != "" {
			return at, true
		}
	}
	return -1, false
}

// DataOf identifies numbers.
func DataOf(v []float64) Data { return Data{digestOf(v), roundedOf(v)} }

// So many texts of so many different numbers each. The step is 1/64 to 1/32 of the SD, so a text has about 50 bits. Of
// numbers with an error of up to 1/400 of the SD, half of the texts stay as they are.
const (
	textsRounded   = 16
	numbersRounded = 8
)

// roundedOf are texts of some numbers at fixed places, rounded to a power of two that their SD gives. Numbers that are
// 0 or ±1, as missing regions and diagonals have them, are left out.
func roundedOf(v []float64) []string {
	finite := lists.Keep(v, func(x float64) bool { return x-x == 0 })
	mean, squares := exact.Mean(finite), 0.0
	for _, x := range finite {
		squares += float64((x - mean) * (x - mean))
	}
	sd := math.Sqrt(squares / float64(len(finite)))
	texts := make([]string, textsRounded)
	if !(sd > 0) || math.IsInf(sd, 0) {
		return texts
	}
	_, exponent := math.Frexp(sd / 64)
	step := math.Ldexp(1, exponent)
	for i := range texts {
		var numbers []float64
		place := uint64(i) << 32 // one text's numbers do not depend on those of another
		for range 8 * numbersRounded {
			place += 0x9e3779b97f4a7c15 // splitmix64
			z := (place ^ place>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			x := v[(z^z>>31)%uint64(len(v))]
			q := math.RoundToEven(x / step)
			if x-x == 0 && x != 0 && math.Abs(x) != 1 && !slices.Contains(numbers, q) {
				if numbers = append(numbers, q); len(numbers) == numbersRounded {
					texts[i] = fmt.Sprint(exponent, numbers)
					break
				}
			}
		}
	}
	return texts
}

func digestOf(v []float64) string {
	h := sha256.New()
	b := make([]byte, 0, 1<<15)
	for part := range slices.Chunk(v, 1<<12) {
		b, _ = binary.Append(b[:0], binary.LittleEndian, part) // of fixed size
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}
