package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

var kindBrainMap = dag.Kind{
	Name: "brainmap",
	Doc: "the ranked regions on the cortex and in slices\n" +
		"One map per setting, drawn from a label image: each hemisphere from the side and from the midline, and axial slices. Yellow to red is the score, the top regions are numbered and listed, planted ones are outlined in green. " +
		"Without a label image, or with one of grayordinates, regions are discs at the centroids of the node list (MNI coordinates), from the left, from above and from behind.",
	New: func() dag.Stage { return &BrainMap{Top: 10, Colored: 20} },
}

var _ role.PortUser = (*BrainMap)(nil)

// BrainMap draws a ranking.
type BrainMap struct {
	Top     int `param:"top" doc:"how many of the top regions are named" min:"0" max:"1000"`
	Colored int `param:"colored" doc:"how many of the top regions are colored" zero:"all" min:"0" max:"100000"`
}

func (*BrainMap) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "ranking", Type: column.Needs[column.RankingRow](),
				Doc: "the ranked regions"},
			{Name: "nodes", Type: dag.Arrow("index"), Doc: "the node list; without parcels, with the regions' centroids in mm"},
			parcelsPort(),
			{Name: "recovery", Optional: true, Type: column.Needs[column.RecoveryRow](),
				Doc: "biomarkers' references: the map shows the reading (mean score, contrast) that outperforms them; without references, the reading of the ranking"},
		},
		Out: picturePorts("the map"),
	}
}

// parcelsPort takes a label image, of several the first.
func parcelsPort() dag.Port {
	return dag.Port{Name: "parcels", Type: dag.Format("nifti"), Gather: true, Optional: true, Doc: "the regions in space: a label image or an atlas; of several, the first one's are shown"}
}

// UsesPorts are the positions of the regions.
func (*BrainMap) UsesPorts() []role.PortUse {
	return []role.PortUse{{Port: "parcels", As: role.Positions}}
}

func (b *BrainMap) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	atlas, err := readAtlas(t)
	if errors.Is(err, errNowhere) {
		return nowhere()
	}
	if err != nil {
		return nil, err
	}
	ranking, err := ReadRanking(t.In("ranking"))
	if err != nil {
		return nil, err
	}
	reading, err := ReadReading(t.In("ranking"))
	if err != nil {
		return nil, err
	}
	first, err := FirstMapOf(t, ranking, reading)
	if err != nil {
		return nil, err
	}
	c, err := b.Draw(ByFirst(first, Readings(ranking, reading)), ranking, atlas, first.Why)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("ranking").Name, err)
	}
	return outputs(c, nil)
}

// errNowhere is that regions of grayordinates have no place: vertices have none without the mesh of their surface.
var errNowhere = errors.New("regions on surfaces have no coordinates")

// nowhere is a picture that says why there is none.
func nowhere() (dag.Outputs, error) {
	why, err := wording.Text("figure.nowhere.alt", nil)
	sentence := chart.Plot{Width: 7 * vg.Length(len(why)), Key: []chart.Mark{{Name: why}}}
	return outputs(Captioned(sentence.Figure(), "figure.nowhere", nil), err)
}

// readAtlas is the label image of a task, else the centroids of its node list.
func readAtlas(t *dag.Task) (chart.Atlas, error) {
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return chart.Atlas{}, err
	}
	at, err := column.NodePlaces(nodes)
	if err != nil {
		return chart.Atlas{}, fmt.Errorf("%s: %w", t.In("nodes").Name, err)
	}
	if ins := t.All("parcels"); len(ins) > 0 {
		list, err := region.ReadNodes(t.In("nodes"))
		if err != nil {
			return chart.Atlas{}, err
		}
		p, err := ReadParcels(ins[0], list)
		if err == nil && len(p.Middle) == 0 {
			err = fmt.Errorf("%s: it holds no region of the node list", ins[0].Name)
		}
		if err == nil {
			p.Subcortical, err = region.Subcortical(nodes)
			return p.Atlas(nil), err
		}
		if !errors.Is(err, ErrGrayordinates) {
			return chart.Atlas{}, err
		}
		if at == nil {
			return chart.Atlas{}, errNowhere
		}
	}
	if at == nil {
		return chart.Atlas{}, fmt.Errorf("%s: the node list does not state where every region is: connect a label image (parcels), or give the centroids in mm, in the columns x, y and z", t.In("nodes").Name)
	}
	return chart.Atlas{At: at}, nil
}

// Draw draws rankings of one kind, the first one's, a map a setting. why is that of a
// ranking.FirstMap.
func (b *BrainMap) Draw(readings []Ranked, rows RankingRows, atlas chart.Atlas, why string) (*Chart, error) {
	if len(readings) == 0 {
		return nil, errors.New("it has no scores to draw")
	}
	contrast := readings[0].Contrast
	readings = slices.DeleteFunc(slices.Clone(readings), func(r Ranked) bool { return r.Contrast != contrast })
	low, high, start := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, r := range readings {
		l, h := r.ends(b.Colored)
		low, high, start = min(low, l), max(high, h), min(start, r.start())
	}
	names, ring := map[int]string{}, map[int]bool{}
	for i, r := range rows {
		if r.Index < 1 || atlas.At != nil && int(r.Index) > len(atlas.At[0]) {
			return nil, fmt.Errorf("row %d has the node %d, which is not in the node list", i+1, r.Index)
		}
		names[int(r.Index)] = cmp.Or(r.Abbreviation, r.Name)
		if planted(r) {
			ring[int(r.Index)] = true
		}
	}
	var maps []chart.RegionMap
	large := false
	for _, r := range readings {
		m := chart.RegionMap{Title: r.Setting, Regions: chart.Regions{Value: map[int]float64{}, Ring: ring}}
		for n, score := range r.colored(b.Colored) {
			m.Value[n] = (score - low) / (high - low)
		}
		for n, rank := range r.rank {
			_, colored := m.Value[n]
			fills := rank > b.Top && colored && atlas.Fills(n)
			if large = large || fills; rank <= b.Top || fills {
				m.Named = append(m.Named, chart.Named{Region: n, Number: rank, Name: names[n]})
			}
		}
		slices.SortFunc(m.Named, func(x, y chart.Named) int { return cmp.Compare(r.rank[x.Region], r.rank[y.Region]) })
		maps = append(maps, m)
	}
	meaning := ""
	if len(ring) > 0 {
		meaning = label("figure.ranked.planted", nil)
	}
	v := readings[0].values(b.Colored)
	v["Maps"], v["Views"], v["Planted"], v["Why"] = len(maps) > 1, atlas.Views(), len(ring) > 0, why
	v["Inner"] = len(atlas.Inner) > 0
	v["Large"] = large
	if v["Named"] = min(b.Top, len(readings[0].rank)); len(maps) > 1 {
		v["Led"], v["Setting"] = readings[0].Setting, ""
	}
	v["Low"], v["From"], v["To"] = tick(start), tick(low), tick(high)
	return Captioned(atlas.RegionMaps(maps, chart.Colorbar{Low: low, High: high, Label: readings[0].scale()}, meaning),
		"figure.brainmap", v), nil
}

// start is where coloring starts: at the score of a region that is neither kept nor dropped (0.5), or at the 95th
// percentile of the contrast under the null hypothesis.
func (s Ranked) start() float64 {
	if s.Contrast {
		return s.chance
	}
	return 0.5
}

// ends are the ends of the color scale, which spans the first regions (top 0: all) that are colored. It is at least
// 0.05 (contrast: 0.3) wide, so that differences without meaning do not run from yellow to dark red.
func (s Ranked) ends(top int) (low, high float64) {
	unit, least := 0.05, 0.05
	if s.Contrast {
		unit, least = 0.1, 0.3
	}
	start := s.start()
	low, high = math.Inf(1), start
	for _, v := range s.colored(top) {
		low, high = min(low, v), max(high, v)
	}
	// 0.6, not 0.6000000000000001
	round := func(steps float64) float64 { return math.Round(float64(steps*unit*100)) / 100 }
	up := func(v float64) float64 { return round(math.Ceil(float64(v/unit) - 1e-9)) }
	high = up(high)
	low = max(start, min(round(math.Floor(float64(low/unit)+1e-9)), round((high-least)/unit)))
	return low, up(max(high, low+least))
}
