package words

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestSentences(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for got, want := range map[string]string{
		Count(1, "task"): "1 task", Count(0, "task"): "0 tasks", Count(1, "entry"): "1 entry",
		Ordinal(1): "first", Ordinal(10): "tenth", Ordinal(11): "11th", Ordinal(13): "13th", Ordinal(22): "22nd",
		Ordinal(31): "31st", Ordinal(103): "103rd", Ordinal(112): "112th",
		Count(2, "entry"): "2 entries", Needs(names[:3]): "a needs b needs c",
		Needs(slices.Repeat(names, 5)): "a needs b needs c needs d needs e needs a needs … (15 more) … needs b needs c needs d needs e",
		Some(names, 5):                 "a, b, c, d, e", Some(names, 3): "a, b and 3 more", Some(nil, 3): "",
		DidYouMean("densty", []string{"tr", "density"}): ` (did you mean "density"?)`, DidYouMean("x", names): "",
		OrAll("densty", []string{"density"}): ` (did you mean "density"?)`, OrAll("xyz", names): " (available: a, b, c, d, e)",
		OrAll("xyz", names[:1]): " (the only one is a)", OrAll("xyz", nil): " (none are available)",
	} {
		need.Equal(t, got, want)
	}
}

func TestPlural(t *testing.T) {
	for noun, want := range map[string]string{
		"task": "tasks", "entry": "entries", "directory": "directories", "way": "ways", "array": "arrays",
		"survey": "surveys", "study": "studies", "class": "classes", "box": "boxes", "batch": "batches",
		"dish": "dishes", "epoch": "epochs",
		"group of participants": "groups of participants", "class of data": "classes of data",
		"table": "tables", "participant": "participants",
	} {
		need.Equal(t, Count(1, noun), "1 "+noun)
		need.Equal(t, Count(0, noun), "0 "+want)
		need.Equal(t, Count(2, noun), "2 "+want)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"fisher_z", "density", "repair", "draws", "DRAWING", "tr"}
	for name, want := range map[string]string{
		"fisher_zz": "fisher_z", "densty": "density", "desnity": "density", "Density": "density",
		"draw": "draws", "drawings": "DRAWING", "rt": "", "t": "",
		"dens": "density", "fis": "fisher_z", "fi": "", "colour": "", "": "", "repiar": "repair",
	} {
		need.Equal(t, Nearest(name, names), want, "Nearest(", name)
	}
}

// TestEditDistance compares with values from the definition.
func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
		{"Müller", "Muller", 1}} {
		for _, p := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			need.Equal(t, editDistance([]rune(p[0]), []rune(p[1])), tt.want, p[0], p[1])
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		The(1, "region"): "the region", The(10, "region"): "the 10 regions", The(2, "entry"): "the 2 entries",
		Each(1, "region"): "the region", Each(3, "classifier"): "each of the 3 classifiers",
	} {
		need.Equal(t, got, want)
	}
}

// A list of errors is counted, and a text of megabytes is cut; what an error wraps is found as before.
func TestErrors(t *testing.T) {
	one := errors.New("one")
	need.Equal(t, Errors([]error{one, nil, one, one}, 2).Error(), "one\none\nand 1 more")
	need.Equal(t, Errors([]error{nil}, 2), nil)
	need.Equal(t, Bound(one), one)
	long := fmt.Errorf("%w %s", one, strings.Repeat("é", 2<<20))
	err := Bound(long)
	if text := err.Error(); len(text) > longest+60 || !strings.HasSuffix(text, "é … and 4128772 more bytes of this message") ||
		!errors.Is(err, one) {
		t.Errorf("%d bytes, ending with %s", len(text), text[len(text)-60:])
	}
}

// The count of a category whose name is a number cannot be taken for the name.
func TestCountOfCodes(t *testing.T) {
	for name, want := range map[string]string{"GE": "5 GE", "1": "5 labeled 1", "0.5": "5 labeled 0.5",
		"-1": "5 labeled -1", "007": "5 labeled 007", "3T": "5 3T", "NaN": "5 NaN", "inf": "5 inf"} {
		need.Equal(t, CountOf(5, name, " "), want)
	}
}
