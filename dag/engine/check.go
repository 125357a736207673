package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/recipe"
	"prgnn/internal/lists"
)

// A verdict is what a comparison of one task with the store came to.
type verdict struct {
	node    int32
	key     artifacts.Key
	outputs artifacts.Refs // of the record, when there is one
	fetched bool           // the record came from a remote
	damaged bool           // some of its bytes are not the ones that were recorded, or its record is damaged
	missing bool           // it counts as damaged, and is missing in the remote
	lost    bool           // it is damaged, or its bytes are needed and not all there
	err     error          // an input file that cannot be read …
}

// checker answers batches of nodes whose inputs are settled, until there are no
// more.
func (r *runner) checker() {
	d := description{view: r.store.View()}
	for batch := range r.batches {
		d.view.Begin()
		vs := lists.Map(batch, func(i int32) verdict { return r.check(i, &d) })
		if !r.dry && r.readOnly == nil {
			d.view.Mend()
		}
		r.checked <- vs
	}
}

func (r *runner) check(i int32, d *description) (v verdict) {
	v.node = i
	defer recovered(&v.err)
	if v.err = r.describe(i, d); v.err != nil {
		return v
	}
	v.key = artifacts.KeyOf(d.recipe)
	var err error
	v.outputs, v.fetched, err = lookup(d.view, v.key, d.ports, true)
	if v.outputs == nil {
		v.damaged = r.at[i].wanted && errors.Is(err, artifacts.ErrCorrupt)
		return v
	}
	needed := r.at[i].target || r.at[i].remake
	if !r.dry && r.at[i].wanted && r.opt.Bring != nil && r.opt.Bring(r.Nodes[i]) {
		r.store.Remote.Fetch(context.Background(), v.outputs.List()...)
		r.lostRemotely(v.key, v.outputs) // such blobs count as damaged from now on
	}
	if r.at[i].wanted && (needed || r.readOnly == nil) {
		v.damaged, v.missing = r.damaged(d.view, v.outputs)
	}
	v.lost = v.damaged || needed && !r.store.Has(v.outputs.List()...)
	if r.dry && v.lost && !v.damaged {
		v.damaged = r.lostRemotely(v.key, v.outputs)
	}
	return v
}

// lostRemotely reports whether the remote lacks any of the blobs of a task whose record it has.
func (r *runner) lostRemotely(k artifacts.Key, outputs artifacts.Refs) bool {
	return slices.ContainsFunc(outputs, func(ref artifacts.NamedRef) bool { return r.store.Remote.Lost(k, ref.Ref) })
}

// damaged reports whether any of these blobs is, and whether all that are count as such since they are missing in the
// remote. A plan goes by what is known and reads none.
func (r *runner) damaged(view *disk.View, outputs artifacts.Refs) (damaged, missing bool) {
	ask := view.Damaged
	if r.dry {
		ask = view.KnownDamaged
	}
	missing = true
	for _, ref := range outputs {
		if ask(ref.Ref) {
			damaged = true
			missing = missing && r.store.Remote.Missing(ref.Ref)
		}
	}
	return damaged, damaged && missing
}

// lookup finds what was recorded under a key, if it has all outputs that the
// stage gives today.
func lookup(view *disk.View, k artifacts.Key, ports dag.Ports, remote bool) (outputs artifacts.Refs, fetched bool,
	err error) {
	outputs, fetched, err = view.Lookup(k, remote)
	if err != nil { // anything wrong is a miss
		return nil, false, err
	}
	for p := range ports.Out {
		if _, ok := outputs.Get(ports.Out[p].Name); !ok {
			return nil, false, nil
		}
	}
	return outputs, fetched, nil
}

// A description is what a task is, once its inputs are settled. It is a place
// to work in: describe overwrites it.
type description struct {
	view   *disk.View
	ports  dag.Ports
	refs   [][]artifacts.Ref // by binding and source
	recipe []byte
}

// describe digests the user's files, gathers what upstream tasks gave, and
// writes the recipe.
func (r *runner) describe(i int32, d *description) error {
	n := r.Nodes[i]
	d.ports = n.Instance().Ports()
	if err := connected(n, d.ports); err != nil {
		return err
	}
	d.refs = d.refs[:min(cap(d.refs), len(n.Inputs()))]
	for len(d.refs) < len(n.Inputs()) {
		d.refs = append(d.refs, nil)
	}
	for b := range n.Inputs() {
		d.refs[b] = d.refs[b][:0]
		for s := range n.Inputs()[b].Sources {
			ref, err := r.resolve(&n.Inputs()[b].Sources[s])
			if err != nil {
				return fmt.Errorf("input %s: %w", n.Inputs()[b].Port, err)
			}
			d.refs[b] = append(d.refs[b], ref)
		}
	}
	t, err := r.work(n, r.hash)
	if err != nil {
		return err
	}
	d.recipe = recipe.Append(d.recipe[:0], t, d.ports.In, d.refs)
	return nil
}

// work is what the recipe of a task is written from.
func (r *runner) work(n *dag.Node, hash content.Hashing) (*recipe.Task, error) {
	outside, err := recipe.OutsideOf(&r.files, hash, n.Instance(), n.Inputs())
	k := n.Stage().Kind()
	return &recipe.Task{Kind: k.Name, Code: r.code[k], Stage: n.Instance(), Outside: outside, Inputs: n.Inputs()}, err
}

// resolve says which bytes a source stands for.
func (r *runner) resolve(src *dag.Source) (artifacts.Ref, error) {
	if src.Node == nil {
		ref, err := r.files.File(r.hash, src.File)
		ref.Format = src.Format
		return ref, err
	}
	ref, ok := r.at[r.Of[src.Node]].outputs.Load().Get(src.Output)
	if !ok {
		return ref, fmt.Errorf("%s has no output %q", src.Node.ID(), src.Output)
	}
	return ref, nil
}

// connected reports whether the bindings of a task fit its ports. Package
// pipelines has said so already for graphs that come from a file.
func connected(n *dag.Node, ports dag.Ports) error {
	for b := range n.Inputs() {
		known := false
		for p := range ports.In {
			if ports.In[p].Name == n.Inputs()[b].Port {
				known = true
				if got := len(n.Inputs()[b].Sources); got != 1 && !ports.In[p].Gather {
					return fmt.Errorf("input %s takes one source, not %d", ports.In[p].Name, got)
				}
			}
		}
		if !known {
			return fmt.Errorf("there is no input %q", n.Inputs()[b].Port)
		}
	}
	for p := range ports.In {
		found := 0
		for b := range n.Inputs() {
			if n.Inputs()[b].Port == ports.In[p].Name {
				found++
			}
		}
		if found > 1 || found == 0 && !ports.In[p].Optional {
			return fmt.Errorf("input %s is connected %d times, not once", ports.In[p].Name, found)
		}
	}
	return nil
}

// hashAhead digests files of the first tasks, for as many as run at a time, while what comes before them waits for
// the disk. Whether that can be done, their checks say.
func (r *runner) hashAhead() *sync.WaitGroup {
	var files []string
	tasks := 0
	for _, i := range r.Order[:min(len(r.Order), lookahead)] {
		had := len(files)
		for _, in := range r.Nodes[i].Inputs() {
			for _, src := range in.Sources {
				if src.Node == nil && r.at[i].wanted {
					files = append(files, src.File)
				}
			}
		}
		if len(files) > had {
			tasks++
		}
		if tasks == r.opt.Workers {
			break
		}
	}
	var done sync.WaitGroup
	done.Go(func() {
		for _, f := range files {
			if !r.files.Known(f) { // what a task digests already is not waited for
				_, _ = r.files.File(r.hash, f)
			}
		}
	})
	return &done
}
