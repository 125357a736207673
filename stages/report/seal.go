package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// Every page names its generator and carries the SHA-256 of its own bytes, with zeros
// in place of the digest: a program about to replace a page sees whether it is a report,
// and whether anybody has edited it.
const (
	programName   = "PR-GNN Pipeline"
	generatorLine = "<meta name=\"generator\" content=\"" + programName + " report\">\n"
	sealStart     = "<meta name=\"digest\" content=\""
	sealEnd       = "\">\n"
	sealLength    = 2 * sha256.Size
)

// seal writes the digest into a page whose digest is zeros.
func seal(page []byte) []byte {
	digest := sha256.Sum256(page)
	at := bytes.Index(page, []byte(sealStart)) + len(sealStart)
	hex.Encode(page[at:at+sealLength], digest[:])
	return page
}

// IsReport reports whether a file is a report of this program, whatever somebody has
// edited in it: every page names the program, at its top and in its provenance.
func IsReport(page []byte) bool { return bytes.Contains(page, []byte(programName)) }

const incompleteHeading = `<h2 id="incomplete">Incomplete</h2>`

// Incomplete reports whether a report lacks results of its run.
func Incomplete(page []byte) bool { return bytes.Contains(page, []byte(incompleteHeading)) }

// Unedited reports whether a file is a report of this program as it was written.
func Unedited(page []byte) bool { return IsReport(page) && Intact(page) }

// Intact reports whether a report is unchanged since it was written. Without a digest it reports false.
func Intact(page []byte) bool {
	at := bytes.Index(page[:min(len(page), 4096)], []byte(sealStart))
	if at < 0 || len(page) < at+len(sealStart)+sealLength {
		return false
	}
	at += len(sealStart)
	zeros := bytes.Clone(page)
	copy(zeros[at:at+sealLength], bytes.Repeat([]byte("0"), sealLength))
	return bytes.Equal(seal(zeros), page)
}
