package encoding

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A Nested is the JSON text of a list, a structure or a map: what a cell of such a column holds.
type Nested string

// MarshalJSON returns the text.
func (n Nested) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Value is one cell: a value of the Go type of the column, or nil where it is missing. A cell of a column that
// passes through as Arrow is a text, or Nested:
//
//	date       2024-05-31
//	timestamp  2024-05-31T09:30:00.25, with Z at its end in UTC if the type has a zone
//	time       09:30:00.25
//	duration   1500ms, in the unit of the type: s, ms, us or ns
//	interval   P3M, P2DT0.25S, P1M2DT3.5S
//	decimal    12.50, with the digits of the type
//	binary     00ff7e, hexadecimal
//	list       ["a","b",null]
//	structure  {"x":1.5,"when":"2024-05-31"}
//	map        [{"key":"a","value":1}]
func (c *Column) Value(i int) any {
	if !c.Has(i) {
		return nil
	}
	switch v := c.Values.(type) {
	case []string:
		return v[i]
	case []float64:
		return v[i]
	case []float32:
		return v[i]
	case []int64:
		return v[i]
	case []int32:
		return v[i]
	case []bool:
		return v[i]
	case arrow.Array:
		return valueOf(v, i)
	}
	panic("encoding: " + c.notColumn().Error())
}

// Text is one cell for people: n/a where it is missing, the shortest decimal that reads back as the same number.
func (c *Column) Text(i int) string {
	switch v := c.Value(i).(type) {
	case nil:
		return missing
	case string:
		return v
	case float64:
		return FormatFloat(v, 64)
	case float32:
		return FormatFloat(float64(v), 32)
	default:
		return fmt.Sprint(v)
	}
}

// valueOf is an element of an array; nil for one that is missing.
func valueOf(a arrow.Array, i int) any {
	if !isThere(a, i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return valueOf(a.Dictionary(), a.GetValueIndex(i))
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.Boolean:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.Float32:
		return a.Value(i)
	case *array.Float16:
		return half(a, i)
	case *array.Int64:
		return a.Value(i)
	case *array.Int32:
		return a.Value(i)
	case *array.Int16:
		return int32(a.Value(i))
	case *array.Int8:
		return int32(a.Value(i))
	case *array.Uint64:
		return a.Value(i)
	case *array.Uint32:
		return int64(a.Value(i))
	case *array.Uint16:
		return int32(a.Value(i))
	case *array.Uint8:
		return int32(a.Value(i))
	case *array.Binary:
		return hex.EncodeToString(a.Value(i))
	case *array.LargeBinary:
		return hex.EncodeToString(a.Value(i))
	case *array.FixedSizeBinary:
		return hex.EncodeToString(a.Value(i))
	case *array.Decimal128:
		return decimalText(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Decimal256:
		return decimalText(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal256Type).Scale))
	case *array.Date32:
		return dateText(int64(a.Value(i)))
	case *array.Date64:
		days, rest := floorDiv(int64(a.Value(i)), 86400_000)
		if rest != 0 {
			return dateText(days) + "T" + clockText(rest, arrow.Millisecond)
		}
		return dateText(days)
	case *array.Time32:
		return clockText(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return clockText(int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		days, rest := floorDiv(int64(a.Value(i)), 86400*perSecond(t.Unit))
		text := dateText(days) + "T" + clockText(rest, t.Unit)
		if t.TimeZone != "" {
			text += "Z" // an instant: the names of zones and their offsets change from machine to machine
		}
		return text
	case *array.Duration:
		return strconv.FormatInt(int64(a.Value(i)), 10) + a.DataType().(*arrow.DurationType).Unit.String()
	case *array.MonthInterval:
		return fmt.Sprintf("P%dM", a.Value(i))
	case *array.DayTimeInterval:
		v := a.Value(i)
		return fmt.Sprintf("P%dDT%sS", v.Days, fraction(int64(v.Milliseconds), 1000))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return fmt.Sprintf("P%dM%dDT%sS", v.Months, v.Days, fraction(v.Nanoseconds, int64(time.Second)))
	}
	return Nested(appendJSON(nil, a, i))
}

// appendJSON appends an element as JSON. NaN and the infinities, which JSON does not have, are texts.
func appendJSON(b []byte, a arrow.Array, i int) []byte {
	list := func(items arrow.Array, lo, hi int64) []byte {
		b = append(b, '[')
		for k := lo; k < hi; k++ {
			if k > lo {
				b = append(b, ',')
			}
			b = appendJSON(b, items, int(k))
		}
		return append(b, ']')
	}
	if !isThere(a, i) {
		return append(b, "null"...)
	}
	switch a := a.(type) {
	case array.ListLike: // a map is a list of its entries
		lo, hi := a.ValueOffsets(i)
		return list(a.ListValues(), lo, hi)
	case *array.Struct:
		b = append(b, '{')
		for k, f := range a.DataType().(*arrow.StructType).Fields() {
			if k > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, f.Name), ':')
			b = appendJSON(b, a.Field(k), i)
		}
		return append(b, '}')
	}
	switch v := valueOf(a, i).(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendText(b, v)
	case float64:
		return appendFloat(b, v, 64)
	case float32:
		return appendFloat(b, float64(v), 32)
	default:
		return fmt.Append(b, v)
	}
}

func appendFloat(b []byte, x float64, bits int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return appendText(b, FormatFloat(x, bits))
	}
	return append(b, FormatFloat(x, bits)...)
}

func appendText(b []byte, s string) []byte {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("encoding: " + err.Error()) // every text has a JSON form
	}
	return append(b, strings.TrimSuffix(out.String(), "\n")...)
}

func floorDiv(x, by int64) (quotient, rest int64) {
	quotient, rest = x/by, x%by
	if rest < 0 {
		return quotient - 1, rest + by
	}
	return quotient, rest
}

func perSecond(u arrow.TimeUnit) int64 { return int64(time.Second / u.Multiplier()) }

// dateText is the day of the proleptic Gregorian calendar so many days after 1970-01-01. Package time has fewer
// years than Arrow. The arithmetic is that of H. Hinnant, chrono-compatible low-level date algorithms,
// civil_from_days: years begin in March, and 400 of them have 146,097 days.
func dateText(days int64) string {
	era, day := floorDiv(days+719468, 146097)
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	year += 400 * era
	if month += 3; month > 12 {
		month, year = month-12, year+1
	}
	if year < 0 {
		return fmt.Sprintf("-%04d-%02d-%02d", -year, month, day)
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

// decimalText is v·10^-scale, with an exponent where the scale is beyond the digits of any decimal.
func decimalText(v *big.Int, scale int) string {
	const most = 76 // digits of a decimal of 256 bits
	if scale < 0 || scale > most {
		return v.String() + fmt.Sprintf("E%+d", -scale)
	}
	digits, sign := new(big.Int).Abs(v).String(), ""
	if v.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		return sign + digits
	}
	digits = strings.Repeat("0", max(scale+1-len(digits), 0)) + digits
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// clockText is a time of day.
func clockText(x int64, u arrow.TimeUnit) string {
	s, part := floorDiv(x, perSecond(u))
	text := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if part > 0 {
		text += strings.TrimPrefix(fraction(part, perSecond(u)), "0")
	}
	return text
}

// fraction is x/per in decimal; per is a power of 10.
func fraction(x, per int64) string {
	sign := ""
	if x < 0 {
		sign = "-"
	}
	abs := func(v int64) int64 { return max(v, -v) }
	text := sign + strconv.FormatInt(abs(x/per), 10)
	if part := abs(x % per); part > 0 {
		digits := len(strconv.FormatInt(per, 10)) - 1
		text += strings.TrimRight(fmt.Sprintf(".%0*d", digits, part), "0")
	}
	return text
}
