package cohort

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/protocol"
	"prgnn/stages/column"
)

// scans are the volumes and the repetition times (s) of the scans of some members, where they are known.
func (r *Roster) scans(ids map[string]bool) (volumes map[string]int, times map[string]float64) {
	volumes, times = map[string]int{}, map[string]float64{}
	if r.Scan == nil {
		return volumes, times
	}
	for _, s := range r.Subjects {
		for _, part := range s.RunNames() {
			if !ids[s.ID] || s.Problem != nil {
				continue
			}
			who := s.ID
			if len(s.Runs) > 1 {
				who += " " + part
			}
			n, tr := r.Scan(s.ID, part)
			if n > 0 {
				volumes[who] = n
			}
			if tr > 0 {
				times[who] = math.Round(tr/bids.SameTime) * bids.SameTime
			}
		}
	}
	return volumes, times
}

// paths are the files of some members' scans, by scan, or their files of another port.
func (r *Roster) paths(ids map[string]bool, port ...string) map[string]string {
	paths := map[string]string{}
	for _, s := range r.Subjects {
		if !ids[s.ID] || s.Problem != nil {
			continue
		}
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			path := cmp.Or(run.Files["bold"], run.Files["series"], run.Files["pearson"])
			if port != nil {
				path = run.Files[port[0]]
			}
			if path != "" {
				paths[strings.TrimSpace(s.ID+" "+run.Name)] = path
			}
		}
	}
	return paths
}

// RefuseMixed refuses members whose series or matrices are of several atlases, and files of derivatives of several
// spaces, resolutions or densities. Who is left out does not count.
func (r *Roster) RefuseMixed() error {
	for _, p := range protocol.Entities(r.paths(r.IDs())) {
		parameter, one := r.one[p.Key]
		if !one && p.Key != "atlas" && p.Key != "scale" {
			continue
		}
		members, written := map[string]map[string]bool{}, map[string]string{}
		for who, value := range p.Of {
			if id, _, _ := strings.Cut(who, " "); one || value != bids.None {
				same := strings.ToLower(value)
				if members[same] == nil {
					members[same], written[same] = map[string]bool{}, value
				}
				members[same][id] = true
			}
		}
		if len(members) < 2 {
			continue
		}
		var have, set []string
		for _, same := range slices.SortedFunc(maps.Keys(members), func(a, b string) int {
			return cmp.Or(len(members[b])-len(members[a]), strings.Compare(a, b))
		}) {
			have = append(have, fmt.Sprintf("%s (%d of %s)", written[same], len(members[same]),
				words.Count(len(r.Subjects), r.Noun())))
			if value := written[same]; p.Key == "res" && value == bids.None {
				set = append(set, parameter+": "+bids.Native)
			} else if value != bids.None {
				set = append(set, parameter+": "+value)
			}
		}
		remedy := "set " + strings.Join(set, ", or ")
		if parameter == "" {
			remedy = "list the files of one, or exclude the participants of the others"
		}
		return fmt.Errorf("several %s: %s, but only one can be analyzed; %s", p.Several,
			strings.Join(have, ", "), remedy)
	}
	return nil
}

// properties are what some members' scans state on how they were made: the volumes and the repetition times, the
// entities of the names, the headers, the fields of the sidecars, and the program.
func (r *Roster) properties(ids map[string]bool, owners protocol.Owners) []protocol.Property {
	volumes, times := r.scans(ids)
	tr, lengths := map[string]string{}, map[string]string{}
	for who, t := range times {
		tr[who] = fmt.Sprintf("%g s", t)
	}
	for who, n := range volumes {
		lengths[who] = words.Count(n, "volume")
	}
	paths, headers := r.paths(ids), map[string]map[string]string{}
	for who, path := range paths {
		headers[who] = r.headers[path]
	}
	// the sessions or runs by which scans are taken apart stand for the entities of these
	entities := slices.DeleteFunc(protocol.Entities(paths), func(p protocol.Property) bool {
		return p.Key == "ses" && owners.Part != "" || p.Key == "run" && owners.Part == "run"
	})
	return slices.Concat(r.siteColumns(ids),
		[]protocol.Property{{Name: "repetition time", Doubt: column.DoubtTR, Of: tr},
			{Name: "number of volumes", Doubt: column.DoubtLength, Of: lengths}}, owners.Scans(volumes),
		protocol.Distortion(paths, r.paths(ids, "fieldmap")),
		protocol.OfHeaders(headers), entities, protocol.SidecarFields(paths))
}

// siteColumns are the columns of the table that hold the site of each run or session of some members.
func (r *Roster) siteColumns(ids map[string]bool) (all []protocol.Property) {
	for _, d := range r.OfRuns {
		if !d.Sites() {
			continue
		}
		p := protocol.Property{Name: "column " + d.Name, Doubt: column.DoubtEntity, Of: map[string]string{}}
		for id, of := range d.Of {
			for part, value := range of {
				if ids[id] {
					p.Of[id+" "+part] = value
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// owners are the group and the session or run of each scan of some members. There are no groups where a number is
// predicted, and no sessions or runs where scans are not taken apart by them.
func (r *Roster) owners(ids map[string]bool) protocol.Owners {
	of := protocol.Owners{Groups: map[string]string{}, Parts: map[string]string{}}
	if r.PerRun {
		of.Part = listed.PartName(r.Sessions)
	}
	_, group, _ := column.ByParticipant(r.Participants, "group")
	for _, s := range r.Subjects {
		if !ids[s.ID] || s.Problem != nil {
			continue
		}
		for _, part := range s.RunNames() {
			for _, who := range []string{s.ID, s.ID + " " + part} { // one scan may have the name of its participant
				of.Groups[who] = group[s.ID]
				if r.PerRun {
					of.Parts[who] = part
				}
			}
		}
	}
	return of
}

// protocolNotes note how the scans of some members were acquired and processed.
func (r *Roster) protocolNotes(ids map[string]bool) []column.Note {
	owners := r.owners(ids)
	return protocol.Notes(r.properties(ids, owners), owners)
}
