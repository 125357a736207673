package imaging

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/export"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/present/methods"
	"prgnn/stages/role"
)

// models adds the origin to the files of a setting, and writes their card.
func models(s *export.Setting) (card string, is bool, err error) {
	c := methods.Card{Atlas: s.AtlasName(), Pipeline: s.Pipeline.Name, Version: version.Number}
	if r := s.Pipeline.Roster; r != nil && r.Participants != nil {
		c.Target, c.Simulated = r.Participants.Meta[column.Target], column.HasSimulated(r.Participants)
	}
	var study *trainingStudy
	for _, m := range s.Models {
		f, err := modelfile.ReadFacts(m.File)
		var without *modelfile.UnavailableError
		if errors.Is(err, modelfile.ErrNoModel) || errors.As(err, &without) && s.All() {
			return "", false, nil
		}
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", m.Task, err)
		}
		if study == nil {
			if f.Residual != nil {
				c.Removed = f.Residual.Covariates
			}
			if f.Removed != nil {
				c.Deconfounded, _ = f.Removed.Design.Covariates()
				c.FittedTo = f.Removed.Controls
			}
			if f.Harmonized != nil {
				c.Sites, c.SiteColumn = len(f.Harmonized.Sites), f.Harmonized.Column
			}
			if err := evaluated(s, &c); err != nil {
				return "", false, err
			}
			if study, err = studyOf(s, &c); err != nil {
				return "", false, err
			}
		}
		stated, err := study.of(f)
		if err != nil {
			return "", false, err
		}
		of := m.Parameters()
		m.File, err = modelfile.WithOrigin(m.File, modelfile.Origin{Program: version.Number, Kind: s.Stage.Kind().Name,
			Parameters: of, Task: m.Task, Key: m.Key, Digest: m.Digest}, stated)
		if err != nil {
			return "", false, err
		}
		written, err := modelfile.ReadFacts(m.File)
		if err != nil {
			return "", false, err
		}
		c.Model, c.Groups, c.Port, c.Made = f.Model, f.Groups, f.Inputs.Port, f.Inputs.Made
		c.Holds = column.ParseData(f.Inputs.Holds)
		if c.Regions = max(f.Inputs.Nodes, f.Inputs.Regions); c.Port == "states" {
			c.Regions, c.States = len(f.Inputs.Names), f.Inputs.Nodes
		}
		if c.Column = f.Training.Column; c.Column == "group" {
			c.Column = ""
		}
		described := lists.Map(stated.Cohort, func(v modelfile.Variable) string { return v.Name })
		if c.Files == nil {
			c.Described = described
		}
		c.Described = slices.DeleteFunc(c.Described, func(name string) bool {
			return !slices.Contains(described, name)
		})
		c.LeftOut = lists.Map(f.Inputs.LeftOut, func(r int) string { return fold.NumberAndName(r-1, f.Inputs.Names) })
		c.Named, c.Threshold, c.Calibrated, c.Data = f.Inputs.Names != nil, f.Threshold, f.Calibrated, f.HasData()
		c.Parameters = of
		c.Files = append(c.Files, methods.CardFile{Name: m.Name, Task: m.Task, Key: m.Key, Digest: m.Digest,
			Content: written.Content, Participants: len(f.Training.Participants), Counts: f.Training.Counts})
	}
	for _, axis := range []string{"fold", "repeat"} { // the files differ in them
		delete(c.Parameters, axis)
	}
	card, err = c.Markdown()
	return card, true, err
}

// evaluated adds what evaluated the setting.
func evaluated(s *export.Setting, c *methods.Card) error {
	for i, t := range s.Evaluated {
		if s.Kinds[i] == "evaluate" {
			rows, err := column.Rows[column.AccuracyRow](t)
			if err != nil {
				return err
			}
			for _, r := range finding.PerParticipant(lists.Map(rows, func(r column.AccuracyRow) finding.Row {
				return finding.Row{AccuracyRow: r}
			})) {
				if !r.IsMajority() {
					c.Settings++
				}
			}
			for _, r := range rows {
				if r.Level == "participant" && s.Is(r.Coords) {
					c.Headline, c.Stated = headline(s, r.Coords)
					if r.Positive == "n/a" {
						r.Positive = "" // as in a validation
					}
					c.Accuracy = append(c.Accuracy, r)
				}
			}
		} else {
			rows, err := column.Rows[column.RegressionRow](t)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if !s.Is(r.Coords) {
					continue
				}
				output := column.ValueOn(r.Coords, column.Output)
				if output == "" && len(s.Outputs[i]) == 1 {
					output = s.Outputs[i][0]
				}
				switch scored := c.Removed != nil && output == "residuals"; {
				case scored && !c.Scored: // the residual is what the models predict
					c.Scored, c.Regression = true, []column.RegressionRow{r}
				case scored == c.Scored:
					c.Regression = append(c.Regression, r)
				}
			}
		}
	}
	return nil
}

// headline is the setting that the file states as its headline, if it is not the one with these coordinates, and
// whether it is.
func headline(s *export.Setting, of []dag.Coord) (other string, is bool) {
	for _, stage := range s.Pipeline.Graph.Stages() {
		for _, n := range stage.Tasks() {
			by, refers := n.Instance().(role.Referrer)
			if !refers {
				continue
			}
			given := by.RefersTo()
			switch coords := column.ReadCoords(given.Coords); {
			case given.Parameter != "headline" || coords == nil:
			case column.Holds(of, coords):
				return "", true
			default:
				other = strings.Join(given.Coords, ", ")
			}
		}
	}
	return other, false
}

// readModel reads what a model file states.
func readModel(file []byte) (of export.ModelFacts, err error) {
	f, err := modelfile.ReadFacts(file)
	if err != nil {
		return of, err
	}
	of = export.ModelFacts{Model: f.Model, Content: f.Content, Number: f.Target != nil, Graphs: f.Inputs.Port == "",
		Series: f.Inputs.Port == "series", ComBat: f.Harmonized != nil,
		Measure: column.ParseData(f.Inputs.Holds).Measure}
	if f.Origin != nil {
		of.Stored = f.Origin.Digest
	}
	return of, nil
}
