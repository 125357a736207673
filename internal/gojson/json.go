// Package json stands in for the module of that name, version v0.10.2: Arrow encodes values as JSON with it, which we
// never ask for, and its encoders and decoders are 1 MB of every program. It is encoding/json under the names that
// Arrow uses. docs/decisions/0008-size.md tells more.
package json

import (
	"encoding/json"
	"io"
)

type (
	Decoder            = json.Decoder
	Encoder            = json.Encoder
	Marshaler          = json.Marshaler
	Unmarshaler        = json.Unmarshaler
	Delim              = json.Delim
	UnmarshalTypeError = json.UnmarshalTypeError
	Number             = json.Number
	RawMessage         = json.RawMessage
)

func Marshal(v any) ([]byte, error)        { return json.Marshal(v) }
func Unmarshal(data []byte, v any) error   { return json.Unmarshal(data, v) }
func NewDecoder(r io.Reader) *json.Decoder { return json.NewDecoder(r) }
func NewEncoder(w io.Writer) *json.Encoder { return json.NewEncoder(w) }
