package report

import (
	"slices"
	"strings"
	"testing"
)

// TestSheetFiles: every name is one path element that every file system and address takes, and no two are equal, also
// where upper and lower case are.
func TestSheetFiles(t *testing.T) {
	ids := []string{"sub-01", "sub 01", "sub/01", `sub\01`, "..", ".hidden", "a=b", "Ünal", "Sub-02", "sub-02",
		strings.Repeat("x", 300), strings.Repeat("x", 299), ""}
	got := SheetFiles(ids)
	want := []string{"sub-01.html", "sub=2001.html", "sub=2F01.html", "sub=5C01.html", "=2E..html", "=2Ehidden.html",
		"a=3Db.html", "=C3=9Cnal.html"}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("%q, want %q", got, want)
	}
	seen := map[string]bool{}
	for i, name := range got {
		if folded := strings.ToLower(name); seen[folded] || len(name) > 130 ||
			strings.ContainsAny(name, "/\\:*?\"<>| %#&") {
			t.Errorf("%q is named %q", ids[i], name)
		} else {
			seen[folded] = true
		}
	}
	if SheetDir("a/study.html") != "a/study_quality" {
		t.Error(SheetDir("a/study.html"))
	}
}
