package fold

// A Row is one graph of a training: one draw of one participant.
type Row struct {
	Id    string
	Draw  int
	Label int
	Side  int // 0 train, 1 test, or apart
}
