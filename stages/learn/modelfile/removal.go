package modelfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/inference/confound"
	"prgnn/stages/region"
)

// A Removed is what covariates explain of the matrices of the training, which the stage residualize removed.
type Removed struct {
	Fit    string          `json:"fit"` // digest of deconfound's coefficients
	Design confound.Design `json:"design"`
	// Controls are the group that it was fitted to; "": all training participants.
	Controls string `json:"controls,omitempty"`
	confound.EdgeFacts
}

// removalKey is what the metadata made of matrices without these effects have.
const removalKey = "residualize" + column.FittedSuffix

// Removes reports whether residualize changed matrices that were made so.
func Removes(made string) bool { return column.Made(made)[removalKey] != nil }

// RemovedBy reports whether it is known that residualize applied this fit alone to matrices that were made so.
func RemovedBy(made, fit string) bool {
	return slices.Equal(column.MadeValue[[]string](made, removalKey), []string{fit})
}

// BeforeRemoval is how matrices were made before residualize.
func BeforeRemoval(made string) string {
	all := maps.Clone(column.Made(made))
	delete(all, removalKey)
	return column.JSON(all)
}

// restoreRemoval puts the fit of a file that may come from anywhere together.
func (m *Model) restoreRemoval(coefficients, fitted *encoding.Array) error {
	if coefficients == nil || fitted == nil || m.Removed.Nodes != m.Matrices.Nodes ||
		!slices.Equal(m.Removed.Terms, m.Removed.Design.Terms) || !m.Matrices.pairs() {
		return errors.New("removed, removed_coefficients and removed_fitted are not of one fit to these regions")
	}
	m.removal = &confound.EdgeFit{EdgeFacts: m.Removed.EdgeFacts, Coefficients: coefficients.Float64s()}
	for _, is := range fitted.Values().([]int32) {
		m.removal.Fitted = append(m.removal.Fitted, is != 0)
	}
	if slices.ContainsFunc(slices.Concat(coefficients.Float64s(), m.Removed.Means), notFinite) {
		return errors.New("removed_coefficients: a coefficient is not finite")
	}
	return m.removal.Check()
}

// IsWithout reports whether the matrices of a participant have lost these effects already, by the same fit.
func (m *Model) IsWithout(p Person) bool { return m.Removed != nil && RemovedBy(p.Made, m.Removed.Fit) }

// Without is a participant without what covariates explain of the matrices, by the fit of the training. z are the
// columns of the participant in its design.
func (m *Model) Without(p Person, z []float64) (Person, error) {
	if len(z) != len(m.removal.Terms) {
		return p, fmt.Errorf("the fit has %d columns, but the covariates give %d", len(m.removal.Terms), len(z))
	}
	p.explained = m.removal.Explained(z)
	if m.removal.Transform == "tangent" {
		return p, nil // where it is projected
	}
	p.of = slices.Clone(p.of)
	for i := range p.of {
		p.of[i] = p.of[i].Clone()
		if err := m.subtract(p.of[i].Data, p); err != nil {
			return p, fmt.Errorf("%s, draw %d: %w", p.name, p.Draws[i], err)
		}
	}
	p.zero = p.zero.Clone()
	return p, m.subtract(p.zero.Data, p)
}

func (m *Model) subtract(matrix []float64, p Person) error {
	of := p.zero
	of.Data = matrix
	entries, err := region.Entries(of, m.removal.Transform, "deconfound")
	if err == nil {
		m.removal.Subtract(matrix, entries, p.explained)
	}
	return err
}

// Covariates are those of participants to whom a design is applied.
type Covariates struct {
	design *confound.Design
	values []confound.Covariate
	at     map[string]int
}

// farthest is how many SD of the training the median of a number may be from the mean there.
const farthest = 5

// ReadCovariates reads the covariates of a design for these participants from the input participants, and mean_fd from
// cleaning where that table does not have it. Numbers that can only be in other units than in training are refused.
func ReadCovariates(t *dag.Task, d *confound.Design, ids []string) (*Covariates, error) {
	names, categories := d.Covariates()
	in := t.In("participants")
	people, err := in.Table()
	if err != nil {
		return nil, err
	}
	who, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	motion, err := column.MotionOf(t, "cleaning")
	if err != nil {
		return nil, err
	}
	columns, err := column.Covariates(people, names, categories, motion)
	if err != nil {
		return nil, err
	}
	c := &Covariates{design: d, at: lists.Places(who)}
	for k, v := range columns {
		c.values = append(c.values, confound.Covariate{Name: v.Name, Number: v.Number, Text: v.Text})
		var known []float64
		for _, id := range ids {
			if i, there := c.at[id]; there && v.Text == nil && !c.values[k].Missing(i) {
				known = append(known, v.Number[i])
			}
		}
		if err := refuseUnits(v.Name, known, d.Parts[k].Mean, d.Parts[k].SD); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// refuseUnits refuses numbers that can only be in other units than those of the training, which had this mean and SD (0
// if unknown).
func refuseUnits(name string, known []float64, mean, sd float64) error {
	if sd == 0 || known == nil {
		return nil
	}
	known = slices.Sorted(slices.Values(known))
	far := float64(farthest * sd)
	if median := inference.Quantile(known, 0.5); !(median >= mean-far && median <= mean+far) {
		return fmt.Errorf("%s has the median %.4g, but mean %.4g and SD %.3g in training: is it in different units?",
			name, median, mean, sd)
	}
	return nil
}

// Row are the columns of a participant in the design.
func (c *Covariates) Row(id string) ([]float64, error) {
	i, there := c.at[id]
	if !there {
		return nil, errors.New("not among the participants")
	}
	z, _, err := c.design.Row(c.values, i)
	return z, err
}

// RefuseLacking is the error for participants from whose data the effects cannot be removed, each with the reason.
func RefuseLacking(in dag.Input, of string, covariates, lacking []string) error {
	return fmt.Errorf("%s: in training, the effects of %s were removed from the %s, and they cannot be removed from the %[3]s of %[4]s: fill the values in, exclude the participants, or train the models with missing: indicator and few: reference in the stage deconfound",
		in.Name, strings.Join(covariates, ", "), of, words.Some(lacking, 8))
}
