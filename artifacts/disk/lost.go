package disk

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/pack"
	"prgnn/internal/words"
)

// A pack without an index is the work of a process that was killed, or it was cut off. Of the first nothing is missing
// that was promised: the record of a run comes after the sync of what it lists. So the lists of the runs tell the two
// apart, and besides them the permissions of the pack, which loses the right to write when its index is on the disk.

// unended notes a pack without an index that no living process writes to.
func (v *verifier) unended(p pack.State, path string) {
	switch {
	case p.ReadOnly && v.s.modesTell():
		v.find(CutPack, path, Finding{Detail: fmt.Sprintf("it was complete, and its index is gone: nothing behind byte %d can be read", p.End)})
	case p.End < p.Size:
		v.find(Stray, path, Finding{Detail: fmt.Sprintf("its last %d bytes were not written to the end", p.Size-p.End)})
	}
	v.open = append(v.open, path)
}

// modesTell reports whether the permissions of files are those that the store gave them: an archive may have lost the
// right to write, and then so has the gate, which nothing else takes it from.
func (s *Store) modesTell() bool { return s.session.GateWritable() }

// lost looks for the records of the tasks of the runs. Neither a run nor gc removes one.
func (v *verifier) lost(context.Context) error {
	met := map[artifacts.Key]bool{}
	for _, f := range v.report.Findings {
		for _, k := range f.Keys {
			met[k] = true
		}
	}
	var keys []artifacts.Key
	for k := range v.tasks {
		if _, forgotten := v.forgotten[k]; forgotten || v.sound[k] || met[k] {
			continue
		}
		if _, err := v.s.recorded(k); err != nil { // else it came while we looked
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, func(a, b artifacts.Key) int { return slices.Compare(a[:], b[:]) })
	gone := words.Count(len(keys), "record") + " of recorded runs"
	found := v.report.Findings
	if cut := slices.IndexFunc(found, func(f Finding) bool { return f.Problem == CutPack }); cut >= 0 {
		found[cut].Keys, found[cut].Detail = keys, found[cut].Detail+", and with that went "+gone
		return nil
	}
	path, detail := filepath.Join(v.s.dir, packsDir), gone+" lay in a pack or a file that is missing"
	if len(v.open) > 0 {
		path, detail = v.open[0], "it has no index, and "+gone+" are in no pack"
		v.report.Findings = slices.DeleteFunc(found, func(f Finding) bool { // it counts as damage now
			return f.Problem == Stray && filepath.Join(v.s.dir, filepath.FromSlash(f.Path)) == path
		})
	}
	v.find(v.cause(LostRecord, artifacts.ErrMiss), path, Finding{Keys: keys, Detail: detail})
	return nil
}

// rewrite writes what is left of packs that were cut off to a new one.
func (s *Store) rewrite(packs []string) error {
	if len(packs) == 0 {
		return nil
	}
	trash, err := s.session.Begin()
	if err == nil {
		err = s.session.Lonely()
	}
	if err != nil {
		return err
	}
	_, busy, err := s.busy()
	if err != nil {
		return err
	}
	for _, name := range packs {
		if busy[name] {
			continue // a process writes to it: nobody knows yet how it ends
		}
		if _, err := s.compactPack(name, nil, trash, 0); err != nil {
			return err
		}
	}
	return s.packs.Seal(time.Time{})
}
