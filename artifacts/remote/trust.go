package remote

// A Trust states which records of other machines a store uses, and who signs its own.
//
// A blob cannot lie, for its digest names it. A record can: "this recipe gave 666". So records are signed where they
// are made, and a reader who trusts keys computes again what none of these keys has signed.
type Trust struct {
	Signer Signer     // signs the records that are shared; nil: they go unsigned
	Keys   []Verifier // the trusted keys, first choice first; none: any record is believed
}

// A Signer puts a record into an envelope with the signature of its key.
type Signer interface {
	ID() string // of the key; one word
	Sign(record []byte) (envelope []byte, err error)
}

// A Verifier takes a record out of an envelope that its key has signed.
type Verifier interface {
	ID() string
	Open(envelope []byte) (record []byte, err error)
}

// LongestRecord is the size in bytes of the longest record that is exchanged with a remote. A recipe that gathers
// 40,000
// inputs has some 5 MiB.
const LongestRecord = 8 << 20
