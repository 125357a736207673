package imaging

import (
	"fmt"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/describe"
	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/pipelines/differ"
)

// inspectImage prints what an image holds; package nifti finds it out.
func inspectImage(a *console.Console, e describe.FileEvent, withStats bool) error {
	info, err := nifti.Inspect(e.Path, withStats)
	if err != nil {
		return err
	}
	e.Format = "nifti"
	if info.Class == "MGHImage" {
		e.Format = "mgh"
	}
	if a.JSON {
		a.Object("inspect", struct {
			Path   string `json:"path"`
			Format string `json:"format"`
			nifti.Info
		}{e.Path, e.Format, info})
		return nil
	}
	printImage(a, e, info)
	return nil
}

func printImage(a *console.Console, e describe.FileEvent, info nifti.Info) {
	what := "MGH"
	if info.Class != "MGHImage" {
		what = fmt.Sprintf("NIfTI-%d", 1+strings.Count(info.Class, "2"))
	}
	order := "little-endian"
	if info.Endian == ">" {
		order = "big-endian"
	}
	fmt.Fprintf(a.Out, "%s  %s, %s %s, %s\n", a.Page.Bold(e.Path), what, nifti.DataType(info.Datatype), order, console.ByteCount(e.Bytes))
	g := console.Grid{Indent: "  ", Wide: a.Wide()}
	lengths := lists.Map(info.Shape, func(n int64) string { return fmt.Sprint(n) })
	g.Add("shape", strings.Join(lengths, " × "))
	if info.Class != "Cifti2Image" { // whose axes are no places in space
		addPlace(&g, info)
	}
	g.Add("scaling", fmt.Sprintf("slope %s, intercept %s", differ.Rounded(info.SclSlope), differ.Rounded(info.SclInter)))
	if e.Format == "nifti" {
		g.Add("codes", fmt.Sprintf("sform %d, qform %d, intent %d", info.SformCode, info.QformCode, info.Intent))
		if info.Descrip != "" {
			g.Add("descrip", info.Descrip)
		}
		if len(info.ExtCodes) > 0 {
			g.Add("extensions", strings.Trim(fmt.Sprint(info.ExtCodes), "[]"))
		}
	}
	if v := info.Stats; v != nil {
		g.Add("values", fmt.Sprintf("min %s, max %s, mean %s, %d NaN", differ.Rounded(float64(v.Min)),
			differ.Rounded(float64(v.Max)), differ.Rounded(float64(v.Mean)), v.NaN))
		g.Add("sha256", v.SHA256)
	}
	g.Print(a.Out)
	for _, p := range info.Problems {
		word := "doubtful: "
		if p.Fatal {
			word = "wrong: "
		}
		fmt.Fprintf(a.Out, "  %s%s\n", a.Page.Red(word), p)
	}
}

// addPlace adds where the voxels lie in space and time.
func addPlace(g *console.Grid, info nifti.Info) {
	var affine nifti.Affine
	for i, row := range info.Affine {
		copy(affine[i][:], row)
	}
	size := affine.VoxelSize()
	g.Add("voxel", fmt.Sprintf("%s × %s × %s mm", differ.Rounded(size[0]), differ.Rounded(size[1]),
		differ.Rounded(size[2])))
	if len(info.Shape) > 3 {
		tr := "not stated in the header"
		if info.TR > 0 {
			tr = differ.Rounded(info.TR) + " s"
		}
		g.Add("TR", tr)
	}
	g.Add("axes", info.Axes)
	for i, row := range affine[:3] {
		name := ""
		if i == 0 {
			name = "affine"
		}
		line := ""
		for _, x := range row {
			line += fmt.Sprintf("%10s", differ.Rounded(x))
		}
		if i == 0 {
			line += "  from " + info.AffineBy
		}
		g.Add(name, line)
	}
}
