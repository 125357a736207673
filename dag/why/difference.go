package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/internal/line"
	"prgnn/dag/listing"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/dag/selector"
)

// A Difference is one fact in which two recipes differ.
type Difference struct {
	// "stage", "code", "parameter", "environment", "program", "file", "directory", "value", "input" or "format"
	What string `json:"what"`
	// of the parameter; of the input port, with coordinates where it gathers; of the declaration or module
	Name string `json:"name,omitempty"`
	Old  string `json:"old,omitempty"` // "" when the fact is new
	New  string `json:"new,omitempty"` // "" when it is gone
	// input: the path of the file, or the task and output, that it comes from now; program, file, directory: its path;
	// code: file and line
	From string `json:"from,omitempty"`
}

// String describes a difference for a person, on one line.
func (d Difference) String() string {
	what := strings.TrimSpace(d.What + " " + d.Name)
	if d.What == "value" { // of a task that gives what it has already
		what = "its " + d.Name
		switch {
		case d.Old == "":
			return "new: " + what
		case d.New == "":
			return "gone: " + what
		}
		return what + " changed"
	}
	if d.What == "code" && d.Name != "" {
		return d.ofCode()
	}
	if d.What == "input" || slices.Contains(line.Files, d.What) {
		from := ""
		if d.From != "" {
			from = " (" + d.From + ")"
		}
		switch {
		case d.Old == "" && d.New != "":
			return fmt.Sprintf("%s%s is new", what, from)
		case d.New == "" && d.Old != "":
			return fmt.Sprintf("%s is gone", what)
		}
		return fmt.Sprintf("%s%s has changed", what, from)
	}
	switch {
	case d.Old == "" && d.New == "":
		return what + " has changed"
	case d.Old == "":
		return fmt.Sprintf("%s is new: %s", what, d.New)
	case d.New == "":
		return fmt.Sprintf("%s is gone (it was %s)", what, d.Old)
	case d.What == "code":
		return what + " has changed"
	}
	return fmt.Sprintf("%s: %s → %s", what, d.Old, d.New)
}

// Member is the coordinates of a gathered input that only one of the two recipes has, "subject=sub-003": of its stage
// only where it has no others. It is "" for every other difference.
func (d Difference) Member() string {
	_, coords, gathered := strings.Cut(d.Name, "[")
	if !gathered || d.What != "input" || d.Old != "" && d.New != "" {
		return ""
	}
	coords = strings.TrimSuffix(coords, "]")
	others := slices.DeleteFunc(selector.Split(coords), func(c string) bool { return strings.HasPrefix(c, "stage=") })
	return cmp.Or(strings.Join(others, ","), coords)
}

// ofCode tells a difference in one declaration or module.
func (d Difference) ofCode() string {
	module := strings.HasPrefix(d.Name, "module ")
	what, from := "code: "+d.Name, ""
	if d.From != "" {
		from = " (" + d.From + ")"
	}
	switch {
	case d.Old == "" && module:
		return what + " " + d.New + " is new"
	case d.Old == "":
		return what + " is new" + from
	case d.New == "":
		return what + " is gone"
	case module:
		return fmt.Sprintf("%s %s → %s", what, d.Old, d.New)
	}
	then, now := listing.Declaration{Name: d.Name, Digest: d.Old}, listing.Declaration{Name: d.Name, Digest: d.New}
	if then.Text() == now.Text() {
		return what + " mentions other names" + from
	}
	return what + " changed" + from
}

// Recipes compares two recipes, in the order of the lines of the second; what is gone comes last.
func Recipes(old, now string) (all []Difference) {
	for _, c := range recipe.Compare(old, now) {
		all = append(all, difference(c.What, c.Name, c.Old, c.New))
	}
	return all
}

func difference(what, name, old, now string) Difference {
	switch what {
	case "recipe":
		what = "format"
	case "program", "file", "directory": // digests say nothing to a person
		if old != "" && now != "" {
			old, now = "", ""
		}
	case "environment": // hashes tell nobody anything, and recipes of earlier versions hold values
		old, now = setOrNot(old), setOrNot(now)
		if old == now {
			old, now = "", ""
		}
	}
	return Difference{What: what, Name: name, Old: old, New: now}
}

// setOrNot says of a variable's value whether there is one; "" is a variable that the command
// did not see.
func setOrNot(value string) string {
	if value == "" || value == line.NotSet {
		return value
	}
	return "set"
}

// Code takes a difference in the code of a kind, since an old run, apart: in which declarations of those that the kind
// reaches now it differs, as far as that was recorded.
func Code(d Difference, kind string, old *record.Record, is []listing.Declaration) []Difference {
	if files := old.Codes[kind]; strings.Contains(files, "\n") && artifacts.DigestOf([]byte(files)).String() == d.Old {
		return []Difference{{What: "code format", Old: "by source files, of an earlier version of the program", New: "by declarations"}}
	}
	if old.Codes[kind] != d.Old {
		return []Difference{d}
	}
	was := old.Reach(kind)
	if len(was) == 0 || len(is) == 0 {
		return []Difference{d}
	}
	was, is = listing.Without(was, is), listing.Without(is, was)
	var changed, other, mentions []Difference
	for _, pair := range listing.Counterparts(was, is) {
		o, n := pair[0], pair[1]
		d := Difference{What: "code", Name: cmp.Or(n.Name, o.Name), Old: o.Digest, New: n.Digest,
			From: listing.Place(n.Name)}
		switch {
		case n.Name == "":
			other = append(other, d)
		case o.Name == "":
			other = append(other, d)
		case o.Text() != n.Text():
			changed = append(changed, d)
		case o.Digest != n.Digest:
			mentions = append(mentions, d)
		}
	}
	if all := slices.Concat(changed, other, mentions); len(all) > 0 {
		return all
	}
	return []Difference{d}
}
