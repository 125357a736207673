// Package outliers is a stage kind outside prgnn: which participants have a connectivity unlike
// that of the others.
package outliers

//go:generate go run prgnn/dag/codeid .

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

//go:embed codes.txt
var codesText string

// codes are the code identities of the stage kinds, by name.
var codes = dag.Codes(codesText)

func init() {
	dag.Register(&dag.Kind{
		Name: "outliers",
		Doc: "participants whose connectivity is unlike that of the others\n" +
			"Mahalanobis distance in the first principal components of the Fisher-z transformed correlations. p is that of a multivariate normal sample whose mean and covariance are estimated from itself (Gnanadesikan and Kettenring 1972, Biometrics 28:81); for principal components it is approximate.",
		New:  func() dag.Stage { return &Outliers{Components: 2} },
		Code: codes["outliers"],
	})
}

// A name of no column is refused before anything runs.
var _ role.Reader = (*Outliers)(nil)

// Outliers are the parameters.
type Outliers struct {
	Components int    `param:"components" doc:"number of principal components" min:"1" max:"100"`
	Within     string `param:"within" doc:"column of the participants, such as site: the mean of each of its values is subtracted first; none by default"`
}

func (*Outliers) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "correlation matrices of all participants; draw 0 is used"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Optional: true, Doc: "the participants, for within"},
		},
		Out: []dag.Port{
			{Name: "distances", Type: dag.Arrow("participant_id", "squared_distance", "p"), Doc: "squared Mahalanobis distance and p, one row per participant"},
			{Name: "components", Type: dag.NPY("<f8", "component", "roi", "roi"), Doc: "loadings of the connections on each principal component"},
		},
	}
}

// ReadsParticipants is the column that within names; its values are categories, also where they are numbers.
func (s *Outliers) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "within", Name: s.Within, Needed: true, Categories: true}}
}

// Run computes the components and the distances.
func (s *Outliers) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	ids, edges, regions, err := read(t.All("matrices"))
	if err != nil {
		return nil, err
	}
	if n := len(ids); n < s.Components+2 {
		return nil, fmt.Errorf("%d participants: %d components need at least %d", n, s.Components, s.Components+2)
	}
	if s.Within != "" {
		if err := s.center(edges, ids, t); err != nil {
			return nil, fmt.Errorf("within: %w", err)
		}
	}
	var pca stat.PC
	if !pca.PrincipalComponents(edges, nil) {
		return nil, errors.New("the principal components do not converge")
	}
	var all mat.Dense
	pca.VectorsTo(&all)
	loadings := all.Slice(0, edges.RawMatrix().Cols, 0, s.Components).(*mat.Dense) // edge×component
	var scores mat.Dense                                                           // participant×component
	scores.Mul(edges, loadings)

	squared, err := distances(&scores)
	if err != nil {
		return nil, err
	}
	table, err := tableOf(ids, squared, s.Components)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{"distances": table, "components": matrices(loadings, regions)}, nil
}

// read gives the participants and a matrix of participant×edge: the Fisher z of draw 0 above the
// diagonal, row by row.
func read(inputs []dag.Input) (ids []string, edges *mat.Dense, regions int, err error) {
	var rows []float64
	var wrong []error
	for _, in := range inputs {
		a, err := in.Array()
		if err != nil {
			return nil, nil, 0, err
		}
		data, err := encoding.Data[float64](a)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s: %w", in.Name, err)
		}
		if len(ids) == 0 && len(a.Shape) == 3 {
			regions = a.Shape[2]
		}
		if len(a.Shape) != 3 || a.Shape[0] < 1 || a.Shape[1] != regions || a.Shape[2] != regions || regions < 2 {
			wrong = append(wrong, fmt.Errorf("%s: its shape is %v; all participants need [draw, roi, roi] of the same regions, at least two", in.Name, a.Shape))
			continue
		}
		z := connectivity.Matrix{Rows: regions, Cols: regions, Data: data[:regions*regions]}
		connectivity.FisherZ(z)
		for i := range regions {
			rows = append(rows, z.Row(i)[i+1:]...)
		}
		ids = append(ids, participant(in))
	}
	if len(wrong) > 0 || len(ids) == 0 {
		return nil, nil, 0, errors.Join(append(wrong, errors.New("no matrix can be used"))...)
	}
	return ids, mat.NewDense(len(ids), len(rows)/len(ids), rows), regions, nil
}

// participant is the member of the fan-out over participants that a matrix comes from.
func participant(in dag.Input) string {
	for _, c := range in.Coords {
		if c.Axis == "subject" {
			return c.Value
		}
	}
	return in.Name
}

// center subtracts from the rows of x (participant×edge) the mean of those with the same value of the column within.
func (s *Outliers) center(x *mat.Dense, ids []string, t *dag.Task) error {
	if !t.Has("participants") {
		return errors.New("connect participants: cohort.participants")
	}
	people, err := t.In("participants").Table()
	if err != nil {
		return err
	}
	_, value, err := column.ByParticipant(people, s.Within)
	if err != nil {
		return err
	}
	members := map[string][]int{}
	for i, id := range ids {
		members[value[id]] = append(members[value[id]], i)
	}
	_, edges := x.Dims()
	for e := range edges {
		for _, rows := range members {
			mean := 0.0
			for _, i := range rows {
				mean += x.At(i, e) / float64(len(rows))
			}
			for _, i := range rows {
				x.Set(i, e, x.At(i, e)-mean)
			}
		}
	}
	return nil
}

// distances are the squared Mahalanobis distances of the rows of x (participant×component) from
// their mean.
func distances(x *mat.Dense) ([]float64, error) {
	n, k := x.Dims()
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, x, nil)
	var chol mat.Cholesky
	if !chol.Factorize(&covariance) {
		return nil, fmt.Errorf("the scores of %d components are collinear: use fewer components", k)
	}
	mean := mat.NewVecDense(k, nil)
	for j := range k {
		mean.SetVec(j, stat.Mean(mat.Col(nil, j, x), nil))
	}
	squared := make([]float64, n)
	for i := range squared {
		d := stat.Mahalanobis(x.RowView(i), mean, &chol)
		squared[i] = d * d
	}
	return squared, nil
}

// tableOf makes the table as an Arrow record. With d² the squared distance of one of n participants
// in k components, n·d²/(n−1)² has the distribution Beta(k/2, (n−k−1)/2).
func tableOf(ids []string, squared []float64, k int) (*encoding.Table, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "participant_id", Type: arrow.BinaryTypes.String},
		{Name: "squared_distance", Type: arrow.PrimitiveTypes.Float64},
		{Name: "p", Type: arrow.PrimitiveTypes.Float64},
	}, nil))
	defer b.Release()
	n := float64(len(ids))
	null := distuv.Beta{Alpha: float64(k) / 2, Beta: (n - float64(k) - 1) / 2}
	for i, d2 := range squared {
		b.Field(0).(*array.StringBuilder).Append(ids[i])
		b.Field(1).(*array.Float64Builder).Append(rounded(d2))
		b.Field(2).(*array.Float64Builder).Append(rounded(null.Survival(min(1, n*d2/((n-1)*(n-1))))))
	}
	record := b.NewRecord()
	defer record.Release()
	return encoding.FromRecord(record)
}

// matrices are the loadings (edge×component) as symmetric matrices, component×roi×roi. The sign of
// a component is free: its largest loading is positive.
func matrices(loadings *mat.Dense, regions int) *encoding.Array {
	_, k := loadings.Dims()
	out := make([]float64, 0, k*regions*regions)
	for c := range k {
		column := mat.Col(nil, c, loadings)
		sign, largest := 1.0, 0.0
		for _, v := range column {
			if v = rounded(v); math.Abs(v) > largest {
				sign, largest = math.Copysign(1, v), math.Abs(v)
			}
		}
		m := connectivity.NewMatrix(regions, regions)
		d, edge := m.Dense(), 0
		for i := range regions {
			for j := i + 1; j < regions; j++ {
				v := rounded(sign * column[edge])
				d.Set(i, j, v)
				d.Set(j, i, v)
				edge++
			}
		}
		out = append(out, m.Data...)
	}
	return encoding.NewArray(out, k, regions, regions)
}

// rounded keeps 8 significant digits: the last bits of gonum's sums are different on different
// processors, and a result should have the same bytes on all of them.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 8, 64), 64)
	if err != nil {
		return x // not a number, or infinite
	}
	return y + 0 // not −0
}
