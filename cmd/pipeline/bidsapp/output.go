package bidsapp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/engine"
	"prgnn/internal/version"
	"prgnn/pipelines"
	"prgnn/stages/bids"
)

// Leave writes what a run leaves in OUTPUT_DIR: logs of failed tasks, and the dataset with the
// results of the chosen participants. until are the tasks that the run was asked for; files are further files of the
// dataset, by name.
func (b *App) Leave(a *console.Console, p *pipelines.Pipeline, store *disk.Store, r *engine.Result,
	until, chosen []string, files map[string]string) error {
	return cmp.Or(b.crashLogs(a, r), b.dataset(a, p, store, until, chosen, files))
}

// dataset brings OUTPUT_DIR up to date as a dataset of derivatives.
func (b *App) dataset(a *console.Console, p *pipelines.Pipeline, store *disk.Store, until, chosen []string,
	files map[string]string) error {
	c, err := results.LookUp(context.Background(), p, store, until...)
	if err != nil {
		return err
	}
	c.File, c.Sets = p.File, b.Sets
	return export.BIDS(a, c, b.options(chosen, files))
}

func (b *App) options(chosen []string, files map[string]string) export.Options {
	task := "" // of several, the files alone state which one a scan is of
	if tasks := labels(b.tasks, "task-"); len(tasks) == 1 {
		task = tasks[0]
	}
	return export.Options{Path: b.Out, Format: "bids", Partial: true,
		Task: task, App: &export.App{
			Participants: chosen, Container: container(),
			Files:  files,
			Ignore: []string{"logs/", "*.html", "prgnn.yaml"},
		}}
}

// InTheWay reports files of others that stand where this call would write its own, and participants whose task is
// unknown, before it computes anything.
func (b *App) InTheWay(p *pipelines.Pipeline, chosen []string) error {
	o := b.options(chosen, map[string]string{"logs/CITATION.md": "", "logs/CITATION.bib": ""})
	names, err := export.BIDSNames(p, o)
	if err != nil {
		return err
	}
	return bids.InTheWay(b.Out, names)
}

// crashLogs writes a file of each task that failed to OUTPUT_DIR/logs.
func (b *App) crashLogs(a *console.Console, r *engine.Result) error {
	if len(r.Errors) == 0 {
		return nil
	}
	dir := filepath.Join(b.Out, "logs")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, e := range r.Errors {
		name := strings.Map(func(c rune) rune {
			if strings.ContainsRune("[]=,/\\: ", c) {
				return '_'
			}
			return c
		}, e.Task)
		path := filepath.Join(dir, "crash-"+r.ID+"-"+export.PlainName(strings.Trim(name, "_"))+".txt")
		if err := a.WriteFile(path, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s\n%s\nrun %s, pipeline %s\n\n%s\n", e.Task, e.Pos, r.ID, version.Number, e.Err)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// container says in which kind of container this process runs; nil in none.
func container() map[string]string {
	image := os.Getenv("PRGNN_IMAGE") // set in ours
	kind := ""
	switch {
	case os.Getenv("APPTAINER_CONTAINER") != "":
		kind = "apptainer"
	case os.Getenv("SINGULARITY_CONTAINER") != "":
		kind = "singularity"
	case image == "":
		return nil
	case exists("/run/.containerenv"):
		kind = "podman"
	case exists("/.dockerenv"):
		kind = "docker"
	default:
		kind = "oci"
	}
	said := map[string]string{"Type": kind}
	if image != "" {
		said["Tag"] = image
	}
	return said
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
