// Package imaging is what the program has for studies of the brain beyond their kinds: images are described, and
// results are written for the programs of others. A program that imports it has this.
package imaging

import (
	"prgnn/cmd/pipeline/atlases"
	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/duplicates"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/flags"
)

func init() {
	describe.RegisterImages(inspectImage)
	flags.Register(
		flags.Command{Name: "atlas", Group: "help", Make: atlases.Command},
		flags.Command{Name: "check-duplicates", Group: "look", Make: duplicates.Command})
	export.RegisterModels(export.ModelFiles{Write: models, Read: readModel})
	export.Register(
		export.Form{Name: "pconn", Ending: ".pconn.nii", Doc: "matrix as CIFTI-2, for Connectome Workbench",
			Takes: "a matrix of regions by regions", Fits: export.IsMatrix, Write: pconn},
		export.Form{Name: "ptseries", Ending: ".ptseries.nii", Doc: "series as CIFTI-2",
			Takes: "series of regions", Fits: export.IsSeries, Write: ptseries},
		export.Form{Name: "svg", Ending: ".svg", Doc: "matrix as a heat map",
			Takes: "a matrix of regions by regions", Fits: export.IsMatrix, Write: svg},
		export.Form{Name: "png", Ending: ".png", Doc: "matrix as a heat map",
			Takes: "a matrix of regions by regions", Fits: export.IsMatrix, Write: png},
		export.Form{Name: "pscalar", Ending: ".pscalar.nii", Doc: "one value per region as CIFTI-2",
			Takes: "a table of regions with numbers", Fits: export.IsScores, Write: pscalar},
	)
}
