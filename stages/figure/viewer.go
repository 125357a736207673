package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"prgnn/nifti"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A Ranked holds the scores and ranks of the regions of one setting, by node number.
type Ranked struct {
	Setting string // "" where there is one
	Reading        // Contrast: the scores are contrasts of the groups, not mean scores
	score   map[int]float64
	rank    map[int]int
	called  map[int]string
	chance  float64 // of a contrast: where its color scale starts

	percentile bool // chance is the 95th percentile of the null distribution, not its mean
	tested     int  // regions whose contrast has a q
	found      int  // those with q < 0.05
}

// Readings are the rankings of each setting, and the same regions ranked by contrast
// where their scores are not contrasts already.
func Readings(rows RankingRows, reading Reading) []Ranked {
	var all []Ranked
	add := func(r column.RankingRow, contrast bool, rank int, score float64) {
		setting := column.SettingName(r.Coords)
		of := slices.IndexFunc(all, func(s Ranked) bool { return s.Setting == setting && s.Contrast == contrast })
		if of < 0 {
			of = len(all)
			one := Ranked{Setting: setting, Reading: Reading{contrast, reading.Layer, reading.Chosen, reading.Null},
				score: map[int]float64{}, rank: map[int]int{}, called: map[int]string{}}
			one.chance, one.percentile = chanceOf(rows, setting)
			for _, r := range rows {
				if column.SettingName(r.Coords) == setting && !math.IsNaN(r.Q) {
					if one.tested++; inference.Significant(r.Q) {
						one.found++
					}
				}
			}
			all = append(all, one)
		}
		all[of].called[int(r.Index)] = cmp.Or(r.Abbreviation, r.Name, fmt.Sprint(r.Index))
		if !math.IsNaN(score) {
			all[of].score[int(r.Index)], all[of].rank[int(r.Index)] = score, rank
		}
	}
	for _, r := range rows {
		add(r, reading.Contrast, int(r.Rank), r.Score)
	}
	if reading.Contrast {
		return all
	}
	for i, r := range rows {
		if math.IsNaN(r.Contrast) {
			continue
		}
		rank := 1
		for k, other := range rows {
			if slices.Equal(other.Coords, r.Coords) &&
				(other.Contrast > r.Contrast || other.Contrast == r.Contrast && k < i) {
				rank++
			}
		}
		add(r, true, rank, r.Contrast)
	}
	return all
}

// chanceOf is the 95th percentile of the contrast under the null hypothesis, mean over the regions of a setting; of a
// table that lacks it the mean contrast over permuted labels; 0 where neither is known.
func chanceOf(rows RankingRows, setting string) (chance float64, percentile bool) {
	var high, mean []float64
	for _, r := range rows {
		if column.SettingName(r.Coords) == setting {
			high, mean = append(high, r.ContrastHigh), append(mean, r.ContrastChance)
		}
	}
	high, mean = column.Known(high), column.Known(mean)
	if len(high) > 0 {
		chance, _ = column.MeanSD(high)
		return chance, true
	}
	if len(mean) > 0 {
		chance, _ = column.MeanSD(mean)
	}
	return chance, false
}

// name is the name of a map in the viewer.
func (s Ranked) name() string {
	return label("figure.ranked.name", values{"Setting": s.Setting, "Contrast": s.Contrast})
}

// scale is the label of the color scale.
func (s Ranked) scale() string {
	return label("figure.ranked.scale", values{"Contrast": s.Contrast})
}

// colored are the scores of the first regions (top 0: of all), of those that lie on the color scale.
func (s Ranked) colored(top int) map[int]float64 {
	scores := map[int]float64{}
	for n, rank := range s.rank {
		if v := s.score[n]; (top == 0 || rank <= top) && v >= s.start() {
			scores[n] = v
		}
	}
	return scores
}

// values are what captions state of a map with the first regions (top 0: all) in color.
func (s Ranked) values(top int) values {
	first := 0
	highest := make([]values, min(3, len(s.rank)))
	for n, rank := range s.rank {
		if rank <= len(highest) {
			highest[rank-1] = values{"Name": s.called[n], "Score": s.score[n], "Contrast": s.Contrast}
		}
		if top == 0 || rank <= top {
			first++
		}
	}
	low, high := s.ends(top)
	return values{"From": tick(low), "To": tick(high), "Contrast": s.Contrast, "Layer": s.Layer,
		"Null": s.Null, "Setting": s.Setting, "Map": s.name(),
		"Maps": false, "Led": "", "Highest": highest,
		"Top": first, "Every": first == len(s.rank), "Colored": len(s.colored(top)), "Low": tick(s.start()),
		"Known": s.chance > 0, "Percentile": s.percentile, "Tested": s.tested, "Found": s.found}
}

// Unmapped says that no region lies on the color scale, in place of an empty map; "" where one does.
func (s Ranked) Unmapped(top int) (string, error) {
	if len(s.colored(top)) > 0 {
		return "", nil
	}
	return wording.Text("figure.regions.unmapped", s.values(top))
}

// tick is an end of a color scale as the scale itself shows it.
func tick(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// DrawSlices draws the first regions of a ranking in slices.
func DrawSlices(p *Parcels, under *Anatomy, s Ranked, top int) *Chart {
	scores := s.colored(top)
	low, high := s.ends(top)
	b := p.brain(under)
	b.Score, b.Scale = scores, s.scale()
	v := s.values(top)
	if v["Ground"] = "parcellation"; under != nil {
		v["Ground"] = under.ground
	}
	return Captioned(chart.Slices(b, low, high), "figure.slices", v)
}

// gz encodes an image for the viewer.
func gz(img *nifti.Image) ([]byte, error) {
	var b bytes.Buffer
	err := nifti.Encode(&b, img)
	return b.Bytes(), err
}

// Viewer puts the regions into the viewer: what lies under them, their numbers, and a
// map of scores for each of a few settings, of the same regions and on the same scale as the figures.
func Viewer(p *Parcels, under *Anatomy, settings []Ranked, top int, names map[int][2]string) (*report.Viewer, error) {
	v := &report.Viewer{}
	shape := p.Shape[:]
	add := func(volume report.Volume, img *nifti.Image) (err error) {
		volume.Data, err = gz(img)
		v.Volumes = append(v.Volumes, volume)
		return err
	}
	if under != nil {
		data := make([]uint8, len(under.voxels))
		for i, x := range under.voxels {
			if !math.IsNaN(x) { // 0 is the air, which is not shown
				data[i] = uint8(1 + math.Round(254*x))
			}
		}
		if err := add(report.Volume{Name: "anatomy", Colormap: "paper", Low: 0, High: 255, Opacity: 1},
			&nifti.Image{Shape: under.Shape[:], Affine: under.Affine, Data: data}); err != nil {
			return nil, err
		}
	} else {
		data := make([]uint8, len(p.Voxels))
		for i, n := range p.Voxels {
			if n != 0 {
				data[i] = 200
			}
		}
		if err := add(report.Volume{Name: "parcellation", Colormap: "paper", Low: 0, High: 255, Opacity: 1},
			&nifti.Image{Shape: shape, Affine: p.Affine, Data: data}); err != nil {
			return nil, err
		}
	}
	const most = 8 // settings
	for _, s := range settings[:min(len(settings), most)] {
		data, colored := make([]float32, len(p.Voxels)), s.colored(top)
		for i, n := range p.Voxels {
			data[i] = float32(colored[int(n)])
		}
		low, high := s.ends(top)
		if err := add(report.Volume{Name: s.name(), Colormap: "heat", Low: low, High: high, Opacity: 1, Choice: true},
			&nifti.Image{Shape: shape, Affine: p.Affine, Data: data}); err != nil {
			return nil, err
		}
	}
	if err := add(report.Volume{Name: "regions", Colormap: "gray", Low: 0, High: 1e6, Opacity: 0, Labels: true},
		&nifti.Image{Shape: shape, Affine: p.Affine, Data: p.Voxels, Intent: 1002}); err != nil {
		return nil, err
	}
	for _, n := range p.Values() {
		at, ok := p.Middle[int(n)]
		if !ok {
			continue
		}
		r := report.Region{Label: int(n), Name: names[int(n)][0], Short: names[int(n)][1], X: at.X, Y: at.Y, Z: at.Z}
		if len(settings) > 0 {
			if score, ok := settings[0].score[int(n)]; ok {
				r.Rank = settings[0].rank[int(n)]
				r.Text = fmt.Sprintf("%s %.3f, rank %d", settings[0].scale(), score, r.Rank)
			}
		}
		v.Regions = append(v.Regions, r)
	}
	caption, err := wording.Text("figure.viewer", nil)
	v.Caption = caption
	return v, err
}
