package atlas

import (
	_ "embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
)

// The files of regional series of the Preprocessed Connectomes Project (PCP) of ABIDE are named
// FILE_ID_rois_ATLAS.1D, and their columns by the values of the atlas: #2001.
var pcpFile = pattern.New(`_rois_(aal|cc200|cc400|dosenbach160|ez|ho|tt)\.1D(\.gz)?$`)

// pcpAtlases are the atlases of the PCP by the end of the file's name.
var pcpAtlases = map[string]string{"aal": "AAL", "cc200": "CC200", "cc400": "CC400", "dosenbach160": "Dosenbach 160",
	"ez": "Eickhoff-Zilles", "ho": "Harvard-Oxford", "tt": "Talairach-Tournoux"}

// pcpNames has the columns atlas, id and name. Those of AAL are of the readme of its program for SPM8 (Tzourio-Mazoyer
// et al. 2002). Those of Harvard-Oxford are of the atlas's own lists (FSL), the subcortical ones with FreeSurfer's
// numbers; that 101 is right and 102 left is not written anywhere, and TestSeriesOfABIDE confirms it with the data.
//
//go:embed pcp.tsv
var pcpNames string

// OfPCP names the regions of a file of series of the PCP. Regions that no list names are "CC200 region 12". The nodes
// of other files stay as they are.
func OfPCP(file string, nodes []Node) []Node {
	m := pcpFile.FindStringSubmatch(path.Base(strings.ReplaceAll(file, `\`, "/")))
	if m == nil {
		return nodes
	}
	var named []Node
	names := map[int]string{}
	for line := range strings.Lines(pcpNames) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); f[0] == m[1] {
			id, _ := strconv.Atoi(f[1])
			names[id] = f[2]
		}
	}
	for _, n := range nodes {
		if n.Name != strconv.Itoa(n.ID) { // a header of other names
			return nodes
		}
		if name := names[n.ID]; name != "" {
			n.Name = name
		} else {
			n.Name = fmt.Sprintf("%s region %d", pcpAtlases[m[1]], n.ID)
		}
		named = append(named, n)
	}
	fill(named)
	return named
}
