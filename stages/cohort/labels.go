package cohort

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/atlas"
	"prgnn/stages/bids"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A labelSource says where the label images are: in files as given, or one of an atlas that was looked for by its name.
type labelSource struct {
	*located.Source
	from    string       // a line for the inventory
	path    string       // of the atlas that was found; "" for files as given
	weights bool         // a probabilistic atlas: weights of several regions a voxel
	own     []atlas.Node // those that the atlas names itself
	more    bool         // own has regions that are not in the image
	wanted  *atlas.Wanted
	// of the one image of all participants
	table  []cifti.Label // of a CIFTI file
	values []int32       // labels, ascending; nil where they were not read
}

// surfaceSpace is the space of CIFTI scans.
const surfaceSpace = "fsLR"

// where is what the cohort knows of the place of labels.
type where struct {
	dir    string // of the pipeline file
	space  string // of the scans; "" where it is not known
	beside string // the dataset of derivatives; "" for none
}

// labelsOf reads what the user gave as labels.
func labelsOf(l *listed.List, spec string, w where) (*labelSource, error) {
	if spec == "" {
		return nil, nil // said to be missing elsewhere
	}
	s := &labelSource{from: fmt.Sprintf(labelsGiven, filepath.Base(spec))}
	var err error
	if strings.HasPrefix(spec, `{"`) { // a mapping; see param.Param
		err = s.find(spec, w)
	} else {
		s.Source, err = located.Of(l, "labels", "nifti", spec)
	}
	if err != nil {
		return nil, err
	}
	if s.One() {
		return s, s.look(userfile.Within(l.Dir, s.Spec))
	}
	return s, nil
}

// files are those of the rows; none where labels are searched for.
func (s *labelSource) files(l *listed.List) (files []located.RowFile) {
	for _, row := range l.Rows {
		if s == nil {
			break
		}
		if path, err := s.File(l, row); err == nil {
			files = append(files, located.RowFile{Source: s.Source, Row: row, Path: path})
		}
	}
	return files
}

// atlasMistake is what is wrong with an atlas by its name, beside mistakes in the table of the participants. Where the
// space is not known, nothing is said of it.
func atlasMistake(spec string, w where) error {
	var named atlas.Wanted
	if json.Unmarshal([]byte(spec), &named) != nil || named.Space == "" && w.space == "" {
		return nil // no mapping, or one that cannot be looked for yet
	}
	return new(labelSource).find(spec, w)
}

func (s *labelSource) find(spec string, w where) error {
	var wanted atlas.Wanted
	if err := json.Unmarshal([]byte(spec), &wanted); err != nil {
		return fmt.Errorf("labels: %w", err) // dag has checked the keys
	}
	switch {
	case wanted.Space == "":
		wanted.Space = w.space
	case w.space != "" && wanted.Space != w.space:
		return fmt.Errorf("labels: the key space is %s, but the scans are in %s: templates differ by millimeters; use an atlas in the space of the scans", wanted.Space, w.space)
	}
	if w.space == "T1w" || w.space == bids.Native {
		return fmt.Errorf("labels: the scans are in the participants' native space (%s), but an atlas is in a template's space; set space to the template, such as MNI152NLin2009cAsym", w.space)
	}
	if wanted.Dir != "" {
		wanted.Dir = userfile.Within(w.dir, wanted.Dir)
	}
	found, err := wanted.Find(atlas.Places(w.beside), wanted.Space == surfaceSpace)
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	s.Source = &located.Source{Port: "labels", Format: "nifti", Spec: found.Image}
	s.path, s.own, s.more, s.wanted = found.Image, found.Nodes, found.More, &wanted
	s.from = fmt.Sprintf("the atlas %s", &wanted)
	if found.From != "" {
		s.from += " of " + found.From
	}
	s.from += " (" + filepath.Base(found.Image) + ")"
	return nil
}

// look reads what the image says of itself: whether it holds weights, and where the regions of an atlas lie.
func (s *labelSource) look(path string) error {
	r, err := nifti.Open(path)
	if err != nil {
		return nil // each participant's task says so
	}
	defer r.Close()
	if r.Header.CIFTI() {
		return s.lookCIFTI(r, path)
	}
	if s.weights = r.Volumes() > 1; s.own == nil {
		return nil
	}
	if s.weights {
		return s.weightedPlaces(r)
	}
	labels, err := nifti.ReadLabels(r)
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	if s.more {
		s.own = atlas.Only(s.own, labels.Values())
	}
	s.place(labels.Centroids())
	return nil
}

// place gives regions their centroids, mm, by their ids, where the atlas's own table has none.
func (s *labelSource) place(centroids map[int32]nifti.Point) {
	for i := range s.own {
		n := &s.own[i]
		if c, there := centroids[int32(n.ID)]; there && math.IsNaN(n.X+n.Y+n.Z) {
			n.X, n.Y, n.Z = c[0], c[1], c[2]
		}
	}
}

// weightedPlaces finds the centroid of each map of a probabilistic atlas. The maps are in the order of the regions; of
// another number of maps, which bootstrap refuses, and of large atlases the regions have no place.
func (s *labelSource) weightedPlaces(r *nifti.Reader) error {
	if r.Volumes() != int64(len(s.own)) {
		return nil
	}
	points, err := nifti.MapCentroids(r)
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	centroids := map[int32]nifti.Point{}
	for i, p := range points {
		centroids[int32(s.own[i].ID)] = p
	}
	s.place(centroids)
	return nil
}

// lookCIFTI takes the regions from the label table of a CIFTI file, where no TSV names them: those
// that some grayordinate has. Those of voxels get a place; vertices have none without their mesh.
func (s *labelSource) lookCIFTI(r *nifti.Reader, path string) error {
	f, labels, err := region.ReadCIFTI(r, path)
	if err != nil {
		return err
	}
	s.table, s.values = f.Columns.Labels, (&nifti.Labels{Voxels: labels}).Values()
	if s.own == nil {
		if s.own, err = atlas.OfTable(s.table, labelNode, s.values, path); err != nil {
			return err
		}
	}
	if f.Rows.Models != nil {
		s.place(f.Rows.Models.Centroids(labels))
	}
	return nil
}

func labelNode(l cifti.Label) atlas.Node { return atlas.Node{ID: l.Key, Name: l.Name, Color: l.Color} }

// fit compares the labels of an atlas, or of the one image of all participants, with the nodes. own reports whether the
// nodes are of its own table.
func (s *labelSource) fit(nodes []region.Node, by func(region.Node) int32, own bool, r *Roster) error {
	if err := region.Contradiction(nodes, by, s.table); err != nil || s.values == nil {
		return err
	}
	file := userfile.NameIn(r.Root, userfile.Within(r.Root, s.Spec))
	r.Notes = append(r.Notes, region.OtherNames(nodes, by, s.table, file)...)
	notes, err := region.Misfits(nodes, by, s.values, file, own, builtIn(nodes))
	r.Notes = append(r.Notes, notes...)
	return err
}

// builtIn reports whether the nodes are those of dk84, which are known to be some of FreeSurfer's labels.
func builtIn(nodes []region.Node) bool {
	dk := atlas.DK84()
	return len(nodes) == len(dk) && nodes[0].Id == int32(dk[0].ID) && nodes[len(dk)-1].Id == int32(dk[len(dk)-1].ID)
}

// noteLeftOut notes the labels of a participant's image that have no row in the node list.
func (r *Roster) noteLeftOut(nodes []region.Node, by func(region.Node) int32, values []int32, path string) {
	missing, nameless, _ := region.Fit(nodes, by, values)
	if nameless == nil || len(missing) == len(nodes) || builtIn(nodes) {
		return
	}
	r.Notes = append(r.Notes, region.LeftOut(nameless, len(values), userfile.NameIn(r.Root, path), ""))
}

// noteOpposed reads the headers of scans and label images, and notes those whose affines are opposite.
func (r *Roster) noteOpposed() {
	var all []region.Laid
	for _, s := range r.Subjects {
		for _, run := range append([]Run{{Files: s.Files}}, s.Runs...) {
			all = append(all, region.Laid{ID: s.ID, Run: run.Name, Scan: run.Files["bold"],
				Labels: run.Files["labels"]})
		}
	}
	r.Notes = append(r.Notes, region.Headers{}.Opposed(all)...)
}

// OneImage is why a label image, by its path, cannot be laid over the scans of several participants without a
// transform: these lie in the space of each, by the cohort or by the names of the scans, or the image does.
func (r *Roster) OneImage(labels string, ids map[string]bool) error {
	what := fmt.Sprintf("%s is one image for %s, but", labels, words.Count(len(ids), "participant"))
	const remedy = "use the labels of each participant (labels: freesurfer, or a path with {participant_id}), or scans " +
		"and an image in one template's space (such as space: MNI152NLin2009cAsym), or connect the input transform or " +
		"warp of parcellate"
	if space := cmp.Or(r.Space, r.spaceByName(ids)); region.Individual(space) {
		return fmt.Errorf("%s the scans lie in the space of each participant (space: %s), and brains differ: %s; if the "+
			"scans of a table share a space, set space to its name", what, space, remedy)
	}
	owner := r.ownerOf(labels)
	name, _ := bids.Parse(filepath.Base(labels))
	if space := name.Get("space"); owner != "" && (space == "" || region.Individual(space)) {
		return fmt.Errorf("%s is the image of %s, in its own space, but it is used for %s: %s; if it is in the space of "+
			"all scans, give it a name without the participant's", labels, owner, words.Count(len(ids), "participant"),
			remedy)
	}
	return nil
}

// OtherSpace is why a label image, by its path, cannot be laid over the scans of participants without a transform: its
// name states another space than the cohort and the names of the scans do.
func (r *Roster) OtherSpace(labels string, ids map[string]bool) error {
	own, of := located.StatedSpace(labels), cmp.Or(r.Space, r.spaceByName(ids))
	for _, space := range []string{r.Space, r.spaceByName(ids)} {
		if own == "" || of == "" || space != "" && (located.OneSpace(own, space) ||
			region.Individual(own) && region.Individual(space)) {
			return nil
		}
	}
	return fmt.Errorf("%s is in the space %s by its name, but the scans are in %s: templates differ by millimeters; use "+
		"labels in the space of the scans, or connect the input transform or warp of parcellate; if a name is wrong, "+
		"correct it: that of the image, or space of the cohort", labels, own, of)
}

// spaceByName is the space that the names of all scans of these participants give; "" where they do not.
func (r *Roster) spaceByName(ids map[string]bool) (space string) {
	for _, s := range r.Subjects {
		path, there := s.first("bold")
		if !there || !ids[s.ID] {
			continue
		}
		name, _ := bids.Parse(filepath.Base(path))
		own := name.Get("space")
		if own == "" || space != "" && own != space {
			return ""
		}
		space = own
	}
	return space
}

// ownerOf is the participant whose file this is by its name or directories; "" for none.
func (r *Roster) ownerOf(path string) string {
	ids := r.IDs()
	for _, left := range r.Left {
		ids[left.ID] = true
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	last := len(parts) - 1
	parts[last], _, _ = strings.Cut(parts[last], "_")
	for _, part := range parts {
		if ids[part] {
			return part
		}
	}
	return ""
}

// misplaced refuses an image whose labels are not those of the node list, or do not lie where it says: the one of all
// participants, or the first that is there. The tasks of parcellate look at each.
func (s *labelSource) misplaced(nodes []atlas.Node, r *Roster, space string) error {
	if s == nil {
		return nil
	}
	list, places := placesOf(nodes)
	placed := false
	for _, n := range nodes {
		placed = placed || !math.IsNaN(n.X+n.Y+n.Z)
	}
	frame := region.Frame{Places: region.Sided(places, list), Space: space}
	own := len(s.own) > 0 && len(nodes) > 0 && &nodes[0] == &s.own[0]
	if s.table != nil {
		if err := s.fit(list, region.Meaning("auto", list, s.values), own, r); err != nil {
			return fmt.Errorf("labels: %w", userfile.Place(err, s.Spec))
		}
	}
	for _, subject := range r.Subjects {
		path, there := subject.first("labels")
		if !there || subject.Problem != nil {
			continue
		}
		labels, err := nifti.OpenLabels(path)
		if err != nil || len(labels.Values()) == 0 {
			return nil // each participant's task says so
		}
		if !labels.Oriented {
			r.Notes = append(r.Notes, column.Notef("%s does not state which side is left (sform and qform codes are 0), so the positions and hemispheres of its regions are not checked",
				userfile.NameIn(r.Root, path)))
		}
		values := labels.Values()
		by := region.Meaning("auto", list, values)
		if s.One() {
			s.values = values
			if err := s.fit(list, by, own, r); err != nil {
				return fmt.Errorf("labels: %w", userfile.Place(err, path))
			}
		} else {
			r.noteLeftOut(list, by, values, path)
		}
		if err := region.Misplaced(list, frame, by, labels); err != nil {
			return fmt.Errorf("labels: %w", userfile.Place(fmt.Errorf("%s: %w", path, err), path))
		}
		if !placed && labels.Oriented {
			r.Notes = append(r.Notes, column.Doubtful(column.DoubtNames, "noted.labels-by-number",
				column.Values{"Sides": slices.ContainsFunc(nodes, func(n atlas.Node) bool {
					return n.Hemisphere != "" || atlas.Side(n.Name) != ""
				})}))
		}
		return nil
	}
	return nil
}

// nodes are the regions: those of the labels' own table, or of a list.
func (s *labelSource) nodes(parameter, root string, l *listed.List) (nodes []atlas.Node, err error) {
	if s != nil && parameter == "auto" && s.own == nil && !s.One() {
		files, paths, first := *s.Source, []string(nil), "" // finding a file leaves notes
		for _, row := range l.Rows {
			if path, err := files.File(l, row); err == nil && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		name := func(path string) string { return userfile.NameIn(l.Dir, path) }
		if s.table, s.values, first, err = region.OneTable(paths, name); err == nil && s.table != nil {
			s.own, err = atlas.OfTable(s.table, labelNode, s.values, first)
		}
		if err != nil {
			return nil, err
		}
	}
	if s != nil && parameter == "auto" && s.own != nil {
		return s.own, nil
	}
	return FindNodes(parameter, root)
}

// ports are the files that it fills.
func (s *labelSource) ports() []*located.Source {
	all := []*located.Source{s.Source}
	if s.weights {
		weights := *s.Source
		weights.Port = "weights"
		all = append(all, &weights)
	}
	return all
}

// An AtlasSetting is one part of the name of an atlas that was found, or of its image.
type AtlasSetting struct{ Name, Value, Doc string }

// settings say which atlas was found: the parts of its name that were asked for, and its image by name and SHA-256.
func (s *labelSource) settings() ([]AtlasSetting, error) {
	if s == nil || s.wanted == nil {
		return nil, nil
	}
	f, err := regular.Open(s.path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	var all []AtlasSetting
	w := s.wanted
	for _, key := range [][2]string{{"atlas", w.Atlas}, {"desc", w.Desc}, {"seg", w.Seg}, {"scale", w.Scale},
		{"cohort", w.Cohort},
		{"resolution", w.Resolution}, {"density", w.Density}, {"suffix", w.Suffix}, {"space", w.Space}} {
		if key[1] != "" {
			all = append(all, AtlasSetting{"labels." + key[0], key[1], "the requested atlas"})
		}
	}
	return append(all, AtlasSetting{"labels.file", filepath.Base(s.path), "the label image that was found"},
		AtlasSetting{"labels.sha256", fmt.Sprintf("%x", sum.Sum(nil)), "of the label image"}), nil
}

// here tells the person at this machine where an atlas lies.
func (s *labelSource) here() []string {
	if s == nil || s.path == "" {
		return nil
	}
	return []string{"atlas: " + s.path}
}
