package pack

// A View reads many objects one after another, for one goroutine: it looks for what others wrote once, when it
// begins, and reads at once what lies side by side in a pack.
type View struct {
	s       *Set
	items   []Item
	several []Name    // of which Get met more than one copy since Begin
	windows [4]window // the one that was filled last stands first
}

// A window is a part of a pack as it was read.
type window struct {
	file  *file
	from  int64 // bytes
	bytes []byte
}

// A window begins small, and doubles while it moves on.
const (
	windowMin = 4 << 10
	windowMax = 64 << 10
)

// View is a view that has to begin.
func (s *Set) View() *View { return &View{s: s} }

// Begin forgets what was read, and looks for what others wrote. What Get finds from now on was there now or later.
func (v *View) Begin() {
	for i := range v.windows {
		v.windows[i].file = nil
	}
	v.several = v.several[:0]
	v.s.look(false)
}

// Several are the objects of which Get met more than one copy since Begin.
func (v *View) Several() []Name { return v.several }

// Get is the body of an object and its SHA-256, until the next Get. One that is not found whole here may be
// so all the same: Set.Get looks again.
func (v *View) Get(n Name) (body []byte, sum [32]byte, ok bool) {
	v.items = v.s.known(v.items[:0], n)
	if len(v.items) > 1 {
		v.several = append(v.several, n)
	}
	for _, i := range v.items {
		if b := v.read(i.file, i.At, int(headSize+i.Size)); b != nil {
			if h, whole := i.check(b); whole {
				return b[headSize:], h.sum, true
			}
		}
	}
	return nil, sum, false
}

// read gives n bytes of a pack, or nil.
func (v *View) read(p *file, at int64, n int) []byte {
	size, use := windowMin, len(v.windows)-1
	for i := range v.windows {
		w := &v.windows[i]
		if w.file != p || at < w.from {
			continue
		}
		skip := at - w.from
		if skip+int64(n) <= int64(len(w.bytes)) {
			return w.bytes[skip:][:n]
		}
		if skip <= 2*int64(len(w.bytes)) {
			size, use = min(2*max(len(w.bytes), windowMin), windowMax), i
			break
		}
	}
	w := v.windows[use]
	copy(v.windows[1:], v.windows[:use])
	w.file, w.from = p, at&^(windowMin-1) // what belongs to an object stands just before it
	skip := int(at - w.from)
	if size = max(size, skip+n); size > cap(w.bytes) {
		w.bytes = make([]byte, size)
	}
	got, err := v.s.readSome(p, w.bytes[:size], w.from)
	w.bytes = w.bytes[:got]
	v.windows[0] = w
	if err != nil || skip+n > got {
		return nil
	}
	return w.bytes[skip:][:n]
}
