package region

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/mat5"
)

// NoNames is the value of names for regions without names, whatever lists the file has.
const NoNames = "none"

// usualName is the name of a variable that lists the names or the numbers of the regions; memberName that of one that
// lists the participants of a file.
var (
	sortedName = pattern.New(`(?i)(^|_)(sorted|alphabetic(al)?)`) // not in the order of the columns
	usualName  = pattern.New(`(?i)^(names?|labels?|(roi|region|node|parcel)s?|` +
		`(roi|region|node|parcel|atlas|component|column|area|label)s?_?(names?|labels?|ids?|keys?|index|indices|idx|` +
		`num(ber)?s?|codes?|list))$`)
	memberName = pattern.New(`(?i)^((subject|sub|subj|participant|member|person|people|patient|scan|file|session)s?` +
		`(_?(names?|labels?|ids?|codes?|keys?|list))?|ids?)$`)
	// of one that lists their groups
	labelName  = pattern.New(`(?i)^(y|(dx|diagnos[ei]s|group|label|class|classe|target)s?(_?(group|label|code|id)s?)?)$`)
	personName = pattern.New(`(?i)^(sub|participant|member|person|people|patient)`)
)

// NamesMembers reports whether a column or a variable of this name lists participants, their scans or files.
func NamesMembers(name string) bool { return memberName.MatchString(name) }

// A List is a variable of texts or distinct whole numbers, which may name regions or participants.
type List struct {
	Name    string
	Values  []string
	Persons bool // by its name, it lists the participants
	IDs     bool // by its name, it lists ids, of participants or of regions
	Weak    bool // numbers under any name, which are ids only if all ids are among them
	Codes   bool // numbers that repeat, of groups by its name
	Measure bool // numbers under any name, such as ages, to be compared with the column of this name
	Either  bool // as many as participants and as regions, and entries that repeat: of groups, or of networks
	numbers bool
}

// describe is a list in a sentence: "roi (24 texts)".
func (l List) describe() string {
	return fmt.Sprintf("%.80s (%d %s)", l.Name, len(l.Values), map[bool]string{true: "numbers",
		false: "texts"}[l.numbers])
}

// A NamesError is that of a file whose own names of the regions cannot be used.
type NamesError struct{ error }

// ofArray is the class of a field of all elements of a struct array, as one list: roi(1).name, roi(2).name … are
// roi.name.
const ofArray = "fields"

// kindName is the name that states what a variable lists. In a struct array, its name and that of the field state it
// together: roi(k).id, subjects(k).name.
func kindName(v mat5.Variable) string {
	parts := strings.Split(v.Name, ".")
	last := parts[len(parts)-1]
	if v.Class == ofArray && len(parts) > 1 {
		joined := parts[len(parts)-2] + "_" + last
		if usualName.MatchString(joined) || memberName.MatchString(joined) {
			return joined
		}
	}
	return last
}

// listsWhat reports what a variable lists by its name: regions, or participants.
func listsWhat(v mat5.Variable) (regions, members bool) {
	name := kindName(v)
	return usualName.MatchString(name), memberName.MatchString(name)
}

// arraysOf are the fields of a struct array of which each element has one text or one number, as lists.
func arraysOf(v mat5.Variable) (fields []mat5.Variable) {
	if v.Class != "struct" || v.Count() < 2 || v.Count() > 1<<16 {
		return nil
	}
	for f, name := range v.Fields {
		one := mat5.Variable{Name: v.Name + "." + name, Shape: []int{v.Count(), 1}, Class: ofArray}
		for i := range v.Count() {
			of := v.Cells[i*len(v.Fields)+f]
			switch {
			case len(of.Texts) == 1:
				one.Texts = append(one.Texts, of.Texts[0])
			case of.Count() == 1 && len(of.Numbers) == 1:
				one.Numbers = append(one.Numbers, of.Numbers[0])
			}
		}
		if len(one.Texts) == v.Count() || len(one.Numbers) == v.Count() {
			fields = append(fields, one)
		}
	}
	return fields
}

// listOf is a variable as a list; err is why one with a usual name is none.
func listOf(v mat5.Variable) (l List, err error) {
	l = List{Name: v.Name}
	regions, members := listsWhat(v)
	l.Persons = members && personName.MatchString(kindName(v))
	l.IDs = regions || l.Persons || members && strings.HasPrefix(strings.ToLower(kindName(v)), "id")
	named := regions || members
	switch {
	case v.Problem != nil && named:
		return l, v.Problem
	case len(v.Texts) > 1:
		l.Values = lists.Map(v.Texts, strings.TrimSpace)
	case v.Class == "cell" && named:
		for _, one := range v.Cells {
			switch x, err := one.All(); {
			case err != nil:
				return l, err
			case len(one.Texts) == 1:
				l.Values = append(l.Values, strings.TrimSpace(one.Texts[0]))
			case len(x) == 1:
				l.Values = append(l.Values, strconv.FormatFloat(x[0], 'f', -1, 64))
			default:
				return l, fmt.Errorf("an element of the cell is %s", one.Describe())
			}
		}
	case v.Numeric() && v.Class != "logical" && len(v.Shape) == 2 && min(v.Shape[0], v.Shape[1]) == 1 &&
		v.Count() > 1 && v.Count() < 1<<16:
		numbers, err := v.All()
		if err != nil {
			return l, err
		}
		l.numbers = true
		for _, x := range numbers {
			if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
				return List{}, nil // weights, or areas
			}
			l.Values = append(l.Values, strconv.FormatFloat(x, 'f', -1, 64))
		}
		if repeats(l.Values) { // networks, or groups
			return List{}, nil
		}
	}
	if len(l.Values) < 2 {
		l.Values = nil
	}
	return l, nil
}

func repeats(values []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(values)))) < len(values)
}

// A Person is the variable by which a file states whose it is, and its one text or whole number.
type Person struct{ Variable, ID string }

var statesPerson = pattern.New(`(?i)^(subject|sub|subj|participant|person|patient)(_?(name|label|id|code|key))?$`)

// personIn is the one variable that names a participant; none of several.
func personIn(all []mat5.Variable) (person Person) {
	for _, v := range all {
		if !statesPerson.MatchString(v.Name) {
			continue
		}
		id := ""
		switch {
		case len(v.Texts) == 1:
			id = strings.TrimSpace(v.Texts[0])
		case v.Numeric() && v.Count() == 1:
			if x, err := v.All(); err == nil && x[0] == math.Trunc(x[0]) && math.Abs(x[0]) < 1<<53 {
				id = strconv.FormatFloat(x[0], 'f', -1, 64)
			}
		}
		switch {
		case id == "" || len(id) > 200:
		case person.ID != "" && person.ID != id:
			return Person{}
		default:
			person = Person{v.Name, id}
		}
	}
	return person
}

// split are the entries of a text that holds a list: a line each, or with tabs, semicolons, commas or blanks between.
// Blanks, and any of them under a name that is no usual one, divide only a text of as many entries as counts.
func split(text string, usual bool, counts ...int) []string {
	for _, between := range []string{"\n", "\t", ";", ",", " "} {
		var parts []string
		for part := range strings.SplitSeq(strings.TrimSpace(text), between) {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
		fits := slices.Contains(counts, len(parts)) && !repeats(parts)
		if len(parts) > 1 && (fits || usual && between != " ") {
			return parts
		}
	}
	return nil
}

// unfolded is a variable, or, where its one text is JSON, what that holds.
func unfolded(v mat5.Variable) mat5.Variable {
	var value any
	if len(v.Texts) != 1 || !strings.ContainsAny(v.Texts[0][:min(1, len(v.Texts[0]))], "{[") ||
		json.Unmarshal([]byte(v.Texts[0]), &value) != nil {
		return v
	}
	return ofJSON(v.Name, value)
}

func ofJSON(name string, value any) mat5.Variable {
	v := mat5.Variable{Name: name, Shape: []int{1, 1}}
	switch x := value.(type) {
	case string:
		v.Class, v.Texts = "char", []string{x}
	case float64:
		v.Class, v.Numbers = "double", []float64{x}
	case []any:
		v.Class, v.Shape = "cell", []int{len(x), 1}
		for _, one := range x {
			v.Cells = append(v.Cells, ofJSON("", one))
		}
		texts := lists.Map(v.Cells, func(one mat5.Variable) string { return strings.Join(one.Texts, "") })
		if !slices.ContainsFunc(v.Cells, func(one mat5.Variable) bool { return one.Class != "char" }) {
			v.Cells, v.Texts = nil, texts
		}
	case map[string]any:
		v.Class, v.Fields = "struct", slices.Sorted(maps.Keys(x))
		for _, field := range v.Fields {
			v.Cells = append(v.Cells, ofJSON("", x[field]))
		}
	}
	return v
}

// permuted reports whether numbers are those of n places, from 0 or from 1, in another order.
func permuted(values []string) bool {
	for first := range 2 {
		all := true
		for i := range values {
			all = all && slices.Contains(values, strconv.Itoa(first+i))
		}
		if all {
			return len(values) > 2 && !slices.IsSortedFunc(values, dag.CompareValues)
		}
	}
	return false
}

// orderIn is a column of a matrix of numbers, with a row for each region, which is an order of these; "" for none.
func orderIn(v mat5.Variable, regions int) string {
	if !v.Numeric() || len(v.Shape) != 2 || v.Shape[0] != regions || v.Shape[1] < 2 || v.Shape[1] > 8 {
		return ""
	}
	for j := range v.Shape[1] {
		column, err := v.Member(j)
		if list, _ := listOf(mat5.Matrix("", column, len(column))); err == nil && permuted(list.Values) {
			return fmt.Sprintf("%s(:,%d)", v.Name, j+1)
		}
	}
	return ""
}

// beside are the variables around one: the fields of its struct or the elements of its cell, then the others of the
// file, then the fields of structs with usual names.
func beside(all []mat5.Variable, of string) (scopes [3][]mat5.Variable) {
	all = lists.Map(all, unfolded)
	if at := strings.LastIndexAny(of, ".{"); at > 0 {
		if v, err := mat5.Find(all, of[:at]); err == nil {
			for i, one := range v.Cells {
				name := fmt.Sprintf("%s{%d}", of[:at], i+1)
				if v.Class == "struct" {
					name = of[:at] + "." + v.Fields[i%len(v.Fields)]
				}
				one.Name = name
				one = unfolded(one)
				scopes[0] = append(scopes[0], one)
			}
		}
	}
	for i, one := range [][]mat5.Variable{scopes[0], all} {
		scopes[i] = slices.Clone(one)
		for _, v := range one {
			scopes[i] = append(scopes[i], arraysOf(v)...)
		}
	}
	var within func(v mat5.Variable)
	within = func(v mat5.Variable) {
		if v.Class != "struct" || v.Count() != 1 {
			return
		}
		for f, field := range v.Fields {
			one := v.Cells[f]
			one.Name = v.Name + "." + field
			one = unfolded(one)
			for _, list := range append(arraysOf(one), one) {
				if regions, members := listsWhat(list); regions || members {
					scopes[2] = append(scopes[2], list)
				}
			}
			within(one)
		}
	}
	for _, v := range all {
		within(v)
	}
	return scopes
}

// namesIn finds the names of the regions of a variable, of which there are as many as counts, in the file: the list
// that the layout names; else the one list with so many entries, of texts under any name, or of numbers under a usual
// one. Lists beside the variable come first, texts before numbers. Several lists, and one with a usual name that does
// not fit, are refused. members is the number of participants in the variable; of them, there may be lists too.
func (l Layout) namesIn(all []mat5.Variable, of mat5.Variable, c *Contents, members int, counts ...int) (
	names []string, err error) {
	if l.Labels != nil { // they count, and arrange keeps these
		l.Labels = nil
		names, _ = l.namesIn(all, of, c, members, counts...)
		return names, nil
	}
	if l.Names != "" && l.Names != NoNames {
		named := l.Names
		l.Names = NoNames
		others := slices.DeleteFunc(slices.Clone(all), func(v mat5.Variable) bool { return v.Name == named })
		_, _ = l.namesIn(others, of, c, members, counts...)
		l.Names = named
		return l.namedList(all)
	}
	var unfit, orders []string
	var unused []List
	regions := counts[len(counts)-1]
	for scope, variables := range beside(all, of.Name) {
		var texts, numbers []List
		for _, v := range variables {
			if v.Name == of.Name {
				continue
			}
			c.weakly(v, members)
			if values := measured(v); scope < 2 && members > 1 && len(values) == members {
				c.Members = append(c.Members, List{Name: v.Name, Values: values, Measure: true})
			}
			either := slices.Contains(counts, members)
			if codes := codesOf(v); scope < 2 && members > 1 && len(codes) == members {
				c.Members = append(c.Members, List{Name: v.Name, Values: codes, Codes: true, Either: either})
				continue
			}
			list, wrong := listOf(v)
			usual, ofMembers := listsWhat(v)
			if len(v.Texts) == 1 && v.Class != ofArray {
				list.Values = split(v.Texts[0], usual || ofMembers, append(counts[:len(counts):len(counts)],
					members)...)
			}
			n, apart := len(list.Values), len(v.Texts) == 1
			if order := orderIn(v, regions); order != "" && scope < 2 && members == 0 {
				orders = append(orders, order)
			}
			fits, again := slices.Contains(counts, n) && !ofMembers, repeats(list.Values)
			if fits && n == members && members > 1 && scope < 2 &&
				(again || l.Names == NoNames && !usual && !list.numbers) {
				list.Either = again
				c.Members = append(c.Members, list)
			}
			switch {
			case wrong != nil && usual && scope < 2:
				unfit = append(unfit, fmt.Sprintf("%s cannot be read (%v)", v.Name, wrong))
			case n == 0:
			case members > 1 && (n == members && !fits && (ofMembers || !list.numbers) || list.Persons):
				c.Members = append(c.Members, list)
			case ofMembers:
			case list.numbers && !usual:
				switch {
				case n != regions || scope == 2:
				case permuted(list.Values):
					orders = append(orders, list.Name)
				default:
					unused = append(unused, list)
				}
			case fits && list.numbers:
				numbers = append(numbers, list)
			case fits && !again && sortedName.MatchString(v.Name):
				orders = append(orders, list.Name)
			case fits && !again:
				texts = append(texts, list)
			case scope == 2:
			case usual && again:
				unfit = append(unfit, list.describe()+" has entries that repeat")
			case usual || slices.Contains(counts, n-1) && !list.numbers && !again && !apart:
				unfit = append(unfit, list.describe()+" does not fit")
			}
		}
		found := texts
		if found == nil {
			found = numbers
		}
		other := func(o List) bool { return !slices.Equal(o.Values, found[0].Values) }
		switch {
		case l.Names == NoNames || found == nil || names != nil:
		case slices.ContainsFunc(found, other):
			return nil, NamesError{fmt.Errorf("several lists could name the regions: %s; name one (names: %s), or none (names: none)",
				words.Some(lists.Map(found, List.describe), 6), found[0].Name)}
		default:
			names = found[0].Values
		}
	}
	if names == nil && unfit != nil && l.Names != NoNames {
		return nil, NamesError{fmt.Errorf("no list names the %d regions, but %s: set names to the variable or the file of labels that does, or to none",
			regions, words.Some(unfit, 6))}
	}
	if names == nil && orders != nil && l.Names != NoNames {
		return nil, NamesError{fmt.Errorf("%s may be the order of the %d regions, and no list names them: set names to the variable or the file of labels that does, or to none where the columns of all files are alike",
			words.Some(orders, 6), regions)}
	}
	if names == nil && unused != nil && l.Names != NoNames {
		c.Notes = append(c.Notes, fmt.Sprintf("not taken for the numbers of the regions: %s; names: %s takes it",
			words.Some(lists.Map(unused, List.describe), 6), unused[0].Name))
	}
	return names, nil
}

// codesOf are the whole numbers of a variable that lists groups by its name; nil for none.
func codesOf(v mat5.Variable) (codes []string) {
	if !labelName.MatchString(kindName(v)) || !v.Numeric() || len(v.Shape) != 2 || min(v.Shape[0], v.Shape[1]) != 1 {
		return nil
	}
	numbers, err := v.All()
	for _, x := range numbers {
		if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil
		}
		codes = append(codes, strconv.FormatFloat(x, 'f', -1, 64))
	}
	if !repeats(codes) {
		return nil
	}
	return codes
}

// measured are the numbers of a list, "" for a missing one; nil for none.
func measured(v mat5.Variable) (values []string) {
	if !v.Numeric() || len(v.Shape) != 2 || min(v.Shape[0], v.Shape[1]) != 1 {
		return nil
	}
	numbers, err := v.All()
	if err != nil {
		return nil
	}
	return lists.Map(numbers, func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		bits := 64
		if float64(float32(x)) == x {
			bits = 32
		}
		return strconv.FormatFloat(x, 'f', -1, bits)
	})
}

// weakly keeps the columns of numbers with a row for each of the participants, as of a table of ids and ages.
func (c *Contents) weakly(v mat5.Variable, members int) {
	if members < 2 || !v.Numeric() || len(v.Shape) != 2 || v.Shape[0] != members || v.Shape[1] < 2 ||
		v.Shape[1] > 32 {
		return
	}
	for j := range v.Shape[1] {
		column, err := v.Member(j)
		if err != nil {
			return
		}
		one := mat5.Matrix(fmt.Sprintf("%s(:,%d)", v.Name, j+1), column, members)
		if list, _ := listOf(one); list.Values != nil {
			list.Weak = true
			c.Members = append(c.Members, list)
		}
	}
}

// namedList is the list that the layout names.
func (l Layout) namedList(all []mat5.Variable) ([]string, error) {
	v, err := mat5.Find(all, l.Names)
	for _, scope := range beside(all, "") {
		if at := slices.IndexFunc(scope, func(v mat5.Variable) bool { return v.Name == l.Names }); err != nil &&
			at >= 0 {
			v, err = scope[at], nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("names: %w; it has %s", err, described(all))
	}
	v.Name = "names" // whatever it is called
	list, err := listOf(v)
	if err == nil && list.Values == nil {
		v.Name = l.Names
		err = fmt.Errorf("%s is no list of texts or of distinct whole numbers", v.Describe())
	}
	if repeats(list.Values) {
		err = fmt.Errorf("%s has entries that repeat, but regions have different names: set names to the list of the regions, or to none", l.Names)
	}
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	return list.Values, nil
}
