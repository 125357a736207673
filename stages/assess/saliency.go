package assess

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var saliencyKind = dag.Kind{
	Name: "saliency",
	Doc: "the ranked regions as an image: each voxel has the value of its region\n" +
		"On any label image: a participant's parcels, or an atlas in MNI space, { file: dk84_mni_1mm.nii.gz }. One volume for each setting of the ranking, 0 where there is no region; the table lists the value of each region, and the regions that are not in the image. The connectome opens in NiiVue.",
	New:    func() dag.Stage { return &Saliency{Column: "score", Labels: "auto"} },
	Memory: 256 << 20,
}

// Saliency paints regions.
type Saliency struct {
	Column string `param:"column" doc:"the value to show: a column of the ranking, such as score, contrast, frequency or q"`
	Top    int    `param:"top" doc:"show only the top regions, this many" zero:"all" min:"0"`
	Labels string `param:"labels" choices:"auto|id|index" doc:"values of the label image: ids of the node list (such as FreeSurfer's), node numbers 1…N, or auto: node numbers for parcellate's parcels, and ids for any other image that has them"`
}

func (*Saliency) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "ranking", Type: column.Needs[rankRow](), Doc: "biomarkers' ranking of the regions"},
			{Name: "nodes", Type: column.Type[region.Node](), Doc: "the node list"},
			{Name: "labels", Type: dag.Format("nifti"), Gather: true, Doc: "a label image: parcellate's parcels, or an atlas; of several, the first is used"},
		},
		Out: []dag.Port{
			{Name: "image", Type: dag.Format("nifti"), Doc: "float32 on the grid of the labels, one volume per setting"},
			{Name: "regions", Type: column.Type[regionRow](), Doc: "the value of each region and its voxels in the image"},
			{Name: "connectome", Type: dag.Format("json"), Doc: "nodes for NiiVue, of the first setting, at their centroids in mm; empty without centroids"},
		},
	}
}

// A rankRow is a region of the ranking, and its rank.
type rankRow struct {
	Coords []dag.Coord `column:"*"`
	Rank   int32       `column:"rank"`
	Index  int32       `column:"index"`
}

// A paintedRow is a region with its value in the column that is painted.
type paintedRow struct {
	rankRow
	setting string
	value   float64
}

func (s *Saliency) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := region.ReadNodes(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	rows, settings, err := s.rows(t.In("ranking"), len(nodes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("ranking").Name, err)
	}
	if len(t.All("labels")) == 0 {
		return nil, errors.New("there is no label image")
	}
	in := t.All("labels")[0]
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	labels, models, description, err := labelsOf(r, in.Name)
	if err != nil {
		return nil, err
	}
	values := labels.Values()
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: every voxel is 0, so there are no labels", in.Name)
	}
	by, err := region.MeaningOf(description, s.Labels, nodes, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if !slices.ContainsFunc(nodes, func(n region.Node) bool { return slices.Contains(values, by(n)) }) {
		return nil, fmt.Errorf("%s has none of the %d regions: its labels run from %d to %d", in.Name, len(nodes), values[0], values[len(values)-1])
	}
	size := len(labels.Voxels)
	data := make([]float32, size*len(settings))
	for v, setting := range settings {
		of := map[int32]float32{}
		for _, row := range rows {
			if row.setting == setting && !math.IsNaN(row.value) && (s.Top == 0 || int(row.Rank) <= s.Top) {
				of[by(nodes[row.Index-1])] = float32(row.value)
			}
		}
		for i, l := range labels.Voxels {
			if l != 0 {
				data[v*size+i] = of[l]
			}
		}
	}
	shape := slices.Clone(labels.Grid.Shape[:])
	if len(settings) > 1 {
		shape = append(shape, len(settings))
	}
	var b bytes.Buffer
	if models != nil {
		if err := writeDense(&b, models, settings, data); err != nil {
			return nil, err
		}
	} else if err := nifti.Encode(&b, &nifti.Image{Shape: shape, Affine: labels.Grid.Affine,
		Code: int(max(r.Header.SformCode, r.Header.QformCode)), Data: data,
		Descrip: region.Clip("salient regions: "+s.Column, 70)}); err != nil {
		return nil, err
	}
	connectome, err := s.connectome(t.In("nodes"), nodes, rows)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"image":      artifacts.Bytes{Kind: "nifti", Data: b.Bytes()},
		"regions":    paintedTable(rows, settings, nodes, by, labels.Counts()),
		"connectome": connectome,
	}, nil
}

// rows reads the ranking and the names of its settings, in their order.
func (s *Saliency) rows(in dag.Input, n int) (rows []paintedRow, settings []string, err error) {
	table, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	ranked, err1 := column.Rows[rankRow](table)
	value, err2 := table.Floats(s.Column)
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, err
	}
	for i, r := range ranked {
		if r.Index < 1 || int(r.Index) > n {
			return nil, nil, fmt.Errorf("row %d has node %d, but the node list has nodes 1 to %d", i+1, r.Index, n)
		}
		setting := column.CoordText(r.Coords)
		settings = lists.Add(settings, setting)
		rows = append(rows, paintedRow{r, setting, value[i]})
	}
	if rows == nil {
		return nil, nil, errors.New("no region is ranked")
	}
	return rows, settings, nil
}

// A regionRow is a painted region in the table of the regions.
type regionRow struct {
	Volume  int32   `column:"volume" doc:"of the image, from 1"`
	Setting string  `column:"setting" doc:"coordinates of the setting"`
	Rank    int32   `column:"rank"`
	Index   int32   `column:"index" doc:"node number"`
	ID      int32   `column:"id" doc:"value in the label image of the atlas"`
	Name    string  `column:"name"`
	Value   float64 `column:"value,missing" doc:"the value shown"`
	Voxels  int64   `column:"voxels" doc:"voxels of the region in the image; 0: the region is not there"`
}

func paintedTable(rows []paintedRow, settings []string, nodes []region.Node, by func(region.Node) int32,
	voxels map[int32]int) *encoding.Table {
	out := make([]regionRow, len(rows))
	for i, r := range rows {
		n := nodes[r.Index-1]
		out[i] = regionRow{int32(slices.Index(settings, r.setting) + 1), r.setting, r.Rank, n.Index, n.Id, n.Name,
			r.value, int64(voxels[by(n)])}
	}
	return column.Table(out)
}

// connectome writes the nodes of the first setting as NiiVue reads them: in lists,
// colored and sized by their value, with no edges.
func (s *Saliency) connectome(in dag.Input, nodes []region.Node, rows []paintedRow) (artifacts.Bytes, error) {
	type list struct {
		Names     []string  `json:"names"`
		Prefilled []string  `json:"prefilled"`
		X         []float64 `json:"X"`
		Y         []float64 `json:"Y"`
		Z         []float64 `json:"Z"`
		Color     []float64 `json:"Color"`
		Size      []float64 `json:"Size"`
	}
	out := struct {
		Name         string    `json:"name"`
		NodeColormap string    `json:"nodeColormap"`
		NodeMin      float64   `json:"nodeMinColor"`
		NodeMax      float64   `json:"nodeMaxColor"`
		NodeScale    float64   `json:"nodeScale"`
		EdgeColormap string    `json:"edgeColormap"`
		EdgeMin      float64   `json:"edgeMin"`
		EdgeMax      float64   `json:"edgeMax"`
		EdgeScale    float64   `json:"edgeScale"`
		Nodes        list      `json:"nodes"`
		Edges        []float64 `json:"edges"`
	}{Name: "salient regions: " + s.Column, NodeColormap: "warm", NodeScale: 3, EdgeColormap: "warm", EdgeMin: 2,
		EdgeMax: 6, EdgeScale: 1,
		Nodes: list{[]string{}, []string{}, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}},
		Edges: []float64{}}
	at, err := column.Read[region.Place](in)
	if err != nil {
		return artifacts.Bytes{}, err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		i := r.Index - 1
		if r.setting != rows[0].setting || math.IsNaN(r.value) || s.Top > 0 && int(r.Rank) > s.Top ||
			math.IsNaN(at[i].X+at[i].Y+at[i].Z) {
			continue
		}
		l := &out.Nodes
		l.Names, l.Color = append(l.Names, nodes[i].Name), append(l.Color, r.value)
		l.X, l.Y, l.Z = append(l.X, at[i].X), append(l.Y, at[i].Y), append(l.Z, at[i].Z)
		low, high = min(low, r.value), max(high, r.value)
	}
	for _, v := range out.Nodes.Color { // the least is still seen
		size := 1.0
		if high > low {
			size = 0.3 + float64(0.7*(v-low))/(high-low)
		}
		out.Nodes.Size = append(out.Nodes.Size, size)
	}
	if n := len(out.Nodes.Names); n > 0 {
		out.NodeMin, out.NodeMax, out.Edges = low, high, make([]float64, n*n)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return artifacts.Bytes{}, err
	}
	return artifacts.Bytes{Kind: "json", Data: append(b, '\n')}, nil
}

// labelsOf reads labels of voxels, or of grayordinates, whose models are not nil then, and how the file describes them.
func labelsOf(r *nifti.Reader, name string) (*nifti.Labels, *cifti.Models, string, error) {
	if !r.Header.CIFTI() {
		labels, err := nifti.ReadLabels(r)
		return labels, nil, region.Description(r.Header), err
	}
	f, err := cifti.Read(r, name)
	if err != nil {
		return nil, nil, "", err
	}
	labels, err := f.Labels()
	if err != nil {
		return nil, nil, "", err
	}
	return &nifti.Labels{Voxels: labels}, f.Rows.Models, f.Columns.Map, nil
}

// writeDense writes a map of grayordinates for each setting (CIFTI dscalar).
func writeDense(b *bytes.Buffer, m *cifti.Models, settings []string, data []float32) error {
	names, maps := make([]string, len(settings)), make([][]float64, len(settings))
	for k := range settings {
		names[k], maps[k] = cmp.Or(settings[k], "saliency"), make([]float64, m.N)
		for i := range maps[k] {
			maps[k][i] = float64(data[k*m.N+i])
		}
	}
	return m.WriteDense(b, names, maps)
}
