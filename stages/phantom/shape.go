package phantom

// Written by testdata/shape.py.

// degree of the outline.
const degree = 8

// outline are the coefficients, mm, of uy^a·uz^b of the radius in the direction u, for a = 0 … 8 and b = 0 … 8−a.
var outline = []float64{
	69.8, -10.5, 36.0, 89.4, -194.4, -99.2, 247.6, 33.6, -94.9,
	-14.3, 30.8, 130.8, -310.1, -198.3, 505.7, 56.7, -205.6,
	5.0, 82.3, -24.4, -685.2, 966.1, 572.7, -924.6,
	70.5, -82.7, -570.6, 967.5, 432.2, -852.7,
	-13.9, -49.9, -250.0, 610.9, -629.0,
	-81.8, 56.5, 423.8, -557.0,
	108.6, -31.1, 152.5,
	31.6, -5.8,
	-83.1,
}

// spreads are the covariances of the places in each region, mm²: xx, yy, zz, xy, xz, yz in the right hemisphere.
var spreads = map[string][6]float64{
	"bankssts":                 {30, 24, 34, 3, -2, -14},
	"caudalanteriorcingulate":  {7, 72, 37, -1, 2, -38},
	"caudalmiddlefrontal":      {43, 84, 77, 5, -14, -13},
	"cuneus":                   {29, 100, 70, 30, 1, 14},
	"entorhinal":               {17, 45, 11, -4, -2, -3},
	"fusiform":                 {44, 576, 131, -31, 13, -243},
	"inferiorparietal":         {55, 105, 152, 29, -8, 35},
	"inferiortemporal":         {63, 479, 170, -90, 52, -260},
	"isthmuscingulate":         {20, 31, 150, -6, -35, 24},
	"lateraloccipital":         {157, 110, 142, 105, -26, -16},
	"lateralorbitofrontal":     {71, 157, 33, -26, 25, 4},
	"lingual":                  {59, 191, 39, 58, -10, 23},
	"medialorbitofrontal":      {9, 223, 48, 2, 10, 28},
	"middletemporal":           {63, 563, 231, -70, 57, -328},
	"parahippocampal":          {33, 52, 49, 16, -16, -46},
	"paracentral":              {20, 103, 91, -9, -23, -13},
	"parsopercularis":          {46, 35, 72, 6, -3, 6},
	"parsorbitalis":            {21, 88, 14, -16, 1, 1},
	"parstriangularis":         {44, 43, 47, 1, 2, -9},
	"pericalcarine":            {32, 100, 29, 20, -0, 36},
	"postcentral":              {225, 118, 442, 130, -234, -194},
	"posteriorcingulate":       {13, 146, 25, -8, 3, -11},
	"precentral":               {223, 133, 460, 142, -245, -193},
	"precuneus":                {38, 87, 263, -5, -41, 39},
	"rostralanteriorcingulate": {9, 41, 80, 5, 3, 17},
	"rostralmiddlefrontal":     {90, 162, 271, -75, 44, -142},
	"superiorfrontal":          {50, 533, 393, -34, 36, -373},
	"superiorparietal":         {85, 240, 200, 81, 15, 141},
	"superiortemporal":         {82, 351, 210, -97, 89, -244},
	"supramarginal":            {63, 116, 121, -3, -0, -24},
	"frontalpole":              {10, 8, 32, 2, 1, 11},
	"temporalpole":             {21, 28, 26, 12, 5, -7},
	"transversetemporal":       {34, 35, 16, 27, -12, -17},
	"insula":                   {16, 177, 105, -12, -2, -64},
	"Cerebellum-Cortex":        {198, 213, 147, 30, -39, -22},
	"Thalamus":                 {32, 86, 32, -24, 1, 5},
	"Caudate":                  {15, 143, 82, -14, 16, -80},
	"Putamen":                  {25, 91, 53, -30, 14, -17},
	"Pallidum":                 {17, 36, 15, -17, 2, 0},
	"Hippocampus":              {44, 108, 72, -1, -5, -81},
	"Amygdala":                 {26, 14, 25, 1, -1, -7},
	"Accumbens-area":           {13, 20, 18, 2, -5, 6},
}
