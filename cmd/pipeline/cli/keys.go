package cli

import "prgnn/artifacts"

// keyText is a key for --json: nothing when it is not known.
func keyText(k artifacts.Key) string {
	if k == (artifacts.Key{}) {
		return ""
	}
	return k.String()
}
