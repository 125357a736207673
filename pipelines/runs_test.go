package pipelines

import (
	"strings"
	"testing"
)

// Runs are members of their participants, and not every participant has the same:
// what a participant's stage gathers are its own runs alone.
func TestEachRun(t *testing.T) {
	const stages = `
stages:
  clean: { use: t-clean, each: run, in: { scan: cohort.bold } }
  joined: { use: t-gather, each: subject, in: { all: "clean[*]" } }
`
	p := mustBuild(t, "cohort: { t-runs: {} }"+stages)
	check(t, "tasks of the runs", stageText(t, p, "clean"), `
		clean[sub-001,run=10] (detrend = 1, seed = 0, subject = "sub-001", tr = 0) scan<-/10:nifti{run=10,subject=sub-001}
		clean[sub-001,run=2] (detrend = 1, seed = 0, subject = "sub-001", tr = 0) scan<-/2:nifti{run=2,subject=sub-001}
		clean[sub-002,run=2] (detrend = 1, seed = 0, subject = "sub-002", tr = 0) scan<-/2:nifti{run=2,subject=sub-002}`)
	check(t, "tasks of the participants", stageText(t, p, "joined"), `
		joined[sub-001] () all<-clean[sub-001,run=2].series{run=2,subject=sub-001}+clean[sub-001,run=10].series{run=10,subject=sub-001}
		joined[sub-002] () all<-clean[sub-002,run=2].series{run=2,subject=sub-002}`)

	// Of a cohort without runs everybody has one.
	p = mustBuild(t, "cohort: { t-files: { people: 1 } }"+stages)
	check(t, "a run for everybody", stageText(t, p, "clean"), `
		clean[sub-001,run=1] (detrend = 1, seed = 0, subject = "sub-001", tr = 0) scan<-/scans/sub-001.nii.gz:nifti{subject=sub-001}`)
	check(t, "and its participant", stageText(t, p, "joined"), `
		joined[sub-001] () all<-clean[sub-001,run=1].series{run=1,subject=sub-001}`)
}

// A gathering input from a stage with the same fan-out, without brackets, takes the same member alone.
func TestGatherSameMember(t *testing.T) {
	p := mustBuild(t, `
cohort: { t-files: { people: 2 } }
stages:
  clean: { use: t-clean, each: subject, in: { scan: cohort.bold } }
  page: { use: t-gather, each: subject, in: { all: clean } }
`)
	check(t, "tasks of the participants", stageText(t, p, "page"), `
		page[sub-001] () all<-clean[sub-001].series{subject=sub-001}
		page[sub-002] () all<-clean[sub-002].series{subject=sub-002}`)
}

// With each: session the axis is session, and a cohort of runs is not one of sessions.
func TestEachSession(t *testing.T) {
	const stages = `
stages:
  clean: { use: t-clean, each: session, in: { scan: cohort.bold } }
  pooled: { use: t-gather, each: subject, in: { all: "clean[*]" } }
`
	p := mustBuild(t, "cohort: { t-runs: { sessions: true } }"+stages)
	check(t, "tasks of the participants", stageText(t, p, "pooled"), `
		pooled[sub-001] () all<-clean[sub-001,session=2].series{session=2,subject=sub-001}+clean[sub-001,session=10].series{session=10,subject=sub-001}
		pooled[sub-002] () all<-clean[sub-002,session=2].series{session=2,subject=sub-002}`)
	p = mustBuild(t, "cohort: { t-files: { people: 1 } }"+stages)
	check(t, "a session for everybody", stageText(t, p, "pooled"), `
		pooled[sub-001] () all<-clean[sub-001,session=1].series{session=1,subject=sub-001}`)
	for text, want := range map[string]string{
		"cohort: { t-runs: {} }" + stages: "stage clean: the cohort has runs for each participant: write each: run",
		"cohort: { t-runs: { sessions: true } }\nstages: { clean: { use: t-clean, each: run, in: { scan: cohort.bold } } }":     "stage clean: the cohort has sessions for each participant: write each: session",
		"cohort: { t-runs: { sessions: true } }\nstages: { clean: { use: t-clean, each: subject, in: { scan: cohort.bold } } }": "add each: session; the kind sessions combines the matrices of a participant's sessions",
	} {
		if _, err := build("x.yaml", []byte(text), ".", nil, maxTasks); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
