package finding

import (
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/finding/locked"
)

// readLocked reads a plan, and compares it with the settings of a run.
func readLocked(in dag.Input, settings *encoding.Table) (*locked.Plan, error) {
	text, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	p, err := locked.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	now, err := locked.Of(settings)
	p.Differences = p.Compare(now)
	return p, err
}

// When a parameter of a kind was stated, beside the results; "" where no plan shows it.
const (
	StatedBefore = "before"
	StatedAfter  = "after" // it is not that of the plan
)

// Stated is when parameters of a kind were stated: before the results only if all of them were.
func (s *Settings) Stated(kind string, parameters ...string) string {
	plan, stage := s.Locked, s.Of(kind)
	switch {
	case plan == nil || stage == nil:
		return ""
	case slices.ContainsFunc(parameters, func(p string) bool { return !plan.Keeps(stage.Stage, p) }):
		return StatedAfter
	case plan.Trained > 0:
		return ""
	}
	return StatedBefore
}

// JointStated is when the joint test of a multiverse was stated: its statistic, weights and effect.
func (s *Settings) JointStated() string { return s.Stated("multiverse", "joint", "by", "effect") }

// HeadlineStated is when the universe that is the headline of a multiverse was stated, as the analysis that it is now.
func (s *Settings) HeadlineStated(universe []string) string {
	stated := s.Stated("multiverse", "headline")
	beside := func(stage string) bool {
		of := s.Stage(stage)
		return stage == "cohort" ||
			of != nil && slices.Contains([]string{"multiverse", "evaluate", "leakage", "report", "summary"}, of.Kind)
	}
	if stated == StatedBefore && s.Locked.Redefines(universe, beside) {
		return ""
	}
	return stated
}

// PlanLimits are what limits an analysis that does not follow its plan.
func (s *Settings) PlanLimits() (all List) {
	p := s.Locked
	if p == nil {
		return nil
	}
	if len(p.Differences) > 0 {
		all.Study("plan.differs", Limits, p.Values())
	}
	if p.Trained > 0 {
		all.Study("plan.late", Limits, p.Values())
	}
	return all
}
