package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/internal/need"
	"prgnn/nifti/cifti"
)

// Columns without names follow the rows of the node list, unless its ids 1…N are in another order: there, they could
// be in either.
func TestPlaceUnnamedColumns(t *testing.T) {
	for _, c := range []struct {
		ids   []int32
		names []string
		want  []int
		err   string
	}{
		{[]int32{1, 2, 3}, nil, []int{0, 1, 2}, ""},
		{[]int32{1, 2, 3}, []string{"0", "1", "2"}, []int{0, 1, 2}, ""},
		{[]int32{1001, 10, 11}, nil, []int{0, 1, 2}, ""},
		{[]int32{2, 3, 4}, nil, []int{0, 1, 2}, ""},
		{[]int32{1, 3, 2}, []string{"1", "2", "3"}, []int{0, 2, 1}, ""},
		{[]int32{1, 3, 2}, []string{"c", "a", "b"}, []int{2, 0, 1}, ""},
		{[]int32{1, 3, 2}, nil, nil, "3 columns without names: column 2 is row 2 of the node list (b) or the region with index 2, and the list is not sorted by index; name the columns"},
		{[]int32{1, 2, 3}, []string{"a", "motion_outlier00", "c"}, nil, "confounds, indices or a background among the regions: motion_outlier00 (column 2); remove them"},
		{[]int32{3, 2, 1}, []string{"0", "1", "2"}, nil, "3 columns that are numbered from 0: column 1 is row 1 of the node list (a) or the region with index 1"},
	} {
		place, err := PlaceColumns(c.names, 3, encoding.NewTable(encoding.Column{Name: "id", Values: c.ids},
			encoding.Column{Name: "abbreviation", Values: []string{"", "", ""}},
			encoding.Column{Name: "name", Values: []string{"a", "b", "c"}}))
		if c.err != "" {
			need.Error(t, err, c.err, c.ids)
			continue
		}
		need.NoError(t, err)
		if !slices.Equal(place, c.want) {
			t.Errorf("ids %v, columns %v: the nodes %v, want %v", c.ids, c.names, place, c.want)
		}
	}
}

// A letter and its accent as one character or as two are one name: of columns, and of the labels of a file.
func TestComposedNames(t *testing.T) {
	nodes := encoding.NewTable(encoding.Column{Name: "id", Values: []int32{1, 2, 3}},
		encoding.Column{Name: "abbreviation", Values: []string{"", "ö", ""}},
		encoding.Column{Name: "name", Values: []string{"Broca-Areal für Sprache", "o", "u\u0308"}})
	for _, names := range [][]string{{"ü", "o\u0308", "Broca-Areal fu\u0308r Sprache"}, {"u\u0308", "ö", "Broca-Areal für Sprache"}} {
		place, err := PlaceColumns(names, 3, nodes)
		need.NoError(t, err)
		need.Equal(t, fmt.Sprint(place), "[2 1 0]")
	}
	_, err := PlaceColumns([]string{"ü", "u\u0308", "o"}, 3, nodes)
	need.Error(t, err, "there is one node for")
	by := func(n Node) int32 { return n.Id }
	err = Contradiction([]Node{{Id: 4, Name: "ü"}}, by, []cifti.Label{{Key: 5, Name: "u\u0308"}})
	need.Error(t, err, "the node list gives 1 of 1 regions another value")
}

func TestConfoundNames(t *testing.T) {
	for _, name := range strings.Fields("framewise_displacement global_signal csf white_matter_derivative1_power2 trans_x " +
		"rot_z_power2 a_comp_cor_00 t_comp_cor_01 cosine00 motion_outlier12 dvars std_dvars rmsd aroma_motion_01 csf_wm " +
		"framewise_displacement_filtered non_steady_state_outlier00 edge_comp_03 w_comp_cor_2 " +
		"GlobalSignal Global_Signal WhiteMatter White_Matter FramewiseDisplacement non-stdDVARS RotX aCompCor00 Cosine01 " +
		"Background background Grey_Matter Index TIME fd FD mean_fd fd_power run Run run_id session ses volume vol Frame timepoint time subject participant_id trial_type") {
		need.Error(t, RefuseConfounds([]string{"R1", name}), name+" (column 2)")
	}
	need.NoError(t, RefuseConfounds(strings.Fields("CSF Cerebral_White_Matter cosine lh_trans_x global R01 10 rot csf_left "+
		"Sub TR fd_left runner time_l lh_run")))
	for name, may := range map[string]bool{"CSF": true, "WM": true, "TR": true, "tr": true, "csf": false, "Sub": false,
		"lh_CSF": false} {
		need.Equal(t, MayBeConfound(name), may, name)
	}
}

// Series with as many volumes as regions and without names are refused where they persist along their rows, unless
// transpose states what these are. Series down the columns, noise, neighbors that are alike, and columns with names
// are read as they are.
func TestSquareSeries(t *testing.T) {
	const n = 24
	series := func(keep, near float64) connectivity.Matrix { // of an earlier volume, of a neighbor
		stream := rand.New(rand.NewPCG(1, 2))
		x := connectivity.NewMatrix(n, n)
		for v := range n {
			row := x.Row(v)
			for k := range row {
				if row[k] = stream.NormFloat64(); v > 0 {
					row[k] += keep * (x.At(v-1, k) - 1000 - float64(k*k%7))
				}
				if k > 0 {
					row[k] += near * (row[k-1] - 1000 - float64((k-1)*(k-1)%7))
				}
				row[k] += 1000 + float64(k*k%7) // levels of the regions
			}
		}
		return x
	}
	turned := func(x connectivity.Matrix) connectivity.Matrix {
		y := connectivity.NewMatrix(n, n)
		for i := range n {
			for j := range n {
				y.Row(j)[i] = x.At(i, j)
			}
		}
		return y
	}
	names := make([]string, n)
	for k := range names {
		names[k] = fmt.Sprintf("R%d", k)
	}
	for about, c := range map[string]struct {
		x       connectivity.Matrix
		names   []string
		layout  Layout
		refused bool
	}{
		"down the columns": {x: series(0.6, 0)},
		"along the rows":   {x: turned(series(0.6, 0)), refused: true},
		"stated":           {x: turned(series(0.6, 0)), layout: Layout{Transpose: true}},
		"with names":       {x: turned(series(0.6, 0)), names: names},
		"noise":            {x: series(0, 0)},
		"near regions":     {x: series(0.6, 0.4)},
	} {
		err := c.layout.arrangeSeries(&Contents{Names: c.names, Draws: []connectivity.Matrix{c.x}})
		if c.refused {
			need.Error(t, err, "as many rows as columns (24), which have no names", "set transpose: true")
		} else if err != nil {
			t.Errorf("%s: %v", about, err)
		}
	}
}
