// Package record writes actions and runs as text, so that a person can read them, sealed with a digest, so that damage
// shows.
package record

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unique"
	"unsafe"

	"prgnn/artifacts"
)

// The last line of a record is the digest of all before it.
const sealWord = "sha256 "

// seal ends a record with the digest of what it says.
func seal(b []byte) []byte { return appendSeal(b, b) }

// appendSeal appends the last line of a record that says what says.
func appendSeal(b, says []byte) []byte {
	d := artifacts.DigestOf(says)
	return append(hex.AppendEncode(append(b, sealWord...), d[:]), '\n')
}

// unseal checks and takes off the last line.
func unseal(b []byte) ([]byte, error) {
	at := len(b) - len(sealWord) - 2*len(artifacts.Digest{}) - 1
	if at < 0 {
		return nil, fmt.Errorf("the record is truncated")
	}
	var room [128]byte // on the stack
	if !bytes.Equal(appendSeal(room[:0], b[:at]), b[at:]) {
		return nil, fmt.Errorf("the record does not match the digest in its last line")
	}
	return b[:at:at], nil
}

// A lineReader takes a record apart, line by line. What it is asked for and does not find sets err.
type lineReader struct {
	rest string
	err  error
}

// readLines reads text that nobody changes any more: what it gives are parts of it.
func readLines(text []byte) lineReader {
	return lineReader{rest: unsafe.String(unsafe.SliceData(text), len(text))}
}

func (r *lineReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.rest = ""
}

// magic reads the first line.
func (r *lineReader) magic(want string) {
	rest, ok := strings.CutPrefix(r.rest, want)
	if !ok {
		r.fail("the record has another kind or version")
		return
	}
	r.rest = rest
}

// next reports whether the next line begins with this word.
func (r *lineReader) next(word string) bool { return strings.HasPrefix(r.rest, word+" ") }

// line reads "word value\n" and returns the value.
func (r *lineReader) line(word string) string {
	line, rest, ok := strings.Cut(r.rest, "\n")
	value, found := strings.CutPrefix(line, word+" ")
	if !ok || !found {
		r.fail("%.40q instead of a line %q", line, word)
		return ""
	}
	r.rest = rest
	return value
}

// fields reads a line of up to 4 values that are parted by blanks; the last may hold blanks itself.
func (r *lineReader) fields(word string, n int) (f [4]string) {
	rest := r.line(word)
	for i := range n - 1 {
		var ok bool
		if f[i], rest, ok = strings.Cut(rest, " "); !ok {
			r.fail("a line %q with %d values, not %d", word, i+1, n)
			return [4]string{}
		}
	}
	f[n-1] = rest
	return f
}

// number reads a line of one number, written as we write them.
func (r *lineReader) number(word string) int64 { return r.toNumber(r.line(word)) }

func (r *lineReader) toNumber(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		r.fail("%.40q is not a number", text)
		return 0
	}
	return n
}

// text reads "word n\n", then n bytes and a line end: the last thing in a record.
func (r *lineReader) text(word string) string {
	n := r.number(word)
	if r.err == nil && (n != int64(len(r.rest))-1 || r.rest[n] != '\n') {
		r.fail("the %s does not have the stated %d bytes", word, n)
	}
	if r.err != nil {
		return ""
	}
	return r.rest[:n]
}

func appendText(b []byte, word string, text []byte) []byte {
	b = fmt.Appendf(b, "%s %d\n", word, len(text))
	return append(append(b, text...), '\n')
}

// appendOutputs writes a line for each output, sorted by name.
func appendOutputs(b []byte, outputs artifacts.Refs) ([]byte, error) {
	for i := range outputs {
		r := &outputs[i]
		if err := CheckWord("output", r.Name); err != nil {
			return nil, err
		}
		if err := CheckWord("format", r.Format); err != nil {
			return nil, err
		}
		if r.Size < 0 {
			return nil, fmt.Errorf("output %s has a size of %d", r.Name, r.Size)
		}
		if i > 0 && r.Name <= outputs[i-1].Name {
			return nil, fmt.Errorf("output %s stands behind %s: outputs stand in the order of their names", r.Name, outputs[i-1].Name)
		}
		b = append(hex.AppendEncode(append(b, "output "...), r.Digest[:]), ' ')
		b = append(append(strconv.AppendInt(b, r.Size, 10), ' '), r.Format...)
		b = append(append(append(b, ' '), r.Name...), '\n')
	}
	return b, nil
}

// outputs reads what appendOutputs wrote.
func (r *lineReader) outputs() artifacts.Refs {
	var room [8]artifacts.NamedRef
	outputs := room[:0]
	last := ""
	for r.next("output") {
		f := r.fields("output", 4)
		d := r.toDigest(f[0])
		if f[3] <= last || CheckWord("output", f[3]) != nil || CheckWord("format", f[2]) != nil {
			r.fail("output %.40q is not one word, or not in order", f[3])
		}
		last = f[3]
		// The few names and formats there are outlive the text of the record.
		outputs = append(outputs, artifacts.NamedRef{Name: unique.Make(last).Value(),
			Ref: artifacts.Ref{Digest: d, Size: r.toNumber(f[1]), Format: unique.Make(f[2]).Value()}})
	}
	return append(make(artifacts.Refs, 0, len(outputs)), outputs...) // as long as it is, and never nil
}

// CheckWord refuses a name that would not stand as one word in a line.
func CheckWord(what, word string) error {
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("the name %q of the %s is not one word", word, what)
	}
	return nil
}
