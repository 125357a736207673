package environment

import (
	"testing"

	"prgnn/internal/need"
)

// The hash is Argon2id as argon2-cffi 25.1 (Python, the reference implementation) computes it:
//
//	hash_secret_raw(b"tok-0123456789", b"prgnn environment TOKEN", 3, 65536, 1, 16, Type.ID)
func TestHashOfAValue(t *testing.T) {
	need.Equal(t, hashValue("TOKEN", "tok-0123456789"), "fd93f59c6b67e68182f905798bd9ea7e")
}
