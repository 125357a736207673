package column

import "strings"

// A NoteRow is a note of the loader on the data (pipeline.notes).
type NoteRow struct {
	Note  string `column:"note"`
	Doubt string `column:"doubt,optional" doc:"why the note may spoil the result; empty where it does not"`
}

// Doubts that a page weighs, or has from another source, too.
const (
	NotedVolumes      = "few volumes"
	NotedCodes        = "codes in confounds"
	NotedRelatives    = "relatives"
	NotedIndependence = "not independent"
	NotedTR           = "repetition time by group"
	NotedLength       = "volumes by group"
)

// ProtocolDoubts are the doubts about the covariates that are properties of a scan's acquisition.
var ProtocolDoubts = map[string]string{"tr": NotedTR, "volumes": NotedLength}

// doubts are those of the words from which notes that may spoil the result are made; the first that a note has counts.
var doubts = []struct{ words, doubt string }{
	{Protocols["tr"] + " " + ProtocolApart, NotedTR}, {Protocols["volumes"] + " " + ProtocolApart, NotedLength},
	{Relatives, NotedRelatives}, {NotIndependent, NotedIndependence}, {FewerVolumes, NotedVolumes},
	{NoRow, "labels without a region"}, {BelowZero, "negative displacement"}, {FarMotion, "codes in displacements"},
	{OnlyInCase, "names differ in case"}, {Alike, "names are alike"}, {TakenAsText, "numbers as text"},
	{MayBeMissing, "missing values as categories"}, {CodesInMotion, NotedCodes}, {IfSite, "site"},
	{Uneven, "exclusions by group"}, {VeryRare, "rare group"}, {OneGroup, "site of one group"},
	{NotJudged, "training unchecked"}, {MotionApart, "motion contradicts"}, {MotionFilled, "motion filled in"},
	{TiedTo, "preserved covariate tied to site"}, {Regrouped, "group by session"},
}

// NoteOf is a note with its doubt.
func NoteOf(note string) NoteRow {
	for _, d := range doubts {
		if strings.Contains(note, d.words) {
			return NoteRow{note, d.doubt}
		}
	}
	return NoteRow{note, ""}
}
