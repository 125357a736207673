package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"prgnn/artifacts"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// WriteBIDS writes simulated participants into a directory as fMRIPrep lays out its
// derivatives (up to 23.1, with labels on the scan's grid), so that the cohort bids
// finds them. The directory must be empty, or not be there. done, when not nil, is told of each
// participant that is written.
func WriteBIDS(ctx context.Context, r *cohort.Roster, dir string, workers int, done func()) error {
	if r.MakeKind != "simulate" {
		return errors.New("only simulated participants can be written: the cohort has another kind")
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s exists already and is not empty: name a new directory", dir)
	}
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("%s is a link that leads nowhere: remove it, or name another directory", dir)
		}
	}
	if err := writeDescription(r, dir); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, workers))
	for _, s := range r.Subjects {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := writeParticipant(ctx, r.Make(s.ID).(*Scan), dir); err != nil {
				return fmt.Errorf("%s: %w", s.ID, err)
			}
			if done != nil {
				done()
			}
			return nil
		})
	}
	return g.Wait()
}

func writeParticipant(ctx context.Context, s *Scan, dir string) error {
	out, err := s.Run(ctx, nil)
	if err != nil {
		return err
	}
	scan := filepath.Join(dir, s.Subject, "func", s.Subject+"_task-rest")
	sidecar := jsonText(struct {
		RepetitionTime float64
		TaskName       string
		SkullStripped  bool
		Simulated      bool
	}{s.TR, "rest", false, true})
	for _, f := range []struct {
		name  string
		value artifacts.Value
	}{
		{"_space-T1w_desc-preproc_bold.nii.gz", out["bold"]},
		{"_space-T1w_desc-preproc_bold.json", sidecar},
		{"_space-T1w_desc-aparcaseg_dseg.nii.gz", out["labels"]},
		{"_desc-confounds_timeseries.tsv", out["confounds"]},
	} {
		var b bytes.Buffer
		if err := f.value.Encode(&b); err != nil {
			return err
		}
		if err := writeFile(scan+f.name, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func writeDescription(r *cohort.Roster, dir string) error {
	var people, lut bytes.Buffer
	if err := r.Participants.WriteCSV(&people, '\t'); err != nil {
		return err
	}
	nodes, err := column.Rows[column.NodeRow](r.Nodes)
	if err != nil {
		return err
	}
	lut.WriteString("index\tname\n")
	for _, n := range nodes {
		fmt.Fprintf(&lut, "%d\t%s\n", n.ID, n.Name)
	}
	type generator struct{ Name, Description string }
	description := jsonText(struct {
		Name        string
		BIDSVersion string
		DatasetType string
		GeneratedBy []generator
	}{"Simulated resting-state scans: nobody was scanned", "1.10.0", "derivative", []generator{{"PR-GNN Pipeline", "pipeline simulate, in the layout of fMRIPrep 23.1"}}})
	columns := map[string]map[string]any{}
	for _, c := range r.Participants.Columns {
		about := map[string]any{"Description": c.Doc}
		if c.Unit != "" {
			about["Units"] = c.Unit
		}
		if c.Name == "group" {
			about["Levels"] = map[string]string{"ASD": "has the planted difference", "HC": "has not"}
		}
		columns[c.Name] = about
	}
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"dataset_description.json", description.Data}, {"participants.tsv", people.Bytes()},
		{"participants.json", jsonText(columns).Data}, {"desc-aparcaseg_dseg.tsv", lut.Bytes()},
	} {
		if err := writeFile(filepath.Join(dir, f.name), f.text); err != nil {
			return err // of all files, if the directory is at fault
		}
	}
	return nil
}

// jsonText writes what is known to be writable; maps come out sorted.
func jsonText(v any) artifacts.Bytes {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return artifacts.Bytes{Kind: "json", Data: append(b, '\n')}
}

func writeFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err := os.WriteFile(path, b, 0o666)
	if err != nil {
		os.Remove(path) // nothing may be taken for a whole file that is not one
	}
	return err
}
