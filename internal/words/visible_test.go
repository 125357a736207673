package words

import "testing"

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\tb\nc": "a\tb\nc", "Zoë 日本 �": "Zoë 日本 �",
		"\x1b[2J\x00\r\x7f": `\u001b[2J\u0000\u000d\u007f`, "\u009b31m": `\u009b31m`, "\x9b31m\xff": `\x9b31m\xff`,
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
