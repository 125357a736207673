package sheet

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"prgnn/internal/foreign"
)

// decoded is the text of a table in UTF-8. A mark at its begin decides (UTF-16), else the encoding that is named. With
// guess, what is not UTF-8 is read as Windows-1252, the encoding of most spreadsheets, and a note shows the first such
// cell; without, it is left as it is.
func decoded(raw []byte, name string, guess bool) (text []byte, note string, err error) {
	if foreign.Name(raw) != "" { // no table, in whatever encoding
		return raw, "", nil
	}
	as := func(e encoding.Encoding) ([]byte, error) {
		text, err := e.NewDecoder().Bytes(raw)
		if err == nil && len(text) > maxBytes {
			err = errLong
		}
		return text, err
	}
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		text, err = as(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))
		return text, "", err
	case name != "":
		e, err := htmlindex.Get(name)
		if err != nil {
			return nil, "", fmt.Errorf("encoding: there is no encoding %q; it is one of the WHATWG list, such as utf-16le, windows-1252, macintosh, gbk, shift_jis", name)
		}
		text, err = as(e)
		return bytes.TrimPrefix(text, []byte("\ufeff")), "", err
	case bytes.IndexByte(raw, 0) >= 0:
		if order := zeros(raw); order != "" {
			return nil, "", fmt.Errorf("every second byte is 0: a UTF-16 file without a byte order mark; set encoding: %s, or save it as UTF-8", order)
		}
		return raw, "", nil
	case !guess || utf8.Valid(raw):
		return raw, "", nil
	}
	text, err = as(charmap.Windows1252)
	line, cell := firstOdd(raw)
	shown, _ := charmap.Windows1252.NewDecoder().Bytes(cell)
	return text, fmt.Sprintf("the table is not UTF-8, and is read as Windows-1252, such as %.60s in line %d; if that is wrong, set encoding", shown, line), err
}

// zeros is the form of UTF-16 whose letters of ASCII have zeros in every second byte; "" where they have not.
func zeros(raw []byte) string {
	var at [2]int
	for i, c := range raw {
		if c == 0 {
			at[i%2]++
		}
	}
	switch half := len(raw) / 2; {
	case at[1] > half/2 && at[0] < half/10:
		return "utf-16le"
	case at[0] > half/2 && at[1] < half/10:
		return "utf-16be"
	}
	return ""
}

// firstOdd is the first cell that is not UTF-8, and its line.
func firstOdd(raw []byte) (line int, cell []byte) {
	at := 0
	for at < len(raw) {
		r, n := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	ends := func(c rune) bool { return strings.ContainsRune("\t;,\"\r\n", c) }
	begin := bytes.LastIndexFunc(raw[:at], ends) + 1
	end := bytes.IndexFunc(raw[at:], ends)
	if end < 0 {
		end = len(raw) - at
	}
	return 1 + bytes.Count(raw[:at], []byte{'\n'}), raw[begin : at+end]
}
