package words

import (
	"encoding/json"
	"testing"

	"prgnn/internal/need"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\tb\nc": "a\tb\nc", "Zoë 日本 �": "Zoë 日本 �",
		"\x1b[2J\x00\r\x7f": `\u001b[2J\u0000\u000d\u007f`, "\u009b31m": `\u009b31m`, "\x9b31m\xff": `\x9b31m\xff`,
	} {
		need.Equal(t, Plain(text), want, text)
	}
}

// Every character that a terminal or an editor would act on is escaped, and the text that is read back is the same.
func TestJSON(t *testing.T) {
	text := "é日 \x00\x1b\x7f\u009b\u0085\u061c\u200e\u2028\u202e\u2066 <&>"
	b := need.Value(JSON(map[string]string{text: text}))(t)
	once := `"é日 \u0000\u001b\u007f\u009b\u0085\u061c\u200e\u2028\u202e\u2066 <&>"`
	if want := "{\n  " + once + ": " + once + "\n}\n"; string(b) != want {
		t.Errorf("%s, want %s", b, want)
	}
	var back map[string]string
	if err := json.Unmarshal(b, &back); err != nil || back[text] != text {
		t.Errorf("%q, %v", back, err)
	}
	if _, err := JSON(func() {}); err == nil {
		t.Error("a function is no value")
	}
}
