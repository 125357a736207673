package foreign

import (
	"bytes"
	"strings"
	"unicode"
)

// DecimalCommas is the first number with a decimal comma in a text whose columns commas separate too, by the lines
// among its first bytes: of whole numbers alone, every second one is the decimals of the one before. These begin with
// zeros (107,0350), or all have one digit, or the number before is -0. "" for any other text.
func DecimalCommas(first []byte) (found string) {
	one, long, rows, names := true, "", 0, 0
	end := bytes.LastIndexByte(first, '\n')
	if end < 0 { // a line that is longer
		end = bytes.LastIndexByte(first, ',')
		if bytes.Count(first[:max(end, 0)], []byte(","))%2 == 0 {
			end = bytes.LastIndexByte(first[:max(end, 0)], ',')
		}
	}
	for line := range bytes.SplitSeq(first[:max(end, 0)], []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		fields := strings.Split(string(line), ",")
		if rows == 0 && names == 0 && strings.ContainsFunc(fields[len(fields)-1], unicode.IsLetter) {
			names = len(fields)
			continue
		}
		if len(fields) < 4 || len(fields) == names {
			return ""
		}
		rows++
		fields = fields[len(fields)%2:] // an index in front
		for j := 0; j < len(fields); j += 2 {
			whole, decimals := strings.TrimPrefix(fields[j], "-"), fields[j+1]
			if !digits(whole) || !digits(decimals) || len(whole) > 1 && whole[0] == '0' {
				return ""
			}
			number := fields[j] + "," + decimals
			if found == "" && (len(decimals) > 1 && decimals[0] == '0' || fields[j] == "-0") {
				found = number
			}
			one = one && len(decimals) == 1
			if len(whole) > 1 {
				long = number
			}
		}
	}
	if found == "" && one && rows > 2 {
		return long
	}
	return found
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
